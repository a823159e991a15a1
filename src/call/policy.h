/* policy.h - does the policy allow a conversion?
 *
 * In: a tensor, the dtype that it is to be seen as or stored in, and why. Out: KT_OK or a refusal. A policy judges what the user
 * can see: the operands of the call that the user wrote and its result. What a body makes for itself is converted freely. */
#ifndef KT_CALL_POLICY_H
#define KT_CALL_POLICY_H

#include "call/call.h"

/* Is `t` a temporary of the body or of the derivative that runs, and neither an operand nor a target of the call that the user
 * wrote? */
bool kt__is_inner(const kt_call *call, const kt_tensor *t);

/* May the call see `t` as `to`? `operand` names it where no call of the user does. */
kt_status kt__allow(uint64_t mode, const kt_call *call, const char *operand, const kt_tensor *t, kt_dtype to, kt_reason why);
/* May a body that is made of other operators join all tensors of the call? What its operators see may be temporaries, which
 * are not judged. */
kt_status kt__allow_joined(const kt_call *call);
/* May it write a result of that dtype to `target`? */
kt_status kt__allow_result(const kt_call *call, kt_dtype result, const kt_tensor *target);

#endif
