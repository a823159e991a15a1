/* ops.h - every operator, one line each. Written by tools/gen_ops.c from src/tables/ops.def: do not edit.
 *
 * kt_add(a, b) returns a new tensor. The second column lists forms: _ kt_add_(a, b) writes into a, out
 * kt_add_out(out, a, b) writes into out, s kt_add_s(a, KT_INT(2)) takes a number for the last tensor, ss for each
 * (kt_where_ss). Suffixes combine: kt_add_s_, kt_add_s_out.
 * Options are named, kt_add(a, b, .alpha = KT_INT(2)): one given by position, kt_add(a, b, 2), does not compile. An
 * option whose default is not zero is set by KT_SOME: .dim = KT_SOME(0).
 * With no option and -Wpedantic, or in C++, call kt_add_kw(a, b, NULL). Operators that return a list fill `results`
 * (room for so many) and return how many there are, or -1. Those with several results return a struct of them, all
 * NULL after an error. ops_typed.h has the C declarations; `karat ops NAME` shows which dtypes an operator takes
 * and returns. */
#ifndef KARAT_OPS_H
#define KARAT_OPS_H

#include <karat/ops_typed.h>

/* ---- arithmetic ----
 * kt_add(self, other, .alpha = 1)                           _ out s    self + alpha * other
 * kt_sub(self, other, .alpha = 1)                           _ out s    self - alpha * other
 * kt_rsub(self, other, .alpha = 1)                          s          other - alpha * self
 * kt_mul(self, other)                                       _ out s    self * other
 * kt_div(self, other, .rounding_mode)                       _ out s    self / other, rounded where rounding_mode is 'trunc' or 'floor'
 * kt_true_divide(self, other)                               _ out s    self / other
 * kt_floor_divide(self, other)                              _ out s    floor(self / other)
 * kt_remainder(self, other)                                 _ out s    remainder of floor division, with the sign of other (Python's %)
 * kt_fmod(self, other)                                      _ out s    remainder of truncated division, with the sign of self (C's fmod)
 * kt_pow(self, exponent)                                    _ out s    self ** exponent
 * kt_pow_base(self, exponent)                               out s      self ** exponent, where self may be a number
 * kt_float_power(self, exponent)                            _ out s    self ** exponent in float64 or complex128
 * kt_ldexp(self, other)                                     _ out      self * 2 ** other
 * kt_atan2(self, other)                                     _ out      arc tangent of self / other, in the quadrant of (other, self)
 * kt_copysign(self, other)                                  _ out s    self with the sign of other
 * kt_hypot(self, other)                                     _ out      sqrt(self ** 2 + other ** 2) without overflow
 * kt_logaddexp(self, other)                                 _ out      log(exp(self) + exp(other)) without overflow
 * kt_logaddexp2(self, other)                                _ out      log2(2 ** self + 2 ** other) without overflow
 * kt_nextafter(self, other)                                 _ out      next representable value after self towards other
 * kt_xlogy(self, other)                                     _ out s    self * log(other), 0 where self is 0
 * kt_special_xlog1py(self, other)                           out s      self * log1p(other), 0 where self is 0
 * kt_special_zeta(self, other)                              out s      Hurwitz zeta function: the sum of (other + k) ** -self over k >= 0
 * kt_special_chebyshev_polynomial_t(x, n)                   out s      T of degree n: Chebyshev polynomial of the first kind
 * kt_special_chebyshev_polynomial_u(x, n)                   out s      U of degree n: Chebyshev polynomial of the second kind
 * kt_special_chebyshev_polynomial_v(x, n)                   out s      V of degree n: Chebyshev polynomial of the third kind
 * kt_special_chebyshev_polynomial_w(x, n)                   out s      W of degree n: Chebyshev polynomial of the fourth kind
 * kt_special_shifted_chebyshev_polynomial_t(x, n)           out s      T of degree n of 2 * x - 1: Chebyshev polynomial of the first kind
 * kt_special_shifted_chebyshev_polynomial_u(x, n)           out s      U of degree n of 2 * x - 1: Chebyshev polynomial of the second kind
 * kt_special_shifted_chebyshev_polynomial_v(x, n)           out s      V of degree n of 2 * x - 1: Chebyshev polynomial of the third kind
 * kt_special_shifted_chebyshev_polynomial_w(x, n)           out s      W of degree n of 2 * x - 1: Chebyshev polynomial of the fourth kind
 * kt_special_hermite_polynomial_h(x, n)                     out s      H of degree n: Hermite polynomial whose first coefficient is 2 ** n
 * kt_special_hermite_polynomial_he(x, n)                    out s      He of degree n: Hermite polynomial whose first coefficient is 1
 * kt_special_laguerre_polynomial_l(x, n)                    out s      Laguerre polynomial of degree n
 * kt_special_legendre_polynomial_p(x, n)                    out s      Legendre polynomial of degree n
 * kt_igamma(self, other)                                    _ out      regularized lower incomplete gamma function
 * kt_igammac(self, other)                                   _ out      regularized upper incomplete gamma function
 * kt_special_entr(self)                                     out        entropy of each element: -self * log(self), 0 at 0, -inf below
 * kt_heaviside(self, values)                                _ out      Heaviside step function: 0 where self < 0, values where self == 0, 1 where self > 0
 * kt_gcd(self, other)                                       _ out      greatest common divisor
 * kt_lcm(self, other)                                       _ out      least common multiple
 */

/* ---- comparing and choosing ----
 * kt_maximum(self, other)                                   _ out      elementwise maximum; NaN propagates
 * kt_minimum(self, other)                                   _ out      elementwise minimum; NaN propagates
 * kt_fmax(self, other)                                      _ out      elementwise maximum; NaN is ignored where the other element is not NaN
 * kt_fmin(self, other)                                      _ out      elementwise minimum; NaN is ignored where the other element is not NaN
 * kt_eq(self, other)                                        _ out s    self == other
 * kt_ne(self, other)                                        _ out s    self != other
 * kt_lt(self, other)                                        _ out s    self < other
 * kt_le(self, other)                                        _ out s    self <= other
 * kt_gt(self, other)                                        _ out s    self > other
 * kt_ge(self, other)                                        _ out s    self >= other
 * kt_isclose(self, other, .rtol = 1e-05, .atol = 1e-08, .equal_nan = false)             true where abs(self - other) <= atol + rtol * abs(other)
 * kt_clamp(self, .min, .max)                                _ out s    clamped to [min, max]
 * kt_clamp_min(self, min)                                   _ out s    clamped from below: max(self, min)
 * kt_clamp_max(self, max)                                   _ out s    clamped from above: min(self, max)
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
 * kt_abs(self)                                              _ out      absolute value; modulus of a complex number
 * kt_isnan(self)                                                       true where NaN
 * kt_isinf(self)                                                       true where infinite
 * kt_isfinite(self)                                                    true where finite
 * kt_isposinf(self)                                         out        true where +infinity
 * kt_isneginf(self)                                         out        true where -infinity
 * kt_signbit(self)                                          out        true where the sign bit is set
 * kt_sign(self)                                             _ out      sign: -1, 0 or 1
 * kt_sgn(self)                                              _ out      sign; for complex numbers self / abs(self)
 * kt_neg(self)                                              _ out      -self
 * kt_positive(self)                                                    self
 * kt_square(self)                                           _ out      self * self
 * kt_ceil(self)                                             _ out      rounded up to an integer
 * kt_floor(self)                                            _ out      rounded down to an integer
 * kt_trunc(self)                                            _ out      rounded towards zero
 * kt_round(self, .decimals = 0)                             _ out      rounded to the nearest integer, or to decimals digits; ties to even
 * kt_frac(self)                                             _ out      fractional part: self - trunc(self)
 * kt_relu(self)                                             _ out      rectified linear unit: max(self, 0)
 * kt_reciprocal(self)                                       _ out      1 / self
 * kt_sqrt(self)                                             _ out      square root
 * kt_rsqrt(self)                                            _ out      1 / sqrt(self)
 * kt_exp(self)                                              _ out      exponential: e ** self
 * kt_exp2(self)                                             _ out      2 ** self
 * kt_expm1(self)                                            _ out      exp(self) - 1, accurate near 0
 * kt_log(self)                                              _ out      natural logarithm
 * kt_log2(self)                                             _ out      logarithm to base 2
 * kt_log10(self)                                            _ out      logarithm to base 10
 * kt_log1p(self)                                            _ out      log(1 + self), accurate near 0
 * kt_sin(self)                                              _ out      sine
 * kt_cos(self)                                              _ out      cosine
 * kt_tan(self)                                              _ out      tangent
 * kt_asin(self)                                             _ out      arc sine
 * kt_acos(self)                                             _ out      arc cosine
 * kt_atan(self)                                             _ out      arc tangent
 * kt_sinh(self)                                             _ out      hyperbolic sine
 * kt_cosh(self)                                             _ out      hyperbolic cosine
 * kt_tanh(self)                                             _ out      hyperbolic tangent
 * kt_asinh(self)                                            _ out      inverse hyperbolic sine
 * kt_acosh(self)                                            _ out      inverse hyperbolic cosine
 * kt_atanh(self)                                            _ out      inverse hyperbolic tangent
 * kt_sigmoid(self)                                          _ out      logistic sigmoid: 1 / (1 + exp(-self))
 * kt_sinc(self)                                             _ out      normalized sinc: sin(pi * self) / (pi * self)
 * kt_erf(self)                                              _ out      error function
 * kt_erfc(self)                                             _ out      complementary error function: 1 - erf(self)
 * kt_erfinv(self)                                           _ out      inverse error function
 * kt_digamma(self)                                          _ out      digamma function: derivative of lgamma
 * kt_lgamma(self)                                           _ out      log of the absolute value of the gamma function
 * kt_i0(self)                                               _ out      modified Bessel function of the first kind, order 0
 * kt_special_i1(self)                                       out        modified Bessel function of the first kind, order 1
 * kt_special_i0e(self)                                      out        modified Bessel function of the first kind, order 0, times exp(-abs(self))
 * kt_special_i1e(self)                                      out        modified Bessel function of the first kind, order 1, times exp(-abs(self))
 * kt_special_bessel_j0(self)                                out        Bessel function of the first kind, order 0
 * kt_special_bessel_j1(self)                                out        Bessel function of the first kind, order 1
 * kt_special_bessel_y0(self)                                out        Bessel function of the second kind, order 0
 * kt_special_bessel_y1(self)                                out        Bessel function of the second kind, order 1
 * kt_special_modified_bessel_i0(self)                       out        modified Bessel function of the first kind, order 0
 * kt_special_modified_bessel_i1(self)                       out        modified Bessel function of the first kind, order 1
 * kt_special_modified_bessel_k0(self)                       out        modified Bessel function of the second kind, order 0
 * kt_special_modified_bessel_k1(self)                       out        modified Bessel function of the second kind, order 1
 * kt_special_scaled_modified_bessel_k0(x)                   out        modified Bessel function of the second kind, order 0, times exp(x)
 * kt_special_scaled_modified_bessel_k1(x)                   out        modified Bessel function of the second kind, order 1, times exp(x)
 * kt_special_spherical_bessel_j0(x)                         out        spherical Bessel function of the first kind, order 0: sin(x) / x
 * kt_special_airy_ai(x)                                     out        Airy function Ai
 * kt_special_erfcx(self)                                    out        scaled complementary error function: exp(self ** 2) * erfc(self)
 * kt_special_ndtr(self)                                     out        area under the standard normal density up to self
 * kt_special_log_ndtr(self)                                 out        log of the area under the standard normal density up to self
 * kt_special_ndtri(self)                                    out        where the area under the standard normal density is self: the inverse of ndtr
 * kt_mvlgamma(self, p)                                      _ out      log of the multivariate gamma function of dimension p
 * kt_polygamma(n, self)                                     out        n-th derivative of the digamma function
 * kt_frexp(self) -> mantissa, exponent                      out        mantissa in [0.5, 1) and exponent: self == mantissa * 2 ** exponent
 * kt_logit(self, .eps)                                      _ out      log(self / (1 - self)); eps clamps self to [eps, 1 - eps] first
 * kt_deg2rad(self)                                          _ out      degrees to radians
 * kt_rad2deg(self)                                          _ out      radians to degrees
 * kt_angle(self)                                            out        argument of a complex number; pi for negative reals, else 0
 * kt_nan_to_num(self, .nan, .posinf, .neginf)               _ out      NaN, +infinity and -infinity replaced by numbers
 * kt_conj_physical(self)                                    _ out      complex conjugate, computed at once; a real tensor is returned as it is
 */

/* ---- complex numbers of two real ones ----
 * kt_complex(real, imag)                                    out        complex tensor from real and imaginary parts
 * kt_polar(abs, angle)                                      out        complex tensor from absolute values and angles
 */

/* ---- functions of three ----
 * kt_where(condition, self, other)                          out s ss   self where condition is true, else other
 * kt_lerp(self, end, weight)                                _ out s    self + weight * (end - self)
 * kt_addcmul(self, tensor1, tensor2, .value = 1)            _ out      self + value * tensor1 * tensor2
 * kt_addcdiv(self, tensor1, tensor2, .value = 1)            _ out      self + value * tensor1 / tensor2
 * kt_isreal(self)                                                      true where the imaginary part is 0
 */

/* ---- activation functions ----
 * kt_gelu(self, .approximate = 'none')                      out        Gaussian error linear unit, x * Phi(x): exact (erf), or approximate='tanh'
 * kt_silu(self)                                             _ out      sigmoid linear unit (swish): self * sigmoid(self)
 * kt_mish(self)                                             _ out      mish: self * tanh(softplus(self))
 * kt_elu(self, .alpha = 1, .scale = 1, .input_scale = 1)    _ out      exponential linear unit: scale * self, where self < 0 scale * alpha * (exp(input_scale * self) - 1)
 * kt_celu(input, .alpha = 1.0)                              _          continuously differentiable exponential linear unit: input, where input < 0 alpha * (exp(input / alpha) - 1)
 * kt_selu(input)                                            _          scaled exponential linear unit (self-normalizing)
 * kt_leaky_relu(self, .negative_slope = 0.01)               _ out      leaky rectified linear unit: self, where self < 0 negative_slope * self
 * kt_hardtanh(self, .min_val = -1, .max_val = 1)            _ out      clamped to [min_val, max_val]
 * kt_relu6(self)                                            _          rectified linear unit, clamped to [0, 6]
 * kt_hardsigmoid(self)                                      _ out      piecewise linear sigmoid: self / 6 + 1 / 2, clamped to [0, 1]
 * kt_hardswish(self)                                        _ out      hard swish: self * hardsigmoid(self)
 * kt_hardshrink(self, .lambd = 0.5)                         out        hard shrinkage: self, 0 where -lambd <= self <= lambd
 * kt_softshrink(self, .lambd = 0.5)                         out        soft shrinkage: self moved towards 0 by lambd, 0 where -lambd <= self <= lambd
 * kt_softplus(self, .beta = 1, .threshold = 20)             out        softplus: log(1 + exp(beta * self)) / beta, self where beta * self > threshold
 * kt_log_sigmoid(self)                                      out        log(sigmoid(self)) without underflow
 * kt_softsign(self)                                                    softsign: self / (1 + abs(self))
 * kt_tanhshrink(self)                                                  self - tanh(self)
 * kt_threshold(input, threshold, value)                     _ out      input where input > threshold, else value
 * kt_prelu(self, weight)                                               parametric rectified linear unit: self, where self < 0 weight * self; one weight, or one per channel
 * kt_glu(self, .dim = -1)                                   out        gated linear unit: first half of dim times sigmoid of the second half
 * kt_glu_halves(first, second)                                         gated linear unit of two tensors: first * sigmoid(second)
 */

