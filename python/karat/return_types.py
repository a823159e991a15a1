"""karat.return_types: the named tuples that functions of several results give."""

from . import _karat, _missing

globals().update(_karat.return_types)

__getattr__ = _missing.of(__name__)
