/* exp_share.h - e^a for what softmax adds up and shares out: exp_share_f32, exp_share_f64; exp_share_near_f32, which has the same
 * bits for |a| < 87.
 *
 * In and out: float or double. float32: at most 0.9 ulp in 12 operations, where exp_f32 takes 14. It may fall by one ulp from a
 * number to the next above, 2,903 times over all, which exp does not: so it is not exp's.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_EXP_SHARE_H
#define KT_MATH_EXP_SHARE_H

#include "math/f32/exponential.h"
#include "math/f64/exponential.h"

/* the last factors of e^r's polynomial */
#define EXP_2_F32 0x1.fffffap-2f
#define EXP_3_F32 0x1.555492p-3f
#define EXP_4_F32 0x1.555a02p-5f
#define EXP_5_F32 0x1.1239a4p-7f
#define EXP_6_F32 0x1.6979cep-10f

/* e^r for |r| < 0.3468: 2^-24 times 0.037 off below 0, twice that above. One operation after the other: every sum but the last
 * two is multiplied by r^2, so its rounding is small, and there is nothing to keep but r. */
KT_ALWAYS float exp_of_rest_f32(float r)
{
    const float c = fma_f32(fma_f32(fma_f32(fma_f32(r, EXP_6_F32, EXP_5_F32), r, EXP_4_F32), r, EXP_3_F32), r, EXP_2_F32);
    return fma_f32(fma_f32(c, r, 1), r, 1);
}

KT_ALWAYS float exp_share_f32(float a)
{
    const float x = at_most_f32(at_least_f32(a, -104.0f), 89.0f), t = exp_power_f32(x, 254);
    return scaled_f32(exp_of_rest_f32(exp_rest_f32(x, t, 254)), t);
}

/* The result is normal: 2^k is added to its exponent. 0 is even as 254 is, so that k is the same. */
KT_ALWAYS float exp_share_near_f32(float a)
{
    const float t = exp_power_f32(a, 0);
    return of_bits_f32(bits_f32(exp_of_rest_f32(exp_rest_f32(a, t, 0))) + (bits_f32(t) << 23));
}

KT_ALWAYS double exp_share_f64(double a) { return exp_f64(a); }

#endif
