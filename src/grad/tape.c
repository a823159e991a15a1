/* tape.c - recording: what happens to a call when gradients are wanted. In: calls before and after their kernel (the hooks
 * of op/observe.h). Out: nodes linked to the results. Leaf, view, in-place and out= rules live here. */
#include <karat/grad.h>
#include <string.h>

#include "base/alloc.h"
#include "grad/grad.h"
#include "op/print.h"

#include <karat/grad.h>

/* ---- life of nodes ---- */

/* Room for the node, `ints` integers and `values` arguments, in one piece. */
static inline kt_node *node_new(kt__node_kind kind, int n_edges, int64_t ints, int values)
{
    size_t   bytes = sizeof(kt_node) + (size_t)ints * sizeof(int64_t) + (size_t)values * sizeof(kt_value);
    kt_node *n = kt__pool_get(bytes);
    if (!n) {
        kt__fail_memory(bytes);
        return NULL;
    }
    atomic_init(&n->refs, 1);
    n->kind = (uint8_t)kind;
    n->n_edges = (uint8_t)n_edges;
    n->released = 0;
    n->holds = 0;
    n->bytes = (uint32_t)bytes;
    n->site = KT__SITE();
    n->sequence = 0;
    n->row = NULL;
    n->arg = values ? (kt_value *)(void *)(n + 1) : NULL;
    n->leaf = NULL;
    n->inner = NULL;
    for (int i = 0; i < n_edges; i++)
        n->edge[i].to = NULL;
    return n;
}

static int64_t *node_ints(kt_node *n, int values) { return (int64_t *)(void *)((kt_value *)(void *)(n + 1) + values); }

void kt__node_release_saved(kt_node *n)
{
    for (int i = 0; n->holds; i++, n->holds >>= 1)
        if (n->holds & 1) {
            kt__unref(n->saved[i].t);
            n->saved[i].t = NULL;
        }
    n->released = 1;
    if (n->kind == NODE_SLICES && n->inner)
        kt__node_release_saved(n->inner);
}

/* A chain of a million nodes must not die by a million nested calls: dead nodes wait on a list. */
void kt__node_unref(kt_node *node)
{
    kt_node *dead = NULL;
    if (!node || !kt__count_down(&node->refs))
        return;
    node->inner = node->inner ? (kt__node_unref(node->inner), NULL) : NULL;
    dead = node;
    while (dead) {
        kt_node *n = dead;
        dead = n->inner; /* the link of the list: `inner` was let go when the node joined it */
        n->inner = NULL;
        for (int i = 0; i < n->n_edges; i++) {
            kt_node *to = n->edge[i].to;
            if (!to || !kt__count_down(&to->refs))
                continue;
            kt__node_unref(to->inner);
            to->inner = dead;
            dead = to;
        }
        if (n->holds)
            kt__node_release_saved(n);
        if (n->kind == NODE_ACCUMULATE && n->leaf) {
            n->leaf->autograd->accumulator = NULL;
            kt__unref(n->leaf);
        }
        kt__pool_put(n, n->bytes);
    }
}

static void set_edge(kt_node *n, int i, kt_node *to) /* takes over the reference */
{
    n->edge[i].to = to;
    if (to && n->sequence <= to->sequence)
        n->sequence = to->sequence + 1;
}

static kt_node *node_ref(kt_node *n)
{
    kt__count_up(&n->refs);
    return n;
}

struct kt_autograd *kt__autograd_of(kt_tensor *t)
{
    if (t->autograd)
        return t->autograd;
    struct kt_autograd *a = kt__pool_get(sizeof *a);
    if (!a) {
        kt__fail_memory(sizeof *a);
        return NULL;
    }
    *a = (struct kt_autograd){.node = NULL};
    t->autograd = a;
    return a;
}

static void release_autograd(kt_tensor *t)
{
    struct kt_autograd *a = t->autograd;
    t->autograd = NULL;
    kt__node_unref(a->node);
    kt__unref(a->grad);
    kt__pool_put(a, sizeof *a);
}

/* ---- edges ---- */

static void edge_form(kt__edge *e, const kt_tensor *t, int64_t *room)
{
    e->dtype = t->dtype;
    e->ndim = t->ndim;
    e->sizes = room;
    for (int i = 0; i < t->ndim; i++)
        room[i] = t->sizes[i];
}

