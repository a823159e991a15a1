/* values_real.c - every row of the kernel tables in the float dtypes, against long double references written here by
 * definition. Ordinary values of all sizes, and the special ones crossed with each other. */
#include "plans.h"

typedef long double real;

static const real pi = 3.141592653589793238462643383279502884L;
static real       p0, p1, p2; /* the parameters of the row at hand, as the kernel sees them */

/* ---- references ---- */
static real ref_sign(real a) { return (a > 0) - (a < 0); }
static real ref_max(real a, real b) { return isnan(a) || isnan(b) ? NAN : a > b ? a : b; }
static real ref_min(real a, real b) { return isnan(a) || isnan(b) ? NAN : a < b ? a : b; }
static real ref_remainder(real a, real b)
{
    const real m = fmodl(a, b);
    return m != 0 && signbit(m) != signbit(b) ? m + b : m;
}
static real ref_div_floor(real a, real b)
{
    if (isinf(b) && isfinite(a))
        return a != 0 && signbit(a) != signbit(b) ? -1 : 0;
    return b == 0 ? a / b : isinf(a) ? NAN : (a - ref_remainder(a, b)) / b;
}
static real ref_lerp(real a, real b, real w) { return fabsl(w) < 0.5L ? a + w * (b - a) : b - (b - a) * (1 - w); }
static real ref_exponent(real x)
{
    return x == 0 || isnan(x) || isinf(x) ? 0 : logbl(x) + 1;
}

