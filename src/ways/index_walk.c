/* index_walk.c - see index.h. In: tensors and an index. Out: a plan for the backend; the tensor that a row writes to. */
#include "ways/index.h"

#include "call/check.h"
#include "call/end.h"
#include "call/policy.h"

/* ---- the walk ---- */

kt_status kt__run_along(int kernel, const kt__along *a)
{
    kt_plan          plan;
    const bool       takes = kernel == KT_K_index_take, sums = kernel == KT_K_index_offsets;
    const kt_tensor *addressed = sums ? a->t[ALONG_OUT] : a->t[takes ? ALONG_FROM : ALONG_OUT];
    const int        operand[3] = {ALONG_OUT, sums ? ALONG_INDEX : ALONG_FROM, ALONG_INDEX}, n = sums ? 2 : 3;
    const int compute = kt__dtype_rows[addressed->dtype].compute;
    kt__plan_begin(&plan, kt__row_served(KT_OP_index_select), kernel, compute, n - 1, a->t[ALONG_OUT]);
    plan.nd = (uint8_t)a->nd;
    plan.numel = 1;
    for (int d = 0; d < a->nd; d++) {
        plan.size[d] = a->size[d];
        plan.numel *= a->size[d];
    }
    for (int i = 0; i < n; i++) {
        const kt_tensor *t = a->t[operand[i]];
        kt__set_operand(&plan, i, t, (kt_dtype)t->dtype, KT_WHY_NONE);
        for (int d = 0; d < a->nd; d++)
            plan.stride[i][d] = a->stride[operand[i]][d] * (int64_t)kt__itemsize(t);
    }
    plan.n_param = 5;
    plan.param[0] = KT_INT(a->limit);
    plan.param[1] = KT_INT(a->step);
    plan.param[2] = KT_INT(2 * a->dim + a->wraps);
    plan.param[3] = KT_INT(a->says);
    plan.param[4] = KT_INT(kt__bytes_from(addressed));
    if (!sums && kernel != KT_K_masked_put && a->limit != INT64_MAX) /* sums of places are in bytes already */
        plan.param[1] = KT_INT(a->step * (int64_t)kt__itemsize(addressed));
    kt__collapse(&plan, takes); /* what is put keeps its order: the last at a place wins */
    return kt__launch(&plan, a->t[ALONG_OUT]);
}

/* ---- what is read and written ---- */

kt_status kt__plain_of(kt_tensor *t, kt_tensor **result)
{
    if (!(t->flags & (KT_T_CONJ | KT_T_NEG))) {
        *result = kt__ref(t);
        return KT_OK;
    }
    kt_tensor *plain = kt__empty_like(t, (kt_dtype)t->dtype, kt__device(t), KT_FORMAT_NONE);
    kt_status  status = plain ? kt__copy_into(plain, t, KT_WHY_NONE, KT_ROUND_TORCH) : kt_error_status();
    if (status)
        kt__unref(plain);
    else
        *result = plain;
    return status;
}

void kt__warn_if_expanded(const kt_tensor *self, const char *op, const char *says)
{
    bool expanded = false;
    for (int d = 0; d < self->ndim && self->numel > 1; d++)
        expanded |= self->strides[d] == 0 && self->sizes[d] > 1;
    if (expanded)
        kt__warn("Use of %s on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This "
                 "also applies to advanced indexing e.g. %s",
                 op, says);
}

kt_status kt__begin_write(kt_call *call, bool keep_layout, kt_tensor **work)
{
    kt_tensor *self = call->arg[0].t;
    *work = NULL;
    if (call->form == KT_INPLACE && !(self->flags & (KT_T_CONJ | KT_T_NEG))) {
        *work = kt__ref(self);
        return KT_OK;
    }
    kt_tensor *copy = keep_layout ? kt__empty_like(self, (kt_dtype)self->dtype, kt__device(self), KT_FORMAT_NONE)
                                  : kt__tensor_new((kt_dtype)self->dtype, kt__device(self), kt__sizes(self));
    if (!copy || kt__copy_into(copy, self, KT_WHY_NONE, KT_ROUND_TORCH)) {
        kt__unref(copy);
        return kt_error_status();
    }
    copy->lineage = self->lineage;
    *work = copy;
    return KT_OK;
}

kt_status kt__end_write(kt_call *call, kt_tensor *work, kt_status status)
{
    kt_tensor *self = call->arg[0].t;
    if (call->form != KT_INPLACE)
        return kt__end_made(call, work, NULL, status);
    if (!status && work != self)
        status = kt__copy_into(self, work, KT_WHY_NONE, KT_ROUND_TORCH);
    kt__unref(work);
    return kt__end_itself(call, status ? NULL : kt__ref(self), status);
}

kt_status kt__check_value(const char *op, const kt_tensor *value)
{
    return !value->ndim ? KT_OK
                        : kt_fail(KT_ERR_RUNTIME,
                                  "%s only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).", op,
                                  value->ndim);
}

kt_status kt__value_like(const kt_call *call, const kt_tensor *like, kt_scalar value, kt_tensor **result)
{
    kt_tensor *made = kt__tensor_new((kt_dtype)like->dtype, kt__device(like), (kt_shape){0, NULL});
    kt_status  status = made ? KT_OK : kt_error_status();
    if (!status && !kt__holds(value, (kt_dtype)made->dtype))
        status = kt__fail_overflow(call, (kt_dtype)made->dtype);
    if (status || kt__fill_with(made, value)) {
        kt__unref(made);
        return kt_error_status();
    }
    *result = made;
    return KT_OK;
}

/* Where the host can read the value, the error explains the call. */
static kt_status check_fits(const kt_call *call, const kt_tensor *value, kt_dtype to)
{
    if (value->dtype == to)
        return KT_OK;
    if (!kt__backend(value->backend)->addressable)
        return kt__check_fits(value, to);
    return kt__holds(kt_item_scalar(value), to) ? KT_OK : kt__fail_overflow(call, to);
}

kt_status kt__value_of(const kt_call *call, const kt_tensor *like, kt_tensor *value, kt_tensor **result)
{
    const kt_dtype to = (kt_dtype)like->dtype;
    const bool     complex = kt_dtype_category((kt_dtype)value->dtype) == KT_CAT_COMPLEX;
    const bool     real_part = complex && kt_dtype_category(to) != KT_CAT_COMPLEX; /* it is all there is: no warning */
    kt_tensor     *from = NULL, *made = NULL;
    kt_status      status = kt__allow(kt__mode(), call, "value", value, to, KT_WHY_ASSIGN);
    status = status ? status : check_fits(call, value, to);
    if (!status && real_part)
        status = kt__call1(KT_OP_real, value, &from);
    else
        from = kt__ref(value);
    if (!status && !(made = kt__tensor_new(to, kt__device(like), (kt_shape){0, NULL})))
        status = kt_error_status();
    status = status ? status : kt__copy_into(made, from, from->dtype == to ? KT_WHY_NONE : KT_WHY_ASSIGN, KT_ROUND_TORCH);
    kt__unref(from);
    if (status)
        kt__unref(made);
    else
        *result = made;
    return status;
}
