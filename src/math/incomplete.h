/* incomplete.h - incomplete gamma functions, and how a gamma or beta variable moves with its parameter while its rank stays: in
 * double, one element at a time. In: values. Out: the function, to 1e-13 relative to the larger of it and its complement; NaN
 * outside of the domain. Compiled once, not per instruction set; for the device incomplete.c is included behind special.c. */
#ifndef KT_MATH_INCOMPLETE_H
#define KT_MATH_INCOMPLETE_H

#include "math/special.h"

KT__RARE double kt__igamma(double a, double x);  /* the share of Gamma(a) below x */
KT__RARE double kt__igammac(double a, double x); /* the share above it */
/* dx/da at a constant share below x: the derivative of a sample by the parameter of its distribution. */
KT__RARE double kt__gamma_slope(double a, double x);
/* The same of Beta(a, total - a), over 1 - x: what a Dirichlet sample needs of each of its components. */
KT__RARE double kt__beta_slope(double x, double a, double total);

#endif
