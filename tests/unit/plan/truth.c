/* truth.c - what plans say: each names the operator that was called, the reason of every conversion, and, where somebody watches,
 * the line. Programs whose plans are known; reasons.c asks the same of every row of the operator table. */
#define KT_SITES
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <karat/plugin/watch.h>

#include "lineage/lineage.h"
#include "support/seen.h"

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

static void check_all_name(const char *op, const char *other)
{
    CHECK(n_seen > 0);
    for (int i = 0; i < n_seen; i++)
        CHECK_MSG(strcmp(name_of(&all[i]), op) == 0 || strcmp(name_of(&all[i]), other) == 0, "%s", all[i].text);
}

/* Whatever a formula calls, and whatever the engine does to fit a gradient. */
TEST(backward_names_the_node)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3, 3)), *b = kt_ones(KT_SHAPE(3)), *z = kt_ones(KT_SHAPE(3), .dtype = KT_C64);
    kt_tensor *t = kt_zeros(KT_SHAPE(3), .dtype = KT_I64);
    REQUIRE(kt_set_requires_grad(x, true) == KT_OK && kt_set_requires_grad(b, true) == KT_OK);
    kt_tensor *loss = kt_nn_cross_entropy(x, t);
    SEEN(kt_backward(loss)); check_all_name("cross_entropy", "cross_entropy");
    kt_tensor *sum = kt_add(kt_detach(x), b);
    SEEN(kt_backward(sum, .gradient = kt_ones(KT_SHAPE(3, 3)))); check_all_name("add", "ones"); /* it is summed */
    b = kt_ones(KT_SHAPE(3));
    REQUIRE(kt_set_requires_grad(b, true) == KT_OK);
    kt_tensor *product = kt_mul(kt_mul_s(b, KT_FLOAT(2)), z);
    SEEN(kt_backward(product, .gradient = z)); check_all_name("mul", "mul"); /* its real part is taken */
}

static kt_status doubles(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)context;
    return (*instead = kt_keep(kt_to(kt_add(grad, grad), .dtype = KT_F32))) ? KT_OK : kt_error_status();
}

/* A hook is the user's program. */
TEST(a_hook_names_itself)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *n = kt_ones(KT_SHAPE(3));
    REQUIRE(kt_set_requires_grad(x, true) == KT_OK);
    kt_tensor *y = kt_mul(x, n), *loss = kt_sum(kt_exp(y));
    kt_hook   *h = kt_hook_add(y, "doubles", doubles, NULL, NULL), *leaf = kt_hook_add(x, "doubles", doubles, NULL, NULL);
    int        added = 0;
    SEEN(kt_backward(loss));
    for (int i = 0; i < n_seen; i++)
        added += strcmp(name_of(&all[i]), "add") == 0;
    CHECK_EQ_INT(added, 2);
    kt_hook_drop(h);
    kt_hook_drop(leaf);
}

/* Casts inside of a body, whose reasons a policy never sees. */
TEST(casts_inside)
{
    KT_SCOPE;
    kt_tensor *h = kt_ones(KT_SHAPE(4), .dtype = KT_F16), *n = kt_ones(KT_SHAPE(4), .dtype = KT_I32);
    kt_tensor *lines = kt_arange(KT_INT(0), KT_INT(4), .dtype = KT_I64);
    SEEN(kt_histc(h, .bins = KT_SOME(4))); conversion("histc", KT_I64, KT_F16, KT_WHY_RESULT);
    SEEN(kt_ldexp(h, n));
    conversion("ldexp", KT_F16, KT_F64, KT_WHY_PROMOTION);
    conversion("ldexp", KT_F64, KT_F16, KT_WHY_RESULT);
    SEEN(kt_searchsorted_number(lines, KT_FLOAT(2.5))); conversion("searchsorted_number", KT_I64, KT_F32, KT_WHY_SCALAR);
    KT_POLICY(KT_STRICT);
    SEEN(kt_histc(h, .bins = KT_SOME(4))); conversion("histc", KT_I64, KT_F16, KT_WHY_RESULT);
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
