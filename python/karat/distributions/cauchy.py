"""karat.distributions.cauchy: the Cauchy distribution."""

import math

import karat
from karat.distributions._families import LocationScale
from karat.distributions.distribution import Distribution, family

__all__ = ["Cauchy"]


@family()
class Cauchy(LocationScale, Distribution):
    """The Cauchy (Lorentz) distribution around loc; it has no mean."""

    _log_norm = math.log(math.pi)
    _entropy = math.log(4 * math.pi)

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(self._hold(("loc", "scale"), loc, scale), validate_args=validate_args)

    mean = property(lambda self: karat.full_like(self.loc, karat.nan))
    variance = property(lambda self: karat.full_like(self.loc, karat.inf))

    @property
    def stddev(self):
        return self.variance

    def _standard(self, sample_shape):
        return self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()

    def _log_shape(self, y):
        return -(y * y).log1p()

    def _standard_cdf(self, z):
        return z.atan() / math.pi + 0.5

    def _standard_icdf(self, share):
        return (math.pi * (share - 0.5)).tan()
