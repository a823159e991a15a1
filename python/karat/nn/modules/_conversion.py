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


class Conversion:
    """What .half(), .to() and the like do to one tensor of a module: convert(t, cast), where cast is False for a pinned one.

    `path`: the names from the module where it began to the tensor; `pins`: how many modules on the path are pinned."""

    def __init__(self, name, convert):
        self.name, self.convert, self.path, self.pins = name, convert, [], 0

    def __call__(self, t):
        new = self.convert(t, not (self.pins or getattr(t, "_pinned_dtype", None)))
        if new.dtype is not t.dtype:
            _karat.lineage_say(new, f"{self.name} of {'.'.join(self.path)}")
        return new


def pin_dtype(what, dtype=None):
    """Keeps the dtype of a parameter, or of all of a module's: .half(), .to(dtype) and the like leave it. Returns it.

    dtype: what it becomes first; by default it stays as it is. unpin_dtype ends this."""
    if not isinstance(what, (Tensor, _karat.ModuleBase)):
        raise TypeError(f"pin_dtype: expected a tensor or a module, got {typename(what)}")
    if isinstance(what, _karat.ModuleBase):
        if dtype is not None:
            what.to(dtype)
        what.__dict__["_pinned_dtype"] = dtype or True
    else:
        if dtype is not None and what.dtype is not dtype:
            from ... import no_grad

            with no_grad():
                what.data = what.to(dtype)
        what._pinned_dtype = what.dtype
    return what


def unpin_dtype(what):
    """The dtype of a parameter or module may change again. Returns it."""
    what.__dict__.pop("_pinned_dtype", None)
    return what
