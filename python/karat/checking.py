"""checking.py - torch._check and its neighbours, which libraries call on their arguments; torch.cond."""

import warnings

from . import _karat
from ._karat import Tensor

_DEFAULT = ("Expected cond to be True, but got False. (Could this error message be improved? If so, please report an enhancement "
            "request to PyTorch.)")


def _assert(condition, message):
    """An AssertionError with the message unless the condition holds."""
    if not condition:
        raise AssertionError(message)


def _assert_async(input, assert_msg=None):
    """A RuntimeError unless the only element is nonzero; on a device PyTorch's does not wait for the answer."""
    if input.numel() != 1:
        values = "more than one value" if input.numel() else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {values} is ambiguous")
    if not input.item():
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _assert_scalar(self, assert_msg):
    """A RuntimeError unless the number is nonzero."""
    if not self:
        raise RuntimeError(assert_msg or "Assertion is failed")


def _functional_assert_scalar(self, assert_msg, dep_token):
    """_assert_scalar, and a copy of dep_token, by which a program says what comes after it."""
    _assert_scalar(self, assert_msg)
    return dep_token.clone()


def _functional_assert_async(self, assert_msg, dep_token):
    """_assert_async, and a copy of dep_token."""
    _assert_async(self, assert_msg)
    return dep_token.clone()


def _check_with(error_type, cond, message):
    """Raises error_type unless cond is True; the message is a callable."""
    if not isinstance(cond, bool):
        kind = "<class 'torch.Tensor'>" if type(cond) is Tensor else type(cond)
        raise TypeError(f"cond must be a bool, but got {kind}")
    if cond:
        return
    if message is None:
        raise error_type(_DEFAULT)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond, message=None):
    """A RuntimeError unless cond is True."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond, message=None):
    """An IndexError unless cond is True."""
    _check_with(IndexError, cond, message)


def _check_value(cond, message=None):
    """A ValueError unless cond is True."""
    _check_with(ValueError, cond, message)


def _check_type(cond, message=None):
    """A TypeError unless cond is True."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond, message=None):
    """A NotImplementedError unless cond is True."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i, message=None, *, max=None):
    """Deprecated: a RuntimeError unless i is a size, at most max."""
    warnings.warn("_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     Use "
                  "_check(i >= 0) instead.", FutureWarning, stacklevel=2)
    _check(bool(i >= 0), message)
    if max is not None:
        _check(bool(i <= max), message)


def _refusal_of_condition(cond):
    """Why no condition for each element can be read from it; "" where one can."""
    if isinstance(cond, Tensor):
        return "" if cond.dtype is _karat.dtypes["bool"] else f"cond tensor must have dtype torch.bool, but got {cond.dtype}"
    return f"cond must be a tensor, but got {type(cond)}"


def _check_tensor_all_with(error_type, cond, message=None):
    """Raises error_type unless all elements are True."""
    refusal = _refusal_of_condition(cond)
    if refusal:
        raise TypeError(refusal)
    _check_with(error_type, cond.all().item(), message)


def _check_tensor_all(cond, message=None):
    """A RuntimeError unless all elements are True."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _as_tensor_fullprec(t):
    """as_tensor; a Python float as float64."""
    return _karat.as_tensor(t, dtype=_karat.dtypes["float64"]) if type(t) is float else _karat.as_tensor(t)


def cond(pred, true_fn, false_fn, operands=()):
    """true_fn(*operands) if pred holds, else false_fn(*operands). Nothing is compiled: one of them is called."""
    if not isinstance(pred, (bool, int, float, Tensor)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return true_fn(*operands) if pred else false_fn(*operands)


def while_loop(cond_fn, body_fn, carried_inputs):
    """carried_inputs = body_fn(*carried_inputs) as long as cond_fn(*carried_inputs) holds; what they are then."""
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        made = body_fn(*carried)
        carried = tuple(made) if isinstance(made, (tuple, list)) else (made,)
        if len(carried) != len(carried_inputs):
            raise RuntimeError(f"body_fn should return the same number of elements as carried_inputs, got {len(carried)} and "
                               f"{len(carried_inputs)}")
    return carried


_BEGINNINGS = ("_check", "_assert", "_functional_assert", "_as_tensor")
NAMES = {name: value for name, value in globals().items()
         if callable(value) and (name.startswith(_BEGINNINGS) or name in ("cond", "while_loop"))}
