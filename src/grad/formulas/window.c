/* window.c - the derivatives of convolutions, which are convolutions. */
#include "grad/formula.h"
#include "ops/window/window.h"

/* ---- convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups) ---- */

static kt_tensor *over_channels(kt_tensor *g)
{
    int64_t dims[KT_MAX_DIMS];
    int     n = 0;
    for (int i = 0; i < g->ndim; i++)
        if (i != 1)
            dims[n++] = i;
    return kt_sum_dim(g, ((kt_shape){n, dims}));
}

GRAD(convolution)
{
    const kt_shape stride = arg(c, 3)->ints, padding = arg(c, 4)->ints, dilation = arg(c, 5)->ints;
    const bool     transposed = arg(c, 6)->b;
    const int64_t  groups = arg(c, 8)->i;
    dA = kt_convolution_input(G, conjugate(B), in_sizes(c, 0), stride, padding, dilation, transposed, groups);
    dB = kt_convolution_weight(G, conjugate(A), in_sizes(c, 1), stride, padding, dilation, transposed, groups);
    if (given(c, 2))
        dC = over_channels(G);
}

/* ---- its gradients are linear in both operands; what flows back to a result is what a convolution gives ---- */

/* The convolution of an input with a weight whose result has the sizes of `like`: of a transposed one they say output_padding. */
static kt_tensor *convolved(const kt_back *c, kt_tensor *input, kt_tensor *weight, kt_shape like)
{
    const kt_shape stride = arg(c, 3)->ints, padding = arg(c, 4)->ints, dilation = arg(c, 5)->ints;
    const bool     transposed = arg(c, 6)->b;
    int64_t        more[KT_MAX_DIMS] = {0};
    if (!input || !weight)
        return NULL;
    for (int64_t i = 0; transposed && i + 2 < like.n; i++) {
        const int64_t s = stride.d[stride.n > 1 ? i : 0], p = padding.d[padding.n > 1 ? i : 0];
        const int64_t d = dilation.d[dilation.n > 1 ? i : 0];
        more[i] = like.d[2 + i] - ((input->sizes[2 + i] - 1) * s - 2 * p + d * (weight->sizes[2 + i] - 1) + 1);
    }
    return kt__convolved(input, weight, NULL, stride, padding, dilation, transposed, ((kt_shape){like.n - 2, more}),
                         arg(c, 7)->i);
}

GRAD(convolution_input) /* of grad_output and weight */
{
    dA = convolved(c, G, conjugate(B), in_sizes(c, 0));
    dB = kt_convolution_weight(conjugate(A), G, in_sizes(c, 1), arg(c, 3)->ints, arg(c, 4)->ints, arg(c, 5)->ints, arg(c, 6)->b,
                               arg(c, 7)->i);
}

GRAD(convolution_weight) /* of grad_output and input */
{
    dA = convolved(c, conjugate(B), G, in_sizes(c, 0));
    dB = kt_convolution_input(conjugate(A), G, in_sizes(c, 1), arg(c, 3)->ints, arg(c, 4)->ints, arg(c, 5)->ints, arg(c, 6)->b,
                              arg(c, 7)->i);
}
