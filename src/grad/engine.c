/* engine.c - backward: gradients flow from the roots along the edges. Nodes run in descending order of sequence number,
 * newest first, so that every consumer of a tensor runs before its producer; an accumulator runs as soon as its leaf's
 * gradient is complete. Gradients end in the leaves, or in the tensors that the caller names. A node that received no
 * gradient passes that on: hooks see it, and leaves do not wait for it. Two threads may run over shared parts of a graph:
 * each has its own queue, and a node is run by one thread at a time. */
#include <string.h>

#include "base/alloc.h"
#include "base/scope.h"
#include "call/autocast.h"
#include "call/finite.h"
#include "grad/hooks.h"
#include "grad/lanes.h"
#include "grad/leaves.h"
#include "grad/queue.h"
#include "tensor/work.h"

typedef struct engine {
    const kt__job *job;
    kt__anomaly    anomaly;
    bool           searches; /* for values that are not finite */
    kt__queue      queue;
    kt__leaves     leaves;
    kt__reach      reach;
    kt__lanes      lanes;
    kt_node      **start;  /* the nodes of the roots */
    struct engine *outer;  /* the run in whose hook or node this one was started */
    uint64_t       id;     /* 0: nobody has asked for it */
    kt__walk       graph;  /* all nodes, once somebody has asked about one */
    bool           walked;
} engine;

static KT__HOT_LOCAL engine *running; /* on this thread */

static void lock(kt_node *node)
{
    while (!KT__ONE_THREAD && atomic_exchange_explicit(&node->busy, true, memory_order_acquire))
        kt__wait_turn(); /* hooks and destructors may run the binding's code */
}

static void unlock(kt_node *node)
{
    if (!KT__ONE_THREAD)
        atomic_store_explicit(&node->busy, false, memory_order_release);
}

/* A gradient that the caller passed, or that was already captured, has its lineage. */
static bool known_to_caller(const kt__job *job, const kt_tensor *grad)
{
    for (int64_t i = 0; i < job->n_roots; i++)
        if (job->root[i].given && job->root[i].grad == grad)
            return true;
    for (int64_t i = 0; i < job->n_wanted; i++)
        if (job->wanted[i].grad == grad)
            return true;
    return false;
}

/* Captures complete gradients of tensors that the caller asked for. One gradient may belong to several of them; it has
 * the lineage of the first. */
static void capture(const kt__job *job, const kt_node *node, kt_tensor *const *grads)
{
    for (int64_t i = 0; i < job->n_wanted; i++) {
        kt__wanted *wanted = &job->wanted[i];
        kt_tensor  *grad = wanted->node == node ? grads[wanted->result] : NULL;
        if (!grad)
            continue;
        if (!known_to_caller(job, grad))
            grad->lineage = kt__gradient_lineage(wanted->t->lineage, grad);
        kt__unref(wanted->grad);
        wanted->grad = kt__ref(grad);
        kt__lane_hand_out(grad);
    }
}

/* ---- leaves ---- */

static kt_status expect_behind(kt_node *node, void *context)
{
    engine *e = context;
    for (uint32_t i = 0; i < node->n_edges; i++) {
        kt_node *to = node->edge[i].to;
        if (to && kt__is_accumulator(to) && kt__reaches(&e->reach, to) && kt__leaves_expect(&e->leaves, to))
            return kt_error_status();
    }
    return KT_OK;
}

/* Before a hook runs, every complete leaf must have its gradient. `next`: the node about to run, or NULL. */
static kt_status settle(engine *e, kt_node *next)
{
    kt__walk  walk;
    kt_status status = KT_OK;
    if (e->leaves.counted || !e->leaves.open)
        return KT_OK;
    kt__walk_begin(&walk, expect_behind, e);
    if (next)
        status = kt__walk_from(&walk, next);
    for (uint32_t i = 0; i < e->queue.n && !status; i++)
        status = kt__walk_from(&walk, kt__queue_node(&e->queue, i));
    kt__walk_end(&walk);
    return status ? status : kt__leaves_counted(&e->leaves);
}

