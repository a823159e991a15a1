"""on_device.py - the tests on a device that is not the CPU: `KARAT_TEST_DEVICE=mirror pytest tests/python`.

The device is the default one, so that the tests' tensors are on it. Each test, with the threads that it starts, is on one of
two streams, by turns; the kernels run on KARAT_TEST_THREADS threads (1 unless told). A device works late, so three things wait
for it: the end of a test, pytest.raises where nothing was raised, and memory_stats. A test about the CPU itself bears the mark
cpu_only(reason) and is left out.

Without KARAT_TEST_DEVICE this module changes nothing, and its functions are for tests that run either way."""

import os
import threading

import pytest

import karat

DEVICE = os.environ.get("KARAT_TEST_DEVICE", "")  # "": the CPU
THREADS = int(os.environ.get("KARAT_TEST_THREADS", "1"))
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")  # AddressSanitizer: everything takes some ten times as long


def cpu_repr(value):
    """repr, as it is on the CPU."""
    return repr(value).replace(f", device='{DEVICE}:0'", "")


def cpu_class(error):
    """The name of an error's class, as it is on the CPU: what a device has found is an AcceleratorError beside."""
    late = isinstance(error, karat.AcceleratorError)
    return next(kind.__name__ for kind in type(error).__mro__ if not late or kind.__module__ == "builtins")


def synchronize():
    """Waits for all that was launched; an error of it is raised here."""


class _Place:
    """The device with its two streams."""

    def __init__(self):
        self.device = karat.device(DEVICE, 0)
        self.streams = [karat.Stream(self.device), karat.Stream(self.device)]
        self.turn = 0

    def next_stream(self):
        self.turn = 1 - self.turn
        karat.set_num_threads(THREADS)
        self.enter()

    def enter(self):
        """For this thread."""
        karat.set_default_device(self.device)
        karat.accelerator.set_stream(self.streams[self.turn])

    def synchronize(self):
        karat.accelerator.synchronize(self.device)


class _Raises:
    """pytest.raises for errors that may come late."""

    def __init__(self, at_once):
        self.at_once = at_once

    def __enter__(self):
        return self.at_once.__enter__()

    def __exit__(self, kind, error, trace):
        if error is None:
            try:
                synchronize()
            except Exception as late:
                if not self.at_once.__exit__(type(late), late, late.__traceback__):
                    raise
                return True
        return self.at_once.__exit__(kind, error, trace)


place = _Place() if DEVICE else None
if DEVICE == "cuda":
    karat.backends.cudnn.allow_tf32 = False  # results are held to float32's
if DEVICE:
    place.next_stream()
    synchronize = place.synchronize
    raises_at_once, stats_at_once, run_thread = pytest.raises, karat.memory_stats, threading.Thread.run

    def raises(expected, *call, **options):
        if call:
            with raises(expected) as caught:
                call[0](*call[1:], **options)
            return caught
        return _Raises(raises_at_once(expected, **options))

    def memory_stats():
        """As it is when the device has done its work."""
        synchronize()
        return stats_at_once()

    def run(thread):
        place.enter()
        run_thread(thread)

    pytest.raises, karat.memory_stats, threading.Thread.run = raises, memory_stats, run
