/* power.h - pow of float32.
 *
 * In and out: float; bounds.def says how exact. |x|^y = 2^(y log2|x|): the logarithm and the product are double, since they
 * must hold 10 bits more than the result; the power of two and the special cases of C's pow are float32. Independent of:
 * tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_POWER_H
#define KT_MATH_F32_POWER_H

#include "math/f32/exponential.h"

/* log2 of the number with these bits, positive, finite and not 0. x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); log2(1 + f)
 * is an odd series of s = f / (2 + f), relative error 2^-37.8. The division is float32, and one step makes it exact to 2^-46. */
KT_ALWAYS double log2_of_bits_f32(uint32_t x)
{
    const uint32_t small = mask_f32(x < 0x00800000u), low = 0x3f3504f3u;
    const uint32_t u = bits_f32(pick_f32(small, of_bits_f32(x) * 0x1p24f, of_bits_f32(x))) + (0x3f800000u - low);
    const float    k = of_bits_f32(u >> 23 | 0x4b000000u) - (0x1p23f + 127 + only_f32(small, 24.0f));
    const float    f = of_bits_f32((u & 0x7fffffu) + low) - 1;
    const double   n = (double)f, over = (double)(1 / (2 + f)), first = n * over;
    const double   s = fma_f64(over, fma_f64(-first, 2 + n, n), first), z = s * s, z2 = z * z;
    const double   high = fma_f64(z2, 0x1.5ce98af0514e6p-2, fma_f64(z, 0x1.a58d78cccee3p-2, 0x1.27778008c182bp-1));
    const double   p = fma_f64(z2, high, fma_f64(z, 0x1.ec709d12a711ep-1, 0x1.71547652bee11p1));
    return fma_f64(s, p, (double)k);
}

/* 2^t, |t| < 2^50. e^u = 1 + u + u^2 p(u) of u = r ln2, |r| <= 1/2: relative error 2^-28.2. Past the range k stays where the
 * result is 0 or infinite; the power of two comes in two factors, since it may lie below the normal numbers. */
KT_ALWAYS float two_to_f32(double t)
{
    const double   k = (t + 0x1.8p52) - 0x1.8p52, u = (t - k) * 0x1.62e42fefa39efp-1;
    const float    hi = (float)u, lo = (float)(u - (double)hi), hi2 = hi * hi;
    const float    high = fma_f32(hi2, 0x1.694cd2p-10f, fma_f32(hi, 0x1.123988p-7f, 0x1.555a26p-5f));
    const float    p = fma_f32(hi2, high, fma_f32(hi, 0x1.555492p-3f, 0x1.fffffap-2f));
    return scaled_f32(1 + (hi + fma_f32(hi2, p, lo)), at_most_f32(at_least_f32((float)k, -152.0f), 129.0f) + ROUND_F32(254));
}

/* y is held below 2^40, where every power but that of 1 has left the range. */
KT_ALWAYS float pow_f32(float a, float b)
{
    const uint32_t x = size_f32(a), y = size_f32(b), inf = 0x7f800000u, below = mask_f32(a < 0);
    const float    bound = signed_f32(of_bits_f32(lesser_u32(y, 0x53800000u)), b);
    float          r = two_to_f32((double)bound * log2_of_bits_f32(x));
    const uint32_t zero = mask_f32(x == 0), shrinks = zero ^ (0 - (bits_f32(b) >> 31));
    r = pick_f32(zero | mask_f32(x == inf), only_f32(~shrinks, INFINITY), r);
    /* y is a whole number, and an even one; all are from 2^24 on */
    const float    size = of_bits_f32(lesser_u32(y, 0x4b800000u)), half = (0.5f * size + 0x1p23f) - 0x1p23f;
    const uint32_t even = mask_f32(half + half == size);
    const uint32_t whole = even | mask_f32((size + 0x1p23f) - 0x1p23f == size) | mask_f32(size >= 0x1p23f);
    r = flipped_f32((0 - (bits_f32(a) >> 31)) & whole & ~even, r);
    r = pick_f32(below & ~whole & mask_f32(x < inf), NAN, r);
    r = pick_f32(mask_f32(x > inf) | mask_f32(y > inf), a + b, r);
    return pick_f32(mask_f32(y == 0) | mask_f32(a == 1), 1.0f, r);
}

#endif
