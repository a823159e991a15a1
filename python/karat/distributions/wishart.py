"""karat.distributions.wishart: the Wishart distribution of positive definite matrices."""

import math
import warnings
from numbers import Number

import karat
from karat import Size, nan
from karat.distributions import constraints
from karat.distributions._factors import FACTOR_BY, Matrices, half_log_det, the_one_given
from karat.distributions.chi2 import Chi2
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import lower_triangle, normals

__all__ = ["Wishart"]


@family("df", "covariance_matrix", "scale_tril", "precision_matrix", "_dist_chi2", carried=("_unbroadcasted_scale_tril",))
class Wishart(Matrices, ExponentialFamily):
    """The Wishart distribution of df degrees of freedom: of X X^T for df columns of normal vectors of the given covariance."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        least = constraints.greater_than(self.event_shape[-1] - 1)
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": least}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        name, matrix = the_one_given(covariance_matrix=covariance_matrix, precision_matrix=precision_matrix,
                                     scale_tril=scale_tril)
        if name is None:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        self.df = karat.tensor(df, dtype=matrix.dtype, device=matrix.device) if isinstance(df, Number) else df
        batch_shape, event_shape = matrix.shape[:-2], matrix.shape[-2:]
        if not isinstance(df, Number):
            batch_shape = karat.broadcast_shapes(batch_shape, df.shape)
            self.df = df.expand(batch_shape)
        p = event_shape[-1]
        if (self.df <= p - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {p - 1}.")
        self._hold_matrix(name, matrix, batch_shape)
        if (self.df < p).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                          stacklevel=2)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_scale_tril = FACTOR_BY[name](matrix)
        less = karat.arange(p, dtype=matrix.dtype, device=matrix.device)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - less.expand(batch_shape + (p,)))

    @property
    def _df_of_matrices(self):
        return self.df.expand(self._batch_shape)[..., None, None]

    mean = property(lambda self: self._df_of_matrices * self.covariance_matrix)

    @property
    def mode(self):
        factor = self._df_of_matrices - self._event_shape[-1] - 1
        return factor.masked_fill(factor <= 0, nan) * self.covariance_matrix

    @property
    def variance(self):
        covariance = self.covariance_matrix
        variances = covariance.diagonal(dim1=-2, dim2=-1)
        return self._df_of_matrices * (covariance.square() + variances.unsqueeze(-1) * variances.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape=Size()):
        """L A A^T L^T: squares of A's diagonal are chi-squared, below it A is normal (M. S. Bartlett, 1933)."""
        root = self._dist_chi2.rsample(sample_shape).sqrt()
        a = root.clamp(min=karat.finfo(root.dtype).eps).diag_embed()  # singular samples have zeros there
        p = self._event_shape[-1]
        a[..., lower_triangle(p, -1, root.device)] = normals(root.shape[:-1] + (p * (p - 1) // 2,), root)
        half = self._unbroadcasted_scale_tril @ a
        return half @ half.mT

    def rsample(self, sample_shape=Size(), max_try_correction=None):
        """Samples by Bartlett's decomposition; singular ones are drawn again, up to max_try_correction times (10)."""
        sample_shape = Size(sample_shape)
        self._bartlett_sampling(sample_shape)  # PyTorch draws every sample twice: the second draw has its numbers
        sample = self._bartlett_sampling(sample_shape)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            fine = self.support.check(sample)
            if fine.all():
                break
            warnings.warn("Singular sample detected.", stacklevel=2)
            sample = karat.where(fine[..., None, None], sample, self._bartlett_sampling(sample_shape))
        return sample

    def _half_log_scale(self):
        """log |2 V| / 2."""
        return half_log_det(self._unbroadcasted_scale_tril) + 0.5 * math.log(2) * self._event_shape[-1]

    @checked
    def log_prob(self, value):
        p, factor = self._event_shape[-1], self._unbroadcasted_scale_tril
        norm = self.df * self._half_log_scale() + karat.mvlgamma(0.5 * self.df, p)
        trace = karat.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(-1)
        return 0.5 * ((self.df - p - 1) * karat.linalg.slogdet(value).logabsdet - trace) - norm

    def entropy(self):
        """The digammas are of the mean log determinant: that of Bartlett's chi-squared variables' product."""
        p, half_df = self._event_shape[-1], 0.5 * self.df
        digammas = self._dist_chi2.concentration.digamma().sum(-1)
        return ((p + 1) * self._half_log_scale() + karat.mvlgamma(half_df, p) + half_df * p
                - (half_df - (p + 1) / 2) * digammas)

    @property
    def _natural_params(self):
        return (-0.5 * self.precision_matrix, 0.5 * (self.df - self._event_shape[-1] - 1))

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        half_df = y + (p + 1) / 2
        return karat.mvlgamma(half_df, p) - half_df * karat.linalg.slogdet(-x).logabsdet
