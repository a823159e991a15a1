"""karat.cuda.profiler: begins and ends what NVIDIA's tools record. They record all of a program that they run: no effect."""

import contextlib

from .. import _device

__all__ = ["profile", "start", "stop"]


def start():
    """The tool records from here. There must be a device."""
    _device.of("cuda")._needed()


def stop():
    """It records no more."""
    _device.of("cuda")._needed()


@contextlib.contextmanager
def profile():
    """The same for a scope."""
    try:
        start()
        yield
    finally:
        stop()
