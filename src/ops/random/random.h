/* random.h - one draw as the operator layer sees it: which distribution, of what parameters, from whose generator. */
#ifndef KT_OPS_RANDOM_RANDOM_H
#define KT_OPS_RANDOM_RANDOM_H

#include "call/call.h"
#include "plan/draw.h"
#include "tables/kernels/random.h"

typedef struct kt__draw {
    kt_generator *generator; /* NULL: the default one of the target's device */
    int           kernel; /* KT_K_uniform to KT_K_binomial */
    int           n_param;
    kt_scalar     param[3];
    kt_tensor    *each, *other; /* each element's own parameters, of the target's size; NULL: none */
} kt__draw;

kt_generator *kt__arg_generator(const kt_call *call, int at); /* borrowed; NULL where none is given */

/* The tensors of a random plan, on the device that draws: the targets themselves, or the CPU's in their place. */
typedef struct kt__drawing {
    kt__draw_source source;
    kt_tensor      *to;  /* what is to be filled; not empty, not on the meta device */
    kt_tensor      *out; /* what the plan writes */
    kt_tensor      *in, *other; /* what it reads, or NULL; no lazy bits */
} kt__drawing;
kt_status kt__drawing_begin(kt__drawing *d, kt_tensor *to, kt_tensor *in, const kt_row *row, int kernel, int compute,
                            kt_generator *given);
kt_status kt__drawing_end(kt__drawing *d, kt_status status); /* copies what the CPU drew; call it after a begin without error */

void      kt__draw_dims(kt_plan *plan, int at, const kt_tensor *t); /* operand `at` has the sizes and strides of t */

/* Writes over `to`, on any device. No tape. */
kt_status kt__draw_into(kt_tensor *to, const kt__draw *draw);

/* Distributions whose parameters are looked at first; `missing` is what PyTorch calls the kernel it lacks. */
kt_status kt__draw_uniform_into(const kt_call *call, kt_tensor *to, double from, double until, kt_generator *g);
kt_status kt__draw_normal_into(const kt_call *call, kt_tensor *to, double mean, double std, kt_generator *g);
kt_status kt__draw_ints_into(const kt_call *call, kt_tensor *to, int64_t from, int64_t until, kt_generator *g);
kt_status kt__draw_bernoulli_into(const kt_call *call, kt_tensor *to, double p, kt_generator *g);

#endif
