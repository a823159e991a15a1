/* formulas_loss.c - the derivatives of softmax and of the losses. What flows back is an operator of its own where it is one in
 * PyTorch, so that it has a derivative in turn. */
#include "grad/formula.h"

/* ---- softmax ---- */

#define ALONG KT_SHAPE(arg(c, 2)->i)
static kt_tensor *summed(const kt__back *c, kt_tensor *t)
{
    return t && kt_ndim(t) ? kt_sum_dim(t, ALONG, .keepdim = true) : t;
}

static kt_dtype dtype_of(const kt_tensor *t) { return t ? kt_dtype_of(t) : KT_NONE; }

GRAD(softmax_along)     { dA = kt_softmax_backward_data(G, Y, arg(c, 1)->i, dtype_of(G)); }
GRAD(log_softmax_along) { dA = kt_log_softmax_backward_data(G, Y, arg(c, 1)->i, dtype_of(G)); }

/* y (g - sum of g y): linear in g, so that its gradient takes the same way. */
GRAD(softmax_backward_data)
{
    dA = kt_softmax_backward_data(G, B, arg(c, 2)->i, dtype_of(G));
    if (!need(c, 1))
        return;
    kt_tensor *g = A, *y = B;
    kt_tensor *of_itself = kt_mul(G, kt_sub(g, summed(c, kt_mul(g, y))));
    dB = kt_sub(of_itself, kt_mul(g, summed(c, kt_mul(G, y))));
}

/* g - e^y sum of g */
GRAD(log_softmax_backward_data)
{
    kt_tensor *weighed = kt_mul(G, kt_exp(B));
    dA = kt_sub(G, summed(c, weighed));
    dB = kt_neg(kt_mul(weighed, summed(c, A)));
}

/* ---- distances of each element ---- */

#define REDUCTION (arg(c, 2)->i)
#define BEND      (arg(c, 3)->f)
GRAD(mse_loss)
{
    dA = kt_mse_loss_backward(G, A, B, .reduction = REDUCTION);
    dB = kt_mse_loss_backward(G, B, A, .reduction = REDUCTION);
}
GRAD(smooth_l1_loss)
{
    dA = kt_smooth_l1_loss_backward(G, A, B, .reduction = REDUCTION, .beta = KT_SOME(BEND));
    dB = kt_smooth_l1_loss_backward(G, B, A, .reduction = REDUCTION, .beta = KT_SOME(BEND));
}
GRAD(huber_loss)
{
    dA = kt_huber_loss_backward(G, A, B, .reduction = REDUCTION, .delta = KT_SOME(BEND));
    dB = kt_huber_loss_backward(G, B, A, .reduction = REDUCTION, .delta = KT_SOME(BEND));
}

/* The backward rows take the gradient first. They are linear in it, and as steep in input and target as the square is. */
static kt_tensor *steepness(kt__back *c, double curve)
{
    const kt_tensor *x = B;
    const bool       mean = arg(c, 3)->i == 1;
    return x ? kt_mul_s(kt_mul(G, A), KT_FLOAT(mean ? curve / (double)kt_numel(x) : curve)) : NULL;
}
static kt_tensor *where_it_bends(kt__back *c, kt_tensor *steep)
{
    kt_tensor *size = kt_abs(kt_sub(B, C));
    return kt_where_s(kt_lt_s(size, KT_FLOAT(arg(c, 4)->f)), steep, KT_INT(0));
}
GRAD(mse_loss_backward)
{
    dA = kt_mse_loss_backward(G, B, C, .reduction = arg(c, 3)->i);
    kt_tensor *steep = steepness(c, 2);
    dB = steep;
    dC = kt_neg(steep);
}
GRAD(smooth_l1_loss_backward)
{
    dA = kt_smooth_l1_loss_backward(G, B, C, .reduction = arg(c, 3)->i, .beta = KT_SOME(arg(c, 4)->f));
    kt_tensor *steep = where_it_bends(c, steepness(c, 1 / arg(c, 4)->f));
    dB = steep;
    dC = kt_neg(steep);
}
GRAD(huber_loss_backward)
{
    dA = kt_huber_loss_backward(G, B, C, .reduction = arg(c, 3)->i, .delta = KT_SOME(arg(c, 4)->f));
    kt_tensor *steep = where_it_bends(c, steepness(c, 1));
    dB = steep;
    dC = kt_neg(steep);
}

const kt__formula_row kt__formulas_loss[] = {
    F(softmax_along), F(log_softmax_along), F(softmax_backward_data), F(log_softmax_backward_data), F(mse_loss),
    F(smooth_l1_loss), F(huber_loss), F(mse_loss_backward), F(smooth_l1_loss_backward), F(huber_loss_backward),
    KT__NO_MORE_FORMULAS,
};
