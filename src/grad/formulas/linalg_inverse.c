/* linalg_inverse.c - the derivatives of pseudo-inverses, least squares, eigenvalues, exponentials and reflectors. ^H is the
 * adjoint.
 *
 * Pseudo-inverses: G. H. Golub and V. Pereyra, SIAM Journal on Numerical Analysis 10 (1973); eigenvalues: C. Boeddeker et al.,
 * arXiv:1701.00392 (2017); exponentials: N. J. Higham, Functions of Matrices (2008), theorem 3.6; reflectors together: R.
 * Schreiber and C. Van Loan, SIAM Journal on Scientific and Statistical Computing 10 (1989). */
#include "grad/formulas/matrices.h"

/* ---- pseudo-inverses ---- */

/* P = A^+: dP = -P dA P + P P^H dA^H (1 - A P) + (1 - P A) dA^H P^H P. The gradient lies as its first term does, columns side by
 * side, as PyTorch's. */
static kt_tensor *pinv_back(kt_tensor *g, kt_tensor *p, kt_tensor *a)
{
    kt_tensor *ph = adjoint(p), *gh = adjoint(g);
    kt_tensor *below = adjoint(mm(p, mm(ph, g))), *right = mm(ph, mm(p, gh));
    kt_tensor *whole = kt_sub(kt_sub(below, mm(a, mm(p, below))), mm(ph, mm(g, ph)));
    return kt_add(whole, kt_sub(right, mm(mm(right, p), a)));
}

GRAD(linalg_pinv_tensor) { dA = pinv_back(G, Y, A); }

/* X = A^+ B; the residuals |A X - B|^2 do not change with X, which makes them least. */
GRAD(linalg_lstsq)
{
    kt_tensor *x = Y, *a = like(x, A), *b = like(x, B), *g_x = c->grads[0], *g_r = c->grads[1], *g_a = NULL, *g_b = NULL;
    if (!a || !b || !x)
        return;
    const bool vector = x->ndim < a->ndim;
    if (vector)
        b = kt_unsqueeze(b, -1), x = kt_unsqueeze(x, -1), g_x = g_x ? kt_unsqueeze(g_x, -1) : NULL;
    if (g_x) {
        kt_tensor *p = kt_linalg_pinv(a);
        g_b = mm(adjoint(p), g_x);
        if (need(c, 0))
            g_a = pinv_back(mm(g_x, adjoint(b)), p, a);
    }
    if (g_r && g_r->numel) {
        g_r = kt__converted_inside(g_r, (kt_dtype)a->dtype, KT_WHY_GRADIENT);
        kt_tensor *slope = kt_mul(kt_mul_s(kt_sub(mm(a, x), b), KT_INT(2)), kt_unsqueeze(g_r, -2));
        g_b = plus(g_b, kt_neg(slope));
        g_a = plus(g_a, mm(slope, adjoint(x)));
    }
    if (need(c, 0))
        c->d[0] = g_a ? g_a : kt_zeros_like(a);
    if (need(c, 1))
        c->d[1] = !g_b ? kt_zeros_like(B) : vector ? kt_squeeze_dim(g_b, KT_SHAPE(-1)) : g_b;
}

/* ---- eigenvalues ---- */

/* A = V diag(L) V^-1 with columns of length 1. Between columns i and j a change turns by 1 / (L_j - L_i). */
GRAD(linalg_eig)
{
    if (!need(c, 0))
        return;
    kt_tensor *values = Y, *v = Z, *g_values = c->grads[0], *g_v = c->grads[1], *vh = adjoint(v), *inner = NULL;
    if (!values || !v)
        return;
    if (!g_v) {
        inner = kt_mul(kt_unsqueeze(g_values, -1), vh);
    } else {
        kt_tensor *along = mm(vh, g_v);
        if (refuses_phase(c, along, "linalg_eig_backward"))
            return;
        kt_tensor *stretch = kt__converted_inside(kt_real(diagonal(along)), (kt_dtype)v->dtype, KT_WHY_GRADIENT);
        kt_tensor *turned = kt_sub(along, kt_mul(mm(vh, v), kt_unsqueeze(stretch, -2)));
        kt_tensor *gaps = conjugate(kt_sub(kt_unsqueeze(values, -2), kt_unsqueeze(values, -1)));
        kt_tensor *on = kt_eye(columns_in(values), .dtype = KT_BOOL, .device = kt__device(values));
        turned = kt_masked_fill(kt_div(turned, kt_masked_fill(gaps, on, KT_INT(1))), on, KT_INT(0));
        inner = mm(g_values ? kt_add(turned, kt_diag_embed(g_values)) : turned, vh);
    }
    kt_tensor     *whole = kt_linalg_solve(vh, inner);
    const kt_dtype dtype = in_dtype(c, 0, whole);
    c->d[0] = kt__dtype_rows[dtype].category == KT_CAT_COMPLEX ? whole : kt_real(whole);
}

/* ---- exponentials ---- */

