"""karat.cuda.graphs: work of CUDA devices that is recorded once and run again."""

from . import (  # noqa: F401
    CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing, make_graphed_callables,
)

__all__ = [
    "CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables",
]
