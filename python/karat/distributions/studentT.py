"""karat.distributions.studentT: Student's t distribution."""

import math

import karat
from karat import Size, inf, nan
from karat.distributions import constraints
from karat.distributions.chi2 import Chi2
from karat.distributions.distribution import Distribution
from karat.distributions.utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t distribution of df degrees of freedom, moved by loc and scaled."""

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(StudentT, _instance)
        new._chi2 = self._chi2.expand(batch_shape)
        return self._expand_from(StudentT, batch_shape, new, df=0, loc=0, scale=0)

    @property
    def mean(self):
        m = self.loc.clone()
        m[self.df <= 1] = nan
        return m

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        m = self.df.clone()
        some = self.df > 2
        m[some] = self.scale[some].pow(2) * self.df[some] / (self.df[some] - 2)
        m[(self.df <= 2) & (self.df > 1)] = inf
        m[self.df <= 1] = nan
        return m

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * karat.rsqrt(z / self.df))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + karat.lgamma(0.5 * self.df)
                      - karat.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * karat.log1p(y**2.0 / self.df) - normalizer

    def entropy(self):
        log_beta = karat.lgamma(0.5 * self.df) + math.lgamma(0.5) - karat.lgamma(0.5 * (self.df + 1))
        return (self.scale.log() + 0.5 * (self.df + 1) * (karat.digamma(0.5 * (self.df + 1)) - karat.digamma(0.5 * self.df))
                + 0.5 * self.df.log() + log_beta)
