"""karat.fx: importable; programs are not traced."""

from . import _refused
from .nn.modules.module import Module as _Module


def wrap(fn_or_name):
    """The function itself: marks a leaf for tracing, and nothing is traced."""
    return fn_or_name


class GraphModule(_Module):
    """A module that programs derive from; refused when it is made: there are no graphs."""

    def __init__(self, root=None, graph=None, class_name="GraphModule"):
        raise NotImplementedError("torch.fx.GraphModule: programs are run as they are written, not traced into graphs")


__path__ = []  # a package: what lies below is refused
__getattr__ = _refused.names_of(__name__)
