/* loss.c - the derivatives of softmax, of the losses and of what flows back through them, against central differences in
 * float64. */
#include "support/differences.h"

F(soft, kt_softmax(x[0], 1))
F(soft_first, kt_softmax(x[0], 0))
F(log_soft, kt_log_softmax(x[0], 1))
F(log_soft_first, kt_log_softmax(kt_t(x[0]), 0))
F(soft_min, kt_nn_softmin(x[0], .dim = KT_SOME(0)))
F(soft_scalar, kt_mul(kt_softmax(x[0], 0), x[0]))
F(soft_cast, kt_softmax(x[0], 1, .dtype = KT_F64))
F(soft_back, kt_softmax_backward_data(x[0], x[1], 1, KT_F64))
F(log_soft_back, kt_log_softmax_backward_data(x[0], x[1], 0, KT_F64))

/* The gradient of a function of its first input, so that what flows back is differentiated in turn. */
static problem    inner;
static kt_tensor *gradient_of(kt_tensor **x)
{
    const bool was = kt_grad_enabled();
    kt_set_grad_enabled(true);
    kt_tensor *leaf = was ? x[0] : kt_detach(x[0]), *in[MOST_INPUTS] = {leaf}, *g = NULL;
    for (int i = 1; i < inner.n; i++)
        in[i] = x[i];
    if (!was)
        kt_set_requires_grad(leaf, true);
    kt_tensor *y = inner.f(in);
    if (!kt_backward(kt_sum(kt_mul(y, y)), .create_graph = true))
        g = kt_mul_s(kt_grad(leaf), KT_INT(1));
    for (int i = 0; i < inner.n; i++)
        kt_set_grad(in[i], NULL); /* what arrived so far is not what is compared */
    kt_set_grad_enabled(was);
    return g;
}

static void check_twice(const problem *p)
{
    problem second = inner = *p;
    second.f = gradient_of;
    check(&second);
}

