/* reasons.c - every row of the operator table, as it is and backward: what its plans say, held against what the resolver decides
 * about the call and what part each tensor plays in it. A plan is never asked about itself: whose an operand is, is known by its
 * address, and what it may be seen as by the decision, the results' dtypes and the arguments. */
#define KT_SITES
#include "harness.h"

#include <karat/karat.h>

#include "call/call.h"
#include "grad/grad.h"
#include "support/any_row.h"
#include "support/seen.h"

static int calls_seen, plans_seen, casts_seen, decided_seen, backwards_seen;

#define BIT(why) (1u << (why))

/* ---- what is known of a call ---- */

enum { MOST_RESULTS = 16 };

typedef struct known {
    const kt_call      *call;
    const kt__decision *d; /* NULL: the row has no rule, or the operands are of a list */
    kt__decision        room;
    kt__gathered        g;
    kt_dtype            asked; /* dtype=; KT_NONE: not given */
    kt_tensor          *results[MOST_RESULTS];
    int                 n_results;
    bool                autocast;
} known;

/* The resolver is asked apart from the call, which has run: what it says does not come from the plan. */
static void ask_resolver(known *k)
{
    const kt_row *row = k->call->row;
    const bool    folds = row->way == &kt__way_reduce || row->way == &kt__way_scan;
    kt_call       numbered = *k->call;
    k->d = NULL;
    if (row->rule == RULE_NONE || row->way == &kt__way_copy)
        return;
    if (row->body)
        numbered.scalars |= row->operands.numbers;
    kt__gather(&numbered, &k->g);
    if (row->body)
        k->g.want = (uint8_t)k->asked;
    if (!(folds ? kt__refine_fold(&numbered, &k->g) : kt__refine(&numbered, &k->g)))
        k->d = kt__resolve(&numbered, &k->g, kt__mode(), &k->room);
    kt_clear();
}

static bool lies_in(const char *data, const kt_tensor *t)
{
    return t && data >= t->storage->data && data < t->storage->data + t->storage->bytes;
}

/* Element `i` of tensor argument `a` of the row, a list or not; NULL: none such. */
static const kt_tensor *input_at(const kt_call *c, int a, int64_t i)
{
    const int       at = c->row->inputs.at[a];
    const kt_value *v = &c->arg[at];
    if (!(c->given >> at & 1) || c->scalars >> at & 1)
        return NULL;
    if (c->row->inputs.lists >> a & 1)
        return i < v->ts.n ? v->ts.t[i] : NULL;
    return i ? NULL : v->t;
}

static bool is_operand(const kt_call *c, const char *data)
{
    enum { LONGEST = 2 }; /* of the lists of any_row.h */
    for (int a = 0; a < c->row->inputs.n; a++)
        for (int64_t i = 0; i < LONGEST; i++)
            if (lies_in(data, input_at(c, a, i)))
                return true;
    return false;
}

static bool is_gradient(const kt_call *c, const char *data)
{
    enum { LONGEST = 2 };
    for (int a = 0; a < c->row->inputs.n; a++)
        for (int64_t i = 0; i < LONGEST; i++) {
            const kt_tensor *t = input_at(c, a, i);
            if (t && t->autograd && lies_in(data, t->autograd->grad))
                return true;
        }
    return false;
}

/* The operand that the resolver decided on; -1: none such. */
static int decided_operand(const known *k, const kt_operand *o)
{
    for (int i = 0; k->d && i < k->g.n; i++)
        if (k->g.t[i] && lies_in(o->data, k->g.t[i]) && k->g.t[i]->dtype == o->is && k->d->as[i] == o->as)
            return i;
    return -1;
}

/* Does plan `at` write a result, for good? Memory may have served another tensor before. */
static bool writes_result(const known *k, int at)
{
    for (int i = at + 1; i < n_seen; i++)
        if (all[i].arg[0].data == all[at].arg[0].data)
            return false;
    for (int i = 0; i < k->n_results; i++)
        if (lies_in(all[at].arg[0].data, k->results[i]))
            return true;
    return false;
}

static bool is_of_result(const known *k, kt_dtype d)
{
    for (int i = 0; i < k->n_results; i++) {
        const kt_dtype is = kt_dtype_of(k->results[i]);
        if (d == is || d == kt_dtype_real(is) || (kt_dtype_category(is) == KT_CAT_FLOAT && d == kt_dtype_complex(is)))
            return true;
    }
    return false;
}

static bool promotes(kt_dtype from, kt_dtype to)
{
    int refusal = 0;
    return kt__promote_quiet(from, to, &refusal) == to;
}

