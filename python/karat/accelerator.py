"""karat.accelerator: the accelerator device of any kind; there is none."""

from . import _missing


def is_available():
    """Always False."""
    return False


def device_count():
    """Always 0."""
    return 0


def current_accelerator(check_available=False):
    """Always None."""


__getattr__ = _missing.of(__name__)
