/* 19_training_a_cnn.c - a convolutional network, with batch norm and dropout.
 *
 * The program of examples/python/10_training_a_cnn.py in C: the same parameters, the same losses. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include "lesson.h"

enum { STEPS = 50, BATCH = 32, IMAGES = 256, CLASSES = 4, SIDE = 12 };

int main(void)
{
    KT_SCOPE;
    kt_manual_seed(10);

    /* Each class is a picture; an image is one of them under noise. */
    kt_tensor *pictures = kt_randn(KT_SHAPE(CLASSES, 1, SIDE, SIDE));
    kt_tensor *label = kt_randint(CLASSES, KT_SHAPE(IMAGES));
    kt_tensor *noise = kt_mul_s(kt_randn(KT_SHAPE(IMAGES, 1, SIDE, SIDE)), KT_FLOAT(1.5));
    kt_tensor *images = kt_add(kt_index_select(pictures, 0, label), noise);

    /* A statement each for what draws random numbers, as in lesson 18. The norm after the first convolution takes the mean
     * away: a bias would do nothing, and its gradient is noise. */
    kt_module *conv1 = kt_make_conv2d(1, 8, 3, KT_KW(kt_conv_options, .padding = 1, .no_bias = true));
    kt_module *conv2 = kt_make_conv2d(8, 16, 3, NULL);
    kt_module *head = kt_make_linear(256, CLASSES, true);
    kt_module *model = kt_make_sequential(conv1, kt_make_batch_norm2d(8), kt_make_relu(), kt_make_max_pool2d(2), conv2,
                                          kt_make_relu(), kt_make_flatten(), kt_make_dropout(0.2), head);
    kt_optimizer *optimizer = kt_optimizer_make(KT_ADAM, .lr = KT_SOME(2e-3));
    kt_optimizer_add_module(optimizer, model);
    show_module(model);

    double losses[STEPS] = {0};
    for (int step = 0; step < STEPS && !kt_failed(); step++) {
        KT_SCOPE;
        kt_tensor *batch = kt_randint(IMAGES, KT_SHAPE(BATCH));
        kt_optimizer_zero_grad(optimizer);
        kt_tensor *scores = kt_module_call(model, kt_index_select(images, 0, batch));
        kt_tensor *loss = kt_nn_cross_entropy(scores, kt_index_select(label, 0, batch));
        kt_backward(loss);
        kt_optimizer_step(optimizer);
        losses[step] = kt_item(loss);
        printf("step %2d  loss %.6f\n", step, losses[step]);
    }

    kt_module_train(model, false); /* no dropout, and the batch norm uses what it has averaged */
    KT_NO_GRAD;
    kt_tensor   *guess = kt_argmax(kt_module_call(model, images), .dim = KT_SOME(1));
    const double right = kt_item(kt_sum(kt_eq(guess, label)));
    printf("%.0f of %d images in their class\n", right, IMAGES);
    EXPECT(right >= 230 && sum_of(losses + STEPS - 5, 5) < 0.5 * sum_of(losses, 5));
    kt_optimizer_drop(optimizer);
    kt_module_drop(model);
    return kt_report(stderr) || wrong;
}
