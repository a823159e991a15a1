/* trigonometric.h - sin, cos and tan of float32.
 *
 * In and out: float; bounds.def says how exact. x = quadrant * pi/2 + hi + lo, where |hi| < 0.787 and lo is below its last
 * bit; then polynomials, to which lo is added in first order. sin_f32 and the like hold up to TRIG_REACH_F32, sin_far_f32 for
 * every x and with the same bits where both do. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_TRIGONOMETRIC_H
#define KT_MATH_F32_TRIGONOMETRIC_H

#include "math/f32/bits.h"

#define TRIG_REACH_F32 0x1p13f

/* Its sign bit: is |a| greater than that, or NaN? */
KT_ALWAYS uint32_t beyond_f32(float a) { return size_f32(a) + (0x80000000u - 0x46000001u); }

typedef struct arc_f32 {
    float    hi, lo;
    uint32_t quadrant; /* its last two bits */
} arc_f32;

/* |x| <= 2^13, so that k has 13 bits. pi/2 in four parts: the first three have so few bits that their products with k are
 * exact, and so is r, a multiple of 2^-24 below 1. The last product errs by 2^-49, and no float32 of this range lies so near
 * to a multiple of pi/2 that this were a quarter of its last bit. */
KT_ALWAYS arc_f32 arc_near_f32(float x)
{
    const float   t = x * 0x1.45f306p-1f + 0x1.8p23f, k = t - 0x1.8p23f, r = (x - k * 0x1.922p0f) - k * -0x1.28p-18f;
    const float   third = k * -0x1.778p-25f, hi = r - third;
    const arc_f32 arc = {hi, ((r - hi) - third) - k * 0x1.68c234p-39f, bits_f32(t)};
    return arc;
}

/* ---- every x: Payne and Hanek's reduction ---- */

/* The at-th of five words. */
KT_ALWAYS uint32_t word_u32(uint32_t at, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
    uint32_t word = at < 1 ? a : b;
    word = at < 2 ? word : c;
    word = at < 3 ? word : d;
    return at < 4 ? word : e;
}

/* |x| >= 2^-7. x is m * 2^e with an integer m; of 2/pi those 96 bits count whose product with x lies below 4 and above 2^-70. The
 * product, as a fraction of four quadrants: 64 bits, of which the last two err. */
KT_ALWAYS arc_f32 arc_far_f32(float x)
{
    /* 2/pi after 32 zeros */
    const uint32_t p0 = 0xa2f9836eu, p1 = 0x4e441529u, p2 = 0xfc2757d1u, p3 = 0xf534ddc0u, p4 = 0xdb629599u, p5 = 0x3c439041u,
                   p6 = 0xfe5163abu;
    const uint32_t u = bits_f32(x), m = (u & 0x7fffffu) | 0x800000u;
    const uint32_t first = (u >> 23 & 0xff) - 120, at = first >> 5, by = first & 31;
    const uint32_t a = word_u32(at, 0, p0, p1, p2, p3), b = word_u32(at, p0, p1, p2, p3, p4);
    const uint32_t c = word_u32(at, p1, p2, p3, p4, p5), d = word_u32(at, p2, p3, p4, p5, p6);
    const uint32_t high = a << by | b >> 1 >> (31 - by), middle = b << by | c >> 1 >> (31 - by);
    const uint32_t low = c << by | d >> 1 >> (31 - by);
    const uint64_t turns = ((uint64_t)(m * high) << 32) + (uint64_t)m * middle + ((uint64_t)m * low >> 32);
    const uint64_t quadrant = (turns + (UINT64_C(1) << 61)) >> 62, rest = turns - (quadrant << 62);
    /* The rest is signed. Halves of it are converted, since few processors convert 64 bits. */
    const double   upper = (double)(int32_t)(uint32_t)(rest >> 31), lower = (double)(int32_t)(uint32_t)(rest & 0x7fffffffu);
    const double   r = (upper * 0x1p31 + lower) * 0x1.921fb54442d18p-62;
    const float    hi = (float)r, lo = (float)(r - (double)hi);
    const uint32_t minus = 0 - (u >> 31);
    const arc_f32  arc = {flipped_f32(minus, hi), flipped_f32(minus, lo), ((uint32_t)quadrant ^ minus) - minus};
    return arc;
}