static real ref_digamma(real x)
{
    if (x <= 0 && x == floorl(x))
        return x == 0 ? (signbit(x) ? INFINITY : -INFINITY) : NAN;
    if (x < 0)
        return ref_digamma(1 - x) - pi / tanl(pi * (x - rintl(x)));
    real r = 0;
    for (; x < 40; x++)
        r -= 1 / x;
    const real z = 1 / (x * x);
    return r + logl(x) - 0.5L / x - z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * (1 / 240.0L - z / 132))));
}
static real ref_trigamma(real x)
{
    if (isinf(x) || isnan(x))
        return x > 0 ? 0 : NAN;
    if (x < 0.5L && x == rintl(x))
        return INFINITY;
    if (x < 0)
        return pi * pi / (sinl(pi * (x - rintl(x))) * sinl(pi * (x - rintl(x)))) - ref_trigamma(1 - x);
    real r = 0;
    for (; x < 40; x++)
        r += 1 / (x * x);
    const real z = 1 / (x * x);
    return r + 1 / x + z / 2 + z / x * (1 / 6.0L - z * (1 / 30.0L - z * (1 / 42.0L - z / 30)));
}
static real ref_i0(real x)
{
    real sum = 1, term = 1;
    if (isinf(x) || fabsl(x) > 1000)
        return isinf(x) ? NAN : INFINITY;
    for (int k = 1; k < 4000 && term > sum * 1e-25L; k++)
        term *= x * x / 4 / ((real)k * k), sum += term;
    return isnan(x) ? x : sum;
}
static real ref_i1(real x)
{
    real sum = 1, term = 1;
    if (isnan(x) || isinf(x) || fabsl(x) > 1000)
        return isnan(x) || isinf(x) ? NAN : copysignl(INFINITY, x);
    for (int k = 1; k < 4000 && term > sum * 1e-25L; k++)
        term *= x * x / 4 / ((real)k * (k + 1)), sum += term;
    return x / 2 * sum;
}
static real ref_bessel(real (*f)(real), real x, bool second)
{
    return isinf(x) || (second && x < 0) ? NAN : second && x == 0 ? -INFINITY : f(x);
}
/* Far out what is left of the asymptotic series is (1 + k / x) / sqrt(2 pi x). */
static real ref_scaled(real (*bessel)(real), real x)
{
    if (isinf(x))
        return bessel == ref_i1 && x < 0 ? -0.0L : 0;
    if (fabsl(x) < 700 || isnan(x))
        return bessel(x) * expl(-fabsl(x));
    const real m = bessel == ref_i0 ? 0 : 4, z = 8 * fabsl(x), tail = 1 / sqrtl(2 * pi * fabsl(x));
    const real series = 1 - (m - 1) / z * (1 - (m - 9) / (2 * z) * (1 - (m - 25) / (3 * z) * (1 - (m - 49) / (4 * z))));
    return (bessel == ref_i1 && x < 0 ? -1 : 1) * tail * series;
}
/* e^(x^2) erfc(x); where erfc is small by its continued fraction. */
static real ref_erfcx(real x)
{
    if (isnan(x) || isinf(x))
        return isnan(x) ? x : x > 0 ? 0 : INFINITY;
    if (x < 5)
        return expl(x * x) * erfcl(x);
    real rest = 0;
    for (int k = 80; k > 0; k--)
        rest = k / 2.0L / (x + rest);
    return 1 / ((x + rest) * sqrtl(pi));
}
static real ref_log_ndtr(real x)
{
    if (isinf(x))
        return x > 0 ? 0 : -INFINITY;
    return x < -7 ? logl(ref_erfcx(-x / sqrtl(2)) / 2) - x * x / 2
           : x > 0 ? log1pl(-erfcl(x / sqrtl(2)) / 2) : logl(erfcl(-x / sqrtl(2)) / 2);
}
static real ref_ndtri(real p)
{
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    real lo = -40, hi = 40; /* by halves; near the middle what erf would be is its slope */
    if (fabsl(p - 0.5L) < 1e-6L)
        return (p - 0.5L) * sqrtl(2 * pi);
    for (int i = 0; i < 120; i++) {
        const real mid = (lo + hi) / 2, below = erfcl(-mid / sqrtl(2)) / 2, above = erfcl(mid / sqrtl(2)) / 2;
        if (mid < 0 ? below < p : above > 1 - p)
            lo = mid;
        else
            hi = mid;
    }
    return (lo + hi) / 2;
}
static real ref_zeta(real s, real x)
{
    if (s == 1)
        return INFINITY;
    if (isnan(s) || isnan(x) || !(s >= 1))
        return NAN;
    if (x <= 0 && x == rintl(x))
        return INFINITY;
    if (isinf(x) || isinf(s))
        return x < 1 ? INFINITY : x == 1 ? 1 : 0;
    if (x < 0 && s != rintl(s))
        return NAN;
    real sum = 0;
    if (x < -1e5L)
        x += floorl(-x - 1e5L);
    for (; x < 60; x++)
        sum += powl(x, -s);
    const real z = s / (x * x); /* Euler and Maclaurin */
    return sum + powl(x, 1 - s) / (s - 1) +
           powl(x, -s) / 2 * (1 + x * z / 6 * (1 - (s + 1) * (s + 2) / (x * x) / 60 * (1 - (s + 3) * (s + 4) / (x * x) / 42)));
}
/* Temme's expansion for a large a, where the logarithms of the series would cancel; its next term is 1 / a of the last. */
static real ref_large_gamma_share(real a, real x, bool above)
{
    const real mu = (x - a) / a, sign = above ? 1 : -1;
    const bool near = fabsl(mu) < 1e-3L;
    const real half = near ? mu * mu * (1 / 2.0L - mu * (1 / 3.0L - mu * (1 / 4.0L - mu * (1 / 5.0L - mu * (1 / 6.0L - mu / 7)))))
                           : mu - log1pl(mu);
    const real eta = copysignl(sqrtl(2 * half), mu);
    const real rest = near ? -1 / 3.0L + mu / 12 - 2 * mu * mu / 135 : 1 / mu - 1 / eta;
    return erfcl(sign * eta * sqrtl(a / 2)) / 2 + sign * expl(-a * half) / sqrtl(2 * pi * a) * rest;
}
/* The share of Gamma(a) below or above x: its series, from the middle of the density outwards the continued fraction. */
static real ref_gamma_share(real a, real x, bool above)
{
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (isinf(a) && isinf(x)))
        return NAN;
    if (a == 0 || isinf(x) || x == 0 || isinf(a))
        return (a == 0 || isinf(x)) != above;
    if (a > 1e10L)
        return ref_large_gamma_share(a, x, above);
    /* log(Gamma(1 + a)), for a small a, whose digits 1 + a would lose, from Euler's constant and zeta(2) to zeta(6) */
    const real euler = 0.577215664901532860606512090082402431L, zeta3 = 1.202056903159594285399738161511449991L,
               zeta5 = 1.036927755143369926331365486457034168L;
    const real rest_of = pi * pi / 12 - a * (zeta3 / 3 - a * (powl(pi, 4) / 360 - a * (zeta5 / 5 - a * powl(pi, 6) / 5670)));
    const real log_gamma = a < 1e-3L ? a * (a * rest_of - euler) : lgammal(a + 1);
    const real factor = expl(a * logl(x) - x - log_gamma);
    real       value = 1;
    if (above && x < 1e-3L && a < 1e-3L) { /* what the series leaves of 1; ten terms are more than its digits */
        real term = 1, rest = 0;
        for (int n = 1; n <= 10; n++)
            term *= -x / n, rest += term / (a + n);
        return -expm1l(a * logl(x) - log_gamma) - a * expl(a * logl(x) - log_gamma) * rest;
    }
    if (x < a + 1) {
        real term = 1;
        for (int n = 1; n < 200000 && term > value * 1e-22L; n++)
            term *= x / (a + n), value += term;
        return above ? 1 - factor * value : factor * value;
    }
    value = 0;
    for (int n = 600; n > 0; n--)
        value = n * (n - a) / (x + 2 * n + 1 - a - value);
    value = a * factor / (x + 1 - a - value);
    return above ? value : 1 - value;
}
static real ref_erfinv(real x)
{
    if (!(fabsl(x) < 1))
        return fabsl(x) == 1 ? copysignl(INFINITY, x) : NAN;
    real lo = 0, hi = 7;
    for (int i = 0; i < 80; i++) {
        const real mid = (lo + hi) / 2;
        if (fabsl(x) < 0.5L ? erfl(mid) < fabsl(x) : erfcl(mid) > 1 - fabsl(x))
            lo = mid;
        else
            hi = mid;
    }
    return fabsl(x) < 1e-4L ? x * sqrtl(pi) / 2 * (1 + pi * x * x / 12) : copysignl(lo, x);
}
static real ref_sinc(real x) { return x == 0 ? 1 : sinl(pi * fmodl(x, 2)) / (pi * x); }
static real ref_logaddexp(real a, real b)
{
    return a == b && isinf(a) ? a : ref_max(a, b) + log1pl(expl(-fabsl(a - b)));
}
static real ref_logaddexp2(real a, real b)
{
    return a == b && isinf(a) ? a : ref_max(a, b) + log1pl(exp2l(-fabsl(a - b))) / logl(2);
}
static real ref_nan_to_num(real a) { return isnan(a) ? p0 : isinf(a) ? (a > 0 ? p1 : p2) : a; }
static real ref_logit(real a) { return a < 0 || a > 1 || isnan(a) ? (isnan(a) ? a : NAN) : logl(a / (1 - a)); }
static real ref_huber(real d) { return fabsl(d) < p0 ? p1 * d * d : p2 * (fabsl(d) - p0 / 2); }
static real ref_huber_slope(real d) { return fabsl(d) < p0 || isnan(d) ? p1 * d : copysignl(p2, d); }
static real ref_round_to(real a) { return rintl(a * 100) / 100; }

