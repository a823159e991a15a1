"""karat._functorch: PyTorch's own parts of torch.func. Those of vmap that libraries replace are there; the others are refused."""

from .. import _refused

__getattr__ = _refused.names_of(__name__)
