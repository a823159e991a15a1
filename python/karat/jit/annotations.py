"""karat.jit.annotations: types that stand in signatures; nothing reads them here."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401

from .. import _missing
from ..futures import Future  # noqa: F401


class _BroadcastingList:
    """BroadcastingList2[int]: a list of two, or one number for both. It annotates, and is None as in PyTorch."""

    def __getitem__(self, types):
        return None


BroadcastingList1, BroadcastingList2, BroadcastingList3 = (_BroadcastingList() for _ in range(3))

__getattr__ = _missing.of(__name__)
