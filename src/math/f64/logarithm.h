/* logarithm.h - log, log2, log10, log1p of float64. See base.h. */
#ifndef KT_MATH_F64_LOGARITHM_H
#define KT_MATH_F64_LOGARITHM_H

#include "math/f64/base.h"

/* A positive normal number as 2^k (1 + f), with sqrt(1/2) <= 1 + f < sqrt(2). */
KT_ALWAYS double f64_split(double x, double *k)
{
    const uint64_t low = UINT64_C(0x3fe6a09e00000000);
    const uint64_t u = f64_bits(x) + (UINT64_C(0x3ff0000000000000) - low);
    *k = f64_of(u >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    return f64_of((u & UINT64_C(0x000fffffffffffff)) + low) - 1;
}

/* The same of any positive number. */
KT_ALWAYS double f64_split_any(double x, double *k)
{
    const bool   tiny = x < 0x1p-1022;
    const double f = f64_split(x * select_f64(tiny, 0x1p54, 1.0), k);
    *k -= select_f64(tiny, 54.0, 0.0);
    return f;
}

/* log(1 + f) = f - f^2 / 2 + correction. With s = f / (2 + f) it is 2 s + s R(s^2), R to 2^-57. */
KT_ALWAYS double f64_log_correction(double f, double half_square)
{
    const double s = f / (2 + f), z = s * s, z2 = z * z;
    const double low = f64_p4(z, z2, 0x1.5555555555558p-1, 0x1.9999999995322p-2, 0x1.2492492deee3bp-2, 0x1.c71c62e659f26p-3);
    const double high = f64_p3(z, z2, 0x1.7462b4b7d60bcp-3, 0x1.39fe59b446b25p-3, 0x1.2b58bfca8d949p-3);
    return s * fma_f64(z, fma_f64(z2 * z2, high, low), half_square);
}

/* The ends of every logarithm: its value r for ordinary x, its limits elsewhere. */
KT_ALWAYS double f64_log_ends(double x, double r)
{
    r = select_f64(x < INFINITY, r, x);
    r = select_f64(x == 0, -INFINITY, r);
    return select_f64(x < 0, NAN, r);
}

KT_ALWAYS double f64_log_of(double k, double f)
{
    const double half_square = 0.5 * f * f, rest = fma_f64(k, F64_LN2_LO, f64_log_correction(f, half_square));
    return fma_f64(k, F64_LN2_HI, f - (half_square - rest));
}

/* base + factor log(1 + f), where the factor is a pair, and base, if not zero, the greater part. */
KT_ALWAYS double f64_log_times(double f, f64_pair factor, double base, double base_rest)
{
    const double half_square = 0.5 * f * f, hi = f - half_square;
    const double lo = ((f - hi) - half_square) + f64_log_correction(f, half_square), s = fma_f64(hi, factor.hi, base);
    return s + fma_f64(lo, factor.hi, fma_f64(hi, factor.lo, fma_f64(hi, factor.hi, base - s) + base_rest));
}

KT_ALWAYS double f64_log2_of(double k, double f)
{
    const f64_pair factor = {F64_LOG2E, F64_LOG2E_LO};
    return f64_log_times(f, factor, k, 0);
}
KT_ALWAYS double f64_log10_of(double k, double f)
{
    const f64_pair factor = {F64_LOG10E, F64_LOG10E_LO};
    return f64_log_times(f, factor, k * F64_LOG10_2_HI, k * F64_LOG10_2_LO);
}

KT_ALWAYS double log_f64(double a)
{
    double       k;
    const double f = f64_split_any(a, &k);
    return f64_log_ends(a, f64_log_of(k, f));
}
KT_ALWAYS double log2_f64(double a)
{
    double       k;
    const double f = f64_split_any(a, &k);
    return f64_log_ends(a, f64_log2_of(k, f));
}
KT_ALWAYS double log10_f64(double a)
{
    double       k;
    const double f = f64_split_any(a, &k);
    return f64_log_ends(a, f64_log10_of(k, f));
}

/* log(1 + a + rest) + twice * ln2, where rest is small beside a, which is above -1. Of 1 + a the rounding is left over too,
 * and float32 is enough to divide it. */
KT_ALWAYS double f64_log1p(double a, double rest, double twice)
{
    const f64_pair u = f64_any_sum(1, a);
    double         k, g = f64_split(u.hi, &k);
    const double   f = select_f64(k == 0, a, g), left = select_f64(k == 0, 0.0, u.lo) + rest, n = k + twice;
    const double   half_square = 0.5 * f * f, over = 1.0f / (float)u.hi;
    const double   c = fma_f64(n, F64_LN2_LO, fma_f64(left, over, f64_log_correction(f, half_square)));
    return fma_f64(n, F64_LN2_HI, f - (half_square - c));
}

KT_ALWAYS double log1p_f64(double a)
{
    const double r = f64_log_ends(1 + a, f64_log1p(a, 0, 0));
    return select_f64(fabs(a) < 0x1p-54, a, r);
}

#endif
