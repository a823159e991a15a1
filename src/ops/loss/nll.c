/* nll.c - nll_loss: negative log likelihood of the target classes, weighted and reduced. In: calls of its rows, of any
 * rank. Out: the loss, or PyTorch's refusals. It is made of gather and sums; the tape sees it as one node. */
#include "call/check.h"
#include "call/refuse.h"
#include "ops/loss/loss.h"
#include "ways/index.h"

/* ---- classes ---- */

bool kt__classes_of(kt_tensor *target, kt_tensor *weight, int64_t ignore, kt_dtype dtype, kt__classes *out)
{
    kt_tensor *index = kt__as_index(target);
    out->valid = kt_ne_s(index, KT_INT(ignore));
    out->index = kt_where_s(out->valid, index, KT_INT(0));
    if (!out->index)
        return false;
    kt_tensor *row = weight ? kt_reshape(weight, KT_SHAPE(-1)) : NULL; /* of images a weight may have any shape */
    kt_tensor *each = weight ? kt_reshape(kt_index_select(row, 0, kt_reshape(out->index, KT_SHAPE(out->index->numel))),
                                          kt__sizes(out->index))
                             : kt_ones_like(out->index, .dtype = dtype);
    out->count = kt_where_s(out->valid, each, KT_INT(0));
    return out->count != NULL;
}

kt_status kt__check_classes(kt_tensor *target, int64_t ignore, int64_t classes)
{
    const kt_scalar exempt = KT_INT(ignore);
    return kt__check_range(&target, 1, &(kt__range){.low = KT_INT(0), .high = KT_INT(classes - 1), .says = {KT_FAULT_TARGET},
                                                    .exempt = &exempt});
}

/* ---- rows with a node: input [C], [N, C] or, with dims in space, [N, C, H, W] ---- */

enum { INPUT, TARGET, WEIGHT, REDUCTION, IGNORE };

static kt_status check_flat(const kt_tensor *input, const kt_tensor *target, const kt_tensor *weight)
{
    char text[256], in[256];
    if (input->ndim < 1 || input->ndim > 2)
        return kt_fail(KT_ERR_RUNTIME, "input tensor should be 1D or 2D");
    const int64_t classes = input->sizes[input->ndim - 1];
    if (target->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME, "0D or 1D target tensor expected, multi-target not supported");
    if (input->ndim == 1 && target->ndim == 1 && target->sizes[0] != 1)
        return kt_fail(KT_ERR_VALUE, "For 1D input, 1D target must have size 1, but got target size: %lld",
                       (long long)target->sizes[0]);
    kt__shape_text(text, sizeof text, kt__sizes(target));
    kt__shape_text(in, sizeof in, kt__sizes(input));
    if (input->ndim == 2 && (target->ndim != 1 || target->sizes[0] != input->sizes[0]))
        return kt_fail(KT_ERR_RUNTIME, "size mismatch (got input: %s, target: %s)", in, text);
    if (!weight || (weight->ndim == 1 && weight->sizes[0] == classes))
        return KT_OK;
    kt__shape_text(text, sizeof text, kt__sizes(weight));
    return kt_fail(KT_ERR_RUNTIME,
                   "weight tensor should be defined either for all %lld classes or no classes but got weight tensor of shape: %s",
                   (long long)classes, text);
}

static kt_status check_space(const kt_tensor *input, const kt_tensor *target, const kt_tensor *weight)
{
    if (target->ndim != 3)
        return kt_fail(KT_ERR_RUNTIME, "only batches of spatial targets supported (3D tensors) but got targets of dimension: %d",
                       target->ndim);
    if (input->ndim != 4)
        return kt_fail(KT_ERR_RUNTIME, "only batches of spatial inputs supported (4D tensors), but got input of dimension: %d",
                       input->ndim);
    if (weight && weight->numel != input->sizes[1])
        return kt_fail(KT_ERR_RUNTIME, "weight tensor should be defined either for all or no classes");
    if (target->sizes[0] == input->sizes[0] && target->sizes[1] == input->sizes[2] &&
        target->sizes[2] == input->sizes[3])
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "size mismatch (got input: %s , target: %s", KT__SIZES_TEXT(input), KT__SIZES_TEXT(target));
}

kt_tensor *kt__nll_reduced(kt_tensor *taken, const kt__classes *of, kt__reduction how, kt_dtype dtype)
{
    const kt_dtype wide = dtype == KT_F64 ? KT_F64 : KT_F32;
    kt_tensor     *each = kt_where_s(of->valid, kt_neg(kt_mul(taken, of->count)), KT_INT(0));
    if (how == REDUCE_NONE)
        return each;
    kt_tensor *sum = kt_sum(kt__converted_inside(each, wide, KT_WHY_PROMOTION));
    if (how == REDUCE_MEAN)
        sum = kt_true_divide(sum, kt_sum(kt__converted_inside(of->count, wide, KT_WHY_PROMOTION)));
    return kt__converted_inside(sum, dtype, KT_WHY_RESULT);
}

