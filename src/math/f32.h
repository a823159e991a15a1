/* f32.h - the functions of tables/kernels for float32 that do not come by inclusion (math/real.inc.c).
 *
 * In and out: float. Those of f32/ are calculated in float32; the others are one rounding of a double (math/core.h), at most 0.51
 * ulp from the true value; the rare ones call special.h. bounds.def says how exact each is.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_H
#define KT_MATH_F32_H

#include "math/core.h"
#include "math/f32/activation.h"
#include "math/f32/error.h"
#include "math/f32/exponential.h"
#include "math/f32/hyperbolic.h"
#include "math/f32/inverse.h"
#include "math/f32/logarithm.h"
#include "math/f32/pieces.h"
#include "math/f32/power.h"
#include "math/f32/trigonometric.h"
#include "math/incomplete.h"
#include "math/special.h"
#include "dtype/convert.h"

/* Rows that have a shorter form in float64 alone. */
KT_ALWAYS float    erf_near_f32(float a)    { return erf_f32(a); }
KT_ALWAYS uint32_t erf_beyond_f32(float a)  { (void)a; return 0; }
KT_ALWAYS float    erfc_near_f32(float a)   { return erfc_f32(a); }
KT_ALWAYS uint32_t erfc_beyond_f32(float a) { (void)a; return 0; }

KT_ALWAYS float hypot_f32(float a, float b)
{
    const double x = a, y = b;
    double r = sqrt(x * x + y * y);
    r = fabs(x) == INFINITY ? INFINITY : r;
    r = fabs(y) == INFINITY ? INFINITY : r;
    return (float)r;
}

KT_ALWAYS float asinh_f32(float a)
{
    const double x = fabs((double)a);
    float r = (float)core_log1p(x + x * x / (1 + sqrt(1 + x * x)));
    r = x == INFINITY ? INFINITY : r;
    return copysignf(r, a);
}

KT_ALWAYS float acosh_f32(float a)
{
    const double t = (double)a - 1;
    const float r = (float)core_log1p(t + sqrt(t * (t + 2)));
    return a < 1 ? NAN : r;
}

KT_ALWAYS float digamma_f32(float a) { return (float)kt__digamma(a); }
KT_ALWAYS float erfinv_f32(float a)  { return (float)kt__erfinv(a); }
KT_ALWAYS float i0_f32(float a)      { return (float)kt__i0(a); }
KT_ALWAYS float i1_f32(float a)      { return (float)kt__i1(a); }
KT_ALWAYS float lgamma_f32(float a)  { return (float)kt__lgamma(a); }
KT_ALWAYS float polygamma_f32(float a, float n) { return (float)kt__polygamma(n, a); }
KT_ALWAYS float sinc_f32(float a)    { return (float)kt__sinc(a); }
KT_ALWAYS float bessel_j0_f32(float a) { return (float)kt__bessel_j0(a); }
KT_ALWAYS float bessel_j1_f32(float a) { return (float)kt__bessel_j1(a); }
KT_ALWAYS float bessel_y0_f32(float a) { return (float)kt__bessel_y0(a); }
KT_ALWAYS float bessel_y1_f32(float a) { return (float)kt__bessel_y1(a); }
KT_ALWAYS float bessel_k0_f32(float a) { return (float)kt__bessel_k0(a); }
KT_ALWAYS float bessel_k1_f32(float a) { return (float)kt__bessel_k1(a); }
KT_ALWAYS float bessel_k0e_f32(float a) { return (float)kt__bessel_k0e(a); }
KT_ALWAYS float bessel_k1e_f32(float a) { return (float)kt__bessel_k1e(a); }
KT_ALWAYS float spherical_j0_f32(float a) { return (float)kt__spherical_j0(a); }
KT_ALWAYS float erfcx_f32(float a) { return (float)kt__erfcx(a); }
KT_ALWAYS float i0e_f32(float a) { return (float)kt__i0e(a); }
KT_ALWAYS float i1e_f32(float a) { return (float)kt__i1e(a); }
KT_ALWAYS float log_ndtr_f32(float a) { return (float)kt__log_ndtr(a); }
KT_ALWAYS float ndtri_f32(float a) { return (float)kt__ndtri(a); }
KT_ALWAYS float igamma_f32(float a, float b) { return (float)kt__igamma(a, b); }
KT_ALWAYS float igammac_f32(float a, float b) { return (float)kt__igammac(a, b); }
KT_ALWAYS float zeta_f32(float a, float b) { return (float)kt__zeta(a, b); }
KT_ALWAYS float gamma_slope_f32(float a, float b) { return (float)kt__gamma_slope(a, b); }
KT_ALWAYS float beta_slope_f32(float a, float b, float c) { return (float)kt__beta_slope(a, b, c); }

/* The nearest float16 or bfloat16, or x itself: `cut` low bits of a float32 are not stored by the type. */
KT_ALWAYS float fit_f32(float x, float cut)
{
    if (cut == 13)
        return kt__decode_F16(kt__encode_f32_F16(x));
    if (cut == 16)
        return kt__decode_BF16(kt__encode_f32_BF16(x));
    return x;
}

/* Next float32, float16 or bfloat16 after a towards b: `cut` low bits of a float32 are not stored by the type. */
KT_ALWAYS float nextafter_f32(float a, float b, float cut)
{
    if (a != a || b != b)
        return a + b;
    if (a == b)
        return b;
    uint32_t   u;
    const int  half = cut == 13, up = b > a, away = up == (a > 0);
    const float fine = half ? 0x1p-24f : cut == 16 ? 0x1p-133f : 0x1p-149f, normal = half ? 0x1p-14f : 0x1p-126f;
    if (a == 0)
        return up ? fine : -fine;
    if (half && fabsf(a) == INFINITY)
        return a > 0 ? 65504.0f : -65504.0f;
    if (half && (fabsf(a) < normal || (fabsf(a) == normal && !away)))
        return up ? a + fine : a - fine;
    memcpy(&u, &a, 4);
    u = away ? u + (1u << (int)cut) : u - (1u << (int)cut);
    memcpy(&a, &u, 4);
    return a;
}

#endif
