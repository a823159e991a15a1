"""karat.nn.utils.init: a module without first values."""

import inspect

from ..modules.module import Module


def skip_init(module_cls, *args, **kwargs):
    """A module of this class whose parameters hold whatever memory holds: it is made on the meta device, then moved."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    made = module_cls(*args, **{**kwargs, "device": "meta"})
    return made.to_empty(device=kwargs.get("device", "cpu"))
