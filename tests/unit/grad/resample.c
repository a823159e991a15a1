/* resample.c - the derivatives of resizing and sampling against central differences in float64, of resizing the second ones too;
 * the names that PyTorch gives their nodes. Reference: differences of the functions themselves, whose values
 * tests/unit/ops/resample.c checks. */
#include "harness.h"

#include <karat/karat.h>
#include <string.h>

#include "support/by_name.h"
#include "support/second_differences.h"

F(near1, kt_upsample_nearest1d(x[0], KT_SHAPE(7)))
F(near2, kt_upsample_nearest2d(x[0], KT_SHAPE(5, 2)))
F(near3, kt_upsample_nearest3d(x[0], KT_SHAPE(3, 1, 4)))
F(exact1, kt_upsample_nearest_exact1d(x[0], KT_SHAPE(7)))
F(exact2, kt_upsample_nearest_exact2d(x[0], KT_SHAPE(5, 2), .scales_h = KT_SOME(1.7), .scales_w = KT_SOME(0.7)))
F(exact3, kt_upsample_nearest_exact3d(x[0], KT_SHAPE(3, 1, 4)))
F(line, kt_upsample_linear1d(x[0], KT_SHAPE(7), false))
F(plane, kt_upsample_bilinear2d(x[0], KT_SHAPE(5, 2), true))
F(scaled, kt_upsample_bilinear2d(x[0], KT_SHAPE(5, 2), false, .scales_h = KT_SOME(1.7), .scales_w = KT_SOME(0.7)))
F(volume, kt_upsample_trilinear3d(x[0], KT_SHAPE(3, 1, 4), false))
F(smooth, kt_upsample_bicubic2d(x[0], KT_SHAPE(5, 2), false))
F(wide, kt_upsample_bilinear2d_aa(x[0], KT_SHAPE(2, 5), false))
F(wide_smooth, kt_upsample_bicubic2d_aa(x[0], KT_SHAPE(2, 5), false))
F(linear_zeros, kt_grid_sampler(x[0], x[1], 0, 0, false))
F(linear_border, kt_grid_sampler(x[0], x[1], 0, 1, true))
F(linear_reflected, kt_grid_sampler(x[0], x[1], 0, 2, false))
F(nearest_zeros, kt_grid_sampler(x[0], x[1], 1, 0, false))
F(cubic_zeros, kt_grid_sampler(x[0], x[1], 2, 0, true))
F(cubic_border, kt_grid_sampler(x[0], x[1], 2, 1, false))
F(cubic_reflected, kt_grid_sampler(x[0], x[1], 2, 2, false))
F(affine, kt_affine_grid_generator(x[0], KT_SHAPE(2, 1, 2, 3), false))
F(affine3, kt_affine_grid_generator(x[0], KT_SHAPE(1, 1, 2, 1, 3), true))

#define LINE   {KT_SHAPE(2, 2, 5)}
#define PLANE  {KT_SHAPE(1, 2, 3, 4)}
#define VOLUME {KT_SHAPE(1, 2, 2, 3, 2)}
static const problem linear[] = {
    {"upsample_nearest1d", near1, 1, LINE, -1, 1},
    {"upsample_nearest2d", near2, 1, PLANE, -1, 1},
    {"upsample_nearest3d", near3, 1, VOLUME, -1, 1},
    {"_upsample_nearest_exact1d", exact1, 1, LINE, -1, 1},
    {"_upsample_nearest_exact2d", exact2, 1, PLANE, -1, 1},
    {"_upsample_nearest_exact3d", exact3, 1, VOLUME, -1, 1},
    {"upsample_linear1d", line, 1, LINE, -1, 1},
    {"upsample_bilinear2d", plane, 1, PLANE, -1, 1},
    {"upsample_bilinear2d with scales", scaled, 1, PLANE, -1, 1},
    {"upsample_trilinear3d", volume, 1, VOLUME, -1, 1},
    {"upsample_bicubic2d", smooth, 1, PLANE, -1, 1},
    {"_upsample_bilinear2d_aa", wide, 1, {KT_SHAPE(1, 2, 7, 3)}, -1, 1},
    {"_upsample_bicubic2d_aa", wide_smooth, 1, {KT_SHAPE(1, 2, 7, 3)}, -1, 1},
    {"affine_grid_generator", affine, 1, {KT_SHAPE(2, 2, 3)}, -1, 1},
    {"affine_grid_generator of volumes", affine3, 1, {KT_SHAPE(1, 3, 4)}, -1, 1},
};
enum { N = sizeof linear / sizeof *linear };

