"""karat.linalg: the rows of the operator table whose names begin with linalg_."""

from . import _karat, _missing

globals().update({name: _karat.functions[name] for name in ("diagonal", "matmul") if name in _karat.functions})
globals().update(_karat.linalg_functions)

__getattr__ = _missing.of(__name__)
