"""karat.nn: functional, and the ways of attention."""

from .. import _missing
from . import attention, functional  # noqa: F401

__getattr__ = _missing.of(__name__)
