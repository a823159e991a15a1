"""karat.nn: functional, utils, and the ways of attention."""

from .. import _missing
from . import attention, functional, utils  # noqa: F401

__getattr__ = _missing.of(__name__)
