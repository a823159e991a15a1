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
static function  *inner_function;
static kt_tensor *gradient_of(kt_tensor **x)
{
    const bool was = kt_grad_enabled();
    kt_set_grad_enabled(true);
    kt_tensor *leaf = was ? x[0] : kt_detach(x[0]), *in[MOST_INPUTS] = {leaf, x[1], x[2]}, *g = NULL;
    if (!was)
        kt_set_requires_grad(leaf, true);
    kt_tensor *y = inner_function(in);
    if (!kt_backward(kt_sum(kt_mul(y, y)), .create_graph = true))
        g = kt_mul_s(kt_grad(leaf), KT_INT(1));
    kt_set_grad(leaf, NULL);
    kt_set_grad_enabled(was);
    return g;
}

static void check_twice(const problem *p)
{
    inner_function = p->f;
    problem second = *p;
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

/* The nodes that PyTorch makes: a conversion is one of its own. */
TEST(nodes)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3));
    kt_set_requires_grad(x, true);
    CHECK_STR(kt_grad_fn_name(kt_softmax(x, 1)), "SoftmaxBackward0");
    CHECK_STR(kt_grad_fn_name(kt_log_softmax(x, 1)), "LogSoftmaxBackward0");
    kt_tensor *wide = kt_softmax(x, 1, .dtype = KT_F64);
    CHECK_EQ_INT(kt_dtype_of(wide), KT_F64);
    kt_node *node = kt_grad_fn(wide), *before = kt_node_input(node, 0, NULL);
    CHECK_STR(kt_node_name(before), "ToCopyBackward0");
    kt_node_drop(before);
    kt_node_drop(node);
    CHECK(kt_backward(kt_sum(kt_mul(wide, wide))) == KT_OK);
    CHECK_EQ_INT(kt_dtype_of(kt_grad(x)), KT_F32);
}
