/* deform.c - convolutions whose windows' taps look at places of their own: deform_conv2d, and what flows back; see vision.h. What
 * the taps see becomes columns, example by example; the weights times the columns are the result. */
#include "vision/vision.h"

#include "base/error.h"

enum { INPUT, WEIGHT, OFFSET, MASK, BIAS, STRIDES, GROUPS = STRIDES + 6, OFFSET_GROUPS, USE_MASK };
static const char kernel[] = "deformable_im2col";

typedef struct deformed {
    kt__windows w;
    int64_t     channels_out, weight_groups;
    kt_dtype    dtype, computed;
    kt_device   device;
    kt_tensor  *image, *weight, *offset, *mask, *bias; /* in the computing type */
} deformed;

/* ---- reading and checking: `at` is the first argument, `input` ---- */

static int64_t positions_of(int64_t size, int64_t kernel_size, int64_t stride, int64_t pad, int64_t dilation)
{
    const int64_t room = size + 2 * pad - (dilation * (kernel_size - 1) + 1);
    return room < 0 ? 0 : room / stride + 1;
}

static kt_status check_numbers(const deformed *d)
{
    const kt__windows *w = &d->w;
    if (w->kernel_h <= 0 || w->kernel_w <= 0)
        return kt_fail(KT_ERR_RUNTIME, "weight_h: %lld weight_w: %lld", (long long)w->kernel_h, (long long)w->kernel_w);
    if (w->stride_h <= 0 || w->stride_w <= 0)
        return kt_fail(KT_ERR_RUNTIME, "stride_h: %lld stride_w: %lld", (long long)w->stride_h, (long long)w->stride_w);
    if (w->pad_h < 0 || w->pad_w < 0)
        return kt_fail(KT_ERR_RUNTIME, "pad_h: %lld pad_w: %lld", (long long)w->pad_h, (long long)w->pad_w);
    if (w->dilation_h <= 0 || w->dilation_w <= 0)
        return kt_fail(KT_ERR_RUNTIME, "dilation_h: %lld dilation_w: %lld", (long long)w->dilation_h, (long long)w->dilation_w);
    if (d->weight_groups <= 0 || w->groups <= 0)
        return kt_fail(KT_ERR_RUNTIME, "deform_conv2d: %lld groups of weights and %lld of offsets", (long long)d->weight_groups,
                       (long long)w->groups);
    return KT_OK;
}

static kt_status check_offset(const deformed *d, const kt_tensor *offset, const kt_tensor *mask)
{
    const kt__windows *w = &d->w;
    const int64_t      taps = w->groups * w->kernel_h * w->kernel_w;
    if (kt_size(offset, 1) != 2 * taps)
        return kt_fail(KT_ERR_RUNTIME, "offset.shape[1] is not valid: got: %lld expected: %lld", (long long)kt_size(offset, 1),
                       (long long)(2 * taps));
    if (kt_size(offset, 0) != w->batch)
        return kt_fail(KT_ERR_RUNTIME, "invalid batch size of offset");
    if (kt_size(offset, 2) != w->out_h || kt_size(offset, 3) != w->out_w)
        return kt_fail(KT_ERR_RUNTIME, "offset output dims: (%lld, %lld) - computed output dims: (%lld, %lld)",
                       (long long)kt_size(offset, 2), (long long)kt_size(offset, 3), (long long)w->out_h, (long long)w->out_w);
    if (!w->masked)
        return KT_OK;
    if (kt_ndim(mask) != 4 || kt_size(mask, 1) != taps)
        return kt_fail(KT_ERR_RUNTIME, "mask.shape[1] is not valid: got: %lld expected: %lld",
                       (long long)(kt_ndim(mask) > 1 ? kt_size(mask, 1) : 0), (long long)taps);
    if (kt_size(mask, 0) != w->batch)
        return kt_fail(KT_ERR_RUNTIME, "invalid batch size of mask");
    if (kt_size(mask, 2) != w->out_h || kt_size(mask, 3) != w->out_w)
        return kt_fail(KT_ERR_RUNTIME, "mask output dims: (%lld, %lld) - computed output dims: (%lld, %lld)",
                       (long long)kt_size(mask, 2), (long long)kt_size(mask, 3), (long long)w->out_h, (long long)w->out_w);
    return KT_OK;
}

