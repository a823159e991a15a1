"""karat.distributions.mixture_same_family: a mixture of distributions of one family."""

from operator import attrgetter

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.categorical import Categorical
from karat.distributions.constraints import MixtureSameFamilyConstraint
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.utils import broadcastable

__all__ = ["MixtureSameFamily"]


@family("_component_distribution", "_mixture_distribution", carried=("_num_component", "_event_ndims"))
class MixtureSameFamily(Distribution):
    """A mixture: the components are along the last dim of component_distribution's batch, a Categorical selects among them."""

    arg_constraints = {}
    has_rsample = False

    mixture_distribution = property(attrgetter("_mixture_distribution"))
    component_distribution = property(attrgetter("_component_distribution"))

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        mixed, components = mixture_distribution.batch_shape, component_distribution.batch_shape
        batch, count = components[:-1], components[-1]
        if not broadcastable(mixed, batch):
            raise ValueError(f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                             f"`component_distribution.batch_shape`({batch})")
        weights = mixture_distribution.logits.shape[-1]
        if weights != count:
            raise ValueError(f"`mixture_distribution component` ({weights}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({count})")
        self._num_component, self._event_ndims = count, len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self):
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    def _pad(self, x):
        """x with a dim for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _mixed(self, of_components):
        """The mean of what is said of the components, along their dim."""
        weights = self._mixture_distribution.probs
        weights = weights.view(weights.shape + (1,) * self._event_ndims)
        return (weights * of_components).sum(-1 - self._event_ndims)

    @property
    def mean(self):
        return self._mixed(self._component_distribution.mean)

    @property
    def variance(self):
        """The mean of the components' variances and squared distances from the mean."""
        away = self._component_distribution.mean - self._pad(self.mean)
        return self._mixed(self._component_distribution.variance + away * away)

    def cdf(self, x):
        return (self._component_distribution.cdf(self._pad(x)) * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        log_share = self._mixture_distribution.logits.log_softmax(-1)
        return (self._component_distribution.log_prob(self._pad(x)) + log_share).logsumexp(-1)

    def sample(self, sample_shape=Size()):
        """A choice for each of the batch, and samples of all components, of which it is taken."""
        with karat.no_grad():
            mixture, batch = self._mixture_distribution, self._batch_shape
            choice = (mixture if mixture.batch_shape == batch else mixture.expand(batch)).sample(sample_shape)
            samples = self._component_distribution.sample(sample_shape)
            dim = samples.dim() - 1 - self._event_ndims
            choice = choice.reshape(choice.shape + (1,) * (samples.dim() - choice.dim()))
            return samples.gather(dim, choice.expand(samples.shape[:dim] + (1,) + self._event_shape)).squeeze(dim)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
