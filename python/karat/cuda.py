"""karat.cuda: there is no such device here."""

from . import _missing


def is_available():
    """Is there a CUDA device that Karat can use?"""
    return False


def device_count():
    """How many of them."""
    return 0


__getattr__ = _missing.of(__name__)