static kt_status accumulate(engine *e, kt__leaf *leaf)
{
    kt_node *node = leaf->node;
    if (!leaf->sum)
        return KT_OK;
    lock(node);
    const kt_back back = {.node = node, .grads = &leaf->sum, .create_graph = e->job->create_graph};
    kt_status status = KT__UNLIKELY(kt__is_watching()) ? kt__run_formula_seen(&back) : node->type->run(&back);
    unlock(node);
    return status || !node->leaf->autograd->hooks ? status : kt__run_hooks_after(node->leaf);
}

static KT__COLD kt_status accumulate_with_hooks(engine *e, kt__leaf *leaf)
{
    kt_tensor *none = NULL; /* it has no inputs */
    if (kt__run_hooks_before(leaf->node, &leaf->sum) || accumulate(e, leaf))
        return kt_error_status();
    return kt__run_hooks_of_node(leaf->node, &leaf->sum, &none);
}

static kt_status run_leaf(engine *e, kt__leaf *leaf)
{
    kt_node      *node = leaf->node;
    const kt__job *job = e->job;
    const bool    unreached = leaf->tick == 0; /* wanted, but not part of this graph */
    if (unreached || (!leaf->sum && !node->hooks && !node->leaf->autograd->hooks))
        return KT_OK;
    if (node->leaf->autograd->hooks && kt__run_hooks(node, &leaf->sum))
        return kt_error_status();
    if (e->reach.table) {
        if (!kt__is_wanted(&e->reach, node))
            return KT_OK;
        if (!job->adds) {
            capture(job, node, &leaf->sum);
            return KT_OK;
        }
    }
    if (!job->adds)
        return KT_OK;
    return KT__UNLIKELY(node->hooks != NULL) ? accumulate_with_hooks(e, leaf) : accumulate(e, leaf);
}

static KT__COLD kt_status run_leaf_in_lane(engine *e, kt__leaf *leaf)
{
    kt__streams *outer;
    if (kt__lane_enter(&e->lanes, leaf->node, &outer))
        return kt_error_status();
    kt_status status = run_leaf(e, leaf);
    kt__lane_leave(outer);
    return status;
}

/* ---- what watchers see ---- */

static kt_span span_of(const kt_node *node)
{
    return (kt_span){.kind = KT_SPAN_NODE, .name = kt__node_name(node), .sequence = kt_node_sequence(node), .site = node->site};
}

static inline kt_status run_leaf_anywhere(engine *e, kt__leaf *leaf)
{
    return kt__changes_lane(leaf->node) ? run_leaf_in_lane(e, leaf) : run_leaf(e, leaf);
}

static KT__COLD kt_status run_leaf_seen(engine *e, kt__leaf *leaf)
{
    kt_span span = span_of(leaf->node);
    if (!kt__is_seen())
        return run_leaf_anywhere(e, leaf);
    kt__tell_enter(&span);
    const kt_status status = run_leaf_anywhere(e, leaf);
    kt__tell_leave(&span, status);
    return status;
}

static kt_status run_ready(engine *e)
{
    if (KT__UNLIKELY(e->leaves.due) && settle(e, NULL))
        return kt_error_status();
    while (kt__leaves_ready(&e->leaves)) {
        const kt_node *first = kt__leaves_first(&e->leaves);
        bool           seen = e->leaves.watched || first->leaf->autograd->hooks || first->hooks;
        if (seen && settle(e, NULL))
            return kt_error_status();
        kt__leaf  leaf = kt__leaves_next(&e->leaves);
        kt_status status = KT__UNLIKELY(kt__is_watching()) ? run_leaf_seen(e, &leaf) : run_leaf_anywhere(e, &leaf);
        if (KT__UNLIKELY(status && e->anomaly.on))
            kt__warn_of_anomaly(leaf.node);
        kt__unref(leaf.sum);
        if (status)
            return status;
    }
    return KT_OK;
}

/* ---- nodes ---- */

static inline kt_status add_here(engine *e, const kt__edge *edge, kt_tensor *grad)
{
    return kt__is_accumulator(edge->to) ? kt__leaves_add(&e->leaves, edge->to, grad)
                                             : kt__queue_add(&e->queue, edge->to, edge->result, grad);
}

