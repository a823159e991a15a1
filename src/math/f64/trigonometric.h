/* trigonometric.h - sin, cos, tan of float64. See base.h. */
#ifndef KT_MATH_F64_TRIGONOMETRIC_H
#define KT_MATH_F64_TRIGONOMETRIC_H

#include "math/f64/base.h"

/* x minus the nearest multiple of pi/2, whose number is *quadrant. Exact to 2^-125, while |x| < F64_TRIG_MAX: pi/2 in three
 * parts. The multiple of the first is a multiple of 2^-52, and so is the difference, which therefore is exact. */
#define F64_TRIG_MAX 0x1p30
KT_ALWAYS f64_pair f64_reduce(double x, uint64_t *quadrant)
{
    const double t = fma_f64(x, 0x1.45f306dc9c883p-1, F64_MAGIC), k = t - F64_MAGIC, near = fma_f64(k, -0x1.921fb54442d18p0, x);
    f64_pair     r;
    r.hi = fma_f64(k, -0x1.1a62633145c07p-54, near);
    r.lo = fma_f64(k, 0x1.f1976b7ed8fbcp-110, fma_f64(k, -0x1.1a62633145c07p-54, near - r.hi));
    *quadrant = f64_bits(t);
    return r;
}

/* (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 of z = r^2, |r| <= pi/4; the errors are 2^-61 and 2^-60 */
KT_ALWAYS double f64_sin_tail(double z, double z2)
{
    const double low = f64_p4(z, z2, -0x1.5555555555555p-3, 0x1.111111111101fp-7, -0x1.a01a019fe8de3p-13, 0x1.71de3a10d6dd4p-19);
    return fma_f64(z2 * z2, f64_p3(z, z2, -0x1.ae63f8fdc7108p-26, 0x1.60e684b29aa41p-33, -0x1.8db5a790f3403p-41), low);
}
KT_ALWAYS double f64_cos_tail(double z, double z2)
{
    const double low = f64_p4(z, z2, 0x1.5555555555555p-5, -0x1.6c16c16c168cap-10, 0x1.a01a019f3838fp-16, -0x1.27e4fa02e3bf8p-22);
    return fma_f64(z2 * z2, f64_p2(z, 0x1.1eeb57d2ffc1cp-29, -0x1.9073853122174p-37), low);
}

KT_ALWAYS double f64_sin_near(f64_pair r)
{
    const double z = r.hi * r.hi;
    return r.hi + fma_f64(r.hi * z, f64_sin_tail(z, z * z), fma_f64(-0.5 * z, r.lo, r.lo));
}
KT_ALWAYS double f64_cos_near(f64_pair r)
{
    const double z = r.hi * r.hi, z2 = z * z, c = fma_f64(-0.5, z, 1);
    return c + fma_f64(z2, f64_cos_tail(z, z2), fma_f64(-r.hi, r.lo, fma_f64(-0.5, z, 1 - c)));
}

/* The sine, or with turn 1 the cosine, of r in that quadrant. */
KT_ALWAYS double f64_sin_in(f64_pair r, uint64_t quadrant, uint64_t turn)
{
    const uint64_t q = quadrant + turn, odd = (uint64_t)(int64_t)-(int32_t)((uint32_t)q & 1);
    return f64_of(f64_bits(f64_masked(odd, f64_cos_near(r), f64_sin_near(r))) ^ ((q & 2) << 62));
}

KT_ALWAYS double sin_near_f64(double a)
{
    uint64_t       q;
    const f64_pair r = f64_reduce(a, &q);
    return select_f64(a == 0, a, f64_sin_in(r, q, 0));
}

KT_ALWAYS double cos_near_f64(double a)
{
    uint64_t       q;
    const f64_pair r = f64_reduce(a, &q);
    return f64_sin_in(r, q, 1);
}

/* Sine and cosine as pairs, then their quotient; in odd quadrants it is -cos / sin. */
KT_ALWAYS double f64_tan_in(f64_pair r, uint64_t quadrant)
{
    const f64_pair z = f64_product(r.hi, r.hi);
    const double   z2 = z.hi * z.hi, one = fma_f64(-0.5, z.hi, 1), lost = fma_f64(-0.5, z.hi, 1 - one);
    const f64_pair s = f64_sum(r.hi, fma_f64(r.hi * z.hi, f64_sin_tail(z.hi, z2), fma_f64(-0.5 * z.hi, r.lo, r.lo)));
    const f64_pair c = f64_sum(one, fma_f64(z2, f64_cos_tail(z.hi, z2), lost - fma_f64(r.hi, r.lo, 0.5 * z.lo)));
    const uint64_t odd = UINT64_C(0) - (quadrant & 1);
    f64_pair       n, d;
    n.hi = f64_masked(odd, c.hi, s.hi);
    n.lo = f64_masked(odd, c.lo, s.lo);
    d.hi = f64_masked(odd, s.hi, c.hi);
    d.lo = f64_masked(odd, s.lo, c.lo);
    const f64_pair q = f64_quotient(n, d);
    return f64_of(f64_bits(q.hi + q.lo) ^ (quadrant << 63));
}

KT_ALWAYS double tan_near_f64(double a)
{
    uint64_t       q;
    const f64_pair r = f64_reduce(a, &q);
    return select_f64(fabs(a) < 0x1p-27, a, f64_tan_in(r, q));
}

#endif
