"""karat.nn.modules.pooling: the largest, the mean or the norm of each window, and the largest put back to their places.

A class names its function of nn.functional, `_functional`, which is looked up at each call; its base keeps the options."""

from .. import functional as F
from ..common_types import (  # noqa: F401
    _size_1_t,
    _size_2_opt_t,
    _size_2_t,
    _size_3_opt_t,
    _size_3_t,
    _size_any_opt_t,
    _size_any_t,
)
from ._declared import completed, keep, per_dim, shown
from .module import Module

__all__ = ["MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "AvgPool1d", "AvgPool2d",
           "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d", "AdaptiveMaxPool1d",
           "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"]

_functions = vars(F)


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding
        self.dilation, self.return_indices, self.ceil_mode = dilation, return_indices, ceil_mode

    def forward(self, input):
        pool = _functions[self._functional]
        return pool(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)

    extra_repr = shown(kernel_size=str, stride=str, padding=str, dilation=str, ceil_mode=str)


class MaxPool1d(_MaxPoolNd):
    """The largest of each window of [batch, channels, length]."""

    _functional = "max_pool1d"


class MaxPool2d(_MaxPoolNd):
    """The largest of each window of [batch, channels, height, width]."""

    _functional = "max_pool2d"


class MaxPool3d(_MaxPoolNd):
    """The largest of each window of [batch, channels, depth, height, width]."""

    _functional = "max_pool3d"


class _MaxUnpoolNd(Module):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        stride = kernel_size if stride is None else stride
        self.kernel_size, self.stride, self.padding = (per_dim(size, self._space_dims) for size in (kernel_size, stride, padding))

    def forward(self, input, indices, output_size=None):
        unpool = _functions[self._functional]
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    extra_repr = shown(kernel_size=str, stride=str, padding=str)


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts what MaxPool1d found back to its places."""

    _functional, _space_dims = "max_unpool1d", 1


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts what MaxPool2d found back to its places."""

    _functional, _space_dims = "max_unpool2d", 2


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts what MaxPool3d found back to its places."""

    _functional, _space_dims = "max_unpool3d", 3


class _AvgPoolNd(Module):
    extra_repr = shown(kernel_size=str, stride=str, padding=str)


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of [batch, channels, length]."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        stride = kernel_size if stride is None else stride
        kernel_size, stride, padding = per_dim(kernel_size, 1), per_dim(stride, 1), per_dim(padding, 1)
        keep(self, locals())

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class _AvgPoolOfImages(_AvgPoolNd):
    """Of images and volumes the divisor may be another than the count."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override

    def forward(self, input):
        pool = _functions[self._functional]
        return pool(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                    self.divisor_override)


class AvgPool2d(_AvgPoolOfImages):
    """The mean of each window of [batch, channels, height, width]."""

    _functional = "avg_pool2d"


class AvgPool3d(_AvgPoolOfImages):
    """The mean of each window of [batch, channels, depth, height, width]."""

    _functional = "avg_pool3d"

    def __setstate__(self, state):
        super().__setstate__(completed(state, padding=0, ceil_mode=False, count_include_pad=True))


class _FractionalMaxPool(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        if (output_size is None) == (output_ratio is None):
            raise ValueError("only one of output_size and output_ratio may be specified" if output_size is not None else
                             f"{type(self).__name__} requires specifying either an output size, or a pooling ratio")
        self.kernel_size = per_dim(kernel_size, self._space_dims)
        self.output_size = None if output_size is None else per_dim(output_size, self._space_dims)
        self.output_ratio = None if output_ratio is None else per_dim(output_ratio, self._space_dims)
        if not all(0 < ratio < 1 for ratio in self.output_ratio or ()):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input):
        pool = _functions[self._functional]
        return pool(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest of windows at random places of [batch, channels, height, width]."""

    _functional, _space_dims = "fractional_max_pool2d", 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest of windows at random places of [batch, channels, depth, height, width]."""

    _functional, _space_dims = "fractional_max_pool3d", 3

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        if any(size <= 0 for size in per_dim(kernel_size, 3)):
            raise ValueError(f"kernel_size must greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        return _functions[self._functional](input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    extra_repr = shown(norm_type=str, kernel_size=str, stride=str, ceil_mode=str)


class LPPool1d(_LPPoolNd):
    """The p-norm of each window of [batch, channels, length]."""

    _functional = "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of [batch, channels, height, width]."""

    _functional = "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of [batch, channels, depth, height, width]."""

    _functional = "lp_pool3d"


class _AdaptiveMaxPoolNd(Module):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        return _functions[self._functional](input, self.output_size, self.return_indices)

    extra_repr = shown(output_size=str)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest of output_size windows of [batch, channels, length]."""

    _functional = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest of output_size windows of [batch, channels, height, width]."""

    _functional = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest of output_size windows of [batch, channels, depth, height, width]."""

    _functional = "adaptive_max_pool3d"


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return _functions[self._functional](input, self.output_size)

    extra_repr = shown(output_size=str)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of output_size windows of [batch, channels, length]."""

    _functional = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of output_size windows of [batch, channels, height, width]."""

    _functional = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of output_size windows of [batch, channels, depth, height, width]."""

    _functional = "adaptive_avg_pool3d"