/* A sum of gradients is computed where it is used. */
static KT__COLD kt_status add_in_lane(engine *e, const kt__edge *edge, kt_tensor *grad)
{
    kt__streams *outer;
    if (kt__lane_cross(&e->lanes, edge->to, grad) || kt__lane_enter(&e->lanes, edge->to, &outer)) {
        kt__unref(grad);
        return kt_error_status();
    }
    kt_status status = add_here(e, edge, grad);
    kt__lane_leave(outer);
    return status;
}

static inline kt_status add_to(engine *e, const kt__edge *edge, kt_tensor *grad)
{
    return kt__changes_lane(edge->to) ? add_in_lane(e, edge, grad) : add_here(e, edge, grad);
}

static inline kt_status fit(kt_tensor **d, const kt_node *node, uint32_t i)
{
    const kt__edge *edge = &node->edge[i];
    if (KT__LIKELY(kt__fits(*d, edge) && !edge->to->own_dtype && !edge->to->moved))
        return KT_OK;
    const kt_status status = kt__fit(d, node, i);
    return KT__UNLIKELY(status) ? kt__run_failed(node, status) : KT_OK;
}

/* Rows whose formulas read gradients of narrower floats as the dtype of their result. */
static bool reads_narrow(const kt_node *node)
{
    static const uint16_t rows[] = {KT_OP_native_layer_norm, KT_OP_fused_rms_norm};
    bool                  reads = false;
    for (size_t i = 0; node->row && i < sizeof rows / sizeof *rows; i++)
        reads |= node->row->id == rows[i];
    return reads;
}

/* A gradient that is to become float32 stays narrow where the one formula that it goes to reads it as float32 by itself: the cast
 * would be a pass over memory. Nobody else sees it: no hook, no other gradient that it is added to, no capture. */
static bool stays_narrow(engine *e, const kt__edge *edge, const kt_tensor *grad)
{
    const kt_node *to = edge->to;
    bool           same = edge->dtype == KT_F32 && (grad->dtype == KT_BF16 || grad->dtype == KT_F16) && edge->result == 0 &&
                reads_narrow(to) && grad->ndim == edge->ndim && grad->backend == edge->kind && grad->index == edge->index;
    for (int i = 0; same && i < edge->ndim; i++)
        same = grad->sizes[i] == edge->sizes[i];
    return same && !(grad->flags & (KT_T_BATCHED | KT_T_DUAL)) && !to->hooks && !to->own_dtype && !to->moved &&
           !e->job->create_graph && !e->job->wanted && !e->anomaly.on && !e->searches && !kt__changes_lane(to) &&
           !kt__queue_holds(&e->queue, to, edge->result);
}

/* Passes each input's gradient, fitted to the input, to the node that made it. */
static kt_status pass_on(engine *e, const kt_node *node, const bool *needs, kt_tensor **d)
{
    kt_status status = KT_OK;
    for (uint32_t i = 0; i < node->n_edges; i++) {
        const kt__edge *edge = &node->edge[i];
        if (!status && needs[i] && d[i] && !stays_narrow(e, edge, d[i]))
            status = fit(&d[i], node, i);
        if (!status && needs[i])
            status = add_to(e, edge, d[i]);
        else if (d[i])
            kt__unref(d[i]);
    }
    return status;
}

static bool any_arrived(kt__queued *w)
{
    if (w->node->type->flags & (KT_NODE_ZEROS | KT_NODE_ALWAYS))
        return true;
    for (uint32_t i = 0; i < w->node->n_results; i++)
        if (kt__grads_of(w)[i])
            return true;
    return false;
}

/* A result that backward's inputs= names: nothing flows on, but as in PyTorch its node counts as run: its hooks run, with no
 * gradients of inputs, and its saved tensors are checked and released. */
