"""karat.distributions.studentT: Student's t distribution."""

import karat
from karat import inf, nan
from karat.distributions import constraints
from karat.distributions._families import LocationScale
from karat.distributions.chi2 import Chi2
from karat.distributions.distribution import Distribution, family
from karat.distributions.utils import log_beta, normals

__all__ = ["StudentT"]


@family("_chi2")
class StudentT(LocationScale, Distribution):
    """Student's t distribution of df degrees of freedom, moved by loc and scaled: Z is normal, over the root of Chi2(df) / df."""

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        shape = self._hold(("df", "loc", "scale"), df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self):
        return self.loc.masked_fill(self.df <= 1, nan)

    @property
    def variance(self):
        finite = self.df > 2
        df = karat.where(finite, self.df, 3)
        variance = karat.where(finite, self.scale.square() * (df / (df - 2)), inf)
        return variance.masked_fill(self.df <= 1, nan)

    @property
    def stddev(self):
        return self.variance.sqrt()

    def _standard(self, sample_shape):
        normal = normals(self._extended_shape(sample_shape), self.df)
        return normal * (self._chi2.rsample(sample_shape) / self.df).rsqrt()

    @property
    def _log_norm(self):
        return 0.5 * self.df.log() + log_beta(0.5 * self.df, 0.5)

    def _log_shape(self, y):
        return -0.5 * (self.df + 1) * (y * y / self.df).log1p()

    @property
    def _entropy(self):
        half = 0.5 * self.df
        return (half + 0.5) * ((half + 0.5).digamma() - half.digamma()) + self._log_norm
