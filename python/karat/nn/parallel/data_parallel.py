"""karat.nn.parallel.data_parallel: DataParallel, which calls its module."""

from ..modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """Calls the module: there are no copies of it on several devices."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = [] if device_ids is None else list(device_ids)
        if len(self.device_ids) > 1:
            raise NotImplementedError(f"DataParallel on several devices is not supported; got device_ids={self.device_ids}")
        if self.device_ids:
            self.dim = dim
            self.output_device = self.device_ids[0] if output_device is None else output_device

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """DataParallel of the module, called once."""
    inputs = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*inputs, **(module_kwargs or {}))
