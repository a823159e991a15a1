/* engine.c - backward: gradients flow from the roots along the edges. Nodes run in falling order of their sequence numbers,
 * which is an order in which every consumer of a tensor runs before its producer. Gradients end in the leaves, or, where the
 * caller names tensors, with the caller alone. Two threads may run over shared parts of a graph: each has its own queue, and
 * a node is run by one at a time. */
#include <string.h>

#include "base/alloc.h"
#include "base/scope.h"
#include "grad/queue.h"
#include "grad/run.h"
#include "tensor/work.h"

typedef struct engine {
    const kt__job *job;
    kt__queue      queue;
    kt__reach      reach;
} engine;

static void lock(kt_node *node)
{
    while (!KT__ONE_THREAD && atomic_exchange_explicit(&node->busy, true, memory_order_acquire))
        kt__wait_turn(); /* hooks and what is freed may be the binding's */
}

static void unlock(kt_node *node)
{
    if (!KT__ONE_THREAD)
        atomic_store_explicit(&node->busy, false, memory_order_release);
}

/* Each input's gradient in the input's form goes to what made it. */
static kt_status pass_on(engine *e, const kt_node *node, const bool *needs, kt_tensor **d)
{
    kt_status status = KT_OK;
    for (uint32_t i = 0; i < node->n_edges; i++) {
        const kt__edge *edge = &node->edge[i];
        if (!d[i])
            continue;
        if (!status && needs[i] && !kt__fits(d[i], edge))
            status = kt__fit(&d[i], edge);
        if (!status && needs[i])
            status = kt__queue_give(&e->queue, edge->to, edge->result, d[i]);
        else
            kt__unref(d[i]);
    }
    return status;
}

KT__HOT static kt_status run_with(engine *e, kt__waiting *w, bool *needs, kt_tensor **d)
{
    kt_node *node = w->node;
    if (KT__UNLIKELY(e->reach.table != NULL)) {
        bool any = false;
        for (uint32_t i = 0; i < node->n_edges; i++)
            any |= needs[i] = kt__reaches(&e->reach, node->edge[i].to);
        if (!any)
            return KT_OK;
    } else {
        for (uint32_t i = 0; i < node->n_edges; i++)
            needs[i] = node->edge[i].to != NULL;
    }
    for (uint32_t i = 0; i < node->n_edges; i++)
        d[i] = NULL;
    KT_SCOPE; /* the formula's temporaries */
    lock(node);
    kt_status status = kt__run_node(node, kt__grads_of(w), needs, e->job->create_graph, d);
    if (!status && !e->job->retain_graph)
        kt__node_release_saved(node);
    unlock(node);
    if (!status && node->kind == NODE_ACCUMULATE)
        status = kt__run_hooks_after(node->leaf);
    for (uint32_t i = 0; i < node->n_edges && status; i++) {
        kt__unref(d[i]);
        d[i] = NULL;
    }
    return status ? status : pass_on(e, node, needs, d);
}

static kt_status run(engine *e, kt__waiting *w)
{
    enum { FEW = 8 };
    uint32_t n = w->node->n_edges;
    if (KT__LIKELY(n <= FEW)) {
        kt_tensor *d[FEW];
        bool       needs[FEW];
        return run_with(e, w, needs, d);
    }
    size_t      bytes = n * (sizeof(kt_tensor *) + sizeof(bool));
    kt_tensor **d = kt__system_get(bytes);
    if (!d)
        return kt__fail_memory(bytes);
    kt_status status = run_with(e, w, (bool *)(void *)(d + n), d);
    kt__system_put(d, bytes);
    return status;
}

/* What arrived in full at a tensor that the caller asked for. One may be asked for twice. */
static void capture(const kt__job *job, kt__waiting *w)
{
    for (int64_t i = 0; i < job->n_wanted; i++)
        if (job->wanted[i].node == w->node) {
            kt_tensor *grad = kt__grads_of(w)[job->wanted[i].result];
            job->wanted[i].grad = grad ? kt__ref(grad) : NULL;
        }
}

static kt_status run_all(engine *e)
{
    kt_status status = KT_OK;
    while (!status && e->queue.n) {
        kt__waiting w = kt__queue_next(&e->queue);
        if (w.node->hooks || (w.node->kind == NODE_ACCUMULATE && w.node->leaf->autograd->hooks))
            status = kt__run_hooks(w.node, kt__grads_of(&w), e->job->create_graph);
        if (!status && e->reach.table && kt__is_wanted(&e->reach, w.node))
            capture(e->job, &w);
        if (!status)
            status = run(e, &w);
        kt__waiting_drop(&w);
    }
    return status;
}

/* The nodes that the gradients start from and end at are held, and with them all between. */
static kt_status begin(engine *e, kt_node **start)
{
    const kt__job *job = e->job;
    for (int64_t i = 0; i < job->n_wanted; i++)
        if (kt__producer(job->wanted[i].t, &job->wanted[i].node, &job->wanted[i].result))
            return kt_error_status();
    for (int64_t i = 0; i < job->n_roots; i++) {
        uint32_t result = 0;
        if (kt__producer(job->root[i].t, &start[i], &result))
            return kt_error_status();
        if (!start[i])
            return kt_fail(KT_ERR_RUNTIME, "element %lld of tensors does not require grad and does not have a grad_fn",
                           (long long)i);
        if (kt__queue_give(&e->queue, start[i], result, kt__ref(job->root[i].grad)))
            return kt_error_status();
    }
    return job->wanted ? kt__reach_from(&e->reach, start, job->n_roots, job->wanted, job->n_wanted) : KT_OK;
}

KT__HOT kt_status kt__backward(const kt__job *job)
{
    engine   e;
    size_t   bytes = (size_t)job->n_roots * sizeof(kt_node *);
    kt_node *one = NULL, **start = job->n_roots > 1 ? kt__system_get(bytes) : &one;
    if (!start)
        return kt__fail_memory(bytes);
    memset(start, 0, bytes);
    uint64_t mode = kt__mode();
    e.job = job;
    e.reach = (kt__reach){NULL, 0, 0};
    kt__queue_begin(&e.queue);
    kt_set_grad_enabled(job->create_graph);
    kt_status status = begin(&e, start);
    if (!status)
        status = run_all(&e);
    kt__mode_word = mode;
    kt__queue_end(&e.queue);
    kt__reach_end(&e.reach);
    for (int64_t i = 0; i < job->n_roots; i++)
        kt__node_unref(start[i]);
    for (int64_t i = 0; i < job->n_wanted; i++)
        kt__node_unref(job->wanted[i].node);
    if (start != &one)
        kt__system_put(start, bytes);
    return status;
}
