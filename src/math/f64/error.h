/* error.h - erf, erfc, gelu and its slope of float64. See base.h.
 *
 * Near zero a polynomial of x^2. Beyond, erfc(x) = e^(-x^2) G(y) / (x + 5/8) with y = (x - 3.5) / (x + 3.5): G lies between 0.5
 * and 0.75, a polynomial of y holds it, and an error of y counts little. Likewise the share of a normal distribution beyond x.
 * The polynomials of y interpolate at Chebyshev's nodes. */
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

/* erf(x) / x - 1 of z = x^2 <= 1; the error is 2^-56 of erf(x) / x */
KT_ALWAYS double f64_erf_near(double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double a = f64_p4(z, z2, 0x1.06eba8214db68p-3, -0x1.812746b0379b2p-2, 0x1.ce2f21a0408d1p-4, -0x1.b82ce311ee09bp-6);
    const double b = f64_p4(z, z2, 0x1.565bccf7e2856p-8, -0x1.c02db0149d904p-11, 0x1.f9a2b75531772p-14, -0x1.f4ca204c771c4p-17);
    const double c = f64_p4(z, z2, 0x1.b97e44280cf90p-20, -0x1.5bfe7638444bbp-23, 0x1.d6e3ddfeb0021p-27, -0x1.ab15c51d25669p-31);
    return fma_f64(fma_f64(c, z4, b), z4, a);
}

/* G for 1 <= x <= 6; the error is 2^-55 */
KT_ALWAYS f64_pair f64_erf_far(double y)
{
    const double y2 = y * y, y4 = y2 * y2;
    const double a = f64_p4(y, y2, -0x1.b2d7ae55831f1p-4, 0x1.86fad2f0371fap-6, 0x1.d4748351cbe26p-6, -0x1.76b681e925486p-5);
    const double b = f64_p4(y, y2, 0x1.39da0c9803b47p-5, -0x1.6d31393ca207dp-6, 0x1.278c168661e8dp-7, -0x1.0fdac69a0282ep-9);
    const double c = f64_p4(y, y2, -0x1.e295a14b80e87p-14, 0x1.19bb77cdc9c2fp-12, -0x1.019f4dbc0d676p-14, -0x1.4d0d9a7133c23p-16);
    const double d = f64_p3(y, y2, 0x1.98f53e0f0f5e4p-17, 0x1.03c63708af368p-19, -0x1.05e358c7432c4p-20);
    const double p = fma_f64(y4 * y4, fma_f64(d, y4, c), fma_f64(b, y4, a));
    f64_pair     g;
    g.hi = fma_f64(y, p, 0x1.47faee6df605dp-1);
    g.lo = fma_f64(y, p, 0x1.47faee6df605dp-1 - g.hi) - 0x1.5fa9f1d7d9a35p-55;
    return g;
}

/* Beyond 1 erfc is below 0.16: its errors count little beside 1. */
KT_ALWAYS double erf_f64(double a)
{
    const double   x = fabs(a);
    const f64_pair z = f64_product(x, x);
    const double   t = fma_f64(z.hi, -F64_LOG2E, F64_MAGIC_ONE), n = t - F64_MAGIC_ONE, s = f64_two_to(t);
    const double   r = fma_f64(n, -F64_LN2_HI, -z.hi) - fma_f64(n, F64_LN2_LO, z.lo), r2 = r * r;
    const double   m = fma_f64(r2, f64_exp_tail(r, r2), r);
    const f64_pair g = f64_erf_far(f64_folded(x, 3.5));
    const double   beyond = (g.hi + fma_f64(g.hi, m, g.lo)) / (x + 0.625), near = fma_f64(x, f64_erf_near(z.hi), x);
    return copysign(f64_ends(x, fma_f64(-s, beyond, 1), 1, near, 6, 1.0), a);
}

/* G for 0.6 <= x <= 27.3; the error is 2^-56 */
KT_ALWAYS f64_pair f64_erfc_far(double y)
{
    const double y2 = y * y, y4 = y2 * y2;
    const double a = f64_p4(y, y2, 0x1.86fad2f037797p-6, 0x1.d4748351d170ep-6, -0x1.76b681e9444fcp-5, 0x1.39da0c970a01ap-5);
    const double b = f64_p4(y, y2, -0x1.6d3139303314ep-6, 0x1.278c17388f567p-7, -0x1.0fdacd907a66fp-9, -0x1.e29dc5dcc43efp-14);
    const double c = f64_p4(y, y2, 0x1.19bb8bd18b738p-12, -0x1.0146b7b464530p-14, -0x1.4adc19d1edbdep-16, 0x1.9011848e6db9ep-17);
    const double d = f64_p4(y, y2, 0x1.03ff8a00dee9dp-20, -0x1.f0e129812733bp-20, 0x1.8650891d90340p-27, 0x1.29658a0825123p-22);
    const double e = f64_p3(y, y2, -0x1.1649416c45a5ep-26, -0x1.12343d2dcd26fp-25, 0x1.1e6b487b08b6cp-28);
    const f64_pair c0 = {0x1.47faee6df605dp-1, -0x1.6fcb4f9eb9d30p-55}, c1 = {-0x1.b2d7ae5583209p-4, 0x1.6e180e7ad2394p-58};
    return f64_two_terms(y, fma_f64(y4 * y4, fma_f64(fma_f64(e, y4, d), y4, c), fma_f64(b, y4, a)), c0, c1);
}

KT_ALWAYS double erfc_f64(double a)
{
    double         k;
    const double   x = fabs(a);
    const f64_pair z = f64_product(x, x), d = f64_any_sum(0.625, x);
    const f64_pair m = f64_exp_parts(-z.hi, -z.lo, F64_MAGIC_TWO, &k), one = f64_sum(1, m.hi), bell = {one.hi, one.lo + m.lo};
    const f64_pair v = f64_quotient(f64_pair_product(bell, f64_erfc_far(f64_folded(x, 3.5))), d);
    const double   far = select_f64(x > 27.3, 0.0, f64_scaled(v.hi + v.lo, k));
    const f64_pair s = f64_sum(1, -a);
    const double   near = s.hi + fma_f64(-a, f64_erf_near(z.hi), s.lo);
    return select_f64(x < 0.6, near, select_f64(a < 0, 2 - far, far));
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
