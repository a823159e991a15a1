"""karat.accelerator: the device that computes beside the CPU, of whatever kind; there is none here."""

from . import _missing


def is_available():
    """Is there one that Karat can use? No."""
    return False


def device_count():
    """How many there are: none."""
    return 0


def current_accelerator(check_available=False):
    """Its kind: None."""


__getattr__ = _missing.of(__name__)
