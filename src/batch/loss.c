/* loss.c - rules of losses: of every element of all examples, then reduced for each example. */
#include <string.h>

#include "batch/batch.h"

enum { NONE, MEAN, SUM }; /* the argument `reduction` */

static int reduction_of(const kt_call *call, int64_t *how)
{
    for (int i = 0; i < kt__n_args(call->row); i++)
        if (strcmp(kt__arg_spec(call->row, i)->name, "reduction") == 0) {
            *how = kt__arg_int(call, i);
            return i;
        }
    return -1;
}

/* The most and the fewest dims of the call's tensors. */
static int longest(const kt_call *call, int *shortest)
{
    int rank = 0;
    *shortest = KT_MAX_DIMS;
    for (int i = 0; i < call->row->inputs.n; i++) {
        const int at = call->row->inputs.at[i];
        if (!kt__given(call, at))
            continue;
        const bool        list = call->row->inputs.lists >> i & 1;
        kt_tensor *const *t = list ? call->arg[at].ts.t : &call->arg[at].t;
        for (int64_t k = 0; k < (list ? call->arg[at].ts.n : 1); k++) {
            rank = t[k] && t[k]->ndim > rank ? t[k]->ndim : rank;
            *shortest = t[k] && t[k]->ndim < *shortest ? t[k]->ndim : *shortest;
        }
    }
    return rank;
}

static kt_status instead(kt__lift *l, kt_tensor *t)
{
    kt__unref(l->inner.out[0]);
    l->inner.out[0] = t ? kt__ref(t) : NULL;
    return t ? KT_OK : kt_error_status();
}

static kt_status reduce_each(kt__lift *l, bool all)
{
    int64_t   how = NONE;
    int       shortest;
    const int at = reduction_of(l->call, &how), rank = longest(l->call, &shortest);
    if (how < NONE || how > SUM || (all && shortest < rank))
        return kt__batch_loop(l);
    kt__put(&l->inner, at, i, NONE);
    if (kt__lift_tensors(l, rank, all) || kt_call_run(&l->inner))
        return kt_error_status();
    if (how == NONE)
        return KT_OK;
    kt_tensor *made = l->inner.out[0], *each = kt_reshape(made, KT_SHAPE(l->size, l->size ? made->numel / l->size : 1));
    return instead(l, how == MEAN ? kt_mean_dim(each, KT_SHAPE(1)) : kt_sum_dim(each, KT_SHAPE(1)));
}

kt_status kt__batch_loss(kt__lift *l) { return reduce_each(l, false); }
kt_status kt__batch_loss_of_all(kt__lift *l) { return reduce_each(l, true); }

/* The gradient of a mean is divided by the elements of one example. */
kt_status kt__batch_loss_backward(kt__lift *l)
{
    int64_t   how = NONE;
    int       shortest;
    const int at = reduction_of(l->call, &how);
    if (how != MEAN || !l->size)
        return l->call->row->way->broadcasts ? kt__batch_elementwise(l) : kt__batch_loop(l);
    kt__put(&l->inner, at, i, SUM);
    if (kt__lift_tensors(l, longest(l->call, &shortest), false) || kt_call_run(&l->inner))
        return kt_error_status();
    const int64_t n = l->inner.out[0]->numel / l->size;
    return n ? instead(l, kt_mul_s(l->inner.out[0], KT_FLOAT(1.0 / (double)n))) : KT_OK;
}

/* What a mean divides by: how many classes count, or their weights. */
static kt_tensor *counted(const kt_call *call, kt_tensor *classes)
{
    kt_tensor *weight = kt__given(call, 2) ? call->arg[2].t : NULL, *counts = kt_ne_s(classes, KT_INT(kt__arg_int(call, 4)));
    if (!weight || !counts)
        return counts;
    kt_tensor *flat = kt_reshape(kt_mul(classes, counts), KT_SHAPE(classes->numel));
    kt_tensor *each = flat ? kt_reshape(kt_index_select(weight, 0, flat), kt__sizes(classes)) : NULL;
    return each ? kt_mul(each, counts) : NULL;
}

/* Log-probabilities and one class for each row of them. */
kt_status kt__batch_classes(kt__lift *l)
{
    kt_call   *call = l->call;
    kt_tensor *input = call->arg[0].t, *target = call->arg[1].t;
    int64_t    how = NONE;
    const int  at = reduction_of(call, &how);
    const bool weighted = kt__given(call, 2) && call->arg[2].t, rows = input->ndim == 2;
    if ((weighted && kt__at_level(call->arg[2].t, l->level)) || target->dtype != KT_I64 || how < NONE || how > SUM ||
        input->ndim < 1 || input->ndim > 2 || target->ndim != input->ndim - 1 || (rows && target->sizes[0] != input->sizes[0]))
        return kt__batch_loop(l);
    kt_tensor    *values = kt__lifted_all(l, input), *classes = kt__lifted_all(l, target);
    const int64_t n = rows ? input->sizes[0] : 1;
    kt__put_tensor(&l->inner, 0, rows ? kt_reshape(values, KT_SHAPE(l->size * n, input->sizes[1])) : values);
    kt__put_tensor(&l->inner, 1, rows ? kt_reshape(classes, KT_SHAPE(l->size * n)) : classes);
    kt__put(&l->inner, at, i, NONE);
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    kt_tensor *each = rows ? kt_reshape(l->inner.out[0], KT_SHAPE(l->size, n)) : l->inner.out[0];
    if (how == NONE)
        return rows ? instead(l, each) : KT_OK;
    kt_tensor *sum = rows ? kt_sum_dim(each, KT_SHAPE(1)) : each;
    if (how == SUM)
        return instead(l, sum);
    kt_tensor *counts = counted(call, classes);
    return instead(l, kt_div(sum, rows ? kt_sum_dim(counts, KT_SHAPE(1)) : counts));
}
