/* run.c - a call with a tensor of a level, from the tape's record to results of the level. In: the call. Out: its results, or an
 * error in PyTorch's words. What is done with the values is the rule's business. */
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "plan/observe.h"

/* ---- which rule ---- */

enum rule {
#define BATCH_RULE(NAME, name) RULE_OF_##NAME,
#include "tables/batch_rules.def"
};

static const kt__batch_rule rules[] = {
#define BATCH_RULE(NAME, name) kt__batch_##name,
#include "tables/batch_rules.def"
};

typedef struct row_line {
    bool     set;
    uint8_t  rule;
    uint16_t row;
} row_line;

static const row_line lines[KT_NUM_OPS] = {
#define BATCH(row, RULE)           [KT_OP_##row] = {true, RULE_OF_##RULE, KT_OP_##row},
#define BATCH_BY(row, RULE, other) [KT_OP_##row] = {true, RULE_OF_##RULE, KT_OP_##other},
#define BATCH_IMAGES(row, rank)    [KT_OP_##row] = {true, RULE_OF_IMAGES, rank},
#include "tables/batch.def"
};

/* The rule of a way. A view shares memory, so it cannot be looped over; other bodies can. */
static uint8_t rule_of_way(const kt_row *row)
{
    const kt__way *way = row->way;
    if (way->broadcasts)
        return RULE_OF_ELEMENTWISE;
    if (way->views || way == &kt__way_reduce || way == &kt__way_scan)
        return RULE_OF_ALONG;
    return RULE_OF_LOOP;
}

kt__batch_line kt__batch_line_of(const kt_row *row)
{
    if (row->id < KT_NUM_OPS && lines[row->id].set)
        return (kt__batch_line){lines[row->id].rule, lines[row->id].row};
    return (kt__batch_line){rule_of_way(row), row->id};
}

/* ---- the level ---- */

static uint32_t level_of(const kt_tensor *t, uint32_t so_far)
{
    return t && t->flags & KT_T_BATCHED && kt__example_of(t)->level > so_far ? kt__example_of(t)->level : so_far;
}

/* The innermost level of the call's tensors; 0: none. */
static uint32_t innermost_of(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    uint32_t             level = 0;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        if (!(map->lists >> i & 1))
            level = level_of(call->arg[at].t, level);
        else
            for (int64_t k = 0; k < call->arg[at].ts.n; k++)
                level = level_of(call->arg[at].ts.t[k], level);
    }
    for (int i = 0; call->form == KT_OUT && i < kt__n_results(call->row); i++)
        level = level_of(call->out[i], level);
    return level;
}

/* How many examples the level has; a level that has ended is asked of its tensors. */
static int64_t size_of(const kt_call *call, uint32_t level)
{
    kt__lift probe = {.call = (kt_call *)(uintptr_t)call, .level = level};
    int      at = 0;
    if (!kt__count_lifted(&probe, &at))
        return 0;
    const kt_tensor *t = NULL;
    const uint8_t    kind = kt__arg_spec(call->row, at)->kind;
    if (kind != KT_ARG_TENSORS)
        t = call->arg[at].t;
    for (int64_t k = 0; kind == KT_ARG_TENSORS && !t; k++)
        t = kt__at_level(call->arg[at].ts.t[k], level) ? call->arg[at].ts.t[k] : NULL;
    return kt__example_of(t)->value->sizes[kt__example_of(t)->dim];
}

/* ---- what is written ---- */

static kt_status fail_out(const kt_call *call)
{
    const char *name = kt__schema_display_name(call->row);
    return kt_fail(KT_ERR_RUNTIME,
                   "Batching rule not implemented for aten::%.*s.out; the fallback path doesn't work on out= or view ops.",
                   (int)strcspn(name, "(."), name);
}

static kt_status fail_written(void)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
                   "extra_args that has more elements than `self`. This happened due to `other` being vmapped over but `self` "
                   "not being vmapped over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If "
                   "said operator is being called inside the PyTorch framework, please file a bug report instead.");
}

/* What is written must have room for every example. */
static kt_status check_written(const kt_call *call, uint32_t level)
{
    if (call->form == KT_OUT)
        return fail_out(call);
    for (int i = 0; i < kt__n_args(call->row); i++) {
        const kt_arg_spec *spec = kt__arg_spec(call->row, i);
        const bool         written = spec->written || (call->form == KT_INPLACE && i == 0);
        if (!written || !kt__given(call, i))
            continue;
        if (spec->kind == KT_ARG_TENSOR && call->arg[i].t && !kt__at_level(call->arg[i].t, level))
            return fail_written();
    }
    return KT_OK;
}

/* ---- results ---- */

static kt_status fail_rank(void)
{
    return kt_fail(KT_ERR_RUNTIME, "vmap: a batching rule gave a result without the examples");
}

