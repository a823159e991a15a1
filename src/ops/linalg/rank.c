/* rank.c - what is made of singular values: pseudo-inverses, ranks, condition numbers, least squares. In: calls of their rows.
 * Out: results, or PyTorch's refusals. Values that are not above a bound, max(atol, rtol * the largest), count as 0. */
#include <math.h>
#include <string.h>

#include "call/policy.h"
#include "call/refuse.h"
#include "ops/linalg/matrices.h"

/* ---- the bound ---- */
static double epsilon_of(kt_dtype d) { return d == KT_F32 || d == KT_C64 ? 0x1p-23 : 0x1p-52; }

static double default_rtol(const kt_tensor *a)
{
    const int64_t most = kt__rows_in(a) > kt__columns_in(a) ? kt__rows_in(a) : kt__columns_in(a);
    return epsilon_of((kt_dtype)a->dtype) * (double)most;
}

/* A number as a tensor that meets the values of `a` without a conversion. */
static kt_tensor *number_for(const kt_tensor *a, double value)
{
    const bool known = a->dtype == KT_F32 || a->dtype == KT_C64;
    return kt_full(KT_SCALAR, KT_FLOAT(value), .dtype = known ? KT_F32 : KT_F64, .device = kt__device(a));
}

/* Does the policy let the bounds meet the values? */
static kt_status check_bound(const kt_call *call, const kt_tensor *bound, const char *name)
{
    const kt_dtype real = kt__real_dtype((kt_dtype)call->arg[0].t->dtype);
    return !bound || bound->dtype == real ? KT_OK : kt__allow(kt__mode(), call, name, bound, real, KT_WHY_PROMOTION);
}

static kt_status check_bounds(const kt_call *call, const kt_tensor *atol, const kt_tensor *rtol)
{
    return check_bound(call, atol, "atol") || check_bound(call, rtol, "rtol") ? kt_error_status() : KT_OK;
}

/* For each matrix, beside its values. atol: NULL is 0; rtol: NULL is 0 where atol is above 0, else as many epsilons as the
 * longer side has elements. */
static kt_tensor *bound_of(const kt_call *call, kt_tensor *atol, kt_tensor *rtol, kt_tensor *largest)
{
    const kt_tensor *a = call->arg[0].t;
    if (!rtol)
        rtol = atol ? kt_where(kt_gt_s(atol, KT_INT(0)), number_for(a, 0), number_for(a, default_rtol(a)))
                    : number_for(a, default_rtol(a));
    kt_tensor *relative = kt_mul(rtol, largest);
    return kt_unsqueeze(atol ? kt_maximum(atol, relative) : kt_clamp_min_s(relative, KT_INT(0)), -1);
}

static kt_tensor *tensor_at(const kt_call *call, int i) { return kt__given(call, i) ? call->arg[i].t : NULL; }

/* ---- pseudo-inverses ---- */
static kt_tensor *inverse_above(kt_tensor *values, kt_tensor *sizes, kt_tensor *bound)
{
    return kt_where_s(kt_gt(sizes, bound), kt_reciprocal(values), KT_INT(0));
}

static kt_tensor *empty_inverse(const kt_tensor *a)
{
    int64_t sizes[KT_MAX_DIMS];
    for (int i = 0; i < a->ndim; i++)
        sizes[i] = a->sizes[i];
    sizes[a->ndim - 2] = kt__columns_in(a), sizes[a->ndim - 1] = kt__rows_in(a);
    return kt_empty(((kt_shape){a->ndim, sizes}), .dtype = (kt_dtype)a->dtype, .device = kt__device(a));
}

