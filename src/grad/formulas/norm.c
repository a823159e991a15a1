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

/* ---- second derivatives: (grad_out, input, weight, statistics, normalized_shape, output_mask) ----
 *
 * With h = (x - mean) rstd, g = grad_out w and J v = rstd (v - average of v - h average of v h), which is symmetric, the row
 * gives J g, sums of grad_out h, and sums of grad_out. (A norm by the root of the mean square has no averages of v alone.) */

typedef struct second {
    const kt_back *c;
    int            op, n; /* the row, and its statistics */
    kt_tensor     *grad, *x, *weight, *rstd, *hat, *statistics[2];
    int64_t        dims[KT_MAX_DIMS], elements;
    kt_shape       normalized;
} second;

static kt_tensor *average(const second *s, kt_tensor *v)
{
    return kt_mean_dim(v, ((kt_shape){s->normalized.n, s->dims}), .keepdim = true);
}

static kt_tensor *flowed(const second *s, kt_tensor *v)
{
    static const int64_t first[] = {1, 0, 0};
    kt_tensor           *of[3] = {NULL};
    const kt_shape       mask = {s->n + 1, first};
    return kt__layer_norm_back(s->op, v, s->x, NULL, s->statistics, s->n, s->normalized, mask, of) ? of[0] : NULL;
}

static bool second_of(second *s, const kt_back *c, int op, int n)
{
    *s = (second){.c = c, .op = op, .n = n, .grad = widened(A), .x = widened(B), .weight = given(c, 2) ? widened(C) : NULL,
                  .normalized = arg(c, 4)->ints, .elements = 1};
    for (int i = 0; i < n; i++)
        s->statistics[i] = widened(L(i));
    if (kt__failed() || !s->x)
        return false;
    for (int64_t i = 0; i < s->normalized.n; i++) {
        s->dims[i] = s->x->ndim - s->normalized.n + i;
        s->elements *= s->normalized.d[i];
    }
    s->rstd = s->statistics[n - 1];
    s->hat = kt_mul(n == 2 ? kt_sub(s->x, s->statistics[0]) : s->x, s->rstd);
    return s->hat != NULL;
}

/* Through h and rstd: to h flows `to_hat`; and to rstd the sum over the group of back * g - its averages' products. */
static kt_tensor *through_statistics(const second *s, kt_tensor *back, kt_tensor *of_weight)
{
    kt_tensor *g = s->weight ? kt_mul(s->grad, s->weight) : s->grad, *to_hat = NULL, *to_rstd = NULL;
    if (back) {
        kt_tensor *of_g = average(s, kt_mul(g, s->hat)), *of_back = average(s, kt_mul(back, s->hat));
        to_hat = kt_neg(kt_mul(s->rstd, kt_add(kt_mul(back, of_g), kt_mul(g, of_back))));
        to_rstd = kt_sub(average(s, kt_mul(back, g)), kt_mul(of_back, of_g));
        if (s->n == 2)
            to_rstd = kt_sub(to_rstd, kt_mul(average(s, back), average(s, g)));
    }
    if (of_weight)
        to_hat = plus(to_hat, kt_mul(of_weight, s->grad));
    kt_tensor *through = to_hat ? flowed(s, to_hat) : NULL;
    return to_rstd ? plus(through, kt_neg(kt_mul(kt_mul(to_rstd, kt_mul(s->rstd, s->rstd)), s->hat))) : through;
}

static void second_derivatives(const kt_back *c, int op, int n)
{
    second     s;
    kt_tensor *back = widened(c->grads[0]), *of_weight = widened(c->grads[1]), *of_bias = n == 2 ? widened(c->grads[2]) : NULL;
    if (!second_of(&s, c, op, n))
        return;
    kt_tensor *turned = back && (need(c, 0) || need(c, 2)) ? flowed(&s, back) : NULL;
    if (need(c, 0)) {
        kt_tensor *to = turned && s.weight ? kt_mul(turned, s.weight) : turned;
        to = of_weight ? plus(to, kt_mul(of_weight, s.hat)) : to;
        c->d[0] = of_bias ? plus(to, kt_expand(of_bias, kt__sizes(s.x))) : to;
    }
    dB = through_statistics(&s, back, of_weight);
    if (need(c, 2) && turned)
        c->d[2] = kt_mul(turned, s.grad);
}

GRAD(native_layer_norm_backward) { second_derivatives(c, KT_OP_native_layer_norm_backward, 2); }
GRAD(fused_rms_norm_backward) { second_derivatives(c, KT_OP_fused_rms_norm_backward, 1); }
