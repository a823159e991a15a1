/* ops.h - every operator, one line each. Written by tools/gen_ops.c from src/tables/ops.def: do not edit.
 *
 * kt_add(a, b) makes a tensor. Forms stand in the second column: _ kt_add_(a, b) writes into a, out
 * kt_add_out(out, a, b) writes into out, s kt_add_s(a, KT_INT(2)) takes a number for the last tensor, ss for each
 * (kt_where_ss). Suffixes combine: kt_add_s_, kt_add_s_out.
 * Options are named, kt_add(a, b, .alpha = KT_INT(2)): one given by position, kt_add(a, b, 2), does not compile. An
 * option whose default is no zero is set by KT_SOME: .dim = KT_SOME(0).
 * With no option and -Wpedantic, or in C++, call kt_add_kw(a, b, NULL). Operators that give a list fill `results`
 * (room for so many) and return how many there are, or -1. Those with several results return a struct of them, all
 * NULL after an error. ops_typed.h has the C declarations; `karat ops NAME` says which dtypes an operator takes
 * and gives. */
#ifndef KARAT_OPS_H
#define KARAT_OPS_H

#include <karat/ops_typed.h>

/* ---- arithmetic ----
 * kt_add(self, other, .alpha = 1)                           _ out s    self + alpha * other
 * kt_sub(self, other, .alpha = 1)                           _ out s    self - alpha * other
 * kt_rsub(self, other, .alpha = 1)                          s          other - alpha * self
 * kt_mul(self, other)                                       _ out s    self * other
 * kt_div(self, other, .rounding_mode)                       _ out s    self / other, rounded as asked (trunc or floor)
 * kt_true_divide(self, other)                               _ out s    self / other
 * kt_floor_divide(self, other)                              _ out s    self / other rounded towards minus infinity
 * kt_remainder(self, other)                                 _ out s    modulus of floor division: the sign of other (Python %)
 * kt_fmod(self, other)                                      _ out s    remainder of truncated division: the sign of self (C fmod)
 * kt_pow(self, exponent)                                    _ out s    self to the power of the exponent
 * kt_pow_base(self, exponent)                               out s      a number to the power of a tensor
 * kt_float_power(self, exponent)                            out s      pow in float64 or complex128
 * kt_ldexp(self, other)                                     out        self * 2 ** other
 * kt_atan2(self, other)                                     _ out      arc tangent of self / other, in the right quadrant
 * kt_copysign(self, other)                                  _ out s    self with the sign of other
 * kt_hypot(self, other)                                     _ out      sqrt(self^2 + other^2) without overflow
 * kt_logaddexp(self, other)                                 _ out      log(exp(self) + exp(other)) without overflow
 * kt_logaddexp2(self, other)                                _ out      log2(2^self + 2^other) without overflow
 * kt_nextafter(self, other)                                 _ out      the next value of the dtype towards other
 * kt_xlogy(self, other)                                     _ out s    self * log(other), 0 where self is 0
 * kt_heaviside(self, values)                                _ out      0, values or 1 by the sign of self
 * kt_gcd(self, other)                                       _ out      greatest common divisor
 * kt_lcm(self, other)                                       _ out      least common multiple
 */

/* ---- comparing and choosing ----
 * kt_maximum(self, other)                                   _ out      elementwise maximum; NaN if either is
 * kt_minimum(self, other)                                   _ out      elementwise minimum; NaN if either is
 * kt_fmax(self, other)                                      _ out      elementwise maximum; the other one where one is NaN
 * kt_fmin(self, other)                                      _ out      elementwise minimum; the other one where one is NaN
 * kt_eq(self, other)                                        _ out s    self == other
 * kt_ne(self, other)                                        _ out s    self != other
 * kt_lt(self, other)                                        _ out s    self < other
 * kt_le(self, other)                                        _ out s    self <= other
 * kt_gt(self, other)                                        _ out s    self > other
 * kt_ge(self, other)                                        _ out s    self >= other
 * kt_isclose(self, other, .rtol = 1e-05, .atol = 1e-08, .equal_nan = false)             equal, or apart by no more than atol + rtol * |other|
 * kt_clamp(self, .min, .max)                                _ out s    clipped to [min, max]
 * kt_clamp_min(self, min)                                   _ out s    clipped from below
 * kt_clamp_max(self, max)                                   _ out s    clipped from above
 */

/* ---- logic and bits ----
 * kt_logical_and(self, other)                               _ out      logical and
 * kt_logical_or(self, other)                                _ out      logical or
 * kt_logical_xor(self, other)                               _ out      logical exclusive or
 * kt_logical_not(self)                                      _ out      logical not: true where zero
 * kt_bitwise_and(self, other)                               _ out s    bitwise and
 * kt_bitwise_or(self, other)                                _ out s    bitwise or
 * kt_bitwise_xor(self, other)                               _ out s    bitwise exclusive or
 * kt_bitwise_not(self)                                      _ out      bitwise complement
 * kt_bitwise_left_shift(self, other)                        _ out s    self << other
 * kt_bitwise_right_shift(self, other)                       _ out s    self >> other
 */

