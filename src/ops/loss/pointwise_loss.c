/* pointwise_loss.c - elementwise losses: mse, l1, smooth_l1, huber. In: calls of their rows. Out: each element's loss,
 * their mean or their sum. The kernels are elementwise; what flows back is an elementwise row. */
#include <string.h>

#include "ops/loss/loss.h"

/* ---- rows with a node ---- */

enum { INPUT, TARGET, REDUCTION, BEND };

/* What an elementwise run of this call gave, reduced. */
static kt_status reduce_made(kt_call *call, kt_status status)
{
    KT_SCOPE;
    kt_tensor          *each = call->out[0];
    const kt__reduction how = (kt__reduction)kt__arg_int(call, REDUCTION);
    if (status || how == REDUCE_NONE)
        return status;
    status = kt__end(call, kt__reduced(each, how));
    kt__unref(each);
    return status;
}

kt_status kt__body_mse_loss(kt_call *call)
{
    if (kt__check_reduction(kt__arg_int(call, REDUCTION)))
        return kt_error_status();
    return reduce_made(call, kt__run_elementwise(call));
}

kt_status kt__body_smooth_l1_loss(kt_call *call)
{
    if (kt__check_reduction(kt__arg_int(call, REDUCTION)))
        return kt_error_status();
    if (kt__arg(call, BEND)->f < 0)
        return kt_fail(KT_ERR_RUNTIME, "smooth_l1_loss does not support negative values for beta.");
    return reduce_made(call, kt__run_elementwise(call));
}

/* PyTorch writes this one into a tensor like the input, whose dtype it keeps. */
static kt_tensor *buffer_like(kt_tensor *input, kt_tensor *target)
{
    int64_t    sizes[KT_MAX_DIMS];
    int        rank = 0;
    kt_tensor *both[2] = {input, target};
    if (kt__same_sizes(input, target))
        return kt__empty_like(input, (kt_dtype)input->dtype, kt__device(input), KT_FORMAT_NONE);
    if (kt__broadcast(both, 2, sizes, &rank))
        return NULL;
    return kt__tensor_new((kt_dtype)input->dtype, kt__device(input), (kt_shape){rank, sizes});
}

kt_status kt__body_huber_loss(kt_call *call)
{
    if (kt__check_reduction(kt__arg_int(call, REDUCTION)))
        return kt_error_status();
    if (!(kt__arg(call, BEND)->f > 0))
        return kt_fail(KT_ERR_RUNTIME, "huber_loss does not support non-positive values for delta.");
    if (kt__policy(kt__mode()) == KT_PERMISSIVE || call->arg[INPUT].t->dtype == call->arg[TARGET].t->dtype)
        return reduce_made(call, kt__run_elementwise(call));
    kt_tensor *buffer = buffer_like(call->arg[INPUT].t, call->arg[TARGET].t);
    if (!buffer)
        return kt_error_status();
    buffer->lineage = call->arg[INPUT].t->lineage;
    call->out[0] = buffer;
    call->form = KT_OUT;
    kt_status status = kt__run_elementwise(call);
    call->form = KT_PLAIN;
    kt__unref(buffer); /* the call holds its own */
    return reduce_made(call, status);
}

/* ---- nn.functional ---- */

/* PyTorch warns before it broadcasts. */
static void warn_of_sizes(const kt_tensor *input, const kt_tensor *target)
{
    if (kt__same_sizes(input, target))
        return;
    kt__warn("Using a target size (torch.Size(%s)) that is different to the input size (torch.Size(%s)). This will likely lead "
             "to incorrect results due to broadcasting. Please ensure they have the same size.",
             KT__SIZES_TEXT(target), KT__SIZES_TEXT(input));
}

#define WITH_OLD ((kt__reduction_args){2, 3, 4})

typedef struct pair {
    kt_tensor    *input, *target, *weight; /* weight: or NULL */
    kt__reduction how;
} pair;

