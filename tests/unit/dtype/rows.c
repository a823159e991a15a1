/* rows.c - the vector rows of dtype/rows.h give the bits of the element functions, for every length and every float16,
 * and for sampled float32 (KARAT_TEST_ALL=1: all of them). */
#include "dtype/rows.h"
#include "harness.h"

enum { STEP = 1 << 16 };

static float    singles[STEP + 64];
static uint16_t halves[STEP + 64], halves_one[STEP + 64];
static int64_t  longs[STEP + 64], longs_one[STEP + 64];

static void fill(uint32_t start, uint32_t stride)
{
    for (uint32_t i = 0; i < STEP; i++)
        singles[i] = kt__f32_bits(start + i * stride);
}

static bool check_from_f32(const char *what)
{
    kt__encode_row_f32_F16(halves, singles, STEP);
    kt__encode_row_f32_I64(longs, singles, STEP);
    for (int i = 0; i < STEP; i++) {
        halves_one[i] = kt__encode_f32_F16(singles[i]);
        longs_one[i] = kt__encode_f32_I64(singles[i]);
    }
    return CHECK_MSG(memcmp(halves, halves_one, sizeof(uint16_t) * STEP) == 0, "float16 %s", what) &&
           CHECK_MSG(memcmp(longs, longs_one, sizeof(int64_t) * STEP) == 0, "int64 %s", what);
}

TEST(from_float32)
{
    if (test_all()) {
        for (uint32_t block = 0; block < 65536; block++) {
            fill(block << 16, 1);
            if (!check_from_f32("in order"))
                return;
        }
        return;
    }
    fill(0, 65536 + 1); /* one of each upper half: all exponents, infinities and NaNs included */
    check_from_f32("spread");
    fill(0x7f7f8000, 1); /* around infinity */
    check_from_f32("around infinity");
    fill(0x5effff00, 1); /* around 2^63 */
    check_from_f32("around 2^63");
    test_seed();
    for (int k = 0; k < 50; k++) {
        for (int i = 0; i < STEP; i++)
            singles[i] = kt__f32_bits((uint32_t)test_random());
        if (!check_from_f32("sampled"))
            return;
    }
}

TEST(from_float16)
{
    static float one[STEP];
    for (int i = 0; i < STEP; i++) {
        halves[i] = (uint16_t)i;
        one[i] = kt__decode_F16(halves[i]);
    }
    kt__decode_row_F16(singles, halves, STEP);
    CHECK_MEM(singles, one, sizeof one);
}

/* The machine's conversions against the generic definition, NaNs included: the same bits on every ISA. */
TEST(machine_equals_definition)
{
    long wrong = 0;
    for (uint32_t b = 0; b < 65536; b++)
        wrong += kt__bits_f32(kt__decode_F16((uint16_t)b)) != kt__bits_f32(kt__mini_decode(b, 5, 10, KT__IEEE));
    CHECK_EQ_INT(wrong, 0);
    for (uint32_t b = 0; b < 256; b++) {
        wrong += kt__bits_f32(kt__decode_E5M2((uint8_t)b)) != kt__bits_f32(kt__mini_decode(b, 5, 2, KT__IEEE));
        wrong += kt__bits_f32(kt__decode_E4M3FN((uint8_t)b)) != kt__bits_f32(kt__mini_decode(b, 4, 3, KT__FN));
        wrong += kt__bits_f32(kt__decode_E4M3FNUZ((uint8_t)b)) != kt__bits_f32(kt__mini_decode(b, 4, 3, KT__FNUZ));
        wrong += kt__bits_f32(kt__decode_E5M2FNUZ((uint8_t)b)) != kt__bits_f32(kt__mini_decode(b, 5, 2, KT__FNUZ));
    }
    CHECK_EQ_INT(wrong, 0);
    const uint32_t stride = test_all() ? 1 : 4099;
    for (uint64_t u = 0; u < (uint64_t)1 << 32; u += stride) {
        const float f = kt__f32_bits((uint32_t)u);
        wrong += kt__encode_f32_F16(f) != kt__mini_encode(f, 5, 10, KT__IEEE);
    }
    for (uint32_t u = 0x7f800000u - 100000; u < 0x7f800000u + 8400000; u++) { /* all NaNs of one sign */
        const float f = kt__f32_bits(u);
        wrong += kt__encode_f32_F16(f) != kt__mini_encode(f, 5, 10, KT__IEEE);
    }
    CHECK_EQ_INT(wrong, 0);
}

TEST(every_length)
{
    fill(0x3f800000, 977);
    for (int n = 0; n < 70; n++) {
        memset(halves, 0xee, sizeof halves);
        memset(longs, 0xee, sizeof longs);
        kt__encode_row_f32_F16(halves, singles + 1, n);
        kt__encode_row_f32_I64(longs, singles + 1, n);
        for (int i = 0; i < n; i++)
            if (!CHECK(halves[i] == kt__encode_f32_F16(singles[i + 1])) ||
                !CHECK(longs[i] == kt__encode_f32_I64(singles[i + 1])))
                return;
        CHECK_EQ_U64(halves[n], 0xeeee);
        CHECK_EQ_U64(longs[n], 0xeeeeeeeeeeeeeeeeu);
        static float back[80];
        memset(back, 0x11, sizeof back);
        kt__decode_row_F16(back, halves, n);
        for (int i = 0; i < n; i++)
            CHECK(back[i] == kt__decode_F16(halves[i]));
        CHECK_EQ_U64(kt__bits_f32(back[n]), 0x11111111);
    }
}
