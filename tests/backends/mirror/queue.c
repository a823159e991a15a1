/* queue.c - streams of the mirror: each is a queue with a thread. Work is done when somebody waits or asks, or when a queue is
 * long, so that anything that assumes completion gives wrong values. */
#include "mirror.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUEUE_MAX = 64 }; /* a queue that long is worked off unasked, which bounds its memory */

pthread_mutex_t       lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER; /* workers wait for a reason to work */
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;   /* a piece of work is done */
static bool           hurry;
static int            unfinished; /* pieces of work, queued or in hand */

static stream  standard[DEVICES];
static stream *others;

/* ---- errors of work that was launched before ---- */
static struct {
    kt_status            code;
    char                 text[1024];
    const struct kt_row *row;
    uint32_t             site;
    kt_fault             fault; /* for tests */
} failure[DEVICES];

/* The first one is kept until somebody comes. */
static void keep_failure(const stream *s, kt_status code, const char *text, const work *w)
{
    if (code == KT_OK || failure[s->index].code != KT_OK)
        return;
    failure[s->index].code = code;
    failure[s->index].text[0] = '\0';
    strncat(failure[s->index].text, text[0] ? text : "late work failed", sizeof failure[0].text - 1);
    failure[s->index].row = NULL;
    failure[s->index].site = 0;
    if (w->kind == WORK_RUN) {
        kt_plan plan;
        kt_plan_unpack(&plan, w + 1);
        failure[s->index].row = plan.row;
        failure[s->index].site = plan.site;
    }
}

kt_status late_error(int index)
{
    char          text[sizeof failure[0].text];
    kt_fault      fault;
    kt_late_error e = {.text = text, .device_code = 710}; /* as CUDA's "device-side assert triggered" */
    pthread_mutex_lock(&lock);
    e.code = failure[index].code;
    e.row = failure[index].row;
    e.site = failure[index].site;
    memcpy(text, failure[index].text, sizeof text);
    fault = failure[index].fault;
    e.fault = fault.kind ? &fault : NULL;
    failure[index].fault.kind = KT_FAULT_NONE;
    failure[index].code = KT_OK;
    pthread_mutex_unlock(&lock);
    return e.code == KT_OK ? KT_OK : host->fail_late(&e);
}

/* For tests, by dlsym: as if a kernel had found this. */
KT_API void mirror_fault(int index, const kt_fault *fault);
void        mirror_fault(int index, const kt_fault *fault)
{
    pthread_mutex_lock(&lock);
    failure[index].code = KT_ERR_RUNTIME;
    failure[index].row = NULL;
    failure[index].site = 0;
    failure[index].fault = *fault;
    pthread_mutex_unlock(&lock);
}

/* ---- doing the work ---- */
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void unref_event(event *e)
{
    if (--e->refs == 0)
        free(e);
}

static void make_haste(void)
{
    hurry = unfinished > 0; /* else what is queued next would be done at once */
    pthread_cond_broadcast(&wanted);
}

/* With the lock held, which is released while a kernel or a copy runs. */
static void perform(stream *s, work *w)
{
    kt_status code = KT_OK;
    switch (w->kind) {
    case WORK_RELEASE: release_one_hold(w->memory); return;
    case WORK_RECORD:
        w->mark->passed = w->turn;
        w->mark->time = now_ms();
        unref_event(w->mark);
        return;
    case WORK_GATE:
        while (w->mark->passed < w->turn) {
            make_haste();
            pthread_cond_wait(&done, &lock);
        }
        unref_event(w->mark);
        return;
    case WORK_RUN:
    case WORK_COPY:
        pthread_mutex_unlock(&lock);
        if (w->kind == WORK_RUN)
            code = run_plan(w + 1);
        else
            memcpy(w->to, w->from ? w->from : (const char *)(w + 1), w->bytes);
        pthread_mutex_lock(&lock);
        keep_failure(s, code, host->error(), w);
        if (code != KT_OK)
            host->clear();
    }
}

static void *worker(void *argument)
{
    stream *s = argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!s->first || (!hurry && s->queued < QUEUE_MAX))
            pthread_cond_wait(&wanted, &lock);
        do {
            work *w = s->first;
            s->first = w->next;
            if (!s->first)
                s->last = &s->first;
            s->queued--;
            s->in_hand = true;
            perform(s, w);
            free(w);
            s->in_hand = false;
            if (--unfinished == 0)
                hurry = false;
            pthread_cond_broadcast(&done);
        } while (s->first);
    }
    return NULL;
}

/* ---- queues ---- */
static void start(stream *s, int index)
{
    pthread_t thread;
    s->index = index;
    if (!s->last)
        s->last = &s->first;
    if (!s->running && pthread_create(&thread, NULL, worker, s) == 0) {
        pthread_detach(thread);
        s->running = true;
    }
}

stream *stream_of(int index, kt_handle handle)
{
    stream *s = handle ? (stream *)(uintptr_t)handle : &standard[index];
    if (!s->running)
        start(s, index);
    return s;
}

work *new_work(work_kind kind, size_t room)
{
    work *w = malloc(sizeof *w + room);
    if (w)
        *w = (work){.kind = kind, .room = room};
    return w;
}

void enqueue_now(stream *s, work *w)
{
    if (!s->running) { /* no thread to be had: not late, but right */
        perform(s, w);
        free(w);
        return;
    }
    *s->last = w;
    s->last = &w->next;
    s->queued++;
    unfinished++;
    if (hurry || s->queued >= QUEUE_MAX)
        pthread_cond_broadcast(&wanted);
}

