/* closeness.c - isclose: equal, or apart by no more than atol + rtol * |other|. In: two tensors of one dtype. Out: bools.
 * Written in the vocabulary of ops.h; integers are compared in the default float, as PyTorch does. */
#include "op/call.h"
#include "op/wrap.h"

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
    kt_tensor   *a = call->arg[0].t, *b = call->arg[1].t, *wide[2] = {NULL, NULL};
    const double rtol = kt__arg(call, 2)->f, atol = kt__arg(call, 3)->f;
    const int    category = kt_dtype_category((kt_dtype)a->dtype);
    if (a->dtype != b->dtype)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s did not match %s", kt_dtype_torch_name((kt_dtype)a->dtype),
                              kt_dtype_torch_name((kt_dtype)b->dtype));
    if (check_tolerance("rtol", rtol) || check_tolerance("atol", atol))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *close = kt_eq(a, b);
    if (kt__arg_bool(call, 4) && category & (KT_CAT_FLOAT | KT_CAT_COMPLEX))
        close = kt_logical_or(close, both_nan(a, b));
    if (rtol != 0 || atol != 0) {
        const kt_dtype d = category & (KT_CAT_BOOL | KT_CAT_INT) ? kt_get_default_dtype() : (kt_dtype)a->dtype;
        if (!kt_convert(a, d, KT_WHY_PROMOTION, &wide[0]) && !kt_convert(b, d, KT_WHY_PROMOTION, &wide[1]))
            close = kt_logical_or(close, is_near(wide[0], wide[1], rtol, atol));
    }
    kt__unref(wide[0]);
    kt__unref(wide[1]);
    if (kt__failed())
        return kt_error_status();
    call->out[0] = kt__ref(close);
    return KT_OK;
}
