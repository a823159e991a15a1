/* norm.c - the derivatives of norms, first and second, against central differences in float64, and the names of their nodes.
 * Reference: differences of the functions themselves, whose values tests/unit/ops/norm.c checks. */
#include "harness.h"

#include <karat/karat.h>
#include <string.h>

#include "support/by_name.h"
#include "support/second_differences.h"

F(layer, kt_layer_norm(x[0], KT_SHAPE(4), .weight = x[1], .bias = x[2], .eps = KT_SOME(0.1)))
F(layer_alone, kt_layer_norm(x[0], KT_SHAPE(2, 3), .eps = KT_SOME(0.1)))
F(layer_weight, kt_layer_norm(x[0], KT_SHAPE(2, 3), .weight = x[1]))
F(layer_bias, kt_layer_norm(x[0], KT_SHAPE(3), .bias = x[1]))
F(rms, kt_rms_norm(x[0], KT_SHAPE(4), .weight = x[1], .eps = KT_SOME(0.1)))
F(rms_alone, kt_rms_norm(x[0], KT_SHAPE(2, 3)))
F(batch, kt_nn_batch_norm(x[0], NULL, NULL, .weight = x[1], .bias = x[2], .training = true, .eps = KT_SOME(0.1)))
F(batch_alone, kt_nn_batch_norm(x[0], NULL, NULL, .training = true, .eps = KT_SOME(0.1)))
F(batch_given, kt_nn_batch_norm(x[0], kt_full(KT_SHAPE(3), KT_FLOAT(0.2), .dtype = KT_F64),
                                kt_full(KT_SHAPE(3), KT_FLOAT(0.7), .dtype = KT_F64), .weight = x[1], .bias = x[2]))
F(batch_last, kt_nn_batch_norm(kt_contiguous(x[0], .memory_format = KT_CHANNELS_LAST), NULL, NULL, .weight = x[1], .bias = x[2],
                               .training = true, .eps = KT_SOME(0.1)))
F(group, kt_group_norm(x[0], 2, .weight = x[1], .bias = x[2], .eps = KT_SOME(0.1)))
F(group_alone, kt_group_norm(x[0], 1, .eps = KT_SOME(0.1)))
F(instance, kt_nn_instance_norm(x[0], .weight = x[1], .bias = x[2]))
F(response, kt_nn_local_response_norm(x[0], 3, .alpha = KT_SOME(0.5)))
F(unit, kt_nn_normalize(x[0], .p = KT_SOME(3.0)))

F(direction, kt_weight_norm(x[0], x[1]))
F(direction_last, kt_weight_norm(x[0], x[1], .dim = 2))
F(direction_other, kt_weight_norm(x[0], x[1], .dim = 1))
F(lengths, kt_norm_except_dim(x[0], .pow = KT_SOME(3), .dim = 1))
F(legit, kt_native_batch_norm_legit_no_stats(x[0], x[1], x[2], true, 0.1, 1e-5).result)
F(given_statistics, kt_native_batch_norm_legit_no_training(x[0], x[1], x[2], kt_zeros(KT_SHAPE(2), .dtype = KT_F64),
                                                          kt_ones(KT_SHAPE(2), .dtype = KT_F64), 0.1, 1e-5).result)

