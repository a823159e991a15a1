/* norm.c - the derivatives of norms. What flows back is an operator, so that it has a derivative too; that one is written with
 * operators. In it the statistics are functions of the input, though the graph does not record them as such. */
#include "grad/formula.h"
#include "ops/norm/norm.h"

/* A half is computed with in float32: a formula must not round at every step. */
static kt_tensor *widened(kt_tensor *t)
{
    return t ? kt__converted_inside(t, kt__wide_dtype((kt_dtype)t->dtype), KT_WHY_GRADIENT) : NULL;
}

static kt_tensor *plus(kt_tensor *a, kt_tensor *b) { return !a ? b : !b ? a : kt_add(a, b); }

/* ---- over the last dims: (input, normalized_shape, weight, bias, eps) and (input, normalized_shape, weight, eps) ---- */

GRAD(native_layer_norm)
{
    kt_tensor     *of[3] = {NULL}, *statistics[] = {RESULT(1), RESULT(2)}, *weight = given(c, 2) ? B : NULL;
    const int64_t  wanted[] = {need(c, 0), need(c, 1), need(c, 2)};
    const kt_shape mask = {3, wanted};
    if (!kt__layer_norm_back(KT_OP_native_layer_norm_backward, G, A, weight, statistics, 2, arg(c, 1)->ints, mask, of))
        return;
    dA = of[0];
    dB = of[1];
    dC = of[2];
}

GRAD(fused_rms_norm)
{
    kt_tensor     *of[2] = {NULL}, *statistics[] = {RESULT(1)}, *weight = given(c, 2) ? B : NULL;
    const int64_t  wanted[] = {need(c, 0), need(c, 1)};
    const kt_shape mask = {2, wanted};
    if (!kt__layer_norm_back(KT_OP_fused_rms_norm_backward, G, A, weight, statistics, 1, arg(c, 1)->ints, mask, of))
        return;
    dA = of[0];
    dB = of[1];
}

/* ---- groups of channels: (input, weight, bias, running, training, momentum, eps) and (..., N, C, HxW, group, eps) ---- */

GRAD(batch_norm_node)
{
    const bool     train = arg(c, 4)->b;
    kt_tensor     *weight = given(c, 1) ? B : NULL, *mean = train ? RESULT(1) : L(0), *rstd = train ? RESULT(2) : NULL;
    const int64_t  wanted[] = {need(c, 0), need(c, 1), need(c, 2)};
    if (!train)
        rstd = kt_rsqrt(kt_add_s(widened(L(1)), KT_FLOAT(arg(c, 6)->f)));
    if (!mean || !rstd)
        return;
    const kt_native_batch_norm_backward_results of =
        kt_native_batch_norm_backward(G, A, weight, (kt_tensor *[]){mean, rstd}, 2, train, ((kt_shape){3, wanted}));
    dA = of.result;
    dB = of.of_weight;
    dC = of.of_bias;
}

GRAD_AS(batch_norm_legit_node, batch_norm_node)
GRAD_AS(batch_norm_alone_node, batch_norm_node)
GRAD_AS(batch_norm_given_node, batch_norm_node)

GRAD(native_group_norm)
{
    kt_tensor    *input = A, *weight = given(c, 1) ? B : NULL, *statistics[] = {RESULT(1), RESULT(2)};
    const int64_t wanted[] = {need(c, 0), need(c, 1), need(c, 2)}, batch = arg(c, 3)->i, channels = arg(c, 4)->i;
    if (kt__failed() || !input)
        return;
    /* The input may have any dims, while the backward reads batch and channels off them. */
    const kt_shape sizes = kt__sizes(input), planes = KT_SHAPE(batch, channels, arg(c, 5)->i);
    const bool     told = sizes.n >= 2 && sizes.d[0] == batch && sizes.d[1] == channels;
    const kt_native_group_norm_backward_results of =
        kt_native_group_norm_backward(told ? G : kt_reshape(G, planes), told ? input : kt_reshape(input, planes), weight,
                                      statistics, 2, arg(c, 6)->i, ((kt_shape){3, wanted}));
    dA = of.result && !told ? kt_reshape(of.result, sizes) : of.result;
    dB = of.of_weight;
    dC = of.of_bias;
}

