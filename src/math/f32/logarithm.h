/* logarithm.h - logarithms of float32, and those of sums of exponentials.
 *
 * In and out: float; bounds.def says how exact. x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); log(1 + f) is f, which is
 * exact, and f^2 q. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_LOGARITHM_H
#define KT_MATH_F32_LOGARITHM_H

#include "math/f32/exponential.h"

#define LN2_HI_F32   0x1.62e43p-1f
#define LN2_LO_F32   (-0x1.05c61p-29f)
#define LOG2E_LO_F32 0x1.4ae0cp-26f /* what LOG2E_F32 lacks */

/* (log(1 + f) - f) / f^2 for -0.293 < f <= 1/2: relative error of the logarithm 2^-28.8 */
KT_ALWAYS float log_tail_f32(float f, float f2)
{
    const float a = fma_f32(f, -0x1.0000b6p-2f, 0x1.55554cp-2f), b = fma_f32(f, -0x1.5512bap-3f, 0x1.99a2e6p-3f);
    const float c = fma_f32(f, -0x1.02d266p-3f, 0x1.2325fap-3f), d = fma_f32(f, -0x1.ac1fd8p-4f, 0x1.f0d2cep-4f);
    return fma_f32(f, fma_f32(f2, fma_f32(f2, fma_f32(f2, fma_f32(f2, 0x1.895cecp-5f, d), c), b), a), -0.5f);
}

/* log(1 + f) - f, and more. */
KT_ALWAYS float log_rest_f32(float f, float more)
{
    const float f2 = f * f;
    return fma_f32(f2, log_tail_f32(f, f2), more);
}

/* k of the bits of x and what lies between the least 1 + f and 1. */
KT_ALWAYS float log_exponent_f32(uint32_t u, float less) { return of_bits_f32(u >> 23 | 0x4b000000u) - (0x1p23f + 127 + less); }

typedef struct log_parts_f32 {
    float k, f;
} log_parts_f32;

/* Of a positive, finite x; a subnormal one times 2^24. */
KT_ALWAYS log_parts_f32 log_parts_f32_of(float x)
{
    const uint32_t      small = mask_f32(x < 0x1p-126f), low = 0x3f3504f3u;
    const uint32_t      u = bits_f32(pick_f32(small, x * 0x1p24f, x)) + (0x3f800000u - low);
    const log_parts_f32 l = {log_exponent_f32(u, only_f32(small, 24.0f)), of_bits_f32((u & 0x7fffffu) + low) - 1};
    return l;
}

/* Its sign bit: is x no positive, finite, normal number? Those have the parts without a factor. */
KT_ALWAYS uint32_t log_beyond_f32(float x) { return (bits_f32(x) + 0x00800000u) | (bits_f32(x) - 0x00800000u); }
KT_ALWAYS log_parts_f32 log_parts_near_f32(float x)
{
    const uint32_t      low = 0x3f3504f3u, u = bits_f32(x) + (0x3f800000u - low);
    const log_parts_f32 l = {log_exponent_f32(u, 0), of_bits_f32((u & 0x7fffffu) + low) - 1};
    return l;
}

/* The ends of every logarithm: its value r for ordinary x, its limits elsewhere. */
KT_ALWAYS float log_ends_f32(float x, float r)
{
    const float limit = pick_f32(mask_f32(x == 0), -INFINITY, pick_f32(mask_f32(x > 0), x, NAN));
    return pick_f32(mask_f32(bits_f32(x) - 1 < 0x7f7fffffu), r, limit);
}

KT_ALWAYS float log_sum_f32(float k, float f) { return fma_f32(k, LN2_HI_F32, f + log_rest_f32(f, k * LN2_LO_F32)); }

KT_ALWAYS float log_of_f32(log_parts_f32 l) { return log_sum_f32(l.k, l.f); }
KT_ALWAYS float log2_of_f32(log_parts_f32 l)
{
    const float f2 = l.f * l.f, rest = fma_f32(f2 * LOG2E_F32, log_tail_f32(l.f, f2), l.f * LOG2E_LO_F32);
    return l.k + fma_f32(l.f, LOG2E_F32, rest);
}
KT_ALWAYS float log10_of_f32(log_parts_f32 l)
{
    const float f2 = l.f * l.f, low = fma_f32(l.f, -0x1.5b235ep-27f, l.k * -0x1.ec10cp-27f);
    const float rest = fma_f32(f2 * 0x1.bcb7b2p-2f, log_tail_f32(l.f, f2), low);
    return fma_f32(l.k, 0x1.344136p-2f, fma_f32(l.f, 0x1.bcb7b2p-2f, rest));
}

