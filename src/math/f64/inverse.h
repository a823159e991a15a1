/* inverse.h - asin, acos, atan, atan2, asinh, acosh, atanh of float64. See base.h. */
#ifndef KT_MATH_F64_INVERSE_H
#define KT_MATH_F64_INVERSE_H

#include "math/f64/logarithm.h"

#define F64_PI_2_HI 0x1.921fb54442d18p+0
#define F64_PI_2_LO 0x1.1a62633145c07p-54
#define F64_PI_4_HI 0x1.921fb54442d18p-1 /* its last bits are zero: three of it are exact too */
#define F64_PI_4_LO 0x1.1a62633145c07p-55

/* sqrt(u) of a pair u >= 0. A float32 is enough to divide what is missing by, but for u beyond its range: there nothing is
 * added. */
KT_ALWAYS f64_pair f64_root(f64_pair u)
{
    f64_pair r;
    r.hi = sqrt(u.hi);
    r.lo = (fma_f64(-r.hi, r.hi, u.hi) + u.lo) * (0.5f / ((float)r.hi + 0x1p-100f));
    return r;
}

/* (asin(x) / x - 1) / z of z = x^2 <= 1/4; the error is 2^-57 of asin(x) / x */
KT_ALWAYS double f64_asin_tail(double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double a = f64_p4(z, z2, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6);
    const double b = f64_p4(z, z2, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7, 0x1.782651caa6547p-7);
    const double c = f64_p4(z, z2, 0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7);
    return fma_f64(fma_f64(fma_f64(0x1.d72b2bc8155f8p-6, z4, c), z4, b), z4, a);
}

/* Of x >= 0, below 1/2: asin(x). Else acos(x), of whose half the sine is sqrt((1 - x) / 2). What a root of one double lacks is
 * below half a last place: an eighth of that may be lost, so the exponent and the first bits of the inverse, by a subtraction of
 * bits, are enough to divide by. */
KT_ALWAYS f64_pair f64_arc(double x)
{
    const bool     near = x < 0.5;
    const double   u = fma_f64(-2, x, 2), root = sqrt(u), z = select_f64(near, x * x, 0.25 * u);
    const double   half_inverse = f64_of(UINT64_C(0x7fce6238502484ba) - f64_bits(root));
    f64_pair       p;
    p.hi = select_f64(near, x, root);
    p.lo = fma_f64(p.hi * z, f64_asin_tail(z), select_f64(near, 0.0, fma_f64(-root, root, u) * half_inverse));
    return p;
}

KT_ALWAYS double asin_f64(double a)
{
    const double   x = fabs(a);
    const f64_pair p = f64_arc(x), s = f64_sum(F64_PI_2_HI, -p.hi);
    return copysign(select_f64(x < 0.5, p.hi + p.lo, s.hi + (s.lo + (F64_PI_2_LO - p.lo))), a);
}

/* pi/2 minus or plus the one, or the other, or pi minus that */
KT_ALWAYS double acos_f64(double a)
{
    const double   x = fabs(a);
    const bool     near = x < 0.5;
    const f64_pair p = f64_arc(x);
    const double   base = select_f64(near, F64_PI_2_HI, select_f64(a < 0, 2 * F64_PI_2_HI, 0.0));
    const uint64_t sign = (f64_bits(a) ^ f64_bits(select_f64(near, -0.0, 0.0))) & F64_SIGN;
    const f64_pair s = f64_sum(base, f64_of(f64_bits(p.hi) ^ sign));
    const double   r = s.hi + (s.lo + fma_f64(base, F64_PI_2_LO / F64_PI_2_HI, f64_of(f64_bits(p.lo) ^ sign)));
    return select_f64(x <= 1, r, NAN); /* the sign of a calculated NaN depends on the order of operands */
}

/* (atan(t) / t - 1) / z of z = t^2, |t| <= tan(pi/8); the error is 2^-62 of atan(t) / t */
KT_ALWAYS double f64_atan_tail(double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double a = f64_p4(z, z2, -0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7dcp-3, 0x1.c71c71c303dbbp-4);
    const double b = f64_p4(z, z2, -0x1.745d165dc9713p-4, 0x1.3b1392d519db1p-4, -0x1.110e87b4357d2p-4, 0x1.e19a0bfa3eef9p-5);
    const double c = f64_p4(z, z2, -0x1.ac7a5a79b3f26p-5, 0x1.74dccfb93fff0p-5, -0x1.1b311bb48c215p-5, 0x1.0acd9e91a5a35p-6);
    return fma_f64(fma_f64(c, z4, b), z4, a);
}

/* atan(lo / hi) of 0 <= lo <= hi, hi > 0: below tan(pi/8) the arc of lo / hi, above it pi/4 plus that of (lo - hi) / (lo +
 * hi). That is base + sum, where the former is 0 or pi/4. Of the quotient t the rounding is kept. */
