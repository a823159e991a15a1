"""SparseAdam: named, and refused."""

from .optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients, which karat has not."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        raise NotImplementedError("karat has no sparse tensors, and so no torch.optim.SparseAdam; torch.optim.Adam takes dense "
                                  "gradients")
