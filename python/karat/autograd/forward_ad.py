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


def exit_dual_level(*, level=None):
    """Ends the level: the tangents of all tensors go."""
    global _current_level
    if level is None:
        level = _current_level
    if level != _current_level:
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not supported.")
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    _karat.exit_dual_level(level)
    _current_level = level - 1


def make_dual(tensor, tangent, *, level=None):
    """A view of `tensor` with that tangent."""
    if level is None:
        level = _current_level
    if level < 0:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() "
                           "first.")
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    return _karat.make_dual(tensor, tangent, level)


class UnpackedDualTensor(NamedTuple):
    """What unpack_dual gives: the tensor without its tangent, and the tangent or None."""

    primal: Tensor
    tangent: Optional[Tensor]


def unpack_dual(tensor, *, level=None):
    """The tensor without its tangent, and the tangent; None if it has none."""
    if level is None:
        level = _current_level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*_karat.unpack_dual(tensor, level))


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
