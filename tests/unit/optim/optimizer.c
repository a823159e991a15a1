/* optimizer.c - optimizers for C: they train, they keep states under PyTorch's names, they refuse what does not fit. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>

static const char *const a_state[KT_NUM_OPTIMIZERS] = {
    [KT_SGD] = "momentum_buffer", [KT_ADAM] = "exp_avg_sq",   [KT_ADAMW] = "exp_avg",     [KT_ADAGRAD] = "sum",
    [KT_ADADELTA] = "acc_delta",  [KT_ADAMAX] = "exp_inf",    [KT_NADAM] = "mu_product",  [KT_RADAM] = "step",
    [KT_RMSPROP] = "square_avg",  [KT_ASGD] = "ax",           [KT_RPROP] = "step_size",   [KT_ADAFACTOR] = "row_var",
    [KT_MUON] = "momentum_buffer",
};

/* The squares of a matrix and, but for Muon, of a vector. */
static double loss_after(kt_optimizer_kind kind, int steps)
{
    KT_SCOPE;
    kt_tensor    *matrix = kt_full(KT_SHAPE(3, 2), KT_FLOAT(2), .requires_grad = true);
    kt_tensor    *p[] = {matrix, kt_ones(KT_SHAPE(4), .requires_grad = true)};
    const int     n = kind == KT_MUON ? 1 : 2;
    const double  momentum = kind == KT_SGD || kind == KT_MUON ? 0.5 : 0;
    kt_optimizer *o = kt_optimizer_make(kind, .lr = KT_SOME(0.05), .momentum = KT_SOME(momentum));
    CHECK_EQ_INT(kt_optimizer_add(o, p, n), KT_OK);
    double loss = 0;
    for (int i = 0; i < steps; i++) {
        KT_SCOPE;
        kt_tensor *sum = kt_sum(kt_square(p[0]));
        for (int k = 1; k < n; k++)
            sum = kt_add(sum, kt_sum(kt_square(p[k])));
        loss = kt_item(sum);
        CHECK_EQ_INT(kt_optimizer_zero_grad(o), KT_OK);
        CHECK_EQ_INT(kt_backward(sum), KT_OK);
        CHECK_EQ_INT(kt_optimizer_step(o), KT_OK);
    }
    CHECK_MSG(kt_optimizer_state(o, p[0], a_state[kind]) != NULL, "kind %d keeps no %s", (int)kind, a_state[kind]);
    CHECK(kt_optimizer_state(o, p[0], "nothing") == NULL);
    CHECK(kt_optimizer_state(o, kt_ones(KT_SCALAR), a_state[kind]) == NULL);
    kt_optimizer_drop(o);
    return loss;
}

TEST(every_kind_lowers_a_loss)
{
    for (int kind = 0; kind < KT_NUM_OPTIMIZERS; kind++) {
        const double first = loss_after((kt_optimizer_kind)kind, 1), last = loss_after((kt_optimizer_kind)kind, 30);
        CHECK_MSG(last < first, "kind %d: the loss went from %g to %g", kind, first, last);
    }
}

TEST(a_step_of_adamw_is_its_formula)
{
    KT_SCOPE;
    kt_tensor    *p = kt_full(KT_SHAPE(1), KT_FLOAT(2), .dtype = KT_F64, .requires_grad = true);
    kt_optimizer *o = kt_optimizer_make(KT_ADAMW, .lr = KT_SOME(0.1), .weight_decay = KT_SOME(0.5));
    CHECK_EQ_INT(kt_optimizer_add(o, &p, 1), KT_OK);
    double want = 2, m = 0, v = 0;
    for (int t = 1; t <= 5; t++) {
        const double g = sin(t);
        CHECK_EQ_INT(kt_set_grad(p, kt_full(KT_SHAPE(1), KT_FLOAT(g), .dtype = KT_F64)), KT_OK);
        CHECK_EQ_INT(kt_optimizer_step(o), KT_OK);
        m += 0.1 * (g - m);
        v += 0.001 * (g * g - v);
        want -= 0.1 * 0.5 * want;
        want -= 0.1 * m / (1 - pow(0.9, t)) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8);
        CHECK(fabs(kt_item(p) - want) < 1e-12);
    }
    CHECK(kt_item(kt_optimizer_state(o, p, "step")) == 5);
    kt_optimizer_drop(o);
}

