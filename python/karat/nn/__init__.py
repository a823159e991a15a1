"""karat.nn: layers and losses, their parameters and first values, functional, utils, and the ways of attention."""

from .. import _missing
from . import _reduction, attention, common_types, functional, grad, init, modules, parallel, parameter, utils  # noqa: F401
from .modules import *  # noqa: F401,F403
from .parallel import DataParallel  # noqa: F401
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter  # noqa: F401


def factory_kwargs(kwargs):
    """The device, dtype and memory_format of keyword arguments, given by name or in the dict factory_kwargs."""
    if kwargs is None:
        return {}
    unknown = kwargs.keys() - {"device", "dtype", "memory_format", "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    made = dict(kwargs.get("factory_kwargs", {}))
    for name in ("device", "dtype", "memory_format"):
        if name in kwargs:
            if name in made:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            made[name] = kwargs[name]
    return made


__getattr__ = _missing.of(__name__)
