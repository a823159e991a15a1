/* lists.c - rows that take or give lists of tensors: split and kin, broadcast_tensors. */
#include <string.h>

#include "base/alloc.h"
#include "call/move.h"

static kt_status split_evenly(kt_call *call, int64_t dim, int64_t size)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    total = t->sizes[dim], n = size && total ? (total - 1) / size + 1 : 1;
    kt_status status = kt__list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t start = i * size, left = total - start;
        status = kt__call_narrow(t, dim, start, left < size ? left : size, &call->list[i]);
    }
    return kt__list_done(call, status);
}

static kt_status list_dim(const kt_call *call, int at, int64_t *dim)
{
    *dim = kt__arg_int(call, at);
    if (call->arg[0].t->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "%s expects at least a 1-dimensional tensor",
                       call->row->id == KT_OP_chunk || call->row->id == KT_OP_unsafe_chunk ? "chunk" : "split");
    return kt__wrap_dim(dim, call->arg[0].t->ndim);
}

kt_status kt__body_split(kt_call *call)
{
    int64_t dim, size = call->arg[1].i;
    if (size < 0 && call->arg[0].t->ndim)
        return kt_fail(KT_ERR_RUNTIME, "split expects split_size be non-negative, but got split_size=%lld",
                       (long long)size);
    if (list_dim(call, 2, &dim))
        return kt_error_status();
    if (size == 0 && call->arg[0].t->sizes[dim] != 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "split_size can only be 0 if dimension size is 0, but got dimension size of %lld",
                       (long long)call->arg[0].t->sizes[dim]);
    return split_evenly(call, dim, size);
}

kt_status kt__list_as(kt_call *call, int op, const kt_value *second)
{
    kt_call c = *call;
    c.row = &kt__rows[op];
    c.list = NULL;
    c.n_list = 0;
    if (second)
        c.arg[1] = *second;
    kt_status status = kt_call_run(&c);
    call->list = status ? NULL : c.list;
    call->n_list = status ? 0 : c.n_list;
    return status;
}

/* By the rows that split evenly and by sizes. */
static kt_status chunk(kt_call *call, int evenly, int by_sizes)
{
    int64_t dim, chunks = call->arg[1].i;
    if (chunks <= 0 && call->arg[0].t->ndim)
        return kt_fail(KT_ERR_RUNTIME, "chunk expects `chunks` to be greater than 0, got: %lld", (long long)chunks);
    if (list_dim(call, 2, &dim))
        return kt_error_status();
    int64_t total = call->arg[0].t->sizes[dim], size = total ? (total - 1) / chunks + 1 : 0;
    if (size)
        return kt__list_as(call, evenly, &(kt_value){.i = size});
    const size_t bytes = (size_t)chunks * sizeof(int64_t); /* an empty dim still gives as many chunks as asked for */
    int64_t     *none = (uint64_t)chunks <= PTRDIFF_MAX / sizeof *none ? kt__system_get(bytes) : NULL;
    if (!none)
        return kt__fail_memory((size_t)chunks * sizeof(int64_t));
    memset(none, 0, bytes);
    kt_status status = kt__list_as(call, by_sizes, &(kt_value){.ints = {chunks, none}});
    kt__system_put(none, bytes);
    return status;
}

kt_status kt__body_chunk(kt_call *call) { return chunk(call, KT_OP_split, KT_OP_split_sizes); }
kt_status kt__body_unsafe_chunk(kt_call *call) { return chunk(call, KT_OP_unsafe_split, KT_OP_unsafe_split_with_sizes); }

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
                       (long long)call->arg[0].t->sizes[dim], (long long)kt__arg_int(call, 2), text);
    kt_status status = kt__list_of(call, sizes.n);
    for (int64_t i = 0; i < sizes.n && !status; start += sizes.d[i++])
        status = kt__call_narrow(call->arg[0].t, dim, start, sizes.d[i], &call->list[i]);
    return kt__list_done(call, status);
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
    kt_status status = kt__list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call c;
        kt__open(&c, KT_OP_select, KT_PLAIN);
        kt__put_tensor(&c, 0, t);
        kt__put(&c, 1, i, dim);
        kt__put(&c, 2, i, i);
        status = kt_call_run(&c);
        call->list[i] = status ? NULL : c.out[0];
    }
    return kt__list_done(call, status);
}

/* A tensor that has the size already is returned itself, not a view. */
kt_status kt__body_broadcast_tensors(kt_call *call)
{
    int64_t sizes[KT_MAX_DIMS], n = call->arg[0].ts.n;
    int     rank = 0;
    if (kt__broadcast(call->arg[0].ts.t, (int)n, sizes, &rank))
        return kt_error_status();
    kt_status status = kt__list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call    c;
        kt_tensor *t = call->arg[0].ts.t[i];
        if (t->ndim == rank && memcmp(t->sizes, sizes, (size_t)rank * sizeof *sizes) == 0) {
            call->list[i] = kt__ref(t);
            continue;
        }
        kt__open(&c, KT_OP_expand, KT_PLAIN);
        kt__put_tensor(&c, 0, t);
        kt__put(&c, 1, ints, ((kt_shape){rank, sizes}));
        status = kt_call_run(&c);
        call->list[i] = status ? NULL : c.out[0];
    }
    return kt__list_done(call, status);
}

/* ---- unravel_index ---- */

/* A row of integers where `like` is, in the scope. */
static kt_tensor *row_on(const kt_tensor *like, const int64_t *values, int64_t n)
{
    kt_tensor *row = kt_empty(KT_SHAPE(n), .dtype = KT_I64, .device = kt__device(like));
    return row && !kt__fill_from(row, values) ? row : NULL;
}

static kt_status check_shape(const kt_tensor *indices, kt_shape shape, uint64_t *step)
{
    bool fits = true, empty = false;
    if (shape.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_VALUE, "'shape' has %lld dims, there are at most %d", (long long)shape.n, (int)KT_MAX_DIMS);
    uint64_t below = 1; /* as many places as the dims further in have; too many wrap, as PyTorch's do */
    for (int64_t d = shape.n - 1; d >= 0; d--) {
        fits &= shape.d[d] >= 0;
        empty |= shape.d[d] == 0;
        step[d] = below;
        below *= (uint64_t)shape.d[d];
    }
    if (fits)
        return empty && indices->numel ? kt_fail(KT_ERR_RUNTIME, "ZeroDivisionError") : KT_OK;
    char text[512];
    kt__shape_text(text, sizeof text, shape);
    text[strlen(text) - 1] = 0; /* without its brackets */
    return kt_fail(KT_ERR_VALUE, "'shape' cannot have negative values, but got (%s%s)", text + 1, shape.n == 1 ? "," : "");
}

kt_status kt__body_unravel_index(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *indices = call->arg[0].t, *found[KT_MAX_DIMS];
    const kt_shape shape = call->arg[1].ints;
    uint64_t       step[KT_MAX_DIMS];
    if (check_shape(indices, shape, step))
        return kt_error_status();
    if (shape.n) {
        kt_tensor *steps = row_on(indices, (const int64_t *)step, shape.n), *sizes = row_on(indices, shape.d, shape.n);
        kt_tensor *all = kt_remainder(kt_floor_divide(kt_unsqueeze(indices, -1), steps), sizes);
        if (kt_unbind(all, found, KT_MAX_DIMS, .dim = -1) < 0)
            return kt_error_status();
    }
    kt_status status = kt__list_of(call, shape.n);
    for (int64_t d = 0; d < shape.n && !status; d++)
        call->list[d] = kt__ref(found[d]);
    return kt__list_done(call, status);
}