static kt_status end_at(engine *e, kt__queued *w, kt_tensor **d)
{
    kt_node    *node = w->node;
    kt_tensor **grads = kt__grads_of(w);
    if (node->hooks && kt__run_hooks_before(node, grads))
        return kt__run_failed(node, kt_error_status());
    lock(node);
    kt_status status = kt__check_node(node);
    unlock(node);
    if (!status && node->hooks && kt__run_hooks_of_node(node, grads, d))
        status = kt__run_failed(node, kt_error_status());
    if (status || e->job->retain_graph)
        return status;
    lock(node);
    kt__node_release_saved(node);
    unlock(node);
    return KT_OK;
}

/* ---- what is done only for nodes with hooks, or in search of anomalies ---- */

/* Gradients are fitted before hooks see them. */
static KT__COLD kt_status look_at(engine *e, kt_node *node, kt_tensor **grads, const bool *needs, kt_tensor **d)
{
    kt_status status = KT_OK;
    for (uint32_t i = 0; i < node->n_edges && !status; i++) {
        if (needs[i] && d[i]) {
            status = fit(&d[i], node, i);
        } else if (d[i] && node->row) { /* a formula may compute more than was asked for; others show it to hooks */
            kt__unref(d[i]);
            d[i] = NULL;
        }
    }
    if (!status && kt__mode_word & KT_M_SEARCH)
        kt__search_node(kt__node_name(node), node->site, grads, node->n_results, d, node->n_edges);
    if (!status && node->hooks && kt__run_hooks_of_node(node, grads, d))
        status = kt__run_failed(node, kt_error_status());
    if (!status && !e->job->retain_graph) {
        lock(node);
        kt__node_release_saved(node);
        unlock(node);
    }
    if (!status && e->anomaly.on && e->anomaly.check_nan && kt__check_nan(node, d))
        status = kt__run_failed(node, kt_error_status());
    return status;
}

/* Hooks see no gradient where none arrived, whatever the node was given. */
static uint64_t missing_among(const kt_node *node, kt_tensor *const *grads)
{
    uint64_t missing = 0;
    for (uint32_t i = 0; i < node->n_results && i < 64; i++)
        missing |= (uint64_t)!grads[i] << i;
    return missing;
}

static void forget_zeros(kt_tensor **grads, uint64_t missing)
{
    for (; missing; missing &= missing - 1) {
        kt_tensor **grad = &grads[__builtin_ctzll(missing)];
        kt__unref(*grad);
        *grad = NULL;
    }
}

/* In search of anomalies, nodes that are recorded now keep the node that runs. */
static kt_status run_inducing(const engine *e, const kt_back *b, kt_tensor **grads)
{
    kt_node *outer = kt__inducer;
    if (!e->anomaly.on)
        return kt__run_node(b, grads);
    kt__induce(b->create_graph ? b->node : NULL);
    const kt_status status = kt__run_node(b, grads);
    kt__induce(outer);
    return status;
}

static KT__COLD kt_status run_watched(engine *e, kt__queued *w, const kt_back *back)
{
    kt_node    *node = w->node;
    kt_tensor **grads = kt__grads_of(w);
    if (kt__run_hooks_before(node, grads))
        return kt__run_failed(node, kt_error_status());
    const uint64_t missing = missing_among(node, grads);
    lock(node);
    kt_status status = any_arrived(w) ? run_inducing(e, back, grads) : kt__check_node(node);
    unlock(node);
    forget_zeros(grads, missing);
    return status ? status : look_at(e, node, grads, back->needs, back->d);
}

static inline kt_status run_unwatched(engine *e, kt__queued *w, const kt_back *back)
{
    kt_node *node = w->node;
    lock(node);
    kt_status status =
        KT__LIKELY(w->one != NULL) || any_arrived(w) ? kt__run_node(back, kt__grads_of(w)) : kt__check_node(node);
    if (!status && !e->job->retain_graph)
        kt__node_release_saved(node);
    unlock(node);
    return status;
}

