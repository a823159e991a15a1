"""karat.masked: reductions, scans and softmax that leave out the elements where a mask is False.

A mask is broadcast to its tensor. An element that is left out counts as the operation's identity; where all are left out, a
reduction gives that identity, or NaN where there is none (mean, median, var, std). Made of operators: each function fills and
calls the operator of its name. MaskedTensor, a tensor that carries its mask, is refused."""

from math import inf, nan

from . import _karat, _refused
from .linalg import vector_norm

_rows = _karat.functions

__all__ = ["amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum", "is_masked_tensor", "log_softmax",
           "logaddexp", "logsumexp", "masked_tensor", "MaskedTensor", "mean", "median", "norm", "normalize", "prod", "softmax",
           "softmin", "std", "sum", "var"]


# ---- the mask, what stands for the elements that it leaves out, and dims ----


def _extreme(name, dtype, least):
    """The least or the greatest value of a dtype."""
    if dtype.is_floating_point:
        return -inf if least else inf
    if dtype == _karat.dtypes["bool"]:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    from .limits import iinfo

    return iinfo(dtype).min if least else iinfo(dtype).max


_LEAST = frozenset(["amax", "argmax", "logaddexp", "logsumexp"])


def _whole_mask(input, mask):
    """The mask in the input's shape."""
    if mask.dim() > input.dim():
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    mask = mask if mask.shape == input.shape else _rows["broadcast_to"](mask, input.shape)
    return mask if mask.dtype == _karat.dtypes["bool"] else mask.bool()


def _filled(input, mask, value):
    """The input, with `value` where the mask is False."""
    return input if mask is None else input.masked_fill(~_whole_mask(input, mask), value)


def _without(name, input, mask):
    """The input, with the least value (for a maximum and what is like it) or the greatest where the mask is False."""
    if mask is None:
        return input
    left_out = ~_whole_mask(input, mask)
    return input.masked_fill(left_out, _extreme(name, input.dtype, name in _LEAST))


def _tensor(input):
    return input if isinstance(input, _karat.Tensor) else _karat.tensor(input)


def _dims(dim, n):
    """The dims that a reduction is over, none twice, in order; None and (): all of them."""
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return tuple(range(n))
    dims = []
    for one in dim if isinstance(dim, (tuple, list)) else (dim,):
        if not -max(n, 1) <= one < max(n, 1):
            most = max(n, 1)
            raise IndexError(f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {one})")
        one %= max(n, 1)
        if one in dims:
            raise RuntimeError(f"dim={one} appears multiple times in the list of dims")
        dims.append(one)
    return tuple(sorted(dims)) if n else ()


def _one_dim(dim, n):
    return dim if not n else _dims(dim, n)[0]


_WIDENED = frozenset(map(_karat.dtypes.get, ("bool", "uint8", "int8", "int16", "int32")))


def _sum_dtype(input, dtype):
    """What sums and products of integers are made in, unless the caller says it."""
    if dtype is not None:
        return dtype
    return _karat.dtypes["int64"] if input.dtype in _WIDENED else input.dtype


# ---- reductions over one dim or several ----


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Sums of the elements that the mask keeps."""
    input = _tensor(input)
    dims = _dims(dim, input.dim())
    return _rows["sum"](_filled(input, mask, 0), dims, bool(keepdim), dtype=_sum_dtype(input, dtype))


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Products of the elements that the mask keeps."""
    input = _tensor(input)
    dims, result = _dims(dim, input.dim()), _filled(input, mask, 1).to(_sum_dtype(input, dtype))
    for one in reversed(dims):
        result = _rows["prod"](result, one, bool(keepdim))
    return result if dims else _rows["prod"](result)


