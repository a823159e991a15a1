/* 08_gradients.c - derivatives: who wants one, and backward.
 *
 * Operators on tensors that require a gradient are recorded; kt_backward walks the record from a result back to the
 * leaves and adds to each leaf's gradient. A gradient has the dtype of the tensor it belongs to. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <math.h>
#include <string.h>

#include "lesson.h"

static kt_tensor *leaf(kt_tensor *t)
{
    kt_set_requires_grad(t, true);
    return t;
}

static double grad_at(const kt_tensor *t, int64_t i)
{
    return kt_item(kt_select(kt_grad(t), 0, i));
}

static void first_steps(void)
{
    KT_SCOPE;
    kt_tensor *x = leaf(kt_from((float[]){1, 2, 3}, KT_SHAPE(3), KT_F32));
    kt_tensor *y = kt_mul(kt_exp(kt_neg(x)), x); /* x e^-x, whose derivative is (1 - x) e^-x */
    show("x", x);
    show("y = x e^-x", y); /* knows the operator that made it */
    EXPECT(kt_requires_grad(y) && !kt_is_leaf(y) && strcmp(kt_grad_fn_name(y), "MulBackward0") == 0);

    kt_backward(kt_sum(y));
    show("the gradient of x", kt_grad(x));
    EXPECT(grad_at(x, 0) == 0 && fabs(grad_at(x, 1) + 0.135335) < 1e-6 && fabs(grad_at(x, 2) + 0.099574) < 1e-6);

    /* Gradients add up until they are cleared. */
    kt_backward(kt_sum(x));
    EXPECT(grad_at(x, 0) == 1);
    kt_set_grad(x, NULL);
    kt_backward(kt_sum(kt_mul_s(x, KT_INT(2))));
    EXPECT(grad_at(x, 0) == 2);

    /* Nothing is recorded here, nor for what has been detached. */
    {
        KT_NO_GRAD;
        EXPECT(!kt_requires_grad(kt_mul(x, x)));
    }
    EXPECT(!kt_requires_grad(kt_mul_s(kt_detach(x), KT_INT(2))));
}

static void mixed_dtypes(void)
{
    KT_SCOPE;
    /* The half takes part in a float32 calculation; its gradient comes back as a half. A broadcast operand gets the sum
     * over what it was repeated for. */
    kt_tensor *w = leaf(kt_ones(KT_SHAPE(1), .dtype = KT_F16));
    kt_tensor *x = leaf(kt_arange(KT_INT(0), KT_INT(4), .dtype = KT_F32));
    kt_backward(kt_sum(kt_mul(w, x)));
    EXPECT(kt_dtype_of(kt_grad(w)) == KT_F16 && kt_item(kt_grad(w)) == 6);
    EXPECT(kt_dtype_of(kt_grad(x)) == KT_F32 && grad_at(x, 3) == 1);

    /* Integers have no derivative. */
    EXPECT(kt_set_requires_grad(kt_arange(KT_INT(0), KT_INT(3)), true) != KT_OK);
    printf("refused: %s\n", kt_error());
    kt_clear();
}

static void overwritten(void)
{
    KT_SCOPE;
    /* The derivative of exp is its result: overwriting that is noticed when it is needed. */
    kt_tensor *x = leaf(kt_ones(KT_SHAPE(2)));
    kt_tensor *y = kt_exp(x);
    kt_add_s_(y, KT_INT(1));
    EXPECT(kt_backward(kt_sum(y)) != KT_OK);
    EXPECT(strncmp(kt_error(), "one of the variables needed for gradient computation has been modified", 70) == 0);
    printf("refused: %s\n", kt_error());
    kt_clear();
}

/* Fit a line through points of y = 3x - 1 by walking down the gradient. */
static void descent(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_linspace(KT_INT(-1), KT_INT(1), 21);
    kt_tensor *target = kt_sub_s(kt_mul_s(x, KT_INT(3)), KT_INT(1));
    kt_tensor *slope = leaf(kt_zeros(KT_SHAPE(1))), *offset = leaf(kt_zeros(KT_SHAPE(1)));
    double     loss = 0;
    for (int step = 0; step < 200; step++) {
        KT_SCOPE; /* this step's temporaries, and its record */
        kt_tensor *miss = kt_sub(kt_add(kt_mul(x, slope), offset), target);
        kt_tensor *error = kt_div_s(kt_sum(kt_mul(miss, miss)), KT_INT(21));
        kt_backward(error);
        loss = kt_item(error);

        KT_NO_GRAD; /* the update itself is no part of the function */
        kt_add_(slope, kt_grad(slope), .alpha = KT_FLOAT(-0.3));
        kt_add_(offset, kt_grad(offset), .alpha = KT_FLOAT(-0.3));
        kt_set_grad(slope, NULL);
        kt_set_grad(offset, NULL);
    }
    printf("y = %.4f x + %.4f, mean squared error %.1e\n", kt_item(slope), kt_item(offset), loss);
    EXPECT(fabs(kt_item(slope) - 3) < 1e-4 && fabs(kt_item(offset) + 1) < 1e-4);
}

int main(void)
{
    first_steps();
    mixed_dtypes();
    overwritten();
    descent();
    return kt_report(stderr) || wrong;
}
