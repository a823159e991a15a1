/* slope.c - rows that have no derivative of their own, but a rule: outside of a batch they are differentiated through the
 * operators they are made of, which a rule does not call with the user's tensors. So the values are called with inputs that want
 * a gradient, and one node of the user's graph hands gradients on to the graph of the values and back.
 *
 * In: a call. Out: its results, with that node. */
#include <karat/plugin/node.h>

#include "base/alloc.h"
#include "batch/batch.h"

enum { MOST = 64 }; /* tensors of one call */

typedef struct graph { /* of the values */
    uint32_t   level;
    int64_t    size, n_inputs, n_results;
    kt_tensor *given[MOST];  /* the user's tensor; NULL: no gradient is wanted */
    kt_tensor *input[MOST];  /* its value, with the examples in dim 0 */
    kt_tensor *result[MOST]; /* with the examples in `dim` */
    uint8_t    dim[MOST];
} graph;

static void drop(graph *g)
{
    if (!g)
        return;
    for (int64_t i = 0; i < g->n_inputs; i++) {
        kt__unref(g->given[i]);
        kt__unref(g->input[i]);
    }
    for (int64_t i = 0; i < g->n_results; i++)
        kt__unref(g->result[i]);
    kt__system_put(g, sizeof *g);
}

static void forget(kt_node *node)
{
    graph **at = kt_node_context(node);
    drop(*at);
    *at = NULL;
}

/* What the graph of the values cannot take: it would give examples of the wrong batch, or lose a tangent. */
static kt_status check_grads(const kt_back *b, const graph *g)
{
    for (int64_t i = 0; i < g->n_results; i++) {
        const kt_tensor *t = b->grads[i];
        if (t && t->flags & KT_T_BATCHED && kt__example_of(t)->level > g->level)
            return kt_fail(KT_ERR_NOT_IMPLEMENTED, "vmap: there is no backward yet, inside another vmap, of an operator without "
                                                   "a derivative of its own that ran in the vmap around it");
        if (t && kt__are_dual(t->flags))
            return kt_fail(KT_ERR_NOT_IMPLEMENTED, "vmap: there is no forward mode yet through the backward of an operator "
                                                   "without a derivative of its own");
    }
    return KT_OK;
}

static kt_status refuse(const kt_back *b)
{
    (void)b;
    return kt_fail(KT_ERR_NOT_IMPLEMENTED, "vmap: there is no second derivative yet, inside vmap, of an operator without a "
                                           "derivative of its own");
}

static const kt_node_type twice = {.abi = KT_NODE_ABI, .size = sizeof twice, .name = "BatchBackwardBackward", .run = refuse};

/* The graph of the values does not lead back to the user's: a derivative of these gradients is refused, not left out. */
static kt_status end_graph(const kt_back *b, const graph *g)
{
    kt_tensor *inputs[2 * MOST], *made[MOST];
    int64_t    from[MOST], n = 0, n_made = 0;
    kt_node   *node = NULL;
    for (int64_t i = 0; i < g->n_inputs; i++) {
        if (g->given[i])
            inputs[n++] = g->given[i];
        if (b->d[i])
            made[n_made] = b->d[i], from[n_made++] = KT_RESULT_MADE;
    }
    for (int64_t i = 0; i < g->n_results; i++)
        if (b->grads[i])
            inputs[n++] = b->grads[i];
    if (!n_made)
        return KT_OK;
    if (kt_node_make(&twice, inputs, n, 0, &node))
        return kt_error_status();
    const kt_status status = kt_node_attach(node, made, from, n_made);
    kt_node_drop(node);
    return status;
}

