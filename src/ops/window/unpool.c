/* unpool.c - numbers put back where the largest of each window stood (max_unpool), windows whose places are drawn
 * (fractional_max_pool), and the power average (lp_pool). In: calls of their rows. Out: one plan, other operators for lp_pool, or
 * PyTorch's refusals. */
#include "ops/window/pool.h"

#include <string.h>

#include "call/deterministic.h"
#include "tables/kernels/window.h"

/* ---- back to their places ---- */

static kt_status check_elements(kt_shape list, int dims, const char *what, const char *got)
{
    return list.n == dims ? KT_OK
                          : kt_fail(KT_ERR_RUNTIME, "There should be exactly %s in %s, but got%s %lld elements.",
                                    dims == 2 ? "two elements (height, width)" : "three elements (depth, height, width)",
                                        what, got,
                                    (long long)list.n);
}

static kt_status check_places(const kt_call *call, const kt_tensor *self, const kt_tensor *indices, int dims)
{
    if (indices->dtype != KT_I64 && dims == 2)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "elements in indices should be type int64 but got: %s",
                              kt_dtype_torch_name((kt_dtype)indices->dtype));
    if (indices->dtype != KT_I64)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "elements in indices should be type int64");
    if (self->ndim != dims + 1 && self->ndim != dims + 2)
        return kt_fail(KT_ERR_RUNTIME, "Input to max_unpooling%dd should be a %dd or %dd Tensor, but got a tensor with %d "
                       "dimensions.",
                       dims, dims + 1, dims + 2, self->ndim);
    return KT_OK;
}

static kt_status check_filled(const kt_tensor *self, int dims)
{
    for (int i = 1; i < self->ndim; i++)
        if (self->sizes[i] == 0)
            return kt_fail(KT_ERR_RUNTIME, "max_unpooling%dd_forward_out_cpu(): Expected input to have non-zero size for "
                           "non-batch "
                           "dimensions, but got %s with dimension %d being empty.", dims, KT__SIZES_TEXT(self), i);
    return KT_OK;
}

static kt_status check_steps(const kt_call *call)
{
    const kt_shape stride = kt__arg_ints(call, 3);
    if (check_elements(stride, 3, "stride", ":") || check_elements(kt__arg_ints(call, 4), 3, "padding", ":"))
        return kt_error_status();
    return stride.d[0] > 0 && stride.d[1] > 0 && stride.d[2] > 0
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "strides should be greater than zero, but got stride: %s", KT__SHAPE_TEXT(stride));
}

static kt_status unpool(kt_call *call, int dims)
{
    kt_tensor     *self = call->arg[0].t, *indices = call->arg[1].t;
    const kt_shape size = kt__arg_ints(call, 2);
    kt__decision   room;
    if (kt__alert_nondeterministic(dims == 2 ? "max_unpooling2d_forward_out" : "max_unpooling3d_forward_out") ||
        kt__one_device((kt_tensor *[]){self, indices}, 2) || check_elements(size, dims, "output_size", "") ||
        check_places(call, self, indices, dims) || (dims == 3 && check_steps(call)))
        return kt_error_status();
    if (!kt__same_sizes(self, indices))
        return kt_fail(KT_ERR_RUNTIME, "Expected shape of indices to be same as that of the input tensor (%s) but got "
                       "indices tensor "
                       "with shape: %s", KT__SIZES_TEXT(self), KT__SIZES_TEXT(indices));
    if (check_filled(self, dims) || kt__pool_takes(call, self, KT__NO_INTS, true,
                                               dims == 2 ? kt__pool_kernel(self, 2, "max_unpool2d", "max_unpool2d_channels_last")
                                                         : "max_unpool3d"))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    kt_tensor *out = kt__new_pooled(self, (kt_dtype)d->result, size.d, dims, dims == 3);
    if (!out)
        return kt_error_status();
    return kt__end_made(call, out, NULL, kt__run_pool(call, KT_K_max_unpool, d, (kt_tensor *[]){out, self, indices}, 1, 2,
                                                      kt__even(dims)));
}

kt_status kt__body_max_unpool2d(kt_call *call) { return unpool(call, 2); }
kt_status kt__body_max_unpool3d(kt_call *call) { return unpool(call, 3); }

/* ---- drawn places ---- */

