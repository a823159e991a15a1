/* join.c - tensors joined into one: cat, stack and the *stack family, block_diag. In: a list. Out: one tensor, each part of
 * which is written once, converted on the way where dtypes differ. */
#include <string.h>

#include "base/alloc.h"
#include "call/end.h"
#include "call/move.h"
#include "call/policy.h"
#include "call/target.h"
#include "plan/batch.h"

/* ---- cat and stack ---- */

typedef struct joint {
    kt_tensor *const *t;
    int64_t           n;
    kt_tensor        *first;  /* the first that counts: it gives rank, sizes and device */
    int64_t           dim;    /* in the result */
    kt_dtype          common;
    int64_t           sizes[KT_MAX_DIMS];
    kt_memory_format  format;
} joint;

/* PyTorch accepts empty 1-D tensors among tensors of any rank. */
static bool counts(const kt_tensor *t) { return !(t->ndim == 1 && t->numel == 0); }

static kt_status add_sizes(joint *j, int64_t k)
{
    const kt_tensor *t = j->t[k];
    if (t->ndim != j->first->ndim)
        return kt_fail(KT_ERR_RUNTIME, "Tensors must have same number of dimensions: got %d and %d", j->first->ndim, t->ndim);
    for (int i = 0; i < t->ndim; i++)
        if (i != j->dim && t->sizes[i] != j->sizes[i])
            return kt_fail(KT_ERR_RUNTIME,
                           "Sizes of tensors must match except in dimension %lld. Expected size %lld but got size %lld for "
                           "tensor number %lld in the list.",
                           (long long)j->dim, (long long)j->sizes[i], (long long)t->sizes[i], (long long)k);
    j->sizes[j->dim] += t->sizes[j->dim];
    return KT_OK;
}

static kt_status find_first(joint *j)
{
    if (j->n == 0)
        return kt_fail(KT_ERR_VALUE, "torch.cat(): expected a non-empty list of Tensors");
    j->first = j->t[0];
    for (int64_t k = 0; k < j->n; k++) {
        if (j->t[k]->ndim == 0)
            return kt_fail(KT_ERR_RUNTIME, "zero-dimensional tensor (at position %lld) cannot be concatenated", (long long)k);
        if (!counts(j->first) && counts(j->t[k]))
            j->first = j->t[k];
    }
    return KT_OK;
}

/* The result lies channels last where every tensor does. */
static void find_format(joint *j)
{
    j->format = j->first->ndim == 4 || j->first->ndim == 5 ? kt__suggested_format(j->first) : KT_CONTIGUOUS_FORMAT;
    for (int64_t k = 0; k < j->n && j->format != KT_CONTIGUOUS_FORMAT; k++)
        if (kt__suggested_format(j->t[k]) != j->format)
            j->format = KT_CONTIGUOUS_FORMAT;
}

static kt_status find_common(const kt_call *call, joint *j)
{
    kt_status    status = KT_OK;
    uint64_t     mode = kt__mode();
    kt__gathered g = {.n = 2};
    j->common = (kt_dtype)j->t[0]->dtype;
    bool counted = j->t[0]->ndim != 0;
    for (int64_t k = 1; k < j->n && !status; k++) {
        bool here = j->t[k]->ndim != 0;
        if (j->t[k]->dtype == j->common && here == counted)
            continue;
        g.dtype[0] = (uint8_t)j->common;
        g.rank[0] = counted ? RANK_DIM : RANK_ZERO;
        g.dtype[1] = j->t[k]->dtype;
        g.rank[1] = here ? RANK_DIM : RANK_ZERO;
        j->common = kt__common_dtype(&g, 0, mode, &status);
        counted |= here;
    }
    for (int64_t k = 0; k < j->n && !status; k++)
        status = kt__allow(mode, call, "tensors", j->t[k], j->common, KT_WHY_PROMOTION);
    return status;
}

/* ---- the result and its parts ---- */

static kt_status bind_target(kt_call *call, joint *j, kt_shape sizes, bool stacked)
{
    int64_t strides[KT_MAX_DIMS];
    if (kt__check_parts(call, j->common, sizes, j->t, j->n))
        return kt_error_status();
    find_format(j);
    return kt__bind_target(call->out[0], sizes, !stacked && kt__format_strides(sizes, j->format, strides) ? strides : NULL);
}

