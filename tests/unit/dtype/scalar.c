/* scalar.c - single numbers: read exactly, written by the cast rule, refused where PyTorch's fill refuses. */
#include "dtype/dtype.h"
#include "harness.h"

#include <karat/dtype.h>
#include <math.h>

TEST(load_is_exact)
{
    const uint8_t truth = 7;
    const int64_t least = INT64_MIN;
    const uint64_t most = UINT64_MAX;
    const uint16_t half = 0x3c01, brain = 0xc0a0;
    const uint8_t e4 = 0x7e, e8 = 0x00;
    const float single = 0.1f;
    const float pair[2] = {1.5f, -2.0f};
    const uint16_t half_pair[2] = {0x3c00, 0xc000};
    kt_scalar s = kt_scalar_load(&truth, KT_BOOL);
    CHECK_EQ_INT(s.kind, KT_SCALAR_BOOL);
    CHECK_EQ_INT(s.v.i, 1);
    s = kt_scalar_load(&least, KT_I64);
    CHECK(s.kind == KT_SCALAR_INT && s.v.i == INT64_MIN && !s.is_unsigned);
    s = kt_scalar_load(&most, KT_U64);
    CHECK(s.kind == KT_SCALAR_INT && (uint64_t)s.v.i == UINT64_MAX && s.is_unsigned);
    s = kt_scalar_load(&most, KT_U32);
    CHECK(s.kind == KT_SCALAR_INT && s.v.i == UINT32_MAX && !s.is_unsigned);
    s = kt_scalar_load(&most, KT_I16);
    CHECK(s.kind == KT_SCALAR_INT && s.v.i == -1);
    CHECK(kt_scalar_load(&half, KT_F16).v.re == 1 + 0x1p-10);
    CHECK(kt_scalar_load(&brain, KT_BF16).v.re == -5.0);
    CHECK(kt_scalar_load(&e4, KT_E4M3FN).v.re == 448.0);
    CHECK(kt_scalar_load(&e8, KT_E8M0FNU).v.re == 0x1p-127);
    CHECK(kt_scalar_load(&single, KT_F32).v.re == (double)0.1f);
    s = kt_scalar_load(pair, KT_C64);
    CHECK(s.kind == KT_SCALAR_COMPLEX && s.v.re == 1.5 && s.im == -2.0);
    s = kt_scalar_load(half_pair, KT_C32);
    CHECK(s.kind == KT_SCALAR_COMPLEX && s.v.re == 1.0 && s.im == -2.0);
    CHECK_EQ_INT(kt_scalar_load(&truth, KT_NONE).kind, 0);
}

static uint64_t stored(kt_dtype d, kt_scalar value)
{
    uint64_t bits[3] = {0, 0, 0xabcdef};
    kt_scalar_store(bits, d, value);
    CHECK_EQ_U64(bits[2], 0xabcdef);
    return bits[0];
}

TEST(store_follows_the_cast_rule)
{
    CHECK_EQ_U64(stored(KT_U8, KT_INT(-1)), 255);
    CHECK_EQ_U64(stored(KT_U8, KT_FLOAT(-1)), 0);
    CHECK_EQ_U64(stored(KT_I8, KT_FLOAT(300)), 127);
    CHECK_EQ_U64(stored(KT_I64, KT_FLOAT(NAN)), 0);
    CHECK_EQ_U64(stored(KT_F16, KT_FLOAT(1 + 0x1p-11 + 0x1p-40)), 0x3c00);
    CHECK_EQ_U64(stored(KT_F16, KT_INT(100000)), 0x7c00);
    CHECK_EQ_U64(stored(KT_F32, KT_INT((int64_t)1 << 62)), 0x5e800000);
    CHECK_EQ_U64(stored(KT_BOOL, KT_COMPLEX(0, 2)), 1);
    CHECK_EQ_U64(stored(KT_I32, KT_COMPLEX(-3.7, 2)), 0xfffffffd);
    CHECK_EQ_U64(stored(KT_C64, KT_COMPLEX(1, 2)), 0x400000003f800000);
    CHECK_EQ_U64(stored(KT_C32, KT_FLAG(true)), 0x3c00);
    kt_scalar big = KT_INT(-1);
    big.is_unsigned = 1;
    CHECK_EQ_U64(stored(KT_U64, big), UINT64_MAX);
    CHECK_EQ_U64(stored(KT_F32, big), 0x5f800000);
    CHECK_EQ_U64(stored(KT_F32, KT_INT(-1)), 0xbf800000);
    CHECK_EQ_U64(stored(KT_NONE, KT_INT(5)), 0);
    CHECK_EQ_U64(stored((kt_dtype)99, KT_INT(5)), 0);
}

