/* small.c - launches of few blocks, where the host's time is what counts. A kernel that a stream has launched before becomes a
 * graph of one node, whose arguments are set anew: half the host's time of a plain launch. The driver is asked itself, since the
 * runtime looks the kernel up at every call. Blocks beyond the work's end leave at once, so that a few sizes of the grid are
 * enough. A launch that comes back with the same arguments, as those of a loop's turns do, gets a graph that keeps them: to set
 * them takes as long as a third of a launch.
 *
 * Graphs are kept in sets by their key; the one that was not used for longest makes room. Independent of: plans, kernels. */
#include <cuda.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

enum { SETS = 64, WAYS = 4, SIGHTS = 3 }; /* SIGHTS: a graph takes ten launches' time to make, so not at first sight */

typedef struct one_node {
    const void     *kernel; /* NULL: nobody's */
    kt_handle       stream;
    int             index;
    unsigned        blocks;
    unsigned        sights;
    uint64_t        used;
    cudaGraph_t     graph;
    cudaGraphNode_t node;
    cudaGraphExec_t run; /* NULL: not made */
    cudaFunction_t  function;
    size_t          args_bytes; /* 0: not known */
    void           *args;       /* those that are set */
} one_node;

/* Of kernels, whatever their arguments; and of launches that come back. A set of those makes room for another only where one was
 * not used for STALE uses: a loop of more launches than there is room for would make graphs all the time. */
