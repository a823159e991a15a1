/* views.c - view operators: new sizes, strides and offset over the same storage.
 * In: a tensor and indices. Out: a view that shares storage, version counter and lineage. No element is read or written. */
#include <string.h>

#include "call/call.h"
#include "call/move.h"
#include "call/wrap.h"

typedef struct geometry {
    int64_t n, offset;
    int64_t size[KT_MAX_DIMS], stride[KT_MAX_DIMS];
} geometry;

static void geometry_of(const kt_tensor *t, geometry *g)
{
    g->n = t->ndim;
    g->offset = kt__offset(t);
    memcpy(g->size, t->sizes, (size_t)t->ndim * sizeof(int64_t));
    memcpy(g->stride, t->strides, (size_t)t->ndim * sizeof(int64_t));
}

static kt_status look(kt_call *call, const geometry *g)
{
    call->out[0] = kt__tensor_view(call->arg[0].t, (kt_shape){g->n, g->size}, (kt_shape){g->n, g->stride}, g->offset);
    return call->out[0] ? KT_OK : kt_error_status();
}

static void remove_dim(geometry *g, int64_t dim)
{
    for (int64_t i = dim; i + 1 < g->n; i++) {
        g->size[i] = g->size[i + 1];
        g->stride[i] = g->stride[i + 1];
    }
    g->n--;
}

kt_status kt__body_select(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    dim = call->arg[1].i, index = call->arg[2].i;
    geometry   g;
    if (t->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "select() cannot be applied to a 0-dim tensor.");
    if (kt__wrap_dim(&dim, t->ndim))
        return kt_error_status();
    int64_t size = t->sizes[dim];
    if (index < -size || index >= size) {
        return kt_fail(KT_ERR_INDEX, "select(): index %lld out of range for tensor of size %s at dimension %lld",
                       (long long)index, KT__SIZES_TEXT(t), (long long)dim);
    }
    geometry_of(t, &g);
    g.offset += (index < 0 ? index + size : index) * g.stride[dim];
    remove_dim(&g, dim);
    return look(call, &g);
}

kt_status kt__body_slice(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    dim = kt__arg_int(call, 1), step = kt__arg_int(call, 4);
    geometry   g;
    if (t->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "slice() cannot be applied to a 0-dim tensor.");
    if (kt__wrap_dim(&dim, t->ndim))
        return kt_error_status();
    if (step <= 0)
        return kt_fail(KT_ERR_RUNTIME, "slice step must be positive");
    int64_t size = t->sizes[dim];
    int64_t start = kt__given(call, 2) ? call->arg[2].i : 0, end = kt__given(call, 3) ? call->arg[3].i : size;
    start += start < 0 ? size : 0;
    end += end < 0 ? size : 0;
    start = start < 0 ? 0 : start > size ? size : start;
    end = end < start ? start : end > size ? size : end;
    geometry_of(t, &g);
    g.offset += start * g.stride[dim];
    g.size[dim] = end > start ? (end - start - 1) / step + 1 : 0;
    int64_t wide;
    if (!__builtin_mul_overflow(g.stride[dim], step, &wide) && wide <= INT64_MAX / 16) /* of bytes there are as many again */
        g.stride[dim] = wide; /* else it is never taken: a step that large leaves one element */
    return look(call, &g);
}

static kt_status exchange(kt_call *call, int64_t a, int64_t b)
{
    geometry g;
    geometry_of(call->arg[0].t, &g);
    if (g.n > 0) {
        int64_t size = g.size[a], stride = g.stride[a];
        g.size[a] = g.size[b];
        g.stride[a] = g.stride[b];
        g.size[b] = size;
        g.stride[b] = stride;
    }
    return look(call, &g);
}

kt_status kt__body_transpose(kt_call *call)
{
    int64_t a = call->arg[1].i, b = call->arg[2].i, rank = call->arg[0].t->ndim;
    if (kt__wrap_dim(&a, rank) || kt__wrap_dim(&b, rank))
        return kt_error_status();
    return exchange(call, a, b);
}