/* Rows that put the values of one tensor into another as they are. */
static bool assigns(const kt_row *row)
{
    return row->id == KT_OP_copy || row->id == KT_OP_fill || strstr(row->name, "_scatter");
}

static bool takes_number(const known *k)
{
    for (int i = 0; k->d && i < k->g.n; i++)
        if (k->g.rank[i] != RANK_DIM)
            return true;
    return k->call->scalars || k->call->row->body; /* a body may compute with numbers of its own */
}

/* Reasons for which something in this call could be cast at all. */
static uint32_t plausible(const known *k, kt_dtype from, kt_dtype to)
{
    uint32_t is = 0;
    if (promotes(from, to) || (k->d && to == (kt_dtype)k->d->common)) /* a number takes the tensors' dtype */
        is |= BIT(KT_WHY_PROMOTION) | (takes_number(k) ? BIT(KT_WHY_SCALAR) : 0);
    if (is_of_result(k, to))
        is |= BIT(KT_WHY_RESULT);
    if (to == KT_I64 || to == KT_BOOL) /* places, or a mask of them */
        is |= BIT(KT_WHY_INDEX);
    if (k->asked == to)
        is |= BIT(KT_WHY_EXPLICIT);
    if (assigns(k->call->row) || k->call->row->id == KT_OP_ema_update) /* an average of integers is cut off */
        is |= BIT(KT_WHY_ASSIGN);
    if (k->autocast)
        is |= BIT(KT_WHY_AUTOCAST);
    if (strncmp(k->call->row->name, "step_", 5) == 0) /* an optimizer may calculate in a dtype of its own */
        is |= BIT(KT_WHY_OPTIMIZER);
    return is;
}

/* The reasons that input `i` of plan `at` may have. */
static uint32_t reasons(const known *k, int at, int i)
{
    const kt_operand *o = &all[at].arg[i];
    const uint32_t    may = plausible(k, (kt_dtype)o->is, (kt_dtype)o->as);
    const int         operand = decided_operand(k, o);
    if (operand >= 0) {
        decided_seen++; /* without a target there is no result's dtype besides what was asked for */
        return may & BIT(k->d->why[operand]) & (k->call->form == KT_PLAIN ? ~BIT(KT_WHY_RESULT) : ~0u);
    }
    if (assigns(k->call->row) && is_operand(k->call, o->data))
        return may & BIT(KT_WHY_ASSIGN);
    /* An operand may be promoted into its place in the result. */
    if (all[at].kernel == KT_K_copy && !assigns(k->call->row) && writes_result(k, at))
        return may & (is_operand(k->call, o->data) ? ~BIT(KT_WHY_INDEX) : BIT(KT_WHY_RESULT));
    return may;
}

static bool check_casts(const known *k)
{
    for (int at = 0; at < n_seen; at++) {
        const seen *s = &all[at];
        if (!check_plan(s) || !CHECK_MSG(s->row == k->call->row, "a call of %s names %s", k->call->row->name, s->text) ||
            !CHECK_MSG(s->site != 0, "a call has no line: %s", s->text))
            return false;
        for (int i = s->n_out; i < s->n_out + s->n_in; i++) {
            if (s->arg[i].is == s->arg[i].as)
                continue;
            casts_seen++;
            if (!CHECK_MSG(reasons(k, at, i) & BIT(s->arg[i].why), "a false reason, input %d: %s", i - s->n_out, s->text))
                return false;
        }
    }
    plans_seen += n_seen;
    return true;
}

/* ---- backward ---- */

enum { MOST_NODES = 256 };

typedef struct graph {
    const kt_node *node[MOST_NODES];
    int            n;
} graph;

static void collect(graph *g, const kt_node *node)
{
    for (int i = 0; i < g->n; i++)
        if (g->node[i] == node)
            return;
    if (!node || g->n == MOST_NODES)
        return;
    g->node[g->n++] = node;
    for (uint32_t i = 0; i < node->n_edges; i++)
        collect(g, node->edge[i].to);
}

/* The operator of a node of the graph; or, of a leaf's accumulator, which is no operator's, what it does: it copies or adds. */
static bool is_named_by(const graph *g, const known *k, const seen *s)
{
    for (int i = 0; i < g->n; i++)
        if (g->node[i]->row == s->row)
            return true;
    const bool accumulates = s->row->id == KT_OP_copy || s->row->id == KT_OP_add || s->row->id == KT_OP_clone;
    return accumulates && is_gradient(k->call, s->arg[0].data);
}

/* Rows whose formula calls an operator that casts inside. */
static bool casts_inside(const kt_row *row) { return row->id == KT_OP_ldexp || row->id == KT_OP_renorm; }

