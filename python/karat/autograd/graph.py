"""karat.autograd.graph: the recorded graph, and what it keeps for backward."""

from .. import _karat, _missing
from .._karat import Node  # noqa: F401


class saved_tensors_hooks:
    """In its block, what calls keep for backward goes through pack_hook; unpack_hook gives it back when backward needs it."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
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


def increment_version(tensor):
    """The tensor's memory, or that of each, was written to by other means than an operator: backward is not to use it."""
    for one in (tensor,) if isinstance(tensor, _karat.Tensor) else tensor:
        _karat.increment_version(one)


__getattr__ = _missing.of(__name__)