/* ---- functions of one element ----
 * kt_abs(self)                                              _ out      absolute value; of a complex number its modulus
 * kt_isnan(self)                                                       true where NaN
 * kt_isinf(self)                                                       true where infinite
 * kt_isfinite(self)                                                    true where finite
 * kt_isposinf(self)                                         out        true where +infinity
 * kt_isneginf(self)                                         out        true where -infinity
 * kt_signbit(self)                                          out        true where the sign bit is set
 * kt_sign(self)                                             _ out      -1, 0 or 1
 * kt_sgn(self)                                              _ out      sign; of a complex number, its direction
 * kt_neg(self)                                              _ out      -self
 * kt_positive(self)                                                    self
 * kt_square(self)                                           _ out      self * self
 * kt_ceil(self)                                             _ out      rounded up to an integer
 * kt_floor(self)                                            _ out      rounded down to an integer
 * kt_trunc(self)                                            _ out      rounded towards zero
 * kt_round(self, .decimals = 0)                             _ out      to nearest, ties to even
 * kt_frac(self)                                             _ out      self - trunc(self)
 * kt_relu(self)                                             _ out      max(self, 0)
 * kt_reciprocal(self)                                       _ out      1 / self
 * kt_sqrt(self)                                             _ out      square root
 * kt_rsqrt(self)                                            _ out      1 / sqrt(self)
 * kt_exp(self)                                              _ out      e^self
 * kt_exp2(self)                                             _ out      2^self
 * kt_expm1(self)                                            _ out      e^self - 1, exact near 0
 * kt_log(self)                                              _ out      natural logarithm
 * kt_log2(self)                                             _ out      logarithm to base 2
 * kt_log10(self)                                            _ out      logarithm to base 10
 * kt_log1p(self)                                            _ out      log(1 + self), exact near 0
 * kt_sin(self)                                              _ out      sine
 * kt_cos(self)                                              _ out      cosine
 * kt_tan(self)                                              _ out      tangent
 * kt_asin(self)                                             _ out      arc sine
 * kt_acos(self)                                             _ out      arc cosine
 * kt_atan(self)                                             _ out      arc tangent
 * kt_sinh(self)                                             _ out      hyperbolic sine
 * kt_cosh(self)                                             _ out      hyperbolic cosine
 * kt_tanh(self)                                             _ out      hyperbolic tangent
 * kt_asinh(self)                                            _ out      inverse of sinh
 * kt_acosh(self)                                            _ out      inverse of cosh
 * kt_atanh(self)                                            _ out      inverse of tanh
 * kt_sigmoid(self)                                          _ out      1 / (1 + e^-self)
 * kt_sinc(self)                                             _ out      sin(pi x) / (pi x)
 * kt_erf(self)                                              _ out      error function
 * kt_erfc(self)                                             _ out      1 - erf
 * kt_erfinv(self)                                           _ out      inverse of erf
 * kt_digamma(self)                                          _ out      derivative of lgamma
 * kt_lgamma(self)                                           _ out      log of |gamma|
 * kt_i0(self)                                               _ out      modified Bessel function of order 0
 * kt_special_i1(self)                                       out        modified Bessel function of order 1
 * kt_polygamma(n, self)                                     out        the n-th derivative of digamma
 * kt_frexp(self) -> mantissa, exponent                      out        mantissa from a half up to 1, and exponent of 2
 * kt_logit(self, .eps)                                      _ out      log(p / (1 - p)), p held eps from 0 and 1 where eps is given
 * kt_deg2rad(self)                                          _ out      degrees to radians
 * kt_rad2deg(self)                                          _ out      radians to degrees
 * kt_angle(self)                                            out        angle of a complex number; pi for negative reals
 * kt_nan_to_num(self, .nan, .posinf, .neginf)               _ out      NaN and infinities replaced
 * kt_conj_physical(self)                                    _ out      conjugate, computed now; of a real tensor the tensor itself
 */

/* ---- complex numbers of two real ones ----
 * kt_complex(real, imag)                                    out        complex numbers of their parts
 * kt_polar(abs, angle)                                      out        complex numbers of their lengths and angles
 */

/* ---- functions of three ----
 * kt_where(condition, self, other)                          out s ss   self where condition holds, else other
 * kt_lerp(self, end, weight)                                _ out s    self + weight * (end - self)
 * kt_addcmul(self, tensor1, tensor2, .value = 1)            _ out      self + value * tensor1 * tensor2
 * kt_addcdiv(self, tensor1, tensor2, .value = 1)            _ out      self + value * tensor1 / tensor2
 * kt_isreal(self)                                                      true where the imaginary part is 0
 */

/* ---- activation functions ----
 * kt_gelu(self, .approximate = 'none')                      out        Gaussian error linear unit, x * Phi(x): exact (erf), or approximate='tanh'
 * kt_silu(self)                                             _ out      sigmoid linear unit (swish): self * sigmoid(self)
 * kt_mish(self)                                             _ out      self * tanh(softplus(self))
 * kt_elu(self, .alpha = 1, .scale = 1, .input_scale = 1)    _ out      exponential linear unit: self, below 0 alpha * (e^self - 1); times scale
 * kt_celu(input, .alpha = 1.0)                              _          input, below 0 alpha * (e^(input / alpha) - 1)
 * kt_selu(input)                                            _          scaled exponential linear unit (self-normalizing)
 * kt_leaky_relu(self, .negative_slope = 0.01)               _ out      self, below 0 negative_slope * self
 * kt_hardtanh(self, .min_val = -1, .max_val = 1)            _ out      clipped to [min_val, max_val]
 * kt_relu6(self)                                            _          clipped to [0, 6]
 * kt_hardsigmoid(self)                                      _ out      self / 6 + 1 / 2, clipped to [0, 1]
 * kt_hardswish(self)                                        _ out      self * hardsigmoid(self)
 * kt_hardshrink(self, .lambd = 0.5)                         out        hard thresholding: 0 between -lambd and lambd, else self
 * kt_softshrink(self, .lambd = 0.5)                         out        soft thresholding: shrunk towards 0 by lambd
 * kt_softplus(self, .beta = 1, .threshold = 20)             out        log(1 + e^(beta * self)) / beta, self where beta * self is over the threshold
 * kt_log_sigmoid(self)                                      out        log(sigmoid(self)) without underflow
 * kt_softsign(self)                                                    self / (1 + |self|)
 * kt_tanhshrink(self)                                                  self - tanh(self)
 * kt_threshold(input, threshold, value)                     _ out      input where it is over the threshold, else value
 * kt_prelu(self, weight)                                               parametric relu: self, below 0 weight * self (one weight, or one for each channel)
 * kt_glu(self, .dim = -1)                                   out        gated linear unit: the first half of a dim times the sigmoid of the second
 * kt_glu_halves(first, second)                                         glu of its halves: first * sigmoid(second)
 */

