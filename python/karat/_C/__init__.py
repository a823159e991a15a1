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
_has_mkldnn = has_openmp = has_lapack = has_spectral = True
_has_cuda = _has_cudnn = _has_cusparselt = _has_magma = _has_eigen_sparse = _has_kleidiai = _has_mkldnn_acl = False
_has_mps = _has_xpu = has_mkl = False


def _log_api_usage_once(event):
    """Nothing is logged."""


def _infer_size(one, other):
    """The size that two sizes are broadcast to."""
    empty, add = _karat.functions["empty"], _karat.functions["add"]
    return add(empty(one, device="meta"), empty(other, device="meta")).shape


def _current_graph_task_id():
    """The number of the run of backward that this thread is in; -1: none."""
    return _karat.task_number()


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


def _get_accelerator(check=None):
    """The accelerator's device; the CPU, where there is none."""
    return _karat.accelerator() or _karat.device("cpu")


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

# What PyTorch takes into torch from here.
_TOO_IN_TORCH = frozenset("""Event Stream Tag autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache finfo
    get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype
    get_default_dtype get_num_interop_threads get_num_threads iinfo is_anomaly_check_nan_enabled is_anomaly_enabled
    is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled is_autocast_ipu_enabled is_autocast_xla_enabled
    is_inference_mode_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype
    set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype
    set_autocast_xla_enabled set_flush_denormal set_num_interop_threads set_num_threads""".split())
_missing_here = _missing.of(__name__, lazy="""_distributed_autograd _distributed_c10d _distributed_rpc _fft _functorch
    _linalg _nn _profiler _special""".split())


def __getattr__(name):
    if name in _TOO_IN_TORCH:
        import karat

        return getattr(karat, name)
    return _missing_here(name)
