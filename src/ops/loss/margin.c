/* margin.c - losses that ask one thing to be better than another by a margin: hinge, ranking, cosine, triplets. In: calls of
 * their rows. Out: each element's loss, their mean or their sum. Composites: the operators inside are recorded, as in PyTorch. */
#include "call/policy.h"
#include "dtype/format.h"
#include "ops/loss/loss.h"

/* A number that is no reduction means none, as in PyTorch's functions that are not of nn.functional. */
static kt_status end_reduced(kt_call *call, kt_tensor *each, int64_t reduction)
{
    return kt__end(call, kt__reduced(each, reduction == REDUCE_MEAN || reduction == REDUCE_SUM ? (kt__reduction)reduction
                                                                                               : REDUCE_NONE));
}

static kt_tensor *nothing_like(kt_tensor *t) { return t ? kt_zeros_like(t) : NULL; }

static kt_tensor *above_zero(kt_tensor *t) { return kt_clamp_min_s(t, KT_INT(0)); }

/* ---- hinge ---- */

kt_status kt__body_hinge_embedding_loss(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *x = call->arg[0].t, *target = call->arg[1].t, *none = nothing_like(x);
    kt_tensor *apart = above_zero(kt_sub(kt_full_like(x, KT_FLOAT(kt__arg(call, 2)->f)), x));
    kt_tensor *each = kt_add(kt_where(kt_ne_s(target, KT_INT(1)), apart, none), kt_where(kt_ne_s(target, KT_INT(-1)), x, none));
    return end_reduced(call, each, kt__arg_int(call, 3));
}

kt_status kt__body_nn_hinge_embedding_loss(kt_call *call)
{
    KT_SCOPE;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){3, 4, 5}, &how))
        return kt_error_status();
    return kt__end(call, kt_hinge_embedding_loss(call->arg[0].t, call->arg[1].t, .margin = KT_SOME(kt__arg(call, 2)->f),
                                                 .reduction = (int64_t)how));
}

/* ---- ranking ---- */

kt_status kt__body_margin_ranking_loss(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *x = call->arg[0].t, *y = call->arg[1].t, *target = call->arg[2].t;
    if (kt__allow_joined(call))
        return kt_error_status();
    kt_tensor *short_of = kt_add_s(kt_mul(kt_neg(target), kt_sub(x, y)), KT_FLOAT(kt__arg(call, 3)->f));
    return end_reduced(call, above_zero(short_of), kt__arg_int(call, 4));
}

kt_status kt__body_nn_margin_ranking_loss(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *x = call->arg[0].t, *y = call->arg[1].t, *target = call->arg[2].t;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){4, 5, 6}, &how))
        return kt_error_status();
    if (x->ndim != y->ndim || x->ndim != target->ndim)
        return kt_fail(KT_ERR_RUNTIME, "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
                       "input1: torch.Size(%s), input2: torch.Size(%s), target: torch.Size(%s) ",
                       KT__SIZES_TEXT(x), KT__SIZES_TEXT(y), KT__SIZES_TEXT(target));
    return kt__end(call, kt_margin_ranking_loss(x, y, target,
                                                .margin = kt__arg(call, 3)->f, .reduction = (int64_t)how));
}

/* ---- cosines ---- */

static kt_status check_directions(const kt_tensor *x, const kt_tensor *y, const kt_tensor *target)
{
    if (target->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME, "0D or 1D target tensor expected, multi-target not supported");
    const int want = target->ndim + 1;
    return x->ndim == want && y->ndim == want
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "%dD target tensor expects %dD input tensors, but found inputs with sizes %s and %s.",
                         target->ndim, want, KT__SIZES_TEXT(x), KT__SIZES_TEXT(y));
}

static kt_tensor *sum_of_products(kt_tensor *x, kt_tensor *y, int64_t dim) { return kt_sum_dim(kt_mul(x, y), KT_SHAPE(dim)); }

