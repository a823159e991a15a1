/* lu.c - LU factors, and what is made with them: determinants, inverses, solutions. In: calls of their rows. Out: results in the
 * layout of LAPACK (column-major), as PyTorch has them. */
#include <math.h>

#include "base/alloc.h"
#include "base/warn.h"
#include "call/move.h"
#include "call/refuse.h"
#include "ops/linalg/matrices.h"

/* ---- factors ---- */
typedef struct factors {
    kt_tensor *lu, *pivots, *info;
} factors;

static kt_status factor(kt_call *call, kt_tensor *a, factors *f)
{
    f->lu = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(a), kt__rows_in(a), kt__columns_in(a));
    f->pivots = kt__new_vectors(a, KT_I32, kt__batch_of(a), kt__least_side(a));
    f->info = kt__new_numbers(a, KT_I32, kt__batch_of(a));
    return kt__run_matrices(call, KT_K_lu_factor, a,
                            (kt__matrix_arg[]){{f->lu, 2}, {f->pivots, 1}, {f->info, 0}, {a, 2}}, 3, 1, NULL, 0);
}

static kt_status check_factor(const kt_call *call, const kt_tensor *a, bool pivot, const char *who)
{
    kt__decision room;
    if (a->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "%s: Expected tensor with 2 or more dimensions. Got size: %s instead", who,
                       KT__SIZES_TEXT(a));
    if (!kt__resolve_in_body(call, &room))
        return kt_error_status();
    return pivot || a->numel == 0
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
}

kt_status kt__body_linalg_lu_factor_ex(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    factors    f;
    if (check_factor(call, a, kt__arg_bool(call, 1), "torch.lu_factor") || factor(call, a, &f))
        return kt_error_status();
    kt_tensor *const made[] = {f.lu, f.pivots, f.info};
    if (kt__check_ends(call, made, 3) ||
        (kt__arg_bool(call, 2) && kt__check_info(f.info, KT__ZERO_PIVOT, "torch.linalg.lu_factor_ex")))
        return kt_error_status();
    return kt__end_several(call, made, 3);
}

kt_status kt__body_linalg_lu_factor(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_lu_factor_ex_results f = kt_linalg_lu_factor_ex(call->arg[0].t, .pivot = KT_SOME(kt__arg_bool(call, 1)));
    kt_tensor *const made[] = {f.LU, f.pivots};
    if (!f.info || kt__check_ends(call, made, 2) || kt__check_info(f.info, KT__ZERO_PIVOT, "torch.linalg.lu_factor"))
        return kt_error_status();
    return kt__end_several(call, made, 2);
}

/* check_errors is not looked at, as in PyTorch. */
kt_status kt__body_lu_with_info(kt_call *call)
{
    KT_SCOPE;
    KT__WARN_ONCE("torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
                  "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
                  "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
                  "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
                  "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)");
    const kt_linalg_lu_factor_ex_results f = kt_linalg_lu_factor_ex(call->arg[0].t, .pivot = KT_SOME(kt__arg_bool(call, 1)));
    return kt__end_several(call, (kt_tensor *[]){f.LU, f.pivots, f.info}, 3);
}

/* ---- their parts ---- */

/* As in PyTorch the CPU's alone are looked at; kernels stay in the matrix whatever they are. */
static kt_status check_pivots(kt_tensor *pivots, int64_t rows, const char *if_small, const char *if_large)
{
    const size_t bytes = (size_t)pivots->numel * sizeof(int32_t);
    size_t       granted;
    bool         small = false, large = false;
    if (pivots->backend != KT_CPU || bytes == 0)
        return KT_OK;
    int32_t *values = kt__block_get(bytes, &granted);
    if (!values)
        return kt__fail_memory(bytes);
    const kt_status status = kt_read(pivots, values, bytes);
    for (int64_t i = 0; i < pivots->numel && !status; i++) {
        small |= values[i] < 1;
        large |= values[i] > rows;
    }
    kt__block_put(values, granted);
    return small ? kt_fail(KT_ERR_RUNTIME, "%s", if_small) : large ? kt_fail(KT_ERR_RUNTIME, "%s", if_large) : status;
}

static kt_tensor *permutation(kt_call *call, const kt_tensor *lu, kt_tensor *pivots)
{
    const int64_t rows = kt__rows_in(lu);
    int64_t       sizes[KT_MAX_DIMS];
    const kt_shape batch = kt__batch_of(lu);
    kt_tensor     *places = kt__new_vectors(lu, KT_I64, batch, rows);
    pivots = kt__with_batch(pivots, batch, 1);
    if (!pivots || kt__run_matrices(call, KT_K_lu_permutation, pivots,
                         (kt__matrix_arg[]){{places, 1}, {pivots, 1}}, 1, 1, NULL, 0))
        return NULL;
    for (int64_t i = 0; i < batch.n; i++)
        sizes[i] = batch.d[i];
    sizes[batch.n] = sizes[batch.n + 1] = rows;
    kt_tensor *zeros = kt_zeros(((kt_shape){batch.n + 2, sizes}), .dtype = (kt_dtype)lu->dtype, .device = kt__device(lu));
    return kt_scatter_value(zeros, -2, kt_unsqueeze(places, -2), KT_INT(1));
}

