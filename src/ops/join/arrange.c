/* arrange.c - the same elements in another order, or several times: flip, roll, rot90, repeat, tile.
 * In: a tensor. Out: a new one, written in one pass by copies between parts; a flip reads its source backwards. */
#include <string.h>

#include "base/alloc.h"
#include "call/end.h"
#include "call/move.h"

static kt_status given(kt_call *call, kt_tensor *out, kt_status status)
{
    return kt__end_made(call, out, call->arg[0].t, out ? status : kt_error_status());
}

/* The body is another operator's call, with these ints. */
static kt_status by_ints(kt_call *call, int op, kt_shape ints)
{
    kt_tensor      *made = NULL;
    const kt_status status = kt__call_ints(op, call->arg[0].t, ints, &made);
    return kt__end_itself(call, made, status);
}

static kt_status cloned(kt_call *call, kt_memory_format format)
{
    kt_tensor *self = call->arg[0].t, *out = kt__empty_like(self, (kt_dtype)self->dtype, kt__device(self), format);
    return given(call, out, out ? kt__copy_into(out, self, KT_WHY_NONE, KT_ROUND_TORCH) : KT_OK);
}

/* ---- flip ---- */

static kt_status turned(kt_tensor *self, uint64_t dims, kt_tensor **out)
{
    kt__part from;
    *out = kt__empty_like(self, (kt_dtype)self->dtype, kt__device(self), KT_FORMAT_NONE);
    if (!*out)
        return kt_error_status();
    kt__part_of(&from, self);
    for (int i = 0; i < self->ndim; i++)
        if (dims >> i & 1)
            kt__part_reverse(&from, i);
    return kt__copy_into(*out, &from.t, KT_WHY_NONE, KT_ROUND_TORCH);
}

kt_status kt__body_flip(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *out = NULL;
    kt_shape   dims = call->arg[1].ints;
    uint64_t   mask = 0;
    for (int64_t i = 0; i < dims.n; i++) {
        int64_t d = dims.d[i];
        if (kt__wrap_dim(&d, self->ndim))
            return kt_error_status();
        if (mask >> d & 1)
            return kt_fail(KT_ERR_RUNTIME, "dim %lld appears multiple times in the list of dims", (long long)d);
        mask |= 1ull << d;
    }
    kt_status status = turned(self, mask, &out);
    return given(call, out, status);
}

kt_status kt__body_fliplr(kt_call *call)
{
    if (call->arg[0].t->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "Input must be >= 2-d.");
    return by_ints(call, KT_OP_flip, KT_SHAPE(1));
}

kt_status kt__body_flipud(kt_call *call)
{
    if (call->arg[0].t->ndim < 1)
        return kt_fail(KT_ERR_RUNTIME, "Input must be >= 1-d.");
    return by_ints(call, KT_OP_flip, KT_SHAPE(0));
}

static kt_status exchange(kt_tensor *t, int64_t a, int64_t b)
{
    int64_t sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    for (int i = 0; i < t->ndim; i++) {
        int from = i == a ? (int)b : i == b ? (int)a : i;
        sizes[i] = t->sizes[from];
        strides[i] = t->strides[from];
    }
    return kt__tensor_set_geometry(t, (kt_shape){t->ndim, sizes}, (kt_shape){t->ndim, strides}, kt__offset(t));
}

static kt_status rotation(const kt_call *call, int64_t *a, int64_t *b)
{
    kt_shape dims = kt__arg_ints(call, 2);
    int64_t  rank = call->arg[0].t->ndim;
    if (dims.n != 2)
        return kt_fail(KT_ERR_RUNTIME, "expected total rotation dims == 2, but got dims = %lld", (long long)dims.n);
    if (rank < 2)
        return kt_fail(KT_ERR_RUNTIME, "expected total dims >= 2, but got total dims = %lld", (long long)rank);
    *a = dims.d[0], *b = dims.d[1];
    if (*a == *b || *a - *b == rank || *b - *a == rank)
        return kt_fail(KT_ERR_RUNTIME, "expected rotation dims to be different, but got dim0 = %lld and dim1 = %lld",
                       (long long)*a, (long long)*b);
    for (int i = 0; i < 2; i++)
        if (dims.d[i] < -rank || dims.d[i] >= rank)
            return kt_fail(KT_ERR_RUNTIME, "Rotation dim%d out of range, dim%d = %lld", i, i, (long long)dims.d[i]);
    *a += *a < 0 ? rank : 0;
    *b += *b < 0 ? rank : 0;
    return KT_OK;
}

kt_status kt__body_rot90(kt_call *call)
{
    int64_t    a = 0, b = 0, k = kt__arg_int(call, 1) % 4;
    kt_tensor *out = NULL;
    if (rotation(call, &a, &b))
        return kt_error_status();
    k += k < 0 ? 4 : 0;
    if (k == 0)
        return cloned(call, KT_CONTIGUOUS_FORMAT);
    uint64_t  mask = k == 1 ? 1ull << b : k == 3 ? 1ull << a : 1ull << a | 1ull << b;
    kt_status status = turned(call->arg[0].t, mask, &out);
    if (!status && k != 2)
        status = exchange(out, a, b);
    return given(call, out, status);
}

/* ---- roll: two parts along each rolled dim ---- */

