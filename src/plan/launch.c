/* launch.c - see launch.h. A small plan without watchers goes straight to its device. Any other plan takes the slow path: site,
 * watchers, the binding's lock released, the generator locked. */
#include "plan/launch.h"

#include "base/alloc.h"
#include "base/error.h"
#include "plan/site.h"
#include "tables/kernels/copy.h"
#include "tensor/work.h"

uint32_t (*kt__site_read)(void);
KT__HOT_LOCAL uint32_t kt__site_known;

static inline kt_status run(kt_backend *backend, const kt_plan *plan) { return backend->run(backend, plan); }

static inline bool is_seen(void) { return kt__is_watching() && !kt__unseen; }

static void set_site_and_devices(kt_plan *plan, const kt_tensor *on, const kt_tensor *from)
{
    plan->site = KT__SITE();
    plan->device_kind = on->backend;
    plan->from_kind = from->backend;
    plan->from_index = from->index;
}

/* Kernels apply lazy bits (conj, neg) when they load, not when they store. A second pass applies them to what was written. */
KT__COLD kt_status kt__apply_lazy_bits(const struct kt_row *row, kt_tensor *on)
{
    kt_plan plan;
    kt__plan_begin(&plan, row, KT_K_copy, kt__dtype_rows[on->dtype].compute, 1, on);
    kt__set_operand(&plan, 0, on, (kt_dtype)on->dtype, KT_WHY_NONE);
    kt__set_operand(&plan, 1, on, (kt_dtype)on->dtype, KT_WHY_NONE);
    plan.arg[0].bits = 0;
    plan.numel = on->numel;
    plan.nd = on->ndim;
    for (int d = 0; d < on->ndim; d++) {
        plan.size[d] = on->sizes[d];
        plan.stride[0][d] = plan.stride[1][d] = on->strides[d] * (int64_t)kt__itemsize(on);
    }
    return kt__launch(&plan, on);
}

/* The generator is locked after the binding's lock was released: a thread that waits for the generator may hold that lock. */
static kt_status run_locked(kt_backend *backend, const kt_plan *plan, bool release)
{
    void *released = release ? kt__open_lock(false) : NULL;
    if (plan->generator)
        kt__rng_lock(plan->generator);
    kt_status status = run(backend, plan);
    if (plan->generator)
        kt__rng_unlock(plan->generator);
    kt__shut_lock(released);
    return status;
}

static KT__COLD kt_status launch_slowly(kt_plan *plan, kt_tensor *on, bool release, kt_generator *generator)
{
    kt_backend *backend = kt__backend(on->backend);
    const bool  seen = is_seen();
    if (plan->numel == 0)
        return KT_OK;
    plan->generator = generator;
    if (seen || backend->late)
        set_site_and_devices(plan, on, on);
    if (seen)
        kt__tell_before(plan);
    kt_status status = run_locked(backend, plan, release || plan->numel > KT__LONG_NUMEL);
    if (seen)
        kt__tell_after(plan, status);
    return status || !plan->arg[0].bits ? status : kt__apply_lazy_bits(plan->row, on);
}

KT__HOT kt_status kt__launch(kt_plan *plan, kt_tensor *on)
{
    kt_backend *backend = kt__backend(on->backend);
    if (KT__UNLIKELY((uint64_t)plan->numel - 1 >= KT__LONG_NUMEL) || KT__UNLIKELY(kt__is_watching() | backend->late))
        return launch_slowly(plan, on, false, NULL);
    kt_status status = run(backend, plan);
    return KT__LIKELY(status || !plan->arg[0].bits) ? status : kt__apply_lazy_bits(plan->row, on);
}

kt_status kt__launch_long(kt_plan *plan, kt_tensor *on) { return launch_slowly(plan, on, true, NULL); }

kt_status kt__launch_draw(kt_plan *plan, kt_tensor *on, kt_generator *g) { return launch_slowly(plan, on, false, g); }

/* ---- between devices ---- */

static kt_status move_bytes(kt_tensor *to, const kt_tensor *from, size_t bytes)
{
    kt_backend *source = kt__backend(from->backend), *target = kt__backend(to->backend);
    size_t      granted = 0;
    if (source->addressable)
        return target->copy_in(target, to->index, to->data, from->data, bytes);
    if (target->addressable)
        return source->copy_out(source, from->index, to->data, from->data, bytes);
    void *stage = kt__block_get(bytes, &granted);
    if (!stage)
        return kt__fail_memory(bytes);
    kt_status status = source->copy_out(source, from->index, stage, from->data, bytes);
    if (!status)
        status = target->copy_in(target, to->index, to->data, stage, bytes);
    kt__block_put(stage, granted);
    return status;
}

kt_status kt__transfer(const struct kt_row *row, kt_tensor *to, const kt_tensor *from)
{
    const size_t bytes = (size_t)from->numel * kt__itemsize(from);
    if (!bytes)
        return KT_OK;
    if (KT__LIKELY(!is_seen()))
        return move_bytes(to, from, bytes);
    kt_plan plan;
    kt__plan_begin(&plan, row, KT_K_copy, kt__dtype_rows[to->dtype].compute, 1, to);
    kt__set_operand(&plan, 0, to, (kt_dtype)to->dtype, KT_WHY_NONE);
    kt__set_operand(&plan, 1, from, (kt_dtype)from->dtype, KT_WHY_NONE);
    plan.generator = NULL;
    set_site_and_devices(&plan, to, from);
    plan.numel = plan.size[0] = from->numel;
    plan.nd = plan.contiguous = 1;
    plan.stride[0][0] = plan.stride[1][0] = (int64_t)kt__itemsize(from);
    kt__tell_before(&plan);
    kt_status status = move_bytes(to, from, bytes);
    kt__tell_after(&plan, status);
    return status;
}
