/* reduce.c - derivatives of reductions. The positions of dim=, keepdim= and others come from the argument table, so that
 * one formula serves every overload. */
#include <math.h>

#include "grad/formula.h"

/* ---- dims ---- */

static const kt__fold_args *places(const kt_back *c) { return &c->node->row->fold; }

/* The reduced dims as given; empty: all. */
static kt_shape folded(const kt_back *c)
{
    int                at = places(c)->dim;
    const kt_arg_spec *spec = at >= 0 ? kt__arg_spec(c->node->row, at) : NULL;
    if (!spec || (!given(c, at) && (spec->optional || spec->kind != KT_ARG_INT)))
        return KT_SCALAR;
    if (spec->kind == KT_ARG_INT)
        return (kt_shape){1, &arg(c, at)->i};
    return arg(c, at)->ints;
}

static bool folds(const kt_back *c, int64_t dim)
{
    kt_shape dims = folded(c);
    bool     found = !dims.n;
    for (int64_t i = 0; i < dims.n; i++)
        found |= (dims.d[i] < 0 ? dims.d[i] + in_sizes(c, 0).n : dims.d[i]) == dim;
    return found;
}

/* Elements reduced per result. */
static double count(const kt_back *c)
{
    kt_shape in = in_sizes(c, 0);
    double   n = 1;
    for (int64_t i = 0; i < in.n; i++)
        n *= folds(c, i) ? (double)in.d[i] : 1.0;
    return n;
}

/* A result or its gradient with reduced dims of size 1, to broadcast against the input. */
static kt_tensor *spread(const kt_back *c, kt_tensor *t)
{
    kt_shape in = in_sizes(c, 0);
    int64_t  sizes[KT_MAX_DIMS];
    int      keepdim = places(c)->keepdim;
    if (!in.n || !folded(c).n || (keepdim >= 0 && arg(c, keepdim)->b))
        return t;
    for (int64_t i = 0; i < in.n; i++)
        sizes[i] = folds(c, i) ? 1 : in.d[i];
    return kt_reshape(t, (kt_shape){in.n, sizes});
}

static kt_tensor *sum_folded(const kt_back *c, kt_tensor *t) { return kt_sum_dim(t, folded(c), .keepdim = true); }
static kt_tensor *is_number(kt_tensor *t) { return kt_logical_not(kt_isnan(t)); }

/* ---- sums and products ---- */

GRAD(sum)       { dA = kt_expand(spread(c, G), in_sizes(c, 0)); }
/* Expanded first, as in PyTorch: the gradient is not a view, so the caller may write to it. */
static kt_tensor *mean_grad(const kt_back *c, kt_tensor *g)
{
    return kt_true_divide_s(kt_expand(spread(c, g), in_sizes(c, 0)), KT_FLOAT(count(c)));
}
GRAD(mean)      { dA = mean_grad(c, G); }
GRAD(trace)
{
    kt_shape in = in_sizes(c, 0);
    dA = zero_unless(kt_eye(in.d[0], .m = KT_SOME(in.d[1]), .dtype = KT_BOOL, .device = kt_device_of(G)), kt_expand(G, in));
}
GRAD(nansum)    { dA = zero_unless(is_number(A), spread(c, G)); }
GRAD(nanmean)
{
    kt_tensor *numbers = is_number(A);
    dA = kt_mul(kt_true_divide(spread(c, G), sum_folded(c, numbers)), numbers);
}
GRAD(logsumexp) { dA = kt_mul(spread(c, G), conjugate(kt_exp(kt_sub(A, spread(c, Y))))); }

/* The product of all elements before each one along a dim, and of all after it. */
static kt_tensor *product_before(kt_tensor *x, int64_t dim)
{
    const int64_t n = x ? kt_size(x, dim) : 0;
    kt_tensor    *parts[2] = {kt_ones_like(kt_narrow(x, dim, 0, n > 0)), kt_cumprod(kt_narrow(x, dim, 0, n - (n > 0)), dim)};
    return parts[0] && parts[1] ? kt_cat(parts, 2, .dim = dim) : NULL;
}
static kt_tensor *product_of_others(kt_tensor *x, int64_t dim)
{
    kt_tensor *behind = kt_flip(product_before(kt_flip(x, KT_SHAPE(dim)), dim), KT_SHAPE(dim));
    return kt_mul(product_before(x, dim), behind);
}