static real ref_cubic(real a) { return sqrtl(2 / pi) * (a + 0.044715L * a * a * a); }
static real ref_mish_slope(real a)
{
    const real t = tanhl(log1pl(expl(a)));
    return t + a / (1 + expl(-a)) * (1 - t * t);
}
static real ref_cubic_slope(real a)
{
    const real t = tanhl(ref_cubic(a)), inner = sqrtl(2 / pi) * (1 + 3 * 0.044715L * a * a);
    return (1 + t) / 2 + (fabsl(a) > 100 ? 0 : a * (1 - t * t) * inner / 2);
}
static real ref_softplus(real a) { return a * p0 > p1 ? a : (ref_max(a * p0, 0) + log1pl(expl(-fabsl(a * p0)))) / p0; }

/* name, definition, tolerance: f32 and narrower in ulp of the result, float64 in ulp; a further relative share of the
 * operands' size where the function cancels. */
typedef struct row {
    int         kernel, arity;
    const char *name;
    double      ulp32, ulp64;
    bool        truth; /* the result is a bool */
    bool        cancels;
} row;

/* clang-format off */
#define REAL_ROWS \
    R1(abs, fabsl(a), 0, 0) \
    R1(acos, acosl(a), 2, 4) \
    R1(acosh, acoshl(a), 2, 4) \
    R1(angle, isnan(a) ? a : a < 0 ? pi : 0, 1, 1) \
    R1(asin, asinl(a), 2, 4) \
    R1(asinh, asinhl(a), 2, 4) \
    R1(atan, atanl(a), 2, 4) \
    R1(atanh, atanhl(a), 2, 4) \
    C1(bessel_j0, ref_bessel(j0l, a, false), 8, 500) \
    C1(bessel_j1, ref_bessel(j1l, a, false), 8, 500) \
    C1(bessel_y0, ref_bessel(y0l, a, true), 8, 500) \
    C1(bessel_y1, ref_bessel(y1l, a, true), 8, 500) \
    R1(ceil, ceill(a), 0, 0) \
    R1(clamp, ref_min(ref_max(a, p0), p1), 0, 0) \
    R1(clamp_max, ref_min(a, p0), 0, 0) \
    R1(clamp_min, ref_max(a, p0), 0, 0) \
    R1(conj_physical, a, 0, 0) \
    R1(cos, cosl(a), 2, 4) \
    R1(cosh, coshl(a), 2, 4) \
    R1(deg2rad, a * pi / 180, 2, 2) \
    C1(digamma, ref_digamma(a), 8, 500) \
    R1(entr, a < 0 ? -HUGE_VALL : a == 0 ? 0 : -a * logl(a), 3, 4) \
    R1(erf, erfl(a), 2, 4) \
    R1(erfc, erfcl(a), 2, 4) \
    R1(erfcx, ref_erfcx(a), 8, 500) \
    R1(erfinv, ref_erfinv(a), 8, 500) \
    R1(exp, expl(a), 2, 4) \
    R1(exp2, exp2l(a), 2, 4) \
    R1(expm1, expm1l(a), 2, 4) \
    R1(frexp_exponent, ref_exponent(a), 0, 0) \
    R1(frexp_mantissa, scalbnl(a, -(int)ref_exponent(a)), 0, 0) \
    R1(floor, floorl(a), 0, 0) \
    R1(frac, a - truncl(a), 0, 0) \
    R1(i0, ref_i0(a), 8, 500) \
    R1(i1, ref_i1(a), 8, 500) \
    R1(i0e, ref_scaled(ref_i0, a), 8, 500) \
    R1(i1e, ref_scaled(ref_i1, a), 8, 500) \
    B1(isfinite, isfinite(a)) \
    B1(isinf, isinf(a) != 0) \
    B1(isnan, isnan(a)) \
    B1(isneginf, isinf(a) && a < 0) \
    B1(isposinf, isinf(a) && a > 0) \
    C1(lgamma, lgammal(a), 8, 500) \
    R1(log, logl(a), 2, 4) \
    R1(cube, a * a * a, 2, 2) \
    R1(identity, a, 0, 0) \
    R1(log10, log10l(a), 2, 4) \
    R1(log1p, log1pl(a), 2, 4) \
    R1(log2, log2l(a), 2, 4) \
    B1(logical_not, a == 0) \
    C1(logit, ref_logit(a), 8, 8) \
    R1(log_ndtr, ref_log_ndtr(a), 8, 4000) \
    R1(ndtri, ref_ndtri(a), 8, 500) \
    R1(nan_to_num, ref_nan_to_num(a), 0, 0) \
    R1(neg, -a, 0, 0) \
    R1(reciprocal_square, 1 / (a * a), 2, 2) \
    C1(polygamma, ref_trigamma(a), 8, 500) \
    R1(rad2deg, a * 180 / pi, 2, 2) \
    R1(reciprocal, 1 / a, 1, 1) \
    R1(relu, isnan(a) ? a : a > 0 ? a : 0, 0, 0) \
    R1(round, rintl(a), 0, 0) \
    R1(round_decimals, ref_round_to(a), 3, 3) \
    R1(rsqrt, a == 0 ? copysignl(INFINITY, a) : 1 / sqrtl(a), 2, 2) \
    R1(sgn, ref_sign(a), 0, 0) \
    R1(sigmoid, 1 / (1 + expl(-a)), 2, 4) \
    R1(sign, ref_sign(a), 0, 0) \
    B1(signbit, signbit(a) != 0) \
    R1(sin, sinl(a), 2, 4) \
    C1(sinc, ref_sinc(a), 8, 500) \
    R1(sinh, sinhl(a), 2, 4) \
    C1(spherical_j0, a == 0 ? 1 : isinf(a) ? 0 : sinl(a) / a, 8, 8) \
    R1(sqrt, sqrtl(a), 0.51, 0.51) \
    R1(square, a * a, 1, 1) \
    R1(tan, tanl(a), 2, 4) \
    R1(tanh, tanhl(a), 2, 4) \
    R1(trunc, truncl(a), 0, 0) \
    R2(add, a + b, 1, 1) \
    C2(add_scaled, a + p0 * b, 2, 2) \
    R2(atan2, atan2l(a, b), 2, 4) \
    R2(huber_distance, ref_huber(a - b), 4, 4) \
    R2(copysign, copysignl(a, b), 0, 0) \
    R2(div, a / b, 1, 1) \
    R2(div_floor, ref_div_floor(a, b), 2, 2) \
    B2(eq, a == b) \
    B2(ne, a != b) \
    B2(lt, a < b) \
    B2(le, a <= b) \
    B2(gt, a > b) \
    B2(ge, a >= b) \
    R2(fmax, isnan(a) ? b : isnan(b) ? a : ref_max(a, b), 0, 0) \
    R2(fmin, isnan(a) ? b : isnan(b) ? a : ref_min(a, b), 0, 0) \
    R2(fmod, fmodl(a, b), 0, 0) \
    R2(heaviside, a == 0 ? b : a > 0, 0, 0) \
    R2(hypot, hypotl(a, b), 2, 4) \
    C2(lerp_scalar, ref_lerp(a, b, p0), 4, 4) \
    C2(logaddexp, ref_logaddexp(a, b), 4, 4) \
    C2(logaddexp2, ref_logaddexp2(a, b), 4, 4) \
    B2(logical_and, a != 0 && b != 0) \
    B2(logical_or, a != 0 || b != 0) \
    B2(logical_xor, (a != 0) != (b != 0)) \
    R2(maximum, ref_max(a, b), 0, 0) \
    R2(minimum, ref_min(a, b), 0, 0) \
    R2(mul, a * b, 1, 1) \
    R2(pow, powl(a, b), 2, 4) \
    R2(remainder, ref_remainder(a, b), 1, 1) \
    R2(masked_scale, a * b * p0, 2, 2) \
    R2(squared_difference, (a - b) * (a - b), 2, 2) \
    R2(sub, a - b, 1, 1) \
    C2(sub_scaled, a - p0 * b, 2, 2) \
    C2(igamma, ref_gamma_share(a, b, false), 8, 500) \
    C2(igammac, ref_gamma_share(a, b, true), 8, 500) \
    C2(zeta, ref_zeta(a, b), 8, 5000) \
    R2(xlog1py, isnan(b) ? b : a == 0 ? 0 : a * log1pl(b), 3, 4) \
    R2(xlogy, isnan(b) ? b : a == 0 ? 0 : a * logl(b), 3, 4) \
    R1(elu, a > 0 ? a * p1 : expm1l(a * p2) * p0, 4, 4) \
    C1(gelu, a * erfcl(-a / sqrtl(2)) / 2, 4, 2000) \
    C1(gelu_tanh, a * (1 + tanhl(ref_cubic(a))) / 2, 16, 16) \
    R1(hardshrink, a >= -p0 && a <= p0 ? 0 : a, 0, 0) \
    C1(hardsigmoid, ref_min(ref_max(a + 3, 0), 6) / 6, 2, 2) \
    C1(hardswish, a * ref_min(ref_max(a + 3, 0), 6) / 6, 4, 4) \
    R1(leaky_relu, a > 0 ? a : a * p0, 1, 1) \
    C1(mish, a * tanhl(log1pl(expl(a))), 8, 8) \
    C1(silu, a / (1 + expl(-a)), 4, 4) \
    C1(softplus, ref_softplus(a), 8, 8) \
    R1(softshrink, a > p0 ? a - p0 : a < -p0 ? a + p0 : a * 0, 1, 1) \
    R1(threshold, a <= p0 ? p1 : a, 0, 0) \
    C2(elu_backward, b <= 0 ? a * p2 * p0 * expl(b * p2) : a * p1, 8, 8) \
    C2(elu_backward_result, b <= 0 ? a * p2 * (b + p0) : a * p1, 4, 4) \
    R2(hardtanh_backward, b <= p0 || b >= p1 ? 0 : a, 0, 0) \
    C2(gelu_backward, a * (erfcl(-b / sqrtl(2)) / 2 + b * expl(-b * b / 2) / sqrtl(2 * pi)), 8, 2000) \
    C2(gelu_tanh_backward, a * ref_cubic_slope(b), 16, 16) \
    C2(glu, a / (1 + expl(-b)), 4, 4) \
    R2(hardsigmoid_backward, b > -3 && b < 3 ? a / 6 : 0, 1, 1) \
    C2(hardswish_backward, b <= -3 ? 0 : b >= 3 ? a : a * (b / 3 + 0.5L), 4, 4) \
    R2(leaky_relu_backward, b > 0 ? a : a * p0, 1, 1) \
    C2(mish_backward, a * ref_mish_slope(b), 8, 8) \
    R2(prelu, a > 0 ? a : a * b, 1, 1) \
    R2(shrink_backward, b >= -p0 && b <= p0 ? 0 : a, 0, 0) \
    C2(silu_backward, a * (1 + b * (1 - 1 / (1 + expl(-b)))) / (1 + expl(-b)), 8, 8) \
    C2(sigmoid_backward, a * (1 - b) * b, 4, 4) \
    C2(tanh_backward, a * (1 - b * b), 4, 4) \
    C2(softplus_backward, b * p0 > p1 ? a : a / (1 + expl(-b * p0)), 4, 4) \
    C3(addcdiv, a + p0 * b / c, 4, 4) \
    C3(addcmul, a + p0 * b * c, 4, 4) \
    R3(clamp_tensor, ref_min(ref_max(a, b), c), 0, 0) \
    R3(huber_distance_backward, ref_huber_slope(b - c) * a, 4, 4) \
    C3(lerp, ref_lerp(a, b, c), 4, 4) \
    R3(where, a != 0 ? b : c, 0, 0)
