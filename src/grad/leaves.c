/* leaves.c - the gradients of leaves by address, and the queue of complete ones. */
#include "grad/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void kt__leaves_begin(kt__leaves *l)
{
    l->waiting = l->few;
    l->table = NULL;
    l->ready = l->few_ready;
    l->tick = 0;
    l->n = l->first = l->n_ready = l->open = 0;
    l->capacity = l->ready_capacity = KT_LEAVES_FEW;
    l->counted = l->watched = l->due = false;
}

/* ---- entries: from a certain number on in one allocation with a hash table of four times the size ---- */

static size_t bytes_for(uint32_t capacity) { return capacity * (sizeof(kt__leaf) + 4 * sizeof(uint32_t)); }

static uint32_t *slot_of(const kt__leaves *l, const kt_node *node)
{
    uint32_t mask = 4 * l->capacity - 1;
    uint32_t at = (uint32_t)(((uintptr_t)node >> 4) * 0x9E3779B97F4A7C15u >> 32) & mask;
    while (l->table[at] && l->waiting[l->table[at] - 1].node != node)
        at = (at + 1) & mask;
    return &l->table[at];
}

static void put_places(kt__leaves *l)
{
    if (l->waiting != l->few)
        kt__system_put(l->waiting, bytes_for(l->capacity));
}

static kt_status grow(kt__leaves *l)
{
    uint32_t  bigger = 4 * l->capacity;
    kt__leaf *room = kt__system_get(bytes_for(bigger));
    if (!room)
        return kt__fail_memory(bytes_for(bigger));
    memcpy(room, l->waiting, l->n * sizeof *room);
    put_places(l);
    l->waiting = room;
    l->table = (uint32_t *)(void *)(room + bigger);
    l->capacity = bigger;
    memset(l->table, 0, 4 * (size_t)bigger * sizeof *l->table);
    for (uint32_t i = 0; i < l->n; i++)
        *slot_of(l, room[i].node) = i + 1;
    return KT_OK;
}

static kt__leaf *find(kt__leaves *l, const kt_node *node)
{
    if (l->table) {
        uint32_t place = *slot_of(l, node);
        return place ? &l->waiting[place - 1] : NULL;
    }
    for (uint32_t i = 0; i < l->n; i++)
        if (l->few[i].node == node)
            return &l->few[i];
    return NULL;
}

static kt__leaf *place_of(kt__leaves *l, kt_node *node) /* made on demand */
{
    kt__leaf *leaf = find(l, node);
    if (leaf)
        return leaf;
    if (l->n == l->capacity && grow(l))
        return NULL;
    if (l->table)
        *slot_of(l, node) = l->n + 1;
    l->open++;
    l->waiting[l->n] = (kt__leaf){.node = node};
    return &l->waiting[l->n++];
}

/* ---- what is ready ---- */

static kt_status grow_ready(kt__leaves *l)
{
    uint32_t  bigger = 4 * l->ready_capacity;
    kt__leaf *room = kt__system_get(bigger * sizeof *room);
    if (!room)
        return kt__fail_memory(bigger * sizeof *room);
    memcpy(room, l->ready, l->n_ready * sizeof *room);
    if (l->ready != l->few_ready)
        kt__system_put(l->ready, l->ready_capacity * sizeof *room);
    l->ready = room;
    l->ready_capacity = bigger;
    return KT_OK;
}

static kt_status finish(kt__leaves *l, kt__leaf *leaf)
{
    if (l->n_ready == l->ready_capacity && grow_ready(l))
        return kt_error_status();
    l->ready[l->n_ready++] = *leaf;
    leaf->sum = NULL;
    leaf->done = true;
    l->open--;
    return KT_OK;
}

static int earlier(const void *a, const void *b)
{
    const kt__leaf *x = a, *y = b;
    return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* Ordered by the arrival of the last edge. */
static void in_order(kt__leaves *l) { qsort(l->ready + l->first, l->n_ready - l->first, sizeof *l->ready, earlier); }

/* ---- edges ---- */

static kt_status add(kt__leaf *leaf, kt_tensor *grad)
{
    kt_tensor *more = NULL;
    if (!grad || !leaf->sum) {
        leaf->sum = grad ? grad : leaf->sum;
        return KT_OK;
    }
    const kt_dtype dtype = (kt_dtype)grad->dtype;
    kt_status      status = kt__call2(KT_OP_add, leaf->sum, grad, &more);
    kt__unref(grad);
    if (status)
        return status;
    kt__replace(&leaf->sum, more);
    if (KT__LIKELY((kt_dtype)more->dtype == dtype) || leaf->node->own_dtype)
        return KT_OK;
    kt_tensor *cast = NULL; /* an integer leaf: the last gradient has the dtype it was first cast to */
    if (kt_convert(more, dtype, KT_WHY_GRADIENT, &cast))
        return kt_error_status();
    kt__replace(&leaf->sum, cast);
    return KT_OK;
}

kt_status kt__leaves_add_any(kt__leaves *l, kt_node *node, kt_tensor *grad)
{
    kt__leaf *leaf = place_of(l, node);
    if (!leaf) {
        kt__unref(grad);
        return kt_error_status();
    }
    if (add(leaf, grad))
        return kt_error_status();
    leaf->tick = ++l->tick;
    leaf->passed++;
    l->watched |= node->leaf->autograd->hooks || node->hooks;
    if (l->counted)
        return --leaf->expected ? KT_OK : finish(l, leaf);
    uint32_t owners = (uint32_t)atomic_load_explicit(&node->refs, memory_order_relaxed);
    l->due |= node->hooks && leaf->passed != owners;
    return leaf->passed == owners ? finish(l, leaf) : KT_OK;
}

kt_status kt__leaves_hold(kt__leaves *l, kt_node *node)
{
    kt__leaf *leaf = place_of(l, node);
    if (!leaf)
        return kt_error_status();
    leaf->passed++;
    return KT_OK;
}

kt_status kt__leaves_expect(kt__leaves *l, kt_node *node)
{
    kt__leaf *leaf = place_of(l, node);
    if (!leaf)
        return kt_error_status();
    leaf->expected++;
    return KT_OK;
}

static kt_status finish_those(kt__leaves *l, bool all)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (!l->waiting[i].done && (all || !l->waiting[i].expected) && finish(l, &l->waiting[i]))
            return kt_error_status();
    in_order(l);
    return KT_OK;
}

kt_status kt__leaves_counted(kt__leaves *l)
{
    l->counted = true;
    l->due = false;
    return finish_those(l, false);
}

kt_status kt__leaves_all(kt__leaves *l) { return finish_those(l, true); }

void kt__leaves_end(kt__leaves *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        kt__unref(l->waiting[i].sum);
    for (uint32_t i = l->first; i < l->n_ready; i++)
        kt__unref(l->ready[i].sum);
    put_places(l);
    if (l->ready != l->few_ready)
        kt__system_put(l->ready, l->ready_capacity * sizeof *l->ready);
}
