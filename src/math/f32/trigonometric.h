/* trigonometric.h - sin and cos of float32, and the arc of an angle; pieces.h has tan.
 *
 * In and out: float; bounds.def says how exact. x = quadrant * pi/2 + hi - less, where |hi| < 0.8 and less is below its last
 * bit; then polynomials, to which it is added in first order. sin_near_f32 and the like hold up to 2^13, with the bits
 * of sin_f32. pi/2 comes in parts, as in W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980).
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_TRIGONOMETRIC_H
#define KT_MATH_F32_TRIGONOMETRIC_H

#include "math/f32/bits.h"
#include "math/f64/base.h"
#include "math/fma.h"

KT_ALWAYS uint32_t trig_beyond_f32(float a) { return beyond_f32(a, 0x46000001u); }

typedef struct arc_f32 {
    float    hi, less;
    uint32_t quadrant; /* its last two bits */
} arc_f32;

/* |x| <= 2^13, so that k has 13 bits. pi/2 in three parts, the second so short that hi - r is exact; so is r, a multiple of 2^-24
 * below 1. The last product errs by 2^-50. A zero keeps its sign in hi, and less is a positive one. */
KT_ALWAYS arc_f32 arc_near_f32(float x)
{
    const float   t = fma_f32(x, 0x1.45f306p-1f, 0x1.8p23f), k = t - 0x1.8p23f;
    const float   r = fma_f32(k, -0x1.921fb4p0f, x), hi = fma_f32(k, -0x1.444p-24f, r);
    const arc_f32 arc = {hi, fma_f32(k, 0x1.68c234p-39f, fma_f32(k, 0x1.444p-24f, hi - r)), bits_f32(t)};
    return arc;
}

/* ---- every x ---- */

/* One of five numbers, by the size of x. */
KT_ALWAYS double of_size_f64(double x, double a, double b, double c, double d, double e)
{
    double y = select_f64(x >= 0x1p46, b, a);
    y = select_f64(x >= 0x1p67, c, y);
    y = select_f64(x >= 0x1p88, d, y);
    return select_f64(x >= 0x1p109, e, y);
}

/* Where x is a multiple of 2^n, what 2/pi has from 4 * 2^-n on makes whole turns: the rest of 2/pi, for five ranges of x, in two
 * parts. The product with x has at most 46 bits before the point, and errs by 2^-61. */
KT_ALWAYS arc_f32 arc_far_f32(float x)
{
    const double   y = (double)x, size = fabs(y);
    const double   high = of_size_f64(size, 0x1.45f306dc9c883p-1, 0x1.b727220a94fe1p-23, 0x1.054a7f09d5f48p-46,
                                      -0x1.ec54170565912p-71, 0x1.f47d4d377036ep-86);
    const double   low = of_size_f64(size, -0x1.6b01ec5417056p-55, 0x1.d5f47d4d37703p-78, -0x1.596447e493ad5p-101,
                                     0x1.b6c52b3278872p-129, -0x1.d6a66c3bc6fbep-140);
    const double   t = y * high + F64_MAGIC, part = fma_f64(y, low, fma_f64(y, high, -(t - F64_MAGIC)));
    const double   r = part * 0x1.921fb54442d18p0;
    const float    hi = (float)r;
    const arc_f32  arc = {hi, (float)((double)hi - r), (uint32_t)f64_bits(t)};
    return arc;
}

KT_ALWAYS arc_f32 arc_of_f32(float x)
{
    const arc_f32  near = arc_near_f32(x), far = arc_far_f32(x);
    const uint32_t within = (trig_beyond_f32(x) >> 31) - 1, endless = mask_f32(size_f32(x) >= 0x7f800000u);
    const arc_f32  arc = {pick_f32(endless, x - x, pick_f32(within, near.hi, far.hi)), pick_f32(within, near.less, far.less),
                          (near.quadrant & within) | (far.quadrant & ~within)};
    return arc;
}

/* ---- of the arc ---- */

/* sin r = r + r z p(z), cos r = 1 - z/2 + z^2 q(z), of z = r^2: relative errors 2^-27.9 and 2^-33. The sine, with turn 1 the
 * cosine; that of a zero has its sign. */
KT_ALWAYS float sin_of_f32(arc_f32 arc, uint32_t turn)
{
    const float    r = arc.hi, z = r * r, w = fma_f32(z, -0.5f, 1), w_lo = fma_f32(z, -0.5f, 1 - w);
    const float    p = fma_f32(fma_f32(z, 0x1.9952e2p-13f, -0x1.110776p-7f), z, 0x1.555546p-3f);
    const float    q = fma_f32(fma_f32(z, 0x1.99e8f6p-16f, -0x1.6c0c2ap-10f), z, 0x1.55554ap-5f);
    const float    s = r - fma_f32(r * z, p, arc.less), c = w + fma_f32(z * z, q, fma_f32(r, arc.less, w_lo));
    const uint32_t quadrant = arc.quadrant + turn;
    return of_bits_f32(bits_f32(pick_f32(0 - (quadrant & 1), c, s)) ^ (quadrant & 2) << 30);
}

/* ---- the functions ---- */
KT_ALWAYS float sin_f32(float a) { return sin_of_f32(arc_of_f32(a), 0); }
KT_ALWAYS float cos_f32(float a) { return sin_of_f32(arc_of_f32(a), 1); }

KT_ALWAYS float sin_near_f32(float a) { return sin_of_f32(arc_near_f32(a), 0); }
KT_ALWAYS float cos_near_f32(float a) { return sin_of_f32(arc_near_f32(a), 1); }

KT_ALWAYS uint32_t sin_beyond_f32(float a) { return trig_beyond_f32(a); }
KT_ALWAYS uint32_t cos_beyond_f32(float a) { return trig_beyond_f32(a); }

#endif
