/* gamma.c - one gamma number of a given concentration, rate 1. In: a generator, a concentration that is not negative. Out: a
 * sample, by the method of G. Marsaglia and W. W. Tsang (ACM Transactions on Mathematical Software 26, 2000), whose constants
 * these are; below 1 one of the next concentration, shrunk by the power of a uniform. */
#include "cpu/random/random.h"

#include <math.h>

static double above_zero(kt_generator *g) { return 1 - kt__rng_uniform(g); }

/* The concentration and what is made of it have the precision of the output, and one third is a float32: part of the result. */
static double held(double x, bool narrow) { return narrow ? (double)(float)x : x; }

double kt__gamma(kt_generator *g, double concentration, bool narrow)
{
    const double third = 1.0f / 3.0f;
    double       scale = 1;
    if (!(concentration > 0 && concentration < INFINITY))
        return concentration == 0 ? 0 : concentration < INFINITY ? NAN : concentration;
    if (concentration < 1) {
        scale = pow(above_zero(g), held(1 / concentration, narrow));
        concentration = held(concentration + 1, narrow);
    }
    const double d = held(concentration - third, narrow), c = 1 / sqrt(9 * d);
    for (;;) {
        double x, y;
        do {
            x = kt__rng_normal(g);
            y = 1 + c * x;
        } while (y <= 0);
        const double v = y * y * y, u = above_zero(g), square = x * x;
        if (u < 1 - 0.0331 * square * square || log(u) < 0.5 * square + d * (1 - v + log(v)))
            return scale * d * v;
    }
}
