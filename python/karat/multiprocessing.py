"""karat.multiprocessing: Python's own names, by which tensors are copied; PyTorch's, which share their memory, are refused."""

from multiprocessing import *  # noqa: F401, F403

from . import _refused

__path__ = []  # a package: what lies below is refused
spawn = _refused.in_module("karat.multiprocessing", "spawn")  # in PyTorch a function and a module
__getattr__ = _refused.names_of(__name__)