static kt_status check_dtypes(const kt_call *call, int at)
{
    static const char *const names[] = {"input", "weight", "offset", "mask", "bias"};
    const kt_tensor         *input = call->arg[at].t;
    for (int i = 1; i < 5; i++) { /* PyTorch reads the bytes of another dtype as numbers of this one */
        const bool read = i != MASK || call->arg[at + USE_MASK].b;
        if (read && kt__vision_same_dtype(input, names[0], call->arg[at + i].t, names[i], kernel))
            return kt_error_status();
    }
    return kt__vision_has_kernel(input, kernel);
}

static kt_status fail_expected(const char *what)
{
    return kt_fail(KT_ERR_RUNTIME, "Expected %s to be true, but got false.  (Could this error message be improved?  If so, "
                                   "please report an enhancement request to PyTorch.)", what);
}

static kt_status read(deformed *d, const kt_call *call, int at)
{
    const kt_value *v = call->arg + at;
    kt_tensor      *input = v[INPUT].t, *weight = v[WEIGHT].t, *offset = v[OFFSET].t;
    if (kt_ndim(input) != 4 || kt_ndim(weight) != 4 || kt_ndim(offset) != 4)
        return fail_expected(kt_ndim(input) != 4    ? "input_c.ndimension() == 4"
                             : kt_ndim(offset) != 4 ? "offset_c.ndimension() == 4"
                                                    : "weight_c.ndimension() == 4");
    d->w = (kt__windows){.batch = kt_size(input, 0), .channels = kt_size(input, 1), .height = kt_size(input, 2),
                         .width = kt_size(input, 3), .kernel_h = kt_size(weight, 2), .kernel_w = kt_size(weight, 3),
                         .stride_h = v[STRIDES].i, .stride_w = v[STRIDES + 1].i, .pad_h = v[STRIDES + 2].i,
                         .pad_w = v[STRIDES + 3].i, .dilation_h = v[STRIDES + 4].i, .dilation_w = v[STRIDES + 5].i,
                         .groups = v[OFFSET_GROUPS].i, .masked = v[USE_MASK].b};
    d->channels_out = kt_size(weight, 0);
    d->weight_groups = v[GROUPS].i;
    d->dtype = kt_dtype_of(input);
    d->computed = kt__vision_computes(d->dtype);
    d->device = kt_device_of(input);
    if (check_numbers(d))
        return kt_error_status();
    const bool  fits = kt_size(weight, 1) * d->weight_groups == d->w.channels;
    const char *wrong = !fits                                ? "weight_c.size(1) * n_weight_grps == input_c.size(1)"
                        : d->channels_out % d->weight_groups ? "weight_c.size(0) % n_weight_grps == 0"
                        : d->w.channels % d->w.groups        ? "input_c.size(1) % n_offset_grps == 0"
                                                             : NULL;
    if (wrong)
        return fail_expected(wrong);
    d->w.out_h = positions_of(d->w.height, d->w.kernel_h, d->w.stride_h, d->w.pad_h, d->w.dilation_h);
    d->w.out_w = positions_of(d->w.width, d->w.kernel_w, d->w.stride_w, d->w.pad_w, d->w.dilation_w);
    if (check_offset(d, offset, v[MASK].t))
        return kt_error_status();
    if (d->w.out_h == 0 || d->w.out_w == 0)
        return kt_fail(KT_ERR_RUNTIME, "Calculated output size too small - out_h: %lld out_w: %lld", (long long)d->w.out_h,
                       (long long)d->w.out_w);
    if (kt_numel(v[BIAS].t) != d->channels_out)
        return kt_fail(KT_ERR_RUNTIME, "deform_conv2d: the bias has %lld elements, not one for each of %lld channels",
                       (long long)kt_numel(v[BIAS].t), (long long)d->channels_out);
    return check_dtypes(call, at);
}

