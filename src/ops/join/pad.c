/* pad.c - padding: constant (constant_pad_nd), reflect, replicate and circular (nn.functional.pad). In: pairs of widths,
 * last dim first; a negative width crops. */
#include <string.h>

#include "call/end.h"
#include "call/move.h"

/* ---- a constant ---- */

/* The widths of dim i before and after. */
static int64_t before(kt_shape pad, int rank, int i) { return rank - 1 - i < pad.n / 2 ? pad.d[2 * (rank - 1 - i)] : 0; }
static int64_t after(kt_shape pad, int rank, int i) { return rank - 1 - i < pad.n / 2 ? pad.d[2 * (rank - 1 - i) + 1] : 0; }

static kt_status check_widths(const kt_tensor *t, kt_shape pad)
{
    for (int i = 0; i < t->ndim; i++) {
        int64_t sum;
        const int64_t low = before(pad, t->ndim, i), high = after(pad, t->ndim, i);
        if (__builtin_add_overflow(low, high, &sum) || __builtin_add_overflow(sum, t->sizes[i], &sum))
            return kt_fail(KT_ERR_RUNTIME,
                           "The input size %lld, plus negative padding %lld and %lld resulted in a negative output size, which "
                           "is invalid. Check dimension %d of your input.",
                           (long long)t->sizes[i], (long long)low, (long long)high, i);
    }
    return KT_OK;
}

/* The source, cropped by negative widths. */
static kt_status cut(kt__part *from, kt_shape pad)
{
    for (int i = 0; i < from->t.ndim; i++) {
        int64_t low = before(pad, from->t.ndim, i), high = after(pad, from->t.ndim, i), size = from->sizes[i];
        if (low < -size || high < -size || size + (low < 0 ? low : 0) + (high < 0 ? high : 0) < 0)
            return kt_fail(KT_ERR_RUNTIME, "narrow(): length must be non-negative.");
        int64_t start = low < 0 ? -low : 0, length = size - start + (high < 0 ? high : 0);
        kt__part_narrow(from, i, start, length);
    }
    return KT_OK;
}

/* Fills the border, each element once: the slabs of dim i span the middle of the dims before it. */
static kt_status fill_around(kt_tensor *out, const kt__part *middle, kt_shape pad, kt_scalar value)
{
    kt__part left;
    kt__part_of(&left, out);
    for (int i = 0; i < out->ndim; i++) {
        int64_t low = before(pad, out->ndim, i), length = middle->sizes[i], room = out->sizes[i];
        low = low > 0 ? low : 0;
        for (int side = 0; side < 2; side++) {
            int64_t start = side ? low + length : 0, width = side ? room - start : low;
            if (width == 0)
                continue;
            kt__part slab;
            kt__part_of(&slab, &left.t);
            kt__part_narrow(&slab, i, start, width);
            if (kt__fill_with(&slab.t, value))
                return kt_error_status();
        }
        kt__part_narrow(&left, i, low, length);
    }
    return kt__copy_into(&left.t, (kt_tensor *)(uintptr_t)&middle->t, KT_WHY_NONE, KT_ROUND_TORCH);
}

static kt_tensor *padded_result(kt_tensor *self, const kt__part *middle, kt_shape pad, bool grows)
{
    int64_t sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    for (int i = 0; i < self->ndim; i++) {
        int64_t low = before(pad, self->ndim, i), high = after(pad, self->ndim, i);
        sizes[i] = middle->sizes[i] + (low > 0 ? low : 0) + (high > 0 ? high : 0);
    }
    kt_shape shape = {self->ndim, sizes};
    if (grows)
        return kt__new_in_format(self, (kt_dtype)self->dtype, shape, kt__suggested_format(self));
    kt__preserved_strides(shape, (kt_shape){self->ndim, middle->strides}, strides); /* nothing but a cut: a clone of it */
    return kt__tensor_new_strided((kt_dtype)self->dtype, kt__device(self), shape, (kt_shape){self->ndim, strides});
}