kt_status kt__body_cosine_embedding_loss(kt_call *call)
{
    KT_SCOPE;
    kt_tensor      *x = call->arg[0].t, *y = call->arg[1].t, *target = call->arg[2].t;
    const kt_scalar tiny = KT_FLOAT(1e-12);
    if (check_directions(x, y, target))
        return kt_error_status();
    const int64_t dim = target->ndim;
    kt_tensor    *square_x = kt_add_s(sum_of_products(x, x, dim), tiny), *square_y = kt_add_s(sum_of_products(y, y, dim), tiny);
    kt_tensor    *cosine = kt_true_divide(sum_of_products(x, y, dim), kt_sqrt(kt_mul(square_x, square_y)));
    kt_tensor    *none = nothing_like(cosine);
    kt_tensor    *near_by = kt_where(kt_eq_s(target, KT_INT(1)), kt_rsub_s(cosine, KT_INT(1)), none);
    kt_tensor    *above = above_zero(kt_sub_s(cosine, KT_FLOAT(kt__arg(call, 3)->f)));
    return end_reduced(call, kt_add(near_by, kt_where(kt_eq_s(target, KT_INT(-1)), above, none)), kt__arg_int(call, 4));
}

kt_status kt__body_nn_cosine_embedding_loss(kt_call *call)
{
    KT_SCOPE;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){4, 5, 6}, &how))
        return kt_error_status();
    return kt__end(call, kt_cosine_embedding_loss(call->arg[0].t, call->arg[1].t, call->arg[2].t,
                                                  .margin = kt__arg(call, 3)->f, .reduction = (int64_t)how));
}

/* ---- triplets ---- */

/* between: the distance of positive and negative, or NULL: the nearer of the two counts. */
static kt_tensor *triplet(kt_tensor *positive, kt_tensor *negative, kt_tensor *between, double margin)
{
    kt_tensor *far = between ? kt_minimum(negative, between) : negative;
    return above_zero(kt_sub(kt_add_s(positive, KT_FLOAT(margin)), far));
}

kt_status kt__body_triplet_margin_loss(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *t[] = {call->arg[0].t, call->arg[1].t, call->arg[2].t};
    const double margin = kt__arg(call, 3)->f, order = kt__arg(call, 4)->f, eps = kt__arg(call, 5)->f;
    if (t[0]->ndim != t[1]->ndim || t[0]->ndim != t[2]->ndim)
        return kt_fail(KT_ERR_RUNTIME, "The anchor, positive, and negative tensors are expected to have the same number of "
                       "dimensions, but got: anchor %dD, positive %dD, and negative %dD inputs", t[0]->ndim, t[1]->ndim,
                       t[2]->ndim);
    if (kt__any_is(t, 3, KT_CAT_BOOL) && kt__is_mix(t, 3) && kt__cast_together(t, 3)) /* each of the three is subtracted */
        return kt_error_status();
    kt_tensor *a = t[0], *p = t[1], *n = t[2];
    kt_tensor *positive = kt_pairwise_distance(a, p, .p = KT_SOME(order), .eps = KT_SOME(eps));
    kt_tensor *negative = kt_pairwise_distance(a, n, .p = KT_SOME(order), .eps = KT_SOME(eps)), *between = NULL;
    if (kt__arg_bool(call, 6) && !(between = kt_pairwise_distance(p, n, .p = KT_SOME(order), .eps = KT_SOME(eps))))
        return kt_error_status();
    return end_reduced(call, triplet(positive, negative, between, margin), kt__arg_int(call, 7));
}

kt_status kt__body_nn_triplet_margin_loss(kt_call *call)
{
    KT_SCOPE;
    const double  margin = kt__arg(call, 3)->f;
    char          text[KT__FORMAT_MAX];
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){7, 8, 9}, &how))
        return kt_error_status();
    kt__format_double(text, margin);
    if (!(margin > 0))
        return kt_fail(KT_ERR_VALUE, "margin must be greater than 0, got %s", text);
    return kt__end(call, kt_triplet_margin_loss(call->arg[0].t, call->arg[1].t, call->arg[2].t, .margin = KT_SOME(margin),
                                                .p = KT_SOME(kt__arg(call, 4)->f), .eps = KT_SOME(kt__arg(call, 5)->f),
                                                .swap = kt__arg_bool(call, 6), .reduction = (int64_t)how));
}

kt_status kt__body_triplet_of_distances(kt_call *call)
{
    KT_SCOPE;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){-1, -1, 4}, &how))
        return kt_error_status();
    kt_tensor *each = triplet(call->arg[0].t, call->arg[1].t, kt__given(call, 2) ? call->arg[2].t : NULL, kt__arg(call, 3)->f);
    return kt__end(call, kt__reduced(each, how));
}
