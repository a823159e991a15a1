"""karat.utils: so far deterministic and dlpack."""

from .. import _missing
from . import deterministic, dlpack  # noqa: F401

__getattr__ = _missing.of(__name__)
