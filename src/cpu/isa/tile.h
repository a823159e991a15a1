/* tile.h - an operand as tiles of a compute type: what every template that runs plans needs of it. A template without guard: the
 * names of T are those of types/ (SELF is the dtype whose bytes are a T). Defined in tile.inc.c, once a type and instruction set.
 *
 * In: elements of any dtype at any stride. Out: at most TILE values of type T, in L1, and back again. */
#include "cpu/isa/names.h"
#include "cpu/kernels.h"
#include "dtype/value.h"
#include "math/core.h"

enum {
    TILE = 4096 / sizeof(T), /* four of them and one of raw elements stay in L1 */
    RAW = 16 * TILE,
    SHORT_TILE = TILE / 8    /* from memory rather than caches: the core sees past a tile's end and keeps loads in flight */
};

#define SHARED(name) KT__CPU_PART(name, ID, KT_ISA) /* a function of this type in another object of this instruction set */

typedef struct FN(lens) {        /* how an operand is read or written */
    ptrdiff_t step;              /* from element to element, in bytes */
    uint8_t   is, as, bits;
    bool      direct;            /* the memory already holds dense Ts */
    bool      rounds;            /* `as` must be passed through on the way */
} FN(lens);

KT_ALWAYS FN(lens) FN(lens_of)(const kt_operand *x, ptrdiff_t step)
{
    const bool rounds = x->as != x->is && x->as != SELF;
    const FN(lens) l = {step, x->is, x->as, x->bits,
                        x->is == SELF && !rounds && x->bits == 0 && step == (ptrdiff_t)sizeof(T), rounds};
    return l;
}

void SHARED(load_tile)(T *tile, const FN(lens) *l, const char *x, int n);
void SHARED(store_tile)(char *y, const FN(lens) *l, T *tile, int n); /* may round the tile */

KT_ALWAYS void FN(load_tile)(T *tile, const FN(lens) *l, const char *x, int n)
{
    SHARED(load_tile)(tile, l, x, n);
}

KT_ALWAYS void FN(store_tile)(char *y, const FN(lens) *l, T *tile, int n)
{
    SHARED(store_tile)(y, l, tile, n);
}

/* As many tiles as a line of n elements has. */
static void __attribute__((unused)) FN(load_line)(T *to, const FN(lens) *l, const char *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += TILE)
        FN(load_tile)(to + i, l, from + i * l->step, n - i < TILE ? (int)(n - i) : TILE);
}

static void __attribute__((unused)) FN(store_line)(char *to, const FN(lens) *l, T *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += TILE)
        FN(store_tile)(to + i * l->step, l, from + i, n - i < TILE ? (int)(n - i) : TILE);
}

/* A scalar of the plan in the compute type. */
KT_ALWAYS T FN(scalar)(const kt_scalar *s)
{
    switch (s->kind) {
    case KT_SCALAR_FLOAT:   return TO(f64)(s->v.re);
    case KT_SCALAR_COMPLEX: return TO(c128)(__builtin_complex(s->v.re, s->im));
    default:                return s->is_unsigned ? TO(u64)((uint64_t)s->v.i) : TO(i64)(s->v.i);
    }
}
