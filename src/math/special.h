/* special.h - rare functions, one element at a time, in double. In: a value. Out: the function, to 1e-13 relative
 * (near a zero of digamma or lgamma: absolute). Compiled once, not per instruction set: nothing would be gained but
 * size. For the device special.c is included by the kernels that need it. */
#ifndef KT_MATH_SPECIAL_H
#define KT_MATH_SPECIAL_H

#ifdef __CUDACC__
#define KT__RARE      static __device__ __noinline__
#define KT__RARE_PART static __device__
#else
#define KT__RARE
#define KT__RARE_PART static
#endif

KT__RARE double kt__bessel_j0(double x); /* Bessel functions, of orders 0 and 1 */
KT__RARE double kt__bessel_j1(double x);
KT__RARE double kt__bessel_y0(double x);
KT__RARE double kt__bessel_y1(double x);
KT__RARE double kt__bessel_k0(double x); /* modified ones of the second kind */
KT__RARE double kt__bessel_k1(double x);
KT__RARE double kt__bessel_k0e(double x); /* the two, scaled by e^x */
KT__RARE double kt__bessel_k1e(double x);
KT__RARE double kt__spherical_j0(double x); /* sin(x) / x */
KT__RARE double kt__digamma(double x);
KT__RARE double kt__erfcx(double x);
KT__RARE double kt__erfinv(double x);
KT__RARE double kt__i0(double x);     /* modified Bessel function of the first kind, order 0 */
KT__RARE double kt__i1(double x);     /* the same, order 1 */
KT__RARE double kt__i0e(double x);    /* the two, scaled by e^-|x| */
KT__RARE double kt__i1e(double x);
KT__RARE double kt__lgamma(double x);
KT__RARE double kt__log_ndtr(double x);
KT__RARE double kt__ndtri(double p);
KT__RARE double kt__polygamma(double n, double x); /* the n-th derivative of digamma; n is a whole number >= 0 */
KT__RARE double kt__sinc(double x);   /* sin(pi x) / (pi x) */
KT__RARE double kt__zeta(double s, double x); /* Hurwitz's */

#endif
