"""rounding.py - how many units in the last place an operator's elements may differ from PyTorch by, and why.

In: an operator's name, a dtype. Out: a Bound, or None where the elements must be equal.
"""

from collections import namedtuple

from elements import REAL_OF

Bound = namedtuple("Bound", "ulps why terms by")  # and how many units of the last place of what: 1, or the largest operand

SERIES = "a transcendental function: the last digit depends on the polynomial, and PyTorch's vector and scalar loops differ too"
ORDER = "a sum of many terms: its last digits depend on the order of the additions, which PyTorch leaves open"
FUSED = "a product and a sum: PyTorch's vector loop fuses them and its loop for the rest does not"
PARTS = "parts of a complex product or quotient: which products are fused depends on the loop"
NEAR_ZERO = "a result near 0 of larger terms: measured by the terms, not by the result"
EXPONENT = "a number as exponent: PyTorch's vector loop rounds it to the dtype and its loop for the rest does not"

BOUNDS = {"real": {}, "complex": {}}


def rounding(names, ulps, why, of=("real", "complex"), terms=0, by="operands"):
    for name in names.split():
        for kind in of:
            BOUNDS[kind][name] = Bound(ulps, why, terms, by)


COMPLEX = ("complex",)

rounding("""acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh sin sinh tan tanh exp exp2
    expm1 log log2 log10 log1p sigmoid expit erfc rsqrt softplus celu selu elu silu mish logsigmoid log_sigmoid softmax softmin
    polar angle atan2 arctan2 hypot xlogy cauchy exponential geometric log_normal logspace glu alpha_dropout
    ldexp""", 4, SERIES)
rounding("pow float_power ** **=", 16, EXPONENT)
rounding("pow float_power ** **=", 128, "a complex power: in float32 the angle has lost as many digits as it is large", COMPLEX)
rounding("ldexp", 128, "PyTorch's is a complex power of 2: the angle has lost as many digits as it is large", COMPLEX)
rounding("erfinv digamma psi", 256, "PyTorch's loses digits near its poles", terms=8, by="one")
rounding("sinc erf i0 i1 lgamma gammaln polygamma logit gelu tanhshrink", 4, NEAR_ZERO, terms=8, by="one")
rounding("""logaddexp logaddexp2 logcumsumexp log_softmax normal randn randn_like binary_cross_entropy cross_entropy kl_div
    binary_cross_entropy_with_logits""", 4, NEAR_ZERO, terms=8)
rounding("""sum mean nansum nanmean prod cumsum cumprod std var std_mean var_mean norm vector_norm matrix_norm logsumexp mm bmm
    mv dot vdot matmul @ addmm addmv addr baddbmm addbmm inner linear cdist kron einsum tensordot bilinear matrix_power trace cov
    corrcoef nll_loss vecdot multi_dot chain_matmul renorm cosine_similarity histogram bincount scatter_add index_add put dist
    scatter_reduce index_reduce smooth_l1_loss huber_loss mse_loss l1_loss quantile nanquantile trapezoid trapz
    cumulative_trapezoid sum_to_size""", 8, ORDER, terms=16)
rounding("""layer_norm native_layer_norm rms_norm batch_norm native_batch_norm group_norm native_group_norm instance_norm
    local_response_norm normalize poisson_nll_loss gaussian_nll_loss soft_margin_loss cosine_embedding_loss triplet_margin_loss
    margin_ranking_loss hinge_embedding_loss ctc_loss pairwise_distance pdist conv1d conv2d conv3d conv_transpose1d
    conv_transpose2d conv_transpose3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d
    adaptive_avg_pool3d scaled_dot_product_attention lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell
    module fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn stft istft
    embedding_bag multilabel_soft_margin_loss multi_margin_loss multilabel_margin_loss grid_sampler grid_sample interpolate""",
    8, ORDER, terms=16)
rounding("""inv inv_ex inverse det slogdet logdet solve solve_ex qr geqrf lu_factor lu_factor_ex lu lu_solve lstsq pinv
    cholesky cholesky_ex cholesky_solve cholesky_inverse ldl_factor ldl_factor_ex ldl_solve triangular_solve solve_triangular svd
    svdvals eigh eigvalsh eig eigvals matrix_exp svd_lowrank pca_lowrank orthogonal""", 16,
         "another library's LAPACK adds in another order", terms=64)
rounding("""entr gumbel_softmax kaiser_window hann_window hamming_window blackman_window bartlett_window""", 4, SERIES)
rounding("sqrt", 1, "PyTorch's vectors of float64: sqrt(2) is not the nearest number there", ("real",))
rounding("lerp addcmul addcdiv cross", 4, FUSED, terms=4)
rounding("""* mul multiply *= / div divide true_divide /= square reciprocal sqrt abs absolute sgn outer ger vander""", 4, PARTS,
         COMPLEX, terms=4)
rounding("arange range", 1, "counted in the dtype itself: PyTorch's vector loop adds to a start that it has rounded")
rounding("backward grad", 8, ORDER, terms=16)
rounding("""vmap vjp jacrev jacfwd jvp linearize hessian jacobian checkpoint grad_and_value apply step""", 8,
         ORDER, terms=16)
rounding("""bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1
    scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 airy_ai i0e i1e erfcx igamma igammac gammainc
    gammaincc
    ndtr log_ndtr ndtri zeta""", 64, "a series of many terms, or another one: PyTorch's loses digits near zeros",
         terms=16, by="one")
rounding("""laguerre_polynomial_l legendre_polynomial_p hermite_polynomial_h hermite_polynomial_he chebyshev_polynomial_t
    chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w shifted_chebyshev_polynomial_t
    shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w""", 64,
         "a recurrence: what is rounded between depends on which products are fused", terms=16, by="one")
rounding("mvlgamma multigammaln", 16, NEAR_ZERO, terms=16, by="one")
SCALED_SUMS = Bound(4, FUSED, 4, "operands")  # add, sub and rsub with alpha=

LOOSE = {"float64": 1e-9, "float32": 3e-4, "float16": 2e-2, "bfloat16": 1e-1, "complex128": 1e-9, "complex64": 3e-4,
         "complex32": 2e-2}


def bound(operator, dtype, statement):
    """The bound for the results of a statement in a dtype; in place is as out of place."""
    table = BOUNDS["complex" if dtype in REAL_OF else "real"]
    name = operator.removeprefix("[] ").removeprefix("_foreach_")
    found = table.get(name) or table.get(name.rstrip("_"))
    if name.rstrip("_") in ("add", "sub", "subtract", "rsub") and "alpha=" in statement:
        return SCALED_SUMS
    if found and found.why is SERIES and REAL_OF.get(dtype, dtype) not in ("float32", "float64"):
        return found._replace(ulps=1)  # computed in float32: some units there are one here
    return found
