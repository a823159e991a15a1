/* error.h - gelu and its slope of float64, by the share of a normal distribution beyond x; error_pieces.h has erf. See base.h. */
#ifndef KT_MATH_F64_ERROR_H
#define KT_MATH_F64_ERROR_H

#include "math/f64/exponential.h"

/* y = (x - c) / (x + c), as 2 x / (x + c) - 1 or 1 - 2 c / (x + c): only a part of the quotient's error counts. */
KT_ALWAYS double f64_folded(double x, double c)
{
    const bool below = x < c;
    return fma_f64(select_f64(below, 2 * x, -2 * c), 1 / (x + c), select_f64(below, -1.0, 1.0));
}

/* c0 + y (c1 + y p), where the coefficients are pairs */
KT_ALWAYS f64_pair f64_two_terms(double y, double p, f64_pair c0, f64_pair c1)
{
    const double t = fma_f64(y, p, c1.hi), left = fma_f64(y, p, c1.hi - t) + c1.lo;
    f64_pair     r;
    r.hi = fma_f64(y, t, c0.hi);
    r.lo = fma_f64(y, t, c0.hi - r.hi) + fma_f64(y, left, c0.lo);
    return r;
}

/* The share of a normal distribution beyond x, 0 <= x <= 39, is e^(-x^2 / 2) N(y) / (x + 5/4), with y = (x - 6) / (x + 6); the
 * error of N is 2^-56. It and the bell e^(-x^2 / 2) come short of a factor 2^k. */
KT_ALWAYS f64_pair f64_normal_beyond(double x, f64_pair *bell, double *k)
{
    const f64_pair z = f64_product(x, x), d = f64_any_sum(1.25, x), m = f64_exp_parts(-0.5 * z.hi, -0.5 * z.lo, F64_MAGIC_TWO, k);
    const double   y = f64_folded(x, 6), y2 = y * y, y4 = y2 * y2;
    const double a = f64_p4(y, y2, 0x1.0f70653512446p-4, -0x1.97240570c0099p-6, -0x1.fb7095f9f935ap-10, 0x1.c524a6d1c94f3p-7);
    const double b = f64_p4(y, y2, -0x1.ec29325fb5688p-7, 0x1.699a6e07efdb2p-7, -0x1.96ac494555707p-8, 0x1.5f92ccf9cb5f4p-9);
    const double c = f64_p4(y, y2, -0x1.aff62d9d4f057p-11, 0x1.011359919f853p-13, 0x1.1209095accf9fp-15, -0x1.a32097a5f84b4p-16);
    const double e = f64_p4(y, y2, 0x1.301ca555574f4p-18, 0x1.aebbf7bcd88fdp-20, -0x1.04b07367c6db4p-20, 0x1.044ecb722c130p-26);
    const double f = f64_p4(y, y2, 0x1.0f13488807761p-23, -0x1.6c7fe212d2f23p-26, -0x1.fe9b0c92e2a12p-27, 0x1.a2f570f04b86dp-29);
    const double high = fma_f64(0x1.a51c3e6aa47e8p-30, y4, f);
    const double p = fma_f64(y4 * y4, fma_f64(fma_f64(high, y4, e), y4, c), fma_f64(b, y4, a));
    const f64_pair c0 = {0x1.e0ebefe9f17c5p-2, -0x1.1a28e59b3cbccp-57}, c1 = {-0x1.da6ad6bba10bbp-4, 0x1.1a40c2291608ap-58};
    const f64_pair one = f64_sum(1, m.hi);
    bell->hi = one.hi;
    bell->lo = one.lo + m.lo;
    return f64_quotient(f64_pair_product(*bell, f64_two_terms(y, p, c0, c1)), d);
}

/* a, if positive, minus |a| times the share beyond */
KT_ALWAYS double gelu_f64(double a)
{
    double         k;
    const double   x = fabs(a), base = select_f64(a > 0, a, 0.0);
    f64_pair       bell;
    const f64_pair v = f64_normal_beyond(x, &bell, &k), p = f64_product(x, v.hi), w = f64_sum(p.hi, fma_f64(x, v.lo, p.lo));
    const double   two_to_k = f64_scaled(1, k), less = base - two_to_k * w.hi;
    const double   lo = fma_f64(-two_to_k, w.hi, base - less) - two_to_k * w.lo;
    return copysign(f64_ends(a, less + lo, -39, a * 0.0, 39, a), a);
}

/* Below zero the share minus x times the density, above it 1 minus that; of an infinity NaN */
KT_ALWAYS double gelu_slope_f64(double a)
{
    double         k;
    const double   x = fabs(a);
    f64_pair       bell;
    const f64_pair v = f64_normal_beyond(x, &bell, &k);
    const double   density = fma_f64(0x1.9884533d43651p-2, bell.hi, 0x1.9884533d43651p-2 * bell.lo);
    const double   two_to_k = f64_scaled(1, k), share = two_to_k * v.hi, less = two_to_k * fma_f64(x, density, -v.lo);
    const double   rest = 1 - share, above = rest + (less + ((1 - rest) - share));
    return f64_ends(a, select_f64(a < 0, share - less, above), -39, 0 + a * 0.0, 39, 1 + a * 0.0);
}

#endif
