/* stream.c - streams, events and captures: the engine's half. Plans name their stream, so that a backend keeps no state of
 * threads. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/local.h"
#include "base/rng.h"
#include "base/warn.h"
#include "tensor/device.h"
#include "tensor/work.h"

static _Thread_local uint8_t current_index[KT_MAX_BACKENDS];

/* NULL and an error: no such device. */
static kt_backend *backend_of(kt_device *d)
{
    *d = kt__default_device(*d);
    kt_backend *b = kt__backend(d->kind);
    if (!b || d->index < 0 || d->index >= b->count(b)) {
        kt_fail(KT_ERR_RUNTIME, "there is no such device");
        return NULL;
    }
    if (b->kernels && kt__devices_lost) {
        kt__fail_lost(b);
        return NULL;
    }
    return b;
}

/* A place for the answer, or an object that is asked: NULL is an error. */
static bool missing(const void *p)
{
    if (!p)
        kt_fail(KT_ERR_TYPE, "expected a place for the result, an event or a graph, got NULL");
    return !p;
}

int kt_device_index(int kind) { return (unsigned)kind < KT_MAX_BACKENDS ? current_index[kind] : 0; }

kt_status kt_device_set_index(kt_device d)
{
    if (!backend_of(&d))
        return kt_error_status();
    current_index[d.kind] = (uint8_t)d.index;
    return KT_OK;
}

/* ---- waits ---- */
static _Atomic uint64_t host_waits;
static _Atomic int      wait_mode;
_Atomic uint64_t        kt__n_fallbacks;

uint64_t     kt_host_waits(void) { return atomic_load_explicit(&host_waits, memory_order_relaxed); }
uint64_t     kt_fallbacks(void) { return atomic_load_explicit(&kt__n_fallbacks, memory_order_relaxed); }
void         kt_set_wait_mode(kt_wait_mode mode) { atomic_store_explicit(&wait_mode, (int)mode, memory_order_relaxed); }
kt_wait_mode kt_get_wait_mode(void) { return (kt_wait_mode)atomic_load_explicit(&wait_mode, memory_order_relaxed); }

kt_status kt__wait_begin(int kind, const char *what, bool asked, kt__waiting *w)
{
    w->released = NULL;
    if (kt__captures(kind))
        return kt_fail(KT_ERR_RUNTIME, "%s makes the host wait for the device, which is not possible while work is captured",
                       what);
    if (!asked) {
        atomic_fetch_add_explicit(&host_waits, 1, memory_order_relaxed);
        const kt_wait_mode mode = kt_get_wait_mode();
        if (mode == KT_WAIT_FAILS)
            return kt_fail(KT_ERR_RUNTIME, "called a synchronizing operation: %s", what);
        if (mode == KT_WAIT_WARNS)
            kt__warn("called a synchronizing operation: %s", what);
    }
    w->released = kt__open_lock(asked ? KT_WORK_OTHERS : KT_WORK_DEVICE);
    return KT_OK;
}

void kt__wait_end(kt__waiting *w) { kt__shut_lock(w->released); }

kt_status kt_device_sync(kt_device d)
{
    kt__waiting w;
    kt_backend *b = backend_of(&d);
    if (!b || kt__wait_begin(d.kind, "synchronize", true, &w))
        return kt_error_status();
    const kt_status status = b->sync(b, d.index);
    kt__wait_end(&w);
    return status;
}

/* ---- streams ---- */
kt_status kt_stream_new(kt_device d, int priority, kt_stream *made)
{
    kt_backend *b = backend_of(&d);
    if (!b || missing(made))
        return kt_error_status();
    *made = (kt_stream){d, 0};
    if (!b->streams)
        return KT_OK;
    kt__device_used();
    if (b->streams->make(b, d.index, priority, &made->handle))
        return kt_error_status();
    if (kt__stream_made(*made) == KT_OK)
        return KT_OK;
    b->streams->drop(b, d.index, made->handle);
    made->handle = 0;
    return kt_error_status();
}

