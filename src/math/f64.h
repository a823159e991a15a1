/* f64.h - the functions of tables/kernels for float64 that do not come by inclusion (math/real.inc.c): those of math/f64, which
 * vectorise, the C library's, and special.h. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F64_H
#define KT_MATH_F64_H

#include "math/core.h"
#include "math/f64/exponential.h"
#include "math/f64/large.h"
#include "math/f64/logarithm.h"
#include "math/f64/trigonometric.h"
#include "math/special.h"

KT_ALWAYS double exp_quick_f64(double a) { return exp_f64(a); }
KT_ALWAYS double asin_f64(double a)    { return asin(a); }
KT_ALWAYS double acos_f64(double a)    { return acos(a); }
KT_ALWAYS double atan_f64(double a)    { return atan(a); }
KT_ALWAYS double atan2_f64(double a, double b) { return atan2(a, b); }
KT_ALWAYS double log1p_exp_f64(double a) { return log1p(exp(-a)); } /* a >= 0 */
KT_ALWAYS double asinh_f64(double a)   { return asinh(a); }
KT_ALWAYS double acosh_f64(double a)   { return acosh(a); }
KT_ALWAYS double atanh_f64(double a)   { return atanh(a); }
KT_ALWAYS double silu_f64(double a)    { return a / (1 + exp_f64(-a)); }
KT_ALWAYS double erf_f64(double a)     { return erf(a); }
KT_ALWAYS double erfc_f64(double a)    { return erfc(a); }
KT_ALWAYS double gelu_f64(double a)    { return 0.5 * a * erfc(a * -0x1.6a09e667f3bcdp-1); }
KT_ALWAYS double gelu_slope_f64(double a)
{
    return 0.5 * erfc(a * -0x1.6a09e667f3bcdp-1) + a * (exp(-0.5 * a * a) * 0x1.9884533d43651p-2);
}
KT_ALWAYS double pow_f64(double a, double b)   { return pow(a, b); }
#ifdef __CUDACC__ /* whose own, 2 ulp off, overflows where the result is the largest number */
KT_ALWAYS double hypot_f64(double a, double b)
{
    const double x = fabs(a), y = fabs(b), large = x > y ? x : y, small = x > y ? y : x;
    return small < large * 0x1p-28 ? large : hypot(a, b);
}
#else
KT_ALWAYS double hypot_f64(double a, double b) { return hypot(a, b); }
#endif
KT_ALWAYS double digamma_f64(double a) { return kt__digamma(a); }
KT_ALWAYS double erfinv_f64(double a)  { return kt__erfinv(a); }
KT_ALWAYS double i0_f64(double a)      { return kt__i0(a); }
KT_ALWAYS double i1_f64(double a)      { return kt__i1(a); }
KT_ALWAYS double lgamma_f64(double a)  { return kt__lgamma(a); }
KT_ALWAYS double polygamma_f64(double a, double n) { return kt__polygamma(n, a); }
KT_ALWAYS double sinc_f64(double a)    { return kt__sinc(a); }
KT_ALWAYS double fit_f64(double x, double cut) { (void)cut; return x; } /* nothing narrower is calculated in float64 */
KT_ALWAYS double nextafter_f64(double a, double b, double cut) { (void)cut; return nextafter(a, b); }

KT_ALWAYS double logaddexp_f64(double a, double b)
{
    return a == b && fabs(a) == INFINITY ? a : (a > b ? a : b) + log1p(exp(-fabs(a - b)));
}

KT_ALWAYS double logaddexp2_f64(double a, double b)
{
    return a == b && fabs(a) == INFINITY ? a : (a > b ? a : b) + log1p(exp2(-fabs(a - b))) * CORE_LOG2E;
}

#endif
