"""torch.ops: every operator by namespace, name and overload, with its schema.

    torch.ops.aten.add.Tensor(x, y)      one overload of a name
    torch.ops.mylib.scale(x)             the first overload that takes the arguments

An overload binds its arguments by its schema and calls the row of the operator table that serves it (python/core/operator.c). The
rows of torch.library, and those that C code appends, are found by their names.
"""

import contextlib
import enum
import re
import types

from . import _karat
from ._missing import of as _of
from ._refused import single as _refused_of

_aten = {}  # names, filled at the first use
vmap_rules = {}  # operator: the function of register_vmap


Tag = enum.Enum("Tag", {name: place for place, name in enumerate(
    """core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace_view
    maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides needs_fixed_stride_order nondeterministic_bitwise
    nondeterministic_seeded out_variant pointwise pt2_compliant_tag reduction view_copy""".split())}, module="karat")
Tag.__doc__ = "What PyTorch's compilers may assume of an operator. Karat keeps the tags of torch.library and reads none."
tags_of = {}  # operator: the tags of its definition
free = {}  # operator: what is called, where its schema is none of a row (_library/free.py)


class Argument:
    """One argument or result of a schema."""

    __slots__ = ("name", "type", "said", "default_value", "kwarg_only", "alias_info", "is_out", "_default")

    def __init__(self, said, name, default, keyword, alias):
        self.said, self.name, self.kwarg_only = said, name, keyword  # said: the type as the schema has it
        self.type = _type_of(said)
        self._default = default
        self.default_value = None if default is None else _value(default)
        self.alias_info = AliasInfo(alias) if alias else None
        self.is_out = bool(keyword and self.alias_info and self.alias_info.is_write)

    def has_default_value(self):
        """Is there a default?"""
        return self._default is not None

    def __str__(self):
        text = f"{self.said} {self.name}" if self.name else self.said
        return text if self._default is None else f"{text}={_printed(self._default, self.said)}"

    __repr__ = __str__


_BASES = {"Scalar": "number", "SymInt": "int", "ScalarType": "int", "Layout": "int", "MemoryFormat": "int"}


def _type_of(said):
    """The type as PyTorch's type objects are printed: int[2]? is Optional[List[int]]."""
    nested = re.fullmatch(r"(Dict|)\((.*)\)", said)
    if nested:
        return f"{nested[1] or 'Tuple'}[{', '.join(_type_of(one.strip()) for one in nested[2].split(','))}]"
    said = re.sub(r"(?<!Dict)\(.*?\)", "", said)
    if said.endswith("?"):
        return f"Optional[{_type_of(said[:-1])}]"
    if said.endswith("]"):
        return f"List[{_type_of(said[:said.rindex('[')])}]"
    return _BASES.get(said, said)


class AliasInfo:
    """The alias of a tensor in a schema: the "a!" of Tensor(a!)."""

    __slots__ = ("is_write", "before_set", "after_set")

    def __init__(self, text):
        self.is_write = "!" in text
        before, _, after = text.partition("->")
        self.before_set = {before.strip(" !")}
        self.after_set = {after.strip(" !")} if after else self.before_set


class FunctionSchema:
    """A schema as PyTorch prints it: "aten::add.Tensor(Tensor self, ...) -> Tensor"."""

    __slots__ = ("name", "overload_name", "arguments", "returns")

    def __init__(self, name, overload_name, arguments, returns):
        self.name, self.overload_name = name, overload_name
        self.arguments = [Argument(*one) for one in arguments]
        self.returns = [Argument(*one) for one in returns]

    @property
    def is_mutable(self):
        """Does it write to an argument?"""
        return any(one.alias_info is not None and one.alias_info.is_write for one in self.arguments)

    def __str__(self):
        words = []
        for one in self.arguments:
            if one.kwarg_only and "*" not in words:
                words.append("*")
            words.append(str(one))
        results = ", ".join(str(one) for one in self.returns)
        bare = len(self.returns) == 1 and not self.returns[0].name
        overload = f".{self.overload_name}" if self.overload_name else ""
        return f"{self.name}{overload}({', '.join(words)}) -> {results if bare else f'({results})'}"

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, FunctionSchema) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


def _value(text):
    """A default as an object: None, a number, a text, a list."""
    words = {"None": None, "True": True, "False": False}
    if text in words:
        return words[text]
    if text[0] == "[":
        inside = text[1:-1].strip()
        return [_value(one.strip()) for one in inside.split(",")] if inside else []
    if text[0] in "'\"":
        return text[1:-1]
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    with contextlib.suppress(ValueError):
        return complex(text)
    return text  # a dtype's name


