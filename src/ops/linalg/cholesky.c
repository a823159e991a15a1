/* cholesky.c - Cholesky factors, and solutions with triangles. In: calls of their rows. Out: results in the layout of LAPACK. */
#include "base/warn.h"
#include "call/refuse.h"
#include "ops/linalg/matrices.h"

enum { PLAIN, TRANSPOSED, ADJOINT }; /* which A a kernel solves with */

/* ---- factors ---- */
static kt_status factor(kt_call *call, kt_tensor *a, bool upper, kt_tensor **l, kt_tensor **info)
{
    *l = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(a), kt__rows_in(a), kt__columns_in(a));
    *info = kt__new_numbers(a, KT_I32, kt__batch_of(a));
    return kt__run_matrices(call, KT_K_cholesky, a, (kt__matrix_arg[]){{*l, 2}, {*info, 0}, {a, 2}}, 2, 1,
                            (kt_scalar[]){KT_INT(upper)}, 1);
}

kt_status kt__body_linalg_cholesky_ex(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t, *l, *info;
    kt__decision room;
    if (kt__check_square(a, "linalg.cholesky") || !kt__resolve_in_body(call, &room) ||
        factor(call, a, kt__arg_bool(call, 1), &l, &info) || kt__check_ends(call, (kt_tensor *[]){l, info}, 2) ||
        (kt__arg_bool(call, 2) && kt__check_info(info, KT__NOT_POSITIVE, "linalg.cholesky_ex")))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){l, info}, 2);
}

kt_status kt__body_linalg_cholesky(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_cholesky_ex_results r = kt_linalg_cholesky_ex(call->arg[0].t, .upper = kt__arg_bool(call, 1));
    if (!r.info || kt__check_ends(call, &r.L, 1) || kt__check_info(r.info, KT__NOT_POSITIVE, "linalg.cholesky"))
        return kt_error_status();
    return kt__end(call, r.L);
}

kt_status kt__body_cholesky(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t, *l, *info;
    kt__decision room;
    KT__WARN_ONCE("torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
                  "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
                  "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
                  "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.");
    if (a->numel == 0) /* PyTorch looks at nothing else */
        return kt__resolve_in_body(call, &room) ? kt__end(call, kt_empty_like(a, .memory_format = KT_CONTIGUOUS_FORMAT))
                                                : kt_error_status();
    if (kt__check_square(a, "cholesky") || !kt__resolve_in_body(call, &room) ||
        factor(call, a, kt__arg_bool(call, 1), &l, &info) || kt__check_ends(call, &l, 1) ||
        kt__check_info(info, KT__NOT_POSITIVE, "cholesky"))
        return kt_error_status();
    return kt__end(call, l);
}

