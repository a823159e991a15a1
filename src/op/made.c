/* made.c - see made.h: results of bodies, taken out of the scope that the body opened. */
#include "op/made.h"

#include "op/target.h"

kt_status kt__made(kt_call *call, kt_tensor *t)
{
    if (!t || kt__failed())
        return kt_error_status();
    call->out[0] = kt__scope_take(t) ? t : kt__ref(t);
    return KT_OK;
}

kt_status kt__made_into(kt_call *call, kt_tensor *t)
{
    return !t || kt__failed() ? kt_error_status() : kt__store_made(call, t);
}

kt_status kt__made_both(kt_call *call, kt_tensor *first, kt_tensor *second)
{
    kt_tensor *made[] = {first, second};
    if (!first || !second || kt__failed())
        return kt_error_status();
    if (call->form == KT_OUT && (kt__check_out(call, (kt_dtype)first->dtype, (kt_dtype)second->dtype) ||
                                 kt__store_several(call->out, made, 2)))
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
