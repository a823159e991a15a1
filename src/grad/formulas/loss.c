/* loss.c - derivatives of softmax and of the losses. The backward is an operator where it is one in PyTorch, so that it
 * has a derivative too. */
#include "grad/formula.h"
#include "ops/loss/loss.h"

/* ---- softmax ---- */

#define ALONG KT_SHAPE(arg(c, 2)->i)
static kt_tensor *summed(const kt_back *c, kt_tensor *t)
{
    return t && kt_ndim(t) ? kt_sum_dim(t, ALONG, .keepdim = true) : t;
}

static kt_dtype dtype_of(const kt_tensor *t) { return t ? kt_dtype_of(t) : KT_NONE; }

GRAD(softmax_along)     { dA = kt_softmax_backward_data(G, Y, arg(c, 1)->i, dtype_of(G)); }
GRAD(log_softmax_along) { dA = kt_log_softmax_backward_data(G, Y, arg(c, 1)->i, dtype_of(G)); }

/* y (g - sum of g y): linear in g, so its gradient has the same form. */
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

/* ---- elementwise losses ---- */

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

/* The backward rows take the gradient first. They are linear in it; in input and target they have the second derivative
 * of the loss. */
static kt_tensor *steepness(const kt_back *c, double curve)
{
    const kt_tensor *x = B;
    const bool       mean = arg(c, 3)->i == 1;
    return x ? kt_mul_s(kt_mul(G, A), KT_FLOAT(mean ? curve / (double)kt_numel(x) : curve)) : NULL;
}
static kt_tensor *where_it_bends(const kt_back *c, kt_tensor *steep)
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

/* ---- class indices: the gradient reaches the target class, times its weight ---- */

/* Zeros like the input. As in PyTorch the gradient depends on the input in the graph, though its value does not. */
static kt_tensor *of_nothing(const kt_back *c)
{
    kt_tensor *x = A;
    return c->create_graph && kt_requires_grad(x) ? kt_zero_(kt_clone(x, .memory_format = KT_CONTIGUOUS_FORMAT))
                                             : kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
}

/* What reaches the log likelihood of each place's class; NULL: an error is pending. */
static kt_tensor *of_each(const kt_back *c, kt__classes *of)
{
    kt_tensor     *weight = given(c, 2) ? C : NULL, *target = B, *g = G;
    const kt_dtype wide = kt_dtype_of(G) == KT_F64 ? KT_F64 : KT_F32;
    if (!target || !kt__classes_of(target, weight, arg(c, 4)->i, kt_dtype_of(G), of))
        return NULL;
    if (arg(c, 3)->i == REDUCE_MEAN) /* narrow floats cannot represent large counts */
        g = kt_true_divide(g, kt_sum(kt__converted_inside(of->count, wide, KT_WHY_GRADIENT)));
    /* a shared count divides in the wide dtype; of one place alone (a 0-dim count) nothing has brought it back */
    g = kt__converted_inside(kt_neg(kt_mul(g, of->count)), kt_dtype_of(G), KT_WHY_GRADIENT);
    return kt_where_s(of->valid, g, KT_INT(0));
}

GRAD(nll_loss)
{
    const int64_t dim = in_sizes(c, 0).n > 1;
    kt__classes   of;
    kt_tensor    *g = of_each(c, &of);
    if (!g)
        return;
    kt_tensor *none = of_nothing(c);
    kt_tensor *at = dim ? kt_unsqueeze(of.index, dim) : kt_reshape(of.index, KT_SHAPE(1));
    kt_tensor *what = dim ? kt_unsqueeze(g, dim) : kt_reshape(g, KT_SHAPE(1));
    c->d[0] = c->create_graph ? kt_scatter(none, dim, at, what)
                              : kt_scatter_(room_for(room_for(none, at), what), dim, at, what);
}

/* What has a gradient itself is made of nll_loss's and log_softmax's. */
GRAD(cross_entropy)
{
    kt__classes of;
    kt_tensor  *g = G ? of_each(c, &of) : NULL;
    if (!g)
        return;
    if (!goes_on(c)) {
        dA = kt_cross_entropy_backward(g, A, of.index, Z, RESULT(2));
        return;
    }
    kt_tensor *each = kt_scatter(kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G)), 1,
                                 kt_unsqueeze(of.index, 1), kt_unsqueeze(g, 1));
    dA = kt_log_softmax_backward_data(each, kt_log_softmax(A, 1, .dtype = dtype_of(each)), 1, dtype_of(each));
}
GRAD_MISSING(cross_entropy_backward)