static const problem problems[] = {
    {"batch_norm", batch, 3, {KT_SHAPE(3, 2, 3), KT_SHAPE(2), KT_SHAPE(2)}, -1, 1},
    {"batch_norm of rows", batch, 3, {KT_SHAPE(5, 3), KT_SHAPE(3), KT_SHAPE(3)}, -1, 1},
    {"batch_norm without parameters", batch_alone, 1, {KT_SHAPE(2, 2, 3)}, -1, 1},
    {"batch_norm with given statistics", batch_given, 3, {KT_SHAPE(2, 3, 2), KT_SHAPE(3), KT_SHAPE(3)}, -1, 1},
    {"batch_norm, channels last", batch_last, 3, {KT_SHAPE(2, 3, 2, 2), KT_SHAPE(3), KT_SHAPE(3)}, -1, 1},
    {"weight_norm, first dim", direction, 2, {KT_SHAPE(3, 2, 2), KT_SHAPE(3, 1, 1)}, 0.2, 1},
    {"weight_norm, last dim", direction_last, 2, {KT_SHAPE(2, 3, 2), KT_SHAPE(2)}, 0.2, 1},
    {"weight_norm, other dim", direction_other, 2, {KT_SHAPE(2, 3, 2), KT_SHAPE(1, 3, 1)}, 0.2, 1},
    {"weight_norm of numbers", direction, 2, {KT_SHAPE(3), KT_SHAPE(3)}, 0.2, 1},
    {"norm_except_dim", lengths, 1, {KT_SHAPE(2, 3, 2)}, 0.2, 1},
    {"batch_norm, legit", legit, 3, {KT_SHAPE(3, 2, 2), KT_SHAPE(2), KT_SHAPE(2)}, -1, 1},
    {"batch_norm, given statistics", given_statistics, 3, {KT_SHAPE(3, 2, 2), KT_SHAPE(2), KT_SHAPE(2)}, -1, 1},
    {"group_norm", group, 3, {KT_SHAPE(2, 4, 3), KT_SHAPE(4), KT_SHAPE(4)}, -1, 1},
    {"group_norm without parameters", group_alone, 1, {KT_SHAPE(2, 3, 2)}, -1, 1},
    {"instance_norm", instance, 3, {KT_SHAPE(2, 2, 4), KT_SHAPE(2), KT_SHAPE(2)}, -1, 1},
    {"local_response_norm", response, 1, {KT_SHAPE(2, 4, 3)}, -1, 1},
    {"normalize", unit, 1, {KT_SHAPE(3, 4)}, 0.2, 1},
    {"layer_norm", layer, 3, {KT_SHAPE(3, 2, 4), KT_SHAPE(4), KT_SHAPE(4)}, -1, 1},
    {"layer_norm without parameters", layer_alone, 1, {KT_SHAPE(2, 2, 3)}, -1, 1},
    {"layer_norm with a weight", layer_weight, 2, {KT_SHAPE(3, 2, 3), KT_SHAPE(2, 3)}, -1, 1},
    {"layer_norm with a bias", layer_bias, 2, {KT_SHAPE(4, 3), KT_SHAPE(3)}, -1, 1},
    {"rms_norm", rms, 2, {KT_SHAPE(3, 2, 4), KT_SHAPE(4)}, -1, 1},
    {"rms_norm without a weight", rms_alone, 1, {KT_SHAPE(2, 2, 3)}, -1, 1},
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
    kt_tensor *x = kt_ones(KT_SHAPE(3, 4), .requires_grad = true);
    const kt_native_layer_norm_results made = kt_native_layer_norm(x, KT_SHAPE(4), NULL, NULL, 1e-5);
    CHECK_STR(kt_grad_fn_name(made.result), "NativeLayerNormBackward0");
    CHECK(!kt_requires_grad(made.mean) && !kt_requires_grad(made.rstd)); /* statistics have no gradient */
    CHECK_STR(kt_grad_fn_name(kt_rms_norm(x, KT_SHAPE(4))), "MulBackward0"); /* of several operators, there */
    CHECK_STR(kt_grad_fn_name(kt_rms_norm(kt_to(x, .dtype = KT_BF16), KT_SHAPE(4))), "ToCopyBackward0");
    kt_tensor *sum = kt_sum(kt_mul(made.result, made.result)), *grad = NULL;
    CHECK(!kt_gradients(&sum, NULL, 1, &x, 1, &(kt_gradients_opts){.size = sizeof(kt_gradients_opts), .create_graph = true},
                        &grad));
    CHECK_STR(kt_grad_fn_name(grad), "NativeLayerNormBackwardBackward0");
    kt_drop(grad);
}
