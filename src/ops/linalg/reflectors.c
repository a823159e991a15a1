/* reflectors.c - QR decompositions as LAPACK keeps them: reflectors 1 - tau v v^H, each v below the diagonal of its column.
 * In: calls of geqrf, householder_product and ormqr. Out: results in the layout of LAPACK, or PyTorch's refusals. */
#include <string.h>

#include "call/refuse.h"
#include "ops/linalg/matrices.h"

kt_status kt__body_geqrf(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    kt__decision room;
    if (a->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "torch.geqrf: input must have at least 2 dimensions.");
    if (!kt__resolve_in_body(call, &room))
        return kt_error_status();
    const kt_dtype dtype = (kt_dtype)a->dtype;
    kt_tensor     *r = kt__new_matrices(a, dtype, kt__batch_of(a), kt__rows_in(a), kt__columns_in(a));
    kt_tensor     *tau = kt__new_vectors(a, dtype, kt__batch_of(a), kt__least_side(a));
    return kt__run_matrices(call, KT_K_reflectors, a, (kt__matrix_arg[]){{r, 2}, {tau, 1}, {a, 2}}, 2, 1, NULL, 0)
               ? kt_error_status()
               : kt__end_several(call, (kt_tensor *[]){r, tau}, 2);
}

/* ---- checks ---- */
static kt_status check_batch(const kt_tensor *t, int last, const kt_tensor *a, const char *who, const char *name)
{
    const kt_shape got = {t->ndim - last, t->sizes}, wanted = kt__batch_of(a);
    if (got.n == wanted.n && memcmp(t->sizes, a->sizes, (size_t)got.n * sizeof *t->sizes) == 0)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "%s: Expected batch dimensions of %s to be equal to input.shape[:-2], but got %s",
                   who, name, KT__SHAPE_TEXT(got));
}

static kt_status check_tau(const kt_tensor *a, const kt_tensor *tau, const char *who)
{
    if (a->ndim - tau->ndim == 1)
        return check_batch(tau, 1, a, who, "tau");
    return kt_fail(KT_ERR_RUNTIME,
                   "%s: Expected tau to have one dimension less than input, but got tau.ndim equal to %d and "
                   "input.ndim is equal to "
                   "%d",
                   who, tau->ndim, a->ndim);
}

static int64_t length_of(const kt_tensor *tau) { return tau->sizes[tau->ndim - 1]; }

static kt_status check_product(const kt_tensor *a, const kt_tensor *tau)
{
    static const char who[] = "torch.linalg.householder_product";
    int64_t           last = -1;
    if (a->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "%s: input must have at least 2 dimensions.", who);
    if (kt__rows_in(a) < kt__columns_in(a))
        return kt_fail(KT_ERR_RUNTIME, "%s: input.shape[-2] must be greater than or equal to input.shape[-1]", who);
    if (tau->ndim == 0 &&
        kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)last))
        return kt_error_status();
    if (kt__columns_in(a) < length_of(tau))
        return kt_fail(KT_ERR_RUNTIME, "%s: input.shape[-1] must be greater than or equal to tau.shape[-1]", who);
    return check_tau(a, tau, who);
}

/* ---- products ---- */
kt_status kt__body_linalg_householder_product(kt_call *call)
{
    KT_SCOPE;
    kt_tensor          *a = call->arg[0].t, *tau = call->arg[1].t;
    kt__decision        room;
    const kt__decision *d;
    if (check_product(a, tau) || kt__refuse_case(call, 1) || kt__refuse(call, STAGE_AFTER) ||
        !(d = kt__resolve_in_body(call, &room)))
        return kt_error_status();
    a = kt__converted_inside(a, (kt_dtype)d->common, KT_WHY_PROMOTION);
    tau = kt__converted_inside(tau, (kt_dtype)d->common, KT_WHY_PROMOTION);
    if (!a || !tau)
        return kt_error_status();
    kt_tensor *q = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(a), kt__rows_in(a), kt__columns_in(a));
    return kt__run_matrices(call, KT_K_reflected, a, (kt__matrix_arg[]){{q, 2}, {a, 2}, {tau, 1}}, 1, 2, NULL, 0)
               ? kt_error_status()
               : kt__end_matrices(call, q, true);
}

kt_status kt__body_orgqr(kt_call *call)
{
    KT_SCOPE;
    return kt__end_matrices(call, kt_linalg_householder_product(call->arg[0].t, call->arg[1].t), true);
}

static kt_status check_multiplied(const kt_call *call, const kt_tensor *a, const kt_tensor *tau, const kt_tensor *b,
                                  bool left)
{
    const char *side = left ? "other.shape[-2]" : "other.shape[-1]";
    if (a->ndim < 2 || b->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "torch.ormqr: %s must have at least 2 dimensions.",
                       a->ndim < 2 ? "input" : "other");
    const int64_t across = left ? kt__rows_in(b) : kt__columns_in(b),
                  least = across < kt__columns_in(a) ? across : kt__columns_in(a);
    if (tau->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as -1 but tensor has no dimensions");
    if (across != kt__rows_in(a))
        return kt_fail(KT_ERR_RUNTIME, "torch.ormqr: %s must be equal to input.shape[-2]", side);
    if (length_of(tau) != least)
        return kt_fail(KT_ERR_RUNTIME, "torch.ormqr: tau.shape[-1] must be equal to min(%s, input.shape[-1])", side);
    if (check_tau(a, tau, "torch.ormqr"))
        return kt_error_status();
    if (b->ndim != a->ndim)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim "
                       "equal to %d "
                       "and input.ndim is equal to %d",
                       b->ndim, a->ndim);
    return check_batch(b, 2, a, "torch.ormqr", "other") || kt__refuse_case(call, 1) || kt__refuse_case(call, 2) ||
                   kt__refuse(call, STAGE_AFTER)
               ? kt_error_status()
               : KT_OK;
}

kt_status kt__body_ormqr(kt_call *call)
{
    enum { PLAIN, ADJOINT = 2 };
    KT_SCOPE;
    kt_tensor          *a = call->arg[0].t, *tau = call->arg[1].t, *b = call->arg[2].t;
    const bool          left = kt__arg_bool(call, 3), turned = kt__arg_bool(call, 4);
    kt__decision        room;
    const kt__decision *d;
    if (check_multiplied(call, a, tau, b, left) || !(d = kt__resolve_in_body(call, &room)))
        return kt_error_status();
    a = kt__converted_inside(a, (kt_dtype)d->common, KT_WHY_PROMOTION);
    tau = kt__converted_inside(tau, (kt_dtype)d->common, KT_WHY_PROMOTION);
    b = kt__converted_inside(b, (kt_dtype)d->common, KT_WHY_PROMOTION);
    if (!a || !tau || !b)
        return kt_error_status();
    kt_tensor *x = kt__new_matrices(a, (kt_dtype)a->dtype, kt__batch_of(b), kt__rows_in(b), kt__columns_in(b));
    return kt__run_matrices(call, KT_K_reflect, a, (kt__matrix_arg[]){{x, 2}, {a, 2}, {tau, 1}, {b, 2}}, 1, 3,
                            (kt_scalar[]){KT_INT(turned ? ADJOINT : PLAIN), KT_INT(!left)}, 2)
               ? kt_error_status()
               : kt__end_matrices(call, x, true);
}
