/* 13_linear_regression.c - a model of several inputs fitted by hand: forward, loss, backward, update, and again.
 *
 * Nothing here is new; it is lessons 1 to 12 in one loop. Every training program has these four steps. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <math.h>

#include "lesson.h"

enum { SAMPLES = 64, INPUTS = 3 };

/* Points that are spread out, without a random number: three waves of different length. */
static kt_tensor *samples(void)
{
    float x[SAMPLES][INPUTS];
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < INPUTS; k++)
            x[i][k] = sinf((float)(i * (k + 1)) * 0.7f + (float)k);
    return kt_from(x, KT_SHAPE(SAMPLES, INPUTS), KT_F32);
}

int main(void)
{
    KT_SCOPE;

    /* What the model should find out. */
    kt_tensor *x = samples();
    kt_tensor *truth = kt_from((float[]){2, -3, 0.5f}, KT_SHAPE(INPUTS, 1), KT_F32);
    kt_tensor *target = kt_add_s(kt_matmul(x, truth), KT_FLOAT(1.5));

    /* What it starts from. Only these two want a gradient: the data does not. */
    kt_tensor *weight = kt_zeros(KT_SHAPE(INPUTS, 1), .requires_grad = true);
    kt_tensor *bias = kt_zeros(KT_SHAPE(1), .requires_grad = true);

    double first = 0, loss = 0;
    for (int step = 0; step < 60; step++) {
        KT_SCOPE; /* without it, sixty records would pile up */

        /* 1. forward   2. loss */
        kt_tensor *guess = kt_add(kt_matmul(x, weight), bias);
        kt_tensor *miss = kt_sub(guess, target);
        kt_tensor *error = kt_div_s(kt_sum(kt_mul(miss, miss)), KT_INT(SAMPLES));

        /* 3. backward */
        kt_backward(error);
        loss = kt_item(error);
        if (step == 0)
            first = loss;
        if (step % 10 == 0)
            printf("step %3d  loss %.1e\n", step, loss);

        /* 4. update: no part of the function, so it is not recorded; then the gradients are cleared for the next round */
        KT_NO_GRAD;
        kt_tensor *all[] = {weight, bias};
        for (int i = 0; i < 2; i++) {
            kt_add_(all[i], kt_grad(all[i]), .alpha = KT_FLOAT(-0.2));
            kt_set_grad(all[i], NULL);
        }
    }

    show("weight", weight);
    show("bias", bias);
    EXPECT(first > 1 && loss < 1e-8);
    double far = 0;
    for (int k = 0; k < INPUTS; k++)
        far += fabs(kt_item(kt_sub(kt_select(kt_detach(weight), 0, k), kt_select(truth, 0, k))));
    EXPECT(far < 1e-3 && fabs(kt_item(bias) - 1.5) < 1e-3);

    /* At the minimum the gradient is zero. */
    kt_tensor *miss = kt_sub(kt_add(kt_matmul(x, weight), bias), target), *g, *sum = kt_sum(kt_mul(miss, miss));
    EXPECT(kt_gradients(&sum, NULL, 1, &weight, 1, NULL, &g) == KT_OK); /* asked for by name: kt_grad stays as it is */
    EXPECT(kt_item(kt_sum(kt_abs(g))) < 1e-2 && kt_grad(weight) == NULL);
    kt_drop(g);
    return kt_report(stderr) || wrong;
}
