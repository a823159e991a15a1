/* dtype.c - properties of the dtypes: names, sizes, limits, and the process's default dtype.
 *
 * In: tables/dtypes.def. Out: the kt_dtype_* functions and the row table. Every answer comes from the rows, so a new
 * dtype needs no change here. Independent of: promotion, conversion, tensors. */
#include "dtype/dtype.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define SIGNED_NA(S)   ((S)-1 < (S)1)
#define SIGNED_IEEE(S) true
#define SIGNED_FN(S)   true
#define SIGNED_FNUZ(S) true
#define SIGNED_E8M0(S) false
#define UP(d)          (KT_##d ? 1u << KT_##d : 0u)

const kt__dtype_row kt__dtype_rows[KT_NUM_DTYPES] = {
    [KT_NONE] = {.name = "none", .torch_name = "Undefined", .c_name = "none", .aliases = ""},
#define DT(ID, NAME, TORCH, CXX, S, C, KIND, E, M, SPECIALS, EPS, CATEGORY, UP1, UP2, NUMPY, DL, BITS, SAFE, ALIASES) \
    [KT_##ID] = {.name = NAME, .torch_name = TORCH, .c_name = CXX, .numpy = NUMPY, .safetensors = SAFE,               \
                 .aliases = ALIASES, .size = sizeof(S), .compute = KT__COMPUTE_##C, .kind = KT__KIND_##KIND,          \
                 .exponent = E, .mantissa = M, .specials = KT__##SPECIALS, .eps = EPS, .category = KT_CAT_##CATEGORY, \
                 .dlpack_code = DL, .dlpack_bits = BITS, .is_signed = SIGNED_##SPECIALS(S),                    \
                 .parents = UP(UP1) | UP(UP2)},
#include "tables/dtypes.def"
};

const char *kt_dtype_name(kt_dtype d)
{
    return kt__dtype_row_of(d)->name;
}

const char *kt_dtype_torch_name(kt_dtype d)
{
    return kt__dtype_row_of(d)->torch_name;
}

const char *kt__type_text(kt_dtype d, char *room, size_t size)
{
    const bool named = d == KT_U8 || (d >= KT_I8 && d <= KT_I64) || d == KT_F16 || d == KT_F32 || d == KT_F64;
    snprintf(room, size, named ? "torch.%sTensor" : "CPU%sType", kt_dtype_torch_name(d));
    return room;
}

const char *kt_dtype_c_name(kt_dtype d)
{
    return kt__dtype_row_of(d)->c_name;
}

const char *kt_dtype_numpy(kt_dtype d)
{
    const char *name = kt__dtype_row_of(d)->numpy;
    return name ? name : "";
}

const char *kt_dtype_safetensors(kt_dtype d)
{
    const char *name = kt__dtype_row_of(d)->safetensors;
    return name ? name : "";
}

static bool in_list(const char *name, const char *list)
{
    size_t n = strlen(name);
    for (const char *at = list; n && *at; at += strcspn(at, "|"), at += *at == '|')
        if (strncmp(at, name, n) == 0 && (at[n] == '|' || at[n] == '\0'))
            return true;
    return false;
}

kt_dtype kt_dtype_find(const char *name)
{
    if (!name)
        return KT_NONE;
    if (strncmp(name, "torch.", 6) == 0 || strncmp(name, "karat.", 6) == 0)
        name += 6;
    for (int d = KT_NONE + 1; d < KT_NUM_DTYPES; d++) {
        const kt__dtype_row *row = &kt__dtype_rows[d];
        if (strcmp(name, row->name) == 0 || in_list(name, row->aliases) || strcmp(name, row->torch_name) == 0 ||
            strcmp(name, row->c_name) == 0 || (row->numpy && strcmp(name, row->numpy) == 0) ||
            (row->safetensors && strcmp(name, row->safetensors) == 0))
            return (kt_dtype)d;
    }
    return KT_NONE;
}

size_t kt_dtype_size(kt_dtype d)
{
    return kt__dtype_row_of(d)->size;
}

kt_category kt_dtype_category(kt_dtype d)
{
    return (kt_category)kt__dtype_row_of(d)->category;
}

bool kt_dtype_is_signed(kt_dtype d)
{
    return kt__dtype_row_of(d)->is_signed;
}

bool kt_dtype_is_float8(kt_dtype d)
{
    const kt__dtype_row *row = kt__dtype_row_of(d);
    return row->category == KT_CAT_FLOAT && row->size == 1;
}

