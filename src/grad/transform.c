/* transform.c - what functions that differentiate a function need beside backward: inputs of their own, and whether somebody else
 * wants the graph of their gradients. In: the caller's tensors. Out: aliases; an answer. No gradient is computed here.
 *
 * A transform calls the function with aliases of its inputs and asks for the gradients of these. Transforms nest because an alias
 * of a tensor that wants a gradient is computed from it: the outer one differentiates through the inner. */
#include <karat/grad.h>

#include "base/alloc.h"
#include "call/wrap.h"
#include "grad/run.h"

kt_tensor *kt_grad_alias(kt_tensor *t)
{
    if (kt__failed())
        return NULL;
    if (!t) {
        kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
        return NULL;
    }
    if (kt__wants_grad(t) && kt__mode() & KT_M_GRAD)
        return kt_view_as(t, t);
    kt_tensor *alias = kt__tensor_alias(t);
    if (!alias || (kt__is_dual(t) && kt__share_tangents(alias, t)) || kt_set_requires_grad(alias, true) || kt__scope_add(alias)) {
        kt__unref(alias);
        return NULL;
    }
    return alias;
}

kt_status kt_transform_begin(kt_tensor *const *given, int64_t n)
{
    if (!kt__is_list(n, given, sizeof *given))
        return kt_fail(KT_ERR_VALUE, "kt_transform_begin: %lld tensors at %s", (long long)n, given ? "an address" : "NULL");
    for (int64_t i = 0; i < n; i++)
        if (!given[i])
            return kt_fail(KT_ERR_TYPE, "kt_transform_begin: tensor %lld is NULL", (long long)i);
    const size_t   bytes = sizeof(kt__transform) + (size_t)n * sizeof(kt_storage *);
    kt__transform *made = kt__system_get(bytes);
    if (!made)
        return kt__fail_memory(bytes);
    made->outer = kt__transform_now;
    made->id = 1 + atomic_fetch_add_explicit(&kt__transforms_begun, 1, memory_order_relaxed);
    made->n = n;
    for (int64_t i = 0; i < n; i++)
        made->given[i] = given[i]->storage;
    kt__transform_now = made;
    return KT_OK;
}

kt_status kt_transform_end(void)
{
    kt__transform *ended = kt__transform_now;
    if (!ended)
        return kt_fail(KT_ERR_RUNTIME, "kt_transform_end: no transform was begun");
    kt__transform_now = ended->outer;
    kt__system_put(ended, sizeof *ended + (size_t)ended->n * sizeof *ended->given);
    return KT_OK;
}

static kt_tensor *constant(kt_tensor *t) /* owned */
{
    kt_tensor *made;
    if (t->flags & KT_T_BATCHED) {
        const kt__example *b = kt__example_of(t);
        kt_tensor         *value = constant(b->value);
        made = value ? kt__tensor_batched(value, b->dim, b->level) : NULL;
        kt__unref(value);
    } else {
        made = kt__tensor_alias(t);
    }
    for (uint64_t left = made ? kt_dual_levels(t) : 0; left && made; left &= left - 1) {
        const int  level = __builtin_ctzll(left);
        kt_tensor *tangent = NULL, *its = NULL;
        if (kt__tangent_at(t, level, &tangent) || !(its = constant(tangent)) || kt__set_tangent(made, its, level)) {
            kt__unref(made);
            made = NULL;
        }
        kt__unref(tangent);
        kt__unref(its);
    }
    return made;
}

kt_tensor *kt_grad_constant(kt_tensor *t)
{
    if (kt__failed())
        return NULL;
    if (!t) {
        kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
        return NULL;
    }
    kt_tensor *made = constant(t);
    if (made && kt__scope_add(made)) {
        kt__unref(made);
        return NULL;
    }
    return made;
}

typedef struct beyond {
    kt_tensor *const *inputs;
    int64_t           n;
    bool              found;
} beyond;

/* A leaf that the function made itself is nobody else's. */
static bool is_among(const beyond *b, const kt_tensor *leaf)
{
    if (kt__transform_now && leaf->storage->born >= kt__transform_now->id)
        return true;
    for (int64_t i = 0; i < b->n; i++)
        if (b->inputs[i] == leaf)
            return true;
    return false;
}

static kt_status look(kt_node *node, void *context)
{
    beyond *b = context;
    for (uint32_t i = 0; i < node->n_edges; i++) {
        const kt_node *to = node->edge[i].to;
        b->found |= to && kt__is_accumulator(to) && !is_among(b, to->leaf);
    }
    return KT_OK;
}

/* The graph of t, and those of the values it shows one example of. */
static kt_status look_behind(kt__walk *walk, beyond *b, kt_tensor *t)
{
    kt_status status = KT_OK;
    for (; t && !status && !b->found; t = t->flags & KT_T_BATCHED ? kt__example_of(t)->value : NULL) {
        kt_node *node = NULL;
        uint32_t result = 0;
        status = kt__producer(t, &node, &result);
        if (!status && node) {
            b->found |= kt__is_accumulator(node) && !is_among(b, node->leaf);
            status = kt__walk_from(walk, node);
        }
        kt__node_unref(node);
    }
    return status;
}

/* An input that is no leaf was computed from something. */
static bool comes_from_elsewhere(const kt_tensor *t)
{
    if (t && t->flags & KT_T_REQUIRES_GRAD && !(t->flags & KT_T_LEAF))
        return true;
    while (t && t->flags & KT_T_BATCHED) {
        t = kt__example_of(t)->value;
        if (kt__wants_grad(t))
            return true;
    }
    return false;
}

bool kt_depends_beyond(kt_tensor *const *outputs, int64_t n_outputs, kt_tensor *const *inputs, int64_t n_inputs)
{
    kt__walk  walk;
    beyond    b = {inputs, n_inputs, false};
    kt_status status = KT_OK;
    if (kt__failed())
        return false;
    if (!kt__is_list(n_outputs, outputs, sizeof *outputs) || !kt__is_list(n_inputs, inputs, sizeof *inputs)) {
        kt_fail(KT_ERR_VALUE, "kt_depends_beyond: %lld and %lld tensors", (long long)n_outputs, (long long)n_inputs);
        return false;
    }
    for (int64_t i = 0; i < n_inputs && !b.found; i++)
        b.found = comes_from_elsewhere(inputs[i]);
    kt__walk_begin(&walk, look, &b);
    for (int64_t i = 0; i < n_outputs && !b.found && !status; i++)
        status = look_behind(&walk, &b, outputs[i]);
    kt__walk_end(&walk);
    return b.found;
}
