/* graphs.c - attention by cuDNN's graphs, through libkarat_cudnn.so (leaf/), which stands beside this library where it was
 * built. It
 * is opened when the first attention of 16 bits is asked for.
 *
 * In: the arguments of our kernels. Out: a launch on the plan's stream, or KT_DECLINED: without the library, and for what it
 * has no
 * way for. Independent of: plans' operands. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "leaf/leaf.h"
#include "parts.h"

#ifndef KT_ON_CPU
#include <dlfcn.h>

enum { WIDTH = 2, WIDTH_OF_SUMS = 4 };
static const leaf_calls *leaf; /* NULL: it is not there */
static pthread_once_t    once = PTHREAD_ONCE_INIT;

static void open_leaf(void)
{
    static const char *const dnn[] = {"libcudnn.so.9", NULL},
            *const runtime[] = {CUDART_VERSION >= 13000 ? "libcudart.so.13" : "libcudart.so.12", NULL};
    const char        *way = getenv("KARAT_CUDA_ATTENTION");
    if (way && strcmp(way, "own") == 0)
        return;
    void *const       library = library_beside("libkarat_cudnn.so");
    const leaf_calls *calls = library ? dlsym(library, "karat_cudnn_leaf") : NULL;
    void *const       needs[] = {calls ? library_open(dnn) : NULL, calls ? library_open(runtime) : NULL};
    if (!calls || calls->version != LEAF_VERSION || !needs[0] || !needs[1])
        return;
    calls->open(needs[0], needs[1]);
    leaf = calls;
}

static leaf_tensor matrices(const attend_matrices *m, uint32_t batch, uint32_t heads, uint32_t rows, uint32_t columns)
{
    const int64_t size[LEAF_DIMS] = {batch, heads, rows, columns};
    leaf_tensor   t = {.data = m->data};
    int64_t       dense = 1;
    for (int d = LEAF_DIMS - 1; d >= 0; d--) { /* a dim of one element lies as it would if all were dense */
        t.size[d] = size[d];
        t.stride[d] = size[d] == 1 && m->step[d] == 0 ? dense : m->step[d] / WIDTH;
        dense *= size[d];
    }
    return t;
}

static leaf_attention call_of(const attend_args *g, const kt_plan *plan, bool back)
{
    const uint32_t b = g->batch, h = g->heads, k = g->heads / g->group;
    leaf_attention a;
    memset(&a, 0, sizeof a);
    a.device = plan->device_index, a.back = back, a.bf16 = g->query.is == KT_BF16, a.causal = g->causal, a.scale = g->scale;
    a.same_bits = back && host->deterministic();
    a.at[LEAF_QUERY] = matrices(&g->query, b, h, g->queries, g->depth);
    a.at[LEAF_KEY] = matrices(&g->key, b, k, g->keys, g->depth);
    a.at[LEAF_VALUE] = matrices(&g->value, b, k, g->keys, g->width);
    a.at[LEAF_OUT] = matrices(&g->out, b, h, g->queries, g->width);
    a.at[LEAF_SUMS] = (leaf_tensor){g->sums, {b, h, g->queries, 1}, {(int64_t)h * g->queries, g->queries, 1, 1}};
    if (!back)
        return a;
    a.at[LEAF_GRAD] = matrices(&g->grad, b, h, g->queries, g->width);
    a.at[LEAF_TO_QUERY] = matrices(&g->to_query, b, h, g->queries, g->depth);
    a.at[LEAF_TO_KEY] = matrices(&g->to_key, b, k, g->keys, g->depth);
    a.at[LEAF_TO_VALUE] = matrices(&g->to_value, b, k, g->keys, g->width);
    return a;
}

static bool are_dense(const attend_args *g)
{
    return (g->queries == 1 || g->sums_step[2] == WIDTH_OF_SUMS) &&
           (g->heads == 1 || g->sums_step[1] == (int64_t)g->queries * WIDTH_OF_SUMS) &&
           (g->batch == 1 || g->sums_step[0] == (int64_t)g->heads * g->queries * WIDTH_OF_SUMS);
}

void graphs_about(char *text, size_t room)
{
    pthread_once(&once, open_leaf);
    snprintf(text, room, "attention by %s\n",
             leaf ? "cuDNN's graphs: libkarat_cudnn.so" : "kernels of our own: no libkarat_cudnn.so, or not what it needs");
}

kt_status graphs_attend(const attend_args *g, const kt_plan *plan, bool back)
{
    char   text[256] = "";
    size_t bytes = 0, granted = 0;
    void  *workspace = NULL;
    pthread_once(&once, open_leaf);
    if (!leaf || !are_dense(g))
        return KT_DECLINED;
    const leaf_attention a = call_of(g, plan, back);
    leaf_status          done = leaf->prepare(&a, &bytes, text, sizeof text);
    kt_status            status = KT_OK;
    if (done != LEAF_DONE)
        return KT_DECLINED; /* nothing has been launched */
    if (bytes)
        status = memory_alloc(NULL, plan->device_index, plan->stream, bytes, &workspace, &granted);
    if (!status)
        done = leaf->run(&a, stream_at(plan->stream), workspace, text, sizeof text);
    if (workspace)
        memory_free(NULL, plan->device_index, workspace, granted);
    if (status || done == LEAF_DONE)
        return status;
    return done == LEAF_DECLINED ? KT_DECLINED : host->fail(KT_ERR_RUNTIME, "cuDNN error: %s", text);
}

#else /* on the CPU */
void graphs_about(char *text, size_t room) { snprintf(text, room, "attention by kernels of Karat's own\n"); }

kt_status graphs_attend(const attend_args *g, const kt_plan *plan, bool back)
{
    (void)g, (void)plan, (void)back;
    return KT_DECLINED;
}
#endif
