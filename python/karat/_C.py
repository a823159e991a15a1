"""karat._C: the few names of PyTorch's inner module that user code asks for."""

from . import _karat, _missing
from ._karat import (  # noqa: F401
    Generator,
    OutOfMemoryError,
    Size,
    Tensor,
    _disabled_torch_function_impl,
    default_generator,
    device,
    dtype,
    is_grad_enabled,
    layout,
    memory_format,
)
from ._karat import set_grad as _set_grad_enabled  # noqa: F401

TensorBase = _TensorBase = Tensor
_GLIBCXX_USE_CXX11_ABI = True  # there is no C++ here that could have another


def _log_api_usage_once(event):
    """Nothing is logged."""


def _get_tracing_state():
    """None: nothing is traced."""


def _is_torch_function_enabled():
    """Are classes asked for their __torch_function__ on this thread?"""
    return _karat.override_enabled()


def _cuda_getDeviceCount():
    """How many CUDA devices there are."""
    return 0


def _get_privateuse1_backend_name():
    """The name of the kind of device that nobody has given another."""
    return "privateuseone"


class DisableTorchFunctionSubclass:
    """Within the scope nobody's __torch_function__ is asked."""

    def __enter__(self):
        _karat.override_off()

    def __exit__(self, *error):
        _karat.override_on()


DisableTorchFunction = DisableTorchFunctionSubclass

__getattr__ = _missing.of(__name__)