static kt_node *accumulator_of(kt_tensor *leaf)
{
    struct kt_autograd *a = kt__autograd_of(leaf);
    if (!a)
        return NULL;
    if (a->accumulator)
        return node_ref(a->accumulator);
    kt_node *n = node_new(NODE_ACCUMULATE, 0, 0, 0);
    if (!n)
        return NULL;
    n->leaf = kt__ref(leaf);
    a->accumulator = n;
    return n;
}

static void geometry_into(kt__geometry *g, const kt_tensor *t, int64_t *room)
{
    g->ndim = t->ndim;
    g->offset = kt__offset(t);
    g->sizes = room;
    g->strides = room + t->ndim;
    memcpy(g->sizes, t->sizes, (size_t)t->ndim * sizeof(int64_t));
    memcpy(g->strides, t->strides, (size_t)t->ndim * sizeof(int64_t));
}

/* The view's history made anew from its base, which was written to since. */
static kt_status restride(kt_tensor *view)
{
    kt_tensor          *base = view->base;
    struct kt_autograd *a = kt__autograd_of(view);
    kt_node            *n = a ? node_new(NODE_RESTRIDED, 1, 3 * base->ndim + 2 * view->ndim, 0) : NULL;
    if (!n)
        return kt_error_status();
    int64_t *room = node_ints(n, 0);
    geometry_into(&n->base, base, room);
    geometry_into(&n->view, view, room + 2 * base->ndim);
    edge_form(&n->edge[0], base, room + 2 * base->ndim + 2 * view->ndim);
    n->row = &kt__rows[KT_OP_as_strided];
    kt_node *to = NULL;
    if (kt__producer(base, &to)) {
        kt__node_unref(n);
        return kt_error_status();
    }
    set_edge(n, 0, to);
    kt__node_unref(a->node);
    a->node = n;
    a->seen_version = kt__version(view);
    view->flags = (view->flags | KT_T_REQUIRES_GRAD) & ~(uint32_t)KT_T_LEAF;
    return KT_OK;
}

kt_status kt__producer(kt_tensor *t, kt_node **node)
{
    *node = NULL;
    if (!(kt__grad_flags(t) & KT_T_REQUIRES_GRAD))
        return KT_OK;
    if (t->flags & KT_T_VIEW && t->base && t->base->flags & KT_T_REQUIRES_GRAD &&
        (!t->autograd || !t->autograd->node || t->autograd->seen_version != kt__version(t)) && restride(t))
        return kt_error_status();
    *node = t->autograd && t->autograd->node ? node_ref(t->autograd->node) : accumulator_of(t);
    return *node ? KT_OK : kt_error_status();
}

/* ---- saving ---- */

static kt_status save_input(kt_node *n, int which, kt_tensor *t, uint8_t as, bool overwritten)
{
    kt__saved *s = &n->saved[which];
    kt_tensor *copy = NULL;
    /* The call will write over it: what the formula needs is the value before, and for a second derivative its history. */
    if (overwritten && kt__call1(KT_OP_clone, t, &copy))
        return kt_error_status();
    s->t = copy ? copy : kt__ref(t);
    n->holds |= (uint8_t)(1 << which);
    s->version = kt__version(s->t);
    s->as = as;
    s->output = 0;
    return KT_OK;
}

static kt_status save_output(kt_node *n, kt_tensor *out)
{
    kt__saved *s = &n->saved[3];
    s->t = kt__tensor_alias(out);
    if (!s->t)
        return kt_error_status();
    n->holds |= 8;
    s->version = kt__version(out);
    s->as = out->dtype;
    s->output = 1;
    return KT_OK;
}

static kt_status stale(const kt_node *n, const kt__saved *s)
{
    char        shape[256], site[128] = "";
    const char *maker = s->output ? kt__node_name(n) : kt_grad_fn_name(s->t);
    kt__shape_text(shape, sizeof shape, kt__sizes(s->t));
    char output[96] = "";
    if (maker)
        snprintf(output, sizeof output, ", which is output 0 of %s,", maker);
    kt_fail(KT_ERR_RUNTIME,
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[torch.%sTensor %s]%s "
            "is at version %u; expected version %u instead. Hint: enable anomaly detection to find the operation that "
            "failed to "
            "compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).",
            kt_dtype_torch_name(s->t->dtype), shape, output, kt__version(s->t), s->version);
    if (kt__lineage.site_text && kt__lineage.site_text(n->site, site, sizeof site))
        kt_fail_more("\n  needed by the backward of %s, recorded at %s", n->row->name, site);
    uint32_t write = atomic_load_explicit(&s->t->storage->written_at, memory_order_relaxed);
    if (kt__lineage.site_text && kt__lineage.site_text(write, site, sizeof site))
        kt_fail_more("\n  written to at %s", site);
    return KT_ERR_RUNTIME;
}

