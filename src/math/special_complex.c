/* special_complex.c - complex functions, one element at a time, in double (see special_complex.h). */
#include "math/special_complex.h"

#include <math.h>

KT__RARE_PART kt__c128 pair(double re, double im)
{
    return KT__C128(re, im);
}

KT__RARE_PART kt__c128 scaled(kt__c128 z, double by)
{
    return pair(creal(z) * by, cimag(z) * by);
}

/* Not C's division, which checks for NaN at every step. */
KT__RARE_PART kt__c128 divide(kt__c128 a, kt__c128 b)
{
    if (isinf(creal(b)) || isinf(cimag(b)))
        return 0;
    const double scale = 1 / hypot(creal(b), cimag(b)), u = creal(b) * scale, v = cimag(b) * scale;
    const double x = creal(a) * scale, y = cimag(a) * scale;
    return pair(x * u + y * v, y * u - x * v);
}

/* Without cancellation at small z. */
KT__RARE_PART kt__c128 cexpm1_(kt__c128 z)
{
    const double s = sin(0.5 * cimag(z));
    return pair(expm1(creal(z)) * cos(cimag(z)) - 2 * s * s, exp(creal(z)) * sin(cimag(z)));
}

KT__RARE_PART kt__c128 clog1p_(kt__c128 z)
{
    const double x = creal(z), y = cimag(z);
    if (fabs(x) > 0.5 || fabs(y) > 0.5)
        return clog(1 + z);
    return pair(x == 0 && y == 0 ? x : 0.5 * log1p(x * (2 + x) + y * y), atan2(y, 1 + x));
}

KT__RARE_PART kt__c128 csinc_(kt__c128 z)
{
    if (z == 0)
        return 1;
    if (!isfinite(creal(z)) || !isfinite(cimag(z)))
        return pair(NAN, NAN);
    const kt__c128 w = scaled(z, 3.14159265358979323846);
    return divide(csin(w), w);
}

KT__RARE kt__c128 kt__complex_function(kt__complex_name name, kt__c128 z)
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

KT__RARE kt__c128 kt__complex_pow(kt__c128 a, kt__c128 b)
{
    if (b == 0 || a == 1) /* whatever the other is, NaN too, as of real numbers */
        return 1;
    if (a == 0)
        return creal(b) > 0 ? 0 : pair(creal(b) < 0 ? INFINITY : NAN, NAN);
    return cexp(b * clog(a)); /* the language's product: an infinite exponent stays infinite, its power may be 0 */
}

KT__RARE kt__c128 kt__complex_logaddexp(kt__c128 a, kt__c128 b)
{
    if (isnan(creal(a)) || isnan(cimag(a)) || isnan(creal(b)) || isnan(cimag(b)))
        return pair(NAN, NAN);
    const kt__c128 hi = creal(a) >= creal(b) ? a : b, lo = creal(a) >= creal(b) ? b : a;
    if (creal(hi) == -INFINITY)
        return b;
    if (creal(lo) == INFINITY) /* only the direction of the sum is defined */
        return clog(cexp(a) + cexp(b));
    return hi + clog1p_(cexp(lo - hi));
}
