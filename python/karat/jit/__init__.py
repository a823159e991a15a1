"""karat.jit: nothing is compiled: script and trace return the function itself."""

from collections import namedtuple
from typing import Final  # noqa: F401

from .. import _missing
from ..compiler import _as_it_is, _say_once, is_compiling
from ..nn.modules.module import Module

script = _as_it_is("script", "script(function): the function itself, run by Python.", "torch.jit.script")
trace = _as_it_is("trace", "trace(function, example_inputs): the function itself, run by Python.", "torch.jit.trace")
export = _as_it_is("export", "The function itself.")
ignore = _as_it_is("ignore", "The function itself.")
unused = _as_it_is("unused", "The function itself.")
script_if_tracing = _script_if_tracing = _as_it_is("script_if_tracing", "The function itself.")
script_method = _as_it_is("script_method", "The function itself.")
interface = _as_it_is("interface", "The class itself.")
_drop = ignore
_overload = _as_it_is("_overload", "The declaration itself: the definition that follows it in the source is what runs.")
_overload_method = _as_it_is("_overload_method", "The declaration itself: the definition that follows it is what runs.")
Attribute = namedtuple("Attribute", ["value", "type"])
Attribute.__doc__ = "A value with the type that a compiler would be told."
is_scripting = is_tracing = is_compiling


class ScriptModule(Module):
    """The base of modules that PyTorch compiles: one that derives from it runs as it is written."""

    def __init__(self):
        _say_once("torch.jit.ScriptModule")
        super().__init__()

    def save(self, f, **keywords):
        """Refused: there is no compiled module that a file could have."""
        raise NotImplementedError("torch.jit.ScriptModule.save: nothing is compiled here; use torch.save of state_dict()")


class RecursiveScriptModule(ScriptModule):
    """PyTorch's class of compiled modules. There are none: script and trace return the module itself."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError("torch.jit.RecursiveScriptModule: nothing is compiled here; derive from torch.nn.Module")


class ScriptFunction:
    """PyTorch's class of compiled functions. There are none: script and trace return the function itself."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError("torch.jit.ScriptFunction: nothing is compiled here")


class TracerWarning(Warning):
    """PyTorch's tracer warns with it; programs filter it. Nothing is traced here."""

    @staticmethod
    def ignore_lib_warnings():
        """Nothing warns."""


class ScriptWarning(Warning):
    """PyTorch's compiler warns with it. Nothing is compiled here."""


class optimized_execution:
    """optimized_execution(should_optimize): a scope. No effect: nothing is compiled."""

    def __init__(self, should_optimize):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def annotate(the_type, the_value):
    """The value; the type is ignored."""
    return the_value


def isinstance(obj, target_type):
    """Python's own, for types without arguments."""
    import builtins

    return builtins.isinstance(obj, target_type)


def _unwrap_optional(x):
    """x, which is not None."""
    if x is None:
        raise AssertionError("Unwrapping null optional")
    return x


_isinstance = isinstance
__getattr__ = _missing.of(__name__, lazy=("annotations",))
