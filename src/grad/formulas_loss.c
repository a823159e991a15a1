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

const kt__formula_row kt__formulas_loss[] = {
    F(softmax_along), F(log_softmax_along), F(softmax_backward_data), F(log_softmax_backward_data),
    KT__NO_MORE_FORMULAS,
};