static kt_status copy_part(kt__part *place, kt_tensor *from, kt_dtype common)
{
    kt_dtype to = (kt_dtype)place->t.dtype;
    if (common != to && common != (kt_dtype)from->dtype) { /* seen as the common dtype first, then stored */
        kt_tensor *between = NULL;
        if (kt_convert(from, common, KT_WHY_PROMOTION, &between))
            return kt_error_status();
        kt_status status = kt__copy_into(&place->t, between, KT_WHY_RESULT, KT_ROUND_TORCH);
        kt__unref(between);
        return status;
    }
    return kt__copy_into(&place->t, from, common == to ? KT_WHY_PROMOTION : KT_WHY_RESULT, KT_ROUND_TORCH);
}

/* Parts that only move within a device which takes several plans at once are gathered. */
static bool moves_alone(const kt_tensor *from, const kt_tensor *out)
{
    return out->backend != KT_CPU && from->backend == out->backend && from->index == out->index && from->dtype == out->dtype &&
           from->numel && !((from->flags | out->flags) & (KT_T_CONJ | KT_T_NEG));
}

static kt_status gather_part(kt__batch *batch, kt__part *place, kt_tensor *from, kt_tensor *out)
{
    kt_plan plan;
    return kt__prepare_copy(&place->t, from, KT_WHY_PROMOTION, &plan) ? kt_error_status() : kt__batch_add(batch, &plan, out);
}

static kt_status copy_parts(const joint *j, kt_tensor *out, bool stacked)
{
    enum { FEW = 2 };
    const bool many = j->n > FEW;
    int64_t    start = 0;
    kt_status  status = KT_OK;
    kt__batch  batch = {.expected = many ? j->n : 0};
    for (int64_t k = 0; k < j->n && !status; k++) {
        if (!stacked && !counts(j->t[k]))
            continue;
        kt__part place;
        int64_t  length = stacked ? 1 : j->t[k]->sizes[j->dim];
        kt__part_of(&place, out);
        kt__part_narrow(&place, (int)j->dim, start, length);
        if (stacked)
            kt__part_drop(&place, (int)j->dim);
        status = many && moves_alone(j->t[k], out) ? gather_part(&batch, &place, j->t[k], out)
                                                   : copy_part(&place, j->t[k], j->common);
        start += length;
    }
    if (!status)
        status = kt__batch_run(&batch);
    kt__batch_free(&batch);
    return status;
}

/* `fresh` where there is no target; it is taken over. */
static kt_status join_into(kt_call *call, const joint *j, kt_tensor *fresh, bool stacked)
{
    kt_tensor *target = call->form == KT_OUT ? call->out[0] : NULL, *out = target ? kt__ref(target) : fresh;
    kt_status  status = out ? KT_OK : kt_error_status();
    if (!status)
        status = copy_parts(j, out, stacked);
    if (!status && !target)
        out->lineage = j->first->dtype == j->common ? j->first->lineage
                                                    : KT__RECORD(KT_WHY_PROMOTION, call->row->name, j->first->dtype,
                                                                 j->common, j->first->lineage);
    return kt__end_itself(call, out, status);
}

kt_status kt__body_cat(kt_call *call)
{
    joint j = {.t = call->arg[0].ts.t, .n = call->arg[0].ts.n, .dim = kt__arg_int(call, 1)};
    if (find_first(&j))
        return kt_error_status();
    if (!counts(j.first))
        j.dim = 0; /* all are empty 1-D tensors: dim is not checked */
    if (kt__wrap_dim(&j.dim, j.first->ndim) || find_common(call, &j) || kt__check_out(call, j.common, KT_NONE))
        return kt_error_status();
    memcpy(j.sizes, j.first->sizes, (size_t)j.first->ndim * sizeof(int64_t));
    j.sizes[j.dim] = 0;
    for (int64_t k = 0; k < j.n; k++)
        if (counts(j.t[k]) && add_sizes(&j, k))
            return kt_error_status();
    kt_shape sizes = {j.first->ndim, j.sizes};
    if (kt__one_device(j.t, j.n))
        return kt_error_status();
    if (call->form == KT_OUT)
        return bind_target(call, &j, sizes, false) ? kt_error_status() : join_into(call, &j, NULL, false);
    find_format(&j);
    return join_into(call, &j, kt__new_in_format(j.first, j.common, sizes, j.format), false);
}

