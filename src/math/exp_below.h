/* exp_below.h - e^a for a that is not above 0, for softmax: exp_below_f32, exp_below_f64.
 *
 * In and out: float or double. float32: at most 1.5 ulp, and 0 below -87, where the result would be subnormal; NaN stays.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_EXP_BELOW_H
#define KT_MATH_EXP_BELOW_H

#include "math/f32/exponential.h"
#include "math/f64/exponential.h"

KT_ALWAYS float exp_below_f32(float a)
{
    const float t = exp_power_f32(a, 127), r = exp_rest_f32(a, t, 127), r2 = r * r, s = of_bits_f32(bits_f32(t) << 23);
    return only_f32(~mask_f32(a < -87.0f), fma_f32(s, fma_f32(r2, exp_tail_f32(r, r2), r), s));
}

KT_ALWAYS double exp_below_f64(double a) { return exp_f64(a); }

#endif
