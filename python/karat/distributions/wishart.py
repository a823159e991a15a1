"""karat.distributions.wishart: the Wishart distribution over positive-definite matrices."""

import math
import warnings
from numbers import Number

import karat
from karat import Size, nan
from karat.distributions import constraints
from karat.distributions.chi2 import Chi2
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.multivariate_normal import _precision_to_scale_tril
from karat.distributions.utils import lazy_property

__all__ = ["Wishart"]


def _mvdigamma(x, p):
    """The derivative of mvlgamma."""
    assert x.gt((p - 1) / 2).all(), "Wrong domain for multivariate digamma function."
    return karat.digamma(x.unsqueeze(-1) - karat.arange(p, dtype=x.dtype, device=x.device).div(2)).sum(-1)


def _clamp_above_eps(x):
    """At least eps: a singular matrix has zeros on the diagonal of its factor."""
    return x.clamp(min=karat.finfo(x.dtype).eps)


class Wishart(ExponentialFamily):
    """The Wishart distribution of df degrees of freedom: of X X^T for df columns of normal vectors of the given covariance."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky,
                "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        assert (covariance_matrix is not None) + (scale_tril is not None) + (precision_matrix is not None) == 1, (
            "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, param = next((n, m) for n, m in (("covariance_matrix", covariance_matrix), ("scale_tril", scale_tril),
                                               ("precision_matrix", precision_matrix)) if m is not None)
        if param.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            batch_shape = Size(param.shape[:-2])
            self.df = karat.tensor(df, dtype=param.dtype, device=param.device)
        else:
            batch_shape = karat.broadcast_shapes(param.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        event_shape = param.shape[-2:]
        if self.df.le(event_shape[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}.")
        setattr(self, name, param.expand(batch_shape + (-1, -1)))
        if self.df.lt(event_shape[-1]).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                          stacklevel=2)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._batch_dims = [-(x + 1) for x in range(len(self._batch_shape))]
        if scale_tril is not None:
            self._unbroadcasted_scale_tril = scale_tril
        elif covariance_matrix is not None:
            self._unbroadcasted_scale_tril = karat.linalg.cholesky(covariance_matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(precision_matrix)
        self._make_chi2()

    def _make_chi2(self):
        """The squares of the diagonal of Bartlett's decomposition."""
        n = self._event_shape[-1]
        rows = karat.arange(n, dtype=self._unbroadcasted_scale_tril.dtype, device=self._unbroadcasted_scale_tril.device)
        self._dist_chi2 = Chi2(df=(self.df.unsqueeze(-1) - rows.expand(self._batch_shape + (-1,))))

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Wishart, _instance)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(Size(batch_shape) + self.event_shape)
        new._batch_dims = [-(x + 1) for x in range(len(batch_shape))]
        self._expand_from(Wishart, batch_shape, new, df=0, covariance_matrix=2, scale_tril=2, precision_matrix=2)
        new._make_chi2()
        return new

    def _spread(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        return self._spread(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        return self._spread(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        identity = karat.eye(self._event_shape[-1], device=self._unbroadcasted_scale_tril.device,
                             dtype=self._unbroadcasted_scale_tril.dtype)
        return self._spread(karat.cholesky_solve(identity, self._unbroadcasted_scale_tril))

    @property
    def mean(self):
        return self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = factor.masked_fill(factor <= 0, nan)
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        diag = v.diagonal(dim1=-2, dim2=-1)
        return self.df.view(self._batch_shape + (1, 1)) * (v.pow(2) + karat.einsum("...i,...j->...ij", diag, diag))

    def _bartlett_sampling(self, sample_shape=Size()):
        p = self._event_shape[-1]
        noise = _clamp_above_eps(self._dist_chi2.rsample(sample_shape).sqrt()).diag_embed(dim1=-2, dim2=-1)
        i, j = karat.tril_indices(p, p, offset=-1)
        noise[..., i, j] = karat.randn(Size(sample_shape) + self._batch_shape + (int(p * (p - 1) / 2),), dtype=noise.dtype,
                                       device=noise.device)
        chol = self._unbroadcasted_scale_tril @ noise
        return chol @ chol.mT

    def rsample(self, sample_shape=Size(), max_try_correction=None):
        """Samples by Bartlett's decomposition; singular ones are drawn again, up to max_try_correction times."""
        if max_try_correction is None:
            max_try_correction = 10
        sample_shape = Size(sample_shape)
        self._bartlett_sampling(sample_shape)  # PyTorch draws every sample twice: the second draw has its numbers
        sample = self._bartlett_sampling(sample_shape)
        for _ in range(max_try_correction):
            singular = ~self.support.check(sample)
            if not singular.any():
                break
            warnings.warn("Singular sample detected.", stacklevel=2)
            sample = karat.where(singular[..., None, None], self._bartlett_sampling(sample_shape), sample)
        return sample

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        log_det_scale = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        trace = karat.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return (-nu * (p * math.log(2.0) / 2.0 + log_det_scale) - karat.mvlgamma(nu / 2.0, p=p)
                + (nu - p - 1) / 2 * karat.linalg.slogdet(value).logabsdet - trace / 2)

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        log_det_scale = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return ((p + 1) * (p * math.log(2.0) / 2.0 + log_det_scale) + karat.mvlgamma(nu / 2.0, p=p)
                - (nu - p - 1) / 2 * _mvdigamma(nu / 2.0, p=p) + nu * p / 2)

    @property
    def _natural_params(self):
        return (-self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2)

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        return half * (-karat.linalg.slogdet(-2 * x).logabsdet + p * math.log(2.0)) + karat.mvlgamma(half, p=p)