TEST(groups_have_rates_of_their_own)
{
    KT_SCOPE;
    kt_tensor    *a = kt_ones(KT_SHAPE(2), .requires_grad = true), *b = kt_ones(KT_SHAPE(2), .requires_grad = true);
    kt_optimizer *o = kt_optimizer_make(KT_SGD, .lr = KT_SOME(0.5));
    CHECK_EQ_INT(kt_optimizer_add(o, &a, 1), KT_OK);
    CHECK_EQ_INT(kt_optimizer_add_kw(o, &b, 1, KT_KW(kt_optimizer_opts, .lr = KT_SOME(0.25))), KT_OK);
    CHECK_EQ_INT(kt_set_grad(a, kt_ones(KT_SHAPE(2))), KT_OK);
    CHECK_EQ_INT(kt_set_grad(b, kt_ones(KT_SHAPE(2))), KT_OK);
    CHECK_EQ_INT(kt_optimizer_step(o), KT_OK);
    CHECK(kt_item(kt_min(a)) == 0.5 && kt_item(kt_min(b)) == 0.75);
    CHECK(kt_optimizer_groups(o) == 2 && kt_optimizer_lr(o, 1) == 0.25);
    CHECK_EQ_INT(kt_optimizer_set_lr(o, 1, 0.75), KT_OK);
    CHECK_EQ_INT(kt_optimizer_step(o), KT_OK);
    CHECK(kt_item(kt_min(b)) == 0);
    CHECK(isnan(kt_optimizer_lr(o, 2)) && kt_failed());
    kt_clear();
    kt_optimizer_drop(o);
}

TEST(gradients_are_clipped)
{
    KT_SCOPE;
    kt_tensor *p[] = {kt_ones(KT_SHAPE(2), .requires_grad = true), kt_ones(KT_SHAPE(2), .requires_grad = true)};
    kt_set_grad(p[0], kt_full(KT_SHAPE(2), KT_FLOAT(3)));
    kt_set_grad(p[1], kt_full(KT_SHAPE(2), KT_FLOAT(-4)));
    CHECK_NEAR(kt_item(kt_clip_grad_norm(p, 2, 1, 2)), sqrt(50), 1e-5);
    CHECK_NEAR(kt_item(kt_sum(kt_grad(p[0]))), 6 / sqrt(50), 1e-5);
    CHECK_NEAR(kt_item(kt_clip_grad_norm(p, 2, 100, INFINITY)), 4 / sqrt(50), 1e-5); /* smaller already: it stays */
    CHECK_NEAR(kt_item(kt_sum(kt_grad(p[0]))), 6 / sqrt(50), 1e-5);
    CHECK_EQ_INT(kt_clip_grad_value(p, 2, 0.25), KT_OK);
    CHECK_NEAR(kt_item(kt_sum(kt_grad(p[1]))), -0.5, 0);
    kt_set_grad(p[0], NULL);
    kt_set_grad(p[1], NULL);
    CHECK(kt_item(kt_clip_grad_norm(p, 2, 1, 2)) == 0 && !kt_failed());
    CHECK(!kt_clip_grad_norm(NULL, 2, 1, 2) && kt_error_status() == KT_ERR_VALUE);
    kt_clear();
}

/* ---- L-BFGS ---- */

typedef struct valley {
    kt_tensor *p;
    int        calls;
    bool       fails;
} valley;

/* Rosenbrock's function. */
static kt_status walk(void *context, double *loss)
{
    valley *v = context;
    KT_SCOPE;
    v->calls++;
    if (v->fails)
        return kt_fail(KT_ERR_RUNTIME, "a broken function");
    kt_set_grad(v->p, NULL);
    kt_tensor *x = kt_select(v->p, 0, 0), *y = kt_select(v->p, 0, 1);
    kt_tensor *f = kt_add(kt_square(kt_rsub_s(x, KT_INT(1))), kt_mul_s(kt_square(kt_sub(y, kt_square(x))), KT_INT(100)));
    kt_backward(f);
    *loss = kt_item(f);
    return kt_failed() ? kt_error_status() : KT_OK;
}

