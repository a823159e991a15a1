/* views.c - autograd of views: a write through a view changes its base's history, a write to the base changes the history
 * of its views, and some views refuse writes.
 *
 * The relation of a view to its base follows from dtype, lazy bits, sizes, strides and offset of the two. The same
 * operators lead from any tensor with the base's geometry to one with the view's: from the base itself, to rebuild the
 * view's history, or from the base's gradient, to differentiate a write through the view. */
#include <string.h>

#include "call/wrap.h"
#include "grad/run.h"

/* ---- from the base's geometry to the view's ---- */

static bool is_complex(const kt__geometry *g) { return kt__dtype_rows[g->dtype].category == KT_CAT_COMPLEX; }

static int64_t *geometry_into(kt__geometry *g, const kt_tensor *t, int64_t *room)
{
    g->ndim = t->ndim;
    g->dtype = t->dtype;
    g->bits = t->flags & (KT_T_CONJ | KT_T_NEG);
    g->turned = (t->flags & KT_T_TURNED) != 0;
    g->offset = kt__offset(t);
    g->sizes = room;
    g->strides = room + t->ndim;
    memcpy(g->sizes, t->sizes, (size_t)t->ndim * sizeof(int64_t));
    memcpy(g->strides, t->strides, (size_t)t->ndim * sizeof(int64_t));
    return room + 2 * t->ndim;
}

/* Applies a view operator without arguments to *t. */
static kt_status step(int op, kt_tensor **t)
{
    kt_tensor *next = NULL;
    if (kt__call1(op, *t, &next))
        return kt_error_status();
    kt__unref(*t);
    *t = next;
    return KT_OK;
}

static kt_status restride(kt_tensor **t, kt_shape sizes, const int64_t *strides, int64_t offset)
{
    kt_call c;
    kt__open(&c, KT_OP_as_strided, KT_PLAIN);
    kt__put_tensor(&c, 0, *t);
    kt__put(&c, 1, ints, sizes);
    kt__put(&c, 2, ints, ((kt_shape){sizes.n, strides}));
    kt__put(&c, 3, i, offset);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(*t);
    *t = c.out[0];
    return KT_OK;
}

static bool lies_so(const kt_tensor *t, kt_shape sizes, const int64_t *strides, int64_t offset)
{
    return t->ndim == sizes.n && kt__offset(t) == offset &&
           memcmp(t->sizes, sizes.d, (size_t)sizes.n * sizeof(int64_t)) == 0 &&
           memcmp(t->strides, strides, (size_t)sizes.n * sizeof(int64_t)) == 0;
}

/* as_strided to the final geometry, unless reached; `seen`: a node is required, since no other step makes one. */
static kt_status arrive(kt_tensor **t, bool seen, kt_shape sizes, const int64_t *strides, int64_t offset)
{
    return !seen && lies_so(*t, sizes, strides, offset) ? KT_OK : restride(t, sizes, strides, offset);
}

static kt_status turn(kt_tensor **t, uint32_t bits)
{
    if (bits & KT_T_CONJ && step(KT_OP_conj_lazy, t))
        return kt_error_status();
    return bits & KT_T_NEG ? step(KT_OP_neg_view, t) : KT_OK;
}

/* view_as_complex: the view's elements as pairs of the base's, with one more dim. */
static kt_status pair_up(kt_tensor **t, const kt__geometry *view, int64_t origin)
{
    int64_t sizes[KT_MAX_DIMS + 1], strides[KT_MAX_DIMS + 1];
    for (int i = 0; i < view->ndim; i++) {
        sizes[i] = view->sizes[i];
        strides[i] = 2 * view->strides[i];
    }
    sizes[view->ndim] = 2;
    strides[view->ndim] = 1;
    if (arrive(t, false, (kt_shape){view->ndim + 1, sizes}, strides, 2 * view->offset + origin) ||
        step(KT_OP_view_as_complex, t))
        return kt_error_status();
    return turn(t, view->bits & KT_T_CONJ);
}