/* Takes the value over. */
static kt_tensor *shown(const kt__lift *l, kt_tensor *value)
{
    if (!value)
        return NULL;
    if (value->ndim <= l->dim || value->sizes[l->dim] != l->size) {
        fail_rank();
        kt__unref(value);
        return NULL;
    }
    kt_tensor *t = kt__tensor_batched(value, l->dim, l->level);
    kt__unref(value);
    return t;
}

/* A view of the examples is a view of what the user sees, for writes through it. */
static void note_base(const kt_call *call, kt_tensor *result)
{
    kt_tensor *of = call->arg[0].t;
    if (!(kt__example_of(result)->value->flags & KT_T_VIEW) || result->flags & KT_T_INFERENCE ||
        result->storage != of->storage || result == of)
        return;
    result->base = kt__ref(of->base ? of->base : of);
    result->flags |= KT_T_VIEW | (of->flags & KT_T_VIEW_MADE);
    if (!(kt__mode() & KT_M_GRAD) || kt__born_flags)
        kt__view_made(result, kt__born_flags ? KT_T_IN_INFERENCE : KT_T_UNFOLLOWED);
    else if (call->row->way->lists)
        kt__view_made(result, KT_T_ONE_OF_MANY);
}

static kt_status show_list(const kt__lift *l, kt_call *call)
{
    kt_status status = KT_OK;
    call->list = l->inner.list;
    call->n_list = l->inner.n_list;
    for (int64_t i = 0; i < call->n_list; i++) {
        kt_tensor *value = call->list[i];
        call->list[i] = status ? NULL : shown(l, value);
        if (status)
            kt__unref(value);
        else if (!call->list[i])
            status = kt_error_status();
        else if (call->row->inputs.n && kt__arg_spec(call->row, 0)->kind == KT_ARG_TENSOR)
            note_base(call, call->list[i]);
    }
    if (status)
        kt_call_free_list(call);
    return status;
}

static kt_status show_written(kt_call *call, const kt__lift *l)
{
    for (int i = 0; i < l->inner.n_out; i++)
        kt__unref(l->inner.out[i]);
    kt_tensor *self = call->arg[0].t;
    if (kt__tensor_show_batch(self))
        return kt_error_status();
    call->out[0] = kt__ref(self);
    call->n_out = 1;
    return KT_OK;
}

static kt_status show(kt_call *call, kt__lift *l)
{
    const kt_row *row = call->row;
    if (row->way->lists && kt__arg_spec(row, 0)->kind == KT_ARG_TENSORS && call->form == KT_INPLACE) {
        kt_call_free_list(&l->inner);
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "vmap: %s in place", row->name);
    }
    if (row->way->lists)
        return show_list(l, call);
    if (call->form == KT_INPLACE)
        return show_written(call, l);
    const int n = l->inner.n_out;
    kt_status status = KT_OK;
    for (int i = 0; i < n; i++) {
        kt_tensor *value = l->inner.out[i];
        call->out[i] = status ? NULL : shown(l, value);
        if (status)
            kt__unref(value);
        else if (!call->out[i])
            status = kt_error_status();
        else if (row->inputs.n && kt__given(call, 0) && kt__arg_spec(row, 0)->kind == KT_ARG_TENSOR)
            note_base(call, call->out[i]);
    }
    for (int i = 0; i < n && status; i++) {
        kt__unref(call->out[i]);
        call->out[i] = NULL;
    }
    call->n_out = (uint8_t)(status ? 0 : n);
    return status;
}

/* ---- a call ---- */

static void drop_results(kt_call *call)
{
    for (int i = 0; i < call->n_out; i++) {
        kt__unref(call->out[i]);
        call->out[i] = NULL;
    }
    if (call->row->way->lists)
        kt_call_free_list(call);
}

/* The tape saves operands as the kernel sees them, which the way decides. */
static kt_status record(kt_call *call, kt__taping *taping)
{
    kt__gathered g;
    kt__decision room;
    kt_plan      plan;
    const uint32_t grad = kt__input_flags(call);
    if (!grad || !call->row->way->decide)
        return kt__tape_before(call, NULL, grad, taping);
    const kt__decision *d = call->row->way->decide(call, &g, &room);
    if (!d)
        return kt_error_status();
    return kt__tape_before(call, kt__seen_as(&plan, &g, d), grad, taping);
}

static kt_status run_rule(kt__lift *l, kt__batch_rule rule)
{
    kt__level    *was = kt__level_leave(l->level);
    const kt_row *outer = kt__named.plans;
    if (!outer)
        kt__named.plans = l->call->row;
    l->inner = *l->call;
    l->inner.list = NULL;
    l->inner.n_list = 0;
    l->inner.n_out = 0;
    const kt_status status = rule(l);
    kt__named.plans = outer;
    kt__level_return(was);
    return status;
}

