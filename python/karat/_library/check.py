"""check.py - opcheck: is an operator what its registrations say?"""

from .. import _karat
from .._ops import OpOverload, OpOverloadPacket
from .autograd import requires_grad

_Tensor = _karat.Tensor
_ALL = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_static", "test_aot_dispatch_dynamic")
_USUAL = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


class OpCheckError(Exception):
    """What opcheck found."""


class MetadataMismatchError(RuntimeError):
    """The fake gives other sizes, dtypes or strides than the kernel."""


def _mapped(function, value):
    """The value with its tensors changed."""
    if isinstance(value, _Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(function, one) for one in value)
    if isinstance(value, dict):
        return {key: _mapped(function, one) for key, one in value.items()}
    return value


def _tensors(value):
    found = []
    _mapped(found.append, value)
    return found


def _copied(value):
    return _mapped(lambda t: t.detach().clone().requires_grad_(t.requires_grad), value)


def _same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and bool(((a == b) | ((a != a) & (b != b))).all())


def _test_schema(op, args, kwargs):
    """What is written to, and what shares memory, is what the schema says."""
    schema = op._schema
    args, kwargs = _copied(args), _copied(kwargs)
    given = {**dict(zip([one.name for one in schema.arguments], args)), **kwargs}
    before = {name: [t.detach().clone() for t in _tensors(value)] for name, value in given.items()}
    result = op(*args, **kwargs)
    for one in schema.arguments:
        if one.name not in given or (one.alias_info is not None and one.alias_info.is_write):
            continue
        now = _tensors(given[one.name])
        if not all(_same(was, t.detach()) for was, t in zip(before[one.name], now)):
            raise RuntimeError(f"Argument {one.name} is not defined as mutable but was mutated")
        for t in _tensors(result):
            shares = any(t.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() != 0 for other in now)
            if shares and one.alias_info is None:
                raise RuntimeError(f"Argument {one.name} is not defined to alias output but was aliasing")


def _test_autograd_registration(op, args, kwargs):
    """A derivative is registered where autograd finds it."""
    if op.namespace == "aten" or not requires_grad([*args, *kwargs.values()]):
        return
    composite = _karat.has_kernel(op.name(), None, False)
    if not composite and not _karat.has_kernel(op.name(), None, True):
        raise RuntimeError(f"{op.name()} has no kernel for autograd: register_autograd, or an implementation for the Autograd "
                           f"key, makes a call differentiable; a kernel of a device does not")


def _facts(t):
    return t.shape, t.dtype, t.stride()


def _faked(op, args, kwargs):
    return op(*_mapped(lambda t: t.detach().to("meta"), args), **_mapped(lambda t: t.detach().to("meta"), kwargs))


def _test_faketensor(op, args, kwargs):
    """The fake gives what the kernel gives: sizes, dtypes and strides."""
    real, fake = op(*_copied(args), **_copied(kwargs)), _faked(op, args, kwargs)
    words = (("Shapes", "shape"), ("Dtypes", "dtype"), ("Strides", "stride"))
    a, b = _tensors(real), _tensors(fake)
    if len(a) != len(b):
        raise MetadataMismatchError(f"When comparing the output of {op} on FakeTensor and concrete Tensors, found {len(b)} and "
                                    f"{len(a)} tensors")
    for one, other in zip(a, b):
        for (word, _), was, is_now in zip(words, _facts(one), _facts(other)):
            if was != is_now:
                raise MetadataMismatchError(f"When comparing the output of {op} on FakeTensor and concrete Tensors, found "
                                            f"mismatched tensor metadata: {word} {was} and {is_now} are not equal!")


def _test_dispatch(op, args, kwargs):
    """There is a fake, and backward works where an argument requires grad."""
    _faked(op, args, kwargs)
    args, kwargs = _copied(args), _copied(kwargs)
    total = sum(t.abs().sum() for t in _tensors(op(*args, **kwargs)) if t.requires_grad)
    if isinstance(total, _Tensor):
        total.backward()


_TESTS = {"test_schema": _test_schema, "test_autograd_registration": _test_autograd_registration,
          "test_faketensor": _test_faketensor,
          "test_aot_dispatch_static": _test_dispatch, "test_aot_dispatch_dynamic": _test_dispatch}


def opcheck(op, args, kwargs=None, *, test_utils=_USUAL, raise_exception=True, atol=None, rtol=None):
    """Runs an operator with sample arguments and tests its registrations; {test: "SUCCESS", or what was raised}.

    test_schema: nothing is written to, or shares memory, that the schema does not say. test_faketensor: the fake gives sizes,
    dtypes and strides of the kernel. test_aot_dispatch_*: nothing is compiled here, so these run the fake, and backward.
    """
    from ..library import CustomOpDef

    if isinstance(op, CustomOpDef):
        op = op._opoverload
    if isinstance(op, OpOverloadPacket):
        overloads = op.overloads()
        if len(overloads) != 1:
            names = ["" if one == "default" else one for one in overloads]
            raise RuntimeError(f"opcheck can only test operators without overloads. Got the following overloads for "
                               f"{op._qualified_op_name}: {names}")
        op = getattr(op, overloads[0])
    if not isinstance(op, OpOverload):
        raise ValueError(f"opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
                         f"{type(op)}")
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if not set(names) <= set(_ALL):
        raise ValueError(f"opcheck(op, ..., test_utils={names}), expected test_utils to be subset of {_ALL} but it was not")
    found = {}
    for name in names:
        try:
            _TESTS[name](op, tuple(args), dict(kwargs or {}))
            found[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error} (scroll up for stack trace)") from error
            found[name] = error
    return found
