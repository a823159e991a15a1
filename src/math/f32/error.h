/* error.h - the error function of float32, and what is a share of the normal distribution: erf, erfc, gelu and its slope.
 *
 * In and out: float; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_ERROR_H
#define KT_MATH_F32_ERROR_H

#include "math/f32/exponential.h"

/* erf(a) = a + a p(a^2) up to 0.9: relative error 2^-26 */
KT_ALWAYS float erf_small_f32(float a)
{
    const float z = a * a, z2 = z * z;
    const float high = fma_f32(z2, fma_f32(z, -0x1.3fc37ap-11f, 0x1.4890acp-8f), fma_f32(z, -0x1.b6c27ep-6f, 0x1.ce1df4p-4f));
    return fma_f32(z2, high, fma_f32(z, -0x1.8126f8p-2f, 0x1.06eba6p-3f));
}

/* From 0.9 on it is 1 - 2^-q(a), exact to 2^-29; past 3.95 nothing of 1 is missing. */
KT_ALWAYS float erf_f32(float a)
{
    const float x = abs_at_most_f32(a, 0x40800000u), x2 = x * x;
    const float high = fma_f32(x2, -0x1.2a4cc2p-12f, fma_f32(x, 0x1.20e82ep-8f, -0x1.0748ep-5f));
    const float q = fma_f32(x2, high, fma_f32(x, 0x1.3364c4p-3f, 0x1.d691fep-1f));
    const float less = fma_f32(x2, q, fma_f32(x, -0x1.7df4p-2f, 0x1.0c7626p-12f)); /* of -2 x, which is exact */
    const exp_parts_f32 e = exp2_parts_f32_of(-2 * x, less, 127);
    const float         s = of_bits_f32(bits_f32(e.t) << 23), far = fma_f32(-s, e.head - e.less, 1 - s);
    return pick_f32(mask_f32(fabsf(a) >= 0.9f), signed_f32(far, a), fma_f32(a, erf_small_f32(a), a));
}

/* The share of a normal distribution beyond x is e^(-x^2 / 2) / d, where d = 2 x + p / q. */
typedef struct ratio_f32 {
    float p, q;
} ratio_f32;

/* x from 0.55 to 14.5: relative error of d 2^-27.6 */
KT_ALWAYS ratio_f32 normal_ratio_f32(float x)
{
    const float x2 = x * x;
    const float p_high = fma_f32(x2, fma_f32(x, 0x1.56ef1ap-8f, 0x1.841da2p-5f), fma_f32(x, 0x1.d42976p-3f, 0x1.67aef4p-1f));
    const float q_high = fma_f32(x2, fma_f32(x, 0x1.52747ap-7f, 0x1.7efb6cp-4f), fma_f32(x, 0x1.9a1012p-2f, 0x1.d6776cp-1f));
    const ratio_f32 r = {fma_f32(x, fma_f32(x, p_high, 0x1.6f000cp+0f), 0x1.ffff62p+0f), fma_f32(x, q_high, 1)};
    return r;
}

/* Of x * sqrt(2), where d = 4 x + p / q; x from 0.5 to 10.25: 2^-26.7 */
KT_ALWAYS ratio_f32 erfc_ratio_f32(float x)
{
    const float x2 = x * x;
    const float p_high = fma_f32(x2, fma_f32(x, -0x1.4727b8p-6f, -0x1.ff125p-4f), fma_f32(x, -0x1.2ebee8p-2f, -0x1.ba143p-4f));
    const float q_high = fma_f32(x2, fma_f32(x, 0x1.676da8p-5f, 0x1.18cddp-2f), fma_f32(x, 0x1.a3a0d2p-1f, 0x1.50b8c6p+0f));
    const ratio_f32 r = {fma_f32(x, fma_f32(x, p_high, 0x1.c66fdep-1f), 0x1.fffeaap+0f), fma_f32(x, q_high, 1)};
    return r;
}