enum { STALE = 256 };
typedef struct set {
    pthread_mutex_t lock;
    uint64_t        uses;
    one_node        way[WAYS];
    struct {
        uint64_t hash;
        unsigned sights;
    } seen[WAYS]; /* launches that may come back and have no graph yet */
} set;
static set sets[SETS] = {[0 ... SETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};
static set loops[SETS] = {[0 ... SETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static CUresult (*set_params_of)(CUgraphExec run, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
static CUresult (*launch_graph)(CUgraphExec run, CUstream stream);
static CUresult (*param_of)(CUfunction function, size_t index, size_t *offset, size_t *bytes); /* NULL: drivers before 12.4 */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ask_driver(void)
{
    *(void **)&set_params_of = driver_function("cuGraphExecKernelNodeSetParams", 12000);
    *(void **)&launch_graph = set_params_of ? driver_function("cuGraphLaunch", 12000) : NULL;
    *(void **)&param_of = driver_function("cuFuncGetParamInfo", 12040);
}

static unsigned rounded(unsigned blocks)
{
    unsigned grid = blocks <= 1 ? 1 : blocks <= 8 ? 8 : SMALL_BLOCKS;
    while (grid < blocks)
        grid *= 2;
    return grid;
}

static const uint64_t SPREAD = UINT64_C(0x9e3779b97f4a7c15);

static set *set_of(const void *kernel, kt_handle stream, unsigned blocks)
{
    const uint64_t key = ((uint64_t)(uintptr_t)kernel >> 4) + (uint64_t)stream * 31 + blocks;
    return &sets[(key * SPREAD >> 58) % SETS];
}

static void forget(one_node *n)
{
    if (n->run)
        cudaGraphExecDestroy(n->run);
    if (n->graph)
        cudaGraphDestroy(n->graph);
    free(n->args);
    *n = (one_node){0};
}

static one_node *find(set *s, const void *kernel, kt_handle stream, int index, unsigned blocks)
{
    one_node *oldest = &s->way[0];
    for (one_node *n = s->way; n < s->way + WAYS; n++) {
        if (n->kernel == kernel && n->stream == stream && n->index == index && n->blocks == blocks)
            return n;
        oldest = n->used < oldest->used ? n : oldest;
    }
    forget(oldest);
    oldest->kernel = kernel;
    oldest->stream = stream;
    oldest->index = index;
    oldest->blocks = blocks;
    return oldest;
}

/* Kernels have one argument. */
static void remember(one_node *n, const void *args)
{
    size_t offset;
    if (!param_of || param_of((CUfunction)n->function, 0, &offset, &n->args_bytes) != CUDA_SUCCESS || !n->args_bytes)
        return;
    if ((n->args = malloc(n->args_bytes)))
        memcpy(n->args, args, n->args_bytes);
}

static cudaError_t make(one_node *n, const struct cudaKernelNodeParams *params)
{
    cudaError_t error = cudaGraphCreate(&n->graph, 0);
    if (error == cudaSuccess)
        error = cudaGraphAddKernelNode(&n->node, n->graph, NULL, 0, params);
    if (error == cudaSuccess)
        error = cudaGetFuncBySymbol(&n->function, n->kernel);
    if (error == cudaSuccess)
        error = cudaGraphInstantiate(&n->run, n->graph, 0);
    if (error == cudaSuccess)
        remember(n, params->kernelParams[0]);
    return error;
}

static bool has_args(const one_node *n, const void *args) { return n->args && memcmp(n->args, args, n->args_bytes) == 0; }

static cudaError_t set_params_anew(one_node *n, void **args)
{
    if (n->args)
        memcpy(n->args, args[0], n->args_bytes);
    const CUDA_KERNEL_NODE_PARAMS params = {.func = (CUfunction)n->function, .gridDimX = n->blocks, .gridDimY = 1, .gridDimZ = 1,
                                            .blockDimX = ARG_THREADS, .blockDimY = 1, .blockDimZ = 1, .kernelParams = args};
    return (cudaError_t)set_params_of((CUgraphExec)n->run, (CUgraphNode)n->node, &params); /* errors have the same numbers */
}

static cudaError_t launch_node(one_node *n, cudaError_t error)
{
    if (error == cudaSuccess)
        error = (cudaError_t)launch_graph((CUgraphExec)n->run, (CUstream)stream_at(n->stream));
    if (error != cudaSuccess)
        forget(n);
    return error;
}

/* ---- launches that come back ---- */
static uint64_t hash_of(const one_node *like, const void *args)
{
    uint64_t hash = (uint64_t)(uintptr_t)like->kernel + like->stream + like->blocks, word = 0;
    for (size_t at = 0; at < like->args_bytes; at += sizeof word) {
        const size_t left = like->args_bytes - at;
        memcpy(&word, (const char *)args + at, left < sizeof word ? left : sizeof word);
        hash = (hash ^ word) * SPREAD;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Has it come so often that it is worth a graph? */
static bool comes_back(set *s, uint64_t hash)
{
    int at = (int)(s->uses % WAYS);
    for (int i = 0; i < WAYS; i++)
        at = s->seen[i].hash == hash ? i : at;
    s->seen[at].sights = s->seen[at].hash == hash ? s->seen[at].sights + 1 : 1;
    s->seen[at].hash = hash;
    return s->seen[at].sights > SIGHTS;
}

/* The graph of a launch like that one with these arguments, or room for it; NULL: neither. */
static one_node *find_loop(set *s, const one_node *like, const void *args, uint64_t hash)
{
    one_node *room = &s->way[0];
    for (one_node *n = s->way; n < s->way + WAYS; n++) {
        if (n->run && n->kernel == like->kernel && n->stream == like->stream && n->index == like->index &&
            n->blocks == like->blocks && has_args(n, args))
            return n;
        room = n->used < room->used ? n : room;
    }
    if (!comes_back(s, hash) || (room->run && s->uses - room->used < STALE))
        return NULL;
    forget(room);
    room->kernel = like->kernel;
    room->stream = like->stream;
    room->index = like->index;
    room->blocks = like->blocks;
    return room;
}

/* false: it is to be launched by the kernel's graph. */
static bool launch_loop(const one_node *like, const struct cudaKernelNodeParams *params, cudaError_t *error)
{
    if (!like->args)
        return false;
    const void    *args = params->kernelParams[0];
    const uint64_t hash = hash_of(like, args);
    set           *s = &loops[(hash >> 58) % SETS];
    pthread_mutex_lock(&s->lock);
    s->uses++;
    one_node *n = find_loop(s, like, args, hash);
    if (n && !n->run && make(n, params) != cudaSuccess) { /* no memory: it goes without */
        cudaGetLastError();
        forget(n);
        n = NULL;
    }
    if (n) {
        n->used = s->uses;
        *error = launch_node(n, cudaSuccess);
    }
    pthread_mutex_unlock(&s->lock);
    return n != NULL;
}

static cudaError_t launch_as_graph(one_node *n, struct cudaKernelNodeParams *params)
{
    void       *args = params->kernelParams[0];
    cudaError_t error = cudaSuccess;
    params->gridDim.x = n->blocks;
    if (!n->run)
        error = make(n, params);
    else if (!has_args(n, args)) {
        if (launch_loop(n, params, &error))
            return error;
        error = set_params_anew(n, params->kernelParams);
    }
    return launch_node(n, error);
}

kt_status launch_small(const void *kernel, unsigned blocks, void **args, int index, kt_handle stream)
{
    struct cudaKernelNodeParams params = {.func = (void *)(uintptr_t)kernel, .gridDim = {blocks, 1, 1},
                                          .blockDim = {ARG_THREADS, 1, 1}, .kernelParams = args};
    const unsigned grid = rounded(blocks);
    pthread_once(&once, ask_driver);
    set *s = set_of(kernel, stream, grid);
    pthread_mutex_lock(&s->lock);
    one_node *n = find(s, kernel, stream, index, grid);
    n->used = ++s->uses;
    const bool        often = ++n->sights > SIGHTS && launch_graph;
    const cudaError_t error = often ? launch_as_graph(n, &params)
                                    : cudaLaunchKernel(kernel, params.gridDim, params.blockDim, args, 0, stream_at(stream));
    pthread_mutex_unlock(&s->lock);
    return check(error, "a kernel is launched");
}
