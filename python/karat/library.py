"""torch.library: operators of the user's own, which are rows of the operator table like the built-in ones.

A schema, kernels by device, a fake for meta tensors and a derivative, in any order. The work is done in C: python/engine/kernel.c
registers Python functions as kernels of appended rows (include/karat/plugin/operator.h), and torch.ops calls them.

Karat's own: `takes` says what a kernel can read. What does not fit is refused before the kernel runs, and the error says where
the dtype came from. A program that shall run on PyTorch, too, writes

    takes = getattr(torch.library, "takes", lambda *a, **k: lambda kernel: kernel)
"""

import contextlib
import functools
import inspect
import re
import sys
import threading
import warnings
import weakref

from . import _karat, _missing
from ._library.autograd import Derivative
from ._library.check import OpCheckError, opcheck  # noqa: F401
from ._library.infer_schema import infer_schema
from ._library.syntax import check as check_syntax
from ._library.syntax import named as with_named_aliases
from ._library.warn import warn_of_backward
from ._ops import OpOverload, OpOverloadPacket, Tag, free, ops, parse_schema, tags_of, vmap_rules
from .amp.autocast_mode import _cast

__all__ = ["Library", "impl", "define", "fallthrough_kernel", "impl_abstract", "register_autocast", "register_fake",
           "register_torch_dispatch", "register_vmap", "get_ctx", "custom_op", "triton_op", "wrap_triton", "infer_schema"]

_DEVICES = "CPU CUDA Meta XPU MPS HPU MTIA PrivateUse1 XLA HIP IPU Lazy".split()
_COMPOSITES = "CompositeImplicitAutograd CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional".split()
_ABOVE = ["Autograd"] + [f"Autograd{one}" for one in _DEVICES]
_OTHERS = """ADInplaceOrView AutocastCPU AutocastCUDA BackendSelect Batched Conjugate FuncTorchBatched FuncTorchVmapMode
    Functionalize Negative NestedTensorCPU Python PythonTLSSnapshot QuantizedCPU SparseCPU SparseCsrCPU Tracer
    ZeroTensor""".split()
_KEYS = frozenset(_DEVICES + _COMPOSITES + _ABOVE + _OTHERS)
_TYPES = set("""Tensor Tensor[] Tensor?[] Scalar Scalar[] int int[] float float[] bool bool[] ScalarType Device str""".split())

_EXAMPLES = "FuncTorchBatched"  # PyTorch's key of the rules of register_vmap

_definers = {}  # namespace: the line of its DEF library
_kernels = set()  # (operator, dispatch key) that a Library has
_waiting = {}  # operator: {key: kernel}, registered before the operator was defined
_lines = {}  # operator: the line of the library that defined it
_opdefs = {}  # operator: its CustomOpDef, which lives as long as the program
_fakes = {}  # operator: the line of its fake


def takes(text, *, dtypes=None, accepts=None):
    """Karat's own, a decorator of a kernel: what it can read.

    text     by argument dtypes, and `contiguous`: "x: float32 contiguous; index: int64", or "*: float32 float64" of all tensors
    dtypes   a dtype rule for the whole operator, if this is the function of custom_op: "PROMOTE" converts operands to their
             common dtype under the current policy, "MATCH" asks for one, "SAME" for that of the first
    accepts  categories of the common dtype, letters of "BIFC"

    Other tensors are refused with an explained error. PyTorch has no such function, and ignores what it leaves on the kernel.
    """

    def mark(kernel):
        kernel.__takes__ = (text, dtypes, accepts)
        return kernel

    return mark


def _taken(kernel):
    return getattr(kernel, "__takes__", (None, None, None))


def _line(depth=2):
    frame = sys._getframe(depth)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _place_of(key):
    """(device, above) of a dispatch key: where the kernel stands in its row."""
    if key in _DEVICES:
        return ("privateuseone" if key == "PrivateUse1" else key.lower()), False
    if not key or key in _COMPOSITES:
        return None, False
    if key in _ABOVE:
        return None, True
    if key in _OTHERS:
        raise NotImplementedError(f"karat has no kernels for the dispatch key {key}: there are those of devices, "
                                  f"{', '.join(_COMPOSITES)} and Autograd")
    raise RuntimeError(f"could not parse dispatch key: {key}")


