"""karat.utils: benchmark, checkpoint, collect_env, data, deterministic, dlpack, flop_counter, hooks, tensorboard and others;
swap_tensors.
"""

import weakref

from .. import _missing
from .._karat import Tensor
from . import deterministic, dlpack  # noqa: F401


def _poisoned(grads):
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run backward "
        "on a tensor that was swapped. For a module m with `torch.__future__.set_swap_module_params_on_conversion(True)` you "
        "should not change the device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and "
        "backward. To resolve this, please only change the device/dtype before running forward (or after both forward and "
        "backward).")


def _check_owners(t, name):
    """Nobody but its object may own a tensor that is swapped, or a graph that has not saved it: such a graph ends with an
    error."""
    owners = t._use_count()
    if owners < 2:
        return
    if owners == 2:
        from ..autograd.graph import get_gradient_edge

        node = get_gradient_edge(t).node
        if node.name() == "torch::autograd::AccumulateGrad" and t._use_count() == 2:  # it is the other owner, and not new
            node.register_prehook(_poisoned)
            return
    raise RuntimeError(f"Expected use_count of {name} to be 1 or 2 with an AccumulateGrad node but got {owners} make sure you "
                       f"are not holding references to the tensor in other places.")


def swap_tensors(t1, t2):
    """The two objects exchange their tensors, with class, attributes, gradient and history: t1 is what t2 was."""
    if all(isinstance(t, Tensor) and not weakref.getweakrefcount(t) for t in (t1, t2)):
        _check_owners(t1, "t1")
        _check_owners(t2, "t2")
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
