/* run.c - a call with a tensor of a level, from the tape's record to results of the level. In: the call. Out: its results, or an
 * error in PyTorch's words. What is done with the values is the rule's business. */
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "plan/aten.h"
#include "plan/observe.h"
#include "tables/schema.h"
#include "ways/body.h"

/* ---- which rule ---- */

enum rule {
#define BATCH_RULE(NAME, name, draws) RULE_OF_##NAME,
#include "tables/batch_rules.def"
};

enum { _, DRAWS }; /* the words of the table */
static const struct {
    kt__batch_rule run;
    bool           draws;
} rules[] = {
#define BATCH_RULE(NAME, name, draws) {kt__batch_##name, draws},
#include "tables/batch_rules.def"
};

static const struct {
    bool           set;
    kt__batch_line line;
} lines[KT_NUM_OPS] = {
#define BATCH(row, RULE)           [KT_OP_##row] = {true, {RULE_OF_##RULE, {0, 0}, KT_OP_##row}},
#define BATCH_BY(row, RULE, other) [KT_OP_##row] = {true, {RULE_OF_##RULE, {0, 0}, KT_OP_##other}},
#define BATCH_OF(row, RULE, a, b)  [KT_OP_##row] = {true, {RULE_OF_##RULE, {a, b}, KT_OP_##row}},
#include "tables/batch.def"
};

/* The rule of a way. A view shares memory, so it cannot be looped over; other bodies can. Where a body has no node its parts are
 * what is differentiated, so that these are called with the user's tensors. */
static uint8_t rule_of_way(const kt_row *row)
{
    const kt__way *way = row->way;
    if (way->broadcasts)
        return RULE_OF_ELEMENTWISE;
    if (!row->node && (way->composes || way->lists))
        return RULE_OF_PARTS;
    if (way->views || way == &kt__way_reduce || way == &kt__way_scan)
        return RULE_OF_ALONG;
    return RULE_OF_LOOP;
}

kt__batch_line kt__batch_line_of(const kt_row *row)
{
    if (row->id < KT_NUM_OPS && lines[row->id].set)
        return lines[row->id].line;
    return (kt__batch_line){rule_of_way(row), {0, 0}, row->id};
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

static kt_status fail_escaped(void)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
                   "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
                   "`gen_vmap_plumbing` Please file an issue if it looks like the latter");
}

/* ---- what is written ---- */

static int argument_named(const kt_row *row, schema_span name)
{
    int i = kt__n_args(row);
    while (i-- > 0 && !schema_is(name, kt__arg_spec(row, i)->name))
        ;
    return i;
}

/* Of an argument that may be a tensor. */
static bool is_number(const kt_call *call, int i)
{
    return call->scalars >> i & 1 || (call->arg[i].t && call->arg[i].t->flags & KT_T_WRAPPED);
}

/* How PyTorch's overload is looked for: the row's own; any; any that takes tensors for the call's numbers. */
enum { OWN, ANY, NUMBERS_ARE_TENSORS, N_SEARCHES };

/* Whether the overload has the arguments of the call: what was given and what it cannot do without. */
static bool fits(const kt_call *call, const char *schema, int search)
{
    schema_text  t;
    uint32_t     found = 0;
    const size_t whole = strcspn(schema, "(") + 1;
    if (!schema_read(&t, schema) || (search == OWN && strncmp(schema, kt_row_schema(call->row), whole) != 0))
        return false;
    for (int i = 0; i < t.n_args; i++) {
        const schema_arg *a = &t.arg[i];
        const int         at = a->written ? -1 : argument_named(call->row, a->name);
        if (a->written || (at < 0 && a->value.s))
            continue;
        if (at < 0 || (!a->value.s && !kt__given(call, at)))
            return false;
        found |= 1u << at;
        const int  kind = kt__arg_spec(call->row, at)->kind;
        const bool tensor = schema_is(a->type, "Tensor"), may_be = kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR;
        if (!kt__given(call, at))
            continue;
        if (!may_be || is_number(call, at) ? tensor && search != NUMBERS_ARE_TENSORS : !tensor && call->arg[at].t)
            return false;
    }
    return !(call->given & ~found);
}

