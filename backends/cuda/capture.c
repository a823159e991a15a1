/* capture.c - work that is recorded once and run again: the runtime's graphs. Memory of a capture is memory.c's; here it is known
 * where a graph ran, so that its memory outlives that. */
#include <pthread.h>
#include <stdlib.h>

#include "parts.h"

enum { MOST_STREAMS = 16 };

typedef struct graph {
    pthread_mutex_t lock; /* held by who replays it: the runtime's graphs are for one thread at a time */
    cudaGraphExec_t run;
    graph_memory   *memory;
    int             index;
    uint64_t       *replay; /* {seed, offset} of the replay, in the device's memory; NULL: nothing draws */
    int             n_streams;
    kt_handle       stream[MOST_STREAMS]; /* where it was replayed */
} graph;

typedef struct capture {
    struct capture *next;
    int                index;
    kt_handle          stream;
    unsigned long long id;
    graph             *made;
} capture;

static capture        *running;
static int             n_running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool captures_run(void) { return __atomic_load_n(&n_running, __ATOMIC_RELAXED) > 0; }

static capture *take(int index, kt_handle stream)
{
    capture **at = &running;
    pthread_mutex_lock(&lock);
    while (*at && !((*at)->index == index && (*at)->stream == stream))
        at = &(*at)->next;
    capture *c = *at;
    if (c) {
        *at = c->next;
        __atomic_store_n(&n_running, n_running - 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return c;
}

static void drop_graph(graph *g)
{
    if (g->run)
        cudaGraphExecDestroy(g->run);
    if (g->replay)
        cudaFree(g->replay);
    if (g->memory)
        memory_of_graph_drop(g->memory, g->stream, g->n_streams);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

static kt_status begin(kt_backend *self, int index, kt_handle stream)
{
    (void)self;
    capture *c = calloc(1, sizeof *c);
    graph   *g = calloc(1, sizeof *g);
    if (!c || !g) {
        free(c);
        free(g);
        return host->fail(KT_ERR_MEMORY, "no memory for a capture");
    }
    *c = (capture){.index = index, .stream = stream, .made = g};
    pthread_mutex_init(&g->lock, NULL);
    kt_status status = fault_take(index);
    if (!status && !stream)
        status = host->fail(KT_ERR_RUNTIME, "the default stream cannot be captured: make another one current");
    if (!status)
        status = use_device(index);
    if (!status) /* relaxed: what must not happen meanwhile is the engine's to refuse */
        status = check(cudaStreamBeginCapture(stream_at(stream), cudaStreamCaptureModeRelaxed), "a capture begins");
    c->id = status ? 0 : capture_of(stream);
    g->index = index;
    if (!status && !(g->memory = memory_of_capture(index, c->id))) {
        cudaGraph_t none = NULL;
        if (cudaStreamEndCapture(stream_at(stream), &none) == cudaSuccess && none)
            cudaGraphDestroy(none);
        status = KT_ERR_MEMORY;
    }
    if (status) {
        free(c);
        drop_graph(g);
        return status;
    }
    pthread_mutex_lock(&lock);
    c->next = running;
    running = c;
    __atomic_store_n(&n_running, n_running + 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status end(kt_backend *self, int index, kt_handle stream, kt_handle *made)
{
    (void)self;
    cudaGraph_t recorded = NULL;
    capture    *c = take(index, stream);
    *made = 0;
    if (!c)
        return host->fail(KT_ERR_RUNTIME, "this stream does not capture");
    graph *g = c->made;
    free(c);
    kt_status status = use_device(index);
    if (!status)
        status = check(cudaStreamEndCapture(stream_at(stream), &recorded), "a capture ends");
    memory_capture_ends(g->memory);
    if (!status)
        status = check(cudaGraphInstantiate(&g->run, recorded, 0), "a graph is made");
    if (recorded)
        cudaGraphDestroy(recorded);
    if (status)
        drop_graph(g);
    else
        *made = (kt_handle)(uintptr_t)g;
    return status;
}

static kt_status remember(graph *g, kt_handle stream)
{
    for (int i = 0; i < g->n_streams; i++)
        if (g->stream[i] == stream)
            return KT_OK;
    if (g->n_streams == MOST_STREAMS &&
        check(cudaStreamSynchronize(stream_at(g->stream[--g->n_streams])), "the host waits for a stream"))
        return KT_ERR_RUNTIME;
    g->stream[g->n_streams++] = stream;
    return KT_OK;
}

static graph *graph_of(unsigned long long id)
{
    pthread_mutex_lock(&lock);
    const capture *c = running;
    while (c && c->id != id)
        c = c->next;
    graph *g = c ? c->made : NULL;
    pthread_mutex_unlock(&lock);
    return g;
}

/* Not of the graph's memory: there it could be a block that work before this one has used and given back, which each replay would
 * write after the numbers were put there. A capture is relaxed, so that memory may be asked for. */
kt_status capture_replay_place(int index, kt_handle stream, const uint64_t **place)
{
    const unsigned long long id = captures_run() ? capture_of(stream) : 0;
    graph                   *g = id ? graph_of(id) : NULL;
    void                    *memory = NULL;
    *place = NULL;
    if (!g)
        return KT_OK;
    pthread_mutex_lock(&g->lock); /* two threads may record into one graph, on streams that wait for each other */
    kt_status status = use_device(index);
    if (!g->replay && !status) {
        enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        cudaThreadExchangeStreamCaptureMode(&mode);
        status = check(cudaMalloc(&memory, 2 * sizeof *g->replay), "a graph's numbers are given a place");
        cudaThreadExchangeStreamCaptureMode(&mode);
    }
    g->replay = g->replay ? g->replay : memory;
    *place = g->replay;
    pthread_mutex_unlock(&g->lock);
    return status;
}

/* The two numbers have been read when the copy returns. */
static kt_status set_replay(const graph *g, kt_handle stream, uint64_t seed, uint64_t offset)
{
    const uint64_t numbers[] = {seed, offset};
    if (!g->replay)
        return KT_OK;
    return check(cudaMemcpyAsync(g->replay, numbers, sizeof numbers, cudaMemcpyHostToDevice, stream_at(stream)),
                 "a graph is told what it draws from");
}

static kt_status replay(kt_backend *self, int index, kt_handle handle, kt_handle stream, uint64_t seed, uint64_t offset)
{
    (void)self;
    graph    *g = (graph *)(uintptr_t)handle;
    kt_status status = fault_take(index);
    if (!status)
        status = use_device(index);
    if (status)
        return status;
    pthread_mutex_lock(&g->lock);
    status = remember(g, stream);
    if (!status)
        status = set_replay(g, stream, seed, offset);
    if (!status)
        status = check(cudaGraphLaunch(g->run, stream_at(stream)), "a graph is replayed");
    pthread_mutex_unlock(&g->lock);
    return status;
}

static void drop(kt_backend *self, int index, kt_handle handle)
{
    (void)self, (void)index;
    drop_graph((graph *)(uintptr_t)handle);
}

const kt_capture_calls capture_calls = {.begin = begin, .end = end, .replay = replay, .drop = drop};
