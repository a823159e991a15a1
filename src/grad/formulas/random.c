/* random.c - derivatives of random numbers, which are 0, and of dropout. */
#include "grad/formula.h"

GRAD(none) { dA = kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G)); }
GRAD(none_alike) { dA = kt_zeros_like(G); }
GRAD(none_of_two)
{
    dA = kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
    dB = kt_zeros(in_sizes(c, 1), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
}

/* ---- dropout: linear ---- */
GRAD(native_dropout)
{
    const double p = arg(c, 1)->f;
    dA = kt_native_dropout_backward(G, Z, .scale = KT_SOME(given(c, 2) && !arg(c, 2)->b ? 1 : p == 1 ? 0 : 1 / (1 - p)));
}
GRAD(native_dropout_backward)
{
    const double scale = arg(c, 2)->f;
    dA = kt_native_dropout_backward(G, conjugate(B), .scale = KT_SOME(scale));
    dB = kt_native_dropout_backward(G, conjugate(A), .scale = KT_SOME(scale));
}

/* ---- samples that move with their parameters, their rank held ---- */
GRAD(standard_gamma) { dA = kt_mul(G, kt_standard_gamma_grad(A, Y)); }
GRAD(sample_dirichlet) /* one gamma variable grows: its component by what is left of the others */
{
    kt_tensor *total = kt_sum_dim(A, KT_SHAPE(-1), .keepdim = true);
    kt_tensor *along = kt_sub(G, kt_sum_dim(kt_mul(Y, G), KT_SHAPE(-1), .keepdim = true));
    dA = kt_mul(kt_dirichlet_grad(Y, A, total), along);
}
GRAD_MISSING(standard_gamma_grad)

/* ---- rows that share another's derivative ---- */
GRAD_AS(normal_tensor_float, none)
GRAD_AS(normal_float_tensor, none)
GRAD_AS(normal, none)
GRAD_AS(uniform, none)
GRAD_AS(random, none)
GRAD_AS(random_to, none)
GRAD_AS(random_from, none)
GRAD_AS(exponential, none)
GRAD_AS(cauchy, none)
GRAD_AS(log_normal, none)
GRAD_AS(geometric, none)
GRAD_AS(bernoulli_float, none)
GRAD_AS(poisson, none)
GRAD_AS(normal_tensor_tensor, none_of_two)
GRAD_AS(bernoulli_tensor, none_of_two)
GRAD_AS(bernoulli, none_alike)
