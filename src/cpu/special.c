/* special.c - rare functions, one element at a time, in double (see special.h). */
#include "cpu/special.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- real ---- */

/* Upwards by the recurrence psi(x) = psi(x + 1) - 1/x until the asymptotic series holds; below zero by reflection. */
double kt__digamma(double x)
{
    if (x == 0)
        return copysign(INFINITY, -x);
    double shift = 0;
    if (x < 0) {
        const double whole = rint(x);
        if (x == whole)
            return NAN;
        shift = -pi / tan(pi * (x - whole));
        x = 1 - x;
    }
    for (; x < 12; x++)
        shift -= 1 / x;
    const double i = 1 / x, z = i * i;
    const double tail = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132
        - z * (691.0 / 32760 - z / 12))))));
    return shift + log(x) - 0.5 * i - tail;
}

/* A first guess from the logarithm, then Halley's iteration on erf or, where erf is flat, on erfc. */
double kt__erfinv(double x)
{
    const double a = fabs(x);
    if (!(a < 1))
        return a == 1 ? copysign(INFINITY, x) : NAN;
    if (a < 1e-8)
        return x * 0.88622692545275801365; /* sqrt(pi) / 2 */
    const double rest = 1 - a, l = log(rest * (1 + a)), t = 2 / (pi * 0.147) + 0.5 * l;
    double y = sqrt(sqrt(t * t - l / 0.147) - t);
    for (int i = 0; i < 3; i++) {
        const double miss = a < 0.5 ? erf(y) - a : rest - erfc(y);
        const double u = miss / (1.12837916709551257390 * exp(-y * y)); /* 2 / sqrt(pi) */
        y -= u / (1 + y * u);
    }
    return copysign(y, x);
}

/* The power series, all of whose terms are positive; for large x the asymptotic series. */
double kt__i0(double x)
{
    x = fabs(x);
    if (x == INFINITY)
        return NAN; /* as the reference has it */
    if (x != x || x > 714)
        return x != x ? x : INFINITY;
    double sum = 1, term = 1;
    if (x < 30) {
        const double q = 0.25 * x * x;
        for (int k = 1; term > sum * 1e-17; k++) {
            term *= q / ((double)k * k);
            sum += term;
        }
        return sum;
    }
    for (int k = 1; k < 30 && term > 1e-17; k++) {
        term *= (2.0 * k - 1) * (2.0 * k - 1) / (8.0 * k * x);
        sum += term;
    }
    const double half = exp(0.5 * x); /* squared at the end: e^x alone overflows too early */
    return half * (sum / sqrt(2 * pi * x)) * half;
}

double kt__lgamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

double kt__sinc(double x)
{
    if (x == 0)
        return 1;
    const double r = x - 2 * rint(0.5 * x), a = fabs(r); /* the sine has period 2: |r| <= 1, exact */
    return copysign(sin(pi * (a > 0.5 ? 1 - a : a)), r) / (pi * x);
}

float kt__sin_far(float x) { return (float)sin((double)x); }
float kt__cos_far(float x) { return (float)cos((double)x); }
float kt__tan_far(float x) { return (float)tan((double)x); }

/* ---- complex ---- */

static double complex pair(double re, double im)
{
    return __builtin_complex(re, im);
}

static double complex scaled(double complex z, double by)
{
    return pair(creal(z) * by, cimag(z) * by);
}

/* Not the language's, which would look for NaN at every step. */
static double complex divide(double complex a, double complex b)
{
    if (isinf(creal(b)) || isinf(cimag(b)))
        return 0;
    const double scale = 1 / hypot(creal(b), cimag(b)), u = creal(b) * scale, v = cimag(b) * scale;
    const double x = creal(a) * scale, y = cimag(a) * scale;
    return pair(x * u + y * v, y * u - x * v);
}

static double complex times(double complex a, double complex b)
{
    return pair(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Without cancellation at small z. */
static double complex cexpm1_(double complex z)
{
    const double s = sin(0.5 * cimag(z));
    return pair(expm1(creal(z)) * cos(cimag(z)) - 2 * s * s, exp(creal(z)) * sin(cimag(z)));
}

static double complex clog1p_(double complex z)
{
    const double x = creal(z), y = cimag(z);
    if (fabs(x) > 0.5 || fabs(y) > 0.5)
        return clog(1 + z);
    return pair(0.5 * log1p(x * (2 + x) + y * y), atan2(y, 1 + x));
}

static double complex csinc_(double complex z)
{
    if (z == 0)
        return 1;
    const double complex w = scaled(z, pi);
    return divide(csin(w), w);
}

double complex kt__complex_function(kt__complex_name name, double complex z)
{
    switch (name) {
    case KT__CACOS:    return cacos(z);
    case KT__CACOSH:   return cacosh(z);
    case KT__CASIN:    return casin(z);
    case KT__CASINH:   return casinh(z);
    case KT__CATAN:    return catan(z);
    case KT__CATANH:   return catanh(z);
    case KT__CCOS:     return ccos(z);
    case KT__CCOSH:    return ccosh(z);
    case KT__CEXP:     return cexp(z);
    case KT__CEXP2:    return cexp(scaled(z, 0.69314718055994530942));
    case KT__CEXPM1:   return cexpm1_(z);
    case KT__CLOG:     return clog(z);
    case KT__CLOG10:   return scaled(clog(z), 0.43429448190325182765);
    case KT__CLOG1P:   return clog1p_(z);
    case KT__CLOG2:    return scaled(clog(z), 1.44269504088896340736);
    case KT__CRSQRT:   return divide(1, csqrt(z));
    case KT__CSIGMOID: return divide(1, 1 + cexp(-z));
    case KT__CSIN:     return csin(z);
    case KT__CSINC:    return csinc_(z);
    case KT__CSINH:    return csinh(z);
    case KT__CSQRT:    return csqrt(z);
    case KT__CTAN:     return ctan(z);
    case KT__CTANH:    return ctanh(z);
    }
    return NAN;
}

double complex kt__complex_pow(double complex a, double complex b)
{
    if (b == 0)
        return 1;
    if (a == 0)
        return creal(b) > 0 ? 0 : pair(creal(b) < 0 ? INFINITY : NAN, NAN);
    return cexp(times(b, clog(a)));
}

double complex kt__complex_logaddexp(double complex a, double complex b)
{
    if (a == b && isinf(creal(a)))
        return a;
    const double complex hi = creal(a) < creal(b) ? b : a, lo = creal(a) < creal(b) ? a : b;
    return hi + clog1p_(cexp(lo - hi));
}
