"""karat._utils: the few names of PyTorch's private module that other packages import."""

from . import _karat, _missing


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


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """Called by unpickling a file of torch.save: a tensor in a storage (its bytes, and their dtype)."""
    memory, dtype = storage
    return _rebuild_tensor_v3((memory, None), storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata)


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    """The same with the dtype beside."""
    from .copying import _placed

    t = _placed(storage[0], dtype, size, stride, storage_offset)
    _karat.lineage_loaded(t, "torch.load")
    return t.requires_grad_(requires_grad)


def is_compiling():
    """Always False: nothing is compiled."""
    return False


__getattr__ = _missing.of(__name__)
