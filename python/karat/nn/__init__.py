"""karat.nn: layers and losses, their parameters and first values, functional, utils, and the ways of attention."""

from .. import _missing
from . import _reduction, attention, common_types, functional, grad, init, modules, parallel, parameter, utils  # noqa: F401
from .modules import *  # noqa: F401,F403
from .parallel import DataParallel  # noqa: F401
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter  # noqa: F401

functional.grad = grad  # it needs functional to be there

_FACTORY = dict.fromkeys(["device", "dtype", "memory_format"])  # in the order of complaints


def factory_kwargs(kwargs):
    """The device, dtype and memory_format of keyword arguments, given by name or in the dict factory_kwargs."""
    by_name = dict(kwargs or {})
    made = dict(by_name.pop("factory_kwargs", {}))
    unknown = by_name.keys() - _FACTORY
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    for name in _FACTORY:
        if name in by_name and name in made:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
    return made | by_name


__getattr__ = _missing.of(__name__)
