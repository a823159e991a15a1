/* lists.c - rows that take or give lists of tensors: split and kin, broadcast_tensors, cat, the _foreach family. */
#include <string.h>

#include "base/alloc.h"
#include "op/call.h"
#include "op/wrap.h"

static kt_status list_of(kt_call *call, int64_t n)
{
    call->n_list = n;
    call->list = n <= INT64_MAX / 64 ? kt__system_get((size_t)n * sizeof *call->list) : NULL;
    if (!call->list) {
        call->n_list = 0;
        return n ? kt__fail_memory((size_t)n * sizeof *call->list) : KT_OK;
    }
    memset(call->list, 0, (size_t)n * sizeof *call->list);
    return KT_OK;
}

/* Ends a row whose list may be half made. */
static kt_status done(kt_call *call, kt_status status)
{
    if (status)
        kt_call_free_list(call);
    return status;
}

static kt_status narrow(kt_tensor *t, int64_t dim, int64_t start, int64_t length, kt_tensor **out)
{
    kt_call c;
    kt__open(&c, KT_OP_narrow, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, start);
    kt__put(&c, 3, i, length);
    kt_status status = kt_call_run(&c);
    *out = status ? NULL : c.out[0];
    return status;
}

static kt_status split_evenly(kt_call *call, int64_t dim, int64_t size)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    total = t->sizes[dim], n = size ? (total + size - 1) / size : 1;
    n = n ? n : 1;
    kt_status status = list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t start = i * size, left = total - start;
        status = narrow(t, dim, start, left < size ? left : size, &call->list[i]);
    }
    return done(call, status);
}

static kt_status list_dim(const kt_call *call, int at, int64_t *dim)
{
    *dim = kt__arg_int(call, at);
    if (call->arg[0].t->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "%s expects at least a 1-dimensional tensor",
                       call->row->id == KT_OP_chunk ? "chunk" : "split");
    return kt__wrap_dim(dim, call->arg[0].t->ndim);
}

kt_status kt__body_split(kt_call *call)
{
    int64_t dim, size = call->arg[1].i;
    if (list_dim(call, 2, &dim))
        return kt_error_status();
    if (size < 0)
        return kt_fail(KT_ERR_RUNTIME, "split expects split_size be non-negative, but got split_size=%lld",
                       (long long)size);
    if (size == 0 && call->arg[0].t->sizes[dim] != 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "split_size can only be 0 if dimension size is 0, but got dimension size of %lld",
                       (long long)call->arg[0].t->sizes[dim]);
    return split_evenly(call, dim, size);
}

kt_status kt__body_chunk(kt_call *call)
{
    int64_t dim, chunks = call->arg[1].i;
    if (chunks <= 0)
        return kt_fail(KT_ERR_RUNTIME, "chunk expects `chunks` to be greater than 0, got: %lld", (long long)chunks);
    if (list_dim(call, 2, &dim))
        return kt_error_status();
    int64_t total = call->arg[0].t->sizes[dim], size = (total + chunks - 1) / chunks;
    if (size)
        return split_evenly(call, dim, size);
    kt_status status = list_of(call, chunks); /* an empty dim still gives as many chunks as asked for */
    for (int64_t i = 0; i < chunks && !status; i++)
        status = narrow(call->arg[0].t, dim, 0, 0, &call->list[i]);
    return done(call, status);
}

kt_status kt__body_split_sizes(kt_call *call)
{
    int64_t  dim, sum = 0, start = 0;
    kt_shape sizes = call->arg[1].ints;
    if (list_dim(call, 2, &dim))
        return kt_error_status();
    char text[256];
    kt__shape_text(text, sizeof text, sizes);
    for (int64_t i = 0; i < sizes.n; i++) {
        if (sizes.d[i] < 0)
            return kt_fail(
                KT_ERR_RUNTIME,
                "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%s", text);
        sum += sizes.d[i];
    }
    if (sum != call->arg[0].t->sizes[dim])
        return kt_fail(KT_ERR_RUNTIME,
                       "split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's size at dimension "
                       "%lld), but got "
                       "split_sizes=%s",
                       (long long)call->arg[0].t->sizes[dim], (long long)dim, text);
    kt_status status = list_of(call, sizes.n);
    for (int64_t i = 0; i < sizes.n && !status; start += sizes.d[i++])
        status = narrow(call->arg[0].t, dim, start, sizes.d[i], &call->list[i]);
    return done(call, status);
}

kt_status kt__body_unbind(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    dim = kt__arg_int(call, 1);
    if (kt__wrap_dim(&dim, t->ndim))
        return kt_error_status();
    if (t->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    int64_t   n = t->sizes[dim];
    kt_status status = list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call c;
        kt__open(&c, KT_OP_select, KT_PLAIN);
        kt__put_tensor(&c, 0, t);
        kt__put(&c, 1, i, dim);
        kt__put(&c, 2, i, i);
        status = kt_call_run(&c);
        call->list[i] = status ? NULL : c.out[0];
    }
    return done(call, status);
}

