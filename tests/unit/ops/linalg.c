/* linalg.c - linear algebra by what defines it: factors multiplied again, equations put to the test. Every test runs with
 * LAPACK and with the solver of our own that serves where there is none, in the four dtypes; refusals in PyTorch's words. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/linalg.h>
#include <math.h>

#include "cpu/linalg/solver.h"
#include "support/by_name.h"

static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_C64, KT_C128};
enum { DTYPES = 4, SIDE = 5 };

/* ---- matrices ---- */
static uint64_t seed;

static double next(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 40) / (1 << 23) - 1;
}

static kt_tensor *matrices(kt_dtype dtype, kt_shape shape)
{
    double   values[256], parts[256];
    kt_dtype real = dtype == KT_C64 || dtype == KT_C128 ? KT_F64 : dtype;
    int64_t  n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.d[i];
    for (int64_t i = 0; i < n; i++)
        values[i] = next(), parts[i] = next();
    kt_tensor *t = tensor_of(real, shape, values);
    return real == dtype ? t : kt_to(kt_complex(t, tensor_of(real, shape, parts)), .dtype = dtype);
}

static kt_tensor *adjoint(kt_tensor *t) { return kt_conj(kt_transpose(t, -2, -1)); }
static kt_tensor *one(kt_dtype dtype, int64_t n) { return kt_eye(n, .dtype = dtype); }

static kt_tensor *positive(kt_dtype dtype)
{
    kt_tensor *a = matrices(dtype, KT_SHAPE(2, SIDE, SIDE));
    return kt_add(kt_matmul(a, adjoint(a)), one(dtype, SIDE));
}

static double distance(kt_tensor *a, kt_tensor *b)
{
    const double d = kt_item(kt_to(kt_amax(kt_abs(kt_sub(a, b))), .dtype = KT_F64));
    return kt_failed() ? INFINITY : d;
}

static double allowed(kt_dtype dtype) { return dtype == KT_F32 || dtype == KT_C64 ? 2e-4 : 1e-10; }

#define NEAR(got, want, dtype)                                                                                         \
    CHECK_MSG(distance(got, want) <= allowed(dtype), "%s of %s: %s is %g off %s", #got, kt_dtype_name(dtype), "it",    \
              distance(got, want), kt_failed() ? kt_error() : "")

/* ---- both solvers ---- */
typedef void part(kt_dtype dtype);

static void with_both(part *run)
{
    const kt__solver *solvers[] = {kt__lapack(), &kt__own_solver};
    for (int s = 0; s < 2; s++) {
        if (!solvers[s])
            continue;
        kt__solver_choose(solvers[s]);
        for (int d = 0; d < DTYPES; d++) {
            KT_SCOPE;
            seed = (uint64_t)d + 1;
            run(dtypes[d]);
            CHECK_MSG(!kt_failed(), "%s: %s", kt_dtype_name(dtypes[d]), kt_error());
            kt_clear();
        }
    }
    kt__solver_choose(NULL);
}

static void solved(kt_dtype dtype)
{
    kt_tensor *a = matrices(dtype, KT_SHAPE(2, SIDE, SIDE)), *b = matrices(dtype, KT_SHAPE(2, SIDE, 3)),
              *id = one(dtype, SIDE);
    const kt_linalg_lu_results lu = kt_linalg_lu(a);
    NEAR(kt_matmul(lu.P, kt_matmul(lu.L, lu.U)), a, dtype);
    NEAR(kt_matmul(a, kt_linalg_inv(a)), kt_expand_as(id, a), dtype);
    NEAR(kt_matmul(a, kt_linalg_solve(a, b)), b, dtype);
    NEAR(kt_matmul(kt_linalg_solve(a, adjoint(b), .left = KT_SOME(false)), a), adjoint(b), dtype);
    const kt_linalg_lu_factor_results f = kt_linalg_lu_factor(a);
    NEAR(kt_matmul(adjoint(a), kt_linalg_lu_solve(f.LU, f.pivots, b, .adjoint = true)), b, dtype);
    NEAR(kt_linalg_det(kt_matmul(a, a)), kt_mul(kt_linalg_det(a), kt_linalg_det(a)), dtype);
    kt_tensor *p = positive(dtype), *l = kt_linalg_cholesky(p), *u = kt_linalg_cholesky(p, .upper = true);
    NEAR(kt_matmul(l, adjoint(l)), p, dtype);
    NEAR(kt_matmul(adjoint(u), u), p, dtype);
    NEAR(kt_matmul(p, kt_cholesky_solve(b, l)), b, dtype);
    NEAR(kt_matmul(p, kt_cholesky_inverse(u, .upper = true)), kt_expand_as(id, p), dtype);
    NEAR(kt_matmul(kt_triu(a), kt_linalg_solve_triangular(a, b, true)), b, dtype);
    NEAR(kt_matmul(kt_linalg_solve_triangular(a, adjoint(b), false, .left = KT_SOME(false)), kt_tril(a)), adjoint(b),
         dtype);
}
TEST(equations) { with_both(solved); }

