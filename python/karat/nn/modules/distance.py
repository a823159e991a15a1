"""karat.nn.modules.distance: distances and similarities between vectors."""

from .. import functional as F
from ._declared import keep
from .module import Module

__all__ = ["PairwiseDistance", "CosineSimilarity"]


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps over the last dim."""

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        keep(self, {"norm": p, "eps": eps, "keepdim": keepdim})

    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along dim."""

    __constants__ = ["dim", "eps"]

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        keep(self, locals())

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
