/* special.h - rare functions, one element at a time, in double. In: a value. Out: the function, to 1e-13 relative
 * (near a zero of digamma or lgamma: absolute). Compiled once, not per instruction set: nothing would be gained but
 * size. */
#ifndef KT_MATH_SPECIAL_H
#define KT_MATH_SPECIAL_H

#include <complex.h>

double kt__digamma(double x);
double kt__erfinv(double x);
double kt__i0(double x);     /* modified Bessel function of the first kind, order 0 */
double kt__i1(double x);     /* the same, order 1 */
double kt__lgamma(double x);
double kt__polygamma(double n, double x); /* the n-th derivative of digamma; n is a whole number >= 0 */
double kt__sinc(double x);   /* sin(pi x) / (pi x) */

/* The trigonometric functions of float32 where math/core.h's reduction ends. */
float kt__sin_far(float x);
float kt__cos_far(float x);
float kt__tan_far(float x);

typedef enum kt__complex_name {
    KT__CACOS,
    KT__CACOSH,
    KT__CASIN,
    KT__CASINH,
    KT__CATAN,
    KT__CATANH,
    KT__CCOS,
    KT__CCOSH,
    KT__CEXP,
    KT__CEXP2,
    KT__CEXPM1,
    KT__CLOG,
    KT__CLOG10,
    KT__CLOG1P,
    KT__CLOG2,
    KT__CSIGMOID,
    KT__CSIN,
    KT__CSINC,
    KT__CSINH,
    KT__CSQRT,
    KT__CTAN,
    KT__CTANH
} kt__complex_name;

double complex kt__complex_function(kt__complex_name name, double complex z);
double complex kt__complex_pow(double complex a, double complex b);
double complex kt__complex_logaddexp(double complex a, double complex b);

#endif
