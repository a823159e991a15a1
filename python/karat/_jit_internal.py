"""karat._jit_internal: marks for PyTorch's compiler. Nothing is compiled: functions stay as they are."""

from . import _refused
from .compiler import is_compiling as is_scripting  # noqa: F401
from .jit import export, ignore, unused  # noqa: F401


def _copy_to_script_wrapper(fn):
    """The function itself."""
    return fn


__getattr__ = _refused.names_of(__name__)
