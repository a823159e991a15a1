"""karat.cuda.nvtx: marks for NVIDIA's profilers. No profiler is told of them; the answers are those without one."""

import contextlib

__all__ = ["range_push", "range_pop", "range_start", "range_end", "mark", "range"]

_NOBODY_COUNTS = -2  # NVTX's answer where no tool is attached


def range_push(msg):
    """Begins a range inside the current one; its depth, if a profiler counts."""
    return _NOBODY_COUNTS


def range_pop():
    """Ends the range that was begun last; its depth, if a profiler counts."""
    return _NOBODY_COUNTS


def range_start(msg):
    """Begins a range that may end on another thread; its handle."""
    return 0


def range_end(range_id):
    """Ends it."""


def mark(msg):
    """Marks this moment."""


@contextlib.contextmanager
def range(msg, *args, **kwargs):
    """with range("forward"): a range; args and kwargs fill in the message."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
