/* made.h - for bodies that are written in the vocabulary of ops.h. */
#ifndef KT_CALL_MADE_H
#define KT_CALL_MADE_H

#include "base/scope.h"
#include "call/end.h"
#include "call/wrap.h"

/* Steps, in the scope that the body opened; NULL passes an error on. */
kt_tensor *kt__converted(kt_tensor *t, kt_dtype to, kt_reason why); /* an operand; t itself where it is of that dtype */
kt_tensor *kt__converted_inside(kt_tensor *t, kt_dtype to, kt_reason why); /* the body's own, which no policy judges */
kt_tensor *kt__scoped(kt_tensor *t);                                       /* an owned tensor, handed to the scope */

kt_tensor *kt__slice_norms(kt_tensor *t, int64_t dim, double p); /* distance.c: of each slice, dims of 1 kept */

#endif
