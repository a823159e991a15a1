"""karat.distributions.half_normal: the absolute value of a normal variable around 0."""

import math

from karat.distributions._families import Half
from karat.distributions.distribution import family
from karat.distributions.normal import Normal
from karat.distributions.transforms import AbsTransform

__all__ = ["HalfNormal"]

_MEAN = math.sqrt(2 / math.pi)  # of the scale 1


@family()
class HalfNormal(Half):
    """|X| of X ~ Normal(0, scale)."""

    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    mean = property(lambda self: _MEAN * self.scale)
    variance = property(lambda self: (1 - _MEAN * _MEAN) * self.scale.square())
