"""karat._C._fft: the functions of torch.fft by the names in PyTorch's messages, where pickles find them."""

from .. import _karat, _missing

globals().update({function.__name__: function for function in _karat.fft_functions.values()})

__getattr__ = _missing.of(__name__)