def _split(qualname):
    """namespace and name of "namespace::name"."""
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to '
                         f'the '
                         f"torch.library APIs must consist of a namespace and a name, e.g. aten::sin")
    return parts


def _forget(qualname):
    """The operator has changed: torch.ops looks it up again."""
    space, name = qualname.split("::")
    getattr(ops, space)._forget(name.partition(".")[0])


def _exists(qualname):
    return qualname in free or _karat.has_operator(qualname)


def _overload(qualname):
    """torch.ops.<namespace>.<name>.<overload>; AttributeError: there is none."""
    space, name = _split(qualname)
    name, _, overload = name.partition(".")
    return getattr(getattr(getattr(ops, space), name), overload or "default")


def _install(qualname, key, kernel, fresh=None):
    """Makes a function the kernel for a dispatch key, now or when its operator is defined."""
    device, above = _place_of(key)
    if not _exists(qualname):
        _waiting.setdefault(qualname, {})[key] = kernel
        return
    run = kernel
    if not above and key not in ("", "CompositeImplicitAutograd", "Meta"):
        run = warn_of_backward(qualname, kernel)
    _put(qualname, device, run, None if above else _taken(kernel)[0], above, False, fresh)


def _put(qualname, device, run, takes, above, whole, fresh):
    """A kernel in its place: of the row, or of an operator that is none."""
    if qualname not in free:
        _karat.set_kernel(qualname, device, run, takes, above, whole, fresh)
        return
    if takes:
        raise NotImplementedError(f"karat.library.takes is for operators whose arguments and results are tensors, lists of them, "
                                  f"numbers and texts: {qualname}")
    free[qualname].kernels[device, above] = run, whole


def _define(qualname, schema, line, rule=None, accepts=None, beyond=False):
    """Appends the row; beyond: the schema is none of a row."""
    if _exists(qualname):
        raise RuntimeError(f"Tried to register an operator ({_read(schema, qualname.split('::')[0])[0]}) with the same name "
                           f"and overload name multiple times. Each overload's schema should only be registered with a single "
                           f"call to def(). Duplicate registration: registered at {line}. Original registration: registered at "
                           f"{_lines.get(qualname, 'C')}")
    if beyond:
        if rule or accepts:
            raise NotImplementedError(f"a dtype rule is for operators whose arguments and results are tensors, lists of them, "
                                      f"numbers and texts: {schema}")
        from ._library import free as module

        module.define(qualname, schema)
    else:
        _karat.define_operator(qualname, schema, rule, accepts)
    _lines[qualname] = line
    _forget(qualname)
    for key, kernel in _waiting.pop(qualname, {}).items():
        _install(qualname, key, kernel)


def _withdraw(names, kernels):
    """Ends what a library has defined and registered."""
    for qualname, key in kernels:
        _kernels.discard((qualname, key))
        _waiting.get(qualname, {}).pop(key, None)
        if key == _EXAMPLES:
            _set_rule(qualname, None)
        elif qualname in free:
            free[qualname].kernels.pop(_place_of(key), None)
        elif _exists(qualname):
            _karat.remove_kernel(qualname, *_place_of(key))
    for qualname in names:
        if not free.pop(qualname, None):
            _karat.withdraw_operator(qualname)
        tags_of.pop(qualname, None)
        _lines.pop(qualname, None)
        _fakes.pop(qualname, None)
        _forget(qualname)
    names.clear()
    kernels.clear()


def _release_namespace(namespace, line):
    if _definers.get(namespace) == line:
        del _definers[namespace]


def _is_of_a_row(schema):
    """Can a row take these arguments and a Python kernel be given them?"""
    for one in [*schema.arguments, *schema.returns]:
        base = one.said.rstrip("?")
        base = base.partition("(")[0] + base.partition(")")[2]
        plain = base.replace("SymInt", "int").partition("[")
        if f"{plain[0]}{'[]' if plain[1] else ''}" not in _TYPES:
            return False
    return True


