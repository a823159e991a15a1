/* adaptive.c - pooling to a size that the caller names: windows divide the image evenly. In: calls of the adaptive rows of
 * tables/ops/pool.def. Out: one plan for each, or PyTorch's refusals; the average of the whole image is mean, as in PyTorch. */
#include "ops/window/pool.h"

#include <string.h>

#include "tables/kernels/window.h"

enum { SELF, SIZE };

static kt_status check_rank(const kt_tensor *self, int dims, const char *op, const char *but)
{
    return self->ndim == dims + 1 || self->ndim == dims + 2
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "%s(): Expected %dD or %dD tensor, but %s %s", op, dims + 1, dims + 2, but,
                         KT__SIZES_TEXT(self));
}

/* Dims from `first` on must not be empty. */
static kt_status check_filled(const kt_tensor *t, int first, const char *op, const char *name)
{
    for (int i = first; i < t->ndim; i++)
        if (t->sizes[i] == 0)
            return kt_fail(KT_ERR_RUNTIME, "%s(): Expected %s to have non-zero size for non-batch dimensions, but %s has sizes "
                           "%s with dimension %d being empty", op, name, name, KT__SIZES_TEXT(t), i);
    return KT_OK;
}

/* ---- the average ---- */

static kt_status check_average(const kt_tensor *self, kt_shape size, int dims)
{
    const char *op = dims == 2 ? "adaptive_avg_pool2d" : "adaptive_avg_pool3d";
    if (size.n != dims)
        return kt_fail(KT_ERR_RUNTIME, "%s: output_size must be %d", op, dims);
    /* of two dims PyTorch looks at those in space alone */
    return check_filled(self, dims == 2 ? (self->ndim > 2 ? self->ndim - 2 : self->ndim) : 1, op, "input") ||
                   check_rank(self, dims, op, "got")
               ? kt_error_status()
               : KT_OK;
}

static kt_status average(kt_call *call, int dims)
{
    kt_tensor     *self = call->arg[SELF].t;
    const kt_shape size = kt__arg_ints(call, SIZE);
    kt__decision   room;
    if (check_average(self, size, dims) ||
        kt__pool_takes(call, self, KT__NO_INTS, true,
                       dims == 2 ? kt__pool_kernel(self, 2, "adaptive_avg_pool2d", "adaptive_avg_pool2d_channels_last")
                                 : "adaptive_avg_pool3d_cpu"))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    kt_tensor *out = kt__new_pooled(self, (kt_dtype)d->result, size.d, dims, dims == 3);
    if (!out)
        return kt_error_status();
    return kt__end_made(call, out, NULL, kt__run_pool(call, KT_K_avg_pool, d, (kt_tensor *[]){out, self}, 1, 1, kt__even(dims)));
}

kt_status kt__body_adaptive_avg_pool2d_kernel(kt_call *call) { return average(call, 2); }
kt_status kt__body_adaptive_avg_pool3d_kernel(kt_call *call) { return average(call, 3); }

/* The sizes of both: all dims but those in space agree. */
static kt_status check_leads(const kt_tensor *grad, const kt_tensor *self, int dims)
{
    bool same = grad->ndim == self->ndim;
    for (int i = 0; same && i < self->ndim - dims; i++)
        same = grad->sizes[i] == self->sizes[i];
    return same ? KT_OK
                : kt_fail(KT_ERR_RUNTIME, "a tensor of sizes %s is not what an image of sizes %s was pooled to",
                          KT__SIZES_TEXT(grad),
                          KT__SIZES_TEXT(self));
}

