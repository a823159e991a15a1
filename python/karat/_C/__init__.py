"""karat._C: the few names of PyTorch's internal module that user code uses."""

from .. import _karat, _missing
from .._karat import (  # noqa: F401
    AcceleratorError,
    Generator,
    OutOfMemoryError,
    Size,
    Tensor,
    _disabled_torch_function_impl,
    _LinAlgError,
    default_generator,
    device,
    dtype,
    is_grad_enabled,
    layout,
    memory_format,
)
from .._karat import set_grad as _set_grad_enabled  # noqa: F401

TensorBase = _TensorBase = Tensor
_TensorMeta = type(Tensor)
_GLIBCXX_USE_CXX11_ABI = True  # there is no C++ ABI to choose
# What this build was compiled with; karat.backends says the same.
_has_mkldnn = has_openmp = has_lapack = True
_has_cuda = _has_cudnn = _has_cusparselt = _has_magma = _has_eigen_sparse = _has_kleidiai = _has_mkldnn_acl = False
_has_mps = _has_xpu = has_mkl = has_spectral = False


def _log_api_usage_once(event):
    """Nothing is logged."""


def _infer_size(one, other):
    """The size that two sizes are broadcast to."""
    empty, add = _karat.functions["empty"], _karat.functions["add"]
    return add(empty(one, device="meta"), empty(other, device="meta")).shape


def _is_alias_of(one, other):
    """Have the two tensors one memory?"""
    return one._storage()[0] == other._storage()[0] and one._storage()[1] > 0


def _get_tracing_state():
    """None: nothing is traced."""


def _is_torch_function_enabled():
    """Is __torch_function__ enabled on this thread?"""
    return _karat.override_enabled()


def _is_torch_function_mode_enabled():
    """False: there is no mode that sees every call."""
    return False


def _are_functorch_transforms_active():
    """Is this inside of a function of torch.func.vmap?"""
    return _karat.batch_depth() > 0


def _get_default_device():
    """The name of the device that factory functions use."""
    return str(_karat.get_default_device())


def _is_alias_of(a, b):
    """Do the tensors share a storage?"""
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def _cuda_clearCublasWorkspaces():
    """Nothing: workspaces belong to Karat."""


def _cuda_getDeviceCount():
    """The number of CUDA devices."""
    return 0


def _get_privateuse1_backend_name():
    """The name of the private device kind, which was never renamed."""
    return "privateuseone"


class DisableTorchFunctionSubclass:
    """A scope in which __torch_function__ is disabled."""

    def __enter__(self):
        _karat.override_off()

    def __exit__(self, *error):
        _karat.override_on()


DisableTorchFunction = DisableTorchFunctionSubclass


class _AutoDispatchBelowAutograd:
    """A scope in which nothing is recorded, and kernels of torch.library for the key Autograd are skipped."""

    def __enter__(self):
        self._mode = _karat.open_below()
        _karat.set_grad(False)

    def __exit__(self, *error):
        _karat.close_below(self._mode)

class _FunctionsOfTorch(type):
    def __getattr__(cls, name):
        from .. import _missing as missing

        if name in missing.names_of(""):
            import karat

            return getattr(karat, name)
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")


class _VariableFunctionsClass(metaclass=_FunctionsOfTorch):
    """What has the functions of torch in pickles of PyTorch: getattr(_VariableFunctionsClass, "relu")."""


_VariableFunctions = _VariableFunctionsClass

__getattr__ = _missing.of(__name__, lazy="_distributed_c10d _fft _functorch _linalg _nn _profiler _special".split())
