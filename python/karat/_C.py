"""karat._C: the few names of PyTorch's inner module that user code asks for."""

from . import _karat, _missing
from ._karat import Generator, _disabled_torch_function_impl  # noqa: F401


class DisableTorchFunctionSubclass:
    """Within the scope nobody's __torch_function__ is asked."""

    def __enter__(self):
        _karat.override_off()

    def __exit__(self, *error):
        _karat.override_on()


DisableTorchFunction = DisableTorchFunctionSubclass

__getattr__ = _missing.of(__name__)
