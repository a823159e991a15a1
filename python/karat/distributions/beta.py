"""karat.distributions.beta: the beta distribution."""

from numbers import Number

import karat
from karat.distributions import constraints
from karat.distributions.dirichlet import Dirichlet
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import broadcast_all, log_beta

__all__ = ["Beta"]


@family("_dirichlet")
class Beta(ExponentialFamily):
    """The beta distribution: the first component of a Dirichlet of two."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    concentration1 = property(lambda self: self._dirichlet.concentration[..., 0])
    concentration0 = property(lambda self: self._dirichlet.concentration[..., 1])
    mean = property(lambda self: self._dirichlet.mean[..., 0])
    mode = property(lambda self: self._dirichlet.mode[..., 0])
    variance = property(lambda self: self._dirichlet.variance[..., 0])

    def __init__(self, concentration1, concentration0, validate_args=None):
        both = concentration1, concentration0
        if all(isinstance(one, Number) for one in both):
            both = karat.tensor([float(one) for one in both])
        else:
            both = karat.stack(broadcast_all(*both), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(both.shape[:-1], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape)[..., 0]

    @checked
    def log_prob(self, value):
        a, b = self.concentration1, self.concentration0
        return (a - 1).xlogy(value) + (b - 1).xlogy(1 - value) - log_beta(a, b)

    def entropy(self):
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return (self.concentration1, self.concentration0)

    def _log_normalizer(self, x, y):
        return log_beta(x, y)