/* The product of the others is result / element, unless the result is 0 or not finite. */
GRAD(prod)
{
    kt_tensor *x = A, *y = spread(c, Y);
    if (!x || !kt_ndim(x)) {
        dA = G;
        return;
    }
    const kt_shape dims = folded(c), sizes = in_sizes(c, 0);
    kt_tensor     *others = dims.n ? product_of_others(x, dims.d[0]) : kt_reshape(product_of_others(kt_flatten(x), 0), sizes);
    kt_tensor     *divides = kt_logical_and(kt_isfinite(y), kt_ne_s(y, KT_INT(0)));
    kt_tensor     *quotient = kt_true_divide(one_unless(divides, y), one_unless(divides, x));
    dA = kt_contiguous(kt_mul(spread(c, G), conjugate(kt_where(divides, quotient, others))));
}

/* ---- min and max: ties share the gradient; with an index, its element gets it ---- */

static kt_tensor *shared(const kt_back *c, kt_tensor *g, kt_tensor *chosen)
{
    return kt_mul(kt_true_divide(spread(c, g), sum_folded(c, chosen)), chosen);
}
GRAD(extreme)   { dA = shared(c, G, kt_eq(A, spread(c, Y))); }
GRAD(extreme_of_all)
{
    kt_tensor *x = A, *y = Y, *chosen = kt_logical_or(kt_eq(x, y), kt_logical_and(kt_isnan(x), kt_isnan(y)));
    kt_tensor *places = kt_contiguous(chosen); /* the gradient's layout */
    dA = zero_unless(places, kt_true_divide(spread(c, G), sum_folded(c, chosen))); /* 0 elsewhere, whatever G is */
}

/* The gradient is scattered to the index. */
GRAD(indexed)
{
    kt_shape in = in_sizes(c, 0);
    int64_t  sizes[KT_MAX_DIMS], along = folded(c).d[0];
    along += along < 0 ? in.n : 0;
    for (int64_t i = 0; i < in.n; i++)
        sizes[i] = i == along ? in.d[i] : 1;
    kt_tensor *place = kt_arange(KT_INT(0), KT_INT(in.n ? in.d[along] : 1), .device = kt_device_of(G));
    dA = zero_unless(kt_eq(kt_reshape(place, (kt_shape){in.n, sizes}), spread(c, Z)), spread(c, G));
}

/* Sum of two gradients, either of which may be NULL. */
static kt_tensor *added(kt_tensor *a, kt_tensor *b) { return a && b ? kt_add(a, b) : a ? a : b; }
GRAD(aminmax)
{
    kt_tensor *least = c->grads[0] ? shared(c, c->grads[0], kt_eq(A, spread(c, Y))) : NULL;
    kt_tensor *most = c->grads[1] ? shared(c, c->grads[1], kt_eq(A, spread(c, Z))) : NULL;
    dA = added(least, most);
}

/* ---- variance ---- */

static double correction(const kt_back *c)
{
    const kt__fold_args *at = places(c);
    if (at->unbiased >= 0)
        return arg(c, at->unbiased)->b;
    kt_scalar s = arg(c, at->correction)->s;
    return !s.kind ? 1.0 : s.kind == KT_SCALAR_FLOAT ? s.v.re : (double)s.v.i;
}

/* With too few elements variance and gradient are not finite; as in PyTorch, without the sign of the difference if all
 * dims are reduced. */
static kt_tensor *variance_grad(const kt_back *c, kt_tensor *g, kt_tensor *x)
{
    const double left = count(c) - correction(c);
    if (left <= 0.0 && (!folded(c).n || !in_sizes(c, 0).n))
        return kt_mul(g, kt_where_s(kt_ne(x, kt_mean(x)), kt_full_like(x, KT_FLOAT(INFINITY)), KT_FLOAT(NAN)));
    kt_tensor   *away = kt_sub(x, kt_mean_dim(x, folded(c), .keepdim = true));
    return kt_mul(kt_mul_s(spread(c, g), KT_FLOAT(2.0 / left)), away);
}
static kt_tensor *deviation_grad(const kt_back *c, kt_tensor *g, kt_tensor *y, kt_tensor *x)
{
    kt_tensor *spreads = kt_ne_s(y, KT_INT(0));
    return variance_grad(c, zero_unless(spreads, kt_true_divide(g, kt_mul_s(one_unless(spreads, y), KT_INT(2)))), x);
}
GRAD(var)       { dA = variance_grad(c, G, A); }
GRAD(std)       { dA = deviation_grad(c, G, Y, A); }
GRAD(var_mean)
{
    dA = added(c->grads[0] ? variance_grad(c, c->grads[0], A) : NULL, c->grads[1] ? mean_grad(c, c->grads[1]) : NULL);
}
GRAD(std_mean)
{
    dA = added(c->grads[0] ? deviation_grad(c, c->grads[0], Y, A) : NULL, c->grads[1] ? mean_grad(c, c->grads[1]) : NULL);
}

