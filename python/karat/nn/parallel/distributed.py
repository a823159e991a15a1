"""karat.nn.parallel.distributed: DistributedDataParallel, which is refused when it is made."""

from ... import _missing
from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Refused: there are no process groups."""

    def __init__(self, module, *args, **kwargs):
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


__getattr__ = _missing.of(__name__)
