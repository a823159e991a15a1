/* truth.c - what plans say: each names the operator that was called, the reason of every conversion, and, where somebody watches,
 * the line. Programs whose plans are known, then every row of the operator table. */
#define KT_SITES
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <karat/plugin/watch.h>

#include "lineage/lineage.h"
#include "support/any_row.h"
#include "support/plan_text.h"
#include "tables/kernels/all.h"

/* ---- what was seen ---- */
enum { MOST = 4096 };

typedef struct seen {
    const kt_row *row;
    uint32_t      site;
    uint16_t      kernel;
    uint8_t       n_out, n_in, device, from;
    bool          drawn;
    kt_operand    arg[KT_MAX_OPERANDS];
    char          text[256];
} seen;

static seen all[MOST];
static int  n_seen, n_after;

static void before(const kt_plan *plan, void *context)
{
    (void)context;
    if (n_seen == MOST)
        return;
    seen *s = &all[n_seen++];
    *s = (seen){plan->row, plan->site, plan->kernel, plan->n_out, plan->n_in, plan->device_kind, plan->from_kind,
                plan->generator != NULL, {{0}}, ""};
    memcpy(s->arg, plan->arg, (size_t)(plan->n_out + plan->n_in) * sizeof *s->arg);
    plan_text(plan, s->text, sizeof s->text);
}

static void after(const kt_plan *plan, kt_status status, void *context)
{
    (void)plan, (void)status, (void)context;
    n_after++;
}

static const kt_watcher watcher = {.abi = KT_WATCH_ABI, .size = sizeof watcher, .before = before, .after = after};

static void watch(void)
{
    n_seen = n_after = 0;
    CHECK_EQ_INT(kt_watch(&watcher), KT_OK);
}

static void unwatch(void)
{
    CHECK_EQ_INT(kt_unwatch(&watcher), KT_OK);
    CHECK_EQ_INT(n_after, n_seen);
}

static const char *name_of(const seen *s) { return s->row ? kt_row_name(s->row) : "no row"; }

/* The first plan with an input that is `from` and seen as `to`; a failed check where there is none. */
static const seen *conversion(const char *op, kt_dtype from, kt_dtype to, kt_reason why)
{
    for (int i = 0; i < n_seen; i++)
        for (int k = all[i].n_out; k < all[i].n_out + all[i].n_in; k++)
            if (all[i].arg[k].is == from && all[i].arg[k].as == to) {
                CHECK_STR(name_of(&all[i]), op);
                CHECK_STR(kt_reason_name((kt_reason)all[i].arg[k].why), kt_reason_name(why));
                return &all[i];
            }
    CHECK_MSG(false, "%s: no plan sees %s as %s", op, kt_dtype_name(from), kt_dtype_name(to));
    for (int i = 0; i < n_seen; i++)
        printf("    %s\n", all[i].text);
    return NULL;
}

static void check_line(const seen *s, int line)
{
    int         at = 0;
    const char *file = s ? kt_site_file(s->site, &at) : "?";
    CHECK_STR(strrchr(file, '/') ? strrchr(file, '/') + 1 : file, "truth.c");
    CHECK_EQ_INT(at, line);
}

/* What holds of every plan. */
static bool check_plan(const seen *s)
{
    bool good = CHECK_MSG(s->row != NULL, "no row: %s", s->text);
    for (int i = 0; i < s->n_out + s->n_in; i++) {
        const kt_operand *o = &s->arg[i];
        const bool        says = o->why != KT_WHY_NONE && o->why < KT_BORN;
        good &= CHECK_MSG((o->is != o->as) == says, "operand %d: %s (%s)", i, s->text, kt_reason_name((kt_reason)o->why));
        if (i < s->n_out)
            good &= CHECK_MSG(o->is == o->as || o->why == KT_WHY_RESULT, "output %d: %s", i, s->text);
    }
    if (s->kernel == KT_K_copy)
        good &= CHECK_MSG(s->arg[1].as == s->arg[0].is, "a copy: %s", s->text);
    good &= CHECK_MSG(s->drawn == (KT__FAMILY_OF(s->kernel) == KT_FAMILY_random), "a draw: %s", s->text);
    return good;
}

