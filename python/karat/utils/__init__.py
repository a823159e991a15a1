"""karat.utils: checkpoint, data, deterministic, dlpack, hooks."""

from .. import _missing
from . import deterministic, dlpack  # noqa: F401

__getattr__ = _missing.of(__name__, lazy=("checkpoint", "data", "hooks"))
