"""faces.py - functions whose Python arguments differ from those of their row."""

from ._karat import functions as _rows
from ._karat import get_default_dtype


def scalar_tensor(s, *, dtype=None, **options):
    """A 0-dim tensor; of the default dtype unless dtype is given."""
    return _rows["scalar_tensor"](s, dtype=dtype or get_default_dtype(), **options)


def _fused_sdp_choice(*args, **options):
    """The way that scaled_dot_product_attention would go in PyTorch: a number of SDPBackend."""
    choice = _rows["_fused_sdp_choice"](*args, **options)
    return 0 if choice.device.type == "meta" else int(choice.item())