/* Layout as if concatenated along the next dim, which is then split. */
static kt_tensor *stack_result(joint *j)
{
    kt_tensor *like = j->first;
    int64_t    joined[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    kt_shape   sizes = {like->ndim + 1, j->sizes};
    find_format(j);
    if (j->format == KT_CONTIGUOUS_FORMAT || j->dim == like->ndim)
        return kt__tensor_new(j->common, kt__device(like), sizes);
    memcpy(joined, like->sizes, (size_t)like->ndim * sizeof(int64_t));
    joined[j->dim] *= j->n;
    kt__format_strides((kt_shape){like->ndim, joined}, j->format, strides);
    memmove(strides + j->dim + 1, strides + j->dim, (size_t)(like->ndim - j->dim) * sizeof(int64_t));
    strides[j->dim] *= like->sizes[j->dim];
    return kt__tensor_new_strided(j->common, kt__device(like), sizes, (kt_shape){sizes.n, strides});
}

kt_status kt__body_stack(kt_call *call)
{
    joint j = {.t = call->arg[0].ts.t, .n = call->arg[0].ts.n, .dim = kt__arg_int(call, 1)};
    if (j.n == 0)
        return kt_fail(KT_ERR_RUNTIME, "stack expects a non-empty TensorList");
    j.first = j.t[0];
    if (kt__wrap_dim(&j.dim, j.first->ndim + 1))
        return kt_error_status();
    if (j.first->ndim == KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    for (int64_t k = 1; k < j.n; k++)
        if (!kt__same_sizes(j.first, j.t[k])) {
            return kt_fail(KT_ERR_RUNTIME,
                           "stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %lld",
                           KT__SIZES_TEXT(j.first), KT__SIZES_TEXT(j.t[k]),
                           (long long)k);
        }
    for (int i = 0; i <= j.first->ndim; i++)
        j.sizes[i] = i == j.dim ? j.n : j.first->sizes[i - (i > j.dim)];
    kt_shape sizes = {j.first->ndim + 1, j.sizes};
    if (find_common(call, &j) || kt__one_device(j.t, j.n) || kt__check_out(call, j.common, KT_NONE))
        return kt_error_status();
    if (call->form == KT_OUT)
        return bind_target(call, &j, sizes, true) ? kt_error_status() : join_into(call, &j, NULL, true);
    return join_into(call, &j, stack_result(&j), true);
}

static kt_status renamed(kt_call *call)
{
    return kt__run_list_as(call, KT_OP_cat, call->arg[0].ts.t, call->arg[0].ts.n, kt__arg_int(call, 1));
}
kt_status kt__body_concat(kt_call *call) { return renamed(call); }
kt_status kt__body_concatenate(kt_call *call) { return renamed(call); }

/* ---- the *stack family: each given its rank first ---- */

typedef kt_status lift(kt_tensor *t, kt_tensor **result);

static kt_status lift_1d(kt_tensor *t, kt_tensor **result) { return kt__call1(KT_OP_atleast_1d, t, result); }
static kt_status lift_2d(kt_tensor *t, kt_tensor **result) { return kt__call1(KT_OP_atleast_2d, t, result); }
static kt_status lift_3d(kt_tensor *t, kt_tensor **result) { return kt__call1(KT_OP_atleast_3d, t, result); }
static kt_status as_column(kt_tensor *t, kt_tensor **result)
{
    if (t->ndim <= 1)
        return kt__call_ints(KT_OP_reshape, t, KT_SHAPE(t->numel, 1), result);
    *result = kt__ref(t);
    return KT_OK;
}

static kt_status lifted(kt_call *call, lift *each, int64_t dim)
{
    int64_t     n = call->arg[0].ts.n;
    size_t      bytes = (size_t)n * sizeof(kt_tensor *);
    kt_tensor **t = n > 0 && n <= INT64_MAX / 64 ? kt__system_get(bytes) : NULL;
    kt_status   status = KT_OK;
    if (n == 0)
        return kt_fail(KT_ERR_RUNTIME, "%s expects a non-empty TensorList",
                       call->row->id == KT_OP_row_stack ? "vstack" : call->row->name);
    if (!t)
        return kt__fail_memory(bytes);
    memset(t, 0, bytes);
    for (int64_t i = 0; i < n && !status; i++)
        status = each(call->arg[0].ts.t[i], &t[i]);
    if (!status)
        status = kt__run_list_as(call, KT_OP_cat, t, n, dim < 0 ? t[0]->ndim != 1 : dim);
    for (int64_t i = 0; i < n; i++)
        kt__unref(t[i]);
    kt__system_put(t, bytes);
    return status;
}

kt_status kt__body_hstack(kt_call *call) { return lifted(call, lift_1d, -1); }
kt_status kt__body_vstack(kt_call *call) { return lifted(call, lift_2d, 0); }
kt_status kt__body_row_stack(kt_call *call) { return lifted(call, lift_2d, 0); }
kt_status kt__body_dstack(kt_call *call) { return lifted(call, lift_3d, 2); }
kt_status kt__body_column_stack(kt_call *call) { return lifted(call, as_column, 1); }