static kt_tensor *unit_lower(kt_tensor *lu)
{
    const int64_t rows = kt__rows_in(lu), k = kt__least_side(lu);
    kt_tensor    *lower = kt_tril(kt_contiguous(kt_narrow(lu, -1, 0, k)), .diagonal = -1);
    kt_tensor    *one = kt_eye(rows, .m = KT_SOME(k), .dtype = KT_BOOL, .device = kt__device(lu));
    return kt_masked_fill(lower, one, KT_INT(1)); /* a sum would make 0 of -0 */
}

static kt_tensor *upper(kt_tensor *lu) { return kt_triu(kt_contiguous(kt_narrow(lu, -2, 0, kt__least_side(lu)))); }

kt_status kt__body_linalg_lu(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    factors    f;
    if (check_factor(call, a, kt__arg_bool(call, 1), "linalg.lu") || factor(call, a, &f))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){permutation(call, f.lu, f.pivots), unit_lower(f.lu), upper(f.lu)}, 3);
}

kt_status kt__body_lu_unpack(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *lu = call->arg[0].t, *pivots = call->arg[1].t;
    const bool   data = kt__arg_bool(call, 2), rows = kt__arg_bool(call, 3);
    kt__decision room;
    if (lu->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: %s instead",
                       KT__SIZES_TEXT(lu));
    if (kt__refuse(call, STAGE_AFTER) || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (rows && pivots->ndim < 1)
        return kt_fail(KT_ERR_RUNTIME, "torch.lu_unpack: Expected pivots with 1 or more dimensions.");
    static const char outside[] = "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass "
                                  "the result of lu_factor?";
    if (rows && check_pivots(pivots, kt__rows_in(lu), outside, outside))
        return kt_error_status();
    kt_tensor *none = kt__nothing_like(lu, (kt_dtype)lu->dtype);
    return kt__end_several(call,
                           (kt_tensor *[]){rows ? permutation(call, lu, pivots) : none,
                                           data ? unit_lower(lu) : kt__nothing_like(lu, (kt_dtype)lu->dtype),
                                           data ? upper(lu) : kt__nothing_like(lu, (kt_dtype)lu->dtype)},
                           3);
}

/* ---- solutions ---- */

/* X of A X = B or, if not left, of X A = B: then LAPACK is given the transposes, and the result is row-major. */
static kt_tensor *solve_factored(kt_call *call, kt_tensor *lu, kt_tensor *pivots, kt_tensor *b, kt_shape batch, bool left,
                                 bool adjoint)
{
    enum { PLAIN, TRANSPOSED, ADJOINT };
    const int64_t rows = kt__rows_in(b), columns = kt__columns_in(b);
    kt_tensor    *x;
    lu = kt__with_batch(lu, batch, 2);
    pivots = kt__with_batch(pivots, batch, 1);
    b = kt__with_batch(b, batch, 2);
    if (left) {
        x = kt__new_matrices(lu, (kt_dtype)lu->dtype, batch, rows, columns);
        return kt__run_matrices(call, KT_K_lu_solve, lu, (kt__matrix_arg[]){{x, 2}, {lu, 2}, {pivots, 1}, {b, 2}}, 1, 3,
                                (kt_scalar[]){KT_INT(adjoint ? ADJOINT : PLAIN)}, 1)
                   ? NULL
                   : x;
    }
    /* X A = B: A^T X^T = B^T. X A^H = B: A X^H = B^H. */
    const bool conjugated = adjoint && kt__dtype_rows[lu->dtype].category == KT_CAT_COMPLEX;
    x = kt_empty_like(b, .memory_format = KT_CONTIGUOUS_FORMAT);
    b = conjugated ? kt__adjoint(b) : kt_transpose(b, -2, -1);
    kt_tensor *turned = kt_transpose(x, -2, -1);
    if (kt__run_matrices(call, KT_K_lu_solve, lu, (kt__matrix_arg[]){{turned, 2}, {lu, 2}, {pivots, 1}, {b, 2}}, 1, 3,
                         (kt_scalar[]){KT_INT(adjoint ? PLAIN : TRANSPOSED)}, 1))
        return NULL;
    x->lineage = lu->lineage;
    return conjugated ? kt_conj_physical_(x) : x;
}

kt_status kt__body_linalg_lu_solve(kt_call *call)
{
    KT_SCOPE;
    kt_tensor          *lu = call->arg[0].t, *pivots = call->arg[1].t, *b = call->arg[2].t;
    const bool          left = kt__arg_bool(call, 3), adjoint = kt__arg_bool(call, 4);
    int64_t             sizes[KT_MAX_DIMS];
    kt_shape            batch;
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__refuse(call, STAGE_AFTER) || kt__check_square(lu, "torch.linalg.lu_solve") ||
        kt__check_equation(lu, b, left, "linalg.lu_solve"))
        return kt_error_status();
    if (pivots->ndim < 1 || kt__columns_in(lu) != pivots->sizes[pivots->ndim - 1])
        return kt_fail(KT_ERR_RUNTIME,
                       "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
    bool alike = pivots->ndim == lu->ndim - 1;
    for (int i = 0; alike && i < pivots->ndim; i++)
        alike = pivots->sizes[i] == lu->sizes[i];
    if (!alike)
        return kt_fail(KT_ERR_RUNTIME,
                       "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
                       "shape %s instead",
                       KT__SIZES_TEXT(pivots));
    if (kt__meet_batches(lu, b, sizes, &batch) || kt__refuse_known(call, NULL, (kt_dtype)d->common))
        return kt_error_status();
    static const char small[] = "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result of "
                                "lu_factor?";
    static const char large[] = "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the "
                                "result of lu_factor?";
    if (b->numel && check_pivots(pivots, kt__rows_in(lu), small, large))
        return kt_error_status();
    lu = kt__converted_inside(lu, (kt_dtype)d->common, KT_WHY_PROMOTION);
    b = kt__converted_inside(b, (kt_dtype)d->common, KT_WHY_PROMOTION);
    return kt__end(call, solve_factored(call, lu, pivots, b, batch, left, adjoint));
}

kt_status kt__body_lu_solve(kt_call *call)
{
    KT_SCOPE;
    KT__WARN_ONCE("torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
                  "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
                  "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)");
    return kt__end(call, kt_linalg_lu_solve(call->arg[1].t, call->arg[2].t, call->arg[0].t));
}

/* B is a vector, or a batch of them with the sizes of A's rows. */
static bool is_vector(const kt_tensor *a, const kt_tensor *b)
{
    bool alike = b->ndim == a->ndim - 1;
    for (int i = 0; alike && i < b->ndim; i++)
        alike = b->sizes[i] == a->sizes[i];
    return b->ndim == 1 || alike;
}

/* PyTorch lays a batch of vectors out as one matrix, column-major. */
static kt_tensor *as_vectors(kt_tensor *x)
{
    kt_tensor *flat = kt_squeeze_dim(x, KT_SHAPE(-1));
    if (!flat || flat->ndim < 2)
        return kt_contiguous(flat);
    kt_tensor *made = kt__new_matrices(flat, (kt_dtype)flat->dtype, kt__batch_of(flat), kt__rows_in(flat), kt__columns_in(flat));
    return !made || kt__copy_into(made, flat, KT_WHY_RESULT, KT_ROUND_TORCH) ? NULL : made;
}

kt_status kt__body_linalg_solve_lu(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t, *b = call->arg[1].t;
    const bool   left = kt__arg_bool(call, 2);
    int64_t      sizes[KT_MAX_DIMS];
    kt_shape     batch;
    factors      f;
    kt__decision room;
    if (kt__refuse_case(call, 0))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__check_square(a, "linalg.solve"))
        return kt_error_status();
    const bool vector = is_vector(a, b);
    if (vector)
        b = kt_unsqueeze(b, -1);
    if (!b || kt__check_equation(a, b, left, "linalg.solve") || kt__meet_batches(a, b, sizes, &batch) ||
        kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (vector && !left)
        return kt_fail(KT_ERR_RUNTIME, "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. "
                       "In this case linalg.solve is equivalent to B / A.squeeze(-1)");
    a = kt__converted_inside(a, (kt_dtype)d->common, KT_WHY_PROMOTION);
    b = kt__converted_inside(b, (kt_dtype)d->common, KT_WHY_PROMOTION);
    if (!a || !b || factor(call, a, &f))
        return kt_error_status();
    kt_tensor *x = solve_factored(call, f.lu, f.pivots, b, batch, left, false);
    if (kt__arg_bool(call, 3) && kt__check_info(f.info, KT__NOT_SOLVABLE, "torch.linalg.solve_ex"))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){vector ? as_vectors(x) : x, f.lu, f.pivots, f.info}, 4);
}

