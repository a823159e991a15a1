/* scaler.c - the scaler for C: it scales, unscales, skips and adapts as PyTorch's, refuses what PyTorch refuses, and says what
 * was not finite; narrow parameters that are stepped in float32. */
#include "harness.h"

#include <karat/karat.h>

#include "support/by_name.h"

static kt_tensor *leaf(double value, kt_dtype dtype)
{
    return kt_full(KT_SHAPE(3), KT_FLOAT(value), .dtype = dtype, .requires_grad = true);
}

static kt_optimizer *sgd_of(kt_tensor *p, double lr)
{
    kt_optimizer *o = kt_optimizer_make(KT_SGD, .lr = KT_SOME(lr));
    CHECK_EQ_INT(kt_optimizer_add(o, &p, 1), KT_OK);
    return o;
}

/* Backward of factor * sum(p), scaled. */
static void backward(kt_scaler *s, kt_tensor *p, double factor)
{
    KT_SCOPE;
    CHECK_EQ_INT(kt_set_grad(p, NULL), KT_OK);
    CHECK_EQ_INT(kt_backward(kt_scaler_scale(s, kt_sum(kt_mul_s(p, KT_FLOAT(factor))))), KT_OK);
}

TEST(a_step_is_unscaled_and_the_scale_grows)
{
    KT_SCOPE;
    kt_tensor    *p = leaf(1, KT_F32);
    kt_optimizer *o = sgd_of(p, 0.5);
    kt_scaler    *s = kt_scaler_make(.growth_interval = KT_SOME(2));
    CHECK_NEAR(kt_scaler_get_scale(s), 65536, 0);
    CHECK(!kt_scaler_stepped(s));
    for (int i = 0; i < 2; i++) {
        backward(s, p, 2);
        CHECK_NEAR(tensor_at(kt_grad(p), 0), 131072, 0);
        CHECK_EQ_INT(kt_scaler_step(s, o), KT_OK);
        CHECK(kt_scaler_stepped(s));
        CHECK_NEAR(tensor_at(kt_grad(p), 0), 2, 0);
        CHECK_EQ_INT(kt_scaler_update(s), KT_OK);
        CHECK_EQ_INT(kt_scaler_growth_tracker(s), i == 0 ? 1 : 0);
    }
    CHECK_NEAR(tensor_at(p, 0), -1, 0);
    CHECK_NEAR(kt_scaler_get_scale(s), 131072, 0);
    kt_scale_change c = {.size = sizeof c};
    CHECK(kt_scaler_log(s, 0, &c) && !kt_scaler_log(s, 1, &c) && !kt_scaler_log(s, -1, &c));
    CHECK(c.update == 2 && c.from == 65536 && c.to == 131072 && !c.skipped && c.size == sizeof c);
    CHECK_EQ_INT(kt_scaler_set_scale(s, 4), KT_OK);
    CHECK_NEAR(kt_scaler_get_scale(s), 4, 0);
    kt_scaler_drop(s);
    kt_optimizer_drop(o);
}

TEST(a_step_that_is_not_finite_is_skipped_and_the_next_one_searched)
{
    KT_SCOPE;
    kt_tensor    *p = leaf(1, KT_F32), *bad[2] = {NULL, NULL};
    kt_optimizer *o = sgd_of(p, 0.5);
    kt_scaler    *s = kt_scaler_make(.init_scale = KT_SOME(8));
    kt_not_finite first = {.size = sizeof first};
    for (int i = 0; i < 2; i++) {
        KT_SCOPE;
        CHECK(!kt_scaler_first_not_finite(s, &first));
        CHECK_EQ_INT(kt_set_grad(p, NULL), KT_OK);
        kt_tensor *large = kt_exp(kt_mul_s(p, KT_FLOAT(1000)));
        CHECK_EQ_INT(kt_backward(kt_scaler_scale(s, kt_sum(large))), KT_OK);
        CHECK_EQ_INT(kt_scaler_unscale(s, o), KT_OK);
        CHECK_EQ_INT(kt_scaler_step(s, o), KT_OK);
        CHECK(!kt_scaler_stepped(s));
        CHECK_EQ_INT(kt_scaler_update(s), KT_OK);
    }
    CHECK_NEAR(tensor_at(p, 0), 1, 0);
    CHECK_NEAR(kt_scaler_get_scale(s), 2, 0);
    CHECK(kt_scaler_first_not_finite(s, &first));
    CHECK_STR(first.op, "exp");
    CHECK(!first.backward && !first.nan);
    CHECK(kt_scaler_not_finite(s, bad, 2) >= 1 && bad[0] == p);
    backward(s, p, 2);
    CHECK_EQ_INT(kt_scaler_step(s, o), KT_OK);
    CHECK_EQ_INT(kt_scaler_update(s), KT_OK);
    CHECK(kt_scaler_stepped(s) && kt_scaler_not_finite(s, NULL, 0) == 0);
    CHECK(!kt_scaler_first_not_finite(s, &first)); /* of the step that was looked at last */
    CHECK_NEAR(tensor_at(p, 0), 0, 0);
    kt_scale_change c = {.size = sizeof c};
    CHECK(kt_scaler_log(s, 1, &c) && c.skipped && c.from == 4 && c.to == 2);
    kt_scaler_drop(s);
    kt_optimizer_drop(o);
}

