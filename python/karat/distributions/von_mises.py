"""karat.distributions.von_mises: a distribution over angles."""

import math

import karat
from karat import Size
from karat.distributions import constraints
from karat.distributions.distribution import Distribution, checked
from karat.distributions.utils import lazy_property

__all__ = ["VonMises"]


class VonMises(Distribution):
    """The von Mises distribution of angles around loc, in radians: density exp(concentration cos(x - loc)) / (2 pi I0)."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        super().__init__(self._hold(("loc", "concentration"), loc, concentration), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        spread = (getattr(self, name).expand(batch_shape) for name in ("loc", "concentration"))
        return type(self)(*spread, validate_args=vars(self).get("_validate_args"))

    mean = mode = property(lambda self: self.loc)  # the circular mean

    @lazy_property
    def variance(self):
        """The circular variance: 1 - I1 / I0."""
        i0, i1 = karat.special.i0e(self.concentration), karat.special.i1e(self.concentration)
        return 1 - i1 / i0

    @checked
    def log_prob(self, value):
        """By i0e(c) = exp(-c) I0(c), which does not overflow."""
        norm = (2 * math.pi * karat.special.i0e(self.concentration)).log()
        return self.concentration * ((value - self.loc).cos() - 1) - norm

    @lazy_property
    def _proposal_r(self):
        """The parameter of the wrapped Cauchy proposal, of D. J. Best and N. I. Fisher (Applied Statistics 28, 1979)."""
        kappa = self.concentration.double()
        tau = 1 + (1 + 4 * kappa * kappa).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return karat.where(kappa < 1e-5, 1 / kappa + kappa, (1 / rho + rho) / 2)  # small ones by the series

    @karat.no_grad()
    def sample(self, sample_shape=Size()):
        """Angles from the proposal, until each is accepted; in double precision."""
        shape = self._extended_shape(sample_shape)
        kappa, r = self.concentration.double().expand(shape), self._proposal_r.expand(shape)
        angle = karat.zeros(shape, dtype=kappa.dtype, device=kappa.device)
        done = karat.zeros(shape, dtype=karat.bool, device=kappa.device)
        while not done.all():
            turn, level, side = karat.rand((3, *shape), dtype=kappa.dtype, device=kappa.device)
            z = (math.pi * turn).cos()
            cosine = (1 + r * z) / (r + z)
            c = kappa * (r - cosine)
            accepted = (level < c * (2 - c)) | ((c / level).log() >= c - 1)
            angle = karat.where(accepted, karat.copysign(cosine.acos(), side - 0.5), angle)
            done = done | accepted
        turned = angle + self.loc.double() + math.pi
        return (turned.remainder(2 * math.pi) - math.pi).to(self.loc.dtype)
