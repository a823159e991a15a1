"""karat.utils._python_dispatch: __torch_dispatch__, refused: operators run in C. __torch_function__ is there."""

from .. import _missing

_WHY = "operators run in C and do not call Python; use __torch_function__ of a subclass, or torch.profiler"


class TorchDispatchMode:
    """A class that programs derive from; refused when it is entered."""

    def __init__(self, _dispatch_key=None):
        pass

    def __enter__(self):
        raise NotImplementedError(f"torch.utils._python_dispatch.TorchDispatchMode: {_WHY}")

    def __exit__(self, *error):
        return None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError


BaseTorchDispatchMode = TorchDispatchMode


def is_traceable_wrapper_subclass(t):
    """False: no subclass wraps tensors for a compiler."""
    return False


def is_traceable_wrapper_subclass_type(t):
    """False: no subclass wraps tensors for a compiler."""
    return False


def is_in_torch_dispatch_mode(include_infra_modes=True):
    """False: no mode can be entered."""
    return False


def _get_current_dispatch_mode():
    """None: no mode can be entered."""
    return None


def _get_current_dispatch_mode_stack():
    """No modes."""
    return []


def _len_torch_dispatch_stack():
    """No modes."""
    return 0


def return_and_correct_aliasing(func, args, kwargs, out):
    """The result itself: views are views."""
    return out


__getattr__ = _missing.of(__name__)
