/* stream.c - streams and events: the runtime's own. A dropped stream is kept and handed out again, since memory that is kept for
 * later belongs to a stream by its handle. */
#include <pthread.h>
#include <stdlib.h>

#include "parts.h"

/* ---- streams ---- */
typedef struct idle_stream {
    struct idle_stream *next;
    int                 index, priority;
    cudaStream_t        stream;
} idle_stream;

static idle_stream    *made, *dropped; /* made: those in use, so that their priority is known */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(idle_stream **list, idle_stream *s)
{
    s->next = *list;
    *list = s;
}

static idle_stream *take_dropped(int index, int priority)
{
    for (idle_stream **at = &dropped; *at; at = &(*at)->next)
        if ((*at)->index == index && (*at)->priority == priority) {
            idle_stream *s = *at;
            *at = s->next;
            return s;
        }
    return NULL;
}

static kt_status make_new(int index, int priority, idle_stream **out)
{
    int least, greatest;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return host->fail(KT_ERR_MEMORY, "no memory for a stream");
    (*out)->index = index;
    (*out)->priority = priority;
    kt_status status = check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "priorities are asked for");
    priority = priority > least ? least : priority < greatest ? greatest : priority;
    if (!status)
        status = check(cudaStreamCreateWithPriority(&(*out)->stream, cudaStreamNonBlocking, priority), "a stream is made");
    if (status)
        free(*out);
    return status;
}

static kt_status make(kt_backend *self, int index, int priority, kt_handle *handle)
{
    (void)self;
    *handle = 0;
    if (use_device(index))
        return KT_ERR_RUNTIME;
    pthread_mutex_lock(&lock);
    idle_stream    *s = take_dropped(index, priority);
    const kt_status status = s ? KT_OK : make_new(index, priority, &s);
    if (!status) {
        push(&made, s);
        *handle = (kt_handle)(uintptr_t)s->stream;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void drop(kt_backend *self, int index, kt_handle handle)
{
    (void)self, (void)index;
    pthread_mutex_lock(&lock);
    for (idle_stream **at = &made; *at; at = &(*at)->next)
        if ((*at)->stream == stream_at(handle)) {
            idle_stream *s = *at;
            *at = s->next;
            push(&dropped, s);
            break;
        }
    pthread_mutex_unlock(&lock);
}

static kt_status answer(cudaError_t error, bool *yes, const char *what)
{
    *yes = error == cudaSuccess;
    if (error != cudaErrorNotReady)
        return check(error, what);
    cudaGetLastError();
    return KT_OK;
}

static kt_status idle(kt_backend *self, int index, kt_handle handle, bool *yes)
{
    (void)self;
    return use_device(index) ? KT_ERR_RUNTIME : answer(cudaStreamQuery(stream_at(handle)), yes, "a stream is asked");
}

static kt_status wait_for(kt_backend *self, int index, kt_handle handle)
{
    (void)self;
    if (use_device(index) || check(cudaStreamSynchronize(stream_at(handle)), "the host waits for a stream"))
        return KT_ERR_RUNTIME;
    return fault_take(index);
}

unsigned long long capture_of(kt_handle handle)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long           id = 0;
#if CUDART_VERSION >= 13000
    const cudaError_t error = cudaStreamGetCaptureInfo(stream_at(handle), &status, &id, NULL, NULL, NULL, NULL);
#else
    const cudaError_t error = cudaStreamGetCaptureInfo(stream_at(handle), &status, &id, NULL, NULL, NULL);
#endif
    if (error != cudaSuccess)
        cudaGetLastError(); /* the default stream cannot be asked while another one captures; it never captures itself */
    return error == cudaSuccess && status == cudaStreamCaptureStatusActive ? id : 0;
}

/* ---- events ---- */
static kt_status event_make(kt_backend *self, int index, bool timed, kt_handle *handle)
{
    (void)self;
    cudaEvent_t event = NULL;
    if (use_device(index))
        return KT_ERR_RUNTIME;
    const kt_status status =
        check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming), "an event is made");
    *handle = (kt_handle)(uintptr_t)event;
    return status;
}

static void event_drop(kt_backend *self, int index, kt_handle event)
{
    (void)self, (void)index;
    cudaEventDestroy(event_at(event));
}

static kt_status event_record(kt_backend *self, int index, kt_handle event, kt_handle stream)
{
    (void)self;
    return use_device(index) ? KT_ERR_RUNTIME
                             : check(cudaEventRecord(event_at(event), stream_at(stream)), "an event is recorded");
}

static kt_status event_done(kt_backend *self, int index, kt_handle event, bool *done)
{
    (void)self;
    return use_device(index) ? KT_ERR_RUNTIME : answer(cudaEventQuery(event_at(event)), done, "an event is asked");
}

static kt_status event_wait(kt_backend *self, int index, kt_handle event)
{
    (void)self;
    if (use_device(index) || check(cudaEventSynchronize(event_at(event)), "the host waits for an event"))
        return KT_ERR_RUNTIME;
    return fault_take(index);
}

static kt_status event_gate(kt_backend *self, int index, kt_handle event, kt_handle stream)
{
    (void)self; /* index: of the stream. The default stream is that of the current device */
    return use_device(index) ? KT_ERR_RUNTIME
                             : check(cudaStreamWaitEvent(stream_at(stream), event_at(event), 0), "a stream waits for an event");
}

static kt_status event_elapsed(kt_backend *self, int index, kt_handle from, kt_handle to, double *milliseconds)
{
    (void)self;
    float ms = 0;
    if (use_device(index) || check(cudaEventElapsedTime(&ms, event_at(from), event_at(to)), "two events are compared"))
        return KT_ERR_RUNTIME;
    *milliseconds = ms;
    return KT_OK;
}

const kt_stream_calls stream_calls = {.make = make,
                                      .drop = drop,
                                      .idle = idle,
                                      .wait = wait_for,
                                      .event_make = event_make,
                                      .event_drop = event_drop,
                                      .event_record = event_record,
                                      .event_done = event_done,
                                      .event_wait = event_wait,
                                      .event_gate = event_gate,
                                      .event_elapsed = event_elapsed};
