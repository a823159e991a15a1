/* activation.c - the derivatives of activation functions, first and second, against central differences in float64, on both
 * sides of their bends and in place; the names that PyTorch gives their nodes; what in-place forms refuse.
 *
 * In: the C face. Reference: differences of the functions themselves, whose values tests/unit/ops/activation.c checks. */
#include "harness.h"

#include <karat/karat.h>

#include "support/by_name.h"
#include "support/differences.h"

#define WRITTEN(t) kt_mul_s(t, KT_INT(1)) /* a leaf may not be written to */

F(gelu, kt_gelu(x[0]))
F(gelu_tanh, kt_gelu(x[0], .approximate = "tanh"))
F(silu, kt_silu(x[0]))
F(silu_, kt_silu_(WRITTEN(x[0])))
F(mish, kt_mish(x[0]))
F(mish_, kt_mish_(WRITTEN(x[0])))
F(tanh_slope, kt_tanh_backward(x[0], kt_sin(x[0])))
F(sigmoid_slope, kt_sigmoid_backward(kt_sin(x[0]), x[0]))
F(elu, kt_elu(x[0], .alpha = KT_FLOAT(1.5), .scale = KT_FLOAT(0.7), .input_scale = KT_FLOAT(1.3)))
F(elu_negative, kt_elu(x[0], .alpha = KT_FLOAT(-1.5)))
F(elu_, kt_elu_(WRITTEN(x[0]), .alpha = KT_FLOAT(1.5), .scale = KT_FLOAT(0.7), .input_scale = KT_FLOAT(1.3)))
F(celu, kt_celu(x[0], .alpha = KT_FLOAT(0.6)))
F(celu_, kt_celu_(WRITTEN(x[0]), .alpha = KT_FLOAT(0.6)))
F(selu, kt_selu(x[0]))
F(selu_, kt_selu_(WRITTEN(x[0])))
F(leaky_relu, kt_leaky_relu(x[0], .negative_slope = KT_FLOAT(0.2)))
F(leaky_relu_, kt_leaky_relu_(WRITTEN(x[0]), .negative_slope = KT_FLOAT(0.2)))
F(hardtanh, kt_hardtanh(x[0], .min_val = KT_FLOAT(-1.4), .max_val = KT_FLOAT(0.9)))
F(hardtanh_, kt_hardtanh_(WRITTEN(x[0])))
F(relu6, kt_relu6(kt_mul_s(x[0], KT_INT(3))))
F(hardsigmoid, kt_hardsigmoid(kt_mul_s(x[0], KT_INT(2))))
F(hardswish, kt_hardswish(kt_mul_s(x[0], KT_INT(2))))
F(hardswish_, kt_hardswish_(kt_mul_s(x[0], KT_INT(2))))
F(hardshrink, kt_hardshrink(x[0]))
F(softshrink, kt_softshrink(x[0]))
F(softplus, kt_softplus(x[0], .beta = KT_FLOAT(1.5), .threshold = KT_FLOAT(2)))
F(log_sigmoid, kt_log_sigmoid(x[0]))
F(softsign, kt_softsign(x[0]))
F(tanhshrink, kt_tanhshrink(x[0]))
F(threshold, kt_threshold(x[0], KT_FLOAT(0.3), KT_FLOAT(7)))
F(threshold_, kt_threshold_(WRITTEN(x[0]), KT_FLOAT(0.3), KT_FLOAT(-7)))
F(relu, kt_relu(x[0]))
F(glu, kt_glu(x[0]))
F(glu_rows, kt_glu(x[0], .dim = KT_SOME(0)))
F(prelu, kt_prelu(x[0], x[1]))

static const struct {
    const char *name;
    function   *f;
    bool        twice; /* PyTorch, and so we, have no second derivative of hardsigmoid */
} all[] = {
#define ROW(f) {#f, f, true}
    ROW(gelu), ROW(gelu_tanh), ROW(silu), ROW(silu_), ROW(mish), ROW(mish_), ROW(tanh_slope), ROW(sigmoid_slope), ROW(elu),
    ROW(elu_negative), ROW(elu_), ROW(celu), ROW(celu_), ROW(selu), ROW(selu_), ROW(leaky_relu), ROW(leaky_relu_),
    ROW(hardtanh), ROW(hardtanh_), ROW(relu6), {"hardsigmoid", hardsigmoid, false}, ROW(hardswish), ROW(hardswish_),
    ROW(hardshrink), ROW(softshrink), ROW(softplus), ROW(log_sigmoid), ROW(softsign), ROW(tanhshrink), ROW(threshold),
    ROW(threshold_), ROW(relu), ROW(glu), ROW(glu_rows),
};
enum { N = sizeof all / sizeof *all };