/* Weights must have the input's sizes; reduction is one of three words. */
static kt_status check_weight(const kt_tensor *weight, const kt_tensor *input, const char *word)
{
    if (!kt__same_sizes(weight, input))
        return kt_fail(KT_ERR_VALUE, "Weights and input must have the same size.");
    if (strcmp(word, "none") && strcmp(word, "mean") && strcmp(word, "sum"))
        return kt_fail(KT_ERR_VALUE, "Invalid reduction mode: %s. Expected one of 'none', 'mean', 'sum'.", word);
    return KT_OK;
}

static kt_tensor *spread(kt_tensor *t, kt_shape whole)
{
    bool there = t->ndim == whole.n;
    for (int i = 0; there && i < t->ndim; i++)
        there = t->sizes[i] == whole.d[i];
    return there ? t : kt_expand(t, whole);
}

/* Both over the same sizes: a 0-dim tensor counts as one with dims when dtypes are promoted. */
static kt_status make_pair(const kt_call *call, kt__reduction_args at, int weight, pair *p)
{
    int64_t sizes[KT_MAX_DIMS];
    int     rank = 0;
    *p = (pair){.input = call->arg[INPUT].t, .target = call->arg[TARGET].t};
    p->weight = weight >= 0 && kt__given(call, weight) ? call->arg[weight].t : NULL;
    warn_of_sizes(p->input, p->target);
    if (p->weight && check_weight(p->weight, p->input, kt__arg(call, at.reduction)->str))
        return kt_error_status();
    if (kt__broadcast((kt_tensor *[]){p->input, p->target}, 2, sizes, &rank) || kt__reduction_of(call, at, &p->how))
        return kt_error_status();
    if (kt__same_sizes(p->input, p->target))
        return KT_OK;
    p->input = spread(p->input, (kt_shape){rank, sizes});
    p->target = spread(p->target, (kt_shape){rank, sizes});
    return p->input && p->target ? KT_OK : kt_error_status();
}

/* Weighted losses; a mean divides by the sum of the weights. */
static kt_tensor *weighed(const pair *p, kt_tensor *each)
{
    kt_tensor *all = kt_mul(each, p->weight);
    return p->how == REDUCE_MEAN ? kt_true_divide(kt_sum(all), kt_sum(p->weight)) : kt__reduced(all, p->how);
}

static kt_tensor *l1(const pair *p)
{
    kt_tensor *each = kt_abs(kt_sub(p->input, p->target));
    return p->weight ? weighed(p, each) : kt__reduced(each, p->how);
}

kt_status kt__body_nn_mse_loss(kt_call *call)
{
    KT_SCOPE;
    pair p;
    if (make_pair(call, WITH_OLD, 5, &p))
        return kt_error_status();
    if (p.weight)
        return kt__end(call, weighed(&p, kt_pow_s(kt_sub(p.input, p.target), KT_INT(2))));
    return kt__end(call, kt_mse_loss(p.input, p.target, .reduction = KT_SOME((int64_t)p.how)));
}

kt_status kt__body_nn_l1_loss(kt_call *call)
{
    KT_SCOPE;
    pair p;
    return make_pair(call, WITH_OLD, 5, &p) ? kt_error_status() : kt__end(call, l1(&p));
}

kt_status kt__body_nn_smooth_l1_loss(kt_call *call)
{
    KT_SCOPE;
    const double beta = kt__arg(call, 5)->f;
    pair         p;
    if (make_pair(call, WITH_OLD, -1, &p))
        return kt_error_status();
    return kt__end(call, beta == 0 ? l1(&p)
                                    : kt_smooth_l1_loss(p.input, p.target, .reduction = KT_SOME((int64_t)p.how),
                                                        .beta = KT_SOME(beta)));
}

kt_status kt__body_nn_huber_loss(kt_call *call)
{
    KT_SCOPE;
    const double delta = kt__arg(call, 3)->f;
    pair         p;
    if (make_pair(call, (kt__reduction_args){-1, -1, 2}, 4, &p))
        return kt_error_status();
    const int64_t how = p.weight ? REDUCE_NONE : p.how;
    kt_tensor    *loss = kt_huber_loss(p.input, p.target, .reduction = KT_SOME(how), .delta = KT_SOME(delta));
    return kt__end(call, p.weight ? kt__reduced(kt_mul(loss, p.weight), p.how) : loss);
}