/* ---- reductions ----
 * kt_sum(self, .dtype)                                                 sum of all elements
 * kt_sum_dim(self, dim, .keepdim = false, .dtype)           out        sum over some dims
 * kt_nansum(self, .dim, .keepdim = false, .dtype)           out        sum, NaN counted as 0
 * kt_prod(self, .dtype)                                                product of all elements
 * kt_prod_dim(self, dim, .keepdim = false, .dtype)          out        product over a dim
 * kt_mean(self, .dtype)                                     out        mean of all elements
 * kt_mean_dim(self, dim, .keepdim = false, .dtype)          out        mean over some dims
 * kt_nanmean(self, .dim, .keepdim = false, .dtype)          out        mean, NaN left out
 * kt_logsumexp(self, dim, .keepdim = false)                 out        log of the sum of exponentials, without overflow
 * kt_count_nonzero(self, .dim)                                         number of elements that are not 0
 * kt_count_nonzero_dim(self, dim)                                      number of elements that are not 0, over some dims
 * kt_var(self, .unbiased = true)                                       variance of all elements
 * kt_var_dim(self, dim, .unbiased = true, .keepdim = false)  out        variance over some dims
 * kt_var_correction(self, .dim, .correction, .keepdim = false)  out        variance with the count corrected by any number
 * kt_std(self, .unbiased = true)                                       standard deviation of all elements
 * kt_std_dim(self, dim, .unbiased = true, .keepdim = false)  out        standard deviation over some dims
 * kt_std_correction(self, .dim, .correction, .keepdim = false)  out        standard deviation with the count corrected by any number
 * kt_var_mean(self, .unbiased = true) -> result_var, result_mean             variance and mean of all elements
 * kt_var_mean_dim(self, dim, .unbiased = true, .keepdim = false) -> result_var, result_mean             variance and mean over some dims
 * kt_var_mean_correction(self, .dim, .correction, .keepdim = false) -> result_var, result_mean             variance, the count corrected by any number, and mean
 * kt_std_mean(self, .unbiased = true) -> result_std, result_mean             standard deviation and mean of all elements
 * kt_std_mean_dim(self, dim, .unbiased = true, .keepdim = false) -> result_std, result_mean             standard deviation and mean over some dims
 * kt_std_mean_correction(self, .dim, .correction, .keepdim = false) -> result_std, result_mean             standard deviation, the count corrected by any number, and mean
 * kt_max(self)                                              out        maximum of all elements
 * kt_max_other(self, other)                                 out        elementwise maximum; NaN if either is
 * kt_max_dim(self, dim, .keepdim = false) -> values, indices  out        maximum along a dim, and the index of the first
 * kt_min(self)                                              out        minimum of all elements
 * kt_min_other(self, other)                                 out        elementwise minimum; NaN if either is
 * kt_min_dim(self, dim, .keepdim = false) -> values, indices  out        minimum along a dim, and the index of the first
 * kt_amax(self, .dim = [], .keepdim = false)                out        maximum over some dims
 * kt_amin(self, .dim = [], .keepdim = false)                out        minimum over some dims
 * kt_aminmax(self, .dim, .keepdim = false) -> min, max      out        minimum and maximum
 * kt_argmax(self, .dim, .keepdim = false)                   out        index of the first maximum
 * kt_argmin(self, .dim, .keepdim = false)                   out        index of the first minimum
 * kt_any(self)                                              out        true if any element is
 * kt_any_dim(self, dim, .keepdim = false)                   out        true if any element along a dim is
 * kt_any_dims(self, .dim, .keepdim = false)                 out        true if any element over some dims is; an empty list reduces none
 * kt_all(self)                                              out        true if all elements are
 * kt_all_dim(self, dim, .keepdim = false)                   out        true if all elements along a dim are
 * kt_all_dims(self, .dim, .keepdim = false)                 out        true if all elements over some dims are; an empty list reduces none
 * kt_linalg_vector_norm(self, .ord = 2, .dim, .keepdim = false, .dtype)  out        norm of order ord over some dims
 * kt_norm(self, .p, .dim, .keepdim = false, .dtype)         out        norm of order p (2) over some dims
 * kt_norm_str(self, p, .dim, .keepdim = false, .dtype)      out        norm by name: 'fro'
 * kt_linalg_matrix_norm(self, ord, .dim = [-2, -1], .keepdim = false, .dtype)  out        norm of matrices: order 1, -1, inf, -inf
 * kt_linalg_matrix_norm_str(self, .ord = 'fro', .dim = [-2, -1], .keepdim = false, .dtype)  out        norm of matrices: 'fro'
 * kt_linalg_norm(self, .ord, .dim, .keepdim = false, .dtype)  out        a vector or a matrix norm, by the number of dims
 * kt_linalg_norm_str(self, ord, .dim, .keepdim = false, .dtype)  out        the matrix norm of this name
 * kt_frobenius_norm(self, dim, .keepdim = false)                       Frobenius norm: root of the sum of squares
 * kt_dist(self, other, .p = 2)                                         norm of self - other
 * kt_trace(self)                                                       sum of the diagonal
 * kt_cov(self, .correction = 1, .fweights, .aweights)                  covariance of the rows
 * kt_corrcoef(self)                                                    correlation of the rows
 */

/* ---- scans along a dim ----
 * kt_cumsum(self, dim, .dtype)                              _ out      cumulative sum along a dim
 * kt_cumprod(self, dim, .dtype)                             _ out      cumulative product along a dim
 * kt_logcumsumexp(self, dim)                                out        cumulative log of the sum of exponentials, without overflow
 * kt_cummax(self, dim) -> values, indices                   out        cumulative maximum along a dim, and the index of the last; NaN wins
 * kt_cummin(self, dim) -> values, indices                   out        cumulative minimum along a dim, and the index of the last; NaN wins
 * kt_diff(self, .n = 1, .dim = -1, .prepend, .append)       out        differences of neighbours along a dim, n times over
 * kt_trapezoid_x(y, x, .dim = -1)                                      the integral along a dim by trapezoids over x
 * kt_trapezoid_dx(y, .dx = 1, .dim = -1)                               the integral along a dim by trapezoids dx wide
 * kt_trapz_dx(y, .dx = 1, .dim = -1)                                   trapezoid under NumPy's old name
 * kt_trapz_x(y, x, .dim = -1)                                          trapezoid under NumPy's old name
 * kt_cumulative_trapezoid_x(y, x, .dim = -1)                           the integral up to each place along a dim by trapezoids over x
 * kt_cumulative_trapezoid_dx(y, .dx = 1, .dim = -1)                    the integral up to each place along a dim by trapezoids dx wide
 * kt_vander(x, .N, .increasing = false)                                powers of a vector's elements as columns
 * kt_linalg_vander(x, .N)                                              powers of the elements along a new last dim
 */

/* ---- sorting and ranks ----
 * kt_sort_stable(self, stable, .dim = -1, .descending = false) -> values, indices  out        sorted along a dim, and the indices; equal elements keep their order
 * kt_sort(self, .dim = -1, .descending = false) -> values, indices  out        sorted along a dim, and the indices
 * kt_argsort_stable(self, stable, .dim = -1, .descending = false)  out        indices that sort a dim; equal elements keep their order
 * kt_argsort(self, .dim = -1, .descending = false)                     indices that sort a dim
 * kt_msort(self)                                            out        sorted along the first dim
 * kt_topk(self, k, .dim = -1, .largest = true, .sorted = true) -> values, indices  out        k largest or smallest elements along a dim, and their indices
 * kt_kthvalue(self, k, .dim = -1, .keepdim = false) -> values, indices  out        k-th smallest element along a dim, and its index
 * kt_median(self)                                                      median of all elements, the lower of two; NaN if there is one
 * kt_median_dim(self, dim, .keepdim = false) -> values, indices  out        median along a dim, the lower of two, and its index
 * kt_nanmedian(self)                                                   median, NaN left out
 * kt_nanmedian_dim(self, dim, .keepdim = false) -> values, indices  out        median along a dim, NaN left out, and its index
 * kt_mode(self, .dim = -1, .keepdim = false) -> values, indices  out        most frequent value along a dim, the smallest of several, and its last index
 */