TEST(what_the_scaler_refuses)
{
    KT_SCOPE;
    kt_tensor    *p = leaf(1, KT_F32), *half = leaf(1, KT_F16);
    kt_optimizer *o = sgd_of(p, 0.5), *narrow = sgd_of(half, 0.5);
    CHECK_FAILS(kt_scaler_make(.growth_factor = KT_SOME(1)), KT_ERR_ASSERTION, "The growth factor must be > 1.0.");
    CHECK_FAILS(kt_scaler_make(.backoff_factor = KT_SOME(1)), KT_ERR_ASSERTION, "The backoff factor must be < 1.0.");
    kt_scaler *s = kt_scaler_make_kw(NULL);
    CHECK_FAILS(kt_scaler_step(s, o), KT_ERR_ASSERTION, "Attempted step but _scale is None.");
    CHECK_FAILS(kt_scaler_update(s), KT_ERR_ASSERTION, "Attempted update but _scale is None.");
    CHECK_FAILS(kt_scaler_scale(s, NULL), KT_ERR_TYPE, "outputs must be a Tensor or an iterable of Tensors");
    kt_scaler_scale(s, kt_ones(KT_SCALAR));
    CHECK_FAILS(kt_scaler_update(s), KT_ERR_ASSERTION, "No inf checks were recorded prior to update.");
    CHECK_FAILS(kt_scaler_step(s, o), KT_ERR_ASSERTION, "No inf checks were recorded for this optimizer.");
    CHECK_FAILS(kt_scaler_unscale(s, o), KT_ERR_RUNTIME, "unscale_() has already been called on this optimizer");
    CHECK_FAILS(kt_scaler_unscale(s, NULL), KT_ERR_TYPE, "expected an optimizer, got NULL");
    kt_scaler_drop(s);
    s = kt_scaler_make();
    backward(s, p, 2);
    CHECK_EQ_INT(kt_scaler_step(s, o), KT_OK);
    CHECK_FAILS(kt_scaler_step(s, o), KT_ERR_RUNTIME, "step() has already been called since the last update().");
    CHECK_FAILS(kt_scaler_unscale(s, o), KT_ERR_RUNTIME, "unscale_() is being called after step().");
    backward(s, half, 1e-3);
    CHECK_FAILS(kt_scaler_step(s, narrow), KT_ERR_VALUE, "Attempting to unscale FP16 gradients.");
    kt_scaler_drop(s);
    kt_scaler_drop(NULL);
    kt_optimizer_drop(o);
    kt_optimizer_drop(narrow);
}

/* 100 steps of 1e-4 from 1, of which each alone is less than half a unit. */
static double after_small_steps(kt_dtype dtype, bool masters, bool stochastic, kt_optimizer_kind kind)
{
    KT_SCOPE;
    kt_tensor    *p = kt_full(KT_SHAPE(20000), KT_FLOAT(1), .dtype = dtype, .requires_grad = true);
    kt_optimizer *o = kt_optimizer_make(kind, .lr = KT_SOME(1e-4), .weight_decay = KT_SOME(0), .masters = masters,
                                        .stochastic_rounding = stochastic);
    CHECK_EQ_INT(kt_optimizer_add(o, &p, 1), KT_OK);
    for (int i = 0; i < 100; i++) {
        KT_SCOPE;
        CHECK_EQ_INT(kt_set_grad(p, kt_ones_like(p)), KT_OK);
        CHECK_EQ_INT(kt_optimizer_step(o), KT_OK);
    }
    CHECK_EQ_INT(kt_dtype_of(p), dtype);
    kt_tensor *master = kt_optimizer_state(o, p, "float32_master");
    CHECK((master != NULL) == masters);
    CHECK(!masters || kt_dtype_of(master) == KT_F32);
    if (kind == KT_ADAMW)
        CHECK_EQ_INT(kt_dtype_of(kt_optimizer_state(o, p, "exp_avg")), masters || stochastic ? KT_F32 : dtype);
    const double mean = kt_item(kt_mean(kt_to(p, .dtype = KT_F32)));
    CHECK(kt_optimizer_parameters(o, NULL, 0) == 1);
    kt_optimizer_drop(o);
    return mean;
}

TEST(narrow_parameters_are_stepped_in_float32)
{
    kt_manual_seed(3);
    for (int adam = 0; adam < 2; adam++) {
        const kt_optimizer_kind kind = adam ? KT_ADAMW : KT_SGD;
        CHECK_NEAR(after_small_steps(KT_BF16, false, false, kind), 1, 0);
        CHECK_NEAR(after_small_steps(KT_BF16, true, false, kind), 0.99, 0.003);
        CHECK_NEAR(after_small_steps(KT_F16, true, true, kind), 0.99, 0.0005);
        CHECK_NEAR(after_small_steps(KT_BF16, false, true, kind), 0.99, 0.0005);
    }
}

TEST(stochastic_rounding_repeats_with_the_seed)
{
    KT_SCOPE;
    kt_tensor *x = kt_full(KT_SHAPE(1000), KT_FLOAT(1.001)), *made[3];
    for (int i = 0; i < 3; i++) {
        if (i != 1)
            kt_manual_seed(5);
        made[i] = kt_to(x, .dtype = KT_BF16, .rounding = "stochastic");
    }
    CHECK_NEAR(kt_item(kt_all(kt_eq(made[0], made[2]))), 1, 0);
    CHECK_NEAR(kt_item(kt_all(kt_eq(made[0], made[1]))), 0, 0);
}
