"""karat.distributions.chi2: the chi-squared distribution."""

from karat.distributions import constraints
from karat.distributions.distribution import family
from karat.distributions.gamma import Gamma

__all__ = ["Chi2"]


@family()
class Chi2(Gamma):
    """The chi-squared distribution of df degrees of freedom: Gamma(df / 2, 1 / 2)."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    df = property(lambda self: 2 * self.concentration)
