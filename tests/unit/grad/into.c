/* into.c - the derivatives of reductions into named places, of distances and of slices held to a length, against central
 * differences in float64. */
#include <math.h>

#include "support/differences.h"

static const int64_t places[] = {0, 1, 0, 1, 2, 2, 2, 0};
static kt_tensor    *index_of(void) { return kt_from(places, KT_SHAPE(2, 4), KT_I64); }
static kt_tensor    *slices_of(void) { return kt_from(places, KT_SHAPE(4), KT_I64); }

#define REDUCED(name, how, own)                                                                                                  \
    F(name, kt_scatter_reduce(x[0], 1, index_of(), x[1], how, .include_self = KT_SOME(own)))                                     \
    F(name##_slices, kt_index_reduce(x[0], 0, slices_of(), x[1], how, .include_self = KT_SOME(own)))

F(sums, kt_exp(kt_scatter_reduce(x[0], 1, index_of(), x[1], "sum")))
F(sums_alone, kt_exp(kt_scatter_reduce(x[0], 1, index_of(), x[1], "sum", .include_self = KT_SOME(false))))
REDUCED(products, "prod", true)
REDUCED(products_alone, "prod", false)
REDUCED(means, "mean", true)
REDUCED(means_alone, "mean", false)
REDUCED(most, "amax", true)
REDUCED(most_alone, "amax", false)
REDUCED(least, "amin", true)
REDUCED(least_alone, "amin", false)
F(more_than_used, kt_exp(kt_scatter_reduce(x[0], 1, kt_narrow(index_of(), 1, 0, 3), x[1], "mean")))

/* One zero among the factors of a place, then two. */
static kt_tensor *with_zeros(kt_tensor **x)
{
    static const double keep[] = {0, 1, 1, 1, 0, 0, 1, 1};
    return kt_scatter_reduce(x[0], 1, index_of(), kt_mul(x[1], kt_from(keep, KT_SHAPE(2, 4), KT_F64)), "prod");
}

#define APART(name, how_far) F(name, kt_exp(kt_cdist(x[0], x[1], .p = KT_SOME(how_far))))
APART(by_one, 1)
APART(by_half_again, 1.5)
APART(by_two, 2)
APART(by_three, 3)
F(by_product, kt_cdist(x[0], x[1], .compute_mode = KT_SOME(1)))

F(held_by_two, kt_exp(kt_renorm(x[0], KT_INT(2), 0, KT_FLOAT(0.8))))
F(held_by_three, kt_renorm(x[0], KT_INT(3), 1, KT_FLOAT(0.5)))
F(held_by_one, kt_renorm(x[0], KT_INT(1), 0, KT_FLOAT(1.5)))

TEST(into_places)
{
    const problem problems[] = {
#define BOTH(name) TWO(name, KT_SHAPE(2, 3), KT_SHAPE(2, 4)), TWO(name##_slices, KT_SHAPE(3, 2), KT_SHAPE(4, 2))
        TWO(sums, KT_SHAPE(2, 3), KT_SHAPE(2, 4)),       TWO(sums_alone, KT_SHAPE(2, 3), KT_SHAPE(2, 4)),
        TWO(with_zeros, KT_SHAPE(2, 3), KT_SHAPE(2, 4)), TWO(more_than_used, KT_SHAPE(2, 3), KT_SHAPE(2, 4)),
        BOTH(products), BOTH(products_alone), BOTH(means), BOTH(means_alone),
        BOTH(most),     BOTH(most_alone),     BOTH(least), BOTH(least_alone),
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        check(&problems[i]);
}

TEST(distances_and_lengths)
{
    const problem problems[] = {
        TWO(by_one, KT_SHAPE(3, 4), KT_SHAPE(2, 4)),      TWO(by_half_again, KT_SHAPE(3, 4), KT_SHAPE(2, 4)),
        TWO(by_two, KT_SHAPE(3, 4), KT_SHAPE(5, 2, 4)),   TWO(by_three, KT_SHAPE(2, 3, 4), KT_SHAPE(2, 4)),
        TWO(by_product, KT_SHAPE(3, 4), KT_SHAPE(2, 4)),
        ONE(held_by_two, 3, 4),                           ONE(held_by_three, 3, 4),
        ONE(held_by_one, 2, 3, 2),
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        check(&problems[i]);
}

/* The largest differences, all of them where they are equal: no derivative that differences could find. */
TEST(the_largest_difference_alone)
{
    KT_SCOPE;
    const double from[] = {0, 0, 0}, to[] = {1, 3, -3}, want[] = {0, -1, 1};
    kt_tensor   *x = kt_from(from, KT_SHAPE(1, 3), KT_F64);
    kt_set_requires_grad(x, true);
    kt_backward(kt_sum(kt_cdist(x, kt_from(to, KT_SHAPE(1, 3), KT_F64), .p = KT_SOME(INFINITY))));
    double seen[3];
    CHECK(kt_read(kt_grad(x), seen, sizeof seen) == KT_OK);
    CHECK_MEM(seen, want, sizeof want);
}

/* Rows that are equal, and factors that are 0 more than once, have a derivative of 0 and no NaN. */
TEST(nothing_is_divided_by_zero)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3));
    kt_set_requires_grad(x, true);
    const double ps[] = {0, 0.5, 1, 2, 3, INFINITY};
    for (int i = 0; i < 6; i++)
        kt_backward(kt_sum(kt_cdist(x, kt_ones(KT_SHAPE(2, 3)), .p = KT_SOME(ps[i]))));
    CHECK_EQ_INT(kt_item(kt_sum(kt_ne_s(kt_grad(x), KT_INT(0)))), 0);
}
