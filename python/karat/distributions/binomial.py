"""karat.distributions.binomial: the binomial distribution."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._odds import Odds
from karat.distributions.distribution import Distribution

__all__ = ["Binomial"]


class Binomial(Odds, Distribution):
    """Successes among total_count trials, each of probability probs; logits are log odds."""

    arg_constraints = {"total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval,
                       "logits": constraints.real}
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        (total_count,) = self._take(probs, logits, total_count)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expand_from(Binomial, batch_shape, _instance, total_count=0, probs=0, logits=0, _param=0)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        with karat.no_grad():
            return karat.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        ways = karat.lgamma(self.total_count + 1) - karat.lgamma(value + 1) - karat.lgamma(self.total_count - value + 1)
        above = self.logits.clamp(min=0)  # log(1 + e^logits) without overflow
        return ways + value * self.logits - self.total_count * (above + karat.log1p(karat.exp(-karat.abs(self.logits))))

    def _one_count(self, why):
        total_count = int(self.total_count.max())
        if not self.total_count.min() == total_count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{why}`.")
        return total_count

    def entropy(self):
        self._one_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(karat.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        total_count = self._one_count("enumerate_support")
        values = karat.arange(1 + total_count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
