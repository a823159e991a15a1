"""karat.distributions.relaxed_categorical: a one-hot variable relaxed to the simplex."""

import math
from operator import attrgetter

from karat import Size
from karat.distributions import constraints
from karat.distributions._families import ByCategory
from karat.distributions.categorical import Categorical
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import ExpTransform
from karat.distributions.utils import clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


@family("_categorical", carried=("temperature",))
class ExpRelaxedCategorical(ByCategory, Distribution):
    """The logarithm of a RelaxedOneHotCategorical variable."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=Size()):
        """The scores of the Gumbel-max trick, over the temperature."""
        exponential = -clamp_probs(self._uniforms(sample_shape, self.logits)).log()
        return ((self.logits - exponential.log()) / self.temperature).log_softmax(-1)

    @checked
    def log_prob(self, value):
        rest = self._event_shape[-1] - 1
        share = (self.logits - value * self.temperature).log_softmax(-1)
        return share.sum(-1) + (rest * self.temperature.log() + math.lgamma(rest + 1))


@family()
class RelaxedOneHotCategorical(TransformedDistribution):
    """A one-hot variable relaxed to the simplex (Concrete, Gumbel-softmax): sharper as the temperature falls."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    temperature, logits, probs = (property(attrgetter(f"base_dist.{name}")) for name in ("temperature", "logits", "probs"))

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
