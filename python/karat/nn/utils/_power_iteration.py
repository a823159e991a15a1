"""_power_iteration.py - the largest singular value of a weight, by power iteration on its two singular vectors, as both kinds of
spectral_norm follow it from call to call. The vectors are written in place: copies of a module that share them see it too."""

from ... import _karat
from ...modes import no_grad
from ..functional import normalize
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d

_mv = _karat.functions["mv"]


def output_dim(module):
    """Along which dim of a module's weight the outputs are counted."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def as_matrix(weight, dim):
    """The weight as a matrix: dim along its rows, the other dims as one along its columns."""
    front = weight.permute(dim, *(other for other in range(weight.dim()) if other != dim)) if dim else weight
    return front.reshape(front.size(0), -1)


def random_unit_vectors(matrix, eps):
    """A vector as long as the columns and one as long as the rows."""
    return [normalize(matrix.new_empty(size).normal_(0, 1), dim=0, eps=eps) for size in matrix.shape]


def follow(half_steps, times, eps):
    """Power iteration. A half step is (target, matrix, source): target becomes the direction of matrix @ source."""
    with no_grad():
        for target, matrix, source in half_steps * times:
            normalize(_mv(matrix, source), dim=0, eps=eps, out=target)
