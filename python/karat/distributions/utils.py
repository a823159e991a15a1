"""karat.distributions.utils: parameters made tensors of one shape, probabilities and logits, triangles as vectors."""

import functools
import math
from numbers import Number

import karat
from karat import Tensor
from karat.overrides import is_tensor_like

euler_constant = 0.57721566490153286060

__all__ = ["broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
           "vec_to_tril_matrix"]


def broadcast_all(*values):
    """The values as tensors of one shape. Numbers get the dtype and device of the first tensor, or the default dtype."""
    if not all(is_tensor_like(v) or isinstance(v, Number) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")
    if all(is_tensor_like(v) for v in values):
        return karat.broadcast_tensors(*values)
    first = next((v for v in values if isinstance(v, Tensor)), None)
    like = {"dtype": karat.get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    return karat.broadcast_tensors(*(v if is_tensor_like(v) else karat.tensor(v, **like) for v in values))


def _standard_normal(shape, dtype, device):
    return karat.normal(karat.zeros(shape, dtype=dtype, device=device), karat.ones(shape, dtype=dtype, device=device))


def _sum_rightmost(value, dim):
    """The sum over the last dim dims."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits, is_binary=False):
    """Probabilities of log odds (is_binary) or of unnormalized log probabilities along the last dim."""
    return karat.sigmoid(logits) if is_binary else karat.softmax(logits, dim=-1)


def clamp_probs(probs):
    """Probabilities kept one eps away from 0 and 1, so that their logits are finite."""
    eps = karat.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """Log odds (is_binary) or log probabilities; infinite ones are clamped."""
    kept = clamp_probs(probs)
    return karat.log(kept) - karat.log1p(-kept) if is_binary else karat.log(kept)


class lazy_property:  # noqa: N801
    """A property that is computed when it is first read and kept in the instance from then on."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, owner=None):
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with karat.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):  # noqa: N801
    """A lazy property as its class shows it: one that documentation tools take for a property."""

    def __init__(self, wrapped):
        property.__init__(self, wrapped)


def _triangle(size, diag, device):
    span = karat.arange(size, device=device)
    return span < span.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat, diag=0):
    """The lower triangle of D x D matrices, row by row; diag as in tril."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _triangle(n, diag, mat.device)]


def vec_to_tril_matrix(vec, diag=0):
    """Square matrices whose lower triangle is vec, row by row; the rest is zero."""
    n = (-(1 + 2 * diag) + math.sqrt((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1))) / 2
    if not round(n) - n == 0 and abs(round(n) - n) > karat.finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular "
                         "part of a square D x D matrix.")
    n = round(n)
    mat = vec.new_zeros(vec.shape[:-1] + karat.Size((n, n)))
    mat[..., _triangle(n, diag, vec.device)] = vec
    return mat