/* Does the last dim hold real and imaginary parts? */
static bool shows_pairs(const kt__geometry *view)
{
    const int last = view->ndim - 1;
    bool      whole = last >= 0 && view->sizes[last] == 2 && view->strides[last] == 1 && view->offset % 2 == 0;
    for (int i = 0; i < last && whole; i++)
        whole = view->strides[i] % 2 == 0;
    return whole;
}

/* view_as_real, or real and imag, as the last step if it was the view's. */
static kt_status take_apart(kt_tensor **t, const kt__geometry *view, uint32_t negated, int64_t origin)
{
    int64_t    strides[KT_MAX_DIMS];
    const bool last = view->turned && !negated && shows_pairs(view);
    for (int i = 0; last && i < view->ndim - 1; i++)
        strides[i] = view->strides[i] / 2;
    if (last && arrive(t, false, (kt_shape){view->ndim - 1, view->sizes}, strides, view->offset / 2 + origin))
        return kt_error_status();
    if (step(KT_OP_view_as_real, t) || turn(t, negated))
        return kt_error_status();
    return arrive(t, false, (kt_shape){view->ndim, view->sizes}, view->strides, view->offset + 2 * origin);
}

/* `like` has the base's geometry, possibly at another offset. The last step is the view's own operator, which names its
 * node. */
static kt_status seen_through(kt_tensor *like, const kt__geometry *base, const kt__geometry *view, kt_tensor **out)
{
    const bool     from = is_complex(base), to = is_complex(view);
    const uint32_t turns = base->bits ^ view->bits;
    const int64_t  origin = kt__offset(like) - base->offset;
    const kt_shape sizes = {view->ndim, view->sizes};
    kt_tensor     *t = kt__ref(like);
    kt_status      status;
    if (from && !to)
        status = turn(&t, base->bits & KT_T_CONJ) || take_apart(&t, view, turns & KT_T_NEG, origin) ? kt_error_status() : KT_OK;
    else if (to && !from)
        status = turn(&t, turns & KT_T_NEG) || pair_up(&t, view, origin) ? kt_error_status() : KT_OK;
    else if (turns && view->turned)
        status = arrive(&t, false, sizes, view->strides, view->offset + origin) || turn(&t, turns) ? kt_error_status() : KT_OK;
    else
        status = turn(&t, turns) || arrive(&t, true, sizes, view->strides, view->offset + origin) ? kt_error_status() : KT_OK;
    if (status)
        kt__unref(t);
    else
        *out = t;
    return status;
}

kt_status kt__seen_as_view(kt_tensor *like, const kt_tensor *view, kt_tensor **out)
{
    kt__geometry g[2];
    int64_t      room[4 * KT_MAX_DIMS];
    geometry_into(&g[1], view, geometry_into(&g[0], view->base, room));
    return seen_through(like, &g[0], &g[1], out);
}

/* How many elements of the storage a geometry reaches over, from its first. */
static int64_t reach_of(const kt__geometry *g)
{
    int64_t reach = 1;
    for (int i = 0; i < g->ndim; i++)
        reach = g->sizes[i] ? reach + (g->sizes[i] - 1) * g->strides[i] : reach;
    return reach;
}

/* The byte behind the last element. */
static int64_t end_of(const kt__geometry *g)
{
    return (g->offset + reach_of(g)) * (int64_t)kt__dtype_rows[g->dtype].size;
}

/* ---- a write to the base ---- */

