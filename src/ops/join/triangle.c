/* triangle.c - triangles and diagonals: tril, triu, their indices, diag, diag_embed and others. */
#include "base/alloc.h"
#include "call/end.h"
#include "call/move.h"
#include "call/target.h"
#include "tables/kernels/copy.h"

/* ---- tril, triu ---- */

/* Keeps what lies from the low to the high diagonal, zeros elsewhere; `from` may be `to` itself. */
static kt_status keep_band(kt_tensor *to, kt_tensor *from, int64_t low, int64_t high)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_served(KT_OP_triu), KT_K_band, kt__dtype_rows[to->dtype].compute, 1, to);
    plan.numel = to->numel;
    plan.nd = to->ndim;
    plan.n_param = 2;
    plan.param[0] = KT_INT(low);
    plan.param[1] = KT_INT(high);
    kt__set_operand(&plan, 0, to, (kt_dtype)to->dtype, KT_WHY_NONE);
    kt__set_operand(&plan, 1, from, (kt_dtype)from->dtype, KT_WHY_NONE);
    plan.arg[0].bits = plan.arg[1].bits = 0; /* lazy bits do not matter: zeros are written, the rest is kept */
    for (int d = 0; d < to->ndim; d++) {
        plan.size[d] = to->sizes[d];
        plan.stride[0][d] = to->strides[d] * (int64_t)kt__itemsize(to);
        plan.stride[1][d] = from->strides[d] * (int64_t)kt__itemsize(from);
    }
    return kt__launch(&plan, to);
}

static kt_status triangle_target(kt_call *call, kt_tensor *self, kt_tensor **out)
{
    kt__gathered        g;
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    kt__gather(call, &g);
    if (!d || call->form != KT_INPLACE)
        return d ? kt__outputs_of(call, &g, d, kt__sizes(self), NULL, out, 1) : kt_error_status();
    *out = kt__ref(self);
    return KT_OK;
}

/* Zeros written through a lazy view are stored inverted like any other number. */
static kt_status keep_band_lazily(kt_tensor *out, kt_tensor *self, int64_t low, int64_t high)
{
    kt_tensor *shown = kt__tensor_new((kt_dtype)out->dtype, kt__device(out), kt__sizes(out));
    kt_status  status = shown ? kt__copy_into(shown, self, KT_WHY_RESULT, KT_ROUND_TORCH) : kt_error_status();
    if (!status)
        status = keep_band(shown, shown, low, high);
    if (!status)
        status = kt__copy_into(out, shown, KT_WHY_NONE, KT_ROUND_TORCH);
    kt__unref(shown);
    return status;
}

static kt_status triangle(kt_call *call, bool lower)
{
    kt_tensor    *self = call->arg[0].t, *out = NULL;
    const int64_t diagonal = kt__arg_int(call, 1), low = lower ? INT64_MIN : diagonal, high = lower ? diagonal : INT64_MAX;
    if (self->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "%s: input tensor must have at least 2 dimensions", call->row->name);
    kt_status status = triangle_target(call, self, &out);
    /* Non-dense and lazy tensors are copied first. */
    const bool lazy = !status && out->flags & (KT_T_CONJ | KT_T_NEG);
    bool direct = !status && self->strides[self->ndim - 1] == 1 && self->dtype == out->dtype &&
                  !((self->flags | out->flags) & (KT_T_CONJ | KT_T_NEG)) && self->backend == out->backend &&
                  self->index == out->index;
    if (!status && !direct && !lazy && out != self)
        status = kt__copy_into(out, self, KT_WHY_RESULT, KT_ROUND_TORCH);
    if (!status)
        status = lazy ? keep_band_lazily(out, self, low, high) : keep_band(out, direct ? self : out, low, high);
    if (!status && call->form == KT_PLAIN)
        out->lineage = self->lineage;
    return kt__end_itself(call, out, status);
}

kt_status kt__body_tril(kt_call *call) { return triangle(call, true); }
kt_status kt__body_triu(kt_call *call) { return triangle(call, false); }

/* ---- indices of triangles ---- */

/* Columns of row i: [*from, *to). */
static void row_span(bool lower, int64_t i, int64_t columns, int64_t offset, int64_t *from, int64_t *to)
{
    __int128 edge = (__int128)i + offset + lower;
    int64_t  at = edge < 0 ? 0 : edge > columns ? columns : (int64_t)edge;
    *from = lower ? 0 : at;
    *to = lower ? at : columns;
}

static __int128 within(__int128 x, __int128 low, __int128 high) { return x < low ? low : x > high ? high : x; }

/* Rows [*first, *last) have elements, `*count` in all; false where that is more than can be. */
static bool extent(bool lower, int64_t rows, int64_t columns, int64_t offset, int64_t *first, int64_t *last, int64_t *count)
{
    /* The edge grows by one a row: 0 up to row `low`, all columns from row `high` on. */
    __int128          edge = (__int128)offset + lower, low = within(-edge, 0, rows), high = within(columns - edge, low, rows);
    unsigned __int128 slope = (unsigned __int128)(low + high - 1 + 2 * edge) * (unsigned __int128)(high - low) / 2;
    unsigned __int128 under = (high > low ? slope : 0) + (unsigned __int128)columns * (unsigned __int128)(rows - high);
    unsigned __int128 n = lower ? under : (unsigned __int128)columns * (unsigned __int128)rows - under;
    *first = lower ? (int64_t)low : 0;
    *last = columns == 0 ? *first : lower ? rows : (int64_t)high;
    *count = (int64_t)n;
    return n <= INT64_MAX / 2;
}

