"""karat.distributions.multinomial: how often each category is drawn."""

import math

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._families import ByCategory
from karat.distributions.binomial import Binomial
from karat.distributions.categorical import Categorical
from karat.distributions.distribution import Distribution, checked, family

__all__ = ["Multinomial"]


@family("_categorical", "_binomial", carried=("total_count",))
class Multinomial(ByCategory, Distribution):
    """Counts of the categories among total_count draws."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self._binomial.variance)

    def sample(self, sample_shape=Size()):
        """The draws, which are along the first dim, counted by category."""
        drawn = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = self.probs.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, counts.new_ones(()).expand(drawn.shape))

    def entropy(self):
        count = self._binomial.enumerate_support(expand=False)[1:]
        mean_log_factorial = (self._binomial.log_prob(count).exp() * (count + 1).lgamma()).sum([0, -1])
        return self.total_count * self._categorical.entropy() + mean_log_factorial - math.lgamma(self.total_count + 1)

    @checked
    def log_prob(self, value):
        never = (value == 0) & (self.logits == -karat.inf)
        terms = karat.where(never, 0, self.logits) * value - (value + 1).lgamma()
        return (value.sum(-1) + 1).lgamma() + terms.sum(-1)
