/* error.h - the error function of float32, and what is a share of the normal distribution: erf, erfc, gelu and its slope.
 *
 * In and out: float; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_ERROR_H
#define KT_MATH_F32_ERROR_H

#include "math/f32/exponential.h"

/* erf(a) - a = a p(a^2) up to 1: relative error of erf 2^-29.3 */
KT_ALWAYS float erf_near_f32(float a)
{
    const float z = a * a, z2 = z * z;
    const float high = (0x1.540172p-8f + z * -0x1.a3d812p-11f) + z2 * 0x1.4917a4p-14f;
    return a * ((0x1.06eba8p-3f + z * -0x1.81273ep-2f) + z2 * ((0x1.ce2cf2p-4f + z * -0x1.b7f88cp-6f) + z2 * high));
}

/* From 0.9 on it is 1 - 2^-q(a), exact to 2^-29; past 3.95 nothing of 1 is missing. */
KT_ALWAYS float erf_f32(float a)
{
    const float x = at_most_f32(fabsf(a), 4.0f), x2 = x * x;
    const float q = (0x1.d691fep-1f + x * 0x1.3364c4p-3f) + x2 * ((-0x1.0748ep-5f + x * 0x1.20e82ep-8f) + x2 * -0x1.2a4cc2p-12f);
    const exp_parts_f32 e = exp2_parts_f32_of(-2 * x, x * (0x1.7df4p-2f - x * q) - 0x1.0c7626p-12f, 127); /* 2 x is exact */
    const float         s = of_bits_f32(bits_f32(e.t) << 23), far = (1 - s) - s * (e.head + e.rest);
    return pick_f32(mask_f32(x >= 0.9f), signed_f32(far, a), a + erf_near_f32(a));
}

/* The share of a normal distribution beyond x is e^(-x^2 / 2) / d; d - sqrt(2 pi) x is this, for 0.48 <= x <= 14.8: relative
 * error of d 2^-26.2. */
KT_ALWAYS float mills_f32(float x)
{
    const float x2 = x * x;
    const float p = (0x1.fffdfcp+0f + x * 0x1.12bf26p+0f) + x2 * (0x1.28ae34p-2f + x * 0x1.2330e4p-5f);
    const float q = (1 + x * 0x1.fbdf48p-1f) + x2 * ((0x1.d75b7cp-2f + x * 0x1.d88974p-4f) + x2 * 0x1.d0d9p-7f);
    return p / q;
}

/* d in two parts, of sqrt(2 pi) x or of 2 sqrt(pi) x = sqrt(2 pi) (sqrt(2) x), and 12 bits of it. The square of x comes in two
 * parts too. */
typedef struct normal_f32 {
    exp_parts_f32 e; /* of -x^2 times `half`; times 2^64 */
    float         d, dh, dl;
} normal_f32;

KT_ALWAYS normal_f32 normal_f32_of(float x, float half, float scale, float high, float low)
{
    const float      h = head_f32(x), l = x - h, big = h * high, rest = mills_f32(x * scale) + (h * low + l * (high + low));
    const float      d = big + rest, dh = head_f32(d);
    const normal_f32 n = {exp_parts_f32_of(h * h * -half, l * (x + h) * -half, 127 + 64), d, dh, (big - dh) + rest};
    return n;
}

KT_ALWAYS float erfc_f32(float a)
{
    const float        x = at_most_f32(fabsf(a), 10.25f);
    const normal_f32   n = normal_f32_of(x, 1, 0x1.6a09e6p+0f, 0x1.c5cp+1f, -0x1.db92c4p-17f);
    const quotient_f32 y = quotient_f32_of(2, 2 * (n.e.head + n.e.rest), n.d, n.dh, n.dl);
    const float        v = (y.head + y.rest) * of_bits_f32(bits_f32(n.e.t) << 23) * 0x1p-64f;
    return pick_f32(mask_f32(x < 0.57f), (1 - a) - erf_near_f32(a), pick_f32(mask_f32(a < 0), 2 - v, v));
}

/* The share below a near 0: 1/2 + a p(a^2), relative error of p 2^-25. */
KT_ALWAYS float share_near_f32(float a)
{
    const float z = a * a, z2 = z * z;
    return 0.5f + a * ((0x1.988454p-2f + z * -0x1.1058ecp-4f) +
                       z2 * ((0x1.470452p-7f + z * -0x1.3bcd3ep-10f) + z2 * 0x1.0880b8p-13f));
}

/* a times the share below a. */
KT_ALWAYS float gelu_f32(float a)
{
    const uint32_t     below = mask_f32((int32_t)bits_f32(a) < 0), gone = mask_f32(fabsf(a) > 14.5f);
    const float        x = pick_f32(gone, 14.5f, fabsf(a));
    const normal_f32   n = normal_f32_of(x, 0.5f, 1, 0x1.40ep+1f, -0x1.b38028p-13f);
    const quotient_f32 y = quotient_f32_of(x, x * (n.e.head + n.e.rest), n.d, n.dh, n.dl);
    const float        v = (y.head + y.rest) * of_bits_f32(bits_f32(n.e.t) << 23) * 0x1p-64f;
    const float        far = pick_f32(mask_f32(a > 6.0f), a, pick_f32(below, -v, a - v));
    return pick_f32(mask_f32(x < 0.5f), a * share_near_f32(a), pick_f32(gone & below, a * 0, far));
}

/* The share below a, and a times the density there. */
KT_ALWAYS float gelu_slope_f32(float a)
{
    const uint32_t   below = mask_f32((int32_t)bits_f32(a) < 0), gone = mask_f32(fabsf(a) > 14.5f);
    const float      x = pick_f32(gone, 14.5f, fabsf(a));
    const normal_f32 n = normal_f32_of(x, 0.5f, 1, 0x1.40ep+1f, -0x1.b38028p-13f);
    const float      s = of_bits_f32((bits_f32(n.e.t) << 23) & ~gone), e = (s + s * (n.e.head + n.e.rest)) * 0x1p-64f;
    const float      beyond = e / n.d, share = pick_f32(below, beyond, 1 - beyond);
    return pick_f32(mask_f32(x < 0.5f), share_near_f32(a), share) + a * (e * 0x1.988454p-2f);
}

#endif