static void decomposed(kt_dtype dtype)
{
    static const int64_t shapes[][2] = {{5, 5}, {6, 3}, {3, 6}};
    for (int i = 0; i < 3; i++) {
        kt_tensor *a = matrices(dtype, KT_SHAPE(2, shapes[i][0], shapes[i][1]));
        for (int full = 0; full < 2; full++) {
            const kt_linalg_qr_results q = kt_linalg_qr(a, .mode = full ? "complete" : "reduced");
            NEAR(kt_matmul(q.Q, q.R), a, dtype);
            const kt_linalg_svd_results s = kt_linalg_svd(a, .full_matrices = KT_SOME(full));
            const int64_t               k = kt_size(s.S, -1);
            kt_tensor                  *u = kt_narrow(s.U, -1, 0, k), *vh = kt_narrow(s.Vh, -2, 0, k);
            NEAR(kt_matmul(kt_mul(u, kt_unsqueeze(s.S, -2)), vh), a, dtype);
            NEAR(kt_matmul(adjoint(s.U), s.U), kt_expand_as(one(dtype, kt_size(s.U, -1)), kt_matmul(adjoint(s.U), s.U)),
                 dtype);
        }
    }
    kt_tensor                   *p = positive(dtype);
    const kt_linalg_eigh_results e = kt_linalg_eigh(p, .UPLO = "U");
    NEAR(kt_matmul(p, e.eigenvectors), kt_mul(e.eigenvectors, kt_unsqueeze(e.eigenvalues, -2)), dtype);
    NEAR(kt_linalg_eigvalsh(p), e.eigenvalues, dtype);
}
TEST(factors) { with_both(decomposed); }

/* Q from its reflectors, and products with it from both sides. */
static void reflected(kt_dtype dtype)
{
    kt_tensor *a = matrices(dtype, KT_SHAPE(2, 6, 4)), *b = matrices(dtype, KT_SHAPE(2, 6, 3)), *c = adjoint(b);
    const kt_geqrf_results r = kt_geqrf(a);
    kt_tensor             *q = kt_linalg_householder_product(r.a, r.tau), *upper = kt_triu(kt_narrow(r.a, -2, 0, 4));
    NEAR(kt_matmul(q, upper), a, dtype);
    NEAR(kt_orgqr(r.a, kt_narrow(r.tau, -1, 0, 2)), kt_linalg_householder_product(r.a, kt_narrow(r.tau, -1, 0, 2)),
         dtype);
    kt_tensor *whole = kt_ormqr(r.a, r.tau, kt_contiguous(kt_expand(one(dtype, 6), KT_SHAPE(2, 6, 6))));
    NEAR(kt_narrow(whole, -1, 0, 4), q, dtype);
    NEAR(kt_matmul(adjoint(whole), whole), kt_expand(one(dtype, 6), KT_SHAPE(2, 6, 6)), dtype);
    NEAR(kt_ormqr(r.a, r.tau, b), kt_matmul(whole, b), dtype);
    NEAR(kt_ormqr(r.a, r.tau, b, .transpose = true), kt_matmul(adjoint(whole), b), dtype);
    NEAR(kt_ormqr(r.a, r.tau, c, .left = KT_SOME(false)), kt_matmul(c, whole), dtype);
    NEAR(kt_ormqr(r.a, r.tau, c, .left = KT_SOME(false), .transpose = true), kt_matmul(c, adjoint(whole)), dtype);
}
TEST(reflectors) { with_both(reflected); }

