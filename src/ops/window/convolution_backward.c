/* convolution_backward.c - both gradients of a convolution and that of its bias, in one call as PyTorch has it. In: calls of
 * convolution_backward. Out: results of the rows that the tape uses one by one, and empty tensors for what is not wanted. */
#include "ops/window/window.h"

enum { GRAD_OUTPUT, INPUT, WEIGHT, BIAS_SIZES, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS, OUTPUT_MASK };

static kt_tensor *conjugate(kt_tensor *t) { return kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX ? kt_conj(t) : t; }

static kt_tensor *over_channels(kt_tensor *g)
{
    int64_t dims[KT_MAX_DIMS], n = 0;
    for (int i = 0; i < g->ndim; i++)
        if (i != 1)
            dims[n++] = i;
    return kt_sum_dim(g, ((kt_shape){n, dims}));
}

kt_status kt__body_convolution_backward(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *grad = call->arg[GRAD_OUTPUT].t, *input = call->arg[INPUT].t, *weight = call->arg[WEIGHT].t, *of[3];
    const kt_shape stride = kt__arg_ints(call, STRIDE), padding = kt__arg_ints(call, PADDING);
    const kt_shape dilation = kt__arg_ints(call, DILATION), mask = kt__arg_ints(call, OUTPUT_MASK);
    const bool     transposed = kt__arg_bool(call, TRANSPOSED);
    const int64_t  groups = kt__arg_int(call, GROUPS);
    if (mask.n != 3)
        return kt_fail(KT_ERR_RUNTIME, "convolution_backward: output_mask has 3 elements, not %lld", (long long)mask.n);
    if (input->ndim != grad->ndim)
        return kt_fail(KT_ERR_RUNTIME, "Expected input and grad_output to have the same number of dimensions, but got: %d and %d",
                       input->ndim, grad->ndim);
    const kt_shape of_input = kt__sizes(input), of_weight = kt__sizes(weight);
    for (int i = 0; i < 3; i++)
        of[i] = kt_empty(KT_SHAPE(0), .dtype = (kt_dtype)grad->dtype, .device = kt__device(grad));
    if (mask.d[0])
        of[0] = kt_convolution_input(grad, conjugate(weight), of_input, stride, padding, dilation, transposed, groups);
    if (mask.d[1])
        of[1] = kt_convolution_weight(grad, conjugate(input), of_weight, stride, padding, dilation, transposed, groups);
    if (mask.d[2])
        of[2] = over_channels(grad);
    return of[0] && of[1] && of[2] ? kt__end_several(call, of, 3) : kt_error_status();
}
