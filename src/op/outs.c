/* outs.c - out= where somebody wants a gradient, in PyTorch's words. In: a call with out=. Out: the operator that is to blame,
 * which may be a part of this one. What becomes of the gradient stands in the row's column; target.c looks at memory and at
 * dtypes. */
#include <string.h>

#include "op/call.h"

kt_status kt__refuse_recording(const kt_call *call)
{
    const kt__target_rule *rule = &call->row->target;
    const char            *name = rule->writer ? rule->writer : kt__schema_said(call->row);
    return kt_fail(KT_ERR_RUNTIME,
                   "%s%.*s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                   "requires grad.",
                   rule->grad == TARGET_OPAQUE ? "aten::" : "", (int)strcspn(name, ".("), name);
}
