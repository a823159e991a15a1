"""karat.nn.modules.padding: elements added at the ends of the last dims. A class says how many dims, and what is added."""

from .. import functional as F
from ._declared import check_dims, own_methods, per_dim, shown
from .module import Module

__all__ = ["CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
           "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d",
           "ZeroPad1d", "ZeroPad2d", "ZeroPad3d"]


class _Pad(Module):
    """`padding` is one number, or two for each dim, the last dim first; `_mode` is the one of nn.functional.pad."""

    __constants__ = ["padding"]
    _padded_dims = 0
    _mode = ""

    def __init__(self, padding):
        super().__init__()
        self.padding = per_dim(padding, 2 * self._padded_dims)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    extra_repr = shown("padding")


class _CircularPadNd(_Pad):
    _mode = "circular"

    def _check_input_dim(self, input):
        check_dims(input, self._padded_dims + 1, self._padded_dims + 2)

    def forward(self, input):
        self._check_input_dim(input)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Continues [batch, channels, length] from its other end."""

    _padded_dims = 1


class CircularPad2d(_CircularPadNd):
    """Continues the last two dims from their other ends."""

    _padded_dims = 2


class CircularPad3d(_CircularPadNd):
    """Continues the last three dims from their other ends."""

    _padded_dims = 3


class _ConstantPadNd(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    extra_repr = shown(padding=str, value=str)


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dim with a value."""

    _padded_dims = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dims with a value."""

    _padded_dims = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dims with a value."""

    _padded_dims = 3


class ZeroPad1d(ConstantPad1d):
    """Pads the last dim with zeros."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class ZeroPad2d(ConstantPad2d):
    """Pads the last two dims with zeros."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dims with zeros."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


@own_methods("forward")
class _ReflectionPadNd(_Pad):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Mirrors the last dim at its ends."""

    _padded_dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Mirrors the last two dims at their ends."""

    _padded_dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Mirrors the last three dims at their ends."""

    _padded_dims = 3


@own_methods("forward")
class _ReplicationPadNd(_Pad):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Repeats the end elements of the last dim."""

    _padded_dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Repeats the end elements of the last two dims."""

    _padded_dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Repeats the end elements of the last three dims."""

    _padded_dims = 3
