"""graphs.py - work of a device that is captured once and replayed."""

import gc
import itertools

from .. import _karat
from .kind import Kind
from .streams import _dummy

_pools = itertools.count(1)


class CUDAGraph(_karat.Graph):
    """CUDAGraph(keep_graph=False): the work between capture_begin and capture_end, and again at every replay."""

    _kind = None

    def __new__(cls, keep_graph=False):
        _dummy(cls._kind, "_CUDAGraph")
        return super().__new__(cls)

    def __init__(self, keep_graph=False):
        self._pool = (0, next(_pools))

    def capture_begin(self, pool=None, capture_error_mode="global"):
        """This thread's work on the current stream is recorded, not done."""
        if capture_error_mode not in ("global", "thread_local", "relaxed"):
            raise RuntimeError("Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got "
                               f"{capture_error_mode}")
        self._begin(self._kind._device())
        self._pool = pool or self._pool

    def capture_end(self):
        """The recording ends; replay does its work."""
        self._end()

    def pool(self):
        """A token for the pool= of other graphs. Every graph keeps its own memory."""
        return self._pool


class graph:
    """with graph(g): the work of the scope is captured into g, on a stream of its own unless one is given."""

    _kind = None
    default_capture_stream = None

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global"):
        cls = type(self)
        if stream is None:
            if cls.default_capture_stream is None:
                cls.default_capture_stream = self._kind.Stream()
            stream = cls.default_capture_stream
        self.cuda_graph, self.pool, self.capture_stream = cuda_graph, pool, stream
        self.capture_error_mode = capture_error_mode

    def __enter__(self):
        self._kind.synchronize()
        gc.collect()
        self._kind.empty_cache()
        self.capture_stream.__enter__()
        try:
            self.cuda_graph.capture_begin(pool=self.pool, capture_error_mode=self.capture_error_mode)
        except BaseException:
            self.capture_stream.__exit__()
            raise

    def __exit__(self, *error):
        try:
            self.cuda_graph.capture_end()
        finally:
            self.capture_stream.__exit__(*error)


class Graphs(Kind):
    """The functions of captures."""

    def __init__(self, name):
        super().__init__(name)
        self.CUDAGraph = self._class("CUDAGraph", CUDAGraph, {})
        self.graph = self._class("graph", graph, {})

    def is_current_stream_capturing(self):
        """Is this thread's work recorded?"""
        return _karat.is_capturing()

    def make_graphed_callables(self, callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None):
        """Functions or modules whose work, forward and back, is captured on samples and replayed on what they are called with."""
        from .graphed import make

        return make(self, callables, sample_args, num_warmup_iters, pool, allow_unused_input=allow_unused_input)

    def graph_pool_handle(self):
        """A token for the pool= of graphs. Every graph keeps its own memory."""
        return 0, next(_pools)
