/* end.h - how a body ends: what it made becomes the result, or goes where the form says. One ending for every body, so that the
 * rules of out= and in-place targets (target.h) hold for all of them. The bodies of ops/view and of the casts (ways/copy.c) alone
 * set call->out: a view, or self, is its own result, and nothing is written.
 *
 *   kt__end, kt__end_made   one result          kt__run_as     the body is another operator's call
 *   kt__end_several         several             kt__list_done  a list (move.h)
 *   kt__end_itself          a result that is where it belongs */
#ifndef KT_CALL_END_H
#define KT_CALL_END_H

#include "call/call.h"

/* Ends with `made`, of which the caller, or the body's scope, keeps its reference; NULL: a step before failed, and the error says
 * why. With out= the row's rules are asked first, and what refuses leaves the target as it was. */
kt_status kt__end(kt_call *call, kt_tensor *made);
/* The same with a tensor that the caller owns and gives away, whose dtype comes from `origin` (NULL: its lineage is set). */
kt_status kt__end_made(kt_call *call, kt_tensor *made, const kt_tensor *origin, kt_status status);
kt_status kt__end_several(kt_call *call, kt_tensor *const *made, int n);

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

/* Runs `c`, a call of another row with its arguments, in the form of `call` and into its targets. */
kt_status kt__run_as(kt_call *call, kt_call *c);

#endif
