/* engine.c - backward: gradients flow from the root along the edges. Nodes run in falling order of their sequence numbers,
 * which is an order in which every consumer of a tensor runs before its producer; the ready ones wait in a heap.
 * Un-broadcasting, casting to the input's dtype and adding up happen here, so that a formula is only mathematics. */
#include <string.h>

#include "base/alloc.h"
#include "base/scope.h"
#include "grad/grad.h"
#include "op/wrap.h"

typedef struct waiting {
    kt_node   *node; /* alive as long as the root's node is: that one is held */
    kt_tensor *grad; /* owned: the sum so far */
} waiting;

typedef struct heap {
    waiting *at;
    size_t   n, capacity;
    waiting  few[32];
} heap;

static void sift_up(heap *h, size_t i)
{
    while (i > 0 && h->at[(i - 1) / 2].node->sequence < h->at[i].node->sequence) {
        waiting swap = h->at[i];
        h->at[i] = h->at[(i - 1) / 2];
        h->at[(i - 1) / 2] = swap;
        i = (i - 1) / 2;
    }
}

static waiting pop(heap *h)
{
    waiting top = h->at[0];
    h->at[0] = h->at[--h->n];
    for (size_t i = 0;;) {
        size_t big = i, left = 2 * i + 1, right = left + 1;
        if (left < h->n && h->at[left].node->sequence > h->at[big].node->sequence)
            big = left;
        if (right < h->n && h->at[right].node->sequence > h->at[big].node->sequence)
            big = right;
        if (big == i)
            return top;
        waiting swap = h->at[i];
        h->at[i] = h->at[big];
        h->at[big] = swap;
        i = big;
    }
}

static waiting *find(heap *h, const kt_node *node)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i].node == node)
            return &h->at[i];
    return NULL;
}

static kt_status grow(heap *h)
{
    size_t   bigger = h->capacity * 2;
    waiting *more = kt__system_get(bigger * sizeof *more);
    if (!more)
        return kt__fail_memory(bigger * sizeof *more);
    memcpy(more, h->at, h->n * sizeof *more);
    if (h->at != h->few)
        kt__system_put(h->at, h->capacity * sizeof *more);
    h->at = more;
    h->capacity = bigger;
    return KT_OK;
}

/* Adds a gradient to what waits for a node. Takes over the reference. */
static kt_status give(heap *h, kt_node *node, kt_tensor *grad)
{
    waiting *w = find(h, node);
    if (w) {
        kt_tensor *sum = NULL;
        kt_status  status = kt__call2(KT_OP_add, w->grad, grad, &sum);
        kt__unref(grad);
        if (status)
            return status;
        kt__unref(w->grad);
        w->grad = sum;
        return KT_OK;
    }
    if (h->n == h->capacity && grow(h)) {
        kt__unref(grad);
        return kt_error_status();
    }
    h->at[h->n] = (waiting){node, grad};
    sift_up(h, h->n++);
    return KT_OK;
}

/* ---- the form of a gradient ---- */

static bool fits(const kt_tensor *g, const kt__edge *e)
{
    if (g->dtype != e->dtype || g->ndim != e->ndim)
        return false;
    for (int i = 0; i < e->ndim; i++)
        if (g->sizes[i] != e->sizes[i])
            return false;
    return true;
}

/* Sums over the dims that the forward pass broadcast. */
static kt_status unbroadcast(kt_tensor **g, const kt__edge *e)
{
    int64_t dims[KT_MAX_DIMS];
    int     lead = (*g)->ndim - e->ndim, n = 0;
    for (int i = 0; i < (*g)->ndim; i++)
        if (i < lead || (e->sizes[i - lead] == 1 && (*g)->sizes[i] != 1))
            dims[n++] = i;
    for (int i = 0; lead >= 0 && i < e->ndim; i++)
        if (e->sizes[i] != 1 && (*g)->sizes[i + lead] != e->sizes[i])
            lead = -1;
    if (lead < 0) {
        char has[256], wants[256];
        kt__shape_text(has, sizeof has, kt__sizes(*g));
        kt__shape_text(wants, sizeof wants, (kt_shape){e->ndim, e->sizes});
        return kt_fail(KT_ERR_RUNTIME, "a gradient of shape %s does not fit an input of shape %s", has, wants);
    }
    if (!n)
        return KT_OK;
    kt_call c;
    kt__open(&c, KT_OP_sum_dim, KT_PLAIN);
    kt__put_tensor(&c, 0, *g);
    kt__put(&c, 1, ints, ((kt_shape){n, dims}));
    kt__put(&c, 2, b, true);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(*g);
    *g = c.out[0];
    if (lead == 0)
        return KT_OK;
    kt__open(&c, KT_OP_view, KT_PLAIN);
    kt__put_tensor(&c, 0, *g);
    kt__put(&c, 1, ints, ((kt_shape){e->ndim, e->sizes}));
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(*g);
    *g = c.out[0];
    return KT_OK;
}

