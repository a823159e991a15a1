/* custom.c - nodes that are not operators (plugin/node.h). In: a type, the inputs, the tensors to save, the results. Out:
 * a node that the engine runs like any other. */
#include "grad/custom.h"

#include <string.h>

static kt_status no_node(void) { return kt_fail(KT_ERR_TYPE, "expected a node, got NULL"); }

static bool is_list(const void *items, int64_t n) { return n >= 0 && n <= KT_NODE_MOST && (n == 0 || items); }

uint32_t kt__context_bytes(const kt_node_type *type) { return (type->context + 15) & ~(uint32_t)15; }

void kt__custom_begin(kt_node *node)
{
    if (node->type->context)
        memset(kt_node_context(node), 0, node->type->context);
    for (uint32_t i = 0; i < node->n_listed; i++)
        kt__saved_at(node, i)->t = NULL;
}

kt_status kt_node_make(const kt_node_type *type, kt_tensor *const *inputs, int64_t n_inputs, int64_t n_saved, kt_node **made)
{
    if (!made)
        return kt_fail(KT_ERR_TYPE, "kt_node_make: the pointer for the node is NULL");
    *made = NULL;
    if (kt__check_node_type(type))
        return kt_error_status();
    if (!is_list(inputs, n_inputs) || n_saved < 0 || n_saved > KT_NODE_MOST)
        return kt_fail(KT_ERR_VALUE, "a node of %lld inputs at %s that saves %lld tensors", (long long)n_inputs,
                       inputs ? "an address" : "NULL", (long long)n_saved);
    const bool     records = kt__mode() & KT_M_GRAD && !kt__born_flags;
    kt__node_parts parts = {.edges = (uint32_t)n_inputs, .saved = (uint32_t)n_saved, .context = kt__context_bytes(type)};
    for (int64_t i = 0; i < n_inputs; i++)
        parts.ints += records && kt__wants_grad(inputs[i]) ? inputs[i]->ndim : 0;
    kt_node *node = kt__node_new(type, ++kt__tape_clock, parts);
    if (!node)
        return kt_error_status();
    node->n_listed = parts.saved;
    kt__custom_begin(node);
    int64_t *room = kt__node_ints(node, parts);
    for (int64_t i = 0; i < n_inputs; i++) {
        if (!records || !kt__wants_grad(inputs[i]))
            continue;
        kt_node *to = NULL;
        uint32_t result = 0;
        if (kt__producer(inputs[i], &to, &result)) {
            kt__node_unref(node);
            return kt_error_status();
        }
        kt__edge_form(&node->edge[i], inputs[i], room);
        room += inputs[i]->ndim;
        kt__set_edge(node, (uint32_t)i, to, result);
        node->asked = true;
    }
    if (KT__UNLIKELY(kt__inducer != NULL) && kt__note_inducer(node)) {
        kt__node_unref(node);
        return kt_error_status();
    }
    *made = node;
    return KT_OK;
}

/* Does anything refer to the node? Until then it may move. */
static bool is_new(const kt_node *node)
{
    return !kt_node_is_shared(node) && !node->noted && !node->row && !kt__is_accumulator(node);
}

static const kt_node_type moved = {.name = "moved"}; /* has nothing to release */

/* All that a new node has is its edges, hooks and context. */
static void move(kt_node *from, kt_node *to, int64_t *room)
{
    to->site = from->site;
    to->asked = from->asked;
    to->sequence = from->sequence;
    to->hooks = from->hooks;
    from->hooks = NULL;
    for (uint32_t i = 0; i < from->n_edges; i++) {
        kt__edge *edge = &to->edge[i];
        *edge = from->edge[i];
        from->edge[i].to = NULL;
        if (!edge->to)
            continue;
        memcpy(room, edge->sizes, edge->ndim * sizeof *room);
        edge->sizes = room;
        room += edge->ndim;
    }
    if (from->type->context)
        memcpy(kt_node_context(to), kt_node_context(from), from->type->context);
    from->type = &moved;
}

