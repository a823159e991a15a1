"""The old name of torch.autocast("cpu")."""

import warnings

from ... import _karat
from ...amp import autocast as _autocast

__all__ = ["autocast"]


class autocast(_autocast):
    """torch.autocast("cpu", ...) by its old name."""

    def __init__(self, enabled=True, dtype=_karat.dtypes["bfloat16"], cache_enabled=True):
        warnings.warn("`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
                      FutureWarning, stacklevel=2)
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)
