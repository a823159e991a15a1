/* alloc_failure_linalg.c - the same sweep over linear algebra and its gradients, with LAPACK and with our own solver. */
#define KT_SITES
#include "support/sweep.h"

#include "cpu/linalg/solver.h"

/* ---- made ---- */
static kt_tensor *square(void)
{
    return kt_add(kt_mul_s(kt_eye(5), KT_INT(3)), kt_mul_s(kt_tril(kt_ones(KT_SHAPE(5, 5))), KT_FLOAT(0.1)));
}
static kt_tensor *symmetric(void) { return kt_add(kt_mul_s(kt_eye(5), KT_INT(3)), kt_ones(KT_SHAPE(5, 5))); }
static kt_tensor *tall(void) { return kt_narrow(square(), 1, 0, 3); }
static kt_tensor *tracked(kt_tensor *t)
{
    if (t)
        kt_set_requires_grad(t, true);
    return t;
}

STEP(equations)
{
    kt_tensor *a = square(), *s = symmetric();
    kt_linalg_inv(a);
    kt_linalg_solve(a, s);
    kt_linalg_det(a);
    kt_linalg_adjugate(a);
    kt_cholesky_inverse(kt_linalg_cholesky(s));
    kt_cholesky_solve(a, kt_linalg_cholesky(s));
    kt_linalg_lu(a);
    kt_linalg_solve_triangular(a, s, false, .left = KT_SOME(false));
}
STEP(orthogonal)
{
    kt_tensor *t = tall();
    kt_linalg_qr(t, .mode = "complete");
    kt_linalg_svd(t);
    kt_linalg_eigh(symmetric());
    const kt_geqrf_results r = kt_geqrf(t);
    kt_linalg_householder_product(r.a, r.tau);
    kt_ormqr(r.a, r.tau, square(), .left = KT_SOME(false), .transpose = true);
}
STEP(indefinite)
{
    const kt_linalg_ldl_factor_results f = kt_linalg_ldl_factor(symmetric());
    kt_linalg_ldl_solve(f.LD, f.pivots, tall());
}
STEP(ranks)
{
    kt_linalg_pinv(tall(), .rtol = KT_SOME(1e-3));
    kt_linalg_pinv(symmetric(), .hermitian = true);
    kt_linalg_matrix_rank(tall());
    kt_linalg_cond(square());
    kt_linalg_cond_str(square(), "fro");
    kt_nuclear_norm(tall());
}
STEP(squares)
{
    kt_linalg_lstsq(tall(), square(), .driver = "gelsd");
    kt_linalg_lstsq(tall(), kt_ones(KT_SHAPE(5)), .driver = "gels");
}
STEP(exponentials)
{
    kt_linalg_matrix_exp(symmetric());
    kt_linalg_tensorinv(kt_unsqueeze(square(), 0));
    kt_linalg_tensorsolve(square(), kt_ones(KT_SHAPE(5)));
}
STEP(refused_ranks) { kt_linalg_pinv(kt_ones(KT_SHAPE(5))); }

STEP(grad_ranks)
{
    backward_of(kt_linalg_pinv(tracked(tall())));
    backward_of(kt_linalg_lstsq(tracked(tall()), square()).solution);
}
/* What flows back once more; the caller's scope ends its life. */
static kt_tensor *slope(kt_tensor *y, kt_tensor *x)
{
    const kt_gradients_opts graph = {.size = sizeof graph, .create_graph = true};
    kt_tensor              *g = NULL;
    if (!y || !x || kt_gradients(&y, NULL, 1, &x, 1, &graph, &g))
        return NULL;
    kt_tensor *whole = kt_sum(kt_mul(g, g));
    kt_drop(g);
    return whole;
}
STEP(grad_determinants)
{
    kt_tensor *x = tracked(kt_ones(KT_SHAPE(3, 3)));
    backward_of(slope(slope(kt_linalg_det(x), x), x));
}
STEP(grad_exponentials) { backward_of(kt_linalg_matrix_exp(tracked(square()))); }
STEP(grad_reflectors)
{
    backward_of(kt_linalg_householder_product(tracked(tall()), tracked(kt_ones(KT_SHAPE(3)))));
    backward_of(kt_ormqr(tracked(tall()), tracked(kt_ones(KT_SHAPE(3))), square()));
}

#define ALL(X)                                                                                                         \
    X(equations)                                                                                                       \
    X(orthogonal) X(indefinite) X(ranks) X(squares) X(exponentials) X(refused_ranks) X(grad_ranks)                     \
        X(grad_exponentials) X(grad_reflectors) X(grad_determinants)
#define BOTH(name)                                                                                                     \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        sweep(#name, name, strstr(#name, "refused") != NULL);                                                          \
        kt__solver_choose(&kt__own_solver);                                                                            \
        sweep(#name " of our own", name, strstr(#name, "refused") != NULL);                                            \
        kt__solver_choose(NULL);                                                                                       \
    }
ALL(BOTH)

STEP(eigenvalues)
{
    kt_linalg_eig(square());
    kt_linalg_eigvals(square());
    backward_of(kt_abs(
        kt_linalg_eigvals(tracked(kt_add(square(), kt_diag(kt_arange(KT_INT(0), KT_INT(5), .dtype = KT_F32)))))));
}
TEST(eigenvalues)
{
    if (kt__lapack())
        sweep("eigenvalues", eigenvalues, false);
}
