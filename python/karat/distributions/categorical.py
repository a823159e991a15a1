"""karat.distributions.categorical: one of several categories."""

import karat
from karat import Size, nan
from karat.distributions import constraints
from karat.distributions._families import Odds
from karat.distributions.distribution import Distribution, checked, family

__all__ = ["Categorical"]


@family("_param", carried=("_num_events",))
class Categorical(Odds, Distribution):
    """A category 0 ... K - 1, with probabilities (or unnormalized log probabilities) along the last dim."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _binary = False

    def __init__(self, probs=None, logits=None, validate_args=None):
        name, weights = self._given(probs, logits)
        if weights.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        total = weights.sum(-1, keepdim=True) if name == "probs" else weights.logsumexp(-1, keepdim=True)
        self._param = weights / total if name == "probs" else weights - total
        setattr(self, name, self._param)
        self._num_events = weights.shape[-1]
        super().__init__(weights.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    mean = variance = property(lambda self: karat.full_like(self.probs[..., 0], nan))
    mode = property(lambda self: self.probs.argmax(-1))

    def sample(self, sample_shape=Size()):
        table = self.probs.reshape(-1, self._num_events)
        drawn = karat.multinomial(table, Size(sample_shape).numel(), True)
        return drawn.T.reshape(self._extended_shape(sample_shape))

    @checked
    def log_prob(self, value):
        index, table = value.long(), self.logits
        if index.shape != table.shape[:-1]:
            shape = karat.broadcast_shapes(index.shape, table.shape[:-1])
            index, table = index.expand(shape), table.expand(shape + table.shape[-1:])
        return table.gather(-1, index.unsqueeze(-1)).squeeze(-1)

    def entropy(self):
        finite = self.logits.clamp(min=karat.finfo(self.logits.dtype).min)  # 0 * -inf is 0 here
        return -(self.probs * finite).sum(-1)

    def enumerate_support(self, expand=True):
        return self._enumerated(karat.arange(self._num_events, device=self._param.device), expand)
