"""karat.linalg: the rows of the operator table whose names begin with linalg_."""

from . import _karat, _missing
from ._karat import _LinAlgError as LinAlgError  # noqa: F401

globals().update(_missing.functions_in("linalg", _karat.functions, _karat.linalg_functions))

__getattr__ = _missing.of(__name__)