kt_status kt__body_constant_pad_nd(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    kt_shape   pad = call->arg[1].ints;
    kt__part   middle;
    bool       grows = false;
    if (pad.n % 2)
        return kt_fail(KT_ERR_RUNTIME, "Length of pad must be even but instead it equals %lld", (long long)pad.n);
    if (pad.n / 2 > self->ndim)
        return kt_fail(KT_ERR_RUNTIME,
                       "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
                       "%lldwhile the input has %ddimensions.",
                       (long long)pad.n, self->ndim);
    for (int64_t i = 0; i < pad.n; i++)
        grows |= pad.d[i] > 0;
    kt__part_of(&middle, self);
    if (check_widths(self, pad) || cut(&middle, pad))
        return kt_error_status();
    kt_tensor *out = padded_result(self, &middle, pad, grows);
    kt_status  status = out ? KT_OK : kt_error_status();
    if (!status && grows)
        status = kt__check_filled(call, out, kt__arg_scalar(call, 2));
    if (!status)
        status = fill_around(out, &middle, pad, kt__arg_scalar(call, 2));
    return kt__end_made(call, out, self, status);
}

/* ---- the other modes, dim by dim: border, tensor, border ---- */

typedef enum mode { REFLECT, REPLICATE, CIRCULAR, CONSTANT } mode;

/* Owned; width > 0. `end`: what stands after. */
static kt_status border(kt_tensor *t, int64_t dim, int64_t width, bool end, mode how, kt_tensor **piece)
{
    int64_t    size = t->sizes[dim], start = 0, sizes[KT_MAX_DIMS];
    kt_tensor *x = NULL;
    kt_status  status;
    switch (how) {
    case REFLECT: start = end ? size - 1 - width : 1; break;
    case CIRCULAR: start = end ? 0 : size - width; break;
    default: start = end ? size - 1 : 0; break;
    }
    status = kt__call_narrow(t, dim, start, how == REPLICATE ? 1 : width, &x);
    if (status || how == CIRCULAR) {
        *piece = x;
        return status;
    }
    if (how == REFLECT) {
        status = kt__call_ints(KT_OP_flip, x, KT_SHAPE(dim), piece);
    } else {
        memcpy(sizes, x->sizes, (size_t)x->ndim * sizeof(int64_t));
        sizes[dim] = width;
        status = kt__call_ints(KT_OP_expand, x, (kt_shape){x->ndim, sizes}, piece);
    }
    kt__unref(x);
    return status;
}

/* Replaces *t by itself, padded or cut along one dim. */
static kt_status pad_dim(kt_tensor **t, int64_t dim, int64_t low, int64_t high, mode how)
{
    if ((*t)->sizes[dim] + (low < 0 ? low : high < 0 ? high : 0) < 0) { /* the cut takes some of the other side's border too */
        const int64_t length = (*t)->sizes[dim] + low + high;
        kt_tensor    *whole = NULL;
        kt_status     done = pad_dim(t, dim, low > 0 ? low : 0, high > 0 ? high : 0, how);
        if (!done)
            done = kt__call_narrow(*t, dim, low < 0 ? -low : 0, length, &whole);
        kt__take(t, whole);
        return done;
    }
    kt_tensor *piece[3] = {NULL, NULL, NULL}, *middle = NULL, *joined = NULL;
    int64_t    start = low < 0 ? -low : 0, length = (*t)->sizes[dim] - start + (high < 0 ? high : 0), n = 0;
    kt_status  status = kt__call_narrow(*t, dim, start, length, &middle);
    kt_tensor *seen = how == CIRCULAR ? middle : *t; /* the other end is that of what the cut leaves */
    if (!status && low > 0)
        status = border(seen, dim, low, false, how, &piece[n++]);
    piece[n++] = middle;
    if (!status && high > 0)
        status = border(seen, dim, high, true, how, &piece[n++]);
    if (!status)
        status = kt__call_list(KT_OP_cat, piece, n, dim, &joined);
    for (int i = 0; i < 3; i++)
        kt__unref(piece[i]);
    kt__take(t, joined);
    return status;
}

/* Of what is reflected or repeated. */
static kt_status check_not_empty(const kt_tensor *t, kt_shape pad)
{
    int64_t dims = pad.n / 2;
    for (int i = t->ndim == dims + 2; i < t->ndim; i++)
        if (t->sizes[i] == 0) {
            return kt_fail(KT_ERR_RUNTIME,
                           "Expected %lldD or %lldD (batch mode) tensor with possibly 0 batch size and other non-zero "
                           "dimensions for input, but got: %s",
                           (long long)dims + 1, (long long)dims + 2, KT__SIZES_TEXT(t));
        }
    return KT_OK;
}