/* ---- sets, searches, counts ----
 * kt_unique(self, .sorted = true, .return_inverse = false, .return_counts = false) -> result, result_inverse, result_counts             sorted unique values; inverse indices and counts
 * kt_unique_dim(self, dim, .sorted = true, .return_inverse = false, .return_counts = false) -> result, result_inverse, result_counts             sorted unique slices along a dim; inverse indices and counts
 * kt_unique_consecutive(self, .return_inverse = false, .return_counts = false, .dim) -> result, result_inverse, result_counts             consecutive duplicates removed; inverse indices and counts
 * kt_isin(elements, test_elements, .assume_unique = false, .invert = false)  out        which elements occur among the others
 * kt_isin_element(element, test_elements, .assume_unique = false, .invert = false)  out        does the number occur among the elements?
 * kt_isin_number(elements, test_element, .assume_unique = false, .invert = false)  out        which elements equal the number
 * kt_searchsorted(sorted_sequence, self, .out_int32 = false, .right = false, .side, .sorter)  out        indices at which values are inserted into a sorted last dim to keep it sorted
 * kt_searchsorted_number(sorted_sequence, self, .out_int32 = false, .right = false, .side, .sorter)  out        index at which a number is inserted into a sorted vector to keep it sorted
 * kt_bucketize(self, boundaries, .out_int32 = false, .right = false)  out        index of the bucket of each value, by sorted boundaries
 * kt_bucketize_number(self, boundaries, .out_int32 = false, .right = false)             index of the bucket of a number, by sorted boundaries
 * kt_bincount(self, .weights, .minlength = 0)                          number of occurrences of each non-negative integer, or the sum of its weights
 * kt_histc(self, .bins = 100, .min = 0, .max = 0)           out        histogram of equal bins between min and max
 * kt_histogram_edges(self, bins, .weight, .density = false) -> hist, bin_edges  out        histogram of given bin edges: counts or weights
 * kt_histogram(self, .bins = 100, .low, .high, .weight, .density = false) -> hist, bin_edges  out        histogram of equal bins: counts or weights, and the bin edges
 * kt_quantile(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantile along a dim; NaN if there is one
 * kt_quantile_number(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantile along a dim; NaN if there is one
 * kt_nanquantile(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantile along a dim, NaN left out
 * kt_nanquantile_number(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantile along a dim, NaN left out
 */

/* ---- matrix products ----
 * kt_matmul(self, other)                                    out        matrix product; batch dims broadcast
 * kt_mm(self, mat2)                                         out        product of two matrices
 * kt_bmm(self, mat2)                                        out        batched matrix product
 * kt_mv(self, vec)                                          out        matrix-vector product
 * kt_dot(self, tensor)                                      out        dot product of two vectors
 * kt_vdot(self, other)                                      out        dot product of two vectors, the first conjugated
 * kt_addmm(self, mat1, mat2, .beta = 1, .alpha = 1)         _ out      beta * self + alpha * (mat1 @ mat2)
 * kt_addmv(self, mat, vec, .beta = 1, .alpha = 1)           _ out      beta * self + alpha * (mat @ vec)
 * kt_baddbmm(self, batch1, batch2, .beta = 1, .alpha = 1)   _ out      beta * self + alpha * (batch1 @ batch2), batched
 * kt_addbmm(self, batch1, batch2, .beta = 1, .alpha = 1)    _ out      beta * self + alpha * the sum over a batch of batch1 @ batch2
 * kt_addr(self, vec1, vec2, .beta = 1, .alpha = 1)          _ out      beta * self + alpha * outer product of vec1 and vec2
 * kt_linear(input, weight, .bias)                           out        input @ weight.T + bias
 * kt_bilinear(input1, input2, weight, .bias)                           input1 @ weight @ input2 for each of the outer weights, + bias
 * kt_outer(self, vec2)                                      out        outer product of two vectors
 * kt_ger(self, vec2)                                        out        outer, by its old name
 * kt_inner(self, other)                                     out        sum of products over the last dims (inner product)
 * kt_tensordot(self, other, dims_self, dims_other)          out        tensor contraction over pairs of dims
 * kt_kron(self, other)                                      out        Kronecker product
 * kt_einsum(equation, tensors, n_tensors)                              Einstein summation: "ij,jk->ik"
 * kt_linalg_multi_dot(tensors, n_tensors)                   out        product of several matrices in the cheapest order
 * kt_chain_matmul(matrices, n_matrices)                     out        linalg_multi_dot, by its old name
 * kt_linalg_vecdot(x, y, .dim = -1)                         out        dot product along a dim, x conjugated
 * kt_linalg_matrix_power(self, n)                           out        square matrices to an integer power
 * kt_matrix_power(self, n)                                  out        linalg_matrix_power, by its old name
 * kt_linalg_cross(self, other, .dim = -1)                   out        cross products of vectors of three
 * kt_cross(self, other, .dim)                               out        linalg_cross along the first dim of three
 * kt_block_diag(tensors, n_tensors)                                    block diagonal matrix of the tensors
 * kt_cartesian_prod(tensors, n_tensors)                                Cartesian product of vectors, a combination a row
 * kt_cdist(x1, x2, .p = 2, .compute_mode)                              pairwise p-norm distance of the rows of x1 and x2
 * kt_renorm(self, p, dim, maxnorm)                          _ out      slices along a dim scaled to a p-norm of at most maxnorm
 */

/* ---- casts and copies ----
 * kt_to(self, .dtype, .device, .copy = false, .memory_format, .casting = 'unsafe', .rounding = 'torch')             cast to a dtype or moved to a device; self where nothing changes
 * kt_clone(self, .memory_format)                                       a copy
 * kt_contiguous(self, .memory_format)                                  self where contiguous, else a contiguous copy
 * kt_copy(self, src)                                        _          self with the values of src; in place: written over
 * kt_fill(self, value)                                      _ s        filled with a value
 * kt_zero(self)                                             _          filled with zeros
 * kt_resolve_conj(self)                                                conjugation carried out where it was lazy
 * kt_resolve_neg(self)                                                 negation carried out where it was lazy
 */

