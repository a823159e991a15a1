"""karat.distributions.exp_family: exponential families, whose entropy follows from the log normalizer."""

import karat
from karat.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """p(x; theta) = exp(<t(x), theta> - F(theta) + k(x)): natural parameters theta, log normalizer F, carrier measure k."""

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        """F - <theta, E[t]> - E[k]. E[t] is the gradient of F, so that <theta, E[t]> is the slope of F(s theta) at s = 1."""
        carrier = self._mean_carrier_measure
        natural = [theta.detach() for theta in self._natural_params]
        batch = len(self._batch_shape)
        with karat.enable_grad():
            s = karat.ones(self._batch_shape, dtype=natural[0].dtype, device=natural[0].device, requires_grad=True)
            normalizer = self._log_normalizer(*(theta * s.view(s.shape + (1,) * (theta.dim() - batch)) for theta in natural))
            (slope,) = karat.autograd.grad(normalizer.sum(), s, create_graph=True)
        return normalizer - slope - carrier
