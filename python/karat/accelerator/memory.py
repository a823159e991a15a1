"""karat.accelerator.memory: the memory of the accelerator's devices."""

from .. import _device, _missing
from . import _device_of, _needed, is_available


def empty_cache():
    """Gives back to the devices what is kept for later."""
    if is_available():
        _needed().empty_cache()


def get_memory_info(device_index=None, /):
    """(free, total) bytes of the device."""
    functions, device = _device_of(device_index)
    return functions.mem_get_info(device)


def _figure(name, doc, empty):
    def ask(device_index=None, /):
        if not is_available():
            return empty()
        functions, device = _device_of(device_index)
        return getattr(functions, name)(device)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = doc
    return ask


def _nothing():
    """Without an accelerator there is nothing to reset."""


memory_allocated = _figure("memory_allocated", "Bytes of tensors on the device.", int)
max_memory_allocated = _figure("max_memory_allocated", "The most bytes of tensors, since the peaks were reset.", int)
memory_reserved = _figure("memory_reserved", "Bytes taken from the device, in use or kept for later.", int)
max_memory_reserved = _figure("max_memory_reserved", "The most bytes taken from it, since the peaks were reset.", int)
memory_stats = _figure("memory_stats", "The figures of its memory by PyTorch's keys; empty without a device.",
                       _device.memory.OrderedDict)
reset_peak_memory_stats = _figure("reset_peak_memory_stats", "Peaks are what is in use now.", _nothing)
reset_accumulated_memory_stats = _figure("reset_accumulated_memory_stats", "Totals are 0.", _nothing)

__all__ = [
    "empty_cache", "get_memory_info", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "memory_stats", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
]

__getattr__ = _missing.of(__name__)
