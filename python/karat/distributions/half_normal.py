"""karat.distributions.half_normal: the absolute value of a normal variable around 0."""

import math

from karat.distributions._half import Half
from karat.distributions.normal import Normal
from karat.distributions.transforms import AbsTransform

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """|X| of X ~ Normal(0, scale)."""

    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfNormal, _instance))

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)