/* ---- reductions ----
 * kt_sum(self, .dtype)                                                 sum of all elements
 * kt_sum_dim(self, dim, .keepdim = false, .dtype)           out        sum over dims
 * kt_nansum(self, .dim, .keepdim = false, .dtype)           out        sum, treating NaN as 0
 * kt_prod(self, .dtype)                                                product of all elements
 * kt_prod_dim(self, dim, .keepdim = false, .dtype)          out        product along a dim
 * kt_mean(self, .dtype)                                     out        mean of all elements
 * kt_mean_dim(self, dim, .keepdim = false, .dtype)          out        mean over dims
 * kt_nanmean(self, .dim, .keepdim = false, .dtype)          out        mean, ignoring NaN
 * kt_logsumexp(self, dim, .keepdim = false)                 out        log(sum(exp(self))) over dims, without overflow
 * kt_count_nonzero(self, .dim)                                         number of nonzero elements
 * kt_count_nonzero_dim(self, dim)                                      number of nonzero elements over dims
 * kt_var(self, .unbiased = true)                                       variance of all elements
 * kt_var_dim(self, dim, .unbiased = true, .keepdim = false)  out        variance over dims
 * kt_var_correction(self, .dim, .correction, .keepdim = false)  out        variance over dims, divided by N - correction
 * kt_std(self, .unbiased = true)                                       standard deviation of all elements
 * kt_std_dim(self, dim, .unbiased = true, .keepdim = false)  out        standard deviation over dims
 * kt_std_correction(self, .dim, .correction, .keepdim = false)  out        standard deviation over dims, divided by N - correction
 * kt_var_mean(self, .unbiased = true) -> result_var, result_mean             variance and mean of all elements
 * kt_var_mean_dim(self, dim, .unbiased = true, .keepdim = false) -> result_var, result_mean             variance and mean over dims
 * kt_var_mean_correction(self, .dim, .correction, .keepdim = false) -> result_var, result_mean             variance (divided by N - correction) and mean over dims
 * kt_std_mean(self, .unbiased = true) -> result_std, result_mean             standard deviation and mean of all elements
 * kt_std_mean_dim(self, dim, .unbiased = true, .keepdim = false) -> result_std, result_mean             standard deviation and mean over dims
 * kt_std_mean_correction(self, .dim, .correction, .keepdim = false) -> result_std, result_mean             standard deviation (divided by N - correction) and mean over dims
 * kt_max(self)                                              out        maximum of all elements
 * kt_max_other(self, other)                                 out        elementwise maximum; NaN propagates
 * kt_max_dim(self, dim, .keepdim = false) -> values, indices  out        maximum along a dim, and the index of the first
 * kt_min(self)                                              out        minimum of all elements
 * kt_min_other(self, other)                                 out        elementwise minimum; NaN propagates
 * kt_min_dim(self, dim, .keepdim = false) -> values, indices  out        minimum along a dim, and the index of the first
 * kt_amax(self, .dim = [], .keepdim = false)                out        maximum over dims
 * kt_amin(self, .dim = [], .keepdim = false)                out        minimum over dims
 * kt_aminmax(self, .dim, .keepdim = false) -> min, max      out        minimum and maximum, of all elements or along a dim
 * kt_argmax(self, .dim, .keepdim = false)                   out        index of the first maximum
 * kt_argmin(self, .dim, .keepdim = false)                   out        index of the first minimum
 * kt_any(self)                                              out        true if any element is true
 * kt_any_dim(self, dim, .keepdim = false)                   out        true where any element along a dim is true
 * kt_any_dims(self, .dim, .keepdim = false)                 out        true where any element over dims is true; dim=[] reduces nothing
 * kt_all(self)                                              out        true if all elements are true
 * kt_all_dim(self, dim, .keepdim = false)                   out        true where all elements along a dim are true
 * kt_all_dims(self, .dim, .keepdim = false)                 out        true where all elements over dims are true; dim=[] reduces nothing
 * kt_linalg_vector_norm(self, .ord = 2, .dim, .keepdim = false, .dtype)  out        vector norm of order ord over dims
 * kt_norm(self, .p, .dim, .keepdim = false, .dtype)         out        p-norm over dims (p = 2)
 * kt_norm_str(self, p, .dim, .keepdim = false, .dtype)      out        norm over dims by name: 'fro' or 'nuc'
 * kt_linalg_matrix_norm(self, ord, .dim = [-2, -1], .keepdim = false, .dtype)  out        matrix norm of order 1, -1, 2, -2, inf or -inf
 * kt_linalg_matrix_norm_str(self, .ord = 'fro', .dim = [-2, -1], .keepdim = false, .dtype)  out        matrix norm by name: 'fro' or 'nuc'
 * kt_linalg_norm(self, .ord, .dim, .keepdim = false, .dtype)  out        vector or matrix norm, depending on the number of dims
 * kt_linalg_norm_str(self, ord, .dim, .keepdim = false, .dtype)  out        matrix norm by name: 'fro' or 'nuc'
 * kt_frobenius_norm(self, dim, .keepdim = false)                       Frobenius norm: square root of the sum of squares
 * kt_dist(self, other, .p = 2)                                         p-norm of self - other
 * kt_trace(self)                                                       sum of the diagonal of a matrix
 * kt_cov(self, .correction = 1, .fweights, .aweights)                  covariance matrix of the rows
 * kt_corrcoef(self)                                                    correlation coefficients of the rows
 */

/* ---- scans along a dim ----
 * kt_cumsum(self, dim, .dtype)                              _ out      cumulative sum along a dim
 * kt_cumprod(self, dim, .dtype)                             _ out      cumulative product along a dim
 * kt_logcumsumexp(self, dim)                                out        cumulative log(sum(exp(self))) along a dim, without overflow
 * kt_cummax(self, dim) -> values, indices                   out        cumulative maximum along a dim, and the index of the last; NaN propagates
 * kt_cummin(self, dim) -> values, indices                   out        cumulative minimum along a dim, and the index of the last; NaN propagates
 * kt_diff(self, .n = 1, .dim = -1, .prepend, .append)       out        n-th order differences along a dim
 * kt_gradient(self, .spacing, .dim, .edge_order = 1, results, room)             slopes along some dims of values at points that are `spacing` apart
 * kt_gradient_steps(self, spacing, n_spacing, .dim, .edge_order = 1, results, room)             slopes along some dims, with a spacing for each
 * kt_gradient_at(self, spacing, n_spacing, .dim, .edge_order = 1, results, room)             slopes along some dims, of values at the given places
 * kt_trapezoid_x(y, x, .dim = -1)                                      integral along dim by the trapezoidal rule, at the points x
 * kt_trapezoid_dx(y, .dx = 1, .dim = -1)                               integral along dim by the trapezoidal rule, with spacing dx
 * kt_trapz_dx(y, .dx = 1, .dim = -1)                                   integral by the trapezoidal rule; same as trapezoid
 * kt_trapz_x(y, x, .dim = -1)                                          integral by the trapezoidal rule; same as trapezoid
 * kt_cumulative_trapezoid_x(y, x, .dim = -1)                           cumulative integral along dim by the trapezoidal rule, at the points x
 * kt_cumulative_trapezoid_dx(y, .dx = 1, .dim = -1)                    cumulative integral along dim by the trapezoidal rule, with spacing dx
 * kt_vander(x, .N, .increasing = false)                                Vandermonde matrix of a vector
 * kt_linalg_vander(x, .N)                                              Vandermonde matrices of the last dim
 */

/* ---- sorting and ranks ----
 * kt_sort_stable(self, stable, .dim = -1, .descending = false) -> values, indices  out        stable sort along a dim: values and indices
 * kt_sort(self, .dim = -1, .descending = false) -> values, indices  out        sorted along a dim: values and indices
 * kt_argsort_stable(self, stable, .dim = -1, .descending = false)  out        indices of a stable sort along a dim
 * kt_argsort(self, .dim = -1, .descending = false)                     indices that sort along a dim
 * kt_msort(self)                                            out        sorted along the first dim
 * kt_topk(self, k, .dim = -1, .largest = true, .sorted = true) -> values, indices  out        k largest (or smallest) elements along a dim: values and indices
 * kt_kthvalue(self, k, .dim = -1, .keepdim = false) -> values, indices  out        k-th smallest element along a dim, and its index
 * kt_median(self)                                                      median of all elements (the lower of two); NaN propagates
 * kt_median_dim(self, dim, .keepdim = false) -> values, indices  out        median along a dim (the lower of two), and its index; NaN propagates
 * kt_nanmedian(self)                                                   median of all elements, ignoring NaN
 * kt_nanmedian_dim(self, dim, .keepdim = false) -> values, indices  out        median along a dim, ignoring NaN, and its index
 * kt_mode(self, .dim = -1, .keepdim = false) -> values, indices  out        most frequent value along a dim (the smallest of several), and its last index
 */

/* ---- sets, searches, counts ----
 * kt_unique(self, .sorted = true, .return_inverse = false, .return_counts = false) -> result, result_inverse, result_counts             sorted unique values; inverse indices and counts
 * kt_unique_dim(self, dim, .sorted = true, .return_inverse = false, .return_counts = false) -> result, result_inverse, result_counts             sorted unique slices along a dim; inverse indices and counts
 * kt_unique_consecutive(self, .return_inverse = false, .return_counts = false, .dim) -> result, result_inverse, result_counts             consecutive duplicates removed; inverse indices and counts
 * kt_isin(elements, test_elements, .assume_unique = false, .invert = false)  out        true where an element occurs in test_elements
 * kt_isin_element(element, test_elements, .assume_unique = false, .invert = false)  out        true if the number occurs in test_elements
 * kt_isin_number(elements, test_element, .assume_unique = false, .invert = false)  out        true where an element equals the number
 * kt_searchsorted(sorted_sequence, self, .out_int32 = false, .right = false, .side, .sorter)  out        indices where values are to be inserted into sorted_sequence to keep its last dim sorted
 * kt_searchsorted_number(sorted_sequence, self, .out_int32 = false, .right = false, .side, .sorter)  out        index where a number is to be inserted into a sorted vector to keep it sorted
 * kt_bucketize(self, boundaries, .out_int32 = false, .right = false)  out        index of each value's bucket between sorted boundaries
 * kt_bucketize_number(self, boundaries, .out_int32 = false, .right = false)             index of a number's bucket between sorted boundaries
 * kt_bincount(self, .weights, .minlength = 0)                          number of occurrences of each non-negative integer, or sum of its weights
 * kt_histc(self, .bins = 100, .min = 0, .max = 0)           out        histogram with equal bins between min and max
 * kt_histogram_edges(self, bins, .weight, .density = false) -> hist, bin_edges  out        histogram with the given bin edges: counts, weights or density
 * kt_histogram(self, .bins = 100, .low, .high, .weight, .density = false) -> hist, bin_edges  out        histogram with equal bins: counts, weights or density, and the bin edges
 * kt_quantile(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantiles along a dim; NaN propagates
 * kt_quantile_number(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantile along a dim; NaN propagates
 * kt_nanquantile(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantiles along a dim, ignoring NaN
 * kt_nanquantile_number(self, q, .dim, .keepdim = false, .interpolation = 'linear')  out        q-th quantile along a dim, ignoring NaN
 */

/* ---- matrix products ----
 * kt_matmul(self, other)                                    out        matrix product; batch dims broadcast
 * kt_mm(self, mat2)                                         out        product of two matrices
 * kt_bmm(self, mat2)                                        out        batched matrix product
 * kt_mv(self, vec)                                          out        matrix-vector product
 * kt_dot(self, tensor)                                      out        dot product of two vectors
 * kt_vdot(self, other)                                      out        dot product of two vectors; the first is conjugated
 * kt_addmm(self, mat1, mat2, .beta = 1, .alpha = 1)         _ out      beta * self + alpha * (mat1 @ mat2)
 * kt_addmv(self, mat, vec, .beta = 1, .alpha = 1)           _ out      beta * self + alpha * (mat @ vec)
 * kt_baddbmm(self, batch1, batch2, .beta = 1, .alpha = 1)   _ out      beta * self + alpha * (batch1 @ batch2), one product per batch
 * kt_addbmm(self, batch1, batch2, .beta = 1, .alpha = 1)    _ out      beta * self + alpha * sum over the batch of batch1 @ batch2
 * kt_addr(self, vec1, vec2, .beta = 1, .alpha = 1)          _ out      beta * self + alpha * outer(vec1, vec2)
 * kt_linear(input, weight, .bias)                           out        linear layer: input @ weight.T + bias
 * kt_bilinear(input1, input2, weight, .bias)                           bilinear layer: input1 @ weight[k] @ input2 + bias[k] for each k
 * kt_outer(self, vec2)                                      out        outer product of two vectors
 * kt_ger(self, vec2)                                        out        outer product of two vectors; same as outer (deprecated)
 * kt_inner(self, other)                                     out        inner product over the last dims
 * kt_tensordot(self, other, dims_self, dims_other)          out        tensor contraction over pairs of dims
 * kt_kron(self, other)                                      out        Kronecker product
 * kt_einsum(equation, tensors, n_tensors)                              Einstein summation: "ij,jk->ik"
 * kt_linalg_multi_dot(tensors, n_tensors)                   out        product of several matrices, in the order with the fewest operations
 * kt_chain_matmul(matrices, n_matrices)                     out        product of several matrices; same as linalg.multi_dot (deprecated)
 * kt_linalg_vecdot(x, y, .dim = -1)                         out        dot product along a dim; x is conjugated
 * kt_linalg_matrix_power(self, n)                           out        n-th power of square matrices
 * kt_matrix_power(self, n)                                  out        n-th power of square matrices; same as linalg.matrix_power
 * kt_linalg_cross(self, other, .dim = -1)                   out        cross product of 3-element vectors along dim
 * kt_cross(self, other, .dim)                               out        cross product of 3-element vectors; without dim along the first dim of size 3
 * kt_block_diag(tensors, n_tensors)                                    block diagonal matrix
 * kt_cartesian_prod(tensors, n_tensors)                                Cartesian product of 1-dim tensors, one combination per row
 * kt_cdist(x1, x2, .p = 2, .compute_mode)                              pairwise p-norm distances between the rows of x1 and x2
 * kt_pdist(self, .p = 2)                                               p-norm distances between every two rows
 * kt_pairwise_distance(x1, x2, .p = 2, .eps = 1e-06, .keepdim = false)             p-norm of x1 - x2 + eps along the last dim
 * kt_cosine_similarity(x1, x2, .dim = 1, .eps = 1e-08)                 cosine of the angle between x1 and x2 along dim
 * kt_renorm(self, p, dim, maxnorm)                          _ out      slices along dim whose p-norm exceeds maxnorm scaled down to it
 */