def _read(text, space):
    """The schema in a text that PyTorch reads, and whether no row can hold it."""
    try:
        schema = parse_schema(text, space)
        if _is_of_a_row(schema):
            return schema, False
    except RuntimeError:  # the engine's reader knows the types of rows
        pass
    from ._library.free import Free

    return Free.parse(text, space), True


def _check_order(schema):
    """Refuses an argument without a default behind one with a default."""
    positional = [one for one in schema.arguments if not one.kwarg_only]
    for before, one in zip(positional, positional[1:]):
        if before.has_default_value() and not one.has_default_value():
            raise RuntimeError(f"Non-default positional argument follows default argument. Parameter {one.name} in {schema}")


class Library:
    """Operators in a namespace, and kernels for them: kind "DEF" (all of a namespace), "FRAGMENT" (more of it) or "IMPL" (kernels
    of operators that others have defined). They last as long as the library."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: ", kind)
        if ns == "prim" and kind in ("DEF", "FRAGMENT"):
            raise ValueError(ns, " is a reserved namespace. Please try creating a library with another name.")
        if dispatch_key:
            _place_of(dispatch_key)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._line = _line()
        if kind == "DEF":
            if ns in _definers or ns == "aten":
                raise RuntimeError(f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of "
                                   f"your definitions in a single TORCH_LIBRARY block.  If you were trying to specify "
                                   f"implementations, consider using TORCH_LIBRARY_IMPL (which can be duplicated).  If you "
                                   f"really intended to define operators for a single namespace in a distributed way, you can "
                                   f"use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Previous registration of "
                                   f"TORCH_LIBRARY was registered at {_definers.get(ns, 'C')}; latest registration was "
                                   f"registered at {self._line}")
            _definers[ns] = self._line
        self._op_defs, self._op_impls = set(), set()
        self._end = weakref.finalize(self, _end_library, ns if kind == "DEF" else None, self._line, self._op_defs, self._op_impls)

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Defines an operator by its schema, "scale(Tensor x, float by=2.0) -> Tensor", and returns its name."""
        return self._define_with(schema, alias_analysis, None, None, tags).partition(".")[0]

    def _define_with(self, schema, alias_analysis, rule, accepts, tags=()):
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        name = schema.split("(")[0]
        if self.kind == "IMPL":
            raise RuntimeError(f'def("{name}"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All def()s '
                               f"should be placed in the (unique) TORCH_LIBRARY block for their namespace.  (Error occurred "
                               f"while "
                               f"processing TORCH_LIBRARY_IMPL block at {self._line})")
        check_syntax(schema)
        schema = with_named_aliases(re.sub(r"\s", " ", schema))
        if self.ns == "aten":
            raise NotImplementedError("karat defines no operators in the namespace aten: choose another")
        read, beyond = _read(schema, self.ns)
        space, bare = read.name.split("::")
        if space != self.ns:
            raise RuntimeError(f"Explicitly provided namespace ({space}) in schema string does not match namespace of enclosing "
                               f"TORCH_LIBRARY block ({self.ns}).  Move this definition to the (unique) TORCH_LIBRARY block "
                               f"corresponding to this namespace (and consider deleting the namespace from your schema string.)  "
                               f"(Error occurred while processing TORCH_LIBRARY block at {self._line})")
        _check_order(read)
        qualname = f"{self.ns}::{bare}" + (f".{read.overload_name}" if read.overload_name else "")
        tags_of[qualname] = (tags,) if isinstance(tags, Tag) else tuple(tags or ())
        _define(qualname, str(read).split("::", 1)[1], self._line, rule, accepts, beyond)
        self._op_defs.add(qualname)
        return name.rpartition("::")[2]

    def _name_of(self, op):
        """namespace::name.overload of an operator that is given by name or as an object."""
        if isinstance(op, OpOverload):
            op = op.name()
        elif isinstance(op, OpOverloadPacket):
            op = op._qualified_op_name
        elif not isinstance(op, str):
            raise RuntimeError("impl should be passed either a name or an OpOverload object as the first argument")
        if "::" in op and op.split("::")[0] != self.ns:
            raise RuntimeError(f'impl("{op}", ...): Explicitly provided namespace ({op.split("::")[0]}) in operator name does '
                               f'not match '
                               f"namespace of enclosing TORCH_LIBRARY block ({self.ns}).  Move this definition to the "
                               f"TORCH_LIBRARY block corresponding to this namespace (and consider deleting the namespace from "
                               f"your schema string.)")
        return op if "::" in op else f"{self.ns}::{op}"

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Registers a kernel: for tensors of a device ("CPU", "CUDA", "Meta"), for all ("CompositeImplicitAutograd", the
        default), or in place of those for what autograd records ("Autograd")."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = dispatch_key or self.dispatch_key
        qualname = self._name_of(op_name)
        if self.ns == "aten":
            raise NotImplementedError("karat's own operators keep their kernels: none in the namespace aten can be replaced")
        if with_keyset:
            raise NotImplementedError("karat has no sets of dispatch keys to pass to a kernel")
        _place_of(key)
        if fn is fallthrough_kernel:
            return
        if (qualname, key) in _kernels and not allow_override:
            raise RuntimeError(f"This is not allowed since there's already a kernel registered from python overriding "
                               f"{qualname.split('::')[1]}'s behavior for {key} dispatch key and {self.ns} namespace.")
        _install(qualname, key, fn)
        _kernels.add((qualname, key))
        self._op_impls.add((qualname, key))

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """Refused, but for fallthrough_kernel, which is what happens: Karat's operators have kernels of their own for every
        device, and the CPU runs what a device lacks."""
        key = dispatch_key or self.dispatch_key
        if self.ns != "_":
            raise RuntimeError(f'Fallback can only be registered using library fragment on the global namespace "_" but it is '
                               f"{self.ns}")
        if not key:
            raise AssertionError("dispatch_key must not be empty for fallback")
        if fn is not fallthrough_kernel:
            raise NotImplementedError(f"karat calls no fallback kernel for {key}: its operators have kernels for every device. "
                                      f"Register one for each operator of your own (Library.impl)")

    def _register_fake(self, op_name, fn, _stacklevel=1, *, allow_override=False):
        _register_fake(self._name_of(op_name), fn, _line(_stacklevel + 1), self, allow_override)

    def _destroy(self):
        """Ends all that the library has defined and registered."""
        self._end()


