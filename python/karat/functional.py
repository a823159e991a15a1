"""karat.functional: functions whose Python arguments differ from those of their row: varargs, optional results, dims in two
forms."""

import contextlib

from . import _karat
from .asking import asked

_rows = _karat.functions


def _listed(tensors):
    """f(a, b) and f([a, b]) are the same."""
    return tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors


@asked
def broadcast_tensors(*tensors):
    """Tensors broadcast to their common shape."""
    return _rows["broadcast_tensors"](tensors)


@asked
def meshgrid(*tensors, indexing=None):
    """Coordinate grids from 1-dim tensors."""
    return _rows["meshgrid"](_listed(tensors), **({} if indexing is None else {"indexing": indexing}))


def _at_least(name):
    """f(a) returns one tensor, f(a, b) and f([a, b]) several."""
    row = _rows[name]

    def at_least(*tensors):
        return row(_listed(tensors) if len(tensors) != 1 else tensors[0])

    at_least.__name__ = at_least.__qualname__ = name
    at_least.__doc__ = row.__doc__
    return asked(at_least)


atleast_1d, atleast_2d, atleast_3d = map(_at_least, ("atleast_1d", "atleast_2d", "atleast_3d"))


@asked
def block_diag(*tensors):
    """Block diagonal matrix."""
    return _rows["block_diag"](tensors)


@asked
def cartesian_prod(*tensors):
    """Cartesian product of 1-dim tensors, one combination per row."""
    return _rows["cartesian_prod"](tensors)


@asked
def chain_matmul(*matrices, out=None):
    """Product of several matrices, in the order with the fewest operations."""
    _karat.warn_once("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
                     "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than "
                     "multiple parameters.")
    return _rows["chain_matmul"](matrices, **({} if out is None else {"out": out}))


@asked
def tensordot(a, b, dims=2, out=None):
    """Tensor contraction over the last `dims` dims of a and the first of b, or over the pairs of dims in two lists."""
    if hasattr(dims, "tolist"):
        if dims.numel() > 1 and dims.shape[0] != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {dims.shape[0]}")
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, (list, tuple)):
        first, second = ([d] if isinstance(d, int) else list(d) for d in dims)
    else:
        if not isinstance(dims, int):
            raise RuntimeError("tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing "
                               f"two lists, but got dims={dims}")
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    return _rows["tensordot"](a, b, first, second, **({} if out is None else {"out": out}))


def _letter(subscript):
    if subscript is Ellipsis:
        return "..."
    if not 0 <= subscript < 52:
        raise ValueError("einsum(): subscripts in subscript list are not within the valid range [0, 52)")
    return chr(ord("A") + subscript) if subscript < 26 else chr(ord("a") + subscript - 26)


@asked
def einsum(*args):
    """einsum("ij,jk->ik", a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2]): Einstein summation."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
        )
    if not isinstance(args[0], _karat.Tensor):
        return _rows["einsum"](args[0], _listed(args[1:]))
    lists = ["".join(map(_letter, s)) for s in args[1::2]]
    equation = ",".join(lists)
    if len(args) % 2:
        equation += "->" + "".join(map(_letter, args[-1]))
    return _rows["einsum"](equation, args[: len(args) // 2 * 2 : 2])


def _into_list(name, shown):
    """A row that returns a list, with out=: writes into the given tensors and returns None."""
    row, store = _rows[name], _rows["alias_copy"]
    arguments = ("self", "input", "split_size", "split_sizes", "dim")

    def into_list(*args, out=None, **options):
        if out is not None and not isinstance(out, (tuple, list)):
            with contextlib.suppress(RuntimeError, IndexError):  # an argument before out= has the wrong type
                row(*args, **{key: options[key] for key in options if key in arguments})
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        parts = row(*args, **options)
        if out is None:
            return parts
        if len(out) != len(parts):
            raise RuntimeError(f"{shown} expected an out= argument of size {len(parts)}, got size {len(out)}")
        pairs = list(zip(parts, out))
        # Mismatched dtypes first: fail before any write.
        for part, target in sorted(pairs, key=lambda pair: pair[0].dtype == pair[1].dtype):
            store(part, out=target)

    into_list.__name__ = into_list.__qualname__ = name
    into_list.__doc__ = row.__doc__
    return into_list


split_copy = _into_list("split_copy", "split_copy_Tensor_out()")
split_with_sizes_copy = _into_list("split_with_sizes_copy", "split_with_sizes_copy_out")
unbind_copy = _into_list("unbind_copy", "unbind_copy_int_out()")


def nonzero(input, *, out=None, as_tuple=False):
    """Indices of nonzero elements: one row per element, or with as_tuple one tensor per dim."""
    if not isinstance(as_tuple, bool):
        raise TypeError(f"nonzero(): argument 'as_tuple' must be bool, not {type(as_tuple).__name__}")
    if as_tuple and out is not None:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    if as_tuple:
        return _rows["nonzero_numpy"](input)
    return _rows["nonzero"](input) if out is None else _rows["nonzero"](input, out=out)


def _nonzero(self, *, as_tuple=False):
    """Indices of nonzero elements."""
    return nonzero(self, as_tuple=as_tuple)


_nonzero.__name__, _nonzero.__qualname__, _nonzero.__module__ = "nonzero", "Tensor.nonzero", "karat"
_karat.Tensor.nonzero = _nonzero


def _asked(results, inverse, counts):
    """The requested ones of (values, inverse, counts): the values alone, or a tuple that begins with them."""
    some = tuple(t for t, wanted in zip(results, (True, inverse, counts)) if wanted)
    return some if len(some) > 1 else some[0]


@asked
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Sorted unique values (or slices of a dim), optionally with inverse indices and counts."""
    options = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    results = _rows["_unique2"](input, **options) if dim is None else _rows["unique_dim"](input, dim, **options)
    return _asked(results, return_inverse, return_counts)


@asked
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Consecutive duplicates removed, optionally with inverse indices and counts."""
    results = _rows["unique_consecutive"](input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)
    return _asked(results, return_inverse, return_counts)


_karat.Tensor.unique = unique
_karat.Tensor.unique_consecutive = unique_consecutive


@asked
def unravel_index(indices, shape):
    """Coordinates of flat (row-major) indices, one tensor per dim of the shape."""
    if not isinstance(shape, (int, list, tuple, str)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    return tuple(_rows["unravel_index"](indices, tuple(map(int, shape))))


@asked
def lu(A, pivot=True, get_infos=False, out=None):
    """LU factors of matrices in one tensor, the rows exchanged, and with get_infos where a pivot is 0."""
    results = _rows["_lu_with_info"](A, pivot=pivot, check_errors=not get_infos)
    results = results if get_infos else tuple(results[:2])
    if out is None:
        return results
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    for target, result in zip(out, results):
        target.resize_as_(result).copy_(result)
    return out


def _lu(self, pivot=True, get_infos=False):
    """LU factors of matrices in one tensor, the rows exchanged."""
    return tuple(lu(self, pivot, get_infos))


_lu.__name__, _lu.__qualname__, _lu.__module__ = "lu", "Tensor.lu", "karat"
_karat.Tensor.lu = _lu

_MODES = {"use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2}


@asked
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Pairwise p-norm distances between the rows of x1 and x2."""
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return _rows["cdist"](x1, x2, p, _MODES[compute_mode])


def __getattr__(name):
    """What PyTorch has both here and in torch."""
    if name not in ("align_tensors", "broadcast_shapes", "istft", "norm", "pca_lowrank", "split", "stft", "svd_lowrank"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(__package__), name)
