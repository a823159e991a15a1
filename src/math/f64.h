/* f64.h - the functions of tables/kernels for float64 that do not come by inclusion (math/real.inc.c): those of math/f64, which
 * vectorise, and special.h's. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F64_H
#define KT_MATH_F64_H

#include "math/core.h"
#include "math/f64/activation.h"
#include "math/f64/error.h"
#include "math/f64/error_pieces.h"
#include "math/f64/exponential.h"
#include "math/f64/inverse.h"
#include "math/f64/large.h"
#include "math/f64/logarithm.h"
#include "math/f64/pieces.h"
#include "math/f64/power.h"
#include "math/f64/trigonometric.h"
#include "math/incomplete.h"
#include "math/special.h"

/* Rows that have a shorter form in float32 alone. */
KT_ALWAYS double   exp2_near_f64(double a)   { return exp2_f64(a); }
KT_ALWAYS uint64_t exp2_beyond_f64(double a) { (void)a; return 0; }
KT_ALWAYS double   gelu_near_f64(double a)   { return gelu_f64(a); }
KT_ALWAYS uint64_t gelu_beyond_f64(double a) { (void)a; return 0; }

KT_ALWAYS double digamma_f64(double a) { return kt__digamma(a); }
KT_ALWAYS double erfinv_f64(double a)  { return kt__erfinv(a); }
KT_ALWAYS double i0_f64(double a)      { return kt__i0(a); }
KT_ALWAYS double i1_f64(double a)      { return kt__i1(a); }
KT_ALWAYS double lgamma_f64(double a)  { return kt__lgamma(a); }
KT_ALWAYS double polygamma_f64(double a, double n) { return kt__polygamma(n, a); }
KT_ALWAYS double sinc_f64(double a)    { return kt__sinc(a); }
KT_ALWAYS double bessel_j0_f64(double a) { return kt__bessel_j0(a); }
KT_ALWAYS double bessel_j1_f64(double a) { return kt__bessel_j1(a); }
KT_ALWAYS double bessel_y0_f64(double a) { return kt__bessel_y0(a); }
KT_ALWAYS double bessel_y1_f64(double a) { return kt__bessel_y1(a); }
KT_ALWAYS double bessel_k0_f64(double a) { return kt__bessel_k0(a); }
KT_ALWAYS double bessel_k1_f64(double a) { return kt__bessel_k1(a); }
KT_ALWAYS double bessel_k0e_f64(double a) { return kt__bessel_k0e(a); }
KT_ALWAYS double bessel_k1e_f64(double a) { return kt__bessel_k1e(a); }
KT_ALWAYS double spherical_j0_f64(double a) { return kt__spherical_j0(a); }
KT_ALWAYS double erfcx_f64(double a) { return kt__erfcx(a); }
KT_ALWAYS double i0e_f64(double a) { return kt__i0e(a); }
KT_ALWAYS double i1e_f64(double a) { return kt__i1e(a); }
KT_ALWAYS double log_ndtr_f64(double a) { return kt__log_ndtr(a); }
KT_ALWAYS double ndtri_f64(double a) { return kt__ndtri(a); }
KT_ALWAYS double igamma_f64(double a, double b) { return kt__igamma(a, b); }
KT_ALWAYS double igammac_f64(double a, double b) { return kt__igammac(a, b); }
KT_ALWAYS double zeta_f64(double a, double b) { return kt__zeta(a, b); }
KT_ALWAYS double gamma_slope_f64(double a, double b) { return kt__gamma_slope(a, b); }
KT_ALWAYS double beta_slope_f64(double a, double b, double c) { return kt__beta_slope(a, b, c); }
KT_ALWAYS double fit_f64(double x, double cut) { (void)cut; return x; } /* nothing narrower is calculated in float64 */
KT_ALWAYS double nextafter_f64(double a, double b, double cut) { (void)cut; return nextafter(a, b); }

#endif