def _end_library(namespace, line, names, kernels):
    _withdraw(names, kernels)
    if namespace is not None:
        _release_namespace(namespace, line)


@contextlib.contextmanager
def _scoped_library(*args, **kwargs):
    """A library for a with block."""
    with contextlib.ExitStack() as at_its_end:
        library = Library(*args, **kwargs)
        at_its_end.callback(library._destroy)
        yield library


def fallthrough_kernel():
    """What Library.impl is given to register no kernel: the next one runs."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


_own = {}  # namespace: the library of what the functions below register; they last as long as the program


def _library_for(namespace, lib=None):
    if lib is not None:
        return lib
    if namespace not in _own:
        _own[namespace] = Library(namespace, "FRAGMENT")
    return _own[namespace]


def _qualname_of(op, who):
    if isinstance(op, CustomOpDef):
        return op._qualname
    if isinstance(op, OpOverload):
        return op.name()
    if not isinstance(op, str):
        raise ValueError(f"{who}({op}): got unexpected type for op: {type(op)}")
    return op


def define(qualname, schema=None, alias_analysis="", *, lib=None, tags=()):
    """Defines an operator: define("mylib::scale", "(Tensor x, float by) -> Tensor"). define(library, schema) is the older form, a
    decorator of its kernel."""
    if isinstance(qualname, Library):
        name = qualname._define_with(schema, alias_analysis, None, None, tags)

        def wrap(function):
            qualname.impl(name, function)
            return function

        return wrap
    if schema is None:
        raise TypeError("define() missing 1 required positional argument: 'schema'")
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    namespace, name = _split(qualname)
    if not isinstance(schema, str):
        raise TypeError(f"expected string or bytes-like object, got '{type(schema).__name__}'")
    if not schema.startswith("("):
        raise ValueError(f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
                         f'"{schema}"')
    _library_for(namespace, lib).define(name + schema, alias_analysis, tags=tags)


def _key_of(device_type):
    if device_type in _KEYS:
        return device_type
    if device_type == "default":
        return "CompositeExplicitAutograd"
    kind = _karat.device(device_type).type
    return {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "privateuseone": "PrivateUse1"}.get(kind, kind.upper())


def impl(qualname, types="", func=None, *, lib=None):
    """Registers a kernel for types of devices ("cpu", "cuda", "default": all) or dispatch keys ("CPU"): impl("mylib::scale",
    "cpu", function), or as a decorator. impl(library, name, dispatch_key) is the older form."""
    if isinstance(qualname, Library):
        library, name, key = qualname, types, func or ""

        def wrap(function):
            library.impl(name, function, key)
            return function

        return wrap
    keys = {_key_of(one) for one in ((types,) if isinstance(types, str) else types)}

    def register(function):
        namespace, _ = _split(qualname)
        for key in sorted(keys):
            _library_for(namespace, lib).impl(qualname, function, key)
        return function

    return register if func is None else (register(func), None)[1]


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Registers a kernel for types of devices; of a custom_op it replaces the one that is there."""
    qualname = _qualname_of(op, "register_kernel")
    if qualname in _opdefs:
        return _opdefs[qualname].register_kernel(device_types, func)
    if not _exists(qualname):
        _overload(qualname)

    def register(function):
        impl(qualname, "default" if device_types is None else device_types, function, lib=lib)
        return function

    return register if func is None else register(func)


