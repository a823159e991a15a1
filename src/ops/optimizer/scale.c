/* scale.c - the scale of a loss in mixed precision. In: gradients of a scaled loss, the scale. Out: gradients without the scale,
 * whether one was infinite, and the next scale. Nothing waits for a device. */
#include "call/made.h"
#include "call/move.h"
#include "call/target.h"
#include "plan/batch.h"
#include "tables/kernels/optimizer.h"

/* ---- gradients without the scale ---- */

enum { SELF, FOUND, FACTOR };

static kt_status check_numbers(const kt_call *call, const kt_tensor *found, const kt_tensor *factor)
{
    if (factor->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "inv_scale must be a 1-element tensor.");
    if (found->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "found_inf must be a 1-element tensor.");
    if (factor->dtype != KT_F32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "inv_scale must be a float tensor.");
    if (found->dtype != KT_F32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "found_inf must be a float tensor.");
    return KT_OK;
}

static kt_status check_gradient(const kt_call *call, const kt_tensor *g)
{
    const kt_dtype d = (kt_dtype)g->dtype;
    if (d != KT_F32 && d != KT_F64 && d != KT_BF16 && d != KT_F16)
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED,
                              "\"_amp_foreach_non_finite_check_and_unscale_cpu\" not implemented for '%s'",
                              kt_dtype_torch_name(d));
    return kt__check_written(g, NULL, 0);
}

static kt_status add_gradient(kt_call *call, kt_tensor *g, kt__batch *batch)
{
    kt_tensor *found = call->arg[FOUND].t;
    kt_plan    plan;
    if (kt__one_device((kt_tensor *[]){g, found, call->arg[FACTOR].t}, 3) || check_gradient(call, g))
        return kt_error_status();
    kt__plan_begin(&plan, kt__row_called(call), KT_K_unscale, kt__dtype_rows[g->dtype].compute, 1, g);
    plan.n_out = 2;
    plan.numel = g->numel;
    plan.nd = g->ndim;
    memcpy(plan.size, g->sizes, g->ndim * sizeof *plan.size);
    kt__set_operand(&plan, SELF, g, (kt_dtype)g->dtype, KT_WHY_NONE);
    kt__set_operand(&plan, FOUND, found, KT_F32, KT_WHY_NONE);
    kt__set_operand(&plan, FACTOR, call->arg[FACTOR].t, KT_F32, KT_WHY_NONE);
    batch->shared = plan.arg[FOUND].data;
    for (int d = 0; d < g->ndim; d++) {
        plan.stride[SELF][d] = g->strides[d] * (int64_t)kt__itemsize(g);
        plan.stride[FOUND][d] = plan.stride[FACTOR][d] = 0;
    }
    kt__collapse(&plan, true);
    return kt__batch_add(batch, &plan, g);
}

kt_status kt__body_amp_foreach_non_finite_check_and_unscale(kt_call *call)
{
    const int64_t n = call->arg[SELF].ts.n;
    if (n == 0)
        return kt__list_done(call, KT_OK);
    if (check_numbers(call, call->arg[FOUND].t, call->arg[FACTOR].t))
        return kt_error_status();
    kt__batch batch = {.expected = n};
    kt_status status = kt__check_written(call->arg[FOUND].t, NULL, 0);
    for (int64_t i = 0; i < n && !status; i++)
        status = add_gradient(call, call->arg[SELF].ts.t[i], &batch);
    if (!status)
        status = kt__batch_run(&batch);
    kt__batch_free(&batch);
    if (!status)
        kt__wrote(call->arg[FOUND].t);
    return kt__list_done(call, status);
}

/* ---- the next scale ---- */

kt_status kt__body_amp_update_scale(kt_call *call)
{
    enum { SCALE, STEPS, INFINITE, GROWTH, BACKOFF, INTERVAL };
    kt_tensor *scale = call->arg[SCALE].t, *steps = call->arg[STEPS].t, *infinite = call->arg[INFINITE].t;
    kt_plan    plan;
    if (steps->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "growth_tracker must be a 1-element tensor.");
    if (scale->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "current_scale must be a 1-element tensor.");
    if (infinite->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "found_inf must be a 1-element tensor.");
    if (steps->dtype != KT_I32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "growth_tracker must be an int tensor.");
    if (scale->dtype != KT_F32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "current_scale must be a float tensor.");
    if (infinite->dtype != KT_F32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "found_inf must be a float tensor.");
    if (kt__wants_grad(scale))
        return kt_fail(KT_ERR_RUNTIME, "a leaf Variable that requires grad is being used in an in-place operation.");
    if (kt__one_device((kt_tensor *[]){scale, steps, infinite}, 3))
        return kt_error_status();
    kt__plan_begin(&plan, kt__row_called(call), KT_K_update_scale, KT_IN_F32, 1, scale);
    plan.n_out = 2;
    plan.numel = 1;
    plan.nd = 0;
    kt__set_operand(&plan, 0, scale, KT_F32, KT_WHY_NONE);
    kt__set_operand(&plan, 1, steps, KT_I32, KT_WHY_NONE);
    kt__set_operand(&plan, 2, infinite, KT_F32, KT_WHY_NONE);
    plan.n_param = 3;
    plan.param[0] = KT_FLOAT(kt__arg(call, GROWTH)->f);
    plan.param[1] = KT_FLOAT(kt__arg(call, BACKOFF)->f);
    plan.param[2] = KT_INT(kt__arg_int(call, INTERVAL));
    const kt_status status = kt__launch(&plan, scale);
    if (!status)
        kt__wrote(scale);
    return kt__end_itself(call, kt__ref(scale), status);
}
