/* product.c - the derivatives of matrix products. */
#include <math.h>

#include "grad/formula.h"

static kt_tensor *adjoint(kt_tensor *t) { return t ? conjugate(kt_transpose(t, -2, -1)) : NULL; }

/* a @ b for input i, in its layout: for column-major computed as (b^T @ a^T)^T. */
static kt_tensor *turned(kt_tensor *t) { return t ? kt_transpose(t, -2, -1) : NULL; }
static kt_tensor *product(const kt_back *c, int i, kt_tensor *a, kt_tensor *b)
{
    return c->node->edge[i].layout == MATRIX_COLUMNS ? turned(kt_mm(turned(b), turned(a))) : kt_mm(a, b);
}

/* ---- batched products: a 1-dim operand is a row on the left and a column on the right ---- */
static kt_tensor *as_column(kt_tensor *t) { return t && t->ndim == 1 ? kt_unsqueeze(t, 1) : t; }
static kt_tensor *with_dim(kt_tensor *g, int64_t dim, bool put) { return put ? kt_unsqueeze(g, dim) : g; }

static kt_tensor *flat(kt_tensor *t) /* all dims but the last merged */
{
    int64_t last = t->sizes[t->ndim - 1], rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++)
        rows *= t->sizes[i];
    return kt_reshape(t, KT_SHAPE(rows, last));
}

/* One matrix multiplied a whole batch: the sum over the batch is part of one product, so no batch of gradients is made.
 * PyTorch computes it transposed, and so is the gradient of a matrix that is not row-major. */
static kt_tensor *for_one_matrix(const kt_back *c, kt_tensor *g, kt_tensor *b)
{
    int64_t dims[KT_MAX_DIMS], n = g ? g->ndim - 2 : 0;
    for (int64_t i = 0; i < n; i++)
        dims[i] = i;
    dims[n] = n + 1;
    const kt_shape along = {n + 1, dims};
    if (!g)
        return NULL;
    return c->node->edge[0].layout == MATRIX_ROWS ? kt_tensordot(g, conjugate(b), along, along)
                                                  : turned(kt_tensordot(conjugate(b), g, along, along));
}

/* PyTorch multiplies a matrix and a batch as two matrices, "folded", where the matrix has a gradient; else as two batches. The
 * gradients of two matrices lie as these do, those of batches row-major. A batch of one is a matrix beside one of many. */
static bool is_one_matrix(kt_shape sizes)
{
    for (int64_t i = 0; i < sizes.n - 2; i++)
        if (sizes.d[i] != 1)
            return false;
    return true;
}

static bool has_gradient(const kt_back *c, int i) { return c->node->edge[i].to; } /* whether or not it is asked for now */

static bool is_one_for(kt_shape one, kt_shape batch) { return one.n == 3 && batch.n == 3 && one.d[0] == 1 && batch.d[0] > 1; }

static kt_tensor *for_first(const kt_back *c, kt_tensor *g, kt_tensor *b)
{
    const int64_t rank = in_sizes(c, 0).n;
    if (!b)
        return NULL;
    g = with_dim(with_dim(g, -1, b->ndim == 1), -2, rank == 1);
    if (rank > 2 && b->ndim == 2 && has_gradient(c, 1) && c->node->edge[0].layout == MATRIX_COLUMNS)
        return kt_reshape(product(c, 0, flat(g), adjoint(b)), in_sizes(c, 0));
    if (is_one_for(in_sizes(c, 0), kt__sizes(b)))
        return kt_unsqueeze(for_one_matrix(c, g, b), 0);
    if (rank > 2)
        return kt_matmul(g, adjoint(as_column(b)));
    kt_tensor *d = for_one_matrix(c, g, b);
    return rank == 1 ? kt_squeeze_dim(d, KT_SHAPE(0)) : d;
}

