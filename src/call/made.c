/* made.c - see made.h. */
#include "call/made.h"

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

kt_tensor *kt__converted_inside(kt_tensor *t, kt_dtype to, kt_reason why)
{
    kt_tensor *made = NULL;
    if (!t || t->dtype == to)
        return t;
    return kt__convert_inside(t, to, why, &made) ? NULL : kt__scoped(made);
}