/* ---- making tensors ----
 * kt_empty(size, .dtype, .device, .requires_grad = false, .memory_format)             uninitialized
 * kt_zeros(size, .dtype, .device, .requires_grad = false)              filled with zeros
 * kt_ones(size, .dtype, .device, .requires_grad = false)               filled with ones
 * kt_full(size, fill_value, .dtype, .device, .requires_grad = false)             filled with a value, which gives the dtype
 * kt_eye(n, .m, .dtype, .device, .requires_grad = false)               identity matrix
 * kt_arange(start, end, .step = 1, .dtype, .device, .requires_grad = false)             start, start + step, ... before end
 * kt_range(start, end, .step = 1, .dtype, .device, .requires_grad = false)             start, start + step, ... up to end
 * kt_linspace(start, end, steps, .dtype, .device, .requires_grad = false)             evenly spaced from start to end, both included
 * kt_logspace(start, end, steps, .base = 10.0, .dtype, .device, .requires_grad = false)             logarithmically spaced: base to the powers of linspace
 * kt_scalar_tensor(s, .dtype, .device, .requires_grad = false)             a number as a 0-dim tensor
 * kt_empty_like(self, .dtype, .device, .requires_grad = false, .memory_format)             like self, uninitialized
 * kt_zeros_like(self, .dtype, .device, .requires_grad = false, .memory_format)             like self, zeros
 * kt_ones_like(self, .dtype, .device, .requires_grad = false, .memory_format)             like self, ones
 * kt_full_like(self, fill_value, .dtype, .device, .requires_grad = false, .memory_format)             like self, one value
 * kt_new_empty(self, size, .dtype, .device, .requires_grad = false)             of self's dtype and device, uninitialized
 * kt_new_zeros(self, size, .dtype, .device, .requires_grad = false)             of self's dtype and device, zeros
 * kt_new_ones(self, size, .dtype, .device, .requires_grad = false)             of self's dtype and device, ones
 * kt_new_full(self, size, fill_value, .dtype, .device, .requires_grad = false)             of self's dtype and device, one value
 */

/* ---- views ----
 * kt_select(self, dim, index)                                          index along a dim (the dim goes)
 * kt_slice(self, .dim = 0, .start, .end, .step = 1)                    slice start:end:step along a dim
 * kt_narrow(self, dim, start, length)                                  slice of length elements from start along a dim
 * kt_narrow_tensor(self, dim, start, length)                           the same, from a start that a 0-dim tensor holds
 * kt_transpose(self, dim0, dim1)                                       two dims swapped
 * kt_t(self)                                                           matrix transpose
 * kt_permute(self, dims)                                               dims reordered
 * kt_expand(self, size, .implicit = false)                             broadcast to a size without copying
 * kt_expand_as(self, other)                                            expanded to the size of other
 * kt_view(self, size)                                                  the same elements in another shape
 * kt_view_dtype(self, dtype)                                           the same bytes as another dtype
 * kt_reshape(self, shape)                                              another shape: a view where possible, else a copy
 * kt_flatten(self, .start_dim = 0, .end_dim = -1)                      a range of dims merged into one
 * kt_squeeze(self)                                                     dims of size 1 removed
 * kt_squeeze_dim(self, dim)                                            these dims removed where they have size 1
 * kt_unsqueeze(self, dim)                                              a dim of size 1 inserted
 * kt_unfold(self, dimension, size, step)                               sliding windows of a dim as a new last dim
 * kt_diagonal(self, .offset = 0, .dim1 = 0, .dim2 = 1)                 a diagonal of two dims as the last dim
 * kt_as_strided(self, size, stride, .storage_offset)                   a view of any size, stride and offset
 * kt_real(self)                                                        real parts
 * kt_imag(self)                                                        imaginary parts
 * kt_view_as_real(self)                                                complex as a last dim of two reals
 * kt_view_as_complex(self)                                             a last dim of two reals as complex
 * kt_conj(self)                                                        conjugate; lazy for complex
 * kt_detach(self)                                                      the same values without history
 * kt_alias(self)                                                       the same tensor as a view of itself
 * kt_movedim(self, source, destination)                                dims moved to other positions
 * kt_moveaxis(self, source, destination)                               movedim by another name
 * kt_swapaxes(self, axis0, axis1)                                      transpose by another name
 * kt_swapdims(self, dim0, dim1)                                        transpose by another name
 * kt_unflatten(self, dim, sizes)                                       a dim split into several
 * kt_ravel(self)                                                       flattened to one dim
 * kt_view_as(self, other)                                              a view of the size of other
 * kt_reshape_as(self, other)                                           reshaped to the size of other
 * kt_broadcast_to(self, size)                                          expand by another name
 * kt_atleast_1d(self)                                                  of at least 1 dims
 * kt_atleast_2d(self)                                                  of at least 2 dims
 * kt_atleast_3d(self)                                                  of at least 3 dims
 * kt_adjoint(self)                                                     matrices transposed and conjugated
 * kt_linalg_diagonal(A, .offset = 0, .dim1 = -2, .dim2 = -1)             a diagonal of the last two dims
 * kt_sum_to_size(self, size)                                           broadcasting undone by sums
 * kt_resize_(self, size, .memory_format)                               self with another size; memory is kept, and grows where it must
 * kt_resize_as_(self, the_template, .memory_format)                    self with the size of another
 */