/* ---- linear algebra ----
 * kt_linalg_lu_factor_ex(A, .pivot = true, .check_errors = false) -> LU, pivots, info  out        LU factors of matrices in one tensor, with the rows exchanged; info is not 0 where a pivot is 0
 * kt_linalg_lu_factor(A, .pivot = true) -> LU, pivots       out        LU factors of matrices in one tensor, with the rows exchanged
 * kt_linalg_lu(A, .pivot = true) -> P, L, U                 out        LU decomposition with pivoting: A = P @ L @ U
 * kt_lu_unpack(LU_data, LU_pivots, .unpack_data = true, .unpack_pivots = true) -> P, L, U  out        P, L and U of the factors that lu_factor gives
 * kt_linalg_lu_solve(LU, pivots, B, .left = true, .adjoint = false)  out        solves A @ X = B with the factors that lu_factor gives
 * kt_lu_solve(self, LU_data, LU_pivots)                     out        solves A @ X = self with the factors that lu_factor gives; same as linalg.lu_solve (deprecated)
 * kt_linalg_det(A)                                          out        determinants of square matrices
 * kt_det(self)                                                         determinants of square matrices; same as linalg.det
 * kt_linalg_slogdet(A) -> sign, logabsdet                   out        signs of determinants and logarithms of their absolute values
 * kt_slogdet(self) -> sign, logabsdet                       out        signs of determinants and logarithms of their absolute values; same as linalg.slogdet
 * kt_logdet(self)                                                      logarithms of determinants; NaN where one is negative
 * kt_linalg_inv_ex(A, .check_errors = false) -> inverse, info  out        inverses of square matrices; info is not 0 where a matrix is singular
 * kt_linalg_inv(A)                                          out        inverses of square matrices
 * kt_inverse(self)                                          out        inverses of square matrices; same as linalg.inv
 * kt_linalg_solve_ex(A, B, .left = true, .check_errors = false) -> result, info  out        solutions of A @ X = B; info is not 0 where a matrix is singular
 * kt_linalg_solve(A, B, .left = true)                       out        solutions of A @ X = B, or of X @ A = B
 * kt_linalg_solve_triangular(self, B, upper, .left = true, .unitriangular = false)  out        solutions of A @ X = B, or of X @ A = B, with a triangle of A
 * kt_triangular_solve(self, A, .upper = true, .transpose = false, .unitriangular = false) -> solution, cloned_coefficient  out        solutions of A @ X = self with a triangle of A (deprecated)
 * kt_linalg_cholesky_ex(self, .upper = false, .check_errors = false) -> L, info  out        Cholesky factors of matrices; info is not 0 where one is not positive-definite
 * kt_linalg_cholesky(self, .upper = false)                  out        Cholesky factors of positive-definite matrices: L @ L.mH
 * kt_cholesky(self, .upper = false)                         out        Cholesky factors of positive-definite matrices; same as linalg.cholesky (deprecated)
 * kt_cholesky_inverse(self, .upper = false)                 out        inverses of matrices whose Cholesky factors are given
 * kt_cholesky_solve(self, input2, .upper = false)           out        solutions of A @ X = self with the Cholesky factor of A
 * kt_linalg_qr(A, .mode = 'reduced') -> Q, R                out        QR decomposition: an orthogonal and an upper triangular matrix
 * kt_qr(self, .some = true) -> Q, R                         out        QR decomposition; same as linalg.qr (deprecated)
 * kt_linalg_eigh(self, .UPLO = 'L') -> eigenvalues, eigenvectors  out        eigenvalues and eigenvectors of symmetric or Hermitian matrices
 * kt_linalg_eigvalsh(self, .UPLO = 'L')                     out        eigenvalues of symmetric or Hermitian matrices
 * kt_linalg_eig(self) -> eigenvalues, eigenvectors          out        eigenvalues and eigenvectors of square matrices, as complex numbers
 * kt_linalg_eigvals(self)                                   out        eigenvalues of square matrices, as complex numbers
 * kt_linalg_svd(A, .full_matrices = true, .driver) -> U, S, Vh  out        singular value decomposition: A = U @ diag(S) @ Vh
 * kt_linalg_svdvals(A, .driver)                             out        singular values, the largest first
 * kt_svd(self, .some = true, .compute_uv = true) -> U, S, V  out        singular value decomposition: self = U @ diag(S) @ V.mH (deprecated)
 * kt_geqrf(self) -> a, tau                                  out        reflectors of a QR decomposition: R with vectors below it, and their factors tau
 * kt_linalg_householder_product(input, tau)                 out        the first columns of a product of reflectors: Q of those that geqrf gives
 * kt_orgqr(self, input2)                                    out        the first columns of a product of reflectors; same as linalg.householder_product
 * kt_ormqr(self, input2, input3, .left = true, .transpose = false)  out        the product of a matrix with a product of reflectors that geqrf gives
 * kt_linalg_ldl_factor_ex(self, .hermitian = false, .check_errors = false) -> LD, pivots, info  out        LDL factors of symmetric or Hermitian matrices in one tensor; info is not 0 where a block of D is singular
 * kt_linalg_ldl_factor(self, .hermitian = false) -> LD, pivots  out        LDL factors of symmetric or Hermitian matrices in one tensor
 * kt_linalg_ldl_solve(LD, pivots, B, .hermitian = false)    out        solves A @ X = B with the factors that ldl_factor gives
 * kt_linalg_pinv_tensor(self, .atol, .rtol, .hermitian = false)  out        pseudo-inverses of matrices; singular values not above max(atol, rtol * the largest) count as 0
 * kt_linalg_pinv(self, .atol, .rtol, .hermitian = false)    out        pseudo-inverses of matrices; singular values not above max(atol, rtol * the largest) count as 0
 * kt_linalg_pinv_rcond_tensor(self, rcond, .hermitian = false)  out        pseudo-inverses of matrices; singular values not above rcond * the largest count as 0
 * kt_linalg_pinv_rcond(self, rcond, .hermitian = false)     out        pseudo-inverses of matrices; singular values not above rcond * the largest count as 0
 * kt_pinverse(self, .rcond = 1e-15)                                    pseudo-inverses of matrices; same as linalg.pinv
 * kt_linalg_matrix_rank_tensor(input, .atol, .rtol, .hermitian = false)  out        ranks of matrices: how many singular values are above max(atol, rtol * the largest)
 * kt_linalg_matrix_rank(self, .atol, .rtol, .hermitian = false)  out        ranks of matrices: how many singular values are above max(atol, rtol * the largest)
 * kt_linalg_matrix_rank_tol_tensor(input, tol, .hermitian = false)  out        ranks of matrices: how many singular values are above tol
 * kt_linalg_matrix_rank_tol(self, tol, .hermitian = false)  out        ranks of matrices: how many singular values are above tol
 * kt_linalg_cond(self, .p)                                  out        condition numbers of matrices: of order 1, -1, 2 (the default), -2, inf or -inf
 * kt_linalg_cond_str(self, p)                               out        condition numbers of matrices by name: 'fro' or 'nuc'
 * kt_linalg_lstsq(self, b, .rcond, .driver) -> solution, residuals, rank, singular_values  out        least squares: X for which A @ X is nearest to b
 * kt_linalg_matrix_exp(self)                                           exponentials of square matrices
 * kt_matrix_exp(self)                                                  exponentials of square matrices; same as linalg.matrix_exp
 * kt_linalg_tensorinv(self, .ind = 2)                       out        inverse of a tensor as a map from its last dims to its first `ind` dims
 * kt_linalg_tensorsolve(self, other, .dims)                 out        X of tensordot(self, X) = other
 * kt_nuclear_norm(self, .keepdim = false)                   out        nuclear norm of matrices: the sum of singular values
 * kt_nuclear_norm_dim(self, dim, .keepdim = false)          out        nuclear norm of the matrices in two dims: the sum of singular values
 * kt_svd_lowrank(A, .q = 6, .niter = 2, .M) -> result_U, result_S, result_V             about the q largest singular values of A - M with their vectors, found in a random subspace
 * kt_pca_lowrank(A, .q, .center = true, .niter = 2) -> result_U, result_S, result_V             principal components: about the q largest singular values, with their vectors, of A less the means of its columns
 */

/* ---- casts and copies ----
 * kt_to(self, .dtype, .device, .copy = false, .memory_format, .casting = 'unsafe', .rounding = 'torch', .non_blocking = false)             cast to a dtype, moved to a device; self if nothing changes
 * kt_clone(self, .memory_format)                                       copy of self
 * kt_contiguous(self, .memory_format)                                  self if contiguous, else a contiguous copy
 * kt_copy(self, src, .non_blocking = false)                 _          src broadcast and cast to self; in place: written into self
 * kt_fill(self, value)                                      _ s        filled with a value
 * kt_zero(self)                                             _          filled with zeros
 * kt_resolve_conj(self)                                                lazy conjugation materialized; self if there is none
 * kt_resolve_neg(self)                                                 lazy negation materialized; self if there is none
 */

/* ---- making tensors ----
 * kt_empty(size, .dtype, .device, .requires_grad = false, .memory_format)             uninitialized tensor
 * kt_zeros(size, .dtype, .device, .requires_grad = false)              tensor of zeros
 * kt_ones(size, .dtype, .device, .requires_grad = false)               tensor of ones
 * kt_full(size, fill_value, .dtype, .device, .requires_grad = false)             tensor filled with fill_value, whose kind gives the dtype
 * kt_eye(n, .m, .dtype, .device, .requires_grad = false)               identity matrix
 * kt_arange(start, end, .step = 1, .dtype, .device, .requires_grad = false)             values from start to end, end excluded, in steps of step
 * kt_range(start, end, .step = 1, .dtype, .device, .requires_grad = false)             values from start to end, end included, in steps of step (deprecated)
 * kt_linspace_ends(start, end, steps, .dtype, .device, .requires_grad = false)  s ss       evenly spaced values between the elements of two tensors, both included
 * kt_linspace(start, end, steps, .dtype, .device, .requires_grad = false)             evenly spaced values from start to end, both included
 * kt_logspace_ends(start, end, steps, .base = 10.0, .dtype, .device, .requires_grad = false)  s ss       logarithmically spaced values between powers of two tensors' elements
 * kt_logspace(start, end, steps, .base = 10.0, .dtype, .device, .requires_grad = false)             logarithmically spaced values: base ** linspace(start, end)
 * kt_scalar_tensor(s, .dtype, .device, .requires_grad = false)             0-dim tensor from a number
 * kt_empty_strided(size, stride, .dtype, .device, .requires_grad = false)             uninitialized tensor of these sizes and strides
 * kt_empty_permuted(size, physical_layout, .dtype, .device, .requires_grad = false)             uninitialized dense tensor whose dims lie in memory in the order of physical_layout
 * kt_empty_like(self, .dtype, .device, .requires_grad = false, .memory_format)             uninitialized tensor like self
 * kt_zeros_like(self, .dtype, .device, .requires_grad = false, .memory_format)             tensor of zeros like self
 * kt_ones_like(self, .dtype, .device, .requires_grad = false, .memory_format)             tensor of ones like self
 * kt_full_like(self, fill_value, .dtype, .device, .requires_grad = false, .memory_format)             tensor like self filled with fill_value
 * kt_new_empty(self, size, .dtype, .device, .requires_grad = false)             uninitialized tensor with the dtype and device of self
 * kt_new_empty_strided(self, size, stride, .dtype, .device, .requires_grad = false)             uninitialized tensor of these sizes and strides, with the dtype and device of self
 * kt_new_zeros(self, size, .dtype, .device, .requires_grad = false)             tensor of zeros with the dtype and device of self
 * kt_new_ones(self, size, .dtype, .device, .requires_grad = false)             tensor of ones with the dtype and device of self
 * kt_new_full(self, size, fill_value, .dtype, .device, .requires_grad = false)             tensor filled with fill_value, with the dtype and device of self
 */

/* ---- views ----
 * kt_select(self, dim, index)                                          slice at one index of dim, which is removed
 * kt_slice(self, .dim = 0, .start, .end, .step = 1)                    slice start:end:step of dim
 * kt_narrow(self, dim, start, length)                                  slice start:start+length of dim
 * kt_narrow_tensor(self, dim, start, length)                           slice start:start+length of dim, with start in a 0-dim tensor
 * kt_transpose(self, dim0, dim1)                                       view with two dims swapped
 * kt_t(self)                                                           transpose of a matrix
 * kt_permute(self, dims)                                               view with dims reordered
 * kt_expand(self, size, .implicit = false)                             view broadcast to a larger size, without a copy
 * kt_expand_as(self, other)                                            view broadcast to the size of other
 * kt_view(self, size)                                                  view with another shape
 * kt_view_dtype(self, dtype)                                           view of the same bytes as another dtype
 * kt_reshape(self, shape)                                              tensor with another shape: a view if possible, else a copy
 * kt_flatten(self, .start_dim = 0, .end_dim = -1)                      dims start_dim to end_dim merged into one
 * kt_squeeze(self)                                                     dims of size 1 removed
 * kt_squeeze_dim(self, dim)                                            the given dims removed where their size is 1
 * kt_unsqueeze(self, dim)                                              a dim of size 1 inserted
 * kt_unfold(self, dimension, size, step)                               sliding windows of dimension, as a new last dim
 * kt_diagonal(self, .offset = 0, .dim1 = 0, .dim2 = 1)                 view of a diagonal, as the last dim
 * kt_as_strided(self, size, stride, .storage_offset)                   view with the given sizes, strides and storage offset
 * kt_real(self)                                                        real part, a view
 * kt_imag(self)                                                        imaginary part, a view
 * kt_view_as_real(self)                                                view of complex numbers as reals, with a last dim of size 2
 * kt_view_as_complex(self)                                             view of a last dim of size 2 as complex numbers
 * kt_conj(self)                                                        complex conjugate, a lazy view; self if real
 * kt_detach(self)                                                      view without autograd history
 * kt_alias(self)                                                       view of the whole tensor
 * kt_movedim(self, source, destination)                                dims moved to other positions
 * kt_moveaxis(self, source, destination)                               dims moved to other positions; same as movedim
 * kt_swapaxes(self, axis0, axis1)                                      view with two dims swapped; same as transpose
 * kt_swapdims(self, dim0, dim1)                                        view with two dims swapped; same as transpose
 * kt_unflatten(self, dim, sizes)                                       a dim split into several
 * kt_ravel(self)                                                       flattened to one dim
 * kt_view_as(self, other)                                              view with the size of other
 * kt_reshape_as(self, other)                                           reshaped to the size of other
 * kt_broadcast_to(self, size)                                          view broadcast to a size; same as expand
 * kt_atleast_1d(self)                                                  view with at least 1 dim
 * kt_atleast_2d(self)                                                  view with at least 2 dims
 * kt_atleast_3d(self)                                                  view with at least 3 dims
 * kt_adjoint(self)                                                     conjugate transpose of matrices
 * kt_linalg_diagonal(A, .offset = 0, .dim1 = -2, .dim2 = -1)             view of a diagonal of the last two dims
 * kt_sum_to_size(self, size)                                           summed to a size that broadcasts to self's
 * kt_resize_(self, size, .memory_format)                               self with another size; storage grows if needed
 * kt_resize_as_(self, the_template, .memory_format)                    self with the size of the_template; storage grows if needed
 * kt_as_strided_(self, size, stride, .storage_offset)                  self with any sizes and strides into its storage
 * kt_t_(self)                                                          self transposed: at most two dims
 * kt_transpose_(self, dim0, dim1)                                      self with two dims exchanged
 * kt_swapaxes_(self, axis0, axis1)                                     transpose_, under NumPy's name
 * kt_swapdims_(self, dim0, dim1)                                       transpose_, under another name
 * kt_unsqueeze_(self, dim)                                             self with a dim of size 1 inserted
 * kt_squeeze_(self)                                                    self without its dims of size 1
 * kt_squeeze_dim_(self, dim)                                           self without the given dims where their size is 1
 */