TEST(first_derivatives)
{
    for (int i = 0; i < N; i++)
        check(&(problem){all[i].name, all[i].f, 1, {KT_SHAPE(4, 6)}, -2, 2});
    check(&(problem){"prelu", prelu, 2, {KT_SHAPE(4, 6), KT_SHAPE(6)}, -2, 2});
    check(&(problem){"prelu of one weight", prelu, 2, {KT_SHAPE(4, 6), KT_SHAPE(1)}, -2, 2});
    check(&(problem){"prelu of a vector", prelu, 2, {KT_SHAPE(6), KT_SCALAR}, -2, 2});
    check(&(problem){"prelu of images", prelu, 2, {KT_SHAPE(2, 3, 2, 2), KT_SHAPE(3)}, -2, 2});
}

/* The square makes every second derivative something. */
static function  *inner;
static int        inputs;
static kt_tensor *gradients_of(kt_tensor **x)
{
    const bool was = kt_grad_enabled();
    kt_tensor *leaf[3] = {x[0], inputs > 1 ? x[1] : NULL, inputs > 2 ? x[2] : NULL}, *g = NULL;
    kt_set_grad_enabled(true);
    for (int i = 0; i < inputs && !was; i++) {
        leaf[i] = kt_detach(x[i]);
        kt_set_requires_grad(leaf[i], true);
    }
    kt_tensor *y = inner(leaf);
    if (!kt_backward(kt_sum(kt_mul(y, y)), .create_graph = true))
        g = kt_mul_s(kt_grad(leaf[0]), KT_INT(1));
    if (g && inputs > 1)
        g = kt_sum(kt_mul(g, g));
    for (int i = 1; g && i < inputs; i++)
        g = kt_add(g, kt_sum(kt_mul(kt_grad(leaf[i]), kt_grad(leaf[i]))));
    for (int i = 0; i < inputs; i++)
        kt_set_grad(leaf[i], NULL);
    kt_set_grad_enabled(was);
    return g;
}

TEST(second_derivatives)
{
    inputs = 1;
    for (int i = 0; i < N; i++) {
        inner = all[i].f;
        if (all[i].twice)
            check(&(problem){all[i].name, gradients_of, 1, {KT_SHAPE(2, 4)}, -2, 2});
    }
    inputs = 2;
    inner = prelu;
    check(&(problem){"prelu", gradients_of, 2, {KT_SHAPE(4, 3), KT_SHAPE(3)}, -2, 2});
}

/* ---- names ---- */
static kt_tensor *leaf_of(kt_dtype dtype)
{
    kt_tensor *x = kt_linspace(KT_INT(-3), KT_INT(4), 8, .dtype = dtype);
    kt_set_requires_grad(x, true);
    return x;
}

