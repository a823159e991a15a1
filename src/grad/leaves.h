/* leaves.h - the leaves that gradients have arrived for, and which of these gradients are complete.
 *
 * In: each edge to an accumulator, once, when the edge's node has run. Out: accumulators whose gradient is complete, in the
 * order of completion. Independent of: how a graph is walked, what a leaf does with its gradient.
 *
 * A gradient is complete when no edge to the accumulator is left to run. Usually the accumulator's reference count shows
 * this at no cost, since edges hold the references. If edges of another graph hold some too, the engine counts the edges
 * that are still to run (kt__leaves_expect); it does so only before a hook could notice that a gradient is missing. */
#ifndef KT_GRAD_LEAVES_H
#define KT_GRAD_LEAVES_H

#include "grad/grad.h"

enum { KT_LEAVES_FEW = 8 };

typedef struct kt__leaf {
    kt_node   *node; /* the accumulator; the graph keeps it alive */
    kt_tensor *sum;  /* owned; NULL: none arrived */
    uint64_t   tick; /* the time of the last edge */
    uint32_t   passed, expected; /* edges that ran, and, once counted, those still to run */
    bool       done; /* complete */
} kt__leaf;

typedef struct kt__leaves {
    kt__leaf *waiting; /* in the order of the first edge; complete ones stay */
    uint32_t *table;   /* hash table of the nodes: index + 1; NULL while there are few */
    kt__leaf *ready;   /* a queue: from `first` to `n_ready` */
    uint64_t  tick;
    uint32_t  n, capacity, first, n_ready, ready_capacity;
    uint32_t  open;    /* number of leaves that are not complete */
    bool      counted;
    bool      watched; /* one of the leaves has hooks */
    bool      due;     /* an accumulator with hooks may be complete, but an owner besides edges (its holder) hides that: count */
    kt__leaf  few[KT_LEAVES_FEW], few_ready[KT_LEAVES_FEW];
} kt__leaves;

void      kt__leaves_begin(kt__leaves *l);
void      kt__leaves_end(kt__leaves *l); /* drops the gradients that are left */
kt_status kt__leaves_add_any(kt__leaves *l, kt_node *node, kt_tensor *grad);
kt_status kt__leaves_hold(kt__leaves *l, kt_node *node);   /* counts a reference that is no edge */
kt_status kt__leaves_expect(kt__leaves *l, kt_node *node); /* counts an edge that is still to run */
kt_status kt__leaves_counted(kt__leaves *l);               /* counting is done: leaves without edges to run are ready */
kt_status kt__leaves_all(kt__leaves *l);                   /* no edge is left: all are ready */

static inline bool kt__leaves_ready(const kt__leaves *l) { return l->first < l->n_ready; }

/* An edge to the accumulator has run, with its gradient or NULL. Takes over the reference. */
static inline kt_status kt__leaves_add(kt__leaves *l, kt_node *node, kt_tensor *grad)
{
    if (l->n || l->n_ready == l->ready_capacity || atomic_load_explicit(&node->refs, memory_order_relaxed) != 1)
        return kt__leaves_add_any(l, node, grad);
    l->ready[l->n_ready++] = (kt__leaf){.node = node, .sum = grad, .tick = ++l->tick};
    return KT_OK;
}

static inline const kt_node *kt__leaves_first(const kt__leaves *l) { return l->ready[l->first].node; }

static inline kt__leaf kt__leaves_next(kt__leaves *l) /* precondition: one is ready; `sum` is owned */
{
    kt__leaf leaf = l->ready[l->first++];
    if (l->first == l->n_ready)
        l->first = l->n_ready = 0;
    return leaf;
}

#endif
