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


def is_compiling():
    """Always False: nothing is compiled."""
    return False


__getattr__ = _missing.of(__name__)