kt_status kt__body_t(kt_call *call)
{
    int rank = call->arg[0].t->ndim;
    if (rank > 2)
        return kt_fail(KT_ERR_RUNTIME, "t() expects a tensor with <= 2 dimensions, but self is %dD", rank);
    return exchange(call, 0, rank == 2 ? 1 : 0);
}

kt_status kt__body_permute(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    kt_shape   dims = call->arg[1].ints;
    geometry   g, from;
    uint64_t   seen = 0;
    if (dims.n != t->ndim)
        return kt_fail(
            KT_ERR_RUNTIME,
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %lld",
            t->ndim, (long long)dims.n);
    geometry_of(t, &from);
    g = from;
    for (int64_t i = 0; i < dims.n; i++) {
        int64_t d = dims.d[i];
        if (kt__wrap_dim(&d, t->ndim))
            return kt_error_status();
        if (seen >> d & 1)
            return kt_fail(KT_ERR_RUNTIME, "permute(): duplicate dims are not allowed.");
        seen |= 1ull << d;
        g.size[i] = from.size[d];
        g.stride[i] = from.stride[d];
    }
    return look(call, &g);
}

kt_status kt__body_expand(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    kt_shape   want = call->arg[1].ints;
    geometry   g;
    if (want.n < t->ndim) {
        char has[256], text[256], type[64];
        kt__shape_text(has, sizeof has, kt__sizes(t));
        kt__shape_text(text, sizeof text, want);
        return kt_fail(
            KT_ERR_RUNTIME,
            "expand(%s{%s}, size=%s): the number of sizes provided (%lld) must be greater or equal to the "
            "number of dimensions in the tensor (%d)",
            kt__type_text((kt_dtype)t->dtype, type, sizeof type), has, text, (long long)want.n, t->ndim);
    }
    if (want.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    g.n = want.n;
    g.offset = kt__offset(t);
    for (int64_t i = want.n - 1; i >= 0; i--) {
        int64_t at = i - (want.n - t->ndim), size = at >= 0 ? t->sizes[at] : 1;
        int64_t stride = at >= 0 ? t->strides[at] : i + 1 < want.n ? g.size[i + 1] * g.stride[i + 1] : 1;
        g.size[i] = want.d[i];
        if (want.d[i] == -1 && at < 0)
            return kt_fail(
                KT_ERR_RUNTIME,
                "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension %lld",
                (long long)i);
        if (want.d[i] == -1)
            g.size[i] = size;
        if (g.size[i] != size) {
            if (size != 1 || g.size[i] < 0) {
                return kt_fail(
                    KT_ERR_RUNTIME,
                    "The expanded size of the tensor (%lld) must match the existing size (%lld) at non-singleton "
                    "dimension %lld.  Target sizes: %s.  Tensor sizes: %s",
                    (long long)g.size[i], (long long)size, (long long)i, KT__SHAPE_TEXT(want), KT__SIZES_TEXT(t));
            }
            stride = 0;
        }
        g.stride[i] = t->ndim ? stride : 0; /* a 0-dim tensor: all dims are broadcast */
    }
    return look(call, &g);
}

kt_status kt__body_expand_as(kt_call *call)
{
    kt_call c;
    kt__open(&c, KT_OP_expand, KT_PLAIN);
    kt__put_tensor(&c, 0, call->arg[0].t);
    kt__put(&c, 1, ints, kt__sizes(call->arg[1].t));
    kt_status status = kt_call_run(&c);
    call->out[0] = c.out[0];
    return status;
}

static const char *as_text(char text[256], kt_shape shape) /* for errors only: formatting costs more than a view */
{
    kt__shape_text(text, 256, shape);
    return text;
}

/* Fills in the one -1 of a shape. */
static kt_status infer_shape(const kt_tensor *t, kt_shape want, int64_t *sizes)
{
    int64_t unknown = -1, product = 1;
    bool    fits = true;
    char    text[256];
    if (want.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    for (int64_t i = 0; i < want.n; i++) {
        sizes[i] = want.d[i];
        if (want.d[i] == -1) {
            if (unknown >= 0)
                return kt_fail(KT_ERR_RUNTIME, "only one dimension can be inferred");
            unknown = i;
        } else if (want.d[i] < 0) {
            return kt_fail(KT_ERR_RUNTIME, "invalid shape dimension %lld at index %lld of shape %s", (long long)want.d[i],
                           (long long)i, as_text(text, want));
        } else {
            fits &= !__builtin_mul_overflow(product, want.d[i], &product);
        }
    }
    if (fits && unknown >= 0 && product == 0 && t->numel == 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "cannot reshape tensor of 0 elements into shape %s because the unspecified dimension size -1 "
                       "can be any value "
                       "and is ambiguous",
                       as_text(text, want));
    if (fits && unknown >= 0 && product > 0 && t->numel % product == 0)
        sizes[unknown] = t->numel / product;
    else if (!fits || unknown >= 0 || product != t->numel)
        return kt_fail(KT_ERR_RUNTIME, "shape '%s' is invalid for input of size %lld", as_text(text, want),
                       (long long)t->numel);
    return KT_OK;
}

kt_status kt__body_view(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    geometry   g = {.n = call->arg[1].ints.n, .offset = kt__offset(t)};
    if (infer_shape(t, call->arg[1].ints, g.size))
        return kt_error_status();
    if (!kt__view_strides(kt__sizes(t), kt__strides(t), (kt_shape){g.n, g.size}, g.stride))
        return kt_fail(KT_ERR_RUNTIME,
                       "view size is not compatible with input tensor's size and stride (at least one dimension "
                       "spans across two contiguous subspaces). Use .reshape(...) instead.");
    return look(call, &g);
}

/* The intermediate tensor is freed with its last reference; the result keeps the storage. */
/* The reshaped result of a copy is not a view for the tape. */
static kt_status shaped_anew(kt_call *call, int op, kt_shape ints)
{
    kt_status status = kt__call_ints(op, call->arg[0].t, ints, &call->out[0]);
    if (status)
        return status;
    call->out[0]->flags &= ~(uint32_t)(KT_T_VIEW | KT_T_VIEW_MADE);
    kt__take(&call->out[0]->base, NULL);
    return KT_OK;
}

kt_status kt__body_unsafe_view(kt_call *call) { return shaped_anew(call, KT_OP_view, call->arg[1].ints); }
kt_status kt__body_unsafe_squeeze(kt_call *call) { return shaped_anew(call, KT_OP_squeeze_dim, KT_SHAPE(call->arg[1].i)); }

static kt_status view_as_shape(kt_call *call, kt_shape shape)
{
    kt_tensor *t = call->arg[0].t, *dense = NULL;
    int64_t    sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    if (infer_shape(t, shape, sizes))
        return kt_error_status();
    kt_shape full = {shape.n, sizes};
    if (!kt__view_strides(kt__sizes(t), kt__strides(t), full, strides)) {
        kt_call c;
        kt__open(&c, KT_OP_clone, KT_PLAIN);
        kt__put_tensor(&c, 0, t);
        kt__put(&c, 1, format, (int32_t)KT_CONTIGUOUS_FORMAT);
        if (kt_call_run(&c))
            return kt_error_status();
        dense = t = c.out[0];
    }
    kt_call c;
    kt__open(&c, dense ? KT_OP_unsafe_view : kt__is_contiguous(t) ? KT_OP_view : KT_OP_reshape_alias, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, ints, full);
    if (c.row->id == KT_OP_reshape_alias)
        kt__put(&c, 2, ints, ((kt_shape){shape.n, strides}));
    kt_status status = kt_call_run(&c);
    call->out[0] = c.out[0];
    kt__unref(dense);
    return status;
}

kt_status kt__body_reshape(kt_call *call) { return view_as_shape(call, call->arg[1].ints); }

kt_status kt__body_flatten(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    first = kt__arg_int(call, 1), last = kt__arg_int(call, 2), sizes[KT_MAX_DIMS], n = 0, product = 1;
    if (kt__wrap_dim(&first, t->ndim) || kt__wrap_dim(&last, t->ndim))
        return kt_error_status();
    if (first > last)
        return kt_fail(KT_ERR_RUNTIME, "flatten() has invalid args: start_dim cannot come after end_dim");
    if (t->ndim == 0)
        return view_as_shape(call, KT_SHAPE(1));
    if (first == last) {
        call->out[0] = kt__ref(t);
        return KT_OK;
    }
    for (int i = 0; i < t->ndim; i++) {
        if (i < first || i > last) {
            sizes[n++] = t->sizes[i];
            continue;
        }
        product *= t->sizes[i];
        if (i == last)
            sizes[n++] = product;
    }
    return view_as_shape(call, (kt_shape){n, sizes});
}

kt_status kt__body_squeeze(kt_call *call)
{
    geometry g;
    geometry_of(call->arg[0].t, &g);
    for (int64_t i = g.n - 1; i >= 0; i--)
        if (g.size[i] == 1)
            remove_dim(&g, i);
    return look(call, &g);
}

kt_status kt__body_squeeze_dim(kt_call *call)
{
    geometry g;
    uint64_t mask = 0;
    geometry_of(call->arg[0].t, &g);
    for (int64_t i = 0; i < call->arg[1].ints.n; i++) {
        int64_t d = call->arg[1].ints.d[i];
        if (kt__wrap_dim(&d, g.n))
            return kt_error_status();
        if (mask >> d & 1)
            return kt_fail(KT_ERR_RUNTIME, "dim %lld appears multiple times in the list of dims", (long long)d);
        mask |= 1ull << d;
    }
    for (int64_t i = g.n - 1; i >= 0; i--)
        if ((mask >> i & 1) && g.size[i] == 1)
            remove_dim(&g, i);
    return look(call, &g);
}

kt_status kt__body_unsqueeze(kt_call *call)
{
    geometry g;
    geometry_of(call->arg[0].t, &g);
    int64_t dim = call->arg[1].i;
    if (kt__wrap_dim(&dim, g.n + 1))
        return kt_error_status();
    if (g.n == KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    int64_t stride = dim < g.n ? g.size[dim] * g.stride[dim] : 1;
    for (int64_t i = g.n; i > dim; i--) {
        g.size[i] = g.size[i - 1];
        g.stride[i] = g.stride[i - 1];
    }
    g.size[dim] = 1;
    g.stride[dim] = stride;
    g.n++;
    return look(call, &g);
}

kt_status kt__body_unfold(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    dim = call->arg[1].i, size = call->arg[2].i, step = call->arg[3].i;
    geometry   g;
    if (kt__wrap_dim(&dim, t->ndim))
        return kt_error_status();
    int64_t max = t->ndim ? t->sizes[dim] : 1;
    if (size < 0)
        return kt_fail(KT_ERR_RUNTIME, "size is %lld but must be >= 0", (long long)size);
    if (size > max)
        return kt_fail(KT_ERR_RUNTIME, "maximum size for tensor at dimension %lld is %lld but size is %lld",
                       (long long)dim, (long long)max, (long long)size);
    if (step <= 0)
        return kt_fail(KT_ERR_RUNTIME, "step is %lld but must be > 0", (long long)step);
    geometry_of(t, &g);
    if (g.n == KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    g.size[g.n] = size;
    g.stride[g.n] = t->ndim ? g.stride[dim] : 1;
    if (t->ndim) {
        g.size[dim] = (max - size) / step + 1;
        g.stride[dim] *= step;
    }
    g.n++;
    return look(call, &g);
}

kt_status kt__body_diagonal(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    offset = kt__arg_int(call, 1), a = kt__arg_int(call, 2), b = kt__arg_int(call, 3);
    geometry   g;
    if (kt__wrap_dim(&a, t->ndim) || kt__wrap_dim(&b, t->ndim))
        return kt_error_status();
    if (a == b)
        return kt_fail(KT_ERR_RUNTIME, "diagonal dimensions cannot be identical %lld, %lld",
                       (long long)kt__arg_int(call, 2), (long long)kt__arg_int(call, 3));
    geometry_of(t, &g);
    int64_t rows = offset >= 0 ? g.size[a] : g.size[a] + offset, columns = offset >= 0 ? g.size[b] - offset : g.size[b];
    int64_t length = rows < columns ? rows : columns, stride = g.stride[a] + g.stride[b];
    length = length < 0 ? 0 : length;
    if (length)
        g.offset += offset >= 0 ? offset * g.stride[b] : -offset * g.stride[a];
    remove_dim(&g, a > b ? a : b);
    remove_dim(&g, a > b ? b : a);
    g.size[g.n] = length;
    g.stride[g.n++] = stride;
    return look(call, &g);
}

kt_status kt__body_as_strided(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    kt_shape   sizes = call->arg[1].ints, strides = call->arg[2].ints;
    geometry   g = {.n = sizes.n, .offset = kt__given(call, 3) ? call->arg[3].i : kt__offset(t)};
    if (sizes.n != strides.n)
        return kt_fail(KT_ERR_RUNTIME, "mismatch in length of strides and shape");
    if (sizes.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    for (int64_t i = 0; i < sizes.n; i++) {
        if (strides.d[i] < 0) {
            char text[256];
            kt__shape_text(text, sizeof text, strides);
            return kt_fail(KT_ERR_RUNTIME,
                           "as_strided: Negative strides are not supported at the moment, got strides: %s", text);
        }
        if (sizes.d[i] < 0) {
            return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed with sizes=%s and strides=%s",
                           KT__SHAPE_TEXT(sizes), KT__SHAPE_TEXT(strides));
        }
        g.size[i] = sizes.d[i];
        g.stride[i] = strides.d[i];
    }
    if (g.offset < 0)
        return kt_fail(KT_ERR_RUNTIME, "Tensor: invalid storage offset %lld", (long long)g.offset);
    return look(call, &g);
}

/* The strides are those that reshape has found; whoever calls it by name may give any. */
kt_status kt__body_reshape_alias(kt_call *call) { return kt__body_as_strided(call); }

/* ---- views that change what the bytes are ---- */

/* The same bytes seen as another dtype: the geometry is given in elements of that dtype. A negative bit stays: what is negated
 * as a complex number is so in both parts. */
static kt_status look_as(kt_call *call, kt_dtype dtype, const geometry *g, const char *op)
{
    kt_tensor *of = call->arg[0].t;
    kt_tensor *t = call->row->node ? kt__tensor_view(of, kt__sizes(of), kt__strides(of), kt__offset(of))
                                   : kt__tensor_alias(of); /* bytes seen as another dtype have no history, nor a base */
    if (!t)
        return kt_error_status();
    kt_dtype before = (kt_dtype)of->dtype;
    t->dtype = (uint8_t)dtype;
    t->flags &= ~(uint32_t)KT_T_PINNED_DTYPE;
    if (kt__tensor_set_geometry(t, (kt_shape){g->n, g->size}, (kt_shape){g->n, g->stride}, g->offset)) {
        kt__unref(t);
        return kt_error_status();
    }
    t->flags |= KT_T_TURNED;
    t->lineage = dtype == before ? of->lineage : KT__RECORD(KT_WHY_EXPLICIT, op, before, dtype, of->lineage);
    call->out[0] = t;
    return KT_OK;
}

kt_status kt__body_view_dtype(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    kt_dtype   dtype = call->arg[1].dtype;
    geometry   g;
    if (!kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "view: there is no dtype %d", (int)dtype);
    if (t->flags & KT_T_CONJ)
        return kt_fail(
            KT_ERR_RUNTIME,
            "torch.Tensor.view is not supported for conjugate view tensors when converting to a different dtype.");
    if (t->flags & KT_T_NEG)
        return kt_fail(
            KT_ERR_RUNTIME,
            "torch.Tensor.view is not supported for tensors with negative bit set when converting to a different dtype.");
    geometry_of(t, &g);
    int64_t from = (int64_t)kt__itemsize(t), to = (int64_t)kt_dtype_size(dtype);
    if (from == to)
        return look_as(call, dtype, &g, "view");
    if (t->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "self.dim() cannot be 0 to view %s as %s (different element sizes)",
                       kt_dtype_torch_name(t->dtype), kt_dtype_torch_name(dtype));
    int64_t last = g.n - 1, ratio = from > to ? from / to : to / from;
    if (to > from && g.size[last] % ratio)
        return kt_fail(
            KT_ERR_RUNTIME,
            "self.size(-1) must be divisible by %lld to view %s as %s (different element sizes), but got %lld",
            (long long)ratio, kt_dtype_torch_name(t->dtype), kt_dtype_torch_name(dtype), (long long)g.size[last]);
    if (to > from && g.offset % ratio)
        return kt_fail(
            KT_ERR_RUNTIME,
            "self.storage_offset() must be divisible by %lld to view %s as %s (different element sizes), but got %lld",
            (long long)ratio, kt_dtype_torch_name(t->dtype), kt_dtype_torch_name(dtype), (long long)g.offset);
    if (g.stride[last] != 1)
        return kt_fail(KT_ERR_RUNTIME,
                       "self.stride(-1) must be 1 to view %s as %s (different element sizes), but got %lld",
                       kt_dtype_torch_name(t->dtype), kt_dtype_torch_name(dtype), (long long)g.stride[last]);
    if (from > to) {
        g.size[last] *= ratio;
        g.offset *= ratio;
        for (int64_t i = 0; i < last; i++)
            g.stride[i] *= ratio;
        return look_as(call, dtype, &g, "view");
    }
    for (int64_t i = 0; i < last; i++) {
        if (g.stride[i] % ratio)
            return kt_fail(
                KT_ERR_RUNTIME,
                "self.stride(%lld) must be divisible by %lld to view %s as %s (different element sizes), but got %lld",
                (long long)i, (long long)ratio, kt_dtype_torch_name(t->dtype), kt_dtype_torch_name(dtype),
                (long long)g.stride[i]);
        g.stride[i] /= ratio;
    }
    g.size[last] /= ratio;
    g.offset /= ratio;
    return look_as(call, dtype, &g, "view");
}

kt_status kt__body_view_as_real(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    geometry   g;
    if (t->flags & KT_T_CONJ)
        return kt_fail(
            KT_ERR_RUNTIME,
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so "
            "you can view it as real, use self.resolve_conj(); however, be warned that the resulting tensor "
            "will NOT alias the original.");
    geometry_of(t, &g);
    if (g.n == KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    for (int64_t i = 0; i < g.n; i++)
        g.stride[i] *= 2;
    g.size[g.n] = 2;
    g.stride[g.n++] = 1;
    g.offset *= 2;
    return look_as(call, kt_dtype_real((kt_dtype)t->dtype), &g, "view_as_real");
}

kt_status kt__body_view_as_complex(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    geometry   g;
    geometry_of(t, &g);
    if (g.n == 0)
        return kt_fail(KT_ERR_RUNTIME, "Input tensor must have one or more dimensions");
    if (g.size[g.n - 1] != 2)
        return kt_fail(KT_ERR_RUNTIME, "Tensor must have a last dimension of size 2");
    if (g.stride[g.n - 1] != 1)
        return kt_fail(KT_ERR_RUNTIME, "Tensor must have a last dimension with stride 1");
    for (int64_t i = 0; i < g.n - 1; i++) {
        if (g.size[i] != 1 && g.stride[i] % 2) /* the stride of a dim of size 1 does not matter */
            return kt_fail(KT_ERR_RUNTIME, "Tensor must have a stride divisible by 2 for all but last dimension");
        g.stride[i] /= 2;
    }
    if (g.offset % 2)
        return kt_fail(KT_ERR_RUNTIME, "Tensor must have a storage_offset divisible by 2");
    g.offset /= 2;
    g.n--;
    return look_as(call, kt_dtype_complex((kt_dtype)t->dtype), &g, "view_as_complex");
}

/* ---- lazy bits, aliases ---- */

static kt_status flagged(kt_call *call, uint32_t bit)
{
    geometry g;
    geometry_of(call->arg[0].t, &g);
    if (look(call, &g))
        return kt_error_status();
    call->out[0]->flags ^= bit | (bit ? KT_T_TURNED : 0);
    return KT_OK;
}

kt_status kt__body_conj_lazy(kt_call *call) { return flagged(call, KT_T_CONJ); }
kt_status kt__body_neg_view(kt_call *call) { return flagged(call, KT_T_NEG); }
kt_status kt__body_alias(kt_call *call) { return flagged(call, 0); }

kt_status kt__body_conj(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    if (kt_dtype_category((kt_dtype)t->dtype) == KT_CAT_COMPLEX)
        return kt__call1(KT_OP_conj_lazy, t, &call->out[0]);
    call->out[0] = kt__ref(t);
    return KT_OK;
}

kt_status kt__body_detach(kt_call *call)
{
    call->out[0] = kt__tensor_alias(call->arg[0].t);
    return call->out[0] ? KT_OK : kt_error_status();
}

static kt_status part(kt_call *call, int64_t index)
{
    kt_tensor *self = call->arg[0].t, *plain = NULL, *pair = NULL;
    bool       conjugated = self->flags & KT_T_CONJ;
    kt_status  status = conjugated ? kt__call1(KT_OP_conj_lazy, self, &plain) : KT_OK; /* twice conjugated is plain */
    if (!status)
        status = kt__call1(KT_OP_view_as_real, conjugated ? plain : self, &pair);
    kt__unref(plain);
    if (!status && conjugated && index == 1) {
        kt_tensor *turned = NULL;
        status = kt__call1(KT_OP_neg_view, pair, &turned);
        kt__unref(pair);
        pair = turned;
    }
    if (status)
        return status;
    kt_call c;
    kt__open(&c, KT_OP_select, KT_PLAIN);
    kt__put_tensor(&c, 0, pair);
    kt__put(&c, 1, i, pair->ndim - 1);
    kt__put(&c, 2, i, index);
    status = kt_call_run(&c);
    kt__unref(pair);
    call->out[0] = c.out[0];
    return status;
}

kt_status kt__body_real(kt_call *call)
{
    if (kt_dtype_category((kt_dtype)call->arg[0].t->dtype) == KT_CAT_COMPLEX)
        return part(call, 0);
    call->out[0] = kt__ref(call->arg[0].t);
    return KT_OK;
}

kt_status kt__body_imag(kt_call *call) { return part(call, 1); }

kt_status kt__body_narrow_tensor(kt_call *call)
{
    const kt_tensor *start = call->arg[2].t;
    if (start->ndim || kt_dtype_category((kt_dtype)start->dtype) != KT_CAT_INT)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "start must be an 0-dim integral Tensor.");
    int64_t at = kt_item_scalar(start).v.i;
    if (kt__failed())
        return kt_error_status();
    return kt__call_narrow(call->arg[0].t, call->arg[1].i, at, call->arg[3].i, &call->out[0]);
}

kt_status kt__body_narrow(kt_call *call)
{
    kt_tensor *t = call->arg[0].t;
    int64_t    dim = call->arg[1].i, start = call->arg[2].i, length = call->arg[3].i;
    if (t->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "narrow() cannot be applied to a 0-dim tensor.");
    if (length < 0)
        return kt_fail(KT_ERR_RUNTIME, "narrow(): length must be non-negative.");
    if (kt__wrap_dim(&dim, t->ndim))
        return kt_error_status();
    int64_t size = t->sizes[dim];
    if (start < -size || start > size)
        return kt_fail(KT_ERR_INDEX, "start out of range (expected to be in range of [%lld, %lld], but got %lld)",
                       (long long)-size, (long long)size, (long long)start);
    start += start < 0 ? size : 0;
    if (start > size - length)
        return kt_fail(KT_ERR_RUNTIME, "start (%lld) + length (%lld) exceeds dimension size (%lld).", (long long)start,
                       (long long)length, (long long)size);
    kt_call c;
    kt__open(&c, KT_OP_slice, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, start);
    kt__put(&c, 3, i, start + length);
    kt_status status = kt_call_run(&c);
    call->out[0] = c.out[0];
    return status;
}
