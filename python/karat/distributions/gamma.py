"""karat.distributions.gamma: the gamma distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily

__all__ = ["Gamma"]

_standard_gamma = karat._standard_gamma


@family()
class Gamma(ExponentialFamily):
    """The gamma distribution of shape concentration and the given rate."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration, rate, validate_args=None):
        super().__init__(self._hold(("concentration", "rate"), concentration, rate), validate_args=validate_args)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.square())

    @property
    def _mean_log(self):
        """The mean of the variable's logarithm."""
        return self.concentration.digamma() - self.rate.log()

    def rsample(self, sample_shape=Size()):
        drawn = _standard_gamma(self.concentration.expand(self._extended_shape(sample_shape))) / self.rate
        drawn.detach().clamp_(min=karat.finfo(drawn.dtype).tiny)  # the gradient knows nothing of it
        return drawn

    def log_prob(self, value):
        value = karat.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        norm = self.concentration.lgamma() - self.concentration.xlogy(self.rate)
        return (self.concentration - 1).xlogy(value) - self.rate * value - norm

    @checked
    def cdf(self, value):
        return karat.special.gammainc(self.concentration, self.rate * value)

    def entropy(self):
        shape = self.concentration
        return shape + shape.lgamma() - self.rate.log() + (1 - shape) * shape.digamma()

    @property
    def _natural_params(self):
        return (self.concentration - 1, -self.rate)

    def _log_normalizer(self, x, y):
        shape = x + 1
        return shape.lgamma() - shape * (-y).log()
