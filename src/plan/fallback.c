/* fallback.c - see fallback.h. It waits for the device, so it is slow; it makes every operator run on a device that has few
 * kernels yet. */
#include "plan/fallback.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/warn.h"
#include "plan/observe.h"
#include "tables/kernels/all.h"
#include "tensor/device.h"

/* ---- how much memory an operand is ---- */
static void span_of_dims(const kt_plan *plan, int at, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = (int64_t)kt_dtype_size((kt_dtype)plan->arg[at].is);
    for (int d = 0; d < plan->nd; d++) {
        const int64_t stride = plan->stride[at][d];
        if (plan->size[d] == 0 && stride != 0) {
            *high = *low;
            return;
        }
        if (plan->size[d] > 0)
            *(stride < 0 ? low : high) += (plan->size[d] - 1) * stride;
    }
}

/* What the dims do not say: some kernels reach memory by their values or parameters. */
void kt__plan_span(const kt_plan *plan, int at, int64_t *low, int64_t *high)
{
    const int kernel = plan->kernel;
    span_of_dims(plan, at, low, high);
    if (KT__FAMILY_OF(kernel) == KT_FAMILY_index && kernel != KT_K_nonzero && kernel != KT_K_masked_put &&
        kernel != KT_K_index_offsets && at == (kernel == KT_K_index_take)) {
        *high = plan->param[4].v.i;
    } else if (kernel == KT_K_nonzero && at == 0) {
        const int64_t count = plan->param[1].v.i;
        *high = count && plan->nd ? (plan->nd - 1) * plan->param[0].v.i + count * (int64_t)sizeof(int64_t) : 0;
    } else if (kernel == KT_K_search && at >= 2) {
        const int64_t length = plan->param[0].v.i, width = (int64_t)kt_dtype_size((kt_dtype)plan->arg[at].is);
        *high = length ? (plan->size[0] - 1) * plan->stride[at][0] + length * width : 0;
    }
}

/* ---- the host's side of a plan ---- */
typedef struct host_copy {
    char  *data;
    size_t bytes, granted;
    int64_t low;
} host_copy;

static kt_transfer copy_of(const kt_plan *plan, int at, const host_copy *h)
{
    return (kt_transfer){.to = h->data, .from = plan->arg[at].data + h->low, .bytes = h->bytes, .to_index = KT_HOST,
                     .from_index = plan->device_index, .stream = plan->stream, .wait = 1};
}

static kt_status fetch(kt_backend *backend, const kt_plan *plan, int at, host_copy *h)
{
    int64_t high;
    kt__plan_span(plan, at, &h->low, &high);
    h->bytes = (size_t)(high - h->low);
    if (plan->arg[at].immediate || !h->bytes)
        return KT_OK;
    if (!(h->data = kt__block_get(h->bytes, &h->granted)))
        return kt__fail_memory(h->bytes);
    const kt_transfer copy = copy_of(plan, at, h);
    return backend->copy(backend, &copy);
}

static kt_status put_back(kt_backend *backend, const kt_plan *plan, int at, const host_copy *h)
{
    if (!h->data)
        return KT_OK;
    const kt_transfer copy = {.to = plan->arg[at].data + h->low, .from = h->data, .bytes = h->bytes,
                          .to_index = plan->device_index, .from_index = KT_HOST, .stream = plan->stream};
    return backend->copy(backend, &copy);
}

static kt_status run_here(const kt_plan *plan, const host_copy *h)
{
    kt_plan      here = *plan;
    kt_generator stream;
    kt_backend  *cpu = kt__backend(KT_CPU);
    here.device_index = 0;
    for (int i = 0; i < plan->n_out + plan->n_in; i++)
        here.arg[i].data = h[i].data ? h[i].data - h[i].low : NULL;
    if (KT__FAMILY_OF(plan->kernel) == KT_FAMILY_random) { /* the device declined it */
        kt__rng_derive(&stream, plan->seed, plan->offset);
        here.generator = &stream;
    }
    return cpu->run(cpu, &here);
}

static kt_status run_through_host(kt_backend *backend, const kt_plan *plan)
{
    host_copy h[KT_MAX_OPERANDS] = {{0}};
    kt_status status = KT_OK;
    const int n = plan->n_out + plan->n_in;
    for (int i = 0; i < n && !status; i++)
        status = fetch(backend, plan, i, &h[i]);
    if (!status)
        status = run_here(plan, h);
    for (int i = 0; i < plan->n_out && !status; i++)
        status = put_back(backend, plan, i, &h[i]);
    for (int i = 0; i < n; i++)
        kt__block_put(h[i].data, h[i].granted);
    return status;
}

/* ---- saying so ---- */
void kt__count_fallback(const kt_backend *backend, kt_kernel_id kernel)
{
    static bool said[KT_K_end];
    if (kt__warn_now(&said[kernel]))
        kt__warn("device '%s' has no kernel '%s' for this call: it runs on the CPU, and its operands travel there and back",
                 backend->name, kt_kernel_name(kernel));
    atomic_fetch_add_explicit(&kt__n_fallbacks, 1, memory_order_relaxed);
}

kt_status kt__fall_back(kt_backend *backend, const kt_plan *plan)
{
    char        room[64];
    kt__waiting w;
    const bool  in_binding = kt__lineage.in_binding && kt__lineage.in_binding();
    if (kt__captures(plan->device_kind))
        return kt_fail(KT_ERR_RUNTIME, "%s cannot be captured: device '%s' has no kernel '%s' for it",
                       kt__row_display_name(plan->row, in_binding, room, sizeof room), backend->name,
                       kt_kernel_name(plan->kernel));
    kt__count_fallback(backend, plan->kernel);
    if (kt__wait_begin(plan->device_kind, "an operator that runs on the CPU", false, &w))
        return kt_error_status();
    const kt_status status = run_through_host(backend, plan);
    kt__wait_end(&w);
    return status;
}
