"""The old names of torch.autocast("cuda") and of what goes with it."""

import warnings

from ... import _karat
from ...amp import autocast as _autocast
from ...amp import custom_bwd as _custom_bwd
from ...amp import custom_fwd as _custom_fwd

__all__ = ["autocast", "custom_fwd", "custom_bwd"]


class autocast(_autocast):
    """torch.autocast("cuda", ...) by its old name."""

    def __init__(self, enabled=True, dtype=_karat.dtypes["float16"], cache_enabled=True):
        warnings.warn("`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` "
                      "instead.", FutureWarning, stacklevel=2)
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


def custom_fwd(fwd=None, **kwargs):
    """torch.amp.custom_fwd(..., device_type="cuda") by its old name."""
    warnings.warn("`torch.cuda.amp.custom_fwd(args...)` is deprecated. Please use `torch.amp.custom_fwd(args..., "
                  "device_type='cuda')` instead.", FutureWarning, stacklevel=2)
    return _custom_fwd(fwd, device_type="cuda", **kwargs)


def custom_bwd(bwd=None):
    """torch.amp.custom_bwd(..., device_type="cuda") by its old name."""
    warnings.warn("`torch.cuda.amp.custom_bwd(args...)` is deprecated. Please use `torch.amp.custom_bwd(args..., "
                  "device_type='cuda')` instead.", FutureWarning, stacklevel=2)
    return _custom_bwd(bwd, device_type="cuda")
