/* tape.c - recording of calls whose inputs require grad. In: calls before and after their kernel (the hooks of
 * plan/observe.h). Out: nodes linked to the results. Leaf, in-place and out= rules are here. */
#include <karat/grad.h>
#include <string.h>

#include "base/alloc.h"
#include "grad/beside.h"
#include "grad/custom.h"
#include "print/print.h"

/* ---- producers of inputs, and links of results ---- */

KT__HOT kt_status kt__producer(kt_tensor *t, kt_node **node, uint32_t *result)
{
    struct kt_autograd *a = t->autograd;
    *node = NULL;
    *result = 0;
    if (!(kt__grad_flags(t) & KT_T_REQUIRES_GRAD))
        return KT_OK;
    if (t->flags & KT_T_VIEW) {
        if (kt__view_stale(t)) {
            if (kt__view_rules(t, false) || kt__restride(t))
                return kt_error_status();
            a = t->autograd;
        } else if (KT__UNLIKELY(t->flags & KT_T_PART)) {
            if (kt__part_history(t))
                return kt_error_status();
        } else if (!(t->flags & KT_T_REQUIRES_GRAD)) {
            return KT_OK; /* its base requires grad, but no gradient flows through this view */
        }
    }
    *node = a && a->node ? kt__node_ref(a->node) : kt__accumulator_of(t);
    *result = a && a->node ? a->result : 0;
    return *node ? KT_OK : kt_error_status();
}

KT__HOT kt_status kt__link_result(kt_tensor *out, kt_node *node, uint32_t result)
{
    struct kt_autograd *a = kt__autograd_of(out);
    if (!a) {
        kt__node_unref(node);
        return kt_error_status();
    }
    kt__node_unref(a->node);
    a->node = node;
    a->result = result;
    a->seen_version = kt__version(out);
    out->flags = (out->flags | KT_T_REQUIRES_GRAD) & ~(uint32_t)(KT_T_LEAF | KT_T_PART);
    return KT__UNLIKELY(a->retain != NULL) ? kt__retain_move(out) : KT_OK;
}

/* ---- before the kernel ---- */

/* The tensor itself, or the base of a view. */
static bool is_leaf(const kt_tensor *t) { return (t->base ? t->base->flags : t->flags) & KT_T_LEAF; }

/* out= has no derivative: refused if a gradient is required, unless the row's column says otherwise. A node that cannot
 * run may replace a history, but not a leaf, nor a view that the tape cannot follow. */
static kt_status out_rules(const kt_call *call)
{
    const kt_row *row = call->row;
    const uint8_t grad = row->target.grad;
    bool          wanted = false, leaf = false;
    for (int i = 0; i < kt__n_results(row); i++) {
        const uint32_t flags = kt__grad_flags(call->out[i]);
        wanted |= (flags & KT_T_REQUIRES_GRAD) != 0;
        leaf |= flags & KT_T_REQUIRES_GRAD && (is_leaf(call->out[i]) || call->out[i]->flags & KT_T_VIEW_MADE);
    }
    const bool flows = row->rule != RULE_COMPARE && (row->node || row->way->composes); /* else no gradient flows */
    if (grad == TARGET_RECORDED || (grad == TARGET_OPAQUE && !leaf) || (!wanted && !flows))
        return KT_OK;
    return kt__refuse_recording(call);
}

