"""karat._dynamo: what programs tell PyTorch's compiler. Nothing is compiled: marks have no effect, functions stay as they are."""

import contextlib
import sys
import types

from . import _refused
from .compiler import allow_in_graph, assume_constant_result, disable, is_compiling, reset  # noqa: F401


class _Config(types.ModuleType):
    """PyTorch's settings of the compiler: what is set can be read again, and has no effect."""

    cache_size_limit = recompile_limit = 8
    suppress_errors = verbose = capture_scalar_outputs = False

    @contextlib.contextmanager
    def patch(self, changes=(), **more):
        """Settings for a scope, or for a function as a decorator: patch(name=value), or patch("name", value) as a dict."""
        changes = {**dict(changes), **more}
        before = {name: getattr(self, name, None) for name in changes}
        vars(self).update(changes)
        try:
            yield
        finally:
            vars(self).update(before)


config = sys.modules[f"{__name__}.config"] = _Config(f"{__name__}.config")
config.__file__ = __file__


def _no_effect(*args, **keywords):
    """No effect: nothing is compiled."""


mark_dynamic = maybe_mark_dynamic = mark_static = mark_static_address = mark_unbacked = graph_break = _no_effect

__path__ = []  # a package: what lies below is refused
__getattr__ = _refused.names_of(__name__)
