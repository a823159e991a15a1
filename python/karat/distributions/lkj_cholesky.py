"""karat.distributions.lkj_cholesky: Cholesky factors of random correlation matrices."""

import math

import karat
from karat import Size
from karat.distributions import Beta, constraints
from karat.distributions.distribution import Distribution
from karat.distributions.utils import broadcast_all

__all__ = ["LKJCholesky"]


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
        (self.concentration,) = broadcast_all(concentration)
        batch_shape = self.concentration.size()
        event_shape = Size((dim, dim))
        marginal = self.concentration + 0.5 * (self.dim - 2)
        offset = karat.arange(self.dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = karat.cat([offset.new_zeros((1,)), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(batch_shape, event_shape, validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = Size(batch_shape)
        new.dim = self.dim
        new._beta = self._beta.expand(batch_shape + (self.dim,))
        return self._expand_from(LKJCholesky, batch_shape, new, concentration=0)

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            u = karat.randn(self._extended_shape(sample_shape), dtype=y.dtype, device=y.device).tril(-1)
            u = u / u.norm(dim=-1, keepdim=True)
            u[..., 0, :].fill_(0.0)  # the first row has nothing left of the diagonal
            w = karat.sqrt(y) * u
            left = karat.clamp(1 - karat.sum(w**2, dim=-1), min=karat.finfo(w.dtype).tiny).sqrt()
            return w + karat.diag_embed(left)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        diag = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = karat.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = karat.sum(order * diag.log(), dim=-1)
        rest = self.dim - 1
        alpha = self.concentration + 0.5 * rest
        normalizer = (0.5 * rest * math.log(math.pi) + karat.mvlgamma(alpha - 0.5, rest) - karat.lgamma(alpha) * rest)
        return unnormalized - normalizer
