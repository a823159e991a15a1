"""karat.autograd.graph: the recorded graph, and what it keeps for backward."""

import abc
import contextlib
import threading
from collections import namedtuple

from .. import _karat, _missing
from .function import BackwardCFunction

__all__ = [
    "saved_tensors_hooks",
    "save_on_cpu",
    "disable_saved_tensors_hooks",
    "register_multi_grad_hook",
    "allow_mutation_on_saved_tensors",
    "Node",
    "GradientEdge",
    "get_gradient_edge",
    "increment_version",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class Node(abc.ABC):
    """What made a tensor, as the tape recorded it: what grad_fn shows. isinstance(t.grad_fn, Node) is true of every node."""

    @abc.abstractmethod
    def name(self):
        """PyTorch's name of the node: MulBackward0."""

    @property
    @abc.abstractmethod
    def next_functions(self):
        """What made its inputs: a tuple of (node, which of its results)."""

    @abc.abstractmethod
    def metadata(self):
        """A dict for the user's notes."""

    @property
    @abc.abstractmethod
    def _input_metadata(self):
        """The forms of its results."""

    @abc.abstractmethod
    def register_hook(self, fn):
        """fn(grad_inputs, grad_outputs) runs after the node; a tuple that it returns replaces grad_inputs."""

    @abc.abstractmethod
    def register_prehook(self, fn):
        """fn(grad_outputs) runs before the node; a tuple that it returns replaces them."""

    @abc.abstractmethod
    def _sequence_nr(self):
        """Backward runs nodes with larger numbers first."""

    @classmethod
    def __subclasshook__(cls, subclass):
        return issubclass(subclass, (_karat.Node, BackwardCFunction)) if cls is Node else NotImplemented


GradientEdge = namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"], defaults=[None])
GradientEdge.__doc__ = """Where a gradient arrives: a node, and which of its results. backward() and grad() take it for a tensor.

ownership_token keeps the node of a torch.autograd.Function alive."""
_karat.set_edge_class(GradientEdge)


def get_gradient_edge(tensor):
    """The GradientEdge at which the tensor's gradient arrives."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*_karat.gradient_edge(tensor))


class _MultiHandle:
    """What ends a hook of several tensors."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.remove()


def _when_any(tensors, fn):
    lock, ran = threading.Lock(), [None]  # the run of backward that it was called in

    def one(grad):
        run = _karat.backward_id()
        with lock:
            if run == ran[0]:
                return
            ran[0] = run
        fn(grad)

    return [t.register_hook(one) for t in tensors if t.requires_grad]


def _when_all(tensors, fn):
    nodes = [_karat.gradient_edge(t)[0] if t.requires_grad else None for t in tensors]
    lock, runs = threading.Lock(), {}  # by run of backward: [how many gradients it brings, how many have come, the gradients]

    def at(i):
        def one(grad):
            run = _karat.backward_id()
            with lock:
                if run not in runs:
                    runs[run] = [sum(_karat.backward_runs(n) for n in nodes), 0, [None] * len(nodes)]
                state = runs[run]
                state[1] += 1
                state[2][i] = grad
                if state[1] != state[0]:
                    return
                del runs[run]
            fn(state[2])

        return one

    return [t.register_hook(at(i)) for i, t in enumerate(tensors)]


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """fn(gradients) runs in backward when the gradients of all these tensors that it computes are complete, None for the others;
    with mode="any", fn(gradient) when the first is. What fn returns is ignored."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = tuple(tensors)
    if mode == "all" and not all(t.requires_grad for t in tensors):
        raise AssertionError("Expected gradient function to be set")
    return _MultiHandle((_when_all if mode == "all" else _when_any)(tensors, fn))


class saved_tensors_hooks:
    """In its block, what calls keep for backward goes through pack_hook; unpack_hook gives it back when backward needs it."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if not callable(self.pack_hook) or not callable(self.unpack_hook):
            raise TypeError("_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types "
                            f"are supported:\n    two functions\nInvoked with: {self.pack_hook!r}, {self.unpack_hook!r}")
        _karat.push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args):
        _karat.pop_saved_hooks()


class save_on_cpu(saved_tensors_hooks):
    """In its block, what calls keep for backward is kept in the CPU's memory."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        def pack(tensor):
            kept = tensor.cpu()
            return tensor.device, kept.pin_memory() if pin_memory and kept is not tensor else kept

        super().__init__(pack, lambda packed: packed[1].to(packed[0], non_blocking=pin_memory))


class disable_saved_tensors_hooks:
    """In its block, saved_tensors_hooks raises a RuntimeError with this text. A decorator, too."""

    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        self.before = _karat.refuse_saved_hooks(self.error_message)

    def __exit__(self, *args):
        _karat.refuse_saved_hooks(self.before)

    def __call__(self, function):
        from functools import wraps

        @wraps(function)
        def inside(*args, **kwargs):
            with disable_saved_tensors_hooks(self.error_message):
                return function(*args, **kwargs)

        return inside


class _AllowMutationOnSavedContext:
    """What allow_mutation_on_saved_tensors gives to its block."""

    def clear(self):
        """Forgets what was kept so far: backward through the graph that was recorded in the block is over."""
        _karat.mutation_clear()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """In its block, what calls keep for backward may be written to in place: it is copied before. Backward belongs into the
    block, too."""
    _karat.mutation_begin()
    try:
        yield _AllowMutationOnSavedContext()
    finally:
        _karat.mutation_end()


def increment_version(tensor):
    """The tensor's memory, or that of each, was written to by other means than an operator: backward is not to use it."""
    if not hasattr(tensor, "__iter__"):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for one in (tensor,) if isinstance(tensor, _karat.Tensor) else tensor:
        _karat.increment_version(one)


def set_warn_on_accumulate_grad_stream_mismatch(enabled):
    """Accepted: backward waits for the stream that a gradient was made on, and has nothing to warn of."""
    if not isinstance(enabled, bool):
        raise RuntimeError(f"enabled must be a bool, but got {type(enabled).__name__}")


__getattr__ = _missing.of(__name__)
