/* unfold.c - windows of an image as columns (im2col), and columns added up to an image (col2im). In: calls of the two rows. Out:
 * one copy, or one sum, for each tap of the window; or PyTorch's refusals. Each is the other's gradient. */
#include "ops/window/window.h"

#include <string.h>

typedef struct geometry {
    int64_t kernel[2], dilation[2], padding[2], stride[2];
    int64_t image[2], blocks[2]; /* sizes in space, and how many windows */
} geometry;

/* ---- checks, in PyTorch's order ---- */

static kt_status read_pair(kt_shape list, const char *what, int64_t *to)
{
    if (list.n != 2)
        return kt_fail(KT_ERR_RUNTIME, "It is expected %s equals to 2, but got size %lld", what, (long long)list.n);
    memcpy(to, list.d, 2 * sizeof *to);
    return KT_OK;
}

static kt_status read_pairs(const kt_call *call, int first, geometry *g)
{
    return read_pair(kt__arg_ints(call, first), "kernel_size", g->kernel) ||
                   read_pair(kt__arg_ints(call, first + 1), "dilation", g->dilation) ||
                   read_pair(kt__arg_ints(call, first + 2), "padding", g->padding) ||
                   read_pair(kt__arg_ints(call, first + 3), "stride", g->stride)
               ? kt_error_status()
               : KT_OK;
}

static kt_status check_least(const int64_t *v, int64_t least, const char *what, const char *is, const char *name)
{
    return v[0] >= least && v[1] >= least
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "%s should be %s, but got %s_height: %lld %s_width: %lld", what, is, name,
                         (long long)v[0],
                         name, (long long)v[1]);
}

static kt_status check_kernel(const geometry *g) { return check_least(g->kernel, 1, "kernel size", "greater than zero",
                                                                      "kernel"); }
static kt_status check_dilation(const geometry *g) { return check_least(g->dilation, 1, "dilation", "greater than zero",
                                                                        "dilation"); }
static kt_status check_padding(const geometry *g) { return check_least(g->padding, 0, "padding", "non-negative", "pad"); }
static kt_status check_stride(const geometry *g) { return check_least(g->stride, 1, "stride", "greater than zero", "stride"); }

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

static void count_blocks(geometry *g)
{
    for (int d = 0; d < 2; d++)
        g->blocks[d] = floor_of(g->image[d] + 2 * g->padding[d] - g->dilation[d] * (g->kernel[d] - 1) - 1, g->stride[d]) + 1;
}

static bool filled_from(const kt_tensor *t, int first)
{
    bool filled = true;
    for (int i = first; i < t->ndim; i++)
        filled = filled && t->sizes[i] > 0;
    return filled;
}

static kt_status check_image(const kt_tensor *t, geometry *g)
{
    if (t->ndim < 3)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%d, %d], but got 2)",
                       t->ndim ? -t->ndim : -1, t->ndim ? t->ndim - 1 : 0);
    if (t->ndim > 4 || !filled_from(t, t->ndim == 4))
        return kt_fail(KT_ERR_RUNTIME, "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                       "dimensions "
                       "for input, but got: %s", KT__SIZES_TEXT(t));
    memcpy(g->image, t->sizes + t->ndim - 2, sizeof g->image);
    count_blocks(g);
    if (g->blocks[0] < 1 || g->blocks[1] < 1)
        return kt_fail(KT_ERR_RUNTIME, "Given input with spatial size (%lld, %lld), kernel_size=(%lld, %lld), "
                       "dilation=(%lld, %lld), "
                       "padding=(%lld, %lld), calculated shape of the array of sliding blocks as (%lld, %lld), but its "
                           "components "
                       "must be at least one.", (long long)g->image[0], (long long)g->image[1], (long long)g->kernel[0],
                       (long long)g->kernel[1], (long long)g->dilation[0], (long long)g->dilation[1], (long long)g->padding[0],
                       (long long)g->padding[1], (long long)g->blocks[0], (long long)g->blocks[1]);
    return KT_OK;
}