static kt_status check_reflect(const kt_tensor *t, kt_shape pad)
{
    for (int64_t k = 0; k < pad.n / 2; k++) {
        int64_t dim = t->ndim - 1 - k, size = t->sizes[dim];
        if (pad.d[2 * k] >= size || pad.d[2 * k + 1] >= size) {
            return kt_fail(KT_ERR_RUNTIME,
                           "Argument #%lld: Padding size should be less than the corresponding input dimension, but got: "
                           "padding (%lld, %lld) at dimension %lld of input %s",
                           (long long)(4 + 2 * k), (long long)pad.d[2 * k], (long long)pad.d[2 * k + 1], (long long)dim,
                           KT__SIZES_TEXT(t));
        }
    }
    return KT_OK;
}

static kt_status check_circular(const kt_tensor *t, kt_shape pad)
{
    for (int64_t k = 0; k < pad.n / 2; k++) {
        int64_t size = t->sizes[t->ndim - 1 - k], low = pad.d[2 * k], high = pad.d[2 * k + 1];
        int64_t left = size + (low < 0 ? low : 0) + (high < 0 ? high : 0); /* what is cut off is not wrapped around */
        bool    wraps = (low > 0 && low > left) || (high > 0 && high > left);
        if (low + high + size < 0 && low <= size && high <= size)
            return kt_fail(KT_ERR_RUNTIME, "Negative padding value is resulting in an empty dimension");
        if (low > size || high > size || wraps)
            return kt_fail(KT_ERR_RUNTIME, "Padding value causes wrapping around more than once.");
    }
    return KT_OK;
}

/* Some output dims may be 0, but not all, and none negative. */
static kt_status check_room(const kt_tensor *t, kt_shape pad, mode how)
{
    int64_t   in[3] = {0}, out[3] = {0}, sizes[KT_MAX_DIMS], negative = 0;
    const int n = (int)(pad.n / 2);
    bool      none = true, empty = false;
    memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
    for (int k = n - 1; k >= 0; k--) {
        const int dim = t->ndim - 1 - k;
        in[k] = t->sizes[dim];
        out[k] = sizes[dim] = in[k] + pad.d[2 * k] + pad.d[2 * k + 1];
        none &= out[k] < 1;
        empty |= in[k] == 0;
        negative = negative ? negative : out[k] < 0 ? out[k] : 0;
    }
    if (none && !empty)
        switch (n) {
        case 1:
            return kt_fail(KT_ERR_RUNTIME, "input (W: %lld) is too small. Calculated output W: %lld", (long long)in[0],
                           (long long)out[0]);
        case 2:
            return kt_fail(KT_ERR_RUNTIME, "input (H: %lld, W: %lld%s) is too small. Calculated output H: %lld W: %lld",
                           (long long)in[1], (long long)in[0], how == REPLICATE ? " " : "", (long long)out[1],
                           (long long)out[0]);
        default:
            return kt_fail(KT_ERR_RUNTIME,
                           "input (D: %lld H: %lld, W: %lld) is too small. Calculated output D: %lld H: %lld W: %lld",
                           (long long)in[2], (long long)in[1], (long long)in[0], (long long)out[2], (long long)out[1],
                           (long long)out[0]);
        }
    if (negative) {
        return kt_fail(KT_ERR_RUNTIME, "Trying to create tensor with negative dimension %lld: %s", (long long)negative,
                       KT__SHAPE_TEXT((kt_shape){t->ndim, sizes}));
    }
    return KT_OK;
}

static kt_status mode_of(const char *name, mode *how)
{
    static const char *const names[] = {
        [REFLECT] = "reflect", [REPLICATE] = "replicate", [CIRCULAR] = "circular", [CONSTANT] = "constant",
    };
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *how = (mode)i;
            return KT_OK;
        }
    return kt_fail(KT_ERR_NOT_IMPLEMENTED, "Unrecognised padding mode %s", name);
}

