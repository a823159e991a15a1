/* f64.h - the functions of tables/kernels for float64 that do not come by inclusion: the C library's,
 * and special.h. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F64_H
#define KT_MATH_F64_H

#include "math/core.h"
#include "math/special.h"

KT_ALWAYS double exp_f64(double a)     { return exp(a); }
KT_ALWAYS double exp_quick_f64(double a) { return exp(a); }
KT_ALWAYS double exp2_f64(double a)    { return exp2(a); }
KT_ALWAYS double expm1_f64(double a)   { return expm1(a); }
KT_ALWAYS double log_f64(double a)     { return log(a); }
KT_ALWAYS double log2_f64(double a)    { return log2(a); }
KT_ALWAYS double log10_f64(double a)   { return log10(a); }
KT_ALWAYS double log1p_f64(double a)   { return log1p(a); }
KT_ALWAYS double sin_f64(double a)     { return sin(a); }
KT_ALWAYS double cos_f64(double a)     { return cos(a); }
KT_ALWAYS double tan_f64(double a)     { return tan(a); }
KT_ALWAYS double asin_f64(double a)    { return asin(a); }
KT_ALWAYS double acos_f64(double a)    { return acos(a); }
KT_ALWAYS double atan_f64(double a)    { return atan(a); }
KT_ALWAYS double atan2_f64(double a, double b) { return atan2(a, b); }
KT_ALWAYS double sinh_f64(double a)    { return sinh(a); }
KT_ALWAYS double cosh_f64(double a)    { return cosh(a); }
KT_ALWAYS double log1p_exp_f64(double a) { return log1p(exp(-a)); } /* a >= 0 */
KT_ALWAYS double tanh_f64(double a)    { return tanh(a); }
KT_ALWAYS double asinh_f64(double a)   { return asinh(a); }
KT_ALWAYS double acosh_f64(double a)   { return acosh(a); }
KT_ALWAYS double atanh_f64(double a)   { return atanh(a); }
KT_ALWAYS double sigmoid_f64(double a) { const double e = exp(-fabs(a)); return (a < 0 ? e : 1) / (1 + e); }
KT_ALWAYS double erf_f64(double a)     { return erf(a); }
KT_ALWAYS double erfc_f64(double a)    { return erfc(a); }
KT_ALWAYS double gelu_f64(double a)    { return 0.5 * a * erfc(a * -0x1.6a09e667f3bcdp-1); }
KT_ALWAYS double gelu_slope_f64(double a)
{
    return 0.5 * erfc(a * -0x1.6a09e667f3bcdp-1) + a * (exp(-0.5 * a * a) * 0x1.9884533d43651p-2);
}
KT_ALWAYS double pow_f64(double a, double b)   { return pow(a, b); }
KT_ALWAYS double hypot_f64(double a, double b) { return hypot(a, b); }
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
