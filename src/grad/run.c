/* run.c - one node of backward: the gradients of its results become those of its inputs, by its row's formula or by what kind
 * of node it is. Order, sums and the form of gradients are not known here. */
#include <string.h>

#include "grad/run.h"

#include "base/scope.h"
#include "op/wrap.h"

static kt_status freed(void)
{
    return kt_fail(
        KT_ERR_RUNTIME,
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward.");
}

/* What fails in backward is mended in the forward: its operator and line. */
static KT__COLD void say_forward(const kt_node *node)
{
    char site[128], op[64];
    if (kt_error_status() != KT_ERR_FOREIGN && kt__lineage.site_text && kt__lineage.site_text(node->site, site, sizeof site))
        kt_fail_more("\n  in the backward of %s, recorded at %s",
                     kt__row_said(node->row, kt__lineage.in_binding && kt__lineage.in_binding(), op, sizeof op), site);
}

/* A node that only says that it has no derivative; out= may leave one too. */
static bool is_opaque(const kt_node *node)
{
    return !node->row->node || node->form == KT_OUT || strcmp(node->row->node, "NotImplemented") == 0;
}

/* PyTorch has two ways to say so: such nodes, and derivatives that it names and does not have. */
static kt_status not_derived(const kt_node *node)
{
    const char *name = kt__schema_said(node->row);
    const int   length = (int)strcspn(name, ".(");
    if (is_opaque(node))
        kt_fail(KT_ERR_RUNTIME, "derivative for aten::%.*s%s is not implemented", length, name,
                node->form == KT_INPLACE ? "_" : "");
    else
        kt_fail(KT_ERR_NOT_IMPLEMENTED, "the derivative for '%.*s' is not implemented.", length, name);
    say_forward(node);
    return kt_error_status();
}

KT__HOT kt_status kt__run_formula(kt_node *node, kt_tensor *const *gs, const bool *needs, bool history, kt_tensor **d)
{
    kt__formula *formula = kt__formulas[node->row->id];
    if (!formula || node->form == KT_OUT)
        return not_derived(node);
    if (node->released)
        return freed();
    kt__back c = {.node = node, .g = gs[0], .gs = gs, .n = node->n_edges, .needs = needs, .d = d, .history = history};
    formula(&c);
    if (kt__failed()) {
        say_forward(node);
        for (uint32_t i = 0; i < node->n_edges; i++)
            d[i] = NULL; /* the scope's */
        return kt_error_status();
    }
    for (uint32_t i = 0; i < node->n_edges; i++)
        d[i] = !d[i] || kt__scope_take(d[i]) ? d[i] : kt__ref(d[i]);
    return KT_OK;
}

KT__HOT static kt_status check_places(kt_node *runs)
{
    for (uint32_t place = 0; place < SAVED_LISTED + runs->n_listed; place++) {
        if (place < SAVED_LISTED && !(runs->holds >> place & 1))
            continue;
        if (kt__check_saved(runs, place)) {
            say_forward(runs);
            return kt_error_status();
        }
    }
    return KT_OK;
}

/* A formula may read a part of what was saved; PyTorch looks at all of it. */
KT__HOT kt_status kt__check_all_saved(kt_node *node)
{
    kt_node *runs = node->kind == NODE_SLICES ? node->inner : node;
    return runs->released || !kt__formulas[runs->row->id] ? KT_OK : check_places(runs);
}

kt_status kt__check_node(kt_node *node)
{
    kt_node *runs = node->kind == NODE_SLICES ? node->inner : node;
    if (is_opaque(runs))
        return not_derived(runs);
    if (runs->released)
        return freed();
    return check_places(runs);
}

KT__HOT kt_status kt__run_node(kt_node *node, kt_tensor *const *gs, const bool *needs, bool history, kt_tensor **d)
{
    switch (node->kind) {
    case NODE_SLICES:
        return node->inner->released ? freed() : kt__run_slices(node, gs[0], needs, history, d);
    default: return kt__run_formula(node, gs, needs, history, d);
    }
}
