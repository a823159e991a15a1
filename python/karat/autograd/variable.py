"""karat.autograd.variable: Variable, a tensor's name of old."""

from .._karat import Tensor

__all__ = ["Variable"]


class _VariableType(type):
    def __call__(cls, data, requires_grad=False):
        t = data.detach()
        return t.requires_grad_() if requires_grad else t

    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor)


class Variable(metaclass=_VariableType):
    """Legacy name: Variable(t) is a Tensor sharing t's memory, and every Tensor is a Variable."""
