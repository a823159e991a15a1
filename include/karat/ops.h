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
 * kt_floor_divide(self, other)                              _ out s    the quotient rounded down
 * kt_remainder(self, other)                                 _ out s    what floor division leaves: the sign is the divisor's
 * kt_fmod(self, other)                                      _ out s    what truncated division leaves: the sign is the dividend's
 * kt_pow(self, exponent)                                    _ out s    self to the power of the exponent
 * kt_pow_base(self, exponent)                               s          a number to the power of a tensor
 * kt_float_power(self, exponent)                            s          pow in float64 or complex128
 * kt_ldexp(self, other)                                                self * 2 ** other
 * kt_atan2(self, other)                                     _ out      the angle of (other, self)
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
 * kt_maximum(self, other)                                   _ out      the larger; NaN wins
 * kt_minimum(self, other)                                   _ out      the smaller; NaN wins
 * kt_fmax(self, other)                                      _ out      the larger; a number wins over NaN
 * kt_fmin(self, other)                                      _ out      the smaller; a number wins over NaN
 * kt_eq(self, other)                                        _ out s    self == other
 * kt_ne(self, other)                                        _ out s    self != other
 * kt_lt(self, other)                                        _ out s    self < other
 * kt_le(self, other)                                        _ out s    self <= other
 * kt_gt(self, other)                                        _ out s    self > other
 * kt_ge(self, other)                                        _ out s    self >= other
 * kt_isclose(self, other, .rtol = 1e-05, .atol = 1e-08, .equal_nan = false)             equal, or apart by no more than atol + rtol * |other|
 * kt_clamp(self, .min, .max)                                _ out s    held between min and max
 * kt_clamp_min(self, min)                                   _ out s    at least min
 * kt_clamp_max(self, max)                                   _ out s    at most max
 */

/* ---- logic and bits ----
 * kt_logical_and(self, other)                               _ out      and of truths
 * kt_logical_or(self, other)                                _ out      or of truths
 * kt_logical_xor(self, other)                               _ out      xor of truths
 * kt_logical_not(self)                                      _ out      is it zero?
 * kt_bitwise_and(self, other)                               _ out s    and of bits
 * kt_bitwise_or(self, other)                                _ out s    or of bits
 * kt_bitwise_xor(self, other)                               _ out s    xor of bits
 * kt_bitwise_not(self)                                      _ out      every bit turned
 * kt_bitwise_left_shift(self, other)                        _ out s    self << other
 * kt_bitwise_right_shift(self, other)                       _ out s    self >> other
 */

/* ---- functions of one element ----
 * kt_abs(self)                                              _ out      magnitude
 * kt_isnan(self)                                                       nan?
 * kt_isinf(self)                                                       inf?
 * kt_isfinite(self)                                                    finite?
 * kt_isposinf(self)                                         out        posinf?
 * kt_isneginf(self)                                         out        neginf?
 * kt_signbit(self)                                          out        is the sign bit set?
 * kt_sign(self)                                             _ out      -1, 0 or 1
 * kt_sgn(self)                                              _ out      sign; of a complex number, its direction
 * kt_neg(self)                                              _ out      -self
 * kt_positive(self)                                                    self
 * kt_square(self)                                           _ out      self * self
 * kt_ceil(self)                                             _ out      rounded up
 * kt_floor(self)                                            _ out      rounded down
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
 * kt_polygamma(n, self)                                                the n-th derivative of digamma
 * kt_frexp(self) -> mantissa, exponent                                 mantissa from a half up to 1, and exponent of 2
 * kt_logit(self, .eps)                                      _ out      log(p / (1 - p)), p held eps from 0 and 1 where eps is given
 * kt_deg2rad(self)                                          _ out      degrees to radians
 * kt_rad2deg(self)                                          _ out      radians to degrees
 * kt_angle(self)                                            out        angle of a complex number; pi for negative reals
 * kt_nan_to_num(self, .nan, .posinf, .neginf)               _ out      NaN and infinities replaced
 * kt_conj_physical(self)                                    _ out      conjugate, computed now
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
 * kt_isreal(self)                                                      no imaginary part but 0
 */

