/* pool.c - the derivatives of pooling, first and second, against central differences in float64; the names that PyTorch gives
 * their nodes. Reference: differences of the functions themselves, whose values tests/unit/ops/pool.c checks. */
#include "harness.h"

#include <karat/karat.h>
#include <string.h>

#include "support/by_name.h"
#include "support/second_differences.h"

F(max1, kt_max_pool1d(x[0], KT_SHAPE(2), .padding = KT_SHAPE(1)))
F(max2, kt_max_pool2d(x[0], KT_SHAPE(2), .stride = KT_SHAPE(1), .dilation = KT_SHAPE(2, 1)))
F(max3, kt_max_pool3d(x[0], KT_SHAPE(2), .ceil_mode = true))
F(avg1, kt_avg_pool1d(x[0], KT_SHAPE(3), .stride = KT_SHAPE(2), .padding = KT_SHAPE(1)))
F(avg2, kt_avg_pool2d(x[0], KT_SHAPE(2), .padding = KT_SHAPE(1), .count_include_pad = KT_SOME(false)))
F(avg3, kt_avg_pool3d(x[0], KT_SHAPE(2), .stride = KT_SHAPE(1), .divisor_override = KT_SOME(3)))
F(even_avg1, kt_adaptive_avg_pool1d(x[0], KT_SHAPE(3)))
F(even_avg2, kt_adaptive_avg_pool2d(x[0], KT_SHAPE(2, 3)))
F(even_avg3, kt_adaptive_avg_pool3d(x[0], KT_SHAPE(2, 1, 2)))
F(whole, kt_adaptive_avg_pool2d(x[0], KT_SHAPE(1, 1)))
F(even_max1, kt_adaptive_max_pool1d(x[0], KT_SHAPE(3)).result0)
F(even_max2, kt_adaptive_max_pool2d(x[0], KT_SHAPE(2, 3)).result0)
F(even_max3, kt_adaptive_max_pool3d(x[0], KT_SHAPE(1, 2, 2)).result0)

static kt_tensor *samples(int64_t channels, int64_t dims)
{
    return kt_full(KT_SHAPE(1, channels, dims), KT_FLOAT(0.4), .dtype = KT_F64);
}

F(drawn2, kt_fractional_max_pool2d(x[0], KT_SHAPE(2, 2), KT_SHAPE(3, 3), samples(2, 2)).result0)
F(drawn3, kt_fractional_max_pool3d(x[0], KT_SHAPE(1, 1, 1), KT_SHAPE(2, 2, 1), samples(1, 3)).result0)
F(put2, kt_max_unpool2d(x[0], kt_reshape(kt_arange(KT_INT(0), KT_INT(8)), KT_SHAPE(2, 2, 2)), KT_SHAPE(3, 4)))
F(put3, kt_max_unpool3d(x[0], kt_reshape(kt_arange(KT_INT(0), KT_INT(8)), KT_SHAPE(1, 2, 2, 2)), KT_SHAPE(3, 2, 2),
                        KT_SHAPE(1, 1, 1),
                        KT_SHAPE(0, 0, 0)))
