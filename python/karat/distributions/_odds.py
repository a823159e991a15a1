"""_odds.py - what distributions of one probability share: probs or logits is given, the other computed when it is asked for."""

from karat.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class Odds:
    """A probability, or its log odds; _param is the one that was given."""

    def _take(self, probs, logits, *others):
        """Keep the one that is given, expanded with the others, which are returned."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        *others, self._param = broadcast_all(*others, logits if probs is None else probs)
        setattr(self, "logits" if probs is None else "probs", self._param)
        return others

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self):
        return self._param.size()