KT_ALWAYS float log_f32(float a)   { return log_ends_f32(a, log_of_f32(log_parts_f32_of(a))); }
KT_ALWAYS float log2_f32(float a)  { return log_ends_f32(a, log2_of_f32(log_parts_f32_of(a))); }
KT_ALWAYS float log10_f32(float a) { return log_ends_f32(a, log10_of_f32(log_parts_f32_of(a))); }

KT_ALWAYS float log_near_f32(float a)   { return log_of_f32(log_parts_near_f32(a)); }
KT_ALWAYS float log2_near_f32(float a)  { return log2_of_f32(log_parts_near_f32(a)); }
KT_ALWAYS float log10_near_f32(float a) { return log10_of_f32(log_parts_near_f32(a)); }

KT_ALWAYS uint32_t log2_beyond_f32(float a)  { return log_beyond_f32(a); }
KT_ALWAYS uint32_t log10_beyond_f32(float a) { return log_beyond_f32(a); }

/* With 3/4 <= 1 + f < 3/2, f = a 2^-k + (2^-k - 1) is as good as exact. 2^-k may be subnormal. */
KT_ALWAYS float log1p_f32(float a)
{
    const float    x = 1 + a;
    const uint32_t low = 0x3f400000u, u = bits_f32(x) + (0x3f800000u - low);
    const float    s = of_bits_f32(greater_u32(0x7f800000u - (u & 0x7f800000u), 0x00400000u)) * 0.5f, f = fma_f32(a, s, s - 1);
    return pick_f32(mask_f32(a == 0), a, log_ends_f32(x, log_sum_f32(log_exponent_f32(u, 0), f)));
}

/* ---- log(1 + e) of a power e <= 1: of f = e, or past 1/2 that of 2 (`half`, a mask) and of f = (e - 1) / 2 ---- */
typedef struct log1p_parts_f32 {
    float    f, rest;
    uint32_t half;
} log1p_parts_f32;

/* What the rounding of e has lost counts about 1 / (1 + e). */
KT_ALWAYS log1p_parts_f32 log1p_parts_f32_of(exp_sum_f32 power)
{
    const float           e = power.sum * 0x1p-64f, lost = power.lost * -0x1p-64f;
    const uint32_t        half = mask_f32(e > 0.5f);
    const float           f = pick_f32(half, fma_f32(e, 0.5f, -0.5f), e);
    const log1p_parts_f32 l = {f, log_rest_f32(f, fma_f32(lost * e, -0.5f, lost)), half};
    return l;
}

/* What sum = a + b has lost; nothing if it is infinite. */
KT_ALWAYS float lost_f32(float sum, float a, float b)
{
    const float part = sum - a, lost = (a - (sum - part)) + (b - part);
    return only_f32(mask_f32(lost == lost), lost);
}

KT_ALWAYS float plus_log1p_f32(float a, exp_sum_f32 power)
{
    const log1p_parts_f32 l = log1p_parts_f32_of(power);
    const float           b = only_f32(l.half, LN2_HI_F32), sum = a + b;
    return sum + (l.f + (l.rest + lost_f32(sum, a, b)));
}

/* log(1 + e^x) */
KT_ALWAYS float softplus_of_f32(float x) { return plus_log1p_f32(only_f32(mask_f32(x > 0), x), exp_minus_abs_f32(x, 0)); }

/* a - b, and 0 of equal infinities */
KT_ALWAYS float distance_f32(float a, float b) { return only_f32(~mask_f32(a == b), a - b); }

KT_ALWAYS float logaddexp_f32(float a, float b)
{
    return plus_log1p_f32(pick_f32(mask_f32(a > b), a, b), exp_minus_abs_f32(distance_f32(a, b), 0));
}

KT_ALWAYS float logaddexp2_f32(float a, float b)
{
    const log1p_parts_f32 l = log1p_parts_f32_of(exp2_minus_abs_f32(distance_f32(a, b)));
    const float           most = pick_f32(mask_f32(a > b), a, b), one = only_f32(l.half, 1.0f), sum = most + one;
    const float           rest = fma_f32(l.rest, LOG2E_F32, fma_f32(l.f, LOG2E_LO_F32, lost_f32(sum, most, one)));
    return sum + fma_f32(l.f, LOG2E_F32, rest);
}

#endif
