"""karat.autograd.forward_ad: forward mode. A dual tensor is a tensor with a tangent; what is computed from it has a tangent too.
The work is done in C (src/grad/forward.c, tangents.c)."""

from typing import NamedTuple, Optional

from .. import _karat, _missing
from .._karat import Tensor
from ..modes import _Mode

# The level of enter_dual_level; -1: none is open.
_current_level = -1


def enter_dual_level():
    """A new level, in which dual tensors can be made; there is one at a time."""
    global _current_level
    if _current_level >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _current_level = _karat.enter_dual_level()
    return _current_level


def _or_open(level):
    return _current_level if level is None else level


def exit_dual_level(*, level=None):
    """Ends the level: the tangents of all tensors go."""
    global _current_level
    ends = _or_open(level)
    refused = ("Trying to exit a forward AD level that was not the last one that was created. This is not supported."
               if ends != _current_level else "Dual level must be a positive number." if ends < 0 else None)
    if refused:
        raise RuntimeError(refused)
    _karat.exit_dual_level(ends)
    _current_level -= 1


def make_dual(tensor, tangent, *, level=None):
    """A view of `tensor` with that tangent."""
    at = _or_open(level)
    if at < 0:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() "
                           "first.")
    for role, one in (("primal", tensor), ("tangent", tangent)):
        if not one.is_floating_point() and not one.is_complex():
            raise ValueError(f"Expected {role} to be floating point or complex, but got: {one.dtype}")
    return _karat.make_dual(tensor, tangent, at)


class UnpackedDualTensor(NamedTuple):
    """What unpack_dual gives: the tensor without its tangent, and the tangent or None."""

    primal: Tensor
    tangent: Optional[Tensor]


def unpack_dual(tensor, *, level=None):
    """The tensor without its tangent, and the tangent; None if it has none."""
    at = _or_open(level)
    return UnpackedDualTensor(*(_karat.unpack_dual(tensor, at) if at >= 0 else (tensor, None)))


class dual_level(_Mode):
    """enter_dual_level for a block or a function."""

    def __init__(self):
        super().__init__(None)

    def clone(self):
        return type(self)()

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *error):
        exit_dual_level()


class _set_fwd_grad_enabled(_Mode):
    """Forward mode on or off: from the call on, and until the end of a `with`."""

    def __init__(self, mode):
        super().__init__(bool(mode))
        self._outer = _karat.is_forward_enabled()
        _karat.set_forward_enabled(mode)

    def __enter__(self):
        return None

    def __exit__(self, *error):
        _karat.set_forward_enabled(self._outer)


_is_fwd_grad_enabled = _karat.is_forward_enabled

__getattr__ = _missing.of(__name__)
