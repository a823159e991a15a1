"""karat.distributions.log_normal: exp of a normal variable."""

from operator import attrgetter

from karat.distributions import constraints
from karat.distributions.distribution import family
from karat.distributions.normal import Normal
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import ExpTransform

__all__ = ["LogNormal"]


@family()
class LogNormal(TransformedDistribution):
    """exp(X) of X ~ Normal(loc, scale)."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    loc = property(attrgetter("base_dist.loc"))
    scale = property(attrgetter("base_dist.scale"))

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    mean = property(lambda self: (self.loc + 0.5 * self.scale.square()).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())
    variance = property(lambda self: self.scale.square().expm1() * self.mean.square())

    def entropy(self):
        return self.loc + self.base_dist.entropy()