/* ---- joining, splitting, rearranging ----
 * kt_split(self, split_size, .dim = 0, results, room)                  views of length split_size along dim; the last may be shorter
 * kt_split_sizes(self, split_sizes, .dim = 0, results, room)             views of the given lengths along dim
 * kt_chunk(self, chunks, .dim = 0, results, room)                      at most `chunks` views along dim, of equal length but the last
 * kt_unbind(self, .dim = 0, results, room)                             list of the slices along dim
 * kt_broadcast_tensors(tensors, n_tensors, results, room)              tensors broadcast to their common shape
 * kt_cat(tensors, n_tensors, .dim = 0)                      out        tensors concatenated along dim
 * kt_concat(tensors, n_tensors, .dim = 0)                   out        tensors concatenated along dim; same as cat
 * kt_concatenate(tensors, n_tensors, .dim = 0)              out        tensors concatenated along dim; same as cat
 * kt_stack(tensors, n_tensors, .dim = 0)                    out        tensors stacked along a new dim
 * kt_hstack(tensors, n_tensors)                             out        stacked horizontally (along columns)
 * kt_vstack(tensors, n_tensors)                             out        stacked vertically (along rows)
 * kt_row_stack(tensors, n_tensors)                          out        stacked vertically; same as vstack
 * kt_dstack(tensors, n_tensors)                             out        stacked depthwise (along the third dim)
 * kt_column_stack(tensors, n_tensors)                       out        stacked horizontally; 1-dim tensors become columns
 * kt_split_with_sizes(self, split_sizes, .dim = 0, results, room)             views of the given lengths along dim
 * kt_unsafe_split(self, split_size, .dim = 0, results, room)             split whose results are not tracked as views
 * kt_unsafe_split_with_sizes(self, split_sizes, .dim = 0, results, room)             split_with_sizes whose results are not tracked as views
 * kt_unsafe_chunk(self, chunks, .dim = 0, results, room)               chunk whose results are not tracked as views
 * kt_tensor_split(self, sections, .dim = 0, results, room)             `sections` views along dim; the first ones are longer by one where the length does not divide
 * kt_tensor_split_indices(self, indices, .dim = 0, results, room)             views along dim, split at the given indices
 * kt_tensor_split_tensor(self, tensor_indices_or_sections, .dim = 0, results, room)             tensor_split with indices or number of sections in a tensor
 * kt_hsplit(self, sections, results, room)                             split horizontally (by columns) into equal views
 * kt_hsplit_indices(self, indices, results, room)                      split horizontally (by columns) at the given indices
 * kt_vsplit(self, sections, results, room)                             split vertically (by rows) into equal views
 * kt_vsplit_indices(self, indices, results, room)                      split vertically (by rows) at the given indices
 * kt_dsplit(self, sections, results, room)                             split depthwise (along the third dim) into equal views
 * kt_dsplit_indices(self, indices, results, room)                      split depthwise (along the third dim) at the given indices
 * kt_meshgrid(tensors, n_tensors, .indexing, results, room)             coordinate grids from 1-dim tensors
 * kt_atleast_1d_list(tensors, n_tensors, results, room)                each tensor with at least 1 dim
 * kt_atleast_2d_list(tensors, n_tensors, results, room)                each tensor with at least 2 dims
 * kt_atleast_3d_list(tensors, n_tensors, results, room)                each tensor with at least 3 dims
 * kt_unbind_copy(self, .dim = 0, results, room)                        unbind, returning copies
 * kt_split_copy(self, split_size, .dim = 0, results, room)             split, returning copies
 * kt_split_with_sizes_copy(self, split_sizes, .dim = 0, results, room)             split_with_sizes, returning copies
 * kt_flip(self, dims)                                                  order reversed along the given dims
 * kt_fliplr(self)                                                      flipped left to right: columns reversed
 * kt_flipud(self)                                                      flipped up to down: rows reversed
 * kt_roll(self, shifts, .dims = [])                                    elements rolled along the given dims, wrapping around
 * kt_rot90(self, .k = 1, .dims = [0, 1])                               rotated by k * 90 degrees in the plane of two dims
 * kt_repeat(self, repeats)                                             repeated along each dim
 * kt_tile(self, dims)                                                  repeated along each dim, as numpy.tile
 * kt_repeat_interleave(repeats, .output_size)                          index i repeated repeats[i] times
 * kt_repeat_interleave_tensor(self, repeats, .dim, .output_size)             element i repeated repeats[i] times along dim
 * kt_repeat_interleave_int(self, repeats, .dim, .output_size)             each element repeated the same number of times along dim
 * kt_tril(self, .diagonal = 0)                              _ out      lower triangle; zeros above the diagonal
 * kt_triu(self, .diagonal = 0)                              _ out      upper triangle; zeros below the diagonal
 * kt_tril_indices(row, col, .offset = 0, .dtype, .device)              row and column indices of the lower triangle
 * kt_triu_indices(row, col, .offset = 0, .dtype, .device)              row and column indices of the upper triangle
 * kt_diag(self, .diagonal = 0)                              out        diagonal matrix from a vector, or the diagonal of a matrix
 * kt_diag_embed(self, .offset = 0, .dim1 = -2, .dim2 = -1)             diagonal matrices whose diagonals are the last dim
 * kt_diagflat(self, .offset = 0)                                       diagonal matrix whose diagonal is self, flattened
 * kt_constant_pad_nd(self, pad, .value = 0)                            padded with a constant; negative widths crop
 * kt_nn_pad(input, pad, .mode = 'constant', .value)                    padded: constant, reflect, replicate or circular
 * kt_alias_copy(self)                                       out        alias, returning a copy
 * kt_as_strided_copy(self, size, stride, .storage_offset)   out        as_strided, returning a copy
 * kt_detach_copy(self)                                      out        detach, returning a copy
 * kt_diagonal_copy(self, .offset = 0, .dim1 = 0, .dim2 = 1)  out        diagonal, returning a copy
 * kt_expand_copy(self, size, .implicit = false)             out        expand, returning a copy
 * kt_permute_copy(self, dims)                               out        permute, returning a copy
 * kt_select_copy(self, dim, index)                          out        select, returning a copy
 * kt_slice_copy(self, .dim = 0, .start, .end, .step = 1)    out        slice, returning a copy
 * kt_squeeze_copy(self)                                     out        squeeze, returning a copy
 * kt_squeeze_dim_copy(self, dim)                            out        squeeze, returning a copy
 * kt_t_copy(self)                                           out        t, returning a copy
 * kt_transpose_copy(self, dim0, dim1)                       out        transpose, returning a copy
 * kt_unfold_copy(self, dimension, size, step)               out        unfold, returning a copy
 * kt_unsqueeze_copy(self, dim)                              out        unsqueeze, returning a copy
 * kt_view_copy(self, size)                                  out        view, returning a copy
 * kt_view_dtype_copy(self, dtype)                           out        view, returning a copy
 * kt_view_as_real_copy(self)                                out        view_as_real, returning a copy
 * kt_view_as_complex_copy(self)                             out        view_as_complex, returning a copy
 * kt_narrow_copy(self, dim, start, length)                  out        narrow, returning a copy
 * kt_select_scatter(self, src, dim, index)                             copy of self with src at one index of dim
 * kt_slice_scatter(self, src, .dim = 0, .start, .end, .step = 1)  out        copy of self with src in a slice of dim
 * kt_diagonal_scatter(self, src, .offset = 0, .dim1 = 0, .dim2 = 1)             copy of self with src on a diagonal
 * kt_as_strided_scatter(self, src, size, stride, .storage_offset)             copy of self with src at the elements of as_strided
 * kt_pixel_shuffle(self, upscale_factor)                               channels become pixels: [..., C * r * r, H, W] to [..., C, H * r, W * r]
 * kt_pixel_unshuffle(self, downscale_factor)                           pixels become channels: [..., C, H * r, W * r] to [..., C * r * r, H, W]
 * kt_channel_shuffle(self, groups)                                     channels of several groups in turn
 * kt_native_channel_shuffle(self, groups)                              channel_shuffle without a derivative
 * kt_combinations(self, .r = 2, .with_replacement = false)             combinations of r elements, one per row
 */

/* ---- random numbers ----
 * kt_rand(size, .generator, .dtype, .device, .requires_grad = false)             uniform samples from [0, 1)
 * kt_rand_like(self, .generator, .dtype, .device, .requires_grad = false, .memory_format)             uniform samples from [0, 1), like self
 * kt_randn(size, .generator, .dtype, .device, .requires_grad = false)             standard normal samples
 * kt_randn_like(self, .generator, .dtype, .device, .requires_grad = false, .memory_format)             standard normal samples, like self
 * kt_randint(high, size, .generator, .dtype, .device, .requires_grad = false)             random integers from [0, high)
 * kt_randint_low(low, high, size, .generator, .dtype, .device, .requires_grad = false)             random integers from [low, high)
 * kt_randint_like(self, high, .generator, .dtype, .device, .requires_grad = false, .memory_format)             random integers from [0, high), like self
 * kt_randint_like_low(self, low, high, .generator, .dtype, .device, .requires_grad = false, .memory_format)             random integers from [low, high), like self
 * kt_randperm(n, .generator, .dtype, .device, .requires_grad = false)             random permutation of 0 to n - 1
 * kt_normal_tensor_float(mean, .std = 1.0, .generator)      out        normal samples, one mean per element
 * kt_normal_float_tensor(mean, std, .generator)             out        normal samples, one standard deviation per element
 * kt_normal_tensor_tensor(mean, std, .generator)            out        normal samples, one mean and one standard deviation per element
 * kt_normal_float_float(mean, std, size, .generator, .dtype, .device, .requires_grad = false)             normal samples with the given mean and standard deviation
 * kt_normal_(self, .mean = 0.0, .std = 1.0, .generator)                filled with normal samples
 * kt_uniform_(self, .from = 0.0, .to = 1.0, .generator)                filled with uniform samples from [from, to)
 * kt_random_(self, .generator)                                         filled with random integers from the range of the dtype
 * kt_random_to_(self, to, .generator)                                  filled with random integers from [0, to)
 * kt_random_from_(self, from, to, .generator)                          filled with random integers from [from, to)
 * kt_exponential_(self, .lambd = 1.0, .generator)                      filled with exponential samples of rate lambd
 * kt_cauchy_(self, .median = 0.0, .sigma = 1.0, .generator)             filled with Cauchy samples
 * kt_log_normal_(self, .mean = 1.0, .std = 2.0, .generator)             filled with log-normal samples
 * kt_geometric_(self, p, .generator)                                   filled with geometric samples
 * kt_bernoulli(self, .generator)                            out        Bernoulli samples: 1 with probability self
 * kt_bernoulli_p(self, p, .generator)                                  Bernoulli samples like self: 1 with probability p
 * kt_bernoulli_tensor_(self, p, .generator)                            filled with Bernoulli samples, one probability per element
 * kt_bernoulli_float_(self, .p = 0.5, .generator)                      filled with Bernoulli samples: 1 with probability p
 * kt_poisson(self, .generator)                                         Poisson samples with the rates in self
 * kt_binomial(count, prob, .generator)                                 binomial samples of count trials with probability prob
 * kt_multinomial(self, num_samples, .replacement = false, .generator)  out        indices sampled from each row, with the row's elements as weights
 * kt_dropout(input, p, train)                               _          dropout: elements zeroed with probability p, the others scaled by 1 / (1 - p)
 * kt_feature_dropout(input, p, train)                       _          dropout of whole channels
 * kt_alpha_dropout(input, p, train)                         _          dropout that keeps the mean and variance of selu's output
 * kt_feature_alpha_dropout(input, p, train)                 _          alpha dropout of whole channels
 * kt_native_dropout(input, p, train) -> result, mask                   dropout, and its mask
 * kt_nn_dropout(input, .p = 0.5, .training = true, .inplace = false)             dropout: elements zeroed with probability p, the others scaled by 1 / (1 - p)
 * kt_nn_dropout1d(input, .p = 0.5, .training = true, .inplace = false)             dropout of whole channels of (N, C, L) input
 * kt_nn_dropout2d(input, .p = 0.5, .training = true, .inplace = false)             dropout of whole channels of (N, C, H, W) input
 * kt_nn_dropout3d(input, .p = 0.5, .training = true, .inplace = false)             dropout of whole channels of (N, C, D, H, W) input
 * kt_nn_alpha_dropout(input, .p = 0.5, .training = false, .inplace = false)             dropout that keeps the mean and variance of selu's output
 * kt_nn_feature_alpha_dropout(input, .p = 0.5, .training = false, .inplace = false)             alpha dropout of whole channels
 * kt_rrelu(self, .lower = 0.125, .upper = 0.3333333333333333, .training = false, .generator)  _          randomized leaky ReLU: below 0 times a draw from [lower, upper), in evaluation times their mean
 * kt_nn_gumbel_softmax(logits, .tau = 1, .hard = false, .eps = 1e-10, .dim = -1)             a sample of the Gumbel softmax distribution; hard=True: one-hot, with the gradient of the soft one
 */

/* ---- indexing ----
 * kt_index(self, indices, n_indices)                                   advanced indexing: one index tensor per dim, NULL for a whole dim
 * kt_index_put(self, indices, n_indices, values, .accumulate = false)  _          self with values written at the index tensors; accumulate=True adds
 * kt_take(self, index)                                      out        elements at flat indices
 * kt_put(self, index, source, .accumulate = false)          _          self with source written at flat indices; accumulate=True adds
 * kt_fill_diagonal_(self, fill_value, .wrap = false)                   self with its main diagonal filled with a number; wrap=True goes on below a tall matrix
 * kt_gather(self, dim, index, .sparse_grad = false)         out        out[i][j] = self[index[i][j]][j], along dim
 * kt_scatter(self, dim, index, src)                         _ out      self with src written along dim: self[index[i][j]][j] = src[i][j]
 * kt_scatter_value(self, dim, index, value)                 _ out      self with a number written along dim at index
 * kt_scatter_combine(self, dim, index, src, reduce)         _ out      self with src added or multiplied along dim at index
 * kt_scatter_value_combine(self, dim, index, value, reduce)  _ out      self with a number added or multiplied along dim at index
 * kt_scatter_add(self, dim, index, src)                     _ out      self with src added along dim at index; duplicates accumulate
 * kt_index_select(self, dim, index)                         out        slices along dim at the indices
 * kt_index_add(self, dim, index, source, .alpha = 1)        _ out      self with alpha * source added to the slices at index
 * kt_index_copy(self, dim, index, source)                   _ out      self with the slices at index replaced by source
 * kt_index_fill_tensor(self, dim, index, value)             _          self with the slices at index filled with a 0-dim tensor
 * kt_index_fill(self, dim, index, value)                    _          self with the slices at index filled with a number
 * kt_scatter_reduce(self, dim, index, src, reduce, .include_self = true)  _ out      self with src reduced along dim at index: sum, prod, mean, amax, amin
 * kt_index_reduce(self, dim, index, source, reduce, .include_self = true)  _ out      self with source reduced into the slices at index: prod, mean, amax, amin
 * kt_segment_reduce(data, reduce, .lengths, .indices, .offsets, .axis = 0, .unsafe = false, .initial)             sum, mean, max, min or product of the segments of data along an axis, given by their lengths or where they begin
 * kt_take_along_dim(self, indices, .dim)                    out        gather whose other dims broadcast; elements at flat indices if dim is None
 * kt_unravel_index(indices, shape, results, room)                      coordinates of flat indices
 * kt_masked_fill_tensor(self, mask, value)                  _          self with a 0-dim tensor where mask is true
 * kt_masked_fill(self, mask, value)                         _          self with a number where mask is true
 * kt_masked_select(self, mask)                              out        elements where mask is true, as a 1-dim tensor
 * kt_masked_scatter(self, mask, source)                     _          self with consecutive elements of source where mask is true
 * kt_nonzero(self)                                          out        indices of nonzero elements, one row per element
 * kt_argwhere(self)                                                    indices of nonzero elements, one row per element; same as nonzero
 * kt_nonzero_numpy(self, results, room)                                indices of nonzero elements, one tensor per dim
 * kt_where_self(condition, results, room)                              indices of true elements, one tensor per dim
 * kt_nonzero_static(self, size, .fill_value = -1)           out        indices of nonzero elements, size rows, padded with fill_value
 * kt_embedding(weight, indices, .padding_idx = -1, .scale_grad_by_freq = false, .sparse = false)             embedding lookup: rows of weight at the indices
 * kt_nn_embedding(input, weight, .padding_idx, .max_norm, .norm_type = 2.0, .scale_grad_by_freq = false, .sparse = false)             embedding lookup: rows of weight at the indices, renormalized if max_norm is given
 * kt_embedding_renorm_(self, indices, max_norm, norm_type)             rows of a table at the indices, shortened where their norm exceeds max_norm
 * kt_embedding_bag(weight, indices, offsets, .scale_grad_by_freq = false, .mode = 0, .sparse = false, .per_sample_weights, .include_last_offset = false, .padding_idx) -> output, offset2bag, bag_size, max_indices             embedding lookup and reduction within bags: sums (mode 0), means (1) or maxima (2)
 * kt_nn_embedding_bag(input, weight, .offsets, .max_norm, .norm_type = 2, .scale_grad_by_freq = false, .mode = 'mean', .sparse = false, .per_sample_weights, .include_last_offset = false, .padding_idx)             sums, means or maxima of bags of embeddings, without the embeddings themselves
 * kt_nn_one_hot(self, .num_classes = -1)                               one-hot encoding of class indices
 */

