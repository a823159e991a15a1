/* rounding.c - rounding once against the model, stochastic rounding by statistics, and the casting level same_value. */
#include "dtype/dtype.h"
#include "dtype/value.h"
#include "model.h"

/* One rounding of an exact number: by dropping bits for IEEE floats, by search for others (a double holds it). */
static uint64_t once(number x, const format *to)
{
    return to->form == IEEE && to->size >= 2 ? round_ieee(x, to) : round_small(to_double(x), to);
}

TEST(once_from_float64)
{
    long checked = 0;
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *to = &formats[i];
        if (!is_float(to) || to->size * to->parts > 2)
            continue;
        const ladder *l = ladder_of(to);
        REQUIRE(l->value);
        for (int code = 0; code < l->n; code++) {
            const double middle = (l->value[code] + l->value[code + 1]) / 2;
            const double near[] = {l->value[code], middle, nextafter(middle, INFINITY), nextafter(middle, 0),
                                   nextafter(l->value[code], INFINITY)};
            for (int k = 0; k < 10; k++) {
                const double x = k & 1 ? -near[k / 2] : near[k / 2];
                const number exact = decode(read_bits(&x, 8), format_of(KT_F64));
                uint64_t got = 0;
                kt__convert_rounding(&got, to->d, 0, &x, KT_F64, 0, 1, KT_ROUND_ONCE, NULL);
                const uint64_t want = once(exact, to);
                checked++;
                if (!CHECK_MSG(got == want, "%s of %a: %llx, must be %llx", kt_dtype_name(to->d), x,
                               (unsigned long long)got, (unsigned long long)want))
                    return;
            }
        }
    }
    printf("once: %ld conversions\n", checked);
}

TEST(once_from_integers)
{
    static const kt_dtype sources[] = {KT_I32, KT_U32, KT_I64, KT_U64}, targets[] = {KT_F16, KT_BF16};
    test_seed();
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < 2; t++)
            for (int k = 0; k < 20000; k++) {
                const format *from = format_of(sources[s]), *to = format_of(targets[t]);
                uint64_t x = (uint64_t)((int64_t)test_random() >> test_below(64)), got = 0;
                if (test_below(2)) /* a midpoint of the target and a last bit: where two roundings differ */
                    x = ((x >> 40 | 1) << (8 + test_below(30))) + test_below(2);
                if (from->size == 4)
                    x &= UINT32_MAX;
                kt__convert_rounding(&got, to->d, 0, &x, from->d, 0, 1, KT_ROUND_ONCE, NULL);
                if (!CHECK_EQ_U64(got, round_ieee(decode(x, from), to)))
                    return;
            }
}

TEST(once_is_the_plain_rule_elsewhere)
{
    const double x = 1.2345678901234567;
    float plain, rounded;
    kt__convert(&plain, KT_F32, 0, &x, KT_F64, 0, 1);
    kt__convert_rounding(&rounded, KT_F32, 0, &x, KT_F64, 0, 1, KT_ROUND_ONCE, NULL);
    CHECK_MEM(&plain, &rounded, 4);
    int32_t whole;
    kt__convert_rounding(&whole, KT_I32, 0, &x, KT_F64, 0, 1, KT_ROUND_ONCE, NULL);
    CHECK_EQ_INT(whole, 1);
    const double z[2] = {1 + 0x1p-11 + 0x1p-40, -(1 + 0x1p-11 + 0x1p-40)};
    uint16_t half[2];
    kt__convert_rounding(half, KT_C32, 0, z, KT_C128, 0, 1, KT_ROUND_ONCE, NULL);
    CHECK_EQ_U64(half[0], 0x3c01);
    CHECK_EQ_U64(half[1], 0xbc01);
}

/* ---- stochastic ---- */

TEST(stochastic_keeps_what_fits)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *to = &formats[i];
        if (!is_float(to) || to->size * to->parts > 2)
            continue;
        for (uint32_t code = 0; code < 1u << 8 * to->size; code++) {
            const number x = decode(code, to);
            if (x.kind == NOT_A_NUMBER)
                continue;
            const double value = to_double(x);
            kt__round_rng rng = {1234, code};
            uint64_t got = 0;
            kt__convert_rounding(&got, to->d, 0, &value, KT_F64, 0, 1, KT_ROUND_STOCHASTIC, &rng);
            if (!CHECK_MSG(got == code, "%s %x became %x", kt_dtype_name(to->d), code, (unsigned)got))
                return;
            CHECK_EQ_U64(rng.counter, code + 1);
        }
    }
}

