"""_families.py - what families of distributions have in common, beyond the base class.

LocationScale   loc + scale * Z of a standard variable Z, of which a class says the least, and the rest follows
Odds            probabilities or logits: one of them is given, the other is computed when it is asked for
ByCategory      what has a Categorical inside and answers for its probabilities by it
Half            |X| of a variable X that is symmetric around 0
"""

import math
from operator import attrgetter

import karat
from karat import Size, inf
from karat.distributions import constraints
from karat.distributions.distribution import checked
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from karat.nn.functional import binary_cross_entropy_with_logits


class LocationScale:
    """loc + scale * Z of a standard variable Z, whose mode is 0.

    A class gives _standard(sample_shape), which draws Z; _log_shape(y), the log density of Z at -y but for a constant, which is
    -_log_norm (a number or a property; None: it is 0); _standard_cdf and _standard_icdf where they are known; _deviation and
    _entropy of Z.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _log_norm = _deviation = _entropy = None

    def _moved(self, sample_shape):
        return self.loc + self._standard(sample_shape) * self.scale

    def rsample(self, sample_shape=Size()):
        return self._moved(sample_shape)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        scale, more = self.scale, self._log_norm
        norm = scale.log() if more is None else scale.log() + more
        return self._log_shape((self.loc - value) / scale) - norm

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._standard_cdf((value - self.loc) / self.scale)

    def icdf(self, value):
        return self.loc + self.scale * self._standard_icdf(value)

    def _standard_cdf(self, z):
        raise NotImplementedError

    def _standard_icdf(self, share):
        raise NotImplementedError

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return self._deviation * self.scale

    @property
    def variance(self):
        return self.stddev.square()

    def entropy(self):
        return self.scale.log() + self._entropy


class Odds:
    """Probabilities, or their logits; _param is what was given.

    They are of one event each (logits are log odds), or of categories along the last dim (logits are log probabilities): _binary.
    """

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


class Half(TransformedDistribution):
    """|X| of a variable X that is symmetric around 0 and has a scale: twice the density of X above 0, none below."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    scale = property(attrgetter("base_dist.scale"))
    mode = property(lambda self: karat.full_like(self.scale, 0))

    @checked
    def log_prob(self, value):
        value = karat.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return karat.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -inf)

    @checked
    def cdf(self, value):
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf(0.5 * prob + 0.5)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
