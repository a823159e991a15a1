/* window.c - the derivatives of convolutions, first and second, against central differences in float64; the names that PyTorch
 * gives their nodes. Reference: differences of the functions themselves, whose values tests/unit/ops/window.c checks. */
#include "harness.h"

#include <karat/karat.h>
#include <string.h>

#include "support/by_name.h"
#include "support/second_differences.h"

F(plain, kt_conv2d(x[0], x[1], .bias = x[2]))
F(padded, kt_conv2d(x[0], x[1], .bias = x[2], .padding = KT_SHAPE(1, 2), .stride = KT_SHAPE(2, 1)))
F(dilated, kt_conv2d(x[0], x[1], .bias = x[2], .padding = KT_SHAPE(2), .dilation = KT_SHAPE(2, 1)))
F(grouped, kt_conv1d(x[0], x[1], .bias = x[2], .padding = KT_SHAPE(1), .stride = KT_SHAPE(2), .groups = KT_SOME(2)))
F(solid, kt_conv3d(x[0], x[1], .padding = KT_SHAPE(1, 0, 1)))
F(turned, kt_conv_transpose2d(x[0], x[1], .bias = x[2], .stride = KT_SHAPE(2), .padding = KT_SHAPE(1),
                              .output_padding = KT_SHAPE(1, 0)))
F(turned_groups, kt_conv_transpose1d(x[0], x[1], .bias = x[2], .stride = KT_SHAPE(2), .groups = KT_SOME(2),
                                     .dilation = KT_SHAPE(3),
                                     .output_padding = KT_SHAPE(2)))
F(by_time, kt_conv_tbc(x[0], x[1], x[2], .pad = 1))
F(by_time_cut, kt_conv_tbc(x[0], x[1], x[2], .pad = -1))
F(lower_name, kt_convolution_of(x[0], x[1], x[2], KT_SHAPE(2), KT_SHAPE(1), KT_SHAPE(1), false, KT_SHAPE(0), 1, false, false,
                                false))
F(named_padding, kt_convolution_mode(x[0], x[1], x[2], KT_SHAPE(1), "same", KT_SHAPE(1), 1))
F(back_to_input, kt_convolution_backward(x[0], kt_zeros(KT_SHAPE(2, 3, 5), .dtype = KT_F64), x[1], KT_SHAPE(2), KT_SHAPE(1),
                                         KT_SHAPE(0), KT_SHAPE(1), false, KT_SHAPE(0), 1, KT_SHAPE(1, 0, 0)).result)
F(back_to_weight, kt_convolution_backward(x[0], x[1], kt_zeros(KT_SHAPE(2, 3, 2), .dtype = KT_F64), KT_SHAPE(2), KT_SHAPE(1),
                                          KT_SHAPE(0), KT_SHAPE(1), false, KT_SHAPE(0), 1, KT_SHAPE(0, 1, 0)).of_weight)

static const problem problems[] = {
    {"conv_tbc", by_time, 3, {KT_SHAPE(4, 2, 3), KT_SHAPE(2, 3, 2), KT_SHAPE(2)}, -1, 1},
    {"conv_tbc, cut", by_time_cut, 3, {KT_SHAPE(5, 2, 2), KT_SHAPE(2, 2, 3), KT_SHAPE(3)}, -1, 1},
    {"_convolution", lower_name, 3, {KT_SHAPE(2, 2, 5), KT_SHAPE(3, 2, 3), KT_SHAPE(3)}, -1, 1},
    {"_convolution_mode", named_padding, 3, {KT_SHAPE(2, 2, 5), KT_SHAPE(3, 2, 3), KT_SHAPE(3)}, -1, 1},
    {"convolution_backward, input", back_to_input, 2, {KT_SHAPE(2, 2, 4), KT_SHAPE(2, 3, 2)}, -1, 1},
    {"convolution_backward, weight", back_to_weight, 2, {KT_SHAPE(2, 2, 4), KT_SHAPE(2, 3, 5)}, -1, 1},
    {"conv2d", plain, 3, {KT_SHAPE(2, 2, 3, 3), KT_SHAPE(2, 2, 2, 2), KT_SHAPE(2)}, -1, 1},
    {"padded and strided", padded, 3, {KT_SHAPE(1, 2, 4, 3), KT_SHAPE(2, 2, 3, 2), KT_SHAPE(2)}, -1, 1},
    {"dilated", dilated, 3, {KT_SHAPE(1, 2, 4, 4), KT_SHAPE(2, 2, 2, 2), KT_SHAPE(2)}, -1, 1},
    {"groups", grouped, 3, {KT_SHAPE(2, 4, 5), KT_SHAPE(4, 2, 3), KT_SHAPE(4)}, -1, 1},
    {"conv3d", solid, 2, {KT_SHAPE(1, 2, 2, 3, 2), KT_SHAPE(2, 2, 2, 2, 1)}, -1, 1},
    {"transposed", turned, 3, {KT_SHAPE(1, 2, 3, 2), KT_SHAPE(2, 2, 3, 2), KT_SHAPE(2)}, -1, 1},
    {"transposed, groups", turned_groups, 3, {KT_SHAPE(2, 4, 3), KT_SHAPE(4, 1, 2), KT_SHAPE(2)}, -1, 1},
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
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 4, 4), .requires_grad = true),
    *w = kt_ones(KT_SHAPE(3, 2, 3, 3), .requires_grad = true);
    kt_tensor *y = kt_conv2d(x, w);
    CHECK_STR(kt_grad_fn_name(y), "ConvolutionBackward0");
    kt_tensor *sum = kt_sum(kt_mul(y, y)), *of_both[] = {x, w}, *grads[2] = {NULL, NULL};
    CHECK(!kt_gradients(&sum, NULL, 1, of_both, 2, &(kt_gradients_opts){.size = sizeof(kt_gradients_opts), .create_graph = true},
                        grads));
    for (int i = 0; i < 2; i++) {
        CHECK_STR(kt_grad_fn_name(grads[i]), "ConvolutionBackwardBackward0");
        kt_drop(grads[i]);
    }
}