/* clang-format on */

static real reference(int kernel, real a, real b, real c)
{
    (void)b, (void)c;
    switch (kernel) {
#define R1(name, expr, ...)                                                                                            \
    case KT_K_##name:                                                                                                  \
        return expr;
#define R2 R1
#define R3 R1
#define C1 R1
#define C2 R1
#define C3 R1
#define B1 R1
#define B2 R1
        REAL_ROWS
#undef R1
#undef R2
#undef R3
#undef C1
#undef C2
#undef C3
#undef B1
#undef B2
    }
    return NAN;
}

static const row rows[] = {
#define ROW(name, arity, u32, u64, truth, cancels) {KT_K_##name, arity, #name, u32, u64, truth, cancels},
#define R1(name, expr, u32, u64)                   ROW(name, 1, u32, u64, false, false)
#define R2(name, expr, u32, u64)                   ROW(name, 2, u32, u64, false, false)
#define R3(name, expr, u32, u64)                   ROW(name, 3, u32, u64, false, false)
#define C1(name, expr, u32, u64)                   ROW(name, 1, u32, u64, false, true)
#define C2(name, expr, u32, u64)                   ROW(name, 2, u32, u64, false, true)
#define C3(name, expr, u32, u64)                   ROW(name, 3, u32, u64, false, true)
#define B1(name, expr)                             ROW(name, 1, 0, 0, true, false)
#define B2(name, expr)                             ROW(name, 2, 0, 0, true, false)
    REAL_ROWS};