class _Faking(threading.local):
    def __init__(self):
        self.now = []  # what runs on this thread, innermost last


_faking = _Faking()


def _as_fake(qualname, function, line):
    @functools.wraps(function)
    def fake(*args, **kwargs):
        _faking.now.append(f"{qualname} ({line})")
        try:
            return function(*args, **kwargs)
        finally:
            _faking.now.pop()

    return fake


def get_ctx():
    """For fakes of operators whose sizes depend on data. Meta tensors have no data: it raises there, and is None elsewhere."""
    if not _faking.now:
        return None
    raise RuntimeError(f"{_faking.now[-1]}: You're trying to run this operator with meta Tensors (as opposed to "
                       f"FakeTensors), but this operator may return an output Tensor with data-dependent shape. Meta Tensors "
                       f"don't support operators with outputs that have data-dependent shapes but FakeTensors do. If your "
                       f"operator does not return an output with data-dependent shape, make sure the FakeTensor and/or meta "
                       f"kernel does not call torch.library.get_ctx(). Otherwise, please use FakeTensors.")


def _register_fake(qualname, function, line, library, allow_override):
    if not _exists(qualname):
        raise RuntimeError(f"operator {qualname} does not exist")
    if qualname in _fakes and not allow_override:
        raise RuntimeError(f"register_fake(...): the operator {qualname} already has an fake impl registered at "
                           f"{_fakes[qualname]}.")
    if (qualname, "Meta") in _kernels:
        raise RuntimeError(f"register_fake(...): the operator {qualname} already has an DispatchKey::Meta implementation via a "
                           f"pre-existing torch.library or TORCH_LIBRARY registration. Please either remove that registration or "
                           f"don't call register_fake.")
    _install(qualname, "Meta", _as_fake(qualname, function, line))
    library._op_impls.add((qualname, "Meta"))
    _fakes[qualname] = line


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """Registers what an operator does with meta tensors: a function that gives results of the right sizes and dtypes, without
    values."""
    qualname = _qualname_of(op, "register_fake")
    line = _line(_stacklevel + 1)

    def register(function):
        if qualname in _opdefs:
            return _opdefs[qualname].register_fake(function)
        namespace, _ = _split(qualname)
        _register_fake(qualname, function, line, _library_for(namespace, lib), allow_override)
        return function

    if "::" not in qualname:
        _split(qualname)
    return register if func is None else register(func)


