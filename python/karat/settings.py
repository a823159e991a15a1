"""settings.py - switches of the process that PyTorch has: threads, determinism, denormals, precision of products."""

from . import _karat

_warn_only = {"asked": False}  # remembered while the mode is off, as PyTorch does


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Ask for deterministic algorithms. Karat has no others (the same bits for any number of threads), so that this refuses
    or warns of what PyTorch calls nondeterministic, and fills memory that nobody has written."""
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(f"_set_deterministic_algorithms(): argument {name} must be bool, not {type(value).__name__}")
    _warn_only["asked"] = warn_only
    _karat.set_deterministic((1 if warn_only else 2) if mode else 0)


def are_deterministic_algorithms_enabled():
    """Were they asked for?"""
    return _karat.get_deterministic() > 0


def is_deterministic_algorithms_warn_only_enabled():
    """Were they last asked for with warn_only=True?"""
    return _warn_only["asked"]


def set_deterministic_debug_mode(debug_mode):
    """"default" (0), "warn" (1) or "error" (2)."""
    modes = ("default", "warn", "error")
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in modes:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}")
        debug_mode = modes.index(debug_mode)
    if not 0 <= debug_mode <= 2:
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode():
    """0, 1 or 2."""
    return _karat.get_deterministic()


def set_flush_denormal(mode):
    """False: denormal numbers are never flushed here, they are part of the dtype."""
    return False


def get_float32_matmul_precision():
    """How float32 matrix products are computed: "highest", "high" or "medium"."""
    return _karat.get_float32_matmul_precision()


def set_float32_matmul_precision(precision):
    """Set it; another word is a warning, as in PyTorch."""
    if precision not in ("highest", "high", "medium"):
        from warnings import warn

        warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the call has no effect.", UserWarning, 2)
        return
    _karat.set_float32_matmul_precision(precision)


def get_num_interop_threads():
    """Operators do not run beside one another here: 1."""
    return 1


def set_num_interop_threads(n):
    """Taken and without effect."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(n).__name__}")
    if n < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def compiled_with_cxx11_abi():
    """There is no C++ here that could have another: True."""
    return True


def is_vulkan_available():
    """Is there a Vulkan device? No."""
    return False


def get_device_module(device=None):
    """The module that answers for a kind of device: karat.cpu for "cpu"."""
    from importlib import import_module

    kind = "cpu" if device is None else _karat.device(device).type
    try:
        return import_module(f"karat.{kind}")
    except ModuleNotFoundError:
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'.") from None


def get_default_device():
    """Where makers put tensors when no device is given."""
    return _karat.get_default_device()


def set_default_device(device):
    """set_default_device("meta"): from now on on this thread; None: the CPU again."""
    _karat.set_default_device(None if device is None else _karat.device(device))



NAMES = {name: value for name, value in globals().items() if callable(value) and not name.startswith("_")}
