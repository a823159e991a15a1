"""karat.distributions.kumaraswamy: the Kumaraswamy distribution."""

import karat
from karat import nan
from karat.distributions import constraints
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import AffineTransform, PowerTransform
from karat.distributions.uniform import Uniform
from karat.distributions.utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


def _moment(a, b, n):
    """E[X^n] = b B(1 + n / a, b)."""
    first = 1 + n / a
    return b * karat.exp(karat.lgamma(first) + karat.lgamma(b) - karat.lgamma(first + b))


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution over [0, 1]: (1 - U ** (1 / b)) ** (1 / a) of a uniform U; a is concentration1."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(karat.full_like(self.concentration0, 0), karat.full_like(self.concentration0, 1),
                       validate_args=validate_args)
        transforms = [PowerTransform(exponent=self.concentration0.reciprocal()), AffineTransform(loc=1.0, scale=-1.0),
                      PowerTransform(exponent=self.concentration1.reciprocal())]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self):
        return _moment(self.concentration1, self.concentration0, 1)

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        log_mode = a.reciprocal() * (-1 / a).log1p() - (-1 / (a * b)).log1p() / a + b.log().neg() / a
        log_mode[(b < 1) | (a < 1)] = nan
        return log_mode.exp()

    @property
    def variance(self):
        return _moment(self.concentration1, self.concentration0, 2) - karat.pow(self.mean, 2)

    def entropy(self):
        t1 = 1 - self.concentration1.reciprocal()
        t0 = 1 - self.concentration0.reciprocal()
        harmonic = karat.digamma(self.concentration0 + 1) + euler_constant
        return t0 + t1 * harmonic - karat.log(self.concentration1) - karat.log(self.concentration0)
