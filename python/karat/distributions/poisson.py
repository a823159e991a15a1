"""karat.distributions.poisson: the Poisson distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily

__all__ = ["Poisson"]


@family()
class Poisson(ExponentialFamily):
    """The Poisson distribution of the given rate."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate, validate_args=None):
        super().__init__(self._hold(("rate",), rate), validate_args=validate_args)

    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())

    def sample(self, sample_shape=Size()):
        return self._drawn(karat.poisson, sample_shape, self.rate)

    @checked
    def log_prob(self, value):
        return karat.xlogy(value, self.rate) - self.rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (self.rate.log(),)

    def _log_normalizer(self, x):
        return x.exp()
