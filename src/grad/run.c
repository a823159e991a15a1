/* run.c - one node of backward: the gradients of its results become those of its inputs, by its row's formula or by what kind
 * of node it is. Order, sums and the form of gradients are not known here. */
#include <string.h>

#include "grad/run.h"

#include "base/scope.h"
#include "op/wrap.h"

kt_status kt__accumulate(kt_tensor *leaf, kt_tensor *g, bool history)
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

KT__HOT static kt_status run_formula(kt_node *node, kt_tensor *const *gs, const bool *needs, bool history, kt_tensor **d)
{
    kt__formula *formula = kt__formulas[node->row->id];
    if (!formula) {
        char site[128];
        const char *name = node->row->schema + (strncmp(node->row->schema, "nn_", 3) == 0 ? 3 : 0);
        kt_fail(KT_ERR_RUNTIME, "derivative for aten::%.*s%s is not implemented", (int)strcspn(name, ".("), name,
                node->form == KT_INPLACE ? "_" : "");
        if (kt__lineage.site_text && kt__lineage.site_text(node->site, site, sizeof site))
            kt_fail_more("\n  recorded at %s", site);
        return kt_error_status();
    }
    if (node->released && node->row->saves)
        return freed();
    kt__back c = {.node = node, .g = gs[0], .gs = gs, .n = node->n_edges, .needs = needs, .d = d, .history = history};
    formula(&c);
    if (kt__failed()) {
        for (uint32_t i = 0; i < node->n_edges; i++)
            d[i] = NULL; /* the scope's */
        return kt_error_status();
    }
    for (uint32_t i = 0; i < node->n_edges; i++)
        d[i] = !d[i] || kt__scope_take(d[i]) ? d[i] : kt__ref(d[i]);
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
        kt__tensor_new_strided((kt_dtype)on->dtype, kt__device(on), (kt_shape){node->base->ndim, node->base->sizes},
                               (kt_shape){node->base->ndim, node->base->strides});
    if (!t)
        return kt_error_status();
    if (from ? copy_over(t, from) : kt__fill_with(t, KT_INT(0))) {
        kt__unref(t);
        return kt_error_status();
    }
    *out = t;
    return KT_OK;
}

static kt_status run_slices(kt_node *node, kt_tensor *g, const bool *needs, bool history, kt_tensor **d)
{
    kt_tensor *whole = NULL, *part = NULL, *slice = NULL;
    kt_status  status = like_base(node, g, g, &whole);
    if (!status)
        status = as_strided(whole, &node->base[1], node->base->offset, &part);
    if (!status)
        status = kt__call1(KT_OP_clone, part, &slice);
    if (!status)
        status = run_formula(node->inner, &slice, needs, history, d);
    if (!status && d[0] && kt__unbroadcast(&d[0], &node->inner->edge[0]))
        status = kt_error_status();
    if (!status && needs[0])
        status = d[0] ? copy_over(part, d[0]) : kt__fill_with(part, KT_INT(0));
    kt__unref(d[0]);
    d[0] = status || !(needs[0]) ? NULL : kt__ref(whole);
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
        status = as_strided(whole, &node->base[1], node->base->offset, &part);
    if (!status)
        status = copy_over(part, g);
    kt__unref(part);
    if (status)
        kt__unref(whole);
    else
        d[0] = whole;
    return status;
}

KT__HOT kt_status kt__run_node(kt_node *node, kt_tensor *const *gs, const bool *needs, bool history, kt_tensor **d)
{
    switch (node->kind) {
    case NODE_ACCUMULATE: return kt__accumulate(node->leaf, gs[0], history);
    case NODE_SLICES:
        return node->inner->released && node->row->saves ? freed() : run_slices(node, gs[0], needs, history, d);
    case NODE_RESTRIDED: return run_restrided(node, gs[0], d);
    default: return run_formula(node, gs, needs, history, d);
    }
}
