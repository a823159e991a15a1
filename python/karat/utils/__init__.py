"""karat.utils: checkpoint, deterministic and dlpack so far."""

from .. import _missing
from . import deterministic, dlpack  # noqa: F401

__getattr__ = _missing.of(__name__, lazy=("checkpoint",))