/* ---- activation functions ----
 * kt_gelu(self, .approximate = 'none')                      out        self times the share of a normal distribution below it, by erf or (approximate='tanh') nearly
 * kt_silu(self)                                             _ out      self * sigmoid(self)
 * kt_mish(self)                                             _ out      self * tanh(softplus(self))
 * kt_elu(self, .alpha = 1, .scale = 1, .input_scale = 1)    _ out      scale * self, below 0 scale * alpha * (e^(input_scale * self) - 1)
 * kt_celu(input, .alpha = 1.0)                              _          input, below 0 alpha * (e^(input / alpha) - 1)
 * kt_selu(input)                                            _          elu with the alpha and the scale that keep mean 0 and variance 1
 * kt_leaky_relu(self, .negative_slope = 0.01)               _ out      self, below 0 negative_slope * self
 * kt_hardtanh(self, .min_val = -1, .max_val = 1)            _ out      held between min_val and max_val
 * kt_relu6(self)                                            _          held between 0 and 6
 * kt_hardsigmoid(self)                                      _ out      self / 6 + 1 / 2, held between 0 and 1
 * kt_hardswish(self)                                        _ out      self * hardsigmoid(self)
 * kt_hardshrink(self, .lambd = 0.5)                         out        self, 0 between -lambd and lambd
 * kt_softshrink(self, .lambd = 0.5)                         out        lambd nearer to 0, and 0 where that would pass it
 * kt_softplus(self, .beta = 1, .threshold = 20)             out        log(1 + e^(beta * self)) / beta, self where beta * self is over the threshold
 * kt_log_sigmoid(self)                                      out        log(sigmoid(self)) without underflow
 * kt_softsign(self)                                                    self / (1 + |self|)
 * kt_tanhshrink(self)                                                  self - tanh(self)
 * kt_threshold(input, threshold, value)                     _ out      input where it is over the threshold, else value
 * kt_prelu(self, weight)                                               self, below 0 times a weight: one, or one for each channel
 * kt_glu(self, .dim = -1)                                   out        the first half of a dim times the sigmoid of the second
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
 * kt_nanmean(self, .dim, .keepdim = false, .dtype)          out        mean of what is not NaN
 * kt_logsumexp(self, dim, .keepdim = false)                 out        log of the sum of exponentials, without overflow
 * kt_count_nonzero(self, .dim)                                         how many are not 0
 * kt_count_nonzero_dim(self, dim)                                      how many are not 0 over some dims
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
 * kt_max(self)                                              out        the largest element
 * kt_max_other(self, other)                                 out        the larger; NaN wins
 * kt_max_dim(self, dim, .keepdim = false) -> values, indices  out        the largest of a dim, and where it stands first
 * kt_min(self)                                              out        the smallest element
 * kt_min_other(self, other)                                 out        the smaller; NaN wins
 * kt_min_dim(self, dim, .keepdim = false) -> values, indices  out        the smallest of a dim, and where it stands first
 * kt_amax(self, .dim = [], .keepdim = false)                out        the largest over some dims
 * kt_amin(self, .dim = [], .keepdim = false)                out        the smallest over some dims
 * kt_aminmax(self, .dim, .keepdim = false) -> min, max      out        the smallest and the largest
 * kt_argmax(self, .dim, .keepdim = false)                   out        where the largest stands first
 * kt_argmin(self, .dim, .keepdim = false)                   out        where the smallest stands first
 * kt_any(self)                                              out        is one of them true?
 * kt_any_dim(self, dim, .keepdim = false)                   out        is one of them true, over a dim
 * kt_any_dims(self, .dim, .keepdim = false)                 out        is one of them true, over some dims; an empty list folds none
 * kt_all(self)                                              out        are all of them true?
 * kt_all_dim(self, dim, .keepdim = false)                   out        are all of them true, over a dim
 * kt_all_dims(self, .dim, .keepdim = false)                 out        are all of them true, over some dims; an empty list folds none
 * kt_linalg_vector_norm(self, .ord = 2, .dim, .keepdim = false, .dtype)  out        norm of order ord over some dims
 * kt_norm(self, .p, .dim, .keepdim = false, .dtype)         out        norm of order p (2) over some dims
 * kt_norm_str(self, p, .dim, .keepdim = false, .dtype)                 the norm called 'fro'
 * kt_linalg_matrix_norm(self, ord, .dim = [-2, -1], .keepdim = false, .dtype)  out        norm of matrices: order 1, -1, inf, -inf
 * kt_linalg_matrix_norm_str(self, .ord = 'fro', .dim = [-2, -1], .keepdim = false, .dtype)  out        norm of matrices: 'fro'
 * kt_linalg_norm(self, .ord, .dim, .keepdim = false, .dtype)  out        a vector or a matrix norm, by the number of dims
 * kt_linalg_norm_str(self, ord, .dim, .keepdim = false, .dtype)  out        the matrix norm of this name
 * kt_frobenius_norm(self, dim, .keepdim = false)                       root of the sum of squares
 * kt_dist(self, other, .p = 2)                                         norm of self - other
 * kt_trace(self)                                                       sum of the diagonal
 * kt_cov(self, .correction = 1, .fweights, .aweights)                  covariance of the rows
 * kt_corrcoef(self)                                                    correlation of the rows
 */