static kt_status average_back(kt_call *call, int dims)
{
    kt_tensor   *grad = call->arg[0].t, *self = call->arg[1].t;
    const char  *op = dims == 2 ? "adaptive_avg_pool2d_backward" : "adaptive_avg_pool3d_backward";
    kt__decision room;
    if (kt__one_device((kt_tensor *[]){grad, self}, 2) || check_filled(grad, 1, op, "grad_output"))
        return kt_error_status();
    if (dims == 2 && grad->ndim != self->ndim)
        return kt_fail(KT_ERR_RUNTIME, "adaptive_avg_pool2d_backward_out_cpu_template: Expected dimensions %d for "
                       "`grad_output` but "
                       "got dimensions %d", self->ndim, grad->ndim);
    if (check_rank(self, dims, op, "got") || check_leads(grad, self, dims))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__pool_takes(call, self, KT__NO_INTS, true, dims == 2 ? op : "adaptive_avg_pool3d_backward_cpu"))
        return kt_error_status();
    kt_tensor *out = kt__new_pooled(self, (kt_dtype)d->result, self->sizes + self->ndim - dims, dims, dims == 3);
    if (!out)
        return kt_error_status();
    return kt__end_itself(call, out,
                          kt__run_pool(call, KT_K_avg_pool_backward, d, (kt_tensor *[]){out, grad}, 1, 1, kt__even(dims)));
}

kt_status kt__body_adaptive_avg_pool2d_backward(kt_call *call) { return average_back(call, 2); }
kt_status kt__body_adaptive_avg_pool3d_backward(kt_call *call) { return average_back(call, 3); }

/* The strides of a mean whose dims in space are 1, as pooling leaves them: those of channels last say so. */
static kt_tensor *in_format_of(const kt_tensor *self, kt_tensor *mean)
{
    const kt_memory_format format = kt__suggested_format(self);
    if (!mean || (format != KT_CHANNELS_LAST && format != KT_CHANNELS_LAST_3D) || mean->flags & KT_T_BATCHED)
        return mean;
    int64_t       strides[KT_MAX_DIMS];
    const int64_t channels = mean->sizes[1];
    for (int d = 0; d < mean->ndim; d++)
        strides[d] = d == 1 ? 1 : channels;
    return kt__tensor_set_geometry(mean, kt__sizes(mean), (kt_shape){mean->ndim, strides}, kt__offset(mean)) ? NULL : mean;
}

static kt_tensor *whole_mean(kt_tensor *self, int dims)
{
    static const int64_t last[] = {-1, -2, -3};
    return in_format_of(self, kt_mean_dim(self, ((kt_shape){dims, last}), .keepdim = true));
}

static kt_status average_or_mean(kt_call *call, int dims)
{
    kt_tensor     *self = call->arg[SELF].t;
    const kt_shape size = kt__arg_ints(call, SIZE);
    bool           whole = true, negative = false;
    if (size.n != dims)
        return kt_fail(KT_ERR_RUNTIME, "adaptive_avg_pool%dd: output_size must be %d", dims, dims);
    for (int i = 0; i < dims; i++) {
        whole = whole && size.d[i] == 1;
        negative |= size.d[i] < 0;
    }
    if (negative && dims == 2)
        return kt_fail(KT_ERR_RUNTIME, "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
                       "received "
                       "{%lld, %lld}", (long long)size.d[0], (long long)size.d[1]);
    if (negative)
        return kt_fail(KT_ERR_RUNTIME, "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but "
                       "received "
                       "{%lld, %lld,%lld}", (long long)size.d[0], (long long)size.d[1], (long long)size.d[2]);
    KT_SCOPE;
    return kt__end(call, whole       ? whole_mean(self, dims)
                         : dims == 2 ? kt_adaptive_avg_pool2d_kernel(self, size)
                                     : kt_adaptive_avg_pool3d_kernel(self, size));
}

kt_status kt__body_adaptive_avg_pool2d(kt_call *call) { return average_or_mean(call, 2); }
kt_status kt__body_adaptive_avg_pool3d(kt_call *call) { return average_or_mean(call, 3); }

kt_status kt__body_adaptive_avg_pool1d(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *self = call->arg[SELF].t;
    const kt_shape size = kt__arg_ints(call, SIZE);
    if (kt__pool_one_rank(self, "adaptive_avg_pool1d") || kt__pool_one_list(size, false, "adaptive_avg_pool1d", "output_size"))
        return kt_error_status();
    return kt__end(call, kt_squeeze_dim(kt_adaptive_avg_pool2d(kt_unsqueeze(self, -2), KT_SHAPE(1, size.d[0])), KT_SHAPE(-2)));
}

