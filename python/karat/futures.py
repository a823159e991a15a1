"""karat.futures: Future, a result that is set later, on any thread."""

import threading
from typing import Generic, TypeVar

from . import _karat, _missing

__all__ = ["Future", "collect_all", "wait_all"]

_T = TypeVar("_T")


class Future(Generic[_T]):
    """A result that is not there yet. wait() gives it, or raises what was set in its place."""

    def __init__(self, *, devices=None):
        for one in devices or ():
            device = _karat.device(one)
            if device.index is None:
                raise ValueError(f"Expected devices to have indices, got {device}")
        self._changed = threading.Condition()
        self._state = None  # (result, error) once it is there
        self._callbacks = []

    def done(self):
        """Is it there?"""
        return self._state is not None

    def _answer(self):
        result, error = self._state
        if error is not None:
            raise error
        return result

    def wait(self):
        """Waits for the result."""
        with self._changed:
            self._changed.wait_for(self.done)
        return self._answer()

    def value(self):
        """The result, which must be there."""
        if not self.done():
            raise RuntimeError("value() of a Future that is not done: call wait()")
        return self._answer()

    def _complete(self, result, error=None):
        with self._changed:
            if self.done():
                raise RuntimeError("Attempting to mark a completed Future as complete again. Note that a Future can only be "
                                   "marked completed once.")
            self._state = (result, error)
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            callback(self)

    def set_result(self, result):
        """Sets the result, once."""
        self._complete(result)

    def set_exception(self, result):
        """Sets an exception that wait() and value() raise."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def add_done_callback(self, callback):
        """callback(future) when it is done: now, if it is."""
        with self._changed:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback):
        """A Future of what callback(future) returns when this one is done."""
        following = Future()

        def go_on(future):
            try:
                result = callback(future)
            except Exception as e:
                following.set_exception(RuntimeError(
                    f"Got the following error when running the callback: {type(e).__name__}: {e}"))
            else:
                following.set_result(result)

        self.add_done_callback(go_on)
        return following


def collect_all(futures):
    """A Future of the list of them, when all are done."""
    futures, together = list(futures), Future()
    lock, left = threading.Lock(), [len(futures)]

    def count(_):
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            together.set_result(futures)

    if not futures:
        together.set_result(futures)
    for future in futures:
        future.add_done_callback(count)
    return together


def wait_all(futures):
    """The results of all."""
    return [future.wait() for future in collect_all(futures).wait()]


__getattr__ = _missing.of(__name__)