/* ---- scans along a dim ----
 * kt_cumsum(self, dim, .dtype)                              _ out      sums of all up to each
 * kt_cumprod(self, dim, .dtype)                             _ out      products of all up to each
 * kt_logcumsumexp(self, dim)                                out        logarithms of the sums of exponentials of all up to each
 * kt_cummax(self, dim) -> values, indices                   out        the largest up to each, and where it stood last; NaN wins
 * kt_cummin(self, dim) -> values, indices                   out        the smallest up to each, and where it stood last; NaN wins
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
 * kt_sort_stable(self, stable, .dim = -1, .descending = false) -> values, indices  out        a dim in order, and where each stood; equals keep their order
 * kt_sort(self, .dim = -1, .descending = false) -> values, indices  out        a dim in order, and where each stood
 * kt_argsort_stable(self, stable, .dim = -1, .descending = false)  out        where each element of a dim in order stood; equals keep their order
 * kt_argsort(self, .dim = -1, .descending = false)                     where each element of a dim in order stood
 * kt_msort(self)                                            out        the first dim in order
 * kt_topk(self, k, .dim = -1, .largest = true, .sorted = true) -> values, indices  out        the k largest or smallest of a dim, and where they stood
 * kt_kthvalue(self, k, .dim = -1, .keepdim = false) -> values, indices  out        the k-th smallest of a dim, and where it stands
 * kt_median(self)                                                      the median of all elements, the lower of two; NaN if there is one
 * kt_median_dim(self, dim, .keepdim = false) -> values, indices  out        the median of a dim, the lower of two, and where it stands
 * kt_nanmedian(self)                                                   the median of what is not NaN
 * kt_nanmedian_dim(self, dim, .keepdim = false) -> values, indices  out        the median of what is not NaN in a dim, and where it stands
 * kt_mode(self, .dim = -1, .keepdim = false) -> values, indices  out        the most frequent of a dim, the smallest of such, and where it stands last
 */

/* ---- sets, searches, counts ----
 * kt_unique(self, .sorted = true, .return_inverse = false, .return_counts = false) -> result, result_inverse, result_counts             every value once, in order; where each element's value stands there, and how often it occurs
 * kt_unique_dim(self, dim, .sorted = true, .return_inverse = false, .return_counts = false) -> result, result_inverse, result_counts             every slice of a dim once, in order; where each slice stands there, and how often it occurs
 * kt_unique_consecutive(self, .return_inverse = false, .return_counts = false, .dim) -> result, result_inverse, result_counts             runs of equals shortened to one; to which run each element belongs, and how long it is
 * kt_isin(elements, test_elements, .assume_unique = false, .invert = false)  out        which elements occur among the others
 * kt_isin_element(element, test_elements, .assume_unique = false, .invert = false)  out        does the number occur among the elements?
 * kt_isin_number(elements, test_element, .assume_unique = false, .invert = false)  out        which elements equal the number
 * kt_searchsorted(sorted_sequence, self, .out_int32 = false, .right = false, .side, .sorter)  out        where each value would be put into an ordered last dim, which stays in order
 * kt_searchsorted_number(sorted_sequence, self, .out_int32 = false, .right = false, .side, .sorter)  out        where the number would be put into an ordered row
 * kt_bucketize(self, boundaries, .out_int32 = false, .right = false)  out        between which boundaries each value lies
 * kt_bucketize_number(self, boundaries, .out_int32 = false, .right = false)             between which boundaries the number lies
 * kt_bincount(self, .weights, .minlength = 0)                          how often each number from 0 on occurs, or the sum of the weights that stand there
 * kt_histc(self, .bins = 100, .min = 0, .max = 0)           out        how many elements lie in each of so many bins between min and max
 * kt_histogram_edges(self, bins, .weight, .density = false) -> hist, bin_edges  out        how many elements, or how much weight, lie between each two edges
 * kt_histogram(self, .bins = 100, .low, .high, .weight, .density = false) -> hist, bin_edges  out        how many elements, or how much weight, lie in each of so many bins
 * kt_quantile(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        what lies q of the way through a dim in order; NaN where there is one
 * kt_quantile_number(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        what lies q of the way through a dim in order; NaN where there is one
 * kt_nanquantile(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        what lies q of the way through the numbers of a dim in order
 * kt_nanquantile_number(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        what lies q of the way through the numbers of a dim in order
 */

