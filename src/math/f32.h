/* f32.h - the functions of tables/kernels for float32 that do not come by inclusion (math/real.inc.c).
 *
 * In and out: float. Those of f32/ are calculated in float32; the others are one rounding of a double (math/core.h), at most 0.51
 * ulp from the true value; the rare ones call special.h. bounds.def says how exact each is.
 * Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_H
#define KT_MATH_F32_H

#include "math/core.h"
#include "math/f32/exponential.h"
#include "math/f32/hyperbolic.h"
#include "math/f32/inverse.h"
#include "math/f32/logarithm.h"
#include "math/f32/power.h"
#include "math/f32/trigonometric.h"
#include "math/special.h"
#include "dtype/convert.h"

/* e^a in float alone, about 1 ulp off, for sums that are rounded anyway: twice the lanes of exp. The power of two comes
 * in two factors, since it may lie below the normal numbers. */
KT_ALWAYS float exp_quick_f32(float a)
{
    const float low = a < -104.0f ? -104.0f : a, x = low > 130.0f ? 130.0f : low;
    const float t = x * 0x1.715476p+0f + 0x1.8p23f, k = t - 0x1.8p23f;
    const float r = x - k * 0x1.62e4p-1f - k * 0x1.7f7d1cp-20f;
    const float r2 = r * r, low_half = 0x1.fffffcp-2f + r * 0x1.555492p-3f, middle = 0x1.5558fp-5f + r * 0x1.1239e6p-7f;
    const float p = low_half + r2 * (middle + r2 * 0x1.6a24b4p-10f);
    uint32_t    n, first, second;
    float       scale, rest;
    memcpy(&n, &t, 4);
    n -= 0x4b400000u;
    first = (uint32_t)((int32_t)n >> 1);
    second = (n - first + 127) << 23;
    first = (first + 127) << 23;
    memcpy(&scale, &first, 4);
    memcpy(&rest, &second, 4);
    return (1 + (r + r2 * p)) * scale * rest;
}

KT_ALWAYS float erf_f32(float a)
{
    const double x = fabs((double)a);
    double r = 1 - core_erfc_far(x);
    r = x > 4 ? 1.0 : r;
    r = x < 0.75 ? core_erf_near(x) : r;
    return copysignf((float)r, a);
}

KT_ALWAYS float erfc_f32(float a)
{
    const double x = fabs((double)a);
    double far = core_erfc_far(x);
    far = x > 10.5 ? 0.0 : far;
    double r = a < 0 ? 2 - far : far;
    r = x < 0.75 ? 1 - core_erf_near(a) : r;
    return (float)r;
}

/* The share of a normal distribution below a, and e^(-a * a / 2), which it is made of. */
KT_ALWAYS double normal_share(double a, double *bell)
{
    const double x = fabs(a) * 0x1.6a09e667f3bcdp-1, e = core_exp(-x * x);
    double beyond = 0.5 * core_erfc_far(x);
    beyond = x > 10.5 ? 0.0 : beyond;
    beyond = x < 0.75 ? 0.5 - 0.5 * core_erf_near(x) : beyond;
    *bell = x > 10.5 ? 0.0 : e;
    return a < 0 ? beyond : 1 - beyond;
}
KT_ALWAYS float gelu_f32(float a)
{
    double bell;
    return (float)(a * normal_share(a, &bell));
}
KT_ALWAYS float gelu_slope_f32(float a)
{
    double       bell;
    const double share = normal_share(a, &bell);
    return (float)(share + a * (bell * 0x1.9884533d43651p-2));
}

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

/* tanh(log(1 + n)) of n = e^a is made of squares of n; past 20 nothing of 1 is missing. */
KT_ALWAYS float mish_f32(float a)
{
    const float n = exp_f32(a), w = n * (n + 2);
    return a > 20 ? a : a * (w / (w + 2));
}

KT_ALWAYS float gelu_tanh_f32(float a)
{
    return a * sigmoid_f32(1.5957691216057308f * (a + 0.044715f * a * a * a));
}

KT_ALWAYS float digamma_f32(float a) { return (float)kt__digamma(a); }
KT_ALWAYS float erfinv_f32(float a)  { return (float)kt__erfinv(a); }
KT_ALWAYS float i0_f32(float a)      { return (float)kt__i0(a); }
KT_ALWAYS float i1_f32(float a)      { return (float)kt__i1(a); }
KT_ALWAYS float lgamma_f32(float a)  { return (float)kt__lgamma(a); }
KT_ALWAYS float polygamma_f32(float a, float n) { return (float)kt__polygamma(n, a); }
KT_ALWAYS float sinc_f32(float a)    { return (float)kt__sinc(a); }

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
