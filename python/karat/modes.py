"""modes.py - scopes of the thread's modes: the cast policy, and whether operators are recorded for backward.

Each is a context manager and a decorator; leaving restores the mode that was set on entering. A decorated generator
runs in the mode, and its caller does not: the mode is left at every yield. A decorated `async def` is like any function, as
in PyTorch: the mode holds while the coroutine is created, not while it is awaited; write `with` inside it.
"""

from _thread import _local

from . import _karat


def _steps(body, mode):
    """The generator `body`, each step of which runs in a new mode(); what is sent, thrown and returned goes through."""
    step, given = body.send, None
    while True:
        try:
            with mode():
                out = step(given)
        except StopIteration as end:
            return end.value
        try:
            step, given = body.send, (yield out)
        except GeneratorExit:
            with mode():
                body.close()
            raise
        except BaseException as error:
            step, given = body.throw, error


def inside(mode, function):
    """The function, each call of which runs in a new mode()."""
    from functools import wraps  # imported here: inspect would double the package's import time
    from inspect import isgeneratorfunction

    if isgeneratorfunction(function):
        def call(*args, **keywords):
            return (yield from _steps(function(*args, **keywords), mode))
    else:
        def call(*args, **keywords):
            with mode():
                return function(*args, **keywords)
    return wraps(function)(call)


class _Mode:
    """Enters with _set(value), leaves with _set(the value of _get() before)."""

    def __enter__(self):
        self._before.append(self._get())
        self._set(self._value)
        return self

    def __exit__(self, *error):
        self._set(self._before.pop())

    def __init__(self, value):
        self._value = value
        self._before = []

    def clone(self):
        """Another scope of the same mode, not entered."""
        return type(self)(self._value)

    def __call__(self, function):
        if isinstance(function, type):
            from warnings import warn

            warn("Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions "
                 "or methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` "
                 "method and nothing else.", FutureWarning, 2)
        return inside(self.clone, function)


class policy(_Mode):
    """Which implicit conversions are accepted inside the block, or inside the decorated function.

    "strict"      none at all; Python numbers still take the tensor's dtype
    "safe"        those that cannot lose a value
    "torch"       PyTorch's rules, the default
    "permissive"  also mixes that PyTorch rejects are promoted

    >>> with karat.policy("strict"):
    ...     karat.ones(2) + karat.ones(2).half()
    TypeError: karat.policy("strict") refuses to convert other from float16 to float32 in add (promotion)

    What one accepts, the next accepts with the same result. Explicit casts are always allowed. get_policy() returns the
    current one, KARAT_POLICY=strict sets the process's default.
    """

    _get = staticmethod(_karat.get_policy)
    _set = staticmethod(_karat.set_policy)

    def __init__(self, name):
        before = _karat.get_policy()
        _karat.set_policy(name)  # refuses an unknown name here, not on entering
        _karat.set_policy(before)
        super().__init__(name)


class _Grad(_Mode):
    _get = staticmethod(_karat.is_grad_enabled)
    _set = staticmethod(_karat.set_grad)


class no_grad(_Grad):
    """Operators inside are not recorded for backward."""

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else cls()(function)  # a bare @no_grad

    def __init__(self):
        super().__init__(False)

    def clone(self):
        return no_grad()


class enable_grad(_Grad):
    """Operators inside are recorded again."""

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self):
        super().__init__(True)

    def clone(self):
        return enable_grad()


class set_grad_enabled(_Grad):
    """set_grad_enabled(mode): takes effect at once; as a context manager it restores the old mode."""

    def __init__(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}")
        super().__init__(mode)
        self.mode = mode
        self._outside = _karat.is_grad_enabled()
        _karat.set_grad(mode)

    def __call__(self, function):
        _karat.set_grad(self._outside)  # a decorator changes nothing until the function runs
        return super().__call__(function)

    def __enter__(self):
        self._before.append(self._outside)
        _karat.set_grad(self._value)
        return self


class inference_mode(_Grad):
    """inference_mode(mode=True): as no_grad, and tensors made inside never take part in a graph."""

    def __init__(self, mode=True):
        super().__init__(False)
        self.mode = bool(mode)
        self._outside = []

    def __new__(cls, mode=True):
        return cls()(mode) if callable(mode) else super().__new__(cls)  # a bare @inference_mode

    def clone(self):
        return inference_mode(self.mode)

    def __enter__(self):
        self._value = not self.mode
        self._outside.append(_karat.is_inference_mode_enabled())
        _karat.set_inference(self.mode)
        return super().__enter__()

    def __exit__(self, *error):
        _karat.set_inference(self._outside.pop())
        super().__exit__(*error)


_asked = _local()  # what this thread has asked of PyTorch's engine that changes nothing here


def is_multithreading_enabled():
    """What set_multithreading_enabled says on this thread."""
    return getattr(_asked, "threads", True)


def is_view_replay_enabled():
    """What _force_original_view_tracking says on this thread."""
    return getattr(_asked, "replay", False)


class _Asked(_Mode):
    """A setting that is kept and changes nothing. As a function it holds from now on."""

    def __init__(self, mode):
        super().__init__(mode)
        self.mode, self._outside = mode, self._get()
        self._set(mode)

    def __enter__(self):
        super().__enter__()
        self._before[-1] = self._outside
        return self


class _force_original_view_tracking(_Asked):
    """Accepted without effect: Karat has one way to replay views after an in-place write."""

    _get, _set = staticmethod(is_view_replay_enabled), staticmethod(lambda mode: setattr(_asked, "replay", mode))


class set_multithreading_enabled(_Asked):
    """Accepted without effect: a backward runs on the thread that calls it, its kernels on as many as set_num_threads says."""

    _get, _set = staticmethod(is_multithreading_enabled), staticmethod(lambda mode: setattr(_asked, "threads", mode))


is_inference_mode_enabled = _karat.is_inference_mode_enabled
