/* facts.c - names, sizes, limits and the default dtype, by hand and against every recorded cell. */
#include "dtype/dtype.h"
#include "harness.h"
#include "support/json.h"

#include <karat/dtype.h>
#include <math.h>
#include <stdlib.h>

TEST(names_and_sizes)
{
    CHECK_STR(kt_dtype_name(KT_F32), "float32");
    CHECK_STR(kt_dtype_torch_name(KT_F32), "Float");
    CHECK_STR(kt_dtype_torch_name(KT_C32), "ComplexHalf");
    CHECK_STR(kt_dtype_torch_name(KT_U8), "Byte");
    CHECK_STR(kt_dtype_c_name(KT_I64), "long int");
    CHECK_STR(kt_dtype_c_name(KT_C64), "c10::complex<float>");
    CHECK_STR(kt_dtype_c_name(KT_U16), "short unsigned int");
    CHECK_STR(kt_dtype_numpy(KT_BOOL), "|b1");
    CHECK_STR(kt_dtype_numpy(KT_C128), "<c16");
    CHECK_STR(kt_dtype_numpy(KT_BF16), "");
    CHECK_STR(kt_dtype_safetensors(KT_E4M3FN), "F8_E4M3");
    CHECK_STR(kt_dtype_safetensors(KT_C128), "");
    static const struct {
        kt_dtype d;
        int      size;
    } sizes[] = {{KT_BOOL, 1}, {KT_U8, 1},  {KT_I8, 1},  {KT_I16, 2},  {KT_I32, 4},  {KT_I64, 8},    {KT_U16, 2},
                 {KT_U32, 4},  {KT_U64, 8}, {KT_F16, 2}, {KT_BF16, 2}, {KT_F32, 4},  {KT_F64, 8},    {KT_C32, 4},
                 {KT_C64, 8},  {KT_C128, 16}, {KT_E4M3FN, 1}, {KT_E5M2, 1}, {KT_E4M3FNUZ, 1}, {KT_E5M2FNUZ, 1},
                 {KT_E8M0FNU, 1}};
    CHECK_EQ_INT(sizeof sizes / sizeof *sizes, KT_NUM_DTYPES - 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK_EQ_INT(kt_dtype_size(sizes[i].d), sizes[i].size);
}

TEST(every_spelling_is_found)
{
    for (int d = 1; d < KT_NUM_DTYPES; d++) {
        const kt__dtype_row *row = &kt__dtype_rows[d];
        char full[64];
        snprintf(full, sizeof full, "torch.%s", row->name);
        CHECK_EQ_INT(kt_dtype_find(full), d);
        CHECK_EQ_INT(kt_dtype_find(row->name), d);
        CHECK_EQ_INT(kt_dtype_find(row->torch_name), d);
        CHECK_EQ_INT(kt_dtype_find(row->c_name), d);
        CHECK(!row->numpy || kt_dtype_find(row->numpy) == (kt_dtype)d);
        CHECK(!row->safetensors || kt_dtype_find(row->safetensors) == (kt_dtype)d);
        for (int e = 1; e < d; e++)
            CHECK_MSG(strcmp(row->name, kt__dtype_rows[e].name) != 0, "%s twice", row->name);
    }
    static const struct {
        const char *alias;
        kt_dtype    d;
    } aliases[] = {{"half", KT_F16},  {"float", KT_F32}, {"double", KT_F64}, {"short", KT_I16},  {"int", KT_I32},
                   {"long", KT_I64},  {"chalf", KT_C32}, {"cfloat", KT_C64}, {"cdouble", KT_C128}};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        CHECK_EQ_INT(kt_dtype_find(aliases[i].alias), aliases[i].d);
    CHECK_EQ_INT(kt_dtype_find("float3"), KT_NONE);
    CHECK_EQ_INT(kt_dtype_find("hal"), KT_NONE);
    CHECK_EQ_INT(kt_dtype_find(""), KT_NONE);
    CHECK_EQ_INT(kt_dtype_find("torch."), KT_NONE);
    CHECK_EQ_INT(kt_dtype_find(NULL), KT_NONE);
}

TEST(no_dtype_is_answered_quietly)
{
    static const int wrong[] = {KT_NONE, KT_NUM_DTYPES, 1000, -1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const kt_dtype d = (kt_dtype)wrong[i];
        CHECK_STR(kt_dtype_name(d), "none");
        CHECK_EQ_INT(kt_dtype_size(d), 0);
        CHECK_EQ_INT(kt_dtype_category(d), 0);
        CHECK(!kt_dtype_is_signed(d) && !kt_dtype_is_float8(d));
        CHECK_EQ_INT(kt_dtype_complex(d), KT_NONE);
    }
}

TEST(real_and_complex)
{
    CHECK_EQ_INT(kt_dtype_real(KT_C32), KT_F16);
    CHECK_EQ_INT(kt_dtype_real(KT_C64), KT_F32);
    CHECK_EQ_INT(kt_dtype_real(KT_C128), KT_F64);
    CHECK_EQ_INT(kt_dtype_real(KT_I16), KT_I16);
    CHECK_EQ_INT(kt_dtype_complex(KT_F16), KT_C32);
    CHECK_EQ_INT(kt_dtype_complex(KT_BF16), KT_C64);
    CHECK_EQ_INT(kt_dtype_complex(KT_F64), KT_C128);
    CHECK_EQ_INT(kt_dtype_complex(KT_C32), KT_C32);
    CHECK_EQ_INT(kt_dtype_complex(KT_I8), KT_C64);
    CHECK_EQ_INT(kt_dtype_complex(KT_E5M2), KT_NONE);
    CHECK_EQ_INT(kt_set_default_dtype(KT_F64), KT_OK);
    CHECK_EQ_INT(kt_dtype_complex(KT_BOOL), KT_C128);
    CHECK_EQ_INT(kt_set_default_dtype(KT_F32), KT_OK);
}

TEST(default_dtype)
{
    const char *only_floats = "only floating-point types are supported as the default type";
    static const kt_dtype allowed[] = {KT_F16, KT_BF16, KT_F64, KT_F32};
    CHECK_EQ_INT(kt_get_default_dtype(), KT_F32);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        CHECK_EQ_INT(kt_set_default_dtype(allowed[i]), KT_OK);
        CHECK_EQ_INT(kt_get_default_dtype(), allowed[i]);
    }
    CHECK_FAILS(kt_set_default_dtype(KT_I32), KT_ERR_TYPE, only_floats);
    CHECK_FAILS(kt_set_default_dtype(KT_C64), KT_ERR_TYPE, only_floats);
    CHECK_FAILS(kt_set_default_dtype(KT_NONE), KT_ERR_TYPE, only_floats);
    CHECK_FAILS(kt_set_default_dtype(KT_E4M3FN), KT_ERR_TYPE, "couldn't find storage object Float8_e4m3fnStorage");
    CHECK_EQ_INT(kt_get_default_dtype(), KT_F32);
}

