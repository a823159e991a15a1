"""karat.profiler: what a program's calls did, and for how long."""

from .. import _missing
from ..autograd.profiler import _ExperimentalConfig, kineto_available, record_function  # noqa: F401
from ..autograd.profiler_util import DeviceType  # noqa: F401
from . import profiler  # noqa: F401
from .profiler import (  # noqa: F401
    ExecutionTraceObserver,
    ProfilerAction,
    ProfilerActivity,
    RecordScope,
    _KinetoProfile,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = ["profile", "schedule", "supported_activities", "tensorboard_trace_handler", "ProfilerAction", "ProfilerActivity",
           "kineto_available", "DeviceType", "record_function"]

__getattr__ = _missing.of(__name__)
