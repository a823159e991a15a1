"""karat.nn.modules.upsampling: images and signals at another size."""

from .. import functional as F
from ._declared import completed, keep, shown
from .module import Module

__all__ = ["Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"]


def _as_floats(factor):
    """Scale factors are floats, one or a tuple; none, and 0, is None."""
    return tuple(map(float, factor)) if isinstance(factor, tuple) else float(factor) if factor else None


class Upsample(Module):
    """Resamples to a size, or by a factor."""

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.name = type(self).__name__
        scale_factor = _as_floats(scale_factor)
        keep(self, locals())

    def forward(self, input):
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)

    def __setstate__(self, state):
        super().__setstate__(completed(state, recompute_scale_factor=True))

    _of_size, _of_factor = shown(size=str, mode=repr), shown(scale_factor=str, mode=repr)

    def extra_repr(self):
        return self._of_size() if self.scale_factor is None else self._of_factor()


class UpsamplingNearest2d(Upsample):
    """Each pixel is the nearest one of the input."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Bilinear interpolation with the corners aligned."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