enum { SELF, KERNEL, SIZE, SAMPLES };

static kt_status one_each(kt_shape list, int dims, int64_t *to, const char *what)
{
    if (list.n != dims) /* of a single integer the binding makes a list */
        return kt_fail(KT_ERR_RUNTIME, "fractional_max_pool%dd: %s must either be a single Int or tuple of %sInts", dims, what,
                       dims == 2 ? "" : "three ");
    memcpy(to, list.d, sizeof *to * (size_t)dims);
    return KT_OK;
}

static kt_status check_fraction(const kt_tensor *self, const kt__pooling *g, const int64_t *size)
{
    static const char *const names[] = {"time", "height", "width"};
    const char              *op = g->dims == 2 ? "fractional_max_pool2d" : "fractional_max_pool3d_out";
    if (self->ndim != g->dims + 1 && self->ndim != g->dims + 2)
        return kt_fail(KT_ERR_RUNTIME, "%s(): Expected %dD or %dD tensor, but got: %s", op, g->dims + 1, g->dims + 2,
                       KT__SIZES_TEXT(self));
    for (int i = self->ndim - g->dims - 1; i < self->ndim; i++)
        if (self->sizes[i] == 0)
            return kt_fail(KT_ERR_RUNTIME, "%s(): Expected input to have non-zero size for non-batch dimensions, but got%s with "
                           "dimension %d being empty.", op, KT__SIZES_TEXT(self), i);
    for (int k = 0; k < g->dims; k++) { /* the width of a volume comes before its height */
        const int     i = g->dims == 3 && k > 0 ? 3 - k : k;
        const int64_t have = self->sizes[self->ndim - g->dims + i];
        if (g->kernel[i] > have || size[i] + g->kernel[i] - 1 > have - (g->dims == 3)) /* volumes need one more */
            return kt_fail(KT_ERR_RUNTIME, "%s(): pool %s %lld too large relative to input %s %lld", op, names[3 - g->dims + i],
                           (long long)g->kernel[i], names[3 - g->dims + i], (long long)have);
    }
    return KT_OK;
}

static kt_status check_samples(const kt_call *call, const kt_tensor *self, const kt_tensor *samples, int dims)
{
    const bool batched = self->ndim == dims + 2;
    if (samples->dtype != self->dtype)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expect _random_samples to have the same dtype as input");
    if (samples->ndim != 3)
        return kt_fail(KT_ERR_RUNTIME, "Expect _random_samples to have 3 dimensions, got %d", samples->ndim);
    if (samples->sizes[0] < (batched ? self->sizes[0] : 1))
        return kt_fail(KT_ERR_RUNTIME, "Expect _random_samples.size(0) no less then input batch size.");
    if (samples->sizes[1] != self->sizes[batched])
        return kt_fail(KT_ERR_RUNTIME, "Expect _random_samples.size(1) equals to input channel size.");
    if (samples->sizes[2] != dims)
        return kt_fail(KT_ERR_RUNTIME, "Expect _random_samples.size(2) equals to %d; got %lld.", dims,
                       (long long)samples->sizes[2]);
    return KT_OK;
}

static kt_status read_fraction(const kt_call *call, int first, int dims, kt__pooling *g, int64_t *size)
{
    memset(g, 0, sizeof *g);
    g->dims = dims;
    if (one_each(kt__arg_ints(call, first), dims, g->kernel, "kernel_size") ||
        one_each(kt__arg_ints(call, first + 1), dims, size, "output_size"))
        return kt_error_status();
    for (int i = 0; i < dims; i++)
        g->stride[i] = g->dilation[i] = 1;
    return KT_OK;
}

/* PyTorch takes any, and reads beyond the image. */
static kt_status check_window(const kt__pooling *g)
{
    for (int i = 0; i < g->dims; i++)
        if (g->kernel[i] < 1)
            return kt_fail(KT_ERR_RUNTIME, "fractional_max_pool%dd: kernel_size must be greater than zero", g->dims);
    return KT_OK;
}

