"""karat.distributions.relaxed_bernoulli: a Bernoulli variable relaxed to (0, 1)."""

from operator import attrgetter

from karat import Size
from karat.distributions import constraints
from karat.distributions._families import Odds
from karat.distributions.distribution import Distribution, checked, family
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import SigmoidTransform
from karat.distributions.utils import probs_to_logits
from karat.nn.functional import logsigmoid

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


@family("_param", carried=("temperature",))
class LogitRelaxedBernoulli(Odds, Distribution):
    """The logit of a RelaxedBernoulli variable: a logistic one of the logits, over the temperature."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(self._hold_odds(probs, logits), validate_args=validate_args)

    def rsample(self, sample_shape=Size()):
        logistic = probs_to_logits(self._uniforms(sample_shape, self.probs), is_binary=True)
        return (logistic + probs_to_logits(self.probs, is_binary=True)) / self.temperature

    @checked
    def log_prob(self, value):
        """The density of the logistic distribution, which is e^x sigmoid(-x)^2, times the temperature."""
        x = self.logits - value * self.temperature
        return x + 2 * logsigmoid(-x) + self.temperature.log()


@family()
class RelaxedBernoulli(TransformedDistribution):
    """A Bernoulli variable relaxed to (0, 1): sharper as the temperature falls; reparameterized."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    temperature, logits, probs = (property(attrgetter(f"base_dist.{name}")) for name in ("temperature", "logits", "probs"))

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)
