"""karat.autograd.variable: Variable, a tensor's name of old."""

from .. import _karat
from .._karat import Tensor

__all__ = ["Variable"]


class _VariableType(type):
    def __call__(cls, data, requires_grad=False):
        t = data.detach()
        return t.requires_grad_() if requires_grad else t

    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor)


class _Engine:
    """What runs backward, as libraries ask it: queue_callback(f), in a hook, has f() called at the end of this run."""

    queue_callback = staticmethod(_karat.queue_callback)


class Variable(metaclass=_VariableType):
    """Legacy name: Variable(t) is a Tensor sharing t's memory, and every Tensor is a Variable."""

    _execution_engine = _Engine()
