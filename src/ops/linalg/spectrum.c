/* spectrum.c - orthogonal factors: QR, eigenvalues, singular values. In: calls of their rows. Out: results
 * in the layout of LAPACK. What was not asked for is a tensor of no elements. */
#include <math.h>
#include <string.h>

#include "base/warn.h"
#include "call/refuse.h"
#include "call/target.h"
#include "ops/linalg/matrices.h"

/* ---- QR ---- */
kt_status kt__body_linalg_qr(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    const char  *mode = kt__arg(call, 1)->str;
    const bool   complete = strcmp(mode, "complete") == 0, without_q = strcmp(mode, "r") == 0;
    kt__decision room;
    if (kt__check_matrices(a, "linalg.qr", "A") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (!complete && !without_q && strcmp(mode, "reduced") != 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "qr received unrecognized mode '%s' but expected one of 'reduced' (default), 'r', or 'complete'", mode);
    if (kt__check_out(call, (kt_dtype)a->dtype, (kt_dtype)a->dtype) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    const int64_t rows = kt__rows_in(a), columns = kt__columns_in(a), k = complete ? rows : kt__least_side(a);
    kt_tensor    *r = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(a), k, columns);
    if (without_q)
        return kt__run_matrices(call, KT_K_qr, a, (kt__matrix_arg[]){{r, 2}, {a, 2}}, 1, 1, NULL, 0)
                   ? kt_error_status()
                   : kt__end_several(call, (kt_tensor *[]){kt__nothing_like(a, (kt_dtype)a->dtype), r}, 2);
    kt_tensor *q = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(a), rows, k);
    return kt__run_matrices(call, KT_K_qr, a, (kt__matrix_arg[]){{r, 2}, {q, 2}, {a, 2}}, 2, 1, NULL, 0)
               ? kt_error_status()
               : kt__end_several(call, (kt_tensor *[]){q, r}, 2);
}

kt_status kt__body_qr(kt_call *call)
{
    KT_SCOPE;
    KT__WARN_ONCE("torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
                  "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
                  "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')");
    const kt_linalg_qr_results r = kt_linalg_qr(call->arg[0].t, .mode = kt__arg_bool(call, 1) ? "reduced" : "complete");
    return kt__end_several(call, (kt_tensor *[]){r.Q, r.R}, 2);
}

/* ---- Hermitian matrices ---- */
static kt_status triangle_named(const char *uplo, bool *upper)
{
    const bool one = uplo[0] && !uplo[1];
    *upper = one && (uplo[0] == 'U' || uplo[0] == 'u');
    return *upper || (one && (uplo[0] == 'L' || uplo[0] == 'l'))
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Expected UPLO argument to be 'L' or 'U', but got %s", uplo);
}

kt_status kt__body_linalg_eigh_of(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    const bool   wanted = kt__arg_bool(call, 2);
    bool         upper;
    kt__decision room;
    if (kt__check_square(a, "linalg.eigh") || triangle_named(kt__arg(call, 1)->str, &upper) || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    const kt_dtype dtype = (kt_dtype)a->dtype;
    kt_tensor     *values = kt__new_vectors(a, kt__real_dtype(dtype), kt__batch_of(a), kt__rows_in(a));
    kt_tensor     *info = kt__new_numbers(a, KT_I32, kt__batch_of(a));
    kt_tensor     *vectors = wanted ? kt__new_matrices(a, dtype, kt__batch_of(a), kt__rows_in(a), kt__rows_in(a))
                                    : kt__nothing_like(a, dtype);
    const kt__matrix_arg with[] = {{values, 1}, {info, 0}, {vectors, 2}, {a, 2}}, without[] = {{values, 1}, {info, 0}, {a, 2}};
    if (kt__run_matrices(call, KT_K_eigh, a, wanted ? with : without, wanted ? 3 : 2, 1, (kt_scalar[]){KT_INT(upper)}, 1) ||
        kt__check_info(info, KT__NO_EIGENVALUES, "linalg.eigh"))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){values, vectors}, 2);
}

kt_status kt__body_linalg_eigh(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_eigh_of_results r = kt_linalg_eigh_of(call->arg[0].t, .UPLO = kt__arg(call, 1)->str);
    return kt__end_several(call, (kt_tensor *[]){r.eigenvalues, r.eigenvectors}, 2);
}

