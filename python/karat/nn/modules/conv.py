"""karat.nn.modules.conv: convolutions and transposed convolutions of 1, 2 and 3 dims, and those that learn in_channels from their
first input.

_ConvNd has what all share. A class says how many dims of space there are, `_space_dims`, and which function of nn.functional
it is, `_functional`; the function is looked up at each call."""

from .. import functional as F
from .. import init
from ..common_types import _size_1_t, _size_2_t, _size_3_t  # noqa: F401
from ..parameter import UninitializedParameter
from ._declared import SizedByChannels, completed, false_if_none, keep, new_parameter, per_dim, shown
from .module import Module

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
           "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d"]

_functions = vars(F)
_MODES = {"zeros", "reflect", "replicate", "circular"}
_PADDINGS = {"same", "valid"}


def _check_groups(groups, **channels):
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    for name, count in channels.items():
        if count % groups:
            raise ValueError(f"{name} must be divisible by groups")


def _check_padding(padding, mode, stride):
    if isinstance(padding, str) and padding not in _PADDINGS:
        raise ValueError(f"Invalid padding string {padding!r}, should be one of {_PADDINGS}")
    if padding == "same" and set(stride) != {1}:
        raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _MODES:
        raise ValueError(f"padding_mode must be one of {_MODES}, but got padding_mode='{mode}'")