F(power, kt_lp_pool2d(x[0], KT_INT(2), KT_SHAPE(2)))
F(columns, kt_im2col(x[0], KT_SHAPE(2, 2), KT_SHAPE(1, 2), KT_SHAPE(1, 0), KT_SHAPE(1, 2)))
F(added, kt_col2im(x[0], KT_SHAPE(3, 3), KT_SHAPE(2, 2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(1, 1)))

static const problem problems[] = {
    {"max_pool1d", max1, 1, {KT_SHAPE(2, 2, 5)}, -1, 1},
    {"max_pool2d", max2, 1, {KT_SHAPE(1, 2, 4, 4)}, -1, 1},
    {"max_pool3d", max3, 1, {KT_SHAPE(1, 2, 3, 3, 2)}, -1, 1},
    {"avg_pool1d", avg1, 1, {KT_SHAPE(2, 2, 6)}, -1, 1},
    {"avg_pool2d", avg2, 1, {KT_SHAPE(2, 4, 4)}, -1, 1},
    {"avg_pool3d", avg3, 1, {KT_SHAPE(1, 2, 3, 2, 3)}, -1, 1},
    {"adaptive_avg_pool1d", even_avg1, 1, {KT_SHAPE(2, 2, 5)}, -1, 1},
    {"adaptive_avg_pool2d", even_avg2, 1, {KT_SHAPE(1, 2, 5, 4)}, -1, 1},
    {"adaptive_avg_pool3d", even_avg3, 1, {KT_SHAPE(1, 2, 3, 2, 3)}, -1, 1},
    {"adaptive_avg_pool2d of 1", whole, 1, {KT_SHAPE(1, 2, 3, 3)}, -1, 1},
    {"adaptive_max_pool1d", even_max1, 1, {KT_SHAPE(2, 2, 5)}, -1, 1},
    {"adaptive_max_pool2d", even_max2, 1, {KT_SHAPE(1, 2, 5, 4)}, -1, 1},
    {"adaptive_max_pool3d", even_max3, 1, {KT_SHAPE(1, 2, 3, 2, 3)}, -1, 1},
    {"fractional_max_pool2d", drawn2, 1, {KT_SHAPE(1, 2, 5, 4)}, -1, 1},
    {"fractional_max_pool3d", drawn3, 1, {KT_SHAPE(1, 1, 3, 3, 2)}, -1, 1},
    {"max_unpool2d", put2, 1, {KT_SHAPE(2, 2, 2)}, -1, 1},
    {"max_unpool3d", put3, 1, {KT_SHAPE(1, 2, 2, 2)}, -1, 1},
    {"lp_pool2d", power, 1, {KT_SHAPE(1, 2, 4, 4)}, 0.2, 1},
    {"im2col", columns, 1, {KT_SHAPE(1, 2, 3, 4)}, -1, 1},
    {"col2im", added, 1, {KT_SHAPE(2, 8, 4)}, -1, 1},
};
enum { N = sizeof problems / sizeof *problems };

TEST(first_derivatives)
{
    for (int i = 0; i < N; i++)
        check(&problems[i]);
}

TEST(second_derivatives)
{
    for (int i = 0; i < N; i++)
        check_twice(&problems[i]);
}

TEST(nodes_are_named_as_in_pytorch)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 4, 4), .requires_grad = true), *line = kt_ones(KT_SHAPE(1, 2, 4), .requires_grad =
        true);
    CHECK_STR(kt_grad_fn_name(kt_max_pool2d(x, KT_SHAPE(2))), "MaxPool2DWithIndicesBackward0");
    CHECK_STR(kt_grad_fn_name(kt_avg_pool2d(x, KT_SHAPE(2))), "AvgPool2DBackward0");
    CHECK_STR(kt_grad_fn_name(kt_adaptive_avg_pool2d(x, KT_SHAPE(2, 2))), "AdaptiveAvgPool2DBackward0");
    CHECK_STR(kt_grad_fn_name(kt_adaptive_avg_pool2d(x, KT_SHAPE(1, 1))), "MeanBackward1");
    CHECK_STR(kt_grad_fn_name(kt_adaptive_max_pool2d(x, KT_SHAPE(2, 2)).result0), "AdaptiveMaxPool2DBackward0");
    CHECK_STR(kt_grad_fn_name(kt_max_pool1d(line, KT_SHAPE(2))), "SqueezeBackward1");
    kt_tensor *y = kt_max_pool2d(x, KT_SHAPE(2)), *sum = kt_sum(kt_mul(y, y)), *grad = NULL;
    CHECK(!kt_gradients(&sum, NULL, 1, &x, 1, &(kt_gradients_opts){.size = sizeof(kt_gradients_opts), .create_graph = true},
                        &grad));
    CHECK_STR(kt_grad_fn_name(grad), "MaxPool2DWithIndicesBackwardBackward0");
    kt_drop(grad);
}