/* The derivative of the values needs the vectors. */

kt_status kt__body_linalg_eigvalsh(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    return kt__end(call,
                   kt_linalg_eigh_of(a, .UPLO = kt__arg(call, 1)->str, .compute_v = KT_SOME(kt__is_recorded_matrix(a)))
                       .eigenvalues);
}

/* ---- other square matrices: everything is complex ---- */

/* With vectors PyTorch looks at the numbers before it looks at the sizes. */
static kt_status check_eig(kt_tensor *a)
{
    bool finite = true;
    if (a->backend != KT_META && (a->ndim < 2 || kt__rows_in(a) != kt__columns_in(a))) {
        kt_tensor *all = kt_all(kt_isfinite(a));
        if (!all || kt_read(all, &finite, sizeof finite))
            return kt_error_status();
    }
    return finite ? kt__check_square(a, "linalg.eig")
                  : kt_fail(KT_ERR_RUNTIME, "torch.linalg.eig: input tensor should not contain infs or NaNs.");
}

static kt_status eigenvalues(kt_call *call, kt_tensor *a, kt_tensor **values, kt_tensor **vectors)
{
    if ((vectors ? check_eig(a) : kt__check_square(a, "linalg.eigvals")) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    const kt_dtype dtype = kt__complex_dtype((kt_dtype)a->dtype);
    const int64_t  n = kt__rows_in(a);
    kt_tensor     *info = kt__new_numbers(a, KT_I32, kt__batch_of(a));
    *values = kt__new_vectors(a, dtype, kt__batch_of(a), n);
    if (vectors)
        *vectors = kt__new_matrices(a, dtype, kt__batch_of(a), n, n);
    const kt__matrix_arg with[] = {{*values, 1}, {info, 0}, {vectors ? *vectors : NULL, 2}, {a, 2}},
                         without[] = {{*values, 1}, {info, 0}, {a, 2}};
    return kt__run_matrices(call, KT_K_eig, a, vectors ? with : without, vectors ? 3 : 2, 1, NULL, 0) ||
                   kt__check_info(info, KT__NO_GENERAL_EIGENVALUES, "torch.linalg.eig")
               ? kt_error_status()
               : KT_OK;
}

kt_status kt__body_linalg_eig(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *values, *vectors;
    return eigenvalues(call, call->arg[0].t, &values, &vectors)
               ? kt_error_status()
               : kt__end_several(call, (kt_tensor *[]){values, vectors}, 2);
}

kt_status kt__body_linalg_eigvals_of(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *values;
    return eigenvalues(call, call->arg[0].t, &values, NULL) ? kt_error_status() : kt__end(call, values);
}

kt_status kt__body_linalg_eigvals(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    if (kt__is_recorded_matrix(a))
        return kt__end(call, kt_linalg_eig(a).eigenvalues);
    return kt__check_matrices(a, "linalg.eigvals", "A") ? kt_error_status() : kt__end(call, kt_linalg_eigvals_of(a));
}

/* ---- singular values ---- */
kt_status kt__body_linalg_svd_of(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    const bool   full = kt__arg_bool(call, 1), wanted = kt__arg_bool(call, 2);
    kt__decision room;
    if (kt__check_matrices(a, "linalg.svd", "A") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (kt__given(call, 3) && a->numel)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.");
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    const kt_dtype dtype = (kt_dtype)a->dtype;
    const int64_t  rows = kt__rows_in(a), columns = kt__columns_in(a), k = kt__least_side(a);
    kt_tensor     *s = kt__new_vectors(a, kt__real_dtype(dtype), kt__batch_of(a), k);
    kt_tensor     *info = kt__new_numbers(a, KT_I32, kt__batch_of(a));
    kt_tensor     *u = wanted ? kt__new_matrices(a, dtype, kt__batch_of(a), rows, full ? rows : k) : kt__nothing_like(a, dtype);
    kt_tensor     *vh =
        wanted ? kt__new_matrices(a, dtype, kt__batch_of(a), full ? columns : k, columns) : kt__nothing_like(a, dtype);
    const kt__matrix_arg with[] = {{s, 1}, {info, 0}, {u, 2}, {vh, 2}, {a, 2}}, without[] = {{s, 1}, {info, 0}, {a, 2}};
    if (kt__run_matrices(call, KT_K_svd, a, wanted ? with : without, wanted ? 4 : 2, 1, NULL, 0) ||
        kt__check_info(info, KT__NO_SINGULAR_VALUES, "linalg.svd"))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){u, s, vh}, 3);
}

