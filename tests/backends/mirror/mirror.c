/* mirror.c - a test device: the CPU seen through a mirror. Its addresses are the true ones plus an offset that no
 * memory has, so that any read of a tensor's bytes outside the backend faults; its work is queued and done late, on a
 * thread of its own, so that anything that assumes completion gives wrong values.
 *
 * In: plans, copies, releases. Out: what the CPU backend makes of them, in the order they came. Independent of: all
 * of Karat but plugin/backend.h. Errors of late work surface at the next call that waits. */
#include <karat/plugin/backend.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2, QUEUE_MAX = 64 }; /* a queue that long is worked off unasked, which bounds its memory */

#define OFFSET ((uintptr_t)1 << 48) /* beyond what x86-64 and aarch64 give to programs */

typedef enum work_kind { WORK_RUN, WORK_FREE, WORK_COPY_IN } work_kind;

typedef struct work {
    struct work *next;
    work_kind    kind;
    char        *to; /* true addresses from here on */
    size_t       bytes;
    void        *plan;   /* of WORK_RUN, packed, behind the struct */
    char        *source; /* of WORK_COPY_IN, likewise */
} work;

static const kt_host *host;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  wanted = PTHREAD_COND_INITIALIZER; /* the worker waits for a reason to work */
static pthread_cond_t  done = PTHREAD_COND_INITIALIZER;   /* callers wait for the end of the queue */
static work           *first, **last = &first;
static int             queued, in_hand;
static bool            hurry, running;
static kt_status       late_code;
static char            late_text[1024];

static void *here(const void *there) /* the true address of one of ours */
{
    return there ? (void *)((uintptr_t)there - OFFSET) : NULL;
}

static void *there(const void *true_address)
{
    return true_address ? (void *)((uintptr_t)true_address + OFFSET) : NULL;
}

/* ---- doing the work ---- */
static kt_status run_plan(const void *packed)
{
    kt_plan plan;
    kt_plan_unpack(&plan, packed);
    plan.device_index = 0;
    for (int i = 0; i < plan.n_out + plan.n_in; i++)
        plan.arg[i].data = here(plan.arg[i].data);
    return host->cpu->run(host->cpu, &plan);
}

static kt_status perform(work *w)
{
    kt_backend *cpu = host->cpu;
    switch (w->kind) {
    case WORK_RUN: return run_plan(w->plan);
    case WORK_FREE: cpu->free(cpu, 0, w->to, w->bytes); return KT_OK;
    case WORK_COPY_IN: return cpu->copy_in(cpu, 0, w->to, w->source, w->bytes);
    }
    return KT_OK;
}

/* With the lock held. The first failure is kept until somebody waits; the worker's own error state stays clean. */
static void keep_failure(kt_status code, const char *text)
{
    if (code != KT_OK && late_code == KT_OK) {
        late_code = code;
        late_text[0] = '\0';
        strncat(late_text, text[0] ? text : "late work failed", sizeof late_text - 1);
    }
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!first || (!hurry && queued < QUEUE_MAX)) {
            hurry = false;
            pthread_cond_wait(&wanted, &lock);
        }
        while (first) {
            work *w = first;
            first = w->next;
            if (!first)
                last = &first;
            queued--;
            in_hand = 1;
            pthread_mutex_unlock(&lock);
            const kt_status code = perform(w);
            free(w);
            pthread_mutex_lock(&lock);
            in_hand = 0;
            keep_failure(code, kt_error());
            kt_clear();
        }
        hurry = false;
        pthread_cond_broadcast(&done);
    }
    return NULL;
}

/* With the lock held: everything queued so far is done. */
static void drain(void)
{
    while (first || in_hand) {
        hurry = true;
        pthread_cond_signal(&wanted);
        pthread_cond_wait(&done, &lock);
    }
}

