"""_refused.py - modules of PyTorch that can be imported and not used: compilers, tracers, several processes, and what is not
there yet.

Libraries import such modules beside what they need, for annotations, isinstance and branches that are not taken. A module of
REASONS, or one below it, is made when it is imported; its names are classes that refuse to be called, by name and with the
reason. A file of that name (fx.py) comes first, and adds what can be had.
"""

import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec

from . import _missing

_NOT_YET = "PyTorch has it, karat does not (yet)"
_NOT_COMPILED = "nothing is compiled here: programs run as they are written"
REASONS = {
    "_dynamo": _NOT_COMPILED,
    "_export": _NOT_COMPILED,
    "_functorch": "PyTorch's own parts of torch.func; use torch.func",
    "_higher_order_ops": _NOT_COMPILED,
    "_inductor": _NOT_COMPILED,
    "_subclasses": _NOT_COMPILED,
    "amp": _NOT_YET,
    "ao": "models are not quantized here",
    "distributed": "not available: this build has one process",
    "export": _NOT_COMPILED,
    "fx": "programs are run as they are written, not traced into graphs",
    "masked": _NOT_YET,
    "multiprocessing": "tensors are not shared between processes (yet); use Python's multiprocessing, which copies them",
    "nn.attention.flex_attention": f"{_NOT_COMPILED}; use scaled_dot_product_attention",
    "onnx": "models are not exported to ONNX",
    "package": "models are not packaged with their code",
    "profiler": _NOT_YET,
    "quantization": "models are not quantized here",
    "signal": _NOT_YET,
}
TOP = [name for name in REASONS if "." not in name]


def _reason(module):
    """Why karat.<...> is refused; None: it is not."""
    parts = module.split(".")[1:]
    return next((REASONS[one] for n in range(len(parts), 0, -1) if (one := ".".join(parts[:n])) in REASONS), None)


class _Refused(type):
    """The class of a refused name: a class that can stand in annotations and be subclassed, not called. What is asked of it is
    refused the same way."""

    def __call__(cls, *args, **keywords):
        raise NotImplementedError(f"{_missing.shown}{cls._path[len('karat'):]}: {cls._why}")

    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return _refuse(f"{cls._path}.{name}", cls._why)


def _refuse(path, why):
    home, _, name = path.rpartition(".")
    return _Refused(name, (), {"_path": path, "_why": why, "__module__": home, "__doc__": f"Refused: {why}."})


def names_of(module):
    """The __getattr__ of such a module. A private name is nobody's mistake only in a module that is all refused."""
    why = _reason(module)
    missing = _missing.of(module)

    def refused(name):
        made = isinstance(sys.modules[module].__spec__.loader, _Maker)
        if name.startswith("__" if made else "_"):
            return missing(name)
        return _refuse(f"{module}.{name}", why)

    return refused


class _Maker(Loader):
    """Finds and makes the modules that have no file; last on sys.meta_path."""

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.startswith("karat.") and _reason(name) else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__doc__ = f"Importable; refused when used: {_reason(module.__name__)}."
        module.__file__ = __file__
        module.__getattr__ = names_of(module.__name__)


sys.meta_path.append(_Maker())