/* ---- values ---- */
static const double special[] = {0.0,     -0.0,  1,    -1,    0.5,   -0.5,  2,        -2,        3,   1.5,
                                 2.5,     -2.5,  10,   -7,    100,   1e-3,  INFINITY, -INFINITY, NAN, 0x1p-126,
                                 0x1p-24, 65504, 1e30, -1e30, 1e-30, 0.999, -0.25,    0.75};
enum { NUM_SPECIAL = sizeof special / sizeof *special, ORDINARY = 700, N = NUM_SPECIAL * NUM_SPECIAL + ORDINARY };

static char in[3][N * 8], out[N * 8];

static double ordinary(void)
{
    const double u = (double)(test_random() >> 11) * 0x1p-53, sign = test_below(2) ? 1 : -1;
    switch (test_below(4)) {
    case 0: return sign * u;
    case 1: return sign * u * 10;
    case 2: return sign * (double)test_below(50) / 2;
    default: return sign * exp((u - 0.5) * 40);
    }
}

static void fill_values(kt_dtype d, int arity)
{
    const int64_t w = (int64_t)size_of_dtype(d);
    for (int i = 0; i < N; i++) {
        const double a = i < NUM_SPECIAL * NUM_SPECIAL ? special[i % NUM_SPECIAL] : ordinary();
        const double b = i < NUM_SPECIAL * NUM_SPECIAL ? special[i / NUM_SPECIAL] : ordinary();
        kt_scalar_store(in[0] + i * w, d, KT_FLOAT(a));
        kt_scalar_store(in[1] + i * w, d, KT_FLOAT(b));
        kt_scalar_store(in[2] + i * w, d, KT_FLOAT(arity > 2 ? ordinary() : 0));
    }
}

/* The distance from one number of the dtype to the next, near x. */
static double ulp_of(double x, kt_dtype d)
{
    kt_finfo f;
    kt_dtype_finfo(d, &f);
    const double size = fabs(x) < f.smallest_normal ? f.smallest_normal : fabs(x);
    int          e;
    frexp(size, &e);
    return ldexp(f.eps, e - 1);
}

static bool close_enough(double got, real want, kt_dtype d, double ulps, double slack)
{
    kt_finfo f;
    kt_dtype_finfo(d, &f);
    if (isnan(want) || isnan(got))
        return isnan((double)want) && isnan(got);
    if (fabsl(want) > f.max) /* beyond the range: infinite, or on its edge */
        return got == (double)want || isinf(got) || fabs(got) >= f.max * (1 - ulps * f.eps) ||
               (fabsl(want) == INFINITY && isinf(got));
    if (isinf(got))
        return fabsl(want) >= f.max * (1 - ulps * f.eps);
    return fabsl((real)got - want) <= ulps * ulp_of((double)want, d) + slack;
}

