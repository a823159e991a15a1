"""karat.distributions.one_hot_categorical: one of several categories, as a vector."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._families import ByCategory
from karat.distributions.categorical import Categorical
from karat.distributions.distribution import Distribution, checked, family

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


@family("_categorical")
class OneHotCategorical(ByCategory, Distribution):
    """Categorical, its samples as one-hot vectors."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    def _vectors(self, category):
        return karat.nn.functional.one_hot(category, self._categorical._num_events).to(self.probs)

    mean = property(lambda self: self.probs)
    mode = property(lambda self: self._vectors(self._categorical.mode))
    variance = property(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape=Size()):
        return self._vectors(self._categorical.sample(sample_shape))

    @checked
    def log_prob(self, value):
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        return self._enumerated(karat.eye(self._event_shape[0], dtype=self._param.dtype, device=self._param.device), expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose samples pass their gradient to the probabilities (straight-through estimator)."""

    has_rsample = True

    def rsample(self, sample_shape=Size()):
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
