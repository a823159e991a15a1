/* queue.c - a priority queue of nodes by sequence number, highest first, with lookup by address. In: gradients for
 * results of nodes. Out: the next node with its accumulated gradients. The queue belongs to one run of backward: nothing
 * is written into the nodes, so that two threads may traverse the same graph. */
#include "grad/queue.h"

#include <string.h>

#include "base/alloc.h"

void kt__queue_begin(kt__queue *q)
{
    q->turns = q->few_turns;
    q->waiting = q->few;
    q->table = NULL;
    q->n = q->used = q->free = 0;
    q->capacity = KT_QUEUE_FEW;
}

/* ---- the heap ---- */

static void swap_turns(kt__turn *a, kt__turn *b)
{
    kt__turn t = *a;
    *a = *b;
    *b = t;
}

static void rise(kt__turn *turns, uint32_t i)
{
    for (; i > 0 && turns[(i - 1) / 2].sequence < turns[i].sequence; i = (i - 1) / 2)
        swap_turns(&turns[i], &turns[(i - 1) / 2]);
}

static void sink(kt__turn *turns, uint32_t n)
{
    for (uint32_t i = 0;;) {
        uint32_t big = i, left = 2 * i + 1, right = left + 1;
        if (left < n && turns[left].sequence > turns[big].sequence)
            big = left;
        if (right < n && turns[right].sequence > turns[big].sequence)
            big = right;
        if (big == i)
            return;
        swap_turns(&turns[i], &turns[big]);
        i = big;
    }
}

/* ---- the hash table: open addressing, four times as many slots as entries ---- */

static uint32_t mask_of(const kt__queue *q) { return 4 * q->capacity - 1; }
static uint32_t hash(const kt__queue *q, const kt_node *node)
{
    return (uint32_t)(((uintptr_t)node >> 4) * 0x9E3779B97F4A7C15u >> 32) & mask_of(q);
}

static void table_put(kt__queue *q, uint32_t place)
{
    uint32_t at = hash(q, q->waiting[place].node);
    while (q->table[at])
        at = (at + 1) & mask_of(q);
    q->table[at] = place + 1;
}

/* Backward-shift deletion: no tombstones. */
static void table_remove(kt__queue *q, uint32_t place)
{
    uint32_t mask = mask_of(q), gap = hash(q, q->waiting[place].node);
    while (q->table[gap] != place + 1)
        gap = (gap + 1) & mask;
    for (uint32_t at = (gap + 1) & mask; q->table[at]; at = (at + 1) & mask) {
        uint32_t home = hash(q, q->waiting[q->table[at] - 1].node);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        q->table[gap] = q->table[at];
        gap = at;
    }
    q->table[gap] = 0;
}

static kt__queued *find(kt__queue *q, const kt_node *node)
{
    if (!q->table) {
        for (uint32_t i = 0; i < q->n; i++)
            if (q->few[i].node == node)
                return &q->few[i];
        return NULL;
    }
    for (uint32_t at = hash(q, node); q->table[at]; at = (at + 1) & mask_of(q))
        if (q->waiting[q->table[at] - 1].node == node)
            return &q->waiting[q->table[at] - 1];
    return NULL;
}

/* ---- growing: heap, entries and table in one allocation ---- */

static size_t bytes_for(uint32_t capacity)
{
    return capacity * (sizeof(kt__queued) + sizeof(kt__turn) + 4 * sizeof(uint32_t));
}

static void put_memory(kt__queue *q)
{
    if (q->waiting != q->few)
        kt__system_put(q->waiting, bytes_for(q->capacity));
}