static kt_status take_operands(deformed *d, const kt_value *v)
{
    d->image = kt__vision_operand(v[INPUT].t, d->computed);
    d->weight = kt__vision_operand(v[WEIGHT].t, d->computed);
    d->offset = kt__vision_operand(v[OFFSET].t, d->computed);
    d->mask = d->w.masked ? kt__vision_operand(v[MASK].t, d->computed) : NULL;
    d->bias = kt__vision_operand(v[BIAS].t, d->computed);
    return kt_error_status();
}

/* ---- example by example ---- */

static const void *example(kt_tensor *t, int64_t i) { return t ? kt_data(kt_select(t, 0, i)) : NULL; }

static int64_t taps_of(const deformed *d) { return d->w.channels * d->w.kernel_h * d->w.kernel_w; }
static int64_t positions(const deformed *d) { return d->w.out_h * d->w.out_w; }

/* In the groups of the weights: [groups, channels of the result, taps] and [groups, taps, positions]. */
static kt_tensor *grouped_weight(const deformed *d)
{
    return kt_reshape(d->weight, KT_SHAPE(d->weight_groups, d->channels_out / d->weight_groups, taps_of(d) / d->weight_groups));
}
static kt_tensor *grouped(const deformed *d, kt_tensor *t)
{
    return kt_reshape(t, KT_SHAPE(d->weight_groups, -1, positions(d)));
}

static kt_tensor *columns_of(const deformed *d, int64_t i)
{
    kt_tensor              *columns = kt__vision_room(KT_SHAPE(taps_of(d), positions(d)), d->computed);
    const kt__window_arrays a = {.image = example(d->image, i), .offset = example(d->offset, i), .mask = example(d->mask, i),
                                 .columns = kt_data(columns)};
    if (kt_failed())
        return NULL;
    d->computed == KT_F64 ? kt__deformed_columns_double(&d->w, &a) : kt__deformed_columns_float(&d->w, &a);
    return columns;
}

kt_status kt__vision_deform(kt_call *call)
{
    deformed d;
    if (read(&d, call, 0))
        return kt_error_status();
    const kt_shape sizes = KT_SHAPE(d.w.batch, d.channels_out, d.w.out_h, d.w.out_w);
    if (kt__vision_is_meta(call->arg[INPUT].t)) {
        call->out[0] = kt_keep(kt_empty(sizes, .dtype = d.dtype, .device = d.device));
        return kt_error_status();
    }
    if (take_operands(&d, call->arg))
        return kt_error_status();
    kt_tensor *result = kt__vision_room(sizes, d.computed), *bias = kt_reshape(d.bias, KT_SHAPE(-1, 1, 1));
    for (int64_t i = 0; i < d.w.batch && !kt_failed(); i++) {
        KT_SCOPE;
        kt_tensor *made = kt_bmm(grouped_weight(&d), grouped(&d, columns_of(&d, i)));
        kt_copy_(kt_select(result, 0, i), kt_add(kt_reshape(made, KT_SHAPE(d.channels_out, d.w.out_h, d.w.out_w)), bias));
    }
    call->out[0] = kt__vision_done(result, d.dtype, d.device);
    return kt_error_status();
}

/* ---- back: (grad, input, weight, offset, mask, bias, ...) -> (input, weight, offset, mask, bias) ---- */

typedef struct gradients {
    kt_tensor *of[5]; /* ORDER as the arguments */
} gradients;

