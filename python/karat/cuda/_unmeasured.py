"""_unmeasured.py - functions of karat.cuda about what is not measured, counted or listed: their answers without it."""

from collections import OrderedDict

from .. import _device

_module = _device.of("cuda")


def get_gencode_flags():
    """Empty: nothing is compiled for devices by the user's compiler."""
    return ""


def can_device_access_peer(device, peer_device):
    """Can a device read the memory of another? Copies go through the host."""
    _module._device(device), _module._device(peer_device)
    return False


def memory_snapshot(mempool_id=None, include_traces=True):
    """Empty: blocks of memory are not listed."""
    return []


def host_memory_stats():
    """Empty: pinned memory is not counted."""
    return OrderedDict()


def host_memory_stats_as_nested_dict():
    """Empty: pinned memory is not counted."""
    return {}


def reset_accumulated_host_memory_stats():
    """No effect: pinned memory is not counted."""


def reset_peak_host_memory_stats():
    """No effect: pinned memory is not counted."""


def list_gpu_processes(device=None):
    """A text: the processes of a device are not known."""
    return "pynvml module not found, please install nvidia-ml-py"


def _not_measured(name, what):
    def measured(device=None):
        _module._needed()
        raise NotImplementedError(f"torch.cuda.{name}: {what} of devices is not measured")

    measured.__name__ = measured.__qualname__ = name
    measured.__doc__ = f"{what.capitalize()} of the device: not measured."
    return measured


memory_usage = _not_measured("memory_usage", "the use of the memory")
temperature = _not_measured("temperature", "the temperature")
power_draw = _not_measured("power_draw", "the power")
clock_rate = _not_measured("clock_rate", "the clock rate")
device_memory_used = _not_measured("device_memory_used", "the memory that all processes use")