/* L and D of LAPACK's form put together again: rows of L are exchanged as they were. */
static void indefinite(kt_dtype dtype)
{
    for (int zero = 0; zero < 2; zero++)
        for (int hermitian = 0; hermitian < 2; hermitian++) {
            kt_tensor *a = matrices(dtype, KT_SHAPE(3, 7, 7)), *b = matrices(dtype, KT_SHAPE(3, 7, 2));
            a = kt_add(a, hermitian ? adjoint(a) : kt_transpose(a, -2, -1));
            if (zero) /* a diagonal of zeros has blocks of two */
                a = kt_mul(a, kt_to(kt_logical_not(kt_eye(7)), .dtype = dtype));
            const kt_linalg_ldl_factor_results f = kt_linalg_ldl_factor(a, .hermitian = hermitian);
            NEAR(kt_matmul(a, kt_linalg_ldl_solve(f.LD, f.pivots, b, .hermitian = hermitian)), b, dtype);
            NEAR(kt_matmul(a, kt_linalg_ldl_solve(f.LD, kt_to(f.pivots, .dtype = KT_I64), kt_select(b, 0, 0),
                                                  .hermitian = hermitian)),
                 kt_expand_as(kt_select(b, 0, 0), b), dtype);
            const kt_linalg_ldl_factor_results below = kt_linalg_ldl_factor(kt_tril(a), .hermitian = hermitian);
            NEAR(kt_tril(below.LD), kt_tril(f.LD), dtype); /* the other triangle is not read */
        }
}
TEST(indefinite_matrices) { with_both(indefinite); }

TEST(our_own_factors_are_those_of_lapack)
{
    KT_SCOPE;
    const kt__solver *lapack = kt__lapack();
    for (int d = 0; d < DTYPES && lapack; d++) {
        kt_tensor *a = matrices(dtypes[d], KT_SHAPE(6, 6)),
                  *zero = kt_mul(a, kt_to(kt_logical_not(kt_eye(6)), .dtype = dtypes[d]));
        kt_tensor *made[2][5];
        for (int s = 0; s < 2; s++) {
            kt__solver_choose(s ? &kt__own_solver : lapack);
            const kt_linalg_lu_factor_results  lu = kt_linalg_lu_factor(a);
            const kt_linalg_ldl_factor_results ldl = kt_linalg_ldl_factor(kt_add(zero, kt_transpose(zero, 0, 1)));
            const kt_geqrf_results             qr = kt_geqrf(a);
            kt_tensor                         *all[] = {lu.LU, kt_to(lu.pivots, .dtype = dtypes[d]), kt_tril(ldl.LD),
                                                        kt_to(ldl.pivots, .dtype = dtypes[d]), qr.a};
            for (int i = 0; i < 5; i++)
                made[s][i] = all[i];
        }
        for (int i = 0; i < 5; i++)
            CHECK_MSG(distance(made[0][i], made[1][i]) <= allowed(dtypes[d]), "%s, %d: %g off",
                      kt_dtype_name(dtypes[d]), i, distance(made[0][i], made[1][i]));
    }
    kt__solver_choose(NULL);
}

