/* poisson.c - one Poisson number of a given rate. In: a generator, a rate that is not negative. Out: a count.
 * Small rates by multiplying uniforms until their product falls below e^-rate (D. E. Knuth, The Art of Computer Programming 2,
 * section 3.4.1); from ten on by algorithm PTRS of W. Hoermann, The transformed rejection method for generating Poisson random
 * variables, Insurance: Mathematics and Economics 12 (1993), whose constants these are. */
#include "cpu/random/random.h"

#include <math.h>

static double by_products(kt_generator *g, double rate)
{
    const double floor_at = exp(-rate);
    double       product = 1, count = 0;
    for (;;) {
        product *= kt__rng_uniform(g);
        if (product <= floor_at)
            return count;
        count++;
    }
}

static double by_rejection(kt_generator *g, double rate)
{
    const double log_rate = log(rate), b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    const double log_alpha = log(1.1239 + 1.1328 / (b - 3.4)), inside = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = kt__rng_uniform(g) - 0.5, v = kt__rng_uniform(g), edge = 0.5 - fabs(u);
        const double k = floor((2 * a / edge + b) * u + rate + 0.43);
        if (edge >= 0.07 && v <= inside)
            return k;
        if (k < 0 || (edge < 0.013 && v > edge))
            continue;
        if (log(v) + log_alpha - log(a / (edge * edge) + b) <= -rate + k * log_rate - lgamma(k + 1))
            return k;
    }
}

double kt__poisson(kt_generator *g, double rate)
{
    if (!isfinite(rate))
        return NAN;
    return rate >= 10 ? by_rejection(g, rate) : rate == 0 ? 0 : by_products(g, rate);
}
