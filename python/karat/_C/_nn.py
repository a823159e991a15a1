"""karat._C._nn: the functions of torch.nn.functional that are the engine's own, and what reads the arguments of Module.to."""

from .. import _karat, _missing

globals().update(_karat.nn_functions)
_parse_to = _karat.parse_to

__getattr__ = _missing.of(__name__)
