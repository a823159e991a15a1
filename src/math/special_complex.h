/* special_complex.h - complex functions, one element at a time, in double. Compiled once, not per instruction set. */
#ifndef KT_MATH_SPECIAL_COMPLEX_H
#define KT_MATH_SPECIAL_COMPLEX_H

#include <complex.h>

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
