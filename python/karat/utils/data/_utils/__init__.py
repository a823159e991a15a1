"""Parts of the loader that programs import by PyTorch's names."""

from .... import _missing
from . import collate  # noqa: F401

__getattr__ = _missing.of(__name__, lazy=["worker"])
