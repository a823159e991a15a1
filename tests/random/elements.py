"""elements.py - how far the elements of two tensors are apart, and how far they may be.

In: a dtype's name and two payloads of bytes from execute.py. Out: the distance in units in the last place and as a share of
the largest element; ROUNDING says how many units an operator may differ from PyTorch by.
"""

import numpy as np

# Operators that may differ from PyTorch in the last digits: (units in the last place, why).
SERIES = "a transcendental function: the last digit depends on the polynomial, and PyTorch's vector and scalar loops differ too"
ORDER = "a sum of many terms: its last digits depend on the order of the additions, which PyTorch leaves open"
ROUNDING = {}


def rounding(names, ulps, why):
    for name in names.split():
        ROUNDING[name] = (ulps, why)


rounding("""acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh sin sinh tan tanh exp exp2
    expm1
    log log2 log10 log1p sigmoid logit erf erfc erfinv rsqrt sinc pow float_power ** **= softplus celu selu elu gelu silu mish
    tanhshrink logsigmoid log_sigmoid softmax log_softmax softmin i0 i1 lgamma digamma polygamma lgamma polar angle atan2
        arctan2 hypot
    logaddexp logaddexp2 xlogy reciprocal sqrt abs absolute sgn cauchy_ exponential_ geometric_ log_normal_ normal randn
    randn_like normal_ logcumsumexp logspace binary_cross_entropy binary_cross_entropy_with_logits cross_entropy kl_div
    deg2rad rad2deg mvlgamma hardswish glu / div divide true_divide /= * mul multiply *= square dist linspace lerp
    addcdiv addcmul remainder cumulative_trapezoid trapezoid quantile nanquantile heaviside alpha_dropout smooth_l1_loss
    huber_loss mse_loss l1_loss scatter_reduce index_reduce""", 4, SERIES)
rounding("""sum mean nansum nanmean prod cumsum cumprod std var std_mean var_mean norm vector_norm matrix_norm logsumexp mm bmm
    mv dot
    vdot matmul @ addmm addmv addr baddbmm addbmm inner linear cdist kron einsum tensordot bilinear matrix_power trace cov
    corrcoef nll_loss vecdot multi_dot chain_matmul renorm cosine_similarity histogram bincount outer scatter_add index_add put
    backward grad diff cross""", 8, ORDER)

rounding("sinc digamma lgamma polygamma cross addcmul addcdiv lerp logit diff "
         "cumulative_trapezoid trapezoid trapz gelu logaddexp logaddexp2",
         8, "a result near 0 of larger terms: measured by the terms, not by the result")
NEAR_ZERO = ROUNDING["sinc"][1]

LOOSE = {"float64": 1e-9, "float32": 3e-4, "float16": 2e-2, "bfloat16": 1e-1, "complex128": 1e-9, "complex64": 3e-4,
    "complex32": 2e-2}
REAL = {"float64": np.float64, "float32": np.float32, "float16": np.float16,
        "complex128": np.float64, "complex64": np.float32, "complex32": np.float16}
REAL_OF = {"complex128": "float64", "complex64": "float32", "complex32": "float16"}
EPSILON = {"float64": 2.0 ** -52, "float32": 2.0 ** -23, "float16": 2.0 ** -10, "bfloat16": 2.0 ** -7}
TINY = {"float64": 2.0 ** -1022, "float32": 2.0 ** -126, "float16": 2.0 ** -14, "bfloat16": 2.0 ** -126}


def decoded(dtype, payload):
    """Elements of a float or complex tensor as float64 (a complex one as pairs), or None for other dtypes."""
    if dtype in REAL:
        return np.frombuffer(payload, REAL[dtype]).astype(np.float64)
    if dtype == "bfloat16":
        return (np.frombuffer(payload, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return None


def distance(dtype, a, b):
    """(ulps apart, share of the largest element apart), or None where an infinity, a NaN or a zero's sign differs."""
    with np.errstate(all="ignore"):
        x, y = decoded(dtype, a), decoded(dtype, b)
        if x is None:
            return None
        if dtype in REAL_OF:  # the parts of one number are measured by its size
            real = REAL_OF[dtype]
            size = np.repeat(np.hypot(x[::2], x[1::2]), 2)
        else:
            real, size = dtype, np.abs(x)
        odd = ~(np.isfinite(x) & np.isfinite(y))
        if np.any(odd & ~((np.isnan(x) & np.isnan(y)) | (x == y))):
            return None
        x, y, size = (np.where(odd, 0, v) for v in (x, y, size))
        apart = np.abs(x - y)
        ulps = apart / (np.maximum(2.0 ** np.floor(np.log2(np.maximum(size, TINY[real]))), TINY[real]) * EPSILON[real])
        largest = max(float(np.max(size, initial=0)), TINY[real])
        most = float(np.max(apart, initial=0))
        return float(np.max(ulps, initial=0)), most / largest, most / max(largest, 1.0)


def same_but_nan(dtype, a, b):
    """Whether two payloads are one but for the bits of NaNs."""
    x, y = decoded(dtype, a), decoded(dtype, b)
    if x is None or len(a) != len(b):
        return False
    return bool(np.all((np.isnan(x) & np.isnan(y)) | ((x == y) & (np.signbit(x) == np.signbit(y)))))


def shown(dtype, a, b):
    """The first element that differs."""
    x, y = decoded(dtype, a), decoded(dtype, b)
    if x is None:
        i = next(i for i in range(len(a)) if a[i] != b[i])
        return f"byte {i}: {a[max(0, i - i % 8):i - i % 8 + 8].hex()}"
    with np.errstate(all="ignore"):
        differs = np.flatnonzero(~((x == y) & (np.signbit(x) == np.signbit(y)) | (np.isnan(x) & np.isnan(y))))
    i = int(differs[0])
    return f"element {i}: {x[i]!r} ({len(differs)} of {len(x)})"
