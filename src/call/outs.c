/* outs.c - PyTorch's errors for out= with tensors that require grad. In: a call with out=. Out: the operator that the
 * message names, which may be a part of this one. The row's column says what happens to the gradient; target.c checks
 * memory and dtypes. */
#include <string.h>

#include "call/call.h"

kt_status kt__refuse_recording(const kt_call *call)
{
    const kt__target_rule *rule = &call->row->target;
    const char            *name = rule->writer ? rule->writer : kt__schema_said(call->row);
    return kt_fail(KT_ERR_RUNTIME,
                   "%s%.*s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                   "requires grad.",
                   rule->grad == TARGET_OPAQUE ? "aten::" : "", (int)strcspn(name, ".("), name);
}
