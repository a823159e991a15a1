/* bounds.c - the first of a row of numbers that is out of bounds; a NaN is. Those inside are counted, a block at a time, which
 * needs no branches; only a block that lacks some is looked at again. */
#include "cpu/kernels.h"

enum { BLOCK = 512 };

#define FIRST_OUTSIDE(name, T, WIDE, LOW, HIGH, EXEMPT)                                                                       \
    static int64_t name(const T *x, int64_t n, const kt__bounds *b)                                                           \
    {                                                                                                                         \
        const WIDE    low = b->LOW, high = b->HIGH, exempt = b->EXEMPT;                                                       \
        const int64_t exempts = b->exempts;                                                                                   \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                                              \
            const int64_t m = n - i < BLOCK ? n - i : BLOCK;                                                                  \
            int64_t       inside = 0;                                                                                         \
            for (int64_t k = i; k < i + m; k++)                                                                               \
                inside += (((WIDE)x[k] >= low) & ((WIDE)x[k] <= high)) | (((WIDE)x[k] == exempt) & exempts);                  \
            for (int64_t k = i; inside < m && k < i + m; k++)                                                                 \
                if (!(x[k] >= low && x[k] <= high) && !(exempts && x[k] == exempt))                                           \
                    return k;                                                                                                 \
        }                                                                                                                     \
        return n;                                                                                                             \
    }
FIRST_OUTSIDE(first_f32, float, double, low, high, exempt)
FIRST_OUTSIDE(first_f64, double, double, low, high, exempt)
FIRST_OUTSIDE(first_i64, int64_t, int64_t, low_int, high_int, exempt_int)

const kt__cpu_bounds KT__CPU_SYMBOL(bounds, KT_ISA) = {.f32 = first_f32, .f64 = first_f64, .i64 = first_i64};