#define FLAT {KT_SHAPE(2, 2, 3, 4), KT_SHAPE(2, 2, 3, 2)}
#define DEEP {KT_SHAPE(1, 2, 2, 3, 4), KT_SHAPE(1, 2, 1, 3, 3)}
static const problem sampled[] = {
    {"bilinear, zeros", linear_zeros, 2, FLAT, -1.4, 1.4},
    {"bilinear, border", linear_border, 2, FLAT, -1.4, 1.4},
    {"bilinear, reflection", linear_reflected, 2, FLAT, -2.4, 2.4},
    {"nearest", nearest_zeros, 2, FLAT, -1.4, 1.4},
    {"bicubic, zeros", cubic_zeros, 2, FLAT, -1.4, 1.4},
    {"bicubic, border", cubic_border, 2, FLAT, -1.4, 1.4},
    {"bicubic, reflection", cubic_reflected, 2, FLAT, -2.4, 2.4},
    {"volumes, zeros", linear_zeros, 2, DEEP, -1.4, 1.4},
    {"volumes, border", linear_border, 2, DEEP, -1.4, 1.4},
    {"volumes, reflection", linear_reflected, 2, DEEP, -2.4, 2.4},
    {"volumes, nearest", nearest_zeros, 2, DEEP, -1.4, 1.4},
};

TEST(first_derivatives)
{
    for (int i = 0; i < N; i++)
        check(&linear[i]);
    for (size_t i = 0; i < sizeof sampled / sizeof *sampled; i++)
        check(&sampled[i]);
}

TEST(second_derivatives)
{
    for (int i = 0; i < N; i++)
        check_twice(&linear[i]);
}

static const char *name_after(kt_tensor *y, kt_tensor *x)
{
    kt_tensor *sum = kt_sum(kt_mul(y, y)), *grad = NULL;
    kt_gradients(&sum, NULL, 1, &x, 1, &(kt_gradients_opts){.size = sizeof(kt_gradients_opts), .create_graph = true}, &grad);
    const char *name = grad ? kt_grad_fn_name(grad) : kt_error();
    kt_drop(grad);
    return name;
}

TEST(nodes_are_named_as_in_pytorch)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 4, 4), .requires_grad = true), *grid = kt_zeros(KT_SHAPE(1, 2, 2, 2));
    kt_tensor *y = kt_upsample_bilinear2d(x, KT_SHAPE(3, 3), false);
    CHECK_STR(kt_grad_fn_name(y), "UpsampleBilinear2DBackward0");
    CHECK_STR(name_after(y, x), "UpsampleBilinear2DBackwardBackward0");
    CHECK_STR(kt_grad_fn_name(kt_upsample_nearest_exact2d(x, KT_SHAPE(3, 3))), "UpsampleNearestExact2DBackward0");
    CHECK_STR(kt_grad_fn_name(kt_upsample_bicubic2d_aa(x, KT_SHAPE(3, 3), false)), "UpsampleBicubic2DAaBackward0");
    y = kt_grid_sampler(x, grid, 0, 0, false);
    CHECK_STR(kt_grad_fn_name(y), "GridSampler2DBackward0");
    CHECK_STR(name_after(y, x), "NotImplemented");
}
