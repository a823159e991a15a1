"""karat.cuda: CUDA devices. Without one there is nothing to do, or the function says so."""

from .. import _device, _missing
from .._karat import AcceleratorError, OutOfMemoryError, Tensor  # noqa: F401
from ..legacy import CUDA_NAMES as _legacy
from ._unmeasured import (  # noqa: F401
    can_device_access_peer,
    clock_rate,
    device_memory_used,
    get_gencode_flags,
    host_memory_stats,
    host_memory_stats_as_nested_dict,
    list_gpu_processes,
    memory_snapshot,
    memory_usage,
    power_draw,
    reset_accumulated_host_memory_stats,
    reset_peak_host_memory_stats,
    temperature,
)

_module = _device.of("cuda")
globals().update(_device.names("cuda"))
globals().update(_legacy)
has_half, has_magma = True, False


class CudaError(RuntimeError):
    """An error of CUDA's runtime, by its number. Karat's own say what failed, and are AcceleratorErrors."""

    def __init__(self, code):
        super().__init__(f"CUDA error ({code})")


class DeferredCudaCallError(Exception):
    """A call that waited for the first use of a device failed. Nothing waits for it here."""


def is_bf16_supported(including_emulation=True):
    """Does the device compute in bfloat16? Every one does that Karat has."""
    return _module.is_available()


def is_tf32_supported():
    """Do matrix products have TF32? From capability 8.0 on."""
    return _module.is_available() and _module.get_device_capability()[0] >= 8


def get_arch_list():
    """The architectures of the devices here."""
    return sorted({_module.get_device_properties(index).gcnArchName for index in range(_module.device_count())})


def utilization(device=None):
    """The part of time in which the device works: not measured."""
    _module._needed()
    raise NotImplementedError("karat does not measure the utilization of devices")


def _to_cuda(self, device=None, non_blocking=False, memory_format=None):
    """A copy on a CUDA device; itself where it is there."""
    return self.to(_module._device(device), non_blocking=non_blocking, memory_format=memory_format)


Tensor.cuda = _to_cuda
Tensor.cuda.__name__, Tensor.cuda.__qualname__, Tensor.cuda.__module__ = "cuda", "Tensor.cuda", "karat"

__getattr__ = _device.lazily(_module, _missing.of(__name__, lazy="""amp comm gds graphs green_contexts jiterator memory nccl
    nvtx profiler random sparse streams tunable""".split()))
