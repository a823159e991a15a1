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
