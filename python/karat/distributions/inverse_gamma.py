"""karat.distributions.inverse_gamma: the reciprocal of a gamma variable."""

from operator import attrgetter

from karat import inf
from karat.distributions import constraints
from karat.distributions.distribution import family
from karat.distributions.gamma import Gamma
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import PowerTransform

__all__ = ["InverseGamma"]


@family()
class InverseGamma(TransformedDistribution):
    """1 / X of X ~ Gamma(concentration, rate)."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    concentration = property(attrgetter("base_dist.concentration"))
    rate = property(attrgetter("base_dist.rate"))

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(exponent=-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def mean(self):
        shape = self.concentration
        return (self.rate / (shape - 1)).masked_fill(shape <= 1, inf)

    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def variance(self):
        shape = self.concentration
        return ((self.rate / (shape - 1)).square() / (shape - 2)).masked_fill(shape <= 2, inf)

    def entropy(self):
        """That of X, and the mean of the log slope of 1 / x."""
        return self.base_dist.entropy() - 2 * self.base_dist._mean_log
