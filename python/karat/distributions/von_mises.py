"""karat.distributions.von_mises: a distribution over angles."""

import math

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import Distribution
from karat.distributions.utils import broadcast_all, lazy_property

__all__ = ["VonMises"]


class VonMises(Distribution):
    """The von Mises distribution of angles around loc, in radians: density exp(concentration cos(x - loc)) / (2 pi I0)."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, Size(), validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        log_prob = self.concentration * karat.cos(value - self.loc)
        return log_prob - math.log(2 * math.pi) - (karat.special.i0e(self.concentration).log() + self.concentration)

    @lazy_property
    def _loc(self):
        return self.loc.to(karat.double)

    @lazy_property
    def _concentration(self):
        return self.concentration.to(karat.double)

    @lazy_property
    def _proposal_r(self):
        """The parameter of the wrapped Cauchy proposal, of D. J. Best and N. I. Fisher (Applied Statistics 28, 1979)."""
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return karat.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))  # small ones by the series

    @karat.no_grad()
    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        x = karat.empty(shape, dtype=self._loc.dtype, device=self.loc.device)
        r, kappa = self._proposal_r.expand(shape), self._concentration.expand(shape)
        done = karat.zeros(shape, dtype=karat.bool, device=self.loc.device)
        while not done.all():
            u1, u2, u3 = karat.rand((3,) + shape, dtype=self._loc.dtype, device=self._loc.device).unbind()
            z = karat.cos(math.pi * u1)
            f = (1 + r * z) / (r + z)
            c = kappa * (r - f)
            accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
            if accept.any():
                x = karat.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
        return ((x + math.pi + self._loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def expand(self, batch_shape, _instance=None):
        validate_args = self.__dict__.get("_validate_args")
        return type(self)(self.loc.expand(batch_shape), self.concentration.expand(batch_shape), validate_args=validate_args)

    @property
    def mean(self):
        """The circular mean."""
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        """The circular variance: 1 - I1 / I0."""
        return 1 - karat.special.i1e(self.concentration) / karat.special.i0e(self.concentration)
