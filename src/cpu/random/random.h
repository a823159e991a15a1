/* random.h - kernels that draw from a generator. In: plans with one. Out: their outputs, drawn in PyTorch's order. */
#ifndef KT_CPU_RANDOM_RANDOM_H
#define KT_CPU_RANDOM_RANDOM_H

#include "base/rng.h"
#include "cpu/kernels.h"

kt_status kt__cpu_random(const kt__cpu_build *build, const kt_plan *plan);

/* The parts, one file each. */
kt_status kt__cpu_normal_by_sixteens(const kt__cpu_build *build, const kt_plan *plan); /* random/normal.c */
kt_status kt__cpu_randperm(const kt_plan *plan);                                       /* random/choose.c */
kt_status kt__cpu_multinomial(const kt_plan *plan);
kt_status kt__cpu_dropout(const kt_plan *plan);                                        /* random/dropout.c */
double    kt__gamma(kt_generator *g, double concentration, bool narrow);               /* random/gamma.c; narrow: not float64 */
double    kt__binomial(kt_generator *g, double count, double p);                       /* random/binomial.c */
double    kt__poisson(kt_generator *g, double rate);                                   /* random/poisson.c */

/* Uniform float32 with as many random bits as `dtype` has digits: n of them, n at most KT__DRAW_TILE. */
typedef struct kt__uniform {
    uint32_t mask;
    float    range, from;
} kt__uniform;
kt__uniform kt__uniform_for(kt_dtype dtype, double from, double to);
static inline void kt__draw_uniform(const kt__cpu_build *build, kt_generator *g, const kt__uniform *u, float *to, int n)
{
    uint32_t raw[KT__DRAW_TILE];
    kt__rng_fill(g, raw, n);
    build->draws->uniform(to, raw, n, u->mask, u->range, u->from);
}

#endif
