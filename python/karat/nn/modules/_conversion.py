"""What .half(), .to() and the like do to the tensors of a module, and pinned dtypes, which they leave."""

import contextlib

from ... import _karat
from ..._karat import Tensor
from ...asking import typename


@contextlib.contextmanager
def step_to(fn, name):
    """A conversion that notes its path is at the part of that name."""
    path = fn.path if isinstance(fn, Conversion) else []
    path.append(name)
    try:
        yield
    finally:
        path.pop()


@contextlib.contextmanager
def pins_of(fn, what):
    """While a conversion is at a pinned module, or at a pinned parameter and its gradient, dtypes stay."""
    pinned = isinstance(fn, Conversion) and "_pinned_dtype" in what.__dict__
    if pinned:
        fn.pins += 1
    try:
        yield
    finally:
        if pinned:
            fn.pins -= 1


def pin_of(t):
    """The pin as the state of a copy: see set_state."""
    return {"_pinned_dtype": t.dtype} if _karat.has_pinned_dtype(t) else {}


class Conversion:
    """What .half(), .to() and the like do to one tensor of a module: convert(t, cast), where cast is False for a pinned one.

    `path`: the names from the module where it began to the tensor; `pins`: how many of what it is at are pinned."""

    def __init__(self, name, convert):
        self.name, self.convert, self.path, self.pins = name, convert, [], 0

    def __call__(self, t):
        new = self.convert(t, not (self.pins or _karat.has_pinned_dtype(t)))
        if new.dtype is not t.dtype:
            _karat.lineage_say(new, f"{self.name} of {'.'.join(self.path)}")
        return new


def _tensors(what):
    return [what] if isinstance(what, Tensor) else [*what.parameters(), *what.buffers()]


def _check(what, name):
    if not isinstance(what, (Tensor, _karat.ModuleBase)):
        raise TypeError(f"{name}: expected a tensor or a module, got {typename(what)}")


def pin_dtype(what, dtype=None):
    """Keeps the dtype of a tensor, or of all parameters and buffers of a module, and returns it.

    .half(), .to(dtype) and the like leave a pinned dtype, and setting .data to another dtype is an error. Under autocast an
    operator with a pinned tensor runs in that dtype, its other operands are cast to it; so does everything in the call of a
    pinned module. Copies by copy, deepcopy and pickle are pinned too.

    dtype: what it becomes first; by default it stays as it is. unpin_dtype ends this."""
    _check(what, "pin_dtype")
    if dtype is not None:
        unpin_dtype(what)
        if isinstance(what, Tensor):
            if what.dtype is not dtype:
                what.data = what.data.to(dtype)
        else:
            what.to(dtype)
    for t in _tensors(what):
        t._pinned_dtype = t.dtype
        _karat.pin_dtype(t, True)
    if isinstance(what, _karat.ModuleBase):
        floats = {t.dtype for t in _tensors(what) if t.is_floating_point()}
        what.__dict__["_pinned_dtype"] = floats.pop() if len(floats) == 1 else True
    return what


def unpin_dtype(what):
    """The dtypes of a tensor or module may change again. Returns it."""
    _check(what, "unpin_dtype")
    for t in _tensors(what):
        t.__dict__.pop("_pinned_dtype", None)
        _karat.pin_dtype(t, False)
    what.__dict__.pop("_pinned_dtype", None)
    return what
