/* special_complex.h - complex functions, one element at a time, in double. Compiled once, not per instruction set. For the device
 * special_complex.c is included by the kernels that need it, behind the functions of <complex.h> under the same names. */
#ifndef KT_MATH_SPECIAL_COMPLEX_H
#define KT_MATH_SPECIAL_COMPLEX_H

#include "dtype/types.h"
#include "math/special.h"

#ifdef __CUDACC__
#define KT__COMPLEX(T, re, im) (T((re), (im)))
#else
#include <complex.h>
#define KT__COMPLEX(T, re, im) __builtin_complex(re, im)
#endif

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

KT__RARE kt__c128 kt__complex_function(kt__complex_name name, kt__c128 z);
KT__RARE kt__c128 kt__complex_pow(kt__c128 a, kt__c128 b);
KT__RARE kt__c128 kt__complex_logaddexp(kt__c128 a, kt__c128 b);

#endif
