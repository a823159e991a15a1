"""karat.distributions.half_cauchy: the absolute value of a Cauchy variable around 0."""

import karat
from karat.distributions._families import Half
from karat.distributions.cauchy import Cauchy
from karat.distributions.distribution import family
from karat.distributions.transforms import AbsTransform

__all__ = ["HalfCauchy"]


@family()
class HalfCauchy(Half):
    """|X| of X ~ Cauchy(0, scale)."""

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    mean = variance = property(lambda self: karat.full_like(self.scale, karat.inf))