static void check_row(const row *r, kt_dtype d)
{
    const int64_t  w = (int64_t)size_of_dtype(d);
    const kt_dtype to = r->truth ? KT_BOOL : d;
    const bool     narrow = d == KT_F16 || d == KT_BF16;
    const double   ulps = d == KT_F64 ? r->ulp64 : narrow && r->ulp32 > 0 ? 1 : r->ulp32;
    kt_plan        p;
    int            bad = 0;
    fill_values(d, r->arity);
    plan_dense(&p, r->kernel, compute_of(d), r->arity, (void *[]){out, in[0], in[1], in[2]}, (kt_dtype[]){to, d, d, d},
               N);
    p0 = 0.25, p1 = 3, p2 = -2;
    if (r->kernel == KT_K_logit)
        p0 = p1 = 0;
    if (r->kernel == KT_K_polygamma)
        p0 = 1;
    if (r->kernel == KT_K_elu || r->kernel == KT_K_elu_backward)
        p2 = 1;
    if (r->kernel == KT_K_round_decimals)
        p0 = 2;
    if (r->kernel == KT_K_huber_distance || r->kernel == KT_K_huber_distance_backward)
        p2 = p1 * p0 * (r->kernel == KT_K_huber_distance ? 2 : 1); /* the parts meet, as those of a loss do */
    plan_param(&p, KT_FLOAT((double)p0)), plan_param(&p, KT_FLOAT((double)p1)), plan_param(&p, KT_FLOAT((double)p2));
    if (!CHECK_MSG(run_plan(&p) == KT_OK, "%s %s: %s", r->name, kt_dtype_name(d), kt_error())) {
        kt_clear();
        return;
    }
    for (int i = 0; i < N && bad < 3; i++) {
        const double a = get_real(in[0], i * w, d), b = get_real(in[1], i * w, d), c = get_real(in[2], i * w, d);
        const double got = get_real(out, i * (int64_t)size_of_dtype(to), to);
        const real   want = reference(r->kernel, a, b, c);
        if (r->kernel == KT_K_round_decimals && !(fabs(a) < 100 && fabs(fabs(a * 100 - rint(a * 100)) - 0.5) > 0.01))
            continue; /* rounding a * 100 first decides near the ties */
        if (r->kernel == KT_K_zeta && b < 0)
            continue; /* terms of both signs cancel */
        if (r->kernel == KT_K_tanh_backward && fabs(b) > 0x1p60)
            continue; /* no result of tanh: its square may overflow */
        double size = r->arity > 2   ? fmax(fabs(a), fmax(fabs(b), fabs(b * (r->kernel == KT_K_addcmul ? c : 1 / c))))
                      : r->arity > 1 ? fmax(fabs(a), fabs(b))
                                     : 1;
        if (r->kernel == KT_K_digamma && a < 0)
            size = 10; /* pi * a is rounded, and the cotangent's slope there is pi squared */
        if (r->kernel == KT_K_lerp)
            size = fmax(fabs(a), fabs(b)) * fmax(1, fabs(c));
        if (r->cancels && !isfinite(size))
            continue; /* infinities cancel in another order */
        const double unit = d == KT_F64                         ? 0x1p-52
                            : narrow && r->kernel == KT_K_logit ? (d == KT_F16 ? 0x1p-10 : 0x1p-7) /* rounds midway */
                            : d == KT_F16                       ? 0x1p-24
                                                                : 0x1p-23;
        const double slack = r->cancels ? 4 * size * unit : 0;
        if (!(r->truth ? got == (double)want : close_enough(got, want, d, ulps, slack))) {
            bad++;
            CHECK_MSG(false, "%s(%.17g, %.17g, %.17g) in %s: got %.17g, want %.17Lg", r->name, a, b, c,
                      kt_dtype_name(d), got, want);
        }
    }
}

TEST(rows)
{
    static const kt_dtype floats[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 4; k++) {
            if ((rows[i].kernel == KT_K_div_floor || rows[i].kernel == KT_K_remainder) && k > 1)
                continue; /* rounding to a narrow float can reach the divisor: covered in float32 */
            check_row(&rows[i], floats[k]);
        }
}

static const int polynomials[] = {
    KT_K_chebyshev_t,         KT_K_chebyshev_u,         KT_K_chebyshev_v,         KT_K_chebyshev_w,
    KT_K_shifted_chebyshev_t, KT_K_shifted_chebyshev_u, KT_K_shifted_chebyshev_v, KT_K_shifted_chebyshev_w,
    KT_K_hermite_h,           KT_K_hermite_he,          KT_K_laguerre,            KT_K_legendre};
enum { NUM_POLYNOMIALS = sizeof polynomials / sizeof *polynomials };

static bool is_polynomial(int kernel)
{
    for (int i = 0; i < NUM_POLYNOMIALS; i++)
        if (polynomials[i] == kernel)
            return true;
    return false;
}

/* A new row must come with a reference here. */
TEST(every_row_is_covered)
{
    kt_backend *cpu = kt__cpu_backend();
    for (int k = KT_K_none + 1; k < KT_K_elementwise_end; k++) {
        bool known = !cpu->has(cpu, (kt_kernel_id)k, KT_IN_F32) || k == KT_K_div_trunc || k == KT_K_nextafter ||
                     k == KT_K_gamma_slope || k == KT_K_beta_slope || k == KT_K_bessel_k0 ||
                     k == KT_K_bessel_k1 || k == KT_K_bessel_k0e || k == KT_K_bessel_k1e ||
                     k == KT_K_airy_ai || is_polynomial(k); /* below */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            known |= rows[i].kernel == k;
        CHECK_MSG(known, "kernel %d has no reference", k);
    }
}