static kt_tensor *for_second(const kt_back *c, kt_tensor *g, kt_tensor *a)
{
    const kt_shape sizes = in_sizes(c, 1);
    if (!a)
        return NULL;
    if (sizes.n == 1)
        return kt_mv(adjoint(flat(a)), kt_reshape(g, KT_SHAPE(g->numel)));
    if (sizes.n == 2 || is_one_for(sizes, kt__sizes(a)))
        return with_dim(product(c, 1, adjoint(flat(a)), flat(g)), 0, sizes.n == 3);
    if (is_one_for(kt__sizes(a), sizes))
        a = kt_squeeze_dim(a, KT_SHAPE(0));
    const bool folded = a->ndim <= 2 && (has_gradient(c, 0) || (a->ndim == 1 && c->node->edge[1].layout != MATRIX_ROWS));
    if (folded && a->ndim == 1)
        return turned(kt_mul(kt_unsqueeze(kt_contiguous(g), -1), conjugate(a)));
    if (folded && c->node->edge[1].layout != MATRIX_OTHER && is_one_matrix(sizes))
        return kt_reshape(product(c, 1, adjoint(a), flat(g)), sizes);
    if (folded)
        return turned(kt_matmul(turned(g), conjugate(a)));
    if (sizes.n == 3 && sizes.d[0] == 1)
        return kt_unsqueeze(kt_mm(adjoint(flat(a)), flat(g)), 0);
    return a->ndim == 1 ? kt_matmul(kt_unsqueeze(conjugate(a), -1), kt_unsqueeze(g, -2)) : kt_matmul(adjoint(a), g);
}

/* A scale of 1 returns t itself. */
static kt_tensor *scaled(kt_tensor *t, kt_scalar scale)
{
    const bool real = scale.kind == KT_SCALAR_FLOAT || scale.kind == KT_SCALAR_COMPLEX;
    const bool one = real ? scale.v.re == 1.0 && scale.im == 0.0 : scale.v.i == 1;
    return one ? t : kt_mul_s(t, scale);
}
#define BETA  factor(c, 3)
#define ALPHA factor(c, 4)

GRAD(mm)         { dA = product(c, 0, G, adjoint(B)); dB = product(c, 1, adjoint(A), G); }
GRAD(bmm)        { dA = kt_bmm(G, adjoint(B)); dB = kt_bmm(adjoint(A), G); }
GRAD(mv)         { dA = kt_mul(kt_unsqueeze(G, 1), conjugate(B)); dB = kt_mv(adjoint(A), G); }
GRAD(dot)        { dA = kt_mul(G, conjugate(B)); dB = kt_mul(G, conjugate(A)); }
GRAD(vdot)       { dA = kt_mul(conjugate(G), B); dB = kt_mul(G, A); }
GRAD(addmm)
{
    dA = scaled(G, BETA);
    dB = scaled(product(c, 1, G, adjoint(C)), ALPHA);
    dC = scaled(product(c, 2, adjoint(B), G), ALPHA);
}
GRAD(baddbmm)    { dA = scaled(G, BETA); dB = scaled(kt_bmm(G, adjoint(C)), ALPHA); dC = scaled(kt_bmm(adjoint(B), G), ALPHA); }
GRAD(addmv)
{
    dA = scaled(G, BETA);
    dB = scaled(kt_mul(kt_unsqueeze(G, 1), conjugate(C)), ALPHA);
    dC = scaled(kt_mv(adjoint(B), G), ALPHA);
}
/* Cast to the gradient's dtype: a saved factor may have been promoted. */
static kt_tensor *met(kt_tensor *t, const kt_tensor *g)
{
    return g ? kt__converted_inside(t, (kt_dtype)g->dtype, KT_WHY_GRADIENT) : t;
}
GRAD(addr)
{
    dA = scaled(G, BETA);
    dB = scaled(kt_mv(G, conjugate(met(C, G))), ALPHA);
    dC = scaled(kt_mv(kt_t(G), conjugate(met(B, G))), ALPHA);
}

/* Every matrix of the batch contributes to each element. */
static kt_tensor *for_each(kt_tensor *g, const kt_tensor *batch)
{
    return g && batch ? kt_expand(kt_unsqueeze(g, 0), KT_SHAPE(batch->sizes[0], g->sizes[0], g->sizes[1])) : NULL;
}
static kt_tensor *addbmm_first(kt_tensor *g, kt_tensor *b) { return kt_bmm(for_each(g, b), adjoint(b)); }
static kt_tensor *addbmm_second(kt_tensor *g, kt_tensor *a) { return kt_bmm(adjoint(a), for_each(g, a)); }
GRAD(addbmm)
{
    dA = scaled(G, BETA);
    dB = scaled(addbmm_first(G, like(G, C)), ALPHA);
    dC = scaled(addbmm_second(G, like(G, B)), ALPHA);
}

