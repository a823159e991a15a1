"""karat.distributions.utils: parameters made tensors of one shape, probabilities and logits, triangles as vectors.

And, for this package alone, the formulas that several distributions share.
"""

import functools
import math
from numbers import Number

import karat
from karat import Tensor
from karat._torch_private import private_names
from karat.overrides import is_tensor_like

euler_constant = 0.57721566490153286060

__all__ = ["broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
           "vec_to_tril_matrix"]


_TENSORS, _PLAIN = {Tensor}, {Tensor, int, float}


def broadcast_all(*values):
    """The values as tensors of one shape. Numbers get the dtype and device of the first tensor, or the default dtype."""
    kinds = {*map(type, values)}
    if kinds == _TENSORS:
        return karat.broadcast_tensors(*values)
    if not kinds <= _PLAIN and not all(is_tensor_like(value) or isinstance(value, Number) for value in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")
    like = next((value for value in values if isinstance(value, Tensor)), None)
    dtype, device = (karat.get_default_dtype(), None) if like is None else (like.dtype, like.device)
    return karat.broadcast_tensors(*[value if is_tensor_like(value) else karat.tensor(value, dtype=dtype, device=device)
                                     for value in values])


def logits_to_probs(logits, is_binary=False):
    """Probabilities of log odds (is_binary) or of unnormalized log probabilities along the last dim."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def clamp_probs(probs):
    """Probabilities kept one eps away from 0 and 1, so that their logits are finite."""
    eps = karat.finfo(probs.dtype).eps
    return probs.clamp(eps, 1 - eps)


def probs_to_logits(probs, is_binary=False):
    """Log odds (is_binary) or log probabilities; infinite ones are clamped."""
    kept = clamp_probs(probs)
    return (kept / (1 - kept) if is_binary else kept).log()


class lazy_property:  # noqa: N801
    """A property that is computed when it is first read and kept in the instance from then on."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, owner=None):
        if instance is None:
            return _LazyOfClass(self.wrapped)
        with karat.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _LazyOfClass(lazy_property, property):
    """A lazy property as its class shows it: one that documentation tools take for a property."""

    def __init__(self, wrapped):
        property.__init__(self, wrapped)


def lower_triangle(size, diag, device):
    """True at and below the diagonal."""
    return karat.ones(size, size, dtype=karat.bool, device=device).tril(diag)


def tril_matrix_to_vec(mat, diag=0):
    """The lower triangle of D x D matrices, row by row; diag as in tril."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., lower_triangle(n, diag, mat.device)]


def _rows_of_triangle(count, diag):
    """The n of which n x n matrices have count elements up to the diagonal; None: there is none.

    Those are n (n + 1) / 2 + n diag, less the corner that lies outside of the matrix (diag > 0), or that was taken off twice.
    """
    corner = abs(diag) * (diag + 1) // 2
    b = 1 + 2 * diag
    n = (math.isqrt(max(b * b + 8 * (count + corner), 0)) - b) // 2
    return n if n * (n + b) // 2 - corner == count else None


def vec_to_tril_matrix(vec, diag=0):
    """Square matrices whose lower triangle is vec, row by row; the rest is zero."""
    n = _rows_of_triangle(vec.shape[-1], diag)
    if n is None:
        raise ValueError(f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular "
                         "part of a square D x D matrix.")
    mat = vec.new_zeros(vec.shape[:-1] + (n, n))
    mat[..., lower_triangle(n, diag, vec.device)] = vec
    return mat


# ---- formulas that several distributions share ----

def log_beta(a, b):
    """The logarithm of the beta function: of the integral of t^(a - 1) (1 - t)^(b - 1). b may be a number."""
    return a.lgamma() + (math.lgamma(b) if isinstance(b, float) else b.lgamma()) - (a + b).lgamma()


def log_simplex_integral(concentration):
    """The same over the simplex, of the powers along the last dim."""
    return concentration.lgamma().sum(-1) - concentration.sum(-1).lgamma()


def log_odds(p):
    """log(p / (1 - p)), by vectorized operators."""
    return (p / (1 - p)).log()


def standard_normal(shape, dtype, device):
    """Normal numbers of mean 0 and deviation 1."""
    return karat.randn(shape, dtype=dtype, device=device)


def normals(shape, like):
    """The same, of the dtype and device of `like`."""
    return standard_normal(shape, like.dtype, like.device)


def above(bound, parameter):
    """The parameter where it exceeds the bound, else NaN: for moments that exist only there."""
    return parameter.masked_fill(parameter <= bound, karat.nan)


def broadcastable(one, other):
    """Do tensors of these two shapes have a common one?"""
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(one), reversed(other)))


def in_two_pieces(x, low, high, formula, series, middle=0.0):
    """formula(x), and series(x - middle) for x from low to high, around the middle, where the formula is 0 / 0."""
    far = (x <= low) | (x > high)
    return karat.where(far, formula(karat.where(far, x, low)), series(x - middle))


def summed_over_last(value, dims):
    """The sum over the last dims, over all of a value that has fewer."""
    return value if dims == 0 else value.flatten(max(value.dim() - dims, 0)).sum(-1)


__getattr__ = private_names(__name__, globals())
