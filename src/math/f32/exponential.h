/* exponential.h - exponentials of float32, and what is a quotient of them: sigmoid, silu, tanh.
 *
 * In and out: float; bounds.def says how exact. e^x is 2^k (1 + w) with |w| < 0.42: that sum is the one large rounding, w comes
 * as a head, which is exact, and a rest. A quotient is one division: 12 bits of it, and the remainder, which is added exactly.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_EXPONENTIAL_H
#define KT_MATH_F32_EXPONENTIAL_H

#include "math/f32/bits.h"

/* Adding it to a number below 2^22 leaves the nearest integer in the low bits, plus what it says. */
#define ROUND_F32(plus) (0x1.8p23f + (plus))

/* e^x = 2^k (1 + head + rest); t holds k as ROUND_F32(plus) left it. */
typedef struct exp_parts_f32 {
    float head, rest, t;
} exp_parts_f32;

/* Of x + more, |x| < 150. e^r = 1 + r + r^2 p(r) for |r| < 0.3468: relative error 2^-28.2. */
KT_ALWAYS exp_parts_f32 exp_parts_f32_of(float x, float more, float plus)
{
    const float t = (x + more) * 0x1.715476p0f + ROUND_F32(plus), k = t - ROUND_F32(plus), low = k * 0x1.7f7d1cp-20f - more;
    const float head = x - k * 0x1.62e4p-1f, r = head - low, r2 = r * r;
    const float p = (0x1.fffffcp-2f + r * 0x1.55549p-3f) + r2 * ((0x1.55589ep-5f + r * 0x1.123abcp-7f) + r2 * 0x1.6a624cp-10f);
    const exp_parts_f32 e = {head, r2 * p - low, t};
    return e;
}

/* x * 2^k, where t holds k + 254, and k may be that of a subnormal number or 128: two factors. */
KT_ALWAYS float scaled_f32(float x, float t)
{
    const uint32_t n = bits_f32(t), half = n >> 1;
    return x * of_bits_f32(half << 23) * of_bits_f32((n - half) << 23);
}

KT_ALWAYS float exp_f32(float a)
{
    const exp_parts_f32 e = exp_parts_f32_of(at_most_f32(at_least_f32(a, -104.0f), 89.0f), 0, 254);
    return scaled_f32(1 + (e.head + e.rest), e.t);
}

/* 2^r = 1 + r + r p(r) for |r| <= 1/2: relative error 2^-28.4. */
KT_ALWAYS exp_parts_f32 exp2_parts_f32_of(float x, float more, float plus)
{
    const float t = (x + more) + ROUND_F32(plus), r = (x - (t - ROUND_F32(plus))) + more, r2 = r * r;
    const float p = (-0x1.3a379ep-2f + r * 0x1.ebfbdep-3f) +
                    r2 * ((0x1.c6aea8p-5f + r * 0x1.3b2becp-7f) + r2 * (0x1.5f5564p-10f + r * 0x1.42f4a8p-13f));
    const exp_parts_f32 e = {r, r * p, t};
    return e;
}

KT_ALWAYS float exp2_f32(float a)
{
    const exp_parts_f32 e = exp2_parts_f32_of(at_most_f32(at_least_f32(a, -151.0f), 128.5f), 0, 254);
    return scaled_f32(1 + (e.head + e.rest), e.t);
}

/* Half of it, then twice: 2^128 is beyond the range. */
KT_ALWAYS float expm1_f32(float a)
{
    const exp_parts_f32 e = exp_parts_f32_of(at_most_f32(at_least_f32(a, -30.0f), 89.0f), 0, 126);
    const float         s = of_bits_f32(bits_f32(e.t) << 23), r = ((s - 0.5f) + s * e.head) + s * e.rest;
    return pick_f32(mask_f32(fabsf(a) < 0x1p-30f), a, r + r);
}

/* (high + low) / (dh + dl) as 12 bits and what is missing of them; dh has 12 bits too, and d is the sum, rounded. */
typedef struct quotient_f32 {
    float head, rest;
} quotient_f32;

KT_ALWAYS quotient_f32 quotient_f32_of(float high, float low, float d, float dh, float dl)
{
    const float over = 1 / d, y = head_f32((high + low) * over);
    const quotient_f32 q = {y, (((high - y * dh) + low) - y * dl) * over};
    return q;
}

/* sigmoid(a) * 2^64, which keeps the small ones from being subnormal; `more` is what -|a| lacks. */
KT_ALWAYS quotient_f32 sigmoid_parts_f32(float a, float more)
{
    const float         x = minus_abs_f32(a);
    const uint32_t      gone = mask_f32(x < -110.0f), below = mask_f32((int32_t)bits_f32(a) < 0);
    const exp_parts_f32 e = exp_parts_f32_of(pick_f32(gone, -110.0f, x), more, 127 + 64);
    const float         s = of_bits_f32((bits_f32(e.t) << 23) & ~gone), w = e.head + e.rest, small = (s + s * w) * 0x1p-64f;
    const float         d = 1 + small, dh = head_f32(d);
    return quotient_f32_of(pick_f32(below, s, 0x1p64f), of_bits_f32(bits_f32(s * w) & below), d, dh, small - (dh - 1));
}

KT_ALWAYS float sigmoid_f32(float a)
{
    const quotient_f32 s = sigmoid_parts_f32(a, 0);
    return (s.head + s.rest) * 0x1p-64f;
}

/* a * sigmoid(a). Past 25 nothing of a is missing. */
KT_ALWAYS float silu_f32(float a)
{
    const quotient_f32 s = sigmoid_parts_f32(a, 0);
    const float        h = head_f32(a), r = (h * s.head + ((a - h) * s.head + a * s.rest)) * 0x1p-64f;
    return pick_f32(mask_f32(a > 25.0f), a, signed_f32(r, a));
}

/* (1 - e) / (1 + e) of e = e^(-2|a|) */
KT_ALWAYS float tanh_f32(float a)
{
    const exp_parts_f32 e = exp_parts_f32_of(2 * at_least_f32(minus_abs_f32(a), -9.5f), 0, 127);
    const float         s = of_bits_f32(bits_f32(e.t) << 23), sh = s * e.head, sr = s * e.rest, n = 1 - s;
    const float         d = (1 + s) + (sh + sr), dh = head_f32(d), dl = ((1 - dh) + s) + (sh + sr), over = 1 / d;
    const float         low = (1 - n) - s, y = head_f32((n - (sh + sr)) * over);
    const float         left = ((((n - y * dh) + low) - sh) - sr) - y * dl;
    return signed_f32(y + left * over, a);
}

#endif
