/* small.c - launches of few blocks, where the host's time is what counts. A kernel that a stream has launched before becomes a
 * graph of one node, whose arguments are set anew: half the host's time of a plain launch. Blocks beyond the work's end leave at
 * once, so that a few sizes of the grid are enough.
 *
 * Graphs are kept in sets by their key; the one that was not used for longest makes room. Independent of: plans, kernels. */
#include <pthread.h>

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
} one_node;

static struct set {
    pthread_mutex_t lock;
    uint64_t        uses;
    one_node        way[WAYS];
} sets[SETS] = {[0 ... SETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static unsigned rounded(unsigned blocks) { return blocks <= 1 ? 1 : blocks <= 8 ? 8 : SMALL_BLOCKS; }

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

static cudaError_t make(one_node *n, const struct cudaKernelNodeParams *params)
{
    cudaError_t error = cudaGraphCreate(&n->graph, 0);
    if (error == cudaSuccess)
        error = cudaGraphAddKernelNode(&n->node, n->graph, NULL, 0, params);
    return error == cudaSuccess ? cudaGraphInstantiate(&n->run, n->graph, 0) : error;
}

static cudaError_t launch_as_graph(one_node *n, struct cudaKernelNodeParams *params)
{
    params->gridDim.x = n->blocks;
    cudaError_t error = n->run ? cudaGraphExecKernelNodeSetParams(n->run, n->node, params) : make(n, params);
    if (error == cudaSuccess)
        error = cudaGraphLaunch(n->run, stream_at(n->stream));
    if (error != cudaSuccess)
        forget(n);
    return error;
}

kt_status launch_small(const void *kernel, unsigned blocks, void **args, int index, kt_handle stream)
{
    struct cudaKernelNodeParams params = {.func = (void *)(uintptr_t)kernel, .gridDim = {blocks, 1, 1},
                                          .blockDim = {ARG_THREADS, 1, 1}, .kernelParams = args};
    const unsigned grid = rounded(blocks);
    struct set    *s = set_of(kernel, stream, grid);
    pthread_mutex_lock(&s->lock);
    one_node *n = find(s, kernel, stream, index, grid);
    n->used = ++s->uses;
    const bool        often = ++n->sights > SIGHTS;
    const cudaError_t error = often ? launch_as_graph(n, &params)
                                    : cudaLaunchKernel(kernel, params.gridDim, params.blockDim, args, 0, stream_at(stream));
    pthread_mutex_unlock(&s->lock);
    return check(error, "a kernel is launched");
}
