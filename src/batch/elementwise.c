/* elementwise.c - rules of rows that broadcast, and of copies into a tensor: the examples come first, then as many dims as the
 * longest example has. */
#include "batch/batch.h"

static int longest(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    int                  rank = 0;
    for (int i = 0; i < map->n; i++) {
        const kt_tensor *t = kt__given(call, map->at[i]) && !(call->scalars >> map->at[i] & 1) ? call->arg[map->at[i]].t : NULL;
        rank = t && t->ndim > rank ? t->ndim : rank;
    }
    return rank;
}

/* An example without dims counts as such in promotion, though all examples together have one: what the resolver says of the
 * examples is done before the values meet. */
static kt_status settle(kt__lift *l)
{
    const kt_call *call = l->call;
    kt__gathered   g;
    kt__decision   room;
    bool           weak = false, mixed = false;
    kt__gather(call, &g);
    for (int i = 0; i < g.n; i++) {
        weak |= g.t[i] && !g.t[i]->ndim && kt__at_level(g.t[i], l->level);
        mixed |= g.t[i] && g.dtype[i] != g.first->dtype;
    }
    if (!weak || !mixed)
        return KT_OK;
    const kt__decision *d = call->row->way->decide(call, &g, &room);
    if (!d)
        return kt_error_status();
    for (int i = 0; i < g.n; i++) {
        kt_tensor *t = g.t[i], *as = NULL;
        const bool written = call->form == KT_INPLACE && kt__operand_argument(call, i) == 0;
        if (written || !t || t->ndim || !kt__at_level(t, l->level) || t->dtype == d->as[i])
            continue;
        if (kt__convert_inside(l->inner.arg[kt__operand_argument(call, i)].t, (kt_dtype)d->as[i], (kt_reason)d->why[i], &as))
            return kt_error_status();
        if (kt__scope_add(as)) {
            kt__unref(as);
            return kt_error_status();
        }
        l->inner.arg[kt__operand_argument(call, i)].t = as;
    }
    return KT_OK;
}

static kt_status fail_target(const kt_tensor *self, const kt_call *call)
{
    kt_tensor *t[KT_MAX_ARGS];
    int64_t    sizes[KT_MAX_DIMS];
    int        n = 0, rank = 0;
    for (int i = 0; i < call->row->inputs.n; i++)
        if (kt__given(call, call->row->inputs.at[i]) && !(call->scalars >> call->row->inputs.at[i] & 1))
            t[n++] = call->arg[call->row->inputs.at[i]].t;
    if (kt__broadcast(t, n, sizes, &rank))
        return kt_error_status();
    return kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s", KT__SIZES_TEXT(self),
                   KT__SHAPE_TEXT((kt_shape){rank, sizes}));
}

kt_status kt__batch_elementwise(kt__lift *l)
{
    const int rank = longest(l->call);
    if (l->call->form == KT_INPLACE && l->call->arg[0].t->ndim < rank)
        return fail_target(l->call->arg[0].t, l->call);
    if (kt__lift_tensors(l, rank, false) || settle(l))
        return kt_error_status();
    return kt_call_run(&l->inner);
}

/* Bodies that broadcast; a tensor that counts as a number is the same for all. */
kt_status kt__batch_broadcast(kt__lift *l)
{
    enum { VALUE = 2 };
    const kt_call *call = l->call;
    const int      rank = longest(call);
    const bool     numbers = call->row->inputs.n > VALUE && kt__at_level(call->arg[VALUE].t, l->level);
    if (numbers || (call->form == KT_INPLACE && call->arg[0].t->ndim < rank))
        return kt__batch_loop(l);
    return kt__lift_tensors(l, rank, false) ? kt_error_status() : kt_call_run(&l->inner);
}

/* What is copied from may have fewer dims than what is written. */
kt_status kt__batch_copy(kt__lift *l)
{
    kt_tensor *self = l->call->arg[0].t, *from = l->call->arg[1].t;
    if (from->ndim > self->ndim) {
        kt_tensor *one[2] = {self, from};
        int64_t    sizes[KT_MAX_DIMS];
        int        rank = 0;
        if (kt__broadcast(one, 2, sizes, &rank))
            return kt_error_status();
        return kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s", KT__SIZES_TEXT(self),
                       KT__SHAPE_TEXT((kt_shape){rank, sizes}));
    }
    kt_tensor *to = kt__lifted_all(l, self);
    kt__put_tensor(&l->inner, 0, to);
    kt__put_tensor(&l->inner, 1, kt__lifted(l, from, self->ndim));
    return kt__failed() ? kt_error_status() : kt_call_run(&l->inner);
}

kt_status kt__batch_fill(kt__lift *l)
{
    const kt_call *call = l->call;
    if (call->scalars >> 1 & 1 || !kt__at_level(call->arg[1].t, l->level))
        return kt__batch_itself(l);
    if (call->arg[1].t->ndim)
        return kt_fail(KT_ERR_RUNTIME, "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.",
                       call->arg[1].t->ndim);
    l->inner.row = &kt__rows[kt__batch_line_of(call->row).row];
    return kt__batch_copy(l);
}