/* An empty piece of work with room behind it; NULL: the caller must do it at once, after what is queued. */
static work *new_work(work_kind kind, void *to, size_t bytes, size_t room)
{
    work *w = malloc(sizeof *w + room);
    if (w)
        *w = (work){.kind = kind, .to = to, .bytes = bytes};
    return w;
}

static void enqueue(work *w)
{
    pthread_mutex_lock(&lock);
    pthread_t thread;
    if (!running && pthread_create(&thread, NULL, worker, NULL) == 0) {
        pthread_detach(thread);
        running = true;
    }
    if (!running) { /* no thread to be had: not late, but right */
        const kt_status code = perform(w);
        keep_failure(code, kt_error());
        if (code != KT_OK)
            kt_clear();
        free(w);
    } else {
        *last = w;
        last = &w->next;
        queued++;
        if (queued >= QUEUE_MAX)
            pthread_cond_signal(&wanted);
    }
    pthread_mutex_unlock(&lock);
}

static kt_status wait_for_all(void)
{
    char text[sizeof late_text];
    pthread_mutex_lock(&lock);
    drain();
    const kt_status code = late_code;
    memcpy(text, late_text, sizeof text);
    late_code = KT_OK;
    pthread_mutex_unlock(&lock);
    return code == KT_OK ? KT_OK : host->fail(code, "%s", text);
}

/* ---- the backend ---- */
static int mirror_count(kt_backend *self)
{
    (void)self;
    return DEVICES;
}

static kt_status mirror_alloc(kt_backend *self, int index, size_t bytes, void **data, size_t *granted)
{
    (void)self, (void)index;
    void           *p = NULL;
    const kt_status code = host->cpu->alloc(host->cpu, 0, bytes, &p, granted);
    *data = there(p);
    return code;
}

static void mirror_free(kt_backend *self, int index, void *data, size_t granted)
{
    (void)self, (void)index;
    work *w = new_work(WORK_FREE, here(data), granted, 0);
    if (w) {
        enqueue(w);
        return;
    }
    pthread_mutex_lock(&lock);
    drain();
    pthread_mutex_unlock(&lock);
    host->cpu->free(host->cpu, 0, here(data), granted);
}

static kt_status mirror_run(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    work *w = new_work(WORK_RUN, NULL, 0, kt_plan_bytes(plan));
    if (!w)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory to queue a kernel");
    w->plan = w + 1;
    kt_plan_pack(w->plan, plan);
    enqueue(w);
    return KT_OK;
}

static kt_status mirror_copy_in(kt_backend *self, int index, void *to, const void *from_host, size_t bytes)
{
    (void)self, (void)index;
    work *w = new_work(WORK_COPY_IN, here(to), bytes, bytes);
    if (!w)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory to queue a copy of %zu bytes", bytes);
    w->source = (char *)(w + 1);
    memcpy(w->source, from_host, bytes);
    enqueue(w);
    return KT_OK;
}

static kt_status mirror_copy_out(kt_backend *self, int index, void *to_host, const void *from, size_t bytes)
{
    (void)self, (void)index;
    const kt_status code = wait_for_all();
    return code != KT_OK ? code : host->cpu->copy_out(host->cpu, 0, to_host, here(from), bytes);
}

static kt_status mirror_sync(kt_backend *self, int index)
{
    (void)self, (void)index;
    return wait_for_all();
}

static bool mirror_has(kt_backend *self, kt_kernel_id kernel, kt_compute compute)
{
    (void)self;
    return host->cpu->has(host->cpu, kernel, compute);
}

static kt_backend mirror = {
    .layout = KT_LAYOUT,
    .name = "mirror",
    .count = mirror_count,
    .alloc = mirror_alloc,
    .free = mirror_free,
    .run = mirror_run,
    .copy_in = mirror_copy_in,
    .copy_out = mirror_copy_out,
    .sync = mirror_sync,
    .has = mirror_has,
    .late = 1,
};

KT_PLUGIN(from)
{
    host = from;
    return &mirror;
}
