"""karat.distributions.lowrank_multivariate_normal: a multivariate normal whose covariance is W W^T + D.

Its inverse and determinant are those of the small capacitance matrix I + W^T D^-1 W (Woodbury's identity, and the matrix
determinant lemma).
"""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._factors import Matrices, distance, half_log_det, product
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.multivariate_normal import LOG_TWO_PI
from karat.distributions.utils import lazy_property, normals

__all__ = ["LowRankMultivariateNormal"]


def weighted(w, d):
    """W^T D^-1."""
    return w.mT / d.unsqueeze(-2)


def with_identity(gram):
    """I + a matrix."""
    return gram + karat.eye(gram.shape[-1], dtype=gram.dtype, device=gram.device)


def lowrank_log_det(d, capacitance_factor):
    """log |W W^T + D|."""
    return 2 * half_log_det(capacitance_factor) + d.log().sum(-1)


def lowrank_distance(w, d, x, capacitance_factor):
    """x^T (W W^T + D)^-1 x."""
    return (x * x / d).sum(-1) - distance(capacitance_factor, product(weighted(w, d), x))


@family(carried=("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"))
class LowRankMultivariateNormal(Matrices, Distribution):
    """The multivariate normal distribution of covariance cov_factor @ cov_factor.T + diag(cov_diag)."""

    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = karat.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as e:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag "
                             f"{cov_diag.shape}") from e
        self.loc, self.cov_diag = loc.expand(batch_shape + event_shape), cov_diag.expand(batch_shape + event_shape)
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = karat.linalg.cholesky(with_identity(weighted(cov_factor, cov_diag) @ cov_factor))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    mean = mode = property(lambda self: self.loc)

    def _parts(self):
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag

    @lazy_property
    def variance(self):
        w, d = self._parts()
        return (d + w.square().sum(-1)).expand_as(self.loc)

    @lazy_property
    def scale_tril(self):
        """sqrt(D) times the factor of I + V V^T for V = D^-1/2 W, which is better conditioned than the covariance."""
        w, d = self._parts()
        root = d.sqrt().unsqueeze(-1)
        v = w / root
        return self._each(root * karat.linalg.cholesky(with_identity(v @ v.mT)))

    @lazy_property
    def covariance_matrix(self):
        w, d = self._parts()
        return self._each(d.diag_embed() + w @ w.mT)

    @lazy_property
    def precision_matrix(self):
        w, d = self._parts()
        half = karat.linalg.solve_triangular(self._capacitance_tril, weighted(w, d), upper=False)
        return self._each(d.reciprocal().diag_embed() - half.mT @ half)

    def rsample(self, sample_shape=Size()):
        (w, d), shape = self._parts(), self._extended_shape(sample_shape)
        by_factor = product(w, normals(shape[:-1] + w.shape[-1:], self.loc))
        return self.loc + by_factor + d.sqrt() * normals(shape, self.loc)

    def _double_norm(self, each):
        """log |covariance|, and `each` for a component."""
        return lowrank_log_det(self._unbroadcasted_cov_diag, self._capacitance_tril) + each * self._event_shape[0]

    @checked
    def log_prob(self, value):
        away = lowrank_distance(*self._parts(), value - self.loc, self._capacitance_tril)
        return -0.5 * (away + self._double_norm(LOG_TWO_PI))

    def entropy(self):
        return (0.5 * self._double_norm(1 + LOG_TWO_PI)).expand(self._batch_shape)
