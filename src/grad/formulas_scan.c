/* formulas_scan.c - the derivatives of what carries along a dim: an element reaches all results from its own place on, so its
 * gradient is carried along from the end. */
#include <math.h>

#include "grad/formula.h"

#define DIM (arg(c, 1)->i)

static kt_tensor *turned(const kt__back *c, kt_tensor *t)
{
    return t && kt_ndim(t) ? kt_flip(t, KT_SHAPE(DIM)) : t;
}

static kt_tensor *sums_from(const kt__back *c, kt_tensor *t) { return turned(c, kt_cumsum(turned(c, t), DIM)); }

static kt_tensor *zero_unless(kt_tensor *holds, kt_tensor *t) { return kt_where_s(holds, t, KT_INT(0)); }

GRAD(cumsum) { dA = sums_from(c, G); }

/* The products over the element, as far as they are not 0. The first zero of a line meets, up to the next one, the products
 * without it; what stands behind it has no say. */
GRAD(cumprod)
{
    kt_tensor *x = A, *zero = kt_eq_s(x, KT_INT(0)), *zeros = kt_cumsum(zero, DIM), *none = kt_eq_s(zeros, KT_INT(0));
    kt_tensor *one = kt_eq_s(zeros, KT_INT(1)), *first = kt_logical_and(zero, one);
    kt_tensor *before = kt_true_divide(sums_from(c, kt_mul(G, conjugate(Y))), conjugate(kt_where_s(none, x, KT_INT(1))));
    kt_tensor *without = kt_cumprod(kt_where_s(kt_logical_not(first), x, KT_INT(1)), DIM);
    kt_tensor *at = sums_from(c, zero_unless(one, kt_mul(G, conjugate(without))));
    dA = kt_where(none, before, zero_unless(first, at));
}

/* e^x times the sum of g / e^y from here on. Gradients of either sign are summed as logarithms, so that nothing overflows. */
static kt_tensor *exp_sums(const kt__back *c, kt_tensor *log_g, kt_tensor *x, kt_tensor *y)
{
    kt_tensor *logs = turned(c, kt_logcumsumexp(turned(c, kt_sub(log_g, y)), DIM));
    return kt_exp(kt_add(logs, x));
}

GRAD(logcumsumexp)
{
    kt_tensor *x = conjugate(A), *y = conjugate(Y);
    if (kt_dtype_category(kt_dtype_of(G)) == KT_CAT_COMPLEX) {
        dA = exp_sums(c, kt_log(G), x, y);
        return;
    }
    kt_tensor *up = exp_sums(c, kt_log(kt_clamp_min_s(G, KT_INT(0))), x, y);
    kt_tensor *down = exp_sums(c, kt_log(kt_clamp_min_s(kt_neg(G), KT_INT(0))), x, y);
    dA = kt_sub(up, down);
}

/* The gradient goes where the index points; the dim is found by its name. */
GRAD(cummax)
{
    kt_tensor *none = kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
    dA = kt_scatter_add(none, arg(c, kt__fold_args_of[c->node->row->id].dim)->i, Z, G);
}

const kt__formula_row kt__formulas_scan[] = {
    F(cumsum), F(cumprod), F(logcumsumexp), F(cummax), AS(cummin, cummax), AS(sort, cummax), AS(sort_stable, cummax),
    AS(topk, cummax),
    KT__NO_MORE_FORMULAS,
};
