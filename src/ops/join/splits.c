/* splits.c - splitting into views: tensor_split and its shorthands, the unsafe_ rows, meshgrid, atleast_*d of lists. */
#include <string.h>

#include "call/move.h"
#include "call/refuse.h"

/* ---- tensor_split ---- */

static kt_status slice(kt_tensor *t, int64_t dim, int64_t start, int64_t end, kt_tensor **result)
{
    return kt__call_int3(KT_OP_slice, t, dim, start, end, result);
}

static kt_status check_rank(const kt_tensor *t)
{
    return t->ndim ? KT_OK
                   : kt_fail(KT_ERR_RUNTIME,
                             "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
}

static kt_status split_dim(const kt_tensor *t, int64_t *dim)
{
    return check_rank(t) ? kt_error_status() : kt__wrap_dim(dim, t->ndim);
}

/* Nearly equal sections: the first ones are longer by one. */
static kt_status in_sections(kt_call *call, kt_tensor *t, int64_t n, int64_t dim)
{
    if (split_dim(t, &dim))
        return kt_error_status();
    if (n <= 0)
        return kt_fail(KT_ERR_RUNTIME, "number of sections must be larger than 0, got %lld", (long long)n);
    int64_t   size = t->sizes[dim], start = 0;
    kt_status status = kt__list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t end = start + size / n + (i < size % n);
        status = slice(t, dim, start, end, &call->list[i]);
        start = end;
    }
    return kt__list_done(call, status);
}

static kt_status at_indices(kt_call *call, kt_tensor *t, kt_shape at, int64_t dim)
{
    if (split_dim(t, &dim))
        return kt_error_status();
    int64_t   start = 0;
    kt_status status = kt__list_of(call, at.n + 1);
    for (int64_t i = 0; i <= at.n && !status; i++) {
        int64_t end = i < at.n ? at.d[i] : t->sizes[dim];
        status = slice(t, dim, start, end, &call->list[i]);
        start = end;
    }
    return kt__list_done(call, status);
}

kt_status kt__body_tensor_split(kt_call *call)
{
    return in_sections(call, call->arg[0].t, call->arg[1].i, kt__arg_int(call, 2));
}

kt_status kt__body_tensor_split_indices(kt_call *call)
{
    return at_indices(call, call->arg[0].t, call->arg[1].ints, kt__arg_int(call, 2));
}

kt_status kt__body_tensor_split_tensor(kt_call *call)
{
    kt_tensor *t = call->arg[0].t, *at = call->arg[1].t;
    int64_t    dim = kt__arg_int(call, 2);
    if (check_rank(t) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (at->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME,
                       "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
                       "tensor, but got a tensor with %d dims",
                       at->ndim);
    int64_t *values = kt__read_ints(at);
    if (!values)
        return kt_error_status();
    kt_status status = at->ndim ? at_indices(call, t, (kt_shape){at->numel, values}, dim)
                                : in_sections(call, t, values[0], dim);
    kt__free_ints(values, at);
    return status;
}

/* ---- hsplit, vsplit, dsplit ---- */

static kt_status named_dim(const kt_call *call, char name, int rank, int64_t *dim)
{
    kt_tensor *t = call->arg[0].t;
    if (t->ndim < rank)
        return kt_fail(KT_ERR_RUNTIME, "torch.%csplit requires a tensor with at least %d dimension, but got a tensor with %d "
                       "dimensions!", name, rank, t->ndim);
    *dim = name == 'h' ? t->ndim > 1 : name == 'v' ? 0 : 2;
    return KT_OK;
}

static kt_status split_evenly(kt_call *call, char name, int rank)
{
    int64_t dim = 0, n = call->arg[1].i;
    if (named_dim(call, name, rank, &dim))
        return kt_error_status();
    int64_t size = call->arg[0].t->sizes[dim];
    if (n == 0 || size % n)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.%csplit attempted to split along dimension %lld, but the size of the dimension %lld is not "
                       "divisible by the split_size %lld!",
                       name, (long long)dim, (long long)size, (long long)n);
    return in_sections(call, call->arg[0].t, n, dim);
}

static kt_status split_at(kt_call *call, char name, int rank)
{
    int64_t dim = 0;
    if (named_dim(call, name, rank, &dim))
        return kt_error_status();
    return at_indices(call, call->arg[0].t, call->arg[1].ints, dim);
}

kt_status kt__body_hsplit(kt_call *call) { return split_evenly(call, 'h', 1); }
kt_status kt__body_vsplit(kt_call *call) { return split_evenly(call, 'v', 2); }
kt_status kt__body_dsplit(kt_call *call) { return split_evenly(call, 'd', 3); }
kt_status kt__body_hsplit_indices(kt_call *call) { return split_at(call, 'h', 1); }
kt_status kt__body_vsplit_indices(kt_call *call) { return split_at(call, 'v', 2); }
kt_status kt__body_dsplit_indices(kt_call *call) { return split_at(call, 'd', 3); }