void kt_stream_drop(kt_stream s)
{
    kt_backend *b = kt__backend(s.device.kind);
    if (!b || !b->streams || !s.handle)
        return;
    if (kt__stream_now(s.device.kind, s.device.index) == s.handle)
        kt__stream_set_now(s.device, 0);
    kt__stream_disowned(s);
}

kt_status kt_stream_current(kt_device d, kt_stream *now)
{
    if (!backend_of(&d) || missing(now))
        return kt_error_status();
    *now = (kt_stream){d, kt__stream_now(d.kind, d.index)};
    return KT_OK;
}

kt_status kt_stream_set(kt_stream s)
{
    return backend_of(&s.device) ? kt__stream_set_now(s.device, s.handle) : kt_error_status();
}

kt_status kt_stream_idle(kt_stream s, bool *idle)
{
    kt_backend *b = backend_of(&s.device);
    if (!b || missing(idle))
        return kt_error_status();
    *idle = true;
    return b->streams ? b->streams->idle(b, s.device.index, s.handle, idle) : KT_OK;
}

kt_status kt_stream_sync(kt_stream s)
{
    kt__waiting w;
    kt_backend *b = backend_of(&s.device);
    if (!b || kt__wait_begin(s.device.kind, "synchronize", true, &w))
        return kt_error_status();
    const kt_status status = b->streams ? b->streams->wait(b, s.device.index, s.handle) : b->sync(b, s.device.index);
    kt__wait_end(&w);
    return status;
}

kt_status kt_stream_after(kt_stream s, kt_stream other)
{
    kt_event *e = NULL;
    if (kt_event_new(other.device, false, &e))
        return kt_error_status();
    kt_status status = kt_event_record(e, other);
    if (!status)
        status = kt_stream_after_event(s, e);
    kt_event_drop(e);
    return status;
}

kt_status kt_used_on(kt_tensor *t, kt_stream s)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    kt_backend *b = kt__backend(t->backend);
    if (t->backend != s.device.kind || t->index != s.device.index) /* a handle means a stream of the memory's own device */
        return kt_fail(KT_ERR_RUNTIME, "record_stream: the stream is of device '%s:%d', and the tensor is on '%s:%d'",
                       kt_device_name(s.device), (int)s.device.index, b->name, (int)t->index);
    if (b->kernels && kt__devices_lost)
        return kt__fail_lost(b);
    if (b->used_on && t->storage->granted)
        b->used_on(b, t->index, t->storage->data, s.handle);
    return KT_OK;
}

/* ---- events ---- */
struct kt_event {
    kt_device device;
    kt_handle handle;
    bool      timed, recorded;
};

kt_status kt_event_new(kt_device d, bool timed, kt_event **made)
{
    kt_backend *b = backend_of(&d);
    if (missing(made) || !b)
        return kt_error_status();
    *made = NULL;
    if (b->streams)
        kt__device_used();
    kt_event *e = kt__pool_get(sizeof *e);
    if (!e)
        return kt__fail_memory(sizeof *e);
    *e = (kt_event){.device = d, .timed = timed};
    if (b->streams && b->streams->event_make(b, d.index, timed, &e->handle)) {
        kt__pool_put(e, sizeof *e);
        return kt_error_status();
    }
    *made = e;
    return KT_OK;
}

void kt_event_drop(kt_event *e)
{
    if (!e)
        return;
    kt_backend *b = kt__backend(e->device.kind);
    if (b->streams && !kt__devices_lost)
        b->streams->event_drop(b, e->device.index, e->handle);
    kt__pool_put(e, sizeof *e);
}

kt_status kt_event_record(kt_event *e, kt_stream s)
{
    kt_backend *b = backend_of(&s.device);
    if (!b || missing(e))
        return kt_error_status();
    if (s.device.kind != e->device.kind || s.device.index != e->device.index)
        return kt_fail(KT_ERR_RUNTIME, "Event device %s:%d does not match recording stream's device %s:%d.",
                       kt_device_name(e->device), (int)e->device.index, kt_device_name(s.device), (int)s.device.index);
    const kt_status status = b->streams ? b->streams->event_record(b, s.device.index, e->handle, s.handle) : KT_OK;
    e->recorded |= status == KT_OK;
    return status;
}

