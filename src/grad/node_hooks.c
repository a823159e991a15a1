/* node_hooks.c - hooks of nodes, and a binding's data of a node. In: functions that are shown a node's gradients before or after
 * it runs. Out: these gradients, possibly replaced. Independent of: the order of backward, hooks of tensors. */
#include "grad/hooks.h"

#include <string.h>

#include "base/scope.h"

kt_hook *kt__hook_find(const kt_node *node, kt__hook_kind kind)
{
    for (kt_hook *h = node->hooks; h; h = h->next)
        if (h->kind == kind && !atomic_load_explicit(&h->removed, memory_order_relaxed))
            return h;
    return NULL;
}

/* ---- putting them on ---- */

static bool wants_node(const kt_node *node, const void *call)
{
    if (kt__failed())
        return false;
    if (node && call)
        return true;
    kt_fail(KT_ERR_TYPE, "expected a %s, got NULL", node ? "hook" : "node");
    return false;
}

static kt_hook *add(kt_node *node, kt__hook_kind kind, const char *name, kt_node_hook_call call, void *context,
                    void (*release)(void *))
{
    kt_hook *h = NULL;
    if (!wants_node(node, (const void *)(uintptr_t)call) || !(h = kt__hook_new(kind, name ? name : "hook")))
        return NULL;
    atomic_init(&h->refs, 2); /* the list's and the handle's */
    h->node_call = call;
    h->context = context;
    h->release = release;
    kt__hook_append(&node->hooks, h);
    return h;
}

kt_hook *kt_node_hook_add_before(kt_node *node, const char *name, kt_node_hook_call call, void *context, void (*release)(void *))
{
    return add(node, HOOK_BEFORE, name, call, context, release);
}

kt_hook *kt_node_hook_add(kt_node *node, const char *name, kt_node_hook_call call, void *context, void (*release)(void *))
{
    return add(node, HOOK_AFTER, name, call, context, release);
}

/* ---- a binding's data ---- */

void *kt_node_data(const kt_node *node)
{
    const kt_hook *h = node ? kt__hook_find(node, HOOK_DATA) : NULL;
    return h ? h->context : NULL;
}

kt_status kt_node_set_data(kt_node *node, void *data, void (*release)(void *data))
{
    kt_hook *h = NULL, *before;
    if (!node)
        return kt_fail(KT_ERR_TYPE, "expected a node, got NULL");
    if (data && !(h = kt__hook_new(HOOK_DATA, "data")))
        return kt_error_status();
    if ((before = kt__hook_find(node, HOOK_DATA)))
        kt__hook_end(before);
    if (!h)
        return KT_OK;
    h->context = data;
    h->release = release;
    kt__hook_append(&node->hooks, h);
    return KT_OK;
}

/* ---- running them ---- */

/* now: the n gradients that the hook may replace. */
static kt_status run_one(const kt_hook *h, kt_node_grads *grads, kt_tensor **now, int64_t n)
{
    enum { FEW = 8 };
    kt_tensor   *few[FEW], **instead = few;
    const size_t bytes = (size_t)n * sizeof *instead;
    if (n > FEW && !(instead = kt__system_get(bytes)))
        return kt__fail_memory(bytes);
    memset(instead, 0, bytes);
    grads->instead = instead;
    grads->replaces = false;
    const kt__naming outer = kt__node_enter(NULL, 0); /* what a hook calls is the user's program */
    kt_guard         scope = kt_scope_open();
    kt_status        status = kt__hook_outcome(h, h->node_call(grads, h->context));
    for (int64_t i = 0; grads->replaces && i < n && !status; i++)
        status = kt__hook_check(h, now[i], instead[i]);
    for (int64_t i = 0; i < n; i++) {
        kt_tensor **left = grads->replaces && !status ? &now[i] : &instead[i];
        kt__unref(*left);
        *left = grads->replaces && !status ? instead[i] : NULL;
    }
    kt_scope_close(&scope);
    kt__named = outer;
    if (instead != few)
        kt__system_put(instead, bytes);
    return status;
}

static kt_status run_all(kt_node *node, kt__hook_kind kind, kt_tensor **grads, kt_tensor **d)
{
    kt__hooks_now s;
    kt_status     status = kt__hooks_snapshot(&s, node->hooks, kind);
    if (status)
        return status;
    for (size_t i = 0; i < s.n && !status; i++) {
        kt_node_grads shown = {.node = node, .inputs = d, .results = grads, .n_inputs = d ? node->n_edges : 0,
                               .n_results = kt_node_results(node)};
        status = run_one(s.hook[i], &shown, d ? d : grads, d ? shown.n_inputs : shown.n_results);
    }
    kt__hooks_snapshot_end(&s);
    return status;
}

kt_status kt__run_hooks_before(kt_node *node, kt_tensor **grads) { return run_all(node, HOOK_BEFORE, grads, NULL); }

kt_status kt__run_hooks_of_node(kt_node *node, kt_tensor **grads, kt_tensor **d) { return run_all(node, HOOK_AFTER, grads, d); }
