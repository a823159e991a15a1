/* promote.c - the promotion tables as golden printouts, against every recorded cell, and the casting levels. */
#include "dtype/dtype.h"
#include "harness.h"
#include "support/json.h"

#include <karat/dtype.h>

/* One short name a dtype, in the order of the enumerators. */
static const char *const brief[KT_NUM_DTYPES] = {
    ".",    "b1",  "u8",  "i8",  "i16", "i32",  "i64", "u16", "u32", "u64", "f16",
    "bf16", "f32", "f64", "c32", "c64", "c128", "e4",  "e5",  "e4u", "e5u", "e8",
};

/* Row: left operand; column: right operand; "." where PyTorch refuses. */
static const char golden_torch[] =
    "b1:   b1 u8 i8 i16 i32 i64 . . . f16 bf16 f32 f64 c32 c64 c128 . . . . .\n"
    "u8:   u8 u8 i16 i16 i32 i64 . . . f16 bf16 f32 f64 c32 c64 c128 . . . . .\n"
    "i8:   i8 i16 i8 i16 i32 i64 . . . f16 bf16 f32 f64 c32 c64 c128 . . . . .\n"
    "i16:  i16 i16 i16 i16 i32 i64 . . . f16 bf16 f32 f64 c32 c64 c128 . . . . .\n"
    "i32:  i32 i32 i32 i32 i32 i64 . . . f16 bf16 f32 f64 c32 c64 c128 . . . . .\n"
    "i64:  i64 i64 i64 i64 i64 i64 . . . f16 bf16 f32 f64 c32 c64 c128 . . . . .\n"
    "u16:  . . . . . . u16 . . f16 bf16 f32 f64 . . . . . . . .\n"
    "u32:  . . . . . . . u32 . f16 bf16 f32 f64 . . . . . . . .\n"
    "u64:  . . . . . . . . u64 f16 bf16 f32 f64 . . . . . . . .\n"
    "f16:  f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f32 f32 f64 c32 c64 c128 . . . . .\n"
    "bf16: bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64 c64 c64 c128 . . . . .\n"
    "f32:  f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c64 c128 . . . . .\n"
    "f64:  f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 c128 . . . . .\n"
    "c32:  c32 c32 c32 c32 c32 c32 . . . c32 c64 c64 c128 c32 c64 c128 . . . . .\n"
    "c64:  c64 c64 c64 c64 c64 c64 . . . c64 c64 c64 c128 c64 c64 c128 . . . . .\n"
    "c128: c128 c128 c128 c128 c128 c128 . . . c128 c128 c128 c128 c128 c128 c128 . . . . .\n"
    "e4:   . . . . . . . . . . . . . . . . e4 . . . .\n"
    "e5:   . . . . . . . . . . . . . . . . . e5 . . .\n"
    "e4u:  . . . . . . . . . . . . . . . . . . e4u . .\n"
    "e5u:  . . . . . . . . . . . . . . . . . . . e5u .\n"
    "e8:   . . . . . . . . . . . . . . . . . . . . e8\n";

static const char golden_permissive[] =
    "b1:   b1 u8 i8 i16 i32 i64 u16 u32 u64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "u8:   u8 u8 i16 i16 i32 i64 u16 u32 u64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "i8:   i8 i16 i8 i16 i32 i64 i32 i64 f64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "i16:  i16 i16 i16 i16 i32 i64 i32 i64 f64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "i32:  i32 i32 i32 i32 i32 i64 i32 i64 f64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "i64:  i64 i64 i64 i64 i64 i64 i64 i64 f64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "u16:  u16 u16 i32 i32 i32 i64 u16 u32 u64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "u32:  u32 u32 i64 i64 i64 i64 u32 u32 u64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "u64:  u64 u64 f64 f64 f64 f64 u64 u64 u64 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 f32 f32\n"
    "f16:  f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f32 f32 f64 c32 c64 c128 f16 f16 f16 f16 f32\n"
    "bf16: bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64 c64 c64 c128 bf16 bf16 bf16 bf16 f32\n"
    "f32:  f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c64 c128 f32 f32 f32 f32 f32\n"
    "f64:  f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 c128 f64 f64 f64 f64 f64\n"
    "c32:  c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c64 c64 c128 c32 c64 c128 c32 c32 c32 c32 c64\n"
    "c64:  c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c128 c64 c64 c128 c64 c64 c64 c64 c64\n"
    "c128: c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128\n"
    "e4:   f32 f32 f32 f32 f32 f32 f32 f32 f32 f16 bf16 f32 f64 c32 c64 c128 e4 f32 f32 f32 f32\n"
    "e5:   f32 f32 f32 f32 f32 f32 f32 f32 f32 f16 bf16 f32 f64 c32 c64 c128 f32 e5 f32 f32 f32\n"
    "e4u:  f32 f32 f32 f32 f32 f32 f32 f32 f32 f16 bf16 f32 f64 c32 c64 c128 f32 f32 e4u f32 f32\n"
    "e5u:  f32 f32 f32 f32 f32 f32 f32 f32 f32 f16 bf16 f32 f64 c32 c64 c128 f32 f32 f32 e5u f32\n"
    "e8:   f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c64 c128 f32 f32 f32 f32 e8\n";

