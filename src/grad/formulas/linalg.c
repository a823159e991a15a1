/* linalg.c - the derivatives of factors of matrices, and of what is solved with them. ^H is the adjoint.
 *
 * M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation (2008); QR,
 * eigenvalues and singular values: M. Seeger et al., Auto-Differentiating Linear Algebra (2017), J. Townsend, Differentiating the
 * Singular Value Decomposition (2016); phases: Z.-Q. Wan and S.-X. Zhang, arXiv:1909.02659 (2019); Cholesky: I. Murray,
 * arXiv:1602.07527 (2016). */
#include <math.h>

#include "grad/formulas/matrices.h"

/* ---- LU ---- */

/* PA' = LU of A = P A'. What changes the triangles is solved with them; a wide or tall rest follows from its own equation. */
static kt_tensor *lu_back(kt_tensor *g_l, kt_tensor *g_u, kt_tensor *p, kt_tensor *l, kt_tensor *u)
{
    const int64_t rows = rows_in(l), columns = columns_in(u), k = columns_in(l);
    kt_tensor    *l1 = kt_narrow(l, -2, 0, k), *u1 = kt_narrow(u, -1, 0, k), *inner = NULL;
    const triangle lower = {l1, false, true}, upper = {u1, true, false};
    kt_tensor     *g_l2 = g_l && rows > k ? kt_narrow(g_l, -2, k, rows - k) : NULL;
    kt_tensor     *g_u2 = g_u && columns > k ? kt_narrow(g_u, -1, k, columns - k) : NULL;
    kt_tensor     *below = g_l ? mm(adjoint(l1), kt_narrow(g_l, -2, 0, k)) : NULL;
    kt_tensor     *above = g_u ? mm(kt_narrow(g_u, -1, 0, k), adjoint(u1)) : NULL;
    if (g_u2)
        below = plus(below, kt_neg(mm(g_u2, adjoint(kt_narrow(u, -1, k, columns - k)))));
    if (g_l2)
        above = plus(above, kt_neg(mm(adjoint(kt_narrow(l, -2, k, rows - k)), g_l2)));
    inner = plus(below ? kt_tril(below, .diagonal = -1) : NULL, above ? kt_triu(above) : NULL);
    kt_tensor *first = solve_adjoint_right(upper, inner); /* k by k, still to be multiplied by L^-H */
    if (columns > k) {
        kt_tensor *rest = g_u2 ? g_u2 : kt_zeros_like(kt_narrow(u, -1, k, columns - k));
        return mm(p, solve_adjoint(lower, kt_cat(((kt_tensor *[]){first, rest}), 2, .dim = -1)));
    }
    first = solve_adjoint(lower, first);
    if (rows > k) {
        kt_tensor *rest = g_l2 ? solve_adjoint_right(upper, g_l2) : kt_zeros_like(kt_narrow(l, -2, k, rows - k));
        first = kt_cat(((kt_tensor *[]){first, rest}), 2, .dim = -2);
    }
    return mm(p, first);
}

GRAD(linalg_lu)
{
    dA = lu_back(c->grads[1], c->grads[2], RESULT(0), RESULT(1), RESULT(2));
}

GRAD(linalg_lu_factor_ex)
{
    if (!need(c, 0))
        return;
    const kt_lu_unpack_results f = kt_lu_unpack(Y, Z);
    const int64_t              k = columns_in(f.L);
    c->d[0] = lu_back(f.L ? kt_narrow(G, -1, 0, k) : NULL, f.U ? kt_narrow(G, -2, 0, k) : NULL, f.P, f.L, f.U);
}

/* What flows into the unit diagonal of L is lost. */
GRAD(lu_unpack)
{
    if (!need(c, 0) || !arg(c, 2)->b) /* without unpack_data L and U are empty */
        return;
    const kt_shape sizes = in_sizes(c, 0);
    const int64_t  rows = sizes.d[sizes.n - 2], columns = sizes.d[sizes.n - 1], k = rows < columns ? rows : columns;
    kt_tensor     *lower = c->grads[1] ? kt_tril(c->grads[1], .diagonal = -1) : NULL,
              *upper = c->grads[2] ? kt_triu(c->grads[2]) : NULL;
    if (lower && columns > k)
        lower = kt_nn_pad(lower, KT_SHAPE(0, columns - k));
    if (upper && rows > k)
        upper = kt_nn_pad(upper, KT_SHAPE(0, 0, 0, rows - k));
    c->d[0] = plus(lower, upper);
}

