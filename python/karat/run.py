"""run.py - `karat run`: a script, a module or a line of code with `import torch`, and every torch.* that Karat has, served
by Karat.

What runs is __main__, with its own sys.argv and sys.path[0]; a traceback begins with its first frame, as with python.
Libraries that merely ask whether torch is there (PROBERS) find it absent unless the user's code has imported it.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TORCH_VERSION = "2.11.0"
USAGE = """usage: karat run script.py [arguments]
       karat run -m module [arguments]
       karat run -c code [arguments]
       karat run - [arguments]           the script comes from standard input"""

# They work without torch, and import it only to support its tensors: what they would do with it is not the user's program.
PROBERS = frozenset(
    """IPython PIL altair array_api_compat bokeh cloudpickle cupy dask datasets dill h5py hypothesis imageio jax joblib
    matplotlib ml_dtypes networkx numba numexpr numpy opt_einsum pandas plotly polars psutil pyarrow pytest rich scipy
    seaborn skimage sklearn statsmodels sympy tensorflow tqdm typeguard xarray""".split()
)


def _importer():
    """The top package of the code that is importing; "" where it has no name."""
    frame = sys._getframe(2)
    while frame and frame.f_globals.get("__name__", "").startswith(("importlib", "_frozen_importlib")):
        frame = frame.f_back
    return (frame.f_globals.get("__name__") or "").partition(".")[0] if frame else ""


class _Torch:
    """Finds torch and torch.x as karat and karat.x. torch is a module of its own (its version is PyTorch's); the modules
    below it are Karat's own, their specs kept."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch" and not name.startswith("torch."):
            return None
        if _importer() in PROBERS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        try:
            module = import_module("karat" + name[len("torch"):])
        except ModuleNotFoundError as e:
            if e.name and e.name.startswith("karat"):
                raise ModuleNotFoundError(f"No module named '{name}': PyTorch may have it, karat does not (yet)",
                                          name=name) from None
            raise
        spec = ModuleSpec(name, self, is_package=hasattr(module, "__path__"))
        spec.loader_state, spec.origin, spec.has_location = (module, module.__spec__), module.__file__, True
        return spec

    def create_module(self, spec):
        return None if spec.name == "torch" else spec.loader_state[0]

    def exec_module(self, module):
        karat, own_spec = module.__spec__.loader_state
        if module is karat:
            module.__spec__ = own_spec
            return
        own = vars(module)
        for name, value in vars(karat).items():
            own.setdefault(name, value)
        module.__version__, module.__file__ = TORCH_VERSION, karat.__file__
        module.__path__ = list(karat.__path__)


def install():
    """From now on `import torch` is karat."""
    karat, missing = import_module("karat"), import_module("karat._missing")
    missing.shown = "torch"
    for kind in (karat.Tensor, karat.finfo, karat.iinfo):
        kind.__module__ = "torch"
    karat._karat.name_types_of_torch()
    sys.meta_path.insert(0, _Torch())


def _main_module(path):
    from types import ModuleType

    script = ModuleType("__main__")
    script.__builtins__ = sys.modules["builtins"]
    if path is not None:
        script.__file__, script.__cached__ = path, None
    sys.modules["__main__"] = script
    return script


def _execute(source, name, path):
    """Compile and run as __main__; the exit status. Frames of this file are not the user's to see."""
    script = _main_module(path)
    try:
        code = compile(source, name, "exec")
    except (SyntaxError, ValueError) as e:
        sys.excepthook(type(e), e.with_traceback(None), None)
        return 1
    try:
        exec(code, script.__dict__)
    except SystemExit:
        raise
    except BaseException as e:
        trace = e.__traceback__.tb_next
        sys.excepthook(type(e), e.with_traceback(trace), trace)
        return 130 if isinstance(e, KeyboardInterrupt) else 1
    return 0


def run_script(argv):
    """argv[0] is the script's path, the rest its arguments."""
    import os

    path = argv[0]
    if os.path.isdir(path):
        path = os.path.join(path, "__main__.py")
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as e:
        print(f"karat: can't open file {path!r}: [Errno {e.errno}] {e.strerror}", file=sys.stderr)
        return 2
    sys.argv, sys.path[0] = argv, os.path.dirname(os.path.abspath(path))
    return _execute(source, path, path)


def run_text(source, argv):
    """Code given on the command line (argv[0] is "-c") or by standard input ("-")."""
    sys.argv, sys.path[0] = argv, ""
    return _execute(source, "<string>" if argv[0] == "-c" else "<stdin>", None)


def run_module(argv):
    """argv[0] is the module's name."""
    import os
    import runpy

    sys.argv, sys.path[0] = ["-m", *argv[1:]], os.getcwd()
    runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
    return 0


def run(words):
    """What follows `karat run`; the exit status."""
    if not words or words[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        return 0 if words else 2
    if words[0] in ("-c", "-m") and len(words) < 2:
        print(f"karat run: {words[0]} wants an argument\n{USAGE}", file=sys.stderr)
        return 2
    install()
    if words[0] == "-c":
        return run_text(words[1], ["-c", *words[2:]])
    if words[0] == "-m":
        return run_module(words[1:])
    if words[0] == "-":
        return run_text(sys.stdin.buffer.read(), words)
    return run_script(words)


def main(arguments):
    if not arguments or arguments[0] != "run":
        print(USAGE, file=sys.stderr)
        return 2
    return run(arguments[1:])


def command():
    """The console script `karat` of an installed package."""
    raise SystemExit(main(sys.argv[1:]))