KT_ALWAYS arc_f32 arc_of_f32(float x)
{
    const arc_f32  near = arc_near_f32(x), far = arc_far_f32(x);
    const uint32_t size = size_f32(x), within = (beyond_f32(x) >> 31) - 1, endless = mask_f32(size >= 0x7f800000u);
    const arc_f32  arc = {pick_f32(endless, x - x, pick_f32(within, near.hi, far.hi)), pick_f32(within, near.lo, far.lo),
                          (near.quadrant & within) | (far.quadrant & ~within)};
    return arc;
}

/* ---- of the arc ---- */

/* sin r = r + r z p(z), cos r = 1 - z/2 + z^2 q(z), of z = r^2: relative errors 2^-27.9 and 2^-29.8 */
KT_ALWAYS float sin_rest_f32(float z) { return z * (-0x1.555546p-3f + z * (0x1.110776p-7f + z * -0x1.9952dap-13f)); }
KT_ALWAYS float cos_rest_f32(float z) { return (z * z) * (0x1.555554p-5f + z * (-0x1.6c1298p-10f + z * 0x1.9bc3b4p-16f)); }

/* The sine, with turn 1 the cosine. */
KT_ALWAYS float sin_of_f32(arc_f32 arc, uint32_t turn)
{
    const float    r = arc.hi, z = r * r, half = 0.5f * z, w = 1 - half;
    const float    s = r + (arc.lo + r * sin_rest_f32(z)), c = w + (((1 - w) - half) + (cos_rest_f32(z) - r * arc.lo));
    const uint32_t q = arc.quadrant + turn;
    return of_bits_f32(bits_f32(pick_f32(0 - (q & 1), c, s)) ^ (q & 2) << 30);
}

/* Sine and cosine as sums of two numbers, z too; 12 bits of their quotient, and what is missing, from the exact remainder. */
KT_ALWAYS float tan_of_f32(arc_f32 arc)
{
    const float    r = arc.hi, rh = head_f32(r), zh = rh * rh, zl = (r - rh) * (r + rh), z = zh + zl;
    const float    half = 0.5f * zh, w = 1 - half;
    const float    ds = arc.lo * w + r * sin_rest_f32(z), dc = ((1 - w) - half) + (cos_rest_f32(z) - (r * arc.lo + 0.5f * zl));
    const float    s = r + ds, sl = (r - s) + ds, c = w + dc, cl = (w - c) + dc;
    const uint32_t odd = 0 - (arc.quadrant & 1);
    const float    n = pick_f32(odd, -c, s), nl = pick_f32(odd, -cl, sl), d = pick_f32(odd, s, c), dl = pick_f32(odd, sl, cl);
    const float    over = 1 / d, q = head_f32(n * over), dh = head_f32(d);
    return q + (((n - q * dh) - q * ((d - dh) + dl)) + nl) * over;
}

/* ---- the functions; the zero of sin and tan keeps its sign ---- */
KT_ALWAYS float sin_f32(float a) { return pick_f32(mask_f32(a == 0), a, sin_of_f32(arc_near_f32(a), 0)); }
KT_ALWAYS float cos_f32(float a) { return sin_of_f32(arc_near_f32(a), 1); }
KT_ALWAYS float tan_f32(float a) { return pick_f32(mask_f32(a == 0), a, tan_of_f32(arc_near_f32(a))); }

KT_ALWAYS float sin_far_f32(float a) { return pick_f32(mask_f32(a == 0), a, sin_of_f32(arc_of_f32(a), 0)); }
KT_ALWAYS float cos_far_f32(float a) { return sin_of_f32(arc_of_f32(a), 1); }
KT_ALWAYS float tan_far_f32(float a) { return pick_f32(mask_f32(a == 0), a, tan_of_f32(arc_of_f32(a))); }

#endif