/* ---- joining, splitting, rearranging ----
 * kt_split(self, split_size, .dim = 0, results, room)                  views of split_size along a dim; the last may be smaller
 * kt_split_sizes(self, split_sizes, .dim = 0, results, room)             views of given sizes along a dim
 * kt_chunk(self, chunks, .dim = 0, results, room)                      split into about equal views
 * kt_unbind(self, .dim = 0, results, room)                             a list of the slices along a dim
 * kt_broadcast_tensors(tensors, n_tensors, results, room)              all broadcast to their common shape
 * kt_cat(tensors, n_tensors, .dim = 0)                      out        concatenated along a dim
 * kt_concat(tensors, n_tensors, .dim = 0)                   out        cat by another name
 * kt_concatenate(tensors, n_tensors, .dim = 0)              out        cat by another name
 * kt_stack(tensors, n_tensors, .dim = 0)                    out        stacked along a new dim
 * kt_hstack(tensors, n_tensors)                             out        stacked horizontally (along columns)
 * kt_vstack(tensors, n_tensors)                             out        stacked vertically (along rows)
 * kt_row_stack(tensors, n_tensors)                          out        vstack by another name
 * kt_dstack(tensors, n_tensors)                             out        stacked along the third dim
 * kt_column_stack(tensors, n_tensors)                       out        stacked horizontally, vectors as columns
 * kt_foreach_mul(self, n_self, scalar, results, room)       _          each tensor times a number
 * kt_split_with_sizes(self, split_sizes, .dim = 0, results, room)             views of given sizes along a dim
 * kt_unsafe_split(self, split_size, .dim = 0, results, room)             split by another name
 * kt_unsafe_split_with_sizes(self, split_sizes, .dim = 0, results, room)             split_with_sizes by another name
 * kt_unsafe_chunk(self, chunks, .dim = 0, results, room)               chunk by another name
 * kt_tensor_split(self, sections, .dim = 0, results, room)             split into so many views, the first ones larger by one
 * kt_tensor_split_indices(self, indices, .dim = 0, results, room)             split at these indices
 * kt_tensor_split_tensor(self, tensor_indices_or_sections, .dim = 0, results, room)             the same, the indices or their number in a tensor
 * kt_hsplit(self, sections, results, room)                             split by columns into equal views
 * kt_hsplit_indices(self, indices, results, room)                      split by columns at these indices
 * kt_vsplit(self, sections, results, room)                             split by rows into equal views
 * kt_vsplit_indices(self, indices, results, room)                      split by rows at these indices
 * kt_dsplit(self, sections, results, room)                             split along the third dim into equal views
 * kt_dsplit_indices(self, indices, results, room)                      split along the third dim at these indices
 * kt_meshgrid(tensors, n_tensors, .indexing, results, room)             coordinate grids of vectors
 * kt_atleast_1d_list(tensors, n_tensors, results, room)                each of at least 1 dims
 * kt_atleast_2d_list(tensors, n_tensors, results, room)                each of at least 2 dims
 * kt_atleast_3d_list(tensors, n_tensors, results, room)                each of at least 3 dims
 * kt_unbind_copy(self, .dim = 0, results, room)                        unbind, copied
 * kt_split_copy(self, split_size, .dim = 0, results, room)             split, copied
 * kt_split_with_sizes_copy(self, split_sizes, .dim = 0, results, room)             split_with_sizes, copied
 * kt_flip(self, dims)                                                  reversed along some dims
 * kt_fliplr(self)                                                      columns reversed
 * kt_flipud(self)                                                      rows reversed
 * kt_roll(self, shifts, .dims = [])                                    shifted along dims, wrapping around
 * kt_rot90(self, .k = 1, .dims = [0, 1])                               rotated by 90 degrees in a plane of two dims
 * kt_repeat(self, repeats)                                             repeated along each dim
 * kt_tile(self, dims)                                                  repeated along each dim, as NumPy tile
 * kt_repeat_interleave(repeats, .output_size)                          indices repeated as counts say
 * kt_repeat_interleave_tensor(self, repeats, .dim, .output_size)             elements repeated as counts say
 * kt_repeat_interleave_int(self, repeats, .dim, .output_size)             each element repeated
 * kt_tril(self, .diagonal = 0)                              _ out      lower triangle, zeros above
 * kt_triu(self, .diagonal = 0)                              _ out      upper triangle, zeros below
 * kt_tril_indices(row, col, .offset = 0, .dtype, .device)              row and column indices of the lower triangle
 * kt_triu_indices(row, col, .offset = 0, .dtype, .device)              row and column indices of the upper triangle
 * kt_diag(self, .diagonal = 0)                              out        diagonal matrix of a vector, or the diagonal of a matrix
 * kt_diag_embed(self, .offset = 0, .dim1 = -2, .dim2 = -1)             diagonal matrices of the last dim
 * kt_diagflat(self, .offset = 0)                                       diagonal matrix of all elements
 * kt_constant_pad_nd(self, pad, .value = 0)                            padded with a constant; negative widths crop
 * kt_nn_pad(input, pad, .mode = 'constant', .value)                    padded, filled as mode says
 * kt_alias_copy(self)                                       out        alias, copied
 * kt_as_strided_copy(self, size, stride, .storage_offset)   out        as_strided, copied
 * kt_detach_copy(self)                                      out        detach, copied
 * kt_diagonal_copy(self, .offset = 0, .dim1 = 0, .dim2 = 1)  out        diagonal, copied
 * kt_expand_copy(self, size, .implicit = false)             out        expand, copied
 * kt_permute_copy(self, dims)                               out        permute, copied
 * kt_select_copy(self, dim, index)                          out        select, copied
 * kt_slice_copy(self, .dim = 0, .start, .end, .step = 1)    out        slice, copied
 * kt_squeeze_copy(self)                                     out        squeeze, copied
 * kt_squeeze_dim_copy(self, dim)                            out        squeeze, copied
 * kt_t_copy(self)                                           out        t, copied
 * kt_transpose_copy(self, dim0, dim1)                       out        transpose, copied
 * kt_unfold_copy(self, dimension, size, step)               out        unfold, copied
 * kt_unsqueeze_copy(self, dim)                              out        unsqueeze, copied
 * kt_view_copy(self, size)                                  out        view, copied
 * kt_view_dtype_copy(self, dtype)                           out        view, copied
 * kt_view_as_real_copy(self)                                out        view_as_real, copied
 * kt_view_as_complex_copy(self)                             out        view_as_complex, copied
 * kt_narrow_copy(self, dim, start, length)                  out        narrow, copied
 * kt_select_scatter(self, src, dim, index)                             a copy with one index of a dim written
 * kt_slice_scatter(self, src, .dim = 0, .start, .end, .step = 1)  out        a copy with a range of a dim written
 * kt_diagonal_scatter(self, src, .offset = 0, .dim1 = 0, .dim2 = 1)             a copy with a diagonal written
 * kt_as_strided_scatter(self, src, size, stride, .storage_offset)             a copy with any geometry of it written
 * kt_combinations(self, .r = 2, .with_replacement = false)             combinations of r elements of a vector, a row each
 */

