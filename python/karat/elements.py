"""elements.py - Tensor.apply_, map_ and map2_: a function of Python for each element, in place; and functions that PyTorch has
removed, which say what takes their place.
"""

import math
from operator import index

from . import _karat
from ._karat import Tensor


def _integer(value):
    return index(value) if isinstance(value, str) else int(value)  # a text is no number, even if one is written in it


def _real(value):
    return math.ldexp(value, 0)


def _complex(value):
    return _real(value) if isinstance(value, str) else complex(value)


def _as_element(dtype):
    """What makes an element of that dtype of the function's result."""
    if dtype is _karat.dtypes["bool"]:
        return lambda value: bool(_integer(value))
    if dtype.is_complex:
        return _complex
    return _real if dtype.is_floating_point else _integer


def _set(self, name, function, *others):
    if any(isinstance(one, Tensor) and one.requires_grad for one in (self, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    for i, other in enumerate(others):
        where = "other" if len(others) == 1 else "xy"[i]
        if not isinstance(other, Tensor):
            raise TypeError(f"{name}(): argument '{where}' (position {i + 1}) must be Tensor, not {type(other).__name__}")
        if other.dtype is not self.dtype:
            raise TypeError(f"{name}: expected {self.type()} for '{where}' (got {other.type()})")
    others = [other.expand(self.shape) for other in others]
    if self.is_meta or self.numel() == 0:
        return self
    element, columns = _as_element(self.dtype), [one.flatten().tolist() for one in (self, *others)]
    made = [element(function(*values)) for values in zip(*columns)]
    self.copy_(_karat.tensor(made, dtype=self.dtype).view(self.shape))
    return self


def apply_(self, callable):
    """Each element becomes callable(element). Slow: for a few elements, on the CPU."""
    return _set(self, "apply_", callable)


def map_(self, tensor, callable):
    """Each element becomes callable(element, that of the tensor)."""
    return _set(self, "map_", callable, tensor)


def map2_(self, x, y, callable):
    """Each element becomes callable(element, that of x, that of y)."""
    return _set(self, "map2_", callable, x, y)


def _removed(name, text):
    def function(*args, **keywords):
        raise RuntimeError(f"This function was deprecated since version 1.9 and is now removed.{text}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Removed by PyTorch; torch.linalg has its like.{text}"
    function.__module__ = "karat"
    return function


NAMES = {name: _removed(name, text) for name, text in {
    "symeig": " The default behavior has changed from using the upper triangular portion of the matrix by default to using the "
              "lower triangular portion.\n\nUse torch.linalg.eigvalsh(A, UPLO='U') or torch.linalg.eigh(A, UPLO='U').",
    "eig": " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking "
           "complex tensors.\n\nUse torch.linalg.eigvals(A) or torch.linalg.eig(A).",
    "solve": " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and "
             "does not return the LU factorization.\n\nUse torch.linalg.solve(A, B).",
    "lstsq": " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\nUse torch.linalg.lstsq(A, B).solution.",
    "matrix_rank": "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
                   "`torch.linalg.matrix_rank()` to 'hermitian'.",
}.items()}

for _method in (apply_, map_, map2_, *(NAMES[name] for name in ("symeig", "eig", "solve", "lstsq"))):
    setattr(Tensor, _method.__name__, _method)
for _method in (apply_, map_, map2_):
    _method.__qualname__, _method.__module__ = f"Tensor.{_method.__name__}", "karat"