kt_status kt__body_linalg_solve_ex(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_solve_lu_results r = kt_linalg_solve_lu(
        call->arg[0].t, call->arg[1].t, .left = KT_SOME(kt__arg_bool(call, 2)), .check_errors = kt__arg_bool(call, 3));
    return kt__end_several(call, (kt_tensor *[]){r.result, r.info}, 2);
}

kt_status kt__body_linalg_solve(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_solve_lu_results r =
        kt_linalg_solve_lu(call->arg[0].t, call->arg[1].t, .left = KT_SOME(kt__arg_bool(call, 2)));
    if (!r.info || kt__check_ends(call, &r.result, 1) || kt__check_info(r.info, KT__NOT_SOLVABLE, "torch.linalg.solve"))
        return kt_error_status();
    return kt__end(call, r.result);
}

/* ---- inverses ---- */
kt_status kt__body_linalg_inv_ex(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    kt__decision room;
    if (kt__check_square(a, "linalg.inv") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    kt_tensor *x = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(a), kt__rows_in(a), kt__rows_in(a));
    kt_tensor *info = kt__new_numbers(a, KT_I32, kt__batch_of(a));
    if (kt__run_matrices(call, KT_K_inverse, a, (kt__matrix_arg[]){{x, 2}, {info, 0}, {a, 2}}, 2, 1, NULL, 0) ||
        kt__check_ends(call, (kt_tensor *[]){x, info}, 2) ||
        (kt__arg_bool(call, 1) && kt__check_info(info, KT__NOT_INVERTIBLE, "linalg.inv_ex")))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){x, info}, 2);
}

