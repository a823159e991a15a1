/* convert.c - every conversion against the model: all 8- and 16-bit values to every dtype, every midpoint of every
 * small float, samples of the wide dtypes, and the same bits through strides. KARAT_TEST_ALL=1: every float32 to every
 * float of at most 16 bits. */
#include "dtype/dtype.h"
#include "dtype/value.h"
#include "model.h"

enum { BATCH = 4096 };

typedef struct batch {
    const format *from;
    int           n;
    uint8_t       source[BATCH * 16];
    long          checked, wrong;
} batch;

static int width_of(const format *f)
{
    return f->size * f->parts;
}

static void check_batch(batch *b, const format *to)
{
    static uint8_t got[BATCH * 16];
    const int in = width_of(b->from), out = width_of(to);
    kt__convert(got, to->d, out, b->source, b->from->d, in, b->n);
    for (int i = 0; i < b->n; i++) {
        const uint8_t *source = b->source + i * in;
        element want = model_cast(source, b->from, to);
        if (b->from->d == to->d)
            memcpy(want.byte, source, (size_t)in); /* no cast: the bits as they are */
        b->checked++;
        if (!same_element(got + i * out, &want, to) && b->wrong++ < 5)
            CHECK_MSG(false, "%s %s to %s: %s, must be %s", kt_dtype_name(b->from->d), hex(source, in),
                      kt_dtype_name(to->d), hex(got + i * out, out), hex(want.byte, out));
    }
}

static void check_everywhere(batch *b)
{
    for (int t = 0; t < NUM_FORMATS && b->n; t++)
        check_batch(b, &formats[t]);
    b->n = 0;
}

static void add(batch *b, const void *value)
{
    const int in = width_of(b->from);
    memcpy(b->source + b->n++ * in, value, (size_t)in);
    if (b->n == BATCH)
        check_everywhere(b);
}

static void add_f32(batch *b, float x)
{
    add(b, &x);
}

static void add_f64(batch *b, double x)
{
    add(b, &x);
}

static batch *new_batch(kt_dtype from)
{
    static batch b;
    memset(&b, 0, sizeof b);
    b.from = format_of(from);
    return &b;
}

TEST(the_model_covers_all)
{
    CHECK_EQ_INT(NUM_FORMATS, KT_NUM_DTYPES - 1);
    for (int i = 0; i < NUM_FORMATS; i++)
        CHECK_EQ_INT(width_of(&formats[i]), kt_dtype_size(formats[i].d));
}

TEST(all_8_and_16_bit_values)
{
    long checked = 0, wrong = 0;
    for (int i = 0; i < NUM_FORMATS; i++) {
        if (width_of(&formats[i]) > 2)
            continue;
        batch *b = new_batch(formats[i].d);
        for (uint32_t code = 0; code < 1u << 8 * formats[i].size; code++)
            add(b, &code);
        check_everywhere(b);
        checked += b->checked, wrong += b->wrong;
    }
    CHECK_EQ_INT(wrong, 0);
    printf("all 8- and 16-bit values to every dtype: %ld conversions, %ld wrong\n", checked, wrong);
}

/* Every number of a small float, from every wider dtype that holds it, arrives as its code. */
TEST(small_floats_come_back)
{
    static const kt_dtype wider[] = {KT_F32, KT_F64, KT_C64, KT_C128};
    long checked = 0;
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *f = &formats[i];
        if (!is_float(f) || width_of(f) > 2)
            continue;
        for (size_t w = 0; w < sizeof wider / sizeof *wider; w++)
            for (uint32_t code = 0; code < 1u << 8 * f->size; code++) {
                uint8_t there[16];
                uint32_t back = 0;
                if (decode(code, f).kind == NOT_A_NUMBER)
                    continue;
                kt__convert(there, wider[w], 0, &code, f->d, 0, 1);
                kt__convert(&back, f->d, 0, there, wider[w], 0, 1);
                checked++;
                if (!CHECK_MSG(back == code, "%s %x by way of %s: %x", kt_dtype_name(f->d), code,
                               kt_dtype_name(wider[w]), back))
                    return;
            }
    }
    printf("there and back: %ld\n", checked);
}

/* Around x, both signs: x and its neighbours, in float32. */
static void around_f32(batch *b, double x)
{
    const float f = (float)x;
    const float near[] = {f, nextafterf(f, INFINITY), nextafterf(f, -INFINITY)};
    for (int i = 0; i < 3; i++) {
        add_f32(b, near[i]);
        add_f32(b, -near[i]);
    }
}

/* In float64 too: one ulp of float64 and of float32 each side, and where the step to float32 is itself a tie. */
static void around_f64(batch *b, double x)
{
    const float f = (float)x;
    const double up = nextafterf(f, INFINITY), down = nextafterf(f, -INFINITY);
    const double tie_up = (x + up) / 2, tie_down = (x + down) / 2;
    const double near[] = {x,        nextafter(x, INFINITY), nextafter(x, -INFINITY), up, down, tie_up, tie_down,
                           nextafter(tie_up, 0), nextafter(tie_up, INFINITY), nextafter(tie_down, 0),
                           nextafter(tie_down, INFINITY)};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        add_f64(b, near[i]);
        add_f64(b, -near[i]);
    }
}