/* The gradients of the values' inputs, owned. */
static kt_status flow(const kt_back *b, const graph *g, kt_tensor **found)
{
    kt_tensor *outputs[MOST], *grads[MOST], *inputs[MOST], *made[MOST];
    kt__lift   l = {.level = g->level, .size = g->size};
    int64_t    n_out = 0, n_in = 0;
    for (int64_t i = 0; i < g->n_results; i++) {
        if (!b->grads[i] || !kt_requires_grad(g->result[i]))
            continue;
        kt_tensor *grad = kt__lifted_all(&l, b->grads[i]);
        outputs[n_out] = g->result[i];
        grads[n_out++] = g->dim[i] && grad ? kt_movedim(grad, KT_SHAPE(0), KT_SHAPE(g->dim[i])) : grad;
    }
    for (int64_t i = 0; i < g->n_inputs; i++)
        if (g->input[i] && b->needs[i])
            inputs[n_in++] = g->input[i];
    const kt_gradients_opts opts = {.size = sizeof opts, .retain_graph = true, .create_graph = b->create_graph,
                                    .allow_unused = true};
    if (kt__failed())
        return kt_error_status();
    if (n_out && n_in && kt_gradients(outputs, grads, n_out, inputs, n_in, &opts, made))
        return kt_error_status();
    for (int64_t i = 0, at = 0; i < g->n_inputs; i++)
        found[i] = n_out && g->input[i] && b->needs[i] ? made[at++] : NULL;
    return KT_OK;
}

static kt_status run(const kt_back *b)
{
    graph     *g = *(graph **)kt_node_context(b->node);
    kt_tensor *found[MOST] = {NULL};
    if (!g)
        return kt_fail_freed();
    if (check_grads(b, g))
        return kt_error_status();
    kt__level *was = kt__level_leave(g->level);
    kt_status  status = flow(b, g, found);
    kt__level_return(was);
    for (int64_t i = 0; i < g->n_inputs; i++) {
        b->d[i] = found[i] && !kt__failed() ? kt__tensor_batched(found[i], 0, g->level) : NULL;
        kt__unref(found[i]);
    }
    if (!status && !kt__failed() && b->create_graph)
        status = end_graph(b, g);
    return status ? status : kt__failed() ? kt_error_status() : KT_OK;
}

static const kt_node_type type = {.abi = KT_NODE_ABI, .size = sizeof type, .context = sizeof(graph *), .name = "BatchBackward",
                                  .run = run, .forget = forget, .release = forget};

/* The examples of t as a tensor of the level that wants no gradient there, though its value does. */
static kt_tensor *example_for(graph *g, kt_tensor *t, int64_t i)
{
    kt__lift   l = {.level = g->level, .size = g->size};
    kt__level *was = kt__level_leave(g->level);
    kt_tensor *value = kt__lifted_all(&l, t), *alias = value ? kt_grad_alias(value) : NULL;
    kt__level_return(was);
    kt_tensor *shown = alias ? kt__tensor_batched(alias, 0, g->level) : NULL;
    if (!shown || kt__scope_add(shown)) {
        kt__unref(shown);
        return NULL;
    }
    g->given[i] = kt__ref(t);
    g->input[i] = kt__ref(alias);
    return shown;
}

/* The call with such examples in place of its tensors; `all` gets these, as the node's inputs. */
static kt_status replace(kt_call *call, graph *g, kt_tensor **all, kt_tensor **listed)
{
    const kt__input_map *map = &call->row->inputs;
    for (int k = 0; k < map->n; k++) {
        const int  at = map->at[k];
        const bool list = map->lists >> k & 1;
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        const int64_t n = list ? call->arg[at].ts.n : 1;
        if (g->n_inputs + n > MOST)
            return kt_fail(KT_ERR_RUNTIME, "vmap: %s of more than %d tensors that require grad", call->row->name, MOST);
        kt_tensor *const *t = list ? call->arg[at].ts.t : &call->arg[at].t;
        kt_tensor       **room = listed + g->n_inputs;
        for (int64_t i = 0; i < n; i++) {
            const int64_t place = g->n_inputs++;
            all[place] = t[i];
            g->given[place] = g->input[place] = NULL;
            room[i] = kt__wants_grad(t[i]) ? example_for(g, t[i], place) : t[i];
            if (t[i] && !room[i])
                return kt_error_status();
        }
        if (list)
            call->arg[at].ts.t = room;
        else
            call->arg[at].t = room[0];
    }
    return KT_OK;
}