/* ---- random numbers ----
 * kt_rand(size, .generator, .dtype, .device, .requires_grad = false)             uniform in [0, 1)
 * kt_rand_like(self, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, uniform in [0, 1)
 * kt_randn(size, .generator, .dtype, .device, .requires_grad = false)             standard normal
 * kt_randn_like(self, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, standard normal
 * kt_randint(high, size, .generator, .dtype, .device, .requires_grad = false)             integers in [0, high)
 * kt_randint_low(low, high, size, .generator, .dtype, .device, .requires_grad = false)             integers in [low, high)
 * kt_randint_like(self, high, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, integers in [0, high)
 * kt_randint_like_low(self, low, high, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, integers in [low, high)
 * kt_randperm(n, .generator, .dtype, .device, .requires_grad = false)             random permutation of 0 to n - 1
 * kt_normal_tensor_float(mean, .std = 1.0, .generator)      out        normal, a mean for each element
 * kt_normal_float_tensor(mean, std, .generator)             out        normal, a standard deviation for each element
 * kt_normal_tensor_tensor(mean, std, .generator)            out        normal, a mean and standard deviation for each element
 * kt_normal_float_float(mean, std, size, .generator, .dtype, .device, .requires_grad = false)             normal of a mean and standard deviation
 * kt_normal_(self, .mean = 0.0, .std = 1.0, .generator)                filled with normal samples
 * kt_uniform_(self, .from = 0.0, .to = 1.0, .generator)                filled with uniform samples of [from, to)
 * kt_random_(self, .generator)                                         filled with random integers of the range of the dtype
 * kt_random_to_(self, to, .generator)                                  filled with random integers of [0, to)
 * kt_random_from_(self, from, to, .generator)                          filled with random integers of [from, to)
 * kt_exponential_(self, .lambd = 1.0, .generator)                      filled with exponential samples of rate lambd
 * kt_cauchy_(self, .median = 0.0, .sigma = 1.0, .generator)             filled with Cauchy samples
 * kt_log_normal_(self, .mean = 1.0, .std = 2.0, .generator)             filled with log-normal samples
 * kt_geometric_(self, p, .generator)                                   filled with geometric samples
 * kt_bernoulli(self, .generator)                            out        Bernoulli samples: 1 with the probability that self gives
 * kt_bernoulli_p(self, p, .generator)                                  Bernoulli samples like self: 1 with probability p
 * kt_bernoulli_tensor_(self, p, .generator)                            filled with Bernoulli samples, a probability for each element
 * kt_bernoulli_float_(self, .p = 0.5, .generator)                      filled with Bernoulli samples of probability p
 * kt_poisson(self, .generator)                                         Poisson samples of the rates that self gives
 * kt_multinomial(self, num_samples, .replacement = false, .generator)  out        indices sampled from the weights of each row
 * kt_dropout(input, p, train)                               _          elements zeroed with probability p, the others scaled by 1 / (1 - p)
 * kt_feature_dropout(input, p, train)                       _          dropout of whole channels
 * kt_alpha_dropout(input, p, train)                         _          dropout that keeps mean and variance of what selu gives
 * kt_feature_alpha_dropout(input, p, train)                 _          alpha_dropout of whole channels
 * kt_native_dropout(input, p, train) -> result, mask                   dropout, and the mask
 * kt_nn_dropout(input, .p = 0.5, .training = true, .inplace = false)             dropout as modules call it
 * kt_nn_dropout1d(input, .p = 0.5, .training = true, .inplace = false)             dropout of whole channels of one dim
 * kt_nn_dropout2d(input, .p = 0.5, .training = true, .inplace = false)             dropout of whole channels of two dims
 * kt_nn_dropout3d(input, .p = 0.5, .training = true, .inplace = false)             dropout of whole channels of three dims
 * kt_nn_alpha_dropout(input, .p = 0.5, .training = false, .inplace = false)             alpha_dropout as modules call it
 * kt_nn_feature_alpha_dropout(input, .p = 0.5, .training = false, .inplace = false)             feature_alpha_dropout as modules call it
 */

/* ---- indexing ----
 * kt_index(self, indices, n_indices)                                   elements by index tensors, one a dim; NULL leaves a dim as it is
 * kt_index_put(self, indices, n_indices, values, .accumulate = false)  _          self with values at the places that indices name
 * kt_take(self, index)                                      out        elements by index into the flattened tensor
 * kt_put(self, index, source, .accumulate = false)          _          self with source at indices into the flattened tensor
 * kt_gather(self, dim, index, .sparse_grad = false)         out        elements along a dim, by an index each
 * kt_scatter(self, dim, index, src)                         _ out      self with the elements of src written along a dim, at an index each
 * kt_scatter_value(self, dim, index, value)                 _ out      self with a value written along a dim, at an index each
 * kt_scatter_combine(self, dim, index, src, reduce)         _ out      self with src added or multiplied in
 * kt_scatter_value_combine(self, dim, index, value, reduce)  _ out      self with a value added or multiplied in
 * kt_scatter_add(self, dim, index, src)                     _ out      self with the elements of src added along a dim, at an index each
 * kt_index_select(self, dim, index)                         out        slices along a dim, by index
 * kt_index_add(self, dim, index, source, .alpha = 1)        _ out      self with alpha times the slices of source added at index
 * kt_index_copy(self, dim, index, source)                   _ out      self with the slices of source at index
 * kt_index_fill_tensor(self, dim, index, value)             _          self with a 0-dim value in the slices at index
 * kt_index_fill(self, dim, index, value)                    _          self with a value in the slices at index
 * kt_scatter_reduce(self, dim, index, src, reduce, .include_self = true)  _ out      self with the elements of src reduced in along a dim, at an index each (sum, prod, mean, amax, amin)
 * kt_index_reduce(self, dim, index, source, reduce, .include_self = true)  _ out      self with the slices of source reduced in at index (prod, mean, amax, amin)
 * kt_take_along_dim(self, indices, .dim)                    out        gather, other dims broadcast
 * kt_unravel_index(indices, shape, results, room)                      coordinates of flat indices
 * kt_masked_fill_tensor(self, mask, value)                  _          self with a 0-dim value where mask is true
 * kt_masked_fill(self, mask, value)                         _          self with a value where mask is true
 * kt_masked_select(self, mask)                              out        elements where mask is true, as a vector
 * kt_masked_scatter(self, mask, source)                     _          self with the elements of source, in order, where mask is true
 * kt_nonzero(self)                                          out        indices of nonzero elements, a row each
 * kt_argwhere(self)                                                    nonzero by another name
 * kt_nonzero_numpy(self, results, room)                                indices of nonzero elements, a tensor for each dim
 * kt_where_self(condition, results, room)                              nonzero_numpy by another name
 * kt_nonzero_static(self, size, .fill_value = -1)           out        indices of nonzero elements, a fixed number of rows
 * kt_embedding(weight, indices, .padding_idx = -1, .scale_grad_by_freq = false, .sparse = false)             rows of weight by index (lookup table)
 * kt_nn_embedding(input, weight, .padding_idx, .max_norm, .norm_type = 2.0, .scale_grad_by_freq = false, .sparse = false)             rows of weight by index (lookup table), renormalized to max_norm where given
 * kt_nn_one_hot(self, .num_classes = -1)                               one-hot encoding of class indices
 */