static bool check_backward(const graph *g, const known *k)
{
    for (int at = 0; at < n_seen; at++) {
        const seen *s = &all[at];
        if (!check_plan(s) || !CHECK_MSG(s->site != 0, "backward has no line: %s", s->text) ||
            !CHECK_MSG(is_named_by(g, k, s), "backward of %s: no such node: %s", k->call->row->name, s->text))
            return false;
        for (int i = s->n_out; i < s->n_out + s->n_in; i++) {
            const kt_dtype from = (kt_dtype)s->arg[i].is, to = (kt_dtype)s->arg[i].as;
            uint32_t       may = BIT(KT_WHY_GRADIENT) | (to == KT_I64 ? BIT(KT_WHY_INDEX) : 0);
            if (s->kernel != KT_K_copy) /* operands of a formula's operators are promoted as anywhere, those without dims first */
                may = kt_dtype_category(from) <= kt_dtype_category(to) ? BIT(KT_WHY_PROMOTION) | BIT(KT_WHY_SCALAR) : 0;
            else if (casts_inside(s->row))
                may |= promotes(from, to) ? BIT(KT_WHY_PROMOTION) : BIT(KT_WHY_RESULT);
            if (from != to &&
                !CHECK_MSG(may & BIT(s->arg[i].why), "backward of %s: a false reason: %s", k->call->row->name, s->text))
                return false;
        }
    }
    plans_seen += n_seen;
    return true;
}

static bool try_backward(const known *k)
{
    graph g = {.n = 0};
    int   i = 0;
    while (i < k->n_results && !(kt_requires_grad(k->results[i]) && kt_numel(k->results[i])))
        i++;
    if (i == k->n_results)
        return true;
    const bool complex = kt_dtype_category(kt_dtype_of(k->results[i])) == KT_CAT_COMPLEX;
    kt_tensor *loss = kt_sum(complex ? kt_abs(k->results[i]) : k->results[i]);
    bool       good = true;
    if (loss && loss->autograd)
        collect(&g, loss->autograd->node);
    n_seen = 0;
    if (loss && g.n < MOST_NODES && kt_backward(loss) == KT_OK) {
        backwards_seen++;
        good = check_backward(&g, k);
    }
    kt_clear();
    return good;
}

/* A dtype is never lost: each result says where its dtype came from. Of out= the target does. */
static bool check_histories(const known *k)
{
    for (int i = 0; i < k->n_results && k->call->form == KT_PLAIN; i++)
        if (!CHECK_MSG(k->results[i]->lineage != 0, "result %d of %s (%s) has no history", i, k->call->row->name,
                       kt_dtype_name(kt_dtype_of(k->results[i]))))
            return false;
    return true;
}

/* ---- calls ---- */

typedef struct attempt {
    kt_form  form;
    kt_dtype first, second, into; /* of every other tensor; of out= */
    kt_dtype asked;
    bool     grad, autocast;
    bool     number; /* 0.5 where the row takes one */
    bool     line;   /* tensors of one dim, not two */
} attempt;

static void set_operands(kt_call *c, const attempt *a)
{
    int tensors = 0;
    for (int i = 0; i < kt_row_n_args(c->row); i++) {
        const kt_arg_spec *spec = kt_row_arg(c->row, i);
        const bool         tensor = spec->kind == KT_ARG_TENSOR || spec->kind == KT_ARG_TENSOR_OR_SCALAR;
        if (spec->kind == KT_ARG_DTYPE && a->asked) {
            c->arg[i].dtype = a->asked;
            c->given |= 1u << i;
        }
        if (strcmp(spec->name, "target") == 0 && strstr(c->row->name, "nll_loss"))
            c->arg[i].t = any_index(1);
        if (a->number && (spec->kind == KT_ARG_SCALAR || (i && spec->kind == KT_ARG_TENSOR_OR_SCALAR))) {
            c->arg[i].s = KT_FLOAT(0.5);
            c->given |= 1u << i;
            c->scalars |= spec->kind == KT_ARG_SCALAR ? 0 : 1u << i;
        }
        if (!(c->given >> i & 1) || !tensor || c->scalars >> i & 1)
            continue;
        if (tensors++ % 2 && a->second != a->first && kt_dtype_of(c->arg[i].t) == a->first)
            c->arg[i].t = any_tensor(a->second, a->line ? 1 : 2, i);
        if (a->grad && c->arg[i].t && kt_may_require_grad(kt_dtype_of(c->arg[i].t)))
            kt_set_requires_grad(c->arg[i].t, true);
    }
}

