/* trigonometric.h - sin and cos of float64, and the arc of an angle; pieces.h has tan. See base.h. */
#ifndef KT_MATH_F64_TRIGONOMETRIC_H
#define KT_MATH_F64_TRIGONOMETRIC_H

#include "math/f64/base.h"

typedef struct f64_angle {
    double   hi, less; /* the arc is hi - less. A zero keeps its sign in hi, and less is a positive one. */
    uint64_t count;    /* of the arcs taken off, quarters of a turn or others: its last bits */
} f64_angle;

/* x minus the nearest multiple of pi/2. Exact to 2^-115, while |x| < F64_TRIG_MAX: pi/2 in three parts. The multiple of the
 * first is a multiple of 2^-52, and so is the difference, which therefore is exact. The second is so short that its multiple is
 * exact. */
#define F64_TRIG_MAX 0x1p22
KT_ALWAYS f64_angle f64_reduce(double x)
{
    const double t = fma_f64(x, 0x1.45f306dc9c883p-1, F64_MAGIC), k = t - F64_MAGIC, near = fma_f64(k, -0x1.921fb54442d18p0, x);
    const double second = k * 0x1.1a62633p-54, hi = near - second;
    const f64_angle angle = {hi, fma_f64(k, 0x1.45c06e0e68948p-86, second - (near - hi)), f64_bits(t)};
    return angle;
}

/* (r - sin r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 of z = r^2, |r| <= pi/4; the errors are 2^-61 and 2^-60 */
KT_ALWAYS double f64_sin_tail(double z, double z2)
{
    const double low = f64_p4(z, z2, 0x1.5555555555555p-3, -0x1.111111111101fp-7, 0x1.a01a019fe8de3p-13, -0x1.71de3a10d6dd4p-19);
    return fma_f64(z2 * z2, f64_p3(z, z2, 0x1.ae63f8fdc7108p-26, -0x1.60e684b29aa41p-33, 0x1.8db5a790f3403p-41), low);
}
KT_ALWAYS double f64_cos_tail(double z, double z2)
{
    const double low = f64_p4(z, z2, 0x1.5555555555555p-5, -0x1.6c16c16c168cap-10, 0x1.a01a019f3838fp-16, -0x1.27e4fa02e3bf8p-22);
    return fma_f64(z2 * z2, f64_p2(z, 0x1.1eeb57d2ffc1cp-29, -0x1.9073853122174p-37), low);
}

KT_ALWAYS double f64_sin_near(f64_angle r)
{
    const double z = r.hi * r.hi;
    return r.hi - fma_f64(r.hi * z, f64_sin_tail(z, z * z), r.less);
}
KT_ALWAYS double f64_cos_near(f64_angle r)
{
    const double z = r.hi * r.hi, z2 = z * z, c = fma_f64(-0.5, z, 1);
    return c + fma_f64(z2, f64_cos_tail(z, z2), fma_f64(r.hi, r.less, fma_f64(-0.5, z, 1 - c)));
}

/* The sine, or with turn 1 the cosine; that of a zero has its sign. */
KT_ALWAYS double f64_sin_in(f64_angle r, uint64_t turn)
{
    const uint64_t q = r.count + turn;
    return f64_of(f64_bits(select_f64((q & 1) != 0, f64_cos_near(r), f64_sin_near(r))) ^ ((q << 62) & F64_SIGN));
}

KT_ALWAYS double sin_near_f64(double a) { return f64_sin_in(f64_reduce(a), 0); }
KT_ALWAYS double cos_near_f64(double a) { return f64_sin_in(f64_reduce(a), 1); }

#endif
