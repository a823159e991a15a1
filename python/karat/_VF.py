"""karat._VF: PyTorch's other name for the functions of torch itself, which its recurrent modules call."""

from . import _karat, _missing

globals().update(_missing.functions_of(_karat.functions))

__getattr__ = _missing.of(__name__)
