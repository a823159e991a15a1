"""karat.mps: Apple's devices; there is none here."""

from . import _missing
from ._no_device import device_count, is_available  # noqa: F401

__getattr__ = _missing.of(__name__)
