"""run.py - run a script with `import torch`, and every torch.* that Karat has, served by Karat.

The script is __main__, with its own sys.argv and sys.path[0]; a traceback begins with its first frame, as with python.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TORCH_VERSION = "2.11.0"
USAGE = "usage: python -m karat run script.py [arguments]"


class _Alias:
    """Finds torch and torch.x as karat and karat.x: the same module objects, their own specs kept."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch" and not name.startswith("torch."):
            return None
        try:
            module = import_module("karat" + name[len("torch"):])
        except ModuleNotFoundError as e:
            if e.name and e.name.startswith("karat"):
                raise ModuleNotFoundError(f"No module named '{name}': PyTorch may have it, karat does not (yet)",
                                          name=name) from None
            raise
        spec = ModuleSpec(name, self, is_package=hasattr(module, "__path__"))
        spec.loader_state = (module, module.__spec__)
        return spec

    def create_module(self, spec):
        return spec.loader_state[0]

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state[1]


def install():
    """From now on `import torch` is karat."""
    karat = import_module("karat")
    karat.__version__ = TORCH_VERSION
    karat.Tensor.__module__ = "torch"
    sys.meta_path.insert(0, _Alias())


def run_script(argv):
    """Run argv[0] as __main__ with these arguments; the exit status."""
    import os
    from types import ModuleType

    path = argv[0]
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as e:
        print(f"karat: can't open file {path!r}: [Errno {e.errno}] {e.strerror}", file=sys.stderr)
        return 2
    script = ModuleType("__main__")
    script.__file__, script.__builtins__, script.__cached__ = path, __builtins__, None
    sys.argv, sys.path[0], sys.modules["__main__"] = argv, os.path.dirname(os.path.abspath(path)), script
    install()
    try:
        exec(compile(source, path, "exec"), script.__dict__)
    except SystemExit:
        raise
    except BaseException as e:
        trace = e.__traceback__.tb_next  # the frame of this file
        sys.excepthook(type(e), e.with_traceback(trace), trace)
        return 130 if isinstance(e, KeyboardInterrupt) else 1
    return 0


def main(arguments):
    if len(arguments) < 2 or arguments[0] != "run":
        print(USAGE, file=sys.stderr)
        return 2
    return run_script(arguments[1:])
