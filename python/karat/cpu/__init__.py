"""karat.cpu: the CPU, with the functions of other device modules."""

from .. import _missing


def is_available():
    """Always True."""
    return True


def device_count():
    """Always 1."""
    return 1


def current_device():
    """Always "cpu"."""
    return "cpu"


def is_initialized():
    """Always True."""
    return True


def synchronize(device=None):
    """No effect: operators on the CPU are done when they return."""


def set_device(device):
    """No effect: there is one CPU."""


__getattr__ = _missing.of(__name__, lazy=["amp"])