/* ---- norms: 0 where the derivative is undefined ---- */

static double order(const kt_back *c)
{
    kt_scalar s = arg(c, places(c)->order)->s;
    return !s.kind ? 2.0 : s.kind == KT_SCALAR_FLOAT ? s.v.re : (double)s.v.i;
}

/* 0, or NaN where n is. */
static kt_tensor *none_of(kt_tensor *n) { return kt_masked_fill(kt_zeros_like(n), kt_isnan(n), KT_FLOAT(NAN)); }

/* From order 3 on its own derivative exists at 0; between, but for order 2, that is masked. */
kt_tensor *kt__norm_slope(kt_tensor *t, kt_tensor *n, double p)
{
    kt_tensor *some = kt_ne_s(n, KT_INT(0)), *by = one_unless(some, n);
    if (p == 2 || p >= 3) {
        kt_tensor *share = kt_true_divide(t, by);
        return p == 2 ? zero_unless(some, share) : kt_mul(share, kt_pow_s(kt_abs(share), KT_FLOAT(p - 2)));
    }
    kt_tensor *size = kt_abs(t), *there = kt_ne_s(size, KT_INT(0)), *share = kt_true_divide(size, by);
    some = p < 0 ? kt_logical_and(some, there) : there; /* of a negative order one zero makes the norm 0 */
    return kt_mul(kt_sgn(t), kt_where(some, kt_pow_s(one_unless(some, share), KT_FLOAT(p - 1)), none_of(n)));
}

/* Of the largest, or least, magnitude: shared among those that have it. */
static kt_tensor *extreme_norm_grad(kt_tensor *g, kt_tensor *x, kt_tensor *y, double p, kt_shape dims)
{
    kt_tensor *size = kt_abs(x);
    if (is_complex(x)) /* the norm's kernel may round a magnitude otherwise than abs: the extreme of what is compared */
        y = p > 0 ? kt_amax(size, .dim = dims, .keepdim = true) : kt_amin(size, .dim = dims, .keepdim = true);
    kt_tensor *chosen = kt_logical_or(kt_eq(size, y), kt_logical_and(kt_isnan(size), kt_isnan(y)));
    kt_tensor *share = kt_true_divide(g, kt_sum_dim(chosen, dims, .keepdim = true));
    return kt_mul(kt_mul(share, chosen), kt_sgn(x));
}

/* The gradient of the norm y of x; g and y broadcast against x. NULL: 0 (order 0). */
static kt_tensor *norm_grad(kt_tensor *g, kt_tensor *x, kt_tensor *y, double p, kt_shape dims)
{
    if (p == 0)
        return NULL;
    return isinf(p) ? extreme_norm_grad(g, x, y, p, dims) : kt_mul(g, p == 1 ? kt_sgn(x) : kt__norm_slope(x, y, p));
}
/* The norm of a difference. */
GRAD(dist)
{
    kt_scalar  p = arg(c, 2)->s;
    kt_tensor *d = norm_grad(G, kt_sub(A, B), Y, p.kind == KT_SCALAR_FLOAT ? p.v.re : (double)p.v.i, KT_SCALAR);
    dA = d;
    dB = d ? kt_neg(d) : NULL;
}
GRAD(norm)      { dA = norm_grad(spread(c, G), A, spread(c, Y), order(c), folded(c)); }

/* ---- rows that share another's derivative ---- */
GRAD_AS(sum_dim, sum)
GRAD_AS(prod_dim, prod)
GRAD_AS(mean_dim, mean)
GRAD_AS(var_dim, var)
GRAD_AS(var_correction, var)
GRAD_AS(std_dim, std)
GRAD_AS(std_correction, std)
GRAD_AS(var_mean_dim, var_mean)
GRAD_AS(var_mean_correction, var_mean)
GRAD_AS(std_mean_dim, std_mean)
GRAD_AS(std_mean_correction, std_mean)
GRAD_AS(max, extreme_of_all)
GRAD_AS(min, extreme_of_all)
GRAD_AS(max_other, maximum)
GRAD_AS(max_dim, indexed)
GRAD_AS(min_dim, indexed)
GRAD_AS(min_other, minimum)
GRAD_AS(amax, extreme)
GRAD_AS(amin, extreme)
GRAD_AS(linalg_vector_norm, norm)
GRAD_AS(norm_along, norm)