/* Only the format itself is checked in these batches, and complex32 with float16. */
static void check_midpoints(kt_dtype from, void (*around)(batch *, double))
{
    long checked = 0;
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *f = &formats[i];
        if (!is_float(f) || width_of(f) > 2)
            continue;
        const ladder *l = ladder_of(f);
        REQUIRE(l->value);
        batch *b = new_batch(from);
        for (int code = 0; code <= l->n; code++) {
            around(b, l->value[code]);
            if (code < l->n)
                around(b, (l->value[code] + l->value[code + 1]) / 2);
            if (b->n > BATCH - 64 || code == l->n) {
                check_batch(b, f);
                if (f->d == KT_F16)
                    check_batch(b, format_of(KT_C32));
                b->n = 0;
            }
        }
        checked += b->checked;
        CHECK_EQ_INT(b->wrong, 0);
    }
    printf("numbers and midpoints of small floats from %s: %ld conversions\n", kt_dtype_name(from), checked);
}

TEST(every_midpoint_from_float32)
{
    check_midpoints(KT_F32, around_f32);
}

TEST(every_midpoint_from_float64)
{
    check_midpoints(KT_F64, around_f64);
}

/* Values near the ends of every integer dtype, and powers of two with neighbours, from every wide source. */
TEST(edges_of_the_integers)
{
    long checked = 0;
    for (int s = 0; s < 2; s++) {
        batch *b = new_batch(s ? KT_F64 : KT_F32);
        for (int power = -3; power <= 65; power++)
            for (int sign = 0; sign < 2; sign++)
                for (int k = -4; k <= 4; k++) {
                    const double edge = ldexp(sign ? -1.0 : 1.0, power) + k * 0.5;
                    if (s) {
                        add_f64(b, edge);
                        add_f64(b, nextafter(edge, INFINITY));
                        add_f64(b, nextafter(edge, -INFINITY));
                    } else {
                        add_f32(b, (float)edge);
                        add_f32(b, nextafterf((float)edge, INFINITY));
                        add_f32(b, nextafterf((float)edge, -INFINITY));
                    }
                }
        check_everywhere(b);
        checked += b->checked;
        CHECK_EQ_INT(b->wrong, 0);
    }
    static const kt_dtype integers[] = {KT_I32, KT_U32, KT_I64, KT_U64};
    for (int s = 0; s < 4; s++) {
        batch *b = new_batch(integers[s]);
        for (int power = 0; power < 64; power++)
            for (int low = 0; low < 64; low++)
                for (int k = -2; k <= 2; k++) { /* two bits set, and around: where an integer's rounding can go wrong */
                    const uint64_t x = ((uint64_t)1 << power | (uint64_t)1 << low) + (uint64_t)(int64_t)k;
                    const uint64_t minus = 0 - x;
                    add(b, &x);
                    add(b, &minus);
                }
        check_everywhere(b);
        checked += b->checked;
        CHECK_EQ_INT(b->wrong, 0);
    }
    printf("edges: %ld conversions\n", checked);
}

/* Bits with an exponent near the ranges that matter, or any; sometimes a mantissa of few bits. */
static uint64_t random_bits(const format *f)
{
    uint64_t bits = test_random();
    const int width = 8 * f->size;
    if (is_float(f)) {
        if (test_below(4)) {
            const uint64_t exponent = (uint64_t)f->bias - 160 + test_below(300);
            if (f->bias > 200)
                bits = (bits & ~((((uint64_t)1 << f->E) - 1) << f->M)) | exponent << f->M;
        }
        if (test_below(2))
            bits &= ~(((uint64_t)1 << test_below((uint64_t)f->M + 1)) - 1);
        if (!test_below(4))
            bits ^= 1;
    } else if (test_below(2)) {
        bits = (uint64_t)((int64_t)bits >> test_below(64));
    }
    return width == 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

TEST(samples_of_the_wide_dtypes)
{
    const int each = test_all() ? 400000 : 20000;
    long checked = 0;
    test_seed();
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *f = &formats[i];
        if (width_of(f) < 4)
            continue;
        batch *b = new_batch(f->d);
        for (int k = 0; k < each; k++) {
            uint64_t parts[2];
            uint8_t value[16];
            for (int p = 0; p < f->parts; p++) {
                parts[p] = random_bits(f);
                memcpy(value + p * f->size, &parts[p], (size_t)f->size);
            }
            add(b, value);
        }
        check_everywhere(b);
        checked += b->checked;
        CHECK_EQ_INT(b->wrong, 0);
    }
    printf("samples: %ld conversions\n", checked);
}