static kt_status run_lifted(kt_call *call, kt__lift *l, kt__batch_rule rule)
{
    kt__taping taping;
    KT_SCOPE;
    const bool own_check = rule == kt__batch_drawn_like || rule == kt__batch_drawn;
    if ((!own_check && check_written(call, l->level)) || record(call, &taping))
        return kt_error_status();
    kt_status status = run_rule(l, rule);
    if (!status)
        status = show(call, l);
    const bool ran = !status;
    status = kt__tape_after(call, NULL, &taping, status);
    if (ran && status)
        drop_results(call);
    if (l->listed)
        kt__system_put(l->listed, (size_t)l->n_listed * sizeof *l->listed);
    return status;
}

static bool is_drawn(uint8_t rule)
{
    return rule == RULE_OF_DRAWN || rule == RULE_OF_DRAWN_LIKE || rule == RULE_OF_DRAWN_SHAPED || rule == RULE_OF_DROPPED;
}

/* As the level around would run it. */
static kt_status run_outside(kt_call *call)
{
    kt__level      *was = kt__level_leave(kt__innermost->id);
    const kt_status status = kt_call_run(call);
    kt__level_return(was);
    return status;
}

static kt_status run(kt_call *call, kt_status (*plain)(kt_call *))
{
    uint32_t             level = innermost_of(call);
    const kt__batch_line line = kt__batch_line_of(call->row);
    const bool           draws = kt__innermost && (is_drawn(line.rule));
    if (!level && !draws)
        return plain(call);
    if (draws && kt__innermost->id > level && kt__innermost->randomness == KT_RANDOM_SAME)
        return run_outside(call);
    if (line.rule == RULE_OF_PARTS)
        return call->form == KT_OUT ? fail_out(call) : plain(call);
    if (draws) /* what it draws may differ from example to example, though its tensors do not */
        level = kt__innermost->id > level ? kt__innermost->id : level;
    const kt__level *open = kt__level_of(level);
    kt__lift         l = {.call = call, .level = level};
    l.size = open ? open->size : size_of(call, level);
    l.randomness = open ? open->randomness : KT_RANDOM_ERROR;
    const bool apart = !call->row->node && (call->row->way->composes || call->row->way->lists);
    if (apart && kt__are_dual(kt__input_flags(call))) /* its parts would have the tangents, and the rule does not call them */
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "vmap: there is no forward mode of %s inside vmap yet", call->row->name);
    if (apart && kt__mode() & KT_M_GRAD && !kt__born_flags && kt__any_requires_grad(call))
        return check_written(call, level) ? kt_error_status() : kt__batch_differentiated(call, level, l.size);
    return run_lifted(call, &l, rules[line.rule]);
}

kt_status kt__batch_parts(kt__lift *l) { return l->call->row->way->run(l->call); }

static kt_status convert(kt_tensor *t, kt_dtype dtype, kt_reason why, kt_tensor **result)
{
    const kt__example *b = kt__example_of(t);
    kt_tensor         *value = NULL;
    kt_call            call;
    kt__taping         taping;
    kt__open(&call, KT_OP_to_copy, KT_PLAIN);
    kt__put_tensor(&call, 0, t);
    kt__put(&call, 1, dtype, dtype);
    if (kt__tape_before(&call, NULL, kt__grad_flags(t) & KT_T_FOLLOWED, &taping))
        return kt_error_status();
    kt__level *was = kt__level_leave(b->level);
    kt_status  status = kt__convert_inside(b->value, dtype, why, &value);
    kt__level_return(was);
    call.out[0] = status ? NULL : kt__tensor_batched(value, b->dim, b->level);
    call.n_out = 1;
    kt__unref(value);
    status = kt__tape_after(&call, NULL, &taping, call.out[0] ? KT_OK : kt_error_status());
    if (status)
        kt__unref(call.out[0]);
    else
        *result = call.out[0];
    return status;
}

/* Level by level, the innermost first. */
static kt_tensor *room(kt_tensor *t, const kt_tensor *beside)
{
    if (!t || !beside || !(beside->flags & KT_T_BATCHED))
        return t;
    const uint32_t theirs = kt__example_of(beside)->level, own = t->flags & KT_T_BATCHED ? kt__example_of(t)->level : 0;
    const uint32_t level = own > theirs ? own : theirs;
    kt__lift       l = {.level = level};
    kt_tensor     *value = kt__lifted(&l, t, -1);
    const kt_tensor *other = theirs == level ? kt__example_of(beside)->value : beside;
    l.size = own == level ? value->sizes[0] : other->sizes[kt__example_of(beside)->dim];
    kt__level *was = kt__level_leave(level);
    value = room(value, other);
    if (own != level)
        value = kt_clone(kt__lifted_all(&l, value), .memory_format = KT_CONTIGUOUS_FORMAT);
    kt__level_return(was);
    kt_tensor *made = value ? kt__tensor_batched(value, 0, level) : NULL;
    if (made && kt__scope_add(made)) {
        kt__unref(made);
        return NULL;
    }
    return made;
}

void kt__batch_init(void) { kt__batching = (kt__batch_hooks){run, convert, room}; }
