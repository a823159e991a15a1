"""karat.distributions.laplace: the Laplace distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import Distribution
from karat.distributions.utils import broadcast_all

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The Laplace (double exponential) distribution around loc."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)
    variance = property(lambda self: 2 * self.scale.pow(2))
    stddev = property(lambda self: (2**0.5) * self.scale)

    def expand(self, batch_shape, _instance=None):
        return self._expand_from(Laplace, batch_shape, _instance, loc=0, scale=0)

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        u = self.loc.new_empty(shape).uniform_(karat.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * karat.log1p(-u.abs())

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -karat.log(2 * self.scale) - karat.abs(value - self.loc) / self.scale

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * karat.expm1(-away.abs() / self.scale)

    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * karat.log1p(-2 * term.abs())

    def entropy(self):
        return 1 + karat.log(2 * self.scale)
