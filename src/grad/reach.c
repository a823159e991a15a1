/* reach.c - which nodes lead to the tensors that a caller asked for: only those are run. In: start nodes and wanted
 * nodes. Out: a set of nodes. The traversal uses an explicit stack: graphs are deep. */
#include <string.h>

#include "base/alloc.h"
#include "grad/run.h"

typedef struct kt__reached {
    const kt_node *node; /* NULL: an empty entry */
    bool           wanted, leads, looked; /* leads: one of its edges does */
} reached;

typedef struct kt__step {
    const kt_node *node;
    uint32_t       next; /* edge to look at */
} step;

typedef kt__walk walk;

static reached *slot_of(const kt__reach *r, const kt_node *node)
{
    size_t at = (size_t)(((uintptr_t)node >> 4) * 0x9E3779B97F4A7C15u >> 20) & (r->capacity - 1);
    while (r->table[at].node && r->table[at].node != node)
        at = (at + 1) & (r->capacity - 1);
    return &r->table[at];
}

static kt_status resize(kt__reach *r, size_t capacity)
{
    kt__reach bigger = {.table = kt__system_get(capacity * sizeof(reached)), .n = r->n, .capacity = capacity};
    if (!bigger.table)
        return kt__fail_memory(capacity * sizeof(reached));
    memset(bigger.table, 0, capacity * sizeof(reached));
    for (size_t i = 0; i < r->capacity; i++)
        if (r->table[i].node)
            *slot_of(&bigger, r->table[i].node) = r->table[i];
    kt__reach_end(r);
    *r = bigger;
    return KT_OK;
}

static reached *add(kt__reach *r, const kt_node *node)
{
    if (2 * (r->n + 1) > r->capacity && resize(r, r->capacity * 4))
        return NULL;
    reached *at = slot_of(r, node);
    if (!at->node) {
        at->node = node;
        r->n++;
    }
    return at;
}

static kt_status push(walk *w, const kt_node *node)
{
    if (w->n == w->capacity) {
        size_t bigger = w->capacity ? w->capacity * 4 : 64;
        step  *more = kt__system_get(bigger * sizeof *more);
        if (!more)
            return kt__fail_memory(bigger * sizeof *more);
        if (w->n)
            memcpy(more, w->stack, w->n * sizeof *more);
        kt__system_put(w->stack, w->capacity * sizeof *more);
        w->stack = more;
        w->capacity = bigger;
    }
    reached *at = add(w->reach, node);
    if (!at)
        return kt_error_status();
    at->looked = true;
    w->stack[w->n++] = (step){node, 0};
    return w->visit ? w->visit((kt_node *)(uintptr_t)node, w->context) : KT_OK;
}

/* Depth first: after all edges of a node it is known whether one of them leads to a wanted node. */
static kt_status look_from(walk *w, const kt_node *root)
{
    if (root->sequence < w->lowest || slot_of(w->reach, root)->looked)
        return KT_OK;
    kt_status status = push(w, root);
    while (!status && w->n) {
        step *top = &w->stack[w->n - 1];
        if (top->next == top->node->n_edges) {
            w->n--;
            if (w->n && kt__reaches(w->reach, top->node))
                slot_of(w->reach, w->stack[w->n - 1].node)->leads = true;
            continue;
        }
        const kt_node *to = top->node->edge[top->next++].to;
        if (!to || to->sequence < w->lowest)
            continue;
        if (!slot_of(w->reach, to)->looked)
            status = push(w, to);
        else if (kt__reaches(w->reach, to))
            slot_of(w->reach, top->node)->leads = true;
    }
    return status;
}

/* ---- every node once ---- */

void kt__walk_begin(kt__walk *w, kt_status (*visit)(kt_node *, void *), void *context)
{
    *w = (kt__walk){.reach = &w->seen, .visit = visit, .context = context};
}

kt_status kt__walk_from(kt__walk *w, kt_node *node)
{
    if (!w->seen.table && resize(&w->seen, 64))
        return kt_error_status();
    return look_from(w, node);
}

bool kt__walked(const kt__walk *w, const kt_node *node) { return w->seen.table && slot_of(&w->seen, node)->looked; }

void kt__walk_end(kt__walk *w)
{
    kt__system_put(w->stack, w->capacity * sizeof *w->stack);
    kt__reach_end(&w->seen);
}

kt_status kt__visit_behind(kt_node *node, uint64_t above, kt_status (*visit)(kt_node *, void *), void *context)
{
    kt__walk w;
    kt__walk_begin(&w, visit, context);
    w.lowest = above + 1;
    kt_status status = kt__walk_from(&w, node);
    kt__walk_end(&w);
    return status;
}

/* ---- nodes that lead to wanted ones ---- */

kt_status kt__reach_from(kt__reach *r, kt_node *const *roots, int64_t n_roots, const kt__wanted *wanted, int64_t n_wanted)
{
    walk      w = {.reach = r, .lowest = UINT64_MAX};
    kt_status status = resize(r, 64);
    for (int64_t i = 0; i < n_wanted && !status; i++) {
        if (!wanted[i].node)
            continue;
        reached *at = add(r, wanted[i].node);
        if (!at)
            return kt_error_status();
        at->wanted = true; /* no stack yet: nothing else to free */
        w.lowest = wanted[i].node->sequence < w.lowest ? wanted[i].node->sequence : w.lowest;
    }
    for (int64_t i = 0; i < n_roots && !status; i++)
        if (roots[i])
            status = look_from(&w, roots[i]);
    kt__system_put(w.stack, w.capacity * sizeof *w.stack);
    return status;
}

bool kt__reaches(const kt__reach *r, const kt_node *node)
{
    if (!node || !r->table)
        return node != NULL;
    const reached *at = slot_of(r, node);
    return at->node && (at->wanted || at->leads);
}

bool kt__is_wanted(const kt__reach *r, const kt_node *node)
{
    const reached *at = slot_of(r, node);
    return at->node && at->wanted;
}

void kt__reach_end(kt__reach *r)
{
    kt__system_put(r->table, r->capacity * sizeof(reached));
    r->table = NULL;
}
