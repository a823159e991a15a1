"""karat._C._profiler: where PyTorch keeps the profiler's enumerations and settings."""

from .. import _missing
from ..autograd.profiler import _ExperimentalConfig  # noqa: F401
from ..profiler.profiler import ProfilerActivity, RecordScope  # noqa: F401

__getattr__ = _missing.of(__name__)