/* ---- softmax and losses ----
 * kt_softmax(self, dim, .dtype)                             out        softmax along a dim
 * kt_log_softmax(self, dim, .dtype)                         out        log(softmax(self)) along a dim, without overflow
 * kt_special_softmax(self, dim, .dtype)                                softmax along a dim; same as torch.softmax
 * kt_special_log_softmax(self, dim, .dtype)                            log(softmax(self)) along a dim; same as torch.log_softmax
 * kt_nn_softmax(input, .dim, ._stacklevel = 3, .dtype)                 softmax along dim; dim=None is deprecated
 * kt_nn_log_softmax(input, .dim, ._stacklevel = 3, .dtype)             log(softmax(input)) along dim; dim=None is deprecated
 * kt_nn_softmin(input, .dim, ._stacklevel = 3, .dtype)                 softmax(-input) along dim
 * kt_mse_loss(input, target, .reduction = 1)                           squared error
 * kt_smooth_l1_loss(input, target, .reduction = 1, .beta = 1.0)             smooth L1 loss
 * kt_huber_loss(input, target, .reduction = 1, .delta = 1.0)             Huber loss
 * kt_nn_mse_loss(input, target, .size_average, .reduce, .reduction = 'mean', .weight)             mean squared error; reduction='sum' or 'none'
 * kt_nn_l1_loss(input, target, .size_average, .reduce, .reduction = 'mean', .weight)             mean absolute error; reduction='sum' or 'none'
 * kt_nn_smooth_l1_loss(input, target, .size_average, .reduce, .reduction = 'mean', .beta = 1.0)             smooth L1 loss: quadratic where abs(input - target) < beta, linear above
 * kt_nn_huber_loss(input, target, .reduction = 'mean', .delta = 1.0, .weight)             Huber loss: quadratic where abs(input - target) <= delta, linear above
 * kt_nll_loss(input, target, .weight, .reduction = 1, .ignore_index = -100)             negative log likelihood; input holds log-probabilities, target int64 class indices
 * kt_nll_loss2d(input, target, .weight, .reduction = 1, .ignore_index = -100)             negative log likelihood for 4-dim input, one class per pixel
 * kt_nn_nll_loss(input, target, .weight, .size_average, .ignore_index = -100, .reduce, .reduction = 'mean')             negative log likelihood; input holds log-probabilities, target int64 class indices
 * kt_nn_cross_entropy(input, target, .weight, .size_average, .ignore_index = -100, .reduce, .reduction = 'mean', .label_smoothing = 0.0)             cross entropy of logits and targets: int64 class indices, or class probabilities
 * kt_binary_cross_entropy_with_logits(input, target, .weight, .pos_weight, .reduction = 0)             binary cross entropy of logits and targets in [0, 1]
 * kt_kl_div(input, target, .reduction = 0, .log_target = false)             pointwise Kullback-Leibler divergence; input holds log-probabilities
 * kt_nn_binary_cross_entropy(input, target, .weight, .size_average, .reduce, .reduction = 'mean')             mean binary cross entropy of probabilities and targets in [0, 1]
 * kt_nn_binary_cross_entropy_with_logits(input, target, .weight, .size_average, .reduce, .reduction = 'mean', .pos_weight)             mean binary cross entropy of logits and targets in [0, 1]
 * kt_nn_kl_div(input, target, .size_average, .reduce, .reduction = 'mean', .log_target = false)             Kullback-Leibler divergence; reduction='batchmean' is the mathematical definition
 * kt_hinge_embedding_loss(input, target, .margin = 1.0, .reduction = 0)             input where target is 1; how far it falls short of margin where target is -1
 * kt_margin_ranking_loss(input1, input2, target, .margin = 0.0, .reduction = 0)             how far input1 - input2, in the direction of target (1 or -1), falls short of margin
 * kt_cosine_embedding_loss(input1, input2, target, .margin = 0.0, .reduction = 0)             1 minus the cosine of two vectors where target is 1; what the cosine has above margin where it is -1
 * kt_triplet_margin_loss(anchor, positive, negative, .margin = 1.0, .p = 2.0, .eps = 1e-06, .swap = false, .reduction = 0)             how far the negative is not farther from the anchor than the positive, by margin
 * kt_multi_margin_loss(input, target, .p = 1, .margin = 1, .weight, .reduction = 1)             how far each class is not margin below the target's, summed over the classes and divided by their number
 * kt_multilabel_margin_loss(input, target, .reduction = 1)             how far each other class is not 1 below each class that target lists, up to the first -1
 * kt_soft_margin_loss(input, target, .reduction = 1)                   log(1 + exp(-target * input))
 * kt_poisson_nll_loss(input, target, log_input, full, eps, reduction)             negative log likelihood of counts under a Poisson distribution, whose rate or its logarithm is input
 * kt_nn_hinge_embedding_loss(input, target, .margin = 1.0, .size_average, .reduce, .reduction = 'mean')             input where target is 1; how far it falls short of margin where target is -1
 * kt_nn_margin_ranking_loss(input1, input2, target, .margin = 0, .size_average, .reduce, .reduction = 'mean')             how far input1 - input2, in the direction of target (1 or -1), falls short of margin
 * kt_nn_cosine_embedding_loss(input1, input2, target, .margin = 0, .size_average, .reduce, .reduction = 'mean')             1 minus the cosine of two vectors where target is 1; what the cosine has above margin where it is -1
 * kt_nn_triplet_margin_loss(anchor, positive, negative, .margin = 1.0, .p = 2, .eps = 1e-06, .swap = false, .size_average, .reduce, .reduction = 'mean')             how far the negative is not farther from the anchor than the positive, by margin
 * kt_nn_multi_margin_loss(input, target, .p = 1, .margin = 1.0, .weight, .size_average, .reduce, .reduction = 'mean')             how far each class is not margin below the target's, to the power p, averaged over the classes
 * kt_nn_multilabel_margin_loss(input, target, .size_average, .reduce, .reduction = 'mean')             how far each other class is not 1 below each class that target lists, up to the first -1
 * kt_nn_soft_margin_loss(input, target, .size_average, .reduce, .reduction = 'mean')             log(1 + exp(-target * input))
 * kt_nn_multilabel_soft_margin_loss(input, target, .weight, .size_average, .reduce, .reduction = 'mean')             binary cross entropy of logits, averaged over the classes
 * kt_nn_gaussian_nll_loss(input, target, var, .full = false, .eps = 1e-06, .reduction = 'mean')  s          negative log likelihood of target under a normal distribution of mean input and variance var
 * kt_nn_poisson_nll_loss(input, target, .log_input = true, .full = false, .size_average, .eps = 1e-08, .reduce, .reduction = 'mean')             negative log likelihood of counts under a Poisson distribution, whose rate or its logarithm is input
 */

/* ---- lists of tensors ----
 * kt_foreach_abs(self, n_self, results, room)               _          each tensor of a list: absolute value
 * kt_foreach_acos(self, n_self, results, room)              _          each tensor of a list: arccosine
 * kt_foreach_asin(self, n_self, results, room)              _          each tensor of a list: arcsine
 * kt_foreach_atan(self, n_self, results, room)              _          each tensor of a list: arctangent
 * kt_foreach_ceil(self, n_self, results, room)              _          each tensor of a list: rounded up
 * kt_foreach_cos(self, n_self, results, room)               _          each tensor of a list: cosine
 * kt_foreach_cosh(self, n_self, results, room)              _          each tensor of a list: hyperbolic cosine
 * kt_foreach_erf(self, n_self, results, room)               _          each tensor of a list: error function
 * kt_foreach_erfc(self, n_self, results, room)              _          each tensor of a list: complementary error function
 * kt_foreach_exp(self, n_self, results, room)               _          each tensor of a list: e to the power
 * kt_foreach_expm1(self, n_self, results, room)             _          each tensor of a list: exp minus 1
 * kt_foreach_floor(self, n_self, results, room)             _          each tensor of a list: rounded down
 * kt_foreach_frac(self, n_self, results, room)              _          each tensor of a list: fractional part
 * kt_foreach_lgamma(self, n_self, results, room)            _          each tensor of a list: logarithm of the gamma function
 * kt_foreach_log(self, n_self, results, room)               _          each tensor of a list: natural logarithm
 * kt_foreach_log10(self, n_self, results, room)             _          each tensor of a list: logarithm to base 10
 * kt_foreach_log1p(self, n_self, results, room)             _          each tensor of a list: logarithm of 1 plus
 * kt_foreach_log2(self, n_self, results, room)              _          each tensor of a list: logarithm to base 2
 * kt_foreach_neg(self, n_self, results, room)               _          each tensor of a list: negated
 * kt_foreach_reciprocal(self, n_self, results, room)        _          each tensor of a list: 1 divided by
 * kt_foreach_round(self, n_self, results, room)             _          each tensor of a list: rounded to the nearest integer
 * kt_foreach_rsqrt(self, n_self, results, room)             _          each tensor of a list: 1 divided by the square root of
 * kt_foreach_sigmoid(self, n_self, results, room)           _          each tensor of a list: logistic function
 * kt_foreach_sign(self, n_self, results, room)              _          each tensor of a list: sign: -1, 0 or 1
 * kt_foreach_sin(self, n_self, results, room)               _          each tensor of a list: sine
 * kt_foreach_sinh(self, n_self, results, room)              _          each tensor of a list: hyperbolic sine
 * kt_foreach_sqrt(self, n_self, results, room)              _          each tensor of a list: square root
 * kt_foreach_tan(self, n_self, results, room)               _          each tensor of a list: tangent
 * kt_foreach_tanh(self, n_self, results, room)              _          each tensor of a list: hyperbolic tangent
 * kt_foreach_trunc(self, n_self, results, room)             _          each tensor of a list: rounded towards zero
 * kt_foreach_zero(self, n_self, results, room)              _          each tensor of a list: filled with zeros
 * kt_foreach_copy(self, n_self, src, n_src, .non_blocking = false, results, room)  _          each tensor of src cast to that of self; in place: written into it
 * kt_foreach_max(self, n_self, results, room)                          the maximum of each tensor of a list
 * kt_foreach_norm(self, n_self, .ord = 2, .dtype, results, room)             the vector norm of each tensor of a list
 * kt_foreach_powsum(self, n_self, .ord = 2, .dtype, results, room)             the sum of the powers of each tensor of a list: its vector norm before the root
 * kt_foreach_add(self, n_self, scalar, results, room)       _          each tensor of a list plus a number
 * kt_foreach_add_list(self, n_self, other, n_other, .alpha = 1, results, room)  _          each tensor of a list plus that of another
 * kt_foreach_add_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list plus a number of its own
 * kt_foreach_add_tensor(self, n_self, other, .alpha = 1, results, room)  _          each tensor of a list plus a 0-dim tensor
 * kt_foreach_sub(self, n_self, scalar, results, room)       _          each tensor of a list minus a number
 * kt_foreach_sub_list(self, n_self, other, n_other, .alpha = 1, results, room)  _          each tensor of a list minus that of another
 * kt_foreach_sub_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list minus a number of its own
 * kt_foreach_mul(self, n_self, scalar, results, room)       _          each tensor of a list times a number
 * kt_foreach_mul_list(self, n_self, other, n_other, results, room)  _          each tensor of a list times that of another
 * kt_foreach_mul_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list times a number of its own
 * kt_foreach_mul_tensor(self, n_self, other, results, room)  _          each tensor of a list times a 0-dim tensor
 * kt_foreach_div(self, n_self, scalar, results, room)       _          each tensor of a list divided by a number
 * kt_foreach_div_list(self, n_self, other, n_other, results, room)  _          each tensor of a list divided by that of another
 * kt_foreach_div_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list divided by a number of its own
 * kt_foreach_div_tensor(self, n_self, other, results, room)  _          each tensor of a list divided by a 0-dim tensor
 * kt_foreach_maximum(self, n_self, scalar, results, room)   _          each tensor of a list or, where that is greater, a number
 * kt_foreach_maximum_list(self, n_self, other, n_other, results, room)  _          each tensor of a list or, where that is greater, that of another
 * kt_foreach_maximum_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list or, where that is greater, a number of its own
 * kt_foreach_minimum(self, n_self, scalar, results, room)   _          each tensor of a list or, where that is less, a number
 * kt_foreach_minimum_list(self, n_self, other, n_other, results, room)  _          each tensor of a list or, where that is less, that of another
 * kt_foreach_minimum_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list or, where that is less, a number of its own
 * kt_foreach_clamp_min(self, n_self, scalar, results, room)  _          each tensor of a list or, where that is greater, a number
 * kt_foreach_clamp_min_list(self, n_self, other, n_other, results, room)  _          each tensor of a list or, where that is greater, that of another
 * kt_foreach_clamp_min_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list or, where that is greater, a number of its own
 * kt_foreach_clamp_max(self, n_self, scalar, results, room)  _          each tensor of a list or, where that is less, a number
 * kt_foreach_clamp_max_list(self, n_self, other, n_other, results, room)  _          each tensor of a list or, where that is less, that of another
 * kt_foreach_clamp_max_scalars(self, n_self, scalars, n_scalars, results, room)  _          each tensor of a list or, where that is less, a number of its own
 * kt_foreach_pow(self, n_self, exponent, results, room)     _          each tensor of a list to the power of a number
 * kt_foreach_pow_list(self, n_self, exponent, n_exponent, results, room)  _          each tensor of a list to the power of that of another
 * kt_foreach_pow_scalars(self, n_self, exponent, n_exponent, results, room)  _          each tensor of a list to the power of a number of its own
 * kt_foreach_pow_base(self, exponent, n_exponent, results, room)             a number to the power of each tensor of a list
 * kt_foreach_addcmul(self, n_self, tensor1, n_tensor1, tensor2, n_tensor2, .value = 1, results, room)  _          each tensor of a list plus value times tensor1 times tensor2
 * kt_foreach_addcmul_scalars(self, n_self, tensor1, n_tensor1, tensor2, n_tensor2, scalars, n_scalars, results, room)  _          the same with a number for each tensor
 * kt_foreach_addcmul_tensor(self, n_self, tensor1, n_tensor1, tensor2, n_tensor2, scalars, results, room)  _          the same with the numbers in one tensor
 * kt_foreach_addcdiv(self, n_self, tensor1, n_tensor1, tensor2, n_tensor2, .value = 1, results, room)  _          each tensor of a list plus value times tensor1 divided by tensor2
 * kt_foreach_addcdiv_scalars(self, n_self, tensor1, n_tensor1, tensor2, n_tensor2, scalars, n_scalars, results, room)  _          the same with a number for each tensor
 * kt_foreach_addcdiv_tensor(self, n_self, tensor1, n_tensor1, tensor2, n_tensor2, scalars, results, room)  _          the same with the numbers in one tensor
 * kt_foreach_lerp(self, n_self, tensors1, n_tensors1, weight, results, room)  _          each tensor of a list moved towards that of another by a weight
 * kt_foreach_lerp_list(self, n_self, tensors1, n_tensors1, weights, n_weights, results, room)  _          the same with a tensor of weights for each
 * kt_foreach_lerp_scalars(self, n_self, tensors1, n_tensors1, weight, n_weight, results, room)  _          the same with a weight for each
 */

