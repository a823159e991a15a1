/* views.c - views in the tape's eyes: a write through one changes its base's history, a write to the base changes the
 * history of its views, and some views cannot be followed at all. */
#include <string.h>

#include "grad/grad.h"

static int64_t *geometry_into(kt__geometry *g, const kt_tensor *t, int64_t *room)
{
    g->ndim = t->ndim;
    g->offset = kt__offset(t);
    g->sizes = room;
    g->strides = room + t->ndim;
    memcpy(g->sizes, t->sizes, (size_t)t->ndim * sizeof(int64_t));
    memcpy(g->strides, t->strides, (size_t)t->ndim * sizeof(int64_t));
    return room + 2 * t->ndim;
}

/* A node that knows the geometry of a view and of its base; edge 0 leads to what made the base. */
static kt_node *node_of_both(kt__node_kind kind, uint32_t n_edges, kt_tensor *view, kt_tensor *base)
{
    enum { ROOM = 2 * sizeof(kt__geometry) / sizeof(int64_t) };
    kt__node_parts parts = {.edges = n_edges, .ints = ROOM + 3 * base->ndim + 2 * view->ndim};
    kt_node       *n = kt__node_new(kind, parts), *to = NULL;
    uint32_t       result = 0;
    if (!n)
        return NULL;
    int64_t *room = kt__node_ints(n, parts);
    n->base = (kt__geometry *)(void *)room;
    room = geometry_into(&n->base[0], base, room + ROOM);
    room = geometry_into(&n->base[1], view, room);
    kt__edge_form(&n->edge[0], base, room);
    if (kt__producer(base, &to, &result)) {
        kt__node_unref(n);
        return NULL;
    }
    kt__set_edge(n, 0, to, result);
    return n;
}

/* The view's history made anew from its base, which was written to since. */
kt_status kt__restride(kt_tensor *view)
{
    kt_node *n = node_of_both(NODE_RESTRIDED, 1, view, view->base);
    if (!n)
        return kt_error_status();
    n->row = &kt__rows[KT_OP_as_strided];
    return kt__link_result(view, n, 0);
}

/* A write through a view changes the base's history: part of it now comes from the written value. */
kt_status kt__rebase(kt_tensor *view, kt_node *inner)
{
    kt_tensor *base = view->base;
    kt_node   *n = node_of_both(NODE_SLICES, inner->n_edges, view, base);
    if (!n) {
        kt__node_unref(inner);
        return kt_error_status();
    }
    n->row = inner->row;
    n->inner = inner;
    for (uint32_t i = 1; i < inner->n_edges; i++) { /* the other inputs hang on the outer node alone */
        n->edge[i] = inner->edge[i];
        kt__set_edge(n, i, inner->edge[i].to, inner->edge[i].result);
        inner->edge[i].to = NULL;
    }
    if (kt__link_result(base, n, 0))
        return kt_error_status();
    return kt__restride(view);
}

kt_status kt__view_rules(const kt_tensor *t, bool written)
{
    if (!(t->flags & (KT_T_UNFOLLOWED | KT_T_ONE_OF_MANY)))
        return KT_OK;
    const char *done = written ? "is being modified inplace" : "its base or another view of its base has been modified inplace";
    char        opening[128] = "A view was created in no_grad mode";
    bool        named = !(t->flags & KT_T_UNFOLLOWED) && t->autograd && t->autograd->node;
    if (named)
        snprintf(opening, sizeof opening, "Output %u of %s is a view", t->autograd->result, kt__node_name(t->autograd->node));
    return kt_fail(KT_ERR_RUNTIME, "%s and %s%s. %s", opening, done, named ? "" : " with grad mode enabled",
                   t->flags & KT_T_UNFOLLOWED
                       ? "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
                         "by moving both the view and the inplace either both inside the no_grad block (if you don't want "
                         "the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
                       : "This view is the output of a function that returns multiple views. Such functions do not allow "
                         "the output views to be modified inplace. You should replace the inplace operation by an "
                         "out-of-place one.");
}
