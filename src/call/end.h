/* end.h - how a body ends: what it computed becomes the result, or is written to out= or in place. All bodies end here, so
 * that the rules for targets (target.h) apply to all of them. The bodies of ops/view and of the casts (ways/copy.c) alone
 * set call->out: a view, or self, is its own result, and nothing is written.
 *
 *   kt__end, kt__end_made   one result          kt__run_as     the body is another operator's call
 *   kt__end_several         several             kt__list_done  a list (move.h)
 *   kt__end_itself          a result that is where it belongs */
#ifndef KT_CALL_END_H
#define KT_CALL_END_H

#include "call/call.h"

/* Ends with `made`; the caller, or the body's scope, keeps its reference. NULL: a previous step failed, and its error is
 * pending. With out= the row's rules are checked first; a refusal leaves the target unchanged. */
kt_status kt__end(kt_call *call, kt_tensor *made);
/* The same, taking over the caller's reference. The dtype comes from `origin` (NULL: the lineage is set already). */
kt_status kt__end_made(kt_call *call, kt_tensor *made, const kt_tensor *origin, kt_status status);
kt_status kt__end_several(kt_call *call, kt_tensor *const *made, int n);
/* What the two above check of out=, for bodies that look at the numbers of their results: PyTorch looks at the targets first. */
kt_status kt__check_ends(const kt_call *call, kt_tensor *const *made, int n);

/* Ends with `t` itself, which is taken over: a part's result of a row that is never written into, an argument to which nothing
 * was done, or the target. Bodies write straight into a target where a result made apart would cost a pass over memory (cat,
 * stack, softmax, products, scatters, tril) or give other numbers (draws into self); they have asked target.h before. */
static inline kt_status kt__end_itself(kt_call *call, kt_tensor *t, kt_status status)
{
    if (status)
        kt__unref(t);
    else
        call->out[0] = t;
    return status;
}

/* Runs `c`, a call of another row, in the form of `call` and with its targets. */
kt_status kt__run_as(kt_call *call, kt_call *c);

#endif