/* The complex dtype whose parts are of dtype d; bfloat16 has none of its own and takes complex64, as in PyTorch. */
static kt_dtype complex_of(kt_dtype d)
{
    switch (d) {
    case KT_F16: return KT_C32;
    case KT_BF16:
    case KT_F32: return KT_C64;
    case KT_F64: return KT_C128;
    default: return KT_NONE;
    }
}

kt_dtype kt_dtype_real(kt_dtype d)
{
    switch (d) {
    case KT_C32: return KT_F16;
    case KT_C64: return KT_F32;
    case KT_C128: return KT_F64;
    default: return d;
    }
}

kt_dtype kt_dtype_complex(kt_dtype d)
{
    switch (kt_dtype_category(d)) {
    case KT_CAT_BOOL:
    case KT_CAT_INT: return complex_of(kt_get_default_dtype());
    case KT_CAT_FLOAT: return complex_of(d);
    case KT_CAT_COMPLEX: return d;
    }
    return KT_NONE;
}

/* 10 ** -n for n decimal digits: the nearest doubles, which pow does not guarantee. */
static double resolution(int mantissa)
{
    static const double tenth[] = {1.0,  1e-1, 1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                                   1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15};
    return tenth[mantissa * 30103 / 100000];
}

kt_status kt_dtype_finfo(kt_dtype d, kt_finfo *out)
{
    const kt__dtype_row *row = kt__dtype_row_of(d);
    if (!out)
        return kt_fail(KT_ERR_VALUE, "kt_dtype_finfo: out is NULL");
    if (row->specials == KT__NA)
        return kt_fail(KT_ERR_TYPE, "torch.finfo() requires a floating point input type. "
                                    "Use torch.iinfo to handle 'torch.finfo'");
    const int E = row->exponent, M = row->mantissa;
    int bias = (1 << (E - 1)) - 1 + (row->specials == KT__FNUZ);
    int top = (1 << E) - 1 - bias, lowest = 1 - bias; /* exponents of the largest and smallest normal numbers */
    double largest = 2.0 - ldexp(1.0, -M);            /* mantissa of the largest number */
    switch (row->specials) {
    case KT__IEEE: top -= 1; break;
    case KT__FN: largest -= ldexp(1.0, -M); break;
    case KT__E8M0: top -= 1, lowest -= 1, largest = 1.0; break;
    default: break;
    }
    out->bits = 8 * row->size / (row->category == KT_CAT_COMPLEX ? 2 : 1);
    out->eps = ldexp(1.0, -row->eps);
    out->max = ldexp(largest, top);
    out->tiny = out->smallest_normal = ldexp(1.0, lowest);
    out->min = row->is_signed ? -out->max : out->tiny;
    out->resolution = resolution(M);
    out->dtype = kt_dtype_name(kt_dtype_real(d));
    return KT_OK;
}

bool kt__int_range(kt_dtype d, int64_t *min, uint64_t *max)
{
    const kt__dtype_row *row = kt__dtype_row_of(d);
    if (row->kind == KT__KIND_BOOL && row->size) {
        *min = 0, *max = 1;
        return true;
    }
    if (row->kind != KT__KIND_INT)
        return false;
    const int bits = 8 * row->size - row->is_signed;
    *max = UINT64_MAX >> (64 - bits);
    *min = row->is_signed ? -(int64_t)*max - 1 : 0;
    return true;
}

kt_status kt_dtype_iinfo(kt_dtype d, kt_iinfo *out)
{
    const kt__dtype_row *row = kt__dtype_row_of(d);
    if (!out)
        return kt_fail(KT_ERR_VALUE, "kt_dtype_iinfo: out is NULL");
    if (d == KT_BOOL)
        return kt_fail(KT_ERR_TYPE, "torch.bool is not supported by torch.iinfo");
    if (!kt__int_range(d, &out->min, &out->max))
        return kt_fail(KT_ERR_TYPE, "torch.iinfo() requires an integer input type. "
                                    "Use torch.finfo to handle 'torch.iinfo'");
    out->bits = 8 * row->size;
    out->dtype = row->name;
    return KT_OK;
}

_Atomic int kt__default_dtype_word = KT_F32;

kt_dtype kt_get_default_dtype(void)
{
    return kt__default_dtype();
}

kt_status kt_set_default_dtype(kt_dtype d)
{
    if (kt_dtype_category(d) != KT_CAT_FLOAT)
        return kt_fail(KT_ERR_TYPE, "only floating-point types are supported as the default type");
    if (kt_dtype_is_float8(d))
        return kt_fail(KT_ERR_TYPE, "couldn't find storage object %sStorage", kt_dtype_torch_name(d));
    atomic_store_explicit(&kt__default_dtype_word, (int)d, memory_order_relaxed);
    return KT_OK;
}
