/* elementwise.c - the way of elementwise operators: operands are broadcast and converted as the resolver says, the result
 * has PyTorch's layout. In: a call. Out: its result, or what it writes to. */
#include "call/autocast.h"
#include "call/call.h"
#include "call/target.h"

typedef struct written {
    const kt_call      *call;
    const kt__gathered *g;
    const kt__decision *d;
} written;

static kt_status check_sizes(const void *what)
{
    const written *w = what;
    return kt__check_shapes(w->call, w->g);
}

/* Memory, sizes and dtype of the target are checked before the numbers. */
static kt_status check_written(const void *what)
{
    const written *w = what;
    return kt__check_shapes(w->call, w->g) ? kt_error_status() : kt__check_out(w->call, (kt_dtype)w->d->result, KT_NONE);
}

/* Everything before the launch; `g` is gathered. */
KT__HOT static inline __attribute__((always_inline)) kt_status get_ready(kt_call *call, kt__gathered *g, kt_plan *plan,
                                                                         kt__taping *taping, kt_tensor **out)
{
    kt__decision room;
    uint64_t     mode = kt__mode();
    if (kt__refine(call, g))
        return kt_error_status();
    const kt__decision *d = kt__resolve(call, g, mode, &room);
    if (KT__UNLIKELY(!d))
        return kt_error_status();
    if (g->alone)
        g->n = 1;
    if (KT__UNLIKELY(g->fit != NULL) && g->fit(call, g, (kt_dtype)d->common))
        return kt__report_earlier_error(call->form == KT_PLAIN ? check_sizes : check_written, &(written){call, g, d});
    if (kt__tape_before(call, kt__seen_as(plan, g, d), g->any_grad, taping))
        return kt_error_status();
    kt_status status = kt__prepare_elementwise(call, g, d, mode, plan, out);
    if (status && call->form != KT_PLAIN)
        status = kt__report_earlier_error(check_sizes, &(written){call, g, d});
    if (status)
        return kt__tape_after(call, NULL, taping, status);
#ifndef KT_NO_LINEAGE
    if (call->form == KT_PLAIN) {
        if (KT__LIKELY(d->origin != 0xff))
            (*out)->lineage = g->t[d->origin]->lineage;
        else
            (*out)->lineage = kt__result_lineage(call, d, g->first);
    }
#endif
    if (KT__UNLIKELY(d->origin == 0xff && d->result == KT_C32 && call->form == KT_PLAIN))
        kt__warn_of_complex_half(); /* no operand had the dtype; the fast path for small results does not warn */
    return KT_OK;
}

/* Is the target an operand whose memory lies otherwise? */
static inline bool is_entangled(const kt_call *call, const kt__gathered *g)
{
    return KT__UNLIKELY(call->form == KT_OUT || (call->form == KT_INPLACE && !g->simple)) && kt__reads_strided(call, g);
}

KT__HOT kt_status kt__run_elementwise(kt_call *call)
{
    kt__gathered g;
    kt_plan      plan;
    kt__taping   taping;
    kt_tensor   *out = NULL;
    kt__gather(call, &g);
    if (is_entangled(call, &g))
        return kt__run_apart(call);
    if (get_ready(call, &g, &plan, &taping, &out))
        return kt_error_status();
    const kt_status status = kt__launch(&plan, out);
    return kt__finish(call, &plan, &taping, out, status);
}

kt_status kt__plan_elementwise(kt_call *call, kt_plan *plan, kt_tensor **out)
{
    kt__gathered g;
    kt__taping   taping;
    *out = NULL;
    kt__gather(call, &g);
    return is_entangled(call, &g) ? KT_OK : get_ready(call, &g, plan, &taping, out);
}

