"""karat.cuda.memory: the memory of CUDA devices."""

from .. import _missing
from . import (  # noqa: F401
    get_per_process_memory_fraction, set_per_process_memory_fraction, empty_cache, memory_stats,
    memory_stats_as_nested_dict, reset_accumulated_memory_stats, reset_peak_memory_stats, reset_max_memory_allocated,
    reset_max_memory_cached, memory_allocated, max_memory_allocated, memory_reserved, max_memory_reserved,
    memory_cached, max_memory_cached, memory_summary, mem_get_info, get_allocator_backend, host_memory_stats,
    host_memory_stats_as_nested_dict, reset_accumulated_host_memory_stats, reset_peak_host_memory_stats, memory_snapshot,
    list_gpu_processes,
)

__all__ = [
    "get_per_process_memory_fraction", "set_per_process_memory_fraction", "empty_cache", "memory_stats",
    "memory_stats_as_nested_dict", "reset_accumulated_memory_stats", "reset_peak_memory_stats",
    "reset_max_memory_allocated", "reset_max_memory_cached", "memory_allocated", "max_memory_allocated",
    "memory_reserved", "max_memory_reserved", "memory_cached", "max_memory_cached", "memory_summary", "mem_get_info",
    "get_allocator_backend", "host_memory_stats", "host_memory_stats_as_nested_dict", "reset_accumulated_host_memory_stats",
    "reset_peak_host_memory_stats", "memory_snapshot", "list_gpu_processes",
]

__getattr__ = _missing.of(__name__)