/* X of A X = B, A = P L U, or of its three kin. */
GRAD(linalg_lu_solve)
{
    const bool left = arg(c, 3)->b, turned = arg(c, 4)->b;
    kt_tensor *x = Y, *lu = like(x, A), *pivots = B;
    kt_tensor *g_b = kt_linalg_lu_solve(lu, pivots, G, .left = KT_SOME(left), .adjoint = !turned);
    if (need(c, 2))
        c->d[2] = g_b;
    if (!need(c, 0))
        return;
    const kt_lu_unpack_results f = kt_lu_unpack(lu, pivots);
    /* of A: -g_b X^H, turned round where A was; and of L and U, since A = P L U */
    kt_tensor *g_a = left ? kt_neg(mm(g_b, adjoint(x))) : kt_neg(mm(adjoint(x), g_b));
    if (turned)
        g_a = adjoint(g_a);
    kt_tensor *back = mm(adjoint(f.P), g_a);
    c->d[0] = kt_add(kt_tril(mm(back, adjoint(f.U)), .diagonal = -1), kt_triu(mm(adjoint(f.L), back)));
}

/* ---- determinants ---- */

static double epsilon_of(const kt_tensor *a) { return a->dtype == KT_F64 || a->dtype == KT_C128 ? 0x1p-52 : 0x1p-23; }

static kt_tensor *unit_like(const kt_tensor *a)
{
    return kt_eye(rows_in(a), .dtype = (kt_dtype)a->dtype, .device = kt__device(a));
}

/* factor * A^-H, of its factors. */
static kt_tensor *times_inverse(kt_tensor *factor, const kt_tensor *a, kt_tensor *lu, kt_tensor *pivots)
{
    return kt_linalg_lu_solve(lu, pivots, kt_mul(each(factor), unit_like(a)), .adjoint = true);
}

/* The same of A, which is regular. */
static kt_tensor *solved_for(kt_tensor *factor, kt_tensor *a)
{
    return kt_linalg_solve(adjoint(a), kt_mul(each(factor), unit_like(a)));
}

/* Products along the last dim of all elements but one. */
static kt_tensor *products_before(kt_tensor *t)
{
    kt_tensor *first = t ? kt_ones_like(kt_narrow(t, -1, 0, 1)) : NULL;
    return t ? kt_cat(((kt_tensor *[]){first, kt_narrow(kt_cumprod(t, -1), -1, 0, columns_in(t) - 1)}), 2, .dim = -1) : NULL;
}
static kt_tensor *products_of_others(kt_tensor *t)
{
    if (!t || columns_in(t) == 0)
        return t;
    return kt_mul(products_before(t), kt_flip(products_before(kt_flip(t, KT_SHAPE(-1))), KT_SHAPE(-1)));
}

static kt_tensor *turned(kt_tensor *t) { return t ? kt_transpose(t, -2, -1) : NULL; }

/* Of A = U diag(S) V^H, E = U^H dA V and the adjugate f V diag(D) U^H: its change is f V M U^H, where M has -E_ij P_ij beside
 * its diagonal, the sum over k of E_kk P_ik on it, and P_ij is the product of all singular values but i and j. */
static kt_tensor *adjugate_back(kt_tensor *g, kt_tensor *u, kt_tensor *s, kt_tensor *vh)
{
    if (!u || !s || !vh)
        return NULL;
    kt_tensor *turn = conjugate(kt_mul(kt_linalg_det(u), kt_linalg_det(vh)));
    kt_tensor *other = kt_logical_not(kt_eye(columns_in(s), .dtype = KT_BOOL, .device = kt__device(s)));
    kt_tensor *rest = zero_unless(other, products_of_others(one_unless(other, kt_unsqueeze(s, -2))));
    kt_tensor *inner = kt_mul(each(turn), mm(vh, mm(g, u)));
    rest = kt__converted_inside(rest, (kt_dtype)u->dtype, KT_WHY_GRADIENT);
    kt_tensor *on = kt_squeeze_dim(mm(rest, kt_unsqueeze(diagonal(inner), -1)), KT_SHAPE(-1));
    inner = kt_sub(kt_diag_embed(on), kt_mul(rest, inner));
    return turned(mm(turned(vh), mm(turned(inner), turned(u)))); /* columns side by side, as PyTorch's */
}

