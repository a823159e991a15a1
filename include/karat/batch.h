/* batch.h - a program written for one example, run for many at once (vmap).
 *
 *   kt_batch_begin(1000, KT_RANDOM_ERROR);        between begin and end a dim of some tensors counts examples:
 *   kt_tensor *x = kt_batch_in(rows, 0);          x has the sizes of one row
 *   kt_tensor *y = kt_batch_out(kt_dot(x, x), 0); what was computed of x, for all rows, in dim 0
 *   kt_batch_end();
 *
 * Every operator takes such tensors; gradients are those of each example. Levels are of one thread and nest. */
#ifndef KARAT_BATCH_H
#define KARAT_BATCH_H

#include <karat/tensor.h>

KT_BEGIN

/* What a random operator does inside: fail, draw for every example, draw once for all. */
typedef enum kt_randomness { KT_RANDOM_ERROR, KT_RANDOM_DIFFERENT, KT_RANDOM_SAME } kt_randomness;

KT_API kt_status  kt_batch_begin(int64_t size, kt_randomness randomness);
KT_API kt_status  kt_batch_end(void);                        /* the innermost; an error if there is none */
KT_API int64_t    kt_batch_depth(void);                      /* open levels of this thread */
KT_API kt_tensor *kt_batch_in(kt_tensor *t, int64_t dim);    /* one example of t; dim counts them, and has the level's size */
KT_API kt_tensor *kt_batch_out(kt_tensor *t, int64_t dim);   /* all examples; what does not depend on them is repeated */
KT_API bool       kt_is_batched(const kt_tensor *t);         /* inside any level */
KT_API bool       kt_is_batched_here(const kt_tensor *t);    /* inside the innermost */
KT_API kt_tensor *kt_batch_value(const kt_tensor *t);        /* borrowed: the tensor with all examples; NULL: it is not batched */
KT_API int64_t    kt_batch_dim(const kt_tensor *t);          /* the dim of its value that counts them; -1: it is not batched */
KT_API kt_randomness kt_batch_randomness(const kt_tensor *t); /* of its level; KT_RANDOM_ERROR if that has ended */
KT_API int64_t    kt_batch_level(const kt_tensor *t);        /* how many levels are open at its own, 0: it has ended */
KT_API int64_t    kt_batch_floor(const kt_tensor *t);        /* forward mode's levels below it have their tangents on its value */

/* For operators that bring their own rule: run(with) is called outside of t's level, where its value belongs, and what it made
 * of values is a tensor of that level again. A tensor that is not batched is of none. */
KT_API kt_status  kt_batch_outside(const kt_tensor *t, void (*run)(void *with), void *with);
KT_API kt_tensor *kt_batch_in_as(kt_tensor *value, int64_t dim, const kt_tensor *t); /* as kt_batch_in, of t's level */

KT_END
#endif