kt_status kt__unpack(kt_node *n, int which, bool history, kt_tensor **t, bool *borrowed)
{
    kt__saved *s = &n->saved[which];
    *t = NULL;
    *borrowed = false;
    if (!(n->holds >> which & 1))
        return kt_fail(KT_ERR_RUNTIME, "the backward of %s asks for a tensor that its row does not save", n->row->name);
    if (kt__version(s->t) != s->version)
        return stale(n, s);
    if (s->output && history) { /* its history comes back, but only in this handle: the node must not hold itself */
        *t = kt__tensor_alias(s->t);
        struct kt_autograd *a = *t ? kt__autograd_of(*t) : NULL;
        if (!a) {
            kt__unref(*t);
            *t = NULL;
            return kt_error_status();
        }
        a->node = node_ref(n);
        (*t)->flags = ((*t)->flags | KT_T_REQUIRES_GRAD) & ~(uint32_t)KT_T_LEAF;
        return KT_OK;
    }
    if (s->as == s->t->dtype) {
        *t = s->t;
        *borrowed = true;
        return KT_OK;
    }
    kt_call c; /* the forward pass saw it converted, and that was decided there: no policy is asked again */
    kt_call_begin(&c, &kt__rows[KT_OP_to_copy], KT_PLAIN);
    c.arg[0].t = s->t;
    c.arg[1].dtype = (kt_dtype)s->as;
    c.given = 3;
    if (kt_call_run(&c))
        return kt_error_status();
    *t = c.out[0];
    return KT_OK;
}

/* ---- the hooks ---- */

