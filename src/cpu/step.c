/* step.c - see step.h. The loops over elements are those of src/cpu/isa. */
#include "cpu/step.h"

#include <math.h>

#include "base/error.h"

double kt__operand_f64(const kt_plan *plan, int i)
{
    const char     *at = plan->arg[i].immediate ? (const char *)plan->imm[i].bytes : plan->arg[i].data;
    const kt_scalar s = kt_scalar_load(at, (kt_dtype)plan->arg[i].is);
    return kt__scalar_f64(&s);
}

/* A scale that would become infinite does not grow. */
static kt_status update_scale(const kt_plan *plan)
{
    enum { SCALE, STEPS, FOUND };
    enum { GROWTH, BACKOFF, INTERVAL };
    float   scale;
    int32_t steps;
    memcpy(&scale, plan->arg[SCALE].data, sizeof scale);
    memcpy(&steps, plan->arg[STEPS].data, sizeof steps);
    if (kt__operand_f64(plan, FOUND) != 0) {
        scale = (float)(scale * kt__scalar_f64(&plan->param[BACKOFF]));
        steps = 0;
    } else if ((int64_t)steps + 1 == plan->param[INTERVAL].v.i) {
        const float grown = (float)(scale * kt__scalar_f64(&plan->param[GROWTH]));
        scale = isfinite(grown) ? grown : scale;
        steps = 0;
    } else {
        steps = (int32_t)((uint32_t)steps + 1);
    }
    memcpy(plan->arg[SCALE].data, &scale, sizeof scale);
    memcpy(plan->arg[STEPS].data, &steps, sizeof steps);
    return KT_OK;
}

kt_status kt__cpu_step(const kt__cpu_build *build, const kt_plan *plan)
{
    if (plan->kernel == KT_K_update_scale)
        return update_scale(plan);
    const kt__cpu_steps *steps = build->steps[plan->compute == KT_IN_F64];
    if (plan->kernel == KT_K_chain)
        return steps->chain(plan, build->type[plan->compute]);
    return plan->kernel == KT_K_unscale ? steps->unscale(plan) : steps->step(plan);
}
