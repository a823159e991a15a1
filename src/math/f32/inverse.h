/* inverse.h - asin, acos, atan and atan2 of float32.
 *
 * In and out: float; bounds.def says how exact. What a root, a quotient or a multiple of pi/4 lacks is found by an fma and
 * added. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_INVERSE_H
#define KT_MATH_F32_INVERSE_H

#include "math/f32/bits.h"
#include "math/fma.h"

#define PI_2_HI_F32 0x1.921fb6p0f
#define PI_2_LO_F32 -0x1.777a5cp-25f

/* ---- the angle of a point ---- */

/* The angle of (d, n) with 0 <= n <= d and d near 1, or of the point mirrored: at the diagonal if steep, then at the upright
 * axis if left (two masks). Past n/d = 1/2 it is pi/4 and the angle of (n - d) / (n + d). atan t = t + t z p(z) of z = t^2
 * for t <= 1/2: relative error 2^-27.4. */
KT_ALWAYS float direction_f32(float n, float d, uint32_t steep, uint32_t left)
{
    const uint32_t middle = mask_f32(n > 0.5f * d);
    const float    part = only_f32(middle, n), num = n - only_f32(middle, d), den = d + part, den_lo = (d - den) + part;
    const float    over = 1 / den, q = num * over, lacks = fma_f32(-q, den_lo, fma_f32(-q, den, num)) * over;
    const float    t = q + lacks, z = t * t, z2 = z * z;
    const float    high = fma_f32(z2, -0x1.a4345cp-5f, fma_f32(z, 0x1.a0124ep-4f, -0x1.224b7cp-3f));
    const float    p = fma_f32(z2, high, fma_f32(z, 0x1.997b1cp-3f, -0x1.555512p-2f));
    const float    rest = fma_f32(t * z, p, (q - t) + lacks);
    const float    in_half = only_f32(steep, 2.0f) + flipped_f32(steep, only_f32(middle, 1.0f));
    const float    eighths = only_f32(left, 4.0f) + flipped_f32(left, in_half);
    const uint32_t down = steep ^ left;
    const float    step = flipped_f32(down, t), sum = fma_f32(eighths, 0.5f * PI_2_HI_F32, step);
    const float    lost = fma_f32(eighths, 0.5f * PI_2_HI_F32, -sum) + step;
    return sum + (lost + fma_f32(eighths, 0.5f * PI_2_LO_F32, flipped_f32(down, rest)));
}

KT_ALWAYS float atan_f32(float a)
{
    const uint32_t size = lesser_u32(size_f32(a), 0x5f800000u), one = 0x3f800000u; /* past 2^64 it is pi/2 */
    const float    n = of_bits_f32(lesser_u32(size, one)), d = of_bits_f32(greater_u32(size, one));
    const float    r = direction_f32(n, d, mask_f32(size > one), 0);
    return pick_f32(mask_f32(a == a), signed_f32(r, a), a);
}

/* Both times a power of two, so that the greater is near 1. Infinities become 1, beside which the finite are 0. */
KT_ALWAYS float atan2_f32(float a, float b)
{
    const uint32_t y = size_f32(a), x = size_f32(b), inf = 0x7f800000u;
    const uint32_t d = greater_u32(greater_u32(x, y), 1), n = lesser_u32(x, y), endless = mask_f32(d >= inf); /* 0 / 0 is 0 */
    const float    scale = of_bits_f32(greater_u32(0x7f000000u - lesser_u32(d & inf, 0x7f000000u), 0x00800000u));
    const float    den = pick_f32(endless, 1.0f, of_bits_f32(d) * scale);
    const float    num = pick_f32(endless, only_f32(mask_f32(n >= inf), 1.0f), of_bits_f32(n) * scale);
    const float    r = signed_f32(direction_f32(num, den, mask_f32(y > x), 0 - (bits_f32(b) >> 31)), a);
    return pick_f32(mask_f32(a == a) & mask_f32(b == b), r, a + b);
}

/* ---- asin and acos: past 1/2 by the root of (1 - |x|) / 2, which is the sine of half the angle that is missing ---- */

/* (asin s - s) / (s z) of z = s^2 for s <= 1/2: relative error of asin 2^-27.6 */
KT_ALWAYS float asin_tail_f32(float z)
{
    const float z2 = z * z, high = fma_f32(z2, 0x1.595df4p-5f, fma_f32(z, 0x1.8c3d1ep-6f, 0x1.747bc6p-5f));
    return fma_f32(z2, high, fma_f32(z, 0x1.330204p-4f, 0x1.5555c8p-3f));
}

/* What the rounded root lacks: (z - root^2) / (2 root). Four bits of the divisor are enough, and a subtraction of the
 * exponent gives them. */
KT_ALWAYS float root_rest_f32(float z, float root)
{
    return fma_f32(-root, root, z) * of_bits_f32(0x5ef759dfu - (bits_f32(z) >> 1));
}

KT_ALWAYS float asin_f32(float a)
{
    const float    x = fabsf(a), half = fma_f32(x, -0.5f, 0.5f), root = sqrtf(half);
    const uint32_t far = mask_f32(!(x <= 0.5f));
    const float    z = pick_f32(far, half, x * x), cube = pick_f32(far, root, x) * z, tail = asin_tail_f32(z);
    const float    rest = fma_f32(cube, tail, root_rest_f32(half, root)); /* beyond 1/2 */
    const float    sum = fma_f32(root, -2, PI_2_HI_F32), lo = fma_f32(root, -2, PI_2_HI_F32 - sum) + PI_2_LO_F32;
    return signed_f32(pick_f32(far, sum + fma_f32(rest, -2, lo), fma_f32(cube, tail, x)), a);
}

KT_ALWAYS float acos_f32(float a)
{
    const float    x = fabsf(a), half = fma_f32(x, -0.5f, 0.5f), root = sqrtf(half);
    const uint32_t far = mask_f32(!(x <= 0.5f)), left = sign_mask_f32(a);
    const float    z = pick_f32(far, half, x * x), cube = pick_f32(far, root, x) * z, tail = asin_tail_f32(z);
    const float    twice = flipped_f32(left, 2.0f), base = only_f32(left, 2 * PI_2_HI_F32), sum = fma_f32(root, twice, base);
    const float    lo = fma_f32(root, twice, base - sum) + only_f32(left, 2 * PI_2_LO_F32);
    const float    beyond = sum + fma_f32(fma_f32(cube, tail, root_rest_f32(half, root)), twice, lo);
    const float    middle = PI_2_HI_F32 - a, middle_lo = ((PI_2_HI_F32 - middle) - a) + PI_2_LO_F32;
    return pick_f32(far, beyond, middle + fma_f32(flipped_f32(left, cube), -tail, middle_lo));
}

#endif