/* ---- matrix products ----
 * kt_matmul(self, other)                                    out        matrix product; leading dims broadcast
 * kt_mm(self, mat2)                                         out        product of two matrices
 * kt_bmm(self, mat2)                                        out        products of two batches of matrices
 * kt_mv(self, vec)                                          out        matrix times vector
 * kt_dot(self, tensor)                                      out        inner product of two vectors
 * kt_vdot(self, other)                                      out        inner product of two vectors, the first conjugated
 * kt_addmm(self, mat1, mat2, .beta = 1, .alpha = 1)         _ out      beta * self + alpha * (mat1 @ mat2)
 * kt_addmv(self, mat, vec, .beta = 1, .alpha = 1)           _ out      beta * self + alpha * (mat @ vec)
 * kt_baddbmm(self, batch1, batch2, .beta = 1, .alpha = 1)   _ out      beta * self + alpha * (batch1 @ batch2), batch by batch
 * kt_addbmm(self, batch1, batch2, .beta = 1, .alpha = 1)    _ out      beta * self + alpha * the sum of the products of two batches
 * kt_addr(self, vec1, vec2, .beta = 1, .alpha = 1)          _ out      beta * self + alpha * every element of vec1 times every element of vec2
 * kt_linear(input, weight, .bias)                                      input @ weight transposed + bias
 * kt_bilinear(input1, input2, weight, .bias)                           input1 @ weight @ input2 for each of the outer weights, + bias
 * kt_outer(self, vec2)                                      out        every element of self times every element of vec2
 * kt_ger(self, vec2)                                        out        outer, by its old name
 * kt_inner(self, other)                                     out        sums of products over the last dims
 * kt_tensordot(self, other, dims_self, dims_other)          out        sums of products over pairs of dims
 * kt_kron(self, other)                                      out        every element of self times the whole of other
 * kt_einsum(equation, tensors, n_tensors)                              sums of products as subscripts say: "ij,jk->ik"
 * kt_linalg_multi_dot(tensors, n_tensors)                   out        product of several matrices in the cheapest order
 * kt_chain_matmul(matrices, n_matrices)                     out        linalg_multi_dot, by its old name
 * kt_linalg_vecdot(x, y, .dim = -1)                         out        inner products along a dim, x conjugated
 * kt_linalg_matrix_power(self, n)                           out        square matrices to a whole power
 * kt_matrix_power(self, n)                                  out        linalg_matrix_power, by its old name
 * kt_linalg_cross(self, other, .dim = -1)                   out        cross products of vectors of three
 * kt_cross(self, other, .dim)                               out        linalg_cross along the first dim of three
 * kt_block_diag(tensors, n_tensors)                                    matrices along the diagonal of one
 * kt_cartesian_prod(tensors, n_tensors)                                every combination of elements, one a row
 * kt_cdist(x1, x2, .p = 2, .compute_mode)                              the p-norm of the difference of every row of x1 and every row of x2
 * kt_renorm(self, p, dim, maxnorm)                          _ out      slices of a dim shortened to the p-norm maxnorm where they are longer
 */

/* ---- casts and copies ----
 * kt_to(self, .dtype, .device, .copy = false, .memory_format, .casting = 'unsafe', .rounding = 'torch')             as another dtype or on another device; itself where nothing changes
 * kt_clone(self, .memory_format)                                       a copy
 * kt_contiguous(self, .memory_format)                                  itself where dense and row-major, else a copy that is
 * kt_copy(self, src)                                        _          self with the values of src; in place: written over
 * kt_fill(self, value)                                      _ s        every element the same
 * kt_zero(self)                                             _          every element 0
 * kt_resolve_conj(self)                                                conjugated now where it was lazy
 * kt_resolve_neg(self)                                                 negated now where it was lazy
 */

/* ---- making tensors ----
 * kt_empty(size, .dtype, .device, .requires_grad = false, .memory_format)             memory as it is
 * kt_zeros(size, .dtype, .device, .requires_grad = false)              zeros
 * kt_ones(size, .dtype, .device, .requires_grad = false)               ones
 * kt_full(size, fill_value, .dtype, .device, .requires_grad = false)             one value everywhere; its kind gives the dtype
 * kt_eye(n, .m, .dtype, .device, .requires_grad = false)               ones on the diagonal
 * kt_arange(start, end, .step = 1, .dtype, .device, .requires_grad = false)             start, start + step, ... before end
 * kt_range(start, end, .step = 1, .dtype, .device, .requires_grad = false)             start, start + step, ... up to end
 * kt_linspace(start, end, steps, .dtype, .device, .requires_grad = false)             evenly spaced, both ends included
 * kt_logspace(start, end, steps, .base = 10.0, .dtype, .device, .requires_grad = false)             base to the powers of linspace
 * kt_scalar_tensor(s, .dtype, .device, .requires_grad = false)             a 0-dim tensor
 * kt_empty_like(self, .dtype, .device, .requires_grad = false, .memory_format)             like self, memory as it is
 * kt_zeros_like(self, .dtype, .device, .requires_grad = false, .memory_format)             like self, zeros
 * kt_ones_like(self, .dtype, .device, .requires_grad = false, .memory_format)             like self, ones
 * kt_full_like(self, fill_value, .dtype, .device, .requires_grad = false, .memory_format)             like self, one value
 * kt_new_empty(self, size, .dtype, .device, .requires_grad = false)             of self's dtype and device
 * kt_new_zeros(self, size, .dtype, .device, .requires_grad = false)             of self's dtype and device, zeros
 * kt_new_ones(self, size, .dtype, .device, .requires_grad = false)             of self's dtype and device, ones
 * kt_new_full(self, size, fill_value, .dtype, .device, .requires_grad = false)             of self's dtype and device, one value
 */

