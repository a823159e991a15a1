/* scale.c - a tensor divided by the size of its elements: of those near in the channels, or of a vector along a dim.
 *
 * In: calls of two rows of tables/ops/norm.def. Out: operators, which the tape records. */
#include "ops/norm/norm.h"

enum { INPUT, SIZE, ALPHA, BETA, K };

kt_status kt__body_nn_local_response_norm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *input = call->arg[INPUT].t;
    const int64_t size = kt__arg_int(call, SIZE);
    int64_t       pad[2 * KT_MAX_DIMS] = {0};
    if (input->ndim < 3)
        return kt_fail(KT_ERR_VALUE, "Expected 3D or higher dimensionality                          input (got %d dimensions)",
                       input->ndim);
    if (input->numel == 0)
        return kt__end(call, input);
    if (size < 1)
        return input->ndim == 3 ? kt_fail(KT_ERR_RUNTIME, "integer out of range")
               : size == 0      ? kt_fail(KT_ERR_RUNTIME, "kernel size should be greater than zero, but got kT: 0 kH: 1 kW: 1")
                                : kt_fail(KT_ERR_RUNTIME, "pad should be at most half of effective kernel size, but got pad=0, "
                                          "kernel_size=%lld and dilation=1", (long long)size);
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    const int n = 2 * (input->ndim - 1); /* the last dim comes first: the channels are the last pair */
    pad[n - 2] = size / 2, pad[n - 1] = (size - 1) / 2;
    kt_tensor *square = kt_constant_pad_nd(kt_mul(input, input), ((kt_shape){n, pad}));
    kt_tensor *windows = kt_unfold(square, 1, size, 1);
    kt_tensor *near = input->dtype == KT_I64 ? kt_floor_divide_s(kt_sum_dim(windows, KT_SHAPE(-1)), KT_INT(size))
                                             : kt_mean_dim(windows, KT_SHAPE(-1));
    kt_tensor *by = kt_pow_s(kt_add_s(kt_mul_s(near, KT_FLOAT(kt__arg(call, ALPHA)->f)), KT_FLOAT(kt__arg(call, K)->f)),
                             KT_FLOAT(kt__arg(call, BETA)->f));
    return kt__end(call, kt_true_divide(input, by));
}

enum { P = 1, DIM, EPS };

kt_status kt__body_nn_normalize(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *input = call->arg[INPUT].t;
    kt_tensor *norm = kt_linalg_vector_norm(input, .ord = KT_FLOAT(kt__arg(call, P)->f), .dim = kt__arg_ints(call, DIM),
                                            .keepdim = true);
    kt_tensor *by = norm ? kt_expand(kt_clamp_min_s(norm, KT_FLOAT(kt__arg(call, EPS)->f)), kt__sizes(input)) : NULL;
    kt_call    c;
    if (!by)
        return kt_error_status();
    kt__open(&c, KT_OP_true_divide, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, by);
    return kt__run_as(call, &c);
}
