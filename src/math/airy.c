/* airy.c - Airy's function Ai (see airy.h): near zero and below by Taylor series about points of known value and slope,
 * further below by DLMF 9.7.9, above by 9.6.2 and the integral 10.32.9 of K of order 1/3 by the trapezoidal rule. */
#include "math/airy.h"

#include <math.h>

/* The series about `middle`, whose coefficients y'' = x y gives: (k + 2) (k + 1) c[k + 2] = middle c[k] + c[k - 1]. */
KT__RARE_PART double airy_series(double x, double middle, double value, double slope)
{
    const double h = x - middle;
    double       before = 0, here = value, next = slope, power = 1, sum = 0;
    for (int k = 0; k < 60; k++) {
        const double after = (middle * here + before) / ((k + 1.0) * (k + 2.0));
        sum += here * power;
        power *= h;
        before = here, here = next, next = after;
    }
    return sum;
}

/* Of -x, for a large x: a cosine of zeta - pi/4 and a sine, each times a series in 1 / zeta whose terms take turns. */
KT__RARE_PART double airy_waves(double x)
{
    const double zeta = 2 * x * sqrt(x) / 3;
    double       even = 0, odd = 0, term = 1;
    for (int k = 0; k < 30 && fabs(term) > 1e-18; k++) {
        *(k % 2 ? &odd : &even) += k % 4 < 2 ? term : -term;
        term *= (6.0 * k + 5) * (6.0 * k + 3) * (6.0 * k + 1) / (216.0 * (k + 1) * (2.0 * k + 1) * zeta);
    }
    const double s = sin(zeta), c = cos(zeta);
    return ((c + s) * even + (s - c) * odd) / sqrt(2 * 3.14159265358979323846 * sqrt(x));
}

/* x > 0: sqrt(x / 3) / pi times e^-zeta times the integral of e^(-zeta (cosh t - 1)) cosh(t / 3) over t > 0. */
KT__RARE_PART double airy_falling(double x)
{
    const double zeta = 2 * x * sqrt(x) / 3, step = fmin(0.2, 0.7 / sqrt(zeta));
    double       sum = 0.5, term = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        const double half = sinh(0.5 * k * step);
        term = exp(-2 * zeta * half * half) * cosh(k * step / 3);
        sum += term;
    }
    return sqrt(x / 3) / 3.14159265358979323846 * exp(-zeta) * sum * step;
}

/* At infinity NaN, as PyTorch. */
KT__RARE double kt__airy_ai(double x)
{
    static const double known[][2] = {{0.35502805388781723926, -0.25881940379280679841}, /* value, slope at 0, -2, -4, -6, -8 */
                                      {0.22740742820168557599, 0.61825902074169104141},
                                      {-0.070265532949289515099, -0.7906285753685813803},
                                      {-0.32914517362982310523, 0.34593548728134289493},
                                      {-0.052705050356386202622, 0.93556093819830655103}};
    if (!(fabs(x) < INFINITY))
        return NAN;
    if (x > 1)
        return x > 110 ? 0 : airy_falling(x);
    if (x <= -9)
        return airy_waves(-x);
    const int i = (int)(0.5 * (1 - x));
    return airy_series(x, -2.0 * i, known[i][0], known[i][1]);
}
