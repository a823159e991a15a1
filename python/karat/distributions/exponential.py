"""karat.distributions.exponential: the exponential distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily

__all__ = ["Exponential"]


@family()
class Exponential(ExponentialFamily):
    """The exponential distribution of the given rate."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate, validate_args=None):
        super().__init__(self._hold(("rate",), rate), validate_args=validate_args)

    mean = stddev = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: karat.full_like(self.rate, 0))
    variance = property(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape=Size()):
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    @checked
    def log_prob(self, value):
        return self.rate.log() - self.rate * value

    @checked
    def cdf(self, value):
        return -(-self.rate * value).expm1()

    def icdf(self, value):
        return (-value).log1p() / -self.rate

    def entropy(self):
        return 1 - self.rate.log()

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -(-x).log()