def _extremes(name, input, dim, keepdim, dtype, mask):
    input = _without(name, _tensor(input), mask)
    result = _rows[name](input, _dims(dim, input.dim()), bool(keepdim))
    return result if dtype is None else result.to(dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest of the elements that the mask keeps."""
    return _extremes("amax", input, dim, keepdim, dtype, mask)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest of the elements that the mask keeps."""
    return _extremes("amin", input, dim, keepdim, dtype, mask)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Logarithms of the sums of exponentials of the elements that the mask keeps."""
    input = _tensor(input)
    dims = _dims(dim, input.dim())
    return _rows["logsumexp"](_without("logsumexp", input, mask), dims, keepdim=bool(keepdim)).to(dtype or input.dtype)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Means of the elements that the mask keeps; NaN where it keeps none."""
    input = _tensor(input)
    into = dtype or input.dtype
    if not (into.is_floating_point or into.is_complex):
        raise ValueError(f"mean(): Could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either a "
                         f"floating point or complex dtype. Got: {into}")
    dims = _dims(dim, input.dim())
    if mask is None:
        return _rows["mean"](input, dims, bool(keepdim), dtype=into)
    kept = _rows["sum"](_whole_mask(input, mask), dims, bool(keepdim))
    return _rows["sum"](_filled(input, mask, 0), dims, bool(keepdim), dtype=into) / kept


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Norms of the vectors of elements that the mask keeps."""
    input = _tensor(input)
    dims = _dims(dim, input.dim())
    if ord == -inf and mask is not None and not input.is_floating_point():
        raise AssertionError(f"input must be floating point, got {input.dtype}")
    filled = _filled(input, mask, inf if ord == -inf else 0)
    return vector_norm(filled, ord, dims, bool(keepdim), dtype=dtype)


def _spread(input, dim, unbiased, correction, keepdim, dtype, mask):
    """(sums of the squared distances from the mean, how many there are less the correction)"""
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of unbiased and correction may be given")
    less = correction if correction is not None else 1 if unbiased is None or unbiased else 0
    input = _tensor(input)
    dims, keepdim = _dims(dim, input.dim()), bool(keepdim)
    into = dtype or (input.dtype if input.is_floating_point() or input.is_complex() else _karat.dtypes["float32"])
    kept = _karat.functions["ones"](input.shape, dtype=_karat.dtypes["bool"], device=input.device) if mask is None \
        else _whole_mask(input, mask)
    count = _rows["sum"](kept, dims, True)
    average = _rows["sum"](_filled(input, mask, 0), dims, True, dtype=into) / count
    away = _filled(input - average, mask, 0)
    squares = away * away.conj() if away.is_complex() else away * away
    count = (count if keepdim else count.reshape(_rows["sum"](kept, dims).shape)) - less
    return _rows["sum"](squares, dims, keepdim, dtype=into), count.clamp_min(0).to(into)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Variances of the elements that the mask keeps; NaN where it keeps none."""
    total, count = _spread(input, dim, unbiased, correction, keepdim, dtype, mask)
    return total / count


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Standard deviations of the elements that the mask keeps; NaN where it keeps none."""
    total, count = _spread(input, dim, unbiased, correction, keepdim, dtype, mask)
    return _rows["sqrt"](total / count)


# ---- along one dim ----


def _where_extreme(name, input, dim, keepdim, dtype, mask):
    input = _without(name, _tensor(input), mask)
    return _rows[name](input, dim, bool(keepdim)).to(dtype or input.dtype)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the largest of the elements is that the mask keeps."""
    return _where_extreme("argmax", input, dim, keepdim, dtype, mask)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the smallest of the elements is that the mask keeps."""
    return _where_extreme("argmin", input, dim, keepdim, dtype, mask)


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """Medians (the lower of two) of the elements that the mask keeps; NaN where it keeps none."""
    input = _tensor(input)
    into, dim = dtype or input.dtype, _one_dim(dim, input.dim())
    if not input.is_floating_point():
        if mask is not None and not _rows["any"](_whole_mask(input, mask), dim).all():
            raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
        input = input.to(_karat.dtypes["float64"])
    return _rows["nanmedian"](_filled(input, mask, nan), dim, bool(keepdim)).values.to(into)


def softmax(input, dim, *, dtype=None, mask=None):
    """Softmax of the elements that the mask keeps; 0 for the others, NaN where it keeps none of a slice."""
    input = _tensor(input)
    dim = _one_dim(dim, input.dim())
    return _rows["softmax"](_without("amax", input, mask), dim, dtype=dtype)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """Logarithms of softmax of the elements that the mask keeps; -inf for the others."""
    input = _tensor(input)
    dim = _one_dim(dim, input.dim())
    return _rows["log_softmax"](_without("amax", input, mask), dim, dtype=dtype)


def softmin(input, dim, *, dtype=None, mask=None):
    """Softmax of the negated elements that the mask keeps; 0 for the others."""
    input = _tensor(input)
    dim = _one_dim(dim, input.dim())
    return _rows["softmax"](-_without("amin", input, mask), dim, dtype=dtype)


def cumsum(input, dim, *, dtype=None, mask=None):
    """Running sums of the elements that the mask keeps."""
    input = _tensor(input)
    dim = _one_dim(dim, input.dim())
    return _rows["cumsum"](_filled(input, mask, 0), dim, dtype=dtype or input.dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Running products of the elements that the mask keeps."""
    input = _tensor(input)
    dim = _one_dim(dim, input.dim())
    return _rows["cumprod"](_filled(input, mask, 1), dim, dtype=dtype or input.dtype)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """The elements that the mask keeps over the norm of their slice, or over eps if that is larger; 0 for the others."""
    input = _tensor(input)
    size = norm(input, ord, _one_dim(dim, input.dim()), keepdim=True, dtype=dtype, mask=mask)
    return _filled(input, mask, 0) / size.clamp_min(eps)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)), each of its own mask: what is left out adds nothing."""
    input, other = (_without("logaddexp", _tensor(one), mask) for one, mask in ((input, input_mask), (other, other_mask)))
    result = _rows["logaddexp"](input, other)
    return result if dtype is None else result.to(dtype)


def is_masked_tensor(obj, /):
    """False: no MaskedTensor can be made."""
    return False


__path__ = []  # a package: what lies below is refused
__getattr__ = _refused.names_of(__name__)