kt_status kt_node_settle(kt_node **node, const kt_node_type *type, int64_t n_saved)
{
    kt_node *from = node ? *node : NULL;
    if (!from)
        return no_node();
    if (kt__check_node_type(type))
        return kt_error_status();
    if (type->context != from->type->context)
        return kt_fail(KT_ERR_VALUE, "%s cannot become %s: its context has another size", kt__node_name(from), type->name);
    if (n_saved < 0 || n_saved > KT_NODE_MOST)
        return kt_fail(KT_ERR_VALUE, "%s: %lld places for tensors", kt__node_name(from), (long long)n_saved);
    if (!is_new(from) || from->n_listed)
        return kt_fail(KT_ERR_RUNTIME, "%s has its places already", kt__node_name(from));
    if (n_saved == 0) {
        from->type = type;
        return KT_OK;
    }
    kt__node_parts parts = {.edges = from->n_edges, .saved = (uint32_t)n_saved, .context = kt__context_bytes(type)};
    for (uint32_t i = 0; i < from->n_edges; i++)
        parts.ints += from->edge[i].to ? from->edge[i].ndim : 0;
    kt__streams *now = kt__streams_now;
    kt__streams_now = kt__node_streams(from);
    kt_node *made = kt__node_new(type, from->sequence, parts);
    kt__streams_now = now;
    if (!made)
        return kt_error_status();
    made->n_listed = parts.saved;
    kt__custom_begin(made);
    move(from, made, kt__node_ints(made, parts));
    kt__node_unref(from);
    *node = made;
    return KT_OK;
}

kt_status kt_fail_freed(void) { return kt__fail_freed(); }

void kt_increment_version(kt_tensor *t)
{
    if (t)
        kt__bump_version(t);
}

const kt_node *kt_node_of(const kt_tensor *t) { return t && t->autograd ? t->autograd->node : NULL; }

const kt_node_type *kt_node_type_of(const kt_node *node) { return node ? node->type : NULL; }

void *kt_node_context(kt_node *node)
{
    const uint32_t after = node && node->streamed ? KT__STREAMS_ROOM : 0;
    return node && node->type->context ? (char *)node + node->bytes - after - kt__context_bytes(node->type) : NULL;
}

bool kt_node_needs(const kt_node *node, int64_t input)
{
    return node && input >= 0 && input < node->n_edges && node->edge[input].to;
}

bool kt_node_is_shared(const kt_node *node)
{
    return node && atomic_load_explicit(&node->refs, memory_order_acquire) > 1;
}

/* ---- saved tensors ---- */

/* Is t a result of the node: linked to it, or to the write through a view that contains it? */
static bool is_result(const kt_node *node, const kt_tensor *t, uint32_t *result)
{
    if (t->autograd && t->autograd->node == node) {
        *result = t->autograd->result;
        return true;
    }
    *result = 0;
    return node->within && t->base && t->base->autograd && t->base->autograd->node == node->outer;
}

static kt_status check_place(const kt_node *node, int64_t place)
{
    if (place >= 0 && place < node->n_listed && !node->n_fixed)
        return KT_OK;
    return kt_fail(KT_ERR_INDEX, "%s keeps %u tensors: there is no place %lld", kt__node_name(node),
                   node->n_fixed ? 0 : node->n_listed, (long long)place);
}

kt_status kt_node_save(kt_node *node, int64_t place, kt_tensor *t)
{
    uint32_t result = 0;
    if (!node)
        return no_node();
    if (node->released)
        return kt__fail_freed();
    if (check_place(node, place))
        return kt_error_status();
    if (t && t->flags & KT_T_INFERENCE)
        return kt__refuse_inference();
    kt__saved *s = kt__saved_at(node, (uint32_t)place);
    if (s->t && s->kind == SAVED_PACKED)
        kt__packed_free(s);
    kt_tensor *before = s->t;
    if (!t)
        s->t = NULL;
    else if (!is_result(node, t, &result))
        kt__save_input(node, (uint32_t)place, t, t->dtype);
    else if (kt__save_output(node, (uint32_t)place, t, result))
        return kt_error_status();
    kt__unref(before);
    return KT__UNLIKELY(kt__packs != NULL) && t ? kt__pack(node, (uint32_t)place) : KT_OK;
}

kt_status kt_node_saved(kt_node *node, int64_t place, kt_tensor **t)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "kt_node_saved: the pointer for the tensor is NULL");
    *t = NULL;
    if (!node)
        return no_node();
    if (node->released)
        return kt__fail_freed();
    if (place < 0 || place >= kt__n_saved(node))
        return check_place(node, place);
    return kt__unpack_as_saved(node, (uint32_t)place, true, t);
}

int64_t kt_node_n_saved(const kt_node *node) { return node && !node->n_fixed ? node->n_listed : 0; }

/* ---- results ---- */

