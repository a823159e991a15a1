"""sitecustomize.py - what Python runs first under `karat run`: from here on `import torch`, and every torch.* that Karat has,
is served by Karat.

This folder stands first in PYTHONPATH, and Python imports a module of this name before it does anything else; the program
itself is run by Python as ever. What the program starts inherits it: a pool of processes is served the same way, however it
is made. Nothing of Karat is loaded before torch is asked for. Libraries that merely ask whether torch is there (PROBERS)
find it absent unless the user's code has imported it.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from os.path import abspath, dirname
from types import BuiltinFunctionType, FunctionType

FOLDER = dirname(abspath(__file__))
PACKAGES = dirname(dirname(FOLDER))
TORCH_VERSION = "2.11.0"

# They work without torch, and import it only to support its tensors: what they would do with it is not the user's program.
PROBERS = frozenset(
    """IPython PIL altair array_api_compat bokeh cloudpickle cupy dask datasets dill h5py hypothesis imageio jax joblib
    matplotlib ml_dtypes networkx numba numexpr numpy opt_einsum pandas plotly polars psutil pyarrow pytest rich scipy
    seaborn skimage sklearn statsmodels sympy tensorflow tqdm typeguard xarray""".split()
)


def _asker():
    """The top package of the code that imports or asks, and the module of importlib that it asks through ("": import)."""
    frame, through = sys._getframe(2), ""
    while frame:
        name = frame.f_globals.get("__name__") or ""
        if not name.startswith(("importlib", "_frozen_importlib")):
            return name.partition(".")[0], through
        through = name if name in ("importlib.util", "importlib.metadata") else through
        frame = frame.f_back
    return "", through


class Torch:
    """Finds karat where this file is, and torch and torch.x as karat and karat.x. torch is a module of its own, and so is
    torch.version; the modules below are Karat's own, their specs kept."""

    def find_spec(self, name, path=None, target=None):
        if name == "karat":
            return PathFinder.find_spec(name, [PACKAGES])
        if name != "functorch" and name != "torch" and not name.startswith("torch."):
            return None
        asker, through = _asker()
        if asker in PROBERS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        try:
            module = _served(name)
        except ImportError as e:
            if not (e.name or "").startswith("karat"):
                raise
            if through:
                return None
            why = "PyTorch may have it, karat does not (yet)"
            if name == "torch" and e.name not in ("karat", "karat._karat"):
                raise  # the extension is there: a file of the package is not
            if name == "torch":
                why = f"karat was not built for {sys.executable} ({sys.implementation.cache_tag})"
            raise ModuleNotFoundError(f"No module named {name!r}: {why}", name=name) from None
        spec = ModuleSpec(name, self, is_package=hasattr(module, "__path__"))
        spec.loader_state, spec.origin, spec.has_location = (module, module.__spec__), module.__file__, True
        return spec

    def create_module(self, spec):
        return None if spec.name in ("torch", "torch.version") else spec.loader_state[0]

    def exec_module(self, module):
        served, own_spec = module.__spec__.loader_state
        if module is served:
            module.__spec__ = own_spec
        elif module.__name__ == "torch":
            _become_torch(module, served)
        else:
            vars(module).update({**vars(served), "__name__": module.__name__, "__spec__": module.__spec__,
                                 "__version__": TORCH_VERSION})
        _name_as_torch()

    def find_distributions(self, context=None):
        """importlib.metadata.version("torch")"""
        if context is None or context.name != "torch" or _asker()[0] in PROBERS:
            return []
        from importlib.metadata import Distribution

        class OfTorch(Distribution):
            def read_text(self, filename):
                return f"Metadata-Version: 2.1\nName: torch\nVersion: {TORCH_VERSION}\n" if filename == "METADATA" else None

            def locate_file(self, path):
                return f"{PACKAGES}/karat/{path}"

        return [OfTorch()]


def _served(name):
    """karat.x for torch.x. What lies beside it and is not PyTorch's is no part of torch."""
    missing = import_module("karat._missing")
    parts = name.split(".")[name.startswith("torch"):]  # functorch stands beside torch
    if parts and parts[0] != "functorch" and not missing.is_module(".".join(parts)):
        raise ModuleNotFoundError(name="karat." + parts[0])
    return import_module(".".join(["karat", *parts]))


_named = set()


def _name_as_torch():
    """Classes and functions of Karat's modules say that they are torch's: type(layer) is shown so, and pickled so."""
    missing = import_module("karat._missing")
    for name, module in list(sys.modules.items()):
        if not name.startswith("karat.") or name in _named:
            continue
        _named.add(name)
        path = name[len("karat."):]
        home = "func" if path.startswith("func.") else missing.HOMES.get(path, path if missing.is_module(path) else None)
        public = missing.names_of(path) | set(vars(module).get("__all__", ()))
        for key, value in vars(module).items():
            if not isinstance(value, (type, FunctionType, BuiltinFunctionType)):
                continue
            if value.__module__ == name and home is not None:
                _name_all(value, name, "torch." + home if home else "torch")
            elif key in public:
                _name_public(value, key, "torch." + path)


def _name_all(value, name, home):
    """A class with its methods, or a function."""
    value.__module__ = home
    if not isinstance(value, type):
        return
    for member in vars(value).values():
        function = getattr(member, "__func__", member)  # of a static or class method
        if isinstance(function, FunctionType) and function.__module__ == name:
            function.__module__ = home


def _name_public(value, name, home):
    """What a file of Karat's own has made and `home` shows under its own name is said to be of there."""
    if value.__name__ == name and (value.__module__ or "").partition(".")[0] == "karat":
        try:
            value.__module__ = home
        except TypeError:  # a type that is written in C keeps its name
            pass


def _become_torch(torch, karat):
    missing = import_module("karat._missing")
    missing.shown, public, own = "torch", missing.names_of(""), vars(torch)
    version = import_module("karat.torch_version")
    for kind, home in ((karat.Tensor, ""), (karat.OutOfMemoryError, ""),
                       (karat.AcceleratorError, ""), (karat.finfo, ""), (karat.iinfo, ""),
                       (karat.linalg.LinAlgError, "._C"), (version.TorchVersion, ".torch_version")):
        kind.__module__ = "torch" + home
    karat._karat.name_types_of_torch()
    for name, value in vars(karat).items():
        beside = name in karat._karat.functions or isinstance(value, type(sys))
        if name.startswith("_") or name in public or not beside:
            own.setdefault(name, value)
    for name, method in vars(karat.Tensor).items():
        if isinstance(method, FunctionType) and method.__module__ == "karat":
            method.__module__ = "torch"
    _name_as_torch()
    for name in public & own.keys():
        if isinstance(own[name], (type, FunctionType, BuiltinFunctionType)):
            _name_public(own[name], name, "torch")
    torch.torch = torch
    torch.__version__ = version.TorchVersion(TORCH_VERSION)
    torch.__file__, torch.__path__ = karat.__file__, []  # a package; what is in it is asked for above
    for name, module in list(sys.modules.items()):
        package, _, part = name.partition(".")
        if package == "karat" and part.split(".")[0] in public and part != "version":
            sys.modules.setdefault("torch." + part, module)
    torch.version = import_module("torch.version")
    missing.after_import = _name_as_torch


def _go_on():
    """The user's own sitecustomize, which this one stands before."""
    sys.path[:] = [folder for folder in sys.path if folder != FOLDER]
    this = sys.modules.pop(__name__)
    try:
        import_module(__name__)
    except ModuleNotFoundError as e:
        if e.name != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, this)  # importlib wants to find it there


sys.meta_path.insert(0, Torch())
_go_on()
