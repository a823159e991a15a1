"""karat.distributions.pareto: the Pareto distribution of the first kind."""

from karat.distributions import constraints
from karat.distributions.distribution import family
from karat.distributions.exponential import Exponential
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import AffineTransform, ExpTransform

__all__ = ["Pareto"]


@family()
class Pareto(TransformedDistribution):
    """The Pareto distribution: scale * exp(X) of X ~ Exponential(alpha)."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale, alpha, validate_args=None):
        self._hold(("scale", "alpha"), scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        super().__init__(base, [ExpTransform(), AffineTransform(loc=0, scale=self.scale)], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.greater_than_eq(self.scale)

    mode = property(lambda self: self.scale)

    @property
    def mean(self):
        more = (self.alpha - 1).clamp(min=0)  # infinite up to 1
        return self.scale + self.scale / more

    @property
    def variance(self):
        more = (self.alpha - 2).clamp(min=0)  # infinite up to 2
        return (self.scale / (more + 1)).square() * (1 + 2 / more)

    def entropy(self):
        return 1 + 1 / self.alpha + (self.scale / self.alpha).log()
