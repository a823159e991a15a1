/* large.h - the trigonometric functions of float64 for arguments beyond trigonometric.h's reduction, one at a time. In:
 * any number. Out: the function, as near as trigonometric.h comes to it; NaN of an infinity. Compiled once, not per
 * instruction set. */
#ifndef KT_MATH_F64_LARGE_H
#define KT_MATH_F64_LARGE_H

#include "math/f64/pieces.h"
#include "math/f64/trigonometric.h"

#ifdef __CUDACC__ /* which has its own for these */
KT_ALWAYS double kt__sin_large(double x) { return sin(x); }
KT_ALWAYS double kt__cos_large(double x) { return cos(x); }
KT_ALWAYS double kt__tan_large(double x) { return tan(x); }
#else
double kt__sin_large(double x);
double kt__cos_large(double x);
double kt__tan_large(double x);
#endif

KT_ALWAYS uint64_t sin_beyond_f64(double a) { return f64_beyond(a, F64_TRIG_MAX); }
KT_ALWAYS uint64_t cos_beyond_f64(double a) { return f64_beyond(a, F64_TRIG_MAX); }

KT_ALWAYS double sin_f64(double a) { return sin_beyond_f64(a) < F64_SIGN ? sin_near_f64(a) : kt__sin_large(a); }
KT_ALWAYS double cos_f64(double a) { return cos_beyond_f64(a) < F64_SIGN ? cos_near_f64(a) : kt__cos_large(a); }
KT_ALWAYS double tan_f64(double a) { return tan_beyond_f64(a) < F64_SIGN ? tan_near_f64(a) : kt__tan_large(a); }

#endif