static kt_status check_columns(const kt_tensor *t, geometry *g)
{
    if ((t->ndim != 2 && t->ndim != 3) || !filled_from(t, t->ndim == 3))
        return kt_fail(KT_ERR_RUNTIME, "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                       "dimensions for input, but got: %s", KT__SIZES_TEXT(t));
    const int     at = t->ndim - 2;
    const int64_t rows = t->sizes[at], length = t->sizes[at + 1];
    int64_t       area;
    if (__builtin_mul_overflow(g->kernel[0], g->kernel[1], &area))
        return kt_fail(KT_ERR_RUNTIME, "Given kernel_width = %lld and kernel_height = %lld the product of kernel_width and "
                       "kernel_height overflowed.", (long long)g->kernel[1], (long long)g->kernel[0]);
    if (rows % area)
        return kt_fail(KT_ERR_RUNTIME, "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
                       "but got "
                       "input.size(1)=%lld and kernel_size=(%lld, %lld).", (long long)rows, (long long)g->kernel[0],
                       (long long)g->kernel[1]);
    count_blocks(g);
    if (length != g->blocks[0] * g->blocks[1])
        return kt_fail(KT_ERR_RUNTIME, "Given output_size=(%lld, %lld), kernel_size=(%lld, %lld), dilation=(%lld, %lld), "
                       "padding=(%lld, %lld), stride=(%lld, %lld), expected size of input's dimension 2 to match the "
                           "calculated number "
                       "of sliding blocks %lld * %lld = %lld, but got input.size(2)=%lld.", (long long)g->image[0],
                       (long long)g->image[1], (long long)g->kernel[0], (long long)g->kernel[1], (long long)g->dilation[0],
                       (long long)g->dilation[1], (long long)g->padding[0], (long long)g->padding[1], (long long)g->stride[0],
                       (long long)g->stride[1], (long long)g->blocks[0], (long long)g->blocks[1],
                       (long long)(g->blocks[0] * g->blocks[1]), (long long)length);
    if (g->image[0] < 1 || g->image[1] < 1)
        return kt_fail(KT_ERR_RUNTIME, "Expected output spatial size to be positive, but got: output_size=(%lld, %lld).",
                       (long long)g->image[0], (long long)g->image[1]);
    if (g->blocks[0] < 1 || g->blocks[1] < 1) /* two negative numbers may have the right product */
        return kt_fail(KT_ERR_RUNTIME, "Given output_size=(%lld, %lld), kernel_size=(%lld, %lld), dilation=(%lld, %lld), "
                       "padding=(%lld, %lld), stride=(%lld, %lld), calculated shape of the array of sliding blocks as "
                       "(%lld, %lld), which is too small (non-positive)", (long long)g->image[0], (long long)g->image[1],
                       (long long)g->kernel[0], (long long)g->kernel[1], (long long)g->dilation[0], (long long)g->dilation[1],
                       (long long)g->padding[0], (long long)g->padding[1], (long long)g->stride[0], (long long)g->stride[1],
                       (long long)g->blocks[0], (long long)g->blocks[1]);
    return KT_OK;
}

/* PyTorch's kernels take bools, but no integers. */
static kt_status check_dtype(const kt_call *call, const kt_tensor *t, const char *missing)
{
    const kt_dtype    d = (kt_dtype)t->dtype;
    const kt_category of = kt__dtype_rows[d].category;
    if (of == KT_CAT_BOOL || d == KT_F32 || d == KT_F64 || d == KT_F16 || d == KT_BF16 || d == KT_C64 || d == KT_C128)
        return KT_OK;
    return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", missing, kt_dtype_torch_name(d));
}

/* ---- taps ---- */

/* What a tap sees of the image, and where that stands in the columns: views of [batch, channels, rows, columns]. */
typedef struct tap {
    kt_tensor *image, *columns;
} tap;

/* The windows of one dim at which tap k meets the image. */
static void reach(const geometry *g, int d, int64_t k, int64_t *low, int64_t *high)
{
    const int64_t start = k * g->dilation[d] - g->padding[d], s = g->stride[d];
    *low = start < 0 ? (s - 1 - start) / s : 0;
    *high = g->image[d] > start ? (g->image[d] - start + s - 1) / s : 0;
    *high = *high < g->blocks[d] ? *high : g->blocks[d];
}

/* image: [batch, channels, height, width]; columns: [batch, channels, taps down, taps across, windows down, windows across]. */
static bool tap_at(const geometry *g, kt_tensor *image, kt_tensor *columns, int64_t down, int64_t across, tap *t)
{
    const int64_t k[2] = {down, across};
    int64_t       low[2], high[2], sizes[4] = {image->sizes[0], image->sizes[1]}, at = kt_storage_offset(image);
    int64_t       strides[4] = {image->strides[0], image->strides[1]};
    t->columns = kt_select(kt_select(columns, 2, down), 2, across);
    for (int d = 0; d < 2; d++) {
        reach(g, d, k[d], &low[d], &high[d]);
        if (low[d] >= high[d])
            return false;
        sizes[2 + d] = high[d] - low[d];
        strides[2 + d] = image->strides[2 + d] * g->stride[d];
        at += image->strides[2 + d] * (low[d] * g->stride[d] + k[d] * g->dilation[d] - g->padding[d]);
        t->columns = kt_narrow(t->columns, 2 + d, low[d], sizes[2 + d]);
    }
    t->image = kt_as_strided(image, ((kt_shape){4, sizes}), ((kt_shape){4, strides}), .storage_offset = KT_SOME(at));
    return t->image && t->columns;
}

static kt_tensor *columns_view(const geometry *g, kt_tensor *columns, int64_t channels)
{
    const int64_t batch = columns->ndim == 3 ? columns->sizes[0] : 1;
    return kt_view(columns, KT_SHAPE(batch, channels, g->kernel[0], g->kernel[1], g->blocks[0], g->blocks[1]));
}

/* Copies every tap into the columns, or adds every tap to the image. */
static kt_status each_tap(const geometry *g, kt_tensor *image, kt_tensor *columns, bool add)
{
    for (int64_t k = 0; k < g->kernel[0] * g->kernel[1] && image && columns && image->numel && columns->numel; k++) {
        KT_SCOPE;
        tap t;
        if (tap_at(g, image, columns, k / g->kernel[1], k % g->kernel[1], &t) &&
            !(add ? kt_add_(t.image, t.columns) : kt_copy_(t.columns, t.image)))
            return kt_error_status();
        if (kt_failed())
            return kt_error_status();
    }
    return image && columns ? KT_OK : kt_error_status();
}

/* ---- the two ---- */

kt_status kt__body_im2col(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *self = call->arg[0].t;
    geometry     g;
    kt__decision room;
    if (read_pairs(call, 1, &g) || check_kernel(&g) || check_dilation(&g) || check_padding(&g) || check_stride(&g) ||
        check_image(self, &g) || check_dtype(call, self, "im2col_out_cpu"))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    const bool     batched = self->ndim == 4;
    const int64_t  channels = self->sizes[batched], rows = channels * g.kernel[0] * g.kernel[1], length =
        g.blocks[0] * g.blocks[1];
    const kt_shape sizes = batched ? KT_SHAPE(self->sizes[0], rows, length) : KT_SHAPE(rows, length);
    const bool     padded = g.padding[0] || g.padding[1];
    kt_tensor     *out = padded ? kt_zeros(sizes, .dtype = (kt_dtype)self->dtype, .device = kt__device(self))
                                : kt_empty(sizes, .dtype = (kt_dtype)self->dtype, .device = kt__device(self));
    if (!out || each_tap(&g, batched ? self : kt_unsqueeze(self, 0), columns_view(&g, out, channels), false))
        return kt_error_status();
    out->lineage = self->lineage;
    kt__count_anew(out);
    return kt__end(call, out);
}

kt_status kt__body_col2im(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *self = call->arg[0].t;
    geometry     g;
    kt__decision room;
    if (read_pair(kt__arg_ints(call, 1), "output_size", g.image) || read_pairs(call, 2, &g) || check_kernel(&g) ||
        check_stride(&g) ||
        check_dilation(&g) || check_padding(&g) || check_columns(self, &g) || check_dtype(call, self, "col2im_out_cpu"))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    const bool     batched = self->ndim == 3;
    const int64_t  channels = self->sizes[batched] / (g.kernel[0] * g.kernel[1]);
    const kt_shape sizes = batched ? KT_SHAPE(self->sizes[0], channels, g.image[0], g.image[1])
                                   : KT_SHAPE(channels, g.image[0], g.image[1]);
    kt_tensor     *out = kt_zeros(sizes, .dtype = (kt_dtype)self->dtype, .device = kt__device(self));
    if (!out || each_tap(&g, batched ? out : kt_unsqueeze(out, 0), columns_view(&g, kt_contiguous(self), channels), true))
        return kt_error_status();
    out->lineage = self->lineage;
    kt__count_anew(out);
    return kt__end(call, out);
}
