"""karat.utils.dlpack: tensors to and from other libraries without a copy."""

from enum import IntEnum

from .. import _missing
from .._karat import device as _device
from .._karat import dlpack_type as _dlpack_type
from .._karat import from_dlpack as _take
from .._karat import to_dlpack  # noqa: F401


class DLDeviceType(IntEnum):
    """The kinds of devices, as DLPack's header numbers them."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor sharing the memory of an object with __dlpack__, or of a capsule; copy=True copies, device= moves."""
    asked = {} if copy is None else {"copy": copy}
    if device is not None:
        if not isinstance(device, (str, _device)):
            raise AssertionError(f"from_dlpack: unsupported device type: {type(device)}")
        asked["dl_device"] = _dlpack_type(device)
    if asked and not hasattr(ext_tensor, "__dlpack__"):
        raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
    return _take(ext_tensor, **asked)


__getattr__ = _missing.of(__name__)