/* ---- other names ---- */

kt_status kt__body_split_with_sizes(kt_call *call) { return kt__list_as(call, KT_OP_split_sizes, NULL); }

/* unsafe_split: each part has its own version counter and is not a view, except in inference mode. */
static kt_status as_parts(kt_call *call, int op)
{
    kt_call    plain = *call;
    kt_tensor *self = call->arg[0].t;
    kt_status  status = kt__call1(KT_OP_resolve_conj, self, &plain.arg[0].t); /* no views: no lazy bits either */
    if (!status) {
        kt_tensor *unconjugated = plain.arg[0].t;
        status = kt__call1(KT_OP_resolve_neg, unconjugated, &plain.arg[0].t);
        kt__unref(unconjugated);
    }
    if (status)
        return status;
    status = kt__list_as(&plain, op, NULL);
    call->list = plain.list;
    call->n_list = plain.n_list;
    kt__unref(plain.arg[0].t);
    for (int64_t i = 0; i < call->n_list && !status; i++) {
        if (!kt__born_flags) {
            call->list[i]->flags &= ~(uint32_t)(KT_T_VIEW | KT_T_VIEW_MADE);
            kt__take(&call->list[i]->base, NULL);
        }
        status = kt__tensor_own_counter(call->list[i], 0);
    }
    return kt__list_done(call, status);
}
kt_status kt__body_unsafe_split(kt_call *call) { return as_parts(call, KT_OP_split); }
kt_status kt__body_unsafe_split_with_sizes(kt_call *call) { return as_parts(call, KT_OP_split_sizes); }

static kt_status each_lifted(kt_call *call, int op)
{
    kt_status status = kt__list_of(call, call->arg[0].ts.n);
    for (int64_t i = 0; i < call->arg[0].ts.n && !status; i++)
        status = kt__call1(op, call->arg[0].ts.t[i], &call->list[i]);
    return kt__list_done(call, status);
}

kt_status kt__body_atleast_1d_list(kt_call *call) { return each_lifted(call, KT_OP_atleast_1d); }
kt_status kt__body_atleast_2d_list(kt_call *call) { return each_lifted(call, KT_OP_atleast_2d); }
kt_status kt__body_atleast_3d_list(kt_call *call) { return each_lifted(call, KT_OP_atleast_3d); }

/* ---- meshgrid ---- */

static kt_status check_mesh(const kt_call *call, kt_tensor *const *t, int64_t n, const char *indexing)
{
    if (n == 0)
        return kt_fail(KT_ERR_RUNTIME, "meshgrid expects a non-empty TensorList");
    if (n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    for (int64_t i = 0; i < n; i++)
        if (t[i]->backend != t[0]->backend || t[i]->index != t[0]->index)
            return kt_fail(KT_ERR_RUNTIME, "meshgrid expects all tensors to have the same device");
    if (strcmp(indexing, "xy") != 0 && strcmp(indexing, "ij") != 0)
        return kt_fail(KT_ERR_RUNTIME, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: %s", indexing);
    for (int64_t i = 0; i < n; i++)
        if (t[i]->ndim > 1) {
            return kt_fail(KT_ERR_RUNTIME, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: %s",
                           KT__SIZES_TEXT(t[i]));
        }
    return KT_OK;
}

kt_status kt__body_meshgrid(kt_call *call)
{
    kt_tensor *const *t = call->arg[0].ts.t;
    int64_t           n = call->arg[0].ts.n, sizes[KT_MAX_DIMS], place[KT_MAX_DIMS];
    const char       *indexing = kt__given(call, 1) && call->arg[1].str ? call->arg[1].str : "ij";
    bool              xy = indexing[0] == 'x';
    if (!kt__given(call, 1))
        KT__WARN_ONCE("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
    if (check_mesh(call, t, n, indexing))
        return kt_error_status();
    for (int64_t i = 0; i < n; i++) {
        place[i] = xy && n > 1 && i < 2 ? 1 - i : i; /* of tensor i among the dims */
        sizes[place[i]] = t[i]->numel;
    }
    kt_status status = kt__list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t    own[KT_MAX_DIMS];
        kt_tensor *row = NULL;
        for (int64_t d = 0; d < n; d++)
            own[d] = d == place[i] ? t[i]->numel : 1;
        status = kt__call_ints(KT_OP_view, t[i], (kt_shape){n, own}, &row);
        if (!status)
            status = kt__call_ints(KT_OP_expand, row, (kt_shape){n, sizes}, &call->list[i]);
        kt__unref(row);
    }
    return kt__list_done(call, status);
}
