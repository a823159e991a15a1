"""indices.py - the index tensors of PyTorch's sparse layouts, which libraries compute with dense tensors."""

from . import _karat

_rows = _karat.functions


def _convert_indices_from_coo_to_csr(input, size, *, out_int32=False):
    """Where each row begins in a sorted list of row numbers: size + 1 places."""
    begins = _rows["arange"](size + 1, dtype=input.dtype, device=input.device)
    return _rows["searchsorted"](input, begins, out_int32=out_int32)


def _convert_indices_from_csr_to_coo(crow_indices, col_indices, *, out_int32=False, transpose=False):
    """[row numbers, col_indices], or the other way round, of places where rows begin."""
    dtype = _karat.dtypes["int32" if out_int32 else "int64"]
    counts = _rows["diff"](crow_indices)
    rows = _rows["arange"](counts.numel(), dtype=dtype, device=counts.device).repeat_interleave(counts)
    pair = [rows, col_indices.to(dtype)]
    return _rows["stack"](pair[::-1] if transpose else pair)


def _shape_as_tensor(self):
    """The sizes as a tensor."""
    return _karat.tensor(self.shape, dtype=_karat.dtypes["int64"])


_segment_reduce = _rows["segment_reduce"]
NAMES = {name: value for name, value in globals().items()
         if name.startswith(("_convert_indices", "_shape_as", "_segment"))}
