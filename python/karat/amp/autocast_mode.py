"""autocast_mode.py - regions in which operators choose their dtypes by class, and custom functions under them."""

import functools
import warnings
from contextlib import ContextDecorator

from .. import _karat
from .._karat import Tensor, device as _device, dtype as _dtype
from . import _report, state
from .state import is_autocast_available

__all__ = ["autocast_decorator", "autocast", "is_autocast_available", "custom_fwd", "custom_bwd"]

_bf16, _f16 = _karat.dtypes["bfloat16"], _karat.dtypes["float16"]


def autocast_decorator(autocast_instance, func):
    """The function, run inside the region."""
    return autocast_instance(func)


class autocast(ContextDecorator):
    """A region, as a context or a decorator, in which operators on one type of device choose their dtypes by class: matrix
    products run in a narrow float, what needs the range in float32, the others as their inputs come.
    `print(karat.amp.lists)` lists the classes.

    >>> with torch.autocast("cpu", dtype=torch.bfloat16):
    ...     y = net(x)

    dtype: bfloat16 or float16; by default bfloat16 on the CPU, float16 on other devices. enabled=False: operators run as without
    autocast. cache_enabled: a weight is cast once, however often it is used, until the outermost region ends or the weight is
    written to. Meta tensors are cast as those of device_type are, whether there is such a device here or not (PyTorch leaves them
    alone)."""

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = state.get_autocast_dtype(device_type) if dtype is None else dtype
        self._kind = _device(device_type).type
        if not state.has_autocast(self._kind):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        if device_type == "privateuseone":
            raise AssertionError("Tried to use AMP with the `privateuseone` backend, but the backend has not registered a module "
                                 "or  the module miss some necessary funcs. The backend should register a module by "
                                 "`torch._register_device_module`, and the module must have these funcs: \n"
                                 "`get_amp_supported_dtype() -> List[torch.dtype]`. \n")
        self.device = device_type
        self._cache_enabled = state.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled if not enabled or self._is_supported() else False
        # meta tensors stand for the devices that were asked for, here or not
        self._meta = self._kind if self._enabled or (enabled and self._kind == "cuda") else None
        self._not_entered()

    def _not_entered(self):
        self._before = []
        self._seen = _report.Seen()

    def __getstate__(self):  # what a region has that is not entered, by PyTorch's names
        own = {name: one for name, one in self.__dict__.items() if name not in ("_kind", "_meta", "_before", "_seen")}
        return {**own, "custom_backend_name": "privateuseone"}

    def __setstate__(self, given):
        self.__dict__.update(given)
        self._kind = _device(self.device).type
        self._meta = self._kind if self._enabled else None
        self._not_entered()

    def _is_supported(self):
        if self.device == "cuda" and not state.has_cuda():
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=3)
            return False
        if self.device == "cuda" or self.fast_dtype in (_bf16, _f16):
            return True
        shown = self.device.upper()
        warnings.warn(f"In {shown} autocast, but the target dtype is not supported. Disabling autocast.\n"
                      f"{shown} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.", stacklevel=3)
        return False

    def __enter__(self):
        if not isinstance(self.fast_dtype, _dtype):
            raise TypeError("set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not "
                            f"{type(self.fast_dtype).__name__}")
        if not isinstance(self._enabled, bool):
            raise TypeError("set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not "
                            f"{type(self._enabled).__name__}")
        state.check_bool(self._cache_enabled)
        self._before.append((state.get(self._kind), state.is_autocast_cache_enabled(), _karat.get_autocast_meta()))
        state.put(self._kind, self._enabled, self.fast_dtype)
        _karat.set_autocast_meta(self._meta if state.is_here(self._kind) else None)
        _karat.autocast_enter()
        _karat.set_autocast_cache(self._cache_enabled)
        self._seen.enter()
        return self

    def __exit__(self, kind, error, trace):
        if not self._before:
            raise AttributeError("'autocast' object has no attribute 'prev'")
        self._seen.leave()
        before, cache, meta = self._before.pop()
        _karat.autocast_leave()
        state.put(self._kind, *before)
        _karat.set_autocast_meta(meta)
        _karat.set_autocast_cache(cache)
        return False

    def report(self):
        """What ran inside so far, as text: each operator with its dtype and class, each conversion with its line, and what looks
        like a mistake: weights of 16 bits, backward inside the region, float16 without a scaler, a scaler without autocast,
        gradients that are clipped before they are unscaled."""
        return _report.text(self)


def _enter_autocast(*values):
    """A region that is entered, for what cannot write `with`."""
    region = autocast(*values)
    region.__enter__()
    return region


def _exit_autocast(region):
    region.__exit__(None, None, None)


def _casting(device_type, dtype):
    """A function that casts a tensor of that device, and those inside a container, if they hold floating numbers; but float64."""
    def cast(value):
        if isinstance(value, Tensor):
            stays = value.device.type != device_type or value.dtype is _karat.dtypes["float64"] or not value.is_floating_point()
            return value if stays else value.to(dtype)
        if isinstance(value, dict):
            return dict(cast([*value.items()]))
        return type(value)(map(cast, value)) if isinstance(value, (list, tuple)) else value

    return cast


def _cast(value, device_type, dtype):
    """What _casting makes of a value; libraries call it."""
    return _casting(device_type, dtype)(value)


def _decorator(decorate, function, device_type):
    """decorate of the function; without one decorate itself, for the function that is still to come."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    return decorate if function is None else decorate(function)


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """For the forward of an autograd.Function under autocast. cast_inputs: floating inputs are cast to it and forward runs
    without autocast; without it forward runs as the caller does, and custom_bwd lets backward do the same."""

    def decorate(forward):
        @functools.wraps(forward)
        def run(ctx, *args, **kwargs):
            enabled, ctx._dtype = state.is_autocast_enabled(device_type), state.get_autocast_dtype(device_type)
            ctx._fwd_used_autocast = enabled and cast_inputs is None
            if ctx._fwd_used_autocast or not enabled:
                return forward(ctx, *args, **kwargs)
            args, kwargs = _casting(device_type, cast_inputs)((args, kwargs))
            with autocast(device_type, enabled=False):
                return forward(ctx, *args, **kwargs)

        return run

    return _decorator(decorate, fwd, device_type)


def custom_bwd(bwd=None, *, device_type):
    """For the backward of an autograd.Function: it runs with autocast as its forward did."""

    def decorate(backward):
        @functools.wraps(backward)
        def run(ctx, *grads, **kwargs):
            with autocast(device_type, ctx._dtype, ctx._fwd_used_autocast):
                return backward(ctx, *grads, **kwargs)

        return run

    return _decorator(decorate, bwd, device_type)
