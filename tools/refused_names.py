"""refused_names.py - writes python/karat/refused_names.txt: which modules of PyTorch lie below the refused ones, and the names in
each, as `dir()` tells them. Run by an interpreter that has PyTorch; the names alone are taken.

    PYTHON tools/refused_names.py > python/karat/refused_names.txt

A module's names are those that it defines, its submodules, the public ones that it has from PyTorch's other modules, and the
private ones that it has from its own package. Of the compiler's modules (INNER) only what is their own.
"""

import ast
import importlib
import pkgutil
import sys
import types
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
INNER = ("torch._inductor", "torch._dynamo", "torch._export", "torch.testing._internal")
SOURCE = Path(__file__).parents[1] / "python" / "karat" / "_refused.py"


def tops():
    """The keys of REASONS, read and not imported: this interpreter has no Karat."""
    for statement in ast.parse(SOURCE.read_text()).body:
        if isinstance(statement, ast.Assign) and statement.targets[0].id == "REASONS":
            return [key.value for key in statement.value.keys]


def is_its_own(module, name):
    value, path = getattr(module, name, None), module.__name__
    if isinstance(value, types.ModuleType):
        return value.__name__ == f"{path}.{name}"
    has_home = isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType))
    home = getattr(value, "__module__", None) if has_home else None
    if not isinstance(home, str) or home == path:
        return True
    if path.startswith(INNER):
        return hasattr(module, "__path__") and home.startswith(path + ".")
    package = ".".join(path.split(".")[:2])
    return home.startswith(package) or (home.startswith("torch") and (not name.startswith("_") or "functorch" in path))


def write(path):
    if path in written:
        return
    written.add(path)
    try:
        module = importlib.import_module("torch." + path)
    except BaseException as e:  # what a module needs may not be installed here
        print(f"torch.{path}: {e}", file=sys.stderr)
        return
    names = [name for name in dir(module) if not name.startswith("__") and is_its_own(module, name)]
    print(f"{path}:", *names)
    if hasattr(module, "__path__"):
        for below in pkgutil.iter_modules(module.__path__):
            write(f"{path}.{below.name}")


written = set()

if __name__ == "__main__":
    for top in tops():
        write(top)
        for alias in [name for name in sys.modules if name.startswith(f"torch.{top}.")]:  # old names of moved modules
            write(alias[len("torch."):])
