/* draw.c - see draw.h. */
#include "plan/draw.h"

#include "base/error.h"
#include "plan/fallback.h"
#include "plan/observe.h"
#include "tensor/device.h"

enum { OFFSET_STEP = 4 }; /* offsets are multiples of it: Philox gives four numbers at a time */

static kt_status check_device(const kt_tensor *to, const kt_generator *g)
{
    const kt_backend *backend = kt__backend(to->backend);
    const int         wants = backend->draws ? to->backend : 0;
    if (g->kind == wants)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "Expected a '%s' device type for generator but found '%s'",
                   backend->draws ? backend->name : "cpu", g->kind ? kt__backend(g->kind)->name : "cpu");
}

/* What the CPU drew would be the same in every replay. */
static kt_status refuse_capture(const struct kt_row *row, const kt_backend *backend, int kernel)
{
    char        room[64];
    const bool  in_binding = kt__lineage.in_binding && kt__lineage.in_binding();
    const char *name = kt__row_display_name(row, in_binding, room, sizeof room);
    if (!backend->draws)
        return kt_fail(KT_ERR_RUNTIME, "%s cannot be captured: device '%s' has no generators, so the CPU draws for it", name,
                       backend->name);
    return kt_fail(KT_ERR_RUNTIME, "%s cannot be captured: device '%s' has no kernel '%s' for it, so the CPU draws for it", name,
                   backend->name, kt_kernel_name((kt_kernel_id)kernel));
}

bool kt__draws_itself(const kt_tensor *to, int kernel, int compute)
{
    const kt_backend *backend = kt__backend(to->backend);
    return backend->draws && backend->kernels && backend->kernels[kernel] >> compute & 1;
}

kt_status kt__draw_source_of(const struct kt_row *row, const kt_tensor *to, int kernel, int compute, kt_generator *given,
                             kt__draw_source *source)
{
    const kt_backend *backend = kt__backend(to->backend);
    source->from = given ? given : kt_default_generator_of(kt__device(to));
    source->on_device = kt__draws_itself(to, kernel, compute);
    if (check_device(to, source->from))
        return kt_error_status();
    return kt__captures(to->backend) && !source->on_device ? refuse_capture(row, backend, kernel) : KT_OK;
}

static kt_status launch_there(kt_plan *plan, kt_tensor *on, kt_generator *from)
{
    kt_backend    *backend = kt__backend(on->backend);
    const uint64_t n = backend->draws(backend, plan);
    plan->seed = plan->offset = 0;
    if (!kt__captures(on->backend))
        kt__rng_take(from, n, &plan->seed, &plan->offset);
    else if (kt__capture_draws(from, n, &plan->offset))
        return kt_error_status();
    return kt__launch_from(plan, on, NULL);
}

static kt_status launch_derived(kt_plan *plan, kt_tensor *on, kt_generator *from)
{
    kt__count_fallback(kt__backend(from->kind), plan->kernel);
    kt_generator stream;
    uint64_t     seed, offset;
    kt__rng_take(from, OFFSET_STEP, &seed, &offset);
    kt__rng_derive(&stream, seed, offset);
    return kt__launch_from(plan, on, &stream);
}

kt_status kt__launch_draw(kt_plan *plan, kt_tensor *on, const kt__draw_source *source)
{
    if (plan->numel == 0)
        return KT_OK;
    if (source->on_device)
        return launch_there(plan, on, source->from);
    return source->from->kind ? launch_derived(plan, on, source->from) : kt__launch_from(plan, on, source->from);
}
