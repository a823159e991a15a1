/* launch.c - see launch.h. A small plan without watchers goes straight to its device. Any other plan takes the slow path: site,
 * watchers, the binding's lock released, the generator locked. */
#include "plan/launch.h"

#include "base/error.h"
#include "base/precision.h"
#include "plan/fallback.h"
#include "plan/site.h"
#include "tables/kernels/copy.h"
#include "tables/kernels/families.h"
#include "tables/kernels/product.h"
#include "tables/kernels/window.h"
#include "tensor/device.h"
#include "tensor/work.h"

uint32_t (*kt__site_read)(void);
KT__HOT_LOCAL uint32_t kt__site_known;

KT__HOT_LOCAL bool     kt__met_example;

typedef kt_status run_fn(kt_backend *backend, const kt_plan *plan); /* run or fill_new of a backend */

/* What is known of a plan whose launch takes the slow path. */
typedef enum launch_kind { ANY, TAKES_LONG, FILLS_NEW } launch_kind;

void kt__plan_place(kt_plan *plan, const kt_tensor *on, const kt_tensor *from)
{
    plan->site = KT__SITE();
    plan->stream = kt__stream_now(on->backend, on->index);
    plan->device_kind = on->backend;
    plan->from_kind = from->backend;
    plan->from_index = from->index;
}

KT__COLD kt_status kt__fail_example(void)
{
    kt__met_example = true;
    return kt_fail(KT_ERR_RUNTIME, "vmap: internal error: a kernel was given one example of many");
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
static kt_status run_locked(kt_backend *backend, run_fn *run, const kt_plan *plan, bool release)
{
    void *released = release ? kt__open_lock(KT_WORK_KERNEL) : NULL;
    if (plan->generator)
        kt__rng_lock(plan->generator);
    kt_status status = run(backend, plan);
    if (plan->generator)
        kt__rng_unlock(plan->generator);
    kt__shut_lock(released);
    return status;
}

/* What the device has no kernel for, or declines, runs on the CPU. */
static kt_status run_on_device(kt_backend *backend, run_fn *run, kt_plan *plan, bool release)
{
    if (KT__UNLIKELY(kt__devices_lost))
        return kt__fail_lost(backend);
    const bool has = backend->kernels[plan->kernel] >> plan->compute & 1;
    kt_status  status = has ? run_locked(backend, run, plan, release) : KT_DECLINED;
    return status == KT_DECLINED ? kt__fall_back(backend, plan) : status;
}

static bool may_be_tf32(const kt_plan *plan)
{
    const kt_kernel_id kernel = plan->kernel;
    const bool convolves = kernel == KT_K_convolution || kernel == KT_K_convolution_input || kernel == KT_K_convolution_weight;
    return (kernel == KT_K_matmul || convolves) && (plan->compute == KT_IN_F32 || plan->compute == KT_IN_C64) &&
           kt__may_be_tf32(convolves ? KT_TF32_CONVOLUTIONS : KT_TF32_PRODUCTS);
}

static KT__COLD kt_status launch_slowly(kt_plan *plan, kt_tensor *on, launch_kind kind, kt_generator *generator)
{
    kt_backend *backend = kt__backend(on->backend);
    const bool  seen = kt__is_seen();
    if (KT__UNLIKELY(plan->kernel == KT_K_none))
        return kt__fail_example();
    if (plan->numel == 0)
        return KT_OK;
    plan->generator = generator;
    if (seen || backend->kernels)
        kt__plan_place(plan, on, on);
    if (backend->kernels)
        plan->tf32 = may_be_tf32(plan);
    if (seen)
        kt__tell_before(plan);
    const bool release = (kind == TAKES_LONG || plan->numel > KT__LONG_NUMEL) && !backend->late;
    const bool later = kind == FILLS_NEW && backend->fill_new && !seen; /* a watcher may read what was filled */
    run_fn    *run = later ? backend->fill_new : backend->run;
    kt_status  status = backend->kernels ? run_on_device(backend, run, plan, release) : run_locked(backend, run, plan, release);
    if (seen)
        kt__tell_after(plan, status);
    return status || !plan->n_out || !plan->arg[0].bits ? status : kt__apply_lazy_bits(plan->row, on);
}

KT__HOT kt_status kt__launch(kt_plan *plan, kt_tensor *on)
{
    kt_backend *backend = kt__backend(on->backend);
    if (KT__UNLIKELY((uint64_t)plan->numel - 1 >= KT__LONG_NUMEL || plan->kernel == KT_K_none) ||
        KT__UNLIKELY(kt__is_watching() || backend->kernels != NULL))
        return launch_slowly(plan, on, ANY, NULL);
    kt_status status = backend->run(backend, plan);
    return KT__LIKELY(status || !plan->arg[0].bits) ? status : kt__apply_lazy_bits(plan->row, on);
}

kt_status kt__launch_long(kt_plan *plan, kt_tensor *on) { return launch_slowly(plan, on, TAKES_LONG, NULL); }

kt_status kt__launch_check(kt_plan *plan, kt_tensor *on) { return launch_slowly(plan, on, ANY, NULL); }

kt_status kt__launch_fill(kt_plan *plan, kt_tensor *on) { return launch_slowly(plan, on, FILLS_NEW, NULL); }

kt_status kt__launch_from(kt_plan *plan, kt_tensor *on, kt_generator *g) { return launch_slowly(plan, on, ANY, g); }
