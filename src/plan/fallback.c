/* fallback.c - see fallback.h. It waits for the device, so it is slow; it makes every operator run on a device that has few
 * kernels yet. */
#include "plan/fallback.h"

#include "base/alloc.h"
#include "base/env.h"
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
    *high = (int64_t)kt__dtype_rows[plan->arg[at].is].size;
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

/* ---- the host's side of a plan ----
 * Operands whose memory overlaps share one copy, as they share the memory: the elements of two outputs may alternate. */
typedef struct host_copy {
    char  *low, *high; /* addresses on the device; equal: no longer in use */
    char  *data;
    size_t granted;
} host_copy;

typedef struct host_side {
    host_copy copy[KT_MAX_OPERANDS];
    int       n;
    struct {
        char  *low; /* address on the device */
        size_t bytes;
        int    copy; /* that contains it; meaningless if it has no bytes */
    } operand[KT_MAX_OPERANDS];
} host_side;

/* Copies that overlap the memory from low to high become one with it. */
static void add_memory(host_side *h, int at, char *low, char *high)
{
    for (int i = 0; i < h->n; i++) {
        host_copy *c = &h->copy[i];
        if (c->low == c->high || c->high <= low || high <= c->low)
            continue;
        low = c->low < low ? c->low : low;
        high = c->high > high ? c->high : high;
        c->low = c->high = NULL;
        for (int k = 0; k < at; k++)
            if (h->operand[k].copy == i)
                h->operand[k].copy = h->n;
        i = -1; /* what has grown may overlap others */
    }
    h->operand[at].copy = h->n;
    h->copy[h->n++] = (host_copy){.low = low, .high = high};
}

static void lay_out(host_side *h, const kt_plan *plan)
{
    for (int i = 0; i < plan->n_out + plan->n_in; i++) {
        int64_t low, high;
        kt__plan_span(plan, i, &low, &high);
        if (plan->arg[i].immediate || !plan->arg[i].data || high <= low)
            continue;
        h->operand[i].low = plan->arg[i].data + low;
        h->operand[i].bytes = (size_t)(high - low);
        add_memory(h, i, plan->arg[i].data + low, plan->arg[i].data + high);
    }
}

static kt_status fetch(kt_backend *backend, const kt_plan *plan, host_copy *c)
{
    const size_t bytes = (size_t)(c->high - c->low);
    if (!bytes)
        return KT_OK;
    if (!(c->data = kt__block_get(bytes, &c->granted)))
        return kt__fail_memory(bytes);
    const kt_transfer copy = {.to = c->data, .from = c->low, .bytes = bytes, .to_index = KT_HOST,
                              .from_index = plan->device_index, .stream = plan->stream, .wait = 1};
    return backend->copy(backend, &copy);
}

/* Where the copy of a device's address is. */
static char *address(const host_side *h, int at, const char *on_device)
{
    const host_copy *c = &h->copy[h->operand[at].copy];
    return c->data + (on_device - c->low);
}

static kt_status put_back(kt_backend *backend, const kt_plan *plan, int at, const host_side *h)
{
    char *const  low = h->operand[at].low;
    const size_t bytes = h->operand[at].bytes;
    if (!bytes)
        return KT_OK;
    const kt_transfer copy = {.to = low, .from = address(h, at, low), .bytes = bytes, .to_index = plan->device_index,
                              .from_index = KT_HOST, .stream = plan->stream};
    return backend->copy(backend, &copy);
}

static kt_status run_here(const kt_plan *plan, const host_side *h)
{
    kt_plan      here = *plan;
    kt_generator stream;
    kt_backend  *cpu = kt__backend(KT_CPU);
    here.device_index = 0;
    for (int i = 0; i < plan->n_out + plan->n_in; i++)
        here.arg[i].data = h->operand[i].bytes ? address(h, i, plan->arg[i].data) : NULL;
    if (KT__FAMILY_OF(plan->kernel) == KT_FAMILY_random) { /* the device declined it */
        kt__rng_derive(&stream, plan->seed, plan->offset);
        here.generator = &stream;
    }
    return cpu->run(cpu, &here);
}

static kt_status run_through_host(kt_backend *backend, const kt_plan *plan)
{
    host_side h = {.n = 0};
    kt_status status = KT_OK;
    lay_out(&h, plan);
    for (int i = 0; i < h.n && !status; i++)
        status = fetch(backend, plan, &h.copy[i]);
    if (!status)
        status = run_here(plan, &h);
    for (int i = 0; i < plan->n_out && !status; i++)
        status = put_back(backend, plan, i, &h);
    for (int i = 0; i < h.n; i++)
        kt__block_put(h.copy[i].data, h.copy[i].granted);
    return status;
}

/* ---- saying so ---- */
static bool told(const char *how)
{
    const char *text = kt__env("KARAT_FALLBACK");
    return text && strcmp(text, how) == 0;
}

void kt__count_fallback(const kt_backend *backend, kt_kernel_id kernel)
{
    static bool               said[KT_K_end];
    static _Thread_local bool warning; /* who shows warnings may call operators, which may fall back */
    if (!warning && !told("quiet") && kt__warn_now(&said[kernel])) {
        warning = true;
        kt__warn("device '%s' has no kernel '%s' for this call: it runs on the CPU, and its operands travel there and back",
                 backend->name, kt_kernel_name(kernel));
        warning = false;
    }
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
    if (told("error"))
        return kt_fail(KT_ERR_RUNTIME, "%s cannot run: device '%s' has no kernel '%s' for it, and KARAT_FALLBACK=error",
                       kt__row_display_name(plan->row, in_binding, room, sizeof room), backend->name,
                       kt_kernel_name(plan->kernel));
    kt__count_fallback(backend, plan->kernel);
    if (kt__wait_begin(plan->device_kind, "an operator that runs on the CPU", false, &w))
        return kt_error_status();
    const kt_status status = run_through_host(backend, plan);
    kt__wait_end(&w);
    return status;
}