kt_status kt__body_linalg_pinv_tensor(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t, *atol = tensor_at(call, 1), *rtol = tensor_at(call, 2);
    if (check_bounds(call, atol, rtol))
        return kt_error_status();
    if (a->numel == 0)
        return kt__end(call, empty_inverse(a));
    if (kt__arg_bool(call, 3)) {
        const kt_linalg_eigh_results r = kt_linalg_eigh(a);
        kt_tensor                   *sizes = kt_abs(r.eigenvalues);
        kt_tensor                   *bound = bound_of(call, atol, rtol, kt_amax(sizes, .dim = KT_SHAPE(-1)));
        kt_tensor                   *inverse = inverse_above(r.eigenvalues, sizes, bound);
        return kt__end(call, kt_matmul(kt_mul(r.eigenvectors, kt_unsqueeze(inverse, -2)), kt__adjoint(r.eigenvectors)));
    }
    const kt_linalg_svd_results r = kt_linalg_svd(a, .full_matrices = KT_SOME(false));
    kt_tensor                  *bound = bound_of(call, atol, rtol, kt_select(r.S, -1, 0));
    kt_tensor                  *inverse = inverse_above(r.S, r.S, bound);
    return kt__end(call, kt_matmul(kt_mul(kt__adjoint(r.Vh), kt_unsqueeze(inverse, -2)), kt__adjoint(r.U)));
}

/* With a number for the bound: NaN is one, above which nothing is. */
static kt_status pseudo_inverse(kt_call *call, double rtol, bool hermitian)
{
    kt_tensor *a = call->arg[0].t;
    return kt__end(call, kt_linalg_pinv_tensor(a, .atol = number_for(a, 0), .rtol = number_for(a, rtol), .hermitian = hermitian));
}

static kt_tensor *number_at(const kt_call *call, int i)
{
    return kt__given(call, i) ? number_for(call->arg[0].t, call->arg[i].f) : NULL;
}

kt_status kt__body_linalg_pinv(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_linalg_pinv_tensor(call->arg[0].t, .atol = number_at(call, 1), .rtol = number_at(call, 2),
                                               .hermitian = kt__arg_bool(call, 3)));
}

kt_status kt__body_linalg_pinv_rcond(kt_call *call)
{
    KT_SCOPE;
    return pseudo_inverse(call, kt__arg(call, 1)->f, kt__arg_bool(call, 2));
}

kt_status kt__body_pinverse(kt_call *call)
{
    KT_SCOPE;
    return pseudo_inverse(call, kt__arg(call, 1)->f, false);
}

kt_status kt__body_linalg_pinv_rcond_tensor(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    return kt__end(call, kt_linalg_pinv_tensor(a, .atol = number_for(a, 0), .rtol = call->arg[1].t,
                                               .hermitian = kt__arg_bool(call, 2)));
}

/* ---- ranks ---- */
static kt_status rank(kt_call *call, kt_tensor *atol, kt_tensor *rtol, bool hermitian)
{
    kt_tensor *a = call->arg[0].t;
    if (kt__failed() || kt__check_matrices(a, "torch.linalg.matrix_rank", "input") || kt__refuse(call, STAGE_AFTER) ||
        check_bounds(call, atol, rtol))
        return kt_error_status();
    if (a->numel == 0)
        return kt__end(call, kt_zeros(kt__batch_of(a), .dtype = KT_I64, .device = kt__device(a)));
    a = kt_detach(a);
    kt_tensor *values = hermitian ? kt_abs(kt_linalg_eigvalsh(a)) : kt_linalg_svdvals(a);
    kt_tensor *largest = hermitian ? kt_amax(values, .dim = KT_SHAPE(-1)) : kt_select(values, -1, 0);
    return kt__end(call, kt_sum_dim(kt_gt(values, bound_of(call, atol, rtol, largest)), KT_SHAPE(-1)));
}

kt_status kt__body_linalg_matrix_rank_tensor(kt_call *call)
{
    KT_SCOPE;
    return rank(call, tensor_at(call, 1), tensor_at(call, 2), kt__arg_bool(call, 3));
}

