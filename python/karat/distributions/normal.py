"""karat.distributions.normal: the normal distribution."""

import math

import karat
from karat import Size
from karat.distributions._families import LocationScale
from karat.distributions.distribution import family
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import normals

__all__ = ["Normal"]


@family()
class Normal(LocationScale, ExponentialFamily):
    """The normal (Gaussian) distribution of mean loc and standard deviation scale."""

    _mean_carrier_measure = 0
    _log_norm = 0.5 * math.log(2 * math.pi)
    _entropy = 0.5 + _log_norm

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(self._hold(("loc", "scale"), loc, scale), validate_args=validate_args)

    @property
    def stddev(self):
        return self.scale

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            return self._moved(sample_shape)

    def _standard(self, sample_shape):
        return normals(self._extended_shape(sample_shape), self.loc)

    def _log_shape(self, y):
        return -0.5 * (y * y)

    _standard_cdf = staticmethod(karat.special.ndtr)

    def _standard_icdf(self, share):
        return math.sqrt(2) * (2 * share - 1).erfinv()

    @property
    def _natural_params(self):
        precision = self.scale.pow(-2)
        return (self.loc * precision, -0.5 * precision)

    def _log_normalizer(self, x, y):
        return 0.5 * ((-math.pi / y).log() - x * x / (2 * y))