KT__HOT static kt_status run_with(engine *e, kt__queued *w, bool *needs, kt_tensor **d)
{
    kt_node *node = w->node;
    bool     part = false;
    if (KT__UNLIKELY(e->reach.table != NULL)) {
        bool any = false;
        for (uint32_t i = 0; i < node->n_edges; i++) {
            any |= needs[i] = kt__reaches(&e->reach, node->edge[i].to);
            part |= !needs[i] && node->edge[i].to;
            d[i] = NULL;
        }
        if (!any)
            return e->job->adds && kt__is_wanted(&e->reach, node) ? end_at(e, w, d) : KT_OK;
    } else {
        for (uint32_t i = 0; i < node->n_edges; i++) {
            needs[i] = node->edge[i].to != NULL;
            d[i] = NULL;
        }
    }
    KT_SCOPE; /* the temporaries of the run */
    const kt_back back = {.node = node, .grads = kt__grads_of(w), .needs = needs, .d = d, .n_results = node->n_results,
                          .n_inputs = node->n_edges, .create_graph = e->job->create_graph, .part = part,
                          .whole = !e->job->wanted};
    kt_status     status =
        KT__UNLIKELY(node->hooks || e->anomaly.on || e->searches) ? run_watched(e, w, &back) : run_unwatched(e, w, &back);
    for (uint32_t i = 0; i < node->n_edges && status; i++) {
        kt__unref(d[i]);
        d[i] = NULL;
    }
    return status ? status : pass_on(e, node, needs, d);
}

/* Plans name the node's operator: those of its formula and those of what the engine does for it, sums and casts of gradients. A
 * binding's node has no row: what it computes is the user's program, and names itself. */
static inline kt_status run_step(engine *e, kt__queued *w, bool *needs, kt_tensor **d)
{
    const kt__naming outer = kt__node_enter(w->node->row, w->node->site);
    kt_status        status = run_with(e, w, needs, d);
    kt__named = outer;
    return status;
}

static kt_status run(engine *e, kt__queued *w)
{
    enum { FEW = 8 };
    uint32_t n = w->node->n_edges;
    if (KT__LIKELY(n <= FEW)) {
        kt_tensor *d[FEW];
        bool       needs[FEW];
        return run_step(e, w, needs, d);
    }
    size_t      bytes = n * (sizeof(kt_tensor *) + sizeof(bool));
    kt_tensor **d = kt__system_get(bytes);
    if (!d)
        return kt__fail_memory(bytes);
    kt_status status = run_step(e, w, (bool *)(void *)(d + n), d);
    kt__system_put(d, bytes);
    return status;
}

static kt_status run_hooks(engine *e, kt__queued *w)
{
    if (settle(e, w->node) || run_ready(e))
        return kt_error_status();
    return kt__run_hooks(w->node, kt__grads_of(w)) ? kt__run_failed(w->node, kt_error_status()) : KT_OK;
}

/* Does a gradient flow on through a wanted node? The caller then gets what arrived, before hooks. */
static bool goes_on(engine *e, const kt_node *node)
{
    for (uint32_t i = 0; i < node->n_edges; i++)
        if (kt__reaches(&e->reach, node->edge[i].to))
            return true;
    return false;
}

static inline kt_status run_next(engine *e, kt__queued *w)
{
    kt_status  status = KT_OK;
    const bool wanted = e->reach.table && !e->job->adds && kt__is_wanted(&e->reach, w->node);
    const bool early = wanted && w->node->hooks && goes_on(e, w->node);
    if (early)
        capture(e->job, w->node, kt__grads_of(w));
    if (KT__UNLIKELY(w->node->hooks != NULL))
        status = run_hooks(e, w);
    if (!status && wanted && !early)
        capture(e->job, w->node, kt__grads_of(w));
    return status ? status : run(e, w);
}

static KT__COLD kt_status run_next_in_lane(engine *e, kt__queued *w)
{
    kt__streams *outer;
    if (kt__lane_enter(&e->lanes, w->node, &outer))
        return kt_error_status();
    kt_status status = run_next(e, w);
    kt__lane_leave(outer);
    return status;
}

static inline kt_status run_next_anywhere(engine *e, kt__queued *w)
{
    return kt__changes_lane(w->node) ? run_next_in_lane(e, w) : run_next(e, w);
}

static KT__COLD kt_status run_next_seen(engine *e, kt__queued *w)
{
    kt_span span = span_of(w->node);
    if (!kt__is_seen())
        return run_next_anywhere(e, w);
    kt__tell_enter(&span);
    const kt_status status = run_next_anywhere(e, w);
    kt__tell_leave(&span, status);
    return status;
}

