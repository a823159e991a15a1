/* binomial.c - how often a trial succeeds. In: a generator, a number of trials, the probability of each. Out: a count. Where few
 * successes are expected by adding up the waits between them (L. Devroye, Non-Uniform Random Variate Generation, 1986, chapter
 * X.4); from ten on by W. Hoermann, The generation of binomial random variates, Journal of Statistical Computation and Simulation
 * 46 (1993), whose constants these are. */
#include "cpu/random/random.h"

#include <math.h>

static double by_waits(kt_generator *g, double count, double p)
{
    double successes = 0, trials = 0;
    for (;;) {
        trials += ceil(log(kt__rng_uniform(g)) / log1p(-p));
        if (!(trials <= count))
            return successes;
        successes++;
    }
}

/* What Stirling's formula leaves of log(k!): the series of DLMF 5.11.1. */
static double stirling_rest(double k)
{
    const double n = k + 1, square = n * n;
    if (k < 10)
        return lgamma(n) - (k + 0.5) * log(n) + n - 0.91893853320467274178; /* log(2 pi) / 2 */
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / n;
}

/* How likely counts are beside the mode m, as logarithms. */
typedef struct likelihood {
    double count, odds, mode, of_mode;
} likelihood;

static likelihood likelihood_of(double count, double p)
{
    const double odds = p / (1 - p), m = floor((count + 1) * p);
    const double of_mode = (m + 0.5) * log((m + 1) / (odds * (count - m + 1))) + stirling_rest(m) + stirling_rest(count - m);
    return (likelihood){count, odds, m, of_mode};
}

static double log_likelihood(const likelihood *l, double k)
{
    const double failures = l->count - k + 1, at_mode = l->count - l->mode + 1;
    return l->of_mode + (l->count + 1) * log(at_mode / failures) + (k + 0.5) * log(failures * l->odds / (k + 1)) -
           stirling_rest(k) - stirling_rest(l->count - k);
}

/* Algorithm BTRS: a uniform number u bent to a count k under a hat. Most counts lie where the hat does not matter. For the others
 * the ratio to the mode is calculated as in the paper's BTRD, the mode's part but once. */
static double by_rejection(kt_generator *g, double count, double p)
{
    const double deviation = sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double centre = count * p + 0.5, alpha = (2.83 + 5.1 / b) * deviation, inside = 0.92 - 4.2 / b;
    likelihood   l = {.count = 0}; /* not made yet */
    for (;;) {
        const double u = kt__rng_uniform(g) - 0.5, v = kt__rng_uniform(g), edge = 0.5 - fabs(u);
        const double k = floor((2 * a / edge + b) * u + centre);
        if (edge >= 0.07 && v <= inside)
            return k;
        if (k < 0 || k > count)
            continue;
        if (l.count == 0)
            l = likelihood_of(count, p);
        if (log(v * alpha / (a / (edge * edge) + b)) <= log_likelihood(&l, k))
            return k;
    }
}

static double up_to_half(kt_generator *g, double count, double p)
{
    return count * p >= 10 ? by_rejection(g, count, p) : by_waits(g, count, p);
}

double kt__binomial(kt_generator *g, double count, double p)
{
    if (!isfinite(count) || p != p)
        return NAN;
    if (count <= 0 || p <= 0)
        return 0;
    if (p >= 1)
        return count;
    return p <= 0.5 ? up_to_half(g, count, p) : count - up_to_half(g, count, 1 - p);
}
