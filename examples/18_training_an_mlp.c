/* 18_training_an_mlp.c - a multi-layer perceptron from modules and an optimizer.
 *
 * The program of examples/python/09_training_an_mlp.py in C: the same parameters, the same losses. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include "lesson.h"

enum { STEPS = 50, BATCH = 64, POINTS = 512, INPUTS = 8, HIDDEN = 32 };

/* The target is a smooth function of eight numbers, with some noise. */
static kt_tensor *target(const kt_tensor *x)
{
    KT_SCOPE;
    kt_tensor *wave = kt_sin(kt_mul_s(kt_narrow(x, 1, 0, 1), KT_INT(2)));
    kt_tensor *y = kt_add(wave, kt_mul(kt_narrow(x, 1, 1, 1), kt_narrow(x, 1, 2, 1)));
    return kt_escape(kt_add(y, kt_mul_s(kt_randn(KT_SHAPE(POINTS, 1)), KT_FLOAT(0.05))));
}

int main(void)
{
    KT_SCOPE;
    kt_manual_seed(9);
    kt_tensor *x = kt_randn(KT_SHAPE(POINTS, INPUTS)), *y = target(x);

    /* Layers draw their parameters when they are made: a statement each, since C does not order the arguments of a call. */
    kt_module *first = kt_make_linear(INPUTS, HIDDEN, true);
    kt_module *second = kt_make_linear(HIDDEN, HIDDEN, true);
    kt_module *third = kt_make_linear(HIDDEN, 1, true);

    /* A module owns its parts, an optimizer keeps the parameters it is given: both are dropped at the end. */
    kt_module    *model = kt_make_sequential(first, kt_make_tanh(), second, kt_make_relu(), third);
    kt_optimizer *optimizer = kt_optimizer_make(KT_SGD, .lr = KT_SOME(0.05), .momentum = KT_SOME(0.9),
                                                .weight_decay = KT_SOME(1e-4));
    kt_optimizer_add_module(optimizer, model);
    show_module(model);

    double losses[STEPS] = {0};
    for (int step = 0; step < STEPS && !kt_failed(); step++) {
        KT_SCOPE; /* what a step makes dies with it */
        kt_tensor *batch = kt_randint(POINTS, KT_SHAPE(BATCH));
        kt_optimizer_zero_grad(optimizer);
        kt_tensor *guess = kt_module_call(model, kt_index_select(x, 0, batch));
        kt_tensor *loss = kt_nn_mse_loss(guess, kt_index_select(y, 0, batch));
        kt_backward(loss);
        kt_optimizer_step(optimizer);
        losses[step] = kt_item(loss);
        printf("step %2d  loss %.6f\n", step, losses[step]);
    }
    EXPECT(sum_of(losses + STEPS - 5, 5) < 0.5 * sum_of(losses, 5));
    kt_optimizer_drop(optimizer);
    kt_module_drop(model);
    return kt_report(stderr) || wrong;
}