/* The same by the inverse X, whose derivatives of any order have no gaps of singular values: adj = det X. */
static kt_tensor *adjugate_back_regular(kt_tensor *g, kt_tensor *a)
{
    kt_tensor *xh = adjoint(kt_linalg_inv_ex(a).inverse), *along = mm(xh, g);
    kt_tensor *trace = kt_sum_dim(diagonal(along), KT_SHAPE(-1));
    return kt_mul(each(conjugate(kt_linalg_det(a))), kt_sub(kt_mul(each(trace), xh), mm(along, xh)));
}

/* Third derivatives are those of the inverse; of real singular matrices those of the factors, if no two singular values are
 * equal (complex factors have phases, of which a singular value of 0 says nothing). What does not serve is computed of a matrix
 * that has both, so that no NaN comes from there. */
GRAD(linalg_adjugate)
{
    kt_tensor *a = A, *u = Z, *s = RESULT(2), *vh = RESULT(3);
    if (!need(c, 0) || !a || !u || !s || !vh)
        return;
    const int64_t n = columns_in(s);
    if (!goes_on(c) || n == 0) {
        c->d[0] = n ? adjugate_back(G, u, s, vh) : kt_zeros_like(a);
        return;
    }
    const double   small = sqrt(epsilon_of(a)); /* an inverse loses more digits than that where it is squared */
    const kt_dtype dtype = (kt_dtype)a->dtype;
    kt_tensor     *lowest = kt_narrow(s, -1, n - 1, 1), *highest = kt_narrow(s, -1, 0, 1);
    kt_tensor     *singular = kt_unsqueeze(kt_le(lowest, kt_mul_s(highest, KT_FLOAT(small))), -1);
    kt_tensor     *apart = kt_diag(kt_arange(KT_INT(1), KT_INT(n + 1), .dtype = dtype, .device = kt__device(a)));
    const kt_linalg_svd_of_results f = kt_linalg_svd_of(kt_where(singular, a, apart));
    kt_tensor *inverted = adjugate_back_regular(G, kt_where(singular, unit_like(a), a));
    c->d[0] = kt_where(singular, adjugate_back(G, f.U, f.S, f.Vh), inverted);
}

/* Is every matrix so far from singular, by its factors, that a solution has most of its digits? Where they cannot be read (no
 * values, many examples) none is taken to be. */
static bool is_regular(kt_tensor *lu)
{
    bool holds = false;
    if (columns_in(lu) == 0 || lu->backend == KT_META || lu->flags & KT_T_BATCHED)
        return false;
    kt_tensor *size = kt_abs(diagonal(kt_detach(lu))), *most = kt_amax(size, .dim = KT_SHAPE(-1), .keepdim = true);
    kt_tensor *all = kt_all(kt_gt(size, kt_mul_s(most, KT_FLOAT(sqrt(sqrt(epsilon_of(lu)))))));
    return all && kt_read(all, &holds, sizeof holds) == KT_OK && holds;
}

/* d det = tr(adj dA). Where second derivatives are wanted it is computed from A, as a solution if A is regular, since that takes
 * a tenth of the time of singular values; else from its factors: of a singular matrix the limit, a pivot of 0 becomes a small
 * one. */
