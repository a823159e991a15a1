/* inverse.h - asin, acos, atan and atan2 of float32.
 *
 * In and out: float; bounds.def says how exact. What a root or a quotient leaves over is found from an exact product of 12
 * bits by 12 and added; so is what a multiple of pi/4 lacks. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_INVERSE_H
#define KT_MATH_F32_INVERSE_H

#include "math/f32/bits.h"

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
    const float    over = 1 / den, q = head_f32(num * over), den_head = head_f32(den);
    const float    lacks = ((num - q * den_head) - q * ((den - den_head) + den_lo)) * over;
    const float    t = q + lacks, z = t * t, z2 = z * z;
    const float    p = (-0x1.555512p-2f + z * 0x1.997b1cp-3f) +
                    z2 * ((-0x1.224b7cp-3f + z * 0x1.a0124ep-4f) + z2 * -0x1.a4345cp-5f);
    const float    rest = ((q - t) + lacks) + (t * z) * p;
    const float    in_half = only_f32(steep, 2.0f) + flipped_f32(steep, only_f32(middle, 1.0f));
    const float    eighths = only_f32(left, 4.0f) + flipped_f32(left, in_half);
    const uint32_t down = steep ^ left;
    const float    base = eighths * 0x1.921fbp-1f, step = flipped_f32(down, t), sum = base + step; /* base is exact */
    return sum + ((((base - sum) + step) + eighths * 0x1.5110b4p-23f) + flipped_f32(down, rest));
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

/* asin s - s = s z p(z) of z = s^2 for s <= 1/2: relative error of asin 2^-27.6 */
KT_ALWAYS float asin_rest_f32(float s, float z)
{
    const float z2 = z * z;
    return (s * z) * ((0x1.5555c8p-3f + z * 0x1.330204p-4f) + z2 * ((0x1.747bc6p-5f + z * 0x1.8c3d1ep-6f) + z2 * 0x1.595df4p-5f));
}

/* What the rounded root lacks: (z - root^2) / (2 root). Four bits of the divisor are enough, and a subtraction of the
 * exponent gives them. */
KT_ALWAYS float root_rest_f32(float z, float root)
{
    const float head = head_f32(root), over = of_bits_f32(0x5ef759dfu - (bits_f32(z) >> 1));
    return ((z - head * head) - (root - head) * (root + head)) * over;
}

KT_ALWAYS float asin_f32(float a)
{
    const float    x = fabsf(a), half = 0.5f - 0.5f * x, root = sqrtf(half);
    const uint32_t far = mask_f32(!(x <= 0.5f));
    const float    rest = asin_rest_f32(pick_f32(far, root, x), pick_f32(far, half, x * x));
    const float    step = 2 * root, sum = PI_2_HI_F32 - step, lo = ((PI_2_HI_F32 - sum) - step) + PI_2_LO_F32;
    return signed_f32(pick_f32(far, sum + (lo - 2 * (root_rest_f32(half, root) + rest)), x + rest), a);
}

KT_ALWAYS float acos_f32(float a)
{
    const float    x = fabsf(a), half = 0.5f - 0.5f * x, root = sqrtf(half);
    const uint32_t far = mask_f32(!(x <= 0.5f)), left = 0 - (bits_f32(a) >> 31);
    const float    rest = asin_rest_f32(pick_f32(far, root, x), pick_f32(far, half, x * x));
    const float    base = only_f32(left, 2 * PI_2_HI_F32), step = flipped_f32(left, 2 * root), sum = base + step;
    const float    lo = ((base - sum) + step) + only_f32(left, 2 * PI_2_LO_F32);
    const float    beyond = sum + (lo + flipped_f32(left, 2 * (root_rest_f32(half, root) + rest)));
    const float    middle = PI_2_HI_F32 - a, middle_lo = ((PI_2_HI_F32 - middle) - a) + PI_2_LO_F32;
    return pick_f32(far, beyond, middle + (middle_lo - flipped_f32(left, rest)));
}

#endif
