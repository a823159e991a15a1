"""karat.nn._asking: how functions of nn.functional hand a call over to __torch_function__ of their tensors' classes.

A function tests its tensors itself, so that plain ones cost one comparison of types, and then returns ask(itself, locals(),
...)."""

from .. import _karat
from ..overrides import handle_torch_function, has_torch_function_unary

_Tensor = _karat.Tensor


def overridden(input):
    """Has the class of a tensor its own __torch_function__?"""
    return type(input) is not _Tensor and has_torch_function_unary(input)


def ask(function, arguments, *tensors):
    """What the classes of the tensors make of a call of `function`, whose arguments are among `arguments`, its locals(). Those
    without a default are handed over by position, the others by name."""
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    required = code.co_argcount - len(function.__defaults__ or ())
    by_position = [arguments[name] for name in names[:required]]
    return handle_torch_function(function, tensors, *by_position, **{name: arguments[name] for name in names[required:]})
