"""_half.py - what the absolute values of distributions that are symmetric around 0 share."""

import math
from operator import attrgetter

import karat
from karat import inf
from karat.distributions import constraints
from karat.distributions.distribution import checked
from karat.distributions.transformed_distribution import TransformedDistribution


class Half(TransformedDistribution):
    """|X| of a variable X that is symmetric around 0 and has a scale: twice the density of X above 0, none below."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    scale = property(attrgetter("base_dist.scale"))
    mode = property(lambda self: karat.full_like(self.scale, 0))

    @checked
    def log_prob(self, value):
        value = karat.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return (self.base_dist.log_prob(value) + math.log(2)).masked_fill(value < 0, -inf)

    @checked
    def cdf(self, value):
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf(0.5 * prob + 0.5)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
