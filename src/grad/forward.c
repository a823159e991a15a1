/* forward.c - forward mode: a call of tensors that have tangents gives results that have some. In: calls before and after their
 * kernel (the hooks of plan/observe.h). Out: the results' tangents, level by level.
 *
 * A call runs without seeing the tangents; then, for each level from the lowest, the tangents of its results are made of other
 * calls, which see lower levels alone: so levels nest, and the tape records these calls like any others. There are four ways:
 *
 *   a linear row          the row of the tangents                                           tables/forward.def, views, copies
 *   a product             the sum over its factors, each replaced by its tangent            tables/forward.def
 *   an elementwise row    of real numbers, its Jacobian is diagonal and so its own transpose: the formula of its derivative, with
 *                         the tangent in the gradient's place
 *   any other             the formula twice: it maps the results' gradient g to the inputs', J^T g, which is linear in g; the
 *                         gradient of that with respect to g, for the tangent t, is J t
 *
 * The last two need a node. If the tape records the call it is the tape's; if not, one is made that stands aside. */
#include <string.h>

#include "base/alloc.h"
#include "base/scope.h"
#include "call/wrap.h"
#include "grad/run.h"
#include "tables/schema.h"

/* ---- what is known of rows ---- */

typedef enum row_kind { FORMULA, LINEAR_ROW, PRODUCT_ROW } row_kind;
typedef struct fact {
    uint8_t  kind; /* row_kind */
    uint32_t args, added; /* bit i: argument i */
} fact;

enum { A = 1, B = 2, C = 4, D = 8 };
static const fact facts[KT_NUM_OPS] = {
#define LINEAR(row, of)             [KT_OP_##row] = {LINEAR_ROW, of, 0},
#define PRODUCT(row, factors, plus) [KT_OP_##row] = {PRODUCT_ROW, factors, plus},
#include "tables/forward.def"
};

/* A write in place has overwritten its first factor. */
static fact fact_of(const kt_call *call)
{
    const kt_row *row = call->row;
    const fact    f = row->id < KT_NUM_OPS ? facts[row->id] : (fact){FORMULA, 0, 0};
    if (f.kind == FORMULA && (row->way->views || row->way == &kt__way_copy))
        return (fact){LINEAR_ROW, A, 0};
    return f.kind == PRODUCT_ROW && call->form == KT_INPLACE && f.args & A ? (fact){FORMULA, 0, 0} : f;
}

/* ---- a call that is followed ---- */

typedef struct followed {
    uint64_t levels; /* that inputs have */
    uint64_t lacked; /* of a view: that its input lacks, whatever its base has */
    uint64_t mode;   /* the thread's, before the call */
    fact     fact;
    kt_node *node;   /* owned; NULL: it is not needed */
} followed;

static kt_tensor *tensor_at(const kt_call *call, int at)
{
    return kt__given(call, at) && !(call->scalars >> at & 1) ? call->arg[at].t : NULL;
}

/* The tensors of a call in the order of its node's edges. NULL at the end: none at all. */
typedef struct walk {
    const kt_call *call;
    int            i;
    int64_t        k; /* in a list */
} walk;

static bool next(walk *w, kt_tensor **t)
{
    const kt__input_map *map = &w->call->row->inputs;
    for (; w->i < map->n; w->i++, w->k = 0) {
        const int at = map->at[w->i];
        if (!(map->lists >> w->i & 1)) {
            *t = tensor_at(w->call, at);
            w->i++;
            return true;
        }
        if (kt__given(w->call, at) && w->k < w->call->arg[at].ts.n) {
            *t = w->call->arg[at].ts.t[w->k++];
            return true;
        }
    }
    return false;
}

static uint64_t levels_of_inputs(const kt_call *call, uint64_t mode, int64_t *n)
{
    uint64_t   levels = 0;
    kt_tensor *t;
    *n = 0;
    for (walk w = {.call = call}; next(&w, &t); ++*n)
        levels |= t && kt__grad_flags(t) & KT_T_DUAL ? kt__levels_of(t, mode) : 0;
    return levels;
}

/* ---- refusals ---- */

static kt_status refuse_missing(const kt_call *call)
{
    const char *name = kt__schema_display_name(call->row);
    return kt_fail(KT_ERR_NOT_IMPLEMENTED, "Trying to use forward AD with aten::%.*s%s that does not support it.",
                   schema_name_length(name), name, call->form == KT_INPLACE ? "_" : "");
}