def _printed(text, type_text):
    """A default as PyTorch prints it: 2. is a float, a text has double quotes."""
    value = _value(text)
    of_floats = type_text.startswith("float")
    if type_text.startswith("ScalarType"):
        return text

    def one(value):
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, bool) or value is None:
            return str(value)
        if isinstance(value, float) or of_floats:
            return f"{int(value)}." if float(value).is_integer() and abs(value) < 1e15 else f"{value:.17g}"
        return str(value)

    return f"[{', '.join(one(each) for each in value)}]" if isinstance(value, list) else one(value)


def parse_schema(text, space=""):
    """The schema in `text`, in the namespace `space` unless it names one. RuntimeError: it cannot be read."""
    read = _karat.read_schema(text)
    if len(read) == 2:
        mistake, at = read
        raise RuntimeError(f"{mistake} here:\n{text}\n{' ' * at}~ <--- HERE\n")
    own, name, overload, arguments, returns = read
    return FunctionSchema(f"{own or space}::{name}" if own or space else name, overload, arguments, returns)


class OpOverload:
    """One overload of an operator: torch.ops.aten.add.Tensor."""

    def __init__(self, packet, overload, op, schema):
        self._overloadpacket, self._overloadname = packet, overload or "default"
        self._op, self._said = op, schema
        self._read = None
        self._qualname = f"{packet._qualified_op_name}.{overload}" if overload else packet._qualified_op_name
        self.__name__ = f"{packet.__name__}.{self._overloadname}"
        self.__module__ = packet.__module__
        self.__qualname__ = self._qualname
        self.tags = list(tags_of.get(self._qualname, ()))
        op.face = self
        op.has_rule = self._qualname in vmap_rules

    def __call__(self, /, *args, **kwargs):
        return self._op(*args, **kwargs)

    def _by_rule(self, /, *args, **kwargs):
        """The call by the rule of register_vmap; NotImplemented: no argument shows an example."""
        from ._library.vmap import call

        return call(vmap_rules[self._qualname], args, kwargs)

    @property
    def _schema(self):
        if self._read is None:
            self._read = getattr(self._op, "parse", parse_schema)(self._said, self.namespace)
        return self._read

    @property
    def overloadpacket(self):
        """The operator with all its overloads."""
        return self._overloadpacket

    @property
    def op(self):
        """What is called."""
        return self._op

    @property
    def namespace(self):
        """The part of the name before the colons."""
        return self._overloadpacket._namespace

    @property
    def is_view(self):
        """Does its result share memory with an argument that it does not write to?"""
        aliases = [one.alias_info for one in self._schema.returns if one.alias_info is not None]
        return bool(aliases) and not any(one.is_write for one in aliases)

    def name(self):
        """namespace::name.overload"""
        return self._qualname

    def has_kernel_for_dispatch_key(self, key):
        """Is there a kernel for that key, a name such as "CPU"?"""
        if self.namespace == "aten":
            return key in ("CPU", "Meta")
        from .library import _place_of

        device, above = _place_of(key)
        if self._qualname in free:
            return (device, above) in free[self._qualname].kernels
        return _karat.has_kernel(self._qualname, device, above)

    def __repr__(self):
        return f"<OpOverload(op='{self._overloadpacket}', overload='{self._overloadname}')>"

    def __str__(self):
        return f"{self._overloadpacket}.{self._overloadname}"

    def __hash__(self):
        return hash(self._qualname)

    def __deepcopy__(self, memo=None):
        return self


class OpOverloadPacket:
    """An operator with its overloads: torch.ops.aten.add."""

    def __init__(self, namespace, name, found):
        self._namespace, self.__name__ = namespace, name
        self._qualified_op_name = self.__qualname__ = f"{namespace}::{name}"
        self.__module__ = f"torch._ops.{namespace}"
        self._overload_names = list(found)
        self._dir = []
        self._made = {key or "default": OpOverload(self, key, *pair) for key, pair in found.items()}
        every = [one._op for one in self._made.values()]
        self._is_row = hasattr(every[0], "row")
        self._all = tuple(one for one in every if hasattr(one, "row") == self._is_row)  # what a call of the name tries

    def __call__(self, /, *args, **kwargs):
        if self._is_row:
            return _karat.call_first(self, self._all, *args, **kwargs)
        from ._library.composed import call_first

        return call_first(self._all, args, kwargs)

    def __getattr__(self, key):
        made = self.__dict__.get("_made", {})
        if key in made:
            return made[key]
        if key.startswith("__"):
            raise AttributeError(f"'{self}' can't have an overload name beginning with '__' and the underlying op has no "
                                 f"attribute {key} either.")
        raise AttributeError(f"The underlying op of '{self}' has no overload name '{key}'")

    def __iter__(self):
        return iter(self._dir)

    @property
    def op(self):
        """What is called."""
        return self.__call__

    @property
    def _schemas(self):
        return {one._schema.overload_name: one._schema for one in self._made.values()}

    def overloads(self):
        """The names of the overloads."""
        return list(self._made)

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"

    def __str__(self):
        return f"{self._namespace}.{self.__name__}"

    def __hash__(self):
        return hash(self._qualified_op_name)

    def __deepcopy__(self, memo=None):
        return self