static kt_status check_written(const kt_node *node, const kt_tensor *t, int64_t input, int64_t n)
{
    if (input >= node->n_edges)
        return kt_fail(KT_ERR_INDEX, "%s has %u inputs: number %lld cannot have been written to", kt__node_name(node),
                       node->n_edges, (long long)input);
    if (kt__view_rules(t, true))
        return kt_error_status();
    if (t->base && n > 1)
        return kt_fail(KT_ERR_RUNTIME,
                       "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
                       "more than one Tensor. This is not supported by the current autograd engine. You should either make sure "
                       "the input is not a view (using .clone() for example) or make your Function only return one Tensor "
                       "(potentially splitting it into two Functions: one doing the inplace that returns a single Tensor and a "
                       "second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you "
                       "need help to do this change.");
    if (!kt__wants_grad(t))
        return KT_OK;
    if (t->base && t->base->flags & KT_T_LEAF)
        return kt_fail(KT_ERR_RUNTIME,
                       "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    if (t->flags & KT_T_LEAF && !t->base)
        return kt_fail(KT_ERR_RUNTIME, "a leaf Variable that requires grad has been used in an in-place operation.");
    return KT_OK;
}

static kt_status check_result(const kt_node *node, const kt_tensor *t, int64_t from, int64_t n)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (from < KT_RESULT_CONSTANT)
        return kt_fail(KT_ERR_VALUE, "a result is from none of the inputs, KT_RESULT_MADE or KT_RESULT_CONSTANT: %lld",
                       (long long)from);
    if (from >= 0)
        return check_written(node, t, from, n);
    if (from == KT_RESULT_MADE && t->flags & KT_T_LEAF && !(t->flags & KT_T_VIEW) && kt__wants_grad(t))
        return kt_fail(KT_ERR_RUNTIME, "a leaf that requires grad cannot be a result of %s: return a view of it",
                       kt__node_name(node));
    return KT_OK;
}

/* A tensor saved before it became a result: from now on saved without its history, or the node would keep itself alive. */
static kt_status save_as_result(kt_node *node, kt_tensor *t, uint32_t result)
{
    for (uint32_t i = 0; i < node->n_listed; i++) {
        kt__saved *s = kt__saved_at(node, i);
        if (s->t != t || s->kind >= SAVED_RESULT)
            continue;
        const uint32_t version = s->version;
        if (kt__save_output(node, i, t, result))
            return kt_error_status();
        s->version = version;
        kt__unref(t);
    }
    return KT_OK;
}

kt_status kt__attach(kt_node *node, kt_tensor *t, uint32_t result, int64_t from)
{
    if (from == KT_RESULT_CONSTANT || !(kt__dtype_rows[t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return KT_OK;
    if (save_as_result(node, t, result) || (from >= 0 && kt__break_cycle(node, t)))
        return kt_error_status();
    return from >= 0 && t->base ? kt__rebase(t, kt__node_ref(node), (uint32_t)from)
                                : kt__link_result(t, kt__node_ref(node), result);
}

kt_status kt_node_attach(kt_node *node, kt_tensor *const *results, const int64_t *from, int64_t n)
{
    if (!node)
        return no_node();
    if (!is_list(results, n) || n == 0)
        return kt_fail(KT_ERR_VALUE, "%s: %lld results at %s", kt__node_name(node), (long long)n,
                       results ? "an address" : "NULL");
    if (node->noted || node->row || node->within || node->inner || kt__is_accumulator(node))
        return kt_fail(KT_ERR_RUNTIME, "%s has its results already", kt__node_name(node));
    for (int64_t i = 0; i < n; i++)
        if (check_result(node, results[i], from ? from[i] : KT_RESULT_MADE, n))
            return kt_error_status();
    if (!node->asked)
        return KT_OK;
    if (kt__note_forms(node, results, (uint32_t)n))
        return kt_error_status();
    for (int64_t i = 0; i < n; i++) {
        const int64_t source = from ? from[i] : KT_RESULT_MADE;
        if (kt__attach(node, results[i], (uint32_t)i, source))
            return kt_error_status();
        if (source == KT_RESULT_MADE && results[i]->flags & KT_T_VIEW)
            kt__view_made(results[i], n > 1 ? KT_T_ONE_OF_MANY : KT_T_IN_FUNCTION);
    }
    return KT_OK;
}

/* ---- of appended rows ---- */

const kt_value *kt_node_arg(const kt_node *node, int i)
{
    if (!node || !node->row || i < 0 || i >= kt__n_args(node->row))
        return NULL;
    const kt_arg_spec *spec = kt__arg_spec(node->row, i);
    const bool         number = spec->kind == KT_ARG_TENSOR_OR_SCALAR && node->scalars >> i & 1;
    if (!number && (spec->kind == KT_ARG_TENSOR || spec->kind == KT_ARG_TENSORS || spec->kind == KT_ARG_TENSOR_OR_SCALAR))
        return NULL;
    return node->arg && node->given >> i & 1 ? &node->arg[i] : &spec->value;
}
