/* 16_a_classifier.c - three classes of points, cross-entropy, mini-batches.
 *
 * The program of examples/python/06_classifier.py in C: with the same seed it draws the same numbers. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <math.h>

#include "lesson.h"

enum { CLASSES = 3, EACH = 100, POINTS = CLASSES * EACH, HIDDEN = 32, BATCH = 32, EPOCHS = 60 };

typedef struct classifier {
    kt_tensor *weight[4]; /* hidden layer and its bias, output layer and its bias */
} classifier;

/* The classes lie on the arms of a spiral: the angle grows with the radius, from another start in each. */
static kt_tensor *spiral(const kt_tensor *label)
{
    KT_SCOPE;
    const double start = 2 * 3.14159265358979323846 / CLASSES;
    kt_tensor   *radius = kt_repeat(kt_linspace(KT_FLOAT(0.1), KT_FLOAT(1), EACH), KT_SHAPE(CLASSES));
    kt_tensor   *angle = kt_add(kt_mul_s(label, KT_FLOAT(start)), kt_mul_s(radius, KT_INT(3)));
    angle = kt_add(angle, kt_mul_s(kt_randn(KT_SHAPE(POINTS)), KT_FLOAT(0.1)));
    kt_tensor *coordinate[] = {kt_mul(radius, kt_cos(angle)), kt_mul(radius, kt_sin(angle))};
    return kt_escape(kt_stack(coordinate, 2, .dim = 1));
}

static kt_tensor *scores(const classifier *c, const kt_tensor *points)
{
    KT_SCOPE;
    kt_tensor *hidden = kt_relu(kt_add(kt_matmul(points, c->weight[0]), c->weight[1]));
    return kt_escape(kt_add(kt_matmul(hidden, c->weight[2]), c->weight[3]));
}

/* One step of gradient descent on one batch; returns the loss before it. */
static double learn(classifier *c, const kt_tensor *points, const kt_tensor *label)
{
    KT_SCOPE;
    kt_tensor *loss = kt_nn_cross_entropy(scores(c, points), label);
    kt_backward(loss);
    KT_NO_GRAD;
    for (int i = 0; i < 4; i++) {
        kt_add_(c->weight[i], kt_grad(c->weight[i]), .alpha = KT_FLOAT(-0.3));
        kt_set_grad(c->weight[i], NULL);
    }
    return kt_item(loss);
}

int main(void)
{
    KT_SCOPE;
    kt_manual_seed(0);
    kt_tensor *label = kt_repeat_interleave_int(kt_arange(KT_INT(0), KT_INT(CLASSES)), EACH);
    kt_tensor *points = spiral(label);

    classifier c = {{kt_randn(KT_SHAPE(2, HIDDEN)), kt_zeros(KT_SHAPE(HIDDEN)),
                     kt_mul_s(kt_randn(KT_SHAPE(HIDDEN, CLASSES)), KT_FLOAT(0.2)), kt_zeros(KT_SHAPE(CLASSES))}};
    for (int i = 0; i < 4; i++)
        kt_set_requires_grad(c.weight[i], true);

    for (int epoch = 0; epoch < EPOCHS && !kt_failed(); epoch++) {
        KT_SCOPE;
        double     loss = 0;
        kt_tensor *order = kt_randperm(POINTS);
        for (int first = 0; first < POINTS; first += BATCH) {
            const int  last = first + BATCH < POINTS ? first + BATCH : POINTS;
            kt_tensor *batch = kt_narrow(order, 0, first, last - first);
            loss = learn(&c, kt_index_select(points, 0, batch), kt_index_select(label, 0, batch));
        }
        if (epoch % 20 == 0)
            printf("epoch %2d  loss of the last batch %.3f\n", epoch, loss);
    }

    KT_NO_GRAD;
    kt_tensor *guess = kt_argmax(scores(&c, points), .dim = KT_SOME(1));
    const double right = kt_item(kt_sum(kt_eq(guess, label)));
    printf("%.0f of %d points in their class\n", right, POINTS);
    EXPECT(right >= 285);
    return kt_report(stderr) || wrong;
}