static kt_status grow(kt__queue *q)
{
    uint32_t     bigger = q->capacity * 4;
    kt__queued *room = kt__system_get(bytes_for(bigger));
    if (!room)
        return kt__fail_memory(bytes_for(bigger));
    kt__turn *turns = (kt__turn *)(void *)(room + bigger);
    memcpy(room, q->waiting, q->n * sizeof *room); /* all entries are used */
    memcpy(turns, q->turns, q->n * sizeof *turns);
    for (uint32_t i = 0; !q->table && i < q->n; i++) { /* there was no table until now */
        turns[i].place = i;
        rise(turns, i);
    }
    q->used = q->n;
    put_memory(q);
    q->waiting = room;
    q->turns = turns;
    q->table = (uint32_t *)(void *)(turns + bigger);
    q->capacity = bigger;
    memset(q->table, 0, 4 * (size_t)bigger * sizeof *q->table);
    for (uint32_t i = 0; i < q->n; i++)
        table_put(q, turns[i].place);
    return KT_OK;
}

/* ---- coming and going ---- */

/* Free entries are linked through `one`. */
static uint32_t take_place(kt__queue *q)
{
    if (!q->free)
        return q->used++;
    uint32_t place = q->free - 1;
    q->free = (uint32_t)(uintptr_t)q->waiting[place].one;
    return place;
}

static kt__queued *enter(kt__queue *q, kt_node *node)
{
    kt_tensor **each = NULL;
    size_t      bytes = node->n_results * sizeof *each;
    if (q->n == q->capacity && grow(q))
        return NULL;
    if (node->n_results > 1) {
        if (!(each = kt__pool_get(bytes))) {
            kt__fail_memory(bytes);
            return NULL;
        }
        memset(each, 0, bytes);
    }
    uint32_t place = q->table ? take_place(q) : q->n;
    q->waiting[place] = (kt__queued){node, NULL, each};
    q->turns[q->n++] = (kt__turn){node->sequence, place};
    if (q->table) {
        table_put(q, place);
        rise(q->turns, q->n - 1);
    }
    return &q->waiting[place];
}

bool kt__queue_holds(kt__queue *q, const kt_node *node, uint32_t result)
{
    kt__queued *w = find(q, node);
    return w && kt__grads_of(w)[result];
}

kt_status kt__queue_add_any(kt__queue *q, kt_node *node, uint32_t result, kt_tensor *grad)
{
    kt__queued *w = find(q, node);
    if (!w && !(w = enter(q, node))) {
        kt__unref(grad);
        return kt_error_status();
    }
    kt_tensor **sum = &kt__grads_of(w)[result], *more = NULL;
    if (!grad || !*sum) {
        *sum = grad ? grad : *sum;
        return KT_OK;
    }
    kt_status status = kt__call2(KT_OP_add, *sum, grad, &more);
    kt__unref(grad);
    if (status)
        return status;
    kt__unref(*sum);
    *sum = more;
    return KT_OK;
}

static kt__queued next_of_few(kt__queue *q)
{
    uint32_t top = 0;
    for (uint32_t i = 1; i < q->n; i++)
        top = q->few_turns[i].sequence > q->few_turns[top].sequence ? i : top;
    kt__queued w = q->few[top];
    q->few[top] = q->few[--q->n];
    q->few_turns[top] = q->few_turns[q->n];
    return w;
}

kt__queued kt__queue_next_any(kt__queue *q)
{
    if (!q->table)
        return next_of_few(q);
    uint32_t    place = q->turns[0].place;
    kt__queued w = q->waiting[place];
    table_remove(q, place);
    q->waiting[place].one = (kt_tensor *)(uintptr_t)q->free;
    q->free = place + 1;
    q->turns[0] = q->turns[--q->n];
    sink(q->turns, q->n);
    return w;
}

void kt__waiting_drop_each(kt__queued *w)
{
    for (uint32_t i = 0; i < w->node->n_results; i++)
        kt__unref(w->each[i]);
    kt__pool_put(w->each, w->node->n_results * sizeof *w->each);
}

void kt__queue_end(kt__queue *q)
{
    while (q->n) {
        kt__queued w = kt__queue_next(q);
        kt__waiting_drop(&w);
    }
    put_memory(q);
}