static void check_plans(void)
{
    for (int i = 0; i < n_seen; i++)
        if (!check_plan(&all[i]))
            return;
}

/* ---- programs ---- */

#define SEEN(statement)                                            \
    do {                                                           \
        watch();                                                   \
        (void)(statement);                                         \
        unwatch();                                                 \
        check_plans();                                             \
        CHECK_MSG(!kt_failed(), "%s: %s", #statement, kt_error()); \
    } while (0)

TEST(a_cast_that_was_asked_for)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3));
    SEEN(kt_to(x, .dtype = KT_F64)); check_line(conversion("to", KT_F32, KT_F64, KT_WHY_EXPLICIT), __LINE__);
    SEEN(kt_to_copy(x, .dtype = KT_I32)); check_line(conversion("to_copy", KT_F32, KT_I32, KT_WHY_EXPLICIT), __LINE__);
    SEEN(kt_sum(x, .dtype = KT_F64)); check_line(conversion("sum", KT_F32, KT_F64, KT_WHY_EXPLICIT), __LINE__);
}

TEST(promotion)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *n = kt_ones(KT_SHAPE(3), .dtype = KT_I64), *d = kt_ones(KT_SHAPE(3), .dtype = KT_F64);
    kt_tensor *both[] = {x, d};
    SEEN(kt_add(x, n)); check_line(conversion("add", KT_I64, KT_F32, KT_WHY_PROMOTION), __LINE__);
    SEEN(kt_add(x, n)); check_line(conversion("add", KT_I64, KT_F32, KT_WHY_PROMOTION), __LINE__); /* decided before */
    SEEN(kt_float_power(x, n));
    conversion("float_power", KT_F32, KT_F64, KT_WHY_PROMOTION);
    conversion("float_power", KT_I64, KT_F64, KT_WHY_PROMOTION);
    SEEN(kt_cat(both, 2)); conversion("cat", KT_F32, KT_F64, KT_WHY_PROMOTION);
}

TEST(writes)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *d = kt_ones(KT_SHAPE(3), .dtype = KT_F64);
    kt_tensor *half = kt_ones(KT_SHAPE(3), .dtype = KT_F16);
    SEEN(kt_copy_(x, d)); check_line(conversion("copy", KT_F64, KT_F32, KT_WHY_ASSIGN), __LINE__);
    SEEN(kt_fill_(x, kt_sum(d))); conversion("fill", KT_F64, KT_F32, KT_WHY_ASSIGN);
    SEEN(kt_add_out(d, x, x));
    CHECK_EQ_INT(all[0].arg[0].is, KT_F64);
    CHECK_EQ_INT(all[0].arg[0].as, KT_F32);
    CHECK_EQ_INT(all[0].arg[0].why, KT_WHY_RESULT);
    SEEN(kt_mul_(half, x));
    CHECK_STR(name_of(&all[0]), "mul");
    SEEN(kt_zero_(x)); CHECK_STR(name_of(&all[0]), "zero");
    SEEN(kt_clone(kt_transpose(kt_ones(KT_SHAPE(2, 3)), 0, 1))); CHECK_STR(name_of(&all[n_seen - 1]), "clone");
}

TEST(gradients)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3), .dtype = KT_F16), *d = kt_ones(KT_SHAPE(3), .dtype = KT_F64);
    REQUIRE(kt_set_requires_grad(x, true) == KT_OK);
    kt_tensor *y = kt_sum(kt_mul(x, d));
    SEEN(kt_backward(y)); check_line(conversion("mul", KT_F64, KT_F16, KT_WHY_GRADIENT), __LINE__);
    kt_tensor *z = kt_mul(x, x);
    SEEN(kt_backward(z, .gradient = d)); conversion("mul", KT_F64, KT_F16, KT_WHY_GRADIENT);
    CHECK_STR(kt_reason_name(KT_WHY_GRADIENT), "gradient");
}

