"""karat._utils: the few names of PyTorch's private module that other packages import."""

import sys
import traceback

from . import _karat, _missing


class _Unquoted(str):
    """A message that KeyError shows as it is."""

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """An exception that was caught in one place, as text, to be raised in another: of a thread, a worker, a device."""

    def __init__(self, exc_info=None, where="in background"):
        kind, value, trace = exc_info or sys.exc_info()
        self.exc_type, self.where = kind, where
        self.exc_msg = "".join(traceback.format_exception(kind, value, trace))

    def reraise(self):
        """Raises it, with where it was caught and its traceback there in its message."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = _Unquoted(text)
        try:
            again = self.exc_type(message=text) if getattr(self.exc_type, "message", None) else self.exc_type(text)
        except Exception:  # a class that wants other arguments
            again = RuntimeError(text)
        raise again


def _element_size(dtype):
    """Bytes of one element."""
    return dtype.itemsize


def _flatten_dense_tensors(tensors):
    """All elements, concatenated in one dim."""
    return _karat.functions["cat"]([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """Views of a flat tensor with the sizes of the given ones."""
    views, at = [], 0
    for t in tensors:
        views.append(flat.narrow(0, at, t.numel()).view_as(t))
        at += t.numel()
    return tuple(views)


def _rebuild_tensor(storage, storage_offset, size, stride):
    """Called by unpickling a file of torch.save: a tensor in a TypedStorage."""
    return _placed_in(storage, storage.dtype, storage_offset, size, stride, None)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """The same with requires_grad, and what its numbers are (conj, neg)."""
    made = _placed_in(storage, storage.dtype, storage_offset, size, stride, metadata)
    return made.requires_grad_() if requires_grad else made


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    """The same with the dtype beside."""
    made = _placed_in(storage, dtype, storage_offset, size, stride, metadata)
    return made.requires_grad_() if requires_grad else made


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    """Called by unpickling a file of torch.save: a tensor without memory."""
    return _karat.functions["empty_strided"](size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    """Called by unpickling: a Parameter of this tensor."""
    from .nn.parameter import Parameter

    made = Parameter(data, requires_grad)
    if backward_hooks:
        made._backward_hooks = backward_hooks
    return made


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    """The same with attributes."""
    from .copying import set_state

    return set_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _placed_in(storage, dtype, offset, size, stride, metadata):
    from .copying import _placed
    from .typed_storage import TypedStorage, _elements

    memory = storage._untyped_storage if isinstance(storage, TypedStorage) else storage
    t = _placed(_elements(memory, dtype), dtype, size, stride, offset)
    for turn, lazy in (("conj", "conj"), ("neg", "_neg_view")):
        if metadata and metadata.get(turn):
            t = _karat.functions[lazy](t)
    _karat.lineage_loaded(t, "torch.load")
    return t


def _get_available_device_type():
    """The kind of the accelerator, for instance "cuda"; None: there is none."""
    from . import accelerator

    return accelerator.current_accelerator().type if accelerator.is_available() else None


def _get_device_module(device_type):
    """torch.cuda for "cuda"."""
    from importlib import import_module

    return import_module(f"karat.{device_type}")


def _get_device_index(device, optional=False, allow_cpu=False):
    """The index of a device that is given as a number, a text or a torch.device; optional: None is the current one."""
    if isinstance(device, int):
        return device
    if device is None and optional:
        from . import accelerator

        return accelerator.current_device_index()
    device = _karat.device(device) if isinstance(device, str) else device
    kind = getattr(device, "type", None)
    if kind == "cpu" and allow_cpu:
        return -1
    if kind in (None, "cpu") or (device.index is None and not optional):
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return 0 if device.index is None else device.index


def is_compiling():
    """Always False: nothing is compiled."""
    return False


__getattr__ = _missing.of(__name__)