GRAD(linalg_det_lu)
{
    if (!need(c, 0) || !G)
        return;
    kt_tensor *a = A, *det = Y, *lu = RESULT(1), *pivots = RESULT(2);
    if (!a || !det || !lu)
        return;
    if (goes_on(c)) {
        c->d[0] = is_regular(lu) ? solved_for(kt_mul(G, conjugate(det)), a)
                                 : kt_mul(each(G), adjoint(kt_linalg_adjugate(a).result));
        return;
    }
    kt_tensor *d = diagonal(lu), *zero = kt_eq_s(d, KT_INT(0));
    kt_tensor *tiny = kt_mul_s(kt__converted_inside(zero, (kt_dtype)a->dtype, KT_WHY_GRADIENT), KT_FLOAT(epsilon_of(a)));
    kt_tensor *shifted = kt_add(d, tiny), *apart = kt_any_dim(zero, -1);
    kt_tensor *others = kt_prod_dim(kt_where_s(zero, shifted, KT_INT(1)), -1);
    kt_tensor *rest = kt_prod_dim(kt_where(zero, kt_ones_like(d), d), -1);
    /* det of the shifted factors; the sign of the exchanges is that of any determinant made of them */
    kt_tensor *own = kt_arange(KT_INT(1), KT_INT(rows_in(a) + 1), .dtype = KT_I32, .device = kt__device(a));
    kt_tensor *sign = kt_prod_dim(kt_where_s(kt_eq(pivots, own), kt_ones_like(d), KT_INT(-1)), -1);
    kt_tensor *limit = kt_mul(kt_mul(others, rest), sign);
    det = kt_where(apart, limit, det);
    lu = kt_add(lu, kt_diag_embed(tiny));
    c->d[0] = times_inverse(kt_mul(G, conjugate(det)), a, lu, pivots);
}

/* d log|det| = Re tr(A^-1 dA), d sign = i sign Im tr(A^-1 dA). */
GRAD(linalg_slogdet_lu)
{
    if (!need(c, 0))
        return;
    kt_tensor *g_sign = c->grads[0], *factor = c->grads[1], *a = A;
    if (is_complex(a) && g_sign) {
        kt_tensor *turn = kt_imag(kt_mul(g_sign, conjugate(Y)));
        factor = kt_complex(factor ? factor : kt_zeros_like(turn), turn);
    }
    if (!a || !factor)
        c->d[0] = a ? kt_zeros_like(a) : NULL;
    else if (c->for_any) /* forward mode does not refuse a singular matrix */
        c->d[0] = kt_mul(each(factor), adjoint(kt_linalg_inv_ex(a).inverse));
    else if (goes_on(c)) /* computed from A */
        c->d[0] = solved_for(factor, a);
    else
        c->d[0] = times_inverse(factor, a, RESULT(2), RESULT(3));
}

/* ---- inverses and solutions ---- */
GRAD(linalg_inv_ex)
{
    if (need(c, 0)) {
        kt_tensor *back = adjoint(Y);
        c->d[0] = kt_neg(mm(back, mm(G, back)));
    }
}

GRAD(linalg_solve_lu)
{
    const bool left = arg(c, 2)->b;
    kt_tensor *a = A, *x = Y, *g = G;
    if (!a || !x || !g)
        return;
    const bool vector = x->ndim < a->ndim; /* B was a batch of vectors */
    if (vector)
        g = kt_unsqueeze(g, -1), x = kt_unsqueeze(x, -1);
    kt_tensor *g_b = goes_on(c) ? kt_linalg_solve(adjoint(a), g, .left = KT_SOME(left))
                                     : kt_linalg_lu_solve(Z, RESULT(2), g, .left = KT_SOME(left), .adjoint = true);
    if (need(c, 1))
        c->d[1] = vector ? kt_squeeze_dim(g_b, KT_SHAPE(-1)) : g_b;
    if (need(c, 0))
        c->d[0] = left ? kt_neg(mm(g_b, adjoint(x))) : kt_neg(mm(adjoint(x), g_b));
}

/* The part of a gradient that the triangle has. */
static kt_tensor *triangular(kt_tensor *g, bool upper, bool unit)
{
    return upper ? kt_triu(g, .diagonal = unit) : kt_tril(g, .diagonal = -(int64_t)unit);
}

GRAD(linalg_solve_triangular)
{
    const bool     upper = arg(c, 2)->b, left = arg(c, 3)->b, unit = arg(c, 4)->b;
    kt_tensor     *x = Y;
    const triangle a = {like(x, A), upper, unit};
    kt_tensor     *g_b = left ? solve_adjoint(a, G) : solve_adjoint_right(a, G);
    dB = g_b;
    if (need(c, 0))
        c->d[0] = triangular(kt_neg(left ? mm(g_b, adjoint(x)) : mm(adjoint(x), g_b)), upper, unit);
}

