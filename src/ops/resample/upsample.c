/* upsample.c - images resized along their dims in space, and what flows back. In: calls of the upsample rows of
 * tables/ops/resample.def. Out: one plan for each, or PyTorch's refusals, in its order. The rows differ in the filter that weighs
 * elements, and in the number of dims; kernels are named as PyTorch names its own, since its messages do. */
#include "ops/window/pool.h"

#include "base/str.h"
#include "tables/kernels/resample.h"

typedef struct resizing {
    int         dims;
    kt__filter  filter;
    bool        antialias, bytes;    /* bytes: uint8 is taken too */
    const char *kernel, *by_channels; /* forward; by_channels: NULL if that kernel is the only one */
    const char *back, *back_by_channels;
} resizing;

#define NEAREST_KERNEL "compute_indices_weights_nearest"
#define LINEAR_KERNEL  "compute_indices_weights_linear"
#define RANGES_KERNEL  "compute_index_ranges_weights"
static const resizing nearest1d = {1, KT__NEAREST, false, true, NEAREST_KERNEL, NULL, "upsample_nearest1d_backward", NULL},
                      nearest2d = {2, KT__NEAREST, false, true, NEAREST_KERNEL, "upsample_nearest2d_channels_last",
                                   "upsample_nearest2d_backward", "upsample_nearest2d_backward_cl"},
                      nearest3d = {3, KT__NEAREST, false, true, NEAREST_KERNEL, "upsample_nearest3d_channels_last",
                                   "upsample_nearest3d_backward", "_upsample_nearest3d_backward_cl"},
                      exact1d = {1, KT__NEAREST_EXACT, false, true, NEAREST_KERNEL, NULL, "upsample_nearest1d_backward", NULL},
                      exact2d = {2, KT__NEAREST_EXACT, false, true, NEAREST_KERNEL, "upsample_nearest2d_channels_last",
                                 "upsample_nearest2d_backward", "upsample_nearest2d_backward_cl"},
                      exact3d = {3, KT__NEAREST_EXACT, false, true, NEAREST_KERNEL, "upsample_nearest3d_channels_last",
                                 "upsample_nearest3d_backward", "_upsample_nearest3d_backward_cl"},
                      linear1d = {1, KT__LINEAR, false, false, LINEAR_KERNEL, NULL, "upsample_linear1d_backward", NULL},
                      linear2d = {2, KT__LINEAR, false, true, LINEAR_KERNEL, "upsample_bilinear2d_channels_last",
                                  "upsample_bilinear2d_backward", "upsample_bilinear2d_backward_channels_last"},
                      linear3d = {3, KT__LINEAR, false, false, LINEAR_KERNEL, "upsample_trilinear3d_channels_last",
                                  "upsample_trilinear3d_backward", "upsample_trilinear3d_backward_channels_last"},
                      cubic2d = {2, KT__CUBIC, false, true, "compute_indices_weights_cubic", NULL, "upsample_bicubic2d_backward",
                                 NULL},
                      linear2d_aa = {2, KT__LINEAR, true, true, RANGES_KERNEL, NULL, "upsample_bilinear2d_aa_backward_cpu", NULL},
                      cubic2d_aa = {2, KT__CUBIC, true, true, RANGES_KERNEL, NULL, "upsample_bicubic2d_aa_backward_cpu", NULL};

/* ---- checks ---- */

static kt_status check_lengths(const resizing *r, kt_shape output, int64_t input_dims)
{
    if (output.n != r->dims)
        return kt_fail(KT_ERR_RUNTIME, "It is expected output_size equals to %d, but got size %lld", r->dims,
                       (long long)output.n);
    if (input_dims != r->dims + 2)
        return kt_fail(KT_ERR_RUNTIME, "It is expected input_size equals to %d, but got size %lld", r->dims + 2,
                       (long long)input_dims);
    return KT_OK;
}

/* "H: 4, W: 5" */
static const char *by_letter(char *text, size_t room, const int64_t *sizes, int dims)
{
    kt__str s = kt__str_in(text, room);
    for (int i = 0; i < dims; i++)
        kt__str_addf(&s, "%s%c: %lld", i ? ", " : "", "DHW"[3 - dims + i], (long long)sizes[i]);
    return text;
}

