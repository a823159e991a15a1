/* closeness.c - isclose: equal, or apart by no more than atol + rtol * |other|. In: two tensors of one dtype. Out: bools.
 * Written in the vocabulary of ops.h; integers are compared in the default float, as PyTorch does. */
#include "call/made.h"

static kt_status check_tolerance(const char *name, double value)
{
    return value >= 0 ? KT_OK : kt_fail(KT_ERR_RUNTIME, "%s must be greater than or equal to zero, but got %g", name, value);
}

static kt_tensor *both_nan(kt_tensor *a, kt_tensor *b) { return kt_logical_and(kt_isnan(a), kt_isnan(b)); }

static kt_tensor *is_near(kt_tensor *a, kt_tensor *b, double rtol, double atol)
{
    kt_tensor *allowed = kt_add_s(kt_abs(kt_mul_s(b, KT_FLOAT(rtol))), KT_FLOAT(atol)), *apart = kt_abs(kt_sub(a, b));
    return kt_logical_and(kt_isfinite(apart), kt_le(apart, allowed));
}

kt_status kt__body_isclose(kt_call *call)
{
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    const double        rtol = kt__arg(call, 2)->f, atol = kt__arg(call, 3)->f;
    if (!d || check_tolerance("rtol", rtol) || check_tolerance("atol", atol))
        return kt_error_status();
    KT_SCOPE;
    const kt_dtype common = (kt_dtype)d->common;
    const bool     inexact = kt_dtype_category(common) & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
    kt_tensor     *a = call->arg[0].t, *b = call->arg[1].t, *close = kt_eq(a, b);
    if (kt__arg_bool(call, 4) && inexact)
        close = kt_logical_or(close, both_nan(a, b));
    if (rtol != 0 || atol != 0) {
        const kt_dtype wide = inexact ? common : kt_get_default_dtype();
        a = kt__converted(a, wide, KT_WHY_PROMOTION);
        b = kt__converted(b, wide, KT_WHY_PROMOTION);
        close = a && b ? kt_logical_or(close, is_near(a, b, rtol, atol)) : NULL;
    }
    return kt__end(call, close);
}