kt_status kt_event_done(kt_event *e, bool *done)
{
    if (missing(e) || missing(done))
        return kt_error_status();
    *done = true;
    kt_backend *b = backend_of(&e->device);
    if (!b)
        return kt_error_status();
    return b->streams && e->recorded ? b->streams->event_done(b, e->device.index, e->handle, done) : KT_OK;
}

kt_status kt_event_sync(kt_event *e)
{
    kt__waiting w;
    if (missing(e))
        return kt_error_status();
    kt_backend *b = backend_of(&e->device);
    if (!b)
        return kt_error_status();
    if (!b->streams || !e->recorded)
        return KT_OK;
    if (kt__wait_begin(e->device.kind, "synchronize", true, &w))
        return kt_error_status();
    const kt_status status = b->streams->event_wait(b, e->device.index, e->handle);
    kt__wait_end(&w);
    return status;
}

kt_status kt_event_elapsed(kt_event *from, kt_event *to, double *milliseconds)
{
    bool from_done = false, to_done = false;
    if (missing(from) || missing(to) || missing(milliseconds))
        return kt_error_status();
    kt_backend *b = kt__backend(from->device.kind);
    *milliseconds = 0;
    if (!from->timed || !to->timed)
        return kt_fail(KT_ERR_VALUE, "Both events must be created with argument 'enable_timing=True'.");
    if (!from->recorded || !to->recorded)
        return kt_fail(KT_ERR_VALUE, "Both events must be recorded before calculating elapsed time.");
    if (from->device.kind != to->device.kind || !b->streams)
        return kt_fail(KT_ERR_RUNTIME, "events of device '%s' cannot be timed", b->name);
    if (kt_event_done(from, &from_done) || kt_event_done(to, &to_done))
        return kt_error_status();
    if (!from_done || !to_done)
        return kt_fail(KT_ERR_RUNTIME, "Both events must be completed before calculating elapsed time.");
    return b->streams->event_elapsed(b, from->device.index, from->handle, to->handle, milliseconds);
}

kt_status kt_stream_after_event(kt_stream s, kt_event *e)
{
    if (!backend_of(&s.device) || missing(e))
        return kt_error_status();
    kt_backend *b = kt__backend(e->device.kind);
    if (!b->streams || !e->recorded)
        return KT_OK;
    if (s.device.kind != e->device.kind) /* no common queue: the host waits in its place */
        return kt_event_sync(e);
    return b->streams->event_gate(b, s.device.index, e->handle, s.handle);
}

/* ---- captures ---- */
struct kt_graph {
    kt_device device;
    kt_handle handle;
    uint64_t  draws; /* by how much one replay moves the generator's offset */
};

static _Thread_local struct {
    bool      on;
    kt_stream stream;
    kt_handle before; /* the thread's current stream */
    uint64_t  draws;
} capture;

bool kt__captures(int kind) { return capture.on && capture.stream.device.kind == kind; }
bool kt_is_capturing(void) { return capture.on; }

kt_status kt__capture_draws(const kt_generator *g, uint64_t n, uint64_t *offset)
{
    if (g != kt_default_generator_of(capture.stream.device))
        return kt_fail(KT_ERR_RUNTIME, "only the default generator of the device that captures can draw in a capture");
    *offset = capture.draws;
    capture.draws += n;
    return KT_OK;
}

static _Atomic int open_captures[KT_MAX_BACKENDS]; /* of all threads */

static void set_capture(bool on, int kind)
{
    capture.on = on;
    atomic_fetch_add_explicit(&open_captures[kind], on ? 1 : -1, memory_order_relaxed);
}

kt_status kt_devices_finish(void)
{
    for (int kind = 1; kind < KT_MAX_BACKENDS && !kt__devices_lost; kind++) {
        kt_backend *b = kt__backend(kind);
        for (int i = 0; b && b->late && i < b->count(b); i++)
            if (kt__device_has_worked((kt_device){kind, i}) &&
                !atomic_load_explicit(&open_captures[kind], memory_order_relaxed) && kt_device_sync((kt_device){kind, i}))
                return kt_error_status();
    }
    return KT_OK;
}