static kt_status write_indices(kt_tensor *out, bool lower, int64_t columns, int64_t offset, int64_t first, int64_t last)
{
    int64_t  n = out->sizes[1], k = 0;
    size_t   bytes = (size_t)(2 * n + 1) * sizeof(int64_t);
    int64_t *at = kt__system_get(bytes);
    if (!at)
        return kt__fail_memory(bytes);
    for (int64_t i = first; i < last; i++) {
        int64_t from, to;
        row_span(lower, i, columns, offset, &from, &to);
        for (int64_t j = from; j < to; j++, k++) {
            at[k] = i;
            at[n + k] = j;
        }
    }
    kt_status status = kt__fill_from(out, at);
    kt__system_put(at, bytes);
    return status;
}

static kt_status indices(kt_call *call, bool lower)
{
    int64_t   rows = call->arg[0].i, columns = call->arg[1].i, offset = kt__arg_int(call, 2), n, first, last;
    kt_dtype  dtype = kt__arg_dtype(call, 3);
    kt_device device;
    if (rows < 0 || columns < 0)
        return kt_fail(KT_ERR_RUNTIME, "%s must be non-negative, got%lld", rows < 0 ? "row" : "col",
                       (long long)(rows < 0 ? rows : columns));
    if (kt__arg_device(call, 4, &device))
        return kt_error_status();
    if (dtype && !kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "%s: there is no dtype %d", call->row->name, (int)dtype);
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    if (!extent(lower, rows, columns, offset, &first, &last, &n))
        return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed");
    kt_tensor *out = kt__tensor_new((kt_dtype)d->result, device, KT_SHAPE(2, n));
    if (!out || (!kt__backend(device.kind)->stores_nothing && write_indices(out, lower, columns, offset, first, last))) {
        kt__unref(out);
        return kt_error_status();
    }
    out->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, d->result, 0);
    return kt__end_itself(call, out, KT_OK);
}

kt_status kt__body_tril_indices(kt_call *call) { return indices(call, true); }
kt_status kt__body_triu_indices(kt_call *call) { return indices(call, false); }

/* ---- diagonals made ---- */

kt_status kt__body_diag_embed(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    int64_t    offset = kt__arg_int(call, 1), a = kt__arg_int(call, 2), b = kt__arg_int(call, 3);
    int64_t    rank = self->ndim + 1, sizes[KT_MAX_DIMS];
    if (rank > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    if (kt__wrap_dim(&a, rank) || kt__wrap_dim(&b, rank))
        return kt_error_status();
    if (a == b) /* always so of a 0-dim tensor */
        return kt_fail(KT_ERR_RUNTIME, "diagonal dimensions cannot be identical %lld, %lld",
                       (long long)kt__arg_int(call, 2), (long long)kt__arg_int(call, 3));
    int64_t length = self->sizes[self->ndim - 1], side = length + (offset < 0 ? -offset : offset);
    for (int64_t i = 0, from = 0; i < rank; i++)
        sizes[i] = i == a || i == b ? side : self->sizes[from++];
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), (kt_shape){rank, sizes});
    kt_status  status = out ? kt__fill_with(out, KT_INT(0)) : kt_error_status();
    if (!status) { /* the diagonal as the last dim: the two steps at once */
        kt__part to;
        kt__part_of(&to, out);
        kt__part_narrow(&to, (int)a, offset < 0 ? -offset : 0, length);
        kt__part_narrow(&to, (int)b, offset > 0 ? offset : 0, length);
        int64_t step = to.strides[a] + to.strides[b];
        kt__part_drop(&to, (int)(a > b ? a : b));
        kt__part_drop(&to, (int)(a > b ? b : a));
        to.sizes[to.t.ndim] = length;
        to.strides[to.t.ndim++] = step;
        to.t.numel = self->numel;
        status = kt__copy_into(&to.t, self, KT_WHY_NONE, KT_ROUND_TORCH);
    }
    return kt__end_made(call, out, self, status);
}

static kt_status embed(kt_tensor *row, int64_t offset, kt_tensor **result)
{
    return kt__call_int(KT_OP_diag_embed, row, offset, result);
}

kt_status kt__body_diag_embed_of(kt_call *call)
{
    kt_tensor *made = NULL;
    kt_status  status = embed(call->arg[0].t, kt__arg_int(call, 1), &made);
    return kt__end_made(call, made, NULL, status);
}

kt_status kt__body_diag(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    int64_t    offset = kt__arg_int(call, 1);
    if (self->ndim != 1 && self->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "%sSupports 1D or 2D tensors. Got %dD", call->form == KT_OUT ? "" : "diag(): ",
                       self->ndim);
    if (self->ndim == 1 && kt__check_out(call, (kt_dtype)self->dtype, KT_NONE))
        return kt_error_status();
    kt_call c;
    kt__open(&c, self->ndim == 2 ? KT_OP_diagonal_copy : KT_OP_diag_embed_of, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, offset);
    return kt__run_as(call, &c);
}

kt_status kt__body_diagflat(kt_call *call)
{
    kt_tensor *row = NULL, *square = NULL;
    kt_status  status = kt__call_ints(KT_OP_reshape, call->arg[0].t, KT_SHAPE(-1), &row);
    if (!status)
        status = embed(row, kt__arg_int(call, 1), &square);
    kt__unref(row);
    return kt__end_itself(call, square, status);
}

kt_status kt__body_linalg_diagonal(kt_call *call)
{
    kt_call c;
    kt__open(&c, KT_OP_diagonal, KT_PLAIN);
    kt__put_tensor(&c, 0, call->arg[0].t);
    for (int i = 1; i <= 3; i++)
        kt__put(&c, i, i, kt__arg_int(call, i));
    return kt__run_as(call, &c);
}
