"""drawing.py - make_tensor: a tensor of random values for tests, the same as PyTorch's for the same seed."""

import math
import warnings

from . import _karat
from .limits import finfo, iinfo

_FLOATS, _WHOLE, _TRUTHS = (-9, 9), (-9, 10), (0, 2)  # default bounds; the upper one is excluded
_DRAWN_AS = {  # float8: drawn in a wider dtype, then rounded
    "float8_e4m3fn": "float32", "float8_e4m3fnuz": "float32", "float8_e5m2": "float32", "float8_e5m2fnuz": "float32",
}
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


def _name(dtype):
    return str(dtype).rpartition(".")[2]


def _refused(dtype):
    return TypeError(f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request support, file "
                     "an issue at: https://github.com/pytorch/pytorch/issues")


def _kind(dtype):
    """The default bounds, and the smallest and largest that are allowed."""
    name = _name(dtype)
    if name == "bool":
        return _TRUTHS, (0, 2)
    if name in _PARTS or dtype.is_floating_point:
        limits = finfo(_karat.dtypes[_PARTS.get(name, name)])
        return _FLOATS, (limits.min, limits.max)
    limits = iinfo(dtype)
    return _WHOLE, (limits.min, limits.max + (name != "int64"))  # randint's limit


def _bounds(low, high, dtype):
    (least, most), (floor, ceiling) = _kind(dtype)
    low, high = least if low is None else low, most if high is None else high
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    broken = dtype.is_floating_point or dtype.is_complex
    if low == high and broken and _name(dtype) not in _DRAWN_AS:
        warnings.warn("Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
                      "and will be removed in 2.3. Use `torch.full(...)` instead.", FutureWarning, stacklevel=4)
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < floor or low > ceiling:
        raise ValueError(f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
                         f"[{floor}, {ceiling})")
    low, high = (min(max(bound, floor), ceiling) for bound in (low, high))
    return (low, high) if broken else (math.ceil(low), math.ceil(high))


def _drawn(shape, dtype, device, low, high):
    call, name = _karat.functions, _name(dtype)
    if name in _DRAWN_AS:
        return _drawn(shape, _karat.dtypes[_DRAWN_AS[name]], device, low, high).to(dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        return call["randint"](low, high, shape, device=device, dtype=dtype)
    made = call["empty"](shape, device=device, dtype=dtype)
    numbers = call["view_as_real"](made) if dtype.is_complex else made
    if high - low > finfo(numbers.dtype).max:  # a wider range than uniform_ accepts
        numbers.uniform_(low / 2, high / 2).mul_(2)
    else:
        numbers.uniform_(low, high)
    return made


def make_tensor(*shape, dtype, device, low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False,
                memory_format=None):
    """A tensor of values drawn from [low, high), where these are None from -9 to 9, as far as the dtype has them.

    noncontiguous: every second element of a larger tensor. exclude_zero: the smallest normal number, or 1, stands in a zero's
    place.
    """
    return _made(shape, dtype, device, low, high, requires_grad, noncontiguous, exclude_zero, memory_format)


def _made(shape, dtype, device, low, high, requires_grad, noncontiguous, exclude_zero, memory_format):
    shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError("The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
                         f"noncontiguous={noncontiguous} and memory_format={memory_format}")
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}")
    if not isinstance(dtype, _karat.dtype) or _name(dtype) == "float8_e8m0fnu":
        raise _refused(dtype)
    low, high = _bounds(low, high, dtype)
    apart = noncontiguous and math.prod(shape) > 1
    made = _drawn((*shape[:-1], 2 * shape[-1]) if apart else shape, dtype, device, low, high)
    if apart:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        tiny = finfo(dtype).tiny if dtype.is_floating_point or dtype.is_complex else 1
        made[made == 0] = complex(tiny, tiny) if dtype.is_complex else tiny
    return made.requires_grad_() if requires_grad and _name(dtype) not in _DRAWN_AS else made  # PyTorch ignores it there