/* ---- by singular values ---- */
static void of_singular_values(kt_dtype dtype)
{
    kt_tensor *a = matrices(dtype, KT_SHAPE(2, 5, 2)), *b = matrices(dtype, KT_SHAPE(2, 2, 4)), *low = kt_matmul(a, b);
    kt_tensor *p = kt_linalg_pinv(low, .rtol = KT_SOME(1e-4)), *ap = kt_matmul(low, p), *pa = kt_matmul(p, low);
    NEAR(kt_matmul(ap, low), low, dtype);
    NEAR(kt_matmul(pa, p), p, dtype);
    NEAR(adjoint(ap), ap, dtype);
    NEAR(adjoint(pa), pa, dtype);
    NEAR(kt_pinverse(a, .rcond = KT_SOME(1e-4)), kt_linalg_pinv_rcond(a, 1e-4), dtype);
    NEAR(kt_linalg_pinv_rcond_tensor(a, kt_full(KT_SHAPE(2), KT_FLOAT(1e-4))), kt_linalg_pinv(a), dtype);
    kt_tensor *square = kt_matmul(a, adjoint(a));
    NEAR(kt_linalg_pinv(square, .rtol = KT_SOME(1e-4), .hermitian = true),
         kt_linalg_pinv(square, .rtol = KT_SOME(1e-4)), dtype);
    CHECK_EQ_INT(kt_item(kt_amax(kt_linalg_matrix_rank(low, .rtol = KT_SOME(1e-4)))), 2);
    CHECK_EQ_INT(kt_item(kt_amin(kt_linalg_matrix_rank_tol(low, 1e-4))), 2);
    CHECK_EQ_INT(kt_item(kt_amin(kt_linalg_matrix_rank(square, .rtol = KT_SOME(1e-4), .hermitian = true))), 2);
    kt_tensor *scaled = kt_mul_s(one(dtype, 3), KT_INT(4));
    CHECK_NEAR(kt_item(kt_linalg_cond(scaled)), 1, 1e-6);
    CHECK_NEAR(kt_item(kt_linalg_cond(scaled, .p = KT_INT(-1))), 1, 1e-6);
    CHECK_NEAR(kt_item(kt_linalg_cond_str(scaled, "nuc")), 9, 1e-5);
    CHECK_NEAR(kt_item(kt_linalg_cond_str(scaled, "fro")), 3, 1e-5);
    CHECK(isinf(kt_item(kt_linalg_cond(kt_zeros(KT_SHAPE(2, 2), .dtype = dtype), .p = KT_INT(1)))));
}
TEST(singular_values) { with_both(of_singular_values); }

/* What is left over is orthogonal to the columns of A; of many solutions the shortest lies among the rows of A. */
static void squares(kt_dtype dtype)
{
    static const char *const drivers[] = {"gels", "gelsy", "gelsd", "gelss"};
    for (int i = 0; i < 4; i++) {
        kt_tensor *tall = matrices(dtype, KT_SHAPE(2, 6, 3)), *wide = matrices(dtype, KT_SHAPE(2, 3, 6));
        kt_tensor *b = matrices(dtype, KT_SHAPE(2, 6, 2)), *c = matrices(dtype, KT_SHAPE(2, 3, 2));
        const kt_linalg_lstsq_results r = kt_linalg_lstsq(tall, b, .driver = drivers[i]);
        kt_tensor                    *rest = kt_sub(kt_matmul(tall, r.solution), b);
        NEAR(kt_matmul(adjoint(tall), rest), kt_zeros_like(r.solution), dtype);
        if (i != 1 && kt__lapack() == kt__solver_in_use())
            NEAR(r.residuals, kt_sum_dim(kt_mul(kt_abs(rest), kt_abs(rest)), KT_SHAPE(-2)), dtype);
        kt_tensor *x = kt_linalg_lstsq(wide, c, .driver = drivers[i]).solution;
        NEAR(kt_matmul(wide, x), c, dtype);
        NEAR(kt_matmul(kt_linalg_pinv(wide), kt_matmul(wide, x)), x, dtype);
        if (i)
            CHECK_EQ_INT(kt_item(kt_amin(r.rank)), 3);
        CHECK_EQ_INT(kt_numel(r.singular_values), i > 1 ? 6 : 0);
    }
    kt_tensor *a = matrices(dtype, KT_SHAPE(4, 3)), *v = matrices(dtype, KT_SHAPE(4));
    NEAR(kt_linalg_lstsq(a, v).solution, kt_matmul(kt_linalg_pinv(a), v), dtype);
}
TEST(least_squares) { with_both(squares); }

