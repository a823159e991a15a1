/* activation.c - what the rows of activation.def need besides their kernels: the numbers that the kernels are given, PyTorch's
 * refusals of numbers, and the rows that are made of others. In: calls of these rows. Out: kernel parameters; results. It must
 * not know kernels beyond their names. */
#include <string.h>

#include "call/call.h"
#include "call/end.h"
#include "call/wrap.h"
#include "tables/kernels/elementwise.h"

/* ---- the numbers of a call ---- */

static void put_elu(kt__gathered *g, double alpha, double scale, double input_scale)
{
    kt__push_param(g, alpha * scale);
    kt__push_param(g, scale);
    kt__push_param(g, input_scale);
}

kt_status kt__args_approximate(const kt_call *call, kt__gathered *g)
{
    const bool  back = g->kernel == KT_K_gelu_backward;
    const int   at = back ? 2 : 1;
    const char *how = kt__given(call, at) ? call->arg[at].str : NULL;
    bool        tanh = how && strcmp(how, "tanh") == 0;
    if (how && !tanh && strcmp(how, "none") != 0)
        return kt_fail(KT_ERR_RUNTIME, "approximate argument must be either none or tanh.");
    if (tanh)
        g->kernel = back ? KT_K_gelu_tanh_backward : KT_K_gelu_tanh;
    return KT_OK;
}

/* The first `n` numbers of the call must fit what PyTorch computes with. */
static kt_status fit_wide(const kt_call *call, int n, kt_dtype common)
{
    for (int i = 1; i <= n; i++)
        if (kt__argument_fits(call, i, kt__arithmetic_of(common)))
            return kt_error_status();
    return KT_OK;
}

static kt_status fit_elu(const kt_call *call, const kt__gathered *g, kt_dtype common)
{
    (void)g;
    return fit_wide(call, 3, common);
}

static kt_status fit_celu(const kt_call *call, const kt__gathered *g, kt_dtype common)
{
    (void)g;
    return fit_wide(call, 1, common);
}

kt_status kt__args_elu(const kt_call *call, kt__gathered *g)
{
    put_elu(g, kt__as_double(kt__arg_scalar(call, 1)), kt__as_double(kt__arg_scalar(call, 2)),
            kt__as_double(kt__arg_scalar(call, 3)));
    g->fit = fit_elu;
    return KT_OK;
}

kt_status kt__args_celu(const kt_call *call, kt__gathered *g)
{
    const kt_scalar alpha = kt__arg_scalar(call, 1);
    if (alpha.kind == KT_SCALAR_COMPLEX && alpha.im != 0)
        return kt__fail_overflow(call, KT_F64);
    if (kt__as_double(alpha) == 0)
        return kt_fail(KT_ERR_RUNTIME, "ZeroDivisionError: alpha cannot be 0 for CELU");
    put_elu(g, kt__as_double(alpha), 1, 1 / kt__as_double(alpha));
    g->fit = fit_celu;
    return KT_OK;
}

#define NO_NEGATIVE_SLOPE                                                                                               \
    "In-place %s backward calculation is triggered with a negative slope which is not supported. This is caused by "    \
    "calling in-place forward function with a negative slope, please call out-of-place version instead.%s"

kt_status kt__args_elu_backward(const kt_call *call, kt__gathered *g)
{
    const double alpha = kt__as_double(call->arg[2].s);
    if (call->arg[5].b && alpha < 0)
        return kt_fail(KT_ERR_RUNTIME, NO_NEGATIVE_SLOPE, "elu", "");
    if (call->arg[5].b)
        g->kernel = KT_K_elu_backward_result;
    put_elu(g, alpha, kt__as_double(call->arg[3].s), kt__as_double(call->arg[4].s));
    return KT_OK;
}

kt_status kt__args_leaky_relu_backward(const kt_call *call, kt__gathered *g)
{
    if (call->arg[3].b && kt__as_double(call->arg[2].s) < 0)
        return kt_fail(KT_ERR_RUNTIME, NO_NEGATIVE_SLOPE, "leakyReLu",
                       " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu "
                       "backward calculation with negative slope");
    kt__push_param(g, kt__as_double(call->arg[2].s));
    return KT_OK;
}

/* Of complex numbers PyTorch has silu alone, without a gradient; but in place it does not look. */
kt_status kt__args_complex_without_grad(const kt_call *call, kt__gathered *g)
{
    if (call->form == KT_PLAIN && g->any_grad & KT_T_REQUIRES_GRAD && kt__mode() & KT_M_GRAD &&
        kt__dtype_rows[g->dtype[0]].category == KT_CAT_COMPLEX)
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "silu does not support automatic differentiation for outputs with complex dtype.");
    return KT_OK;
}

static kt_status fit_lambda(const kt_call *call, const kt__gathered *g, kt_dtype d)
{
    kt_finfo     info = {.max = 0};
    const double lambda = g->param[0].v.re;
    if (kt__argument_fits(call, 1, KT_F64) || kt_dtype_finfo(d, &info))
        return kt_error_status();
    if (lambda >= 0 && lambda <= info.max)
        return KT_OK;
    return kt__fail_dtype(call, KT_ERR_RUNTIME, "lambda must be in range [0, %g] for input dtype %s, but found %g", info.max,
                          kt_dtype_torch_name(d), lambda);
}

kt_status kt__args_lambd(const kt_call *call, kt__gathered *g)
{
    kt__push_param(g, kt__as_double(kt__arg_scalar(call, 1)));
    g->fit = fit_lambda;
    return KT_OK;
}

static bool is_unsigned(kt_dtype d) { return d == KT_U8 || d == KT_U16 || d == KT_U32 || d == KT_U64; }

