"""karat.accelerator: the accelerator, whatever its kind: the CUDA devices, or the first others that a backend brings."""

import warnings

from .. import _device, _karat, _missing


def current_accelerator(check_available=False):
    """The accelerator's device, without an index; None: there is none."""
    return _karat.accelerator()


def is_available():
    """Is there one?"""
    return current_accelerator() is not None


def device_count():
    """How many devices it has."""
    accelerator = current_accelerator()
    return _karat.device_count(accelerator.type) if accelerator else 0


def _needed():
    accelerator = current_accelerator()
    if accelerator is None:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return _device.of(accelerator.type)


def _device_of(given):
    """The accelerator's functions, and the device that an argument means."""
    functions = _needed()
    if isinstance(given, str):
        given = _karat.device(given)
    if isinstance(given, _karat.device) and given.type != functions._name:
        raise ValueError(f"{given.type} doesn't match the current accelerator {functions._name}.")
    return functions, functions._device(given)


def current_device_index():
    """The index that the accelerator's name alone means, on this thread."""
    return _needed().current_device()


def set_device_index(device, /):
    """Chooses it; a negative index chooses none."""
    if not isinstance(device, int) or device >= 0:
        _karat.set_device_index(_device_of(device)[1])


def current_device_idx():
    """Deprecated: current_device_index."""
    warnings.warn("Use `current_device_index` instead.", FutureWarning, stacklevel=2)
    return current_device_index()


def set_device_idx(device, /):
    """Deprecated: set_device_index."""
    warnings.warn("Use `set_device_index` instead.", FutureWarning, stacklevel=2)
    set_device_index(device)


class device_index:
    """A scope in which the accelerator's name alone means this index; None changes nothing."""

    def __init__(self, device, /):
        self.idx, self.prev_idx = device, -1

    def __enter__(self):
        if self.idx is not None:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *error):
        if self.idx is not None:
            set_device_index(self.prev_idx)


def current_stream(device=None, /):
    """The stream that this thread's calls are queued on."""
    return _karat.current_stream(_device_of(device)[1], _karat.Stream)


def set_stream(stream):
    """This thread's calls are queued there from now on, and its device is the current one."""
    functions = _needed()
    if isinstance(stream, _karat.Stream) and stream.device.type != functions._name:
        raise ValueError(f"{stream.device.type} doesn't match the current accelerator {functions._name}.")
    _karat.set_stream(stream)


def synchronize(device=None, /):
    """Waits for all work of the device."""
    functions, device = _device_of(device)
    functions.synchronize(device)


def get_device_capability(device=None, /):
    """{"supported_dtypes": ...}: every dtype, as the CPU computes what a device cannot."""
    _device_of(device)
    return {"supported_dtypes": set(_karat.dtypes.values())}


from .memory import (  # noqa: E402, F401
    empty_cache, get_memory_info, max_memory_allocated, max_memory_reserved, memory_allocated, memory_reserved, memory_stats,
    reset_accumulated_memory_stats, reset_peak_memory_stats,
)

__getattr__ = _missing.of(__name__)