/* The base has got other memory, smaller than what the view reaches: the operators are recorded of memory that holds both. */
static kt_status history_elsewhere(kt_tensor *base, const kt__geometry *g, kt_tensor **again)
{
    const int64_t most = end_of(&g[0]) > end_of(&g[1]) ? end_of(&g[0]) : end_of(&g[1]);
    kt_tensor    *t = kt__tensor_new((kt_dtype)g[0].dtype, kt__device(base), KT_SHAPE(most)), *linked = NULL;
    kt_node      *node = NULL;
    uint32_t      result = 0;
    kt_status     status = t ? kt__producer(base, &node, &result) : kt_error_status();
    if (!status)
        status = kt__tensor_set_geometry(t, (kt_shape){g[0].ndim, g[0].sizes}, (kt_shape){g[0].ndim, g[0].strides}, g[0].offset);
    if (!status) {
        t->flags |= g[0].bits;
        status = kt__with_history(t, node, result, &linked);
    }
    if (!status)
        status = seen_through(linked, &g[0], &g[1], again);
    kt__node_unref(node);
    kt__unref(linked);
    kt__unref(t);
    return status;
}

/* Rebuilds the view's history from its base, which was written to. Recorded in any grad mode: a tensor's history does not
 * depend on the mode in which it is read. */
kt_status kt__restride(kt_tensor *view)
{
    kt__geometry   g[2];
    int64_t        room[4 * KT_MAX_DIMS];
    kt_tensor     *again = NULL;
    const uint64_t mode = kt__mode();
    const uint32_t born = kt__born_flags;
    geometry_into(&g[1], view, geometry_into(&g[0], view->base, room));
    kt__mode_word = mode | KT_M_GRAD;
    kt__born_flags = 0;
    const bool left = end_of(&g[1]) > (int64_t)view->base->storage->bytes;
    kt_status  status = left ? history_elsewhere(view->base, g, &again) : seen_through(view->base, &g[0], &g[1], &again);
    kt__mode_word = mode;
    kt__born_flags = born;
    if (status)
        return status;
    const struct kt_autograd *a = again->autograd;
    status = a && a->node ? kt__link_result(view, kt__node_ref(a->node), a->result)
                          : kt_fail(KT_ERR_RUNTIME, "a view of a tensor with a history has none itself");
    kt__unref(again);
    return status;
}

/* ---- a write through the view ---- */

/* The view is part of what the write has made, whatever becomes of the base until somebody asks for the view's history. */
static kt_status note_part(kt_tensor *view, kt_node *written)
{
    if (kt__link_result(view, kt__node_ref(written), 0))
        return kt_error_status();
    view->flags |= KT_T_PART;
    return KT_OK;
}

/* The base's new history: part of it is the written value. The view's own is made when needed, at once if a hook waits
 * for the view's gradient. */
kt_status kt__rebase(kt_tensor *view, kt_node *inner, uint32_t input)
{
    enum { ROOM = 2 * sizeof(kt__geometry) / sizeof(int64_t) };
    kt_tensor     *base = view->base;
    kt__node_parts parts = {.edges = inner->n_edges, .ints = ROOM + 3 * base->ndim + 2 * view->ndim};
    kt_node       *n = kt__node_new(&kt__node_slices, ++kt__tape_clock, parts), *to = NULL;
    uint32_t       result = 0;
    if (!n || kt__producer(base, &to, &result)) {
        kt__node_unref(n);
        kt__node_unref(inner);
        return kt_error_status();
    }
    int64_t *room = kt__node_ints(n, parts);
    n->base = (kt__geometry *)(void *)room;
    room = geometry_into(&n->base[0], base, room + ROOM);
    room = geometry_into(&n->base[1], view, room);
    kt__edge_form(&n->edge[input], base, room);
    kt__set_edge(n, input, to, result);
    n->given = input;
    n->row = inner->row;
    n->inner = inner;
    inner->within = true;
    inner->outer = n;
    for (uint32_t i = 0; i < inner->n_edges; i++) { /* only the outer node has edges to the other inputs */
        if (i == input)
            continue;
        n->edge[i] = inner->edge[i];
        kt__set_edge(n, i, inner->edge[i].to, inner->edge[i].result);
        inner->edge[i].to = NULL;
    }
    if (kt__link_result(base, n, 0))
        return kt_error_status();
    return view->autograd && view->autograd->retain ? kt__restride(view) : note_part(view, n);
}

/* ---- views that take the place of what they look into ---- */