static kt_status run_all(engine *e)
{
    kt_status status = run_ready(e);
    while (!status && e->queue.n) {
        kt__queued w = kt__queue_next(&e->queue);
        status = KT__UNLIKELY(kt__is_watching()) ? run_next_seen(e, &w) : run_next_anywhere(e, &w);
        if (KT__UNLIKELY(status && e->anomaly.on))
            kt__warn_of_anomaly(w.node);
        kt__waiting_drop(&w);
        if (!status && (kt__leaves_ready(&e->leaves) || KT__UNLIKELY(e->leaves.due)))
            status = run_ready(e);
    }
    if (!status && e->leaves.open)
        status = kt__leaves_all(&e->leaves) ? kt_error_status() : run_ready(e);
    return status;
}

/* Keeps the start and end nodes alive, and with them all nodes between. Gradients are added when every root has its node: a leaf
 * counts what refers to it, and one that is a root several times is complete with the last of them. */
static kt_status begin(engine *e, kt_node **start)
{
    const kt__job *job = e->job;
    for (int64_t i = 0; i < job->n_wanted; i++)
        if (kt__producer(job->wanted[i].t, &job->wanted[i].node, &job->wanted[i].result) ||
            (job->wanted[i].node && kt__is_accumulator(job->wanted[i].node) && kt__leaves_hold(&e->leaves, job->wanted[i].node)))
            return kt_error_status();
    for (int64_t i = 0; i < job->n_roots; i++) {
        if (kt__producer(job->root[i].t, &start[i], &job->root[i].result))
            return kt_error_status();
        if (!start[i])
            return kt_fail(KT_ERR_RUNTIME, "element %lld of tensors does not require grad and does not have a grad_fn",
                           (long long)i);
        if (KT__UNLIKELY(start[i]->moved) &&
            kt__fits_made(job->root[i].grad, start[i], job->root[i].result, NULL, (uint32_t)i))
            return kt_error_status();
    }
    for (int64_t i = 0; i < job->n_roots; i++)
        if (add_to(e, &(kt__edge){.to = start[i], .result = job->root[i].result}, kt__ref(job->root[i].grad)))
            return kt_error_status();
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
    kt__leaves_begin(&e.leaves);
    kt__lanes_begin(&e.lanes);
    e.anomaly = kt__anomaly_now();
    e.searches = mode & KT_M_SEARCH;
    if (KT__UNLIKELY(mode & KT_M_AUTOCAST) && kt__counting)
        kt__count_backward();
    e.start = start;
    e.outer = running;
    e.id = 0;
    e.walked = false;
    running = &e;
    kt_set_grad_enabled(job->create_graph);
    kt_status status = begin(&e, start);
    if (!status)
        status = run_all(&e);
    kt__mode_word = mode;
    running = e.outer;
    if (e.walked)
        kt__walk_end(&e.graph);
    kt__queue_end(&e.queue);
    kt__leaves_end(&e.leaves);
    kt__reach_end(&e.reach);
    status = kt__lanes_end(&e.lanes, status);
    for (int64_t i = 0; i < job->n_roots; i++)
        kt__node_unref(start[i]);
    for (int64_t i = 0; i < job->n_wanted; i++)
        kt__node_unref(job->wanted[i].node);
    if (start != &one)
        kt__system_put(start, bytes);
    return status;
}

/* ---- asking about the run ---- */

uint64_t kt_backward_id(void)
{
    static _Atomic uint64_t last;
    if (running && !running->id)
        running->id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return running ? running->id : 0;
}

bool kt_backward_runs(const kt_node *node)
{
    engine *e = running;
    if (!e || !node)
        return false;
    if (e->reach.table)
        return kt__reaches(&e->reach, node);
    if (!e->walked)
        kt__walk_begin(&e->graph, NULL, NULL);
    kt_status status = KT_OK;
    for (int64_t i = 0; i < e->job->n_roots && !e->walked && !status; i++)
        status = kt__walk_from(&e->graph, e->start[i]);
    e->walked = true;
    return !status && kt__walked(&e->graph, node);
}