/* A gradient is always given to a tensor in that tensor's dtype: a recorded conversion, which no policy refuses, since the
 * forward conversion that it mirrors was allowed. */
static kt_status form(kt_tensor **g, const kt__edge *e)
{
    if (unbroadcast(g, e))
        return kt_error_status();
    if ((*g)->dtype == e->dtype)
        return KT_OK;
    kt_mode_guard guard = kt_policy_open(KT_PERMISSIVE);
    kt_tensor    *cast = NULL;
    kt_status     status = kt_convert(*g, (kt_dtype)e->dtype, KT_WHY_GRADIENT, &cast);
    kt_mode_close(&guard);
    if (status)
        return status;
    kt__unref(*g);
    *g = cast;
    return KT_OK;
}

/* ---- running nodes ---- */

static kt_status accumulate(kt_tensor *leaf, kt_tensor *g, bool history)
{
    struct kt_autograd *a = kt__autograd_of(leaf);
    kt_tensor          *next = NULL;
    if (!a)
        return kt_error_status();
    if (!a->grad) {
        bool sole = atomic_load_explicit(&g->refs, memory_order_acquire) == 1 && kt__is_contiguous(g) &&
                    !(g->flags & KT_T_VIEW);
        if (sole || history)
            next = kt__ref(g);
        else if (kt__call1(KT_OP_clone, g, &next))
            return kt_error_status();
    } else if (history) {
        if (kt__call2(KT_OP_add, a->grad, g, &next))
            return kt_error_status();
    } else {
        kt_call c;
        kt__open(&c, KT_OP_add, KT_INPLACE);
        kt__put_tensor(&c, 0, a->grad);
        kt__put_tensor(&c, 1, g);
        if (kt_call_run(&c))
            return kt_error_status();
        kt__unref(c.out[0]);
        return KT_OK;
    }
    kt__unref(a->grad);
    a->grad = next;
    return KT_OK;
}