static kt_status check_positive(const resizing *r, const int64_t *from, const int64_t *to)
{
    char have[96], want[96];
    bool positive = true;
    for (int i = 0; i < r->dims; i++)
        positive = positive && from[i] > 0 && to[i] > 0;
    return positive ? KT_OK
                    : kt_fail(KT_ERR_RUNTIME, "Input and output sizes should be greater than 0, but got input (%s) %soutput (%s)",
                              by_letter(have, sizeof have, from, r->dims), r->dims == 1 ? "and " : "",
                              by_letter(want, sizeof want, to, r->dims));
}

/* PyTorch's kernel that goes by channels serves small results too. */
static bool goes_by_channels(const resizing *r, const kt_tensor *t, const int64_t *output)
{
    const bool last = t->ndim == r->dims + 2 && t->sizes[1] > 3 && kt__suggested_format(t) != KT_CONTIGUOUS_FORMAT;
    return r->by_channels && (last || (r->dims == 2 && output[0] + output[1] <= 128));
}

static kt_status check_dtype(const kt_call *call, const resizing *r, const kt_tensor *t, bool back, bool by_channels)
{
    const kt_dtype d = (kt_dtype)t->dtype;
    const bool     narrow = d == KT_F16 || d == KT_BF16;
    const char    *name = !back ? (by_channels ? r->by_channels : r->kernel)
                          : r->back_by_channels ? kt__pool_kernel(t, r->dims, r->back, r->back_by_channels)
                                                : r->back;
    if (d == KT_F32 || d == KT_F64 || (narrow && !r->antialias) || (d == KT_U8 && r->bytes && !back))
        return KT_OK;
    return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name, kt_dtype_torch_name(d));
}

/* ---- the plan ---- */

/* The arguments of the call from `first` on: align_corners, unless the filter is that of the nearest, and the scales. */
static void set_geometry(kt_plan *plan, const kt_call *call, int first, const resizing *r, int bits)
{
    const bool aligns = r->filter >= KT__LINEAR;
    bits |= (r->antialias ? KT__ANTIALIAS : 0) | (aligns && kt__arg_bool(call, first) ? KT__ALIGN_CORNERS : 0);
    kt__push_int(plan, r->dims);
    kt__push_int(plan, r->filter);
    kt__push_int(plan, bits);
    for (int i = 0; i < r->dims; i++) {
        const int at = first + aligns + i;
        plan->param[plan->n_param++] = KT_FLOAT(kt__given(call, at) ? kt__arg(call, at)->f : 0.0);
    }
}

static kt_status run(kt_call *call, int first, const resizing *r, const kt__decision *d, kt_tensor *out, kt_tensor *in, int bits)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_called(call), KT_K_resample, d->compute, 1, out);
    plan.origin = d->origin;
    plan.numel = out->numel;
    plan.nd = 0;
    kt__set_operand(&plan, 0, out, (kt_dtype)out->dtype, KT_WHY_NONE);
    kt__set_operand(&plan, 1, in, (kt_dtype)d->as[0], (kt_reason)d->why[0]);
    kt__plan_block(&plan, 0, 2, out);
    kt__plan_block(&plan, 1, 2, in);
    set_geometry(&plan, call, first, r, bits);
    kt__trace_fold(call, in, d, &out, 1);
    return kt__launch_long(&plan, out);
}

static kt_status resize(kt_call *call, const resizing *r)
{
    kt_tensor     *self = call->arg[0].t;
    const kt_shape output = kt__arg_ints(call, 1);
    kt__decision   room;
    if (check_lengths(r, output, self->ndim) || check_positive(r, self->sizes + 2, output.d))
        return kt_error_status();
    if (self->numel == 0 && self->sizes[1] == 0)
        return kt_fail(KT_ERR_RUNTIME, "Non-empty %dD data tensor expected but got a tensor with sizes %s", r->dims + 2,
                       KT__SIZES_TEXT(self));
    const bool by_channels = goes_by_channels(r, self, output.d);
    if (check_dtype(call, r, self, false, by_channels))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    kt_tensor          *out = d ? kt__new_pooled(self, (kt_dtype)d->result, output.d, r->dims, false) : NULL;
    if (!out)
        return kt_error_status();
    return kt__end_made(call, out, NULL, run(call, 2, r, d, out, self, by_channels ? KT__BY_CHANNELS : 0));
}

/* ---- back: (grad_output, output_size, input_size, ...) ---- */