/* K of orders 0 and 1, and scaled by e^x, against mpmath. */
TEST(modified_bessel_functions_of_the_second_kind)
{
    static const int    kernels[] = {KT_K_bessel_k0, KT_K_bessel_k1, KT_K_bessel_k0e, KT_K_bessel_k1e};
    static const double known[][5] = {
        {1e-30, 69.193484305479783, 9.9999999999999992e+29, 69.193484305479783, 9.9999999999999992e+29},
        {.1, 2.4270690247020166, 9.8538447808706056, 2.6823261022628943, 10.890182683049696},
        {2, 0.11389387274953344, 0.13986588181652243, 0.84156821507077142, 1.0334768470686886},
        {20, 5.7412378153365243e-10, 5.8830579695570382e-10, 0.27854487665718222, 0.28542549694072645},
        {700, 4.6697764316853769e-306, 4.6731107967079661e-306, 0.047362369454613572, 0.047396187653494544},
    };
    kt_plan p;
    double  x, z;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int k = 0; k < 4; k++) {
            x = known[i][0];
            plan_dense(&p, kernels[k], KT_IN_F64, 1, (void *[]){&z, &x}, (kt_dtype[]){KT_F64, KT_F64}, 1);
            CHECK_EQ_INT(run_plan(&p), KT_OK);
            CHECK_NEAR(z / known[i][1 + k], 1, 1e-13);
        }
}

/* Of x and a degree, in the order above, against mpmath. */
TEST(orthogonal_polynomials)
{
    static const struct {
        double x, degree, known[NUM_POLYNOMIALS];
    } at[] = {
        {0.3, 3, {-0.792, -0.984, -0.344, -1.624, 0.944, 1.088, 1.448, 0.728, -3.384, -0.873, 0.2305, -0.3825}},
        {-0.7, 20, {-0.9800639283527625, -1.174811634460515, -1.4530226431858757, -0.8966006257351543, 8309662985786.092,
                    17450609669643.375, 21259337454583.91, 13641881884702.842, -202944086511.71585, -740927418.7093366,
                    204.70526696929406, -0.20457394463834164}},
        {1.5, 12.9, {51841, 121393, 75025, 167761, 3650401, 7865521, 5757961, 9973081, 940113, 9694.654541015625,
                     0.02070516350981477, 18151.005744695663}},
        {-1, 5, {-1, -6, -11, -1, -3363, -6930, -8119, -5741, 8, -6, 12.883333333333333, -1}},
        {1, 4, {1, 5, 1, 9, 1, 5, 1, 9, -20, -2, -0.625, 1}},
        {0.9999, 70, {0.5487251876854604, 59.65861585949741, 0.5428136074602574, 118.77441811153456, 0.16994414799222912,
                      49.43523772723253, 0.16008911827043779, 98.71038633619463, -1.455459684602539e+60, 2.2170420764096832e+49,
                      -0.30858940998692186, 0.7665128028075019}},
        {0.05, 41, {0.8869677675951368, 0.8638472823013806, 1.326256988176504, 0.4014375764262572, -0.9367897566365624,
                    -0.21435159316636573, 0.588357477356075, -1.0170606636888064, 1.3296051501985263e+30, 6.447777589778316e+23,
                    -0.22256831113839415, 0.10844606792962397}},
        {NAN, 0.5, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {0.5, -1, {0}},
        {0.5, NAN, {0}},
        {0.5, INFINITY, {0}},
    };
    kt_plan p;
    double  x, n, z;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        for (int k = 0; k < NUM_POLYNOMIALS; k++) {
            x = at[i].x, n = at[i].degree;
            plan_dense(&p, polynomials[k], KT_IN_F64, 2, (void *[]){&z, &x, &n}, (kt_dtype[]){KT_F64, KT_F64, KT_F64}, 1);
            CHECK_EQ_INT(run_plan(&p), KT_OK);
            CHECK_NEAR(z, at[i].known[k], 1e-12 * fabs(at[i].known[k]));
        }
}

/* Above one, near and below zero, far below; against mpmath. */
TEST(airys_function)
{
    static const double known[][2] = {{80, 6.367997325597162e-209}, {9.5, 5.330263704617492e-10}, {1.25, 0.09964454475691667},
                                    {0.75, 0.17933630547864524}, {0, 0.3550280538878172}, {-0.9999, 0.535559864557927},
                                    {-1, 0.5355608832923521}, {-3, -0.37881429367765806}, {-5.5, 0.017781541276574976},
                                    {-8.9, -0.11726630637175181}, {-9, -0.022133721547341403}, {-40.5, 0.03908260279582711}};
    kt_plan             p;
    double              x, z;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        x = known[i][0];
        plan_dense(&p, KT_K_airy_ai, KT_IN_F64, 1, (void *[]){&z, &x}, (kt_dtype[]){KT_F64, KT_F64}, 1);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        CHECK_NEAR(z / known[i][1], 1, 1e-12);
    }
}

/* How samples move with a parameter: against differences of the shares in 40 digits, over the density (by mpmath). */
TEST(slopes_of_samples)
{
    static const double gamma[][3] = {{0.01, 0.003, 1.5800451592787251}, {0.3, 0.3, 1.5259998172197707},
                                      {0.5, 4, 3.2062683672150201},      {1, 0.2, 0.46112649939967211},
                                      {2.5, 2, 0.9534627029186165},      {7, 12, 1.3246077171645301},
                                      {40, 38, 0.97864269564044994},     {900, 950, 1.0274674438076102}};
    static const double beta[][4] = {{0.3, 0.3, 1.3, 1.7199611490370514}, {0.001, 0.05, 0.2, 0.23400816791687082},
                                     {0.9, 0.2, 5, 1.3767817113811983},   {0.5, 2, 4, 0.29543145370663021},
                                     {0.7, 30, 40, 0.024482264819657712}, {0.02, 1, 80, 0.018518210654285943},
                                     {0.99, 4, 5, 0.24874581237416067}};
    kt_plan p;
    double  a, b, c, z;
    for (size_t i = 0; i < sizeof gamma / sizeof *gamma; i++) {
        a = gamma[i][0], b = gamma[i][1];
        plan_dense(&p, KT_K_gamma_slope, KT_IN_F64, 2, (void *[]){&z, &a, &b}, (kt_dtype[]){KT_F64, KT_F64, KT_F64}, 1);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        CHECK_NEAR(z / gamma[i][2], 1, 1e-12);
    }
    for (size_t i = 0; i < sizeof beta / sizeof *beta; i++) {
        a = beta[i][0], b = beta[i][1], c = beta[i][2];
        plan_dense(&p, KT_K_beta_slope, KT_IN_F64, 3, (void *[]){&z, &a, &b, &c},
                   (kt_dtype[]){KT_F64, KT_F64, KT_F64, KT_F64}, 1);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        CHECK_NEAR(z / beta[i][3], 1, 1e-12);
    }
}

