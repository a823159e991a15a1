/* convert.c - rows of elements from any dtype to any other, in two steps through the source's compute type.
 *
 * In: dtype/convert.h, stamped for every row of the table. Out: kt__convert, its rounding variants, kt__same_value.
 * Simple and exact rather than fast. Independent of: tensors, vector kernels. */
#include "dtype/convert.h"
#include "dtype/value.h"

#include <math.h>

enum { TILE = 256 };

typedef union tile {
    kt__f32  f32[TILE];
    kt__f64  f64[TILE];
    kt__i32  i32[TILE];
    kt__i64  i64[TILE];
    kt__u64  u64[TILE];
    kt__c64  c64[TILE];
    kt__c128 c128[TILE];
} tile;

typedef void load_fn(tile *to, const char *src, ptrdiff_t stride, int n);
typedef void store_fn(char *dst, ptrdiff_t stride, const tile *from, int n);

#define DT(ID, NAME, TORCH, CXX, S, C, ...)                                         \
    static void load_##ID(tile *to, const char *src, ptrdiff_t stride, int n)       \
    {                                                                               \
        for (int i = 0; i < n; i++, src += stride) {                                \
            S x;                                                                    \
            memcpy(&x, src, sizeof x);                                              \
            to->C[i] = kt__decode_##ID(x);                                          \
        }                                                                           \
    }
#include "tables/dtypes.def"

#define STORE(F, ID, S)                                                             \
    static void store_##F##_##ID(char *dst, ptrdiff_t stride, const tile *from, int n) \
    {                                                                               \
        for (int i = 0; i < n; i++, dst += stride) {                                \
            const S x = kt__encode_##F##_##ID(from->F[i]);                          \
            memcpy(dst, &x, sizeof x);                                              \
        }                                                                           \
    }
#define DT(ID, NAME, TORCH, CXX, S, ...)                                            \
    STORE(f32, ID, S)                                                               \
    STORE(f64, ID, S)                                                               \
    STORE(i32, ID, S)                                                               \
    STORE(i64, ID, S)                                                               \
    STORE(u64, ID, S)                                                               \
    STORE(c64, ID, S)                                                               \
    STORE(c128, ID, S)
#include "tables/dtypes.def"

static load_fn *const loads[KT_NUM_DTYPES] = {
#define DT(ID, ...) [KT_##ID] = load_##ID,
#include "tables/dtypes.def"
};

