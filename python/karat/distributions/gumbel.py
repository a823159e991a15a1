"""karat.distributions.gumbel: the Gumbel distribution."""

import math

import karat
from karat import Size
from karat.distributions._families import LocationScale
from karat.distributions.distribution import family
from karat.distributions.transformed_distribution import TransformedDistribution
from karat.distributions.transforms import AffineTransform, ExpTransform
from karat.distributions.uniform import Uniform
from karat.distributions.utils import euler_constant

__all__ = ["Gumbel"]


def _standard_icdf(share):
    return -(-share.log()).log()


@family()
class Gumbel(LocationScale, TransformedDistribution):
    """The Gumbel distribution of maxima: loc - scale * log(-log(U)) of a uniform U."""

    _deviation = math.pi / math.sqrt(6)
    _entropy = 1 + euler_constant

    def __init__(self, loc, scale, validate_args=None):
        self._hold(("loc", "scale"), loc, scale)
        finfo = karat.finfo(self.loc.dtype)
        base = Uniform(karat.full_like(self.loc, finfo.tiny), karat.full_like(self.loc, 1 - finfo.eps),
                       validate_args=validate_args)
        log = ExpTransform().inv
        turned = [AffineTransform(loc=0, scale=-karat.ones_like(self.scale)), log, AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(base, [log, *turned], validate_args=validate_args)

    def sample(self, sample_shape=Size()):
        with karat.no_grad():
            return self._moved(sample_shape)

    @property
    def mean(self):
        return self.loc + self.scale * euler_constant

    def _standard(self, sample_shape):
        return self._standard_icdf(self.base_dist.rsample(sample_shape))

    def _log_shape(self, y):
        return y - y.exp()

    def _standard_cdf(self, z):
        return (-(-z).exp()).exp()

    _standard_icdf = staticmethod(_standard_icdf)