static kt_status refuse_appended(const kt_call *call)
{
    if (call->row->node)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED,
                       "You must implement the jvp function for custom autograd.Function to use it with forward mode AD.");
    return kt_fail(KT_ERR_NOT_IMPLEMENTED, "Trying to use forward AD with %s that does not support it.", call->row->name);
}

/* The derivative of a derivative that has none: PyTorch's words for an operator whose tangent it cannot compute. */
static kt_status refuse_second(const kt_call *call)
{
    const char *name = kt__schema_display_name(call->row);
    kt_clear();
    return kt_fail(KT_ERR_NOT_IMPLEMENTED,
                   "Trying to use forward AD with %.*s that does not support it because it has not been implemented yet.\nPlease "
                   "file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so "
                   "that we can prioritize its implementation or submit a PR adding the implementation to derivatives.yaml",
                   schema_name_length(name), name);
}

/* ---- before the kernel ---- */

/* No derivative flows: the results have no tangents. */
static bool is_constant(const kt_call *call)
{
    const kt_row *row = call->row;
    return !row->node || (row->rule == RULE_COMPARE && call->form == KT_PLAIN);
}

static kt_status check(const kt_call *call)
{
    if (call->row->appended)
        return refuse_appended(call);
    if (call->form == KT_OUT)
        return call->row->node || call->row->way->composes ? kt__refuse_forward_out(call) : KT_OK;
    if (is_constant(call))
        return call->form == KT_INPLACE ? refuse_missing(call) : KT_OK;
    return call->row->grad || fact_of(call).kind != FORMULA ? KT_OK : refuse_missing(call);
}

/* In place an operand may be the target too, or a part of it: the node keeps a copy of that operand, as of the target itself. On
 * the tape it does not, and is refused in backward. */
static kt_status record_aside(const kt_call *call, const kt_plan *plan, kt_node **node)
{
    const kt__input_map *map = &call->row->inputs;
    kt_call              c = *call;
    kt_tensor           *copy[KT_MAX_ARGS] = {NULL};
    kt_status            status = KT_OK;
    for (int i = 1; i < map->n && call->form == KT_INPLACE && !status; i++) {
        kt_tensor *t = map->lists >> i & 1 ? NULL : tensor_at(call, map->at[i]);
        if (!t || t->storage != call->arg[0].t->storage)
            continue;
        status = kt__call1(KT_OP_clone, t, &copy[i]);
        c.arg[map->at[i]].t = copy[i];
    }
    if (!status)
        status = kt__record_dual(&c, plan, false, node);
    for (int i = 1; i < map->n; i++)
        kt__unref(copy[i]);
    return status;
}

kt_status kt__before_dual(kt_call *call, const kt_plan *plan, bool records, int floor, void **token, void **state)
{
    const uint64_t mode = kt__mode();
    int64_t        n;
    uint64_t       levels = levels_of_inputs(call, mode, &n);
    for (int i = 0; call->form == KT_OUT && i < kt__n_results(call->row); i++)
        levels |= kt__levels_of(call->out[i], mode);
    levels = floor < KT__LEVELS ? levels >> floor << floor : 0;
    if (levels && check(call))
        return kt_error_status();
    const bool     views = call->row->way->views || call->row->way->lists;
    const uint64_t lacked = views && call->arg[0].t ? kt__levels_lacked(call->arg[0].t) : 0;
    if ((!levels && !lacked) || is_constant(call) || call->form == KT_OUT)
        return records ? kt__tape.before(call, plan, token) : KT_OK;
    followed *f = kt__pool_get(sizeof *f);
    if (!f)
        return kt__fail_memory(sizeof *f);
    *f = (followed){.levels = levels, .lacked = lacked, .mode = mode, .fact = fact_of(call)};
    const bool needs_node = levels && (f->fact.kind == FORMULA || (f->fact.kind == LINEAR_ROW && call->row->way->broadcasts));
    if (records ? kt__record_dual(call, plan, true, &f->node) : needs_node ? record_aside(call, plan, &f->node) : KT_OK) {
        kt__pool_put(f, sizeof *f);
        return kt_error_status();
    }
    if (levels)
        kt__mode_word = kt__under_ceiling(mode, __builtin_ctzll(levels));
    *state = f;
    return KT_OK;
}

/* ---- tangents of one level ---- */

