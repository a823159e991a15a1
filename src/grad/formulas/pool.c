/* pool.c - the derivatives of pooling. Averages are linear: what flows back through their gradient is their average again. The
 * gradient of the largest goes where it stood, and what flows back through that is read from there. */
#include "grad/formula.h"

/* ---- the largest ---- */

GRAD(max_pool2d_with_indices)
{
    dA = kt_max_pool2d_with_indices_backward(result_grad(c, 0), A, arg(c, 1)->ints, arg(c, 2)->ints, arg(c, 3)->ints,
                                             arg(c, 4)->ints, arg(c, 5)->b, Z);
}

GRAD(max_pool3d_with_indices)
{
    dA = kt_max_pool3d_with_indices_backward(result_grad(c, 0), A, arg(c, 1)->ints, arg(c, 2)->ints, arg(c, 3)->ints,
                                             arg(c, 4)->ints, arg(c, 5)->b, Z);
}

/* The last `dims` dims become one. */
static kt_tensor *as_lines(kt_tensor *t, int dims)
{
    int64_t sizes[KT_MAX_DIMS];
    if (!t)
        return NULL;
    const int lead = t->ndim - dims;
    sizes[lead] = 1;
    for (int i = 0; i < t->ndim; i++)
        if (i < lead)
            sizes[i] = t->sizes[i];
        else
            sizes[lead] *= t->sizes[i];
    return kt_reshape(t, ((kt_shape){lead + 1, sizes}));
}

/* What stands at the indices. */
static kt_tensor *picked(kt_tensor *t, kt_tensor *indices, int dims)
{
    kt_tensor *from = as_lines(t, dims), *at = as_lines(indices, dims);
    return at ? kt_reshape(kt_gather(from, -1, at), kt__sizes(indices)) : NULL;
}

/* Of (grad_output, self, ..., indices). */
static void through_largest(const kt_back *c, int dims)
{
    dA = picked(G, C, dims);
    dB = kt_zeros_like(G);
}

GRAD(max_pool2d_with_indices_backward) { through_largest(c, 2); }
GRAD(max_pool3d_with_indices_backward) { through_largest(c, 3); }
GRAD(adaptive_max_pool2d) { dA = kt_adaptive_max_pool2d_backward(result_grad(c, 0), A, Z); }
GRAD(adaptive_max_pool3d) { dA = kt_adaptive_max_pool3d_backward(result_grad(c, 0), A, Z); }
GRAD(adaptive_max_pool2d_backward) { through_largest(c, 2); }
GRAD(adaptive_max_pool3d_backward) { through_largest(c, 3); }

GRAD(fractional_max_pool2d)
{
    dA = kt_fractional_max_pool2d_backward(result_grad(c, 0), A, arg(c, 1)->ints, arg(c, 2)->ints, Z);
}

GRAD(fractional_max_pool3d)
{
    dA = kt_fractional_max_pool3d_backward(result_grad(c, 0), A, arg(c, 1)->ints, arg(c, 2)->ints, Z);
}

GRAD(fractional_max_pool2d_backward) { through_largest(c, 2); }
GRAD(fractional_max_pool3d_backward) { through_largest(c, 3); }
GRAD(max_unpool2d) { dA = picked(G, B, 2); }
GRAD(max_unpool3d) { dA = picked(G, B, 3); }

/* ---- windows as columns: each is the other's gradient ---- */

static kt_shape last_of(const kt_tensor *t, int dims)
{
    return t ? (kt_shape){dims, t->sizes + t->ndim - dims} : (kt_shape){0, NULL};
}

GRAD(im2col) { dA = kt_col2im(G, last_of(A, 2), arg(c, 1)->ints, arg(c, 2)->ints, arg(c, 3)->ints, arg(c, 4)->ints); }
GRAD(col2im) { dA = kt_im2col(G, arg(c, 2)->ints, arg(c, 3)->ints, arg(c, 4)->ints, arg(c, 5)->ints); }

/* ---- averages ---- */

static kt_opt_int divisor_of(const kt_back *c, int i)
{
    return given(c, i) ? (kt_opt_int)KT_SOME(arg(c, i)->i) : (kt_opt_int){0};
}

GRAD(avg_pool2d)
{
    dA = kt_avg_pool2d_backward(G, A, arg(c, 1)->ints, arg(c, 2)->ints, arg(c, 3)->ints, arg(c, 4)->b, arg(c, 5)->b,
                                .divisor_override = divisor_of(c, 6));
}

GRAD(avg_pool3d)
{
    dA = kt_avg_pool3d_backward(G, A, arg(c, 1)->ints, arg(c, 2)->ints, arg(c, 3)->ints, arg(c, 4)->b, arg(c, 5)->b,
                                .divisor_override = divisor_of(c, 6));
}

GRAD(avg_pool2d_backward)
{
    dA = kt_avg_pool2d(G, arg(c, 2)->ints, .stride = arg(c, 3)->ints, .padding = arg(c, 4)->ints, .ceil_mode = arg(c, 5)->b,
                       .count_include_pad = KT_SOME(arg(c, 6)->b), .divisor_override = divisor_of(c, 7));
    dB = kt_zeros_like(G);
}

GRAD(avg_pool3d_backward)
{
    dA = kt_avg_pool3d(G, arg(c, 2)->ints, .stride = arg(c, 3)->ints, .padding = arg(c, 4)->ints, .ceil_mode = arg(c, 5)->b,
                       .count_include_pad = KT_SOME(arg(c, 6)->b), .divisor_override = divisor_of(c, 7));
    dB = kt_zeros_like(G);
}

GRAD(adaptive_avg_pool2d_kernel) { dA = kt_adaptive_avg_pool2d_backward(G, A); }
GRAD(adaptive_avg_pool3d_kernel) { dA = kt_adaptive_avg_pool3d_backward(G, A); }

GRAD(adaptive_avg_pool2d_backward)
{
    dA = kt_adaptive_avg_pool2d_kernel(G, last_of(A, 2));
    dB = kt_zeros_like(G);
}

GRAD(adaptive_avg_pool3d_backward)
{
    dA = kt_adaptive_avg_pool3d_kernel(G, last_of(A, 3));
    dB = kt_zeros_like(G);
}