def _for_pad(padding, kernel_size, dilation):
    """The elements that nn.functional.pad adds before and after each dim, the last dim first."""
    if padding == "valid":
        return [0] * (2 * len(kernel_size))
    if padding == "same":  # of what the kernel reaches over, the odd element goes to the end
        reach = [rate * (size - 1) for rate, size in zip(dilation, kernel_size)]
        return [half for over in reversed(reach) for half in (over // 2, (over + 1) // 2)]
    return tuple(size for size in reversed(padding) for _ in range(2))


class _ConvNd(Module):
    __constants__ = ["stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
                     "kernel_size"]
    _space_dims = None
    _functional = None

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
                 bias, padding_mode, device=None, dtype=None):
        super().__init__()
        _check_groups(groups, in_channels=in_channels, out_channels=out_channels)
        _check_padding(padding, padding_mode, stride)
        keep(self, locals(), but=["bias"])
        self._reversed_padding_repeated_twice = _for_pad(padding, kernel_size, dilation)
        new_parameter(self, "weight", self._sizes_of("weight"), device, dtype)
        new_parameter(self, "bias", self._sizes_of("bias") if bias else None, device, dtype)
        self.reset_parameters()

    def _sizes_of(self, name):
        """The sizes of weight or bias: a transposed convolution's weight has the channels that come in first."""
        if name == "bias":
            return (self.out_channels,)
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        return first, second // self.groups, *self.kernel_size

    def reset_parameters(self):
        init._reset_weight_and_bias(self.weight, self.bias)

    extra_repr = shown("in_channels", "out_channels", kernel_size=str, stride=str, padding=0, dilation=1, output_padding=0,
                       groups=1, bias=false_if_none, padding_mode="zeros")

    def __setstate__(self, state):
        super().__setstate__(completed(state, padding_mode="zeros"))

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0
        return _functions[self._functional](input, weight, bias, self.stride, padding, self.dilation, self.groups)


def _spread(layer, *sizes, words=()):
    """Sizes of kernels and the like as tuples. At the places `words` a word may stand, which stays."""
    return [size if at in words and isinstance(size, str) else per_dim(size, layer._space_dims) for at, size in enumerate(sizes)]


class _Conv(_ConvNd):
    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution of [batch, channels, length]."""

    _functional, _space_dims = "conv1d", 1

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        sizes = _spread(self, kernel_size, stride, padding, dilation, words=[2])
        super().__init__(in_channels, out_channels, *sizes, False, (0,), groups, bias, padding_mode, device, dtype)


class Conv2d(_Conv):
    """Convolution of [batch, channels, height, width]."""

    _functional, _space_dims = "conv2d", 2

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        sizes = _spread(self, kernel_size, stride, padding, dilation, words=[2])
        super().__init__(in_channels, out_channels, *sizes, False, (0, 0), groups, bias, padding_mode, device, dtype)


class Conv3d(_Conv):
    """Convolution of [batch, channels, depth, height, width]."""

    _functional, _space_dims = "conv3d", 3

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        sizes = _spread(self, kernel_size, stride, padding, dilation, words=[2])
        super().__init__(in_channels, out_channels, *sizes, False, (0, 0, 0), groups, bias, padding_mode, device, dtype)


class _ConvTransposeNd(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
                 bias, padding_mode, device=None, dtype=None):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
                         bias, padding_mode, device, dtype)

    def forward(self, input, output_size=None):
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{self._space_dims}d")
        stride, padding, dilation = self.stride, self.padding, self.dilation
        more = self._output_padding(input, output_size, stride, padding, self.kernel_size, self._space_dims, dilation)
        convolve = _functions[self._functional]
        return convolve(input, self.weight, self.bias, stride, padding, more, self.groups, dilation)

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        """What is added at the ends to make output_size, of the dims of space or of all: a stride hides sizes up to the next
        step. Without an output_size, what the layer always adds."""
        if output_size is None:
            return self.output_padding
        dims, before = num_spatial_dims, 2 if input.dim() == num_spatial_dims + 2 else 1
        wanted = output_size[before:] if len(output_size) == before + dims else output_size
        if len(wanted) != dims:
            raise ValueError(f"ConvTranspose{dims}D: for {input.dim()}D input, output_size must have {dims} or {before + dims} "
                             f"elements (got {len(wanted)})")
        least = [(size - 1) * step + rate * (reach - 1) + 1 - 2 * cut for size, step, rate, reach, cut in
                 zip(input.shape[before:], stride, dilation or (1,) * dims, kernel_size, padding)]
        more = [size - low for size, low in zip(wanted, least)]
        if not all(0 <= extra < step for extra, step in zip(more, stride)):
            most = [low + step - 1 for low, step in zip(least, stride)]
            raise ValueError(f"requested an output size of {wanted}, but valid sizes range from {least} to {most} "
                             f"(for an input of {input.size()[2:]})")
        return more


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution of [batch, channels, length]."""

    _functional, _space_dims = "conv_transpose1d", 1

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):
        *sizes, output_padding = _spread(self, kernel_size, stride, padding, dilation, output_padding)
        super().__init__(in_channels, out_channels, *sizes, True, output_padding, groups, bias, padding_mode, device, dtype)


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution of [batch, channels, height, width]."""

    _functional, _space_dims = "conv_transpose2d", 2

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):
        *sizes, output_padding = _spread(self, kernel_size, stride, padding, dilation, output_padding)
        super().__init__(in_channels, out_channels, *sizes, True, output_padding, groups, bias, padding_mode, device, dtype)


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution of [batch, channels, depth, height, width]."""

    _functional, _space_dims = "conv_transpose3d", 3

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):
        *sizes, output_padding = _spread(self, kernel_size, stride, padding, dilation, output_padding)
        super().__init__(in_channels, out_channels, *sizes, True, output_padding, groups, bias, padding_mode, device, dtype)


# ---- those that learn in_channels ----


class _SizedByInChannels(SizedByChannels):
    _counted = "in_channels"

    def _without_sizes(self, out_channels, bias, device, dtype):
        """After a construction of no channels, which draws nothing."""
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def _count(self, input):
        dims = self._space_dims
        if input.dim() not in (dims + 1, dims + 2):
            raise RuntimeError(f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {type(self).__name__}, but "
                               f"got input of size: {input.shape}")
        channels = input.size(-1 - dims)
        _check_groups(self.groups, in_channels=channels)
        return channels


class _LazyConv(_SizedByInChannels):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros",
                 device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._without_sizes(out_channels, bias, device, dtype)


class _LazyConvTranspose(_SizedByInChannels):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)
        self._without_sizes(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d that takes in_channels from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d that takes in_channels from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A Conv3d that takes in_channels from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d that takes in_channels from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d that takes in_channels from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d that takes in_channels from its first input."""

    cls_to_become = ConvTranspose3d