static kt_status check_grad(const resizing *r, const kt_tensor *grad, kt_shape input, kt_shape output)
{
    int64_t want[KT_MAX_DIMS] = {input.d[0], input.d[1]};
    for (int i = 0; i < r->dims; i++)
        want[2 + i] = output.d[i];
    if (r->dims == 1)
        return kt__check_sizes(grad, (kt_shape){3, want});
    if (grad->ndim != r->dims + 2)
        return kt_fail(KT_ERR_RUNTIME, "Expected grad_output to be a tensor of dimension %d but got: dimension %d", r->dims + 2,
                       grad->ndim);
    for (int i = 0; i < r->dims + 2; i++)
        if (grad->sizes[i] != want[i])
            return kt_fail(KT_ERR_RUNTIME, "Expected grad_output to have the same shape as output; output.size(%d) = %lld but "
                           "got grad_output.size(%d) = %lld", i, (long long)want[i], i, (long long)grad->sizes[i]);
    return KT_OK;
}

static kt_status resize_back(kt_call *call, const resizing *r)
{
    kt_tensor     *grad = call->arg[0].t;
    const kt_shape output = kt__arg_ints(call, 1), input = kt__arg_ints(call, 2);
    const bool     plain = r->filter == KT__CUBIC || (r->dims == 3 && r->filter != KT__LINEAR);
    kt__decision   room;
    if (check_lengths(r, output, input.n) || check_positive(r, input.d + 2, output.d) || check_grad(r, grad, input, output) ||
        check_dtype(call, r, grad, true, false))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    kt_tensor          *out = d ? kt__new_pooled(grad, (kt_dtype)d->result, input.d + 2, r->dims, plain) : NULL;
    if (!out)
        return kt_error_status();
    return kt__end_itself(call, out, run(call, 3, r, d, out, grad, KT__FLOWS_BACK));
}

/* ---- the rows ---- */

kt_status kt__body_upsample_nearest1d(kt_call *call) { return resize(call, &nearest1d); }
kt_status kt__body_upsample_nearest2d(kt_call *call) { return resize(call, &nearest2d); }
kt_status kt__body_upsample_nearest3d(kt_call *call) { return resize(call, &nearest3d); }
kt_status kt__body_upsample_nearest_exact1d(kt_call *call) { return resize(call, &exact1d); }
kt_status kt__body_upsample_nearest_exact2d(kt_call *call) { return resize(call, &exact2d); }
kt_status kt__body_upsample_nearest_exact3d(kt_call *call) { return resize(call, &exact3d); }
kt_status kt__body_upsample_linear1d(kt_call *call) { return resize(call, &linear1d); }
kt_status kt__body_upsample_bilinear2d(kt_call *call) { return resize(call, &linear2d); }
kt_status kt__body_upsample_trilinear3d(kt_call *call) { return resize(call, &linear3d); }
kt_status kt__body_upsample_bicubic2d(kt_call *call) { return resize(call, &cubic2d); }
kt_status kt__body_upsample_bilinear2d_aa(kt_call *call) { return resize(call, &linear2d_aa); }
kt_status kt__body_upsample_bicubic2d_aa(kt_call *call) { return resize(call, &cubic2d_aa); }
kt_status kt__body_upsample_nearest1d_backward(kt_call *call) { return resize_back(call, &nearest1d); }
kt_status kt__body_upsample_nearest2d_backward(kt_call *call) { return resize_back(call, &nearest2d); }
kt_status kt__body_upsample_nearest3d_backward(kt_call *call) { return resize_back(call, &nearest3d); }
kt_status kt__body_upsample_nearest_exact1d_backward(kt_call *call) { return resize_back(call, &exact1d); }
kt_status kt__body_upsample_nearest_exact2d_backward(kt_call *call) { return resize_back(call, &exact2d); }
kt_status kt__body_upsample_nearest_exact3d_backward(kt_call *call) { return resize_back(call, &exact3d); }
kt_status kt__body_upsample_linear1d_backward(kt_call *call) { return resize_back(call, &linear1d); }
kt_status kt__body_upsample_bilinear2d_backward(kt_call *call) { return resize_back(call, &linear2d); }
kt_status kt__body_upsample_trilinear3d_backward(kt_call *call) { return resize_back(call, &linear3d); }
kt_status kt__body_upsample_bicubic2d_backward(kt_call *call) { return resize_back(call, &cubic2d); }
kt_status kt__body_upsample_bilinear2d_aa_backward(kt_call *call) { return resize_back(call, &linear2d_aa); }
kt_status kt__body_upsample_bicubic2d_aa_backward(kt_call *call) { return resize_back(call, &cubic2d_aa); }
