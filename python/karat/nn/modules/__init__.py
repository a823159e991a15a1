"""karat.nn.modules: the layers, by file as in PyTorch."""

from .container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential  # noqa: F401
from .module import Module  # noqa: F401