static kt_status inverse(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_inv_ex_results r = kt_linalg_inv_ex(call->arg[0].t);
    if (!r.info || kt__check_ends(call, &r.inverse, 1) || kt__check_info(r.info, KT__NOT_INVERTIBLE, "linalg.inv"))
        return kt_error_status();
    return kt__end(call, r.inverse);
}

kt_status kt__body_linalg_inv(kt_call *call) { return inverse(call); }
kt_status kt__body_inverse(kt_call *call) { return inverse(call); }

/* ---- determinants ---- */

/* -1 where an odd number of rows was exchanged, else 1. */
static kt_tensor *parity(kt_tensor *pivots, kt_dtype dtype)
{
    const int64_t n = pivots->sizes[pivots->ndim - 1];
    kt_tensor    *own = kt_arange(KT_INT(1), KT_INT(n + 1), .dtype = KT_I32, .device = kt__device(pivots));
    kt_tensor    *one = kt_ones(KT_SHAPE(n), .dtype = dtype, .device = kt__device(pivots));
    return kt_prod_dim(kt_where_s(kt_eq(pivots, own), one, KT_INT(-1)), -1);
}

static kt_tensor *diagonal(kt_tensor *t) { return kt_diagonal(t, .dim1 = -2, .dim2 = KT_SOME(-1)); }

kt_status kt__body_linalg_det_lu(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    factors      f;
    kt__decision room;
    if (kt__check_square(a, "linalg.det") || !kt__resolve_in_body(call, &room) || factor(call, a, &f))
        return kt_error_status();
    kt_tensor *det = kt_mul(kt_prod_dim(diagonal(f.lu), -1), parity(f.pivots, (kt_dtype)a->dtype));
    return kt__end_several(call, (kt_tensor *[]){det, f.lu, f.pivots}, 3);
}

static kt_status det(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_linalg_det_lu(call->arg[0].t).result);
}
kt_status kt__body_linalg_det(kt_call *call) { return det(call); }
kt_status kt__body_det(kt_call *call) { return det(call); }

kt_status kt__body_linalg_slogdet_lu(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    factors      f;
    kt__decision room;
    if (kt__check_square(a, "linalg.slogdet") || !kt__resolve_in_body(call, &room) || factor(call, a, &f))
        return kt_error_status();
    kt_tensor *d = diagonal(f.lu);
    kt_tensor *sign = kt_mul(kt_prod_dim(kt_sgn(d), -1), parity(f.pivots, (kt_dtype)a->dtype));
    return kt__end_several(call, (kt_tensor *[]){sign, kt_sum_dim(kt_log(kt_abs(d)), KT_SHAPE(-1)), f.lu, f.pivots}, 4);
}

static kt_status slogdet(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_slogdet_lu_results r = kt_linalg_slogdet_lu(call->arg[0].t);
    return kt__end_several(call, (kt_tensor *[]){r.sign, r.logabsdet}, 2);
}
kt_status kt__body_linalg_slogdet(kt_call *call) { return slogdet(call); }
kt_status kt__body_slogdet(kt_call *call) { return slogdet(call); }

kt_status kt__body_logdet(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    kt__decision room;
    if (kt__check_square(a, "logdet") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    const kt_linalg_slogdet_lu_results r = kt_linalg_slogdet_lu(a);
    if (kt__dtype_rows[a->dtype].category == KT_CAT_COMPLEX)
        return kt__end(call, kt_add(r.logabsdet, kt_log(r.sign)));
    return kt__end(call, kt_where_s(kt_ne_s(r.sign, KT_INT(-1)), r.logabsdet, KT_FLOAT(NAN)));
}
