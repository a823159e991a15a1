/* 15_mixed_dtypes_in_training.c - a loop in which three dtypes meet, and what the library says about each of them.
 *
 * The master weight is float32, the arithmetic bfloat16, the loss float32 again: the usual arrangement. Every conversion
 * below is one that was asked for, and a strict policy proves it. */
#define KT_SITES /* lineage shall name lines */
#include <karat/karat.h>

#include <math.h>
#include <string.h>

#include "lesson.h"

static void train(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_reshape(kt_linspace(KT_INT(-1), KT_INT(1), 32), KT_SHAPE(32, 1));
    kt_tensor *target = kt_mul_s(x, KT_INT(4));
    kt_tensor *master = kt_zeros(KT_SHAPE(1, 1), .requires_grad = true);
    kt_tensor *low = kt_to(x, .dtype = KT_BF16);
    double     loss = 0;

    KT_POLICY(KT_STRICT); /* a conversion that nobody wrote is an error from here on */
    for (int step = 0; step < 60; step++) {
        KT_SCOPE;
        kt_tensor *weight = kt_to(master, .dtype = KT_BF16); /* the cast is part of the function: its gradient goes back */
        kt_tensor *guess = kt_to(kt_matmul(low, weight), .dtype = KT_F32);
        kt_tensor *miss = kt_sub(guess, target);
        kt_tensor *error = kt_div_s(kt_sum(kt_mul(miss, miss)), KT_INT(32));
        kt_backward(error);
        loss = kt_item(error);

        /* A gradient has the dtype of its tensor, whatever the arithmetic was in. */
        EXPECT(kt_dtype_of(kt_grad(master)) == KT_F32);

        KT_NO_GRAD;
        kt_add_(master, kt_grad(master), .alpha = KT_FLOAT(-0.5));
        kt_set_grad(master, NULL);
    }
    printf("weight %.4f (4 was wanted), loss %.2e\n", kt_item(master), loss);
    EXPECT(fabs(kt_item(master) - 4) < 0.05 && !kt_failed());
}

/* Why the master is float32: a small step added to a bfloat16 number is lost. */
static void lost_steps(void)
{
    KT_SCOPE;
    kt_tensor *narrow = kt_ones(KT_SHAPE(1), .dtype = KT_BF16), *wide = kt_ones(KT_SHAPE(1));
    for (int i = 0; i < 100; i++) {
        kt_add_s_(narrow, KT_FLOAT(0.001));
        kt_add_s_(wide, KT_FLOAT(0.001));
    }
    printf("1 + 100 * 0.001: %g in bfloat16, %g in float32\n", kt_item(narrow), kt_item(wide));
    EXPECT(kt_item(narrow) == 1 && fabs(kt_item(wide) - 1.1) < 1e-5);
}

/* Forget one cast, and the error tells the story of both types. */
static void forgotten(void)
{
    KT_SCOPE;
    kt_tensor *weight = kt_ones(KT_SHAPE(1, 1));
    kt_tensor *low = kt_to(kt_ones(KT_SHAPE(4, 1)), .dtype = KT_BF16);
    EXPECT(kt_matmul(low, weight) == NULL);
    EXPECT(strncmp(kt_error(), "expected m1 and m2 to have the same dtype", 41) == 0);
    EXPECT(strstr(kt_error(), "15_mixed_dtypes_in_training.c:") != NULL); /* the line where it became bfloat16 */
    printf("%s\n", kt_error());
    kt_clear();

    char *story = kt_explain(low); /* or ask any tensor */
    printf("%s\n", story);
    EXPECT(story && strstr(story, "bfloat16"));
    kt_free_string(story);
}

int main(void)
{
    train();
    lost_steps();
    forgotten();
    return kt_report(stderr) || wrong;
}
