"""karat.distributions.generalized_pareto: the generalized Pareto distribution."""

import karat
from karat import Size, inf, nan
from karat.distributions import constraints
from karat.distributions.distribution import Distribution
from karat.distributions.utils import broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution of excesses over loc; of concentration 0 the exponential distribution."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expand_from(GeneralizedPareto, batch_shape, _instance, loc=0, scale=0, concentration=0)

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(karat.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _near_zero(self):
        """Where the concentration is 0, and 1 in its place for the other formula."""
        zero = karat.isclose(self.concentration, karat.zeros_like(self.concentration))
        return zero, karat.where(zero, karat.ones_like(self.concentration), self.concentration)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        zero, shape = self._near_zero()
        power = -(1 + 1 / shape) * karat.log1p(shape * z)
        return -self.scale.log() + karat.where(zero, -z, power)

    def log_survival_function(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        zero, shape = self._near_zero()
        return karat.where(zero, -z, -karat.log1p(shape * z) / shape)

    def log_cdf(self, value):
        return karat.log1p(-karat.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return karat.exp(self.log_cdf(value))

    def icdf(self, value):
        zero, shape = self._near_zero()
        log_left = karat.log1p(-value)
        return karat.where(zero, self.loc - self.scale * log_left,
                           self.loc + self.scale * karat.expm1(-shape * log_left) / shape)

    @property
    def mean(self):
        valid = self.concentration < 1
        shape = karat.where(valid, self.concentration, 0.5)
        return karat.where(valid, self.loc + self.scale / (1 - shape), nan)

    @property
    def variance(self):
        valid = self.concentration < 0.5
        shape = karat.where(valid, self.concentration, 0.25)
        return karat.where(valid, self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape)), nan)

    def entropy(self):
        return (karat.log(self.scale) + self.concentration + 1).expand(self._batch_shape)

    @property
    def mode(self):
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        upper = karat.where(self.concentration < 0, self.loc - self.scale / self.concentration, inf)
        return constraints.interval(self.loc, upper)