static void example_back(const deformed *d, kt_tensor *grad, int64_t i, const gradients *to)
{
    KT_SCOPE;
    kt_tensor *flowed = grouped(d, kt_contiguous(kt_select(grad, 0, i)));
    kt_tensor *columns = grouped(d, columns_of(d, i));
    kt_tensor *of_weight = kt_bmm(flowed, kt_transpose(columns, 1, 2));
    kt_add_(to->of[WEIGHT], kt_reshape(of_weight, kt_sizes(to->of[WEIGHT])));
    kt_tensor *flow = kt_contiguous(kt_bmm(kt_transpose(grouped_weight(d), 1, 2), flowed));
    if (kt_failed())
        return;
    const kt__window_arrays a = {.image = example(d->image, i), .offset = example(d->offset, i), .mask = example(d->mask, i),
                                 .flow = kt_data(flow), .to_image = (void *)(uintptr_t)example(to->of[INPUT], i),
                                 .to_offset = (void *)(uintptr_t)example(to->of[OFFSET], i),
                                 .to_mask = d->w.masked ? (void *)(uintptr_t)example(to->of[MASK], i) : NULL};
    if (!kt_failed())
        d->computed == KT_F64 ? kt__deformed_back_double(&d->w, &a) : kt__deformed_back_float(&d->w, &a);
}

kt_status kt__vision_deform_back(kt_call *call)
{
    deformed   d;
    gradients  to = {{NULL}};
    kt_tensor *grad = call->arg[0].t;
    if (read(&d, call, 1))
        return kt_error_status();
    const kt_shape sizes = KT_SHAPE(d.w.batch, d.channels_out, d.w.out_h, d.w.out_w);
    for (int i = 0; i < 4; i++)
        if (kt_ndim(grad) != 4 || kt_size(grad, i) != sizes.d[i])
            return kt_fail(KT_ERR_RUNTIME, "deform_conv2d: what flowed back has other sizes than the result");
    if (kt__vision_is_meta(grad)) {
        for (int i = 0; i < 5; i++)
            call->out[i] = kt_keep(kt_empty_like(call->arg[1 + i].t));
        return kt_error_status();
    }
    if (take_operands(&d, call->arg + 1))
        return kt_error_status();
    kt_tensor *flow = kt__vision_operand(grad, d.computed);
    for (int i = 0; i < 5; i++)
        to.of[i] = kt__vision_room(kt_sizes(call->arg[1 + i].t), d.computed);
    for (int64_t i = 0; i < d.w.batch && !kt_failed(); i++)
        example_back(&d, flow, i, &to);
    if (!kt_failed())
        to.of[BIAS] = kt_reshape(kt_sum_dim(flow, KT_SHAPE(0, 2, 3)), kt_sizes(call->arg[1 + BIAS].t));
    for (int i = 0; i < 5; i++)
        call->out[i] = kt__vision_done(to.of[i], kt_dtype_of(call->arg[1 + i].t), d.device);
    return kt_error_status();
}

/* ---- the derivative ---- */

kt_status kt__deform_save(kt_node *node, const kt_call *call)
{
    for (int i = INPUT; i <= BIAS; i++)
        if (kt_node_save(node, i, call->arg[i].t))
            return kt_error_status();
    return KT_OK;
}

static kt_status deform_flows(const kt_back *of)
{
    kt_call    call;
    kt_tensor *saved[5] = {NULL};
    kt_status  status = KT_OK;
    if (!of->grads[0])
        return KT_OK;
    kt_call_begin(&call, kt_row_find("torchvision::_deform_conv2d_backward"), KT_PLAIN);
    call.given = (1u << (2 + USE_MASK)) - 1;
    call.arg[0].t = of->grads[0];
    for (int i = INPUT; i <= BIAS && !status; i++)
        if (!(status = kt_node_saved(of->node, i, &saved[i])))
            call.arg[1 + i].t = saved[i];
    for (int i = STRIDES; i <= USE_MASK; i++)
        call.arg[1 + i] = *kt_node_arg(of->node, i);
    if (!status)
        status = kt_call_run(&call);
    for (int i = 0; i < 5; i++) {
        kt_drop(saved[i]);
        if (!status && of->needs[i])
            of->d[i] = call.out[i];
        else if (!status)
            kt_drop(call.out[i]);
    }
    return status;
}

const kt_node_type kt__deform_node = {.abi = KT_NODE_ABI, .size = sizeof kt__deform_node, .run = deform_flows, .name =
                                      "torch::autograd::CppNode<vision::ops::(anonymous namespace)::DeformConv2dFunction>"};
