/* core.h - e^x and log(1 + x) of float32 numbers, calculated in double: for asinh, acosh and sums of exponentials.
 *
 * In: a double that holds a float32 (or a function of one). Out: the function with a relative error below 2^-37
 * unless said otherwise, so that the one rounding to float32 that follows decides the result: at most 0.51 ulp.
 * Straight-line code with selects instead of branches, so that loops over it vectorise on every instruction set; no
 * FMA and no table, so that every instruction set gives the same bits. The polynomials are minimax fits made for
 * this file.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_CORE_H
#define KT_MATH_CORE_H

#include <math.h>
#include <string.h>

#include "dtype/types.h"

#define CORE_LN2   0x1.62e42fefa39efp-1
#define CORE_LOG2E 0x1.71547652b82fep+0
#define CORE_MAGIC 0x1.8p52 /* adding it rounds to an integer, which then stands in the low bits */

KT_ALWAYS uint64_t core_bits(double x)    { uint64_t u; memcpy(&u, &x, 8); return u; }
KT_ALWAYS double   core_double(uint64_t u) { double x;  memcpy(&x, &u, 8); return x; }
KT_ALWAYS double   core_two_to(double magic_sum) { return core_double((core_bits(magic_sum) + 1023) << 52); }

/* Polynomials by halves (Estrin): short chains of dependent operations. */
KT_ALWAYS double core_p2(double x, double a, double b) { return a + b * x; }
KT_ALWAYS double core_p4(double x, double x2, double a, double b, double c, double d)
{
    return (a + b * x) + (c + d * x) * x2;
}

/* e^r - 1 over r, |r| <= ln2 / 2 */
KT_ALWAYS double core_expm1_over(double r)
{
    const double r2 = r * r;
    return core_p4(r, r2, 0x1.fffffffff62ffp-1, 0x1.000000001ab86p-1, 0x1.5555557e5b72fp-3, 0x1.555554f270f47p-5) +
           r2 * r2 *
               core_p4(r, r2, 0x1.1110a62a4d9c3p-7, 0x1.6c175bb0daf21p-10, 0x1.a17e063000174p-13,
                       0x1.a019f19d1ce9ap-16);
}

/* |x| <= 700; past the range of float32 the caller selects the limit instead. */
KT_ALWAYS double core_exp(double x)
{
    const double t = x * CORE_LOG2E + CORE_MAGIC, r = x - (t - CORE_MAGIC) * CORE_LN2, s = core_two_to(t);
    return s + s * (r * core_expm1_over(r));
}

/* A positive, finite, normal double as 2^k * (1 + f), with sqrt(1/2) <= 1 + f < sqrt(2). */
KT_ALWAYS double core_split(double x, double *k)
{
    const uint64_t low = UINT64_C(0x3fe6a09e667f3bcd); /* sqrt(1/2) */
    const uint64_t u = core_bits(x) + (UINT64_C(0x3ff0000000000000) - low);
    *k = core_double(u >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    return core_double((u & UINT64_C(0x000fffffffffffff)) + low) - 1;
}

/* log(1 + f) over the range of core_split; relative error 2^-45 */
KT_ALWAYS double core_log_near_one(double f)
{
    const double s = f / (2 + f), z = s * s, z2 = z * z;
    return s * (core_p4(z, z2, 0x1.fffffffffff10p+0, 0x1.555555567398bp-1, 0x1.99999626da09dp-2, 0x1.24943a239868bp-2)
        + z2 * z2 * core_p2(z, 0x1.c6204a3bea1bap-3, 0x1.919c00dc5d484p-3));
}

/* A logarithm's value r for ordinary x, its limits elsewhere. */
KT_ALWAYS double core_log_ends(double x, double r)
{
    r = x < INFINITY ? r : x;
    r = x == 0 ? -INFINITY : r;
    return x < 0 ? NAN : r;
}

KT_ALWAYS double core_log1p(double x)
{
    double k, f = core_split(1 + x, &k);
    const double r = k * CORE_LN2 + core_log_near_one(k == 0 ? x : f);
    return x == 0 ? x : core_log_ends(1 + x, r);
}

#endif
