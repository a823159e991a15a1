/* small.c - launches of few blocks, where the host's time is what counts. A kernel that a stream has launched before becomes a
 * graph of one node, whose arguments are set anew: half the host's time of a plain launch. The driver is asked itself, since the
 * runtime looks the kernel up at every call. Blocks beyond the work's end leave at once, so that a few sizes of the grid are
 * enough.
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

static struct set {
    pthread_mutex_t lock;
    uint64_t        uses;
    one_node        way[WAYS];
} sets[SETS] = {[0 ... SETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static CUresult (*set_params_of)(CUgraphExec run, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
static CUresult (*launch_graph)(CUgraphExec run, CUstream stream);
static CUresult (*param_of)(CUfunction function, size_t index, size_t *offset, size_t *bytes); /* NULL: drivers before 12.4 */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *in_driver(const char *name, unsigned since)
{
    void                                *function = NULL;
    enum cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &found);
#else
    (void)since;
    const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}

static void ask_driver(void)
{
    *(void **)&set_params_of = in_driver("cuGraphExecKernelNodeSetParams", 12000);
    *(void **)&launch_graph = set_params_of ? in_driver("cuGraphLaunch", 12000) : NULL;
    *(void **)&param_of = in_driver("cuFuncGetParamInfo", 12040);
}

static unsigned rounded(unsigned blocks)
{
    unsigned grid = blocks <= 1 ? 1 : blocks <= 8 ? 8 : SMALL_BLOCKS;
    while (grid < blocks)
        grid *= 2;
    return grid;
}

static struct set *set_of(const void *kernel, kt_handle stream, unsigned blocks)
{
    const uint64_t key = ((uint64_t)(uintptr_t)kernel >> 4) + (uint64_t)stream * 31 + blocks;
    return &sets[(key * UINT64_C(0x9e3779b97f4a7c15) >> 58) % SETS];
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

static one_node *find(struct set *s, const void *kernel, kt_handle stream, int index, unsigned blocks)
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

static cudaError_t set_params_anew(one_node *n, void **args)
{
    if (n->args && memcmp(n->args, args[0], n->args_bytes) == 0)
        return cudaSuccess; /* a loop's next turn: its memory is that of the turn before */
    if (n->args)
        memcpy(n->args, args[0], n->args_bytes);
    const CUDA_KERNEL_NODE_PARAMS params = {.func = (CUfunction)n->function, .gridDimX = n->blocks, .gridDimY = 1, .gridDimZ = 1,
                                            .blockDimX = ARG_THREADS, .blockDimY = 1, .blockDimZ = 1, .kernelParams = args};
    return (cudaError_t)set_params_of((CUgraphExec)n->run, (CUgraphNode)n->node, &params); /* errors have the same numbers */
}

static cudaError_t launch_as_graph(one_node *n, struct cudaKernelNodeParams *params)
{
    params->gridDim.x = n->blocks;
    cudaError_t error = n->run ? set_params_anew(n, params->kernelParams) : make(n, params);
    if (error == cudaSuccess)
        error = (cudaError_t)launch_graph((CUgraphExec)n->run, (CUstream)stream_at(n->stream));
    if (error != cudaSuccess)
        forget(n);
    return error;
}

kt_status launch_small(const void *kernel, unsigned blocks, void **args, int index, kt_handle stream)
{
    struct cudaKernelNodeParams params = {.func = (void *)(uintptr_t)kernel, .gridDim = {blocks, 1, 1},
                                          .blockDim = {ARG_THREADS, 1, 1}, .kernelParams = args};
    const unsigned grid = rounded(blocks);
    pthread_once(&once, ask_driver);
    struct set    *s = set_of(kernel, stream, grid);
    pthread_mutex_lock(&s->lock);
    one_node *n = find(s, kernel, stream, index, grid);
    n->used = ++s->uses;
    const bool        often = ++n->sights > SIGHTS && launch_graph;
    const cudaError_t error = often ? launch_as_graph(n, &params)
                                    : cudaLaunchKernel(kernel, params.gridDim, params.blockDim, args, 0, stream_at(stream));
    pthread_mutex_unlock(&s->lock);
    return check(error, "a kernel is launched");
}
