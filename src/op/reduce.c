/* reduce.c - rows that fold dims away. In: a call whose row says REDUCE. Out: a plan in which the output has stride 0 in the
 * reduced dims. */
#include "op/call.h"

/* Which dims are reduced, as bits by position. No dims given means all. */
static kt_status reduced_dims(const kt_tensor *t, kt_shape dims, bool all, uint64_t *mask)
{
    *mask = 0;
    if (all || dims.n == 0) {
        *mask = t->ndim == 64 ? ~0ull : (1ull << t->ndim) - 1;
        return KT_OK;
    }
    for (int64_t i = 0; i < dims.n; i++) {
        int64_t d = dims.d[i];
        if (kt__wrap_dim(&d, t->ndim))
            return kt_error_status();
        if (*mask >> d & 1)
            return kt_fail(KT_ERR_RUNTIME, "dim %lld appears multiple times in the list of dims", (long long)d);
        *mask |= 1ull << d;
    }
    return KT_OK;
}

kt_status kt__run_reduce(kt_call *call)
{
    kt__gathered g;
    kt__decision room;
    kt_plan      plan;
    kt__taping   taping;
    uint64_t     mask = 0;
    kt_tensor   *self = call->arg[0].t, *out = NULL;
    bool         by_dim = call->row->id == KT_OP_sum_dim, keep = by_dim && kt__arg_bool(call, 2);
    kt__gather(call, &g);
    if (kt__refine(call, &g))
        return kt_error_status();
    const kt__decision *d = kt__resolve(call, &g, kt__mode(), &room);
    if (!d)
        return kt_error_status();
    if (reduced_dims(self, by_dim ? kt__arg_ints(call, 1) : KT_SCALAR, !by_dim, &mask))
        return kt_error_status();
    int64_t sizes[KT_MAX_DIMS];
    int     rank = 0;
    for (int i = 0; i < self->ndim; i++)
        if (!(mask >> i & 1) || keep)
            sizes[rank++] = mask >> i & 1 ? 1 : self->sizes[i];
    if (kt__tape_before(call, NULL, g.any_grad, &taping))
        return kt_error_status();
    kt_status status = kt__output_of(call, &g, d, (kt_shape){rank, sizes}, &out);
    if (status)
        return kt__tape_after(call, NULL, &taping, status);
    kt__plan_begin(&plan, call->row, g.kernel, d->compute, 1, self);
    plan.origin = d->origin;
    plan.numel = self->numel;
    plan.nd = self->ndim;
    kt__set_operand(&plan, 0, out, (kt_dtype)d->result, KT_WHY_NONE);
    kt__set_operand(&plan, 1, self, (kt_dtype)d->as[0], (kt_reason)d->why[0]);
    for (int i = 0, at = 0; i < self->ndim; i++) {
        bool gone = mask >> i & 1;
        plan.size[i] = self->sizes[i];
        plan.stride[1][i] = self->strides[i] * (int64_t)kt__itemsize(self);
        plan.stride[0][i] = gone ? 0 : out->strides[at] * (int64_t)kt__itemsize(out);
        at += !gone || keep;
    }
    kt__collapse(&plan, true);
    plan.contiguous = 0;
    status = self->numel ? kt__launch(&plan, out) : kt__fill_with(out, KT_INT(0));
#ifndef KT_NO_LINEAGE
    if (call->form == KT_PLAIN)
        out->lineage = d->origin == 0
                           ? self->lineage
                           : KT__RECORD(KT_WHY_PROMOTION, call->row->name, self->dtype, d->result, self->lineage);
#endif
    return kt__finish(call, &plan, &taping, out, status);
}
