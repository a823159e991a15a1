/* queue.h - the nodes that wait for backward to come to them, each with the gradients that arrived so far. */
#ifndef KT_GRAD_QUEUE_H
#define KT_GRAD_QUEUE_H

#include "grad/grad.h"

enum { KT_QUEUE_FEW = 16 };

typedef struct kt__waiting {
    kt_node    *node;  /* alive as long as the roots' nodes are: those are held */
    kt_tensor  *one;   /* owned: the sum so far, of a node with one result; else NULL */
    kt_tensor **each;  /* owned, of a node with several: a sum each, NULL where none arrived */
} kt__waiting;

typedef struct kt__turn {
    uint64_t sequence;
    uint32_t place; /* among the waiting */
} kt__turn;

typedef struct kt__queue {
    kt__turn    *turns;   /* a heap: the largest sequence number on top */
    kt__waiting *waiting; /* places do not move while their node waits */
    uint32_t    *table;   /* place + 1 by hash of the node; NULL while there are few, which are looked through */
    uint32_t     n, capacity, used, free; /* used: places ever taken; free: 1 + the last one given back, a list */
    kt__turn     few_turns[KT_QUEUE_FEW];
    kt__waiting  few[KT_QUEUE_FEW];
} kt__queue;

static inline kt_tensor **kt__grads_of(kt__waiting *w) { return w->each ? w->each : &w->one; }

void      kt__queue_begin(kt__queue *q);
void      kt__queue_end(kt__queue *q); /* drops what still waits */
kt_status kt__queue_give(kt__queue *q, kt_node *node, uint32_t result, kt_tensor *grad); /* takes over the reference */
kt__waiting kt__queue_next(kt__queue *q); /* n > 0; owned: kt__waiting_drop */
void      kt__waiting_drop_each(kt__waiting *w);
static inline void kt__waiting_drop(kt__waiting *w)
{
    kt__unref(w->one);
    if (KT__UNLIKELY(w->each != NULL))
        kt__waiting_drop_each(w);
}

#endif
