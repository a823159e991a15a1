"""karat.distributions.multinomial: how often each category is drawn."""

import math

import karat
from karat import Size
from karat.distributions import Categorical, constraints
from karat.distributions.binomial import Binomial
from karat.distributions.distribution import Distribution
from karat.distributions.utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """Counts of the categories among total_count draws."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Multinomial, _instance)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = self._binomial.expand(Size(batch_shape) + self.event_shape)
        return self._expand_from(Multinomial, batch_shape, new)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))
    logits = property(lambda self: self._categorical.logits)
    probs = property(lambda self: self._categorical.probs)
    param_shape = property(lambda self: self._categorical.param_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    def sample(self, sample_shape=Size()):
        sample_shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + sample_shape)
        drawn = drawn.permute(*range(1, drawn.dim()), 0)  # the draws are counted along the last dim
        counts = drawn.new_empty(self._extended_shape(sample_shape)).zero_()
        counts.scatter_add_(-1, drawn, karat.ones_like(drawn))
        return counts.type_as(self.probs)

    def entropy(self):
        support = self._binomial.enumerate_support(expand=False)[1:]
        binomial_probs = karat.exp(self._binomial.log_prob(support))
        weights = karat.lgamma(support + 1)
        return self.total_count * self._categorical.entropy() - math.lgamma(self.total_count + 1) + (
            binomial_probs * weights).sum([0, -1])

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=karat.contiguous_format)
        logits[(value == 0) & (logits == -karat.inf)] = 0
        return karat.lgamma(value.sum(-1) + 1) - karat.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)
