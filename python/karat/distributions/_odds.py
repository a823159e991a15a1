"""_odds.py - probabilities or logits: one of them is given, the other is computed when it is asked for.

`Odds` holds them: of one event each (logits are log odds) or of categories along the last dim (_binary = False; logits are log
probabilities). `ByCategory` is for what has a Categorical inside and answers by it.
"""

from operator import attrgetter

from karat.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from karat.nn.functional import binary_cross_entropy_with_logits


class Odds:
    """Probabilities, or their logits; _param is what was given."""

    _binary = True

    @staticmethod
    def _given(probs, logits):
        """The name and the value of the one that is given."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return ("logits", logits) if probs is None else ("probs", probs)

    def _hold_odds(self, probs, logits):
        """_hold for the one that is given."""
        name, value = self._given(probs, logits)
        shape = self._hold((name,), value)
        self._param = self.__dict__[name]
        return shape

    def _hold_counted_odds(self, total_count, probs, logits):
        """The same, and a total count, which takes their dtype."""
        name, value = self._given(probs, logits)
        shape = self._hold(("total_count", name), total_count, value)
        self._param = self.__dict__[name]
        self.total_count = self.total_count.type_as(self._param)
        return shape

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=self._binary)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits, is_binary=self._binary)

    @property
    def param_shape(self):
        return self._param.shape

    def _cross_entropy(self, target):
        """-log of the probability of 1, or of 0, weighted by the target."""
        logits = self.logits
        if target.shape != logits.shape:
            logits, target = broadcast_all(logits, target)
        return binary_cross_entropy_with_logits(logits, target, reduction="none")


class ByCategory:
    """What answers for its probabilities by the Categorical inside."""

    probs, logits, param_shape, _param, _new = (
        property(attrgetter(f"_categorical.{name}")) for name in ("probs", "logits", "param_shape", "_param", "_new"))