static kt_status freed(void)
{
    return kt_fail(
        KT_ERR_RUNTIME,
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward.");
}

static kt_status run_formula(kt_node *node, kt_tensor *g, uint32_t need, bool history, kt_tensor **d)
{
    kt__formula *formula = kt__formulas[node->row->id];
    if (!formula) {
        char site[128];
        kt_fail(KT_ERR_RUNTIME, "derivative for aten::%s is not implemented", node->row->name);
        if (kt__lineage.site_text && kt__lineage.site_text(node->site, site, sizeof site))
            kt_fail_more("\n  recorded at %s", site);
        return kt_error_status();
    }
    if (node->released && node->row->saves)
        return freed();
    kt__back c = {.node = node, .g = g, .need = need, .history = history};
    formula(&c);
    if (kt__failed())
        return kt_error_status();
    for (int i = 0; i < node->n_edges; i++)
        d[i] = !c.d[i] || kt__scope_take(c.d[i]) ? c.d[i] : kt__ref(c.d[i]);
    return KT_OK;
}

static kt_status as_strided(kt_tensor *t, const kt__geometry *g, int64_t origin, kt_tensor **out)
{
    kt_call c;
    kt__open(&c, KT_OP_as_strided, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, ints, ((kt_shape){g->ndim, g->sizes}));
    kt__put(&c, 2, ints, ((kt_shape){g->ndim, g->strides}));
    kt__put(&c, 3, i, g->offset - origin);
    if (kt_call_run(&c))
        return kt_error_status();
    *out = c.out[0];
    return KT_OK;
}

static kt_status copy_over(kt_tensor *to, kt_tensor *from)
{
    kt_call c;
    kt__open(&c, KT_OP_copy, KT_INPLACE);
    kt__put_tensor(&c, 0, to);
    kt__put_tensor(&c, 1, from);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(c.out[0]);
    return KT_OK;
}

/* A gradient with the base's own layout, so that the view's geometry reaches the same elements in it. */
static kt_status like_base(const kt_node *node, const kt_tensor *on, kt_tensor *from, kt_tensor **out)
{
    kt_tensor *t =
        kt__tensor_new_strided((kt_dtype)on->dtype, kt__device(on), (kt_shape){node->base.ndim, node->base.sizes},
                               (kt_shape){node->base.ndim, node->base.strides});
    if (!t)
        return kt_error_status();
    if (from ? copy_over(t, from) : kt__fill_with(t, KT_INT(0))) {
        kt__unref(t);
        return kt_error_status();
    }
    *out = t;
    return KT_OK;
}

static kt_status run_slices(kt_node *node, kt_tensor *g, uint32_t need, bool history, kt_tensor **d)
{
    kt_tensor *whole = NULL, *part = NULL, *slice = NULL;
    kt_status  status = like_base(node, g, g, &whole);
    if (!status)
        status = as_strided(whole, &node->view, node->base.offset, &part);
    if (!status)
        status = kt__call1(KT_OP_clone, part, &slice);
    if (!status)
        status = run_formula(node->inner, slice, need, history, d);
    if (!status && d[0] && unbroadcast(&d[0], &node->inner->edge[0]))
        status = kt_error_status();
    if (!status && need & 1)
        status = d[0] ? copy_over(part, d[0]) : kt__fill_with(part, KT_INT(0));
    kt__unref(d[0]);
    d[0] = status || !(need & 1) ? NULL : kt__ref(whole);
    kt__unref(whole);
    kt__unref(part);
    kt__unref(slice);
    return status;
}

static kt_status run_restrided(kt_node *node, kt_tensor *g, kt_tensor **d)
{
    kt_tensor *whole = NULL, *part = NULL;
    kt_status  status = like_base(node, g, NULL, &whole);
    if (!status)
        status = as_strided(whole, &node->view, node->base.offset, &part);
    if (!status)
        status = copy_over(part, g);
    kt__unref(part);
    if (status)
        kt__unref(whole);
    else
        d[0] = whole;
    return status;
}

static kt_status run_node(heap *h, kt_node *node, kt_tensor *g, bool retain, bool history)
{
    kt_tensor *d[KT_MAX_EDGES] = {NULL};
    uint32_t   need = 0;
    kt_status  status = KT_OK;
    if (node->kind == NODE_ACCUMULATE)
        return accumulate(node->leaf, g, history);
    for (int i = 0; i < node->n_edges; i++)
        need |= (uint32_t)(node->edge[i].to != NULL) << i;
    KT_SCOPE; /* the formula's temporaries */
    if (node->kind == NODE_SLICES)
        status = node->inner->released && node->row->saves ? freed() : run_slices(node, g, need, history, d);
    else if (node->kind == NODE_RESTRIDED)
        status = run_restrided(node, g, d);
    else
        status = run_formula(node, g, need, history, d);
    for (int i = 0; i < node->n_edges; i++) {
        kt__edge *e = &node->edge[i];
        if (!status && d[i] && e->to) {
            if (!fits(d[i], e))
                status = form(&d[i], e);
            if (!status) {
                status = give(h, e->to, d[i]);
                d[i] = NULL;
            }
        }
        kt__unref(d[i]);
    }
    if (!status && !retain)
        kt__node_release_saved(node);
    return status;
}

kt_status kt__backward(kt_tensor *root, kt_tensor *gradient, bool retain_graph, bool create_graph)
{
    heap      h = {.n = 0, .capacity = sizeof h.few / sizeof *h.few};
    kt_node  *start = NULL;
    kt_status status = KT_OK;
    h.at = h.few;
    if (kt__producer(root, &start))
        return kt_error_status();
    status = give(&h, start, kt__ref(gradient));
    uint64_t mode = kt__mode();
    kt_set_grad_enabled(create_graph);
    while (!status && h.n) {
        waiting w = pop(&h);
        status = run_node(&h, w.node, w.grad, retain_graph, create_graph);
        kt__unref(w.grad);
    }
    kt__mode_word = mode;
    while (h.n)
        kt__unref(h.at[--h.n].grad);
    kt__node_unref(start);
    if (h.at != h.few)
        kt__system_put(h.at, h.capacity * sizeof *h.at);
    return status;
}