void enqueue(stream *s, work *w)
{
    if (s->capturing)
        record_work(s->capturing, w);
    else
        enqueue_now(s, w);
}

void drain(stream *s)
{
    while (s->first || s->in_hand) {
        make_haste();
        pthread_cond_wait(&done, &lock);
    }
}

void drain_device(int index)
{
    drain(stream_of(index, 0));
    for (stream *s = others; s; s = s->next)
        if (s->index == index)
            drain(s);
}

/* ---- the interface ---- */
static kt_status make(kt_backend *self, int index, int priority, kt_handle *made)
{
    (void)self, (void)priority;
    pthread_mutex_lock(&lock);
    stream *s = others;
    while (s && !(s->dropped && s->index == index))
        s = s->next;
    if (!s && (s = calloc(1, sizeof *s))) {
        s->next = others;
        others = s;
    }
    if (s) {
        s->dropped = false;
        start(s, index);
    }
    *made = (kt_handle)(uintptr_t)s;
    pthread_mutex_unlock(&lock);
    return s ? KT_OK : host->fail(KT_ERR_MEMORY, "mirror: no memory for a stream");
}

static void drop(kt_backend *self, int index, kt_handle handle)
{
    (void)self;
    pthread_mutex_lock(&lock);
    stream_of(index, handle)->dropped = true;
    pthread_mutex_unlock(&lock);
}

static kt_status idle(kt_backend *self, int index, kt_handle handle, bool *answer)
{
    (void)self;
    pthread_mutex_lock(&lock);
    const stream *s = stream_of(index, handle);
    *answer = !s->first && !s->in_hand;
    make_haste();
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

kt_status wait_for_stream(int index, kt_handle handle)
{
    pthread_mutex_lock(&lock);
    stream    *s = stream_of(index, handle);
    const bool records = s->capturing != NULL;
    if (!records)
        drain(s);
    pthread_mutex_unlock(&lock);
    if (records)
        return host->fail(KT_ERR_RUNTIME, "mirror: a stream whose work is captured cannot be waited for");
    return late_error(index);
}

static kt_status wait_for(kt_backend *self, int index, kt_handle handle)
{
    (void)self;
    return wait_for_stream(index, handle);
}

static kt_status event_make(kt_backend *self, int index, bool timed, kt_handle *made)
{
    (void)self, (void)index, (void)timed;
    event *e = calloc(1, sizeof *e);
    *made = (kt_handle)(uintptr_t)e;
    if (!e)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory for an event");
    e->refs = 1;
    return KT_OK;
}

static void event_drop(kt_backend *self, int index, kt_handle handle)
{
    (void)self, (void)index;
    pthread_mutex_lock(&lock);
    unref_event((event *)(uintptr_t)handle);
    pthread_mutex_unlock(&lock);
}

static void enqueue_mark(stream *s, work *w, event *e, int64_t turn)
{
    w->mark = e;
    w->turn = turn;
    e->refs++;
    enqueue_now(s, w);
}

/* In a capture the order of launches is the order of the work: nothing needs to be done when it is run. */
static kt_status event_record(kt_backend *self, int index, kt_handle handle, kt_handle on)
{
    (void)self;
    event *e = (event *)(uintptr_t)handle;
    work  *w = new_work(WORK_RECORD, 0);
    if (!w)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory to queue an event");
    pthread_mutex_lock(&lock);
    stream *s = stream_of(index, on);
    e->of = s->capturing;
    if (e->of)
        free(w);
    else
        enqueue_mark(s, w, e, ++e->recorded);
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status event_done(kt_backend *self, int index, kt_handle handle, bool *answer)
{
    (void)self, (void)index;
    const event *e = (const event *)(uintptr_t)handle;
    pthread_mutex_lock(&lock);
    *answer = e->passed >= e->recorded;
    make_haste();
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status event_wait(kt_backend *self, int index, kt_handle handle)
{
    (void)self;
    const event *e = (const event *)(uintptr_t)handle;
    pthread_mutex_lock(&lock);
    while (e->passed < e->recorded) {
        make_haste();
        pthread_cond_wait(&done, &lock);
    }
    pthread_mutex_unlock(&lock);
    return late_error(index);
}

/* A stream that waits for an event of a capture takes part in it. */
static kt_status event_gate(kt_backend *self, int index, kt_handle handle, kt_handle on)
{
    (void)self;
    event *e = (event *)(uintptr_t)handle;
    work  *w = new_work(WORK_GATE, 0);
    if (!w)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory to queue a wait");
    pthread_mutex_lock(&lock);
    stream *s = stream_of(index, on);
    if (e->of)
        s->capturing = e->of;
    if (e->of || e->passed >= e->recorded)
        free(w);
    else
        enqueue_mark(s, w, e, e->recorded);
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status event_elapsed(kt_backend *self, int index, kt_handle from, kt_handle to, double *milliseconds)
{
    (void)self, (void)index;
    pthread_mutex_lock(&lock);
    *milliseconds = ((const event *)(uintptr_t)to)->time - ((const event *)(uintptr_t)from)->time;
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

void leave_capture(graph *g)
{
    for (int i = 0; i < DEVICES; i++)
        if (standard[i].capturing == g)
            standard[i].capturing = NULL;
    for (stream *s = others; s; s = s->next)
        if (s->capturing == g)
            s->capturing = NULL;
}

const kt_stream_calls stream_calls = {.make = make, .drop = drop, .idle = idle, .wait = wait_for, .event_make = event_make,
                                      .event_drop = event_drop, .event_record = event_record, .event_done = event_done,
                                      .event_wait = event_wait, .event_gate = event_gate, .event_elapsed = event_elapsed};
