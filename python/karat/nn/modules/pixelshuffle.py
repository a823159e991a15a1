"""karat.nn.modules.pixelshuffle: channels become pixels, and back."""

from .. import functional as F
from ._declared import shown
from .module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Blocks of upscale_factor squared channels become squares of pixels."""

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        return F.pixel_shuffle(input, self.upscale_factor)

    extra_repr = shown(upscale_factor=str)


class PixelUnshuffle(Module):
    """Squares of pixels become channels."""

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        return F.pixel_unshuffle(input, self.downscale_factor)

    extra_repr = shown(downscale_factor=str)
