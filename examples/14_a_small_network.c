/* 14_a_small_network.c - two layers learn what one cannot: exclusive or.
 *
 * A struct holds the weights, a function runs them, a loop trains them. There is no module and no optimizer behind it:
 * this is all that those do. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <math.h>

#include "lesson.h"

enum { HIDDEN = 8, WEIGHTS = 4 };

typedef struct network {
    kt_tensor *weight[WEIGHTS]; /* first layer and its bias, second layer and its bias */
} network;

/* Starting values that differ from each other: equal ones would get equal gradients and stay equal for ever. */
static kt_tensor *uneven(kt_shape shape, float scale)
{
    float   value[HIDDEN * 2];
    int64_t n = shape.n == 2 ? shape.d[0] * shape.d[1] : shape.d[0];
    for (int64_t i = 0; i < n; i++)
        value[i] = scale * sinf(12.9898f * (float)(i + 1));
    kt_tensor *t = kt_from(value, shape, KT_F32);
    kt_set_requires_grad(t, true);
    return t;
}

/* What is returned must outlive this block: it is handed to the caller's scope. Everything between dies here, except what
 * the record still holds for backward. */
static kt_tensor *forward(const network *n, kt_tensor *x)
{
    KT_SCOPE;
    kt_tensor *hidden = kt_tanh(kt_add(kt_matmul(x, n->weight[0]), n->weight[1]));
    kt_tensor *out = kt_sigmoid(kt_add(kt_matmul(hidden, n->weight[2]), n->weight[3]));
    return kt_escape(out);
}

static double train(const network *n, kt_tensor *x, kt_tensor *target, int steps, double *first)
{
    double loss = 0;
    for (int step = 0; step < steps; step++) {
        KT_SCOPE;
        kt_tensor *miss = kt_sub(forward(n, x), target);
        kt_tensor *error = kt_div_s(kt_sum(kt_mul(miss, miss)), KT_INT(4));
        kt_backward(error);
        loss = kt_item(error);
        if (step == 0)
            *first = loss;
        if (step % 400 == 0)
            printf("step %4d  loss %.5f\n", step, loss);

        KT_NO_GRAD;
        for (int i = 0; i < WEIGHTS; i++) {
            kt_add_(n->weight[i], kt_grad(n->weight[i]), .alpha = KT_FLOAT(-1.0));
            kt_set_grad(n->weight[i], NULL);
        }
        if (kt_failed()) /* while an error is pending operators do nothing: one look per step is enough */
            break;
    }
    return loss;
}

int main(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_from((float[]){0, 0, 0, 1, 1, 0, 1, 1}, KT_SHAPE(4, 2), KT_F32);
    kt_tensor *target = kt_from((float[]){0, 1, 1, 0}, KT_SHAPE(4, 1), KT_F32);
    network    n = {{uneven(KT_SHAPE(2, HIDDEN), 1), uneven(KT_SHAPE(HIDDEN), 0.5f), uneven(KT_SHAPE(HIDDEN, 1), 1),
                     uneven(KT_SHAPE(1), 0)}};

    double first = 0, last = train(&n, x, target, 2000, &first);
    EXPECT(first > 0.2 && last < 0.01); /* it began by guessing and ended by knowing */

    KT_NO_GRAD; /* only asking now */
    kt_tensor *answer = forward(&n, x);
    show("answers for 00, 01, 10, 11", answer);
    EXPECT(kt_item(kt_sum(kt_ne(kt_gt_s(answer, KT_FLOAT(0.5)), kt_gt_s(target, KT_FLOAT(0.5))))) == 0);
    return kt_report(stderr) || wrong;
}
