"""karat.classes: classes that C++ registers with PyTorch. There are none here; what is asked for is refused by name."""

import types

from . import _missing


class _ClassNamespace(types.ModuleType):
    """The classes of one library."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(f"Tried to instantiate class '{self.__name__.rpartition('.')[2]}.{name}', but it does not exist! "
                           "Ensure that it is registered via torch::class_")


loaded_libraries = set()


def load_library(path):
    """Refused: such libraries link PyTorch's own."""
    raise NotImplementedError(f"{_missing.shown}.classes.load_library: libraries of C++ classes link PyTorch's own")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, _ClassNamespace(f"{_missing.shown}.classes.{name}"))
