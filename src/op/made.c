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

static kt_status write(kt_call *call, int at, kt_tensor *made)
{
    kt_tensor *out = call->out[at];
    if (!kt__same_sizes(out, made) && kt__resize_out(out, kt__sizes(made)))
        return kt_error_status();
    return kt__check_written(out, NULL, 0) ? kt_error_status() : kt__copy_into(out, made, KT_WHY_RESULT, KT_ROUND_TORCH);
}

kt_status kt__made_both(kt_call *call, kt_tensor *first, kt_tensor *second)
{
    kt_tensor *made[] = {first, second};
    if (!first || !second || kt__failed())
        return kt_error_status();
    for (int i = 0; i < 2 && call->form == KT_OUT; i++)
        if (call->out[i]->dtype != made[i]->dtype)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected out tensor to have dtype %s, but got %s instead",
                                  kt_dtype_c_name(made[i]->dtype), kt_dtype_c_name(call->out[i]->dtype));
    for (int i = 0; i < 2 && call->form == KT_OUT; i++)
        if (write(call, i, made[i]))
            return kt_error_status();
    for (int i = 0; i < 2; i++) {
        if (call->form == KT_OUT)
            kt__ref(call->out[i]);
        else
            call->out[i] = kt__scope_take(made[i]) ? made[i] : kt__ref(made[i]);
    }
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
