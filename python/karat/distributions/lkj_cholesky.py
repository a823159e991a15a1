"""karat.distributions.lkj_cholesky: Cholesky factors of random correlation matrices."""

import math

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.beta import Beta
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.utils import normals

__all__ = ["LKJCholesky"]


@family("_beta", carried=("dim",))
class LKJCholesky(Distribution):
    """Lower Cholesky factors of dim x dim correlation matrices R, of density proportional to det(R) ** (concentration - 1).

    Sampled by the onion method of D. Lewandowski, D. Kurowicka and H. Joe (2009): each row is a direction on a sphere, times the
    root of a beta variable, and what is left of length 1 on the diagonal. The beta variables are PyTorch's: from the third row on
    their first parameter is larger than the paper's (k - 3/2, not (k - 1) / 2, in row k), so those rows are nearer to singular.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        batch_shape = self._hold(("concentration",), concentration)
        behind = karat.arange(-1, dim - 1, dtype=self.concentration.dtype, device=self.concentration.device).clamp(min=0)
        self._beta = Beta(0.5 + behind, (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * behind)
        super().__init__(batch_shape, Size((dim, dim)), validate_args)

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            share = self._beta.sample(sample_shape)  # of the row's squared length, what is left of the diagonal
            share[..., 0] = 0
            tiny = karat.finfo(share.dtype).tiny
            left = normals(self._extended_shape(sample_shape), share).tril(-1)
            length = karat.linalg.vector_norm(left, dim=-1).clamp(min=tiny)
            rows = left * (share.sqrt() / length).unsqueeze(-1)
            return rows + (1 - share).clamp(min=tiny).sqrt().diag_embed()

    @checked
    def log_prob(self, value):
        """By the powers of the diagonal, and the constant of the paper's section 3.2."""
        below, eta = self.dim - 1, self.concentration
        powers = 2 * (eta - 1).unsqueeze(-1) + karat.arange(below - 1, -1, -1, device=eta.device)
        end = eta + 0.5 * below
        log_norm = below * (0.5 * math.log(math.pi) - end.lgamma()) + karat.mvlgamma(end - 0.5, below)
        return (powers * value.diagonal(dim1=-2, dim2=-1)[..., 1:].log()).sum(-1) - log_norm
