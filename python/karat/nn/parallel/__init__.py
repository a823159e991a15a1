"""karat.nn.parallel: one process and one device. DataParallel calls its module; DistributedDataParallel is refused."""

from ... import _missing
from .data_parallel import DataParallel, data_parallel
from .distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]

__getattr__ = _missing.of(__name__, lazy=["comm", "parallel_apply", "replicate", "scatter_gather"],
                          inside={name: "nn.parallel.scatter_gather" for name in ("gather", "scatter")})
