"""karat.nn.modules.fold: sliding blocks of an image as columns, and back."""

from .. import functional as F
from ._declared import keep, shown
from .module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """Sums columns of blocks into images of output_size."""

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    extra_repr = shown(output_size=str, kernel_size=str, dilation=str, padding=str, stride=str)


class Unfold(Module):
    """The sliding blocks of images as columns."""

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    extra_repr = shown(kernel_size=str, dilation=str, padding=str, stride=str)