TEST(load_and_store_return_the_same)
{
    for (int d = 1; d < KT_NUM_DTYPES; d++)
        for (uint32_t code = 0; code < 65536; code += kt_dtype_size((kt_dtype)d) == 1 ? 256 : 1) {
            const size_t size = kt_dtype_size((kt_dtype)d);
            uint8_t in[16] = {0}, out[16] = {0};
            const uint32_t spread = size == 1 ? code >> 8 : code;
            memcpy(in, &spread, size < 4 ? size : 4);
            if (d == KT_BOOL)
                in[0] &= 1;
            const kt_scalar s = kt_scalar_load(in, (kt_dtype)d);
            kt_scalar_store(out, (kt_dtype)d, s);
            const bool nan = s.kind >= KT_SCALAR_FLOAT && s.v.re != s.v.re;
            if (!nan && !CHECK_MSG(memcmp(in, out, size) == 0, "%s %x", kt_dtype_name((kt_dtype)d), spread))
                return;
        }
}

/* Columns: the numbers below; 1 where PyTorch's fill_ takes it. */
TEST(fits_as_fill_takes_it)
{
    const double inf = INFINITY;
    const kt_scalar numbers[] = {
        KT_FLAG(1), KT_INT(0), KT_INT(-1), KT_INT(127), KT_INT(128), KT_INT(-128), KT_INT(-129), KT_INT(255),
        KT_INT(256), KT_INT(-255), KT_INT(-256), KT_INT(32767), KT_INT(32768), KT_INT(-32768), KT_INT(-32769),
        KT_INT(65504), KT_INT(65535), KT_INT(65536), KT_INT(-65535), KT_INT(-65536), KT_INT(INT32_MAX),
        KT_INT((int64_t)INT32_MAX + 1), KT_INT(INT32_MIN), KT_INT((int64_t)INT32_MIN - 1), KT_INT(UINT32_MAX),
        KT_INT((int64_t)UINT32_MAX + 1), KT_INT(INT64_MAX), KT_INT(INT64_MIN),
        KT_FLOAT(0.5), KT_FLOAT(-0.5), KT_FLOAT(-1), KT_FLOAT(255), KT_FLOAT(255.5), KT_FLOAT(65519), KT_FLOAT(1e5),
        KT_FLOAT(3.5e38), KT_FLOAT(-1e39), KT_FLOAT(inf), KT_FLOAT(NAN), KT_FLOAT(9.3e18), KT_FLOAT(1.9e19),
        KT_COMPLEX(0, 1), KT_COMPLEX(1, 0), KT_COMPLEX(1e39, 0), KT_COMPLEX(0, 1e39), KT_COMPLEX(inf, 0),
        KT_COMPLEX(0, NAN), KT_COMPLEX(300, 0),
    };
    static const struct {
        kt_dtype    d;
        const char *takes;
    } rows[] = {
        /*        ints: 28                       floats: 13      complex: 7 */
        {KT_BOOL, "1111111111111111111111111111" "1111111111111" "1111111"},
        {KT_U8,   "1111111101000000000000000000" "1001000000000" "0100000"},
        {KT_I8,   "1111010000000000000000000000" "1110000000000" "0100000"},
        {KT_I16,  "1111111111110100000000000000" "1111100000000" "0100001"},
        {KT_I32,  "1111111111111111111110100000" "1111111000000" "0100001"},
        {KT_I64,  "1111111111111111111111111111" "1111111000000" "0100001"},
        {KT_U16,  "1111111111111111101000000000" "1001110000000" "0100001"},
        {KT_U32,  "1111111111111111111111111000" "1001111000000" "0100001"},
        {KT_U64,  "1111111111111111111111111111" "1001111000010" "0100001"},
        {KT_F16,  "1111111111111111111111111111" "1111111111111" "0110101"},
        {KT_BF16, "1111111111111111111111111111" "1111111111111" "0110101"},
        {KT_F32,  "1111111111111111111111111111" "1111111001111" "0100101"},
        {KT_F64,  "1111111111111111111111111111" "1111111111111" "0110101"},
        {KT_C32,  "1111111111111111000000000000" "1111100001100" "1100111"},
        {KT_C64,  "1111111111111111111111111111" "1111111001111" "1100111"},
        {KT_C128, "1111111111111111111111111111" "1111111111111" "1111111"},
        {KT_E4M3FN, "1111111111111111111111111111" "1111111111111" "0110101"},
        {KT_E8M0FNU, "1111111111111111111111111111" "1111111111111" "0110101"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        CHECK_EQ_INT(strlen(rows[r].takes), sizeof numbers / sizeof *numbers);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            CHECK_MSG(kt_scalar_fits(numbers[i], rows[r].d) == (rows[r].takes[i] == '1'), "%s, number %zu",
                      kt_dtype_name(rows[r].d), i);
    }
    kt_scalar big = KT_INT(-1); /* 2^64 - 1 */
    big.is_unsigned = 1;
    CHECK(kt_scalar_fits(big, KT_U64) && !kt_scalar_fits(big, KT_I64) && !kt_scalar_fits(big, KT_U8));
    CHECK(kt_scalar_fits(big, KT_F32) && !kt_scalar_fits(big, KT_C32));
    CHECK(!kt_scalar_fits(KT_INT(1), KT_NONE));
    CHECK(!kt_failed());
}
