"""_device: what a device module (karat.cuda) holds, for devices of any one name.

    names("cuda")   its functions and classes, by their names in torch.cuda
    make("mirror")  a module of them, for a device that PyTorch has no module for

A backend is looked for when a function needs a device. Without one, functions answer as PyTorch built without that device does:
questions and figures have empty answers, and what needs a device is an AssertionError; where the backend is there but no device,
a RuntimeError that says so.
"""

from sys import modules
from types import ModuleType

from .generators import Generators
from .graphs import Graphs
from .memory import Memory
from .streams import Streams


class Module(Streams, Memory, Generators, Graphs):
    """The functions of devices of one name."""


_made = {}


def of(name):
    """The Module of that name: always the same."""
    if name not in _made:
        _made[name] = Module(name)
    return _made[name]


def _function(method, module):
    """The method as a function of the module, which pickle finds there."""

    def function(*args, **keywords):
        return method(*args, **keywords)

    function.__name__ = function.__qualname__ = method.__func__.__qualname__ = method.__name__  # as Python's errors name it
    function.__module__, function.__doc__, function.__wrapped__ = module, method.__doc__, method
    return function


def names(name):
    """What the module of that name holds."""
    module, held = of(name), {}
    for one in dir(module):
        if not one.startswith("_") and one != "default_generators":  # which grows when a device is found
            value = getattr(module, one)
            held[one] = value if isinstance(value, type) else _function(value, f"karat.{name}")
    return held


def make(name):
    """A module of its names: always the same."""
    whole = f"karat.{name}"
    if whole not in modules:
        module = modules[whole] = ModuleType(whole, f"Devices named {name!r}.")
        vars(module).update(names(name))
        module.__getattr__ = lazily(of(name))
    return modules[whole]


def lazily(module, otherwise=None):
    """A module's __getattr__ for names that change while the program runs."""

    def ask(name):
        if name == "default_generators":
            return module.default_generators
        if name == "_initialized":
            return module.is_initialized()
        if otherwise:
            return otherwise(name)
        raise AttributeError(f"module 'karat.{module._name}' has no attribute {name!r}")

    return ask