static kt_status nll(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *input = call->arg[INPUT].t, *target = call->arg[TARGET].t;
    kt_tensor    *weight = kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL;
    const int64_t dim = input->ndim > 1;
    const bool    space = call->row->id == KT_OP_nll_loss2d;
    kt__classes   c;
    kt__decision  room;
    if (kt__check_reduction(kt__arg_int(call, REDUCTION)) ||
        kt__one_device((kt_tensor *[]){input, target, weight ? weight : input}, 3) ||
        (space ? check_space(input, target, weight) : check_flat(input, target, weight)) ||
        !kt__resolve_in_body(call, &room) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    const int64_t ignore = kt__arg_int(call, IGNORE);
    if (kt__check_classes(target, ignore, input->sizes[dim]) ||
        !kt__classes_of(target, weight, ignore, (kt_dtype)input->dtype, &c))
        return kt_error_status();
    kt_tensor *at = input->ndim == 1 ? kt_reshape(c.index, KT_SHAPE(1)) : kt_unsqueeze(c.index, dim);
    kt_tensor *taken = kt_reshape(kt_gather(input, dim, at), kt__sizes(target));
    return kt__end(call, kt__nll_reduced(taken, &c, (kt__reduction)kt__arg_int(call, REDUCTION), (kt_dtype)input->dtype));
}

kt_status kt__body_nll_loss(kt_call *call) { return nll(call); }
kt_status kt__body_nll_loss2d(kt_call *call) { return nll(call); }

/* ---- any rank ---- */

/* Under policy permissive targets become int64 and weights what the input is, on the record. */
static kt_tensor *as_wanted(kt_tensor *t, kt_dtype wants, kt_reason why)
{
    kt_tensor *converted = NULL;
    if (t->dtype == wants || kt__policy(kt__mode()) != KT_PERMISSIVE)
        return t;
    if (kt_convert(t, wants, why, &converted) || kt__scope_add(converted))
        return NULL;
    return converted;
}

/* The target's sizes are the input's without the classes. */
static kt_status check_sizes(const kt_tensor *input, const kt_tensor *target, int64_t *sizes)
{
    bool same = target->ndim == input->ndim - 1;
    for (int i = 0; i < input->ndim - 1; i++) {
        sizes[i] = input->sizes[i ? i + 1 : 0];
        same = same && target->sizes[i] == sizes[i];
    }
    if (same)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "Expected target size %s, got %s",
                   KT__SHAPE_TEXT((kt_shape){input->ndim - 1, sizes}), KT__SIZES_TEXT(target));
}

static kt_tensor *run(kt_tensor *input, kt_tensor *target, kt_tensor *weight, kt__reduction how, int64_t ignore, bool space)
{
    if (target->dtype != KT_U8 || space)
        target = as_wanted(target, KT_I64, KT_WHY_INDEX);
    kt_tensor *counted = weight ? as_wanted(weight, (kt_dtype)input->dtype, KT_WHY_PROMOTION) : NULL;
    if (!target || (weight && !counted) || kt__no_slope(counted, space ? "nll_loss2d_forward" : "nll_loss_forward", "weight"))
        return NULL;
    const kt_nll_loss_opts opts = {.size = sizeof opts, .weight = counted, .reduction = KT_SOME((int64_t)how),
                                   .ignore_index = KT_SOME(ignore)};
    const kt_nll_loss2d_opts more = {.size = sizeof more, .weight = counted, .reduction = opts.reduction,
                                     .ignore_index = opts.ignore_index};
    return space ? kt_nll_loss2d_kw(input, target, &more) : kt_nll_loss_kw(input, target, &opts);
}

kt_tensor *kt__nll_of(kt_tensor *input, kt_tensor *target, kt_tensor *weight, kt__reduction how, int64_t ignore)
{
    int64_t sizes[KT_MAX_DIMS], spread = 1;
    if (!input)
        return NULL;
    const int rank = input->ndim;
    if (rank < 1)
        kt_fail(KT_ERR_VALUE, "Expected 1 or more dimensions (got 0)");
    else if (rank != 1 && (target->ndim < 1 || input->sizes[0] != target->sizes[0]))
        kt_fail(KT_ERR_VALUE, "Expected input batch_size (%lld) to match target batch_size (%lld).", (long long)input->sizes[0],
                (long long)(target->ndim ? target->sizes[0] : 0));
    if (kt__failed())
        return NULL;
    if (rank <= 2)
        return run(input, target, weight, how, ignore, false);
    if (rank == 4)
        return run(input, target, weight, how, ignore, true);
    if (check_sizes(input, target, sizes))
        return NULL;
    for (int i = 2; i < rank; i++)
        spread *= input->sizes[i];
    kt_tensor *flat = kt_view(kt_contiguous(input), KT_SHAPE(input->sizes[0], input->sizes[1], 1, spread));
    kt_tensor *named = kt_view(kt_contiguous(target), KT_SHAPE(input->sizes[0], 1, spread));
    kt_tensor *loss = flat && named ? run(flat, named, weight, how, ignore, true) : NULL;
    return how == REDUCE_NONE ? kt_view(loss, (kt_shape){rank - 1, sizes}) : loss;
}

kt_status kt__body_nn_nll_loss(kt_call *call)
{
    KT_SCOPE;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){3, 5, 6}, &how))
        return kt_error_status();
    kt_tensor *weight = kt__given(call, 2) ? call->arg[2].t : NULL;
    return kt__end(call, kt__nll_of(call->arg[INPUT].t, call->arg[TARGET].t, weight, how, kt__arg_int(call, 4)));
}
