"""karat.distributions.fishersnedecor: the F distribution."""

import karat
from karat import Size, nan
from karat.distributions import constraints
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.gamma import Gamma
from karat.distributions.utils import above, log_beta

__all__ = ["FisherSnedecor"]


@family("_gamma1", "_gamma2")
class FisherSnedecor(Distribution):
    """The Fisher-Snedecor (F) distribution: the ratio of two chi-squared variables over their degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1, df2, validate_args=None):
        shape = self._hold(("df1", "df2"), df1, df2)
        self._gamma1, self._gamma2 = (Gamma(0.5 * df, df) for df in (self.df1, self.df2))
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self):
        df2 = above(2, self.df2)
        return df2 / (df2 - 2)

    @property
    def mode(self):
        mode = (1 - 2 / self.df1) * (self.df2 / (self.df2 + 2))
        return mode.masked_fill(self.df1 <= 2, nan)

    @property
    def variance(self):
        df1, df2 = self.df1, above(4, self.df2)
        mean = df2 / (df2 - 2)
        return 2 * mean * mean * (df1 + df2 - 2) / (df1 * (df2 - 4))

    def rsample(self, sample_shape=Size()):
        above_line, below_line = (gamma.rsample(sample_shape) for gamma in (self._gamma1, self._gamma2))
        return (above_line / below_line).clamp(min=karat.finfo(below_line.dtype).tiny)

    @checked
    def log_prob(self, value):
        a, b, ratio = 0.5 * self.df1, 0.5 * self.df2, self.df1 / self.df2
        norm = log_beta(a, b) - a * ratio.log()
        return (a - 1) * value.log() - (a + b) * (ratio * value).log1p() - norm