/* Takes the results' values into the graph; the results are of the level again, without what only the graph wants. */
static kt_status take_results(kt_call *made, graph *g, kt_tensor **shown)
{
    const bool    list = made->row->way->lists;
    const int64_t n = list ? made->n_list : made->n_out;
    if (n > MOST)
        return kt_fail(KT_ERR_RUNTIME, "vmap: more than %d results that require grad", MOST);
    for (int64_t i = 0; i < n; i++) {
        const kt_tensor *t = list ? made->list[i] : made->out[i];
        if (!kt__at_level(t, g->level))
            return kt_fail(KT_ERR_RUNTIME, "vmap: a result of %s without the examples", made->row->name);
        g->dim[i] = kt__example_of(t)->dim;
        g->result[g->n_results++] = kt__ref(kt__example_of(t)->value);
    }
    kt_tensor *inputs[MOST];
    int64_t    n_in = 0;
    for (int64_t i = 0; i < g->n_inputs; i++)
        if (g->input[i])
            inputs[n_in++] = g->input[i];
    const bool beyond = kt_depends_beyond(g->result, n, inputs, n_in);
    for (int64_t i = 0; i < n && !kt__failed(); i++) {
        kt_tensor *value = beyond ? kt__ref(g->result[i]) : kt__tensor_alias(g->result[i]);
        shown[i] = value ? kt__tensor_batched(value, g->dim[i], g->level) : NULL;
        kt__unref(value);
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_status attach(graph *g, kt_tensor *const *inputs, kt_tensor *const *results)
{
    kt_node *node = NULL;
    int64_t  from[MOST];
    for (int64_t i = 0; i < g->n_results; i++)
        from[i] = kt_may_require_grad((kt_dtype)results[i]->dtype) && kt_requires_grad(g->result[i]) ? KT_RESULT_MADE
                                                                                                    : KT_RESULT_CONSTANT;
    if (kt_node_make(&type, inputs, g->n_inputs, 0, &node)) {
        drop(g);
        return kt_error_status();
    }
    *(graph **)kt_node_context(node) = g;
    const kt_status status = kt_node_attach(node, results, from, g->n_results);
    kt_node_drop(node);
    return status;
}

static void give(kt_call *call, kt_call *made, kt_tensor **shown)
{
    if (made->row->way->lists) {
        call->list = made->list;
        call->n_list = made->n_list;
        for (int64_t i = 0; i < call->n_list; i++) {
            kt__unref(call->list[i]);
            call->list[i] = shown[i];
        }
        return;
    }
    for (int i = 0; i < made->n_out; i++) {
        kt__unref(made->out[i]);
        call->out[i] = shown[i];
    }
    call->n_out = made->n_out;
}

kt_status kt__batch_differentiated(kt_call *call, uint32_t level, int64_t size)
{
    KT_SCOPE;
    kt_tensor *inputs[MOST], *listed[MOST], *shown[MOST] = {NULL};
    kt_call    made = *call;
    graph     *g = kt__system_get(sizeof *g);
    if (!g)
        return kt__fail_memory(sizeof *g);
    g->level = level, g->size = size, g->n_inputs = g->n_results = 0;
    made.form = KT_PLAIN;
    if (replace(&made, g, inputs, listed) || kt_call_run(&made)) {
        drop(g);
        return kt_error_status();
    }
    kt_status status = take_results(&made, g, shown);
    if (status)
        drop(g);
    else
        status = attach(g, inputs, shown);
    if (status) {
        for (int i = 0; i < MOST; i++)
            kt__unref(shown[i]);
        for (int i = 0; i < made.n_out; i++)
            kt__unref(made.out[i]);
        if (made.row->way->lists)
            kt_call_free_list(&made);
        return status;
    }
    kt_tensor *self = call->form == KT_INPLACE ? call->arg[0].t : NULL;
    give(call, &made, shown);
    if (!self)
        return KT_OK;
    kt_copy_(self, call->out[0]);
    kt__unref(call->out[0]);
    call->out[0] = kt__failed() ? NULL : kt__ref(self);
    return kt__failed() ? kt_error_status() : KT_OK;
}