static void print_table(char *to, size_t room, bool permissive)
{
    size_t n = 0;
    for (int a = 1; a < KT_NUM_DTYPES; a++) {
        char label[8];
        snprintf(label, sizeof label, "%s:", brief[a]);
        n += (size_t)snprintf(to + n, room - n, "%-5s", label);
        for (int b = 1; b < KT_NUM_DTYPES; b++) {
            const kt_dtype r = permissive ? kt__promote_permissive((kt_dtype)a, (kt_dtype)b)
                                          : kt__promote_quiet((kt_dtype)a, (kt_dtype)b, NULL);
            n += (size_t)snprintf(to + n, room - n, " %s", brief[r]);
        }
        n += (size_t)snprintf(to + n, room - n, "\n");
    }
}

TEST(golden_table)
{
    static char text[8192];
    print_table(text, sizeof text, false);
    if (!CHECK(strcmp(text, golden_torch) == 0))
        printf("%s", text);
}

TEST(golden_permissive_table)
{
    static char text[8192];
    print_table(text, sizeof text, true);
    if (!CHECK(strcmp(text, golden_permissive) == 0))
        printf("%s", text);
}

TEST(permissive_agrees_and_commutes)
{
    for (int a = 1; a < KT_NUM_DTYPES; a++)
        for (int b = 1; b < KT_NUM_DTYPES; b++) {
            const kt_dtype strict = kt__promote_quiet((kt_dtype)a, (kt_dtype)b, NULL);
            const kt_dtype wide = kt__promote_permissive((kt_dtype)a, (kt_dtype)b);
            CHECK_MSG(strict == KT_NONE || strict == wide, "%s and %s", brief[a], brief[b]);
            CHECK_MSG(wide == kt__promote_permissive((kt_dtype)b, (kt_dtype)a), "%s and %s", brief[a], brief[b]);
            CHECK_MSG(kt__promote_permissive(wide, (kt_dtype)a) == wide, "%s and %s stay below", brief[a], brief[b]);
        }
}

/* A recorded cell is a dtype's name or {"error": "RuntimeError: text"}. */
TEST(recorded_promote_types)
{
    json *facts = json_conformance("dtype_facts");
    REQUIRE(facts);
    int cells = 0, refused = 0;
    for (const json *row = json_get(facts, "promote_types")->first; row; row = row->next)
        for (const json *cell = row->first; cell; cell = cell->next, cells++) {
            const kt_dtype a = kt_dtype_find(row->key), b = kt_dtype_find(cell->key);
            const kt_dtype got = kt_promote_types(a, b);
            if (cell->kind == JSON_STRING) {
                CHECK_STR(kt_dtype_name(got), cell->text);
                CHECK(!kt_failed());
                continue;
            }
            const char *want = json_text(json_get(cell, "error"));
            CHECK_EQ_INT(got, KT_NONE);
            CHECK_EQ_INT(kt_error_status(), KT_ERR_RUNTIME);
            CHECK_MSG(strncmp(want, "RuntimeError: ", 14) == 0 && strcmp(kt_error(), want + 14) == 0, "%s", kt_error());
            kt_clear();
            int refusal;
            CHECK_EQ_INT(kt__promote_quiet(a, b, &refusal), KT_NONE);
            CHECK(refusal == KT__REFUSED_UINT || refusal == KT__REFUSED_FLOAT8);
            CHECK(!kt_failed());
            refused++;
        }
    CHECK_EQ_INT(cells, (KT_NUM_DTYPES - 1) * (KT_NUM_DTYPES - 1));
    printf("promote_types: %d cells, %d refused in PyTorch's words\n", cells, refused);
    json_free(facts);
}

TEST(recorded_can_cast)
{
    json *facts = json_conformance("dtype_facts");
    REQUIRE(facts);
    int cells = 0;
    for (const json *row = json_get(facts, "can_cast")->first; row; row = row->next)
        for (const json *cell = row->first; cell; cell = cell->next, cells++) {
            const kt_dtype from = kt_dtype_find(row->key), to = kt_dtype_find(cell->key);
            CHECK_MSG(kt_can_cast(from, to) == json_is(cell, "True"), "%s to %s", row->key, cell->key);
            CHECK(kt_can_cast_level(from, to, KT_CAST_SAME_KIND) == kt_can_cast(from, to));
        }
    CHECK_EQ_INT(cells, (KT_NUM_DTYPES - 1) * (KT_NUM_DTYPES - 1));
    printf("can_cast: %d cells\n", cells);
    json_free(facts);
}

