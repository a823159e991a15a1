"""karat.distributions.gamma: the gamma distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import broadcast_all

__all__ = ["Gamma"]


def _standard_gamma(concentration):
    return karat._standard_gamma(concentration)


class Gamma(ExponentialFamily):
    """The gamma distribution of shape concentration and the given rate."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def expand(self, batch_shape, _instance=None):
        return self._expand_from(Gamma, batch_shape, _instance, concentration=0, rate=0)

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=karat.finfo(value.dtype).tiny)  # the gradient knows nothing of it
        return value

    def log_prob(self, value):
        value = karat.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        return (karat.xlogy(self.concentration, self.rate) + karat.xlogy(self.concentration - 1, value) - self.rate * value
                - karat.lgamma(self.concentration))

    def entropy(self):
        return (self.concentration - karat.log(self.rate) + karat.lgamma(self.concentration)
                + (1.0 - self.concentration) * karat.digamma(self.concentration))

    @property
    def _natural_params(self):
        return (self.concentration - 1, -self.rate)

    def _log_normalizer(self, x, y):
        return karat.lgamma(x + 1) + (x + 1) * karat.log(-y.reciprocal())

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return karat.special.gammainc(self.concentration, self.rate * value)