/* Two dense tensors of one size and a cached decision: the same steps as above without gathering. */
KT__HOT bool kt__run_pair(kt_call *call, kt_status *status)
{
    kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    uint32_t   both = a->flags & b->flags, any = a->flags | b->flags;
    enum { SLOWER = KT_T_VIEW | KT_T_WRAPPED | KT_T_CONJ | KT_T_NEG | KT_T_BATCHED | KT_T_DUAL | KT_T_PINNED_DTYPE };
    if (KT__UNLIKELY(!(both & KT_T_CONTIGUOUS) || any & SLOWER ||
                     a->backend != b->backend || a->index != b->index || !kt__same_sizes(a, b)))
        return false;
    uint64_t            mode = kt__mode(), rank = a->ndim ? RANK_DIM : RANK_ZERO;
    uint64_t            dtypes = (a->dtype | rank << 5) | (b->dtype | rank << 5) << 7;
    const kt_row       *row = call->row;
    if (KT__UNLIKELY(mode & (KT_M_AUTOCAST | KT_M_SEARCH | KT_M_SHOWN))) {
        if (mode & (KT_M_SEARCH | KT_M_SHOWN))
            return false;
        mode = kt__mode_of_call(mode, a);
    }
    const kt__decision *d = kt__decided_before(kt__key_of(call, row->rule, dtypes, 0, KT_NONE, 0, mode));
    if (KT__UNLIKELY(!d))
        return false;
    kt_plan    plan;
    kt__taping taping = {.on = false};
    plan.arg[1].as = d->as[0];
    plan.arg[2].as = d->as[1];
    if (KT__UNLIKELY(any & KT_T_REQUIRES_GRAD) && kt__tape_before(call, &plan, KT_T_REQUIRES_GRAD, &taping)) {
        *status = kt_error_status();
        return true;
    }
    kt_tensor *out = kt__tensor_like(a, (kt_dtype)d->result);
    if (KT__UNLIKELY(!out)) {
        *status = kt__tape_after(call, NULL, &taping, kt_error_status());
        return true;
    }
#ifndef KT_NO_LINEAGE
    if (KT__UNLIKELY(d->origin)) /* else it is a's, which the result was made like */
        out->lineage = d->origin == 1 ? b->lineage : kt__result_lineage(call, d, a);
#endif
    kt__plan_begin(&plan, kt__row_called(call), row->kernel, d->compute, 2, a);
    plan.origin = d->origin;
    plan.numel = out->numel;
    plan.nd = out->numel != 1;
    plan.contiguous = 1;
    plan.size[0] = out->numel;
    plan.arg[0] = (kt_operand){.data = out->data, .is = d->result, .as = d->result};
    plan.arg[1] = (kt_operand){.data = a->data, .is = a->dtype, .as = d->as[0], .why = d->why[0]};
    plan.arg[2] = (kt_operand){.data = b->data, .is = b->dtype, .as = d->as[1], .why = d->why[1]};
    kt__tell_conversion(&plan, a, (kt_dtype)d->as[0], (kt_reason)d->why[0]);
    kt__tell_conversion(&plan, b, (kt_dtype)d->as[1], (kt_reason)d->why[1]);
    plan.stride[0][0] = kt__dtype_rows[d->result].size;
    plan.stride[1][0] = kt__dtype_rows[a->dtype].size;
    plan.stride[2][0] = kt__dtype_rows[b->dtype].size;
    *status = kt__launch(&plan, out);
    call->out[0] = out;
    call->n_out = 1;
    if (KT__UNLIKELY(taping.on))
        *status = kt__tape_after(call, &plan, &taping, *status);
    if (KT__UNLIKELY(mode & KT_M_AUTOCAST))
        kt__count_under_autocast(call, mode, (kt_autocast_class)kt__autocast_class(row, mode, (mode & KT_M_NOT_CPU) != 0), false);
    if (KT__UNLIKELY(*status)) {
        kt__unref(out);
        call->out[0] = NULL;
    }
    return true;
}

static const kt__decision *decide(const kt_call *call, kt__gathered *g, kt__decision *room)
{
    kt__gather(call, g);
    return kt__refine(call, g) ? NULL : kt__resolve(call, g, kt__mode(), room);
}

const kt__way kt__way_elementwise = {.run = kt__run_elementwise, .decide = decide,
                                     .broadcasts = true, .fuses = true, .straight = true};
