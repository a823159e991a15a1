/* queue.h - backward's queue: the nodes that are still to run, each with the gradients that arrived so far. */
#ifndef KT_GRAD_QUEUE_H
#define KT_GRAD_QUEUE_H

#include "grad/grad.h"

enum { KT_QUEUE_FEW = 16 };

typedef struct kt__queued {
    kt_node    *node;  /* kept alive by the nodes of the roots */
    kt_tensor  *one;   /* owned: the sum so far, if the node has one result; else NULL */
    kt_tensor **each;  /* owned: one sum per result, if it has several; NULL: none arrived */
} kt__queued;

typedef struct kt__turn {
    uint64_t sequence;
    uint32_t place; /* index in `waiting` */
} kt__turn;

/* While there are few nodes, turns[i] belongs to waiting[i], unordered, and searches are linear. Above that `turns` is a
 * heap with the largest sequence number on top, entries of `waiting` do not move, and `table` finds them. */
typedef struct kt__queue {
    kt__turn    *turns;
    kt__queued *waiting;
    uint32_t    *table; /* hash table of the nodes: index + 1; NULL while there are few */
    uint32_t     n, capacity, used, free; /* used: entries ever used; free: 1 + the first of a linked list of free entries */
    kt__turn     few_turns[KT_QUEUE_FEW];
    kt__queued  few[KT_QUEUE_FEW];
} kt__queue;

static inline kt_tensor **kt__grads_of(kt__queued *w) { return w->each ? w->each : &w->one; }

void        kt__queue_begin(kt__queue *q);
void        kt__queue_end(kt__queue *q); /* drops the gradients that are left */
kt_status   kt__queue_add_any(kt__queue *q, kt_node *node, uint32_t result, kt_tensor *grad);
kt__queued kt__queue_next_any(kt__queue *q);
void        kt__waiting_drop_each(kt__queued *w);

/* Adds to the gradient of a result of the node. Takes over the reference. In a chain of calls the queue is empty: the fast
 * case. */
static inline kt_status kt__queue_add(kt__queue *q, kt_node *node, uint32_t result, kt_tensor *grad)
{
    if (q->n || q->table || node->n_results > 1)
        return kt__queue_add_any(q, node, result, grad);
    q->few_turns[0].sequence = node->sequence;
    q->few[0] = (kt__queued){node, grad, NULL};
    q->n = 1;
    return KT_OK;
}

bool kt__queue_holds(kt__queue *q, const kt_node *node, uint32_t result); /* has a gradient of it arrived? */

static inline kt_node *kt__queue_node(const kt__queue *q, uint32_t turn) /* unordered */
{
    return q->table ? q->waiting[q->turns[turn].place].node : q->few[turn].node;
}

/* n > 0; owned: kt__waiting_drop */
static inline kt__queued kt__queue_next(kt__queue *q)
{
    if (q->n > 1 || q->table)
        return kt__queue_next_any(q);
    q->n = 0;
    return q->few[0];
}

static inline void kt__waiting_drop(kt__queued *w)
{
    kt__unref(w->one);
    if (KT__UNLIKELY(w->each != NULL))
        kt__waiting_drop_each(w);
}

#endif
