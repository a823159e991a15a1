"""karat.distributions.transformed_distribution: a distribution seen through transforms."""

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import Distribution
from karat.distributions.independent import Independent
from karat.distributions.transforms import (ComposeTransform, Transform, _event_dims, _log_slope_along, _path_back, _shape_back,
                                            _sign_of_all, _through, _widened)
from karat.distributions.utils import summed_over_last

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
        dims_before, dims_after, _ = _event_dims(self.transforms)
        base, base_shape = base_distribution, base_distribution.batch_shape + base_distribution.event_shape
        if len(base_shape) < dims_before:
            raise ValueError(f"base_distribution needs to have shape with size at least {dims_before}, but got {base_shape}.")
        shape = ComposeTransform(self.transforms).forward_shape(base_shape)
        broadcast_base_shape = _shape_back(self.transforms, shape)
        if broadcast_base_shape != base_shape:
            base = _expanded(base, broadcast_base_shape)
        missing = dims_before - len(base.event_shape)
        self.base_dist = Independent(base, missing) if missing > 0 else base
        event_dim = len(self.base_dist.event_shape) + dims_after - dims_before
        batch = len(shape) - event_dim
        assert batch >= 0, f"forward_shape length {len(shape)} must be >= event_dim {event_dim}"
        super().__init__(shape[:batch], shape[batch:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(TransformedDistribution, _instance)
        shape = Size(batch_shape) + self.event_shape
        new.transforms = self.transforms
        new.base_dist = _expanded(self.base_dist, _shape_back(self.transforms, shape))
        super(TransformedDistribution, new).__init__(Size(batch_shape), self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        last = self.transforms[-1].codomain if self.transforms else self.base_dist.support
        return _widened(last, len(self.event_shape))

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            return _through(self.transforms, self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=Size()):
        return _through(self.transforms, self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        path = _path_back(self.transforms, value)
        before, after, spare_dims = _event_dims(self.transforms)
        surplus = len(self.event_shape) - after  # dims of the event that no transform asks for
        log_slope = _log_slope_along(self.transforms, path, [dims + surplus for dims in spare_dims])
        return summed_over_last(self.base_dist.log_prob(path[0]), before + surplus - len(self.base_dist.event_shape)) - log_slope

    def _monotonize_cdf(self, value):
        """1 - value where the transforms fall."""
        sign = _sign_of_all(self.transforms)
        return value if isinstance(sign, int) and sign == 1 else 0.5 + sign * (value - 0.5)

    def cdf(self, value):
        of_base = _path_back(self.transforms, value)[0]
        if self._validate_args:
            self.base_dist._validate_sample(of_base)
        return self._monotonize_cdf(self.base_dist.cdf(of_base))

    def icdf(self, value):
        return _through(self.transforms, self.base_dist.icdf(self._monotonize_cdf(value)))
