/* formulas_random.c - the derivatives of random numbers: none of them depends smoothly on what it was drawn by. */
#include "grad/formula.h"

GRAD(none) { dA = kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G)); }
GRAD(none_alike) { dA = kt_zeros_like(G); }
GRAD(none_of_two)
{
    dA = kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
    dB = kt_zeros(in_sizes(c, 1), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
}

const kt__formula_row kt__formulas_random[] = {
    AS(normal, none), AS(uniform, none), AS(random, none), AS(random_to, none), AS(random_from, none),
    AS(exponential, none), AS(cauchy, none), AS(log_normal, none), AS(geometric, none), AS(bernoulli, none_alike),
    AS(bernoulli_tensor, none_of_two), AS(bernoulli_float, none), AS(poisson, none), AS(normal_tensor_float, none),
    AS(normal_float_tensor, none), AS(normal_tensor_tensor, none_of_two),
    KT__NO_MORE_FORMULAS,
};
