/* activation.c - derivatives of activation functions and of their backward rows. A _backward row is one pass over memory,
 * and a node under create_graph, as in PyTorch; silu and mish are composed of operators then. */
#include "grad/formula.h"

static bool       in_place(const kt_back *c) { return c->node->form == KT_INPLACE; }
static kt_tensor *self_or_result(const kt_back *c) { return in_place(c) ? Y : A; }
static kt_scalar  number_of(const kt_back *c, int i) { return arg(c, i)->s; }
static double     float_of(const kt_back *c, int i)
{
    const kt_scalar s = arg(c, i)->s;
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
}
static kt_tensor  *one_minus(kt_tensor *t) { return kt_rsub_s(t, KT_INT(1)); }
static kt_tensor  *times(kt_tensor *t, double by) { return kt_mul_s(t, KT_FLOAT(by)); }
static kt_tensor  *plus_one(kt_tensor *t) { return kt_add_s(t, KT_INT(1)); }
static const char *text_of(const kt_back *c, int i) { return given(c, i) ? arg(c, i)->str : NULL; }

/* ---- of normal distributions ---- */
static bool by_tanh(const char *approximate) { return approximate && approximate[0] == 't'; }
static kt_tensor *gelu_backward(kt_tensor *g, kt_tensor *x, const char *approximate)
{
    return by_tanh(approximate) ? kt_gelu_backward(g, x, .approximate = "tanh") : kt_gelu_backward(g, x);
}
GRAD(gelu) { dA = gelu_backward(G, A, text_of(c, 1)); }

/* The second derivative: of x * share(x) it is bell(x) * (2 - x^2). */
static kt_tensor *gelu_curvature(kt_tensor *x)
{
    kt_tensor *square = kt_mul(x, x);
    return kt_mul(times(kt_exp(times(square, -0.5)), 0.3989422804014327), kt_rsub_s(square, KT_INT(2)));
}
static kt_tensor *gelu_tanh_curvature(kt_tensor *x)
{
    const double k = 0.7978845608028654, cubic = 0.044715;
    kt_tensor   *square = kt_mul(x, x), *inner = times(plus_one(times(square, cubic)), k);
    kt_tensor   *t = kt_tanh(kt_mul(x, inner)), *slope = times(plus_one(times(square, 3 * cubic)), k);
    kt_tensor   *half_bend = kt_mul(x, kt_sub(times(x, 3 * k * cubic), kt_mul(t, kt_mul(slope, slope))));
    return kt_mul(one_minus(kt_mul(t, t)), kt_add(slope, half_bend));
}
GRAD(gelu_backward)
{
    const char *approximate = text_of(c, 2);
    dA = gelu_backward(G, B, approximate);
    dB = kt_mul(kt_mul(G, A), by_tanh(approximate) ? gelu_tanh_curvature(B) : gelu_curvature(B));
}

/* ---- silu, mish ---- */
GRAD(silu)
{
    kt_tensor *x = A;
    if (!goes_on(c) && x && kt_dtype_category(kt_dtype_of(x)) == KT_CAT_FLOAT) {
        dA = kt_silu_backward(G, x);
        return;
    }
    kt_tensor *s = kt_sigmoid(x);
    dA = kt_mul(kt_mul(G, conjugate(s)), conjugate(plus_one(kt_mul(x, one_minus(s)))));
}
GRAD(mish)
{
    kt_tensor *x = A;
    if (!goes_on(c)) {
        dA = kt_mish_backward(G, x);
        return;
    }
    kt_tensor *t = kt_tanh(kt_softplus(x));
    dA = kt_mul(G, kt_add(t, kt_mul(kt_mul(x, kt_sigmoid(x)), one_minus(kt_mul(t, t)))));
}

/* ---- from the result. What they give is a product with the conjugate of a function of B: it depends on B by that alone ---- */
GRAD(tanh)    { dA = kt_tanh_backward(G, Y); }
GRAD(sigmoid) { dA = kt_sigmoid_backward(G, Y); }
GRAD(tanh_backward)
{
    dA = kt_tanh_backward(G, conjugate(B));
    dB = kt_mul(conjugate(G), kt_mul(kt_mul_s(conjugate(B), KT_INT(-2)), A));
}
GRAD(sigmoid_backward)
{
    dA = kt_sigmoid_backward(G, conjugate(B));
    dB = kt_mul(kt_mul(conjugate(G), A), plus_one(kt_mul_s(conjugate(B), KT_INT(-2))));
}

/* ---- elu and others: in place, the slope follows from the result ---- */
static kt_tensor *elu_backward(const kt_back *c, kt_scalar alpha, kt_scalar scale, kt_scalar input_scale)
{
    return kt_elu_backward(G, self_or_result(c), alpha, scale, input_scale, in_place(c));
}
GRAD(elu)  { dA = elu_backward(c, number_of(c, 1), number_of(c, 2), number_of(c, 3)); }
GRAD(celu) { dA = elu_backward(c, number_of(c, 1), KT_INT(1), KT_FLOAT(1 / float_of(c, 1))); }
GRAD(elu_backward)
{
    const double below = float_of(c, 2) * float_of(c, 3), inside = float_of(c, 4);
    dA = kt_elu_backward(G, B, number_of(c, 2), number_of(c, 3), number_of(c, 4), arg(c, 5)->b);
    kt_tensor *both = kt_mul(G, A);
    dB = zero_unless(kt_lt_s(B, KT_INT(0)),
                    arg(c, 5)->b ? times(both, inside)
                                 : kt_mul(both, times(kt_exp(times(B, inside)), below * inside * inside)));
}

