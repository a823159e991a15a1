"""karat.special: the rows of the operator table whose names begin with special_."""

from . import _karat, _missing

globals().update(_missing.functions_in("special", _karat.functions, _karat.special_functions))

__getattr__ = _missing.of(__name__)