/* The second result is a copy of A. */
GRAD(triangular_solve)
{
    const bool     upper = arg(c, 2)->b, turned = arg(c, 3)->b, unit = arg(c, 4)->b;
    kt_tensor     *x = Y, *a = like(x, B), *g = c->grads[0], *g_a = NULL;
    if (!a || !x)
        return;
    if (g) {
        kt_tensor *g_b = kt_triangular_solve(g, conjugate(a), .upper = KT_SOME(upper), .transpose = !turned,
                                             .unitriangular = unit).solution;
        dA = g_b;
        g_a = kt_neg(mm(g_b, adjoint(x)));
        g_a = triangular(turned ? kt_transpose(g_a, -2, -1) : g_a, upper, unit);
    }
    if (need(c, 1))
        c->d[1] = plus(g_a, c->grads[1]);
}

/* ---- Cholesky ---- */

/* Half of the lower triangle and of its adjoint: what a change of L L^H = A has of one factor. The diagonal of L is real; what
 * flows into an imaginary part of it stays, as in PyTorch. */
static kt_tensor *half_of(kt_tensor *t)
{
    return kt_mul_s(kt_add(kt_tril(t), adjoint(kt_tril(t, .diagonal = -1))), KT_FLOAT(0.5));
}

GRAD(linalg_cholesky_ex)
{
    if (!need(c, 0))
        return;
    const bool     upper = arg(c, 1)->b;
    kt_tensor     *l = upper ? adjoint(Y) : Y, *g = upper ? adjoint(G) : G;
    const triangle lower = {l, false, false};
    c->d[0] = solve_right(lower, solve_adjoint(lower, half_of(mm(adjoint(l), g))));
}
GRAD_AS(cholesky, linalg_cholesky_ex)

GRAD(cholesky_inverse)
{
    if (!need(c, 0))
        return;
    kt_tensor *x = Y, *l = A, *g = mm(x, mm(kt_add(G, adjoint(G)), x));
    c->d[0] = kt_neg(arg(c, 1)->b ? mm(l, g) : mm(g, l));
}

GRAD(cholesky_solve)
{
    const bool upper = arg(c, 2)->b;
    kt_tensor *x = Y, *l = like(x, B), *g_b = kt_cholesky_solve(G, l, .upper = upper);
    dA = g_b;
    if (need(c, 1)) {
        kt_tensor *g = kt_neg(mm(g_b, adjoint(x)));
        g = kt_add(g, adjoint(g));
        c->d[1] = upper ? mm(l, g) : mm(g, l);
    }
}

/* ---- QR ---- */

/* The lower triangle, and its adjoint above it; of the diagonal the real part. */
static kt_tensor *hermitian_of_lower(kt_tensor *t)
{
    kt_tensor *lower = kt_tril(t, .diagonal = -1), *on = kt_diag_embed(diagonal(t));
    return kt_add(kt_add(lower, adjoint(lower)), kt_mul_s(kt_add(on, adjoint(on)), KT_FLOAT(0.5)));
}

/* R is square. */
static kt_tensor *qr_back(kt_tensor *g_q, kt_tensor *g_r, kt_tensor *q, kt_tensor *r)
{
    kt_tensor *m = plus(g_r ? mm(r, adjoint(g_r)) : NULL, g_q ? kt_neg(mm(adjoint(g_q), q)) : NULL);
    return solve_adjoint_right((triangle){r, true, false}, plus(g_q, mm(q, hermitian_of_lower(m))));
}