/* A = U diag(S) V^H: adj A = det(U) det(V^H) V adj(diag(S)) U^H, which divides by nothing. A matrix that is not finite has no
 * singular values: they and its adjugate are NaN. */
kt_status kt__body_linalg_adjugate(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    kt__decision room;
    if (kt__check_square(a, "linalg.adjugate") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    const kt_dtype dtype = (kt_dtype)a->dtype;
    kt_tensor     *finite = kt_all_dims(kt_isfinite(a), .dim = KT_SHAPE(-2, -1), .keepdim = true);
    const kt_linalg_svd_of_results f = kt_linalg_svd_of(kt_where_s(finite, a, KT_INT(0)));
    kt_tensor *values = kt_where_s(kt_squeeze_dim(finite, KT_SHAPE(-1)), f.S, KT_FLOAT(NAN));
    kt_tensor *other = kt_logical_not(kt_eye(kt__rows_in(a), .dtype = KT_BOOL, .device = kt__device(a)));
    kt_tensor *others = kt_prod_dim(kt_where_s(other, kt_unsqueeze(values, -2), KT_INT(1)), -1);
    kt_tensor *turn = kt_mul(kt_linalg_det(f.U), kt_linalg_det(f.Vh));
    kt_tensor *inner = kt_mul(kt__converted_inside(others, dtype, KT_WHY_PROMOTION), kt_unsqueeze(turn, -1));
    kt_tensor *made = kt_matmul(kt_mul(kt__adjoint(f.Vh), kt_unsqueeze(inner, -2)), kt__adjoint(f.U));
    return kt__end_several(call, (kt_tensor *[]){kt_where_s(finite, made, KT_FLOAT(NAN)), f.U, values, f.Vh}, 4);
}

static const char *driver_of(const kt_call *call, int at) { return kt__given(call, at) ? call->arg[at].str : NULL; }

kt_status kt__body_linalg_svd(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_svd_of_results r =
        kt_linalg_svd_of(call->arg[0].t, .full_matrices = kt__arg_bool(call, 1), .driver = driver_of(call, 2));
    return kt__end_several(call, (kt_tensor *[]){r.U, r.S, r.Vh}, 3);
}

kt_status kt__body_linalg_svdvals(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    return kt__end(call, kt_linalg_svd_of(a, .compute_uv = KT_SOME(kt__is_recorded_matrix(a)), .driver = driver_of(call, 1)).S);
}

/* torch.svd without vectors gives zeros for them. */
kt_status kt__body_svd(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *a = call->arg[0].t;
    if (a->ndim < 2 && call->form != KT_OUT) /* with out= it is linalg.svd that checks */
        return kt_fail(KT_ERR_RUNTIME,
                       "linalg.svd: input should have at least 2 dimensions, but has %d dimensions instead", a->ndim);
    if (kt__arg_bool(call, 2)) {
        const kt_linalg_svd_of_results r = kt_linalg_svd_of(a, .full_matrices = !kt__arg_bool(call, 1));
        return kt__end_several(call, (kt_tensor *[]){r.U, r.S, kt__adjoint(r.Vh)}, 3);
    }
    const kt_linalg_svd_of_results r = kt_linalg_svd_of(a, .compute_uv = KT_SOME(kt__is_recorded_matrix(a)));
    if (!r.S)
        return kt_error_status();
    int64_t       sizes[KT_MAX_DIMS];
    const int64_t n = a->ndim;
    for (int64_t i = 0; i < n; i++)
        sizes[i] = a->sizes[i];
    sizes[n - 1] = a->sizes[n - 2];
    kt_tensor *u = kt_zeros(((kt_shape){n, sizes}), .dtype = (kt_dtype)a->dtype, .device = kt__device(a));
    sizes[n - 2] = sizes[n - 1] = a->sizes[n - 1];
    kt_tensor *v = kt_zeros(((kt_shape){n, sizes}), .dtype = (kt_dtype)a->dtype, .device = kt__device(a));
    return kt__end_several(call, (kt_tensor *[]){u, r.S, kt__adjoint(v)}, 3);
}