TEST(softmax)
{
    const problem problems[] = {
        ONE(soft, 3, 4),     ONE(soft_first, 3, 4), ONE(log_soft, 3, 4), ONE(log_soft_first, 3, 4), ONE(soft_min, 3, 4),
        ONE(soft_cast, 3, 4), {"soft_scalar", soft_scalar, 1, {KT_SCALAR}, 0, 0},
        TWO(soft_back, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
        TWO(log_soft_back, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        check(&problems[i]);
    for (int i = 0; i < 6; i++)
        check_twice(&problems[i]);
}

/* Inputs from 0.2 to 0.8 lie up to 0.6 apart: on either side of each bend. */
F(squares, kt_mse_loss(x[0], x[1], .reduction = KT_SOME(0)))
F(square_mean, kt_nn_mse_loss(x[0], x[1]))
F(square_sum, kt_nn_mse_loss(x[0], x[1], .reduction = "sum"))
F(square_spread, kt_nn_mse_loss(x[0], x[1]))
F(sizes, kt_nn_l1_loss(x[0], x[1], .reduction = "none"))
F(smooth, kt_nn_smooth_l1_loss(x[0], x[1], .beta = KT_SOME(0.2)))
F(smooth_each, kt_nn_smooth_l1_loss(x[0], x[1], .beta = KT_SOME(0.3), .reduction = "none"))
F(huber, kt_nn_huber_loss(x[0], x[1], .delta = KT_SOME(0.2)))
F(huber_each, kt_nn_huber_loss(x[0], x[1], .delta = KT_SOME(0.3), .reduction = "none"))
F(weighed, kt_nn_huber_loss(x[0], x[1], .delta = KT_SOME(0.2), .weight = x[2]))
F(squares_weighed, kt_nn_mse_loss(x[0], x[1], .weight = x[2]))

TEST(distances)
{
    const problem problems[] = {
        TWO(squares, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),     TWO(square_mean, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
        TWO(square_sum, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),  TWO(square_spread, KT_SHAPE(3, 4), KT_SHAPE(4)),
        TWO(smooth, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),      TWO(smooth_each, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
        TWO(huber, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),       TWO(huber_each, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
        TWO(sizes, KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
        THREE(weighed, KT_SHAPE(3, 4), KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
        THREE(squares_weighed, KT_SHAPE(3, 4), KT_SHAPE(3, 4), KT_SHAPE(3, 4)),
    };
    const int n = sizeof problems / sizeof *problems;
    for (int i = 0; i < n; i++)
        check(&problems[i]);
    for (int i = 0; i < 8; i++)
        check_twice(&problems[i]);
}

static kt_tensor *classes(void)
{
    static const int64_t named[] = {2, -100, 0};
    return kt_from(named, KT_SHAPE(3), KT_I64);
}
static kt_tensor *pixels(void) { return kt_reshape(kt_from((int64_t[]){2, 1, 0, 0}, KT_SHAPE(4), KT_I64), KT_SHAPE(1, 2, 2)); }
static kt_tensor *by_class(void) { return kt_from((double[]){1, 2, 0.5}, KT_SHAPE(3), KT_F64); }

F(nll, kt_nn_nll_loss(x[0], classes(), .weight = by_class()))
F(nll_each, kt_nn_nll_loss(x[0], classes(), .reduction = "none"))
F(nll_sum, kt_nn_nll_loss(x[0], classes(), .reduction = "sum"))
F(nll_alone, kt_nn_nll_loss(x[0], kt_select(classes(), 0, 0)))
F(nll_image, kt_nn_nll_loss(x[0], pixels(), .weight = by_class()))
F(entropy, kt_nn_cross_entropy(x[0], classes()))
F(entropy_smooth, kt_nn_cross_entropy(x[0], classes(), .weight = by_class(), .label_smoothing = 0.2))
F(entropy_shares, kt_nn_cross_entropy(x[0], x[1], .weight = by_class(), .label_smoothing = 0.2))
F(entropy_line, kt_nn_cross_entropy(kt_reshape(x[0], KT_SHAPE(1, 3, 4)), kt_reshape(pixels(), KT_SHAPE(1, 4)),
                                    .reduction = "none"))
F(by_number, kt_div_by_number_s(x[0], KT_FLOAT(3)))
F(by_tensor, kt_div_by_number(x[0], x[1]))
F(binary, kt_nn_binary_cross_entropy(x[0], x[1], .weight = by_class()))
F(binary_each, kt_nn_binary_cross_entropy(x[0], x[1], .reduction = "none"))
F(of_logits, kt_nn_binary_cross_entropy_with_logits(x[0], x[1]))
F(of_logits_heavy, kt_nn_binary_cross_entropy_with_logits(x[0], x[1], .weight = by_class(), .pos_weight = by_class(),
                                                          .reduction = "sum"))
F(divergence, kt_nn_kl_div(x[0], x[1], .reduction = "batchmean"))
F(divergence_logs, kt_nn_kl_div(x[0], x[1], .reduction = "none", .log_target = true))

TEST(classes_and_probabilities)
{
    const problem problems[] = {
        ONE(nll, 3, 3),     ONE(nll_each, 3, 3), ONE(nll_sum, 3, 3),        ONE(nll_alone, 3), ONE(nll_image, 1, 3, 2, 2),
        ONE(entropy, 3, 3), ONE(entropy_line, 12), ONE(entropy_smooth, 3, 3),
        TWO(entropy_shares, KT_SHAPE(3, 3), KT_SHAPE(3, 3)),
        ONE(by_number, 2, 3),
        TWO(by_tensor, KT_SHAPE(2, 3), KT_SHAPE(3)),
        TWO(binary, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        TWO(binary_each, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        TWO(of_logits, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        TWO(of_logits_heavy, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        TWO(divergence, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        TWO(divergence_logs, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
    };
    const int n = sizeof problems / sizeof *problems;
    for (int i = 0; i < n; i++) {
        check(&problems[i]);
        check_twice(&problems[i]);
    }
}

/* More elements than float16 can count. */
TEST(means_of_many)
{
    KT_SCOPE;
    enum { MANY = 70000 };
    kt_tensor *x = kt_ones(KT_SHAPE(MANY, 2), .dtype = KT_F16), *y = kt_zeros(KT_SHAPE(MANY), .dtype = KT_I64);
    kt_set_requires_grad(x, true);
    kt_tensor *loss = kt_nn_nll_loss(x, y);
    CHECK_NEAR(tensor_at(loss, 0), -1, 1e-3);
    CHECK(kt_backward(loss) == KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), -1.0 / MANY, 1e-7);
    CHECK_NEAR(tensor_at(kt_grad(x), 1), 0, 0);
}

/* What PyTorch finds out only on the way back, in its words. */
TEST(mixed_dtypes)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 2)), *wide = kt_ones(KT_SHAPE(2, 2), .dtype = KT_F64);
    kt_tensor *whole = kt_ones(KT_SHAPE(2, 2), .dtype = KT_I64);
    kt_set_requires_grad(x, true);
    kt_tensor *mse = kt_nn_mse_loss(x, wide), *huber = kt_nn_huber_loss(x, wide);
    CHECK_EQ_INT(kt_dtype_of(mse), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(huber), KT_F32);
    CHECK_FAILS(kt_backward(mse), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK_FAILS(kt_backward(huber), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK_FAILS(kt_backward(kt_nn_mse_loss(x, whole)), KT_ERR_RUNTIME, "Found dtype Long but expected Float");
    CHECK_FAILS(kt_backward(kt_nn_mse_loss(wide, x)), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK(kt_backward(kt_nn_smooth_l1_loss(x, wide)) == KT_OK);
    CHECK(kt_backward(kt_nn_l1_loss(x, whole)) == KT_OK);
    CHECK_EQ_INT(kt_dtype_of(kt_grad(x)), KT_F32);
}

/* The nodes that PyTorch makes: a conversion is one of its own. */
TEST(nodes)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3));
    kt_set_requires_grad(x, true);
    CHECK_STR(kt_grad_fn_name(kt_softmax(x, 1)), "SoftmaxBackward0");
    CHECK_STR(kt_grad_fn_name(kt_log_softmax(x, 1)), "LogSoftmaxBackward0");
    CHECK_STR(kt_grad_fn_name(kt_nn_mse_loss(x, kt_zeros_like(x))), "MseLossBackward0");
    CHECK_STR(kt_grad_fn_name(kt_nn_smooth_l1_loss(x, kt_zeros_like(x))), "SmoothL1LossBackward0");
    CHECK_STR(kt_grad_fn_name(kt_nn_smooth_l1_loss(x, kt_zeros_like(x), .beta = KT_SOME(0.0))), "MeanBackward0");
    CHECK_STR(kt_grad_fn_name(kt_nn_huber_loss(x, kt_zeros_like(x), .reduction = "none")), "HuberLossBackward0");
    kt_tensor *y = kt_zeros(KT_SHAPE(2), .dtype = KT_I64), *half = kt_full(KT_SHAPE(2, 3), KT_FLOAT(0.5));
    CHECK_STR(kt_grad_fn_name(kt_nn_cross_entropy(x, y)), "NllLossBackward0");
    CHECK_STR(kt_grad_fn_name(kt_nn_cross_entropy(x, half)), "DivBackward1");
    CHECK_STR(kt_grad_fn_name(kt_nn_nll_loss(kt_reshape(x, KT_SHAPE(1, 6, 1, 1)), kt_zeros(KT_SHAPE(1, 1, 1), .dtype = KT_I64))),
              "NllLoss2DBackward0");
    CHECK_STR(kt_grad_fn_name(kt_nn_binary_cross_entropy(x, half)), "BinaryCrossEntropyBackward0");
    CHECK_STR(kt_grad_fn_name(kt_nn_binary_cross_entropy_with_logits(x, half)), "BinaryCrossEntropyWithLogitsBackward0");
    kt_tensor *wide = kt_softmax(x, 1, .dtype = KT_F64);
    CHECK_EQ_INT(kt_dtype_of(wide), KT_F64);
    kt_node *node = kt_grad_fn(wide), *before = kt_node_input(node, 0, NULL);
    CHECK_STR(kt_node_name(before), "ToCopyBackward0");
    kt_node_drop(before);
    kt_node_drop(node);
    CHECK(kt_backward(kt_sum(kt_mul(wide, wide))) == KT_OK);
    CHECK_EQ_INT(kt_dtype_of(kt_grad(x)), KT_F32);
}
