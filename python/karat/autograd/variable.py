"""karat.autograd.variable: Variable, a tensor's name of old."""

import operator
import warnings

from .. import _karat
from .._karat import Tensor

__all__ = ["Variable"]


class _VariableType(type):
    def __call__(cls, data=None, requires_grad=False, volatile=False, _grad_fn=None, name=None):
        wants, past = operator.index(requires_grad), operator.index(volatile)
        if wants and past:
            raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if past:
            warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=2)
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        t = Tensor() if data is None else data.detach()
        return t.requires_grad_() if wants else t

    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor)


class _Engine:
    """What runs backward, as libraries ask it: queue_callback(f), in a hook, has f() called at the end of this run."""

    queue_callback = staticmethod(_karat.queue_callback)


class Variable(metaclass=_VariableType):
    """Legacy name: Variable(t) is a Tensor sharing t's memory, and every Tensor is a Variable."""

    _execution_engine = _Engine()
