/* scan.c - the derivatives of what carries along a dim or orders it, against central differences in float64. */
#include "support/differences.h"

F(sums, kt_cumsum(x[0], 1))
F(sums_in_place, kt_cumsum_(kt_mul_s(x[0], KT_INT(2)), 0))
F(products, kt_cumprod(x[0], 0))
F(logs, kt_logcumsumexp(x[0], -1))
F(most, kt_exp(kt_cummax(x[0], 1).values))
F(least, kt_exp(kt_cummin(x[0], 0).values))
F(scalar_sum, kt_cumsum(kt_exp(x[0]), 0))
F(scalar_product, kt_cumprod(kt_exp(x[0]), 0))
F(steps, kt_exp(kt_diff(x[0], .n = KT_SOME(2), .prepend = x[1])))
F(areas, kt_cumulative_trapezoid_x(x[0], x[1]))
F(columns, kt_vander(x[0], .N = KT_SOME(4)))
F(choices, kt_prod_dim(kt_combinations(x[0], .r = KT_SOME(3)), 1))
F(in_order, kt_exp(kt_sort(x[0], .dim = KT_SOME(0), .descending = true).values))
F(largest, kt_exp(kt_topk(x[0], 2).values))
F(middle, kt_exp(kt_median_dim(x[0], 1).values))
F(middle_of_all, kt_exp(kt_median(x[0])))
F(third, kt_exp(kt_kthvalue(x[0], 3).values))
F(part_way, kt_exp(kt_quantile_number(x[0], 0.3, .dim = KT_SOME(0))))
F(part_ways, kt_quantile(x[0], kt_sigmoid(x[1]), .dim = KT_SOME(1)))
F(mantissa, kt_exp(kt_frexp(x[0]).mantissa))
static kt_tensor *parts(kt_tensor **x)
{
    return kt_view_as_real(kt_mul(kt_complex(x[0], x[1]), kt_complex(x[1], x[0])));
}
static kt_tensor *lengths_and_angles(kt_tensor **x)
{
    kt_tensor *z = kt_polar(x[0], x[1]);
    return kt_view_as_real(kt_mul(z, z));
}
/* No zero, one and two in a line: the products without it, up to the next. */
static kt_tensor *with_zeros(kt_tensor **x)
{
    static const double keep[] = {1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1};
    return kt_cumprod(kt_mul(x[0], kt_from(keep, KT_SHAPE(3, 4), KT_F64)), 1);
}

TEST(along_a_dim)
{
    const problem problems[] = {
        ONE(sums, 3, 4),        ONE(sums_in_place, 3, 4), ONE(products, 4, 3), ONE(logs, 3, 4),
        ONE(most, 3, 4),        ONE(least, 3, 4),         ONE(with_zeros, 3, 4), ONE(columns, 5),
        ONE(choices, 5),        ONE(mantissa, 6),         {"scalar_sum", scalar_sum, 1, {KT_SCALAR}, 0, 0},
        {"scalar_product", scalar_product, 1, {KT_SCALAR}, 0, 0},
        ONE(in_order, 4, 3),    ONE(largest, 3, 4),       ONE(middle, 2, 5),   ONE(middle_of_all, 2, 4),
        ONE(third, 3, 4),       ONE(part_way, 4, 3),
        TWO(part_ways, KT_SHAPE(2, 4), KT_SHAPE(3)),
        TWO(steps, KT_SHAPE(2, 4), KT_SHAPE(2, 1)),
        TWO(areas, KT_SHAPE(2, 4), KT_SHAPE(4)),
        TWO(parts, KT_SHAPE(2, 3), KT_SHAPE(3)),
        TWO(lengths_and_angles, KT_SHAPE(2, 3), KT_SHAPE(2, 1)),
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        check(&problems[i]);
}

/* An element that is 0 sees the products without it. */
TEST(zeros_among_factors)
{
    KT_SCOPE;
    const double x[] = {2, 0, 3, 0, 5}, want[] = {1, 2 + 2 * 3, 0, 0, 0};
    kt_tensor   *t = kt_from(x, KT_SHAPE(5), KT_F64);
    kt_set_requires_grad(t, true);
    CHECK(kt_backward(kt_sum(kt_cumprod(t, 0))) == KT_OK);
    double got[5];
    CHECK(kt_read(kt_grad(t), got, sizeof got) == KT_OK);
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(got[i], want[i], 1e-12);
}

/* Gradients far apart, of either sign: nothing overflows on the way. */
TEST(logs_of_large_numbers)
{
    KT_SCOPE;
    const double x[] = {1000, -1000, 1001}, w[] = {1, -2, 3};
    double       got[3];
    kt_tensor   *t = kt_from(x, KT_SHAPE(3), KT_F64);
    kt_set_requires_grad(t, true);
    CHECK(kt_backward(kt_logcumsumexp(t, 0), .gradient = kt_from(w, KT_SHAPE(3), KT_F64)) == KT_OK);
    CHECK(kt_read(kt_grad(t), got, sizeof got) == KT_OK);
    const double share = 1 / (1 + exp(1.0));
    CHECK_NEAR(got[0], 1 - 2 + 3 * share, 1e-9);
    CHECK_NEAR(got[1], 0, 1e-9);
    CHECK_NEAR(got[2], 3 * (1 - share), 1e-9);
}
