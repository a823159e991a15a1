"""_location_scale.py - distributions of loc + scale * Z: what one says of the standard variable Z, the others follow from.

A class gives _standard(sample_shape), which draws Z; _log_shape(y), the log density of Z at -y but for a constant, which is
-_log_norm (a number or a property; None: it is 0); _standard_cdf and _standard_icdf where they are known; _deviation and
_entropy of Z.
"""

from karat import Size
from karat.distributions import constraints


class LocationScale:
    """loc + scale * Z of a standard variable Z, whose mode is 0."""

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