static kt_status fraction(kt_call *call, int dims)
{
    kt_tensor   *self = call->arg[SELF].t, *samples = call->arg[SAMPLES].t, *out[2] = {NULL, NULL};
    kt__pooling  g;
    kt__decision room;
    int64_t      size[KT__SPACE];
    if (kt__one_device((kt_tensor *[]){self, samples}, 2) || read_fraction(call, KERNEL, dims, &g, size) ||
        check_fraction(self, &g, size))
        return kt_error_status();
    KT_SCOPE;
    out[0] = kt__scoped(kt__new_pooled(self, (kt_dtype)self->dtype, size, dims, true));
    out[1] = kt__scoped(kt__new_pooled(self, KT_I64, size, dims, true));
    if (!out[0] || !out[1] || check_samples(call, self, samples, dims) ||
        kt__pool_takes(call, self, KT__NO_INTS, true, dims == 2 ? "fractional_max_pool2d_out_frame"
                       : "fractional_max_pool3d_out_frame") ||
        check_window(&g))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    /* the samples' sizes stand for an image: [batch, channels, dims...] */
    kt_tensor *drawn = dims == 2 ? kt_unsqueeze(samples, 2) : kt_unsqueeze(kt_unsqueeze(samples, 2), 2);
    if (!drawn || kt__run_pool(call, KT_K_fractional_max_pool, d, (kt_tensor *[]){out[0], out[1], self, drawn}, 2, 2, &g))
        return kt_error_status();
    return kt__end_several(call, out, 2);
}

kt_status kt__body_fractional_max_pool2d(kt_call *call) { return fraction(call, 2); }
kt_status kt__body_fractional_max_pool3d(kt_call *call) { return fraction(call, 3); }

static kt_status fraction_back(kt_call *call, int dims)
{
    kt_tensor   *grad = call->arg[0].t, *self = call->arg[1].t, *indices = call->arg[4].t;
    kt__pooling  g;
    kt__decision room;
    int64_t      size[KT__SPACE], sizes[KT_MAX_DIMS];
    if (kt__one_device((kt_tensor *[]){grad, self, indices}, 3) || read_fraction(call, 2, dims, &g, size) ||
        check_fraction(self, &g, size))
        return kt_error_status();
    const kt_shape want = kt__pooled_sizes(self, size, dims, sizes);
    if (kt__check_sizes(grad, want) || kt__check_sizes(indices, want))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__pool_takes(call, self, KT__NO_INTS, true,
                             dims == 2 ? "fractional_max_pool2d_backward_out_frame" : "fractional_max_pool3d_backward_out_frame"))
        return kt_error_status();
    return kt__largest_back(call, d, grad, self, indices, dims, true);
}

kt_status kt__body_fractional_max_pool2d_backward(kt_call *call) { return fraction_back(call, 2); }
kt_status kt__body_fractional_max_pool3d_backward(kt_call *call) { return fraction_back(call, 3); }

/* ---- the power average: the p-th root of the sum of p-th powers ---- */

static kt_status power_average(kt_call *call, int dims)
{
    KT_SCOPE;
    const kt_scalar p = kt__arg_scalar(call, 1);
    const kt_shape  kernel = kt__arg_ints(call, 2), stride = kt__arg_ints(call, 3);
    const bool      ceil = kt__arg_bool(call, 4);
    int64_t         among = 1;
    for (int i = 0; i < dims && kernel.n; i++)
        among *= kernel.d[kernel.n == 1 ? 0 : i % kernel.n];
    kt_tensor *powers = kt_pow_s(call->arg[0].t, p), *mean = NULL;
    if (dims == 1)
        mean = kt_avg_pool1d(powers, kernel, .stride = stride, .ceil_mode = ceil);
    else if (dims == 2)
        mean = kt_avg_pool2d(powers, kernel, .stride = stride, .ceil_mode = ceil);
    else
        mean = kt_avg_pool3d(powers, kernel, .stride = stride, .ceil_mode = ceil);
    kt_tensor *sum = kt_mul_s(kt_mul(kt_sign(mean), kt_relu(kt_abs(mean))), KT_INT(among));
    return kt__end(call, kt_pow_s(sum, KT_FLOAT(1.0 / kt__as_double(p))));
}

kt_status kt__body_lp_pool1d(kt_call *call) { return power_average(call, 1); }
kt_status kt__body_lp_pool2d(kt_call *call) { return power_average(call, 2); }
kt_status kt__body_lp_pool3d(kt_call *call) { return power_average(call, 3); }