GRAD(mul_by_number)
{
    dA = number(c, 1) ? kt_mul_by_number_s(G, factor(c, 1)) : kt_mul(G, conjugate(B));
    dB = kt_mul(G, conjugate(A));
}
GRAD(div_by_number)
{
    dA = number(c, 1) ? kt_div_by_number_s(G, factor(c, 1)) : kt_true_divide(G, conjugate(B));
    dB = kt_neg(kt_mul(G, conjugate(kt_true_divide(kt_true_divide(A, B), B))));
}

/* ---- probabilities ---- */

/* The gradient of each element of a reduced loss. */
static kt_tensor *shared_by(kt_tensor *g, int64_t reduction, const kt_tensor *x)
{
    return reduction == REDUCE_MEAN && x ? kt_true_divide_s(g, KT_INT(kt_numel(x))) : g;
}

GRAD(binary_cross_entropy)
{
    kt_tensor *x = A, *t = B, *g = shared_by(G, arg(c, 3)->i, x);
    if (given(c, 2))
        g = kt_mul(g, C);
    dA = kt_true_divide(kt_mul(g, kt_sub(x, t)), kt_clamp_min_s(kt_mul(kt_rsub_s(x, KT_INT(1)), x), KT_FLOAT(1e-12)));
    dB = kt_mul(g, kt_sub(kt_log1p(kt_neg(x)), kt_log(x)));
}

/* Input, target, weight, pos_weight. */
GRAD(bce_logits)
{
    kt_tensor *t[4];
    for (int i = 0; i < 4; i++)
        t[i] = L(i);
    /* The loss has the target's dtype, which may be narrower than the slopes'. */
    kt_tensor     *x = t[0], *y = t[1];
    const kt_dtype wide = x ? kt_promote_types(dtype_of(G), dtype_of(x)) : dtype_of(G);
    kt_tensor     *g = shared_by(kt__converted_inside(G, wide, KT_WHY_GRADIENT), arg(c, 1)->i, x);
    if (t[2])
        g = kt_mul(g, t[2]);
    if (!t[3]) {
        dA = kt_mul(kt_sub(kt_sigmoid(x), y), g);
        dB = kt_mul(kt_neg(x), g);
        return;
    }
    kt_tensor *more = kt_sub_s(t[3], KT_INT(1)), *heavier = kt_add_s(kt_mul(more, y), KT_INT(1));
    kt_tensor *none = x ? kt_zeros(KT_SCALAR, .dtype = kt_dtype_of(x), .device = kt_device_of(x)) : NULL;
    dA = kt_mul(g, kt_sub(kt_rsub_s(y, KT_INT(1)), kt_mul(heavier, kt_sigmoid(kt_neg(x)))));
    dB = kt_mul(g, kt_sub(kt_mul(more, kt_logaddexp(kt_neg(x), none)), x));
}

/* ---- rows that share another's derivative ---- */
GRAD_AS(nll_loss2d, nll_loss)

/* ---- margins ---- */
GRAD(multi_margin_loss)
{
    kt_tensor *weight = given(c, 4) ? C : NULL;
    dA = kt_multi_margin_loss_backward(G, A, B, arg(c, 2)->s, arg(c, 3)->s, .weight = weight, .reduction = KT_SOME(arg(c, 5)->i));
}
GRAD(multilabel_margin_loss) { dA = kt_multilabel_margin_loss_backward(G, A, B, REDUCTION); }
GRAD(soft_margin_loss)       { dA = kt_soft_margin_loss_backward(G, A, B, REDUCTION); }
GRAD_MISSING(multi_margin_loss_backward)
GRAD_MISSING(multilabel_margin_loss_backward)

/* -t z / (z + 1) times the gradient, z = e^(-t x): linear in the gradient; in x it has the slope t^2 z / (z + 1)^2. */
GRAD(soft_margin_loss_backward)
{
    kt_tensor *x = B, *t = C;
    dA = kt_soft_margin_loss_backward(G, B, C, arg(c, 3)->i);
    if (!need(c, 1))
        return;
    kt_tensor *z = kt_exp(kt_neg(kt_mul(t, x))), *more = kt_add_s(z, KT_INT(1));
    kt_tensor *curve = kt_true_divide(kt_mul(kt_mul(t, t), z), kt_mul(more, more));
    dB = shared_by(kt_mul(kt_mul(G, A), curve), arg(c, 3)->i, x);
}