/* ---- views ----
 * kt_select(self, dim, index)                                          one index of a dim
 * kt_slice(self, .dim = 0, .start, .end, .step = 1)                    a range of a dim
 * kt_narrow(self, dim, start, length)                                  length elements of a dim from start
 * kt_narrow_tensor(self, dim, start, length)                           the same, from a start that a 0-dim tensor holds
 * kt_transpose(self, dim0, dim1)                                       two dims exchanged
 * kt_t(self)                                                           a matrix transposed
 * kt_permute(self, dims)                                               dims in another order
 * kt_expand(self, size, .implicit = false)                             dims of one element repeated without copying
 * kt_expand_as(self, other)                                            expanded to the size of other
 * kt_view(self, size)                                                  the same elements in another shape
 * kt_view_dtype(self, dtype)                                           the same bytes as another dtype
 * kt_reshape(self, shape)                                              a view in another shape, or a copy where none can be
 * kt_flatten(self, .start_dim = 0, .end_dim = -1)                      some dims made one
 * kt_squeeze(self)                                                     without dims of one element
 * kt_squeeze_dim(self, dim)                                            without these dims where they have one element
 * kt_unsqueeze(self, dim)                                              a new dim of one element
 * kt_unfold(self, dimension, size, step)                               windows of a dim as a new last dim
 * kt_diagonal(self, .offset = 0, .dim1 = 0, .dim2 = 1)                 a diagonal of two dims as the last dim
 * kt_as_strided(self, size, stride, .storage_offset)                   any geometry over the same storage
 * kt_real(self)                                                        real parts
 * kt_imag(self)                                                        imaginary parts
 * kt_view_as_real(self)                                                complex as a last dim of two reals
 * kt_view_as_complex(self)                                             a last dim of two reals as complex
 * kt_conj(self)                                                        conjugate; lazy for complex
 * kt_detach(self)                                                      the same values without history
 * kt_alias(self)                                                       the same tensor as a view of itself
 * kt_movedim(self, source, destination)                                dims moved to other places, the rest in order
 * kt_moveaxis(self, source, destination)                               movedim by another name
 * kt_swapaxes(self, axis0, axis1)                                      transpose by another name
 * kt_swapdims(self, dim0, dim1)                                        transpose by another name
 * kt_unflatten(self, dim, sizes)                                       a dim made several
 * kt_ravel(self)                                                       one dim
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
 * kt_split(self, split_size, .dim = 0, results, room)                  views of split_size each; the last may be smaller
 * kt_split_sizes(self, split_sizes, .dim = 0, results, room)             views of these sizes
 * kt_chunk(self, chunks, .dim = 0, results, room)                      about equal views
 * kt_unbind(self, .dim = 0, results, room)                             every index of a dim
 * kt_broadcast_tensors(tensors, n_tensors, results, room)              all expanded to their common shape
 * kt_cat(tensors, n_tensors, .dim = 0)                      out        joined along a dim
 * kt_concat(tensors, n_tensors, .dim = 0)                   out        cat by another name
 * kt_concatenate(tensors, n_tensors, .dim = 0)              out        cat by another name
 * kt_stack(tensors, n_tensors, .dim = 0)                    out        joined along a new dim
 * kt_hstack(tensors, n_tensors)                             out        joined side by side
 * kt_vstack(tensors, n_tensors)                             out        joined one under the other
 * kt_row_stack(tensors, n_tensors)                          out        vstack by another name
 * kt_dstack(tensors, n_tensors)                             out        joined along the third dim
 * kt_column_stack(tensors, n_tensors)                       out        vectors as columns, then side by side
 * kt_foreach_mul(self, n_self, scalar, results, room)       _          each times a number
 * kt_split_with_sizes(self, split_sizes, .dim = 0, results, room)             views of these sizes
 * kt_unsafe_split(self, split_size, .dim = 0, results, room)             split by another name
 * kt_unsafe_split_with_sizes(self, split_sizes, .dim = 0, results, room)             split_with_sizes by another name
 * kt_unsafe_chunk(self, chunks, .dim = 0, results, room)               chunk by another name
 * kt_tensor_split(self, sections, .dim = 0, results, room)             so many views, the first ones longer by one
 * kt_tensor_split_indices(self, indices, .dim = 0, results, room)             views between these indices
 * kt_tensor_split_tensor(self, tensor_indices_or_sections, .dim = 0, results, room)             the same, the indices or their number in a tensor
 * kt_hsplit(self, sections, results, room)                             equal views of columns
 * kt_hsplit_indices(self, indices, results, room)                      views of columns between these indices
 * kt_vsplit(self, sections, results, room)                             equal views of rows
 * kt_vsplit_indices(self, indices, results, room)                      views of rows between these indices
 * kt_dsplit(self, sections, results, room)                             equal views of the third dim
 * kt_dsplit_indices(self, indices, results, room)                      views of the third dim between these indices
 * kt_meshgrid(tensors, n_tensors, .indexing, results, room)             each vector along a dim of its own, expanded along the others
 * kt_atleast_1d_list(tensors, n_tensors, results, room)                each of at least 1 dims
 * kt_atleast_2d_list(tensors, n_tensors, results, room)                each of at least 2 dims
 * kt_atleast_3d_list(tensors, n_tensors, results, room)                each of at least 3 dims
 * kt_unbind_copy(self, .dim = 0, results, room)                        unbind, copied
 * kt_split_copy(self, split_size, .dim = 0, results, room)             split, copied
 * kt_split_with_sizes_copy(self, split_sizes, .dim = 0, results, room)             split_with_sizes, copied
 * kt_flip(self, dims)                                                  some dims from their end
 * kt_fliplr(self)                                                      columns from their end
 * kt_flipud(self)                                                      rows from their end
 * kt_roll(self, shifts, .dims = [])                                    moved along; what falls off the end comes in at the start
 * kt_rot90(self, .k = 1, .dims = [0, 1])                               turned by quarters
 * kt_repeat(self, repeats)                                             the whole so many times along each dim
 * kt_tile(self, dims)                                                  repeat, where dims may be fewer than the tensor has
 * kt_repeat_interleave(repeats, .output_size)                          each index as often as its count says
 * kt_repeat_interleave_tensor(self, repeats, .dim, .output_size)             each element as often as its count says
 * kt_repeat_interleave_int(self, repeats, .dim, .output_size)             each element so many times
 * kt_tril(self, .diagonal = 0)                              _ out      the lower triangle, zeros above
 * kt_triu(self, .diagonal = 0)                              _ out      the upper triangle, zeros below
 * kt_tril_indices(row, col, .offset = 0, .dtype, .device)              rows and columns of the elements of a triangle
 * kt_triu_indices(row, col, .offset = 0, .dtype, .device)              rows and columns of the elements of a triangle
 * kt_diag(self, .diagonal = 0)                              out        a vector as a diagonal, or the diagonal of a matrix
 * kt_diag_embed(self, .offset = 0, .dim1 = -2, .dim2 = -1)             the last dim as diagonals of matrices
 * kt_diagflat(self, .offset = 0)                                       all elements as one diagonal
 * kt_constant_pad_nd(self, pad, .value = 0)                            a value around it; negative widths cut
 * kt_nn_pad(input, pad, .mode = 'constant', .value)                    room around it, filled as mode says
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
 * kt_narrow_copy(self, dim, start, length)                             narrow, copied
 * kt_select_scatter(self, src, dim, index)                             a copy with one index of a dim written
 * kt_slice_scatter(self, src, .dim = 0, .start, .end, .step = 1)             a copy with a range of a dim written
 * kt_diagonal_scatter(self, src, .offset = 0, .dim1 = 0, .dim2 = 1)             a copy with a diagonal written
 * kt_as_strided_scatter(self, src, size, stride, .storage_offset)             a copy with any geometry of it written
 * kt_combinations(self, .r = 2, .with_replacement = false)             every choice of r elements of a vector, a row each
 */

