/* made.c - see made.h: results of bodies, taken out of the scope that the body opened. */
#include "op/made.h"

kt_status kt__made(kt_call *call, kt_tensor *t)
{
    if (!t || kt__failed())
        return kt_error_status();
    call->out[0] = kt__scope_take(t) ? t : kt__ref(t);
    return KT_OK;
}

kt_status kt__made_into(kt_call *call, kt_tensor *t)
{
    kt_tensor *out = call->out[0];
    if (!t || kt__failed())
        return kt_error_status();
    if (!kt__same_sizes(out, t) && kt__resize_out(out, kt__sizes(t)))
        return kt_error_status();
    if (kt__check_written(out, &call->arg[0].t, 1) || kt__copy_into(out, t, KT_WHY_RESULT, KT_ROUND_TORCH))
        return kt_error_status();
    kt__wrote(out);
    kt__ref(out);
    return KT_OK;
}

kt_tensor *kt__scoped(kt_tensor *t)
{
    if (t && kt__scope_add(t)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

kt_tensor *kt__converted(kt_tensor *t, kt_dtype to, kt_reason why)
{
    kt_tensor *made = NULL;
    if (!t || t->dtype == to)
        return t;
    return kt_convert(t, to, why, &made) ? NULL : kt__scoped(made);
}
