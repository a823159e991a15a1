/* rrelu.c - randomized leaky ReLU and the Gumbel softmax. In: tensors, a generator. Out: a result, with the draws that PyTorch's
 * CPU makes. Composites of recorded operators: what is drawn is a constant. */
#include <math.h>
#include <string.h>

#include "call/made.h"
#include "dtype/format.h"

enum { SELF, LOWER, UPPER, TRAINING, GENERATOR };

static kt_status check_bounds(double lower, double upper)
{
    char text[KT__FORMAT_MAX];
    kt__format_double(text, isfinite(lower) ? upper : lower);
    if (!isfinite(lower) || !isfinite(upper))
        return kt_fail(KT_ERR_RUNTIME, "rrelu: %s bound must be finite, got %s", isfinite(lower) ? "upper" : "lower", text);
    return lower <= upper ? KT_OK : kt_fail(KT_ERR_RUNTIME, "Lower bound should be less than or equal to the upper bound");
}

static kt_status check_trained(const kt_call *call, kt_dtype d)
{
    return d == KT_F32 || d == KT_F64 || d == KT_BF16
               ? KT_OK
               : kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"rrelu_with_noise_out_cpu\" not implemented for '%s'",
                                kt_dtype_torch_name(d));
}

/* 1 where x is positive; elsewhere a draw each, in row-major order, made in float64. */
static kt_tensor *slopes(kt_tensor *x, double lower, double upper, kt_generator *generator)
{
    KT_NO_GRAD;
    kt_tensor *below = kt_le_s(x, KT_INT(0)), *count = kt_sum(below);
    if (!count)
        return NULL;
    if (kt__mode() & KT_M_LEVELS) /* a vmap: it says whether every example draws, so as many as there are elements */
        return kt_where(below, kt_lerp(kt_full_like(x, KT_FLOAT(lower)), kt_full_like(x, KT_FLOAT(upper)),
                                       kt_rand_like(x, .generator = generator)),
                        kt_ones_like(x));
    const int64_t n = kt__backend(x->backend)->stores_nothing ? 0 : (int64_t)kt_item(count);
    kt_tensor    *drawn = kt_uniform_(kt_empty(KT_SHAPE(n), .dtype = KT_F64, .device = kt__device(x)), .from = lower,
                                      .to = KT_SOME(upper), .generator = generator);
    kt_tensor    *ones = kt_ones_like(x, .memory_format = KT_CONTIGUOUS_FORMAT);
    return kt_masked_scatter(ones, below, kt__converted_inside(drawn, (kt_dtype)x->dtype, KT_WHY_RESULT));
}

/* Results are row-major, as PyTorch's. */
kt_status kt__body_rrelu_scaled(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_contiguous(kt_mul(call->arg[0].t, call->arg[1].t)));
}

kt_status kt__body_rrelu_leaky(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_contiguous(kt_leaky_relu(call->arg[0].t, .negative_slope = kt__arg_scalar(call, 1))));
}

kt_status kt__body_rrelu(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *x = call->arg[SELF].t;
    const double lower = kt__as_double(kt__arg_scalar(call, LOWER)), upper = kt__as_double(kt__arg_scalar(call, UPPER));
    const bool   in_place = call->form == KT_INPLACE;
    if (check_bounds(lower, upper))
        return kt_error_status();
    if (!kt__arg_bool(call, TRAINING)) {
        const kt_scalar slope = KT_FLOAT((lower + upper) / 2);
        kt_tensor      *made = in_place ? kt_rrelu_leaky_(x, slope) : kt_rrelu_leaky(x, slope);
        return made ? kt__end_itself(call, kt__ref(made), KT_OK) : kt_error_status();
    }
    if (check_trained(call, (kt_dtype)x->dtype))
        return kt_error_status();
    const bool wide = x->dtype == KT_F64; /* PyTorch rounds the bounds to what it computes in, not what it draws in */
    kt_tensor *noise = slopes(x, wide ? lower : (float)lower, wide ? upper : (float)upper,
                              kt__given(call, GENERATOR) ? call->arg[GENERATOR].generator : NULL);
    kt_tensor *made = in_place ? kt_rrelu_scaled_(x, noise) : kt_rrelu_scaled(x, noise);
    return made ? kt__end_itself(call, kt__ref(made), KT_OK) : kt_error_status();
}

/* ---- a sample of a category, or nearly one ---- */

kt_status kt__body_nn_gumbel_softmax(kt_call *call)
{
    enum { LOGITS, TAU, HARD, EPS, DIM };
    KT_SCOPE;
    kt_tensor    *x = call->arg[LOGITS].t, *drawn;
    const int64_t dim = kt__arg_int(call, DIM);
    if (kt__arg(call, EPS)->f != 1e-10)
        kt__warn("`eps` parameter is deprecated and has no effect.");
    {
        KT_NO_GRAD;
        drawn = kt_neg(kt_log(kt_exponential_(kt_empty_like(x, .memory_format = KT_CONTIGUOUS_FORMAT))));
    }
    kt_tensor *soft = kt_softmax(kt_true_divide_s(kt_add(x, drawn), kt__arg_scalar(call, TAU)), dim);
    if (!soft || !kt__arg_bool(call, HARD))
        return kt__end(call, soft);
    kt_tensor *constant = kt_detach(soft), *top = kt_max_dim(constant, dim, .keepdim = true).indices;
    kt_tensor *hard = kt_scatter_value(kt_zeros_like(constant, .memory_format = KT_CONTIGUOUS_FORMAT), dim, top, KT_FLOAT(1));
    return kt__end(call, kt_add(kt_sub(hard, constant), soft)); /* its value is the hard one, its gradient the soft one's */
}