/* ---- random numbers ----
 * kt_rand(size, .generator, .dtype, .device, .requires_grad = false)             uniform in [0, 1)
 * kt_rand_like(self, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, uniform in [0, 1)
 * kt_randn(size, .generator, .dtype, .device, .requires_grad = false)             normal of mean 0 and deviation 1
 * kt_randn_like(self, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, normal of mean 0 and deviation 1
 * kt_randint(high, size, .generator, .dtype, .device, .requires_grad = false)             integers in [0, high)
 * kt_randint_low(low, high, size, .generator, .dtype, .device, .requires_grad = false)             integers in [low, high)
 * kt_randint_like(self, high, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, integers in [0, high)
 * kt_randint_like_low(self, low, high, .generator, .dtype, .device, .requires_grad = false, .memory_format)             like self, integers in [low, high)
 * kt_randperm(n, .generator, .dtype, .device, .requires_grad = false)             0 to n - 1 in random order
 * kt_normal_tensor_float(mean, .std = 1.0, .generator)                 normal, each element of its own mean
 * kt_normal_float_tensor(mean, std, .generator)                        normal, each element of its own deviation
 * kt_normal_tensor_tensor(mean, std, .generator)                       normal, each element of its own mean and deviation
 * kt_normal_float_float(mean, std, size, .generator, .dtype, .device, .requires_grad = false)             normal of one mean and deviation
 * kt_normal_(self, .mean = 0.0, .std = 1.0, .generator)                written over with normal numbers
 * kt_uniform_(self, .from = 0.0, .to = 1.0, .generator)                written over with numbers uniform in [from, to)
 * kt_random_(self, .generator)                                         written over with integers of the dtype: all from 0 on that it counts exactly
 * kt_random_to_(self, to, .generator)                                  written over with integers in [0, to)
 * kt_random_from_(self, from, to, .generator)                          written over with integers in [from, to), or from `from` up
 * kt_exponential_(self, .lambd = 1.0, .generator)                      written over with exponential numbers of rate lambd
 * kt_cauchy_(self, .median = 0.0, .sigma = 1.0, .generator)             written over with Cauchy numbers
 * kt_log_normal_(self, .mean = 1.0, .std = 2.0, .generator)             written over with numbers whose logarithm is normal
 * kt_geometric_(self, p, .generator)                                   written over with counts of tries up to the first success
 * kt_bernoulli(self, .generator)                                       1 with the probability that self gives, else 0
 * kt_bernoulli_p(self, p, .generator)                                  like self: 1 with probability p, else 0
 * kt_bernoulli_tensor_(self, p, .generator)                            written over with 1 where chance, of probability p, has it, else 0
 * kt_bernoulli_float_(self, .p = 0.5, .generator)                      written over with 1, of probability p, or 0
 * kt_poisson(self, .generator)                                         Poisson counts of the rates that self gives
 * kt_multinomial(self, num_samples, .replacement = false, .generator)             categories chosen by weight, for each row
 * kt_dropout(input, p, train)                               _          each element 0 with probability p, the others scaled up to the same mean
 * kt_feature_dropout(input, p, train)                       _          dropout of whole channels
 * kt_alpha_dropout(input, p, train)                         _          dropout that keeps mean and variance of what selu gives
 * kt_feature_alpha_dropout(input, p, train)                 _          alpha_dropout of whole channels
 * kt_native_dropout(input, p, train) -> result, mask                   dropout, and which elements stayed
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
 * kt_take(self, index)                                      out        elements of self seen as one row
 * kt_put(self, index, source, .accumulate = false)          _          self seen as one row, with source at index
 * kt_gather(self, dim, index, .sparse_grad = false)         out        each element from its own index of a dim
 * kt_scatter(self, dim, index, src)                         _ out      self with each element of src at its own index of a dim
 * kt_scatter_value(self, dim, index, value)                 _ out      self with a value at each index of a dim
 * kt_scatter_combine(self, dim, index, src, reduce)         _ out      self with src added or multiplied in
 * kt_scatter_value_combine(self, dim, index, value, reduce)  _ out      self with a value added or multiplied in
 * kt_scatter_add(self, dim, index, src)                     _ out      self with each element of src added at its own index of a dim
 * kt_index_select(self, dim, index)                         out        whole slices of a dim, in the order of index
 * kt_index_add(self, dim, index, source, .alpha = 1)        _ out      self with alpha times the slices of source added at index
 * kt_index_copy(self, dim, index, source)                   _ out      self with the slices of source at index
 * kt_index_fill_tensor(self, dim, index, value)             _          self with a 0-dim value in the slices at index
 * kt_index_fill(self, dim, index, value)                    _          self with a value in the slices at index
 * kt_scatter_reduce(self, dim, index, src, reduce, .include_self = true)  _ out      self with the elements of src summed, multiplied, averaged or compared in at their own index of a dim
 * kt_index_reduce(self, dim, index, source, reduce, .include_self = true)  _ out      self with the slices of source multiplied, averaged or compared in at index
 * kt_take_along_dim(self, indices, .dim)                    out        gather, where the other dims are broadcast
 * kt_unravel_index(indices, shape, results, room)                      the indices, one a dim, of places counted row by row
 * kt_masked_fill_tensor(self, mask, value)                  _          self with a 0-dim value where mask holds
 * kt_masked_fill(self, mask, value)                         _          self with a value where mask holds
 * kt_masked_select(self, mask)                              out        the elements where mask holds, as one row
 * kt_masked_scatter(self, mask, source)                     _          self with the elements of source, in order, where mask holds
 * kt_nonzero(self)                                                     the places of elements other than zero, a row each
 * kt_argwhere(self)                                                    nonzero by another name
 * kt_nonzero_numpy(self, results, room)                                the places of elements other than zero, a tensor for each dim
 * kt_where_self(condition, results, room)                              nonzero_numpy by another name
 * kt_nonzero_static(self, size, .fill_value = -1)                      so many rows of nonzero, the last ones filled where there are fewer
 * kt_embedding(weight, indices, .padding_idx = -1, .scale_grad_by_freq = false, .sparse = false)             rows of weight, one for each index
 * kt_nn_embedding(input, weight, .padding_idx, .max_norm, .norm_type = 2.0, .scale_grad_by_freq = false, .sparse = false)             rows of weight, one for each element of input; those longer than max_norm are shortened first
 * kt_nn_one_hot(self, .num_classes = -1)                               a new last dim of zeros, with a one at the index of each class
 */