/* ---- second derivatives: (grad_out, input, weight, statistics, how, output_mask) ----
 *
 * With h = (x - mean) rstd, g = grad_out w and J v = rstd (v - average of v - h average of v h), which is symmetric, the row
 * gives J g, sums of grad_out h, and sums of grad_out. (A norm by the root of the mean square has no averages of v alone; of
 * given statistics there are none at all.) All operands are seen in dims in which averages and weights are broadcast. */

typedef struct second {
    bool       centred, constant;
    kt_tensor *grad, *x, *weight, *rstd, *hat;
    kt_shape   seen, of_weight; /* sizes of x, and of weights and statistics beside it; none: as they are */
    int64_t    dims[KT_MAX_DIMS];
    int        n_dims;
} second;

static kt_tensor *as_seen(kt_tensor *t, kt_shape sizes) { return t && sizes.n ? kt_reshape(widened(t), sizes) : widened(t); }

static kt_tensor *average(const second *s, kt_tensor *v)
{
    return kt_mean_dim(v, ((kt_shape){s->n_dims, s->dims}), .keepdim = true);
}

static kt_tensor *flowed(const second *s, kt_tensor *v)
{
    if (s->constant)
        return kt_mul(v, s->rstd);
    kt_tensor *rest = kt_sub(v, kt_mul(s->hat, average(s, kt_mul(v, s->hat))));
    return kt_mul(s->centred ? kt_sub(rest, average(s, v)) : rest, s->rstd);
}

/* The statistics are made from x again if derivatives go on: rstd is (variance + eps)^-1/2, and what is there shows eps. */
static kt_tensor *as_functions(second *s)
{
    kt_tensor *mean = s->centred ? average(s, s->x) : NULL, *away = mean ? kt_sub(s->x, mean) : s->x;
    kt_tensor *variance = average(s, kt_mul(away, away)), *eps = kt_sub(kt_reciprocal(kt_mul(s->rstd, s->rstd)), variance);
    s->rstd = kt_rsqrt(kt_add(variance, eps ? kt_detach(eps) : NULL));
    return mean;
}

/* The operands, in the sizes that `s` says; statistics: mean (if there is one) and rstd. */
static bool second_of(second *s, const kt_back *c, kt_shape statistics)
{
    kt_tensor *rstd = L(s->centred ? 1 : 0), *mean = s->centred ? L(0) : NULL;
    s->grad = as_seen(A, s->seen), s->x = as_seen(B, s->seen), s->weight = given(c, 2) ? as_seen(C, s->of_weight) : NULL;
    s->rstd = as_seen(rstd, statistics);
    mean = as_seen(mean, statistics);
    if (!s->constant && s->x && kt__is_followed(s->x))
        mean = as_functions(s);
    s->hat = kt_mul(mean ? kt_sub(s->x, mean) : s->x, s->rstd);
    return !kt__failed() && s->hat;
}

/* Through h and rstd: to h flows `to_hat`; and to rstd the sum over the group of back * g - its averages' products. */
static kt_tensor *through_statistics(const second *s, kt_tensor *back, kt_tensor *of_weight)
{
    kt_tensor *g = s->weight ? kt_mul(s->grad, s->weight) : s->grad, *to_hat = NULL, *to_rstd = NULL;
    if (back && !s->constant) {
        kt_tensor *of_g = average(s, kt_mul(g, s->hat)), *of_back = average(s, kt_mul(back, s->hat));
        to_hat = kt_neg(kt_mul(s->rstd, kt_add(kt_mul(back, of_g), kt_mul(g, of_back))));
        to_rstd = kt_sub(average(s, kt_mul(back, g)), kt_mul(of_back, of_g));
        if (s->centred)
            to_rstd = kt_sub(to_rstd, kt_mul(average(s, back), average(s, g)));
    }
    if (of_weight)
        to_hat = plus(to_hat, kt_mul(of_weight, s->grad));
    kt_tensor *through = to_hat ? flowed(s, to_hat) : NULL;
    return to_rstd ? plus(through, kt_neg(kt_mul(kt_mul(to_rstd, kt_mul(s->rstd, s->rstd)), s->hat))) : through;
}

static kt_tensor *shaped(const kt_back *c, int i, kt_tensor *t) { return t ? kt_reshape(t, in_sizes(c, i)) : NULL; }

