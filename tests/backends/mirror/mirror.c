/* mirror.c - a test device: the CPU seen through a mirror. Its addresses are the true ones plus an offset that no memory has, so
 * that any read of a tensor's bytes outside the backend faults; its work is queued on streams and done late, on threads of its
 * own, so that anything that assumes completion gives wrong values.
 *
 * In: plans, copies, releases, events. Out: what the CPU backend makes of them, in the order of each stream. Independent of: all
 * of Karat but plugin/backend.h. Settings, read when it is opened: MIRROR_LACKS, kernels that it has not, as "add,exp" or "all";
 * MIRROR_DRAWS=1, generators of its own. */
#include "mirror.h"

#include <stdlib.h>
#include <string.h>

const kt_host *host;

/* ---- settings ---- */
static const char *lacks;

static bool is_in_list(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

/* For tests, by dlsym: plans of this kernel are declined from now on; NULL: none is. */
KT_API void         mirror_decline(const char *kernel);
static kt_kernel_id declined;
void mirror_decline(const char *kernel)
{
    __atomic_store_n(&declined, kernel ? host->kernel(kernel) : 0, __ATOMIC_RELAXED);
}

/* The same: how many multiprocessors it claims, on which the numbers of large tensors depend. One: small tensors take several
 * steps of its grid. */
KT_API void    mirror_multiprocessors(int n);
static int64_t claimed = 1;
void           mirror_multiprocessors(int n) { __atomic_store_n(&claimed, n, __ATOMIC_RELAXED); }
int64_t        multiprocessors(void) { return __atomic_load_n(&claimed, __ATOMIC_RELAXED); }

/* ---- the backend ---- */
static int mirror_count(kt_backend *self)
{
    (void)self;
    return DEVICES;
}

kt_status run_plan(const void *packed)
{
    kt_plan plan;
    kt_plan_unpack(&plan, packed);
    plan.device_index = 0;
    for (int i = 0; i < plan.n_out + plan.n_in; i++)
        plan.arg[i].data = here(plan.arg[i].data);
    return is_random(plan.kernel) ? draw_plan(&plan) : host->cpu->run(host->cpu, &plan);
}

static kt_status mirror_run(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    const kt_status code = late_error(plan->device_index);
    if (code)
        return code;
    if (plan->kernel == __atomic_load_n(&declined, __ATOMIC_RELAXED) || (is_random(plan->kernel) && !draws_plan(plan)))
        return KT_DECLINED;
    work *w = new_work(WORK_RUN, kt_plan_bytes(plan));
    if (!w)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory to queue a kernel");
    kt_plan_pack(w + 1, plan);
    pthread_mutex_lock(&lock);
    enqueue(stream_of(plan->device_index, plan->stream), w);
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

/* For tests, by dlsym: how many plans have come in lists. */
KT_API int64_t mirror_listed(void);
static int64_t listed;
int64_t        mirror_listed(void) { return __atomic_load_n(&listed, __ATOMIC_RELAXED); }

/* A few at a time, so that a list takes several calls. */
static kt_status mirror_run_list(kt_backend *self, const void *plans, int64_t n, int64_t *taken)
{
    enum { MOST = 3 };
    const char *at = plans;
    kt_status   code = KT_OK;
    for (*taken = 0; *taken < n && *taken < MOST && code == KT_OK; ++*taken) {
        kt_plan plan;
        kt_plan_unpack(&plan, at);
        if (!(self->kernels[plan.kernel] >> plan.compute & 1) ||
            plan.kernel == __atomic_load_n(&declined, __ATOMIC_RELAXED))
            break;
        code = plan.numel ? mirror_run(self, &plan) : KT_OK;
        at += kt_plan_bytes(&plan);
    }
    __atomic_fetch_add(&listed, *taken, __ATOMIC_RELAXED);
    return code;
}

static kt_status copy_and_wait(const kt_transfer *copy, int index)
{
    const kt_status code = wait_for_stream(index, copy->stream);
    if (code)
        return code;
    memcpy(copy->to_index == KT_HOST ? copy->to : here(copy->to), copy->from_index == KT_HOST ? copy->from : here(copy->from),
           copy->bytes);
    return KT_OK;
}

static kt_status mirror_copy(kt_backend *self, const kt_transfer *copy)
{
    (void)self;
    const bool      from_host = copy->from_index == KT_HOST, at_once = from_host && !copy->pinned;
    const int       index = from_host ? copy->to_index : copy->from_index;
    const kt_status code = late_error(index);
    if (code)
        return code;
    if (copy->wait)
        return copy_and_wait(copy, index);
    work *w = new_work(WORK_COPY, at_once ? copy->bytes : 0);
    if (!w)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory to queue a copy of %zu bytes", copy->bytes);
    w->to = copy->to_index == KT_HOST ? copy->to : here(copy->to);
    w->from = at_once ? NULL : from_host ? copy->from : here(copy->from);
    w->bytes = copy->bytes;
    if (at_once)
        memcpy(w + 1, copy->from, copy->bytes);
    pthread_mutex_lock(&lock);
    stream    *s = stream_of(index, copy->stream);
    const bool refused = at_once && s->capturing;
    if (!refused)
        enqueue(s, w);
    pthread_mutex_unlock(&lock);
    if (!refused)
        return KT_OK;
    free(w);
    return host->fail(KT_ERR_RUNTIME, "mirror: a copy from host memory that is not pinned cannot be captured");
}

static kt_status mirror_sync(kt_backend *self, int index)
{
    (void)self;
    pthread_mutex_lock(&lock);
    drain_device(index);
    pthread_mutex_unlock(&lock);
    return late_error(index);
}

static kt_status mirror_facts(kt_backend *self, int index, kt_device_properties *out)
{
    kt_backend_memory memory;
    memory_calls.ask(self, index, &memory);
    *out = (kt_device_properties){.name = "Mirror of the CPU", .architecture = "mirror", .major = 1, .memory = memory.total,
                                  .multiprocessors = (int)multiprocessors(), .warp = 1, .threads = THREADS, .pci_bus = 3,
                                  .shared = (size_t)3 << 30, .integrated = true, .uuid = {0x4b, [15] = 0xa1}};
    return KT_OK;
}

static kt_backend mirror;

static bool mirror_has(kt_backend *self, kt_kernel_id kernel, kt_compute compute)
{
    (void)self;
    if (is_random(kernel))
        return mirror.draws && draws_kernel(kernel, compute);
    const bool lacking = is_in_list(lacks, "all") || is_in_list(lacks, host->kernel_name(kernel));
    return !lacking && host->cpu->has(host->cpu, kernel, compute);
}

static kt_backend mirror = {
    .layout = KT_LAYOUT,
    .name = "mirror",
    .count = mirror_count,
    .alloc = mirror_alloc,
    .free = mirror_free,
    .run = mirror_run,
    .copy = mirror_copy,
    .sync = mirror_sync,
    .has = mirror_has,
    .late = 1,
    .dlpack = 12,
    .used_on = mirror_used_on,
    .host_alloc = mirror_host_alloc,
    .host_free = mirror_host_free,
    .facts = mirror_facts,
    .run_list = mirror_run_list,
    .streams = &stream_calls,
    .captures = &capture_calls,
    .memory = &memory_calls,
};

KT_PLUGIN(from)
{
    host = from;
    lacks = getenv("MIRROR_LACKS");
    find_random_kernels();
    mirror.draws = getenv("MIRROR_DRAWS") ? mirror_draws : NULL;
    return &mirror;
}
