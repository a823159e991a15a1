/* autocast.c - what autocast makes of a call's operands: the row's column, read where the mode says that autocast is on. In: a
 * call, its operands. Out: the dtypes that it is resolved with. Never in place or with out=. */
#include "op/call.h"

static bool is_eligible(kt_dtype d)
{
    return kt__dtype_rows[d].category & KT_CAT_FLOAT && d != KT_F64 && !kt_dtype_is_float8(d);
}

void kt__autocast_dtypes(const kt_call *call, kt__gathered *g, uint64_t mode, uint8_t *why)
{
    int  device = g->t[0] && g->t[0]->backend == KT_CPU ? 0 : 1;
    bool on = (mode & (device ? KT_M_AUTOCAST_CUDA : KT_M_AUTOCAST_CPU)) && !(mode & KT_M_DECIDED);
    if (!on || call->form != KT_PLAIN)
        return;
    kt__autocast how = call->row->autocast[device], whole = kt__frame ? kt__frame->row->autocast[device] : AUTOCAST__;
    if (whole == AUTOCAST_LOWER || whole == AUTOCAST_FP32 || whole == AUTOCAST_WIDEST)
        how = whole; /* decided on the outermost row: its parts follow */
    kt_dtype     to = KT_NONE;
    if (how == AUTOCAST_LOWER)
        to = (kt_dtype)(mode >> (KT_M_AUTOCAST_SHIFT + 5 * device) & 31);
    else if (how == AUTOCAST_FP32)
        to = KT_F32;
    else if (how == AUTOCAST_WIDEST)
        for (int i = 0; i < g->n; i++)
            if (g->t[i] && g->dtype[i] == KT_F32)
                to = KT_F32;
    if (how == AUTOCAST_SET_DTYPE && g->want == KT_NONE && (g->dtype[0] == KT_F16 || g->dtype[0] == KT_BF16))
        g->want = KT_F32, why[0] = KT_WHY_AUTOCAST;
    for (int i = 0; i < g->n && to; i++)
        if (g->t[i] && is_eligible((kt_dtype)g->dtype[i]) && g->dtype[i] != to) {
            g->dtype[i] = (uint8_t)to;
            why[i] = KT_WHY_AUTOCAST;
        }
}

kt_tensor *kt__autocast_operand(const kt_call *call, kt_tensor *t)
{
    kt__gathered g = {.n = 1, .dtype = {t->dtype}, .t = {t}};
    uint8_t      why[4] = {KT_WHY_NONE};
    kt_tensor   *made = NULL;
    kt__autocast_dtypes(call, &g, kt__mode(), why);
    if (g.dtype[0] == t->dtype)
        return kt__ref(t);
    return kt_convert(t, (kt_dtype)g.dtype[0], KT_WHY_AUTOCAST, &made) ? NULL : made;
}