/* The recorded error is "TypeError: text". */
static void check_error(const json *recorded, const char *name)
{
    const char *want = json_text(recorded);
    CHECK_MSG(strncmp(want, "TypeError: ", 11) == 0, "%s: %s", name, want);
    CHECK_EQ_INT(kt_error_status(), KT_ERR_TYPE);
    CHECK_STR(kt_error(), want + 11);
    kt_clear();
}

TEST(recorded_limits)
{
    json *facts = json_conformance("dtype_facts");
    REQUIRE(facts);
    int cells = 0;
    for (const json *row = json_get(facts, "dtypes")->first; row; row = row->next) {
        const kt_dtype d = kt_dtype_find(row->key);
        CHECK_MSG(d != KT_NONE, "%s", row->key);
        CHECK_EQ_INT(kt_dtype_category(d) == KT_CAT_COMPLEX, json_get(row, "complex")->kind == JSON_TRUE);
        CHECK_EQ_INT(kt_dtype_category(d) == KT_CAT_FLOAT, json_get(row, "floating")->kind == JSON_TRUE);
        CHECK_EQ_INT(kt_dtype_is_signed(d), json_get(row, "signed")->kind == JSON_TRUE);
        CHECK_EQ_INT(kt_dtype_size(d), json_number(json_get(row, "itemsize")));
        kt_finfo f;
        const json *finfo = json_get(row, "finfo");
        if (kt_dtype_finfo(d, &f) == KT_OK) {
            CHECK_MSG(finfo != NULL, "%s has a finfo", row->key);
            CHECK_EQ_INT(f.bits, json_number(json_get(finfo, "bits")));
            CHECK_MSG(f.eps == json_number(json_get(finfo, "eps")), "%s eps %a", row->key, f.eps);
            CHECK_MSG(f.max == json_number(json_get(finfo, "max")), "%s max %a", row->key, f.max);
            CHECK_MSG(f.min == json_number(json_get(finfo, "min")), "%s min %a", row->key, f.min);
            CHECK_MSG(f.tiny == json_number(json_get(finfo, "tiny")), "%s tiny %a", row->key, f.tiny);
            CHECK_MSG(f.smallest_normal == json_number(json_get(finfo, "smallest_normal")), "%s", row->key);
            CHECK_MSG(f.resolution == json_number(json_get(finfo, "resolution")), "%s %a", row->key, f.resolution);
            CHECK_STR(f.dtype, kt_dtype_name(kt_dtype_real(d)));
        } else {
            check_error(json_get(row, "finfo_error"), row->key);
        }
        kt_iinfo i;
        const json *iinfo = json_get(row, "iinfo");
        if (kt_dtype_iinfo(d, &i) == KT_OK) {
            CHECK_MSG(iinfo != NULL, "%s has an iinfo", row->key);
            CHECK_EQ_INT(i.bits, json_number(json_get(iinfo, "bits")));
            CHECK_EQ_U64(i.max, strtoull(json_text(json_get(iinfo, "max")), NULL, 10));
            CHECK_EQ_INT(i.min, strtoll(json_text(json_get(iinfo, "min")), NULL, 10));
            CHECK_STR(i.dtype, row->key);
        } else {
            check_error(json_get(row, "iinfo_error"), row->key);
        }
        cells++;
    }
    CHECK_EQ_INT(cells, KT_NUM_DTYPES - 1);
    json_free(facts);
}
