/* leaves.h - the leaves that backward has brought gradients to, and which of them have theirs in full.
 *
 * In: each edge that leads to an accumulator, once, when the node it belongs to has run. Out: accumulators whose gradient is
 * complete, in the order in which they became so. Independent of: how a graph is walked, what a leaf does with its gradient.
 *
 * A gradient is complete when no edge to the accumulator is left. Whoever refers to an accumulator is such an edge, but for
 * graphs that this run does not go through, so the count of references tells it at no cost, as a rule. Where it does not, the
 * engine counts the edges that are still to come (kt__leaves_expect), which it needs to do only before a hook could see that
 * a gradient is not there yet. */
#ifndef KT_GRAD_LEAVES_H
#define KT_GRAD_LEAVES_H

#include "grad/grad.h"

enum { KT_LEAVES_FEW = 8 };

typedef struct kt__leaf {
    kt_node   *node; /* the accumulator; alive as the graph is */
    kt_tensor *sum;  /* owned; NULL: none arrived */
    uint64_t   tick; /* when the last edge came in */
    uint32_t   passed, expected; /* edges that came in, and those still to come, once they are counted */
    bool       done; /* it is complete, and no more is to come */
} kt__leaf;

typedef struct kt__leaves {
    kt__leaf *waiting; /* in the order of their first edge; done ones stay */
    uint32_t *table;   /* place + 1 by hash of the node; NULL while there are few */
    kt__leaf *ready;   /* a queue: from `first` to `n_ready` */
    uint64_t  tick;
    uint32_t  n, capacity, first, n_ready, ready_capacity;
    uint32_t  open;    /* waiting and not done */
    bool      counted;
    bool      watched; /* one that waits or waited has hooks */
    kt__leaf  few[KT_LEAVES_FEW], few_ready[KT_LEAVES_FEW];
} kt__leaves;

void      kt__leaves_begin(kt__leaves *l);
void      kt__leaves_end(kt__leaves *l); /* drops what still waits */
kt_status kt__leaves_add_any(kt__leaves *l, kt_node *node, kt_tensor *grad);
kt_status kt__leaves_hold(kt__leaves *l, kt_node *node);   /* a reference that is no edge */
kt_status kt__leaves_expect(kt__leaves *l, kt_node *node); /* an edge that is still to come */
kt_status kt__leaves_counted(kt__leaves *l);               /* all were expected: those with none to come are ready */
kt_status kt__leaves_all(kt__leaves *l);                   /* nothing is to come any more */

static inline bool kt__leaves_ready(const kt__leaves *l) { return l->first < l->n_ready; }

/* An edge to the accumulator, with what flows along it or NULL. Takes over the reference. */
static inline kt_status kt__leaves_add(kt__leaves *l, kt_node *node, kt_tensor *grad)
{
    if (l->n || l->n_ready == l->ready_capacity || atomic_load_explicit(&node->refs, memory_order_relaxed) != 1)
        return kt__leaves_add_any(l, node, grad);
    l->ready[l->n_ready++] = (kt__leaf){.node = node, .sum = grad, .tick = ++l->tick};
    return KT_OK;
}

static inline const kt_node *kt__leaves_first(const kt__leaves *l) { return l->ready[l->first].node; }

static inline kt__leaf kt__leaves_next(kt__leaves *l) /* one is ready; `sum` is owned */
{
    kt__leaf leaf = l->ready[l->first++];
    if (l->first == l->n_ready)
        l->first = l->n_ready = 0;
    return leaf;
}

#endif