/* A narrow float truncates the quotient as it rounds it. */
TEST(div_trunc)
{
    static const kt_dtype floats[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    for (int k = 0; k < 4; k++) {
        const kt_dtype d = floats[k];
        const int64_t  w = (int64_t)size_of_dtype(d);
        kt_plan        p;
        fill_values(d, 2);
        plan_dense(&p, KT_K_div, compute_of(d), 2, (void *[]){in[2], in[0], in[1]}, (kt_dtype[]){d, d, d}, N);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        plan_dense(&p, KT_K_div_trunc, compute_of(d), 2, (void *[]){out, in[0], in[1]}, (kt_dtype[]){d, d, d}, N);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(get_real(out, i * w, d), trunc(get_real(in[2], i * w, d)), 0);
    }
}

TEST(nextafter_steps_in_the_dtype)
{
    static const kt_dtype floats[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    static const double   from[] = {0,       -0.0,     1,        -1,   1.5,      65504,     -65504, 0x1p-14,
                                    0x1p-24, -0x1p-14, 0x1p-126, 3e38, INFINITY, -INFINITY, 2};
    for (int k = 0; k < 4; k++) {
        const kt_dtype d = floats[k];
        for (size_t i = 0; i < sizeof from / sizeof *from; i++)
            for (int up = 0; up < 2; up++) {
                double  a8, b8, z8 = 0;
                kt_plan p;
                kt_scalar_store(&a8, d, KT_FLOAT(from[i]));
                kt_scalar_store(&b8, d, KT_FLOAT(up ? INFINITY : -INFINITY));
                plan_dense(&p, KT_K_nextafter, compute_of(d), 2, (void *[]){&z8, &a8, &b8}, (kt_dtype[]){d, d, d}, 1);
                CHECK_EQ_INT(run_plan(&p), KT_OK);
                /* neighbours are neighbours in the order of the bits */
                int64_t      bits_a = 0, bits_z = 0;
                const size_t w = size_of_dtype(d);
                memcpy(&bits_a, &a8, w), memcpy(&bits_z, &z8, w);
                const int64_t sign = (int64_t)((uint64_t)1 << (8 * w - 1)), a = get_real(&a8, 0, d) == 0 ? 0
                                                                                : bits_a & sign ? -(bits_a & ~sign)
                                                                                                : bits_a;
                const int64_t z = get_real(&z8, 0, d) == 0 ? 0 : bits_z & sign ? -(bits_z & ~sign) : bits_z;
                const bool    stays = isinf(get_real(&a8, 0, d)) && (get_real(&a8, 0, d) > 0) == (up == 1);
                CHECK_MSG(z - a == (stays ? 0
                                    : up  ? 1
                                          : -1),
                          "%s: after %g towards %s: %g", kt_dtype_name(d), from[i], up ? "inf" : "-inf",
                          get_real(&z8, 0, d));
            }
    }
}

/* Large angles take another way, and their whole block with them: the bits of the others stay. */
TEST(angles_have_the_same_bits_in_any_company)
{
    static const int      kernels[] = {KT_K_sin, KT_K_cos, KT_K_tan};
    static const kt_dtype floats[] = {KT_F32, KT_F64};
    static char           alone[sizeof out];
    static const double   large[] = {1e9, -3e38, INFINITY, NAN, 8193, 65537};
    for (int k = 0; k < 6; k++) {
        const kt_dtype d = floats[k / 3];
        const int64_t  w = (int64_t)size_of_dtype(d);
        kt_plan        p;
        for (int i = 0; i < N; i++)
            kt_scalar_store(in[0] + i * w, d, KT_FLOAT(i == 0 ? -0.0 : i == 1 ? 8192 : ordinary() * (i % 2 ? 1e-9 : 1)));
        for (int i = 0; i < N; i++)
            if (fabs(get_real(in[0], i * w, d)) > 8192)
                kt_scalar_store(in[0] + i * w, d, KT_FLOAT(i));
        plan_dense(&p, kernels[k % 3], compute_of(d), 1, (void *[]){alone, in[0]}, (kt_dtype[]){d, d}, N);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        for (int i = 7; i < N; i += 97)
            kt_scalar_store(in[0] + i * w, d, KT_FLOAT(large[i % 6]));
        plan_dense(&p, kernels[k % 3], compute_of(d), 1, (void *[]){out, in[0]}, (kt_dtype[]){d, d}, N);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        for (int i = 0; i < N; i++)
            CHECK_MSG(i % 97 == 7 || memcmp(alone + i * w, out + i * w, (size_t)w) == 0, "%s, row %d: %a", kt_dtype_name(d), k,
                      get_real(in[0], i * w, d));
    }
}
