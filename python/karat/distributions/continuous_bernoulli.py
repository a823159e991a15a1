"""karat.distributions.continuous_bernoulli: the continuous Bernoulli distribution over [0, 1].

Its density is C(p) p^x (1 - p)^(1 - x): an exponential function of x, of slope l = log(p / (1 - p)), over its integral
(e^l - 1) / l. Near p = 1/2, between the lims, every formula is 0 over 0; Taylor series stand for them there.
"""

import math

from karat import Size
from karat.distributions import constraints
from karat.distributions._families import Odds
from karat.distributions.distribution import checked, family
from karat.distributions.exp_family import ExponentialFamily
from karat.distributions.utils import clamp_probs, in_two_pieces, lazy_property, log_odds, logits_to_probs

__all__ = ["ContinuousBernoulli"]


@family("_param", carried=("_lims",))
class ContinuousBernoulli(Odds, ExponentialFamily):
    """The continuous Bernoulli distribution (Loaiza-Ganem and Cunningham, 2019)."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        shape = self._hold_odds(probs, logits)
        if probs is not None:
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(shape, validate_args=validate_args)

    @lazy_property
    def probs(self):
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _by_probs(self, formula, series):
        """formula(p), and between the lims series(p - 1/2)."""
        return in_two_pieces(self.probs, *self._lims, formula, series, 0.5)

    def _cont_bern_log_norm(self):
        """log C = log(l / (2 p - 1))."""
        return self._by_probs(lambda p: (log_odds(p) / (2 * p - 1)).log(),
                              lambda x: math.log(2) + x * x * (4 / 3 + x * x * (104 / 45)))

    @property
    def mean(self):
        return self._by_probs(lambda p: p / (2 * p - 1) - 1 / log_odds(p), lambda x: 0.5 + x * (1 / 3 + x * x * (16 / 45)))

    @property
    def variance(self):
        return self._by_probs(lambda p: log_odds(p).pow(-2) - p * (1 - p) / (2 * p - 1).square(),
                              lambda x: 1 / 12 - x * x * (1 / 15 - x * x * (128 / 945)))

    def rsample(self, sample_shape=Size()):
        return self.icdf(self._uniforms(sample_shape, self.probs))

    @checked
    def log_prob(self, value):
        return self._cont_bern_log_norm() - self._cross_entropy(value)

    @checked
    def cdf(self, value):
        share = self._by_probs(lambda p: (value * log_odds(p)).expm1() * ((1 - p) / (2 * p - 1)), lambda x: value)
        return share.masked_fill(value <= 0, 0).masked_fill(value >= 1, 1)

    def icdf(self, value):
        return self._by_probs(lambda p: (value * ((2 * p - 1) / (1 - p))).log1p() / log_odds(p), lambda x: value)

    def entropy(self):
        return -(log_odds(self.probs) * self.mean + (-self.probs).log1p() + self._cont_bern_log_norm())

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        """log((e^x - 1) / x)."""
        return in_two_pieces(x, self._lims[0] - 0.5, self._lims[1] - 0.5, lambda x: (x.expm1() / x).log(),
                             lambda x: 0.5 * x + x * x * (1 / 24 - x * x / 2880))
