/* 09_reductions.c - many elements into few: sums, means, extremes, norms.
 *
 * A reduction takes the dims it folds away; those named disappear, or stay with size 1 (keepdim). What it adds up in is
 * wider than what it stores: half precision is added in float32, integers in int64. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <math.h>
#include <string.h>

#include "lesson.h"

static void dims(void)
{
    KT_SCOPE;
    kt_tensor *m = kt_reshape(kt_arange(KT_INT(0), KT_INT(6), .dtype = KT_F32), KT_SHAPE(2, 3));
    show("sums of the columns", kt_sum_dim(m, KT_SHAPE(0))); /* over the rows: one sum a column */
    EXPECT(kt_item(kt_sum(m)) == 15 && kt_item(kt_mean(m)) == 2.5);
    EXPECT(kt_size(kt_sum_dim(m, KT_SHAPE(0)), 0) == 3 && kt_size(kt_sum_dim(m, KT_SHAPE(-1)), 0) == 2);

    /* keepdim leaves a dim of size 1, which broadcasts back: each row less its mean. */
    kt_tensor *centred = kt_sub(m, kt_mean_dim(m, KT_SHAPE(1), .keepdim = true));
    show("each row less its mean", centred);
    EXPECT(kt_item(kt_sum(centred)) == 0 && kt_item(kt_select(kt_select(centred, 0, 1), 0, 0)) == -1);

    /* Several dims at once, and the two ways to estimate a variance. */
    EXPECT(kt_ndim(kt_amax(m, .dim = KT_SHAPE(0, 1))) == 0);
    EXPECT(kt_item(kt_var(m)) == 3.5 && fabs(kt_item(kt_var(m, .unbiased = KT_SOME(false))) - 17.5 / 6) < 1e-6);
}

static void dtypes(void)
{
    KT_SCOPE;
    /* Integers and bools are counted in int64. */
    EXPECT(kt_dtype_of(kt_sum(kt_full(KT_SHAPE(3), KT_INT(100), .dtype = KT_I8))) == KT_I64);
    EXPECT(kt_item(kt_sum(kt_full(KT_SHAPE(3), KT_INT(100), .dtype = KT_I8))) == 300);

    /* A half is added up in float32 and rounded once: in halves the sum would stop at 1024. */
    kt_tensor *halves = kt_full(KT_SHAPE(65536), KT_FLOAT(0.5), .dtype = KT_F16);
    EXPECT(kt_dtype_of(kt_sum(halves)) == KT_F16 && kt_item(kt_sum(halves)) == 32768);

    /* The result has to fit, though: dtype= asks for a wider one. */
    kt_tensor *many = kt_ones(KT_SHAPE(70000), .dtype = KT_F16);
    EXPECT(isinf(kt_item(kt_sum(many))) && kt_item(kt_sum(many, .dtype = KT_F32)) == 70000);

    /* The mean of integers is no integer: say which float is meant. */
    kt_tensor *whole = kt_arange(KT_INT(0), KT_INT(4));
    EXPECT(kt_mean(whole) == NULL);
    printf("refused: %s\n", kt_error());
    kt_clear();
    EXPECT(kt_item(kt_mean(whole, .dtype = KT_F32)) == 1.5);
}

static void extremes(void)
{
    KT_SCOPE;
    kt_tensor         *x = kt_from((float[]){3, 9, 4, 9, 1, 2}, KT_SHAPE(2, 3), KT_F32);
    kt_max_dim_results best = kt_max_dim(x, 1); /* two results: what is largest and where it stands */
    show("largest of each row", best.values);
    show("and its index", best.indices);
    EXPECT(kt_item(kt_select(best.indices, 0, 0)) == 1 && kt_item(kt_select(best.indices, 0, 1)) == 0);
    EXPECT(kt_item(kt_argmax(x)) == 1); /* of equals the first; counted along the rows */

    /* Questions about all elements. */
    EXPECT(kt_item(kt_any(kt_gt_s(x, KT_INT(8)))) == 1 && kt_item(kt_all(kt_gt_s(x, KT_INT(8)))) == 0);
    EXPECT(kt_item(kt_count_nonzero(kt_gt_s(x, KT_INT(2)))) == 4);

    /* A NaN is passed on, unless it is told not to count. */
    kt_tensor *gap = kt_from((float[]){1, NAN, 2}, KT_SHAPE(3), KT_F32);
    EXPECT(isnan(kt_item(kt_sum(gap))) && isnan(kt_item(kt_max(gap))) && kt_item(kt_nansum(gap)) == 3);
}

/* Large exponents: the naive way overflows, logsumexp does not; norms of any order. */
static void careful(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_from((float[]){1000, 1000}, KT_SHAPE(2), KT_F32);
    EXPECT(isinf(kt_item(kt_log(kt_sum(kt_exp(x))))));
    EXPECT(fabs(kt_item(kt_logsumexp(x, KT_SHAPE(0))) - (1000 + log(2.0))) < 1e-3);

    kt_tensor *v = kt_from((float[]){3, -4}, KT_SHAPE(2), KT_F32);
    EXPECT(kt_item(kt_norm(v)) == 5 && kt_item(kt_norm(v, .p = KT_INT(1))) == 7);
    EXPECT(kt_item(kt_norm(v, .p = KT_FLOAT(INFINITY))) == 4);
}

/* A sum gives its gradient to everybody, a maximum to the winner, shared among equals. */
static void gradients(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_from((float[]){1, 5, 5}, KT_SHAPE(3), KT_F32);
    kt_set_requires_grad(x, true);
    kt_backward(kt_amax(x, .dim = KT_SHAPE(0)));
    show("gradient of amax: shared by the two that tie", kt_grad(x));
    EXPECT(kt_item(kt_select(kt_grad(x), 0, 0)) == 0 && kt_item(kt_select(kt_grad(x), 0, 2)) == 0.5);
}

int main(void)
{
    dims();
    dtypes();
    extremes();
    careful();
    gradients();
    return kt_report(stderr) || wrong;
}