/* ---- eigenvalues and exponentials ---- */
TEST(general_eigenvalues)
{
    KT_SCOPE;
    for (int d = 0; d < DTYPES && kt__lapack(); d++) {
        kt_tensor                  *a = matrices(dtypes[d], KT_SHAPE(2, 4, 4));
        const kt_linalg_eig_results e = kt_linalg_eig(a);
        const kt_dtype              complex = kt_dtype_of(e.eigenvalues);
        CHECK_EQ_INT(complex, d % 2 ? KT_C128 : KT_C64);
        NEAR(kt_matmul(kt_to(a, .dtype = complex), e.eigenvectors),
             kt_mul(e.eigenvectors, kt_unsqueeze(e.eigenvalues, -2)), complex);
        NEAR(kt_sum_dim(kt_linalg_eigvals(a), KT_SHAPE(-1)), kt_sum_dim(e.eigenvalues, KT_SHAPE(-1)), complex);
    }
    kt__solver_choose(&kt__own_solver);
    CHECK_FAILS(kt_linalg_eig(one(KT_F32, 2)), KT_ERR_NOT_IMPLEMENTED,
                "linalg.eig: eigenvalues of general matrices need LAPACK: install libopenblas0");
    kt__solver_choose(NULL);
    kt_clear();
    if (kt__lapack())
        CHECK_FAILS(kt_linalg_eig(kt_full(KT_SHAPE(2, 2), KT_FLOAT(NAN))), KT_ERR_RUNTIME,
                    "torch.linalg.eig: input tensor should not contain infs or NaNs.");
}

/* Of large and small norms in one batch, against exp of a diagonal that is turned. */
static void exponentials(kt_dtype dtype)
{
    static const double sizes[] = {1e-3, 0.7, 3, 12};
    kt_tensor          *q = kt_linalg_qr(matrices(dtype, KT_SHAPE(4, SIDE, SIDE))).Q;
    kt_tensor          *values = kt_mul(matrices(dtype, KT_SHAPE(4, SIDE)), tensor_of(KT_F64, KT_SHAPE(4, 1), sizes));
    values = kt_to(values, .dtype = dtype);
    kt_tensor *a = kt_matmul(kt_mul(q, kt_unsqueeze(values, -2)), adjoint(q));
    kt_tensor *want = kt_matmul(kt_mul(q, kt_unsqueeze(kt_exp(values), -2)), adjoint(q)),
              *got = kt_linalg_matrix_exp(a);
    kt_tensor *size = kt_amax(kt_abs(want), .dim = KT_SHAPE(-2, -1), .keepdim = true);
    NEAR(kt_div(got, size), kt_div(want, size), dtype);
    NEAR(kt_matrix_exp(kt_select(a, 0, 3)), kt_select(got, 0, 3), dtype);
    NEAR(kt_matmul(kt_linalg_matrix_exp(kt_neg(kt_select(a, 0, 1))), kt_select(got, 0, 1)), one(dtype, SIDE), dtype);
    NEAR(kt_matrix_exp(kt_zeros(KT_SHAPE(3, 3), .dtype = dtype)), one(dtype, 3), dtype);
}
TEST(matrix_exponentials) { with_both(exponentials); }

TEST(exponentials_of_what_is_not_finite)
{
    KT_SCOPE;
    kt_tensor *x = kt_linalg_matrix_exp(kt_full(KT_SHAPE(2, 2), KT_FLOAT(NAN)));
    CHECK(x && isnan(tensor_at(x, 0)));
    x = kt_linalg_matrix_exp(kt_full(KT_SHAPE(2, 2), KT_FLOAT(INFINITY)));
    CHECK(x && !isfinite(tensor_at(x, 0)));
    CHECK_EQ_INT(kt_dtype_of(kt_matrix_exp(kt_ones(KT_SHAPE(2, 2), .dtype = KT_BF16))), KT_BF16);
    CHECK_EQ_INT(kt_numel(kt_matrix_exp(kt_ones(KT_SHAPE(3, 0, 0)))), 0);
}