typedef struct level {
    const kt_call *call;
    const followed *of;
    int            level;
    kt_tensor    **t;        /* the call's tensors, as its node's edges are; NULL: absent */
    kt_tensor    **tangent;  /* of each; owned; NULL: none */
    int64_t        n;
    kt_tensor *const *out;   /* the call's results */
    kt_tensor    **made;     /* their tangents; owned; NULL: none yet */
    uint32_t       n_out;
} level;

static bool is_sloped(uint8_t dtype) { return kt__dtype_rows[dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX); }
static bool is_complex(uint8_t dtype) { return kt__dtype_rows[dtype].category == KT_CAT_COMPLEX; }

static kt_status run1(int op, kt_tensor *a, kt_tensor **made) /* replaces *made */
{
    kt_tensor *result = NULL;
    if (kt__call1(op, a, &result))
        return kt_error_status();
    kt__unref(*made);
    *made = result;
    return KT_OK;
}

static kt_status add_to(kt_tensor **sum, kt_tensor *more) /* takes over `more`; NULL: nothing */
{
    kt_tensor *both = NULL;
    if (!more)
        return KT_OK;
    if (!*sum) {
        *sum = more;
        return KT_OK;
    }
    kt_status status = kt__call2(KT_OP_add, *sum, more, &both);
    kt__unref(more);
    if (!status) {
        kt__unref(*sum);
        *sum = both;
    }
    return status;
}

static kt_status expanded(kt_tensor *t, kt_shape sizes, kt_tensor **made) /* owned */
{
    kt_call c;
    if (t->ndim == sizes.n && memcmp(t->sizes, sizes.d, (size_t)sizes.n * sizeof(int64_t)) == 0) {
        *made = kt__ref(t);
        return KT_OK;
    }
    kt__open(&c, KT_OP_expand, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, ints, sizes);
    if (kt_call_run(&c))
        return kt_error_status();
    *made = c.out[0];
    return KT_OK;
}

/* With these sizes and this dtype. */
static kt_status fitted(kt_tensor *t, kt_shape sizes, kt_dtype dtype, kt_tensor **made)
{
    kt_tensor *wide = NULL;
    if (expanded(t, sizes, &wide))
        return kt_error_status();
    kt_status status = kt__convert_inside(wide, dtype, KT_WHY_GRADIENT, made);
    kt__unref(wide);
    return status;
}

/* -- linear rows -- */

/* What stands for argument t in a call of tangents; owned. */
static kt_status tangent_or_zeros(kt_tensor *t, kt_tensor *tangent, kt_tensor **made)
{
    if (!tangent)
        return kt__zeros_of(t, (kt_dtype)t->dtype, made);
    *made = kt__ref(tangent);
    return KT_OK;
}

/* A call in which tangents and zeros stand for some arguments, and what that holds. */
typedef struct swapped {
    kt_call     c;
    kt_tensor **held;
    int64_t     n, most;
} swapped;

static kt_status swap_begin(swapped *s, const level *l)
{
    s->c = *l->call;
    s->c.form = KT_PLAIN;
    s->c.n_out = 0;
    memset(s->c.out, 0, sizeof s->c.out);
    s->c.list = NULL;
    s->c.n_list = 0;
    s->n = 0;
    s->most = l->n + 1;
    s->held = kt__system_get((size_t)s->most * sizeof *s->held);
    return s->held ? KT_OK : kt__fail_memory((size_t)s->most * sizeof *s->held);
}

static void swap_end(swapped *s)
{
    for (int64_t i = 0; i < s->n; i++)
        kt__unref(s->held[i]);
    kt__system_put(s->held, (size_t)s->most * sizeof *s->held);
}

/* The first input that belongs to argument `at`. */
static int64_t input_of(const kt_call *call, int at)
{
    const kt__input_map *map = &call->row->inputs;
    int64_t              n = 0;
    for (int i = 0; i < map->n && map->at[i] != at; i++)
        n += !(map->lists >> i & 1) ? 1 : kt__given(call, map->at[i]) ? call->arg[map->at[i]].ts.n : 0;
    return n;
}

static kt_status swap_tensor(swapped *s, const level *l, int at, bool zero)
{
    const int64_t i = input_of(l->call, at);
    if (tangent_or_zeros(l->t[i], zero ? NULL : l->tangent[i], &s->held[s->n]))
        return kt_error_status();
    s->c.arg[at].t = s->held[s->n++];
    return KT_OK;
}

