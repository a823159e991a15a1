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
_ALWAYS = ("cpu", "cuda")
_elsewhere = threading.local()


def has_cuda():
    """Is there a CUDA device?"""
    from .. import cuda

    return cuda.is_available()


def is_here(kind):
    """Does the engine keep the state of autocast for these devices?"""
    if kind in _ALWAYS:
        return True
    try:
        _karat.get_autocast(kind)
    except (AssertionError, RuntimeError):
        return False
    return True


def _type_name(value):
    return {_device: "torch.device", _dtype: "torch.dtype"}.get(type(value), type(value).__name__)


def _checked(device_type, function):
    if not isinstance(device_type, str):
        raise TypeError(f"{function}(): argument 'device_type' (position 1) must be str, not {_type_name(device_type)}")
    return _device(device_type).type  # an unknown name is an error


def _is_on(kind):
    if is_here(kind):
        return _karat.get_autocast(kind)[0]
    if kind not in _KINDS:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return vars(_elsewhere).get(("on", kind), False)


def _dtype_of(kind):
    if is_here(kind):
        return _karat.get_autocast(kind)[1]
    known = vars(_elsewhere).get(("dtype", kind))
    if known is None and kind not in _KINDS:
        raise RuntimeError("unsupported scalarType")
    return known or _DEFAULTS.get(kind, _f16)


def get(kind):
    """(is autocast on, the dtype it lowers to)"""
    return _karat.get_autocast(kind) if is_here(kind) else (_is_on(kind), _dtype_of(kind))


def put(kind, enabled, dtype):
    """Sets both."""
    if is_here(kind):
        _karat.set_autocast(kind, enabled, dtype)
    else:
        vars(_elsewhere).update({("on", kind): enabled, ("dtype", kind): dtype})


def has_autocast(kind):
    """Of devices of this type."""
    return kind in _KINDS or (kind != "meta" and is_here(kind))


def is_autocast_available(device_type):
    """Does PyTorch have autocast for devices of this type? Whether one is here is another question."""
    return has_autocast(_checked(device_type, "_is_autocast_available"))


def is_autocast_enabled(device_type="cuda"):
    """Is autocast on for this device type? By default for CUDA."""
    return _is_on(_checked(device_type, "is_autocast_enabled"))


def is_any_autocast_on(device_type):
    """Is autocast on for this device type, or for any that PyTorch knows?"""
    return any(get(kind)[0] for kind in {device_type, *_KINDS} - {"meta"})


def set_autocast_enabled(*args, **kwargs):
    """set_autocast_enabled(device_type, enabled) turns autocast on or off for a device type; with one argument for CUDA."""
    args += tuple(kwargs.pop(name) for name in ("device_type", "enabled") if name in kwargs)
    if len(args) not in (1, 2) or kwargs:
        given = ", ".join(map(_type_name, args))
        raise TypeError(f"set_autocast_enabled() received an invalid combination of arguments - got ({given}), but expected one "
                        "of:\n * (str device_type, bool enabled)\n * (bool enabled)\n")
    kind = _checked(args[0], "set_autocast_enabled") if len(args) == 2 else "cuda"
    if not isinstance(args[-1], bool):
        raise TypeError(f"set_autocast_enabled(): argument 'enabled' (position {len(args)}) must be bool, not "
                        f"{_type_name(args[-1])}")
    _is_on(kind)  # an error where there is no autocast
    put(kind, args[-1], _dtype_of(kind))


def get_autocast_dtype(device_type):
    """The dtype that autocast lowers to on this device type."""
    return _dtype_of(_checked(device_type, "get_autocast_dtype"))


def set_autocast_dtype(device_type, dtype):
    """Sets the dtype that autocast lowers to on this device type."""
    kind = _checked(device_type, "set_autocast_dtype")
    if not isinstance(dtype, _dtype):
        raise TypeError(f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {_type_name(dtype)}")
    put(kind, kind in _KINDS and _is_on(kind), dtype)


def is_autocast_cache_enabled():
    """Are casts of weights kept until the outermost region ends?"""
    return _karat.get_autocast_cache()


def set_autocast_cache_enabled(enabled):
    """Casts of weights are kept, or not."""
    check_bool(enabled)
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


def _old(name, shown, instead, function, check):
    def called(*args):
        if len(args) != (check is not None):
            raise TypeError(f"torch.{name}() takes {'exactly one argument' if check else 'no arguments'} ({len(args)} given)")
        if check:
            check(*args)
        warnings.warn(f"torch.{shown} is deprecated. Please use torch.{instead} instead.", DeprecationWarning, stacklevel=2)
        return function(*args)

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"The same as {instead}."
    return called


def check_bool(enabled):
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {_type_name(enabled)})")


def _check_dtype(dtype):
    if not isinstance(dtype, _dtype):
        raise TypeError(f"dtype must be a torch.dtype (got {_type_name(dtype)})")


def _of_one_kind(short, kind):
    """The old functions of one device type."""

    def made(name, argument, function):
        call = f"{name.replace(f'_{short}', '')}('{kind}'{', ' + argument if argument else ''})"
        check = {"enabled": check_bool, "dtype": _check_dtype}.get(argument)
        return _old(name, f"{name}({argument})", call, lambda *args: function(kind, *args), check)

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