kt_status kt__body_cholesky_inverse(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *l = call->arg[0].t;
    kt__decision room;
    if (kt__check_square(l, "cholesky_inverse") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    kt_tensor *x = kt__new_matrices(l, (kt_dtype)l->dtype, kt__batch_of(l), kt__rows_in(l), kt__columns_in(l));
    kt_tensor *info = kt__new_numbers(l, KT_I32, kt__batch_of(l));
    if (kt__run_matrices(call, KT_K_cholesky_inverse, l, (kt__matrix_arg[]){{x, 2}, {info, 0}, {l, 2}}, 2, 1,
                         (kt_scalar[]){KT_INT(kt__arg_bool(call, 1))}, 1) ||
        kt__check_ends(call, &x, 1) || kt__check_info(info, KT__NOT_INVERTIBLE, "cholesky_inverse"))
        return kt_error_status();
    return kt__end_matrices(call, x, true);
}

/* ---- older checks: b, then A ---- */
static kt_status check_system(const kt_call *call, const kt_tensor *b, const kt_tensor *a, const char *name,
                              const kt__decision **d, kt__decision *room)
{
    if (!(*d = kt__resolve_in_body(call, room)))
        return kt_error_status();
    if (kt__rows_in(a) != kt__columns_in(a))
        return kt_fail(KT_ERR_RUNTIME, "A must be batches of square matrices, but they are %lld by %lld matrices",
                       (long long)kt__rows_in(a), (long long)kt__columns_in(a));
    if (kt__rows_in(a) != kt__rows_in(b))
        return kt_fail(KT_ERR_RUNTIME,
                       "Incompatible matrix sizes for %s: each A matrix is %lld by %lld but each b matrix is %lld by %lld", name,
                       (long long)kt__rows_in(a), (long long)kt__columns_in(a), (long long)kt__rows_in(b),
                       (long long)kt__columns_in(b));
    return kt__refuse(call, STAGE_AFTER);
}

kt_status kt__body_cholesky_solve(kt_call *call)
{
    KT_SCOPE;
    kt_tensor          *b = call->arg[0].t, *l = call->arg[1].t;
    int64_t             sizes[KT_MAX_DIMS];
    kt_shape            batch;
    const kt__decision *d;
    kt__decision        room;
    if (b->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "b should have at least 2 dimensions, but has %d dimensions instead", b->ndim);
    if (l->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "u should have at least 2 dimensions, but has %d dimensions instead", l->ndim);
    if (check_system(call, b, l, "cholesky_solve", &d, &room) || kt__meet_batches(l, b, sizes, &batch))
        return kt_error_status();
    l = kt__with_batch(kt__converted_inside(l, (kt_dtype)d->common, KT_WHY_PROMOTION), batch, 2);
    b = kt__with_batch(kt__converted_inside(b, (kt_dtype)d->common, KT_WHY_PROMOTION), batch, 2);
    if (!l || !b)
        return kt_error_status();
    kt_tensor *x = kt__new_matrices(b, (kt_dtype)b->dtype, batch, kt__rows_in(b), kt__columns_in(b));
    return kt__run_matrices(call, KT_K_cholesky_solve, b, (kt__matrix_arg[]){{x, 2}, {l, 2}, {b, 2}}, 1, 2,
                            (kt_scalar[]){KT_INT(kt__arg_bool(call, 2))}, 1)
               ? kt_error_status()
               : kt__end_matrices(call, x, false);
}

/* ---- triangles ---- */
static kt_tensor *solve_triangle(kt_call *call, kt_tensor *a, kt_tensor *b, kt_shape batch, bool upper, int which,
                                 bool unit, bool right)
{
    a = kt__with_batch(a, batch, 2);
    b = kt__with_batch(b, batch, 2);
    if (!a || !b)
        return NULL;
    kt_tensor *x = kt__new_matrices(a, (kt_dtype)a->dtype, batch, kt__rows_in(b), kt__columns_in(b));
    return kt__run_matrices(call, KT_K_triangular_solve, a, (kt__matrix_arg[]){{x, 2}, {a, 2}, {b, 2}}, 1, 2,
                            (kt_scalar[]){KT_INT(upper), KT_INT(which), KT_INT(unit), KT_INT(right)}, 4)
               ? NULL
               : x;
}

/* The adjoint of row-major matrices, not made yet: PyTorch solves the transposed equations with them, and gives rows. */
static bool is_adjoint_of_rows(kt_tensor *a, kt_shape batch)
{
    const kt_tensor *rows = a->flags & KT_T_CONJ ? kt_transpose(kt__with_batch(a, batch, 2), -2, -1) : NULL;
    return rows && kt__is_contiguous(rows);
}

static bool has_kernel(const kt_tensor *t)
{
    return t->dtype == KT_F32 || t->dtype == KT_F64 || t->dtype == KT_C64 || t->dtype == KT_C128;
}

kt_status kt__body_linalg_solve_triangular(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t, *b = call->arg[1].t;
    const bool   upper = kt__arg_bool(call, 2), left = kt__arg_bool(call, 3), unit = kt__arg_bool(call, 4);
    int64_t      sizes[KT_MAX_DIMS];
    kt_shape     batch;
    kt__decision room;
    kt_call      seen = *call;
    if (kt__check_square(a, "linalg.solve_triangular") || kt__check_equation(a, b, left, "linalg.solve_triangular") ||
        kt__meet_batches(a, b, sizes, &batch))
        return kt_error_status();
    kt_tensor *both[] = {a, b}; /* b is converted to the dtype of a, whatever it is: it is a that may lack a kernel */
    if (!has_kernel(a) && kt__is_mix(both, 2) && kt__cast_together(both, 2))
        return kt_error_status();
    a = seen.arg[0].t = both[0], b = seen.arg[1].t = both[1];
    if (!kt__resolve_in_body(&seen, &room))
        return kt_error_status();
    b = kt__converted(b, (kt_dtype)a->dtype, KT_WHY_PROMOTION);
    kt_tensor *x = solve_triangle(call, a, b, batch, upper, PLAIN, unit, !left);
    return kt__end(call, x && is_adjoint_of_rows(a, batch) ? kt_contiguous(x) : x);
}

kt_status kt__body_triangular_solve(kt_call *call)
{
    KT_SCOPE;
    kt_tensor          *b = call->arg[0].t, *a = call->arg[1].t;
    int64_t             sizes[KT_MAX_DIMS];
    kt_shape            batch;
    const kt__decision *d;
    kt__decision        room;
    if (b->ndim < 2)
        return kt_fail(
            KT_ERR_RUNTIME,
            "torch.triangular_solve: Expected b to have at least 2 dimensions, but it has %d dimensions instead",
            b->ndim);
    if (a->ndim < 2)
        return kt_fail(
            KT_ERR_RUNTIME,
            "torch.triangular_solve: Expected A to have at least 2 dimensions, but it has %d dimensions instead",
            a->ndim);
    if (check_system(call, b, a, "triangular_solve", &d, &room) || kt__meet_batches(a, b, sizes, &batch))
        return kt_error_status();
    KT__WARN_ONCE("torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
                  "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one "
                  "of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
                  "X = torch.linalg.solve_triangular(A, B).");
    a = kt__converted_inside(a, (kt_dtype)d->common, KT_WHY_PROMOTION);
    b = kt__converted_inside(b, (kt_dtype)d->common, KT_WHY_PROMOTION);
    kt_tensor *x = solve_triangle(call, a, b, batch, kt__arg_bool(call, 2), kt__arg_bool(call, 3) ? TRANSPOSED : PLAIN,
                                  kt__arg_bool(call, 4), false);
    kt_tensor *wide = kt__with_batch(a, batch, 2);
    kt_tensor *copy = wide ? kt__new_matrices(wide, (kt_dtype)wide->dtype, batch, kt__rows_in(wide), kt__columns_in(wide)) : NULL;
    if (!copy || kt__copy_into(copy, wide, KT_WHY_RESULT, KT_ROUND_TORCH))
        return kt_error_status();
    copy->lineage = a->lineage;
    return kt__end_several(call, (kt_tensor *[]){x, copy}, 2);
}
