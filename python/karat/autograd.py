"""karat.autograd: gradients given to the caller, and the modes of the tape."""

from . import _karat, _missing
from ._karat import Tensor
from .modes import (  # noqa: F401
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)

grad = _karat.gradients
backward = _karat.backward


class _VariableType(type):
    def __call__(cls, data, requires_grad=False):
        t = data.detach()
        return t.requires_grad_() if requires_grad else t

    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor)


class Variable(metaclass=_VariableType):
    """The name of old: Variable(t) is a Tensor on t's memory, and every Tensor is one."""


__getattr__ = _missing.of(__name__)