/* Between two neighbours: only those come out, the upper one as often as the fraction says. */
TEST(stochastic_is_unbiased)
{
    enum { N = 40000 };
    static double source[N];
    static uint8_t got[N * 4];
    static const kt_dtype targets[] = {KT_F16, KT_BF16, KT_E4M3FN, KT_E5M2, KT_E4M3FNUZ, KT_E5M2FNUZ, KT_E8M0FNU};
    static const double fractions[] = {0.0625, 0.25, 0.5, 0.8125};
    kt__round_rng rng = {42, 0};
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (size_t f = 0; f < sizeof fractions / sizeof *fractions; f++)
            for (int place = 0; place < 3; place++) { /* in the lowest interval, in the middle, at the top */
                const format *to = format_of(targets[t]);
                const ladder *l = ladder_of(to);
                REQUIRE(l->value);
                const int low = place == 0 ? 0 : place == 1 ? l->n / 2 : l->n - 1;
                const double p = fractions[f], x = l->value[low] + p * (l->value[low + 1] - l->value[low]);
                for (int i = 0; i < N; i++)
                    source[i] = x;
                kt__convert_rounding(got, to->d, to->size, source, KT_F64, 8, N, KT_ROUND_STOCHASTIC, &rng);
                const uint64_t above = low + 1 < l->n ? (uint64_t)low + 1 : special_code(to, false, false);
                int ups = 0, strays = 0;
                for (int i = 0; i < N; i++) {
                    const uint64_t code = read_bits(got + i * to->size, to->size);
                    ups += code == above;
                    strays += code != above && code != (uint64_t)low;
                }
                const double sigma = sqrt(N * p * (1 - p));
                CHECK_EQ_INT(strays, 0);
                CHECK_MSG(fabs(ups - N * p) < 5 * sigma, "%s at %d: %d of %d up, expected %g", kt_dtype_name(to->d),
                          low, ups, N, N * p);
            }
}

TEST(stochastic_mean)
{
    enum { N = 100000 };
    static double source[N];
    static float got[N];
    for (int i = 0; i < N; i++)
        source[i] = 1.0 + 0x1p-26; /* an eighth of the way */
    kt__round_rng rng = {7, 0};
    kt__convert_rounding(got, KT_F32, 4, source, KT_F64, 8, N, KT_ROUND_STOCHASTIC, &rng);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += ((double)got[i] - 1.0) * 0x1p23;
    CHECK_NEAR(sum / N, 0.125, 0.006);
    CHECK_EQ_U64(rng.counter, N);
}

/* Element i depends on the seed and i alone: splitting a row, or another seed. */
TEST(stochastic_is_counter_based)
{
    enum { N = 1000 };
    static float source[N];
    static uint16_t whole[N], split[N], other[N];
    for (int i = 0; i < N; i++)
        source[i] = 1.0f + (float)i * 0x1p-13f;
    kt__round_rng a = {99, 5}, b = {99, 5}, c = {100, 5};
    kt__convert_rounding(whole, KT_BF16, 2, source, KT_F32, 4, N, KT_ROUND_STOCHASTIC, &a);
    kt__convert_rounding(split, KT_BF16, 2, source, KT_F32, 4, 333, KT_ROUND_STOCHASTIC, &b);
    kt__convert_rounding(split + 333, KT_BF16, 2, source + 333, KT_F32, 4, N - 333, KT_ROUND_STOCHASTIC, &b);
    kt__convert_rounding(other, KT_BF16, 2, source, KT_F32, 4, N, KT_ROUND_STOCHASTIC, &c);
    CHECK_MEM(split, whole, sizeof whole);
    CHECK(memcmp(other, whole, sizeof whole) != 0);
    CHECK_EQ_U64(a.counter, b.counter);
    const double z[2] = {1 + 0x1p-9, 1 + 0x1p-9}; /* the two parts of a complex draw apart */
    int differ = 0;
    for (int i = 0; i < 64; i++) {
        uint16_t half[2];
        const double w[2] = {1 + 0x1p-11, 1 + 0x1p-11};
        kt__convert_rounding(half, KT_C32, 0, i & 1 ? z : w, KT_C128, 0, 1, KT_ROUND_STOCHASTIC, &a);
        differ += half[0] != half[1];
    }
    CHECK(differ > 8);
    const uint64_t before = a.counter; /* a target that needs no rounding still uses its numbers up */
    int64_t whole_numbers[4];
    kt__convert_rounding(whole_numbers, KT_I64, 8, source, KT_F32, 4, 4, KT_ROUND_STOCHASTIC, &a);
    CHECK_EQ_U64(a.counter, before + 4);
}

TEST(stochastic_specials)
{
    const double values[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0x1p-1074, -0.0};
    static const uint16_t half[] = {0x7e00, 0x7c00, 0xfc00, 0x7c00, 0xfc00, 0x0000, 0x8000};
    for (int i = 0; i < 7; i++) {
        kt__round_rng rng = {1, 0};
        uint16_t got;
        kt__convert_rounding(&got, KT_F16, 0, &values[i], KT_F64, 0, 1, KT_ROUND_STOCHASTIC, &rng);
        CHECK_EQ_U64(got, half[i]);
    }
}