def _composed(name):
    """{overload: (what is called, schema)} of a name of torch.ops.aten that no row serves."""
    from ._library.composed import Composed, NAMES

    return {overload: (Composed(*both), both[0]) for overload, both in NAMES.get(name, {}).items()}


def _appended(namespace):
    """{name: {overload: row's name}} of the rows that were appended in a namespace."""
    found = {}
    for whole in [*_karat.appended_names(), *free]:
        space, _, rest = whole.partition("::")
        if space == namespace:
            name, _, overload = rest.partition(".")
            found.setdefault(name, {})[overload] = whole
    return found


class _OpNamespace(types.ModuleType):
    """The operators of one namespace: torch.ops.aten."""

    def __init__(self, name):
        super().__init__(f"torch.ops.{name}")
        self.__file__ = "torch.ops"
        self.name = name
        self._dir = []

    def __iter__(self):
        return iter(self._dir)

    def __getattr__(self, key):
        if key.startswith("__"):
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{key}'")
        if self.name == "aten":
            found = {k: pair for k, pair in _karat.aten_overloads(key).items() if pair[0] is not None}
            found = {**found, **{k: pair for k, pair in _composed(key).items() if k not in found}}
        else:
            found = {k: (free[whole], free[whole].said) if whole in free else _karat.appended_operator(whole)
                     for k, whole in _appended(self.name).get(key, {}).items()}
        refused = None if found else _refused_of(f"karat.ops.{self.name}", key)
        if refused:
            return refused
        if not found:
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{key}'")
        packet = OpOverloadPacket(self.name, key, found)
        setattr(self, key, packet)
        self._dir.append(key)
        return packet

    def __dir__(self):
        if self.name != "aten":
            return sorted({*_appended(self.name), "name"})
        if not _aten:
            from ._library.composed import NAMES

            _aten.update({**_karat.aten_names(), **NAMES})
        return sorted(_aten)

    def _forget(self, key):
        """The operator has changed: it is looked up again."""
        self.__dict__.pop(key, None)
        if key in self._dir:
            self._dir.remove(key)


def _space_of(path):
    """The namespace of a library's operators, as packages name them: torchvision/_C.so has the package's, image.so its own."""
    import os

    folder, file = os.path.split(path)
    name = file.partition(".")[0]
    return os.path.basename(folder) if name == "_C" or name.startswith("_C_") else name


class _Ops(types.ModuleType):
    """torch.ops: the namespaces, and libraries that bring operators."""

    __file__ = "_ops.py"

    def __init__(self):
        super().__init__("torch.ops")
        self.loaded_libraries = set()
        self._dir = []

    def __iter__(self):
        return iter(self._dir)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
        space = _OpNamespace(name)
        setattr(self, name, space)
        self._dir.append(name)
        return space

    def load_library(self, path):
        """Opens a shared library whose constructors append operators by plugin/operator.h (kt_row_append); it must be linked with
        libkarat. A library of PyTorch's C++ operators cannot be used: OSError, or no operator. Where Karat brings the operators
        of a package itself (torchvision's), the package's own library is not opened."""
        import ctypes
        import os

        path = os.path.realpath(os.fspath(path)) if os.path.exists(path) else os.fspath(path)
        space = _space_of(path)
        try:
            if _karat.operators_known(space):
                _karat.load_operators(space)
            else:
                ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise OSError(f"Could not load this library: {path}") from error
        self.loaded_libraries.add(path)
        for space in [one for one in self.__dict__.values() if isinstance(one, _OpNamespace)]:
            for key in list(space._dir):
                space._forget(key)

    def import_module(self, module):
        """Imports a Python module that registers operators."""
        import importlib

        importlib.import_module(module)


ops = _Ops()
__getattr__ = _of(__name__)