static kt_status swap_list(swapped *s, const level *l, int at)
{
    const int64_t first = input_of(l->call, at), n = l->call->arg[at].ts.n;
    kt_tensor   **from = &s->held[s->n];
    for (int64_t k = 0; k < n; k++) {
        if (tangent_or_zeros(l->t[first + k], l->tangent[first + k], &s->held[s->n]))
            return kt_error_status();
        s->n++;
    }
    s->c.arg[at].ts.t = from;
    return KT_OK;
}

static kt_status swap_argument(swapped *s, const level *l, int at, bool zero)
{
    const uint8_t kind = kt__arg_spec(l->call->row, at)->kind;
    if (kind == KT_ARG_TENSORS)
        return swap_list(s, l, at);
    if (kind == KT_ARG_SCALAR || s->c.scalars >> at & 1) { /* of the same kind, so that the dtype stays */
        kt_scalar *number = &s->c.arg[at].s;
        *number = kt__given(l->call, at) ? *number : kt__arg_spec(l->call->row, at)->value.s;
        *number = number->kind == KT_SCALAR_COMPLEX ? KT_COMPLEX(0, 0)
                  : number->kind == KT_SCALAR_FLOAT ? KT_FLOAT(0)
                                                    : KT_INT(0);
        s->c.given |= 1u << at;
        return KT_OK;
    }
    return kt__given(l->call, at) ? swap_tensor(s, l, at, zero) : KT_OK;
}

static kt_status take_results(const level *l, kt_call *c)
{
    for (uint32_t i = 0; i < l->n_out; i++)
        l->made[i] = l->call->row->way->lists ? c->list[i] : c->out[i];
    if (l->call->row->way->lists)
        kt__system_put(c->list, (size_t)c->n_list * sizeof *c->list);
    return KT_OK;
}

/* Written in place: so is the tangent, which may be seen through views. */
static kt_status linear_in_place(swapped *s, const level *l)
{
    kt_tensor *had = l->tangent[0], *new = NULL;
    KT_SCOPE;
    s->c.form = KT_INPLACE;
    if (!had) {
        kt_call c;
        kt__open(&c, KT_OP_zeros_like, KT_PLAIN);
        kt__put_tensor(&c, 0, l->t[0]);
        if (kt_call_run(&c))
            return kt_error_status();
        new = c.out[0];
        for (int64_t i = 1; i < l->n; i++)
            if (l->tangent[i] && l->tangent[i]->flags & KT_T_BATCHED) {
                kt_tensor *wide = kt__batching.room(new, l->tangent[i]); /* the scope's, or `new` */
                wide = wide ? kt__ref(wide) : NULL;
                kt__unref(new);
                if (!(new = wide))
                    return kt_error_status();
            }
    }
    s->c.arg[0].t = had ? had : new;
    kt_status status = kt_call_run(&s->c);
    if (!status)
        l->made[0] = s->c.out[0];
    kt__unref(new);
    return status;
}

static kt_status linear(const level *l)
{
    swapped   s;
    kt_status status = swap_begin(&s, l);
    for (uint32_t left = l->of->fact.args; left && !status; left &= left - 1)
        if (!(l->call->form == KT_INPLACE && __builtin_ctz(left) == 0))
            status = swap_argument(&s, l, __builtin_ctz(left), false);
    if (!status && l->call->form == KT_INPLACE)
        status = linear_in_place(&s, l);
    else if (!status)
        status = kt_call_run(&s.c) ? kt_error_status() : take_results(l, &s.c);
    swap_end(&s);
    return status;
}

/* -- products -- */

/* The call with the tangent, or zeros, of factor `at`; and what is added, in one of the calls. */
static kt_status product_term(const level *l, int at, bool zero, bool adds)
{
    swapped   s;
    kt_status status = swap_begin(&s, l);
    if (!status)
        status = swap_argument(&s, l, at, zero);
    for (uint32_t left = l->of->fact.added; left && !status; left &= left - 1) {
        const int      arg = __builtin_ctz(left);
        const int64_t  i = input_of(l->call, arg);
        const bool     none = !adds || !l->t[i] || !l->tangent[i];
        if (none && kt__arg_spec(l->call->row, arg)->optional)
            s.c.given &= ~(1u << arg);
        else
            status = swap_argument(&s, l, arg, none);
    }
    if (!status)
        status = kt_call_run(&s.c);
    if (!status)
        status = add_to(&l->made[0], s.c.out[0]);
    swap_end(&s);
    return status;
}

