/* check.c - see check.h. */
#include "call/check.h"

#include <math.h>

#include "call/move.h"
#include "plan/launch.h"
#include "tables/kernels/check.h"

static void add_operand(kt_plan *plan, int at, const kt_tensor *t)
{
    kt__set_operand(plan, at, t, (kt_dtype)t->dtype, KT_WHY_NONE);
    for (int d = 0; d < plan->nd; d++) {
        const int own = d - (plan->nd - t->ndim);
        plan->stride[at][d] = own < 0 || t->sizes[own] == 1 ? 0 : t->strides[own] * (int64_t)kt__itemsize(t);
    }
}

static kt_status launch(kt_plan *plan, kt_tensor *const *t, int n)
{
    int rank = 0;
    if (kt__broadcast(t, n, plan->size, &rank))
        return kt_error_status();
    plan->nd = (uint8_t)rank;
    plan->n_out = 0;
    plan->numel = 1;
    for (int d = 0; d < rank; d++)
        plan->numel *= plan->size[d];
    for (int i = 0; i < n; i++)
        add_operand(plan, i, t[i]);
    kt__collapse(plan, false); /* in the order of the elements */
    return kt__launch_check(plan, t[0]);
}

static void begin(kt_plan *plan, int kernel, int n_in, const kt_tensor *t)
{
    kt__plan_begin(plan, kt__row_served(KT_OP_to_copy), kernel, kt__dtype_rows[t->dtype].compute, n_in, t);
}

/* Inside a vmap: of every example. */
static kt_tensor *all_examples(kt_tensor *t)
{
    while (t->flags & KT_T_BATCHED)
        t = kt__example_of(t)->value;
    return t;
}

static KT__COLD kt_status check_examples(kt_tensor *const *t, int n, const kt__range *range)
{
    kt_status status = KT_OK;
    for (int i = 0; i < n && !status; i++) {
        kt__range  own = *range;
        kt_tensor *all = all_examples(t[i]);
        own.says[0] = range->says[i];
        status = kt__check_range(&all, 1, &own);
    }
    return status;
}

kt_status kt__check_range(kt_tensor *const *t, int n, const kt__range *range)
{
    kt_plan plan;
    if (KT__UNLIKELY((t[0]->flags | t[n - 1]->flags) & KT_T_BATCHED))
        return check_examples(t, n, range);
    begin(&plan, KT_K_check_range, n, t[0]);
    plan.n_param = range->exempt ? 5 : 4;
    plan.param[0] = range->low;
    plan.param[1] = range->high;
    plan.param[2] = KT_INT(range->says[0]);
    plan.param[3] = KT_INT(range->says[1]);
    if (range->exempt)
        plan.param[4] = *range->exempt;
    return launch(&plan, t, n);
}

kt_status kt__check_fits(const kt_tensor *t, kt_dtype d)
{
    kt_plan    plan;
    kt_tensor *all = all_examples((kt_tensor *)(uintptr_t)t);
    begin(&plan, KT_K_check_fits, 1, all);
    plan.n_param = 1;
    plan.param[0] = KT_INT(d);
    return launch(&plan, &all, 1);
}

kt_status kt__check_not_negative(kt_tensor *t, kt_fault_kind says)
{
    const bool whole = kt__dtype_rows[t->dtype].category <= KT_CAT_INT;
    if (whole && !kt__dtype_rows[t->dtype].is_signed)
        return KT_OK;
    return kt__check_range(&t, 1, &(kt__range){.low = whole ? KT_INT(0) : KT_FLOAT(0), .says = {says},
                                               .high = whole ? KT_INT(INT64_MAX) : KT_FLOAT(INFINITY)});
}
