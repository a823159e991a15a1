"""karat.distributions.generalized_pareto: the generalized Pareto distribution."""

import karat
from karat import Size, inf, nan
from karat.distributions import constraints
from karat.distributions.distribution import Distribution, checked, family

__all__ = ["GeneralizedPareto"]


@family()
class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution of excesses over loc; of concentration 0 the exponential distribution."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        super().__init__(self._hold(("loc", "scale", "concentration"), loc, scale, concentration), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        end = karat.where(self.concentration < 0, self.loc - self.scale / self.concentration, inf)
        return constraints.interval(self.loc, end)

    mode = property(lambda self: self.loc)

    def _of_concentration(self, at_zero, elsewhere):
        """at_zero where the concentration is 0 or next to it, else elsewhere(concentration)."""
        zero = self.concentration.abs() <= 1e-8
        return karat.where(zero, at_zero, elsewhere(self.concentration.masked_fill(zero, 1)))

    def _log_survival(self, value):
        z = (value - self.loc) / self.scale
        return self._of_concentration(-z, lambda c: (c * z).log1p() / -c)

    def rsample(self, sample_shape=Size()):
        return self.icdf(self._uniforms(sample_shape, self.loc))

    @checked
    def log_prob(self, value):
        """The density is the survival function's power 1 + concentration, over the scale."""
        return (1 + self.concentration) * self._log_survival(value) - self.scale.log()

    @checked
    def log_survival_function(self, value):
        return self._log_survival(value)

    def log_cdf(self, value):
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value):
        return -self.log_survival_function(value).expm1()

    def icdf(self, value):
        depth = -(-value).log1p()
        return self.loc + self.scale * self._of_concentration(depth, lambda c: (c * depth).expm1() / c)

    def _moment(self, bound, formula):
        """formula(concentration), which exists below the bound, else NaN."""
        exists = self.concentration < bound
        return karat.where(exists, formula(karat.where(exists, self.concentration, 0)), nan)

    @property
    def mean(self):
        return self._moment(1, lambda c: self.loc + self.scale / (1 - c))

    @property
    def variance(self):
        return self._moment(0.5, lambda c: (self.scale / (1 - c)).square() / (1 - 2 * c))

    def entropy(self):
        return self.scale.log() + self.concentration + 1
