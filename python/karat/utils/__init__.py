"""karat.utils: so far dlpack alone."""

from .. import _missing
from . import dlpack  # noqa: F401

__getattr__ = _missing.of(__name__)