kt_status kt__become_view(kt_tensor *self, kt_tensor *view, bool history)
{
    const struct kt_autograd *a = view->autograd;
    const bool                dual = kt__grad_flags(self) & KT_T_DUAL;
    if ((!history && self->autograd && kt__autograd_moves(self)) || (dual && kt__exchange_tangents(self, view)))
        return kt_error_status();
    if (kt__tensor_become(self, view)) {
        if (dual)
            kt__exchange_tangents(self, view);
        return kt_error_status();
    }
    kt__wrote(self);
    return history && a && a->node ? kt__link_result(self, kt__node_ref(a->node), a->result) : KT_OK;
}

kt_status kt__write_over(int op, kt_tensor *to, kt_tensor *from)
{
    kt_call c;
    kt__open(&c, op, KT_INPLACE);
    kt__put_tensor(&c, 0, to);
    if (from)
        kt__put_tensor(&c, 1, from);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(c.out[0]);
    return KT_OK;
}

static kt_status one_of(kt_tensor *t, int dim, int64_t index, kt_tensor **out)
{
    kt_call c;
    kt__open(&c, KT_OP_select, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, index);
    if (kt_call_run(&c))
        return kt_error_status();
    *out = c.out[0];
    return KT_OK;
}

/* Copies into a view that contains an element several times: the same value is written each time. */
static kt_status copy_over(kt_tensor *to, kt_tensor *from)
{
    if (!kt__overlaps_itself(to))
        return kt__write_over(KT_OP_copy, to, from);
    int dim = 0;
    while (dim < to->ndim - 1 && !(to->strides[dim] == 0 && to->sizes[dim] > 1))
        dim++;
    const int64_t n = to->strides[dim] ? to->sizes[dim] : 1;
    kt_status     status = KT_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        kt_tensor *a = NULL, *b = NULL;
        status = one_of(to, dim, i, &a) || one_of(from, dim, i, &b) ? kt_error_status() : copy_over(a, b);
        kt__unref(a);
        kt__unref(b);
    }
    return status;
}

/* Memory with the base's strides, so that the same operators lead to the view's elements. */
static kt_status new_like_base(const kt__geometry *base, kt_dtype dtype, kt_device device, kt_tensor **out)
{
    kt_tensor *t = kt__tensor_new(dtype, device, KT_SHAPE(reach_of(base)));
    if (!t)
        return kt_error_status();
    if (kt__tensor_set_geometry(t, (kt_shape){base->ndim, base->sizes}, (kt_shape){base->ndim, base->strides}, 0)) {
        kt__unref(t);
        return kt_error_status();
    }
    t->flags |= base->bits;
    *out = t;
    return KT_OK;
}

static kt_status like_base(const kt__geometry *base, kt_tensor *g, kt_tensor **out)
{
    kt_tensor *t = NULL;
    if (new_like_base(base, kt__gradient_dtype(base->dtype, g), kt__device(g), &t))
        return kt_error_status();
    if (KT__UNLIKELY(g->flags & KT_T_BATCHED)) {
        kt_tensor *wide = kt__batching.room(t, g); /* the scope's, or t */
        wide = wide ? kt__ref(wide) : NULL;
        kt__unref(t);
        if (!(t = wide))
            return kt_error_status();
    }
    if (kt__write_over(KT_OP_copy, t, g)) {
        kt__unref(t);
        return kt_error_status();
    }
    *out = t;
    return KT_OK;
}

static kt_status row_major(kt_tensor *t, kt_tensor **copy)
{
    kt_call c;
    kt__open(&c, KT_OP_clone, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, format, KT_CONTIGUOUS_FORMAT);
    if (kt_call_run(&c))
        return kt_error_status();
    *copy = c.out[0];
    return KT_OK;
}

static kt_status check_slices(kt_node *node)
{
    return node->inner->released ? kt__fail_freed() : kt__check(node->inner);
}

static kt_status run_inner(const kt_back *b, kt_tensor *slice)
{
    kt_back inner = *b;
    inner.node = b->node->inner;
    inner.grads = &slice;
    return inner.node->type->run(&inner);
}

