/* runtime.cpp - a CUDA runtime whose device is the CPU: one, with kernels compiled as C++ (keywords.h). For tests of backends/cuda
 * on machines without a GPU.
 *
 * In: the runtime's calls. Out: memory of the process; a launch runs before it returns, block by block. The threads of a block are
 * contexts of their own that give way at a barrier, in the order of their numbers. A test can ask it to fail, or to keep events
 * waiting (tests/cuda/errors.py). Independent of: kernels, the backend. */
#include "keywords.h"

#include "cuda_runtime_api.h"

#include <atomic>
#include <mutex>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

on_cpu_dim threadIdx, blockIdx, gridDim;

/* ---- what a test asks for ---- */
#define FOR_TESTS extern "C" __attribute__((visibility("default")))
static std::atomic<int>  left_to_fail; /* the call that fails, counted down; 0: none */
static std::atomic<int>  calls, events_alive;
static std::atomic<bool> events_wait, launches_lost;
static thread_local cudaError_t last_error;

FOR_TESTS void on_cpu_fail(int at) { left_to_fail = at; }
FOR_TESTS void on_cpu_keep_events_waiting(int wait) { events_wait = wait; }
FOR_TESTS void on_cpu_lose_launches(int lose) { launches_lost = lose; }
FOR_TESTS int  on_cpu_left_to_fail() { return left_to_fail; }
FOR_TESTS int  on_cpu_calls() { return calls; }
FOR_TESTS int  on_cpu_events() { return events_alive; }
FOR_TESTS int  on_cpu_last_error() { return last_error; }

/* A call that may fail on a GPU. The error is kept until it is asked for, as there. */
static bool fails(cudaError_t error = cudaErrorMemoryAllocation)
{
    calls++;
    if (left_to_fail <= 0 || --left_to_fail)
        return false;
    last_error = error;
    return true;
}
#define MAY_FAIL                          \
    if (fails())                          \
        return cudaErrorMemoryAllocation;

/* ---- threads of a block ---- */
enum { MOST_THREADS = 1024, WARP_LANES = 32, STACK = 256 << 10 };
enum state { IDLE, READY, AT_BARRIER, AT_WARP, DONE };

typedef void kernel_fn(const void *args);
static struct thread {
    jmp_buf  at;
    state    is;
    bool     made;
    uint64_t given;
} threads[MOST_THREADS];
static jmp_buf     scheduler;
static kernel_fn  *kernel_now;
static const void *args_now;
static unsigned    current, block_size;
static std::mutex  one_launch;

static void give_way(state is)
{
    thread &me = threads[current];
    me.is = is;
    if (!_setjmp(me.at))
        _longjmp(scheduler, 1);
}

/* The life of a context: one thread after another, of all blocks and launches. */
static void live()
{
    for (;;) {
        kernel_now(args_now);
        give_way(DONE);
    }
}

static void go_on(unsigned i)
{
    static ucontext_t back;
    thread           &t = threads[i];
    current = i;
    threadIdx.x = i;
    t.is = READY;
    if (_setjmp(scheduler))
        return;
    if (t.made)
        _longjmp(t.at, 1);
    t.made = true;
    ucontext_t begin;
    getcontext(&begin);
    begin.uc_stack.ss_sp = malloc(STACK);
    begin.uc_stack.ss_size = STACK;
    begin.uc_link = NULL;
    makecontext(&begin, live, 0);
    swapcontext(&back, &begin);
}

void __syncthreads() { give_way(AT_BARRIER); }

uint64_t on_cpu_exchange(uint64_t mine, unsigned lane)
{
    const unsigned first = current / WARP_LANES * WARP_LANES, me = current;
    threads[me].given = mine;
    give_way(AT_WARP);
    const uint64_t taken = threads[first + lane].given;
    give_way(AT_WARP); /* until all have taken theirs */
    return taken;
}

unsigned on_cpu_votes(bool mine)
{
    const unsigned first = current / WARP_LANES * WARP_LANES, me = current;
    unsigned       votes = 0;
    threads[me].given = mine;
    give_way(AT_WARP);
    for (unsigned i = 0; i < WARP_LANES; i++)
        votes |= (unsigned)(threads[first + i].given != 0) << i;
    give_way(AT_WARP);
    return votes;
}

static bool all_are(unsigned first, unsigned end, state is)
{
    bool some = false;
    for (unsigned i = first; i < end; i++) {
        if (threads[i].is != is && threads[i].is != DONE)
            return false;
        some |= threads[i].is == is;
    }
    return some;
}

static void release(unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        threads[i].is = threads[i].is == DONE ? DONE : READY;
}

