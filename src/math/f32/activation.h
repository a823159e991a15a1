/* activation.h - activation functions of float32 that a plain expression would calculate less exactly: gelu by tanh, mish.
 *
 * In and out: float; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_ACTIVATION_H
#define KT_MATH_F32_ACTIVATION_H

#include "math/f32/exponential.h"

/* 2^-64 (1 + e^-u) of u = x (c + d x^2), -11 <= x <= 7. An error of u is one of the result's logarithm, so that u comes in two
 * parts. This c lacks its low bits, so that v - c is exact. */
KT_ALWAYS divisor_f32 gelu_tanh_divisor_f32(float x)
{
    const float z = x * x, zl = fma_f32(x, x, -z);
    const float c = 0x1.9884p+0f, v = fma_f32(z, 0x1.2444f2p-4f, c), vl = fma_f32(z, 0x1.2444f2p-4f, c - v);
    const float rest = vl + fma_f32(zl, 0x1.2444f2p-4f, fma_f32(z, 0x1.49b16ap-29f, 0x1.4cf50ep-18f));
    const float u = x * v, ul = fma_f32(x, rest, fma_f32(x, v, -u));
    return one_plus_exp_f32(-u, -ul, 0x1p-64f, 127 - 64);
}

KT_ALWAYS float gelu_tanh_share_f32(float a)
{
    return one_over_f32(gelu_tanh_divisor_f32(at_most_f32(at_least_f32(a, -11.0f), 7.0f))) * 0x1p-64f;
}

/* a times that share. From 7 on nothing of a is missing, below -11 nothing of it is left. */
KT_ALWAYS float gelu_tanh_f32(float a)
{
    const divisor_f32 by = gelu_tanh_divisor_f32(at_most_f32(at_least_f32(a, -11.0f), 7.0f));
    const float       r = divided_f32(a, by, inverse_f32(by.d)) * 0x1p-64f, far = pick_f32(mask_f32(a < -11.0f), a * 0, a);
    return pick_f32(mask_f32(a < -11.0f || a >= 7.0f), far, signed_f32(r, a));
}

/* tanh(log(1 + n)) of n = e^a is n (n + 2) / (n (n + 2) + 2): of e = e^-|a| below 0, above it (1 + 2 e) / (1 + 2 e + 2 e^2). */
KT_ALWAYS float mish_f32(float a)
{
    const uint32_t     below = sign_mask_f32(a);
    const exp_sum_f32  p = exp_minus_abs_f32(a, 0);
    const float        e = p.sum * 0x1p-64f, one = pick_f32(below, 2.0f, 1.0f), most = fma_f32(2, e, one);
    const float        times = pick_f32(below, e, e + e), d = fma_f32(times, e, most);
    const float        rest = fma_f32(times, e, most - d) + fma_f32(2, e, one - most);
    const float        high = pick_f32(below, 2 * p.sum, 0x1p64f), lost = only_f32(below, -2 * p.lost);
    const float        more = fma_f32(pick_f32(below, e, 2.0f), p.sum, lost), n = high + more;
    const quotient_f32 q = quotient_f32_of(n, (n - high) - more, d, rest);
    return pick_f32(mask_f32(a > 20.0f), a, signed_f32(times_quotient_f32(a, q), a));
}

#endif