/* The part's gradient may have examples that the whole one lacks. */
static kt_status make_room(const kt_node *node, const kt_tensor *d, kt_tensor **whole, kt_tensor **part)
{
    kt_tensor *wide = kt__batching.room(*whole, d); /* the scope's, or *whole */
    if (wide == *whole)
        return KT_OK;
    kt__unref(*whole);
    kt__unref(*part);
    *part = NULL;
    *whole = wide ? kt__ref(wide) : NULL;
    return wide ? seen_through(wide, &node->base[0], &node->base[1], part) : kt_error_status();
}

static kt_status run_slices(const kt_back *b)
{
    kt_node       *node = b->node;
    const uint32_t input = node->given;
    const bool     needed = b->needs[input];
    kt_tensor    **d = &b->d[input], *whole = NULL, *part = NULL, *slice = NULL;
    if (check_slices(node))
        return kt_error_status();
    kt_status status = like_base(&node->base[0], b->grads[0], &whole);
    if (!status)
        status = seen_through(whole, &node->base[0], &node->base[1], &part);
    if (!status)
        status = row_major(part, &slice);
    if (!status)
        status = run_inner(b, slice);
    if (!status && needed && *d)
        status = kt__fit(d, node->inner, input);
    if (!status && needed && *d && KT__UNLIKELY((*d)->flags & KT_T_BATCHED))
        status = make_room(node, *d, &whole, &part);
    if (!status && needed)
        status = *d ? copy_over(part, *d) : kt__write_over(KT_OP_zero, part, NULL);
    kt__unref(*d);
    *d = status || !needed ? NULL : kt__ref(whole);
    kt__unref(whole);
    kt__unref(part);
    kt__unref(slice);
    return status;
}

static void forget_slices(kt_node *node)
{
    if (!node->inner)
        return;
    kt__node_release_saved(node->inner);
    node->inner->released = 1; /* a write through a view runs once, even if it saved nothing */
}

const kt_node_type kt__node_slices = {
    .abi = KT_NODE_ABI, .size = sizeof(kt_node_type), .name = "CopySlices", .run = run_slices, .check = check_slices,
    .forget = forget_slices,
};

/* Unpacks the written value with its history: it is the view's part of the base, so its gradient goes to the base's node,
 * which reaches every input and runs once. `written` has the view's geometry. */
kt_status kt__written_with_history(kt_node *inner, kt_tensor *written, kt_tensor **out)
{
    const kt__geometry *base = &inner->outer->base[0];
    kt_tensor          *whole = kt__tensor_alias(written);
    struct kt_autograd *a = whole ? kt__autograd_of(whole) : NULL;
    if (whole) {
        whole->dtype = base->dtype;
        whole->flags = (whole->flags & ~(uint32_t)(KT_T_CONJ | KT_T_NEG | KT_T_LEAF)) | base->bits | KT_T_REQUIRES_GRAD;
    }
    kt_status status = a ? kt__tensor_set_geometry(whole, (kt_shape){base->ndim, base->sizes},
                                                   (kt_shape){base->ndim, base->strides}, base->offset)
                         : kt_error_status();
    if (!status) {
        a->node = kt__node_ref(inner->outer);
        a->result = 0;
        status = seen_through(whole, base, &inner->outer->base[1], out);
        if (!status && KT__UNLIKELY(kt__is_dual(written)))
            status = kt__share_tangents(*out, written);
    }
    kt__unref(whole);
    return status;
}