static kt_status product(const level *l)
{
    kt_status status = KT_OK;
    bool      any = false;
    for (uint32_t left = l->of->fact.args; left && !status; left &= left - 1) {
        const int at = __builtin_ctz(left);
        if (l->call->scalars >> at & 1 || !l->tangent[input_of(l->call, at)])
            continue;
        status = product_term(l, at, false, !any);
        any = true;
    }
    return any || status ? status : product_term(l, __builtin_ctz(l->of->fact.args), true, true);
}

/* -- formulas -- */

/* The node's run for gradients of its results; d: owned, one for each input. */
static kt_status run_formula(const level *l, kt_tensor **grads, const bool *needs, kt_tensor **d, bool create_graph, bool for_any)
{
    kt_node *node = l->of->node;
    memset(d, 0, (size_t)l->n * sizeof *d);
    const kt_back back = {.node = node, .grads = grads, .needs = needs, .d = d, .n_results = node->n_results,
                          .n_inputs = node->n_edges, .create_graph = create_graph, .part = true,
                          .for_any = for_any};
    return node->type->run(&back);
}

static kt_status elementwise_term(const level *l, int64_t i, bool *needs, kt_tensor **d)
{
    const kt_tensor *out = l->out[0];
    kt_tensor       *g = NULL;
    KT_SCOPE;
    if (fitted(l->tangent[i], kt__sizes(out), (kt_dtype)out->dtype, &g))
        return kt_error_status();
    memset(needs, 0, (size_t)l->n);
    needs[i] = true;
    kt_status status = run_formula(l, &g, needs, d, kt_grad_enabled(), false);
    if (!status)
        status = add_to(&l->made[0], d[i]);
    else
        kt__unref(d[i]);
    kt__unref(g);
    return status;
}

static kt_status elementwise(const level *l, bool *needs, kt_tensor **d)
{
    kt_status status = KT_OK;
    for (int64_t i = 0; i < l->n && !status; i++)
        if (l->tangent[i])
            status = elementwise_term(l, i, needs, d);
    return status;
}

/* Gradients of the results, of which the inputs' are functions: linear ones, but a formula may work with logarithms of them. */
static kt_status make_grads(const level *l, kt_tensor **grads)
{
    for (uint32_t i = 0; i < l->n_out; i++) {
        const kt_tensor *out = l->out[i];
        if (!is_sloped(out->dtype) || !kt__has_slope(l->call->row, i) || !out->numel) /* what was not asked for is empty */
            continue;
        grads[i] = kt__tensor_new((kt_dtype)out->dtype, kt__device(out), kt__sizes(out));
        if (!grads[i] || kt__fill_new(grads[i], KT_INT(1)) || kt_set_requires_grad(grads[i], true))
            return kt_error_status();
    }
    return KT_OK;
}

/* The gradients of what the formula gave, `d`, for the inputs' tangents. */
static kt_status transposed(const level *l, kt_tensor **grads, kt_tensor **d, bool records)
{
    const kt_gradients_opts options = {.size = sizeof options, .create_graph = records, .allow_unused = true};
    kt_tensor *wanted[KT_MAX_RESULTS], *given[KT_MAX_RESULTS];
    uint32_t   which[KT_MAX_RESULTS], n_wanted = 0;
    int64_t    n = 0;
    kt_status  status = KT_OK;
    for (int64_t i = 0; i < l->n; i++) {
        kt_tensor *fit = NULL, *from = d[i];
        d[i] = NULL;
        if (status || !from || !l->tangent[i] || !kt_requires_grad(from)) {
            kt__unref(from);
            continue;
        }
        status = fitted(l->tangent[i], kt__sizes(from), (kt_dtype)from->dtype, &fit);
        if (status) {
            kt__unref(from);
            continue;
        }
        d[n] = from; /* n <= i */
        l->t[l->n + n++] = fit;
    }
    for (uint32_t i = 0; i < l->n_out && n_wanted < KT_MAX_RESULTS; i++)
        if (grads[i]) {
            which[n_wanted] = i;
            wanted[n_wanted++] = grads[i];
        }
    if (!status && n && n_wanted)
        status = kt_gradients(d, &l->t[l->n], n, wanted, n_wanted, &options, given);
    for (uint32_t i = 0; !status && n && i < n_wanted; i++)
        l->made[which[i]] = given[i];
    for (int64_t i = 0; i < n; i++) {
        kt__unref(d[i]);
        kt__unref(l->t[l->n + i]);
    }
    return status;
}