/* ---- piecewise linear: the second derivative is 0 ---- */
GRAD(leaky_relu) { dA = kt_leaky_relu_backward(G, self_or_result(c), number_of(c, 1), in_place(c)); }
/* rrelu: below 0 a slope that was drawn, or the mean one. */
GRAD(rrelu_scaled) { dA = kt_mul(G, B); }
GRAD_AS(rrelu_leaky, leaky_relu)
GRAD(leaky_relu_backward)
{
    dA = kt_leaky_relu_backward(G, B, number_of(c, 2), arg(c, 3)->b);
    dB = kt_zeros_like(G);
}
/* From self, in place too: the replacement may be above the threshold. */
GRAD(threshold)          { dA = kt_threshold_backward(G, A, number_of(c, 1)); }
GRAD(threshold_backward) { dA = kt_threshold_backward(G, B, number_of(c, 2)); dB = kt_zeros_like(G); }
GRAD(hardtanh)           { dA = kt_hardtanh_backward(G, A, number_of(c, 1), number_of(c, 2)); }
GRAD(hardtanh_backward)  { dA = kt_hardtanh_backward(G, B, number_of(c, 2), number_of(c, 3)); dB = kt_zeros_like(G); }
GRAD(hardsigmoid)        { dA = kt_hardsigmoid_backward(G, A); }
GRAD(hardshrink)         { dA = kt_hardshrink_backward(G, A, number_of(c, 1)); }
GRAD(softshrink)         { dA = kt_softshrink_backward(G, A, number_of(c, 1)); }
GRAD(hardshrink_backward) { dA = kt_hardshrink_backward(G, B, number_of(c, 2)); dB = kt_zeros_like(G); }
GRAD(softshrink_backward) { dA = kt_softshrink_backward(G, B, number_of(c, 2)); dB = kt_zeros_like(G); }
GRAD(hardswish)          { dA = kt_hardswish_backward(G, A); }
GRAD(hardswish_backward)
{
    dA = kt_hardswish_backward(G, B);
    dB = zero_unless(kt_lt_s(kt_abs(B), KT_INT(3)), times(kt_mul(G, A), 1.0 / 3));
}

/* ---- of logarithms ---- */
static kt_tensor *sigmoid_slope(kt_tensor *x)
{
    kt_tensor *s = kt_sigmoid(x);
    return kt_mul(s, one_minus(s));
}
GRAD(softplus)    { dA = kt_softplus_backward(G, A, number_of(c, 1), number_of(c, 2)); }
GRAD(softplus_backward)
{
    const double beta = float_of(c, 2);
    dA = kt_softplus_backward(G, B, number_of(c, 2), number_of(c, 3));
    kt_tensor *x = times(B, beta);
    dB = zero_unless(kt_logical_not(kt_ge_s(x, number_of(c, 3))), times(kt_mul(kt_mul(G, A), sigmoid_slope(x)), beta));
}
GRAD(log_sigmoid) { dA = kt_log_sigmoid_backward(G, A); }
GRAD(log_sigmoid_backward)
{
    dA = kt_log_sigmoid_backward(G, B);
    dB = kt_neg(kt_mul(kt_mul(G, A), sigmoid_slope(B)));
}

/* ---- two tensors, or two halves of one ---- */
GRAD(prelu_kernel)
{
    const kt_prelu_kernel_backward_results slopes = kt_prelu_kernel_backward(G, A, B);
    dA = slopes.input;
    dB = slopes.weight;
}
GRAD(prelu_kernel_backward) /* where a zero counts as positive, as in PyTorch; in the first derivative it is negative */
{
    kt_tensor *input = c->grads[0], *weight = c->grads[1], *below = kt_logical_not(kt_ge_s(B, KT_INT(0)));
    kt_tensor *by_input = input ? kt_where(below, kt_mul(input, C), input) : NULL;
    kt_tensor *by_weight = weight ? zero_unless(below, kt_mul(weight, B)) : NULL;
    dA = by_input && by_weight ? kt_add(by_input, by_weight) : by_input ? by_input : by_weight;
    dB = weight ? zero_unless(below, kt_mul(weight, A)) : input ? kt_zeros_like(input) : NULL;
    dC = input ? zero_unless(below, kt_mul(input, A)) : NULL;
}
static kt_tensor *joined(kt_tensor *first, kt_tensor *second, int64_t dim)
{
    kt_tensor *parts[2] = {first, second};
    return first && second ? kt_cat(parts, 2, .dim = dim) : NULL;
}
GRAD(glu) { dA = kt_glu_backward(G, A, arg(c, 1)->i); }
GRAD(glu_backward)
{
    const int64_t dim = arg(c, 2)->i, half = A ? kt_size(A, dim) : 0;
    kt_tensor    *a = kt_narrow(B, dim, 0, half), *s = kt_sigmoid(kt_narrow(B, dim, half, half));
    kt_tensor    *first = kt_narrow(G, dim, 0, half), *second = kt_narrow(G, dim, half, half);
    kt_tensor    *slope = kt_mul(s, one_minus(s)), *steep = kt_mul(A, slope);
    dA = kt_add(kt_mul(first, s), kt_mul(kt_mul(second, a), slope));
    dB = joined(kt_mul(second, steep),
                kt_mul(steep, kt_add(first, kt_mul(kt_mul(second, a), one_minus(times(s, 2))))), dim);
}