/* ---- same_value ---- */

static bool survives(kt_dtype to, kt_dtype from, double x)
{
    uint8_t value[16];
    kt_scalar_store(value, from, kt_dtype_category(from) < KT_CAT_FLOAT ? KT_INT((int64_t)x) : KT_FLOAT(x));
    return kt__same_value(to, value, from, 0, 1);
}

TEST(same_value_by_hand)
{
    CHECK(survives(KT_F16, KT_F32, 1.5) && !survives(KT_F16, KT_F32, 0.1) && survives(KT_F16, KT_F32, 65504));
    CHECK(!survives(KT_F16, KT_F32, 65520) && survives(KT_F16, KT_F32, INFINITY) && survives(KT_F16, KT_F32, NAN));
    CHECK(!survives(KT_E4M3FN, KT_F32, INFINITY) && survives(KT_E4M3FN, KT_F32, NAN));
    CHECK(survives(KT_E4M3FNUZ, KT_F32, -0.0) && !survives(KT_E8M0FNU, KT_F16, 0) && !survives(KT_E8M0FNU, KT_U8, 0));
    CHECK(!survives(KT_U8, KT_I32, -1) && survives(KT_U8, KT_I32, 255) && !survives(KT_U8, KT_I32, 256));
    CHECK(!survives(KT_U64, KT_I64, -1) && survives(KT_U64, KT_I64, 5));
    CHECK(!survives(KT_I32, KT_F32, 0.5) && survives(KT_I32, KT_F32, -7) && !survives(KT_I32, KT_F32, NAN));
    CHECK(!survives(KT_I32, KT_F64, 2147483648.0) && survives(KT_I32, KT_F64, -2147483648.0));
    CHECK(!survives(KT_F32, KT_I32, 2147483647) && survives(KT_F32, KT_I32, -2147483648.0));
    CHECK(!survives(KT_BF16, KT_I16, 32767) && !survives(KT_BF16, KT_I16, 257) && survives(KT_BF16, KT_I16, 258));
    CHECK(survives(KT_BOOL, KT_F32, 1) && !survives(KT_BOOL, KT_F32, 2) && !survives(KT_BOOL, KT_F32, 0.5));
    CHECK(!survives(KT_E8M0FNU, KT_F32, 0) && survives(KT_E8M0FNU, KT_F32, 4) && !survives(KT_E8M0FNU, KT_F32, -4));
    const int64_t most = INT64_MAX;
    const uint64_t more = UINT64_MAX;
    CHECK(!kt__same_value(KT_F32, &most, KT_I64, 0, 1) && !kt__same_value(KT_F64, &most, KT_I64, 0, 1));
    CHECK(!kt__same_value(KT_F64, &more, KT_U64, 0, 1) && !kt__same_value(KT_I64, &more, KT_U64, 0, 1));
    const float z[2] = {1, 0}, w[2] = {1, 2};
    CHECK(kt__same_value(KT_F32, z, KT_C64, 0, 1) && !kt__same_value(KT_F32, w, KT_C64, 0, 1));
    CHECK(kt__same_value(KT_BOOL, z, KT_C64, 0, 1) && kt__same_value(KT_I8, z, KT_C64, 0, 1));
    float row[600];
    for (int i = 0; i < 600; i++)
        row[i] = (float)i;
    CHECK(kt__same_value(KT_I16, row, KT_F32, 4, 600) && kt__same_value(KT_I64, row, KT_F32, 4, 0));
    row[599] = 0.5f; /* the last one counts */
    CHECK(!kt__same_value(KT_I16, row, KT_F32, 4, 600) && kt__same_value(KT_I16, row, KT_F32, 8, 300));
}

/* All 16-bit values to every dtype: survives exactly when source and result are the same number. */
TEST(same_value_is_equality)
{
    long checked = 0;
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *from = &formats[i];
        if (from->size * from->parts > 2 || from->form == BOOLEAN)
            continue;
        for (int t = 0; t < NUM_FORMATS; t++) {
            const format *to = &formats[t];
            for (uint32_t code = 0; code < 1u << 8 * from->size; code += from->size == 1 ? 1 : 7) {
                const number x = decode(code, from);
                const element there = model_cast(&code, from, to);
                const number y = decode(read_bits(there.byte, to->size), to);
                const bool want = same_number(x, y) && (is_float(to) || x.kind == FINITE);
                checked++;
                if (!CHECK_MSG(kt__same_value(to->d, &code, from->d, 0, 1) == want, "%s %x to %s",
                               kt_dtype_name(from->d), code, kt_dtype_name(to->d)))
                    return;
            }
        }
    }
    printf("same_value: %ld values\n", checked);
}
