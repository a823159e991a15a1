/* special_complex.c - complex functions, one element at a time, in double (see special_complex.h). */
#include "math/special_complex.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double complex pair(double re, double im)
{
    return __builtin_complex(re, im);
}

static double complex scaled(double complex z, double by)
{
    return pair(creal(z) * by, cimag(z) * by);
}

/* Not C's division, which checks for NaN at every step. */
static double complex divide(double complex a, double complex b)
{
    if (isinf(creal(b)) || isinf(cimag(b)))
        return 0;
    const double scale = 1 / hypot(creal(b), cimag(b)), u = creal(b) * scale, v = cimag(b) * scale;
    const double x = creal(a) * scale, y = cimag(a) * scale;
    return pair(x * u + y * v, y * u - x * v);
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
    return pair(x == 0 && y == 0 ? x : 0.5 * log1p(x * (2 + x) + y * y), atan2(y, 1 + x));
}

static double complex csinc_(double complex z)
{
    if (z == 0)
        return 1;
    if (!isfinite(creal(z)) || !isfinite(cimag(z)))
        return pair(NAN, NAN);
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
    if (b == 0 || a == 1) /* whatever the other is, NaN too, as of real numbers */
        return 1;
    if (a == 0)
        return creal(b) > 0 ? 0 : pair(creal(b) < 0 ? INFINITY : NAN, NAN);
    return cexp(b * clog(a)); /* the language's product: an infinite exponent stays infinite, its power may be 0 */
}

double complex kt__complex_logaddexp(double complex a, double complex b)
{
    if (isnan(creal(a)) || isnan(cimag(a)) || isnan(creal(b)) || isnan(cimag(b)))
        return CMPLX(NAN, NAN);
    const double complex hi = creal(a) >= creal(b) ? a : b, lo = creal(a) >= creal(b) ? b : a;
    if (creal(hi) == -INFINITY)
        return b;
    if (creal(lo) == INFINITY) /* only the direction of the sum is defined */
        return clog(cexp(a) + cexp(b));
    return hi + clog1p_(cexp(lo - hi));
}
