"""faces.py - functions whose Python arguments differ from those of their row."""

from ._karat import functions as _rows
from ._karat import get_default_dtype


def scalar_tensor(s, *, dtype=None, **options):
    """A 0-dim tensor; of the default dtype unless dtype is given."""
    return _rows["scalar_tensor"](s, dtype=dtype or get_default_dtype(), **options)


def empty_strided(size, stride, *, requires_grad=False, **options):
    """A tensor of these sizes and strides, whose values are not set."""
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})")
    made = _rows["empty"]((0,), **options)
    elements = 0 if 0 in size else 1 + sum((n - 1) * step for n, step in zip(size, stride))
    made.data = _rows["empty"]((elements,), **options).as_strided(size, stride)
    return made.requires_grad_(requires_grad)


def _fused_sdp_choice(*args, **options):
    """The way that scaled_dot_product_attention would go in PyTorch: a number of SDPBackend."""
    choice = _rows["_fused_sdp_choice"](*args, **options)
    return 0 if choice.device.type == "meta" else int(choice.item())
