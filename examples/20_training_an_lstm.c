/* 20_training_an_lstm.c - a recurrent network: the next element of a wave, a module of one's own, clipped gradients.
 *
 * The program of examples/python/11_training_an_lstm.py in C: the same parameters, the same losses. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include "lesson.h"

enum { STEPS = 50, BATCH = 32, LENGTH = 20, HIDDEN = 24 };

/* n sine waves, each with a frequency and a phase of its own: [n, LENGTH + 1, 1]. */
static kt_tensor *waves(int64_t n)
{
    KT_SCOPE;
    kt_tensor *time = kt_arange(KT_INT(0), KT_INT(LENGTH + 1), .dtype = KT_F32);
    kt_tensor *frequency = kt_add_s(kt_mul_s(kt_rand(KT_SHAPE(n, 1)), KT_FLOAT(0.5)), KT_FLOAT(0.2));
    kt_tensor *phase = kt_mul_s(kt_rand(KT_SHAPE(n, 1)), KT_INT(6));
    return kt_escape(kt_unsqueeze(kt_sin(kt_add(kt_mul(time, frequency), phase)), 2));
}

/* The next element of a sequence, after each of its elements: a type of module is a name and a function. */
static kt_tensor *predict(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    kt_tensor *states = kt_module_call(kt_module_child(m, "lstm"), in[0]);
    return kt_module_call(kt_module_child(m, "head"), states);
}

static const kt_module_type predictor = {.size = sizeof predictor, .name = "Predictor", .forward = predict};

int main(void)
{
    KT_SCOPE;
    kt_manual_seed(11);
    kt_module *model = kt_module_make(&predictor);
    kt_module_add(model, "lstm", kt_make_lstm(1, HIDDEN, KT_KW(kt_recurrent_options, .layers = 2, .batch_first = true)));
    kt_module_add(model, "head", kt_make_linear(HIDDEN, 1, true));
    kt_optimizer *optimizer = kt_optimizer_make(KT_ADAMAX, .lr = KT_SOME(2e-2));
    kt_optimizer_add_module(optimizer, model);
    show_module(model);

    kt_tensor    *parameters[16];
    const int64_t n_parameters = kt_module_parameters(model, parameters, 16);
    double        losses[STEPS] = {0};
    for (int step = 0; step < STEPS && !kt_failed(); step++) {
        KT_SCOPE;
        kt_tensor *wave = waves(BATCH);
        kt_optimizer_zero_grad(optimizer);
        kt_tensor *guess = kt_module_call(model, kt_narrow(wave, 1, 0, LENGTH));
        kt_tensor *loss = kt_nn_mse_loss(guess, kt_narrow(wave, 1, 1, LENGTH));
        kt_backward(loss);
        kt_clip_grad_norm(parameters, n_parameters, 1, 2);
        kt_optimizer_step(optimizer);
        losses[step] = kt_item(loss);
        printf("step %2d  loss %.6f\n", step, losses[step]);
    }
    EXPECT(n_parameters == 10 && sum_of(losses + STEPS - 5, 5) < 0.3 * sum_of(losses, 5));
    kt_optimizer_drop(optimizer);
    kt_module_drop(model);
    return kt_report(stderr) || wrong;
}