/* ---- convolutions and pooling ----
 * kt_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)             convolution over 1 to 3 dims, or its transpose
 * kt_conv_tbc(self, weight, bias, .pad = 0)                            1-dimensional convolution of [time, batch, channel] with a weight [width, channel, channel of the result]
 * kt_conv1d(input, weight, .bias, .stride = [1], .padding = [0], .dilation = [1], .groups = 1)             1-dimensional convolution
 * kt_conv1d_padding(input, weight, .bias, .stride = [1], .padding = 'valid', .dilation = [1], .groups = 1)             1-dimensional convolution; padding is 'valid' (none) or 'same' (the result has the input's size)
 * kt_conv2d(input, weight, .bias, .stride = [1], .padding = [0], .dilation = [1], .groups = 1)             2-dimensional convolution
 * kt_conv2d_padding(input, weight, .bias, .stride = [1], .padding = 'valid', .dilation = [1], .groups = 1)             2-dimensional convolution; padding is 'valid' (none) or 'same' (the result has the input's size)
 * kt_conv3d(input, weight, .bias, .stride = [1], .padding = [0], .dilation = [1], .groups = 1)             3-dimensional convolution
 * kt_conv3d_padding(input, weight, .bias, .stride = [1], .padding = 'valid', .dilation = [1], .groups = 1)             3-dimensional convolution; padding is 'valid' (none) or 'same' (the result has the input's size)
 * kt_conv_transpose1d(input, weight, .bias, .stride = [1], .padding = [0], .output_padding = [0], .groups = 1, .dilation = [1])             1-dimensional transposed convolution
 * kt_conv_transpose2d(input, weight, .bias, .stride = [1], .padding = [0], .output_padding = [0], .groups = 1, .dilation = [1])             2-dimensional transposed convolution
 * kt_conv_transpose3d(input, weight, .bias, .stride = [1], .padding = [0], .output_padding = [0], .groups = 1, .dilation = [1])             3-dimensional transposed convolution
 * kt_max_pool1d(self, kernel_size, .stride = [], .padding = [0], .dilation = [1], .ceil_mode = false)             largest of each window over 1 dim
 * kt_max_pool1d_with_indices(self, kernel_size, .stride = [], .padding = [0], .dilation = [1], .ceil_mode = false) -> result0, result1             largest of each window over 1 dim, and its index in the line
 * kt_max_pool2d(self, kernel_size, .stride = [], .padding = [0], .dilation = [1], .ceil_mode = false)             largest of each window over 2 dims
 * kt_max_pool3d(self, kernel_size, .stride = [], .padding = [0], .dilation = [1], .ceil_mode = false)             largest of each window over 3 dims
 * kt_avg_pool1d(self, kernel_size, .stride = [], .padding = [0], .ceil_mode = false, .count_include_pad = true)             average of each window over 1 dim
 * kt_avg_pool2d(self, kernel_size, .stride = [], .padding = [0], .ceil_mode = false, .count_include_pad = true, .divisor_override)  out        average of each window over 2 dims
 * kt_avg_pool3d(self, kernel_size, .stride = [], .padding = [0], .ceil_mode = false, .count_include_pad = true, .divisor_override)  out        average of each window over 3 dims
 * kt_adaptive_avg_pool1d(self, output_size)                            average of windows that divide the last dim into output_size
 * kt_adaptive_avg_pool2d(self, output_size)                            average of windows that divide the last 2 dims into output_size
 * kt_adaptive_avg_pool3d(self, output_size)                            average of windows that divide the last 3 dims into output_size
 * kt_adaptive_max_pool1d(self, output_size) -> result0, result1             largest of windows that divide the last dim into output_size, and its index
 */

/* ---- normalisation ----
 * kt_native_layer_norm(input, normalized_shape, weight, bias, eps) -> result, mean, rstd             layer normalization over the last dims, with the mean and the reciprocal deviation of each group
 * kt_layer_norm(input, normalized_shape, .weight, .bias, .eps = 1e-05, .cudnn_enable = true)             layer normalization over the last dims
 * kt_nn_layer_norm(input, normalized_shape, .weight, .bias, .eps = 1e-05)             layer normalization over the last dims
 * kt_rms_norm(input, normalized_shape, .weight, .eps)                  root mean square normalization over the last dims; eps=None: the epsilon of the dtype that it is computed in
 * kt_nn_rms_norm(input, normalized_shape, .weight, .eps)               root mean square normalization over the last dims; eps=None: the epsilon of the dtype that it is computed in
 * kt_native_group_norm(input, weight, bias, N, C, HxW, group, eps) -> result, mean, rstd             group normalization, with the mean and the reciprocal deviation of each group
 * kt_native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps) -> result, mean, invstd             batch normalization, with the mean and the reciprocal deviation of each channel (none without training)
 * kt_batch_norm_update_stats(input, running_mean, running_var, momentum) -> result_mean, result_var             mean and variance of each channel, towards which the running ones move by momentum
 * kt_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)             batch normalization: of each channel, over the batch and the other dims
 * kt_nn_batch_norm(input, running_mean, running_var, .weight, .bias, .training = false, .momentum = 0.1, .eps = 1e-05)             batch normalization: of each channel, over the batch and the other dims
 * kt_group_norm(input, num_groups, .weight, .bias, .eps = 1e-05, .cudnn_enabled = true)             group normalization: of each group of channels, over the other dims
 * kt_nn_group_norm(input, num_groups, .weight, .bias, .eps = 1e-05)             group normalization: of each group of channels, over the other dims
 * kt_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)             instance normalization: of each channel of each element of the batch, over the other dims
 * kt_nn_instance_norm(input, .running_mean, .running_var, .weight, .bias, .use_input_stats = true, .momentum = 0.1, .eps = 1e-05)             instance normalization: of each channel of each element of the batch, over the other dims
 * kt_norm_except_dim(v, .pow = 2, .dim = 0)                            norms of the slices along dim; dim = -1: of the whole
 * kt_nn_local_response_norm(input, size, .alpha = 0.0001, .beta = 0.75, .k = 1.0)             normalization by the mean square of the channels near
 * kt_nn_normalize(input, .p = 2.0, .dim = [1], .eps = 1e-12)  out        each vector along dim divided by its p-norm, which is at least eps
 */

/* ---- attention ----
 * kt_scaled_dot_product_attention(query, key, value, .attn_mask, .dropout_p = 0.0, .is_causal = false, .scale, .enable_gqa = false)             attention: softmax(scale * query key^T + attn_mask) value
 */

/* ---- recurrent layers ----
 * kt_lstm(input, hx, n_hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> output, hy, cy             long short-term memory (LSTM) over a sequence
 * kt_lstm_data(data, batch_sizes, hx, n_hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional) -> output, hy, cy             long short-term memory (LSTM) over a packed sequence
 * kt_gru(input, hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> output, hy             gated recurrent units (GRU) over a sequence
 * kt_gru_data(data, batch_sizes, hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional) -> output, hy             gated recurrent units (GRU) over a packed sequence
 * kt_rnn_tanh(input, hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> output, hy             recurrent layers with tanh over a sequence
 * kt_rnn_tanh_data(data, batch_sizes, hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional) -> output, hy             recurrent layers with tanh over a packed sequence
 * kt_rnn_relu(input, hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> output, hy             recurrent layers with relu over a sequence
 * kt_rnn_relu_data(data, batch_sizes, hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional) -> output, hy             recurrent layers with relu over a packed sequence
 * kt_lstm_cell(input, hx, n_hx, w_ih, w_hh, .b_ih, .b_hh) -> hy, cy             one step of an LSTM
 * kt_gru_cell(input, hx, w_ih, w_hh, .b_ih, .b_hh)                     one step of a GRU
 * kt_rnn_tanh_cell(input, hx, w_ih, w_hh, .b_ih, .b_hh)                one step of a recurrent layer with tanh
 * kt_rnn_relu_cell(input, hx, w_ih, w_hh, .b_ih, .b_hh)                one step of a recurrent layer with relu
 * kt_ctc_loss(log_probs, targets, input_lengths, target_lengths, .blank = 0, .reduction = 0, .zero_infinity = false)             connectionist temporal classification (CTC) loss
 * kt_ctc_loss_tensor(log_probs, targets, input_lengths, target_lengths, .blank = 0, .reduction = 0, .zero_infinity = false)             connectionist temporal classification (CTC) loss, with lengths in tensors
 * kt_nn_ctc_loss(log_probs, targets, input_lengths, target_lengths, .blank = 0, .reduction = 'mean', .zero_infinity = false)             connectionist temporal classification (CTC) loss
 * kt_nn_ctc_loss_tensor(log_probs, targets, input_lengths, target_lengths, .blank = 0, .reduction = 'mean', .zero_infinity = false)             connectionist temporal classification (CTC) loss, with lengths in tensors
 */

/* ---- resampling of images ----
 * kt_upsample_nearest1d(self, output_size, .scales)         out        resizes 1 dim in space: each element from the one whose cell it begins in
 * kt_upsample_nearest2d(self, output_size, .scales_h, .scales_w)  out        resizes 2 dims in space: each element from the one whose cell it begins in
 * kt_upsample_nearest3d(self, output_size, .scales_d, .scales_h, .scales_w)  out        resizes 3 dims in space: each element from the one whose cell it begins in
 * kt_upsample_linear1d(self, output_size, align_corners, .scales)  out        resizes 1 dim in space by linear interpolation
 * kt_upsample_bilinear2d(self, output_size, align_corners, .scales_h, .scales_w)  out        resizes 2 dims in space by linear interpolation
 * kt_upsample_trilinear3d(self, output_size, align_corners, .scales_d, .scales_h, .scales_w)  out        resizes 3 dims in space by linear interpolation
 * kt_upsample_bicubic2d(self, output_size, align_corners, .scales_h, .scales_w)  out        resizes 2 dims in space by cubic interpolation
 * kt_grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)             images sampled at the places of a grid; modes: 0 bilinear, 1 nearest, 2 bicubic; beyond the image: 0 zeros, 1 border, 2 reflection
 * kt_grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners)             volumes sampled at the places of a grid; modes: 0 bilinear, 1 nearest; beyond the volume: 0 zeros, 1 border, 2 reflection
 * kt_grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)             images or volumes sampled at the places of a grid
 * kt_affine_grid_generator(theta, size, align_corners)                 the grid at which an image of `size`, transformed by the matrices theta, reads its source
 */

/* ---- Fourier transforms ----
 * kt_fft_fft(self, .n, .dim = -1, .norm)                    out        Fourier transform along a dim
 * kt_fft_ifft(self, .n, .dim = -1, .norm)                   out        inverse Fourier transform along a dim
 * kt_fft_rfft(self, .n, .dim = -1, .norm)                   out        first half of the Fourier transform of real numbers along a dim
 * kt_fft_irfft(self, .n, .dim = -1, .norm)                  out        inverse of rfft along a dim: real numbers
 * kt_fft_hfft(self, .n, .dim = -1, .norm)                   out        Fourier transform along a dim of what is given by half of it (hermitian): real numbers
 * kt_fft_ihfft(self, .n, .dim = -1, .norm)                  out        inverse of hfft along a dim: half of it
 * kt_fft_fft2(self, .s, .dim = [-2, -1], .norm)             out        Fourier transform along two dims
 * kt_fft_ifft2(self, .s, .dim = [-2, -1], .norm)            out        inverse Fourier transform along two dims
 * kt_fft_rfft2(self, .s, .dim = [-2, -1], .norm)            out        first half of the Fourier transform of real numbers along two dims
 * kt_fft_irfft2(self, .s, .dim = [-2, -1], .norm)           out        inverse of rfft along two dims: real numbers
 * kt_fft_hfft2(self, .s, .dim = [-2, -1], .norm)            out        Fourier transform along two dims of what is given by half of it (hermitian): real numbers
 * kt_fft_ihfft2(self, .s, .dim = [-2, -1], .norm)           out        inverse of hfft along two dims: half of it
 * kt_fft_fftn(self, .s, .dim, .norm)                        out        Fourier transform along dims
 * kt_fft_ifftn(self, .s, .dim, .norm)                       out        inverse Fourier transform along dims
 * kt_fft_rfftn(self, .s, .dim, .norm)                       out        first half of the Fourier transform of real numbers along dims
 * kt_fft_irfftn(self, .s, .dim, .norm)                      out        inverse of rfft along dims: real numbers
 * kt_fft_hfftn(self, .s, .dim, .norm)                       out        Fourier transform along dims of what is given by half of it (hermitian): real numbers
 * kt_fft_ihfftn(self, .s, .dim, .norm)                      out        inverse of hfft along dims: half of it
 * kt_fft_fftfreq(n, .d = 1., .dtype, .device, .requires_grad = false)             frequencies of the results of fft over n samples that are d apart
 * kt_fft_rfftfreq(n, .d = 1., .dtype, .device, .requires_grad = false)             frequencies of the results of rfft over n samples that are d apart
 * kt_fft_fftshift(self, .dim)                                          rolled so that frequency 0 lies in the middle of dims
 * kt_fft_ifftshift(self, .dim)                                         inverse of fftshift
 * kt_bartlett_window(window_length, .periodic = true, .dtype, .device, .requires_grad = false)             window of a triangle
 * kt_blackman_window(window_length, .periodic = true, .dtype, .device, .requires_grad = false)             window of three cosines
 * kt_hann_window(window_length, .periodic = true, .dtype, .device, .requires_grad = false)             window of a raised cosine
 * kt_hamming_window(window_length, .periodic = true, .alpha = 0.54, .beta = 0.46, .dtype, .device, .requires_grad = false)             window alpha - beta cos
 * kt_kaiser_window(window_length, .periodic = true, .beta = 12.0, .dtype, .device, .requires_grad = false)             window of Bessel functions
 * kt_stft(self, n_fft, .hop_length, .win_length, .window, .center = true, .pad_mode = 'reflect', .normalized = false, .onesided, .return_complex, .align_to_window)             Fourier transforms of overlapping parts of a signal: [batch, frequency, part]
 * kt_istft(self, n_fft, .hop_length, .win_length, .window, .center = true, .normalized = false, .onesided, .length, .return_complex = false)             the signal whose stft is given: parts are added where they overlap, and divided by the sum of squared windows
 */

