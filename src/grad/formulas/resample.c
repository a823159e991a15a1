/* resample.c - the derivatives of resampling. Resizing is linear: what flows back through its gradient is resized again. */
#include "grad/formula.h"
#include "ops/resample/resample.h"

/* ---- (self, output_size, ...) and (grad_output, output_size, input_size, ...), where the same arguments follow ---- */

static kt_tensor *other_way(const kt_back *c, int op, bool back)
{
    kt_call call;
    kt__open(&call, op, KT_PLAIN);
    kt__put_tensor(&call, 0, G);
    kt__put(&call, 1, ints, arg(c, 1)->ints);
    if (!back)
        kt__put(&call, 2, ints, in_sizes(c, 0));
    for (int i = back ? 3 : 2; i < c->node->row->n_args; i++)
        if (given(c, i)) {
            const int to = back ? i - 1 : i + 1;
            call.arg[to] = *arg(c, i);
            call.given |= 1u << to;
        }
    return kt__close(&call);
}

#define RESIZES(op)                                                        \
    GRAD(op) { dA = other_way(c, KT_OP_##op##_backward, false); }          \
    GRAD(op##_backward) { dA = other_way(c, KT_OP_##op, true); }
RESIZES(upsample_nearest1d)
RESIZES(upsample_nearest2d)
RESIZES(upsample_nearest3d)
RESIZES(upsample_nearest_exact1d)
RESIZES(upsample_nearest_exact2d)
RESIZES(upsample_nearest_exact3d)
RESIZES(upsample_linear1d)
RESIZES(upsample_bilinear2d)
RESIZES(upsample_trilinear3d)
RESIZES(upsample_bicubic2d)
RESIZES(upsample_bilinear2d_aa)
RESIZES(upsample_bicubic2d_aa)

/* ---- (input, grid, interpolation_mode, padding_mode, align_corners) ---- */

GRAD(grid_sampler_2d)
{
    const int64_t                             wanted[] = {need(c, 0), need(c, 1)};
    const kt_grid_sampler_2d_backward_results of = kt_grid_sampler_2d_backward(
        G, like(G, A), like(G, B), arg(c, 2)->i, arg(c, 3)->i, arg(c, 4)->b, ((kt_shape){2, wanted}));
    dA = of.result0;
    dB = of.result1;
}

GRAD(grid_sampler_3d)
{
    const int64_t                             wanted[] = {need(c, 0), need(c, 1)};
    const kt_grid_sampler_3d_backward_results of = kt_grid_sampler_3d_backward(
        G, like(G, A), like(G, B), arg(c, 2)->i, arg(c, 3)->i, arg(c, 4)->b, ((kt_shape){2, wanted}));
    dA = of.result0;
    dB = of.result1;
}

GRAD_MISSING(grid_sampler_2d_backward)
GRAD_MISSING(grid_sampler_3d_backward)

/* ---- (theta, size, align_corners) ---- */

GRAD(affine_grid_generator)
{
    const kt_shape size = arg(c, 1)->ints;
    kt_tensor     *base = kt__affine_base(G, size, arg(c, 2)->b);
    kt_tensor     *flat = kt_reshape(G, KT_SHAPE(size.d[0], -1, size.n - 2));
    dA = kt_transpose(kt_bmm(kt_transpose(base, 1, 2), flat), 1, 2);
}
