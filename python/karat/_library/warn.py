"""warn.py - kernels without a derivative: backward goes through the operators that they call, or nowhere, and says so, as in
PyTorch."""

import functools
import warnings

from .. import _karat
from ..autograd.function import Function
from .autograd import requires_grad

_Tensor = _karat.Tensor


def _warn(qualname):
    warnings.warn(f"{qualname}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop "
                  f"through it. This may lead to silently incorrect behavior. This behavior is deprecated and will be removed in "
                  f"a future version of PyTorch. If your operator is differentiable, please ensure you have registered an "
                  f"autograd kernel to the correct Autograd key (e.g. DispatchKey::Autograd, "
                  f"DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, or to squash this warning "
                  f"and use the previous behavior, please register torch::CppFunction::makeFallthrough() to "
                  f"DispatchKey::Autograd.", stacklevel=3)


class _NotImplemented(Function):
    """Gives a result that no gradient passes."""

    @staticmethod
    def forward(ctx, qualname, result, *inputs):
        ctx.qualname = qualname
        return result.detach()

    @staticmethod
    def backward(ctx, grad):
        _warn(ctx.qualname)
        return (None,) * len(ctx.needs_input_grad)


_NotImplemented._backward_cls.__name__ = "WarnNotImplemented"


def _wanting(values):
    for one in values:
        if isinstance(one, _Tensor):
            if one.requires_grad:
                yield one
        elif isinstance(one, (list, tuple)):
            yield from _wanting(one)


def warn_of_backward(qualname, kernel):
    """The kernel, whose results warn when backward reaches them, unless a derivative stands above it."""

    def watched(result, inputs):
        if isinstance(result, (list, tuple)):
            return type(result)(watched(one, inputs) for one in result)
        if not isinstance(result, _Tensor) or any(result is one for one in inputs):
            return result
        if result.requires_grad:
            result.register_hook(lambda grad: _warn(qualname))
            return result
        floats = result.is_floating_point() or result.is_complex()
        return _NotImplemented.apply(qualname, result, *inputs) if floats else result

    @functools.wraps(kernel)
    def run(*args, **kwargs):
        result = kernel(*args, **kwargs)
        values = [*args, *kwargs.values()]
        if not _karat.is_grad_enabled() or _karat.is_below() or not requires_grad(values):
            return result
        return watched(result, list(_wanting(values)))

    return run
