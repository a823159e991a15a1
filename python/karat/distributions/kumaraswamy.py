"""karat.distributions.kumaraswamy: the Kumaraswamy distribution."""

import karat
from karat import nan
from karat.distributions import constraints
from karat.distributions.distribution import family
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import AffineTransform, PowerTransform
from karat.distributions.uniform import Uniform
from karat.distributions.utils import euler_constant, log_beta

__all__ = ["Kumaraswamy"]


@family()
class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution over [0, 1]: (1 - U ** (1 / b)) ** (1 / a) of a uniform U; a is concentration1."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self._hold(("concentration1", "concentration0"), concentration1, concentration0)
        base = Uniform(karat.zeros_like(self.concentration0), karat.ones_like(self.concentration0), validate_args=validate_args)
        inner, outer = (PowerTransform(exponent=c.reciprocal()) for c in (self.concentration0, self.concentration1))
        super().__init__(base, [inner, AffineTransform(loc=1.0, scale=-1.0), outer], validate_args=validate_args)

    def _power_mean(self, n):
        """E[X^n] = b B(1 + n / a, b)."""
        a, b = self.concentration1, self.concentration0
        return b * log_beta(1 + n / a, b).exp()

    mean = property(lambda self: self._power_mean(1))
    variance = property(lambda self: self._power_mean(2) - self.mean.square())

    @property
    def mode(self):
        """((a - 1) / (a b - 1)) ** (1 / a), of a and b from 1 on."""
        a, b = self.concentration1, self.concentration0
        log_share = (-1 / a).log1p() - (-1 / (a * b)).log1p() - b.log()
        return (log_share / a).masked_fill((a < 1) | (b < 1), nan).exp()

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - 1 / b) + (1 - 1 / a) * harmonic - (a * b).log()