/* The false record that a patch left behind is gone: one conversion adds one. */
TEST(lineage_is_recorded_once)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *made = NULL;
    kt_lineage_record last = {.size = sizeof last};
    const uint32_t    records = kt__lineage_count();
    REQUIRE(kt_convert(x, KT_BF16, KT_WHY_OPTIMIZER, &made) == KT_OK);
    CHECK_EQ_INT(kt__lineage_count(), records + 1);
    REQUIRE(kt_lineage_read(kt_lineage_of(made), &last));
    CHECK_EQ_INT(last.why, KT_WHY_OPTIMIZER);
    CHECK_STR(last.op, "convert");
    kt_drop(made);
}

TEST(conversions_with_a_reason)
{
    static const kt_reason reasons[] = {KT_WHY_INDEX, KT_WHY_LOADING, KT_WHY_OPTIMIZER, KT_WHY_INTEROP, KT_WHY_AUTOCAST};
    KT_SCOPE;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        kt_tensor *x = kt_ones(KT_SHAPE(3), .dtype = KT_I32), *to = kt_ones(KT_SHAPE(3), .dtype = KT_I64), *made = NULL;
        SEEN(kt_convert(x, KT_I64, reasons[i], &made));
        conversion("to_copy", KT_I32, KT_I64, reasons[i]);
        kt_drop(made);
        SEEN(kt_copy_why(to, x, reasons[i]));
        conversion("copy", KT_I32, KT_I64, reasons[i]);
    }
}

TEST(indices)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *v = kt_ones(KT_SHAPE(2), .dtype = KT_F32);
    kt_tensor *narrow = kt_zeros(KT_SHAPE(2), .dtype = KT_I32), *list[] = {narrow};
    SEEN(kt_index(x, list, 1)); CHECK_STR(name_of(&all[n_seen - 1]), "index");
    SEEN(kt_index_put_(x, list, 1, v)); CHECK_STR(name_of(&all[n_seen - 1]), "index_put");
    SEEN(kt_nonzero(x)); CHECK_STR(name_of(&all[n_seen - 1]), "nonzero");
}

TEST(autocast)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3, 3)), *b = kt_ones(KT_SHAPE(3, 3), .dtype = KT_BF16);
    kt_tensor *w = kt_ones(KT_SHAPE(3, 3));
    REQUIRE(kt_set_requires_grad(w, true) == KT_OK);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    SEEN(kt_mm(x, x)); check_line(conversion("mm", KT_F32, KT_BF16, KT_WHY_AUTOCAST), __LINE__);
    SEEN(kt_mm(b, w)); check_line(conversion("mm", KT_F32, KT_BF16, KT_WHY_AUTOCAST), __LINE__); /* a weight, kept */
    SEEN(kt_mse_loss(b, b)); conversion("mse_loss", KT_BF16, KT_F32, KT_WHY_AUTOCAST);
    SEEN(kt_exp(b)); CHECK_EQ_INT(n_seen, 1);
}

TEST(draws)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(20));
    SEEN(kt_uniform_(x)); CHECK_STR(name_of(&all[0]), "uniform"); SEEN(kt_multinomial(x, 2)); CHECK(all[n_seen - 1].drawn);
    SEEN(kt_normal_(x)); CHECK_STR(name_of(&all[0]), "normal"); check_line(&all[0], __LINE__); CHECK(all[0].drawn);
    SEEN(kt_dropout(x, 0.5, true)); CHECK_STR(name_of(&all[0]), "dropout");
    SEEN(kt_rand(KT_SHAPE(3))); CHECK_STR(name_of(&all[0]), "rand");
    SEEN(kt_randperm(5)); CHECK_STR(name_of(&all[0]), "randperm");
    SEEN(kt_rand(KT_SHAPE(200000))); CHECK(all[0].drawn);
}

