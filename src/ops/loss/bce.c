/* bce.c - binary_cross_entropy, of probabilities and of logits, and kl_div. In: calls of their rows. Out: the loss, or PyTorch's
 * refusals. The first two are one node of the tape each and run below it, kl_div is a composite. */
#include <string.h>

#include "call/check.h"
#include "call/move.h"
#include "call/refuse.h"
#include "ops/loss/loss.h"

/* ---- probabilities ---- */

enum { INPUT, TARGET, WEIGHT, REDUCTION };

static kt_status check_values(kt_tensor *x, kt_tensor *t)
{
    return kt__check_range((kt_tensor *[]){x, t}, 2, &(kt__range){.low = KT_FLOAT(0), .high = KT_FLOAT(1),
                                                                  .says = {KT_FAULT_BCE_INPUT, KT_FAULT_BCE_TARGET}});
}

/* PyTorch clamps the logarithm at -100, so that the loss stays finite. */
static kt_tensor *bounded(kt_tensor *log) { return kt_clamp_min_s(log, KT_INT(-100)); }

kt_status kt__body_binary_cross_entropy(kt_call *call)
{
    KT_SCOPE;
    kt__decision room;
    kt_tensor   *x = call->arg[INPUT].t, *t = call->arg[TARGET].t;
    if (kt__check_reduction(kt__arg_int(call, REDUCTION)) || kt__one_device((kt_tensor *[]){x, t}, 2))
        return kt_error_status();
    if (!kt__resolve_in_body(call, &room) || check_values(x, t)) /* a weight may have any dtype: it scales in place */
        return kt_error_status();
    /* the input's factors stand first: the loss lies as it does */
    kt_tensor *loss = kt_sub(kt_mul(bounded(kt_log1p(kt_neg(x))), kt_sub_s(t, KT_INT(1))), kt_mul(bounded(kt_log(x)), t));
    if (loss && kt__given(call, WEIGHT))
        loss = kt_mul_(loss, call->arg[WEIGHT].t);
    return kt__end(call, kt__reduced(loss, (kt__reduction)kt__arg_int(call, REDUCTION)));
}

/* Broadcasts the weight to the target's size. */
static kt_tensor *spread_weight(kt_tensor *weight, kt_tensor *target)
{
    int64_t sizes[KT_MAX_DIMS];
    int     rank = 0;
    if (!weight || kt__same_sizes(weight, target))
        return weight;
    if (kt__broadcast((kt_tensor *[]){target, weight}, 2, sizes, &rank))
        return NULL;
    const kt_shape whole = {rank, sizes};
    return kt_expand(weight, whole);
}

kt_status kt__body_nn_binary_cross_entropy(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *x = call->arg[INPUT].t, *t = call->arg[TARGET].t, *w = kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){3, 4, 5}, &how))
        return kt_error_status();
    if (!kt__same_sizes(x, t)) {
        return kt_fail(KT_ERR_VALUE,
                       "Using a target size (torch.Size(%s)) that is different to the input size (torch.Size(%s)) is deprecated. "
                       "Please ensure they have the same size.",
                       KT__SIZES_TEXT(t), KT__SIZES_TEXT(x));
    }
    kt_tensor *spread = spread_weight(w, t);
    if ((w && !spread) || kt__no_slope(w, "binary_cross_entropy", "weight"))
        return kt_error_status();
    return kt__end(call, kt_binary_cross_entropy(x, t, .weight = spread, .reduction = KT_SOME((int64_t)how)));
}

/* ---- logits ---- */

enum { POSITIVE = 3, LISTED = 4 }; /* places in the list: input, target, weight, pos_weight */

/* -log(sigmoid(x)), for any x. */
static kt_tensor *softplus_of_minus(kt_tensor *x)
{
    return kt_logaddexp(kt_neg(x), kt_zeros(KT_SCALAR, .dtype = (kt_dtype)x->dtype, .device = kt__device(x)));
}

/* What follows is written into 1 - target, as PyTorch does: the loss has the target's dtype; a factor leaves the dtype of x. */
static kt_tensor *logits_loss(kt_tensor *const *t)
{
    kt_tensor *x = t[INPUT], *target = t[TARGET];
    kt_tensor *factor = t[POSITIVE] ? kt_add_s(kt_mul(kt_sub_s(t[POSITIVE], KT_INT(1)), target), KT_INT(1)) : NULL;
    if (t[POSITIVE] && !factor)
        return NULL;
    kt_tensor *cost = softplus_of_minus(x);
    if (cost && factor)
        cost = kt_mul_(cost, factor);
    kt_tensor *loss = cost ? kt_rsub_s(target, KT_INT(1)) : NULL;
    loss = loss ? kt_mul_(loss, x) : NULL;
    loss = loss && cost ? kt_add_(loss, cost) : NULL;
    return loss && t[WEIGHT] ? kt_mul_(loss, t[WEIGHT]) : loss;
}

