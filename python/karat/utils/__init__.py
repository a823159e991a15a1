"""karat.utils: benchmark, checkpoint, collect_env, data, deterministic, dlpack, flop_counter, hooks, tensorboard and others;
swap_tensors.
"""

from .. import _missing
from . import deterministic, dlpack  # noqa: F401


def swap_tensors(t1, t2):
    """The two objects exchange their tensors, with class, attributes, gradient and history: t1 is what t2 was."""
    t1._swap(t2)


def set_module(obj, mod):
    """Sets the module that an object says it is of."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def get_cpp_backtrace(frames_to_skip=0, maximum_number_of_frames=64):
    """Empty: there is no C++."""
    return ""


cmake_prefix_path = ""  # there are no files of CMake beside the package; `make install` has them

__getattr__ = _missing.of(__name__, lazy="""_pytree benchmark checkpoint collect_env cpp_extension data flop_counter hooks
    model_zoo module_tracker tensorboard weak""".split())
