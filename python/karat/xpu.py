"""karat.xpu: Intel's devices; there is none here."""

from . import _missing


def is_available():
    """Is there one that Karat can use? No."""
    return False


def device_count():
    """How many there are: none."""
    return 0


def is_initialized():
    """Has one been used? No."""
    return False


__getattr__ = _missing.of(__name__)
