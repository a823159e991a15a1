"""karat.utils.dlpack: tensors to and from other libraries without a copy."""

from .. import _missing
from .._karat import device as _device
from .._karat import dlpack_type as _dlpack_type
from .._karat import from_dlpack as _take
from .._karat import to_dlpack  # noqa: F401


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
