/* ldl.c - LDL factors of symmetric and Hermitian matrices, and solutions with them. In: calls of their rows. Out: results in
 * the layout of LAPACK, or PyTorch's refusals. */
#include <string.h>

#include "call/refuse.h"
#include "ops/linalg/matrices.h"

kt_status kt__body_linalg_ldl_factor_ex(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    kt__decision room;
    if (kt__check_square(a, "torch.linalg.ldl_factor_ex") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    kt_tensor *ld = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(a), kt__rows_in(a), kt__rows_in(a));
    kt_tensor *pivots = kt__new_vectors(a, KT_I32, kt__batch_of(a), kt__rows_in(a));
    kt_tensor *info = kt__new_numbers(a, KT_I32, kt__batch_of(a));
    if (kt__run_matrices(call, KT_K_ldl_factor, a, (kt__matrix_arg[]){{ld, 2}, {pivots, 1}, {info, 0}, {a, 2}}, 3, 1,
                         (kt_scalar[]){KT_INT(kt__arg_bool(call, 1))}, 1) ||
        (kt__arg_bool(call, 2) && kt__check_info(info, KT__SINGULAR_BLOCK, "torch.linalg.ldl_factor_ex")))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){ld, pivots, info}, 3);
}

kt_status kt__body_linalg_ldl_factor(kt_call *call)
{
    KT_SCOPE;
    const kt_linalg_ldl_factor_ex_results f =
        kt_linalg_ldl_factor_ex(call->arg[0].t, .hermitian = kt__arg_bool(call, 1));
    if (!f.info || kt__check_ends(call, (kt_tensor *[]){f.LD, f.pivots}, 2) ||
        kt__check_info(f.info, KT__SINGULAR_BLOCK, "torch.linalg.ldl_factor"))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){f.LD, f.pivots}, 2);
}

kt_status kt__body_linalg_ldl_solve(kt_call *call)
{
    static const char who[] = "torch.linalg.ldl_solve";
    KT_SCOPE;
    kt_tensor          *ld = call->arg[0].t, *pivots = call->arg[1].t, *b = call->arg[2].t;
    int64_t             sizes[KT_MAX_DIMS];
    kt_shape            batch;
    kt__decision        room;
    const kt__decision *d;
    if (kt__check_square(ld, who) || kt__refuse_case(call, 0) || !(d = kt__resolve_in_body(call, &room)))
        return kt_error_status();
    if (b->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "%s: Expected B to have at least 2 dimensions, but it has %d dimensions instead",
                       who, b->ndim);
    if (pivots->ndim != ld->ndim - 1 || memcmp(pivots->sizes, ld->sizes, (size_t)pivots->ndim * sizeof *ld->sizes) != 0)
        return kt_fail(
            KT_ERR_RUNTIME,
            "%s: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape %s instead", who,
            KT__SIZES_TEXT(pivots));
    if (kt__refuse_case(call, 1))
        return kt_error_status();
    if (kt__rows_in(ld) != kt__rows_in(b))
        return kt_fail(
            KT_ERR_RUNTIME,
            "Incompatible matrix sizes for %s: each A matrix is %lld by %lld but each b matrix is %lld by %lld", who,
            (long long)kt__rows_in(ld), (long long)kt__columns_in(ld), (long long)kt__rows_in(b),
            (long long)kt__columns_in(b));
    if (kt__refuse(call, STAGE_AFTER) || kt__meet_batches(ld, b, sizes, &batch))
        return kt_error_status();
    pivots = kt__with_batch(kt__converted_inside(pivots, KT_I32, KT_WHY_PROMOTION), batch, 1);
    ld = kt__with_batch(kt__converted_inside(ld, (kt_dtype)d->common, KT_WHY_PROMOTION), batch, 2);
    b = kt__with_batch(kt__converted_inside(b, (kt_dtype)d->common, KT_WHY_PROMOTION), batch, 2);
    if (!ld || !pivots || !b)
        return kt_error_status();
    kt_tensor *x = kt__new_matrices(b, (kt_dtype)b->dtype, batch, kt__rows_in(b), kt__columns_in(b));
    return kt__run_matrices(call, KT_K_ldl_solve, b, (kt__matrix_arg[]){{x, 2}, {ld, 2}, {pivots, 1}, {b, 2}}, 1, 3,
                            (kt_scalar[]){KT_INT(kt__arg_bool(call, 3))}, 1)
               ? kt_error_status()
               : kt__end(call, x);
}
