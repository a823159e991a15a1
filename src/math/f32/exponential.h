/* exponential.h - exponentials of float32, and what is a quotient of them: sigmoid, silu, tanh.
 *
 * In and out: float; bounds.def says how exact. e^x is 2^k (1 + w) with |w| < 0.42: that sum is the one large rounding. A
 * quotient is a product with the inverse of the divisor, and its remainder, which an fma gives exactly.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_EXPONENTIAL_H
#define KT_MATH_F32_EXPONENTIAL_H

#include "math/f32/bits.h"
#include "math/fma.h"

/* Adding it to a number below 2^22 leaves the nearest integer in the low bits, plus what it says. */
#define ROUND_F32(plus) (0x1.8p23f + (plus))

#define LOG2E_F32       0x1.715476p0f
#define EXP_LN2_F32     0x1.62e4p-1f /* the first part of ln 2, whose product with k is exact, and the second */
#define EXP_LN2_LOW_F32 0x1.7f7d1cp-20f

/* e^x = 2^k e^r, where t holds k as ROUND_F32(plus) left it. */
KT_ALWAYS float exp_power_f32(float x, float plus) { return fma_f32(x, LOG2E_F32, ROUND_F32(plus)); }
KT_ALWAYS float exp_rest_f32(float x, float t, float plus)
{
    const float k = t - ROUND_F32(plus);
    return fma_f32(k, -EXP_LN2_LOW_F32, fma_f32(k, -EXP_LN2_F32, x));
}

/* e^x = 2^k (1 + head - less), where less is small beside head; t holds k as ROUND_F32(plus) left it. */
typedef struct exp_parts_f32 {
    float head, less, t;
} exp_parts_f32;

/* (e^r - 1 - r) / r^2 for |r| < 0.3468: relative error of e^r 2^-28.2 */
KT_ALWAYS float exp_tail_f32(float r, float r2)
{
    const float high = fma_f32(r2, 0x1.6a624cp-10f, fma_f32(r, 0x1.123abcp-7f, 0x1.55589ep-5f));
    return fma_f32(r2, high, fma_f32(r, 0x1.55549p-3f, 0x1.fffffcp-2f));
}

/* Of x + more, |x| < 150. */
KT_ALWAYS exp_parts_f32 exp_parts_f32_of(float x, float more, float plus)
{
    const float t = exp_power_f32(x, plus), k = t - ROUND_F32(plus);
    const float head = fma_f32(k, -EXP_LN2_F32, x), low = k * EXP_LN2_LOW_F32 - more, r = head - low, r2 = r * r;
    const exp_parts_f32 e = {head, fma_f32(-r2, exp_tail_f32(r, r2), low), t};
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
    return scaled_f32(1 + (e.head - e.less), e.t);
}

KT_ALWAYS uint32_t exp_beyond_f32(float a) { return beyond_f32(a, 0x42ae0000u); } /* 87: 2^k is a normal number below it */
KT_ALWAYS float exp_near_f32(float a)
{
    const exp_parts_f32 e = exp_parts_f32_of(a, 0, 127);
    const float         s = of_bits_f32(bits_f32(e.t) << 23);
    return fma_f32(s, e.head - e.less, s);
}

/* Of x - less, |x| < 2^21. 2^r = 1 + r + r p(r) for |r| <= 1/2: relative error 2^-28.4. */
KT_ALWAYS exp_parts_f32 exp2_parts_f32_of(float x, float less, float plus)
{
    const float t = (x - less) + ROUND_F32(plus), r = (x - (t - ROUND_F32(plus))) - less, r2 = r * r;
    const float high = fma_f32(r2, 0x1.42f4a8p-13f, fma_f32(r, 0x1.5f5564p-10f, 0x1.3b2becp-7f));
    const float p = fma_f32(r, fma_f32(r2, high, fma_f32(r, 0x1.c6aea8p-5f, 0x1.ebfbdep-3f)), -0x1.3a379ep-2f);
    const exp_parts_f32 e = {r, -r * p, t};
    return e;
}

KT_ALWAYS float exp2_f32(float a)
{
    const exp_parts_f32 e = exp2_parts_f32_of(at_most_f32(at_least_f32(a, -151.0f), 128.5f), 0, 254);
    return scaled_f32(1 + (e.head - e.less), e.t);
}

KT_ALWAYS uint32_t exp2_beyond_f32(float a) { return beyond_f32(a, 0x42fc0000u); } /* 126 */
KT_ALWAYS float exp2_near_f32(float a)
{
    const exp_parts_f32 e = exp2_parts_f32_of(a, 0, 127);
    const float         s = of_bits_f32(bits_f32(e.t) << 23);
    return fma_f32(s, e.head - e.less, s);
}

/* Half of it, then twice: 2^128 is beyond the range. */
KT_ALWAYS float expm1_f32(float a)
{
    const exp_parts_f32 e = exp_parts_f32_of(at_most_f32(at_least_f32(a, -30.0f), 89.0f), 0, 126);
    const float         s = of_bits_f32(bits_f32(e.t) << 23), r = fma_f32(-s, e.less, fma_f32(s, e.head, s - 0.5f));
    return pick_f32(mask_f32(fabsf(a) < 0x1p-30f), a, r + r);
}

/* (n - less) / (d + rest) = head + rest; d as inverse_f32 takes it */
typedef struct quotient_f32 {
    float head, rest;
} quotient_f32;

KT_ALWAYS quotient_f32 quotient_f32_of(float n, float less, float d, float rest)
{
    const float        over = inverse_f32(d), q = n * over;
    const quotient_f32 y = {q, fma_f32(-q, rest, fma_f32(-q, d, n) - less) * over};
    return y;
}