TEST(lbfgs_finds_the_end_of_a_valley)
{
    KT_SCOPE;
    kt_tensor       *lists[3][100] = {{NULL}};
    kt_lbfgs_options options = {KT_LBFGS_DEFAULTS, .strong_wolfe = true};
    kt_lbfgs_state   state = {.size = sizeof state, .dirs = lists[0], .steps = lists[1], .ro = lists[2]};
    valley           v = {.p = kt_full(KT_SHAPE(2), KT_FLOAT(-1.5), .dtype = KT_F64, .requires_grad = true)};
    for (int i = 0; i < 5; i++)
        CHECK_EQ_INT(kt_lbfgs_step(&state, &options, &v.p, 1, walk, &v), KT_OK);
    CHECK_NEAR(kt_item(kt_select(kt_detach(v.p), 0, 0)), 1, 1e-5);
    CHECK_NEAR(kt_item(kt_select(kt_detach(v.p), 0, 1)), 1, 1e-5);
    CHECK(state.func_evals == v.calls && state.n > 1 && state.d && kt_grad_enabled());
    v.fails = true;
    CHECK_FAILS(kt_lbfgs_step(&state, &options, &v.p, 1, walk, &v), KT_ERR_RUNTIME, "a broken function");
    CHECK_FAILS(kt_lbfgs_step(&state, &options, &v.p, 0, walk, &v), KT_ERR_VALUE,
                "a step of L-BFGS needs parameters, and a state with room for its history");
    CHECK_FAILS(kt_lbfgs_step(NULL, &options, &v.p, 1, walk, &v), KT_ERR_VALUE,
                "a step of L-BFGS needs a state, options (with their sizes) and a function");
    kt_lbfgs_forget(&state);
    CHECK(state.n == 0 && !state.d && state.dirs == lists[0]);
}

TEST(a_module_is_a_group)
{
    KT_SCOPE;
    kt_module    *m = kt_make_sequential(kt_make_linear(2, 3, true), kt_make_linear(3, 1, false));
    kt_optimizer *o = kt_optimizer_make(KT_ADAM);
    CHECK(kt_optimizer_add_module(o, m) == KT_OK && kt_optimizer_groups(o) == 1);
    kt_backward(kt_sum(kt_module_call(m, kt_ones(KT_SHAPE(1, 2)))));
    CHECK(kt_optimizer_step(o) == KT_OK && kt_optimizer_state(o, kt_module_tensor(m, "1.weight"), "exp_avg"));
    CHECK_FAILS(kt_optimizer_add_module(o, NULL), KT_ERR_TYPE, "expected a module, got NULL");
    kt_optimizer_drop(o);
    kt_module_drop(m);
}

TEST(what_does_not_fit_is_refused)
{
    KT_SCOPE;
    kt_tensor *p = kt_ones(KT_SHAPE(2), .requires_grad = true), *inner = kt_mul_s(p, KT_INT(2)), *none = NULL;
    CHECK(!kt_optimizer_make(KT_SGD, .lr = KT_SOME(-1)) && strstr(kt_error(), "Invalid learning rate: -1"));
    kt_clear();
    CHECK(!kt_optimizer_make(KT_ADAM, .beta1 = KT_SOME(1)) && strstr(kt_error(), "Invalid beta parameter at index 0: 1"));
    kt_clear();
    CHECK(!kt_optimizer_make(KT_SGD, .nesterov = KT_SOME(true)) && strstr(kt_error(), "Nesterov momentum requires a momentum"));
    kt_clear();
    CHECK(!kt_optimizer_make((kt_optimizer_kind)99) && kt_failed());
    kt_clear();
    kt_optimizer *o = kt_optimizer_make(KT_SGD);
    CHECK_EQ_INT(kt_optimizer_add(o, &p, 0), KT_ERR_VALUE);
    kt_clear();
    CHECK_EQ_INT(kt_optimizer_add(o, &inner, 1), KT_ERR_VALUE);
    CHECK(strstr(kt_error(), "can't optimize a non-leaf Tensor") != NULL);
    kt_clear();
    CHECK_EQ_INT(kt_optimizer_add(o, &none, 1), KT_ERR_TYPE);
    kt_clear();
    CHECK_EQ_INT(kt_optimizer_add(o, &p, 1), KT_OK);
    CHECK_EQ_INT(kt_optimizer_add(o, &p, 1), KT_ERR_VALUE);
    kt_clear();
    CHECK_EQ_INT(kt_optimizer_step(NULL), KT_ERR_TYPE);
    kt_clear();
    kt_optimizer_drop(o);
    kt_optimizer_drop(NULL);
}

TEST(no_step_while_an_error_is_pending)
{
    KT_SCOPE;
    kt_tensor    *p = kt_ones(KT_SHAPE(2), .requires_grad = true);
    kt_optimizer *o = kt_optimizer_make(KT_SGD, .lr = KT_SOME(1));
    CHECK_EQ_INT(kt_optimizer_add(o, &p, 1), KT_OK);
    CHECK_EQ_INT(kt_set_grad(p, kt_ones(KT_SHAPE(2))), KT_OK);
    kt_fail(KT_ERR_RUNTIME, "earlier");
    CHECK_EQ_INT(kt_optimizer_step(o), KT_ERR_RUNTIME);
    kt_clear();
    CHECK(kt_item(kt_min(p)) == 1);
    kt_optimizer_drop(o);
}
