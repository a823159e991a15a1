"""karat.nn: only functional so far."""

from .. import _missing
from . import functional  # noqa: F401

__getattr__ = _missing.of(__name__)