kt_status kt__body_linalg_matrix_rank(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    return rank(call, kt__given(call, 1) ? number_for(a, call->arg[1].f) : NULL,
                kt__given(call, 2) ? number_for(a, call->arg[2].f) : NULL, kt__arg_bool(call, 3));
}

kt_status kt__body_linalg_matrix_rank_tol_tensor(kt_call *call)
{
    KT_SCOPE;
    return rank(call, call->arg[1].t, number_for(call->arg[0].t, 0), kt__arg_bool(call, 2));
}

kt_status kt__body_linalg_matrix_rank_tol(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    return rank(call, number_for(a, kt__arg(call, 1)->f), number_for(a, 0), kt__arg_bool(call, 2));
}

/* ---- condition numbers ---- */
static kt_status check_conditioned(const kt_tensor *a, const char *order)
{
    char who[64];
    snprintf(who, sizeof who, "linalg.cond(ord=%.30s)", order);
    return kt__check_square(a, who);
}

/* Of a matrix of no elements. */
static kt_status no_condition(kt_call *call, const kt_tensor *a)
{
    return kt__end(call,
                   kt_zeros(kt__batch_of(a), .dtype = kt__real_dtype((kt_dtype)a->dtype), .device = kt__device(a)));
}

/* The inverse; infinite where a matrix is singular, which makes the product of the norms infinite too. */
static kt_tensor *inverse_or_infinite(kt_tensor *a)
{
    const kt_linalg_inv_ex_results r = kt_linalg_inv_ex(a);
    kt_tensor *singular = r.info ? kt_unsqueeze(kt_unsqueeze(kt_ne_s(r.info, KT_INT(0)), -1), -1) : NULL;
    return kt_masked_fill(r.inverse, singular, KT_FLOAT(INFINITY));
}

static kt_tensor *without_nan(kt_tensor *t)
{
    return kt_nan_to_num(t, .nan = KT_SOME(INFINITY), .posinf = KT_SOME(INFINITY), .neginf = KT_SOME(-INFINITY));
}

kt_status kt__body_linalg_cond(kt_call *call)
{
    KT_SCOPE;
    kt_tensor      *a = call->arg[0].t;
    const kt_scalar given = kt__arg_scalar(call, 1);
    if (a->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "linalg.cond: The input tensor must have at least 2 dimensions.");
    if (given.kind == KT_SCALAR_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "value cannot be converted to type double without overflow");
    const double order = !given.kind                     ? 2
                         : given.kind == KT_SCALAR_FLOAT ? given.v.re
                                                         : (double)given.v.i,
                 size = fabs(order);
    char text[32];
    snprintf(text, sizeof text, "%g", order);
    if (size != 1 && size != 2 && !isinf(order))
        return kt_fail(KT_ERR_RUNTIME, "linalg.cond got an invalid norm type: %s", text);
    if (a->numel == 0)
        return no_condition(call, a);
    if (size == 2) {
        kt_tensor *values = kt_linalg_svdvals(a);
        kt_tensor *largest = kt_narrow(values, -1, 0, 1), *smallest = kt_narrow(values, -1, -1, 1);
        return kt__end(call,
                       kt_squeeze_dim(order > 0 ? kt_div(largest, smallest) : kt_div(smallest, largest), KT_SHAPE(-1)));
    }
    if (check_conditioned(a, text))
        return kt_error_status();
    kt_tensor *inverse = inverse_or_infinite(a);
    return kt__end(call, without_nan(kt_mul(kt_linalg_matrix_norm(a, given), kt_linalg_matrix_norm(inverse, given))));
}

