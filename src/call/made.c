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

bool kt__is_mix(kt_tensor *const *t, int64_t n)
{
    const uint64_t   mode = kt__mode();
    const kt_tensor *first = NULL;
    if (KT__LIKELY(kt__policy(mode) != KT_PERMISSIVE))
        return false;
    for (int64_t i = 0; i < n; i++) {
        first = first ? first : t[i];
        if (t[i] && t[i]->dtype != first->dtype)
            return !(kt__mode_of_call(mode, first) & KT_M_AUTOCAST);
    }
    return false;
}

bool kt__any_is(kt_tensor *const *t, int64_t n, int categories)
{
    for (int64_t i = 0; i < n; i++)
        if (t[i] && kt__dtype_rows[t[i]->dtype].category & categories)
            return true;
    return false;
}

kt_status kt__cast_together(kt_tensor **t, int64_t n)
{
    kt_status    status = KT_OK;
    kt__gathered ranks = {.n = RANK_NUMBER + 1}; /* the common dtype of each rank */
    for (int i = 0; i < ranks.n; i++)
        ranks.rank[i] = (uint8_t)i;
    for (int64_t i = 0; i < n && !status; i++) {
        if (!t[i])
            continue;
        const int    rank = t[i]->ndim ? RANK_DIM : t[i]->flags & KT_T_WRAPPED ? RANK_NUMBER : RANK_ZERO;
        kt__gathered pair = {.n = 2, .dtype = {ranks.dtype[rank], t[i]->dtype}, .rank = {RANK_DIM, RANK_DIM}};
        ranks.dtype[rank] = (uint8_t)kt__common_dtype(&pair, 0, kt__mode(), &status);
    }
    const kt_dtype common = status ? KT_NONE : kt__common_dtype(&ranks, 0, kt__mode(), &status);
    for (int64_t i = 0; i < n && !status; i++)
        if (t[i] && !(t[i] = kt__converted(t[i], common, KT_WHY_PROMOTION)))
            status = kt_error_status();
    return status;
}