/* ---- softmax and losses ----
 * kt_softmax(self, dim, .dtype)                             out        softmax along a dim
 * kt_log_softmax(self, dim, .dtype)                         out        log of softmax along a dim, without overflow
 * kt_special_softmax(self, dim, .dtype)                                softmax under its second name
 * kt_special_log_softmax(self, dim, .dtype)                            log_softmax under its second name
 * kt_nn_softmax(input, .dim, ._stacklevel = 3, .dtype)                 softmax along a dim (chosen by rank where none is given)
 * kt_nn_log_softmax(input, .dim, ._stacklevel = 3, .dtype)             log of softmax along a dim (chosen by rank where none is given)
 * kt_nn_softmin(input, .dim, ._stacklevel = 3, .dtype)                 softmax of the negated operand
 * kt_mse_loss(input, target, .reduction = 1)                           squared error
 * kt_smooth_l1_loss(input, target, .reduction = 1, .beta = 1.0)             smooth L1 loss
 * kt_huber_loss(input, target, .reduction = 1, .delta = 1.0)             Huber loss
 * kt_nn_mse_loss(input, target, .size_average, .reduce, .reduction = 'mean', .weight)             mean squared error; reduction='sum' or 'none'
 * kt_nn_l1_loss(input, target, .size_average, .reduce, .reduction = 'mean', .weight)             mean absolute error; reduction='sum' or 'none'
 * kt_nn_smooth_l1_loss(input, target, .size_average, .reduce, .reduction = 'mean', .beta = 1.0)             smooth L1 loss: squared below beta, absolute above
 * kt_nn_huber_loss(input, target, .reduction = 'mean', .delta = 1.0, .weight)             Huber loss: squared up to delta, absolute above
 * kt_nll_loss(input, target, .weight, .reduction = 1, .ignore_index = -100)             negative log likelihood; input holds log-probabilities, target int64 class indices
 * kt_nll_loss2d(input, target, .weight, .reduction = 1, .ignore_index = -100)             nll_loss of images
 * kt_nn_nll_loss(input, target, .weight, .size_average, .ignore_index = -100, .reduce, .reduction = 'mean')             negative log likelihood; input holds log-probabilities, target int64 class indices
 * kt_nn_cross_entropy(input, target, .weight, .size_average, .ignore_index = -100, .reduce, .reduction = 'mean', .label_smoothing = 0.0)             cross entropy of logits and targets: int64 class indices, or class probabilities
 * kt_binary_cross_entropy_with_logits(input, target, .weight, .pos_weight, .reduction = 0)             binary cross entropy of logits and targets in [0, 1]
 * kt_kl_div(input, target, .reduction = 0, .log_target = false)             Kullback-Leibler divergence, pointwise; input holds log-probabilities
 * kt_nn_binary_cross_entropy(input, target, .weight, .size_average, .reduce, .reduction = 'mean')             mean binary cross entropy of probabilities and targets in [0, 1]
 * kt_nn_binary_cross_entropy_with_logits(input, target, .weight, .size_average, .reduce, .reduction = 'mean', .pos_weight)             mean binary cross entropy of logits and targets in [0, 1]
 * kt_nn_kl_div(input, target, .size_average, .reduce, .reduction = 'mean', .log_target = false)             Kullback-Leibler divergence; reduction='batchmean' is the mathematical one
 */

/* ---- parts of the others: what backward and composite operators call ----
 * kt_polygamma_of(self, .n = 1)                             out        polygamma, its tensor first
 * kt_frexp_mantissa(self)                                              the mantissa that frexp gives
 * kt_frexp_exponent(self)                                              the exponent that frexp gives, as a float
 * kt_conj_physical_of(self)                                 _ out      conjugate, computed now; of a real tensor a copy
 * kt_prelu_kernel(self, weight)                                        prelu of a weight that broadcasts
 * kt_gelu_backward(grad_output, self, .approximate = 'none')             grad_output times the slope of gelu
 * kt_silu_backward(grad_output, self)                                  grad_output times the slope of silu
 * kt_elu_backward(grad_output, self_or_result, alpha, scale, input_scale, is_result)             grad_output times the slope of elu, which its result tells too where alpha is not negative
 * kt_leaky_relu_backward(grad_output, self, negative_slope, self_is_result)             grad_output times the slope of leaky_relu
 * kt_threshold_backward(grad_output, self, threshold)                  grad_output where self is over the threshold, else 0
 * kt_hardtanh_backward(grad_output, self, min_val, max_val)             grad_output where self is between min_val and max_val, else 0
 * kt_hardsigmoid_backward(grad_output, self)                           grad_output times the slope of hardsigmoid
 * kt_hardswish_backward(grad_output, self)                             grad_output times the slope of hardswish
 * kt_hardshrink_backward(grad_out, self, lambd)                        grad_out where self is not between -lambd and lambd, else 0
 * kt_softshrink_backward(grad_output, self, lambd)                     grad_output where self is not between -lambd and lambd, else 0
 * kt_softplus_backward(grad_output, self, beta, threshold)             grad_output times the slope of softplus
 * kt_log_sigmoid_backward(grad_output, self)                           grad_output times the slope of log_sigmoid
 * kt_prelu_kernel_backward(grad_output, self, weight) -> input, weight             grad_output times the slopes of prelu in its input and its weight
 * kt_glu_backward(grad_output, self, dim)                              grad_output times the slope of glu
 * kt_matmul_batched(self, other)                                       the part of matmul whose leading dims broadcast
 * kt_to_copy(self, .dtype, .device, .memory_format, .casting = 'unsafe', .rounding = 'torch')             the copy that to makes
 * kt_reshape_alias(self, size, stride)                                 the view that reshape makes of what is not dense
 * kt_unsafe_view(self, size)                                           view of a tensor that nobody else has: not counted as one
 * kt_unsafe_squeeze(self, dim)                                         squeeze of a tensor that nobody else has: not counted as a view
 * kt_conj_lazy(self)                                                   the lazy conjugate that conj gives
 * kt_neg_view(self)                                                    the lazy negation of a view
 * kt_interleave(self, repeats, dim, output_size)                       what repeat_interleave makes of a tensor of counts
 * kt_softmax_along(self, dim, half_to_float)                           softmax in the operand's dtype
 * kt_log_softmax_along(self, dim, half_to_float)                       log_softmax in the operand's dtype
 * kt_softmax_backward_data(grad_output, output, dim, input_dtype)             gradient of softmax
 * kt_log_softmax_backward_data(grad_output, output, dim, input_dtype)             gradient of log_softmax
 * kt_mse_loss_backward(grad_output, input, target, .reduction = 0)             gradient of mse_loss
 * kt_smooth_l1_loss_backward(grad_output, input, target, .reduction = 0, .beta = 1.0)             gradient of smooth_l1_loss
 * kt_huber_loss_backward(grad_output, input, target, .reduction = 0, .delta = 1.0)             gradient of huber_loss
 * kt_div_by_number(input, other)                            s          input / other, under the name that a division by a number has in a graph that PyTorch's own operators made
 * kt_mul_by_number(input, other)                            s          input * other, under the name that a product with a number has in a graph that PyTorch's own operators made
 * kt_binary_cross_entropy(input, target, .weight, .reduction = 1)             binary cross entropy of probabilities and targets in [0, 1]
 * kt_bce_logits(tensors, n_tensors, .reduction = 0)                    cross entropy of logits, targets, weights and weights of the positive; the last two may be absent
 */
#endif