kt_status kt__body_bce_logits(kt_call *call)
{
    KT_SCOPE;
    if (kt__check_reduction(kt__arg_int(call, 1)))
        return kt_error_status();
    if (call->arg[0].ts.n != LISTED || !call->arg[0].ts.t[INPUT] || !call->arg[0].ts.t[TARGET])
        return kt_fail(KT_ERR_VALUE, "_bce_logits: input, target, weight and pos_weight are wanted");
    return kt__end(call, kt__reduced(logits_loss(call->arg[0].ts.t), (kt__reduction)kt__arg_int(call, 1)));
}

static kt_tensor *with_logits(const kt_call *call, int weight, int positive, kt__reduction how)
{
    kt_tensor *t[LISTED] = {call->arg[INPUT].t, call->arg[TARGET].t, kt__given(call, weight) ? call->arg[weight].t : NULL,
                            kt__given(call, positive) ? call->arg[positive].t : NULL};
    kt__decision room;
    if (t[INPUT]->flags & KT_T_BATCHED && (kt__wants_slope(t[WEIGHT]) || kt__wants_slope(t[POSITIVE])))
        return kt__reduced(logits_loss(t), how); /* in a vmap PyTorch's loss is made of operators, which have all slopes */
    if (kt__no_slope(t[WEIGHT], "binary_cross_entropy_with_logits", "weight") ||
        kt__no_slope(t[POSITIVE], "binary_cross_entropy_with_logits", "pos_weight") || kt__refuse(call, STAGE_AFTER) ||
        !kt__resolve_in_body(call, &room))
        return NULL;
    return kt_bce_logits(t, LISTED, .reduction = (int64_t)how);
}

kt_status kt__body_binary_cross_entropy_with_logits(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, with_logits(call, 2, 3, (kt__reduction)kt__arg_int(call, 4)));
}

kt_status kt__body_nn_binary_cross_entropy_with_logits(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *x = call->arg[INPUT].t, *t = call->arg[TARGET].t;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){3, 4, 5}, &how))
        return kt_error_status();
    if (kt__same_sizes(x, t))
        return kt__end(call, with_logits(call, 2, 6, how));
    return kt_fail(KT_ERR_VALUE, "Target size (torch.Size(%s)) must be the same as input size (torch.Size(%s))",
                   KT__SIZES_TEXT(t), KT__SIZES_TEXT(x));
}

/* ---- kl_div ---- */

static kt_tensor *kl(const kt_call *call, bool log_target)
{
    kt_call    seen = *call;
    kt_tensor *both[] = {call->arg[INPUT].t, call->arg[TARGET].t};
    if (kt__any_is(both, 2, KT_CAT_BOOL | KT_CAT_INT) && kt__is_mix(both, 2) && kt__cast_together(both, 2))
        return NULL;
    kt_tensor *x = seen.arg[INPUT].t = both[0], *t = seen.arg[TARGET].t = both[1];
    if (kt__refuse(&seen, STAGE_AFTER))
        return NULL;
    return log_target ? kt_mul(kt_exp(t), kt_sub(t, x)) : kt_sub(kt_xlogy(t, t), kt_mul(t, x));
}

kt_status kt__body_kl_div(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *each = kl(call, kt__arg_bool(call, 3));
    if (!each || kt__check_reduction(kt__arg_int(call, 2)))
        return kt_error_status();
    return kt__end(call, kt__reduced(each, (kt__reduction)kt__arg_int(call, 2)));
}

kt_status kt__body_nn_kl_div(kt_call *call)
{
    KT_SCOPE;
    const kt__reduction_args at = {2, 3, 4};
    const char              *word = kt__arg(call, 4)->str;
    const bool               old = kt__reduction_old(call, at), by_batch = !old && strcmp(word, "batchmean") == 0;
    const kt_tensor         *x = call->arg[INPUT].t;
    kt__reduction            how = REDUCE_SUM;
    if (!old && strcmp(word, "mean") == 0)
        kt__warn("reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only "
                 "by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
                 "'batchmean' in the next major release.");
    if (!by_batch && kt__reduction_of(call, at, &how))
        return kt_error_status();
    kt_tensor *loss = kt__reduced(kl(call, kt__arg_bool(call, 5)), how);
    return kt__end(call, by_batch && x->ndim ? kt_true_divide_s(loss, KT_INT(x->sizes[0])) : loss);
}
