"""karat.distributions.negative_binomial: successes before a number of failures."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._families import Odds
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.gamma import Gamma
from karat.distributions.utils import lazy_property
from karat.nn.functional import logsigmoid

__all__ = ["NegativeBinomial"]


@family("_param")
class NegativeBinomial(Odds, Distribution):
    """How many trials succeed, each with probability probs, before total_count have failed."""

    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        super().__init__(self._hold_counted_odds(total_count, probs, logits), validate_args=validate_args)

    mean = property(lambda self: self.total_count * self.logits.exp())
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0))
    variance = property(lambda self: self.mean / (-self.logits).sigmoid())

    @lazy_property
    def _gamma(self):
        """The rate of the Poisson variable that it is a mixture of."""
        return Gamma(concentration=self.total_count, rate=(-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            return karat.poisson(self._gamma.sample(sample_shape))

    @checked
    def log_prob(self, value):
        failed, total = self.total_count, self.total_count + value
        ways = total.lgamma() - failed.lgamma() - (value + 1).lgamma()
        ways = ways.masked_fill(total == 0, 0)  # no failures to wait for
        return ways + failed * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
