/* promote.c - type promotion of two dtypes, and which casts a casting level allows.
 *
 * In: the rows' parents and numbers. Out: PyTorch's promotion with its refusals, the permissive join, casting levels. A
 * join is the least dtype above both in the lattice. Where two candidates are not ordered (float16 and bfloat16), it is
 * their join in turn; two integers with no integer above both promote to float64, as in NumPy. The pair table is computed
 * once, before main. Independent of: tensors, policies, conversion code. */
#include "dtype/dtype.h"

static uint8_t joins[KT_NUM_DTYPES][KT_NUM_DTYPES];    /* permissive; 0 where an operand is no dtype */
static uint8_t promotes[KT_NUM_DTYPES][KT_NUM_DTYPES]; /* PyTorch's; 0 where it refuses */

/* The dtype whose upper set is exactly `set`, or KT_NONE. */
static int least_of(const uint32_t *above, uint32_t set)
{
    for (int d = KT_NONE + 1; d < KT_NUM_DTYPES; d++)
        if (above[d] == set)
            return d;
    return KT_NONE;
}

static int join(const uint32_t *above, int a, int b)
{
    uint32_t common = above[a] & above[b];
    int least = least_of(above, common);
    if (least == KT_NONE && kt__dtype_rows[a].category <= KT_CAT_INT && kt__dtype_rows[b].category <= KT_CAT_INT)
        return KT_F64;
    while (least == KT_NONE && common) {
        uint32_t tighter = common;
        for (int d = KT_NONE + 1; d < KT_NUM_DTYPES; d++) {
            bool minimal = common >> d & 1;
            for (int e = KT_NONE + 1; minimal && e < KT_NUM_DTYPES; e++)
                minimal = e == d || !(common >> e & 1) || !(above[e] >> d & 1);
            if (minimal)
                tighter &= above[d];
        }
        common = tighter;
        least = least_of(above, common);
    }
    return least;
}

static bool is_wide_uint(int d)
{
    return d == KT_U16 || d == KT_U32 || d == KT_U64;
}

static int refusal_of(int a, int b)
{
    if (a == KT_NONE || b == KT_NONE)
        return KT__REFUSED_NONE;
    if (a == b)
        return KT__PROMOTES;
    if (kt_dtype_is_float8((kt_dtype)a) || kt_dtype_is_float8((kt_dtype)b))
        return KT__REFUSED_FLOAT8;
    if ((is_wide_uint(a) && kt__dtype_rows[b].category != KT_CAT_FLOAT) ||
        (is_wide_uint(b) && kt__dtype_rows[a].category != KT_CAT_FLOAT))
        return KT__REFUSED_UINT;
    return KT__PROMOTES;
}

__attribute__((constructor)) static void compute_pairs(void)
{
    uint32_t above[KT_NUM_DTYPES] = {0}; /* bit e of above[d]: e can be reached from d; d itself included */
    for (int d = KT_NONE + 1; d < KT_NUM_DTYPES; d++)
        above[d] = 1u << d | kt__dtype_rows[d].parents;
    for (int round = 0; round < KT_NUM_DTYPES; round++)
        for (int d = KT_NONE + 1; d < KT_NUM_DTYPES; d++)
            for (int e = KT_NONE + 1; e < KT_NUM_DTYPES; e++)
                if (above[d] >> e & 1)
                    above[d] |= above[e];
    for (int a = KT_NONE + 1; a < KT_NUM_DTYPES; a++)
        for (int b = KT_NONE + 1; b < KT_NUM_DTYPES; b++) {
            joins[a][b] = (uint8_t)join(above, a, b);
            promotes[a][b] = refusal_of(a, b) == KT__PROMOTES ? joins[a][b] : KT_NONE;
        }
}

static unsigned index_of(kt_dtype d)
{
    return kt__dtype_valid(d) ? d : KT_NONE;
}

kt_dtype kt__promote_quiet(kt_dtype a, kt_dtype b, int *refusal)
{
    unsigned i = index_of(a), j = index_of(b);
    kt_dtype to = (kt_dtype)promotes[i][j];
    if (refusal)
        *refusal = to != KT_NONE ? KT__PROMOTES : refusal_of((int)i, (int)j);
    return to;
}

