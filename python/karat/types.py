"""karat.types: names for annotations."""

from builtins import bool as _bool  # noqa: F401
from builtins import complex as _complex  # noqa: F401
from builtins import float as _float  # noqa: F401
from builtins import int as _int  # noqa: F401
from os import PathLike as _PathLike
from typing import IO as _IO
from typing import Union

from . import _missing
from ._karat import Size, Tensor  # noqa: F401
from ._karat import device as _device
from ._karat import dtype as _dtype  # noqa: F401
from ._karat import layout as _layout  # noqa: F401

Number = Union[int, float, bool]
Device = Union[_device, str, int, None]
FileLike = Union[str, _PathLike[str], _IO[bytes]]
_size = Union[Size, list[int], tuple[int, ...]]


class Storage:
    """What storages have in common, for annotations."""

    _cdata: int
    device: _device
    dtype: _dtype


__getattr__ = _missing.of(__name__)
