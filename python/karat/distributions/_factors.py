"""_factors.py - positive definite matrices by their lower Cholesky factors, and what distributions of them share.

Batches are broadcast. A factor without a batch serves any number of vectors at once.
"""

import karat
from karat.distributions.utils import lazy_property


def distance(factor, vectors):
    """x^T (L L^T)^-1 x: the squared Mahalanobis distance. Vectors' dims before the factor's batch are columns of one matrix."""
    front = vectors.shape[:max(vectors.dim() + 1 - factor.dim(), 0)]
    if not front:
        return karat.linalg.solve_triangular(factor, vectors.unsqueeze(-1), upper=False).squeeze(-1).square().sum(-1)
    x = vectors if len(front) == 1 else vectors.flatten(0, len(front) - 1)
    result = karat.linalg.solve_triangular(factor, x.movedim(0, -1), upper=False).square().sum(-2)
    if result.dim() > 1:
        result = result.movedim(-1, 0)
    return result if len(front) == 1 else result.unflatten(0, front)


def product(matrix, vectors):
    """The matrices' products with vectors."""
    if matrix.dim() == 2:
        return vectors @ matrix.mT
    return (vectors.unsqueeze(-2) @ matrix.mT).squeeze(-2)


def half_log_det(factor):
    """log |L L^T| / 2."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def factor_of_inverse(precision):
    """The lower factor of P^-1. Turned by 180 degrees, P is C C^T, and the inverse of C, transposed and turned back, is lower."""
    turned = karat.linalg.cholesky(precision.flip(-2, -1))
    identity = karat.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return karat.linalg.solve_triangular(turned, identity, upper=False).mT.flip(-2, -1)


FACTOR_BY = {"scale_tril": lambda given: given, "covariance_matrix": karat.linalg.cholesky, "precision_matrix": factor_of_inverse}


def the_one_given(**matrices):
    """The name and the value of the only one that is not None; (None, None) if there are none or several."""
    given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
    return given[0] if len(given) == 1 else (None, None)


class Matrices:
    """Square matrices of the event's size, of which one of three is given and the others follow when they are asked for."""

    def _hold_matrix(self, name, matrix, batch_shape):
        setattr(self, name, matrix.expand(batch_shape + matrix.shape[-2:]))

    def _each(self, matrix):
        """A copy for each of the batch."""
        return matrix.expand(self._batch_shape + matrix.shape[-2:])

    @lazy_property
    def scale_tril(self):
        return self._each(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        return self._each(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        return self._each(karat.cholesky_inverse(self._unbroadcasted_scale_tril))