GRAD(linalg_qr)
{
    if (!need(c, 0))
        return;
    const char *mode = arg(c, 1)->str;
    kt_tensor  *q = Y, *r = Z, *g_q = c->grads[0], *g_r = c->grads[1];
    if (!q || !r)
        return;
    const int64_t columns = columns_in(r);
    if (mode[0] == 'r' && mode[1] == '\0') {
        kt_fail(KT_ERR_RUNTIME, "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                                "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.");
        return;
    }
    const int64_t rows = rows_in(q);
    if (mode[0] == 'c' && rows > columns) {
        kt_fail(KT_ERR_RUNTIME, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
        return;
    }
    if (rows >= columns) {
        c->d[0] = qr_back(g_q, g_r, q, r);
        return;
    }
    /* A = [X, rest], R = [R of X, Q^H rest] */
    kt_tensor *r1 = kt_narrow(r, -1, 0, rows), *r2 = kt_narrow(r, -1, rows, columns - rows);
    kt_tensor *g_r1 = g_r ? kt_narrow(g_r, -1, 0, rows) : NULL, *g_r2 = g_r ? kt_narrow(g_r, -1, rows, columns - rows) : NULL;
    g_q = plus(g_q, g_r2 ? mm(mm(q, r2), adjoint(g_r2)) : NULL);
    kt_tensor *first = qr_back(g_q, g_r1, q, r1),
              *rest = g_r2 ? mm(q, g_r2) : kt_zeros_like(kt_narrow(r, -1, rows, columns - rows));
    c->d[0] = kt_cat(((kt_tensor *[]){first, rest}), 2, .dim = -1);
}

/* ---- eigenvalues and singular values ---- */

/* 1 / (values[j] - values[i]), and 0 on the diagonal. */
static kt_tensor *inverse_gaps(kt_tensor *values)
{
    kt_tensor *gaps = kt_sub(kt_unsqueeze(values, -2), kt_unsqueeze(values, -1));
    const int64_t n = columns_in(values);
    kt_tensor *on = kt_eye(n, .dtype = KT_BOOL, .device = kt__device(values));
    return kt_masked_fill(kt_reciprocal(kt_masked_fill(gaps, on, KT_INT(1))), on, KT_INT(0));
}

static kt_tensor *skew(kt_tensor *t) { return kt_sub(t, adjoint(t)); }

GRAD(linalg_eigh_of)
{
    if (!need(c, 0))
        return;
    kt_tensor *values = Y, *v = Z, *g_values = c->grads[0], *g_v = c->grads[1];
    if (!values || !v)
        return;
    if (v->ndim < 2 && values->numel) {
        kt_fail(KT_ERR_RUNTIME,
                "linalg_eigh_backward: Setting compute_v=false is not supported. Differentiating through it needs "
                "the eigenvectors.");
        return;
    }
    if (!g_v) { /* V diag(g) V^H */
        c->d[0] = mm(kt_mul(v, kt_unsqueeze(g_values, -2)), adjoint(v));
        return;
    }
    kt_tensor *along = mm(adjoint(v), g_v);
    if (refuses_phase(c, along, "linalg_eigh_backward"))
        return;
    kt_tensor *inner = kt_mul(kt_mul_s(skew(along), KT_FLOAT(0.5)), inverse_gaps(values));
    if (g_values)
        inner = kt_add(inner, kt_diag_embed(g_values));
    c->d[0] = mm(v, mm(inner, adjoint(v)));
}

/* Of the k first or last eigenvectors x: (value I - A)^+ g_x x', where A is made of all its vectors. */
GRAD(lobpcg_of)
{
    kt_tensor *values = Y, *x = Z, *g_values = c->grads[0], *g_x = c->grads[1];
    if (!need(c, 0) || !values || !x)
        return;
    if (given(c, 2)) {
        kt_fail(KT_ERR_VALUE, "lobpcg.backward does not support backward with B != I yet.");
        return;
    }
    kt_tensor *inner = g_values ? mm(kt_mul(x, kt_unsqueeze(g_values, -2)), adjoint(x)) : NULL;
    if (g_x) {
        const kt_linalg_eigh_results all = kt_linalg_eigh(A);
        if (!all.eigenvectors)
            return;
        const bool    largest = !given(c, 8) || arg(c, 8)->b;
        kt_tensor    *on = kt_narrow(kt_eye(columns_in(A), .dtype = KT_BOOL, .device = kt__device(x)), -1, 0, columns_in(values));
        on = largest ? kt_flip(on, KT_SHAPE(0)) : on;
        kt_tensor *gaps = kt_masked_fill(kt_sub(kt_unsqueeze(values, -2), kt_unsqueeze(all.eigenvalues, -1)), on, KT_INT(1));
        kt_tensor *share = kt_masked_fill(kt_true_divide(mm(adjoint(all.eigenvectors), g_x), gaps), on, KT_INT(0));
        kt_tensor *turned = mm(mm(all.eigenvectors, share), adjoint(x));
        turned = kt_mul_s(kt_add(turned, adjoint(turned)), KT_FLOAT(0.5));
        inner = inner ? kt_add(inner, turned) : turned;
    }
    c->d[0] = inner;
}

/* A phase that U and V share is nobody's. */
static bool refuses_phases(const kt_back *c, kt_tensor *along_u, kt_tensor *along_v)
{
    kt_tensor *turn_u = along_u ? kt_imag(diagonal(skew(along_u))) : NULL;
    kt_tensor *turn_v = along_v ? kt_imag(diagonal(skew(along_v))) : NULL;
    kt_tensor *room = kt_add_s(kt_mul_s(kt_abs(turn_v ? turn_v : kt_zeros_like(turn_u)), KT_FLOAT(0.01)), KT_FLOAT(0.01));
    if (depends_on_phase(c, plus(turn_u, turn_v), room))
        kt_fail(KT_ERR_RUNTIME, "svd_backward: The singular vectors in the complex case are specified up to multiplication by "
                                "e^{i phi}. The specified loss function depends on this phase term, making it ill-defined.");
    return kt__failed();
}

/* A = U diag(S) V^H, with as many columns of U and rows of V^H as there are values. */
static kt_tensor *svd_back(const kt_back *c, kt_tensor *g_u, kt_tensor *g_s, kt_tensor *g_vh, kt_tensor *u, kt_tensor *s,
                           kt_tensor *vh)
{
    if (!g_u && !g_vh)
        return mm(kt_mul(u, kt_unsqueeze(g_s, -2)), vh);
    kt_tensor *row = kt_unsqueeze(s, -2), *column = kt_unsqueeze(s, -1), *gaps = inverse_gaps(kt_mul(s, s));
    kt_tensor *along_u = g_u ? mm(adjoint(u), g_u) : NULL, *along_v = g_vh ? mm(vh, adjoint(g_vh)) : NULL;
    if (is_complex(u) && refuses_phases(c, along_u, along_v))
        return NULL;
    kt_tensor *inner = plus(along_u ? kt_mul(kt_mul(skew(along_u), gaps), row) : NULL,
                            along_v ? kt_mul(column, kt_mul(skew(along_v), gaps)) : NULL);
    if (g_s)
        inner = kt_add(inner, kt_diag_embed(g_s));
    if (is_complex(u) && along_u) /* the phase that U and V share */
        inner = kt_add(inner, kt_diag_embed(kt_div(diagonal(skew(along_u)), kt_mul_s(s, KT_INT(2)))));
    kt_tensor *whole = mm(u, mm(inner, vh));
    if (g_u && rows_in(u) > columns_in(u)) /* what leaves the columns of U */
        whole = kt_add(whole, mm(kt_div(kt_sub(g_u, mm(u, along_u)), row), vh));
    if (g_vh && columns_in(vh) > rows_in(vh))
        whole = kt_add(whole, mm(u, kt_div(kt_sub(g_vh, mm(adjoint(along_v), vh)), column)));
    return whole;
}

GRAD(linalg_svd_of)
{
    if (!need(c, 0))
        return;
    kt_tensor *u = Y, *s = Z, *vh = RESULT(2), *g_u = c->grads[0], *g_vh = c->grads[2];
    if (!u || !s || !vh)
        return;
    if (u->ndim < 2) {
        kt_fail(KT_ERR_RUNTIME,
                "linalg_svd_backward: Setting compute_uv=false is not supported. Differentiating through it needs "
                "the singular vectors.");
        return;
    }
    const int64_t k = columns_in(s);
    if (columns_in(u) > k)
        u = kt_narrow(u, -1, 0, k), g_u = g_u ? kt_narrow(g_u, -1, 0, k) : NULL;
    if (rows_in(vh) > k)
        vh = kt_narrow(vh, -2, 0, k), g_vh = g_vh ? kt_narrow(g_vh, -2, 0, k) : NULL;
    c->d[0] = svd_back(c, g_u, c->grads[1], g_vh, u, s, vh);
}
