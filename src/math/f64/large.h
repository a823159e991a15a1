/* large.h - the trigonometric functions of float64 for arguments beyond trigonometric.h's reduction, one at a time. In:
 * any number. Out: the function, as near as trigonometric.h comes to it; NaN of an infinity. Compiled once, not per
 * instruction set. */
#ifndef KT_MATH_F64_LARGE_H
#define KT_MATH_F64_LARGE_H

double kt__sin_large(double x);
double kt__cos_large(double x);
double kt__tan_large(double x);

#endif
