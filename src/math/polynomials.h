/* polynomials.h - orthogonal polynomials, one element at a time, in double. In: a point and a degree, whose fraction is cut
 * off. Out: the polynomial's value; of a degree below 0, or that is no number, 0. Compiled once, not per instruction set; for the
 * device polynomials.c is included behind special.c. */
#ifndef KT_MATH_POLYNOMIALS_H
#define KT_MATH_POLYNOMIALS_H

#include "math/core.h"
#include "math/special.h"

enum { KT__FIRST_KIND, KT__SECOND_KIND, KT__THIRD_KIND, KT__FOURTH_KIND }; /* Chebyshev's T, U, V and W */

KT__RARE double kt__chebyshev(double x, double degree, int kind);
KT__RARE double kt__hermite(double x, double degree, double scale); /* scale 2: H, whose first coefficient is 2^n; 1: He, 1 */
KT__RARE double kt__laguerre(double x, double degree);
KT__RARE double kt__legendre(double x, double degree);

/* As the kernels call them. */
KT_ALWAYS double chebyshev_f64(double x, double n, int kind) { return kt__chebyshev(x, n, kind); }
KT_ALWAYS double shifted_chebyshev_f64(double x, double n, int kind) { return kt__chebyshev(2 * x - 1, n, kind); }
KT_ALWAYS double hermite_f64(double x, double n, double scale) { return kt__hermite(x, n, scale); }
KT_ALWAYS double laguerre_f64(double x, double n) { return kt__laguerre(x, n); }
KT_ALWAYS double legendre_f64(double x, double n) { return kt__legendre(x, n); }
KT_ALWAYS float chebyshev_f32(float x, float n, int kind) { return (float)kt__chebyshev(x, n, kind); }
KT_ALWAYS float shifted_chebyshev_f32(float x, float n, int kind) { return (float)kt__chebyshev(2 * (double)x - 1, n, kind); }
KT_ALWAYS float hermite_f32(float x, float n, float scale) { return (float)kt__hermite(x, n, scale); }
KT_ALWAYS float laguerre_f32(float x, float n) { return (float)kt__laguerre(x, n); }
KT_ALWAYS float legendre_f32(float x, float n) { return (float)kt__legendre(x, n); }

#endif