kt_status kt__body_linalg_cond_str(kt_call *call)
{
    KT_SCOPE;
    kt_tensor  *a = call->arg[0].t;
    const char *name = kt__arg(call, 1)->str;
    if (check_conditioned(a, name))
        return kt_error_status();
    if (strcmp(name, "fro") != 0 && strcmp(name, "nuc") != 0)
        return kt_fail(KT_ERR_RUNTIME, "linalg.cond got an invalid norm type: %s", name);
    if (a->numel == 0)
        return no_condition(call, a);
    if (strcmp(name, "nuc") == 0) {
        kt_tensor *values = kt_linalg_svdvals(a);
        return kt__end(call, kt_mul(kt_sum_dim(values, KT_SHAPE(-1)), kt_sum_dim(kt_reciprocal(values), KT_SHAPE(-1))));
    }
    kt_tensor *inverse = inverse_or_infinite(a);
    return kt__end(call, without_nan(kt_mul(kt_linalg_matrix_norm_str(a), kt_linalg_matrix_norm_str(inverse))));
}

/* ---- least squares ---- */
enum { GELS, GELSY, GELSD, GELSS, DRIVERS }; /* ORDER DRIVERS */

static kt_status driver_of(const kt_call *call, int at, int *driver)
{
    static const char *const names[DRIVERS] = {"gels", "gelsy", "gelsd", "gelss"};
    *driver = GELSY;
    if (!kt__given(call, at))
        return KT_OK;
    for (*driver = 0; *driver < DRIVERS; ++*driver)
        if (strcmp(names[*driver], call->arg[at].str) == 0)
            return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
}

static bool is_vector_for(const kt_tensor *a, const kt_tensor *b)
{
    return b->ndim == 1 ||
           (b->ndim == a->ndim - 1 && memcmp(b->sizes, a->sizes, (size_t)b->ndim * sizeof *b->sizes) == 0);
}

static kt_status check_squares(const kt_tensor *a, const kt_tensor *b)
{
    if (a->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "torch.linalg.lstsq: input must have at least 2 dimensions.");
    if (b->ndim < 1)
        return kt_fail(KT_ERR_RUNTIME, "torch.linalg.lstsq: other must have at least 1 dimension.");
    if (a->ndim < b->ndim || a->ndim - b->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - "
                       "other.dim()) <= 1");
    if (is_vector_for(a, b) && kt__rows_in(a) != kt__columns_in(b))
        return kt_fail(KT_ERR_RUNTIME, "torch.linalg.lstsq: input.size(-2) should match other.size(-1)");
    if (!is_vector_for(a, b) && kt__rows_in(a) != kt__rows_in(b))
        return kt_fail(KT_ERR_RUNTIME, "torch.linalg.lstsq: input.size(-2) should match other.size(-2)");
    return KT_OK;
}

/* One number or row of each matrix that A has, of a result for each of the batch that A and B broadcast to. Where that is empty
 * and A is not, nothing was solved: zeros. */
static kt_tensor *of_each(kt_tensor *t, const kt_tensor *a, kt_shape batch)
{
    const int64_t before = batch.n - (a->ndim - 2);
    int64_t       sizes[KT_MAX_DIMS];
    int64_t       n = a->ndim - 2;
    for (int64_t i = 0; i < n; i++)
        sizes[i] = a->sizes[i];
    for (int64_t i = batch.n; t && i < t->ndim; i++)
        sizes[n++] = t->sizes[i];
    if (t && !t->numel)
        return kt_new_zeros(t, ((kt_shape){n, sizes}));
    for (int64_t i = 0; i < batch.n && t; i++)
        if (i < before || a->sizes[i - before] != batch.d[i])
            t = kt_narrow(t, i, 0, 1);
    return kt_reshape(t, ((kt_shape){n, sizes}));
}

/* Are the ranks of all of A's matrices n? Waits for a device, as in PyTorch. */
static kt_status is_full(const kt_tensor *a, const kt_tensor *rank, int64_t n, bool *full)
{
    *full = rank->numel || !a->numel;
    if (rank->backend == KT_META || !rank->numel)
        return KT_OK;
    int64_t    least = 0;
    kt_tensor *lowest = kt_amin((kt_tensor *)rank);
    if (!lowest || kt_read(lowest, &least, sizeof least))
        return kt_error_status();
    *full = least == n;
    return KT_OK;
}

