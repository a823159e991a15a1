"""karat.distributions.logistic_normal: a normal vector carried onto the simplex."""

from operator import attrgetter

from karat.distributions import constraints
from karat.distributions.distribution import family
from karat.distributions.normal import Normal
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


@family()
class LogisticNormal(TransformedDistribution):
    """A normal vector of independent components, broken into shares of a stick."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    loc = property(attrgetter("base_dist.base_dist.loc"))
    scale = property(attrgetter("base_dist.base_dist.scale"))

    def __init__(self, loc, scale, validate_args=None):
        normal = Normal(loc, scale, validate_args=validate_args)
        vector = normal if normal.batch_shape else normal.expand([1])
        super().__init__(vector, StickBreakingTransform(), validate_args=validate_args)
