"""karat.distributions.negative_binomial: successes before a number of failures."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._odds import Odds
from karat.distributions.distribution import Distribution
from karat.distributions.gamma import Gamma
from karat.distributions.utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Odds, Distribution):
    """How many trials succeed, each with probability probs, before total_count have failed."""

    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        (total_count,) = self._take(probs, logits, total_count)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expand_from(NegativeBinomial, batch_shape, _instance, total_count=0, probs=0, logits=0, _param=0)

    @property
    def mean(self):
        return self.total_count * karat.exp(self.logits)

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / karat.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self):
        """The rate of the Poisson variable that it is a mixture of."""
        return Gamma(concentration=self.total_count, rate=karat.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            return karat.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logsigmoid = karat.nn.functional.logsigmoid
        unnormalized = self.total_count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        normalization = (-karat.lgamma(self.total_count + value) + karat.lgamma(1.0 + value)
                         + karat.lgamma(self.total_count))
        normalization = normalization.masked_fill(self.total_count + value == 0.0, 0.0)
        return unnormalized - normalization
