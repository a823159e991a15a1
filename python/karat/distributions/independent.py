"""karat.distributions.independent: dims of the batch taken as dims of the event."""

from operator import attrgetter

from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import Distribution, family
from karat.distributions.utils import summed_over_last

__all__ = ["Independent"]


@family("base_dist", carried=("reinterpreted_batch_ndims",))
class Independent(Distribution):
    """A distribution whose last reinterpreted_batch_ndims dims of the batch are one event: log_prob is summed over them."""

    arg_constraints = {}

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        batch, taken = base_distribution.batch_shape, reinterpreted_batch_ndims
        kept = len(batch) - taken
        if kept < 0:
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                             f"actual {taken} vs {len(batch)}")
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, taken
        super().__init__(batch[:kept], batch[kept:] + base_distribution.event_shape, validate_args=validate_args)

    def __class_getitem__(cls, item):
        return cls

    has_rsample, mean, mode, variance = (
        property(attrgetter(f"base_dist.{name}")) for name in ("has_rsample", "mean", "mode", "variance"))

    @property
    def has_enumerate_support(self):
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        inner, taken = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(inner, taken) if taken else inner

    def sample(self, sample_shape=Size()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=Size()):
        return self.base_dist.rsample(sample_shape)

    def _joined(self, terms):
        return summed_over_last(terms, self.reinterpreted_batch_ndims)

    def log_prob(self, value):
        return self._joined(self.base_dist.log_prob(value))

    def entropy(self):
        return self._joined(self.base_dist.entropy())

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims <= 0:
            return self.base_dist.enumerate_support(expand=expand)
        raise NotImplementedError("Enumeration over cartesian product is not implemented")

    def __repr__(self):
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
