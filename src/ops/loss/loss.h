/* loss.h - what the losses share: reduction= in its spellings, the classes that targets name, arguments without a derivative.
 * For bodies and formulas: NULL passes an error on. */
#ifndef KT_OPS_LOSS_LOSS_H
#define KT_OPS_LOSS_LOSS_H

#include "call/made.h"

typedef enum kt__reduction { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM } kt__reduction;

/* What reduction= and the old size_average= and reduce= (-1: the row has neither), at these arguments, ask for. */
typedef struct kt__reduction_args {
    int size_average, reduce, reduction;
} kt__reduction_args;
kt_status  kt__reduction_of(const kt_call *call, kt__reduction_args at, kt__reduction *how);
bool       kt__reduction_old(const kt_call *call, kt__reduction_args at); /* do the old ones speak? */
kt_status  kt__check_reduction(int64_t given); /* of rows that take a number */
kt_tensor *kt__reduced(kt_tensor *loss, kt__reduction how);

/* A weight that wants a gradient which PyTorch does not give. */
bool      kt__wants_slope(const kt_tensor *t); /* of NULL not; in a vmap also that of an outer graph */
kt_status kt__no_slope(const kt_tensor *t, const char *function, const char *argument);

/* Of nll_loss: which class each place names (0 where it is ignored) and how much it counts (0 there). */
typedef struct kt__classes {
    kt_tensor *valid, *index, *count; /* count: in the dtype and of the weights, or ones */
} kt__classes;
bool       kt__classes_of(kt_tensor *target, kt_tensor *weight, int64_t ignore, kt_dtype dtype, kt__classes *out);
kt_status  kt__check_classes(kt_tensor *target, int64_t ignore, int64_t classes); /* each is a class, or ignored */
/* The loss of all, given the log likelihood of each place's class; summed in a wider dtype. */
kt_tensor *kt__nll_reduced(kt_tensor *taken, const kt__classes *of, kt__reduction how, kt_dtype dtype);
/* Can cross_entropy take these? Rows of floats, a class for each; the device has its kernels. What it cannot take, nll_loss of
 * log_softmax does, or refuses. */
bool       kt__cross_entropy_takes(const kt_tensor *input, const kt_tensor *target, const kt_tensor *weight);
/* nll_loss of any rank, as cross_entropy needs it. */
kt_tensor *kt__nll_of(kt_tensor *input, kt_tensor *target, kt_tensor *weight, kt__reduction how, int64_t ignore);

#endif