static bool wants_anywhere(const kt_tensor *t) { return t && kt__all_grad_flags(t) & KT_T_REQUIRES_GRAD; }

static kt_status twice(const level *l, bool *needs, kt_tensor **d)
{
    kt_tensor     *grads[KT_MAX_RESULTS] = {NULL};
    const uint64_t mode = kt__mode();
    bool           records = false; /* a formula may depend on the value of g, though its derivative does not */
    for (int64_t i = 0; i < l->n; i++) {
        needs[i] = l->tangent[i] != NULL;
        records |= mode & KT_M_GRAD && (wants_anywhere(l->t[i]) || wants_anywhere(l->tangent[i]));
    }
    if (l->n_out > KT_MAX_RESULTS)
        return refuse_missing(l->call);
    KT_SCOPE;
    kt__lacks_derivative = false;
    kt_status status = make_grads(l, grads);
    bool      any = false;
    for (uint32_t i = 0; i < l->n_out; i++)
        any |= grads[i] != NULL;
    if (!status && any) {
        kt__mode_word = mode | KT_M_GRAD;
        status = run_formula(l, grads, needs, d, true, true);
        kt__mode_word = mode;
    }
    if (!status && any)
        status = transposed(l, grads, d, records);
    if (status && kt__lacks_derivative)
        refuse_second(l->call);
    for (uint32_t i = 0; i < KT_MAX_RESULTS; i++)
        kt__unref(grads[i]);
    return status;
}

/* -- results -- */

static bool is_diagonal(const level *l)
{
    bool complex = is_complex(l->out[0]->dtype);
    for (int64_t i = 0; i < l->n; i++)
        complex |= l->tangent[i] && is_complex(l->tangent[i]->dtype);
    return l->call->row->way->broadcasts && !complex;
}

static bool has_all(const level *l)
{
    for (uint32_t left = l->of->fact.args; left; left &= left - 1) {
        const int at = __builtin_ctz(left);
        if (l->call->scalars >> at & 1 || !kt__given(l->call, at) || !l->tangent[input_of(l->call, at)])
            return false;
    }
    return true;
}

static kt_status make(const level *l, bool *needs, kt_tensor **d)
{
    const row_kind kind = (row_kind)l->of->fact.kind;
    if (kind == PRODUCT_ROW)
        return product(l);
    if (kind == LINEAR_ROW && (l->call->form == KT_INPLACE || !is_diagonal(l) || has_all(l)))
        return linear(l);
    return is_diagonal(l) ? elementwise(l, needs, d) : twice(l, needs, d);
}

/* A tangent of its own: what was made may be the tangent of an input. */
static kt_status own(const level *l, kt_tensor **made)
{
    for (int64_t i = 0; i < l->n && !l->call->row->way->views && !l->call->row->way->lists; i++)
        if (l->tangent[i] && l->tangent[i]->storage == (*made)->storage)
            return run1(KT_OP_clone, *made, made);
    return KT_OK;
}

static kt_status tell_saved(const level *l, uint32_t result)
{
    return l->of->node ? kt__tell_saved(l->of->node, result, l->out[result]) : KT_OK;
}

static kt_status give(const level *l, uint32_t i)
{
    kt_tensor *out = l->out[i], *fit = NULL;
    const bool written = l->call->form == KT_INPLACE;
    if (!is_sloped(out->dtype) || !kt__has_slope(l->call->row, i))
        return KT_OK;
    if (written && l->made[i] && l->made[i] == l->tangent[0])
        return tell_saved(l, i);
    if (!l->made[i] && kt__zeros_of(out, (kt_dtype)out->dtype, &l->made[i]))
        return kt_error_status();
    if (l->call->row->way->views ? (fit = kt__ref(l->made[i]), KT_OK)
                                 : fitted(l->made[i], kt__sizes(out), (kt_dtype)out->dtype, &fit))
        return kt_error_status();
    kt_status status = own(l, &fit);
    if (!status)
        status = written ? kt__write_tangent(out, fit, l->level) : kt__set_tangent(out, fit, l->level);
    kt__unref(fit);
    return status ? status : tell_saved(l, i);
}

static bool is_batched(const kt_tensor *t) { return t && t->flags & KT_T_BATCHED; }

/* The tangent of what is written: it gets room for the examples of all tangents, and for those of its tensor. What the tape
 * saves of it is a copy, since it will be written over. */
