"""copying.py - tensors through pickle, copy and deepcopy: values, dtype, strides, requires_grad and the user's attributes."""

from . import _karat
from ._karat import Tensor


def _is_dense(t):
    """Do its elements fill their memory without a gap? Then the order in memory can be kept."""
    return t.numel() > 0 and sum((n - 1) * step for n, step in zip(t.shape, t.stride())) + 1 == t.numel()


def rebuild(cls, data, dtype, sizes, strides, requires_grad, attributes):
    """What pickle calls: the tensor of these bytes."""
    t = _karat.functions["empty"](sizes, dtype=dtype)
    if data:
        t = _karat.frombuffer(bytearray(data), dtype=dtype)
        t = t.reshape(sizes) if strides is None else t.as_strided(sizes, strides)
    t = t.detach()
    if cls is not Tensor:
        t = t.as_subclass(cls)
    t.requires_grad_(requires_grad)
    if attributes:
        t.__dict__.update(attributes)
    return t


def _reduce(self, protocol):
    plain = self.detach().resolve_conj().resolve_neg()
    strides = None
    if not plain.is_contiguous() and _is_dense(plain):
        strides = plain.stride()
        plain = plain.as_strided((plain.numel(),), (1,))
    arguments = (type(self), plain._bytes(), self.dtype, tuple(self.shape), strides, self.requires_grad, dict(self.__dict__))
    return rebuild, arguments


def _of_class(made, cls):
    """A class without __torch_function__ gets plain tensors from operators."""
    return made if type(made) is cls else made.as_subclass(cls)


def _copy(self):
    made = _of_class(self.detach(), type(self))
    made.requires_grad_(self.requires_grad)
    made.__dict__.update(self.__dict__)
    return made


def _deepcopy(self, memo):
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
            "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    from copy import deepcopy

    made = _of_class(self.detach().clone(), type(self))
    memo[id(self)] = made
    made.requires_grad_(self.requires_grad)
    if self.grad is not None:
        made.grad = deepcopy(self.grad, memo)
    made.__dict__.update(deepcopy(self.__dict__, memo))
    return made


Tensor.__reduce_ex__ = _reduce
Tensor.__copy__ = _copy
Tensor.__deepcopy__ = _deepcopy
