"""karat.distributions.binomial: the binomial distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._families import Odds
from karat.distributions.distribution import Distribution, checked, family
from karat.nn.functional import logsigmoid

__all__ = ["Binomial"]


@family("_param")
class Binomial(Odds, Distribution):
    """Successes among total_count trials, each of probability probs; logits are log odds."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval,
                       "logits": constraints.real}
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        super().__init__(self._hold_counted_odds(total_count, probs, logits), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.mean * (1 - self.probs))

    @property
    def mode(self):
        return karat.minimum(self.total_count, (self.total_count * self.probs + self.probs).floor())

    def sample(self, sample_shape=Size()):
        return self._drawn(karat.binomial, sample_shape, self.total_count, self.probs)

    @checked
    def log_prob(self, value):
        n = self.total_count
        none = (n + 1).lgamma() + n * logsigmoid(-self.logits)  # no success, but for the ways
        return value * self.logits + none - (value + 1).lgamma() - (n - value + 1).lgamma()

    def _outcomes(self, asker):
        """0 ... total_count, which must be the same everywhere."""
        least, most = self.total_count.aminmax()
        if least != most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{asker}`.")
        return karat.arange(1 + int(most), dtype=self._param.dtype, device=self._param.device)

    def entropy(self):
        log_prob = self.log_prob(self._enumerated(self._outcomes("entropy"), False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        return self._enumerated(self._outcomes("enumerate_support"), expand)