static kt_status prepare_written(const level *l)
{
    bool      wants = false;
    kt_status status = is_batched(l->t[0]) ? kt__widen_tangent(l->t[0], l->t[0], l->level, &l->tangent[0]) : KT_OK;
    for (int64_t i = 1; i < l->n && !status; i++)
        if (is_batched(l->tangent[i]))
            status = kt__widen_tangent(l->t[0], l->tangent[i], l->level, &l->tangent[0]);
    for (int64_t i = 0; i < l->n; i++)
        wants |= wants_anywhere(l->t[i]) || wants_anywhere(l->tangent[i]);
    if (status || l->of->fact.kind == LINEAR_ROW || !wants || !kt_grad_enabled())
        return status;
    return run1(KT_OP_clone, l->tangent[0], &l->tangent[0]);
}

static kt_status run_level(const level *l, bool *needs, kt_tensor **d)
{
    kt_status  status = KT_OK;
    kt_tensor *t;
    walk       w = {.call = l->call};
    for (int64_t i = 0; i < l->n && !status && next(&w, &t); i++) {
        l->t[i] = t;
        const bool has = t && kt__grad_flags(t) & KT_T_DUAL && kt__levels_of(t, l->of->mode) >> l->level & 1;
        status = has ? kt__tangent_at(t, l->level, &l->tangent[i]) : KT_OK;
    }
    if (!status && l->call->form == KT_INPLACE && l->tangent[0])
        status = prepare_written(l);
    if (!status)
        status = make(l, needs, d);
    for (uint32_t i = 0; i < l->n_out && !status; i++)
        status = give(l, i);
    return status;
}

/* Arrays for the inputs, twice as many tensors as there are, and for the results. */
static kt_status each_level(const kt_call *call, const followed *f)
{
    level  l = {.call = call, .of = f};
    int64_t n;
    levels_of_inputs(call, f->mode, &n);
    const bool list = call->row->way->lists;
    l.n = n;
    l.out = list ? call->list : call->out;
    l.n_out = list ? (uint32_t)call->n_list : call->n_out;
    const size_t bytes = (4 * (size_t)n + l.n_out) * sizeof(kt_tensor *) + (size_t)n + 1;
    kt_status    status = KT_OK;
    for (uint64_t left = f->levels; left && !status; left &= left - 1) {
        kt_tensor **room = kt__system_get(bytes);
        if (!room)
            return kt__fail_memory(bytes);
        memset(room, 0, bytes);
        l.level = __builtin_ctzll(left);
        l.t = room;
        l.tangent = room + 2 * n;
        l.made = room + 4 * n;
        kt__mode_word = kt__under_ceiling(f->mode, l.level);
        status = run_level(&l, (bool *)(void *)(l.made + l.n_out), room + 3 * n);
        for (int64_t i = 0; i < n; i++)
            kt__unref(l.tangent[i]);
        for (uint32_t i = 0; i < l.n_out; i++)
            kt__unref(l.made[i]);
        kt__system_put(room, bytes);
    }
    kt__mode_word = f->mode;
    return status;
}

/* ---- after the kernel ---- */

static kt_status lack(const kt_call *call, uint64_t levels)
{
    kt_status status = KT_OK;
    if (!call->row->way->lists)
        return call->out[0]->flags & KT_T_VIEW ? kt__lack_levels(call->out[0], levels) : KT_OK;
    for (int64_t i = 0; i < call->n_list && !status; i++)
        status = call->list[i]->flags & KT_T_VIEW ? kt__lack_levels(call->list[i], levels) : KT_OK;
    return status;
}

kt_status kt__after_dual(kt_call *call, void *token, void *state, kt_status so_far)
{
    followed *f = state;
    (void)token; /* the node is the state's */
    kt__mode_word = (kt__mode() & ~KT_M_CEILING) | (f->mode & KT_M_CEILING);
    kt_status status = so_far;
    if (!status && f->node)
        status = kt__link_dual(call, f->node);
    if (!status && f->lacked)
        status = lack(call, f->lacked);
    if (!status && f->levels) {
        const kt__outer outer = kt__frame_open(call);
        status = each_level(call, f);
        kt__frame_close(outer);
    }
    if (!status && f->node && !f->node->aside && kt__packs)
        status = kt__pack_all(f->node);
    kt__node_unref(f->node);
    kt__pool_put(f, sizeof *f);
    return status;
}
