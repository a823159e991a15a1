"""karat.distributions.multivariate_normal: the multivariate normal distribution."""

import math

import karat
from karat import Size
from karat._torch_private import private_names
from karat.distributions import constraints
from karat.distributions._factors import FACTOR_BY, Matrices, distance, factor_of_inverse, half_log_det, product, the_one_given
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.utils import normals

__all__ = ["MultivariateNormal"]

LOG_TWO_PI = math.log(2 * math.pi)


@family(carried=("_unbroadcasted_scale_tril",))
class MultivariateNormal(Matrices, Distribution):
    """The multivariate normal distribution, by its covariance, its precision, or the Cholesky factor of its covariance."""

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = the_one_given(covariance_matrix=covariance_matrix, precision_matrix=precision_matrix,
                                     scale_tril=scale_tril)
        if name is None:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = karat.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self._hold_matrix(name, matrix, batch_shape)
        self.loc = loc.expand(batch_shape + loc.shape[-1:])
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = FACTOR_BY[name](matrix)

    mean = mode = property(lambda self: self.loc)

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.square().sum(-1).expand_as(self.loc)

    def rsample(self, sample_shape=Size()):
        return self.loc + product(self._unbroadcasted_scale_tril, normals(self._extended_shape(sample_shape), self.loc))

    @checked
    def log_prob(self, value):
        factor = self._unbroadcasted_scale_tril
        norm = half_log_det(factor) + 0.5 * LOG_TWO_PI * self._event_shape[0]
        return -0.5 * distance(factor, value - self.loc) - norm

    def entropy(self):
        constant = 0.5 * (1 + LOG_TWO_PI) * self._event_shape[0]
        return (half_log_det(self._unbroadcasted_scale_tril) + constant).expand(self._batch_shape)


__getattr__ = private_names(__name__, globals())
