/* window.c - the derivatives of convolutions, which are convolutions. */
#include "grad/beside.h"
#include "grad/formula.h"
#include "ops/window/window.h"

/* ---- convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups) ---- */

/* Of the bias. An input without channels has a result without them, which depends on no bias. */
static kt_tensor *over_channels(kt_tensor *g, kt_shape bias)
{
    if (g->sizes[1] == 0)
        return kt_new_zeros(g, bias);
    int64_t dims[KT_MAX_DIMS];
    int     n = 0;
    for (int i = 0; i < g->ndim; i++)
        if (i != 1)
            dims[n++] = i;
    return kt_sum_dim(g, ((kt_shape){n, dims}));
}

/* The layout of the result, which PyTorch's gradients have, too: channels last if an operand has it. */
static kt_tensor *laid_as(kt_tensor *t, const kt_tensor *input, const kt_tensor *weight)
{
    if (!t || !input || !weight || is_complex(input) || (input->ndim == 5 && input->dtype == KT_F64))
        return t; /* PyTorch makes complex ones of parts; its float64 kernel of three dims is row-major */
    if (kt__convolved_lines_end_in_channels(input, weight))
        return kt__lines_end_in_channels(t)
                   ? t
                   : kt_unsafe_view(kt_transpose(kt_contiguous(kt_transpose(t, 1, 2)), 1, 2), kt__sizes(t));
    kt_memory_format format = kt__suggested_format(input);
    if (format == KT_CONTIGUOUS_FORMAT)
        format = kt__suggested_format(weight);
    return format == KT_CONTIGUOUS_FORMAT ? t : kt_contiguous(t, .memory_format = format);
}

GRAD(convolution)
{
    const kt_shape stride = arg(c, 3)->ints, padding = arg(c, 4)->ints, dilation = arg(c, 5)->ints;
    const bool     transposed = arg(c, 6)->b;
    const int64_t  groups = arg(c, 8)->i;
    kt_tensor     *input = A, *weight = B, *g = laid_as(G, input, weight);
    dA = laid_as(kt_convolution_input(g, conjugate(weight), in_sizes(c, 0), stride, padding, dilation, transposed, groups),
                 input, weight);
    dB = laid_as(kt_convolution_weight(g, conjugate(input), in_sizes(c, 1), stride, padding, dilation, transposed, groups),
                 input, weight);
    if (given(c, 2))
        dC = over_channels(G, in_sizes(c, 2));
    if (c->create_graph) /* PyTorch makes all three in one call */
        kt__place_beside("ConvolutionBackwardBackward0", c->d, c->n_inputs, (kt_tensor *[]){G, input, weight}, 3);
}

GRAD_AS(convolution_of, convolution)

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

/* ---- conv_tbc(self, weight, bias, pad): products for each tap, which add up in PyTorch's order. Real ones alone ---- */

static kt_tensor *flat(kt_tensor *t) { return t ? kt_reshape(t, KT_SHAPE(-1, t->sizes[2])) : NULL; }
static kt_tensor *part_of(kt_tensor *t, int64_t from, int64_t n) { return flat(kt_narrow(t, 0, from, n)); }

GRAD(conv_tbc)
{
    kt_tensor *x = A, *weight = B, *g = kt_contiguous(G);
    if (!x || !weight || !g)
        return;
    const kt_shape of_x = kt__sizes(x), of_weight = kt__sizes(weight);
    kt_tensor     *to_x = need(c, 0) ? kt_zeros(of_x, .dtype = kt_dtype_of(g), .device = kt_device_of(g)) : NULL;
    kt_tensor     *to_weight = need(c, 1) ? kt_zeros(of_weight, .dtype = kt_dtype_of(g), .device = kt_device_of(g)) : NULL;
    to_x = room_for(room_for(to_x, g), weight);
    to_weight = room_for(room_for(to_weight, g), x);
    for (int64_t k = 0; k < weight->sizes[0] && !kt__failed(); k++) {
        const kt__tap tap = kt__tap_of(x->sizes[0], g->sizes[0], arg(c, 3)->i, k);
        if (tap.n <= 0)
            continue;
        kt_tensor *arrived = part_of(g, tap.to, tap.n);
        if (to_x)
            kt_addmm_(part_of(to_x, tap.from, tap.n), arrived, kt_t(kt_select(weight, 0, k)));
        if (to_weight)
            kt_addmm_(kt_select(to_weight, 0, k), kt_t(part_of(x, tap.from, tap.n)), arrived);
    }
    dA = as_new(to_x);
    dB = as_new(to_weight);
    dC = kt_sum_dim(g, KT_SHAPE(0, 1));
}