/* The unknowns lie where the right-hand sides were solved in place, as LAPACK leaves them and PyTorch gives them: the strides are
 * those of all rows. It is no view. */
static kt_tensor *first_rows(kt_tensor *solved, int64_t n)
{
    kt_tensor *rows = kt_narrow(solved, -2, 0, n);
    return rows ? kt_unsafe_view(rows, kt__sizes(rows)) : NULL;
}

kt_status kt__body_linalg_lstsq(kt_call *call)
{
    KT_SCOPE;
    kt_tensor          *a = call->arg[0].t, *b = call->arg[1].t;
    int64_t             sizes[KT_MAX_DIMS];
    kt_shape            batch;
    int                 driver;
    kt__decision        room;
    const kt__decision *d;
    if (check_squares(a, b) || !(d = kt__resolve_in_body(call, &room)) || driver_of(call, 3, &driver) ||
        kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    a = kt__converted_inside(a, (kt_dtype)d->common, KT_WHY_PROMOTION);
    b = kt__converted_inside(b, (kt_dtype)d->common, KT_WHY_PROMOTION);
    if (!a || !b)
        return kt_error_status();
    /* The dims that b lacks stand at its end, as PyTorch has it, even where b is a matrix. */
    const bool vector = is_vector_for(a, b);
    kt_tensor *columns = b->ndim < a->ndim ? kt_unsqueeze(b, -1) : b;
    if (!columns || kt__meet_batches(columns, a, sizes, &batch))
        return kt_error_status();
    b = kt__with_batch(vector ? columns : b, batch, 2);
    kt_tensor *wide = kt__with_batch(a, batch, 2);
    if (!b || !wide)
        return kt_error_status();
    const kt_dtype dtype = (kt_dtype)a->dtype, real = kt__real_dtype(dtype);
    const int64_t  m = kt__rows_in(a), n = kt__columns_in(a), most = m > n ? m : n, k = kt__least_side(a);
    const bool     wants_values = driver >= GELSD;
    kt_tensor     *x = kt__new_matrices(a, dtype, batch, most, kt__columns_in(b));
    kt_tensor     *rank = kt__new_numbers(a, KT_I64, batch), *info = kt__new_numbers(a, KT_I32, batch);
    kt_tensor     *values = kt__new_vectors(a, real, batch, wants_values ? k : 0);
    const double   rcond = kt__given(call, 2) ? call->arg[2].f : default_rtol(a);
    bool           full = true;
    if (kt__run_matrices(call, KT_K_least_squares, wide,
                         (kt__matrix_arg[]){{x, 2}, {rank, 0}, {values, 1}, {info, 0}, {wide, 2}, {b, 2}}, 4, 2,
                         (kt_scalar[]){KT_INT(driver), KT_FLOAT(rcond)}, 2) ||
        kt__check_info(info, KT__NO_LEAST_SQUARES, "torch.linalg.lstsq") ||
        (wants_values && m > n && is_full(a, rank, n, &full)))
        return kt_error_status();
    kt_tensor *residuals = kt__nothing_like(a, real);
    if (m > n && driver != GELSY && full) { /* without unknowns LAPACK's solvers by singular values leave b, the other zeros */
        kt_tensor *rest = kt_abs(n == 0 && wants_values ? b : kt_narrow(x, -2, n, m - n));
        residuals = kt_sum_dim(kt_mul(rest, rest), KT_SHAPE(-2));
    }
    kt_tensor *solution = first_rows(x, n);
    kt_tensor *results[] = {vector ? kt_squeeze_dim(solution, KT_SHAPE(-1)) : solution, residuals,
                            driver == GELS ? kt__nothing_like(a, KT_I64) : of_each(rank, a, batch),
                            wants_values ? of_each(values, a, batch) : kt__nothing_like(a, real)};
    return kt__end_several(call, results, 4);
}
