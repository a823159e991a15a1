"""dense.py - what a tensor answers to questions about sparse, quantized, nested and named ones: tensors are dense here, and
answer as PyTorch's dense ones do. Making a tensor of another layout is refused by name.
"""

import warnings

from . import _karat
from ._karat import Tensor
from ._refused import function as _refused

_NO_SPARSE = "tensors are dense here: there are no sparse layouts"
_NO_NAMES = "dims have no names here"


def _expected(name, layout):
    """A method of tensors of that layout, called on a strided one."""

    def method(self):
        raise RuntimeError(f"{name} expected {layout} tensor layout but got Strided")

    method.__doc__ = f"Of {layout} tensors; there are none, and a dense one has no {name}."
    return name, method


def _elsewhere(name, kind):
    """A method that PyTorch has no kernel of for dense tensors."""

    def method(self, *args, **keywords):
        raise NotImplementedError(f"Could not run 'aten::{name}' with arguments from the '{self.device.type.upper()}' backend. "
                                  f"It is an operator of {kind} tensors, and this one is dense.")

    method.__doc__ = f"Of {kind} tensors; there are none."
    return name, method


def _on_sparse(self, *args, **keywords):
    """Of sparse tensors; there are none."""
    raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")


def sparse_dim(self):
    """0: no dim is sparse."""
    return 0


def dense_dim(self):
    """How many dims are dense: all of them."""
    return self.dim()


def to_dense(self, dtype=None, *, masked_grad=None):
    """The tensor itself, or converted to the dtype."""
    return self if dtype is None else self.to(dtype)


def dequantize(self):
    """Its values in float32."""
    return self.to(_karat.dtypes["float32"])


def _resized(self, name, sizes):
    warnings.warn(f"non-inplace {name} is deprecated", stacklevel=3)
    count = 1
    for size in sizes:
        count *= size
    if count != self.numel():
        raise RuntimeError(f"requested resize to {'x'.join(map(str, sizes))} ({count} elements in total), but the given tensor "
                           f"has a size of {'x'.join(map(str, self.shape))} ({self.numel()} elements). autograd's resize can "
                           "only change the shape of a given tensor, while preserving the number of elements. ")
    return self.contiguous().view(sizes)


def resize(self, *sizes):
    """Deprecated: reshape."""
    return _resized(self, "resize", sizes)


def resize_as(self, tensor):
    """Deprecated: reshape to the sizes of a tensor."""
    return _resized(self, "resize_as", tuple(tensor.size()))


def _without_names(name, names, rename_map):
    if rename_map or names != (None,):
        raise NotImplementedError(f"torch.Tensor.{name}: {_NO_NAMES}")


def rename(self, *names, **rename_map):
    """rename(None): a view. Other names are refused: dims have no names here."""
    _without_names("rename", names, rename_map)
    return self.view_as(self)


def rename_(self, *names, **rename_map):
    """rename_(None): itself. Other names are refused."""
    _without_names("rename_", names, rename_map)
    return self


def ipu(self, *args, **keywords):
    """There are no such devices."""
    raise RuntimeError("PyTorch is not linked with support for ipu devices")


def xpu(self, *args, **keywords):
    """There are no such devices."""
    raise AssertionError("Torch not compiled with XPU enabled")


def mtia(self, *args, **keywords):
    """There are no such devices."""
    raise AssertionError("Torch not compiled with MTIA enabled. Ensure you have `import "
                         "mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
                         "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!")


_METHODS = {
    **dict(_expected(name, layout) for name, layout in (
        ("values", "sparse"), ("indices", "sparse coordinate"), ("coalesce", "sparse coordinate"),
        ("is_coalesced", "sparse coordinate"), ("crow_indices", "sparse row compressed"),
        ("col_indices", "sparse row compressed"), ("ccol_indices", "sparse column compressed"),
        ("row_indices", "sparse column compressed"))),
    **dict(_elsewhere(name, "sparse") for name in """_values _indices _nnz _dimI _dimV sparse_mask sparse_resize_
        sparse_resize_and_clear_ resize_as_sparse_""".split()),
    "sspaddmm": _on_sparse,
    **dict(_elsewhere(name, "quantized") for name in """q_scale q_zero_point qscheme int_repr q_per_channel_scales
        q_per_channel_zero_points q_per_channel_axis""".split()),
    **dict([_elsewhere("to_padded_tensor", "nested")]),
    **{name: _refused(f"karat.Tensor.{name}", _NO_SPARSE) for name in """to_sparse to_sparse_coo to_sparse_csr to_sparse_csc
        to_sparse_bsr to_sparse_bsc""".split()},
    "_make_wrapper_subclass": _refused("karat.Tensor._make_wrapper_subclass", "a tensor has memory of its own here, and there is "
                                       "no __torch_dispatch__ that could calculate for it"),
    "to_mkldnn": _refused("karat.Tensor.to_mkldnn", "tensors keep their layout; oneDNN is given them as they are"),
    **{name: _refused(f"karat.Tensor.{name}", _NO_NAMES) for name in ("refine_names", "align_to", "align_as")},
    **{one.__name__: one for one in (sparse_dim, dense_dim, to_dense, dequantize, resize, resize_as, rename, rename_, ipu, xpu,
                                     mtia)},
}
for _name, _method in _METHODS.items():
    _method.__name__, _method.__qualname__, _method.__module__ = _name, f"Tensor.{_name}", "karat"
    setattr(Tensor, _name, _method)
Tensor.smm = Tensor.sspaddmm
