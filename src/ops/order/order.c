/* order.c - what is made of sorted dims: argsort, msort, topk. In: calls of BODY rows. Out: parts of what sort gives. */
#include "call/made.h"
#include "call/target.h"
#include "tables/kernels/order.h"

static kt_status argsort(kt_call *call, int64_t dim, bool descending)
{
    KT_SCOPE;
    kt_tensor *places = kt_sort(call->arg[0].t, .dim = KT_SOME(dim), .descending = descending).indices;
    if (places && kt__check_history(call))
        return kt_error_status();
    return kt__end(call, places);
}

kt_status kt__body_argsort(kt_call *call) { return argsort(call, kt__arg_int(call, 1), kt__arg_bool(call, 2)); }
kt_status kt__body_argsort_stable(kt_call *call) { return argsort(call, kt__arg_int(call, 2), kt__arg_bool(call, 3)); }

kt_status kt__body_msort(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *values = kt_sort(call->arg[0].t, .dim = KT_SOME(0)).values;
    if (values && kt__check_history(call))
        return kt_error_status();
    return kt__end(call, values);
}

/* ---- topk ---- */

/* The dim that is sorted becomes two: the outputs' first ones, and what they are taken from. */
static kt_status launch_top(kt_tensor *self, int64_t dim, bool largest, kt_tensor *const *made)
{
    kt_tensor *const all[] = {made[0], made[1], self};
    kt_plan          plan;
    kt__plan_begin(&plan, kt__row_served(KT_OP_topk), KT_K_top, kt__dtype_rows[self->dtype].compute, 1, self);
    plan.n_out = 2;
    plan.numel = self->numel;
    plan.n_param = 1;
    plan.param[0] = KT_INT(largest);
    for (int i = 0; i < 3; i++)
        kt__set_operand(&plan, i, all[i], (kt_dtype)all[i]->dtype, KT_WHY_NONE);
    kt__plan_lines(&plan, all, 3, dim);
    const int last = plan.nd++;
    plan.size[last] = self->ndim ? self->sizes[dim] : 1;
    plan.stride[0][last] = plan.stride[1][last] = 0;
    plan.stride[2][last] = plan.stride[2][last - 1];
    plan.stride[2][last - 1] = 0;
    return kt__launch(&plan, made[0]);
}

kt_status kt__body_topk(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t;
    int64_t      k = call->arg[1].i, dim = kt__arg_int(call, 2);
    kt__decision room;
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (k < 0 || k > (self->ndim ? self->sizes[dim] : 1))
        return kt_fail(KT_ERR_RUNTIME, "selected index k out of range");
    if (!kt__resolve_in_body(call, &room))
        return kt_error_status();
    int64_t sizes[KT_MAX_DIMS];
    for (int d = 0; d < self->ndim; d++)
        sizes[d] = d == dim ? k : self->sizes[d];
    const kt_shape shape = {self->ndim, sizes};
    kt_tensor     *made[] = {kt_empty(shape, .dtype = (kt_dtype)self->dtype, .device = kt__device(self)),
                             kt_empty(shape, .dtype = KT_I64, .device = kt__device(self))};
    if (!made[0] || !made[1] || (made[0]->numel && launch_top(self, dim, kt__arg_bool(call, 3), made)))
        return kt_error_status();
    made[0]->lineage = self->lineage;
    return kt__end_several(call, made, 2);
}
