"""karat._tensor: the names of PyTorch's private module that programs import."""

from . import _missing
from ._karat import Tensor  # noqa: F401
from .serialization import _rebuild_from_type_v2  # noqa: F401

__getattr__ = _missing.of(__name__)
