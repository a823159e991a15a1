"""karat.distributions.transformed_distribution: a distribution seen through transforms."""

import itertools

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import Distribution
from karat.distributions.independent import Independent
from karat.distributions.transforms import ComposeTransform, Transform, _event_dims, _log_slope_along, _widened
from karat.distributions.utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


def _list_of(transforms):
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(t, Transform) for t in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms


def _expanded(distribution, shape):
    """The distribution with the batch of a shape whose last dims are its events'."""
    return distribution.expand(shape[:len(shape) - len(distribution.event_shape)])


class TransformedDistribution(Distribution):
    """t(X) of X ~ base_distribution, for one transform or a list of them, applied in order."""

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = _list_of(transforms)
        chain, dims = ComposeTransform(self.transforms), _event_dims(self.transforms)
        base, base_shape = base_distribution, base_distribution.batch_shape + base_distribution.event_shape
        if len(base_shape) < dims[0]:
            raise ValueError(f"base_distribution needs to have shape with size at least {dims[0]}, but got {base_shape}.")
        shape = chain.forward_shape(base_shape)
        broadcast_base_shape = chain.inverse_shape(shape)
        if broadcast_base_shape != base_shape:
            base = _expanded(base, broadcast_base_shape)
        missing = dims[0] - len(base.event_shape)
        self.base_dist = Independent(base, missing) if missing > 0 else base
        batch = len(shape) - (len(self.base_dist.event_shape) + dims[-1] - dims[0])
        super().__init__(shape[:batch], shape[batch:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(TransformedDistribution, _instance)
        shape = Size(batch_shape) + self.event_shape
        new.transforms = self.transforms
        new.base_dist = _expanded(self.base_dist, ComposeTransform(self.transforms).inverse_shape(shape))
        super(TransformedDistribution, new).__init__(Size(batch_shape), self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _path_to(self, value):
        """What of the base becomes value, what each transform makes of it, and value."""
        return [*itertools.accumulate(reversed(self.transforms), lambda y, t: t.inv(y), initial=value)][::-1]

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        last = self.transforms[-1].codomain if self.transforms else self.base_dist.support
        return _widened(last, len(self.event_shape))

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            return ComposeTransform(self.transforms)(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=Size()):
        return ComposeTransform(self.transforms)(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        path, dims = self._path_to(value), _event_dims(self.transforms)
        surplus = len(self.event_shape) - dims[-1]  # dims of the event that no transform asks for
        log_slope = _log_slope_along(self.transforms, path, [some + surplus for some in dims])
        base_dims = dims[0] + surplus - len(self.base_dist.event_shape)
        return _sum_rightmost(self.base_dist.log_prob(path[0]), base_dims) - log_slope

    def _monotonize_cdf(self, value):
        """1 - value where the transforms fall."""
        sign = ComposeTransform(self.transforms).sign
        return value if isinstance(sign, int) and sign == 1 else 0.5 + sign * (value - 0.5)

    def cdf(self, value):
        of_base = self._path_to(value)[0]
        if self._validate_args:
            self.base_dist._validate_sample(of_base)
        return self._monotonize_cdf(self.base_dist.cdf(of_base))

    def icdf(self, value):
        return ComposeTransform(self.transforms)(self.base_dist.icdf(self._monotonize_cdf(value)))