static kt_status written_rules(const kt_call *call, const kt_tensor *target)
{
    if (call->form == KT_OUT)
        return kt_fail(
            KT_ERR_RUNTIME,
            "%s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad.",
            call->row->name);
    if (!(kt__grad_flags(target) & KT_T_REQUIRES_GRAD))
        return KT_OK;
    if (target->base && target->base->flags & KT_T_LEAF)
        return kt_fail(KT_ERR_RUNTIME,
                       "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    if (target->flags & KT_T_LEAF && !target->base)
        return kt_fail(KT_ERR_RUNTIME, "a leaf Variable that requires grad is being used in an in-place operation.");
    return KT_OK;
}

static void copy_args(kt_node *n, const kt_call *call, int64_t *room)
{
    n->given = call->given;
    n->scalars = call->scalars;
    for (int i = 0; n->arg && i < kt__n_args(call->row); i++) {
        n->arg[i] = call->arg[i];
        if (kt__given(call, i) && kt__arg_spec(call->row, i)->kind == KT_ARG_INTS) {
            kt_shape ints = call->arg[i].ints;
            if (ints.n)
                memcpy(room, ints.d, (size_t)ints.n * sizeof(int64_t));
            n->arg[i].ints.d = room;
            room += ints.n;
        }
    }
}

static kt_status record(kt_call *call, const kt_plan *plan, kt_node **made)
{
    const kt_row  *row = call->row;
    const uint8_t *at = kt__operands_of[row->id].at;
    int            n = kt__operands_of[row->id].n;
    uint32_t       need = 0; /* bit i: operand i wants a gradient */
    int64_t        ints = 0;
    for (int i = 0; i < n; i++)
        if (kt__given(call, at[i]) && !(call->scalars >> at[i] & 1) &&
            kt__grad_flags(call->arg[at[i]].t) & KT_T_REQUIRES_GRAD) {
            ints += call->arg[at[i]].t->ndim;
            need |= 1u << i;
        }
    int64_t sizes = ints;
    int     values = 0;
    if (!kt__operands_of[row->id].bare || call->scalars) { /* else there are only tensors, and no arguments to keep */
        values = kt__n_args(row);
        for (int i = 0; i < values; i++)
            if (kt__given(call, i) && kt__arg_spec(row, i)->kind == KT_ARG_INTS)
                ints += call->arg[i].ints.n;
    }
    kt_node *node = node_new(NODE_OP, n, ints, values);
    if (!node)
        return kt_error_status();
    int64_t *room = node_ints(node, values);
    node->row = row;
    node->form = call->form;
    if (values)
        copy_args(node, call, room + sizes);
    else
        node->given = call->given, node->scalars = 0;
    kt_status status = KT_OK;
    for (int i = 0; need >> i && !status; i++) {
        if (!(need >> i & 1))
            continue;
        kt_tensor *t = call->arg[at[i]].t;
        kt_node   *to = NULL;
        status = kt__producer(t, &to);
        set_edge(node, i, to);
        edge_form(&node->edge[i], t, room);
        room += t->ndim;
    }
    uint32_t keep = row->saves & SAVES_X ? (need & 1) << 1 | need >> 1 : row->saves & 7;
    for (int i = 0; keep >> i && i < n && i < 3 && !status; i++)
        if (keep >> i & 1 && kt__given(call, at[i]) && !(call->scalars >> at[i] & 1))
            status = save_input(node, i, call->arg[at[i]].t, plan ? plan->arg[1 + i].as : call->arg[at[i]].t->dtype,
                                call->form == KT_INPLACE && i == 0);
    if (status) {
        kt__node_unref(node);
        return status;
    }
    *made = node;
    return KT_OK;
}

static kt_status before(kt_call *call, const kt_plan *plan, void **token)
{
    kt_tensor *target = call->form == KT_INPLACE ? call->arg[0].t : call->form == KT_OUT ? call->out[0] : NULL;
    if (target && written_rules(call, target))
        return kt_error_status();
    if (!call->row->node)
        return KT_OK;
    kt_node *node = NULL;
    if (record(call, plan, &node))
        return kt_error_status();
    *token = node;
    return KT_OK;
}

static kt_status link_result(kt_tensor *out, kt_node *node)
{
    struct kt_autograd *a = kt__autograd_of(out);
    if (!a) {
        kt__node_unref(node);
        return kt_error_status();
    }
    kt__node_unref(a->node);
    a->node = node;
    a->seen_version = kt__version(out);
    out->flags = (out->flags | KT_T_REQUIRES_GRAD) & ~(uint32_t)KT_T_LEAF;
    return KT_OK;
}

/* A write through a view changes the base's history: part of it now comes from the written value. */
static kt_status rebase(kt_tensor *view, kt_node *inner)
{
    kt_tensor *base = view->base;
    kt_node   *n = node_new(NODE_SLICES, inner->n_edges, 3 * base->ndim + 2 * view->ndim, 0);
    if (!n) {
        kt__node_unref(inner);
        return kt_error_status();
    }
    int64_t *room = node_ints(n, 0);
    n->row = inner->row;
    n->inner = inner;
    geometry_into(&n->base, base, room);
    geometry_into(&n->view, view, room + 2 * base->ndim);
    edge_form(&n->edge[0], base, room + 2 * base->ndim + 2 * view->ndim);
    kt_node  *to = NULL;
    kt_status status = kt__producer(base, &to);
    set_edge(n, 0, to);
    for (int i = 1; i < inner->n_edges; i++) { /* the other inputs hang on the outer node alone */
        n->edge[i] = inner->edge[i];
        set_edge(n, i, inner->edge[i].to);
        inner->edge[i].to = NULL;
    }
    if (status) {
        kt__node_unref(n);
        return status;
    }
    if (link_result(base, n))
        return kt_error_status();
    return restride(view);
}

static kt_status after(kt_call *call, const kt_plan *plan, void *token)
{
    (void)plan;
    kt_node   *node = token;
    kt_tensor *out = call->out[0];
    if (!(kt__dtype_rows[out->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX))) {
        kt__node_unref(node); /* an integer result carries no gradient */
        return KT_OK;
    }
    if (node->row->saves & SAVES_Y && save_output(node, out)) {
        kt__node_unref(node);
        return kt_error_status();
    }
    return call->form == KT_INPLACE && out->base ? rebase(out, node) : link_result(out, node);
}

static void cancel(void *token) { kt__node_unref(token); }

const char *kt__node_name(const kt_node *n)
{
    switch (n->kind) {
    case NODE_ACCUMULATE: return "AccumulateGrad";
    case NODE_SLICES: return "CopySlices";
    case NODE_RESTRIDED: return "AsStridedBackward0";
    default: return n->row->node;
    }
}

static const char *printed(const kt_tensor *t)
{
    const char *name = kt_grad_fn_name(t);
    return name ? name : kt_requires_grad(t) ? "" : NULL;
}

void kt__grad_init(void)
{
    kt__formulas_init();
    kt__print_grad = printed;
    kt__tape = (kt__tape_hooks){before, after, cancel};
    kt__autograd_release = release_autograd;
}