/* ---- parts of the others: what backward and composite operators call ----
 * kt_polygamma_of(self, .n = 1)                             out        n-th derivative of the digamma function; the tensor comes first
 * kt_frexp_mantissa(self)                                              mantissa of frexp
 * kt_frexp_exponent(self)                                              exponent of frexp, as a float
 * kt_conj_physical_of(self)                                 _ out      complex conjugate, computed at once; a real tensor is copied
 * kt_rrelu_leaky(self, negative_slope)                      _          rrelu in evaluation
 * kt_rrelu_scaled(self, noise)                              _          rrelu in training: self times noise, which was drawn
 * kt_prelu_kernel(self, weight)                                        prelu whose weight broadcasts against self
 * kt_gelu_backward(grad_output, self, .approximate = 'none')             gradient of gelu
 * kt_silu_backward(grad_output, self)                                  gradient of silu
 * kt_mish_backward(grad_output, self)                                  gradient of mish
 * kt_tanh_backward(grad_output, output)                                gradient of tanh, from its result
 * kt_sigmoid_backward(grad_output, output)                             gradient of sigmoid, from its result
 * kt_elu_backward(grad_output, self_or_result, alpha, scale, input_scale, is_result)             gradient of elu, from its input or its result
 * kt_leaky_relu_backward(grad_output, self, negative_slope, self_is_result)             gradient of leaky_relu
 * kt_threshold_backward(grad_output, self, threshold)                  gradient of threshold: grad_output where self > threshold, else 0
 * kt_hardtanh_backward(grad_output, self, min_val, max_val)             gradient of hardtanh: grad_output where min_val < self < max_val, else 0
 * kt_hardsigmoid_backward(grad_output, self)                           gradient of hardsigmoid
 * kt_hardswish_backward(grad_output, self)                             gradient of hardswish
 * kt_hardshrink_backward(grad_out, self, lambd)                        gradient of hardshrink: 0 where -lambd <= self <= lambd, else grad_out
 * kt_softshrink_backward(grad_output, self, lambd)                     gradient of softshrink: 0 where -lambd <= self <= lambd, else grad_output
 * kt_softplus_backward(grad_output, self, beta, threshold)             gradient of softplus
 * kt_log_sigmoid_backward(grad_output, self)                           gradient of log_sigmoid
 * kt_prelu_kernel_backward(grad_output, self, weight) -> input, weight             gradients of prelu with respect to its input and its weight
 * kt_glu_backward(grad_output, self, dim)                              gradient of glu
 * kt_norm_along(self, p, dim, .keepdim = false)                        p-norm over dims, with PyTorch's node of a norm that its own functions take
 * kt_matmul_batched(self, other)                                       batched part of matmul: leading dims broadcast
 * kt_int_mm(self, mat2)                                     out        product of two int8 matrices, summed in int32
 * kt_addmm_activation(self, mat1, mat2, .beta = 1, .alpha = 1, .use_gelu = false)  out        relu of addmm, or gelu; on CUDA in one step with the product, where gelu is the one by tanh
 * kt_scaled_mm(self, mat2, scale_a, scale_b, .bias, .scale_result, .out_dtype, .use_fast_accum = false)  out        product of two float8 matrices, each with a scale, computed in float32
 * kt_lu_with_info(self, .pivot = true, .check_errors = true) -> LU, pivots, info             LU factors of matrices in one tensor; same as linalg.lu_factor_ex (deprecated)
 * kt_linalg_det_lu(A) -> result, LU, pivots                            determinants of square matrices, and their LU factors
 * kt_linalg_adjugate(A) -> result, U, S, Vh                            adjugates of square matrices, det(A) A^-1 where there is an inverse, and their singular values and vectors
 * kt_linalg_slogdet_lu(A) -> sign, logabsdet, LU, pivots               signs of determinants, logarithms of their absolute values, and LU factors
 * kt_linalg_solve_lu(A, B, .left = true, .check_errors = false) -> result, LU, pivots, info             solutions of A @ X = B, and the LU factors of A
 * kt_linalg_eigh_of(A, .UPLO = 'L', .compute_v = true) -> eigenvalues, eigenvectors             eigenvalues and, if asked for, eigenvectors of symmetric or Hermitian matrices
 * kt_linalg_eigvals_of(self)                                           eigenvalues of square matrices without a derivative, as complex numbers
 * kt_linalg_svd_of(A, .full_matrices = false, .compute_uv = true, .driver) -> U, S, Vh             singular values and, if asked for, singular vectors
 * kt_lobpcg_of(A, k, .B, .X, .n, .iK, .niter = 1000, .tol, .largest = true) -> eigenvalues, eigenvectors             the k largest or smallest eigenvalues of symmetric matrices with their vectors, by products with A, B and iK alone
 * kt_to_copy(self, .dtype, .device, .memory_format, .casting = 'unsafe', .rounding = 'torch', .non_blocking = false)             cast to a dtype, moved to a device; always a copy
 * kt_reshape_alias(self, size, stride)                                 the view that reshape returns where view cannot
 * kt_unsafe_view(self, size)                                           view of a temporary; not tracked as a view
 * kt_unsafe_squeeze(self, dim)                                         squeeze of a temporary; not tracked as a view
 * kt_conj_lazy(self)                                                   complex conjugate as a lazy view
 * kt_neg_view(self)                                                    negation as a lazy view
 * kt_interleave(self, repeats, dim, output_size)                       repeat_interleave along dim, with counts in a tensor
 * kt_diag_embed_of(self, .offset = 0)                       out        diagonal matrix from a vector, also into out=
 * kt_pad_edges(input, pad, mode)                                       padded with what is at the edges: reflect or replicate
 * kt_pad_around(input, pad)                                            padded with what is at the other edge: circular
 * kt_standard_gamma(self, .generator)                                  gamma samples with the concentrations in self and rate 1
 * kt_standard_gamma_grad(self, output)                                 derivative of gamma samples by their concentrations
 * kt_sample_dirichlet(self, .generator)                                Dirichlet samples with the concentrations along the last dim of self
 * kt_dirichlet_grad(x, alpha, total)                                   derivative of Dirichlet samples x by their concentrations alpha, whose sums are total
 * kt_native_dropout_backward(grad_output, mask, .scale = 1.0)             gradient of dropout
 * kt_embedding_bag_of(weight, indices, per_sample_weights, offsets, scale_grad_by_freq, mode, include_last_offset, padding_idx) -> output, bag, count, largest             rows of weight at the indices, summed (mode 0), averaged (1) or compared (2) within bags
 * kt_softmax_along(self, dim, half_to_float)                           softmax along dim, without a dtype conversion
 * kt_log_softmax_along(self, dim, half_to_float)                       log_softmax along dim, without a dtype conversion
 * kt_softmax_backward_data(grad_output, output, dim, input_dtype)             gradient of softmax
 * kt_log_softmax_backward_data(grad_output, output, dim, input_dtype)             gradient of log_softmax
 * kt_mse_loss_backward(grad_output, input, target, .reduction = 0)             gradient of mse_loss
 * kt_smooth_l1_loss_backward(grad_output, input, target, .reduction = 0, .beta = 1.0)             gradient of smooth_l1_loss
 * kt_huber_loss_backward(grad_output, input, target, .reduction = 0, .delta = 1.0)             gradient of huber_loss
 * kt_cross_entropy(input, target, .weight, .reduction = 1, .ignore_index = -100, .half_to_float = false) -> loss, top, total             cross entropy of rows of logits and int64 class indices in one pass; top and total are for the gradient
 * kt_cross_entropy_backward(grad_output, self, target, top, total)             gradient of the logits, given that of each row's term
 * kt_div_by_number(input, other)                            s          input / other; its node has PyTorch's name for a division by a number
 * kt_mul_by_number(input, other)                            s          input * other; its node has PyTorch's name for a product with a number
 * kt_binary_cross_entropy(input, target, .weight, .reduction = 1)             binary cross entropy of probabilities and targets in [0, 1]
 * kt_bce_logits(tensors, n_tensors, .reduction = 0)                    binary cross entropy of logits, with optional weight and pos_weight
 * kt_triplet_of_distances(positive, negative, between, margin, reduction)             the triplet margin loss, given distances
 * kt_multi_margin_loss_backward(grad_output, input, target, p, margin, .weight, .reduction = 1)             gradient of multi_margin_loss
 * kt_multilabel_margin_loss_backward(grad_output, input, target, reduction)             gradient of multilabel_margin_loss
 * kt_soft_margin_loss_backward(grad_output, input, target, reduction)             gradient of soft_margin_loss
 * kt_convolution_of(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark, deterministic, cudnn_enabled, .allow_tf32 = true)             convolution over 1 to 3 dims, or its transpose; the last four flags change nothing
 * kt_convolution_input(grad_output, weight, input_size, stride, padding, dilation, transposed, groups)             gradient of convolution for its input
 * kt_convolution_weight(grad_output, input, weight_size, stride, padding, dilation, transposed, groups)             gradient of convolution for its weight
 * kt_convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask) -> result, of_weight, of_bias             gradients of convolution for input, weight and bias; empty tensors where output_mask has 0
 * kt_convolution_mode(input, weight, bias, stride, padding, dilation, groups)             convolution over 1 to 3 dims; padding is 'valid' (none) or 'same' (the result has the input's size)
 * kt_max_pool2d_with_indices(self, kernel_size, .stride = [], .padding = [0], .dilation = [1], .ceil_mode = false) -> result0, result1             largest of each window over 2 dims, and its index in the plane
 * kt_max_pool2d_with_indices_backward(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)             gradient of max_pool2d
 * kt_max_pool3d_with_indices(self, kernel_size, .stride = [], .padding = [0], .dilation = [1], .ceil_mode = false) -> result0, result1             largest of each window over 3 dims, and its index in the volume
 * kt_max_pool3d_with_indices_backward(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)             gradient of max_pool3d
 * kt_avg_pool2d_backward(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, .divisor_override)             gradient of avg_pool2d
 * kt_avg_pool3d_backward(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, .divisor_override)             gradient of avg_pool3d
 * kt_adaptive_avg_pool2d_kernel(self, output_size)                     adaptive_avg_pool2d of any output_size
 * kt_adaptive_avg_pool2d_backward(grad_output, self)                   gradient of adaptive_avg_pool2d
 * kt_adaptive_avg_pool3d_kernel(self, output_size)                     adaptive_avg_pool3d of any output_size
 * kt_adaptive_avg_pool3d_backward(grad_output, self)                   gradient of adaptive_avg_pool3d
 * kt_adaptive_max_pool2d(self, output_size) -> result0, result1             largest of windows that divide the last 2 dims into output_size, and its index
 * kt_adaptive_max_pool2d_backward(grad_output, self, indices)             gradient of adaptive_max_pool2d
 * kt_adaptive_max_pool3d(self, output_size) -> result0, result1             largest of windows that divide the last 3 dims into output_size, and its index
 * kt_adaptive_max_pool3d_backward(grad_output, self, indices)             gradient of adaptive_max_pool3d
 * kt_max_unpool2d(self, indices, output_size)                          numbers at the indices of max_pool2d; 0 elsewhere
 * kt_max_unpool3d(self, indices, output_size, stride, padding)             numbers at the indices of max_pool3d; 0 elsewhere
 * kt_fractional_max_pool2d(self, kernel_size, output_size, random_samples) -> result0, result1             largest of windows at drawn places over 2 dims, and its index
 * kt_fractional_max_pool2d_backward(grad_output, self, kernel_size, output_size, indices)             gradient of fractional_max_pool2d
 * kt_fractional_max_pool3d(self, kernel_size, output_size, random_samples) -> result0, result1             largest of windows at drawn places over 3 dims, and its index
 * kt_fractional_max_pool3d_backward(grad_output, self, kernel_size, output_size, indices)             gradient of fractional_max_pool3d
 * kt_lp_pool1d(input, norm_type, kernel_size, .stride = [], .ceil_mode = false)             norm of order norm_type of each window over 1 dim
 * kt_lp_pool2d(input, norm_type, kernel_size, .stride = [], .ceil_mode = false)             norm of order norm_type of each window over 2 dims
 * kt_lp_pool3d(input, norm_type, kernel_size, .stride = [], .ceil_mode = false)             norm of order norm_type of each window over 3 dims
 * kt_im2col(self, kernel_size, dilation, padding, stride)              windows of an image as columns: [batch, channels * kernel, windows]
 * kt_col2im(self, output_size, kernel_size, dilation, padding, stride)             columns added up to an image of output_size: what im2col took apart
 * kt_layer_norm_alone(input, normalized_shape, weight, bias, eps)             layer normalization over the last dims, where nothing is to flow back: no statistics are made
 * kt_native_layer_norm_backward(grad_out, input, weight, statistics, n_statistics, normalized_shape, output_mask) -> result, of_weight, of_bias             gradients of layer_norm; statistics: its mean and rstd
 * kt_fused_rms_norm(input, normalized_shape, weight, eps) -> result, rstd             root mean square normalization over the last dims, with the reciprocal root of each group
 * kt_fused_rms_norm_backward(grad_out, input, weight, statistics, n_statistics, normalized_shape, output_mask) -> result, of_weight             gradients of rms_norm; statistics: its rstd
 * kt_batch_norm_node(input, weight, bias, running, n_running, training, momentum, eps) -> result, mean, invstd             batch normalization; running: mean and variance, or none
 * kt_batch_norm_legit_node(input, weight, bias, running, n_running, training, momentum, eps) -> result, mean, invstd             batch normalization; running: mean and variance
 * kt_batch_norm_alone_node(input, weight, bias, running, n_running, training, momentum, eps) -> result, mean, invstd             batch normalization; running: none
 * kt_batch_norm_given_node(input, weight, bias, running, n_running, training, momentum, eps) -> result, mean, invstd             batch normalization with given statistics; running: mean and variance
 * kt_native_batch_norm_backward(grad_out, input, weight, statistics, n_statistics, train, output_mask) -> result, of_weight, of_bias             gradients of batch_norm; statistics: mean and invstd of each channel, constants unless train
 * kt_native_group_norm_backward(grad_out, input, weight, statistics, n_statistics, group, output_mask) -> result, of_weight, of_bias             gradients of group_norm; statistics: its mean and rstd
 * kt_native_batch_norm_legit(input, weight, bias, running_mean, running_var, training, momentum, eps) -> result, mean, invstd             batch normalization, with the mean and the reciprocal deviation of each channel (none without training)
 * kt_native_batch_norm_legit_no_stats(input, weight, bias, training, momentum, eps) -> result, mean, invstd             batch normalization without running statistics, with the mean and the reciprocal deviation of each channel
 * kt_native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps) -> result, mean, invstd             batch normalization with given statistics, and two empty tensors
 * kt_weight_norm_interface(v, g, .dim = 0) -> result, norms             v with slices of lengths g along the first or the last dim, and the lengths that they had
 * kt_weight_norm(v, g, .dim = 0)                                       weight normalization: v with slices of lengths g along dim; dim = -1: v with length g
 * kt_attention(query, key, value, attn_mask, n_attn_mask, is_causal, scale, draws, n_draws, dropout_p, product_dims) -> output, logsumexp             attention over [batch, head, length, dim], tile by tile; logsumexp is for the gradient. product_dims: those of the products that PyTorch makes of it, which have a second derivative; 0 where it has a kernel
 * kt_flash_attention_backward(grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, .attn_mask, .scale) -> grad_query, grad_key, grad_value             gradients of attention, given its output and the logarithms of its sums
 * kt_attention_backward(grad_out, query, key, value, out, logsumexp, attn_mask, n_attn_mask, is_causal, scale, draws, n_draws, dropout_p, product_dims) -> grad_query, grad_key, grad_value             gradients of attention, given its output, the logarithms of its sums and its draws
 * kt_attention_mask_backward(grad_out, query, key, value, out, logsumexp, attn_mask, is_causal, scale, draws, n_draws, dropout_p)             gradient of attention's mask, given its output, the logarithms of its sums and its draws
 * kt_attention_draws(query, key)                                       states of the generator for the dropout of attention, one for each block of queries, which its draws begin at
 * kt_attention_kept(draws, query, key, dropout_p)                      what the dropout of attention keeps, as a matrix
 * kt_flash_attention(query, key, value, .dropout_p = 0.0, .is_causal = false, .attn_mask, .scale) -> output, logsumexp             attention over [batch, head, length, dim], tile by tile
 * kt_safe_softmax(self, dim, .dtype)                                   softmax along a dim; zeros where all is -inf
 * kt_attention_math(query, key, value, .attn_mask, .dropout_p = 0.0, .is_causal = false, .dropout_mask, .scale, .enable_gqa = false) -> output, attention             attention made of products and a softmax, and its weights
 * kt_fused_sdp_choice(query, key, value, .attn_mask, .dropout_p = 0.0, .is_causal = false, .scale, .enable_gqa = false)             the way that PyTorch's scaled_dot_product_attention would go, a number of SDPBackend: 1 its kernel, 0 products and a softmax
 * kt_recurrence(gates, hx, n_hx, weights, n_weights, batch_sizes, mode, reverse, train) -> output, hy, cy, workspace             states of a recurrent layer, from what its input gives to the gates
 * kt_recurrence_backward(hx, n_hx, weights, n_weights, output, workspace, batch_sizes, mode, reverse, .grad_output, .grad_hy, .grad_cy, .grad_workspace) -> gates, hidden, state             gradients of a recurrent layer: of the gates, of what its state gave to them, of its first state
 * kt_lstm_layers(input, hx, n_hx, params, n_params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> output, hy, cy             the same where PyTorch has one kernel for it: float32 or bfloat16, without projections
 * kt_pack_padded_sequence(input, lengths, batch_first) -> data, batch_sizes             rows of a batch of padded sequences without their padding, and how many each step has
 * kt_pack_padded_sequence_backward(grad, input_size, batch_sizes, batch_first)             gradient of a packed sequence, with zeros for its padding
 * kt_pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length) -> output, lengths             a packed sequence as a batch of padded ones, and their lengths
 * kt_pad_sequence(sequences, n_sequences, .batch_first = false, .padding_value = 0.0, .padding_side = 'right')             sequences of different lengths as one tensor, padded
 * kt_ctc_loss_of(log_probs, targets, input_lengths, target_lengths, .blank = 0, .zero_infinity = false) -> neg_log_likelihood, log_alpha             CTC loss of each sample, and the logarithms that its gradient needs
 * kt_ctc_loss_of_tensor(log_probs, targets, input_lengths, target_lengths, .blank = 0, .zero_infinity = false) -> neg_log_likelihood, log_alpha             CTC loss of each sample, with lengths in tensors
 * kt_ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, .zero_infinity = false)             gradient of the CTC loss
 * kt_upsample_nearest1d_backward(grad_output, output_size, input_size, .scales)             gradient of upsample_nearest1d
 * kt_upsample_nearest2d_backward(grad_output, output_size, input_size, .scales_h, .scales_w)             gradient of upsample_nearest2d
 * kt_upsample_nearest3d_backward(grad_output, output_size, input_size, .scales_d, .scales_h, .scales_w)             gradient of upsample_nearest3d
 * kt_upsample_nearest_exact1d(self, output_size, .scales)   out        resizes 1 dim in space: each element from the one that its centre is nearest to
 * kt_upsample_nearest_exact1d_backward(grad_output, output_size, input_size, .scales)             gradient of _upsample_nearest_exact1d
 * kt_upsample_nearest_exact2d(self, output_size, .scales_h, .scales_w)  out        resizes 2 dims in space: each element from the one that its centre is nearest to
 * kt_upsample_nearest_exact2d_backward(grad_output, output_size, input_size, .scales_h, .scales_w)             gradient of _upsample_nearest_exact2d
 * kt_upsample_nearest_exact3d(self, output_size, .scales_d, .scales_h, .scales_w)  out        resizes 3 dims in space: each element from the one that its centre is nearest to
 * kt_upsample_nearest_exact3d_backward(grad_output, output_size, input_size, .scales_d, .scales_h, .scales_w)             gradient of _upsample_nearest_exact3d
 * kt_upsample_linear1d_backward(grad_output, output_size, input_size, align_corners, .scales)             gradient of upsample_linear1d
 * kt_upsample_bilinear2d_backward(grad_output, output_size, input_size, align_corners, .scales_h, .scales_w)             gradient of upsample_bilinear2d
 * kt_upsample_trilinear3d_backward(grad_output, output_size, input_size, align_corners, .scales_d, .scales_h, .scales_w)             gradient of upsample_trilinear3d
 * kt_upsample_bicubic2d_backward(grad_output, output_size, input_size, align_corners, .scales_h, .scales_w)             gradient of upsample_bicubic2d
 * kt_upsample_bilinear2d_aa(self, output_size, align_corners, .scales_h, .scales_w)  out        resizes 2 dims in space by linear interpolation; where it shrinks, by weights as wide as the result's cells
 * kt_upsample_bilinear2d_aa_backward(grad_output, output_size, input_size, align_corners, .scales_h, .scales_w)             gradient of _upsample_bilinear2d_aa
 * kt_upsample_bicubic2d_aa(self, output_size, align_corners, .scales_h, .scales_w)  out        resizes 2 dims in space by cubic interpolation; where it shrinks, by weights as wide as the result's cells
 * kt_upsample_bicubic2d_aa_backward(grad_output, output_size, input_size, align_corners, .scales_h, .scales_w)             gradient of _upsample_bicubic2d_aa
 * kt_grid_sampler_2d_backward(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask) -> result0, result1             gradients of grid_sampler_2d; output_mask: for each 1, or 0 for an empty tensor in its place
 * kt_grid_sampler_3d_backward(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask) -> result0, result1             gradients of grid_sampler_3d; output_mask: for each 1, or 0 for an empty tensor in its place
 * kt_fft_c2c(self, dim, normalization, forward)             out        Fourier transform of complex numbers, or its inverse
 * kt_fft_r2c(self, dim, normalization, onesided)            out        Fourier transform of real numbers; onesided: the first half of the last of `dim`, from which the rest follows
 * kt_fft_c2r(self, dim, normalization, last_dim_size)       out        real numbers whose Fourier transform is given by its first half
 * kt_fused_adam_tensor_lr_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_avg_sqs, n_exp_avg_sqs, max_exp_avg_sqs, n_max_exp_avg_sqs, state_steps, n_state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, .grad_scale, .found_inf)             a step of Adam of each tensor of a list; the learning rate is a tensor
 * kt_fused_adam_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_avg_sqs, n_exp_avg_sqs, max_exp_avg_sqs, n_max_exp_avg_sqs, state_steps, n_state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, .grad_scale, .found_inf)             a step of Adam of each tensor of a list
 * kt_fused_adamw_tensor_lr_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_avg_sqs, n_exp_avg_sqs, max_exp_avg_sqs, n_max_exp_avg_sqs, state_steps, n_state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, .grad_scale, .found_inf)             a step of AdamW (decoupled weight decay) of each tensor of a list; the learning rate is a tensor
 * kt_fused_adamw_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_avg_sqs, n_exp_avg_sqs, max_exp_avg_sqs, n_max_exp_avg_sqs, state_steps, n_state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, .grad_scale, .found_inf)             a step of AdamW (decoupled weight decay) of each tensor of a list
 * kt_fused_sgd_tensor_lr_(self, n_self, grads, n_grads, momentum_buffer_list, n_momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step, .grad_scale, .found_inf)             a step of stochastic gradient descent of each tensor of a list; the learning rate is a tensor
 * kt_fused_sgd_(self, n_self, grads, n_grads, momentum_buffer_list, n_momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step, .grad_scale, .found_inf)             a step of stochastic gradient descent of each tensor of a list
 * kt_fused_adagrad_tensor_lr_(self, n_self, grads, n_grads, state_sums, n_state_sums, state_steps, n_state_steps, lr, lr_decay, weight_decay, eps, maximize, .grad_scale, .found_inf)             a step of Adagrad of each tensor of a list; the learning rate is a tensor
 * kt_fused_adagrad_(self, n_self, grads, n_grads, state_sums, n_state_sums, state_steps, n_state_steps, lr, lr_decay, weight_decay, eps, maximize, .grad_scale, .found_inf)             a step of Adagrad of each tensor of a list
 * kt_step_sgd_(self, n_self, grads, n_grads, momentum_buffers, n_momentum_buffers, followed, n_followed, lr, .weight_decay = 0, .momentum = 0, .dampening = 0, .nesterov = false, .maximize = false, .is_first_step = false)             stochastic gradient descent: a step of each tensor of a list, operator by operator as torch.optim.SGD
 * kt_step_adam_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_avg_sqs, n_exp_avg_sqs, max_exp_avg_sqs, n_max_exp_avg_sqs, state_steps, n_state_steps, followed, n_followed, lr, beta1, beta2, weight_decay, eps, .amsgrad = false, .maximize = false, .decoupled_weight_decay = false)             Adam and AdamW: a step of each tensor of a list, operator by operator as torch.optim.Adam; counts the step
 * kt_step_adagrad_(self, n_self, grads, n_grads, state_sums, n_state_sums, state_steps, n_state_steps, lr, lr_decay, weight_decay, eps, .maximize = false)             Adagrad: a step of each tensor of a list, operator by operator as torch.optim.Adagrad; counts the step
 * kt_step_adadelta_(self, n_self, grads, n_grads, square_avgs, n_square_avgs, acc_deltas, n_acc_deltas, state_steps, n_state_steps, lr, rho, eps, weight_decay, .maximize = false)             Adadelta: a step of each tensor of a list, operator by operator as torch.optim.Adadelta; counts the step
 * kt_step_adamax_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_infs, n_exp_infs, state_steps, n_state_steps, lr, beta1, beta2, weight_decay, eps, .maximize = false)             Adamax: a step of each tensor of a list, operator by operator as torch.optim.Adamax; counts the step
 * kt_step_nadam_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_avg_sqs, n_exp_avg_sqs, mu_products, n_mu_products, state_steps, n_state_steps, followed, n_followed, lr, beta1, beta2, weight_decay, momentum_decay, eps, .decoupled_weight_decay = false, .maximize = false)             NAdam: a step of each tensor of a list, operator by operator as torch.optim.NAdam; counts the step
 * kt_step_radam_(self, n_self, grads, n_grads, exp_avgs, n_exp_avgs, exp_avg_sqs, n_exp_avg_sqs, state_steps, n_state_steps, followed, n_followed, lr, beta1, beta2, weight_decay, eps, .decoupled_weight_decay = false, .maximize = false)             RAdam: a step of each tensor of a list, operator by operator as torch.optim.RAdam; counts the step
 * kt_step_rmsprop_(self, n_self, grads, n_grads, square_avgs, n_square_avgs, grad_avgs, n_grad_avgs, momentum_buffers, n_momentum_buffers, state_steps, n_state_steps, lr, alpha, eps, weight_decay, momentum, .centered = false, .maximize = false)             RMSprop: a step of each tensor of a list, operator by operator as torch.optim.RMSprop; counts the step
 * kt_step_asgd_(self, n_self, grads, n_grads, axs, n_axs, etas, n_etas, mus, n_mus, state_steps, n_state_steps, lr, lambd, alpha, t0, weight_decay, .maximize = false)             ASGD: a step of each tensor of a list, operator by operator as torch.optim.ASGD; counts the step
 * kt_step_rprop_(self, n_self, grads, n_grads, prevs, n_prevs, step_sizes, n_step_sizes, state_steps, n_state_steps, step_size_min, step_size_max, etaminus, etaplus, .maximize = false)             Rprop: a step of each tensor of a list, operator by operator as torch.optim.Rprop; counts the step
 * kt_step_adafactor_(self, n_self, grads, n_grads, row_vars, n_row_vars, col_vars, n_col_vars, variances, n_variances, state_steps, n_state_steps, lr, beta2_decay, .eps1, .eps2 = 1e-3, .d = 1, .weight_decay = 0, .maximize = false)             Adafactor: a step of each tensor of a list, operator by operator as torch.optim.Adafactor; counts the step
 * kt_step_muon_(self, n_self, grads, n_grads, momentum_buffers, n_momentum_buffers, lr, weight_decay, momentum, .nesterov = true, .a = 3.4445, .b = -4.775, .c = 2.0315, .eps = 1e-7, .ns_steps = 5, .match_rms_adamw = false)             Muon: a step of each matrix of a list, operator by operator as torch.optim.Muon
 * kt_total_norm(tensors, n_tensors, .norm_type = 2)                    the norm of all elements of a list of tensors, on the device of the first
 * kt_clip_with_norm_(self, n_self, total_norm, max_norm)               each tensor of a list times max_norm / total_norm, where that is below 1
 * kt_ema_update_(self, n_self, currents, n_currents, decay)             each average of a list, moved by 1 - decay towards the current tensor
 * kt_swa_update_(self, n_self, currents, n_currents, count, .of_tensor = false)             each average of `count` tensors, of a list, becomes that of one more; of_tensor: the count was one, and its share is a float32
 * kt_ema_average(self, current, decay)                                 decay times the average, and the rest of the current tensor
 * kt_swa_average(self, current, count)                      s          the average of `count` tensors and one more
 * kt_lbfgs_flat(params, n_params, grads, n_grads)                      the gradients of a list of parameters as one vector; zeros where there is none
 * kt_lbfgs_move_(self, n_self, update, t)                              each tensor of a list plus t times its part of a vector
 * kt_lbfgs_pair(grad, previous, direction, t) -> y, s, ys, yy             L-BFGS: how the gradient has changed, the step that was made, and their products
 * kt_lbfgs_direction(grad, dirs, n_dirs, steps, n_steps, ro, n_ro, diagonal)             L-BFGS: where to go, from the gradient and the history of steps
 * kt_amp_foreach_non_finite_check_and_unscale_(self, n_self, found_inf, inv_scale)             each tensor of a list times inv_scale; found_inf becomes 1 if an element was not finite
 * kt_amp_update_scale_(self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval)             the scale of a loss: less where an infinity was found, more after growth_interval steps without one
 */
#endif