/* ---- softmax and losses ----
 * kt_softmax(self, dim, .dtype)                             out        exponentials over their sum along a dim
 * kt_log_softmax(self, dim, .dtype)                         out        logarithm of softmax, without overflow
 * kt_special_softmax(self, dim, .dtype)                                softmax under its second name
 * kt_special_log_softmax(self, dim, .dtype)                            log_softmax under its second name
 * kt_nn_softmax(input, .dim, ._stacklevel = 3, .dtype)                 softmax; where no dim is named, along 0 or 1 by the rank
 * kt_nn_log_softmax(input, .dim, ._stacklevel = 3, .dtype)             log_softmax; where no dim is named, along 0 or 1 by the rank
 * kt_nn_softmin(input, .dim, ._stacklevel = 3, .dtype)                 softmax of the negated operand
 * kt_mse_loss(input, target, .reduction = 1)                           squares of the differences
 * kt_smooth_l1_loss(input, target, .reduction = 1, .beta = 1.0)             squares of differences below beta, else their sizes
 * kt_huber_loss(input, target, .reduction = 1, .delta = 1.0)             squares of differences up to delta, else their sizes times delta; in the dtype of the input
 * kt_nn_mse_loss(input, target, .size_average, .reduce, .reduction = 'mean', .weight)             mean of the squared differences; reduction='sum' or 'none'
 * kt_nn_l1_loss(input, target, .size_average, .reduce, .reduction = 'mean', .weight)             mean of the differences' sizes; reduction='sum' or 'none'
 * kt_nn_smooth_l1_loss(input, target, .size_average, .reduce, .reduction = 'mean', .beta = 1.0)             mean of squares where differences lie below beta, of their sizes elsewhere
 * kt_nn_huber_loss(input, target, .reduction = 'mean', .delta = 1.0, .weight)             mean of squares where differences lie up to delta, of their sizes elsewhere
 * kt_nll_loss(input, target, .weight, .reduction = 1, .ignore_index = -100)             negated logarithms of the probabilities of the classes named
 * kt_nll_loss2d(input, target, .weight, .reduction = 1, .ignore_index = -100)             nll_loss of images
 * kt_nn_nll_loss(input, target, .weight, .size_average, .ignore_index = -100, .reduce, .reduction = 'mean')             negated logarithms of the probabilities of the classes named, of any rank
 * kt_nn_cross_entropy(input, target, .weight, .size_average, .ignore_index = -100, .reduce, .reduction = 'mean', .label_smoothing = 0.0)             cross entropy of logits and classes, by index or by probability
 * kt_binary_cross_entropy_with_logits(input, target, .weight, .pos_weight, .reduction = 0)             cross entropy of logits and targets from 0 to 1
 * kt_kl_div(input, target, .reduction = 0, .log_target = false)             how far the distribution with logarithms input lies from target
 * kt_nn_binary_cross_entropy(input, target, .weight, .size_average, .reduce, .reduction = 'mean')             mean cross entropy of probabilities and targets from 0 to 1
 * kt_nn_binary_cross_entropy_with_logits(input, target, .weight, .size_average, .reduce, .reduction = 'mean', .pos_weight)             mean cross entropy of logits and targets from 0 to 1
 * kt_nn_kl_div(input, target, .size_average, .reduce, .reduction = 'mean', .log_target = false)             Kullback-Leibler divergence; reduction='batchmean' is the mathematical one
 */