/* Targets of the sizes that the plain form gives. */
static bool set_targets(kt_call *c, const attempt *a)
{
    kt_call    plain;
    kt_tensor *results[MOST_RESULTS];
    int        n = 0;
    any_call(&plain, c->row, KT_PLAIN, a->first, 2);
    bool made = any_run(&plain, results, MOST_RESULTS, &n) && n >= kt_row_n_results(c->row);
    kt_clear();
    for (int i = 0; made && i < kt_row_n_results(c->row); i++)
        c->out[i] = kt_empty(kt_sizes(results[i]), .dtype = i ? kt_dtype_of(results[i]) : a->into);
    made = made && !kt_failed();
    kt_clear();
    return made;
}

static bool run_attempt(const kt_row *row, const attempt *a)
{
    static const kt_site here = {__FILE__, __LINE__};
    KT_SCOPE;
    kt_call c;
    known   k = {.call = &c, .asked = a->asked, .autocast = a->autocast};
    bool    good = true;
    any_call(&c, row, a->form, a->first, a->line ? 1 : 2);
    set_operands(&c, a);
    if (a->form == KT_OUT && !set_targets(&c, a))
        return true;
    kt_site_set(&here);
    watch();
    if (!kt_failed() && any_run(&c, k.results, MOST_RESULTS, &k.n_results)) {
        calls_seen++;
        kt__unseen = true;
        ask_resolver(&k);
        kt__unseen = false;
        good = check_casts(&k) && check_histories(&k) && (!a->grad || try_backward(&k));
    }
    kt_clear();
    CHECK_EQ_INT(kt_unwatch(&watcher), KT_OK);
    return good;
}

static bool try_row(const kt_row *row, const attempt *a)
{
    if (!a->autocast)
        return run_attempt(row, a);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    return run_attempt(row, a);
}

static bool takes_dtype(const kt_row *row)
{
    for (int i = 0; i < kt_row_n_args(row); i++)
        if (kt_row_arg(row, i)->kind == KT_ARG_DTYPE)
            return true;
    return false;
}

static bool try_pair(const kt_row *row, kt_dtype first, kt_dtype second)
{
    bool good = try_row(row, &(attempt){KT_PLAIN, first, second, .grad = false}) &&
                try_row(row, &(attempt){KT_PLAIN, first, second, .grad = true}) &&
                try_row(row, &(attempt){KT_PLAIN, first, second, .line = true, .grad = true}) &&
                try_row(row, &(attempt){KT_PLAIN, first, second, .number = true});
    if (kt_row_has_form(row, KT_INPLACE))
        good = good && try_row(row, &(attempt){KT_INPLACE, first, second, .grad = false});
    if (kt_row_has_form(row, KT_OUT))
        good = good && try_row(row, &(attempt){KT_OUT, first, second, second, .grad = false}) &&
               try_row(row, &(attempt){KT_OUT, first, first, KT_F64, .grad = false}) &&
               try_row(row, &(attempt){KT_OUT, first, first, KT_F64, .grad = true});
    if (row->autocast[0])
        good = good && try_row(row, &(attempt){KT_PLAIN, first, second, .autocast = true});
    if (takes_dtype(row))
        good = good && try_row(row, &(attempt){KT_PLAIN, first, second, .asked = KT_F64}) &&
               try_row(row, &(attempt){KT_PLAIN, first, second, .asked = KT_F64, .grad = true});
    return good;
}

TEST(every_row)
{
    static const kt_dtype pairs[][2] = {{KT_F32, KT_F32}, {KT_F32, KT_F64}, {KT_F16, KT_F32},   {KT_F16, KT_F16},
                                        {KT_BF16, KT_BF16}, {KT_I64, KT_I64}, {KT_I32, KT_F32}, {KT_BOOL, KT_BOOL},
                                        {KT_C64, KT_C64}, {KT_F32, KT_C64}, {KT_F32, KT_I32}};
    int rows = 0, ran = 0;
    kt_manual_seed(1);
    for (const kt_row *row; (row = kt_row_at(rows)); rows++) {
        const int before_row = calls_seen;
        bool      good = true;
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs && good; p++)
            good = try_pair(row, pairs[p][0], pairs[p][1]);
        ran += calls_seen > before_row;
    }
    printf("plans: %d of %d rows, %d calls, %d plans, %d casts, %d of them decided, %d backwards\n", ran, rows, calls_seen,
           plans_seen, casts_seen, decided_seen, backwards_seen);
    CHECK(ran > 9 * rows / 10);
    CHECK(calls_seen > 10 * rows);
    CHECK(decided_seen > rows);
    CHECK(backwards_seen > 2 * rows);
}
