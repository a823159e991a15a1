/* random.h - one draw as the operator layer sees it: which distribution, of what parameters, from whose generator. */
#ifndef KT_OPS_RANDOM_RANDOM_H
#define KT_OPS_RANDOM_RANDOM_H

#include "base/rng.h"
#include "call/call.h"
#include "tables/kernels/random.h"

typedef struct kt__draw {
    kt_generator *generator;
    int           kernel; /* KT_K_uniform to KT_K_poisson */
    int           n_param;
    kt_scalar     param[3];
    kt_tensor    *each; /* each element's own parameter, of the target's size; NULL: none */
} kt__draw;

kt_generator *kt__arg_generator(const kt_call *call, int at); /* the default one where none is given; borrowed */

/* Writes over `to`, on any device, with the same numbers. No tape. */
kt_status kt__draw_into(kt_tensor *to, const kt__draw *draw);

/* Distributions whose parameters are looked at first; `missing` is what PyTorch calls the kernel it lacks. */
kt_status kt__draw_uniform_into(const kt_call *call, kt_tensor *to, double from, double until, kt_generator *g);
kt_status kt__draw_normal_into(const kt_call *call, kt_tensor *to, double mean, double std, kt_generator *g);
kt_status kt__draw_ints_into(const kt_call *call, kt_tensor *to, int64_t from, int64_t until, kt_generator *g);
kt_status kt__draw_bernoulli_into(const kt_call *call, kt_tensor *to, double p, kt_generator *g);

#endif
