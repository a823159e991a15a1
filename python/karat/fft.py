"""karat.fft: the rows of the operator table whose names begin with fft_."""

from . import _karat, _missing

globals().update(_missing.functions_in("fft", _karat.functions, _karat.fft_functions))

__getattr__ = _missing.of(__name__)