/* over: the dims in which a weight is broadcast, if the engine does not see that. */
static void second_derivatives(const kt_back *c, const second *s, kt_shape over)
{
    kt_tensor *back = as_seen(c->grads[0], s->seen), *of_weight = as_seen(c->grads[1], s->of_weight);
    kt_tensor *of_bias = s->centred ? as_seen(c->grads[2], s->of_weight) : NULL;
    kt_tensor *turned = back && (need(c, 0) || need(c, 2)) ? flowed(s, back) : NULL;
    if (need(c, 0)) {
        kt_tensor *to = turned && s->weight ? kt_mul(turned, s->weight) : turned;
        to = of_weight ? plus(to, kt_mul(of_weight, s->hat)) : to;
        c->d[0] = shaped(c, 0, of_bias ? plus(to, kt_expand(of_bias, kt__sizes(s->x))) : to);
    }
    if (need(c, 1))
        c->d[1] = shaped(c, 1, through_statistics(s, back, of_weight));
    if (need(c, 2) && turned)
        c->d[2] = over.n ? shaped(c, 2, kt_sum_dim(kt_mul(turned, s->grad), over)) : kt_mul(turned, s->grad);
}

static void of_last_dims(const kt_back *c, bool centred)
{
    second         s = {.centred = centred};
    const kt_shape normalized = arg(c, 4)->ints;
    s.n_dims = (int)normalized.n;
    for (int i = 0; i < s.n_dims; i++)
        s.dims[i] = i - s.n_dims;
    if (second_of(&s, c, (kt_shape){0, NULL}))
        second_derivatives(c, &s, (kt_shape){0, NULL});
}

GRAD(native_layer_norm_backward) { of_last_dims(c, true); }
GRAD(fused_rms_norm_backward) { of_last_dims(c, false); }

static int64_t elements_after(const kt_tensor *t, int dim)
{
    int64_t n = 1;
    for (int i = dim; i < t->ndim; i++)
        n *= t->sizes[i];
    return n;
}

GRAD(native_batch_norm_backward)
{
    kt_tensor *x = B;
    if (!x)
        return;
    const int64_t  seen[] = {x->sizes[0], x->sizes[1], elements_after(x, 2)}, alone[] = {1, x->sizes[1], 1};
    const kt_shape over = KT_SHAPE(0, 2);
    second         s = {.centred = true, .constant = !arg(c, 4)->b, .seen = {3, seen}, .of_weight = {3, alone}, .n_dims = 2,
                        .dims = {0, 2}};
    if (second_of(&s, c, s.of_weight))
        second_derivatives(c, &s, over);
}

GRAD(native_group_norm_backward)
{
    kt_tensor    *x = B;
    const int64_t groups = arg(c, 4)->i;
    if (!x)
        return;
    const int64_t  deep = x->sizes[1] / groups, seen[] = {x->sizes[0], groups, deep, elements_after(x, 2)};
    const int64_t  alone[] = {1, groups, deep, 1}, statistics[] = {x->sizes[0], groups, 1, 1};
    const kt_shape over = KT_SHAPE(0, 3);
    second         s = {.centred = true, .seen = {4, seen}, .of_weight = {4, alone}, .n_dims = 2, .dims = {2, 3}};
    if (second_of(&s, c, (kt_shape){4, statistics}))
        second_derivatives(c, &s, over);
}

/* ---- a weight as a direction and lengths: (v, g, dim), norms n: result v g / n ----
 *
 * Where the gradient has one itself, n is made from v again: what PyTorch keeps of it counts as a constant there. */

GRAD(weight_norm_interface)
{
    kt_tensor *v = widened(A), *g = B, *n = Z, *grad = widened(G);
    int64_t    beside[KT_MAX_DIMS], dims[KT_MAX_DIMS], rest = 0;
    if (!v || !g || !n || !grad)
        return;
    for (int i = 0; i < v->ndim; i++) {
        beside[i] = i == arg(c, 2)->i ? v->sizes[i] : 1;
        if (i != arg(c, 2)->i)
            dims[rest++] = i;
    }
    const kt_shape seen = {v->ndim, beside}, over = {rest, dims};
    kt_tensor     *lengths = kt_reshape(widened(g), seen), *products = kt_mul(grad, v);
    n = !goes_on(c) ? kt_reshape(n, seen) : rest ? kt_linalg_vector_norm(v, .dim = over, .keepdim = true) : kt_abs(v);
    kt_tensor *sums = rest ? kt_sum_dim(products, over, .keepdim = true) : products;
    dA = kt_mul(kt_div(lengths, n), kt_sub(grad, kt_mul(v, kt_div(sums, kt_mul(n, n)))));
    dB = kt_reshape(kt_div(sums, n), kt__sizes(g));
}