TEST(a_composite_names_what_was_called)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3, 3)), *t = kt_zeros(KT_SHAPE(3), .dtype = KT_I64);
    SEEN(kt_nn_cross_entropy(x, t));
    CHECK(n_seen > 1);
    for (int i = 0; i < n_seen; i++)
        CHECK_MSG(strstr(name_of(&all[i]), "cross_entropy") != NULL, "%s", all[i].text);
}

/* Calls that are only tried, and what a watcher itself computes, are not seen. */
static int called;

static void computes(const kt_plan *plan, void *context)
{
    KT_SCOPE;
    (void)plan, (void)context;
    called++;
    CHECK(kt_ones(KT_SHAPE(3)) != NULL);
    CHECK_FAILS(kt_unwatch(&watcher), KT_ERR_RUNTIME, "kt_unwatch: must not be called from a watcher");
}

TEST(what_is_not_seen)
{
    static const kt_watcher other = {.abi = KT_WATCH_ABI, .size = sizeof other, .before = computes};
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *n = kt_ones(KT_SHAPE(3), .dtype = KT_I64);
    called = 0;
    REQUIRE(kt_watch(&other) == KT_OK);
    SEEN(kt_add(x, x));
    CHECK_EQ_INT(n_seen, 1);
    CHECK_EQ_INT(called, 1);
    CHECK_EQ_INT(kt_unwatch(&other), KT_OK);
    watch();
    CHECK_FAILS(kt_add_(n, x), KT_ERR_RUNTIME, "result type Float can't be cast to the desired output type Long");
    unwatch();
    CHECK_EQ_INT(n_seen, 0);
    kt_add(x, x);
    CHECK_EQ_INT(n_seen, 0);
}

TEST(watchers_are_registered)
{
    kt_watcher more[KT_MAX_WATCHERS], wrong = watcher;
    wrong.abi++;
    CHECK_FAILS(kt_watch(NULL), KT_ERR_RUNTIME, "a watcher of abi");
    CHECK_FAILS(kt_watch(&wrong), KT_ERR_RUNTIME, "a watcher of abi");
    CHECK_FAILS(kt_unwatch(&watcher), KT_ERR_RUNTIME, "kt_unwatch: this watcher is not registered");
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        more[i] = watcher;
        CHECK_EQ_INT(kt_watch(&more[i]), KT_OK);
    }
    CHECK_FAILS(kt_watch(&more[0]), KT_ERR_RUNTIME, "kt_watch: this watcher is already registered");
    CHECK_FAILS(kt_watch(&watcher), KT_ERR_RUNTIME, "kt_watch: at most");
    for (int i = 0; i < KT_MAX_WATCHERS; i++)
        CHECK_EQ_INT(kt_unwatch(&more[i]), KT_OK);
}

/* ---- every row ---- */

static int calls_seen, plans_seen, backwards_seen;

/* `call` NULL: a backward, which casts for gradients. */
static bool check_named(const kt_call *call, const char *what)
{
    const kt_row *row = call ? call->row : NULL;
    bool          asked = false;
    for (int i = 0; row && i < kt_row_n_args(row); i++)
        asked |= (call->given >> i & 1) && kt_row_arg(row, i)->kind == KT_ARG_DTYPE;
    for (int i = 0; i < n_seen; i++) {
        if (!check_plan(&all[i]))
            return false;
        for (int k = all[i].n_out; k < all[i].n_out + all[i].n_in && !asked; k++)
            if (!CHECK_MSG(all[i].arg[k].why != KT_WHY_EXPLICIT, "%s: nobody asked for it: %s", what, all[i].text))
                return false;
        if (row && !CHECK_MSG(all[i].row == row, "%s of %s names %s", what, kt_row_name(row), all[i].text))
            return false;
        if (!CHECK_MSG(all[i].site != 0, "%s has no line: %s", what, all[i].text))
            return false;
    }
    plans_seen += n_seen;
    return true;
}