GRAD(linalg_cross)
{
    const int64_t dim = c->node->given & 4 ? arg(c, 2)->i : -1;
    dA = kt_linalg_cross(conjugate(like(G, B)), G, .dim = KT_SOME(dim));
    dB = kt_linalg_cross(G, conjugate(like(G, A)), .dim = KT_SOME(dim));
}

GRAD(block_diag)
{
    for (int64_t i = 0, row = 0, column = 0; i < c->n_inputs; i++) {
        kt_shape s = in_sizes(c, i);
        int64_t  h = s.n == 2 ? s.d[0] : 1, w = s.n ? s.d[s.n - 1] : 1;
        kt_tensor *part = need(c, i) ? kt_narrow(kt_narrow(G, 0, row, h), 1, column, w) : NULL;
        if (part && s.n == 1 && !c->create_graph) /* a vector's gradient is a copy, as in PyTorch */
            c->d[i] = w ? kt_select(kt_clone(part, .memory_format = KT_CONTIGUOUS_FORMAT), 0, 0)
                        : kt_zeros(s, .dtype = kt_dtype_of(G), .device = kt_device_of(G));
        else if (part)
            c->d[i] = kt_reshape(part, s);
        row += h;
        column += w;
    }
}
GRAD(matmul_batched) { dA = for_first(c, G, B); dB = for_second(c, G, A); }

/* ---- distances and lengths ---- */

/* The derivative of the p-norm n of t by each element: 0 where n is 0, NaN where the element is; of finite orders but 1 where n
 * is, and of the largest where it cannot be told whether the element is as large. */
static kt_tensor *norm_slope(kt_tensor *t, kt_tensor *n, double p)
{
    if (p != 1 && !isinf(p))
        return kt__norm_slope(t, n, p);
    kt_tensor *size = p == 1 ? NULL : kt_abs(t), *sign = kt_sgn(t);
    kt_tensor *slope = p == 1 ? sign : kt_masked_fill(sign, kt_ne(size, n), KT_INT(0));
    return kt_masked_fill(slope, kt_isnan(p == 1 ? t : kt_sub(size, n)), KT_FLOAT(NAN)); /* the sign of NaN is 0 */
}

static kt_tensor *summed(kt_tensor *t, int64_t dim, bool keep) { return kt_sum_dim(t, KT_SHAPE(dim), .keepdim = keep); }

GRAD(cdist)
{
    kt_tensor   *d = Y, *x = like(d, A), *y = like(d, B), *apart = kt_eq_s(d, KT_INT(0));
    const double p = arg(c, 2)->f;
    if (p == 0 || (d && d->numel == 0)) { /* order 0, or no distances: zeros, not a product with 0 */
        dA = kt_zeros_like(x);
        dB = kt_zeros_like(y);
    } else if (p == 2) {
        kt_tensor *w = kt_masked_fill(kt_true_divide(G, kt_masked_fill(d, apart, KT_INT(1))), apart, KT_INT(0));
        dA = kt_contiguous(kt_sub(kt_mul(x, summed(w, -1, true)), kt_matmul(w, y)));
        kt_tensor *other = turned(w);
        dB = kt_contiguous(kt_sub(kt_mul(y, summed(other, -1, true)), kt_matmul(other, x)));
    } else {
        kt_tensor *differ = kt_sub(kt_unsqueeze(x, -2), kt_unsqueeze(y, -3));
        kt_tensor *each = kt_mul(norm_slope(differ, kt_unsqueeze(d, -1), p), kt_unsqueeze(G, -1));
        if (p != 1 && !isinf(p)) /* as in PyTorch 0 where the derivative is undefined, for any gradient */
            each = zero_unless(p < 1 ? kt_ne_s(differ, KT_INT(0)) : kt_logical_not(kt_unsqueeze(apart, -1)), each);
        dA = summed(each, -2, false);
        dB = kt_neg(summed(each, -3, false));
    }
}