kt_status kt__body_broadcast_tensors(kt_call *call)
{
    int64_t sizes[KT_MAX_DIMS], n = call->arg[0].ts.n;
    int     rank = 0;
    if (kt__broadcast(call->arg[0].ts.t, (int)n, sizes, &rank))
        return kt_error_status();
    kt_status status = list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call c;
        kt__open(&c, KT_OP_expand, KT_PLAIN);
        kt__put_tensor(&c, 0, call->arg[0].ts.t[i]);
        kt__put(&c, 1, ints, ((kt_shape){rank, sizes}));
        status = kt_call_run(&c);
        call->list[i] = status ? NULL : c.out[0];
    }
    return done(call, status);
}

kt_status kt__body_foreach_mul(kt_call *call)
{
    int64_t   n = call->arg[0].ts.n;
    kt_status status = call->form == KT_PLAIN ? list_of(call, n) : KT_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call c;
        kt__open(&c, KT_OP_mul, (kt_form)call->form);
        kt__put_tensor(&c, 0, call->arg[0].ts.t[i]);
        kt__put_either(&c, 1, call->arg[1].s);
        status = kt_call_run(&c);
        if (status)
            break;
        if (call->form == KT_PLAIN)
            call->list[i] = c.out[0];
        else
            kt__unref(c.out[0]);
    }
    return done(call, status);
}

/* ---- cat ---- */

/* PyTorch lets a 1-D tensor of no elements stand among tensors of any rank. */
static bool counts(const kt_tensor *t) { return !(t->ndim == 1 && t->numel == 0); }

static kt_status cat_sizes(kt_tensor *const *t, int64_t n, const kt_tensor *first, int64_t dim, int64_t *sizes)
{
    for (int i = 0; i < first->ndim; i++)
        sizes[i] = first->sizes[i];
    sizes[dim] = 0;
    for (int64_t k = 0; k < n; k++) {
        if (!counts(t[k]))
            continue;
        if (t[k]->ndim != first->ndim)
            return kt_fail(KT_ERR_RUNTIME, "Tensors must have same number of dimensions: got %d and %d", first->ndim,
                           t[k]->ndim);
        for (int i = 0; i < first->ndim; i++)
            if (i != dim && t[k]->sizes[i] != sizes[i])
                return kt_fail(KT_ERR_RUNTIME,
                               "Sizes of tensors must match except in dimension %lld. Expected size %lld but got size "
                               "%lld for tensor "
                               "number %lld in the list.",
                               (long long)dim, (long long)sizes[i], (long long)t[k]->sizes[i], (long long)k);
        sizes[dim] += t[k]->sizes[dim];
    }
    return KT_OK;
}

static kt_status common_of(kt_tensor *const *t, int64_t n, kt_dtype *common)
{
    kt_status    status = KT_OK;
    kt__gathered g = {.n = 1};
    for (int64_t k = 0; k < n && !status; k++) {
        g.dtype[g.n - 1] = t[k]->dtype;
        g.rank[g.n - 1] = RANK_DIM;
        *common = kt__common_dtype(&g, 0, kt__mode(), &status);
        g.dtype[0] = (uint8_t)*common;
        g.n = 2;
    }
    return status;
}

kt_status kt__body_cat(kt_call *call)
{
    kt_tensor *const *t = call->arg[0].ts.t;
    int64_t           n = call->arg[0].ts.n, dim = kt__arg_int(call, 1), sizes[KT_MAX_DIMS], start = 0;
    kt_dtype          common = KT_NONE;
    if (n == 0)
        return kt_fail(KT_ERR_VALUE, "torch.cat(): expected a non-empty list of Tensors");
    const kt_tensor *first = t[0];
    for (int64_t k = 0; k < n; k++) {
        if (t[k]->ndim == 0)
            return kt_fail(KT_ERR_RUNTIME, "zero-dimensional tensor (at position %lld) cannot be concatenated",
                           (long long)k);
        if (!counts(first) && counts(t[k]))
            first = t[k];
    }
    if (kt__wrap_dim(&dim, first->ndim) || cat_sizes(t, n, first, dim, sizes) || common_of(t, n, &common))
        return kt_error_status();
    kt_tensor *out = kt__tensor_new(common, kt__device(first), (kt_shape){first->ndim, sizes});
    kt_status  status = out ? KT_OK : kt_error_status();
    for (int64_t k = 0; k < n && !status; k++) {
        kt_tensor *place = NULL;
        if (!counts(t[k]))
            continue;
        status = kt__allow(kt__mode(), call, "tensors", (kt_dtype)t[k]->dtype, common, KT_WHY_PROMOTION);
        if (!status)
            status = narrow(out, dim, start, t[k]->sizes[dim], &place);
        if (!status) {
            kt_call c;
            kt__open(&c, KT_OP_copy, KT_INPLACE);
            kt__put_tensor(&c, 0, place);
            kt__put_tensor(&c, 1, t[k]);
            status = kt_call_run(&c);
            if (!status)
                kt__unref(c.out[0]);
        }
        kt__unref(place);
        start += t[k]->sizes[dim];
    }
    if (status) {
        kt__unref(out);
        return status;
    }
    out->lineage = first->dtype == common ? first->lineage
                                          : KT__RECORD(KT_WHY_PROMOTION, "cat", first->dtype, common, first->lineage);
    call->out[0] = out;
    return KT_OK;
}
