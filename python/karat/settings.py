"""settings.py - PyTorch's process-wide settings: threads, determinism, denormals, matmul precision."""

from . import _karat

_warn_only = {"asked": False}  # kept while the mode is off, as in PyTorch


def use_deterministic_algorithms(mode, *, warn_only=False):
    """On the CPU Karat is always deterministic (the same bits for any number of threads), on a GPU but for sums at indices and
    for grid_sample's gradient: the former then have one order, the latter fails or warns, and so does put_, which PyTorch calls
    nondeterministic. Uninitialized memory is filled."""
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(f"_set_deterministic_algorithms(): argument {name} must be bool, not {type(value).__name__}")
    _warn_only["asked"] = warn_only
    _karat.set_deterministic((1 if warn_only else 2) if mode else 0)


def are_deterministic_algorithms_enabled():
    """Is deterministic mode on?"""
    return _karat.get_deterministic() > 0


def is_deterministic_algorithms_warn_only_enabled():
    """Was it last set with warn_only=True?"""
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
    """Returns False: denormal numbers are never flushed."""
    return False


def get_float32_matmul_precision():
    """How float32 matrix products are computed: "highest", "high" or "medium"."""
    return _karat.get_float32_matmul_precision()


def set_float32_matmul_precision(precision):
    """Sets it; any other value is a warning, as in PyTorch."""
    if precision not in ("highest", "high", "medium"):
        from warnings import warn

        warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the call has no effect.", UserWarning, 2)
        return
    _karat.set_float32_matmul_precision(precision)


def get_num_interop_threads():
    """Always 1: operators do not run in parallel with each other."""
    return 1


def set_num_interop_threads(n):
    """Accepted without effect."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(n).__name__}")
    if n < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    if n >= 1 << 31:
        raise ValueError("Overflow when unpacking long")


def compiled_with_cxx11_abi():
    """Always True."""
    return True


def is_vulkan_available():
    """Always False."""
    return False


def get_device_module(device=None):
    """The module of a device kind: karat.cpu for "cpu"; without a device that of the accelerator, or of the CPU."""
    from importlib import import_module

    kind = (_karat.accelerator() or _karat.device("cpu") if device is None else _karat.device(device)).type
    try:
        return import_module(f"karat.{kind}")
    except ModuleNotFoundError:
        pass
    if _karat.device_count(kind) and kind != "meta":
        from . import _device

        return _device.make(kind)
    raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'.")


def get_default_device():
    """The device of new tensors when none is given."""
    return _karat.get_default_device()


def set_default_device(device):
    """set_default_device("meta"): for this thread from now on; None resets it to the CPU."""
    _karat.set_default_device(None if device is None else _karat.device(device))


def set_vital(module_name, attribute_name, value):
    """False: facts about a run are not collected for PyTorch's makers."""
    return False


def read_vitals():
    """The facts that set_vital kept: none."""
    return ""


NAMES = {name: value for name, value in globals().items() if callable(value) and not name.startswith("_")}