static kt_status pad_constant(kt_call *call, double value)
{
    kt_call c;
    kt__open(&c, KT_OP_constant_pad_nd, KT_PLAIN);
    kt__put_tensor(&c, 0, call->arg[0].t);
    kt__put(&c, 1, ints, call->arg[1].ints);
    kt__put(&c, 2, s, KT_FLOAT(value));
    return kt__run_as(call, &c);
}

/* Of all but constants. */
static kt_status check_pairs(const kt_call *call)
{
    const kt_shape pad = call->arg[1].ints;
    const int      ndim = call->arg[0].t->ndim;
    return pad.n % 2 || pad.n < 2 || pad.n > 6 || (ndim != pad.n / 2 + 1 && ndim != pad.n / 2 + 2)
               ? kt_fail(KT_ERR_NOT_IMPLEMENTED, "Padding size %lld is not supported for %dD input tensor.",
                         (long long)pad.n, ndim)
               : KT_OK;
}

kt_status kt__body_nn_pad(kt_call *call)
{
    kt_tensor  *self = call->arg[0].t;
    kt_shape    pad = call->arg[1].ints;
    double      value = kt__given(call, 3) ? call->arg[3].f : 0.0;
    mode        how = CONSTANT;
    const char *name = kt__arg(call, 2)->str;
    if (mode_of(name, &how))
        return kt_error_status();
    if (pad.n % 2)
        return kt_fail(KT_ERR_RUNTIME, "Padding length must be divisible by 2");
    if (pad.n > 2 * self->ndim)
        return kt_fail(KT_ERR_RUNTIME,
                       "Padding length should be less than or equal to two times the input dimension but got padding "
                       "length %lld and input of dimension %d",
                       (long long)pad.n, self->ndim);
    if (how == CONSTANT)
        return pad_constant(call, value);
    if (value != 0.0)
        return kt_fail(KT_ERR_RUNTIME, "Padding mode \"%s\" doesn't take in value argument", name);
    if (check_pairs(call))
        return kt_error_status();
    kt_call c;
    kt__open(&c, how == CIRCULAR ? KT_OP_pad_around : KT_OP_pad_edges, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, pad);
    if (how != CIRCULAR)
        kt__put(&c, 2, str, name);
    return kt__run_as(call, &c);
}

/* Replaces *t by itself in a layout. */
static kt_status lay(kt_tensor **t, kt_memory_format format)
{
    KT_SCOPE;
    kt_tensor *laid = kt_contiguous(*t, .memory_format = format);
    if (!laid)
        return kt_error_status();
    kt__take(t, kt__ref(laid));
    return KT_OK;
}

/* As in PyTorch, what wraps around is row-major, and the other modes keep the format of the input. */
static kt_status pad_dims(kt_call *call, mode how)
{
    kt_tensor     *self = call->arg[0].t, *t = kt__ref(self);
    const kt_shape pad = call->arg[1].ints;
    const kt_memory_format format = how == CIRCULAR ? KT_CONTIGUOUS_FORMAT : kt__suggested_format(self);
    kt_status      status = check_widths(self, pad);
    if (!status)
        status = how == CIRCULAR ? check_circular(self, pad) : check_not_empty(self, pad);
    if (!status && how == REFLECT)
        status = check_reflect(self, pad);
    if (!status && how != CIRCULAR)
        status = check_room(self, pad, how);
    for (int64_t k = 0; k < pad.n / 2 && !status; k++)
        status = pad_dim(&t, self->ndim - 1 - k, pad.d[2 * k], pad.d[2 * k + 1], how);
    if (!status && (how == CIRCULAR || format != KT_CONTIGUOUS_FORMAT))
        status = lay(&t, format);
    return kt__end_itself(call, t, status);
}

kt_status kt__body_pad_edges(kt_call *call)
{
    mode how = REFLECT;
    if (mode_of(call->arg[2].str, &how) || check_pairs(call))
        return kt_error_status();
    if (how != REFLECT && how != REPLICATE)
        return kt_fail(KT_ERR_VALUE, "edges are padded with reflect or replicate, not %s", call->arg[2].str);
    return pad_dims(call, how);
}

kt_status kt__body_pad_around(kt_call *call) { return check_pairs(call) ? kt_error_status() : pad_dims(call, CIRCULAR); }