/* ---- parts of the others: what backward and composite operators call ----
 * kt_polygamma_of(self, .n = 1)                             out        polygamma, its tensor first
 * kt_frexp_mantissa(self)                                              the mantissa that frexp gives
 * kt_frexp_exponent(self)                                              the exponent that frexp gives, as a float
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
 * kt_conj_lazy(self)                                                   the view that conj makes
 * kt_neg_view(self)                                                    negated when read
 * kt_interleave(self, repeats, dim, output_size)                       what repeat_interleave makes of a tensor of counts
 * kt_softmax_along(self, dim, half_to_float)                           softmax in the operand's dtype
 * kt_log_softmax_along(self, dim, half_to_float)                       log_softmax in the operand's dtype
 * kt_softmax_backward_data(grad_output, output, dim, input_dtype)             what flows back through softmax
 * kt_log_softmax_backward_data(grad_output, output, dim, input_dtype)             what flows back through log_softmax
 * kt_mse_loss_backward(grad_output, input, target, .reduction = 0)             what flows back through mse_loss
 * kt_smooth_l1_loss_backward(grad_output, input, target, .reduction = 0, .beta = 1.0)             what flows back through smooth_l1_loss
 * kt_huber_loss_backward(grad_output, input, target, .reduction = 0, .delta = 1.0)             what flows back through huber_loss
 * kt_div_by_number(input, other)                            s          input / other, under the name that a division by a number has in a graph that PyTorch's own operators made
 * kt_binary_cross_entropy(input, target, .weight, .reduction = 1)             cross entropy of probabilities and targets from 0 to 1
 * kt_bce_logits(tensors, n_tensors, .reduction = 0)                    cross entropy of logits, targets, weights and weights of the positive; the last two may be absent
 */
#endif