static kt_status roll_parts(kt_tensor *out, kt_tensor *from, const int64_t *shift)
{
    uint8_t dims[KT_MAX_DIMS];
    int     n = 0;
    for (int i = 0; i < from->ndim; i++)
        if (shift[i])
            dims[n++] = (uint8_t)i;
    kt_status status = KT_OK;
    for (uint64_t which = 0; which >> n == 0 && !status; which++) { /* a rolled dim has two elements or more: few choices */
        kt__part to, part;
        kt__part_of(&to, out);
        kt__part_of(&part, from);
        for (int k = 0; k < n; k++) {
            int     d = dims[k];
            int64_t size = from->sizes[d], by = shift[d];
            if (which >> k & 1) { /* the end comes first */
                kt__part_narrow(&to, d, 0, by);
                kt__part_narrow(&part, d, size - by, by);
            } else {
                kt__part_narrow(&to, d, by, size - by);
                kt__part_narrow(&part, d, 0, size - by);
            }
        }
        status = kt__part_copy(&to, &part);
    }
    return status;
}

static int64_t modulo(int64_t a, int64_t n) { return n > 1 ? (a % n + n) % n : 0; }

/* As if it were one long row. */
static kt_status roll_flat(kt_call *call, int64_t by)
{
    kt_tensor *self = call->arg[0].t, *dense = NULL;
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), kt__sizes(self));
    kt_status  status = out ? KT_OK : kt_error_status();
    if (!status && !kt__is_contiguous(self)) {
        dense = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), kt__sizes(self));
        status = dense ? kt__copy_into(dense, self, KT_WHY_NONE, KT_ROUND_TORCH) : kt_error_status();
    }
    if (!status) {
        kt__part to, from;
        int64_t  shift = modulo(by, self->numel);
        kt__part_of(&to, out);
        kt__part_of(&from, dense ? dense : self);
        to.t.ndim = from.t.ndim = 1;
        to.sizes[0] = from.sizes[0] = self->numel;
        to.strides[0] = from.strides[0] = 1;
        status = roll_parts(&to.t, &from.t, &shift);
    }
    kt__unref(dense);
    return given(call, out, status);
}

kt_status kt__body_roll(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    kt_shape   shifts = call->arg[1].ints, dims = kt__arg_ints(call, 2);
    int64_t    shift[KT_MAX_DIMS] = {0};
    if (shifts.n == 0)
        return kt_fail(KT_ERR_RUNTIME, "`shifts` required");
    if (dims.n == 0 && shifts.n == 1)
        return self->numel ? roll_flat(call, shifts.d[0]) : cloned(call, KT_FORMAT_NONE);
    if (shifts.n != dims.n)
        return kt_fail(KT_ERR_RUNTIME, "shifts and dimensions must align. shifts: %lld, dims:%lld", (long long)shifts.n,
                       (long long)dims.n);
    for (int64_t i = 0; i < dims.n; i++) {
        int64_t d = dims.d[i];
        if (self->ndim == 0)
            return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)d);
        if (kt__wrap_dim(&d, self->ndim))
            return kt_error_status();
        shift[d] = modulo(shift[d] + modulo(shifts.d[i], self->sizes[d]), self->sizes[d]);
    }
    if (self->numel == 0)
        return cloned(call, KT_FORMAT_NONE);
    kt_tensor *out = kt__new_in_format(self, (kt_dtype)self->dtype, kt__sizes(self), kt__suggested_format(self));
    return given(call, out, out ? roll_parts(out, self, shift) : KT_OK);
}

/* ---- repeat: the source's dims and dims of stride 0 ---- */

static kt_status repeat_copy(kt_tensor *out, kt_tensor *self, kt_shape repeats)
{
    kt__part to, from;
    int64_t  lead = repeats.n - self->ndim;
    int      n = 0;
    kt__part_of(&to, out);
    kt__part_of(&from, self);
    for (int64_t i = 0; i < repeats.n; i++) {
        int64_t size = i < lead ? 1 : self->sizes[i - lead], step = i < lead ? 0 : self->strides[i - lead];
        if (repeats.d[i] != 1 && size != 1) {
            if (n + 2 > KT_MAX_DIMS)
                return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
            to.sizes[n] = repeats.d[i], to.strides[n] = out->strides[i] * size;
            from.sizes[n] = repeats.d[i], from.strides[n++] = 0;
            to.sizes[n] = from.sizes[n] = size;
        } else {
            if (n + 1 > KT_MAX_DIMS)
                return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
            to.sizes[n] = from.sizes[n] = size * repeats.d[i];
            step = size == 1 ? 0 : step;
        }
        to.strides[n] = out->strides[i];
        from.strides[n++] = step;
    }
    to.t.ndim = from.t.ndim = (uint8_t)n;
    from.t.numel = out->numel;
    return kt__part_copy(&to, &from);
}

kt_status kt__body_repeat(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    kt_shape   repeats = call->arg[1].ints;
    int64_t    sizes[KT_MAX_DIMS], lead = repeats.n - self->ndim;
    if (lead < 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    if (repeats.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    for (int64_t i = 0; i < repeats.n; i++)
        if (__builtin_mul_overflow(repeats.d[i], i < lead ? 1 : self->sizes[i - lead], &sizes[i]))
            return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed");
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), (kt_shape){repeats.n, sizes});
    return given(call, out, out && out->numel ? repeat_copy(out, self, repeats) : KT_OK);
}

kt_status kt__body_tile(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    kt_shape   dims = call->arg[1].ints;
    int64_t    full[KT_MAX_DIMS];
    if (dims.n >= self->ndim)
        return by_ints(call, KT_OP_repeat, dims);
    for (int i = 0; i < self->ndim; i++)
        full[i] = i < self->ndim - dims.n ? 1 : dims.d[i - (self->ndim - dims.n)];
    return by_ints(call, KT_OP_repeat, (kt_shape){self->ndim, full});
}
