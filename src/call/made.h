/* made.h - helpers for bodies that call the operators of ops.h. */
#ifndef KT_CALL_MADE_H
#define KT_CALL_MADE_H

#include "base/scope.h"
#include "call/end.h"
#include "call/wrap.h"

/* Both add to the scope that the body opened; NULL in gives NULL out, for a pending error. */
kt_tensor *kt__converted(kt_tensor *t, kt_dtype to, kt_reason why); /* an operand; t itself if it has that dtype */
/* without the policy check: an intermediate of the body */
kt_tensor *kt__converted_inside(kt_tensor *t, kt_dtype to, kt_reason why);
/* Operands of a body made of other operators, each of which would promote its own alone; NULL: not given. Are they of several
 * dtypes, under a policy that converts what PyTorch refuses? Then the body casts them to their common dtype before the first
 * step. Autocast casts by itself. */
bool      kt__is_mix(kt_tensor *const *t, int64_t n);
bool      kt__any_is(kt_tensor *const *t, int64_t n, int categories); /* which may be what PyTorch refuses in a mix */
kt_status kt__cast_together(kt_tensor **t, int64_t n);
kt_tensor *kt__scoped(kt_tensor *t);                                       /* gives an owned tensor to the scope */

kt_tensor *kt__slice_norms(kt_tensor *t, int64_t dim, double p); /* distance.c: one norm per slice; reduced dims keep size 1 */

#endif