/* A matrix of what pdist has of every two lines: symmetric, 0 for a line and itself. */
static kt_tensor *of_all_pairs(kt_tensor *t, int64_t n)
{
    kt_tensor *pair = t ? kt_triu_indices(n, n, .offset = 1, .device = kt_device_of(t)) : NULL;
    kt_tensor *at = kt_add(kt_mul_s(kt_select(pair, 0, 0), KT_INT(n)), kt_select(pair, 0, 1));
    kt_tensor *none = t ? kt_zeros(KT_SHAPE(n * n), .dtype = kt_dtype_of(t), .device = kt_device_of(t)) : NULL;
    kt_tensor *above = kt_view(kt_scatter(none, 0, at, t), KT_SHAPE(n, n));
    return kt_add(above, kt_transpose(above, 0, 1));
}

GRAD(pdist)
{
    kt_tensor   *x = A;
    const double p = arg(c, 1)->f;
    if (!x || p == 0 || x->sizes[0] < 2) {
        dA = x ? kt_zeros_like(x) : NULL;
        return;
    }
    kt_tensor *d = of_all_pairs(Y, x->sizes[0]), *g = of_all_pairs(G, x->sizes[0]), *none = kt_eq_s(d, KT_INT(0));
    if (p == 2) {
        kt_tensor *w = kt_masked_fill(kt_true_divide(g, kt_masked_fill(d, none, KT_INT(1))), none, KT_INT(0));
        dA = kt_contiguous(kt_sub(kt_mul(x, summed(w, -1, true)), kt_matmul(w, x)));
        return;
    }
    kt_tensor *self = kt_eye(x->sizes[0], .dtype = KT_BOOL, .device = kt_device_of(x)); /* infinity less itself is no number */
    kt_tensor *differ = kt_masked_fill(kt_sub(kt_unsqueeze(x, -2), kt_unsqueeze(x, -3)), kt_unsqueeze(self, -1), KT_INT(0));
    kt_tensor *each = kt_mul(norm_slope(differ, kt_unsqueeze(d, -1), p), kt_unsqueeze(g, -1));
    if (p != 1 && !isinf(p)) /* as in PyTorch 0 where the derivative is undefined, for any gradient */
        each = zero_unless(p < 1 ? kt_ne_s(differ, KT_INT(0)) : kt_logical_not(kt_unsqueeze(none, -1)), each);
    dA = summed(each, -2, false);
}

static double real_number(kt_scalar s) { return s.kind == KT_SCALAR_FLOAT ? s.v.re : (double)s.v.i; }

GRAD(renorm)
{
    kt_tensor   *x = A;
    const double p = real_number(arg(c, 1)->s), most = real_number(arg(c, 3)->s);
    int64_t      dim = arg(c, 2)->i, others[KT_MAX_DIMS], n = 0;
    if (!x || kt__wrap_dim(&dim, x->ndim))
        return;
    for (int d = 0; d < x->ndim; d++)
        if (d != dim)
            others[n++] = d;
    const kt_shape dims = {n, others};
    /* The norm's kernel may round a complex magnitude otherwise than abs, with which the maximum is found. */
    kt_tensor     *norm = kt__slice_norms(isinf(p) && is_complex(x) ? kt_abs(x) : x, dim, p);
    kt_tensor     *more = kt_add_s(norm, KT_FLOAT(1e-7));
    kt_tensor     *factor = kt_mul_s(kt_reciprocal(more), KT_FLOAT(most)), *slope = norm_slope(x, norm, p);
    if (isinf(p)) { /* shared among the maxima */
        kt_tensor *largest = kt_sum_dim(kt_abs(slope), dims, .keepdim = true);
        slope = kt_true_divide(slope, one_unless(kt_ne_s(largest, KT_INT(0)), largest));
    }
    kt_tensor *along = kt_mul(G, conjugate(x));
    along = along && kt__dtype_rows[along->dtype].category == KT_CAT_COMPLEX ? kt_real(along) : along;
    kt_tensor *less = kt_mul(slope, kt_mul(kt_sum_dim(along, dims, .keepdim = true), kt_true_divide(factor, more)));
    dA = kt_where(kt_gt_s(norm, KT_FLOAT(most)), kt_sub(kt_mul(G, factor), less), G);
}
