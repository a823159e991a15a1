"""karat.distributions.geometric: failures before the first success."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._families import Odds
from karat.distributions.distribution import Distribution, checked, family

__all__ = ["Geometric"]


@family("_param")
class Geometric(Odds, Distribution):
    """How many trials fail before the first success, each of which succeeds with probability probs."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(self._hold_odds(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None:
            never = self.probs <= 0
            if never.any():
                raise self._refusal("probs", self.probs, f"be positive but found invalid values:\n{self.probs.data[never]}")

    mean = property(lambda self: 1 / self.probs - 1)
    mode = property(lambda self: karat.zeros_like(self.probs))
    variance = property(lambda self: self.mean / self.probs)

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            u = self.probs.new_empty(self._extended_shape(sample_shape)).uniform_(karat.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    @checked
    def log_prob(self, value):
        sure = (self.probs == 1) & (value == 0)  # no failure: of what cannot fail, 0 * log(0) would follow
        return value * (-karat.where(sure, 0, self.probs)).log1p() + self.probs.log()

    def entropy(self):
        return self._cross_entropy(self.probs) / self.probs
