/* 11_random_numbers.c - random numbers that can be had again: seeds and generators.
 *
 * The numbers are those that PyTorch's CPU generator gives for the same seed, so that an experiment can be moved from
 * there to here and back. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <math.h>

#include "lesson.h"

static bool equal(const kt_tensor *a, const kt_tensor *b) { return kt_item(kt_sum(kt_ne(a, b))) == 0; }

static void seeds(void)
{
    KT_SCOPE;
    kt_manual_seed(0);
    kt_tensor *a = kt_rand(KT_SHAPE(3)), *b = kt_rand(KT_SHAPE(3)); /* the second draw goes on where the first ended */
    show("three numbers of seed 0", a);
    kt_manual_seed(0);
    EXPECT(equal(a, kt_rand(KT_SHAPE(3))) && !equal(a, b));
    EXPECT(fabs(kt_item(kt_select(a, 0, 0)) - 0.49625659) < 1e-7); /* torch.manual_seed(0); torch.rand(3)[0] */

    show("normal ones", kt_randn(KT_SHAPE(2, 2)));
    kt_tensor *dice = kt_randint_low(1, 7, KT_SHAPE(1000));
    EXPECT(kt_dtype_of(dice) == KT_I64 && kt_item(kt_sum(kt_lt_s(dice, KT_INT(1)))) == 0);
    EXPECT(fabs(kt_item(kt_sum(dice)) / 1000 - 3.5) < 0.25);

    /* An order of five things: every number once. */
    kt_tensor *order = kt_randperm(5);
    EXPECT(kt_item(kt_sum(order)) == 10);
}

/* A part of a program that should not disturb the others draws from a generator of its own. */
static void generators(void)
{
    KT_SCOPE;
    kt_generator *mine = kt_generator_new();
    kt_manual_seed(7);
    kt_tensor *alone = kt_rand(KT_SHAPE(4));
    kt_manual_seed(7);
    kt_generator_manual_seed(mine, 1);
    kt_rand(KT_SHAPE(100), .generator = mine);
    EXPECT(equal(alone, kt_rand(KT_SHAPE(4)))); /* the default one did not notice */

    /* A state is plain bytes: keep it, go on, come back. */
    unsigned char state[KT_GENERATOR_STATE];
    kt_generator_get_state(mine, state);
    kt_tensor *next = kt_rand(KT_SHAPE(4), .generator = mine);
    EXPECT(kt_generator_set_state(mine, state, sizeof state) == KT_OK);
    EXPECT(equal(next, kt_rand(KT_SHAPE(4), .generator = mine)));
    kt_generator_drop(mine);
}

/* Writing over a tensor: how weights begin. A leaf may be written to where nothing is recorded. */
static void weights(void)
{
    KT_SCOPE;
    kt_tensor *w = kt_empty(KT_SHAPE(64, 32), .requires_grad = true);
    {
        KT_NO_GRAD;
        double bound = 1 / sqrt(64);
        kt_uniform_(w, .from = -bound, .to = KT_SOME(bound));
        EXPECT(kt_item(kt_sum(kt_gt_s(kt_abs(w), KT_FLOAT(bound)))) == 0);
    }
    EXPECT(kt_requires_grad(w) && kt_is_leaf(w));
}

int main(void)
{
    seeds();
    generators();
    weights();
    return kt_report(stderr) || wrong;
}