static store_fn *const stores[KT__NUM_COMPUTES][KT_NUM_DTYPES] = {
#define DT(ID, ...)                                      \
    [KT__COMPUTE_f32][KT_##ID] = store_f32_##ID,         \
    [KT__COMPUTE_f64][KT_##ID] = store_f64_##ID,         \
    [KT__COMPUTE_i32][KT_##ID] = store_i32_##ID,         \
    [KT__COMPUTE_i64][KT_##ID] = store_i64_##ID,         \
    [KT__COMPUTE_u64][KT_##ID] = store_u64_##ID,         \
    [KT__COMPUTE_c64][KT_##ID] = store_c64_##ID,         \
    [KT__COMPUTE_c128][KT_##ID] = store_c128_##ID,
#include "tables/dtypes.def"
};

static int next_tile(int64_t left)
{
    return left < TILE ? (int)left : TILE;
}

void kt__convert(void *dst, kt_dtype to, ptrdiff_t dst_stride, const void *src, kt_dtype from, ptrdiff_t src_stride,
                 int64_t n)
{
    char *d = dst;
    const char *s = src;
    if (to == from) { /* bit for bit, NaN payloads included */
        const size_t size = kt_dtype_size(to);
        if (dst_stride == (ptrdiff_t)size && src_stride == dst_stride && n > 0)
            memmove(d, s, size * (size_t)n);
        else
            for (; n > 0; n--, d += dst_stride, s += src_stride)
                memmove(d, s, size);
        return;
    }
    load_fn *load = loads[from];
    store_fn *store = stores[kt__dtype_rows[from].compute][to];
    tile values;
    for (int k; n > 0; n -= k, d += dst_stride * k, s += src_stride * k) {
        k = next_tile(n);
        load(&values, s, src_stride, k);
        store(d, dst_stride, &values, k);
    }
}

/* ---- other roundings: one value at a time, by definition ---- */

/* Towards the neighbour with an odd last bit, unless exact: then a second rounding to at most 22 bits equals one. */
static float odd_from_f64(double x)
{
    float f = (float)x;
    uint32_t u = kt__bits_f32(f);
    if (x != x || (double)f == x)
        return f;
    if (!(u & 1))
        u += fabs((double)f) > fabs(x) ? -1u : 1u;
    return kt__f32_bits(u);
}

static float odd_from_u64(uint64_t x)
{
    int shift = x >> 32 ? 32 - __builtin_clz((uint32_t)(x >> 32)) + 8 : 0; /* keep at most 24 bits */
    if (!shift && x >> 24)
        shift = 32 - __builtin_clz((uint32_t)x) - 24;
    const uint64_t kept = x >> shift;
    return ldexpf((float)(kept | (kept << shift != x)), shift);
}

static float odd_part(const tile *t, int compute, int i, int part)
{
    switch (compute) {
    case KT__COMPUTE_f32: return t->f32[i];
    case KT__COMPUTE_f64: return odd_from_f64(t->f64[i]);
    case KT__COMPUTE_i32: return odd_from_f64(t->i32[i]);
    case KT__COMPUTE_i64:
        return t->i64[i] < 0 ? -odd_from_u64(-(uint64_t)t->i64[i]) : odd_from_u64((uint64_t)t->i64[i]);
    case KT__COMPUTE_u64: return odd_from_u64(t->u64[i]);
    case KT__COMPUTE_c64: return part ? KT__IMAG(t->c64[i]) : KT__REAL(t->c64[i]);
    default: return odd_from_f64(part ? KT__IMAG(t->c128[i]) : KT__REAL(t->c128[i]));
    }
}

static double real_part(const tile *t, int compute, int i, int part)
{
    switch (compute) {
    case KT__COMPUTE_f32: return t->f32[i];
    case KT__COMPUTE_f64: return t->f64[i];
    case KT__COMPUTE_i32: return t->i32[i];
    case KT__COMPUTE_i64: return (double)t->i64[i];
    case KT__COMPUTE_u64: return (double)t->u64[i];
    case KT__COMPUTE_c64: return part ? KT__IMAG(t->c64[i]) : KT__REAL(t->c64[i]);
    default: return part ? KT__IMAG(t->c128[i]) : KT__REAL(t->c128[i]);
    }
}

/* A bijection of 64 bits whose every output bit depends on every input bit. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Uniform in [0, 1), of element i and part p. */
static double draw(const kt__round_rng *rng, uint64_t i, int part)
{
    const uint64_t bits = mix(mix(rng->seed) + (2 * (rng->counter + i) + (uint64_t)part + 1) * 0x9e3779b97f4a7c15u);
    return (double)(bits >> 11) * 0x1p-53;
}

/* x rounded stochastically to a multiple of the row's unit in the last place at x. The result is a value of the row, or
 * overflows it, so encoding it is exact. */
static double at_random(double x, const kt__dtype_row *row, double uniform)
{
    if (!isfinite(x) || x == 0)
        return x;
    const int bias = KT__BIAS(row->exponent, row->specials);
    int e;
    frexp(x, &e);
    e -= 1;
    if (row->specials == KT__E8M0) {
        if (e < -bias)
            return fabs(x);
    } else if (e < 1 - bias) {
        e = 1 - bias;
    }
    const double step = ldexp(1.0, e - row->mantissa), magnitude = fabs(x);
    const double below = floor(magnitude / step), fraction = magnitude / step - below;
    return copysign((below + (uniform < fraction)) * step, x);
}

/* Is the row wider than float32, so that encoding must start from float64? */
static bool wide(const kt__dtype_row *row)
{
    return row->mantissa > 23;
}

void kt__convert_rounding(void *dst, kt_dtype to, ptrdiff_t dst_stride, const void *src, kt_dtype from,
                          ptrdiff_t src_stride, int64_t n, kt_rounding rounding, kt__round_rng *rng)
{
    const kt__dtype_row *row = &kt__dtype_rows[to];
    const bool stochastic = rounding == KT_ROUND_STOCHASTIC && rng;
    const bool once = rounding == KT_ROUND_ONCE && row->mantissa < 23;
    if (to == from || row->specials == KT__NA || wide(row) || (!stochastic && !once)) {
        kt__convert(dst, to, dst_stride, src, from, src_stride, n);
        if (stochastic)
            rng->counter += (uint64_t)n;
        return;
    }
    const int compute = kt__dtype_rows[from].compute;
    const int parts = row->category == KT_CAT_COMPLEX && compute >= KT__COMPUTE_c64 ? 2 : 1;
    char *d = dst;
    const char *s = src;
    tile values, rounded;
    for (int k; n > 0; n -= k, d += dst_stride * k, s += src_stride * k) {
        k = next_tile(n);
        loads[from](&values, s, src_stride, k);
        for (int i = 0; i < k; i++) {
            double part[2] = {0, 0};
            for (int p = 0; p < parts; p++)
                part[p] = stochastic ? at_random(real_part(&values, compute, i, p), row, draw(rng, (uint64_t)i, p))
                                     : (double)odd_part(&values, compute, i, p);
            rounded.c128[i] = __builtin_complex(part[0], part[1]);
        }
        if (stochastic)
            rng->counter += (uint64_t)k;
        stores[KT__COMPUTE_c128][to](d, dst_stride, &rounded, k);
    }
}

/* ---- do values survive? ---- */

/* Are all values integers in the range of the dtype? */
static bool whole_in_range(const tile *t, int compute, kt_dtype integer, int n)
{
    int64_t min = 0;
    uint64_t max = 0;
    bool within = kt__int_range(integer, &min, &max);
    const double beyond = max == UINT64_MAX ? 0x1p64 : (double)(max + 1);
    for (int i = 0; i < n; i++)
        switch (compute) {
        case KT__COMPUTE_i32: within &= t->i32[i] >= min && (t->i32[i] < 0 || (uint64_t)t->i32[i] <= max); break;
        case KT__COMPUTE_i64: within &= t->i64[i] >= min && (t->i64[i] < 0 || (uint64_t)t->i64[i] <= max); break;
        case KT__COMPUTE_u64: within &= t->u64[i] <= max; break;
        default: {
            const double x = real_part(t, compute, i, 0);
            const double y = compute >= KT__COMPUTE_c64 ? real_part(t, compute, i, 1) : 0;
            within &= x >= (double)min && x < beyond && x == trunc(x) && y == 0;
        }
        }
    return within;
}

static bool equal_integers(const tile *a, const tile *b, int compute, int n)
{
    switch (compute) {
    case KT__COMPUTE_i32: return memcmp(a->i32, b->i32, sizeof a->i32[0] * (size_t)n) == 0;
    case KT__COMPUTE_i64: return memcmp(a->i64, b->i64, sizeof a->i64[0] * (size_t)n) == 0;
    default: return memcmp(a->u64, b->u64, sizeof a->u64[0] * (size_t)n) == 0;
    }
}

/* Floats and complex numbers; float64 holds the parts of all of them. */
static bool equal_reals(const tile *a, int a_compute, const tile *b, int b_compute, int n)
{
    bool same = true;
    for (int i = 0; i < n; i++)
        for (int p = 0; p < 2; p++) {
            const double x = p && a_compute < KT__COMPUTE_c64 ? 0 : real_part(a, a_compute, i, p);
            const double y = p && b_compute < KT__COMPUTE_c64 ? 0 : real_part(b, b_compute, i, p);
            same &= x == y || (x != x && y != y);
        }
    return same;
}

bool kt__same_value(kt_dtype to, const void *src, kt_dtype from, ptrdiff_t src_stride, int64_t n)
{
    if (kt_can_cast_level(from, to, KT_CAST_SAFE))
        return true;
    const int compute = kt__dtype_rows[from].compute, there_compute = kt__dtype_rows[to].compute;
    const ptrdiff_t size = (ptrdiff_t)kt_dtype_size(to), back_size = (ptrdiff_t)kt_dtype_size(from);
    const bool from_integer = kt_dtype_category(from) <= KT_CAT_INT, to_integer = kt_dtype_category(to) <= KT_CAT_INT;
    char bytes[TILE * sizeof(kt__c128)];
    const char *s = src;
    tile before, there, back;
    bool same = true;
    for (int k; same && n > 0; n -= k, s += src_stride * k) {
        k = next_tile(n);
        loads[from](&before, s, src_stride, k);
        if (to_integer) {
            same = whole_in_range(&before, compute, to, k);
            continue;
        }
        stores[compute][to](bytes, size, &before, k);
        loads[to](&there, bytes, size, k);
        if (from_integer) {
            same = whole_in_range(&there, there_compute, from, k);
            stores[there_compute][from](bytes, back_size, &there, k);
            loads[from](&back, bytes, back_size, k);
            same = same && equal_integers(&before, &back, compute, k);
        } else {
            same = equal_reals(&before, compute, &there, there_compute, k);
        }
    }
    return same;
}
