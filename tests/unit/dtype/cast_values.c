/* cast_values.c - every recorded cast of PyTorch, byte for byte. Free are only the cells where PyTorch is undefined: a
 * float outside the target integer's range, NaN to an integer; and which NaN a NaN becomes. */
#include "dtype/dtype.h"
#include "dtype/value.h"
#include "harness.h"
#include "support/json.h"

#include <math.h>
#include <stdlib.h>

static size_t unhex(uint8_t *to, size_t room, const char *text)
{
    size_t n = 0;
    for (; n < room && text[2 * n] && text[2 * n + 1]; n++) {
        const char digits[3] = {text[2 * n], text[2 * n + 1], 0};
        to[n] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return n;
}

static bool undefined(const void *source, kt_dtype from, kt_dtype to)
{
    if (kt_dtype_category(from) < KT_CAT_FLOAT)
        return false;
    const double x = kt_scalar_load(source, from).v.re;
    kt_iinfo info;
    if (kt_dtype_category(to) == KT_CAT_INT && kt_dtype_iinfo(to, &info) == KT_OK)
        return !(x >= (double)info.min && x <= (double)info.max);
    return x != x && kt_dtype_category(to) >= KT_CAT_FLOAT;
}

TEST(recorded_casts)
{
    json *facts = json_conformance("cast_values");
    REQUIRE(facts);
    enum { ROOM = 1 << 14 };
    static uint8_t source[ROOM], want[ROOM], got[ROOM];
    int pairs = 0, free_cells = 0, cells = 0, wrong = 0;
    for (const json *row = facts->first; row; row = row->next) {
        const kt_dtype from = kt_dtype_find(row->key);
        const size_t in = kt_dtype_size(from), n = unhex(source, ROOM, json_text(json_get(row, "src_bytes"))) / in;
        CHECK_MSG(from != KT_NONE && n > 0, "%s", row->key);
        for (const json *cell = json_get(row, "to")->first; cell; cell = cell->next) {
            if (cell->kind != JSON_STRING)
                continue;
            const kt_dtype to = kt_dtype_find(cell->key);
            const size_t out = kt_dtype_size(to);
            CHECK_EQ_INT(unhex(want, ROOM, cell->text), n * out);
            kt__convert(got, to, (ptrdiff_t)out, source, from, (ptrdiff_t)in, (int64_t)n);
            pairs++;
            for (size_t i = 0; i < n; i++, cells++) {
                if (memcmp(got + i * out, want + i * out, out) == 0)
                    continue;
                if (undefined(source + i * in, from, to))
                    free_cells++;
                else if (wrong++ < 10)
                    CHECK_MSG(false, "%s to %s, value %zu", row->key, cell->key, i);
            }
        }
    }
    CHECK_EQ_INT(wrong, 0);
    CHECK(pairs >= 400);
    printf("recorded casts: %d pairs, %d values, %d wrong, %d undefined in PyTorch and different\n", pairs, cells,
           wrong, free_cells);
    json_free(facts);
}

/* Where PyTorch is undefined, this is the definition. */
TEST(defined_where_pytorch_is_not)
{
    static const struct {
        double   x;
        kt_dtype to;
        uint64_t bits;
    } cases[] = {
        {-1.0, KT_U8, 0},           {256.0, KT_U8, 255},        {NAN, KT_U8, 0},
        {INFINITY, KT_I8, 127},     {-INFINITY, KT_I8, 0x80},   {-129.0, KT_I8, 0x80},
        {32768.0, KT_I16, 0x7fff},  {-1e9, KT_I16, 0x8000},     {65536.0, KT_U16, 0xffff},
        {2147483648.0, KT_I32, 0x7fffffff}, {-2147483649.0, KT_I32, 0x80000000}, {NAN, KT_I32, 0},
        {4294967296.0, KT_U32, 0xffffffff}, {-0.5, KT_U32, 0},  {-3.0, KT_U32, 0},
        {0x1p63, KT_I64, INT64_MAX}, {-0x1p63, KT_I64, 0x8000000000000000u}, {-1e30, KT_I64, 0x8000000000000000u},
        {NAN, KT_I64, 0},           {0x1p64, KT_U64, UINT64_MAX}, {-1.0, KT_U64, 0},
        {0x1p63, KT_U64, 0x8000000000000000u}, {NAN, KT_BOOL, 1}, {0x1p-1074, KT_BOOL, 1}, {-0.0, KT_BOOL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t got = 0;
        kt__convert(&got, cases[i].to, 0, &cases[i].x, KT_F64, 0, 1);
        if (!CHECK_EQ_U64(got, cases[i].bits))
            printf("  %g to %s\n", cases[i].x, kt_dtype_name(cases[i].to));
        const float f = (float)cases[i].x;
        if ((double)f != cases[i].x && cases[i].x == cases[i].x)
            continue;
        got = 0;
        kt__convert(&got, cases[i].to, 0, &f, KT_F32, 0, 1);
        CHECK_EQ_U64(got, cases[i].bits);
    }
}

TEST(through_float32)
{
    const double x = 1 + 0x1p-11 + 0x1p-40; /* through float32 it is a tie */
    uint16_t half = 0;
    kt__convert(&half, KT_F16, 0, &x, KT_F64, 0, 1);
    CHECK_EQ_U64(half, 0x3c00);
    kt__convert_rounding(&half, KT_F16, 0, &x, KT_F64, 0, 1, KT_ROUND_ONCE, NULL);
    CHECK_EQ_U64(half, 0x3c01);
}