/* The dtype-level answer "safe" is exactly what all values of the small dtypes show. */
TEST(safe_means_every_value)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *from = &formats[i];
        if (width_of(from) > 2)
            continue;
        for (int t = 0; t < NUM_FORMATS; t++) {
            const format *to = &formats[t];
            bool all = true;
            for (uint32_t code = 0; all && code < (from->form == BOOLEAN ? 2u : 1u << 8 * from->size); code++) {
                const number x = decode(code, from);
                const element there = model_cast(&code, from, to);
                const number y = decode(read_bits(there.byte, to->size), to);
                all = same_number(x, y) && (is_float(to) || x.kind == FINITE);
            }
            const bool same_kind = kt_can_cast(from->d, to->d);
            CHECK_MSG(kt_can_cast_level(from->d, to->d, KT_CAST_SAFE) == (all && same_kind), "%s to %s",
                      kt_dtype_name(from->d), kt_dtype_name(to->d));
        }
    }
}

TEST(strides)
{
    enum { N = 700 };
    static uint8_t source[N * 24], plain[N * 16], spaced[N * 40];
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (uint8_t)(i * 37 + (i >> 8));
    for (int i = 0; i < NUM_FORMATS; i++)
        for (int t = 0; t < NUM_FORMATS; t++) {
            const int in = width_of(&formats[i]), out = width_of(&formats[t]);
            memset(spaced, 0xaa, sizeof spaced);
            static uint8_t packed[N * 16];
            for (int k = 0; k < N; k++)
                memcpy(packed + k * in, source + k * (in + 5), (size_t)in);
            kt__convert(plain, formats[t].d, out, packed, formats[i].d, in, N);
            kt__convert(spaced, formats[t].d, out + 7, source, formats[i].d, in + 5, N); /* unaligned too */
            for (int k = 0; k < N; k++)
                if (!CHECK(memcmp(spaced + k * (out + 7), plain + k * out, (size_t)out) == 0) ||
                    !CHECK(spaced[k * (out + 7) + out] == 0xaa))
                    return;
            kt__convert(spaced, formats[t].d, out, packed + (N - 1) * in, formats[i].d, -in, N); /* backwards */
            CHECK(memcmp(spaced, plain + (N - 1) * out, (size_t)out) == 0);
            kt__convert(spaced, formats[t].d, out, packed, formats[i].d, 0, 3); /* one value, three times */
            CHECK(memcmp(spaced + 2 * out, plain, (size_t)out) == 0);
            kt__convert(NULL, formats[t].d, out, NULL, formats[i].d, in, 0);
        }
}

/* Floats in rising order: the expected code rises with them, so that 2^32 values need no search. */
TEST(every_float32)
{
    if (!test_all()) {
        test_skip("KARAT_TEST_ALL=1 runs it");
        return;
    }
    enum { STEP = 1 << 16 };
    static float source[STEP];
    static uint8_t got[STEP * 2];
    for (int i = 0; i < NUM_FORMATS; i++) {
        const format *f = &formats[i];
        if (!is_float(f) || width_of(f) > 2)
            continue;
        const ladder *l = ladder_of(f);
        long wrong = 0;
        for (int sign = 0; sign < 2; sign++) {
            int low = 0;
            for (uint32_t block = 0; block < 0x80000000u / STEP; block++) {
                for (uint32_t k = 0; k < STEP; k++) {
                    const uint32_t bits = (uint32_t)sign << 31 | (block * STEP + k);
                    memcpy(&source[k], &bits, 4);
                }
                kt__convert(got, f->d, f->size, source, KT_F32, 4, STEP);
                for (uint32_t k = 0; k < STEP; k++) {
                    const double a = fabs((double)source[k]);
                    while (low < l->n && a >= l->value[low + 1])
                        low++;
                    uint64_t want;
                    if (low >= l->n || a != a) {
                        want = special_code(f, a != a, sign);
                    } else {
                        const double half = (l->value[low] + l->value[low + 1]) / 2;
                        int code = low;
                        if (f->form == E8M0)
                            code += low == 0 ? a > l->value[0] : a >= half;
                        else
                            code += a > half || (a == half && (low & 1));
                        want = code >= l->n ? special_code(f, false, sign)
                               : f->form == E8M0 || (f->form == FNUZ && !code)
                                   ? (uint64_t)code
                                   : (uint64_t)sign << (8 * f->size - 1) | (uint64_t)code;
                    }
                    uint64_t have = 0;
                    memcpy(&have, got + k * (size_t)f->size, (size_t)f->size);
                    if (have != want && !(f->size == 2 && a != a && decode(have, f).kind == NOT_A_NUMBER))
                        wrong++;
                }
            }
        }
        CHECK_EQ_INT(wrong, 0);
        printf("every float32 to %s: %ld wrong\n", kt_dtype_name(f->d), wrong);
    }
}