/* 1 / d or x / d for d = c x + p / q, which is q or x q over c x q + p; c is a power of two */
KT_ALWAYS quotient_f32 over_d_f32(float x, float c, ratio_f32 r, bool times_x)
{
    const float n = x * r.q, lost = fma_f32(-x, r.q, n), most = c * n, d = most + r.p;
    const float rest = fma_f32(-c, lost, r.p - (d - most));
    return times_x ? quotient_f32_of(n, lost, d, rest) : quotient_f32_of(r.q, 0, d, rest);
}

/* e^x y, where e has 2^64 times that of x */
KT_ALWAYS float exp_times_f32(exp_parts_f32 e, quotient_f32 y)
{
    const float rest = fma_f32(-y.head, e.less, fma_f32(y.rest, e.head, y.rest)), sum = y.head + fma_f32(y.head, e.head, rest);
    return sum * of_bits_f32(bits_f32(e.t) << 23) * 0x1p-64f;
}

/* e^(x y), times 2^64 */
KT_ALWAYS exp_parts_f32 exp_product_f32(float x, float y)
{
    const float xy = x * y;
    return exp_parts_f32_of(xy, -fma_f32(-x, y, xy), 127 + 64);
}

KT_ALWAYS float erfc_f32(float a)
{
    const float x = abs_at_most_f32(a, 0x41240000u); /* 10.25 */
    const float v = 2 * exp_times_f32(exp_product_f32(-x, x), over_d_f32(x, 4, erfc_ratio_f32(x), false));
    const float far = pick_f32(sign_mask_f32(a), 2 - v, v);
    return pick_f32(mask_f32(fabsf(a) >= 0.57f), far, fma_f32(-a, erf_small_f32(a), 1 - a));
}

/* a times the share below a: near 0 a / 2 + a^2 p(a^2), relative error of p 2^-25. */
KT_ALWAYS float gelu_f32(float a)
{
    const float    z = a * a, z2 = z * z, high = fma_f32(z2, 0x1.f37228p-14f, fma_f32(z, -0x1.396cf8p-10f, 0x1.46e94cp-7f));
    const float    near = fma_f32(z, fma_f32(z2, high, fma_f32(z, -0x1.105898p-4f, 0x1.988454p-2f)), 0.5f * a);
    const uint32_t is_near = mask_f32(bits_f32(fabsf(a)) - 1 < 0x3f19999au); /* up to 0.6, but not 0, which keeps its sign */
    const float    x = abs_at_most_f32(a, 0x41680000u);                      /* 14.5 */
    const float    beyond = exp_times_f32(exp_product_f32(-0.5f * x, x), over_d_f32(x, 2, normal_ratio_f32(x), true));
    return pick_f32(is_near, near, pick_f32(sign_mask_f32(a), a * 0, a) - beyond);
}

/* The share below a, and a times the density there. */
KT_ALWAYS float gelu_slope_f32(float a)
{
    const float        z = a * a, z2 = z * z;
    const float        high = fma_f32(z2, 0x1.1dc768p-10f, fma_f32(z, -0x1.372ec6p-7f, 0x1.ea40fep-5f));
    const float        near = fma_f32(a, fma_f32(z2, high, fma_f32(z, -0x1.105864p-2f, 0x1.988454p-1f)), 0.5f);
    const float        x = abs_at_most_f32(a, 0x41700000u); /* 15 */
    const quotient_f32 y = over_d_f32(x, 2, normal_ratio_f32(x), false);
    const quotient_f32 part = {fma_f32(x, -0x1.988454p-2f, y.head), y.rest};
    const float        beyond = exp_times_f32(exp_product_f32(-0.5f * x, x), part);
    const float        far = pick_f32(sign_mask_f32(a), beyond, 1 - beyond);
    return pick_f32(mask_f32(fabsf(a) < 0.6f), near, fma_f32(fabsf(a), 0, far)); /* infinity times the density 0 is NaN */
}

#endif
