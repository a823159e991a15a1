"""karat.utils.dlpack: tensors to and from other libraries without a copy."""

from .. import _missing
from .._karat import from_dlpack as _take
from .._karat import to_dlpack  # noqa: F401


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor sharing the memory of an object with __dlpack__, or of a capsule; copy=True copies."""
    t = _take(ext_tensor)
    if device is not None:
        t = t.to(device)
    return t.clone() if copy else t


__getattr__ = _missing.of(__name__)