TEST(nodes_are_named_as_in_pytorch)
{
    KT_SCOPE;
    kt_tensor *x = leaf_of(KT_F32), *m = kt_reshape(x, KT_SHAPE(2, 4));
    const struct {
        kt_tensor  *y;
        const char *name, *second; /* of the gradient, made with a graph */
    } cases[] = {
        {kt_gelu(x), "GeluBackward0", "GeluBackwardBackward0"},
        {kt_silu(x), "SiluBackward0", "MulBackward0"},
        {kt_mish(x), "MishBackward0", "MulBackward0"},
        {kt_tanh(x), "TanhBackward0", "TanhBackwardBackward0"},
        {kt_sigmoid(x), "SigmoidBackward0", "SigmoidBackwardBackward0"},
        {kt_elu(x), "EluBackward0", "EluBackwardBackward0"},
        {kt_celu(x), "CeluBackward0", "EluBackwardBackward0"},
        {kt_selu(x), "EluBackward0", "EluBackwardBackward0"},
        {kt_leaky_relu(x), "LeakyReluBackward0", "LeakyReluBackwardBackward0"},
        {kt_hardtanh(x), "HardtanhBackward0", "HardtanhBackwardBackward0"},
        {kt_relu6(x), "HardtanhBackward0", "HardtanhBackwardBackward0"},
        {kt_hardsigmoid(x), "HardsigmoidBackward0", "NotImplemented"},
        {kt_hardswish(x), "HardswishBackward0", "HardswishBackwardBackward0"},
        {kt_hardshrink(x), "HardshrinkBackward0", "HardshrinkBackwardBackward0"},
        {kt_softshrink(x), "SoftshrinkBackward0", "SoftshrinkBackwardBackward0"},
        {kt_softplus(x), "SoftplusBackward0", "SoftplusBackwardBackward0"},
        {kt_log_sigmoid(x), "LogSigmoidBackward0", "LogSigmoidBackwardBackward0"},
        {kt_threshold(x, KT_INT(0), KT_INT(1)), "ThresholdBackward0", "ThresholdBackwardBackward0"},
        {kt_relu(x), "ReluBackward0", "ThresholdBackwardBackward0"},
        {kt_glu(x), "GluBackward0", "GluBackwardBackward0"},
        {kt_prelu(x, kt_ones(KT_SHAPE(1))), "PreluKernelBackward0", "PreluKernelBackwardBackward0"},
        {kt_softsign(x), "DivBackward0", "AddBackward0"},
        {kt_tanhshrink(x), "SubBackward0", "AddBackward0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_STR(kt_grad_fn_name(cases[i].y), cases[i].name);
        kt_tensor *sum = kt_sum(cases[i].y), *grad = NULL;
        CHECK(!kt_gradients(&sum, NULL, 1, &x, 1, &(kt_gradients_opts){.size = sizeof(kt_gradients_opts), .create_graph = true},
                            &grad));
        CHECK_STR(kt_grad_fn_name(grad), cases[i].second);
        kt_drop(grad);
    }
    CHECK_STR(kt_grad_fn_name(kt_elu_(WRITTEN(m))), "EluBackward1");
    CHECK_STR(kt_grad_fn_name(kt_celu_(WRITTEN(m))), "CeluBackward1");
    CHECK_STR(kt_grad_fn_name(kt_selu_(WRITTEN(m))), "EluBackward1");
    CHECK_STR(kt_grad_fn_name(kt_leaky_relu_(WRITTEN(m))), "LeakyReluBackward1");
    CHECK_STR(kt_grad_fn_name(kt_threshold_(WRITTEN(m), KT_INT(0), KT_INT(0))), "ThresholdBackward1");
    CHECK_STR(kt_grad_fn_name(kt_hardtanh_(WRITTEN(m))), "HardtanhBackward0");
    CHECK_STR(kt_grad_fn_name(kt_hardswish_(WRITTEN(m))), "HardswishBackward0");
}

/* ---- what PyTorch refuses ---- */
TEST(results_that_cannot_tell)
{
    KT_SCOPE;
    kt_tensor *x = leaf_of(KT_F32);
    CHECK_FAILS(kt_backward(kt_sum(kt_elu_(WRITTEN(x), .alpha = KT_INT(-1)))), KT_ERR_RUNTIME,
                "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by "
                "calling in-place forward function with a negative slope, please call out-of-place version instead.");
    CHECK_FAILS(kt_backward(kt_sum(kt_leaky_relu_(WRITTEN(x), .negative_slope = KT_INT(-1)))), KT_ERR_RUNTIME,
                "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is "
                "caused by calling in-place forward function with a negative slope, please call out-of-place version instead. "
                "File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
                "calculation with negative slope");
    kt_tensor *y = kt_elu_(WRITTEN(x)); /* the result is what its slope is told by: it may not change */
    kt_mul_s_(y, KT_INT(2));
    CHECK(kt_backward(kt_sum(y)) == KT_ERR_RUNTIME && strstr(kt_error(), "output 0 of EluBackward1") != NULL);
    kt_clear();
    kt_tensor *z = kt_hardtanh_(WRITTEN(x)); /* here it was kept apart */
    kt_mul_s_(z, KT_INT(2));
    CHECK(!kt_backward(kt_sum(z)));
}

TEST(complex_silu)
{
    KT_SCOPE;
    kt_tensor *x = leaf_of(KT_C64);
    CHECK_FAILS(kt_silu(x), KT_ERR_RUNTIME,
                "silu does not support automatic differentiation for outputs with complex dtype.");
    KT_NO_GRAD;
    CHECK(kt_silu(x) != NULL);
}
