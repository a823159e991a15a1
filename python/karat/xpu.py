"""karat.xpu: Intel's devices; there is none here."""

from . import _missing
from ._no_device import device_count, is_available, is_initialized  # noqa: F401

__getattr__ = _missing.of(__name__)