/* ---- tensors as matrices ---- */
static void unfolded(kt_dtype dtype)
{
    kt_tensor *t = matrices(dtype, KT_SHAPE(2, 3, 6)), *b = matrices(dtype, KT_SHAPE(2, 3));
    NEAR(kt_tensordot(kt_linalg_tensorinv(t), b, KT_SHAPE(1, 2), KT_SHAPE(0, 1)), kt_linalg_tensorsolve(t, b), dtype);
    NEAR(kt_tensordot(t, kt_linalg_tensorsolve(t, b), KT_SHAPE(2), KT_SHAPE(0)), b, dtype);
    kt_tensor *moved = kt_movedim(t, KT_SHAPE(2), KT_SHAPE(0));
    NEAR(kt_linalg_tensorsolve(moved, b, .dims = KT_SHAPE(0)), kt_linalg_tensorsolve(t, b), dtype);
    NEAR(kt_nuclear_norm(kt_select(t, 0, 0)), kt_sum(kt_linalg_svdvals(kt_select(t, 0, 0))), dtype);
    NEAR(kt_nuclear_norm_dim(t, KT_SHAPE(0, 1)), kt_linalg_matrix_norm_str(t, .ord = "nuc", .dim = KT_SHAPE(0, 1)),
         dtype);
}
TEST(tensors_as_matrices) { with_both(unfolded); }

/* ---- nothing, and too little ---- */
TEST(empty_matrices)
{
    KT_SCOPE;
    kt_tensor *none = kt_empty(KT_SHAPE(2, 0, 3));
    CHECK_EQ_INT(kt_size(kt_linalg_pinv(none), 1), 3);
    CHECK_EQ_INT(kt_item(kt_amax(kt_linalg_matrix_rank(none))), 0);
    CHECK_EQ_INT(kt_size(kt_linalg_lstsq(none, kt_empty(KT_SHAPE(2, 0, 4))).solution, 1), 3);
    CHECK_EQ_INT(kt_numel(kt_geqrf(none).tau), 0);
    CHECK_EQ_INT(kt_numel(kt_linalg_eig(kt_empty(KT_SHAPE(0, 3, 3))).eigenvectors), 0);
    CHECK_EQ_INT(kt_numel(kt_linalg_ldl_factor(kt_empty(KT_SHAPE(0, 3, 3))).pivots), 0);
    CHECK_EQ_INT(kt_numel(kt_linalg_householder_product(kt_empty(KT_SHAPE(3, 0)), kt_empty(KT_SHAPE(0)))), 0);
    CHECK_NEAR(kt_item(kt_amax(kt_linalg_cond(none))), 0, 0);
    CHECK_MSG(!kt_failed(), "%s", kt_error());
}

TEST(singular_matrices)
{
    KT_SCOPE;
    static const double gap[] = {1, 0, 0, 0, 0, 0};
    kt_tensor          *zeros = kt_zeros(KT_SHAPE(2, 3, 3)), *short_of = tensor_of(KT_F32, KT_SHAPE(3, 2), gap);
    const kt__solver   *solvers[] = {kt__lapack(), &kt__own_solver};
    for (int s = 0; s < 2; s++) {
        if (!solvers[s])
            continue;
        kt__solver_choose(solvers[s]);
        CHECK_FAILS(kt_linalg_inv(zeros), KT_ERR_LINALG,
                    "linalg.inv: (Batch element 0): The diagonal element 1 is zero");
        CHECK_FAILS(kt_linalg_cholesky(zeros), KT_ERR_LINALG,
                    "linalg.cholesky: (Batch element 0): The factorization could not");
        CHECK_FAILS(kt_linalg_solve(zeros, zeros), KT_ERR_LINALG,
                    "torch.linalg.solve: (Batch element 0): The solver failed");
        CHECK_FAILS(kt_linalg_lu_factor(zeros), KT_ERR_RUNTIME,
                    "torch.linalg.lu_factor: (Batch element 0): U[1,1] is zero");
        CHECK_FAILS(kt_linalg_ldl_factor(zeros), KT_ERR_LINALG,
                    "torch.linalg.ldl_factor: (Batch element 0): Unknown error code: 1.");
        CHECK_FAILS(kt_linalg_tensorinv(kt_zeros(KT_SHAPE(2, 3, 6))), KT_ERR_LINALG,
                    "inv: The diagonal element 1 is zero");
        CHECK_FAILS(kt_linalg_lstsq(kt_full(KT_SHAPE(3, 2), KT_FLOAT(NAN)), kt_ones(KT_SHAPE(3, 1))), KT_ERR_LINALG,
                    "torch.linalg.lstsq: The algorithm failed to converge because the input matrix contained "
                    "non-finite values.");
        CHECK_FAILS(
            kt_linalg_svdvals(kt_full(KT_SHAPE(3, 2), KT_FLOAT(NAN))), KT_ERR_LINALG,
            "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.");
        CHECK_EQ_INT(kt_item(kt_amin(kt_linalg_ldl_factor_ex(zeros).info)), 1);
        kt_clear();
    }
    kt__solver_choose(NULL);
    if (kt__lapack())
        CHECK_FAILS(kt_linalg_lstsq(short_of, kt_ones(KT_SHAPE(3, 1)), .driver = "gels"), KT_ERR_LINALG,
                    "torch.linalg.lstsq: The least squares solution could not be computed because the input matrix "
                    "does not have "
                    "full rank (error code: 2).");
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(4, 3)), *v = kt_ones(KT_SHAPE(3)),
              *whole = kt_ones(KT_SHAPE(3, 3), .dtype = KT_I64), *half = kt_ones(KT_SHAPE(3, 3), .dtype = KT_F16),
              *b = kt_ones(KT_SHAPE(4, 2));
