/* logarithm.h - logarithms of float32.
 *
 * In and out: float; bounds.def says how exact. x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); log(1 + f) is f, which is
 * exact, and a rest. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_LOGARITHM_H
#define KT_MATH_F32_LOGARITHM_H

#include "math/f32/exponential.h"

typedef struct log_parts_f32 {
    float k, f, rest;
} log_parts_f32;

/* log(1 + f) - f = -f^2/2 + f^3 p(f): relative error of the logarithm 2^-27.3 */
KT_ALWAYS float log_rest_f32(float f)
{
    const float f2 = f * f, f4 = f2 * f2;
    const float p = ((0x1.555556p-2f + f * -0x1.000228p-2f) + f2 * (0x1.999f4ap-3f + f * -0x1.54717ep-3f)) +
                    f4 * ((0x1.22e66ap-3f + f * -0x1.0d9736p-3f) + f2 * (0x1.051b1p-3f + f * -0x1.37cc3p-4f));
    return f2 * (-0.5f + f * p);
}

/* Of a positive, finite, normal x times 2^-less. */
KT_ALWAYS log_parts_f32 log_parts_f32_of(float x, float less)
{
    const uint32_t low = 0x3f3504f3u, u = bits_f32(x) + (0x3f800000u - low);
    const float    k = of_bits_f32(u >> 23 | 0x4b000000u) - (0x1p23f + 127 + less), f = of_bits_f32((u & 0x7fffffu) + low) - 1;
    const log_parts_f32 l = {k, f, log_rest_f32(f)};
    return l;
}

/* The ends of every logarithm: its value r for ordinary x, its limits elsewhere. */
KT_ALWAYS float log_ends_f32(float x, float r)
{
    const float limit = pick_f32(mask_f32(x == 0), -INFINITY, pick_f32(mask_f32(x > 0), x, NAN));
    return pick_f32(mask_f32(x > 0) & mask_f32(x < INFINITY), r, limit);
}

/* Subnormal numbers times 2^24. */
KT_ALWAYS log_parts_f32 log_any_f32(float x)
{
    const uint32_t small = mask_f32(x < 0x1p-126f);
    return log_parts_f32_of(pick_f32(small, x * 0x1p24f, x), of_bits_f32(bits_f32(24.0f) & small));
}

KT_ALWAYS float log_f32(float a)
{
    const log_parts_f32 l = log_any_f32(a);
    return log_ends_f32(a, l.k * 0x1.62e4p-1f + (l.f + (l.rest + l.k * 0x1.7f7d1cp-20f)));
}

/* (f + rest) * factor; the factor is 12 bits, and what is missing of them. */
KT_ALWAYS float log_times_f32(log_parts_f32 l, float high, float low, float more)
{
    const float h = head_f32(l.f), r = (l.f - h) + l.rest;
    return h * high + ((h * low + r * (high + low)) + more);
}

KT_ALWAYS float log2_f32(float a)
{
    const log_parts_f32 l = log_any_f32(a);
    return log_ends_f32(a, l.k + log_times_f32(l, 0x1.716p0f, -0x1.7135a8p-13f, 0));
}

KT_ALWAYS float log10_f32(float a)
{
    const log_parts_f32 l = log_any_f32(a);
    return log_ends_f32(a, l.k * 0x1.344p-2f + log_times_f32(l, 0x1.bccp-2f, -0x1.09d5b2p-15f, l.k * 0x1.3509f8p-18f));
}

/* Of 1 + a, and what the sum has lost; near 0 of a itself. */
KT_ALWAYS float log1p_f32(float a)
{
    const float    x = 1 + a, most = x - 1, lost = (1 - (x - most)) + (a - most);
    const uint32_t low = 0x3f3504f3u, u = bits_f32(x) + (0x3f800000u - low), near = mask_f32(u >> 23 == 127);
    const float    k = of_bits_f32(u >> 23 | 0x4b000000u) - (0x1p23f + 127);
    const float    c = of_bits_f32(bits_f32(lost * 0.5f * of_bits_f32(0x7f800000u - (u & 0x7f800000u))) & ~near);
    const float    f = pick_f32(near, a, of_bits_f32((u & 0x7fffffu) + low) - 1);
    const float    r = log_rest_f32(f) + (c - c * (f - f * f));
    return pick_f32(mask_f32(a == 0), a, log_ends_f32(x, k * 0x1.62e4p-1f + (f + (r + k * 0x1.7f7d1cp-20f))));
}

/* log(1 + e) of a power e <= 1 by s = e / (2 + e): 2 s + s p(s^2) is e - s (e - p), relative error 2^-27.7; and what the rounding
 * of e has lost, times about 1 / (1 + e). */
KT_ALWAYS float log1p_power_f32(exp_parts_f32 power)
{
    const float sum = 1 + (power.head + power.rest), lost = (power.head - (sum - 1)) + power.rest;
    const float e = scaled_f32(sum, power.t), s = e / (2 + e), z = s * s, z2 = z * z;
    const float p = (z * 0x1.555502p-1f + z2 * 0x1.99d1d4p-2f) + z2 * (z * 0x1.1ebf52p-2f + z2 * 0x1.1ed07p-2f);
    return e - (s * (e - p) - scaled_f32(lost, power.t) * (1 - 0.5f * e));
}

/* log(1 + e^-a) of a >= 0. */
KT_ALWAYS float log1p_exp_f32(float a)
{
    return log1p_power_f32(exp_parts_f32_of(at_least_f32(-a, -104.0f), 0, 254));
}

KT_ALWAYS float logaddexp_f32(float a, float b)
{
    const float hi = a > b ? a : b, r = hi + log1p_exp_f32(fabsf(a - b));
    return pick_f32(mask_f32(a == b) & mask_f32(fabsf(a) == INFINITY), a, r);
}

KT_ALWAYS float logaddexp2_f32(float a, float b)
{
    const exp_parts_f32 e = exp2_parts_f32_of(at_least_f32(minus_abs_f32(a - b), -151.0f), 0, 254);
    const float         hi = a > b ? a : b, r = hi + log1p_power_f32(e) * 0x1.715476p0f;
    return pick_f32(mask_f32(a == b) & mask_f32(fabsf(a) == INFINITY), a, r);
}

#endif
