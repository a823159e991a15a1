"""karat.testing: assert_close, with PyTorch's messages; make_tensor (drawing.py)."""

from . import _karat, _missing
from .drawing import make_tensor  # noqa: F401
from ._karat import Tensor

_TOLERANCES = {  # dtype: relative, absolute
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex32": (1e-3, 1e-5), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}


class _Different(Exception):
    """A mismatch, and the path to it."""

    def __init__(self, text, kind=AssertionError, final=False):
        super().__init__(text)
        self.text, self.path, self.kind = text, (), kind
        self.final = final or kind is not AssertionError  # the user's msg does not replace it


def _tolerances(names, rtol, atol):
    """The given tolerances, or the larger defaults of the two dtypes."""
    if rtol is not None:
        return rtol, atol
    own = [_TOLERANCES.get(str(name).rpartition(".")[2], (0.0, 0.0)) for name in names]
    return max(r for r, _ in own), max(a for _, a in own)


def _allowed(tolerance, exact):
    return "" if exact else f" (up to {tolerance} allowed)"


def _scalars(a, b, rtol, atol, equal_nan, names):
    """Two Python numbers."""
    import cmath

    rtol, atol = _tolerances(names, rtol, atol)
    if a == b or (equal_nan and cmath.isnan(a) and cmath.isnan(b)):
        return
    exact = rtol == 0 and atol == 0
    off = abs(a - b)
    if not exact and cmath.isfinite(a) and cmath.isfinite(b) and off <= atol + rtol * abs(b):
        return
    relative = off / abs(b) if b != 0 else float("inf")
    raise _Different(f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {b} but got {a}.\n"
                     f"Absolute difference: {off}{_allowed(atol, exact)}\n"
                     f"Relative difference: {relative}{_allowed(rtol, exact)}")


def _attributes(a, b, asked):
    """Shape, device, dtype, layout, strides: the first that differs."""
    def differ(name, one, other):
        raise _Different(f"The values for attribute '{name}' do not match: {one} != {other}.")

    if a.shape != b.shape:
        differ("shape", a.shape, b.shape)
    if asked["check_device"] and a.device != b.device:
        differ("device", a.device, b.device)
    if asked["check_dtype"] and a.dtype != b.dtype:
        differ("dtype", a.dtype, b.dtype)
    if asked["check_stride"] and a.stride() != b.stride():
        differ("stride()", a.stride(), b.stride())


def _place(flat, shape):
    """The index of an element from its number in row-major order."""
    index = []
    for size in reversed(shape):
        flat, at = divmod(flat, size)
        index.append(at)
    return tuple(reversed(index))


def _greatest(difference, matches):
    """The greatest difference among mismatched elements, and its index."""
    at = _karat.functions["where"](matches, 0, difference).flatten().argmax().item()
    return difference.flatten()[at].item(), _place(at, difference.shape)


def _values(a, b, rtol, atol, equal_nan):
    """Two tensors of one shape and dtype, element by element."""
    call = _karat.functions
    if "float8" in str(a.dtype) and (rtol or atol):
        raise _Different(f"Rtol={rtol} and atol={atol} are not supported for bitwise comparison of low dimensional floats. "
                         "Please use rtol=0.0 and atol=0.0.")
    matches = call["isclose"](a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    wrong = matches.numel() - int(matches.sum().item())
    if not wrong:
        return
    if a.dtype is _karat.dtypes["bool"] or not (a.is_floating_point() or a.is_complex()):
        a, b = a.long(), b.long()
    off = call["abs"](call["sub"](a, b))
    relative = call["div"](off, call["abs"](b))
    exact = rtol == 0 and atol == 0
    most, at = _greatest(off, matches)
    most_relative, relative_at = _greatest(relative, matches)
    raise _Different(f"Tensor-likes are not {'equal' if exact else 'close'}!\n\n"
                     f"Mismatched elements: {wrong} / {a.numel()} ({wrong / a.numel():.1%})\n"
                     f"Greatest absolute difference: {most} at index {at}{_allowed(atol, exact)}\n"
                     f"Greatest relative difference: {most_relative} at index {relative_at}{_allowed(rtol, exact)}")


def _tensors(a, b, asked):
    _attributes(a, b, asked)
    if "meta" in (a.device.type, b.device.type):
        return
    a, b, names = a.detach(), b.detach(), (a.dtype, b.dtype)
    if a.device != b.device:
        a, b = a.cpu(), b.cpu()
    if a.dtype != b.dtype:
        common = _karat.promote_types(a.dtype, b.dtype)
        a, b = a.to(common), b.to(common)
    if a.dim() == 0:
        _scalars(a.item(), b.item(), asked["rtol"], asked["atol"], asked["equal_nan"], names)
    else:
        _values(a, b, *_tolerances(names, asked["rtol"], asked["atol"]), asked["equal_nan"])


def _keys(a, b):
    """The keys or places of two containers, which must agree."""
    from collections.abc import Mapping

    if not isinstance(a, Mapping):
        if len(a) != len(b):
            raise _Different(f"The length of the sequences mismatch: {len(a)} != {len(b)}", final=True)
        return range(len(a))
    keys = set(a)
    lacking, extra = set(b) - keys, keys - set(b)
    if lacking or extra:
        raise _Different("The keys of the mappings do not match:\nMissing keys in the actual mapping: "
                         f"{sorted(lacking)}\nAdditional keys in the actual mapping: {sorted(extra)}", final=True)
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def _plain_type(number):
    """bool, int, float or complex: the kind of a Python or NumPy number; None if it is not one."""
    for kind in (bool, int, float, complex):
        if isinstance(number, kind):
            return kind
    if type(number).__module__ == "numpy" and hasattr(number, "item") and not hasattr(number, "__len__"):
        return _plain_type(number.item())
    return None


def _numbers(a, b, asked, kinds):
    if asked["check_dtype"] and kinds[0] is not kinds[1]:
        raise _Different(f"The (d)types do not match: {kinds[0]} != {kinds[1]}.")
    names = {int: "int64", float: "float64", complex: "complex128"}
    _scalars(kinds[0](a), kinds[1](b), asked["rtol"], asked["atol"], asked["equal_nan"], [names[kind] for kind in kinds])


def _same(a, b, asked):
    """None and truth values."""
    if a is not b:
        raise _Different(f"{'None' if a is None or b is None else 'Booleans'} mismatch: {a} is not {b}")


def _need_both_tolerances(asked):
    rtol, atol = asked["rtol"], asked["atol"]
    if (rtol is None) != (atol is None):
        raise _Different("Both 'rtol' and 'atol' must be either specified or omitted, "
                         f"but got no {'rtol' if rtol is None else 'atol'}.", kind=ValueError)


def _as_tensors(a, b, asked):
    """Two objects of one class, or of a class and one derived from it, as tensors; None: they are not."""
    if not (isinstance(a, type(b)) or isinstance(b, type(a))) or (not asked["allow_subclasses"] and type(a) is not type(b)):
        return None
    try:
        return [one if isinstance(one, Tensor) else _karat.as_tensor(one) for one in (a, b)]
    except Exception:
        return None


def _place_text(path):
    return "".join(f"[{key!r}]" for key in path)


def _pair(a, b, asked, path):
    """How two things that are not containers are compared, as a function without arguments."""
    if a is None or b is None:
        return lambda: _same(a, b, asked)
    kinds = [_plain_type(a), _plain_type(b)]
    if kinds == [bool, bool]:
        return lambda: _same(bool(a), bool(b), asked)
    if None not in kinds:
        if bool in kinds:  # PyTorch's text for unexpected exceptions
            raise RuntimeError(f"Originating a NumberPair() at item {_place_text(path)} with\n\n{type(a).__name__}(): {a}\n\n"
                               f"and\n\n{type(b).__name__}(): {b}\n\nresulted in the unexpected exception above. If you are a "
                               "user and see this message during normal operation please file an issue at "
                               "https://github.com/pytorch/pytorch/issues. If you are a developer and working on the comparison "
                               "functions, please except the previous error and raise an expressive `ErrorMeta` instead.")
        _need_both_tolerances(asked)
        return lambda: _numbers(a, b, asked, kinds)
    tensors = _as_tensors(a, b, asked)
    if tensors is None:
        raise _Different(f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.", kind=TypeError)
    _need_both_tolerances(asked)
    return lambda: _tensors(*tensors, asked)


def _pairs(a, b, asked, path=()):
    """The comparisons to be made, each with its path; a structure that differs is an error before any is made."""
    from collections.abc import Mapping, Sequence

    try:
        for kind in (Sequence, Mapping):
            if isinstance(a, kind) and isinstance(b, kind) and not isinstance(a, str) and not isinstance(b, str):
                return [one for key in _keys(a, b) for one in _pairs(a[key], b[key], asked, (*path, key))]
        return [(path, _pair(a, b, asked, path))]
    except _Different as e:
        e.path = e.path or path
        raise


def _compare(a, b, asked):
    for path, compared in _pairs(a, b, asked):
        try:
            compared()
        except _Different as e:
            e.path = path
            raise


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere, and dtype, shape, device agree.

    Numbers, tensors, arrays, and sequences and mappings of them. Without rtol and atol they follow from the dtype.
    """
    asked = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan, "check_device": check_device, "check_dtype": check_dtype,
             "check_stride": check_stride, "allow_subclasses": allow_subclasses}
    try:
        _compare(actual, expected, asked)
        return
    except _Different as e:
        kind, text, final = e.kind, e.text, e.final
        if e.path:
            text += f"\n\nThe failure occurred for item {_place_text(e.path)}"
    if not final and msg is not None:
        text = msg(text) if callable(msg) else msg
    raise kind(text)


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """Deprecated: assert_close of any two things that as_tensor takes, with wider tolerances and without regard to dtypes."""
    import warnings

    warnings.warn("`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
                  "use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
                  "https://github.com/pytorch/pytorch/issues/61844.", FutureWarning, stacklevel=2)
    a, b = (one if isinstance(one, Tensor) else _karat.as_tensor(one) for one in (actual, expected))
    if rtol is None and atol is None:
        wider = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
        own = [wider.get(str(one.dtype).rpartition(".")[2], (0.0, 0.0)) for one in (a, b)]
        rtol, atol = max(r for r, _ in own), max(t for _, t in own)
    assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=False, check_dtype=False, check_stride=False,
                 msg=msg or None)


__path__ = []  # a package: what lies below is refused
__getattr__ = _missing.of(__name__)