TEST(no_dtype_is_refused)
{
    int refusal = -1;
    CHECK_EQ_INT(kt__promote_quiet(KT_NONE, KT_F32, &refusal), KT_NONE);
    CHECK_EQ_INT(refusal, KT__REFUSED_NONE);
    CHECK_EQ_INT(kt__promote_permissive((kt_dtype)99, KT_F32), KT_NONE);
    CHECK_FAILS(kt_promote_types(KT_F32, KT_NONE), KT_ERR_TYPE, "promote_types(): not a dtype: 0");
    CHECK_FAILS(kt_promote_types((kt_dtype)77, KT_F32), KT_ERR_TYPE, "promote_types(): not a dtype: 77");
    CHECK(!kt_can_cast(KT_NONE, KT_F32) && !kt_can_cast(KT_F32, (kt_dtype)-3));
    for (int level = KT_CAST_UNSAFE; level <= KT_CAST_SAME_VALUE; level++)
        CHECK(!kt_can_cast_level(KT_F32, KT_NONE, (kt_casting)level));
    CHECK(!kt_can_cast_level(KT_F32, KT_F32, (kt_casting)17));
}

/* From each row, the dtypes that hold all its values. */
static const char golden_safe[] =
    "b1:   b1 u8 i8 i16 i32 i64 u16 u32 u64 f16 bf16 f32 f64 c32 c64 c128 e4 e5 e4u e5u\n"
    "u8:   u8 i16 i32 i64 u16 u32 u64 f16 bf16 f32 f64 c32 c64 c128\n"
    "i8:   i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128\n"
    "i16:  i16 i32 i64 f32 f64 c64 c128\n"
    "i32:  i32 i64 f64 c128\n"
    "i64:  i64\n"
    "u16:  i32 i64 u16 u32 u64 f32 f64 c64 c128\n"
    "u32:  i64 u32 u64 f64 c128\n"
    "u64:  u64\n"
    "f16:  f16 f32 f64 c32 c64 c128\n"
    "bf16: bf16 f32 f64 c64 c128\n"
    "f32:  f32 f64 c64 c128\n"
    "f64:  f64 c128\n"
    "c32:  c32 c64 c128\n"
    "c64:  c64 c128\n"
    "c128: c128\n"
    "e4:   f16 bf16 f32 f64 c32 c64 c128 e4\n"
    "e5:   f16 bf16 f32 f64 c32 c64 c128 e5\n"
    "e4u:  f16 bf16 f32 f64 c32 c64 c128 e4u\n"
    "e5u:  f16 bf16 f32 f64 c32 c64 c128 e5u\n"
    "e8:   bf16 f32 f64 c64 c128 e8\n";

TEST(golden_safe_casts)
{
    static char text[8192];
    size_t n = 0;
    for (int a = 1; a < KT_NUM_DTYPES; a++) {
        char label[8];
        snprintf(label, sizeof label, "%s:", brief[a]);
        n += (size_t)snprintf(text + n, sizeof text - n, "%-5s", label);
        for (int b = 1; b < KT_NUM_DTYPES; b++)
            if (kt_can_cast_level((kt_dtype)a, (kt_dtype)b, KT_CAST_SAFE))
                n += (size_t)snprintf(text + n, sizeof text - n, " %s", brief[b]);
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    if (!CHECK(strcmp(text, golden_safe) == 0))
        printf("%s", text);
}

TEST(levels_are_a_ladder)
{
    for (int a = 1; a < KT_NUM_DTYPES; a++)
        for (int b = 1; b < KT_NUM_DTYPES; b++) {
            const kt_dtype from = (kt_dtype)a, to = (kt_dtype)b;
            for (int level = KT_CAST_SAME_KIND; level <= KT_CAST_NO; level++)
                CHECK_MSG(!kt_can_cast_level(from, to, (kt_casting)level) ||
                              kt_can_cast_level(from, to, (kt_casting)(level - 1)),
                          "%s to %s at %d", brief[a], brief[b], level);
            CHECK(kt_can_cast_level(from, to, KT_CAST_NO) == (a == b));
            CHECK(kt_can_cast_level(from, to, KT_CAST_EQUIV) == (a == b));
            CHECK(kt_can_cast_level(from, to, KT_CAST_UNSAFE) && kt_can_cast_level(from, to, KT_CAST_SAME_VALUE));
        }
}
