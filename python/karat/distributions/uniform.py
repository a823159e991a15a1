"""karat.distributions.uniform: the uniform distribution."""

from karat import Size, nan
from karat.distributions import constraints
from karat.distributions.distribution import Distribution, checked, family

__all__ = ["Uniform"]


@family("low", "high")
class Uniform(Distribution):
    """The uniform distribution over [low, high)."""

    has_rsample = True

    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def __init__(self, low, high, validate_args=None):
        super().__init__(self._hold(("low", "high"), low, high), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    _width = property(lambda self: self.high - self.low)
    mean = property(lambda self: (self.low + self.high) / 2)
    mode = property(lambda self: nan * self.high)
    stddev = property(lambda self: self._width / 12**0.5)
    variance = property(lambda self: self._width.square() / 12)

    def rsample(self, sample_shape=Size()):
        return self.low + self._uniforms(sample_shape, self.low) * (self.high - self.low)

    @checked
    def log_prob(self, value):
        inside = (self.low <= value) & (value < self.high)
        return inside.to(self.low.dtype).log() - self._width.log()

    @checked
    def cdf(self, value):
        return ((value - self.low) / self._width).clamp(min=0, max=1)

    def icdf(self, value):
        return self.low + value * self._width

    def entropy(self):
        return self._width.log()