static void run_block()
{
    for (unsigned i = 0; i < block_size; i++)
        threads[i].is = READY;
    for (bool busy = true; busy;) {
        busy = false;
        for (unsigned i = 0; i < block_size; i++)
            if (threads[i].is == READY) {
                go_on(i);
                busy = true;
            }
        for (unsigned i = 0; i < block_size; i += WARP_LANES)
            if (all_are(i, i + WARP_LANES < block_size ? i + WARP_LANES : block_size, AT_WARP)) {
                release(i, i + WARP_LANES < block_size ? i + WARP_LANES : block_size);
                busy = true;
            }
        if (!busy && all_are(0, block_size, AT_BARRIER)) {
            release(0, block_size);
            busy = true;
        }
    }
    for (unsigned i = 0; i < block_size; i++)
        if (threads[i].is != DONE)
            abort(); /* a barrier that some thread never reaches */
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t, cudaStream_t)
{
    const std::lock_guard<std::mutex> lock(one_launch);
    MAY_FAIL
    if (!grid.x || !block.x || block.x > MOST_THREADS)
        return cudaErrorInvalidValue;
    if (launches_lost)
        return cudaSuccess;
    kernel_now = (kernel_fn *)(uintptr_t)kernel;
    args_now = args[0];
    block_size = block.x;
    gridDim = {grid.x, grid.y, grid.z};
    for (unsigned b = 0; b < grid.x; b++) {
        blockIdx.x = b;
        run_block();
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *how, const void *kernel, void **args)
{
    return cudaLaunchKernel(kernel, how->gridDim, how->blockDim, args, how->dynamicSmemBytes, how->stream);
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *of, const void *) { return of->ptxVersion = 90, cudaSuccess; }

/* ---- the device ---- */
enum { PROCESSORS = 132, THREADS_OF_ONE = 2048 }; /* an H200's: draws depend on them */
static const size_t TOTAL = (size_t)8 << 30;

cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int device)
{
    MAY_FAIL
    return device ? cudaErrorInvalidValue : cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int)
{
    *prop = {"the CPU", TOTAL, 9, 0, PROCESSORS, WARP_LANES, THREADS_OF_ONE, 1024, 65536, 233472, 49152, 232448, 60 << 20, 6144};
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int)
{
    *value = attribute == cudaDevAttrMultiProcessorCount ? PROCESSORS : THREADS_OF_ONE;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { return *least = 0, *greatest = -5, cudaSuccess; }
cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    return last_error = cudaSuccess, error;
}
const char *cudaGetErrorName(cudaError_t) { return "cudaError"; }
const char *cudaGetErrorString(cudaError_t) { return "not on the CPU"; }

/* ---- memory ---- */
static cudaError_t get(void **data, size_t bytes)
{
    *data = aligned_alloc(512, (bytes + 511) / 512 * 512 + 512);
    if (*data)
        memset(*data, 0xa5, bytes); /* nobody relies on zeros */
    return *data ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaMalloc(void **data, size_t bytes)
{
    MAY_FAIL
    return bytes > TOTAL ? last_error = cudaErrorMemoryAllocation : get(data, bytes);
}
cudaError_t cudaFree(void *data) { return free(data), cudaSuccess; }
cudaError_t cudaHostAlloc(void **data, size_t bytes, unsigned)
{
    MAY_FAIL
    return get(data, bytes);
}
cudaError_t cudaFreeHost(void *data) { return free(data), cudaSuccess; }
cudaError_t cudaMemGetInfo(size_t *free_now, size_t *total) { return *free_now = *total = TOTAL, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaMemset(void *data, int value, size_t bytes)
{
    MAY_FAIL
    return memset(data, value, bytes), cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *data, int value, size_t bytes, cudaStream_t) { return cudaMemset(data, value, bytes); }
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind, cudaStream_t)
{
    MAY_FAIL
    return memmove(to, from, bytes), cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t)
{
    return memmove(to, from, bytes), cudaSuccess;
}

/* ---- streams and events: everything is done already ---- */
struct CUevent_st {
    timespec at;
    bool     waits;
};
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int)
{
    MAY_FAIL
    *stream = (cudaStream_t)malloc(1);
    return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return free(stream), cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    MAY_FAIL
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    MAY_FAIL
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    MAY_FAIL
    *event = (cudaEvent_t)calloc(1, sizeof **event);
    events_alive += *event != NULL;
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    events_alive--;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    MAY_FAIL
    event->waits = events_wait;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (event->waits)
        last_error = cudaErrorNotReady;
    return event->waits ? cudaErrorNotReady : cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    event->waits = false;
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    *milliseconds = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 + (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return cudaSuccess;
}

/* ---- graphs of one node ---- */
struct CUgraph_st {
    cudaKernelNodeParams node;
};
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned)
{
    *graph = (cudaGraph_t)calloc(1, sizeof **graph);
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return free(graph), cudaSuccess; }
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *params)
{
    *node = NULL;
    graph->node = *params;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *run, cudaGraph_t graph, unsigned long long)
{
    CUgraph_st *copy = (CUgraph_st *)malloc(sizeof *copy);
    *copy = *graph;
    *run = (cudaGraphExec_t)copy;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t run) { return free(run), cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t run, cudaStream_t stream)
{
    const cudaKernelNodeParams *p = &((CUgraph_st *)run)->node;
    return cudaLaunchKernel(p->func, p->gridDim, p->blockDim, p->kernelParams, 0, stream);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *) { return *function = NULL, cudaErrorNotSupported; }
cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **function, unsigned, unsigned long long,
                                             enum cudaDriverEntryPointQueryResult *found)
{
    *function = NULL;
    *found = cudaDriverEntryPointSymbolNotFound;
    return cudaErrorNotSupported;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode) { return cudaErrorNotSupported; }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *graph) { return *graph = NULL, cudaErrorNotSupported; }
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *,
                                     const cudaGraphNode_t **, const cudaGraphEdgeData **, size_t *)
{
    *status = cudaStreamCaptureStatusNone;
    *id = 0;
    return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *) { return cudaSuccess; }
