"""karat.cpu: the one device that is always there, asked as the others are."""

from . import _missing


def is_available():
    """Is there a CPU? Yes."""
    return True


def device_count():
    """How many devices: one."""
    return 1


def current_device():
    """The one that is used: "cpu"."""
    return "cpu"


def is_initialized():
    """Is it in use? Yes."""
    return True


def synchronize(device=None):
    """Operators on the CPU have ended when they return: nothing to wait for."""


def set_device(device):
    """There is one: nothing changes."""


__getattr__ = _missing.of(__name__)