/* The overload of PyTorch's that writes into targets: that of a line of the table, or a line by itself. */
static const char *out_overload(const kt_call *call, const char *name, int *n)
{
    const size_t base = (size_t)schema_name_length(name);
    for (int search = OWN; search < N_SEARCHES; search++)
        for (const kt__aten *line = NULL; (line = kt__aten_next(name, base, line));) {
            const char *overload = line->out ? line->out : line->schema + base + 1;
            const bool  own = line->schema[base] == '.' && strstr(line->schema, "Tensor(a!) ");
            if ((line->out || own) && fits(call, line->schema, search)) {
                *n = (int)strcspn(overload, "(");
                return overload;
            }
        }
    *n = 3;
    return "out";
}

static kt_status fail_out(const kt_call *call)
{
    const char *name = kt__aten_name(call->row);
    int         n;
    const char *overload = out_overload(call, name, &n);
    return kt_fail(KT_ERR_RUNTIME, "Batching rule not implemented for aten::%.*s.%.*s%s", schema_name_length(name), name, n,
                   overload, call->row->inputs.lists ? ". We could not generate a fallback."
                                                     : "; the fallback path doesn't work on out= or view ops.");
}

static kt_status fail_drawn_out(void)
{
    return kt_fail(KT_ERR_RUNTIME, "vmap: We do not support calling out variants of random operations inside of vmap. Please use "
                                   "non-out variants as a workaround");
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
static kt_status note_base(const kt_call *call, kt_tensor *result)
{
    kt_tensor *of = call->arg[0].t;
    if (!(kt__example_of(result)->value->flags & KT_T_VIEW) || result->flags & KT_T_INFERENCE ||
        result->storage != of->storage || result == of)
        return KT_OK;
    result->base = kt__ref(of->base ? of->base : of);
    result->flags |= KT_T_VIEW | (of->flags & KT_T_VIEW_MADE);
    if (!(kt__mode() & KT_M_GRAD) || kt__born_flags)
        return kt__unfollowed(result);
    if (call->row->way->lists)
        kt__view_made(result, KT_T_ONE_OF_MANY);
    return KT_OK;
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
            status = note_base(call, call->list[i]);
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
            status = note_base(call, call->out[i]);
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
static kt_status record(kt_call *call, uint32_t level, kt__taping *taping)
{
    kt__gathered g;
    kt__decision room;
    kt_plan      plan;
    const uint32_t grad = kt__input_flags(call);
    const int      floor = grad & KT_T_DUAL ? kt__level_floor(level) : 0;
    if (!grad || !call->row->way->decide)
        return kt__tape_before_above(call, NULL, grad, floor, taping);
    const kt__decision *d = call->row->way->decide(call, &g, &room);
    if (!d)
        return kt_error_status();
    return kt__tape_before_above(call, kt__seen_as(&plan, &g, d), grad, floor, taping);
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

static kt_status run_lifted(kt_call *call, kt__lift *l, uint8_t rule)
{
    kt__taping taping;
    KT_SCOPE;
    if ((!rules[rule].draws && check_written(call, l->level)) || record(call, l->level, &taping))
        return kt_error_status();
    kt_status status = run_rule(l, rules[rule].run);
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

/* As the level around would run it. */
static kt_status run_outside(kt_call *call)
{
    kt__level      *was = kt__level_leave(kt__innermost->id);
    const kt_status status = kt_call_run(call);
    kt__level_return(was);
    return status;
}

/* The body itself; a row's own node would record nothing, since this level's tensors have no history: what it is made of is
 * recorded. One that gives a tensor of a level to a kernel of its own was refused before that ran, and is run example by
 * example: it has written nothing, and where a gradient is wanted it is made of operators. */
static kt_status run_parts(kt_call *call, kt_status (*plain)(kt_call *), bool *refused)
{
    kt__met_example = false;
    const kt_status status = plain(call);
    *refused = status && kt__met_example;
    if (*refused)
        kt_clear();
    kt__met_example = false;
    return status;
}

static kt_status run(kt_call *call, kt_status (*plain)(kt_call *))
{
    uint32_t   level = innermost_of(call);
    uint8_t    rule = kt__batch_line_of(call->row).rule;
    const bool draws = kt__innermost && rules[rule].draws;
    if (!level && !draws)
        return plain(call);
    if (draws && call->form == KT_OUT)
        return fail_drawn_out();
    if (draws && kt__innermost->id > level && kt__innermost->randomness == KT_RANDOM_SAME)
        return run_outside(call);
    if (rule == RULE_OF_PARTS) {
        bool refused = false;
        const kt_status status = call->form == KT_OUT ? fail_out(call)
                                                      : run_parts(call, call->row->node ? kt__run_in_parts : plain, &refused);
        if (!refused)
            return status;
        rule = RULE_OF_LOOP;
    }
    if (draws) /* what it draws may differ from example to example, though its tensors do not */
        level = kt__innermost->id > level ? kt__innermost->id : level;
    const kt__level *open = kt__level_of(level);
    if (!open)
        return fail_escaped();
    kt__lift l = {.call = call, .level = level, .size = open->size, .randomness = open->randomness};
    return run_lifted(call, &l, rule);
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
    if (kt__tape_before_above(&call, NULL, kt__grad_flags(t) & KT_T_FOLLOWED, kt__level_floor(b->level), &taping))
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

/* Memory for n tensors like t, one after the other; each lies as t does, so that a view of t is one of it. Owned. */
static kt_tensor *blank(const kt_tensor *t, int64_t n)
{
    if (t->flags & KT_T_BATCHED) {
        const kt__example *b = kt__example_of(t);
        kt_tensor         *value = blank(b->value, n), *shown = value ? kt__tensor_batched(value, b->dim + 1, b->level) : NULL;
        kt__unref(value);
        return shown;
    }
    int64_t sizes[KT_MAX_DIMS + 1] = {n}, strides[KT_MAX_DIMS + 1], reach = t->numel != 0;
    for (int i = 0; i < t->ndim; i++) {
        sizes[i + 1] = t->sizes[i];
        strides[i + 1] = t->strides[i];
        reach += t->sizes[i] ? (t->sizes[i] - 1) * t->strides[i] : 0;
    }
    strides[0] = reach;
    kt_tensor *made = t->ndim < KT_MAX_DIMS ? kt__tensor_new((kt_dtype)t->dtype, kt__device(t), KT_SHAPE(n * reach)) : NULL;
    if (!made || kt__tensor_set_geometry(made, (kt_shape){t->ndim + 1, sizes}, (kt_shape){t->ndim + 1, strides}, 0)) {
        if (!kt__failed())
            kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
        kt__unref(made);
        return NULL;
    }
    made->flags |= t->flags & (KT_T_CONJ | KT_T_NEG);
    made->lineage = t->lineage;
    return made;
}

static kt_tensor *scoped(kt_tensor *t)
{
    if (t && kt__scope_add(t)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

/* t for each example. */
static kt_tensor *for_each(const kt__lift *l, kt_tensor *t)
{
    const kt_tensor *whole = t;
    while (whole->flags & KT_T_BATCHED)
        whole = kt__example_of(whole)->value;
    const bool overlaps = kt__overlaps_itself(whole); /* zeros of no memory */
    kt_tensor *made = scoped(overlaps ? NULL : blank(t, l->size));
    if (overlaps)
        return kt_clone(kt__lifted_all(l, t), .memory_format = KT_CONTIGUOUS_FORMAT);
    return made ? kt_copy_(made, kt__lifted_all(l, t)) : NULL;
}

/* Level by level, the innermost first. */
static kt_tensor *room(kt_tensor *t, const kt_tensor *beside)
{
    if (!t || !beside || kt__has_levels(t, beside))
        return t;
    const uint32_t theirs = kt__example_of(beside)->level, own = t->flags & KT_T_BATCHED ? kt__example_of(t)->level : 0;
    const uint32_t level = own > theirs ? own : theirs;
    kt__lift       l = {.level = level};
    kt_tensor     *value = kt__lifted(&l, t, -1);
    const kt_tensor *other = theirs == level ? kt__example_of(beside)->value : beside;
    if (!value)
        return NULL;
    l.size = own == level ? value->sizes[0] : other->sizes[kt__example_of(beside)->dim];
    kt__level *was = kt__level_leave(level);
    if ((value = room(value, other)) && own != level)
        value = for_each(&l, value);
    kt__level_return(was);
    return scoped(value ? kt__tensor_batched(value, 0, level) : NULL);
}

void kt__batch_init(void) { kt__batching = (kt__batch_hooks){run, convert, room}; }