/* a (head + rest) 2^-64 */
KT_ALWAYS float times_quotient_f32(float a, quotient_f32 y)
{
    const float h = a * y.head;
    return (h + fma_f32(a, y.rest, fma_f32(a, y.head, -h))) * 0x1p-64f;
}

/* e^-|a| times 2^64, which keeps it from being subnormal, is sum - lost; 0 past 110. */
typedef struct exp_sum_f32 {
    float sum, lost;
} exp_sum_f32;

/* Of the parts for k + 127 + 64, or nothing. */
KT_ALWAYS exp_sum_f32 exp_sum_f32_of(exp_parts_f32 e, uint32_t gone)
{
    const float       s = of_bits_f32((bits_f32(e.t) << 23) & ~gone), w = e.head - e.less, sum = fma_f32(s, w, s);
    const exp_sum_f32 r = {sum, fma_f32(s, (w - e.head) + e.less, fma_f32(-s, w, sum - s))};
    return r;
}

/* `more` is what -|a| lacks. */
KT_ALWAYS exp_sum_f32 exp_minus_abs_f32(float a, float more)
{
    const float    x = minus_abs_f32(a);
    const uint32_t gone = mask_f32(x < -110.0f);
    return exp_sum_f32_of(exp_parts_f32_of(pick_f32(gone, -110.0f, x), more, 127 + 64), gone);
}

/* The same of 2^-|a|. */
KT_ALWAYS exp_sum_f32 exp2_minus_abs_f32(float a)
{
    const float    x = minus_abs_f32(a);
    const uint32_t gone = mask_f32(x < -160.0f);
    return exp_sum_f32_of(exp2_parts_f32_of(pick_f32(gone, -160.0f, x), 0, 127 + 64), gone);
}

/* one (1 + e^(x + more)) = d + rest, where `one` is 2^-n, plus is 127 - n, and 2^(k - n) is a normal number. */
typedef struct divisor_f32 {
    float d, rest;
} divisor_f32;

KT_ALWAYS divisor_f32 one_plus_exp_f32(float x, float more, float one, float plus)
{
    const exp_parts_f32 e = exp_parts_f32_of(x, more, plus);
    const float         s = of_bits_f32(bits_f32(e.t) << 23), w = e.head - e.less, both = one + s, lost = one - (both - s);
    const float         d = fma_f32(s, w, both), rest = fma_f32(s, w, both - d) + lost;
    const divisor_f32   sum = {d, fma_f32(s, (e.head - w) - e.less, rest)};
    return sum;
}

/* The same for n = 64 of any x, which is as good as -42 below that, and as 110 above. */
KT_ALWAYS divisor_f32 one_plus_exp_of_any_f32(float x, float more)
{
    return one_plus_exp_f32(at_most_f32(at_least_f32(x, -42.0f), 110.0f), more, 0x1p-64f, 127 - 64);
}

KT_ALWAYS float one_over_f32(divisor_f32 by)
{
    const float q = inverse_f32(by.d);
    return fma_f32(q, fma_f32(-q, by.rest, fma_f32(-q, by.d, 1)), q);
}

/* a / by, where over is the inverse of by.d */
KT_ALWAYS float divided_f32(float a, divisor_f32 by, float over)
{
    const float h = a * over;
    return fma_f32(fma_f32(-h, by.rest, fma_f32(-h, by.d, a)), over, h);
}

KT_ALWAYS float sigmoid_f32(float a) { return one_over_f32(one_plus_exp_of_any_f32(-a, 0)) * 0x1p-64f; }

/* a * sigmoid(a). Past 25 nothing of a is missing, below -110 nothing of it is left. */
KT_ALWAYS float silu_f32(float a)
{
    const divisor_f32 by = one_plus_exp_of_any_f32(-a, 0);
    const float       over = only_f32(~mask_f32(a < -110.0f), inverse_f32(by.d)), r = divided_f32(a, by, over) * 0x1p-64f;
    return pick_f32(mask_f32(a > 25.0f), a, signed_f32(r, a));
}

/* a + a z p(z) of z = a^2 up to 1: relative error 2^-27.6. Past it 1 - 2 / (1 + e^2x) of x = |a|, whose quotient is below 1/4:
 * e^2r - 1 to 2^-28 of e^2r. From 9.1 on nothing of 1 is missing. */
KT_ALWAYS float tanh_f32(float a)
{
    const float z = a * a, z2 = z * z, high = fma_f32(z2, fma_f32(z, -0x1.7806d8p-12f, 0x1.2db79ep-9f),
                                                      fma_f32(z, -0x1.04675p-7f, 0x1.600bd6p-6f));
    const float p = fma_f32(z, fma_f32(z2, high, fma_f32(z, -0x1.b96288p-5f, 0x1.110be6p-3f)), -0x1.55553cp-2f);
    const float near = fma_f32(a * z, p, a);
    const float x = abs_at_most_f32(a, 0x41200000u), t = fma_f32(x, 2 * LOG2E_F32, ROUND_F32(127)), k = t - ROUND_F32(127);
    const float r = fma_f32(k, -EXP_LN2_LOW_F32 / 2, fma_f32(k, -EXP_LN2_F32 / 2, x)), r2 = r * r;
    const float s = of_bits_f32(bits_f32(t) << 23);
    const float last = fma_f32(r2, fma_f32(r, 0x1.686aa2p-4f, 0x1.123d02p-2f), fma_f32(r, 0x1.555b82p-1f, 0x1.55548cp0f));
    const float e = r * fma_f32(r2, last, fma_f32(r, 0x1.fffff8p0f, 2)), far = 1 - 2 * inverse_f32(fma_f32(s, e, 1 + s));
    return signed_f32(pick_f32(mask_f32(fabsf(a) >= 1), far, near), a);
}

#endif