/* Of integers the limits are cut to integers first. */
static kt_status fit_limits(const kt_call *call, const kt__gathered *g, kt_dtype d)
{
    (void)g;
    const kt_dtype first = kt__dtype_rows[d].category & (KT_CAT_BOOL | KT_CAT_INT) ? KT_I64 : KT_F64;
    for (int i = 1; i <= 2; i++)
        if (kt__argument_fits(call, i, first))
            return kt_error_status();
    for (int i = 1; i <= 2; i++)
        if (is_unsigned(d) && kt__as_double(kt__arg_scalar(call, i)) <= -1)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "cannot do hardtanh on an unsigned type with negative limits");
    for (int i = 1; i <= 2; i++)
        if (!(is_unsigned(d) && kt__as_double(kt__arg_scalar(call, i)) < 0) && kt__argument_fits(call, i, d))
            return kt_error_status();
    return KT_OK;
}

kt_status kt__args_limits(const kt_call *call, kt__gathered *g)
{
    kt__push_param_rounded_int(g, kt__arg_scalar(call, 1), (kt_dtype)g->dtype[0]);
    kt__push_param_rounded_int(g, kt__arg_scalar(call, 2), (kt_dtype)g->dtype[0]);
    g->fit = fit_limits;
    return KT_OK;
}

/* ---- rows made of others ---- */

static kt_status with_numbers(kt_call *call, int op, const kt_scalar *number, int n)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, call->arg[0].t);
    for (int i = 0; i < n; i++)
        kt__put(&c, 1 + i, s, number[i]);
    return kt__run_as(call, &c);
}

kt_status kt__body_selu(kt_call *call)
{
    const kt_scalar numbers[2] = {KT_FLOAT(1.6732632423543772848170429916717), KT_FLOAT(1.0507009873554804934193349852946)};
    return with_numbers(call, KT_OP_elu, numbers, 2);
}

kt_status kt__body_relu6(kt_call *call)
{
    const kt_scalar bounds[2] = {KT_INT(0), KT_INT(6)};
    return with_numbers(call, KT_OP_hardtanh, bounds, 2);
}

kt_status kt__body_softsign(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_true_divide(call->arg[0].t, kt_add_s(kt_abs(call->arg[0].t), KT_INT(1))));
}

kt_status kt__body_tanhshrink(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_sub(call->arg[0].t, kt_tanh(call->arg[0].t)));
}

/* ---- prelu ---- */

static kt_status check_weight(const kt_call *call)
{
    const kt_tensor *self = call->arg[0].t, *weight = call->arg[1].t;
    const int64_t    channels = self->ndim > 1 ? self->sizes[1] : 1;
    if (weight->numel != 1 && self->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "Not allow zero-dim input tensor.");
    if (weight->numel != 1 && weight->numel != channels)
        return kt_fail(KT_ERR_RUNTIME,
                       "Mismatch of parameter numbers and input channel size. Found parameter numbers = %lld and channel size = "
                       "%lld.",
                       (long long)weight->numel, (long long)channels);
    if (weight->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = %d", weight->ndim);
    return KT_OK;
}

kt_status kt__body_prelu(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *weight = call->arg[1].t;
    int64_t    sizes[KT_MAX_DIMS];
    if (check_weight(call))
        return kt_error_status();
    KT_SCOPE;
    for (int i = 0; i < self->ndim; i++)
        sizes[i] = i == 1 ? weight->numel : 1;
    if (weight->ndim || self->ndim)
        weight = kt_reshape(weight, ((kt_shape){self->ndim, sizes}));
    return kt__end(call, kt_prelu_kernel(self, weight));
}

kt_status kt__body_prelu_kernel_backward(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *g = call->arg[0].t, *self = call->arg[1].t, *above = kt_gt_s(self, KT_INT(0));
    kt_tensor *input = kt_where(above, g, kt_mul(g, call->arg[2].t));
    kt_tensor *weight = kt_where_s(kt_logical_not(above), kt_mul(g, self), KT_INT(0));
    return kt__end_several(call, (kt_tensor *[]){input, weight}, 2);
}

/* ---- glu ---- */

/* The size of half the dim, in which a negative one is counted from the end. */
static kt_status half_of(const kt_call *call, const kt_tensor *self, int64_t *dim, int64_t *half)
{
    kt__decision room;
    if (self->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "glu does not support 0-dimensional tensors");
    if (kt__wrap_dim(dim, self->ndim))
        return kt_error_status();
    if (self->sizes[*dim] % 2)
        return kt_fail(KT_ERR_RUNTIME, "Halving dimension must be even, but dimension %lld is size %lld", (long long)*dim,
                       (long long)self->sizes[*dim]);
    *half = self->sizes[*dim] / 2;
    return kt__resolve_in_body(call, &room) ? KT_OK : kt_error_status();
}

kt_status kt__body_glu(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    int64_t    dim = kt__arg_int(call, 1), half = 0;
    if (half_of(call, self, &dim, &half))
        return kt_error_status();
    KT_SCOPE;
    return kt__end(call, kt_glu_halves(kt_narrow(self, dim, 0, half), kt_narrow(self, dim, half, half)));
}

kt_status kt__body_glu_backward(kt_call *call)
{
    kt_tensor *g = call->arg[0].t, *self = call->arg[1].t;
    int64_t    dim = call->arg[2].i, half = 0;
    if (half_of(call, self, &dim, &half))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *opened = kt_sigmoid(kt_narrow(self, dim, half, half)), *first = kt_mul(g, opened);
    kt_tensor *second = kt_mul(kt_mul(first, kt_rsub_s(opened, KT_INT(1))), kt_narrow(self, dim, 0, half));
    kt_tensor *parts[2] = {first, second};
    return kt__end(call, first && second ? kt_contiguous(kt_cat(parts, 2, .dim = dim)) : NULL);
}
