"""karat.distributions.half_cauchy: the absolute value of a Cauchy variable around 0."""

import math

import karat
from karat.distributions._half import Half
from karat.distributions.cauchy import Cauchy
from karat.distributions.transforms import AbsTransform

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """|X| of X ~ Cauchy(0, scale)."""

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfCauchy, _instance))

    @property
    def mean(self):
        return karat.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self):
        return self.base_dist.variance

    def _log_density(self, value):
        return super()._log_density(karat.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device))
