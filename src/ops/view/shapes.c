/* shapes.c - shape operators composed of views and sums: movedim, swapaxes, unflatten, atleast_*d, adjoint, sum_to_size,
 * resize_, set_. Made of views and sums; no element is touched here. */
#include <string.h>

#include "call/deterministic.h"
#include "call/move.h"
#include "call/target.h"

/* ---- dims in another order ---- */

static kt_status wrap_all(kt_shape dims, int rank, int64_t *wrapped)
{
    for (int64_t i = 0; i < dims.n; i++) {
        wrapped[i] = dims.d[i];
        if (kt__wrap_dim(&wrapped[i], rank))
            return kt_error_status();
    }
    return KT_OK;
}

static kt_status placed(kt_shape dims, const char *which, const int64_t *wrapped, uint64_t *seen)
{
    *seen = 0;
    for (int64_t i = 0; i < dims.n; i++) {
        if (*seen >> wrapped[i] & 1)
            return kt_fail(KT_ERR_RUNTIME, "movedim: repeated dim in `%s` (%s)", which, KT__SHAPE_TEXT(dims));
        *seen |= 1ull << wrapped[i];
    }
    return KT_OK;
}

static kt_status move_dims(kt_call *call, kt_shape source, kt_shape destination)
{
    kt_tensor *self = call->arg[0].t;
    int64_t    from[KT_MAX_DIMS], to[KT_MAX_DIMS], order[KT_MAX_DIMS];
    uint64_t   taken, filled;
    int        rank = self->ndim;
    if (source.n != destination.n) {
        return kt_fail(KT_ERR_RUNTIME,
                       "movedim: Invalid source or destination dims: source (%s dims) should contain the same number of "
                       "dims as destination (%s dims)",
                       KT__SHAPE_TEXT(source), KT__SHAPE_TEXT(destination));
    }
    if (source.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    if (wrap_all(source, rank, from) || wrap_all(destination, rank, to) || placed(source, "source", from, &taken) ||
        placed(destination, "destination", to, &filled))
        return kt_error_status();
    if (rank == 0)
        return kt__call1(KT_OP_alias, self, &call->out[0]);
    for (int64_t i = 0; i < source.n; i++)
        order[to[i]] = from[i];
    for (int i = 0, next = 0; i < rank; i++) {
        if (filled >> i & 1)
            continue;
        while (taken >> next & 1)
            next++;
        order[i] = next++;
    }
    return kt__call_ints(KT_OP_permute, self, (kt_shape){rank, order}, &call->out[0]);
}

kt_status kt__body_movedim(kt_call *call) { return move_dims(call, call->arg[1].ints, call->arg[2].ints); }
kt_status kt__body_moveaxis(kt_call *call) { return move_dims(call, call->arg[1].ints, call->arg[2].ints); }
kt_status kt__body_swapaxes(kt_call *call)
{
    return kt__call_int2(KT_OP_transpose, call->arg[0].t, call->arg[1].i, call->arg[2].i, &call->out[0]);
}
kt_status kt__body_swapdims(kt_call *call) { return kt__body_swapaxes(call); }

/* ---- one shape for another ---- */

kt_status kt__body_ravel(kt_call *call)
{
    kt_tensor *dense = NULL;
    if (kt__call1(KT_OP_contiguous, call->arg[0].t, &dense))
        return kt_error_status();
    kt_status status = kt__call_ints(KT_OP_view, dense, KT_SHAPE(-1), &call->out[0]);
    kt__unref(dense);
    return status;
}
kt_status kt__body_view_as(kt_call *call)
{
    return kt__call_ints(KT_OP_view, call->arg[0].t, kt__sizes(call->arg[1].t), &call->out[0]);
}
kt_status kt__body_reshape_as(kt_call *call)
{
    return kt__call_ints(KT_OP_reshape, call->arg[0].t, kt__sizes(call->arg[1].t), &call->out[0]);
}
kt_status kt__body_broadcast_to(kt_call *call)
{
    return kt__call_ints(KT_OP_expand, call->arg[0].t, call->arg[1].ints, &call->out[0]);
}

kt_status kt__body_unflatten(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    int64_t    dim = call->arg[1].i, known = 1, sizes[KT_MAX_DIMS], n = 0;
    kt_shape   inner = call->arg[2].ints;
    int        unknown = 0;
    bool       fits = true;
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (inner.n == 0)
        return kt_fail(KT_ERR_RUNTIME, "unflatten: sizes must be non-empty");
    if (self->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "unflatten got an unexpected error:\nDimension specified as %lld but tensor has no dimensions",
                       (long long)call->arg[1].i);
    if (self->ndim + inner.n - 1 > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    char text[256];
    kt__shape_text(text, sizeof text, inner);
    for (int64_t i = 0; i < inner.n; i++) {
        unknown += inner.d[i] == -1;
        fits = fits && (inner.d[i] < 0 || !__builtin_mul_overflow(known, inner.d[i], &known));
        if (inner.d[i] < -1)
            return kt_fail(KT_ERR_RUNTIME,
                           "unflatten got an unexpected error:\ninvalid shape dimension %lld at index %lld of shape %s",
                           (long long)inner.d[i], (long long)i, text);
    }
    int64_t size = self->sizes[dim];
    if (unknown > 1)
        return kt_fail(KT_ERR_RUNTIME, "unflatten got an unexpected error:\nonly one dimension can be inferred");
    if (unknown && known == 0 && size == 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "unflatten got an unexpected error:\ncannot reshape tensor of 0 elements into shape %s because the "
                       "unspecified dimension size -1 can be any value and is ambiguous",
                       text);
    if (!fits || (unknown ? known == 0 || size % known : size != known))
        return kt_fail(KT_ERR_RUNTIME,
                       "unflatten: Provided sizes %s don't multiply up to the size of dim %lld (%lld) in the input tensor",
                       text, (long long)dim, (long long)size);
    for (int i = 0; i < self->ndim; i++) {
        if (i != dim)
            sizes[n++] = self->sizes[i];
        for (int64_t k = 0; i == dim && k < inner.n; k++)
            sizes[n++] = inner.d[k] == -1 ? size / known : inner.d[k];
    }
    return kt__call_ints(KT_OP_view, self, (kt_shape){n, sizes}, &call->out[0]);
}

/* ---- at least so many dims ---- */

static kt_status itself(kt_call *call)
{
    call->out[0] = kt__ref(call->arg[0].t);
    return KT_OK;
}

kt_status kt__body_atleast_1d(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    return t->ndim ? itself(call) : kt__call_ints(KT_OP_reshape, t, KT_SHAPE(1), &call->out[0]);
}

kt_status kt__body_atleast_2d(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    if (t->ndim == 0)
        return kt__call_ints(KT_OP_reshape, t, KT_SHAPE(1, 1), &call->out[0]);
    return t->ndim == 1 ? kt__call_int(KT_OP_unsqueeze, t, 0, &call->out[0]) : itself(call);
}

kt_status kt__body_atleast_3d(kt_call *call)
{
    kt_tensor *t = call->arg[0].t, *row = NULL;
    if (t->ndim == 0)
        return kt__call_ints(KT_OP_reshape, t, KT_SHAPE(1, 1, 1), &call->out[0]);
    if (t->ndim > 2)
        return itself(call);
    if (t->ndim == 2)
        return kt__call_int(KT_OP_unsqueeze, t, -1, &call->out[0]);
    kt_status status = kt__call_int(KT_OP_unsqueeze, t, 0, &row);
    if (!status)
        status = kt__call_int(KT_OP_unsqueeze, row, -1, &call->out[0]);
    kt__unref(row);
    return status;
}

/* ---- matrices turned ---- */

kt_status kt__body_adjoint(kt_call *call)
{
    kt_tensor *t = call->arg[0].t, *turned = NULL;
    if (t->ndim == 0) {
        KT__WARN_ONCE("adjoint() is deprecated on 0-D tensors. Consider using x.conj().");
        return kt__call1(KT_OP_conj, t, &call->out[0]);
    }
    if (t->ndim == 1)
        return kt_fail(KT_ERR_RUNTIME,
                       "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.");
    kt_status status = kt__call_int2(KT_OP_transpose, t, -2, -1, &turned);
    if (!status)
        status = kt__call1(KT_OP_conj, turned, &call->out[0]);
    kt__unref(turned);
    return status;
}

/* ---- a broadcast undone ---- */

kt_status kt__body_sum_to_size(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *sum = NULL;
    kt_shape   want = call->arg[1].ints;
    int64_t    dims[KT_MAX_DIMS], lead = self->ndim - want.n;
    int        n = 0;
    bool       fits = lead >= 0;
    for (int i = 0; i < self->ndim && fits; i++) {
        int64_t w = i < lead ? 1 : want.d[i - lead];
        fits = w == self->sizes[i] || w == 1;
        if (i < lead || (w == 1 && self->sizes[i] != 1))
            dims[n++] = i;
    }
    if (!fits) {
        char a[256], b[256];
        kt__shape_text(a, sizeof a, want);
        kt__shape_text(b, sizeof b, kt__sizes(self));
        return kt_fail(KT_ERR_RUNTIME, "size {%s} is not expandable to size {%s}.", a, b);
    }
    if (want.n == 0) /* no size at all asks for the whole sum, even of one element: integers become int64 */
        return kt__call1(KT_OP_sum, self, &call->out[0]);
    if (n == 0)
        return itself(call);
    kt_call c;
    kt__open(&c, KT_OP_sum_dim, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, ((kt_shape){n, dims}));
    kt__put(&c, 2, b, true);
    if (kt_call_run(&c))
        return kt_error_status();
    sum = c.out[0];
    if (lead == 0) {
        call->out[0] = sum;
        return KT_OK;
    }
    kt_status status = kt__call_ints(KT_OP_view, sum, want, &call->out[0]);
    kt__unref(sum);
    return status;
}

/* ---- other memory for the same tensor ---- */

/* Keeps the old elements that fit the new size. */
static kt_status grow(kt_tensor *self, kt_shape size, const int64_t *strides)
{
    kt_tensor *old = kt__tensor_alias(self); /* keeps the old memory */
    kt_status  status = old ? kt__tensor_resize(self, size, strides) : kt_error_status();
    if (!status && self->storage != old->storage && old->storage->bytes) {
        kt__part to, from;
        kt__part_of(&to, self);
        kt__part_of(&from, old);
        to.t.data = self->storage->data;
        from.t.data = old->storage->data;
        to.t.ndim = from.t.ndim = 1;
        to.sizes[0] = from.sizes[0] = to.t.numel = from.t.numel = (int64_t)(old->storage->bytes / kt__itemsize(old));
        to.strides[0] = from.strides[0] = 1;
        status = kt__part_copy(&to, &from);
    }
    if (!status && self->storage->bytes > old->storage->bytes) { /* the added memory is uninitialized */
        kt__part added;
        kt__part_of(&added, self);
        added.t.data = (char *)self->storage->data + old->storage->bytes;
        added.t.ndim = 1;
        added.sizes[0] = added.t.numel = (int64_t)((self->storage->bytes - old->storage->bytes) / kt__itemsize(old));
        added.strides[0] = 1;
        status = kt__fill_unwritten(&added.t);
    }
    kt__unref(old);
    return status;
}

static kt_status resized(kt_call *call, kt_shape size, kt_memory_format format)
{
    kt_tensor *self = call->arg[0].t;
    int64_t    strides[KT_MAX_DIMS], numel;
    if (kt__grad_flags(self) & KT_T_REQUIRES_GRAD && !(self->flags & KT_T_INFERENCE)) /* else in no graph */
        return kt_fail(KT_ERR_RUNTIME, "cannot resize variables that require grad");
    if (kt__grad_flags(self) & KT_T_DUAL)
        return kt_fail(KT_ERR_RUNTIME, "cannot resize variables that has a forward grad");
    if (self->flags & KT_T_INFERENCE && !kt__born_flags)
        return kt__fail_inference();
    if (format == KT_PRESERVE_FORMAT)
        return kt_fail(KT_ERR_RUNTIME, "Unsupported memory formatPreserve");
    if (kt__count_view(size, &numel) || kt__check_strides(size))
        return kt_error_status();
    if (!kt__format_strides(size, format, strides))
        return kt_fail(KT_ERR_RUNTIME, "required rank %d tensor to use channels_last%s format",
                       format == KT_CHANNELS_LAST ? 4 : 5, format == KT_CHANNELS_LAST ? "" : "_3d");
    if (!(kt__has_sizes(self, size) && format == KT_CONTIGUOUS_FORMAT)) {
        if (grow(self, size, strides))
            return kt_error_status();
        kt__wrote(self);
    }
    call->out[0] = kt__ref(self);
    return KT_OK;
}

static kt_memory_format format_of(const kt_call *call, int at)
{
    return kt__given(call, at) && call->arg[at].format ? (kt_memory_format)call->arg[at].format : KT_CONTIGUOUS_FORMAT;
}

kt_status kt__body_resize_(kt_call *call) { return resized(call, call->arg[1].ints, format_of(call, 2)); }

kt_status kt__body_resize_as_(kt_call *call)
{
    kt_tensor       *like = call->arg[1].t;
    kt_memory_format format = format_of(call, 2);
    return resized(call, kt__sizes(like), format == KT_PRESERVE_FORMAT ? kt__suggested_format(like) : format);
}

/* ---- views that take the place of self ---- */

/* May self be written to? The rules are those of any write in place. */
static kt_status check_written(const kt_call *call)
{
    kt_call write = *call;
    write.form = KT_INPLACE;
    return kt__tape.rules(&write);
}

/* self gets the sizes, the strides, the history and the tangents of a view of it; the memory stays. */
static kt_status become(kt_call *call, kt_tensor *view)
{
    kt_tensor *self = call->arg[0].t;
    const bool followed = kt__grad_flags(self) & KT_T_REQUIRES_GRAD && kt__mode() & KT_M_GRAD && !kt__born_flags;
    if (!view || (followed && check_written(call)))
        return kt_error_status();
    if (self->flags & KT_T_INFERENCE && !kt__born_flags)
        return kt__fail_inference();
    if (kt__tape.become(self, view, followed))
        return kt_error_status();
    call->out[0] = kt__ref(self);
    return KT_OK;
}

kt_status kt__body_as_strided_(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *self = call->arg[0].t;
    const int64_t offset = kt__given(call, 3) ? call->arg[3].i : kt__offset(self);
    return become(call, kt_as_strided(self, call->arg[1].ints, call->arg[2].ints, .storage_offset = KT_SOME(offset)));
}

kt_status kt__body_t_(kt_call *call)
{
    KT_SCOPE;
    if (call->arg[0].t->ndim > 2)
        return kt_fail(KT_ERR_RUNTIME, "t_() expects a tensor with <= 2 dimensions, but self is %dD", call->arg[0].t->ndim);
    return become(call, kt_t(call->arg[0].t));
}

kt_status kt__body_transpose_(kt_call *call)
{
    KT_SCOPE;
    return become(call, kt_transpose(call->arg[0].t, call->arg[1].i, call->arg[2].i));
}

kt_status kt__body_swapaxes_(kt_call *call) { return kt__body_transpose_(call); }
kt_status kt__body_swapdims_(kt_call *call) { return kt__body_transpose_(call); }

kt_status kt__body_unsqueeze_(kt_call *call)
{
    KT_SCOPE;
    return become(call, kt_unsqueeze(call->arg[0].t, call->arg[1].i));
}

kt_status kt__body_squeeze_(kt_call *call)
{
    KT_SCOPE;
    return become(call, kt_squeeze(call->arg[0].t));
}

kt_status kt__body_squeeze_dim_(kt_call *call)
{
    KT_SCOPE;
    return become(call, kt_squeeze_dim(call->arg[0].t, call->arg[1].ints));
}