/* A thread that ends while it captures: its stream would record what others launch there, for ever. */
static void abandon_capture(kt__exit_hook *hook)
{
    (void)hook;
    kt_backend *b = capture.on ? kt__backend(capture.stream.device.kind) : NULL;
    kt_handle   handle = 0;
    if (!b || kt__devices_lost)
        return;
    set_capture(false, capture.stream.device.kind);
    b->captures->end(b, capture.stream.device.index, capture.stream.handle, &handle);
    if (handle)
        b->captures->drop(b, capture.stream.device.index, handle);
}

kt_status kt_capture_begin(kt_stream s)
{
    static _Thread_local kt__exit_hook hook;
    static _Thread_local bool          hooked;
    kt_backend *b = backend_of(&s.device);
    if (!b)
        return kt_error_status();
    if (capture.on)
        return kt_fail(KT_ERR_RUNTIME, "this thread captures already");
    if (!b->captures)
        return kt_fail(KT_ERR_RUNTIME, "device '%s' cannot capture", b->name);
    const kt_handle before = kt__stream_now(s.device.kind, s.device.index);
    if (kt__stream_set_now(s.device, s.handle) || b->captures->begin(b, s.device.index, s.handle)) {
        kt__stream_set_now(s.device, before);
        return kt_error_status();
    }
    hooked = hooked || kt__on_thread_exit(&hook, abandon_capture);
    set_capture(true, s.device.kind);
    capture.stream = s;
    capture.before = before;
    capture.draws = 0;
    return KT_OK;
}

kt_status kt_capture_end(kt_graph **graph)
{
    if (missing(graph))
        return kt_error_status();
    *graph = NULL;
    if (!capture.on)
        return kt_fail(KT_ERR_RUNTIME, "this thread does not capture");
    const kt_stream s = capture.stream;
    kt_backend     *b = kt__backend(s.device.kind);
    kt_graph       *g = kt__pool_get(sizeof *g);
    kt_handle       handle = 0;
    const kt_status status =
        kt__devices_lost ? kt__fail_lost(b) : b->captures->end(b, s.device.index, s.handle, &handle);
    set_capture(false, s.device.kind);
    kt__stream_set_now(s.device, capture.before);
    if (status || !g) {
        if (handle)
            b->captures->drop(b, s.device.index, handle);
        kt__pool_put(g, sizeof *g);
        return status ? status : kt__fail_memory(sizeof *g);
    }
    *g = (kt_graph){s.device, handle, capture.draws};
    *graph = g;
    return KT_OK;
}

kt_status kt_graph_replay(kt_graph *g, kt_stream s)
{
    kt_backend *b = g ? kt__backend(g->device.kind) : NULL;
    if (b && kt__devices_lost)
        return kt__fail_lost(b);
    if (!b)
        return kt_fail(KT_ERR_RUNTIME, "there is no graph to replay: capture one first");
    if (s.device.kind != g->device.kind || s.device.index != g->device.index)
        return kt_fail(KT_ERR_RUNTIME, "a graph is replayed on the device that it was captured on");
    if (kt__captures(s.device.kind)) /* the replay's seed and offset would be recorded, the same for ever */
        return kt_fail(KT_ERR_RUNTIME, "a graph cannot be replayed while work is captured");
    uint64_t seed = 0, offset = 0;
    if (g->draws)
        kt__rng_take(kt_default_generator_of(g->device), g->draws, &seed, &offset);
    return b->captures->replay(b, g->device.index, g->handle, s.handle, seed, offset);
}

void kt_graph_drop(kt_graph *g)
{
    if (!g)
        return;
    kt_backend *b = kt__backend(g->device.kind);
    if (!kt__devices_lost)
        b->captures->drop(b, g->device.index, g->handle);
    kt__pool_put(g, sizeof *g);
}
