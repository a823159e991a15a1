"""karat.distributions.bernoulli: the Bernoulli distribution."""

import karat
from karat import Size, nan
from karat.distributions import constraints
from karat.distributions._families import Odds
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily

__all__ = ["Bernoulli"]


@family("_param")
class Bernoulli(Odds, ExponentialFamily):
    """1 with probability probs, else 0; logits are log odds."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(self._hold_odds(probs, logits), validate_args=validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self):
        """The likelier of the two; NaN if neither is."""
        return karat.where(self.probs == 0.5, nan, (self.probs > 0.5).to(self.probs))

    def sample(self, sample_shape=Size()):
        return self._drawn(karat.bernoulli, sample_shape, self.probs)

    @checked
    def log_prob(self, value):
        return -self._cross_entropy(value)

    def entropy(self):
        return self._cross_entropy(self.probs)

    def enumerate_support(self, expand=True):
        return self._enumerated(karat.arange(2, dtype=self._param.dtype, device=self._param.device), expand)

    @property
    def _natural_params(self):
        return (self.probs.logit(),)

    def _log_normalizer(self, x):
        return -karat.nn.functional.logsigmoid(-x)
