"""karat._C._linalg: the functions of torch.linalg by the names in PyTorch's messages, where pickles find them."""

from .. import _karat, _missing

globals().update({function.__name__: function for function in _karat.linalg_functions.values()})

__getattr__ = _missing.of(__name__)
