"""karat.distributions.dirichlet: the Dirichlet distribution."""

import karat
from karat.distributions import constraints
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import log_simplex_integral

__all__ = ["Dirichlet"]


@family()
class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution over the simplex, with the concentrations along the last dim."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        return karat._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    @checked
    def log_prob(self, value):
        powers = (self.concentration - 1).xlogy(value).sum(-1)
        return powers - log_simplex_integral(self.concentration)

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        """Inside, or on the sides of those up to 1. Where all are below 1 every corner is one: the first is given."""
        above = (self.concentration - 1).clamp(min=0)
        corner = karat.arange(above.shape[-1], device=above.device) == 0
        nowhere_else = (self.concentration < 1).all(-1, keepdim=True)
        return karat.where(nowhere_else, corner.to(above.dtype), above / above.sum(-1, True))

    @property
    def variance(self):
        mean = self.mean
        return mean * (1 - mean) / (self.concentration.sum(-1, True) + 1)

    def entropy(self):
        shape, total = self.concentration, self.concentration.sum(-1)
        return (log_simplex_integral(shape) + (total - shape.shape[-1]) * total.digamma()
                - ((shape - 1) * shape.digamma()).sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return log_simplex_integral(x)
