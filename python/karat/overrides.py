"""karat.overrides: __torch_function__ for functions written in Python."""

from . import _karat, _missing
from ._karat import Tensor
from ._karat import has_override as has_torch_function


def has_torch_function_unary(obj):
    """Does it override __torch_function__?"""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args):
    """Does one of them override __torch_function__?"""
    return has_torch_function(args)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Calls __torch_function__ of the arguments' classes for public_api."""
    result = _karat.ask_override(public_api, relevant_args, args, kwargs)
    if result is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: "
                        f"{[type(one) for one in relevant_args if has_torch_function((one,))]}")
    return result


def is_tensor_like(inp):
    """Is it a Tensor, or has it __torch_function__?"""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def get_default_nowrap_functions():
    """The functions whose results Tensor.__torch_function__ leaves as they are."""
    return {Tensor._base.__get__, Tensor.grad.__get__}


__getattr__ = _missing.of(__name__)