static kt_tensor *wants_gradient(kt_tensor *t)
{
    if (t && kt_may_require_grad(kt_dtype_of(t)))
        kt_set_requires_grad(t, true);
    return t;
}

static bool try_backward(kt_tensor *const *results, int n)
{
    for (int i = 0; i < n; i++)
        if (results[i] && kt_requires_grad(results[i]) && kt_numel(results[i])) {
            const bool complex = kt_dtype_category(kt_dtype_of(results[i])) == KT_CAT_COMPLEX;
            kt_tensor *loss = kt_sum(complex ? kt_abs(results[i]) : results[i]);
            n_seen = 0;
            if (loss && kt_backward(loss) == KT_OK) {
                backwards_seen++;
                if (!check_named(NULL, "backward"))
                    return false;
            }
            kt_clear();
            return true;
        }
    return true;
}

/* One call of a row, every second tensor of another dtype, out= of a third. */
static bool try_row(const kt_row *row, kt_form form, kt_dtype first, kt_dtype second, kt_dtype into, bool grad)
{
    KT_SCOPE;
    kt_call    c, plain;
    kt_tensor *results[16];
    int        n = 0, tensors = 0;
    any_call(&c, row, form, first, 2);
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const uint8_t kind = kt_row_arg(row, i)->kind;
        if (!(c.given >> i & 1) || (kind != KT_ARG_TENSOR && kind != KT_ARG_TENSOR_OR_SCALAR))
            continue;
        if (tensors++ % 2 && second != first && kt_dtype_of(c.arg[i].t) == first)
            c.arg[i].t = any_tensor(second, 2, i);
        if (grad)
            wants_gradient(c.arg[i].t);
    }
    if (form == KT_OUT) {
        any_call(&plain, row, KT_PLAIN, first, 2);
        const bool made = any_run(&plain, results, 16, &n) && n >= kt_row_n_results(row);
        kt_clear();
        for (int i = 0; made && i < kt_row_n_results(row); i++)
            c.out[i] = kt_empty(kt_sizes(results[i]), .dtype = i ? kt_dtype_of(results[i]) : into);
        if (!made || kt_failed()) {
            kt_clear();
            return true;
        }
    }
    static const kt_site here = {__FILE__, __LINE__};
    kt_site_set(&here);
    watch();
    bool good = true;
    if (!kt_failed() && any_run(&c, results, 16, &n)) {
        calls_seen++;
        good = check_named(&c, "a call") && (!grad || try_backward(results, n));
    }
    kt_clear();
    CHECK_EQ_INT(kt_unwatch(&watcher), KT_OK);
    return good;
}

TEST(every_row)
{
    static const kt_dtype pairs[][2] = {{KT_F32, KT_F32}, {KT_F32, KT_F64},   {KT_F16, KT_F32}, {KT_BF16, KT_BF16},
                                        {KT_I64, KT_I64}, {KT_I32, KT_F32},   {KT_BOOL, KT_BOOL}, {KT_C64, KT_C64},
                                        {KT_F32, KT_C64}, {KT_F32, KT_I32}};
    int rows = 0;
    kt_manual_seed(1);
    for (int i = 0; kt_row_at(i); i++) {
        const kt_row *row = kt_row_at(i);
        bool          good = true;
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs && good; p++)
            for (int form = KT_PLAIN; form <= KT_OUT && good; form++)
                if (kt_row_has_form(row, (kt_form)form))
                    good = try_row(row, (kt_form)form, pairs[p][0], pairs[p][1], pairs[p][1], false) &&
                           (form != KT_OUT || try_row(row, KT_OUT, pairs[p][0], pairs[p][0], KT_F64, false)) &&
                           (form != KT_PLAIN || try_row(row, KT_PLAIN, pairs[p][0], pairs[p][1], KT_F64, true));
        rows++;
    }
    printf("plans: %d rows, %d calls, %d plans, %d backwards\n", rows, calls_seen, plans_seen, backwards_seen);
    CHECK(calls_seen > 10 * rows);
    CHECK(backwards_seen > 2 * rows);
}
