"""Batches in memory from which a device copies faster."""

from .... import _missing


def pin_memory(data, device=None):
    """The same data with its tensors in such memory; what knows better how it is done has a method of that name."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, dict):
        return type(data)((key, pin_memory(value)) for key, value in data.items())
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(value) for value in data))
    return type(data)(pin_memory(value) for value in data) if isinstance(data, (list, tuple)) else data


__getattr__ = _missing.of(__name__)
