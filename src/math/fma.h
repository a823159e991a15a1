/* fma.h - a * b + c with one rounding: fma_f32, fma_f64; and an inverse: inverse_f32.
 *
 * Written out, it is the same number on every instruction set; the compiler itself may contract nothing (-ffp-contract=off).
 * x86-64 without FMA takes the long way: float32 here, in double, which vectorises; float64 through the C library.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_FMA_H
#define KT_MATH_FMA_H

#include <math.h>
#include <string.h>

#include "dtype/types.h"

/* The product is exact in double. The sum is rounded to odd: its last bit is set where something was lost, so that the second
 * rounding, to float32, decides as if it saw everything. */
KT_ALWAYS float fma_f32_in_double(float a, float b, float c)
{
    const double product = (double)a * (double)b, sum = product + (double)c, part = sum - product;
    const double lost = (product - (sum - part)) + ((double)c - part);
    uint64_t     u, l;
    double       odd;
    memcpy(&u, &sum, 8);
    memcpy(&l, &lost, 8);
    /* Whether something was lost, in a finite sum. By shifts and sums: SSE2 cannot make a mask of 64 bits of a comparison. */
    const uint64_t twice = l << 1, endless = ((u & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000)) >> 63;
    const uint64_t some = (twice | (0 - twice)) >> 63 & ~endless;
    const uint64_t less = (u ^ l) >> 63; /* the true sum is nearer to zero */
    u = (u - (less & ~u & some)) | some;
    memcpy(&odd, &u, 8);
    return (float)odd;
}

#if defined(__x86_64__) && !defined(__FMA__) && !defined(__CUDA_ARCH__)
KT_ALWAYS float fma_f32(float a, float b, float c) { return fma_f32_in_double(a, b, c); }
#else
KT_ALWAYS float fma_f32(float a, float b, float c) { return fmaf(a, b, c); }
#endif

/* 1 / d, rounded, for d from 2^-100 to 2^100. A GPU divides by the same steps, but branches for the other numbers, and what
 * stands around a branch is not mixed with the next element's. */
#ifdef __CUDA_ARCH__
KT_ALWAYS float inverse_f32(float d)
{
    float about;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(about) : "f"(d));
    return fmaf(about, -fmaf(d, about, -1.0f), about);
}
#else
KT_ALWAYS float inverse_f32(float d) { return 1 / d; }
#endif

KT_ALWAYS double fma_f64(double a, double b, double c) { return fma(a, b, c); }

#endif