kt_dtype kt__promote_permissive(kt_dtype a, kt_dtype b)
{
    return (kt_dtype)joins[index_of(a)][index_of(b)];
}

kt_status kt__promote_fail(kt_dtype a, kt_dtype b, int refusal)
{
    const char *what = refusal == KT__REFUSED_FLOAT8 ? "Float8 Types" : "uint16, uint32, uint64 types";
    return kt_fail(KT_ERR_RUNTIME, "Promotion for %s is not supported, attempted to promote %s and %s", what,
                   kt_dtype_torch_name(a), kt_dtype_torch_name(b));
}

kt_dtype kt_promote_types(kt_dtype a, kt_dtype b)
{
    int refusal;
    kt_dtype to = kt__promote_quiet(a, b, &refusal);
    if (refusal == KT__REFUSED_NONE)
        kt_fail(KT_ERR_TYPE, "promote_types(): not a dtype: %d", kt__dtype_valid(a) ? (int)b : (int)a);
    else if (refusal != KT__PROMOTES)
        kt__promote_fail(a, b, refusal);
    return to;
}

bool kt_can_cast(kt_dtype from, kt_dtype to)
{
    return kt__dtype_valid(from) && kt__dtype_valid(to) && kt_dtype_category(from) <= kt_dtype_category(to);
}

/* The values a dtype can represent: `bits` significant bits, multiples of 2^unit, magnitudes below 2^top. */
typedef struct extent {
    int  bits, unit, top;
    bool negative, zero, infinite;
    bool top_exact; /* 2^top itself occurs and is the largest magnitude: the least value of a signed integer */
} extent;

static extent extent_of(const kt__dtype_row *row)
{
    if (row->specials == KT__NA) {
        int bits = row->kind == KT__KIND_BOOL ? 1 : 8 * row->size - row->is_signed;
        return (extent){bits, 0, bits, row->is_signed, true, false, row->is_signed};
    }
    const bool e8m0 = row->specials == KT__E8M0, ieee = row->specials == KT__IEEE;
    const int bias = (1 << (row->exponent - 1)) - 1 + (row->specials == KT__FNUZ);
    return (extent){row->mantissa + 1, e8m0 ? -bias : 1 - bias - row->mantissa,
                    (1 << row->exponent) - bias - ieee - e8m0, row->is_signed, !e8m0, ieee, false};
}

static bool every_value_survives(const kt__dtype_row *from, const kt__dtype_row *to)
{
    if (from->category > to->category)
        return false;
    if (to->kind == KT__KIND_BOOL)
        return from->kind == KT__KIND_BOOL;
    const extent a = extent_of(from), b = extent_of(to);
    if (to->kind == KT__KIND_INT)
        return a.bits <= b.bits && a.negative <= b.negative;
    /* Mantissas cut short at the top (FN) are inside a larger range only when the range is strictly larger. */
    const bool reaches = a.top < b.top || (a.top == b.top && !a.top_exact && a.bits <= b.bits &&
                                           (to->specials != KT__FN || from->specials == KT__FN));
    return a.bits <= b.bits && a.unit >= b.unit && reaches && a.negative <= b.negative && a.zero <= b.zero &&
           a.infinite <= b.infinite;
}

bool kt_can_cast_level(kt_dtype from, kt_dtype to, kt_casting level)
{
    if (!kt__dtype_valid(from) || !kt__dtype_valid(to))
        return false;
    switch (level) {
    case KT_CAST_UNSAFE:
    case KT_CAST_SAME_VALUE: return true; /* same_value is decided value by value, while converting */
    case KT_CAST_SAME_KIND: return kt_can_cast(from, to);
    case KT_CAST_SAFE: return from == to || every_value_survives(&kt__dtype_rows[from], &kt__dtype_rows[to]);
    case KT_CAST_EQUIV: /* there is one byte order, so equivalent is identical */
    case KT_CAST_NO: return from == to;
    }
    return false;
}
