"""karat.distributions.continuous_bernoulli: the continuous Bernoulli distribution over [0, 1].

Its density is C(p) p^x (1 - p)^(1 - x). Near p = 1/2 every formula is 0 over 0: between the lims Taylor series stand for them.
"""

import math
import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions._odds import Odds
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs
from karat.nn.functional import binary_cross_entropy_with_logits

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Odds, ExponentialFamily):
    """The continuous Bernoulli distribution (Loaiza-Ganem and Cunningham, 2019)."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._take(probs, logits)
        if probs is not None:
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(ContinuousBernoulli, _instance)
        new._lims = self._lims
        return self._expand_from(ContinuousBernoulli, batch_shape, new, probs=0, logits=0, _param=0)

    def _outside_unstable_region(self):
        return karat.max(karat.le(self.probs, self._lims[0]), karat.gt(self.probs, self._lims[1]))

    def _cut_probs(self):
        """The probabilities, and a limit where they are near one half: the other formula stands there."""
        return karat.where(self._outside_unstable_region(), self.probs, self._lims[0] * karat.ones_like(self.probs))

    def _cont_bern_log_norm(self):
        """log C = log(2 atanh(1 - 2 p) / (1 - 2 p))."""
        cut = self._cut_probs()
        below = karat.where(karat.le(cut, 0.5), cut, karat.zeros_like(cut))
        above = karat.where(karat.ge(cut, 0.5), cut, karat.ones_like(cut))
        log_norm = karat.log(karat.abs(karat.log1p(-cut) - karat.log(cut))) - karat.where(
            karat.le(cut, 0.5), karat.log1p(-2.0 * below), karat.log(2.0 * above - 1.0))
        x = karat.pow(self.probs - 0.5, 2)
        return karat.where(self._outside_unstable_region(), log_norm, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self):
        cut = self._cut_probs()
        mean = cut / (2.0 * cut - 1.0) + 1.0 / (karat.log1p(-cut) - karat.log(cut))
        x = self.probs - 0.5
        return karat.where(self._outside_unstable_region(), mean, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * karat.pow(x, 2)) * x)

    @property
    def stddev(self):
        return karat.sqrt(self.variance)

    @property
    def variance(self):
        cut = self._cut_probs()
        variance = cut * (cut - 1.0) / karat.pow(1.0 - 2.0 * cut, 2) + 1.0 / karat.pow(karat.log1p(-cut) - karat.log(cut), 2)
        x = karat.pow(self.probs - 0.5, 2)
        return karat.where(self._outside_unstable_region(), variance, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    @lazy_property
    def probs(self):
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(karat.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut_probs()
        cdf = (karat.pow(cut, value) * karat.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inside = karat.where(self._outside_unstable_region(), cdf, value)
        return karat.where(karat.le(value, 0.0), karat.zeros_like(value),
                           karat.where(karat.ge(value, 1.0), karat.ones_like(value), inside))

    def icdf(self, value):
        cut = self._cut_probs()
        return karat.where(self._outside_unstable_region(),
                           (karat.log1p(-cut + value * (2.0 * cut - 1.0)) - karat.log1p(-cut))
                           / (karat.log(cut) - karat.log1p(-cut)), value)

    def entropy(self):
        log_rest = karat.log1p(-self.probs)
        return self.mean * (log_rest - karat.log(self.probs)) - self._cont_bern_log_norm() - log_rest

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        """log((e^x - 1) / x), about x = 0 its series."""
        outside = karat.max(karat.le(x, self._lims[0] - 0.5), karat.gt(x, self._lims[1] - 0.5))
        cut = karat.where(outside, x, (self._lims[0] - 0.5) * karat.ones_like(x))
        log_norm = karat.log(karat.abs(karat.special.expm1(cut))) - karat.log(karat.abs(cut))
        return karat.where(outside, log_norm, 0.5 * x + karat.pow(x, 2) / 24.0 - karat.pow(x, 4) / 2880.0)
