/* error_order.c - if a call has two errors, the one that PyTorch reports is reported. In: a call with an error pending. Out: that
 * error, or the one that PyTorch checks earlier. Nothing is written. */
#include "call/call.h"

/* The earlier check runs only after a failure, so that calls that succeed do not pay for the order. */
KT__COLD kt_status kt__report_earlier_error(kt_status (*check)(const void *), const void *what)
{
    kt_error_state *later = kt_error_push();
    if (!later)
        return kt_error_status();
    const kt_status earlier = check(what);
    kt_error_pop(later);
    if (!earlier)
        return kt_error_status();
    kt_clear();
    return check(what);
}

static kt_status tape_rules(const void *call) { return kt__tape.rules(call); }

/* PyTorch checks the target (a leaf, or an out= with a history) before the arguments. */
KT__COLD kt_status kt__report_first_error(const kt_call *call)
{
    const kt_row *row = call->row;
    bool          itself = call->form == KT_OUT || (!row->way->lists && kt__arg_spec(row, 0)->kind == KT_ARG_TENSOR);
    /* a composite: its own checks precede the writes of its parts, unless it hands the target to one part (`exact, by`) */
    const bool passes_on = row->target.reported_as && row->target.dtype == TARGET_EXACT && row->target.grad == TARGET_REFUSED;
    const bool checks = call->form == KT_OUT && (row->target.grad == TARGET_OPAQUE || passes_on);
    if (row->way->composes && !row->node && !checks)
        itself = false;
    for (int i = 0; call->form == KT_OUT && i < kt__n_results(call->row); i++)
        itself = itself && call->out[i];
    if (call->form == KT_OUT) /* rows without a derivative may write to any target */
        itself = itself && (call->row->node || checks) && call->row->rule != RULE_COMPARE;
    return itself && kt__is_watched(call) ? kt__report_earlier_error(tape_rules, call) : kt_error_status();
}
