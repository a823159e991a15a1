"""_half.py - what the absolute values of distributions that are symmetric around 0 share."""

import math

import karat
from karat import inf
from karat.distributions import constraints
from karat.distributions.transformed_distribution import TransformedDistribution


class Half(TransformedDistribution):
    """|X| of a variable X that is symmetric around 0 and has a scale: twice the density of X above 0, none below."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self):
        return self.base_dist.scale

    @property
    def mode(self):
        return karat.zeros_like(self.scale)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._log_density(value)

    def _log_density(self, value):
        return karat.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -inf)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