KT_ALWAYS f64_pair f64_octant(double lo, double hi, double *base)
{
    const bool     above = lo > hi * 0x1.a827999fcef32p-2;
    const f64_pair less = f64_sum(-hi, lo), more = f64_sum(hi, lo);
    const double   n = select_f64(above, less.hi, lo), nl = select_f64(above, less.lo, 0.0);
    const double   d = select_f64(above, more.hi, hi), dl = select_f64(above, more.lo, 0.0), over = 1 / d, t = n * over;
    const double   z = t * t, rest = (fma_f64(-t, d, n) + fma_f64(-t, dl, nl)) * over;
    f64_pair       p;
    p.hi = t;
    p.lo = fma_f64(t * z, f64_atan_tail(z), fma_f64(-z, rest, rest));
    *base = select_f64(above, 1.0, 0.0);
    return p;
}

/* Then pi/2 minus that where |a| > |b|, and pi minus that where b is negative or -0. */
KT_ALWAYS double atan2_f64(double a, double b)
{
    const double y = fabs(a), x = fabs(b);
    const bool   steep = y > x;
    double       hi = select_f64(steep, y, x), lo = select_f64(steep, x, y), base;
    lo = select_f64(hi == INFINITY, select_f64(lo == INFINITY, 1.0, 0.0), lo);
    hi = select_f64(hi == INFINITY, 1.0, hi);
    hi = select_f64(hi == 0, 1.0, hi);
    const double   scale = select_f64(hi > 0x1p1000, 0x1p-30, select_f64(hi < 0x1p400, 0x1p500, 1.0));
    const f64_pair p = f64_octant(lo * scale, hi * scale, &base);
    const double   flip = copysign(1.0, b), sign = select_f64(steep, -flip, flip);
    base = select_f64(steep, 2 - base, base);
    base = select_f64(flip < 0, 4 - base, base);
    const f64_pair s = f64_sum(base * F64_PI_4_HI, sign * p.hi);
    const double   r = copysign(s.hi + (s.lo + fma_f64(sign, p.lo, base * F64_PI_4_LO)), a);
    return select_f64(a != a, a, select_f64(b != b, b, r));
}

KT_ALWAYS double atan_f64(double a)
{
    const double   x = fabs(a);
    const bool     steep = x > 1;
    double         eighths;
    const double   wide = select_f64(x > 0x1p100, 0x1p100, x);
    const f64_pair p = f64_octant(select_f64(steep, 1.0, x), select_f64(steep, wide, 1.0), &eighths);
    const double   sign = select_f64(steep, -1.0, 1.0), base = select_f64(steep, 2 - eighths, eighths);
    const f64_pair s = f64_sum(base * F64_PI_4_HI, sign * p.hi);
    return copysign(s.hi + (s.lo + fma_f64(sign, p.lo, base * F64_PI_4_LO)), a);
}

/* log(x + sqrt(x^2 + 1)), by log1p(x + (sqrt(x^2 + 1) - 1)); beyond 2^500 log(2 x) */
KT_ALWAYS double asinh_f64(double a)
{
    const double   x = fabs(a);
    const bool     wide = x > 0x1p500;
    const double   near = select_f64(wide, 1.0, x);
    const f64_pair square = f64_product(near, near);
    f64_pair       u = f64_any_sum(1, square.hi);
    u.lo += square.lo;
    const f64_pair root = f64_root(u), less = f64_sum(root.hi, -1), w = f64_sum(near, less.hi);
    const f64_pair sum = f64_sum(w.hi, w.lo + (less.lo + root.lo));
    const double   v = f64_log1p(select_f64(wide, x, sum.hi), select_f64(wide, 0.0, sum.lo), select_f64(wide, 1.0, 0.0));
    return copysign(f64_ends(x, v, 0x1p-28, x, 0x1.fffffffffffffp1023, x), a);
}

/* log(a + sqrt(a^2 - 1)), by log1p(t + sqrt(2 t + t^2)) of t = a - 1 */
KT_ALWAYS double acosh_f64(double a)
{
    const bool     wide = a > 0x1p500;
    const double   near = select_f64(wide, 2.0, a);
    const f64_pair t = f64_sum(near, -1), square = f64_product(t.hi, t.hi);
    f64_pair       u = f64_any_sum(2 * t.hi, square.hi);
    u.lo += fma_f64(2, fma_f64(t.hi, t.lo, t.lo), square.lo);
    const f64_pair root = f64_root(f64_sum(u.hi, u.lo)), w = f64_sum(root.hi, t.hi), sum = f64_sum(w.hi, w.lo + (t.lo + root.lo));
    const double   v = f64_log1p(select_f64(wide, a, sum.hi), select_f64(wide, 0.0, sum.lo), select_f64(wide, 1.0, 0.0));
    return select_f64(a >= 1, select_f64(a < INFINITY, v, a), NAN);
}

/* log1p(2 x / (1 - x)) / 2 */
KT_ALWAYS double atanh_f64(double a)
{
    const double   x = fabs(a);
    const f64_pair n = {2 * x, 0}, q = f64_quotient(n, f64_sum(1, -x)), s = f64_sum(q.hi, q.lo);
    const double   v = select_f64(x == 1, INFINITY, 0.5 * f64_log1p(s.hi, s.lo, 0));
    return copysign(f64_ends(x, v, 0x1p-28, x, 1, NAN), a);
}

#endif