/* exp of [A^H, G; 0, A^H] has what flows back at the right above. */
GRAD(linalg_matrix_exp)
{
    if (!need(c, 0))
        return;
    kt_tensor *ah = adjoint(A), *g = G;
    if (!ah)
        return;
    if (ah->dtype == KT_F16 || ah->dtype == KT_BF16) { /* the forward pass computed in float32 too */
        ah = kt__converted_inside(ah, KT_F32, KT_WHY_GRADIENT);
        g = kt__converted_inside(g, KT_F32, KT_WHY_GRADIENT);
    }
    const int64_t n = rows_in(ah);
    kt_tensor    *above = kt_cat(((kt_tensor *[]){ah, g}), 2, .dim = -1);
    kt_tensor    *below = kt_cat(((kt_tensor *[]){kt_zeros_like(ah), ah}), 2, .dim = -1);
    kt_tensor    *whole = kt_linalg_matrix_exp(kt_cat(((kt_tensor *[]){above, below}), 2, .dim = -2));
    c->d[0] = kt_narrow(kt_narrow(whole, -2, 0, n), -1, n, n);
}

/* ---- reflectors ---- */

/* Q = 1 - V (1 + D S)^-1 D V^H of k reflectors: D has tau on its diagonal, S is V^H V above its own. */
typedef struct reflectors {
    kt_tensor *v, *tau, *above, *triangle; /* V, tau, S and 1 + D S, a unit triangle */
} reflectors;

static reflectors reflectors_of(kt_tensor *a, kt_tensor *tau)
{
    reflectors r = {0};
    if (!a || !tau)
        return r;
    kt_tensor *one =
        kt_eye(rows_in(a), .m = KT_SOME(columns_in(tau)), .dtype = (kt_dtype)a->dtype, .device = kt__device(a));
    r.tau = tau;
    r.v = kt_add(kt_tril(kt_narrow(a, -1, 0, columns_in(tau)), .diagonal = -1), one);
    r.above = kt_triu(mm(adjoint(r.v), r.v), .diagonal = 1);
    r.triangle = kt_mul(kt_unsqueeze(tau, -1), r.above);
    return r;
}

typedef struct slopes {
    kt_tensor *a, *tau;
} slopes;

/* What flows back to the reflectors from the first columns of Q; `columns`: how many the reflectors' tensor has. */
static slopes reflectors_back(reflectors r, kt_tensor *g, int64_t columns)
{
    if (!r.v || !g)
        return (slopes){NULL, NULL};
    const triangle upper = {r.triangle, true, true};
    const int64_t  rows = rows_in(r.v), n = columns_in(g), k = columns_in(r.v);
    kt_tensor     *top = kt_narrow(r.v, -2, 0, n), *tau = kt_unsqueeze(r.tau, -1); /* V^H of the first columns of 1 */
    kt_tensor     *y = kt_linalg_solve_triangular(r.triangle, kt_mul(tau, adjoint(top)), true, .unitriangular = true);
    kt_tensor     *g_w = kt_neg(solve_adjoint(upper, mm(adjoint(r.v), g)));
    kt_tensor     *g_inner = kt_neg(kt_triu(mm(g_w, adjoint(y)), .diagonal = 1));
    kt_tensor     *g_above = kt_mul(conjugate(tau), g_inner), *g_top = adjoint(kt_mul(conjugate(tau), g_w));
    kt_tensor     *g_v = kt_sub(mm(r.v, kt_add(g_above, adjoint(g_above))), mm(g, adjoint(y)));
    g_v = kt_add(g_v, n < rows ? kt_nn_pad(g_top, KT_SHAPE(0, 0, 0, rows - n)) : g_top);
    kt_tensor *g_a = kt_tril(g_v, .diagonal = -1);
    return (slopes){columns > k ? kt_nn_pad(g_a, KT_SHAPE(0, columns - k)) : g_a,
                    kt_add(kt_sum_dim(kt_mul(g_w, conjugate(adjoint(top))), KT_SHAPE(-1)),
                           kt_sum_dim(kt_mul(g_inner, conjugate(r.above)), KT_SHAPE(-1)))};
}

/* With columns side by side if the matrices of `like` lie so, as those of geqrf do. */
static kt_tensor *by_columns_as(kt_tensor *t, kt_tensor *like)
{
    const kt_tensor *rows = like ? kt_transpose(like, -2, -1) : NULL;
    if (!t || !rows || kt__is_contiguous(like) || !kt__is_contiguous(rows))
        return t;
    return kt_unsafe_view(kt_transpose(kt_contiguous(kt_transpose(t, -2, -1)), -2, -1), kt__sizes(t));
}

GRAD(linalg_householder_product)
{
    kt_tensor   *a = like(G, A);
    const slopes back = reflectors_back(reflectors_of(a, like(G, B)), G, columns_in(a));
    dA = by_columns_as(back.a, a);
    dB = back.tau;
}

/* X = op(Q) B or B op(Q). */
GRAD(ormqr)
{
    const bool left = arg(c, 3)->b, turned = arg(c, 4)->b;
    kt_tensor *a = like(G, A), *tau = like(G, B), *b = like(G, C);
    if (need(c, 2))
        c->d[2] = kt_ormqr(a, tau, G, .left = KT_SOME(left), .transpose = !turned);
    if (!need(c, 0) && !need(c, 1))
        return;
    kt_tensor   *g_q = left ? mm(G, adjoint(b)) : mm(adjoint(b), G);
    const slopes back = reflectors_back(reflectors_of(a, tau), turned ? adjoint(g_q) : g_q, columns_in(a));
    dA = back.a;
    dB = back.tau;
}

GRAD_MISSING(geqrf)
