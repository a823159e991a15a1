"""karat.jit: nothing is compiled: script and trace return the function itself."""

from typing import Final  # noqa: F401

from . import _missing
from .compiler import _as_it_is, is_compiling

script = _as_it_is("script", "script(function): the function itself, run by Python.", "torch.jit.script")
trace = _as_it_is("trace", "trace(function, example_inputs): the function itself, run by Python.", "torch.jit.trace")
export = _as_it_is("export", "The function itself.")
ignore = _as_it_is("ignore", "The function itself.")
unused = _as_it_is("unused", "The function itself.")
script_if_tracing = _as_it_is("script_if_tracing", "The function itself.")
is_scripting = is_tracing = is_compiling


class ScriptModule:
    """PyTorch's class of compiled modules. There are none: script and trace return the module itself."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError("torch.jit.ScriptModule: nothing is compiled here; derive from torch.nn.Module")


RecursiveScriptModule = ScriptFunction = ScriptModule


def annotate(the_type, the_value):
    """The value; the type is ignored."""
    return the_value


def isinstance(obj, target_type):
    """Python's own, for types without arguments."""
    import builtins

    return builtins.isinstance(obj, target_type)


__getattr__ = _missing.of(__name__)
