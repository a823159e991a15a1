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
        """F - <theta, grad F> - E[k]: the gradient of F is the mean of t."""
        result = -self._mean_carrier_measure
        natural = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        gradients = karat.autograd.grad(normalizer.sum(), natural, create_graph=True)
        result = result + normalizer
        for parameter, gradient in zip(natural, gradients):
            result = result - (parameter * gradient).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
