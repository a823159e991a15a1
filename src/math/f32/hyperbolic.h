/* hyperbolic.h - sinh, cosh and atanh of float32.
 *
 * In and out: float; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_HYPERBOLIC_H
#define KT_MATH_F32_HYPERBOLIC_H

#include "math/f32/logarithm.h"

/* ---- sinh and cosh: |x| = k ln2 + r, and e^x = 2^k (cosh r + sinh r); all by a quarter, since twice 2^127 is too much ---- */
typedef struct growth_f32 {
    float r, lo;              /* |r| < 1.04 where k is 0, else 0.35; lo is below its last bit */
    float sum, sum_lo, difference; /* 2^k / 4 plus and minus 2^-k / 4 */
    uint32_t far;                 /* k is not 0 */
} growth_f32;

KT_ALWAYS growth_f32 growth_of_f32(float x)
{
    const float    a = of_bits_f32(lesser_u32(size_f32(x), 0x42b30000u)); /* at 89.5 all is infinite */
    const float    t = exp_power_f32(a, 0);
    const uint32_t far = mask_f32(bits_f32(t) > 0x4b400001u), exponent = (bits_f32(t) & far) << 23;
    const float    k = only_f32(far, t - ROUND_F32(0)), head = fma_f32(k, -LN2_HI_F32, a), r = fma_f32(k, -LN2_LO_F32, head);
    const float    up = of_bits_f32(0x3e800000u + exponent), down = of_bits_f32(0x3e800000u - lesser_u32(exponent, 60u << 23));
    const float    sum = up + down;
    const growth_f32 g = {r, fma_f32(k, -LN2_LO_F32, head - r), sum, (up - sum) + down, up - down, far};
    return g;
}

/* sinh r - r and cosh r - 1 - z/2 of z = r^2: relative errors of sinh 2^-30.8, of cosh 2^-35 */
KT_ALWAYS float sinh_rest_f32(float r, float z)
{
    const float high = fma_f32(z, 0x1.7ddad4p-19f, 0x1.9fde28p-13f);
    return (r * z) * fma_f32(z * z, high, fma_f32(z, 0x1.11118cp-7f, 0x1.555554p-3f));
}
KT_ALWAYS float cosh_rest_f32(float z)
{
    const float z2 = z * z, high = fma_f32(z, 0x1.2abedcp-22f, 0x1.a0233cp-16f);
    return z2 * fma_f32(z2, high, fma_f32(z, 0x1.6c167ep-10f, 0x1.555556p-5f));
}

/* difference * cosh r + sum * sinh r */
KT_ALWAYS float sinh_f32(float a)
{
    const growth_f32 g = growth_of_f32(a);
    const float      z = g.r * g.r, whole = fma_f32(g.sum, g.r, g.difference);
    const float      lost = fma_f32(g.sum, g.r, g.difference - whole);
    const float      even = fma_f32(z, 0.5f, cosh_rest_f32(z));
    const float      rest = fma_f32(g.difference, even, fma_f32(g.sum, sinh_rest_f32(g.r, z), lost));
    const float      r = signed_f32(2 * (whole + fma_f32(g.lo, whole, rest)), a);
    return pick_f32(mask_f32(fabsf(a) >= 0x1p-12f), r, a);
}

/* sum * cosh r + difference * sinh r. The second largest term, which is to be exact, is that of r, or with k = 0 that of z. */
KT_ALWAYS float cosh_f32(float a)
{
    const growth_f32 g = growth_of_f32(a);
    const float      z = g.r * g.r, half = 0.5f * z, near = only_f32(~g.far, half), far = only_f32(g.far, half);
    const float      whole = fma_f32(g.difference, g.r, fma_f32(g.sum, near, g.sum));
    const float      lost = fma_f32(g.difference, g.r, fma_f32(g.sum, near, g.sum - whole)) + g.sum_lo;
    const float      rest = fma_f32(g.sum, far + cosh_rest_f32(z), fma_f32(g.difference, sinh_rest_f32(g.r, z), lost));
    return pick_f32(mask_f32(a == a), 2 * (whole + fma_f32(g.lo, whole, rest)), a);
}

/* ---- atanh x = k ln2 / 2 + atanh s, where (1 + x) / (1 - x) = 2^k (1 + s) / (1 - s); up to 1/2 k is 0 and s is x. Its
 * series: relative error 2^-29.4 ---- */
KT_ALWAYS float atanh_f32(float a)
{
    const float    x = fabsf(a), sum = 1 + x, sum_lo = (1 - sum) + x;
    const uint32_t far = mask_f32(x > 0.5f), d = bits_f32(1 - x), exponent = (d - 0x3f200000u) & 0xff800000u;
    const float    scaled = of_bits_f32(d - exponent + 0x00800000u); /* 2^k (1 - x), from 1.25 to 2.5 */
    const float    k = only_f32(far, 1 - (float)((int32_t)exponent >> 23));
    const float    s = pick_f32(far, ((sum - scaled) + sum_lo) / (sum + scaled), x), z = s * s, z2 = z * z;
    const float    high = fma_f32(z2, fma_f32(z, 0x1.6a961cp-3f, 0x1.a27ae8p-5f), fma_f32(z, 0x1.e4a158p-4f, 0x1.234272p-3f));
    const float    p = fma_f32(z2, high, fma_f32(z, 0x1.99a72ap-3f, 0x1.55553ep-2f));
    const float    r = fma_f32(k, LN2_HI_F32 / 2, s + fma_f32(s * z, p, k * (LN2_LO_F32 / 2)));
    return signed_f32(pick_f32(mask_f32(x < 1), r, pick_f32(mask_f32(x == 1), INFINITY, NAN)), a);
}

#endif
