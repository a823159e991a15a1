/* made.h - for bodies that are written in the vocabulary of ops.h: the result leaves the body's scope and belongs to the call. */
#ifndef KT_OP_MADE_H
#define KT_OP_MADE_H

#include "base/scope.h"
#include "op/wrap.h"

kt_status kt__made(kt_call *call, kt_tensor *t);      /* NULL: a step before failed, and the error says why */
kt_status kt__made_into(kt_call *call, kt_tensor *t); /* the same for out=, which takes the size and a copy */
kt_status kt__made_both(kt_call *call, kt_tensor *first, kt_tensor *second); /* two results, also into out= */

/* For steps between, in the scope; NULL passes an error on. */
kt_tensor *kt__converted(kt_tensor *t, kt_dtype to, kt_reason why); /* t itself where it is of that dtype */
kt_tensor *kt__scoped(kt_tensor *t);                                /* an owned tensor, handed to the scope */

kt_tensor *kt__slice_norms(const kt_tensor *t, int64_t dim, double p); /* distance.c: of each slice, dims of 1 kept */

#endif
