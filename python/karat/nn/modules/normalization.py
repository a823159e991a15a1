"""karat.nn.modules.normalization: normalisation over channels nearby, trailing dims, and groups of channels."""

from numbers import Integral

from ... import _karat
from .. import functional as F
from ._declared import keep, new_parameter, reset_to_identity, shown
from .module import Module

__all__ = ["LocalResponseNorm", "CrossMapLRN2d", "LayerNorm", "GroupNorm", "RMSNorm"]

_matmul = _karat.functions["matmul"]


def _as_sizes(shape):
    return (shape,) if isinstance(shape, Integral) else tuple(shape)


class LocalResponseNorm(Module):
    """Divides by a power of the mean square of the channels nearby."""

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    extra_repr = shown("size", alpha=str, beta=str, k=str)


class CrossMapLRN2d(Module):
    """LocalResponseNorm of [batch, channels, height, width]. PyTorch's window slides with an error that is part of its results:
    channel 0 never leaves it."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        channels, half = range(input.size(1)), int((self.size - 1) / 2 + 1)
        inside = [[float(other < c + half and (other == 0 or other > c - half)) for other in channels] for c in channels]
        window = _karat.tensor(inside, dtype=input.dtype, device=input.device)
        sums = _matmul(window, input.square().flatten(2)).view(input.shape)
        return input.mul(sums.mul(self.alpha / self.size).add(self.k).pow(-self.beta))

    extra_repr = LocalResponseNorm.extra_repr


class LayerNorm(Module):
    """Normalises the trailing dims, whose sizes are normalized_shape."""

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        normalized_shape = _as_sizes(normalized_shape)
        keep(self, locals(), but=["bias"])
        new_parameter(self, "weight", normalized_shape if elementwise_affine else None, device, dtype)
        new_parameter(self, "bias", normalized_shape if elementwise_affine and bias else None, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        reset_to_identity(self)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    extra_repr = shown("normalized_shape", eps=str, elementwise_affine=str)


class GroupNorm(Module):
    """Normalises the channels in num_groups groups."""

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        keep(self, locals())
        for name in ("weight", "bias"):
            new_parameter(self, name, num_channels if affine else None, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        reset_to_identity(self)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    extra_repr = shown("num_groups", "num_channels", eps=str, affine=str)


class RMSNorm(Module):
    """Divides the trailing dims, whose sizes are normalized_shape, by their root mean square."""

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        normalized_shape = _as_sizes(normalized_shape)
        keep(self, locals())
        new_parameter(self, "weight", normalized_shape if elementwise_affine else None, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        reset_to_identity(self)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    extra_repr = LayerNorm.extra_repr
