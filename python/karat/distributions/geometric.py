"""karat.distributions.geometric: failures before the first success."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._odds import Odds
from karat.distributions.distribution import Distribution
from karat.distributions.utils import broadcast_all
from karat.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Geometric"]


class Geometric(Odds, Distribution):
    """How many trials fail before the first success, each of which succeeds with probability probs."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            valid = value > 0
            if not valid.all():
                raise ValueError(f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of "
                                 f"distribution {self!r} to be positive but found invalid values:\n{value.data[~valid]}")

    def expand(self, batch_shape, _instance=None):
        return self._expand_from(Geometric, batch_shape, _instance, probs=0, logits=0, _param=0)

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return karat.zeros_like(self.probs)

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        tiny = karat.finfo(self.probs.dtype).tiny
        with karat.no_grad():
            u = self.probs.new_empty(shape).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone(memory_format=karat.contiguous_format)
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
