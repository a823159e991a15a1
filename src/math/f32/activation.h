/* activation.h - activation functions of float32 that a plain expression would calculate less exactly: gelu by tanh, mish.
 *
 * In and out: float; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_ACTIVATION_H
#define KT_MATH_F32_ACTIVATION_H

#include "math/f32/exponential.h"

/* a * sigmoid(a (c + d a^2)). An error of the inner function is one of the result's logarithm, so that it comes in two parts:
 * each product is one of 12 bits by 12, which is exact, and a rest. */
KT_ALWAYS float gelu_tanh_f32(float a)
{
    const float x = at_most_f32(at_least_f32(a, -12.0f), 12.0f), h = head_f32(x), l = x - h;
    const float z = head_f32(x * x), zl = (h * h - z) + l * (x + h);
    const float c = 0x1.988454p+0f, p = z * 0x1.244p-4f, v = c + p, most = v - c;
    const float vl = ((c - (v - most)) + (p - most)) + (-0x1.857936p-25f + (z * 0x1.3ca936p-18f + zl * 0x1.2444f2p-4f));
    const float vh = head_f32(v), high = h * vh, low = (h * (v - vh) + l * v) + x * vl;
    const quotient_f32 s = sigmoid_parts_f32(high, of_bits_f32(bits_f32(low) ^ (~bits_f32(a) & 0x80000000u)));
    const float        r = (h * s.head + (l * s.head + x * s.rest)) * 0x1p-64f;
    const uint32_t     beyond = mask_f32(fabsf(a) >= 12.0f);
    return pick_f32(beyond, pick_f32(mask_f32(a > 0), a, a * 0), signed_f32(r, a));
}

/* tanh(log(1 + n)) of n = e^a is n (n + 2) / (n (n + 2) + 2): of e = e^-|a| below 0, above it (1 + 2 e) / (1 + 2 e + 2 e^2). */
KT_ALWAYS float mish_f32(float a)
{
    const float         x = minus_abs_f32(a);
    const uint32_t      gone = mask_f32(x < -110.0f), below = mask_f32((int32_t)bits_f32(a) < 0);
    const exp_parts_f32 p = exp_parts_f32_of(pick_f32(gone, -110.0f, x), 0, 127 + 64);
    const float         s = of_bits_f32((bits_f32(p.t) << 23) & ~gone), sw = s * (p.head + p.rest), scaled = s + sw;
    const float         e = scaled * 0x1p-64f, twice = 2 * e, square = pick_f32(below, e, twice) * e;
    const float         one = pick_f32(below, 2.0f, 1.0f), d = (one + twice) + square, dh = head_f32(d);
    const float         high = pick_f32(below, 2 * s, 0x1p64f), low = pick_f32(below, 2 * sw + scaled * e, 2 * scaled);
    const quotient_f32  q = quotient_f32_of(high, low, d, dh, ((one - dh) + twice) + square);
    const float         h = head_f32(a), r = (h * q.head + ((a - h) * q.head + a * q.rest)) * 0x1p-64f;
    return pick_f32(mask_f32(a > 20.0f), a, signed_f32(r, a));
}

#endif
