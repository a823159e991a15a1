/* graph.c - what a node shows of itself: its place in the order, the forms of its results; a run of one node alone. In: nodes.
 * Out: facts, tensors. Independent of: backward, hooks, what a node keeps (kept.c). */
#include <string.h>

#include "base/scope.h"
#include "grad/formula.h"
#include "grad/run.h"

kt_node *kt_node_keep(kt_node *node) { return node ? kt__node_ref(node) : NULL; }

kt_node *kt_gradient_node(kt_tensor *t, int64_t *result)
{
    kt_node *node = NULL;
    uint32_t which = 0;
    if (!t || kt__producer(t, &node, &which) || !node)
        return NULL;
    if (result)
        *result = which;
    if (!kt__note_form_of(node, t))
        return node;
    kt__node_unref(node);
    return NULL;
}

uint64_t kt_node_sequence(const kt_node *node)
{
    return !node ? 0 : kt__is_accumulator(node) ? UINT64_MAX : node->sequence - 1;
}

/* ---- the forms of results ---- */

static bool is_sloped(uint8_t dtype) { return kt__dtype_rows[dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX); }

/* Indices and the like stand behind the results that a gradient may reach. */
int64_t kt_node_results(const kt_node *node)
{
    if (!node)
        return 0;
    if (node->n_results < 2 || node->type != &kt__node_operator)
        return node->n_results;
    uint32_t n = node->row->saves & SAVES_F ? 1 : node->row->saves & SAVES_P ? 2 : node->n_results;
    while (n > 1 && !is_sloped(node->results[n - 1].dtype))
        n--;
    return n;
}

bool kt_node_result(const kt_node *node, int64_t i, kt_dtype *dtype, kt_device *device, kt_shape *sizes)
{
    kt__form form;
    if (!node || !dtype || !device || !sizes || i < 0 || i >= kt_node_results(node))
        return false;
    if (kt__is_accumulator(node)) {
        form = (kt__form){node->leaf->sizes, kt__device(node->leaf), node->leaf->dtype, node->leaf->ndim};
    } else if (node->type == &kt__node_slices) {
        const kt__edge *to_base = &node->edge[node->given];
        form = (kt__form){node->base->sizes, {to_base->kind, to_base->index}, node->base->dtype, node->base->ndim};
    } else if (node->noted) {
        form = node->results[i];
    } else {
        return false;
    }
    *dtype = (kt_dtype)form.dtype;
    *device = form.device;
    *sizes = (kt_shape){form.ndim, form.sizes};
    return true;
}

/* A node of one result keeps no form: it is noted when somebody comes to the node from a tensor or an edge, and may ask. */
static bool lacks_form(const kt_node *node)
{
    return !node->noted && node->n_results == 1 && !kt__is_accumulator(node) && node->type != &kt__node_slices;
}

kt_status kt__note_form_of(kt_node *node, const kt_tensor *t)
{
    kt_tensor *one = (kt_tensor *)(uintptr_t)t;
    return lacks_form(node) ? kt__note_forms(node, &one, 1) : KT_OK;
}

kt_status kt__note_form_at(kt_node *node, const kt__edge *e)
{
    kt_tensor like = {.dtype = e->dtype, .backend = e->kind, .index = e->index, .ndim = e->ndim, .sizes = e->sizes};
    return kt__note_form_of(node, &like);
}

kt_status kt_node_tensor(kt_node *node, int64_t result, kt_tensor **t)
{
    kt_dtype  dtype;
    kt_device device;
    kt_shape  sizes;
    if (!t)
        return kt_fail(KT_ERR_TYPE, "kt_node_tensor: the pointer for the tensor is NULL");
    *t = NULL;
    if (kt__failed())
        return kt_error_status();
    if (!kt_node_result(node, result, &dtype, &device, &sizes))
        return kt_fail(KT_ERR_INDEX, "%s: the form of result %lld is not known", node ? kt__node_name(node) : "NULL",
                       (long long)result);
    if (kt__is_accumulator(node)) {
        *t = kt__ref(node->leaf);
        return KT_OK;
    }
    const int64_t zero[KT_MAX_DIMS] = {0};
    kt_tensor    *one = kt__tensor_new(dtype, device, KT_SHAPE(1)); /* memory of one element */
    if (!one || kt__tensor_set_geometry(one, sizes, (kt_shape){sizes.n, zero}, 0) ||
        kt__with_history(one, node, (uint32_t)result, t)) {
        kt__unref(one);
        return kt_error_status();
    }
    kt__unref(one);
    return KT_OK;
}

/* ---- a run ---- */

static kt_status run_alone(kt_node *node, kt_tensor **grads, bool *needs, kt_tensor **d)
{
    bool arrived = node->type->flags & (KT_NODE_ZEROS | KT_NODE_ALWAYS);
    for (uint32_t i = 0; i < node->n_edges; i++)
        needs[i] = node->edge[i].to != NULL;
    for (uint32_t i = 0; i < node->n_results; i++)
        arrived |= grads[i] != NULL;
    const kt_back    back = {.node = node, .grads = grads, .needs = needs, .d = d, .n_results = node->n_results,
                             .n_inputs = node->n_edges, .create_graph = (kt__mode() & KT_M_GRAD) != 0, .whole = true};
    const kt__naming outer = kt__node_enter(node->row, node->site);
    kt_guard         scope = kt_scope_open();
    kt_status        status = arrived ? kt__run_node(&back, grads) : kt__check_node(node);
    kt_scope_close(&scope);
    kt__named = outer;
    return status;
}

kt_status kt_node_run(kt_node *node, kt_tensor *const *grads, int64_t n_grads, kt_tensor **d, int64_t n_inputs)
{
    if (kt__failed())
        return kt_error_status();
    if (!node)
        return kt_fail(KT_ERR_TYPE, "expected a node, got NULL");
    if (n_grads != kt_node_results(node) || (n_grads && !grads) || n_inputs != node->n_edges || (n_inputs && !d))
        return kt_fail(KT_ERR_TYPE, "%s takes %lld gradients and gives %u, not %lld and %lld", kt__node_name(node),
                       (long long)kt_node_results(node), node->n_edges, (long long)n_grads, (long long)n_inputs);
    const size_t bytes = node->n_results * sizeof *grads + node->n_edges + 1;
    kt_tensor  **own = kt__system_get(bytes);
    if (!own)
        return kt__fail_memory(bytes);
    memset(own, 0, bytes);
    memset(d, 0, node->n_edges * sizeof *d);
    for (int64_t i = 0; i < n_grads; i++)
        own[i] = grads[i] ? kt__ref(grads[i]) : NULL;
    const kt_status status = run_alone(node, own, (bool *)(void *)(own + node->n_results), d);
    for (uint32_t i = 0; i < node->n_results; i++)
        kt__unref(own[i]);
    for (uint32_t i = 0; i < node->n_edges && status; i++) {
        kt__unref(d[i]);
        d[i] = NULL;
    }
    kt__system_put(own, bytes);
    return status;
}
