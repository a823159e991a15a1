"""karat.distributions.laplace: the Laplace distribution."""

import math

import karat
from karat.distributions._families import LocationScale
from karat.distributions.distribution import Distribution, family

__all__ = ["Laplace"]


def _signed_exponential(u):
    """-log(1 - |u|), with the sign of u: of a uniform u from (-1, 1) a standard Laplace variable."""
    return karat.copysign((-abs(u)).log1p(), u)


@family()
class Laplace(LocationScale, Distribution):
    """The Laplace (double exponential) distribution around loc."""

    _log_norm = math.log(2)
    _deviation = math.sqrt(2)
    _entropy = 1 + _log_norm

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(self._hold(("loc", "scale"), loc, scale), validate_args=validate_args)

    @property
    def variance(self):
        return 2 * self.scale.square()

    def _standard(self, sample_shape):
        u = self.loc.new_empty(self._extended_shape(sample_shape))
        return _signed_exponential(u.uniform_(karat.finfo(u.dtype).eps - 1, 1))

    def _log_shape(self, y):
        return -abs(y)

    def _standard_cdf(self, z):
        return 0.5 - 0.5 * z.sign() * (-abs(z)).expm1()

    def _standard_icdf(self, share):
        return _signed_exponential(2 * share - 1)