/* `value` lies elsewhere: operators on memory like the base's give the history alone. */
kt_status kt__value_with_history(kt_node *inner, kt_tensor *value, kt_tensor **out)
{
    const kt__geometry *base = &inner->outer->base[0];
    kt_tensor          *whole = NULL, *linked = NULL, *part = NULL;
    kt_status           status = new_like_base(base, (kt_dtype)base->dtype, kt__device(value), &whole);
    if (!status)
        status = kt__with_history(whole, inner->outer, 0, &linked);
    if (!status)
        status = seen_through(linked, base, &inner->outer->base[1], &part);
    const struct kt_autograd *a = part ? part->autograd : NULL;
    if (!status && a && a->node)
        status = kt__with_history(value, a->node, a->result, out);
    else if (!status)
        *out = kt__ref(value); /* grad mode is off */
    kt__unref(whole);
    kt__unref(linked);
    kt__unref(part);
    return status;
}

/* Does the tensor still lie in the base's memory as the view did when it was written through? `data =` may have moved it. */
static bool lies_within(const kt_tensor *t, const kt__geometry *base, const kt__geometry *view)
{
    return t->dtype == view->dtype && lies_so(t, (kt_shape){view->ndim, view->sizes}, view->strides, view->offset) &&
           end_of(base) <= (int64_t)t->storage->bytes;
}

/* Recorded in any grad mode, as kt__restride is. */
kt_status kt__part_history(kt_tensor *view)
{
    kt_node       *inner = view->autograd->node->inner;
    const uint64_t mode = kt__mode();
    const uint32_t born = kt__born_flags;
    kt_tensor     *part = NULL;
    kt__mode_word = mode | KT_M_GRAD;
    kt__born_flags = 0;
    const kt__geometry *base = inner->outer->base;
    const kt_status status = lies_within(view, &base[0], &base[1]) ? kt__written_with_history(inner, view, &part)
                                                                   : kt__value_with_history(inner, view, &part);
    kt__mode_word = mode;
    kt__born_flags = born;
    if (status)
        return status;
    const struct kt_autograd *a = part->autograd;
    const kt_status linked = kt__link_result(view, kt__node_ref(a->node), a->result);
    kt__unref(part);
    return linked;
}

/* ---- views that the tape cannot follow ---- */

kt_status kt__view_rules(const kt_tensor *t, bool written)
{
    if (!(t->flags & KT_T_VIEW_MADE))
        return KT_OK;
    const bool  inference = t->flags & KT_T_IN_INFERENCE, many = t->flags & KT_T_ONE_OF_MANY;
    const bool  named = t->autograd && t->autograd->node;
    const bool  custom = named && t->flags & KT_T_IN_FUNCTION;
    const char *mode = inference ? "inference" : "no_grad";
    const char *done = written ? "is being modified inplace" : "its base or another view of its base has been modified inplace";
    const char *where = inference ? " in normal mode" : many && named ? "" : " with grad mode enabled";
    char        opening[160];
    if (custom)
        return kt_fail(KT_ERR_RUNTIME,
                       "Output %u of %s is a view and %s. This view was created inside a custom Function (or because an input "
                       "was returned as-is) and the autograd logic to handle view+inplace would override the custom backward "
                       "associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can "
                       "fix this by cloning the output of the custom Function.",
                       t->autograd->result, kt__node_name(t->autograd->node), done);
    if (!named)
        snprintf(opening, sizeof opening, "A view was created in %s mode", mode);
    else if (many)
        snprintf(opening, sizeof opening, "Output %u of %s is a view", t->autograd->result, kt__node_name(t->autograd->node));
    else
        snprintf(opening, sizeof opening, "Output %u of %s is a view of a view which was created in %s mode", t->autograd->result,
                 kt__node_name(t->autograd->node), mode);
    if (many)
        return kt_fail(KT_ERR_RUNTIME,
                       "%s and %s%s. This view is the output of a function that returns multiple views. Such functions do not "
                       "allow the output views to be modified inplace. You should replace the inplace operation by an "
                       "out-of-place one.",
                       opening, done, where);
    return kt_fail(KT_ERR_RUNTIME,
                   "%s and %s%s. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
                   "code by moving both the view and the inplace either both inside the %s block (if you don't want the "
                   "inplace to be tracked) or both outside (if you want the inplace to be tracked).",
                   opening, done, where, inference ? "inference_mode" : "no_grad");
}
