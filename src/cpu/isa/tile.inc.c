/* tile.inc.c - dtypes as tiles of a compute type: what tile.h declares. A template: the names of T are those of types/, and
 * KT_FAST_LOAD and KT_FAST_STORE are defined by the includer where fast_rows.h has some.
 *
 * In: elements of any dtype at any stride. Out: at most TILE values of type T, in L1, and back again. This is the
 * only place of the CPU backend where dtypes exist. The conversions are those of dtype/convert.h. */
#include "cpu/isa/fast_rows.h"
#include "cpu/isa/tile.h"
#include "dtype/value.h"

KT_ALWAYS ptrdiff_t size_of(int dtype)
{
    switch (dtype) {
#define DT(I, NAME, TORCH, CXX, S, ...) case KT_##I: return (ptrdiff_t)sizeof(S);
#include "tables/dtypes.def"
    }
    return 0;
}

/* ---- one element ---- */
KT_ALWAYS T FN(get)(const char *p, int dtype)
{
    switch (dtype) {
#define DT(I, NAME, TORCH, CXX, S, C, ...) \
    case KT_##I: { S s; memcpy(&s, p, sizeof s); return TO(C)(kt__decode_##I(s)); }
#include "tables/dtypes.def"
    }
    return 0;
}

KT_ALWAYS void FN(put)(char *p, T v, int dtype)
{
    switch (dtype) {
#define DT(I, NAME, TORCH, CXX, S, ...) case KT_##I: { const S s = ENC(I)(v); memcpy(p, &s, sizeof s); return; }
#include "tables/dtypes.def"
    }
}

/* ---- n dense elements ---- */
KT_ALWAYS void FN(load)(T *restrict y, const char *restrict x, int n, int dtype)
{
#ifdef KT_FAST_LOAD
    if (KT_FAST_LOAD(y, x, n, dtype))
        return;
#endif
    for (int i = 0; i < n; i++)
        y[i] = FN(get)(x + i * size_of(dtype), dtype);
}

KT_ALWAYS void FN(store)(char *restrict y, const T *restrict x, int n, int dtype)
{
#ifdef KT_FAST_STORE
    if (KT_FAST_STORE(y, x, n, dtype))
        return;
#endif
    for (int i = 0; i < n; i++)
        FN(put)(y + i * size_of(dtype), x[i], dtype);
}

#define DT(I, ...) static void FN(load_##I)(T *y, const char *x, int n) { FN(load)(y, x, n, KT_##I); }
#include "tables/dtypes.def"
#define DT(I, ...) static void FN(store_##I)(char *y, const T *x, int n) { FN(store)(y, x, n, KT_##I); }
#include "tables/dtypes.def"

static void (*const FN(loads)[KT_NUM_DTYPES])(T *y, const char *x, int n) = {
#define DT(I, ...) [KT_##I] = FN(load_##I),
#include "tables/dtypes.def"
};
static void (*const FN(stores)[KT_NUM_DTYPES])(char *y, const T *x, int n) = {
#define DT(I, ...) [KT_##I] = FN(store_##I),
#include "tables/dtypes.def"
};

/* ---- n elements at a stride: collected or strewn by width alone, without asking the type ---- */
typedef struct unit16 { uint64_t half[2]; } unit16;

KT_ALWAYS void gather_units(char *restrict y, const char *restrict x, ptrdiff_t stride, int n, size_t width)
{
    for (int i = 0; i < n; i++)
        memcpy(y + (size_t)i * width, x + i * stride, width);
}

KT_ALWAYS void scatter_units(char *restrict y, ptrdiff_t stride, const char *restrict x, int n, size_t width)
{
    for (int i = 0; i < n; i++)
        memcpy(y + i * stride, x + (size_t)i * width, width);
}

static void gather(char *y, const char *x, ptrdiff_t stride, int n, ptrdiff_t width)
{
    switch (width) {
    case 1:  gather_units(y, x, stride, n, 1); break;
    case 2:  gather_units(y, x, stride, n, 2); break;
    case 4:  gather_units(y, x, stride, n, 4); break;
    case 8:  gather_units(y, x, stride, n, 8); break;
    default: gather_units(y, x, stride, n, 16); break;
    }
}

static void scatter(char *y, ptrdiff_t stride, const char *x, int n, ptrdiff_t width)
{
    switch (width) {
    case 1:  scatter_units(y, stride, x, n, 1); break;
    case 2:  scatter_units(y, stride, x, n, 2); break;
    case 4:  scatter_units(y, stride, x, n, 4); break;
    case 8:  scatter_units(y, stride, x, n, 8); break;
    default: scatter_units(y, stride, x, n, 16); break;
    }
}

/* ---- an operand's tiles: tile.h says what they are ---- */

/* Leave in the tile only values that `as` can hold: fusing a cast must never change a result. */
static void FN(round_tile)(T *t, int n, int as)
{
    char raw[RAW] __attribute__((aligned(16)));
    FN(stores)[as](raw, t, n);
    FN(loads)[as](t, raw, n);
}

static void FN(flip_tile)(T *t, int n, int bits)
{
#if KT_IS_COMPLEX
    typedef __typeof__(__real__ *t) part;
    const part re = (bits & KT_BIT_NEG) != 0 ? -1 : 1, im = (bits & KT_BIT_CONJ) != 0 ? -re : re;
    for (int i = 0; i < n; i++)
        t[i] = __builtin_complex(__real__ t[i] * re, __imag__ t[i] * im);
#else
    for (int i = 0; i < n && (bits & KT_BIT_NEG) != 0; i++)
        t[i] = -t[i];
#endif
}

/* The slow ways into a tile, apart so that the direct one stays small: any stride, any dtype, any bits. */
void SHARED(load_tile)(T *tile, const FN(lens) *l, const char *x, int n)
{
    const ptrdiff_t width = kt__dtype_rows[l->is].size;
    if (KT_IS_INTEGER && l->rounds && kt__dtype_rows[l->is].category > KT_CAT_INT) {
        /* A float seen as a narrow integer saturates in that one, so it must not pass through T first. */
        char raw[RAW] __attribute__((aligned(16)));
        kt__convert(raw, (kt_dtype)l->as, kt__dtype_rows[l->as].size, x, (kt_dtype)l->is, l->step, n);
        FN(loads)[l->as](tile, raw, n);
        if (l->bits != 0)
            FN(flip_tile)(tile, n, l->bits);
        return;
    }
    if (l->step == width || n == 1) {
        FN(loads)[l->is](tile, x, n);
    } else if (l->is == SELF) {
        gather((char *)tile, x, l->step, n, (ptrdiff_t)sizeof(T));
    } else {
        char raw[RAW] __attribute__((aligned(16)));
        gather(raw, x, l->step, n, width);
        FN(loads)[l->is](tile, raw, n);
    }
    if (l->bits != 0)
        FN(flip_tile)(tile, n, l->bits);
    if (l->rounds)
        FN(round_tile)(tile, n, l->as);
}

void SHARED(store_tile)(char *y, const FN(lens) *l, T *tile, int n)
{
    const ptrdiff_t width = kt__dtype_rows[l->is].size;
    if (l->rounds)
        FN(round_tile)(tile, n, l->as);
    if (l->step == width || n == 1) {
        FN(stores)[l->is](y, tile, n);
    } else if (l->is == SELF) {
        scatter(y, l->step, (const char *)tile, n, (ptrdiff_t)sizeof(T));
    } else {
        char raw[RAW] __attribute__((aligned(16)));
        FN(stores)[l->is](raw, tile, n);
        scatter(y, l->step, raw, n, width);
    }
}
