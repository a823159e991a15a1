"""karat.distributions.poisson: the Poisson distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import broadcast_all

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """The Poisson distribution of the given rate."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expand_from(Poisson, batch_shape, _instance, rate=0)

    mean = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())
    variance = property(lambda self: self.rate)

    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        with karat.no_grad():
            return karat.poisson(self.rate.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (karat.log(self.rate),)

    def _log_normalizer(self, x):
        return karat.exp(x)
