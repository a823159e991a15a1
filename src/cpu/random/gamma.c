/* gamma.c - one gamma number of a given concentration, rate 1. In: a generator, a concentration that is not negative. Out: a
 * sample: G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables, ACM Transactions on Mathematical Software
 * 26 (2000), whose constants these are; below 1 one of the next concentration, shrunk by the power of a uniform. */
#include "cpu/random/random.h"

#include <math.h>

static double above_zero(kt_generator *g) { return 1 - kt__rng_uniform(g); }

/* The concentration and what is made of it have the precision of the output, and one third is a float32: part of the result. */
static double held(double x, bool narrow) { return narrow ? (double)(float)x : x; }

/* Is a uniform number below the ratio of the density of (1 + c x)^3 to that of a normal x? A bound of the ratio mostly tells. */
static bool is_below(double uniform, double x, double cube, double d)
{
    const double square = x * x;
    return uniform < 1 - 0.0331 * square * square || log(uniform) < 0.5 * square + d * (1 - cube + log(cube));
}

/* Times a scale. */
static double scaled_gamma(kt_generator *g, double concentration, double scale, bool narrow)
{
    if (concentration < 1) {
        const double shrunk = pow(above_zero(g), held(1 / concentration, narrow));
        return scaled_gamma(g, held(concentration + 1, narrow), shrunk, narrow);
    }
    const double third = 1.0f / 3.0f, d = held(concentration - third, narrow), c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = kt__rng_normal(g), root = 1 + c * x, cube = root * root * root;
        if (cube > 0 && is_below(above_zero(g), x, cube, d))
            return scale * d * cube;
    }
}

double kt__gamma(kt_generator *g, double concentration, bool narrow)
{
    if (concentration > 0 && concentration < INFINITY)
        return scaled_gamma(g, concentration, 1, narrow);
    return concentration == 0 ? 0 : concentration == INFINITY ? INFINITY : NAN;
}
