/* finite.h - numbers that matrix algorithms cannot work with: where there are infinities and NaN, and writing NaN. In: the memory
 * of a matrix, column by column, and its dtype. Independent of: plans, LAPACK. */
#ifndef KT_CPU_LINALG_FINITE_H
#define KT_CPU_LINALG_FINITE_H

#include <math.h>

#include "cpu/linalg/solver.h"

static inline bool kt__finite_numbers(const void *a, int64_t n, kt_dtype d)
{
    n *= kt__is_complex(d) ? 2 : 1;
    double sum = 0; /* a number times 0 is 0, unless it is infinite or NaN */
    for (int64_t i = 0; i < n; i++)
        sum += 0.0 * (kt__is_single(d) ? (double)((const float *)a)[i] : ((const double *)a)[i]);
    return sum == 0;
}

static inline bool kt__some_nan(const void *a, int64_t n, kt_dtype d)
{
    n *= kt__is_complex(d) ? 2 : 1;
    for (int64_t i = 0; i < n; i++)
        if (kt__is_single(d) ? isnan(((const float *)a)[i]) : isnan(((const double *)a)[i]))
            return true;
    return false;
}

/* Of the triangle that counts, with the diagonal: the other may hold anything. */
static inline bool kt__finite_triangle(const char *a, bool upper, int n, kt_dtype d)
{
    const size_t width = kt__width_of(d);
    for (int k = 0; k < n; k++) {
        const int first = upper ? 0 : k;
        if (!kt__finite_numbers(a + ((size_t)k * (size_t)n + (size_t)first) * width, upper ? k + 1 : n - k, d))
            return false;
    }
    return true;
}

static inline void kt__set_nan(void *to, int64_t n, bool single)
{
    for (int64_t i = 0; i < n; i++)
        if (single)
            ((float *)to)[i] = NAN;
        else
            ((double *)to)[i] = NAN;
}

/* The first element of a diagonal that is no number, counted from 1; 0: there is none. OpenBLAS goes on with it. */
static inline int kt__unordered_at(kt_dtype d, const char *a, int n)
{
    const size_t width = kt__width_of(d);
    const bool   single = d == KT_F32 || d == KT_C64;
    for (int i = 0; i < n; i++) {
        const char *x = a + (size_t)i * ((size_t)n + 1) * width;
        if (single ? isnan(*(const float *)(const void *)x) : isnan(*(const double *)(const void *)x))
            return i + 1;
    }
    return 0;
}

#endif
