"""karat.distributions.weibull: the Weibull distribution."""

import karat
from karat.distributions import constraints
from karat.distributions.distribution import family
from karat.distributions.exponential import Exponential
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import AffineTransform, PowerTransform
from karat.distributions.utils import euler_constant

__all__ = ["Weibull"]


@family("concentration_reciprocal")
class Weibull(TransformedDistribution):
    """The Weibull distribution: scale * X ** (1 / concentration) of X ~ Exponential(1)."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self._hold(("scale", "concentration"), scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        transforms = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(karat.ones_like(self.scale), validate_args=validate_args), transforms,
                         validate_args=validate_args)

    def _power_mean(self, n):
        """E[X^n] of the scale 1."""
        return (1 + n * self.concentration_reciprocal).lgamma().exp()

    mean = property(lambda self: self.scale * self._power_mean(1))
    mode = property(lambda self: self.scale * (1 - self.concentration_reciprocal) ** self.concentration_reciprocal)

    @property
    def variance(self):
        return self.scale.square() * (self._power_mean(2) - self._power_mean(1).square())

    def entropy(self):
        share = self.concentration_reciprocal
        return 1 + euler_constant * (1 - share) + (self.scale * share).log()