#define REFUSES(expr, kind, text) CHECK_FAILS(expr, KT_ERR_##kind, text)
    REFUSES(kt_linalg_pinv(whole), RUNTIME,
            "linalg.pinv(Long{[3, 3]}): expected a tensor with 2 or more dimensions of float, ");
    REFUSES(kt_linalg_pinv(v), RUNTIME,
            "linalg.pinv(Float{[3]}): expected a tensor with 2 or more dimensions of float, ");
    REFUSES(kt_linalg_pinv_tensor(a, .atol = kt_full(KT_SCALAR, KT_COMPLEX(0, 1))), RUNTIME,
            "torch.linalg.pinv: atol tensor of complex type is not supported. Got ComplexFloat");
    REFUSES(kt_linalg_matrix_rank(v), RUNTIME,
            "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.");
    REFUSES(kt_linalg_matrix_rank(whole), RUNTIME, "This function doesn't handle types other than float and double");
    REFUSES(kt_linalg_cond(v), RUNTIME, "linalg.cond: The input tensor must have at least 2 dimensions.");
    REFUSES(kt_linalg_cond(a, .p = KT_INT(1)), RUNTIME,
            "linalg.cond(ord=1): A must be batches of square matrices, but they are 4 by 3");
    REFUSES(kt_linalg_cond(a, .p = KT_INT(3)), RUNTIME, "linalg.cond got an invalid norm type: 3");
    REFUSES(kt_linalg_cond_str(kt_eye(3), "bad"), RUNTIME, "linalg.cond got an invalid norm type: bad");
    REFUSES(kt_linalg_lstsq(v, v), RUNTIME, "torch.linalg.lstsq: input must have at least 2 dimensions.");
    REFUSES(kt_linalg_lstsq(a, v), RUNTIME, "torch.linalg.lstsq: input.size(-2) should match other.size(-1)");
    REFUSES(kt_linalg_lstsq(a, kt_ones(KT_SHAPE(3, 1))), RUNTIME,
            "torch.linalg.lstsq: input.size(-2) should match other.size(-2)");
    REFUSES(kt_linalg_lstsq(a, b, .driver = "x"), RUNTIME,
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, ");
    REFUSES(kt_linalg_lstsq(a, kt_to(b, .dtype = KT_F64)), RUNTIME,
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype Float and "
            "other's dtype Double");
    REFUSES(kt_linalg_lstsq(whole, whole), RUNTIME, "This function doesn't handle types other than float and double");
    REFUSES(kt_linalg_eig(a), RUNTIME,
            "linalg.eig: A must be batches of square matrices, but they are 4 by 3 matrices");
    REFUSES(kt_linalg_eig(whole), RUNTIME, "Unknown Complex ScalarType for Long");
    REFUSES(kt_linalg_eig(half), NOT_IMPLEMENTED, "\"linalg_eig_out_cpu\" not implemented for 'Half'");
    REFUSES(kt_linalg_eigvals(v), RUNTIME, "linalg.eigvals: The input tensor A must have at least 2 dimensions.");
    REFUSES(kt_matrix_exp(a), RUNTIME,
            "linalg.matrix_exp: A must be batches of square matrices, but they are 4 by 3 matrices");
    REFUSES(kt_matrix_exp(whole), RUNTIME,
            "linalg.matrix_exp: Expected a floating point or complex tensor as input. Got Long");
    REFUSES(kt_linalg_tensorinv(a, .ind = KT_SOME(0)), RUNTIME,
            "Expected a strictly positive integer for 'ind', but got 0");
    REFUSES(kt_linalg_tensorinv(a, .ind = KT_SOME(1)), RUNTIME,
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == ");
    REFUSES(kt_linalg_tensorsolve(a, kt_ones(KT_SHAPE(4))), RUNTIME,
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == ");
    REFUSES(kt_geqrf(v), RUNTIME, "torch.geqrf: input must have at least 2 dimensions.");
    REFUSES(kt_geqrf(half), NOT_IMPLEMENTED, "\"geqrf_cpu\" not implemented for 'Half'");
    REFUSES(kt_linalg_householder_product(kt_t(a), v), RUNTIME,
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]");
    REFUSES(kt_linalg_householder_product(a, kt_ones(KT_SHAPE(4))), RUNTIME,
            "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]");
    REFUSES(kt_linalg_householder_product(a, kt_to(v, .dtype = KT_F64)), RUNTIME,
            "torch.linalg.householder_product: tau dtype Double does not match input dtype Float");
    REFUSES(kt_linalg_householder_product(kt_unsqueeze(a, 0), kt_ones(KT_SHAPE(2, 3))), RUNTIME,
            "torch.linalg.householder_product: Expected batch dimensions of tau to be equal to input.shape[:-2], but "
            "got [2]");
    REFUSES(kt_ormqr(a, v, v), RUNTIME, "torch.ormqr: other must have at least 2 dimensions.");
    REFUSES(kt_ormqr(a, v, kt_ones(KT_SHAPE(3, 2))), RUNTIME,
            "torch.ormqr: other.shape[-2] must be equal to input.shape[-2]");
    REFUSES(kt_ormqr(a, kt_ones(KT_SHAPE(2)), b), RUNTIME,
            "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[-2], input.shape[-1])");
    REFUSES(kt_ormqr(a, v, kt_to(b, .dtype = KT_F64)), RUNTIME,
            "torch.ormqr: Expected input and other to have the same dtype, but input has dtypeFloat and other has "
            "dtype Double");
    REFUSES(kt_linalg_ldl_factor(a), RUNTIME,
            "torch.linalg.ldl_factor_ex: A must be batches of square matrices, but they are 4 by 3");
    REFUSES(kt_linalg_ldl_solve(kt_eye(3), v, kt_eye(3)), RUNTIME,
            "torch.linalg.ldl_solve: Expected pivots to be integers. Got Float");
    REFUSES(kt_linalg_ldl_solve(kt_eye(3), kt_ones(KT_SHAPE(2), .dtype = KT_I32), kt_eye(3)), RUNTIME,
            "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            "[2] instead");
#undef REFUSES
}

/* Pivots that the user makes up lead nowhere outside the matrix. */
TEST(hostile_pivots)
{
    KT_SCOPE;
    static const double some[][4] = {{-1, -1, -1, -1}, {-1, 3, 9, -7}, {0, 0, 0, 0}, {2e9, -2e9, 1, -1}, {1, 2, 3, -4}};
    const kt__solver   *solvers[] = {kt__lapack(), &kt__own_solver};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 5 && solvers[s]; i++) {
            kt__solver_choose(solvers[s]);
            kt_tensor *pivots = tensor_of(KT_I32, KT_SHAPE(4), some[i]);
            CHECK(kt_linalg_ldl_solve(kt_eye(4), pivots, kt_ones(KT_SHAPE(4, 2))));
            CHECK_FAILS(kt_linalg_lu_solve(kt_eye(4), pivots, kt_eye(4)), KT_ERR_RUNTIME,
                        "Pivots given to lu_solve must all be ");
            CHECK_FAILS(kt_lu_unpack(kt_eye(4), pivots).P, KT_ERR_RUNTIME,
                        "pivots passed to lu_unpack must be between 1 and ");
        }
    kt__solver_choose(NULL);
}
