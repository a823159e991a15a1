/* airy.h - Airy's function Ai, one element at a time, in double: y'' = x y, and y vanishes far above zero. Compiled once, not per
 * instruction set; for the device airy.c is included behind special.c. */
#ifndef KT_MATH_AIRY_H
#define KT_MATH_AIRY_H

#include "math/core.h"
#include "math/special.h"

KT__RARE double kt__airy_ai(double x);

KT_ALWAYS double airy_ai_f64(double x) { return kt__airy_ai(x); }
KT_ALWAYS float  airy_ai_f32(float x)  { return (float)kt__airy_ai(x); }

#endif