/* ---- the largest ---- */

static kt_status largest(kt_call *call, int dims)
{
    kt_tensor     *self = call->arg[SELF].t, *out[2] = {NULL, NULL};
    const kt_shape size = kt__arg_ints(call, SIZE);
    const char    *op = dims == 2 ? "adaptive_max_pool2d" : "adaptive_max_pool3d";
    kt__decision   room;
    if (check_rank(self, dims, op, "got:") || check_filled(self, 1, op, "input"))
        return kt_error_status();
    if (size.n != dims)
        return kt_fail(KT_ERR_RUNTIME, "%s(): internal error: output_size.size() must be %d", op, dims);
    KT_SCOPE;
    out[0] = kt__scoped(kt__new_pooled(self, (kt_dtype)self->dtype, size.d, dims, dims == 3));
    out[1] = kt__scoped(kt__new_pooled(self, KT_I64, size.d, dims, dims == 3));
    if (!out[0] || !out[1] ||
        kt__pool_takes(call, self, KT__NO_INTS, true,
                       dims == 2 ? kt__pool_kernel(self, 2, "adaptive_max_pool2d", "adaptive_max_pool2d_channels_last")
                                 : "adaptive_max_pool3d_cpu"))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__run_pool(call, KT_K_max_pool, d, (kt_tensor *[]){out[0], out[1], self}, 2, 1, kt__even(dims)))
        return kt_error_status();
    return kt__end_several(call, out, 2);
}

kt_status kt__body_adaptive_max_pool2d(kt_call *call) { return largest(call, 2); }
kt_status kt__body_adaptive_max_pool3d(kt_call *call) { return largest(call, 3); }

static kt_status largest_back(kt_call *call, int dims)
{
    kt_tensor   *grad = call->arg[0].t, *self = call->arg[1].t, *indices = call->arg[2].t;
    const char  *op = dims == 2 ? "adaptive_max_pool2d_backward" : "adaptive_max_pool3d_backward";
    kt__decision room;
    if (kt__one_device((kt_tensor *[]){grad, self, indices}, 3) || check_filled(grad, 1, op, "grad_output"))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    if (!kt__same_sizes(grad, indices))
        return kt_fail(KT_ERR_RUNTIME, "expected sizes %s for `grad_output` but got sizes %s", KT__SIZES_TEXT(indices),
                       KT__SIZES_TEXT(grad));
    if (check_rank(self, dims, op, "got:") || check_leads(grad, self, dims) ||
        kt__pool_takes(call, self, KT__NO_INTS, true, op))
        return kt_error_status();
    return kt__largest_back(call, d, grad, self, indices, dims, dims == 3);
}

kt_status kt__body_adaptive_max_pool2d_backward(kt_call *call) { return largest_back(call, 2); }
kt_status kt__body_adaptive_max_pool3d_backward(kt_call *call) { return largest_back(call, 3); }

kt_status kt__body_adaptive_max_pool1d(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *self = call->arg[SELF].t;
    const kt_shape size = kt__arg_ints(call, SIZE);
    if (kt__pool_one_rank(self, "adaptive_max_pool1d") || kt__pool_one_list(size, false, "adaptive_max_pool1d", "output_size") ||
        check_filled(self, 1, "adaptive_max_pool1d", "input"))
        return kt_error_status();
    const kt_adaptive_max_pool2d_results made = kt_adaptive_max_pool2d(kt_unsqueeze(self, -2), KT_SHAPE(1, size.d[0]));
    return kt__end_several(call,
                           (kt_tensor *[]){kt_squeeze_dim(made.result0, KT_SHAPE(-2)), kt_squeeze_dim(made.result1,
                                                                                          KT_SHAPE(-2))},
                           2);
}