static kt_status written_rules(const kt_call *call, const kt_tensor *target)
{
    if (call->form == KT_OUT)
        return out_rules(call);
    if (kt__view_rules(target, true))
        return kt_error_status();
    if (!(kt__grad_flags(target) & KT_T_REQUIRES_GRAD))
        return KT_OK;
    if (target->base && target->base->flags & KT_T_LEAF)
        return kt_fail(KT_ERR_RUNTIME,
                       "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    if (target->flags & KT_T_LEAF && !target->base)
        return kt_fail(KT_ERR_RUNTIME, "a leaf Variable that requires grad is being used in an in-place operation.");
    return KT_OK;
}

/* The tensors of a call, one per edge: operands in order, and every element of a list. NULL: absent. */
enum { FEW_INPUTS = 16 };
typedef struct inputs {
    kt_tensor **t;
    uint32_t    n, listed; /* `listed`: how many of them are in lists */
    uint32_t    ask;       /* bit i: input i < FEW_INPUTS requires grad, or has one of the flags `asking` */
    uint32_t    absent;    /* bit i: argument i was not given, and is no operand of the plan */
    uint32_t    flags;     /* or of all tensors' flags */
    uint32_t    asking;    /* flags of tensors whose derivative is wanted: KT_T_REQUIRES_GRAD; for forward mode KT_T_DUAL too */
    bool        links;     /* the node gets edges; else it serves forward mode alone */
    int64_t     sizes;     /* integers that the sizes take: of those that want a gradient; among lists of all, since one
                            * stands behind the other */
} inputs;

static inline kt_tensor *tensor_at(const kt_call *call, int at)
{
    return call->given >> at & ~(call->scalars >> at) & 1 ? call->arg[at].t : NULL;
}

static kt_status gather_lists(const kt_call *call, kt_tensor **few, uint32_t asking, bool links, inputs *in)
{
    const kt__input_map *map = &call->row->inputs;
    int64_t              n = map->n;
    *in = (inputs){.t = few, .asking = asking, .links = links};
    for (int i = 0; i < map->n; i++)
        if (map->lists >> i & 1)
            n += (kt__given(call, map->at[i]) ? call->arg[map->at[i]].ts.n : 0) - 1;
    if (n > FEW_INPUTS && !(in->t = n < UINT32_MAX / 64 ? kt__system_get((size_t)n * sizeof *in->t) : NULL))
        return kt__fail_memory((size_t)n * sizeof *in->t);
    for (int i = 0; i < map->n; i++) {
        int at = map->at[i];
        if (!(map->lists >> i & 1)) {
            in->t[in->n++] = tensor_at(call, at);
            continue;
        }
        for (int64_t k = 0; kt__given(call, at) && k < call->arg[at].ts.n; k++, in->listed++)
            in->t[in->n++] = call->arg[at].ts.t[k];
    }
    for (uint32_t i = 0; i < in->n; i++) {
        if (i < FEW_INPUTS)
            in->ask |= (uint32_t)(in->t[i] && kt__grad_flags(in->t[i]) & asking) << i;
        in->sizes += in->t[i] ? in->t[i]->ndim : 0;
        in->flags |= in->t[i] ? in->t[i]->flags : 0;
    }
    return KT_OK;
}

static inline __attribute__((always_inline)) void gather_few(const kt_call *call, kt_tensor **few, uint32_t asking, bool links,
                                                              inputs *in)
{
    const kt__input_map *map = &call->row->inputs;
    *in = (inputs){.t = few, .n = map->n, .asking = asking, .links = links};
    for (uint32_t i = 0; i < map->n; i++) {
        kt_tensor *t = few[i] = tensor_at(call, map->at[i]);
        if (!t) {
            in->absent |= (uint32_t)!kt__given(call, map->at[i]) << i;
            continue;
        }
        in->flags |= t->flags;
        if (kt__grad_flags(t) & asking) {
            in->ask |= 1u << i;
            in->sizes += t->ndim;
        }
    }
}

/* Space for the arguments in integers: int lists, and strings, which are copied. */
static int64_t argument_ints(const kt_call *call)
{
    int64_t ints = 0;
    for (int i = 0; i < kt__n_args(call->row); i++) {
        uint8_t kind = kt__arg_spec(call->row, i)->kind;
        if (kt__given(call, i) && kind == KT_ARG_INTS)
            ints += call->arg[i].ints.n;
        else if (kt__given(call, i) && kind == KT_ARG_STRING && call->arg[i].str)
            ints += (int64_t)(strlen(call->arg[i].str) / sizeof(int64_t) + 1);
    }
    return ints;
}

static void copy_args(kt_node *n, const kt_call *call, int64_t *room)
{
    int values = kt__n_args(call->row);
    memcpy(n->arg, call->arg, (size_t)values * sizeof *n->arg);
    for (int i = 0; call->row->inputs.pointed && i < values; i++) {
        if (!kt__given(call, i))
            continue;
        uint8_t kind = kt__arg_spec(call->row, i)->kind;
        if (kind == KT_ARG_INTS) {
            kt_shape ints = call->arg[i].ints;
            if (ints.n)
                memcpy(room, ints.d, (size_t)ints.n * sizeof(int64_t));
            n->arg[i].ints.d = room;
            room += ints.n;
        } else if (kind == KT_ARG_STRING && call->arg[i].str) {
            size_t length = strlen(call->arg[i].str);
            n->arg[i].str = memcpy(room, call->arg[i].str, length + 1);
            room += length / sizeof(int64_t) + 1;
        } else if (kind == KT_ARG_TENSORS) {
            n->arg[i].ts.t = NULL; /* the caller owns the array */
        } else if (kind == KT_ARG_SCALARS) {
            n->arg[i].ss.s = NULL;
            n->arg[i].ss.n = 0;
        }
    }
}

static inline __attribute__((always_inline)) kt_status link_input(kt_node *node, uint32_t i, kt_tensor *t)
{
    const struct kt_autograd *a = t->autograd;
    if (KT__LIKELY(a && a->node && !(t->flags & KT_T_VIEW))) { /* the common case */
        kt__set_edge(node, i, kt__node_ref(a->node), a->result);
        return KT_OK;
    }
    kt_node *to = NULL;
    uint32_t result = 0;
    if (kt__producer(t, &to, &result))
        return kt_error_status();
    kt__set_edge(node, i, to, result);
    return KT_OK;
}

static kt_status link_lists(kt_node *node, const inputs *in, int64_t *room)
{
    for (uint32_t i = 0; i < in->n; i++) {
        if (!in->t[i])
            continue;
        kt__edge_form(&node->edge[i], in->t[i], room);
        room += in->t[i]->ndim;
        if (in->links && kt__grad_flags(in->t[i]) & KT_T_REQUIRES_GRAD && link_input(node, i, in->t[i]))
            return kt_error_status();
    }
    return KT_OK;
}

/* Strides and offset of the first operand, stored before its sizes: kt__edge_strides and kt__edge_offset read them. */
static KT__COLD int64_t *note_geometry(const kt_tensor *t, int64_t *room)
{
    *room++ = kt__offset(t);
    for (int i = 0; i < t->ndim; i++)
        *room++ = t->strides[i];
    return room;
}

static inline __attribute__((always_inline)) kt_status link_few(kt_node *node, const inputs *in, int64_t *room)
{
    for (uint32_t left = in->ask; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        kt__edge_form(&node->edge[i], in->t[i], room);
        room += in->t[i]->ndim;
        if (in->links && link_input(node, i, in->t[i]))
            return kt_error_status();
    }
    return KT_OK;
}

/* A vector is row-major, and so is what is both. */
static kt__matrix_layout layout_of(const kt_tensor *t)
{
    const int last = t->ndim - 1;
    if (kt__is_contiguous(t))
        return MATRIX_ROWS;
    for (int i = 0; i < last - 1; i++)
        if (t->sizes[i] != 1)
            return MATRIX_OTHER;
    return last > 0 && t->strides[last - 1] == 1 && t->strides[last] == t->sizes[last - 1] ? MATRIX_COLUMNS : MATRIX_OTHER;
}

static void note_layouts(kt_node *node, kt_tensor *const *t, uint32_t ask)
{
    for (uint32_t left = ask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        node->edge[i].layout = layout_of(t[i]) & 3;
    }
}

static void save_listed(kt_node *node, const kt_call *call)
{
    const kt__input_map *map = &node->row->inputs;
    for (int i = 0; i < map->n; i++)
        for (int64_t k = 0; map->lists >> i & 1 && kt__given(call, map->at[i]) && k < call->arg[map->at[i]].ts.n; k++) {
            kt_tensor *t = call->arg[map->at[i]].ts.t[k];
            const uint32_t place = kt__n_saved(node);
            kt__saved_at(node, place)->t = NULL;
            if (t)
                kt__save_input(node, place, t, t->dtype);
            node->n_listed++;
        }
}

static inline __attribute__((always_inline)) kt_status save_inputs(kt_node *node, const kt_call *call,
                                                                       const kt_plan *plan, const inputs *in)
{
    uint32_t saves = node->row->saves, keep = saves & 7;
    if (saves & SAVES_R && call->form == KT_INPLACE)
        keep &= ~(uint32_t)SAVES_A;
    if (saves & (SAVES_N | SAVES_T) && (saves & SAVES_N ? !(in->ask >> 1) : call->scalars))
        keep = 0;
    if (saves & (SAVES_D | SAVES_O)) { /* not needed for inputs that do not require grad */
        const uint32_t last = 1u << (in->n - 1);
        keep &= saves & SAVES_O ? in->ask : in->ask & last ? keep : last;
        if (call->scalars && !(saves & SAVES_T))
            node->holds |= HOLDS_NUMBER;
    }
    if (saves & SAVES_X) { /* the last two are the factors */
        uint32_t first = in->n - 2, ask = in->ask >> first;
        keep = ((ask & 1) << 1 | (ask >> 1 & 1)) << first;
        if (call->scalars && keep)
            node->holds |= HOLDS_NUMBER;
    }
    for (; keep; keep &= keep - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(keep), before = in->absent & ((1u << i) - 1);
        if (i >= in->n || !in->t[i])
            continue;
        const uint32_t operand = i + 1 - (KT__LIKELY(!before) ? 0 : (uint32_t)__builtin_popcount(before));
        const uint8_t  as = plan ? plan->arg[operand].as : in->t[i]->dtype;
        if (KT__LIKELY(i || call->form != KT_INPLACE))
            kt__save_input(node, i, in->t[i], as);
        else if (kt__save_copy(node, i, in->t[i], as))
            return kt_error_status();
    }
    return KT_OK;
}

static kt_status check_saved(const kt_node *node)
{
    for (uint32_t i = 0, n = kt__n_saved(node); i < n; i++) {
        const kt_tensor *t = kt__is_saved(node, i) ? kt__saved_at(node, i)->t : NULL;
        if (t && t->flags & KT_T_INFERENCE)
            return kt__refuse_inference();
    }
    return KT_OK;
}

static inline __attribute__((always_inline)) kt_status record(const kt_call *call, const kt_plan *plan,
                                                                  const inputs *in, bool lists, kt_node **made)
{
    const kt_row  *row = call->row;
    kt__node_parts parts = {.edges = in->n, .saved = row->n_saved, .ints = in->sizes};
    if (lists && row->saves & SAVES_L)
        parts.saved += in->listed;
    if (!row->operands.bare || call->scalars) { /* else there are only tensors, no arguments to store */
        parts.values = (uint32_t)kt__n_args(row);
        parts.ints += row->inputs.pointed ? argument_ints(call) : 0;
    }
    const bool geometry = row->saves & SAVES_G && in->ask & 1;
    parts.ints += geometry ? 1 + in->t[0]->ndim : 0;
    kt_node *node = kt__node_new(&kt__node_operator, ++kt__tape_clock, parts);
    if (KT__UNLIKELY(!node))
        return kt_error_status();
    int64_t *room = kt__node_ints(node, parts);
    node->row = row;
    node->n_fixed = row->n_saved;
    node->form = call->form;
    node->given = call->given;
    node->scalars = call->scalars;
    if (KT__UNLIKELY(geometry))
        room = note_geometry(in->t[0], room);
    if (parts.values)
        copy_args(node, call, room + in->sizes);
    kt_status status = lists ? link_lists(node, in, room) : link_few(node, in, room);
    if (row->saves & SAVES_X && !row->way->broadcasts) /* a matrix product */
        note_layouts(node, in->t, in->ask);
    if (!status)
        status = save_inputs(node, call, plan, in);
    if (lists && !status && row->saves & SAVES_L)
        save_listed(node, call);
    if (!status && KT__UNLIKELY(in->flags & KT_T_INFERENCE) && in->links)
        status = check_saved(node);
    if (KT__UNLIKELY(status)) {
        kt__node_unref(node);
        return status;
    }
    *made = node;
    return KT_OK;
}

/* A row that brings the type of its node: what that saves is said when there are results. */
static kt_status record_appended(const kt_call *call, const inputs *in, kt_node **made)
{
    const kt_row       *row = call->row;
    const kt__appended *a = row->appended;
    const int64_t       pointed = row->inputs.pointed ? argument_ints(call) : 0;
    kt__node_parts      parts = {.edges = in->n, .saved = a->n_saved, .values = row->n_args, .ints = in->sizes + pointed,
                                 .context = kt__context_bytes(a->node)};
    kt_node *node = kt__node_new(a->node, ++kt__tape_clock, parts);
    if (!node)
        return kt_error_status();
    int64_t *room = kt__node_ints(node, parts);
    node->row = row;
    node->given = call->given;
    node->scalars = call->scalars;
    node->n_listed = a->n_saved;
    kt__custom_begin(node);
    if (parts.values)
        copy_args(node, call, room + in->sizes);
    if (link_lists(node, in, room)) {
        kt__node_unref(node);
        return kt_error_status();
    }
    *made = node;
    return KT_OK;
}

static KT__COLD kt_status record_special(const kt_call *call, const kt_plan *plan, uint32_t asking, bool links, kt_node **made)
{
    const kt__appended *a = call->row->appended;
    kt_tensor *few[FEW_INPUTS];
    inputs     in;
    if (gather_lists(call, few, asking, links, &in))
        return kt_error_status();
    kt_status status = a && a->node ? record_appended(call, &in, made) : record(call, plan, &in, true, made);
    if (in.t != few)
        kt__system_put(in.t, in.n * sizeof *in.t);
    return status;
}

static inline __attribute__((always_inline)) kt_status record_few(const kt_call *call, const kt_plan *plan, uint32_t asking,
                                                                   bool links, kt_node **made)
{
    kt_tensor *few[FEW_INPUTS];
    inputs     in;
    gather_few(call, few, asking, links, &in);
    return record(call, plan, &in, false, made);
}

static KT__COLD kt_status rules(const kt_call *call)
{
    const kt_tensor *target = call->form == KT_INPLACE ? call->arg[0].t : call->form == KT_OUT ? call->out[0] : NULL;
    return target ? written_rules(call, target) : KT_OK;
}

/* A comparison's result has no history; in place it ends the existing one. out= without a node gets a node that cannot
 * run. */
static inline bool is_recorded(const kt_call *call)
{
    const kt_row *row = call->row;
    if (row->node)
        return row->rule != RULE_COMPARE || call->form == KT_INPLACE;
    return call->form == KT_OUT && (row->way->composes || row->target.grad == TARGET_OPAQUE);
}

KT__HOT static kt_status before(kt_call *call, const kt_plan *plan, void **token)
{
    if (KT__UNLIKELY(call->form != KT_PLAIN) && rules(call))
        return kt_error_status();
    if (!is_recorded(call))
        return KT_OK;
    kt_node  *node = NULL;
    kt_status status =
        KT__UNLIKELY(call->row->inputs.special) ? record_special(call, plan, KT_T_REQUIRES_GRAD, true, &node)
                                                : record_few(call, plan, KT_T_REQUIRES_GRAD, true, &node);
    *token = node;
    return status;
}

kt_status kt__record_dual(kt_call *call, const kt_plan *plan, bool links, kt_node **made)
{
    *made = NULL;
    if (links && call->form != KT_PLAIN && rules(call))
        return kt_error_status();
    if (!is_recorded(call))
        return KT_OK;
    if (call->row->inputs.special ? record_special(call, plan, KT_T_FOLLOWED, links, made)
                                  : record_few(call, plan, KT_T_FOLLOWED, links, made))
        return kt_error_status();
    (*made)->aside = !links;
    return KT_OK;
}

/* ---- after it ---- */

/* An integer result carries a gradient only to an integer leaf that requires grad. */
static KT__COLD bool leads_to_integer(const kt_node *node)
{
    for (uint32_t i = 0; i < node->n_edges; i++)
        if (node->edge[i].to && kt__is_integer(node->edge[i].dtype))
            return true;
    return false;
}

static inline bool differentiable(const kt_node *node, const kt_tensor *t)
{
    return KT__LIKELY(kt__dtype_rows[t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)) ||
           (kt__is_integer(t->dtype) && leads_to_integer(node));
}

static kt_status save_one(const kt_call *call, kt_node *node, kt_tensor *out)
{
    const uint32_t saves = node->row->saves;
    const bool     in_place = call->form == KT_INPLACE;
    const bool kept = (node->row->saves_results & 1 && !(saves & SAVES_E && call->scalars)) || (saves & SAVES_R && in_place);
    return kept ? kt__save_output(node, SAVED_Y, out, 0) : KT_OK;
}

static kt_status link_one(const kt_call *call, kt_node *node, kt_tensor *out)
{
    if (!differentiable(node, out)) {
        kt__node_unref(node);
        return KT_OK;
    }
    if (save_one(call, node, out) || (call->form != KT_PLAIN && kt__break_cycle(node, out))) {
        kt__node_unref(node);
        return kt_error_status();
    }
    return call->form != KT_PLAIN && out->base ? kt__rebase(out, node, 0) : kt__link_result(out, node, 0);
}

static kt_status save_several(kt_node *node, kt_tensor *const *out, uint32_t n)
{
    kt_status status = kt__note_forms(node, out, n);
    for (uint32_t left = node->row->saves_results; left && !status; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        status = kt__save_output(node, SAVED_Y + i, out[i], i);
    }
    return status;
}

/* One node for several results; saved results are stored without history, each floating result links to the node. */
static kt_status link_several(kt_node *node, kt_tensor *const *out, uint32_t n)
{
    kt_status status = save_several(node, out, n);
    for (uint32_t i = 0; i < n && !status; i++)
        if (kt__has_slope(node->row, i) && differentiable(node, out[i]))
            status = kt__link_result(out[i], kt__node_ref(node), i);
    kt__node_unref(node);
    return status;
}

static KT__COLD kt_status link_appended(const kt_call *call, kt_node *node)
{
    const kt__appended *a = call->row->appended;
    kt_status           status = kt__note_forms(node, call->out, call->n_out);
    for (uint32_t i = 0; i < call->n_out && !status; i++)
        status = kt__attach(node, call->out[i], i, KT_RESULT_MADE);
    if (!status && a->setup) {
        status = a->setup(node, call);
        if (status && !kt__failed())
            kt_fail(status, "%s: what its derivative needs could not be saved", call->row->name);
        status = kt__failed() ? kt_error_status() : KT_OK;
    }
    kt__node_unref(node);
    return status;
}

static inline __attribute__((always_inline)) kt_status linked(kt_call *call, kt_node *node)
{
    if (KT__UNLIKELY(node->type != &kt__node_operator))
        return link_appended(call, node);
    if (call->row->way->lists)
        return link_several(node, call->list, (uint32_t)call->n_list);
    if (KT__UNLIKELY(call->n_out > 1))
        return link_several(node, call->out, call->n_out);
    return link_one(call, node, call->out[0]);
}

kt_status kt__link_dual(kt_call *call, kt_node *node)
{
    if (!node->aside)
        return linked(call, kt__node_ref(node));
    if (call->row->way->lists)
        return save_several(node, call->list, (uint32_t)call->n_list);
    return call->n_out > 1 ? save_several(node, call->out, call->n_out) : save_one(call, node, call->out[0]);
}

static KT__COLD kt_status linked_and_more(kt_call *call, kt_node *node)
{
    kt_node  *kept = kt__node_ref(node);
    kt_status status = linked(call, node);
    if (!status && kt__packs && kept->type == &kt__node_operator) /* others pack what they save themselves */
        status = kt__pack_all(kept);
    if (!status && kt__inducer)
        status = kt__note_inducer(kept);
    kt__node_unref(kept);
    return status;
}

KT__HOT static kt_status after(kt_call *call, const kt_plan *plan, void *token)
{
    (void)plan;
    return KT__UNLIKELY(kt__records_more) ? linked_and_more(call, token) : linked(call, token);
}

static void cancel(void *token) { kt__node_unref(token); }

/* Allocates a leaf's record before threads share it. A view made under no_grad records the version it saw: it cannot
 * follow later writes to its base. */
static kt_status note(kt_tensor *t)
{
    struct kt_autograd *a = kt__autograd_of(t);
    if (!a)
        return kt_error_status();
    a->seen_version = kt__version(t);
    return KT_OK;
}

/* `data =` gives a tensor with a history other sizes: its node notes those that it made, which gradients must fit. */
static kt_status moves(kt_tensor *t)
{
    kt_node  *node = NULL;
    uint32_t  result = 0;
    kt_status status = kt_is_leaf(t) ? KT_OK : kt__producer(t, &node, &result);
    if (!status && node)
        status = kt__note_form_of(node, t);
    if (!status && node)
        node->moved = true;
    kt__node_unref(node);
    return status;
}

/* ---- at start ---- */

static const char *printed(const kt_tensor *t)
{
    if (kt__view_stale(t) && t->flags & KT_T_VIEW_MADE)
        return "Invalid"; /* reading it would fail */
    const char *name = kt_grad_fn_name(t);
    return *name || kt_requires_grad(t) ? name : NULL;
}

void kt__grad_init(void)
{
    kt__print_grad = printed;
    kt__print_tangent = kt__tangent_shown;
    kt__tape = (kt__tape_hooks){before, after, cancel, rules, kt__before_dual, kt__after_dual, note,
                               kt__place_list_beside, kt__open_levels, kt__become_view,
                               kt__carry_tangents};
    kt__autograd_release = kt__autograd_free;
    kt__autograd_moves = moves;
}
