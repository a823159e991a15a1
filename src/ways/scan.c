/* scan.c - the way of scans and sorts. In: a call whose row says SCAN. Out: a plan whose last dim is the scanned one,
 * with every operand over the same dims. The positions of dim= and dtype= come from the argument table. */
#include <string.h>

#include "call/target.h"
#include "tables/kernels/order.h"

enum { MOST_OUTPUTS = 2 };

/* A sorted result keeps the layout; a scan's result is row-major. */
static kt_status as_self_lies(const kt_tensor *self, kt_dtype dtype, kt_tensor **out)
{
    int64_t strides[KT_MAX_DIMS];
    kt__preserved_strides(kt__sizes(self), kt__strides(self), strides);
    *out = kt__tensor_new_strided(dtype, kt__device(self), kt__sizes(self), (kt_shape){self->ndim, strides});
    return *out ? KT_OK : kt_error_status();
}

static kt_status outputs(kt_call *call, const kt__gathered *g, const kt__decision *d, kt_tensor **out)
{
    kt_tensor *self = call->arg[0].t;
    kt_status  status = KT_OK;
    if (call->form == KT_INPLACE) {
        status = kt__check_written(self, &self, 1);
        out[0] = status ? NULL : kt__ref(self);
        return status;
    }
    if (g->kernel != KT_K_sort || call->form != KT_PLAIN) {
        int64_t strides[KT_MAX_DIMS];
        kt__preserved_strides(kt__sizes(self), kt__strides(self), strides);
        const int64_t *lie = g->kernel == KT_K_sort ? strides : NULL;
        return kt__outputs_of(call, g, d, kt__sizes(self), lie, out, kt__n_results(call->row));
    }
    for (int i = 0; i < kt__n_results(call->row) && !status; i++)
        status = as_self_lies(self, (kt_dtype)(i ? d->second : d->result), &out[i]);
    for (int i = 0; status && i < MOST_OUTPUTS; i++) {
        kt__unref(out[i]);
        out[i] = NULL;
    }
    return status;
}

/* ---- the plan ---- */

/* Dim `from` of the tensors as the plan's next, or as part of its last where all operands lie so; not one of a single element. */
static void add_dim(kt_plan *plan, kt_tensor *const *t, int n, int from)
{
    int64_t size = t[0]->sizes[from], stride[MOST_OUTPUTS + 1];
    int     last = plan->nd - 1;
    bool    joins = last >= 0;
    if (size == 1)
        return;
    for (int i = 0; i < n; i++) {
        stride[i] = t[i]->strides[from] * (int64_t)kt__itemsize(t[i]);
        joins = joins && plan->stride[i][last] == stride[i] * size;
    }
    int at = joins ? last : plan->nd++;
    plan->size[at] = joins ? plan->size[at] * size : size;
    for (int i = 0; i < n; i++)
        plan->stride[i][at] = stride[i];
}

void kt__plan_lines(kt_plan *plan, kt_tensor *const *t, int n, int64_t dim)
{
    plan->contiguous = 0;
    plan->nd = 0;
    for (int i = 0; i < t[0]->ndim; i++)
        if (i != dim)
            add_dim(plan, t, n, i);
    plan->size[plan->nd] = t[0]->ndim ? t[0]->sizes[dim] : 1;
    for (int i = 0; i < n; i++)
        plan->stride[i][plan->nd] = t[0]->ndim ? t[i]->strides[dim] * (int64_t)kt__itemsize(t[i]) : 0;
    plan->nd++;
}

static void prepare(const kt_call *call, const kt__gathered *g, const kt__decision *d, kt_tensor *const *out, int64_t dim,
                    kt_plan *plan)
{
    kt_tensor *self = g->t[0], *t[MOST_OUTPUTS + 1];
    int        n_out = kt__n_results(call->row), n = n_out + 1;
    kt__plan_begin(plan, kt__row_called(call), g->kernel, d->compute, 1, self);
    plan->n_out = (uint8_t)n_out;
    plan->origin = d->origin;
    plan->numel = self->numel;
    plan->n_param = g->n_param;
    memcpy(plan->param, g->param, g->n_param * sizeof *g->param);
    for (int i = 0; i < n_out; i++) {
        t[i] = out[i];
        kt__set_operand(plan, i, out[i], (kt_dtype)out[i]->dtype, KT_WHY_NONE);
    }
    t[n_out] = self;
    kt__set_operand(plan, n_out, self, (kt_dtype)d->as[0], (kt_reason)d->why[0]);
    kt__plan_lines(plan, t, n, dim);
}

/* Two rows have their own messages for 0-dim tensors. */
static kt_status wrap_dim(const kt_call *call, int64_t *dim)
{
    const kt_tensor *self = call->arg[0].t;
    if (self->ndim == 0 && (*dim < -1 || *dim > 0) && (call->row->id == KT_OP_cummax || call->row->id == KT_OP_cummin))
        return kt_fail(KT_ERR_INDEX, "%s(): Expected reduction dim -1 or 0 for scalar but got %lld", call->row->name,
                       (long long)*dim);
    return kt__wrap_dim(dim, self->ndim);
}

/* What is checked before a missing kernel: out= of rows that ask of it early, and the dim. */
static kt_status check_first(const void *what)
{
    const kt_call *call = what;
    int64_t        dim = kt__arg_int(call, call->row->fold.dim);
    if (call->row->target.dtype_before_dims && kt__check_out(call, (kt_dtype)call->arg[0].t->dtype, KT_I64))
        return kt_error_status();
    return wrap_dim(call, &dim);
}

static kt_status run_scan(kt_call *call)
{
    kt__gathered g;
    kt__decision room;
    kt_plan      plan;
    kt__taping   taping;
    kt_tensor   *self = call->arg[0].t, *out[MOST_OUTPUTS] = {NULL, NULL};
    int64_t      dim = kt__arg_int(call, call->row->fold.dim);
    int          n_out = kt__n_results(call->row);
    kt__gather(call, &g);
    if (kt__refine_fold(call, &g))
        return kt_error_status();
    if (call->form == KT_INPLACE)
        g.want = self->dtype;
    const kt__decision *d = kt__resolve(call, &g, kt__mode(), &room);
    if (!d)
        return kt__report_earlier_error(check_first, call);
    if (wrap_dim(call, &dim))
        return kt__report_earlier_error(check_first, call);
    if (kt__check_out(call, (kt_dtype)d->result, (kt_dtype)d->second))
        return kt_error_status();
    if (call->form == KT_OUT && kt__reads_target(call, kt__sizes(self), true))
        return kt__run_apart(call);
    if (kt__tape_before(call, kt__seen_as(&plan, &g, d), g.any_grad, &taping))
        return kt_error_status();
    kt_status status = outputs(call, &g, d, out);
    if (status)
        return kt__tape_after(call, NULL, &taping, status);
    prepare(call, &g, d, out, dim, &plan);
    status = self->numel ? kt__launch(&plan, out[0]) : KT_OK;
    if (!status && self->numel && n_out > 1 && plan.arg[1].bits)
        status = kt__apply_lazy_bits(plan.row, out[1]);
    kt__trace_fold(call, self, d, out, n_out);
    return kt__finish_several(call, &plan, &taping, out, n_out, status);
}

const kt__way kt__way_scan = {.run = run_scan, .decide = kt__decide_fold, .fuses = true};
