/* power.h - pow and hypot of float64. See base.h. */
#ifndef KT_MATH_F64_POWER_H
#define KT_MATH_F64_POWER_H

#include "math/f64/exponential.h"
#include "math/f64/logarithm.h"

/* sqrt(a^2 + b^2): the square exactly, of numbers brought into the middle of the range. */
KT_ALWAYS double hypot_f64(double a, double b)
{
    const double   y = fabs(a), x = fabs(b);
    const bool     steep = y > x;
    const double   hi = select_f64(steep, y, x), lo = select_f64(steep, x, y);
    const double   scale = select_f64(hi > 0x1p500, 0x1p-600, select_f64(hi < 0x1p-400, 0x1p600, 1.0));
    const double   back = select_f64(hi > 0x1p500, 0x1p600, select_f64(hi < 0x1p-400, 0x1p-600, 1.0));
    const double   u = hi * scale, v = lo * scale;
    const f64_pair square = f64_product(u, u);
    const double   t = fma_f64(v, v, square.hi), left = fma_f64(v, v, square.hi - t) + square.lo, root = sqrt(t);
    const double   miss = fma_f64(-root, root, t) + left;
    const double   r = select_f64(hi == INFINITY, INFINITY, (root + 0.5 * miss / (root + 0x1p-1000)) * back);
    return select_f64(lo == INFINITY, INFINITY, r);
}

/* log(x) of a positive number, to about 2^-64. With s = f / (2 + f) it is k ln2 + s (2 + z (2/3 + z (2/5 + ...))), z =
 * s^2, where all that counts is calculated in pairs. */
KT_ALWAYS f64_pair f64_log_pair(double x)
{
    double         k;
    const f64_pair f = {f64_split_any(x, &k), 0}, q = f64_quotient(f, f64_sum(2, f.hi)), s = f64_sum(q.hi, q.lo);
    const f64_pair z = f64_pair_product(s, s);
    const double z1 = z.hi, z2 = z1 * z1;
    const double low = f64_p4(z1, z2, 0x1.999999999999ap-2, 0x1.2492492492521p-2, 0x1.c71c71c6eaa10p-3, 0x1.745d177a96056p-3);
    const double high = f64_p4(z1, z2, 0x1.3b1395d2190c1p-3, 0x1.1118c7e4b0917p-3, 0x1.df7cc8e5fa539p-4, 0x1.e02e6fff27908p-4);
    f64_pair     t = f64_sum(0x1.5555555555555p-1, z1 * fma_f64(z2 * z2, high, low));
    t.lo += 0x1.5555555555555p-55;
    const f64_pair v = f64_pair_product(s, f64_pair_product(z, t));
    const f64_pair l = f64_sum(2 * s.hi, v.hi), n = f64_sum(k * F64_LN2_HI, l.hi);
    return f64_sum(n.hi, n.lo + (l.lo + (v.lo + fma_f64(2, s.lo, k * F64_LN2_LO))));
}

/* C's pow: e^(b log|a|), then the sign and the ends. Beyond 2^70 every b has the same effect; beyond 2^52 it is whole,
 * beyond 2^53 even. */
KT_ALWAYS double pow_f64(double a, double b)
{
    double         k;
    const double   x = fabs(a), y = fabs(b), bound = copysign(select_f64(y > 0x1p70, 0x1p70, y), b);
    const f64_pair l = f64_log_pair(x), p = f64_product(bound, l.hi);
    const f64_pair m = f64_exp_parts(p.hi, fma_f64(bound, l.lo, p.lo), F64_MAGIC_TWO, &k), s = f64_sum(1, m.hi);
    double         r = f64_ends(p.hi, f64_scaled(s.hi + (s.lo + m.lo), k), -746, 0.0, 710, INFINITY);
    r = select_f64(x == 0, select_f64(b < 0, INFINITY, 0.0), r);
    r = select_f64(x == INFINITY, select_f64(b < 0, 0.0, INFINITY), r);
    const double number = select_f64(y > 0x1p52, 0x1p52, y), half = 0.5 * select_f64(y > 0x1p53, 0x1p53, y);
    const bool   whole = (number + 0x1p52) - 0x1p52 == number, even = (half + 0x1p52) - 0x1p52 == half;
    const double turned = select_f64(whole, select_f64(even, r, -r), r), sign = copysign(1.0, a);
    const double left = select_f64(whole, turned, select_f64(a < -0x1.fffffffffffffp1023, r, NAN));
    r = select_f64(a < 0, left, select_f64(sign < 0, turned, r));
    r = select_f64(a != a, a, r);
    r = select_f64(b != b, b, r);
    r = select_f64(b == 0, 1.0, r);
    return select_f64(a == 1, 1.0, r);
}

#endif
