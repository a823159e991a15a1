"""karat.return_types: the named tuples of functions with several results."""

from . import _karat, _missing

globals().update(_karat.return_types)

__getattr__ = _missing.of(__name__)