def impl_abstract(qualname, func=None, *, lib=None, _stacklevel=1):
    """The older name of register_fake."""
    warnings.warn("`torch.library.impl_abstract` was renamed to `torch.library.register_fake`. Please use that instead; we will "
                  "remove `torch.library.impl_abstract` in a future version of PyTorch.", FutureWarning, stacklevel=2)
    return register_fake(qualname, func, lib=lib, _stacklevel=_stacklevel + 1)


def _check_functional(op, schema):
    if not schema.is_mutable and not any(one.alias_info for one in [*schema.arguments, *schema.returns]) and schema.returns:
        return
    raise RuntimeError(f"Cannot register autograd formula for non-functional operator {op} with schema {schema}. Please create a "
                       f"functional operator and register an autograd formula for that.")


def _has_keyword_tensors(schema):
    return any(one.kwarg_only and "Tensor" in one.type for one in schema.arguments)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Registers a derivative: backward(ctx, *grads) gives a gradient for each argument, setup_context(ctx, inputs, output) saves
    what it needs."""
    qualname = _qualname_of(op, "register_autograd")
    if qualname in _opdefs:
        _opdefs[qualname].register_autograd(backward, setup_context=setup_context)
        return
    overload = _overload(qualname)
    _check_functional(overload, overload._schema)
    if _has_keyword_tensors(overload._schema):
        raise NotImplementedError(f"register_autograd with kwarg-only Tensor args. In the original definition of the op, please "
                                  f"make your tensors not kwarg-only. Got: {overload._schema}")
    derivative = Derivative(overload, backward, setup_context)
    _library_for(overload.namespace, lib)._op_impls.add((qualname, "Autograd"))
    _kernels.add((qualname, "Autograd"))
    _put(qualname, None, derivative, None, True, True, None)


def register_autocast(op, device_type, cast_inputs, /, *, lib=None):
    """Under autocast of that device type, floating tensors are cast to `cast_inputs` and the operator runs without autocast. Of a
    custom_op alone."""
    qualname = _qualname_of(op, "register_autocast")
    if qualname not in _opdefs:
        raise NotImplementedError("karat has register_autocast for operators of custom_op")
    return _opdefs[qualname].register_autocast(device_type, cast_inputs)


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    """Refused: Karat has no __torch_dispatch__, so that the function would never be called."""
    raise NotImplementedError("karat has no __torch_dispatch__: what register_torch_dispatch is given would never be called. "
                              "__torch_function__ of a subclass, or a TorchFunctionMode, sees the operator's calls")


def _set_rule(qualname, function):
    """Says how vmap runs an operator; None: example by example."""
    if function is None:
        vmap_rules.pop(qualname, None)
    else:
        vmap_rules[qualname] = function
    if _exists(qualname):
        _overload(qualname)._op.has_rule = function is not None


def register_vmap(op, func=None, /, *, lib=None):
    """Registers how vmap runs an operator: func(info, in_dims, *args) is given the arguments with all examples, at the dims
    in_dims, and returns the results and their dims. Without it vmap calls the operator for each example. Also a decorator."""
    qualname = _qualname_of(op, "register_vmap")
    if qualname in _opdefs:
        return _opdefs[qualname].register_vmap(func)
    overload = _overload(qualname)
    if overload.namespace == "aten":
        raise NotImplementedError("karat's own operators keep their rules: none in the namespace aten can be replaced")

    def register(function):
        if (qualname, _EXAMPLES) in _kernels:
            raise RuntimeError(f"This is not allowed since there's already a kernel registered from python overriding "
                               f"{qualname.split('::')[1]}'s behavior for {_EXAMPLES} dispatch key and {overload.namespace} "
                               f"namespace.")
        _set_rule(qualname, function)
        _kernels.add((qualname, _EXAMPLES))
        _library_for(overload.namespace, lib)._op_impls.add((qualname, _EXAMPLES))
        return function

    return register if func is None else (register(func), None)[1]


class CustomOpDef:
    """An operator of custom_op: it is called, and given more kernels, a fake and a derivative by its methods."""

    def __init__(self, namespace, name, schema, fn, tags=None):
        self._namespace, self._name, self._schema, self._init_fn = namespace, name, schema, fn
        self._tags = tags
        self._backend_fns, self._abstract_fn = {}, None
        self._setup_context_fn = self._backward_fn = None
        self._autocast_dtypes = {}
        self._disabled_kernel = set()
        previous = _opdefs.pop(self._qualname, None)
        if previous is not None:
            previous._lib._destroy()
        self._lib = Library(namespace, "FRAGMENT")
        _, rule, accepts = _taken(fn)
        given = (tags,) if isinstance(tags, Tag) else tuple(tags or ())
        self._lib._define_with(f"{name}{schema}", "", rule, accepts, (Tag.pt2_compliant_tag, *given))
        self._opoverload = _overload(self._qualname)
        self._derivative = Derivative(self._opoverload, None, None)
        read = self._opoverload._schema
        self._mutates = read.is_mutable
        self._fresh = None if any(one.alias_info for one in read.returns) else self._whose()
        self._set(None, "meta", self._run_fake)
        _put(self._qualname, None, self._run_above, None, True, True, None)
        _opdefs[self._qualname] = self

    @property
    def _qualname(self):
        return f"{self._namespace}::{self._name}"

    def _whose(self):
        return f"{self._name} (with implementation in {inspect.getmodule(self._init_fn)})"

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, /, *args, **kwargs):
        return self._opoverload(*args, **kwargs)

    def _set(self, taken, device, run, fresh=None):
        _put(self._qualname, device, run, taken, False, False, fresh)

    def _complete(self, schema, mutates_args, device_types):
        """The last steps of custom_op: its own function is the first kernel."""
        if schema is not None:
            arguments = self._opoverload._schema.arguments
            expected = {one.name for one in arguments if one.alias_info is not None and one.alias_info.is_write}
            if expected != set(mutates_args):
                raise ValueError(f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The "
                                 f"schema suggests that the op mutates {expected}which is different from what was provided to us "
                                 f"in `mutates_args`. Please make these consistent.")
        self.register_kernel(device_types)(self._init_fn)

    # ---- what the row calls ----

    def _run_fake(self, *args, **kwargs):
        if self._abstract_fn is None:
            if self._mutates and not self._opoverload._schema.returns:
                return None  # what it does cannot be seen
            raise RuntimeError(f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx "
                               f"tracing to work. Please use `{self._init_fn.__name__}.register_fake` to add an fake impl.")
        code = getattr(inspect.unwrap(self._init_fn), "__code__", None)
        line = f"{code.co_filename}:{code.co_firstlineno}" if code else "?"
        return _as_fake(self._qualname, self._abstract_fn, line)(*args, **kwargs)

    def _run_above(self, *args, **kwargs):
        cast = self._cast_for(args, kwargs) if self._autocast_dtypes else None
        if cast is not None:
            device_type, args, kwargs = cast
            with _without_autocast(device_type):
                return self._run_above(*args, **kwargs)
        if self._mutates:
            mode = _karat.is_grad_enabled()
            _karat.set_grad(False)
            try:
                return self._derivative.run_below(args, kwargs)
            finally:
                _karat.set_grad(mode)
        return self._derivative(*args, **kwargs)

    def _cast_for(self, args, kwargs):
        for device_type, dtype in self._autocast_dtypes.items():
            if _karat.get_autocast(device_type)[0]:
                return (device_type, *_cast((args, kwargs), device_type, dtype))
        return None

    def _run_on(self, device, *args, **kwargs):
        chosen = self._init_fn if device in self._disabled_kernel else self._backend_fns[device]
        return chosen(*args, **kwargs)

    # ---- registrations ----

    def register_kernel(self, device_types, fn=None, /):
        """A kernel for types of devices, "cuda" or ["cpu", "cuda"]; None: for all. Also a decorator."""

        def register(fn):
            kinds = [None] if device_types is None else [device_types] if isinstance(device_types, str) else list(device_types)
            for kind in kinds:
                if kind is not None:
                    kind = _karat.device(kind).type
                    self._check_device_argument()
                self._backend_fns[kind] = fn
                self._set(_taken(fn)[0], kind, functools.partial(self._run_on, kind), self._fresh)
            return fn

        return register if fn is None else register(fn)

    def _check_device_argument(self):
        arguments = self._opoverload._schema.arguments
        if any(one.said.startswith("Tensor") for one in arguments):
            return
        if not any(one.said.startswith("Device") and one.name == "device" for one in arguments):
            raise ValueError("Functions without tensor inputs are required to have a `device: torch.device` argument")

    def register_fake(self, fn, /):
        """What the operator does with meta tensors: results of the right sizes and dtypes, without values."""
        self._abstract_fn = fn
        return fn

    def register_autograd(self, backward, /, *, setup_context=None):
        """The derivative: backward(ctx, *grads) gives a gradient for each argument; setup_context(ctx, inputs, output) saves
        what it needs."""
        _check_functional(self, self._opoverload._schema)
        if _has_keyword_tensors(self._opoverload._schema):
            raise NotImplementedError(f"custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                                      f"{str(self._opoverload._schema).partition('::')[2]}")
        self._backward_fn, self._setup_context_fn = backward, setup_context
        self._derivative = Derivative(self._opoverload, backward, setup_context)

    def register_autocast(self, device_type, cast_inputs):
        """Under autocast of that device type, floating tensors are cast to `cast_inputs` and the operator runs without
        autocast."""
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in ("cpu", "cuda"):
            raise ValueError(f"Unknown device type: {device_type}")
        self._autocast_dtypes[device_type] = cast_inputs

    def register_vmap(self, func=None):
        """How vmap runs the operator, in place of what was registered before: func(info, in_dims, *args) gives the results for
        all examples, and their dims. Also a decorator."""

        def register(func):
            _set_rule(self._qualname, func)
            self._lib._op_impls.add((self._qualname, _EXAMPLES))
            return func

        return register if func is None else register(func)

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """Refused: Karat has no __torch_dispatch__."""
        return register_torch_dispatch(self, torch_dispatch_class, fn)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type, enabled=True):
        """For a with block: with False the function of custom_op runs in place of the kernel for that device type."""
        before = device_type in self._disabled_kernel
        (self._disabled_kernel.discard if enabled else self._disabled_kernel.add)(device_type)
        try:
            yield
        finally:
            (self._disabled_kernel.add if before else self._disabled_kernel.discard)(device_type)


@contextlib.contextmanager
def _without_autocast(device_type):
    on, dtype = _karat.get_autocast(device_type)
    _karat.set_autocast(device_type, False, dtype)
    try:
        yield
    finally:
        _karat.set_autocast(device_type, on, dtype)


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Makes a function an operator, "mylib::scale"; a decorator too. The schema follows from its annotations, and from the names
    of the arguments that it writes to."""

    def make(fn):
        text = infer_schema(fn, mutates_args=mutates_args) if schema is None else schema
        namespace, opname = name.split("::")
        op = CustomOpDef(namespace, opname, text, fn, tags)
        try:
            op._complete(schema, mutates_args, device_types)
        except BaseException:
            op._lib._destroy()
            _opdefs.pop(op._qualname, None)
            raise
        return op

    return make if fn is None else make(fn)


def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    """custom_op, for a function that launches Triton kernels by wrap_triton. Karat has no launcher for them: a function that
    calls none runs, wrap_triton refuses."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def wrap_triton(triton_kernel, /):
    """Refused: Karat does not launch Triton kernels."""
    if not type(triton_kernel).__module__.startswith("triton."):
        raise RuntimeError("wrap_triton only works on functions annotated with triton.jit or triton.autotune")
    raise NotImplementedError("karat does not launch Triton kernels: Triton's launcher asks PyTorch for the device and the "
                              "stream. A kernel in C or CUDA is registered by karat/plugin/operator.h (docs/custom_operators.md)")


__getattr__ = _missing.of(__name__)
