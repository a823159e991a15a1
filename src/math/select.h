/* select.h - yes or no by a condition, for the functions that are to vectorise. NEON compares only in order, and gcc 12
 * turns a < b ? x : f(a) around, into f(a) where a is not less than b or not ordered: seven instructions. As a mask it
 * stays one compare and one select. x86 has both compares, and without SSE4 it could not widen the mask. */
#ifndef KT_MATH_SELECT_H
#define KT_MATH_SELECT_H

#include <stdbool.h>
#include <string.h>

#include "dtype/types.h"

#if defined(__aarch64__) && !defined(__CUDACC__)
KT_ALWAYS float select_f32(bool condition, float yes, float no)
{
    const uint32_t mask = 0u - (uint32_t)condition;
    uint32_t       y, n;
    memcpy(&y, &yes, 4);
    memcpy(&n, &no, 4);
    n = (y & mask) | (n & ~mask);
    memcpy(&no, &n, 4);
    return no;
}
KT_ALWAYS double select_f64(bool condition, double yes, double no)
{
    const uint64_t mask = UINT64_C(0) - (uint64_t)condition;
    uint64_t       y, n;
    memcpy(&y, &yes, 8);
    memcpy(&n, &no, 8);
    n = (y & mask) | (n & ~mask);
    memcpy(&no, &n, 8);
    return no;
}
#else
KT_ALWAYS float  select_f32(bool condition, float yes, float no)    { return condition ? yes : no; }
KT_ALWAYS double select_f64(bool condition, double yes, double no)  { return condition ? yes : no; }
#endif

#endif
