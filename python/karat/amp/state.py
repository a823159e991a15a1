"""state.py - autocast's state on this thread, as torch's functions read and set it. The engine keeps that of the devices it
knows, CUDA's always; of others it is kept here, where it changes nothing."""

import threading
import warnings

from .. import _karat
from .._karat import device as _device
from .._karat import dtype as _dtype

_bf16, _f16 = _karat.dtypes["bfloat16"], _karat.dtypes["float16"]
_DEFAULTS = {"cpu": _bf16, "hpu": _bf16, "xla": _bf16, "maia": _bf16}
_KINDS = "cpu cuda ipu xpu mps hpu mtia maia xla privateuseone".split()
_elsewhere = threading.local()


def has_cuda():
    """Is there a CUDA device?"""
    from .. import cuda

    return cuda.is_available()


def is_here(device_type):
    """Does the engine keep the state of autocast for these devices?"""
    try:
        _karat.get_autocast(device_type)
    except (AssertionError, RuntimeError):
        return False
    return True


def _checked(device_type, function):
    if not isinstance(device_type, str):
        raise TypeError(f"{function}(): argument 'device_type' (position 1) must be str, not {type(device_type).__name__}")
    return _device(device_type).type  # an unknown name is an error


def get(device_type):
    """(is autocast on, the dtype it lowers to)"""
    if is_here(device_type):
        return _karat.get_autocast(device_type)
    if device_type not in _KINDS:
        raise RuntimeError("unsupported scalarType" if device_type == "meta" else
                           f"unknown device type for autocast in get_autocast_dispatch_key_from_device_type: {device_type}")
    return vars(_elsewhere).get(device_type, (False, _DEFAULTS.get(device_type, _f16)))


def put(device_type, enabled, dtype):
    if is_here(device_type):
        _karat.set_autocast(device_type, enabled, dtype)
    else:
        get(device_type)
        vars(_elsewhere)[device_type] = enabled, dtype


def is_autocast_available(device_type):
    """Does PyTorch have autocast for devices of this type? Whether one is here is another question."""
    kind = _checked(device_type, "is_autocast_available")
    return kind in _KINDS or (kind != "meta" and is_here(kind))


def is_autocast_enabled(device_type=None):
    """Is autocast on for this device type? By default for CUDA."""
    return get("cuda" if device_type is None else _checked(device_type, "is_autocast_enabled"))[0]


def is_any_autocast_on(device_type):
    """Is autocast on for this device type, or for any that PyTorch knows?"""
    return any(get(kind)[0] for kind in {device_type, *_KINDS} - {"meta"})


def set_autocast_enabled(device_type, enabled=None):
    """Turns autocast on or off for a device type. With one argument: for CUDA."""
    if enabled is None and not isinstance(device_type, str):
        device_type, enabled = "cuda", device_type
    kind = _checked(device_type, "set_autocast_enabled")
    if not isinstance(enabled, bool):
        raise TypeError(f"set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not {type(enabled).__name__}")
    put(kind, enabled, get(kind)[1])


def get_autocast_dtype(device_type):
    """The dtype that autocast lowers to on this device type."""
    return get(_checked(device_type, "get_autocast_dtype"))[1]


def set_autocast_dtype(device_type, dtype):
    """Sets the dtype that autocast lowers to on this device type."""
    kind = _checked(device_type, "set_autocast_dtype")
    if not isinstance(dtype, _dtype):
        raise TypeError(f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type(dtype).__name__}")
    put(kind, get(kind)[0], dtype)


def is_autocast_cache_enabled():
    """Are casts of weights kept until the outermost region ends?"""
    return _karat.get_autocast_cache()


def set_autocast_cache_enabled(enabled):
    """Casts of weights are kept, or not."""
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    _karat.set_autocast_cache(enabled)


def autocast_increment_nesting():
    """A region is entered; how many are."""
    return _karat.autocast_enter()


def autocast_decrement_nesting():
    """A region is left; how many are."""
    return _karat.autocast_leave()


def clear_autocast_cache():
    """Drops the kept casts."""
    _karat.autocast_clear_cache()


def _old(name, shown, instead, function):
    def called(*args):
        warnings.warn(f"torch.{shown} is deprecated. Please use torch.{instead} instead.", DeprecationWarning, stacklevel=2)
        return function(*args)

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"The same as {instead}."
    return called


def _of_one_kind(short, kind):
    """The old functions of one device type."""

    def made(name, argument, function):
        call = f"{name.replace(f'_{short}', '')}('{kind}'{', ' + argument if argument else ''})"
        return _old(name, f"{name}({argument})", call, lambda *args: function(kind, *args))

    of_dtype = {f"get_autocast_{short}_dtype": made(f"get_autocast_{short}_dtype", "", get_autocast_dtype),
                f"set_autocast_{short}_dtype": made(f"set_autocast_{short}_dtype", "dtype", set_autocast_dtype)}
    if short == "gpu":  # is_autocast_enabled() asks for it
        return of_dtype
    return {**of_dtype, f"is_autocast_{short}_enabled": made(f"is_autocast_{short}_enabled", "", is_autocast_enabled),
            f"set_autocast_{short}_enabled": made(f"set_autocast_{short}_enabled", "enabled", set_autocast_enabled)}


NAMES = {one.__name__: one for one in (
    is_autocast_enabled, set_autocast_enabled, get_autocast_dtype, set_autocast_dtype, is_autocast_cache_enabled,
    set_autocast_cache_enabled, autocast_increment_nesting, autocast_decrement_nesting, clear_autocast_cache)}
for _short, _kind in (("cpu", "cpu"), ("gpu", "cuda"), ("ipu", "ipu"), ("xla", "xla")):
    NAMES.update(_of_one_kind(_short, _kind))
globals().update(NAMES)  # pickle looks for them here
