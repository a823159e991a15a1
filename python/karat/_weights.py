"""_weights.py - the machine of torch.load(weights_only=True): reads a pickle and makes tensors, plain containers and what the
caller allows, and nothing else.

In: the bytes of a pickle (protocols 0 to 5), a function that gives a storage for a saved id, the names that the caller allows.
Out: the object, or an UnpicklingError. A name in the file is looked up in a table, never imported; what can be called, and with
what, is in the table too; state is given only to objects that this load has made. Lengths are checked against what is left of
the file before anything is allocated. Each opcode costs a bounded time; what costs more, because an object of the memo is gone
through or copied once more, is paid from a budget in proportion to the file. Independent of: where the bytes come from, how a
storage is read.
"""

import codecs
import os
import struct
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from pickle import UnpicklingError
from sys import getrefcount

from . import _karat
from ._karat import Size, Tensor, device, dtype
from ._pickled import LAYOUTS, _get_layout, in_words
from ._probes import FEW, Probes
from ._refused import REFUSED_DTYPES, single
from ._tensor import _rebuild_from_type_v2
from ._utils import (
    _rebuild_meta_tensor_no_storage,
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
)
from .copying import set_state
from .legacy import NAMES as TENSOR_TYPES
from .nn.parameter import Parameter
from .storage import UntypedStorage
from .typed_storage import NAMES as STORAGE_TYPES
from .typed_storage import TypedStorage


class NotAllowed(UnpicklingError):
    """A name that weights_only does not allow; the caller may."""


class Blocked(UnpicklingError):
    """A name of a module that nobody can allow."""


class Damaged(UnpicklingError):
    """No pickle that torch.save or a program of that kind has written."""


# ---- the table: what a file may name, and what may be called with what ----


def _expect(held, what):
    if not held:
        raise Damaged(what)


def _is_int(one):
    return type(one) is int


_MOST = 1 << 63


def _plain_dict(machine, one):
    if type(one) not in (dict, OrderedDict):
        return False
    machine.spend(len(one) * _ITEM)
    return all(type(key) is str for key in one)


def _sizes(machine, one, what):
    _expect(type(one) in (tuple, list, Size), f"the {what} of a tensor must be ints")
    machine.spend(len(one) * _SIZE)
    _expect(all(type(n) is int and -_MOST <= n < _MOST for n in one), f"the {what} of a tensor must be ints")
    return tuple(one)


def _tensor(machine, storage, offset, sizes, strides, requires_grad=False, hooks=None, *others):
    _expect(type(storage) is TypedStorage, "a tensor must be in a storage")
    _expect(_is_int(offset) and offset >= 0, "a tensor's place in its storage must be an int, 0 or more")
    _expect(type(requires_grad) is bool, "requires_grad must be a bool")
    _no_hooks(hooks)
    sizes, strides = _sizes(machine, sizes, "sizes"), _sizes(machine, strides, "strides")
    return (storage, offset, sizes, strides, requires_grad, OrderedDict(), *others)


def _no_hooks(hooks):
    _expect(hooks is None or type(hooks) in (dict, OrderedDict) and not hooks, "hooks are not loaded")


def _metadata(metadata):
    _expect(metadata is None or type(metadata) is dict and len(metadata) <= 2 and all(
        key in ("conj", "neg") and type(on) is bool for key, on in metadata.items()), "unknown metadata of a tensor")
    return metadata


def _make_tensor(machine, storage, offset, sizes, strides):
    return _rebuild_tensor(*_tensor(machine, storage, offset, sizes, strides)[:4])


def _make_tensor_v2(machine, storage, offset, sizes, strides, requires_grad, hooks, metadata=None):
    return _rebuild_tensor_v2(*_tensor(machine, storage, offset, sizes, strides, requires_grad, hooks, _metadata(metadata)))


def _make_tensor_v3(machine, storage, offset, sizes, strides, requires_grad, hooks, of, metadata=None):
    _expect(type(of) is dtype, "a tensor's dtype must be a dtype")
    return _rebuild_tensor_v3(*_tensor(machine, storage, offset, sizes, strides, requires_grad, hooks, of, _metadata(metadata)))


def _make_meta_tensor(machine, of, sizes, strides, requires_grad):
    _expect(type(of) is dtype and type(requires_grad) is bool, "a meta tensor must have a dtype and requires_grad")
    sizes, strides = _sizes(machine, sizes, "sizes"), _sizes(machine, strides, "strides")
    return _rebuild_meta_tensor_no_storage(of, sizes, strides, requires_grad)


def _make_of_type(machine, build, cls, arguments, state):
    """A tensor with attributes, or of a subclass that the caller allows."""
    _expect(any(build is one for one in _TENSOR_BUILDERS), "a tensor must be built by a function for tensors")
    _expect(cls is Tensor or cls is Parameter or machine.is_allowed(cls) and issubclass(cls, Tensor),
            "a tensor must be of a class of tensors")
    made = machine.call(build, arguments)
    if type(made) is not cls:
        made = machine.outside(made.as_subclass, (cls,))
    if cls.__setstate__ is not Tensor.__setstate__:
        machine.outside(made.__setstate__, (state,))
        return made
    return made if state is None else set_state(made, _all_attributes(machine.own_state_of(state)))


_TENSOR_BUILDERS = (_rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_meta_tensor_no_storage, _rebuild_parameter)


def _make_parameter(machine, data=None, requires_grad=True, hooks=None):
    _expect(data is None or isinstance(data, Tensor), "a parameter must be made of a tensor")
    _expect(type(requires_grad) is bool, "requires_grad must be a bool")
    _no_hooks(hooks)
    return Parameter(data, requires_grad)


def _make_parameter_with_state(machine, data, requires_grad, hooks, state):
    return set_state(_make_parameter(machine, data, requires_grad, hooks), _all_attributes(machine.own_state_of(state)))


def _all_attributes(state):
    return {**(state[0] or {}), **state[1]} if type(state) is tuple else state


def _make_dict(cls):
    def make(machine, items=()):
        keys = items
        if type(items) not in (dict, OrderedDict, Counter):
            _expect(type(items) in (list, tuple), f"{cls.__name__} must be made of pairs")
            machine.spend(len(items) * _ITEM)
            _expect(all(type(pair) in (list, tuple) and len(pair) == 2 for pair in items),
                    f"{cls.__name__} must be made of pairs")
            keys = [key for key, _ in items]
        machine.check_keys(keys, False)
        return cls(items)

    return make


def _make_counter(machine, items=()):
    _expect(type(items) in (dict, OrderedDict, Counter, list, tuple, str), "a Counter must be made of counts or of a list")
    machine.check_keys(items, False)
    return Counter(items)


def _make_set(machine, items=()):
    _expect(type(items) in (list, tuple, set, frozenset, str), "a set must be made of a list")
    machine.check_keys(items, True)
    return set(items)


_ENCODINGS = frozenset("latin1 latin-1 iso-8859-1 utf-8 utf8 ascii".split())


def _encoded(machine, text, encoding="utf-8"):
    _expect(type(text) is str and type(encoding) is str and encoding in _ENCODINGS, "bytes must be made of a text in latin-1 or "
                                                                                    "utf-8")
    machine.spend(len(text))
    return text.encode(encoding)


def _make_bytearray(machine, content=b"", encoding=None):
    if type(content) is str:
        return bytearray(_encoded(machine, content, encoding))
    _expect(type(content) in (bytes, bytearray, list) and encoding is None, "a bytearray must be made of bytes")
    machine.spend(len(content) * (_SIZE if type(content) is list else 1))
    return bytearray(content)


def _make_complex(machine, *parts):
    _expect(len(parts) <= 2 and all(type(one) in (int, float) for one in parts), "a complex number must be made of two numbers")
    return complex(*parts)


def _make_size(machine, sizes=()):
    return Size(_sizes(machine, sizes, "sizes"))


def _make_device(machine, kind, index=None):
    _expect(type(kind) is str and (index is None or _is_int(index)), "a device must be made of a name and an index")
    return device(kind) if index is None else device(kind, index)


def _make_layout(machine, name):
    _expect(type(name) is str and name in LAYOUTS, "there is no such layout")
    return _get_layout(name)


# A name, what it stands for in the result, and what makes one (None: it is a value, not called).
_ROWS = [
    ("torch._utils._rebuild_tensor", _rebuild_tensor, _make_tensor),
    ("torch._utils._rebuild_tensor_v2", _rebuild_tensor_v2, _make_tensor_v2),
    ("torch._utils._rebuild_tensor_v3", _rebuild_tensor_v3, _make_tensor_v3),
    ("torch._utils._rebuild_meta_tensor_no_storage", _rebuild_meta_tensor_no_storage, _make_meta_tensor),
    ("torch._utils._rebuild_parameter", _rebuild_parameter, _make_parameter),
    ("torch._utils._rebuild_parameter_with_state", _rebuild_parameter_with_state, _make_parameter_with_state),
    ("torch._tensor._rebuild_from_type_v2", _rebuild_from_type_v2, _make_of_type),
    ("torch.nn.parameter.Parameter", Parameter, _make_parameter),
    ("torch.Size", Size, _make_size),
    ("torch.device", device, _make_device),
    ("torch.serialization._get_layout", _get_layout, _make_layout),
    ("torch.storage.UntypedStorage", UntypedStorage, None),
    ("torch.storage.TypedStorage", TypedStorage, None),
    ("torch.Tensor", Tensor, None),
    ("torch._tensor.Tensor", Tensor, None),
    ("collections.OrderedDict", OrderedDict, _make_dict(OrderedDict)),
    ("collections.Counter", Counter, _make_counter),
    ("builtins.set", set, _make_set),
    ("builtins.bytearray", bytearray, _make_bytearray),
    ("builtins.complex", complex, _make_complex),
    ("_codecs.encode", codecs.encode, _encoded),
    *((f"torch.{name}", one, None) for name, one in {**_karat.dtypes, **TENSOR_TYPES, **STORAGE_TYPES}.items()),
    *((f"torch.cuda.{name}", one, None) for name, one in STORAGE_TYPES.items()),
    *((f"torch.{name}", single("karat", name), None) for name in REFUSED_DTYPES),
]
NAMES = {name: one for name, one, _ in _ROWS}
_MAKERS = {id(one): (one, make) for _, one, make in _ROWS if make}
_BUILT = (OrderedDict, Counter)  # beside classes that the caller allows
_DTYPES = {id(one): one.dtype for one in STORAGE_TYPES.values()} | {id(UntypedStorage): None}
_BLOCKED = frozenset(("os", "sys", "posix", "nt"))
# Keys that are hashed and compared in no time, whatever a file does. Of others there may be long ones, nested ones, and many that
# have one hash.
_SIMPLE_KEYS = frozenset((float, bool, type(None), Tensor, Parameter, dtype))
_ONE_HASH = 1 << 61  # ints below it have hashes of their own, but for -1 and -2
_KEY_DEPTH = 100
# What a load may spend beside its opcodes: bytes that it copies, and as many for an item of a container as it takes in memory.
_BUDGET, _BUDGET_PER_BYTE = 1 << 25, 16
_ITEM, _NODE, _SIZE = 96, 48, 16
_VAIN = 2  # places that were looked at in vain, for the time that a byte takes
_SECRET = int.from_bytes(os.urandom(7), "big")  # no file knows in which order our own tables are filled
_SMALL_PLACE = 1 << 16


def storage_dtype(cls):
    """The dtype of a class of storages, None for bytes; KeyError: it is no such class."""
    return _DTYPES[id(cls)]


def full_name(module, name):
    """How messages and the table call it; builtins have no module in messages."""
    return name if module == "builtins" else f"{module}.{name}"


def _count(one):
    return getrefcount(one)


def _count_of_a_new_one():
    made = object()
    return _count(made)


_FRESH = _count_of_a_new_one()
_CONTAINERS = (list, dict, set, OrderedDict, Counter)


def allowed_names(allowed, torch_name):
    """The objects that callers allow, by the name that a file has for them: objects, or pairs of object and name."""
    names = {}
    for one in allowed:
        if type(one) is tuple:
            names[one[1]] = one[0]
            continue
        names[f"{one.__module__}.{one.__qualname__}"] = one
        written = torch_name(one)
        if written:
            names[".".join(written)] = one
    return names


# ---- the machine ----


class Machine:
    """Runs one pickle, which begins at `at` of `data`; `at` is behind it afterwards."""

    __slots__ = ("data", "at", "end", "stack", "marks", "memo", "made", "foreign", "allowed", "allowed_ids", "storage",
                 "encoding", "fix_names", "left", "hashes", "probes", "in_outside", "result")

    def __init__(self, data, storage, allowed, at=0, encoding="utf-8"):
        self.data, self.at, self.end, self.storage, self.encoding = data, at, len(data), storage, encoding
        self.allowed, self.allowed_ids = allowed, {id(one) for one in allowed.values()}
        self.stack, self.marks, self.memo = [], [], {}
        self.made = {}  # objects that may be given state, by id: this load has made them
        self.foreign = {}  # containers that a caller's function gave and did not make
        self.fix_names, self.in_outside = True, False
        self.left = _BUDGET + _BUDGET_PER_BYTE * self.end
        self.hashes = {}  # how many keys have a hash, by container and hash
        self.probes = {}  # of large containers, by id, with the container

    def load(self):
        """The object."""
        data, actions = self.data, _ACTIONS
        begin = self.at
        try:
            while True:
                at = self.at
                self.at = at + 1
                if actions[data[at]](self):
                    return self.result
        except (IndexError, KeyError, struct.error) as e:
            if self.in_outside:
                raise
            raise Damaged(self._damage(e, begin)) from None
        except (ValueError, OverflowError) as e:  # numbers and texts that are none
            if self.in_outside:
                raise
            raise Damaged(f"{e}, at byte {at - begin} of the pickle") from None

    def _damage(self, error, begin):
        where = f"at byte {self.at - begin} of the pickle"
        if self.at >= self.end or isinstance(error, struct.error):
            return f"the pickle ends too early, {where}"
        return f"nothing is stored under {error}, {where}" if isinstance(error, KeyError) else f"the stack is empty, {where}"

    def take(self, n):
        """The next n bytes."""
        at = self.at
        if n < 0 or n > self.end - at:
            raise Damaged(f"the pickle ends too early: {n} bytes wanted at byte {at}, {self.end - at} are left")
        self.at = at + n
        return self.data[at:at + n]

    def line(self):
        """The bytes up to the end of the line."""
        at = self.at
        end = self.data.find(b"\n", at)
        if end < 0:
            raise Damaged(f"the pickle ends too early: a line begins at byte {at} and does not end")
        self.at = end + 1
        return self.data[at:end]

    def popped_mark(self):
        """What was pushed since the last mark."""
        items = self.stack
        self.stack = self.marks.pop()
        return items

    # ---- names ----

    def named(self, module, name):
        """What a name in the file stands for."""
        module, name = self.today(module, name)
        if module.partition(".")[0] in _BLOCKED:
            raise Blocked(f"Trying to load unsupported GLOBAL {module}.{name} whose module {module} is blocked.")
        path = f"{module}.{name}"
        if path in self.allowed:
            return self.allowed[path]
        if path in NAMES:
            return NAMES[path]
        shown = full_name(module, name)
        raise NotAllowed(
            f"Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use `torch.serialization."
            f"add_safe_globals([{shown}])` or the `torch.serialization.safe_globals([{shown}])` context manager to allowlist "
            "this "
            "global if you trust this class/function.")

    def today(self, module, name):
        """The name that Python 3 has for one of Python 2, which protocols before 3 write."""
        return NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name)) if self.fix_names else (module, name)

    def is_allowed(self, one):
        """Does the caller allow it?"""
        return id(one) in self.allowed_ids

    # ---- calls ----

    def call(self, function, arguments):
        """What a row of the table, or a function of the caller's, makes of the arguments."""
        row = _MAKERS.get(id(function))
        if row is None:
            if self.is_allowed(function):
                return self.call_outside(function, arguments)
            raise UnpicklingError(f"\n\nTrying to call reduce for unrecognized function {_shown(function)}")
        if type(arguments) not in (tuple, list):
            raise Damaged(f"{row[0].__name__} must be called with a tuple, not with {type(arguments).__name__}")
        try:
            made = row[1](self, *arguments)
        except UnpicklingError:
            raise
        except (TypeError, ValueError, OverflowError, RuntimeError, IndexError, NotImplementedError) as e:
            if self.in_outside:
                raise
            raise Damaged(f"{row[0].__name__}: {str(e).partition(chr(10))[0]}") from None
        if type(made) in _BUILT:
            self.made[id(made)] = made
        return made

    def outside(self, function, arguments, keywords={}):
        """A call of the caller's own function, whose errors pass through."""
        self.in_outside = True
        made = function(*arguments, **keywords)
        self.in_outside = False
        return made

    def call_outside(self, function, arguments, keywords={}):
        """The same, of one that gives an object: new, or one that others have as well, which gets no state."""
        made = self.outside(function, arguments, keywords)
        if _count(made) <= _FRESH:
            self.made[id(made)] = made
        elif type(made) in _CONTAINERS:
            self.foreign[id(made)] = made
        return made

    # ---- objects ----

    def state_of(self, state):
        """A state that names attributes: a dict, or a pair of it (or None) and a dict of slots."""
        if type(state) is tuple and len(state) == 2:
            attributes, slots = state
            _expect(_plain_dict(self, slots) and not any(map(_is_special, slots)), "slots must be a dict of names")
            _expect(attributes is None or _plain_dict(self, attributes), "attributes must be a dict of names")
            return state
        _expect(_plain_dict(self, state), f"attributes must be a dict of names, not {type(state).__name__}")
        return state

    def own_state_of(self, state):
        """The same, for a class of the table: no name that Python looks up on its own, when the object is copied, say."""
        state = self.state_of(state)
        attributes = state[0] if type(state) is tuple else state
        _expect(not attributes or not any(map(_is_special, attributes)), "a special name is no attribute")
        return state

    def build(self, one, state):
        """Gives state to an object that this load has made."""
        cls = type(one)
        allowed = self.is_allowed(cls)
        if isinstance(one, Tensor) and not allowed:
            raise Damaged("a tensor's state is part of what makes it")
        if cls not in _BUILT and not allowed:
            raise UnpicklingError("\n\nCan only build Tensor, Parameter, OrderedDict or types allowlisted via "
                                  "`add_safe_globals`, but "
                                  f"got {cls!r}")
        if id(one) not in self.made:
            raise UnpicklingError(f"\n\nCan only build objects that are made by this load, but got a {cls.__name__} that others "
                                  "have as "
                                  "well")
        if allowed and hasattr(cls, "__setstate__"):
            self.outside(one.__setstate__, (state,))
            return
        state = self.state_of(state) if allowed else self.own_state_of(state)
        attributes, slots = state if type(state) is tuple else (state, {})
        if attributes:
            self.outside(_set_attributes, (one, attributes))
        for name, value in slots.items():
            self.outside(setattr, (one, name, value))

    def spend(self, work):
        """Pays for what takes longer than its opcode tells. Beyond the budget the load ends."""
        self.left -= work
        if self.left < 0:
            raise Damaged("the file goes through the same objects, or copies them, more often than a file of its size may")

    def check_keys(self, keys, for_set):
        """Keys of a dict or elements of a set that are copied into a new one."""
        self.spend(len(keys) * _ITEM)
        if type(keys) is not str:
            for key in keys:
                self.check_key(key)
            self.check_places(None, keys, for_set)

    def check_places(self, container, keys, for_set):
        """Keys that are put into a container, None: a new one, find a place soon."""
        if len(container or ()) + len(keys) <= FEW:
            return
        probes = [Probes(for_set)]
        if container is not None:
            if id(container) not in self.probes:
                self.probes[id(container)] = *probes, container
                self._find_places(probes[0], container)
            probes = self.probes[id(container)]
        self._find_places(probes[0], keys)

    def _find_places(self, probes, keys):
        self.spend(-(-probes.extend(map(hash, keys), self.left * _VAIN) // _VAIN))

    def check_key(self, key, container=None):
        """A key of a dict or an element of a set, of a new one where none is given: hashing it, and comparing it with those of
        the same hash, must not take forever."""
        kind = type(key)
        if kind in _SIMPLE_KEYS or kind is int and -_ONE_HASH < key < _ONE_HASH:
            return
        if kind is str or kind is bytes:
            self.spend(len(key) >> 4)
            return
        self._check_nested(key)
        where = self.at if container is None else id(container), hash(key) ^ _SECRET
        same, _ = self.hashes.get(where, (0, None))
        self.hashes[where] = same + 1, container  # kept: no other gets its id
        self.spend(same * _NODE)

    def _check_nested(self, key):
        depth, level = 0, [key]
        while level:
            deeper = []
            for one in level:
                if type(one) in (tuple, frozenset, Size):
                    self.spend(_NODE * (1 + len(one)))
                    deeper.extend(one)
                elif type(one).__hash__ is None:
                    raise Damaged(f"unhashable type: '{type(one).__name__}'")
                elif type(one) in (str, bytes):
                    self.spend(len(one) >> 4)
                elif type(one) is int:
                    self.spend(one.bit_length() >> 3)
            depth += 1
            if depth > _KEY_DEPTH:
                raise Damaged("a key is nested too deep")
            level = deeper

    def changed(self, one):
        """An item is put into a container: one that this load has made."""
        if self.foreign and id(one) in self.foreign:
            raise UnpicklingError(f"\n\nCan only change what this load has made, but got a {type(one).__name__} that others "
                                  "have as well")


def _set_attributes(one, attributes):
    one.__dict__.update(attributes)


def _is_special(name):
    return name.startswith("__") and name.endswith("__")


def _shown(one):
    plain = isinstance(one, (type, int, float, str, bytes, type(None), type(_shown)))
    return repr(one)[:200] if plain else f"a {type(one).__name__}"


# ---- the opcodes ----


def _stop(m):
    m.result = m.stack.pop()
    if m.marks:
        raise Damaged("the pickle stops within a container")
    return True


def _proto(m):
    version = m.data[m.at]
    m.at += 1
    if version > 5:
        raise Damaged(f"unsupported pickle protocol: {version}")
    m.fix_names = version < 3


def _frame(m):
    length, = _U8.unpack(m.take(8))
    if length > m.end - m.at:
        raise Damaged("the pickle ends too early: a frame is longer than what is left")


def _mark(m):
    m.marks.append(m.stack)
    m.stack = []


def _pop(m):
    if m.stack:
        m.stack.pop()
    else:
        m.stack = m.marks.pop()


def _pop_mark(m):
    m.popped_mark()


def _dup(m):
    m.stack.append(m.stack[-1])


def _none(m):
    m.stack.append(None)


def _true(m):
    m.stack.append(True)


def _false(m):
    m.stack.append(False)


_U2, _I4, _U4, _U8, _F8 = struct.Struct("<H"), struct.Struct("<i"), struct.Struct("<I"), struct.Struct("<Q"), struct.Struct(">d")


def _binint(m):
    m.stack.append(_I4.unpack_from(m.data, m.at)[0])
    m.at += 4


def _binint1(m):
    m.stack.append(m.data[m.at])
    m.at += 1


def _binint2(m):
    m.stack.append(_U2.unpack_from(m.data, m.at)[0])
    m.at += 2


def _binfloat(m):
    m.stack.append(_F8.unpack_from(m.data, m.at)[0])
    m.at += 8


def _long1(m):
    m.stack.append(int.from_bytes(m.take(m.take(1)[0]), "little", signed=True))


def _long4(m):
    m.stack.append(int.from_bytes(m.take(_I4.unpack(m.take(4))[0]), "little", signed=True))


_BOOLS = {b"00": False, b"01": True}


def _int_text(m):
    text = m.line()
    m.stack.append(_BOOLS[text] if text in _BOOLS else int(text))


def _long_text(m):
    m.stack.append(int(m.line().removesuffix(b"L")))


def _float_text(m):
    m.stack.append(float(m.line()))


def _binunicode(m):
    at = m.at
    length = _U4.unpack_from(m.data, at)[0]
    at += 4
    if length > m.end - at:
        m.take(length)
    m.at = at + length
    m.stack.append(str(m.data[at:at + length], "utf-8", "surrogatepass"))


def _short_binunicode(m):
    m.stack.append(str(m.take(m.take(1)[0]), "utf-8", "surrogatepass"))


def _binunicode8(m):
    m.stack.append(str(m.take(_U8.unpack(m.take(8))[0]), "utf-8", "surrogatepass"))


def _unicode_text(m):
    m.stack.append(str(m.line(), "raw-unicode-escape"))


def _old_text(m, content):
    m.stack.append(content if m.encoding == "bytes" else str(content, m.encoding))


def _short_binstring(m):
    _old_text(m, m.take(m.take(1)[0]))


def _binstring(m):
    _old_text(m, m.take(_I4.unpack(m.take(4))[0]))


def _string_text(m):
    quoted = m.line()
    if len(quoted) < 2 or quoted[:1] not in (b"'", b'"') or quoted[-1:] != quoted[:1]:
        raise Damaged("a text must be in quotes")
    _old_text(m, codecs.escape_decode(quoted[1:-1])[0])


def _short_binbytes(m):
    m.stack.append(m.take(m.take(1)[0]))


def _binbytes(m):
    m.stack.append(m.take(_U4.unpack(m.take(4))[0]))


def _binbytes8(m):
    m.stack.append(m.take(_U8.unpack(m.take(8))[0]))


def _bytearray8(m):
    m.stack.append(bytearray(m.take(_U8.unpack(m.take(8))[0])))


def _empty_tuple(m):
    m.stack.append(())


def _tuple1(m):
    m.stack[-1] = (m.stack[-1],)


def _tuple2(m):
    last = m.stack.pop()
    m.stack[-1] = (m.stack[-1], last)


def _tuple3(m):
    last, middle = m.stack.pop(), m.stack.pop()
    m.stack[-1] = (m.stack[-1], middle, last)


def _tuple(m):
    items = m.popped_mark()
    m.stack.append(tuple(items))


def _empty_list(m):
    m.stack.append([])


def _list(m):
    items = m.popped_mark()
    m.stack.append(items)


def _append(m):
    one = m.stack.pop()
    _list_that("append to", m).append(one)


def _appends(m):
    items = m.popped_mark()
    _list_that("extend", m).extend(items)


def _list_that(what, m):
    changed = m.stack[-1]
    if type(changed) is not list:
        raise UnpicklingError(f"\n\nCan only {what} lists, but got {type(changed)}")
    m.changed(changed)
    return changed


def _empty_set(m):
    m.stack.append(set())


def _additems(m):
    items = m.popped_mark()
    changed = m.stack[-1]
    if type(changed) is not set:
        raise UnpicklingError(f"\n\nCan only add to sets, but got {type(changed)}")
    m.changed(changed)
    for one in items:
        m.check_key(one, changed)
    m.check_places(changed, items, True)
    changed.update(items)


def _frozenset(m):
    items = m.popped_mark()
    for one in items:
        m.check_key(one)
    m.check_places(None, items, True)
    m.stack.append(frozenset(items))


_DICTS, _ALL_TEXTS = (dict, OrderedDict, Counter), {str}


def _empty_dict(m):
    m.stack.append({})


def _dict(m):
    items = m.popped_mark()
    m.stack.append({})
    _put(m, "DICT", items)


def _setitem(m):
    value, key = m.stack.pop(), m.stack.pop()
    _put(m, "SETITEM", [key, value])


def _setitems(m):
    _put(m, "SETITEMS", m.popped_mark())


def _put(m, opcode, items):
    changed = m.stack[-1]
    if type(changed) not in _DICTS:
        raise UnpicklingError(f"\n\nCan only {opcode} for dict, collections.OrderedDict, collections.Counter, but got "
                              f"{type(changed)}")
    m.changed(changed)
    keys = items[::2]
    if len(items) & 1:
        raise Damaged("a dict has a key without a value")
    if set(map(type, keys)) == _ALL_TEXTS:
        m.spend(sum(map(len, keys)) >> 4)
    else:
        for key in keys:
            m.check_key(key, changed)
    m.check_places(changed, keys, False)
    if type(changed) is dict:
        changed.update(zip(keys, items[1::2]))
    else:  # update counts in a Counter
        for key, value in zip(keys, items[1::2]):
            changed[key] = value


def _place(n):
    """A key of the memo. Large ones are texts, whose hashes no file can choose."""
    return n if n < _SMALL_PLACE else str(n)


def _put_text(m):
    place = int(m.line())
    if place < 0:
        raise Damaged("an object is stored under a number below 0")
    m.memo[_place(place)] = m.stack[-1]


def _binput(m):
    m.memo[m.data[m.at]] = m.stack[-1]
    m.at += 1


def _long_binput(m):
    m.memo[_place(_U4.unpack_from(m.data, m.at)[0])] = m.stack[-1]
    m.at += 4


def _memoize(m):
    m.memo[_place(len(m.memo))] = m.stack[-1]


def _get_text(m):
    m.stack.append(m.memo[_place(int(m.line()))])


def _binget(m):
    m.stack.append(m.memo[m.data[m.at]])
    m.at += 1


def _long_binget(m):
    m.stack.append(m.memo[_place(_U4.unpack_from(m.data, m.at)[0])])
    m.at += 4


def _global(m):
    module, name = str(m.line(), "utf-8"), str(m.line(), "utf-8")
    m.stack.append(m.named(module, name))


def _stack_global(m):
    name, module = m.stack.pop(), m.stack.pop()
    if type(name) is not str or type(module) is not str:
        raise Damaged("the name of a class or function must be a text")
    m.stack.append(m.named(module, name))


def _reduce(m):
    arguments, function = m.stack.pop(), m.stack.pop()
    m.stack.append(m.call(function, arguments))


def _newobj(m):
    arguments = m.stack.pop()
    _new(m, arguments, {})


def _newobj_ex(m):
    keywords, arguments = m.stack.pop(), m.stack.pop()
    if not _plain_dict(m, keywords):
        raise Damaged("keywords must be a dict of names")
    _new(m, arguments, keywords)


def _new(m, arguments, keywords):
    cls = m.stack.pop()
    if type(arguments) not in (tuple, list):
        raise Damaged(f"an object must be made with a tuple, not with {type(arguments).__name__}")
    if isinstance(cls, type) and m.is_allowed(cls):
        m.spend(len(arguments) * _SIZE)
        m.stack.append(m.call_outside(cls.__new__, (cls, *arguments), keywords))
    elif any(cls is one for one in (OrderedDict, Counter, set, Parameter, Size)) and not keywords:
        m.stack.append(m.call(cls, arguments))
    else:
        raise UnpicklingError("\n\nCan only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` "
                              "but got "
                              f"{_shown(cls)}")


def _build(m):
    state = m.stack.pop()
    m.build(m.stack[-1], state)


def _binpersid(m):
    saved_id = m.stack.pop()
    if type(saved_id) is not tuple:
        raise UnpicklingError(f"\n\npersistent_load id must be tuple or int, but got {type(saved_id)}")
    saved_id = in_words(saved_id)
    if not saved_id or type(saved_id[0]) is not str or saved_id[0] != "storage":
        raise UnpicklingError("\n\nOnly persistent_load of storage is allowed, but got "
                              f"{type(saved_id[0]) if saved_id else saved_id}")
    m.stack.append(m.outside(m.storage, (saved_id,)))


def _unsupported(m):
    raise UnpicklingError(f"\n\nUnsupported operand {m.data[m.at - 1]}")


# EXT1, EXT2, EXT4 (a registry of the process), INST, OBJ (classes of Python 2), PERSID (a text) and the two opcodes for buffers
# outside of the file are not read.
_OPCODES = {
    ".": _stop, "\x80": _proto, "\x95": _frame, "(": _mark, "0": _pop, "1": _pop_mark, "2": _dup,
    "N": _none, "\x88": _true, "\x89": _false, "J": _binint, "K": _binint1, "M": _binint2, "G": _binfloat,
    "\x8a": _long1, "\x8b": _long4, "I": _int_text, "L": _long_text, "F": _float_text,
    "X": _binunicode, "\x8c": _short_binunicode, "\x8d": _binunicode8, "V": _unicode_text,
    "U": _short_binstring, "T": _binstring, "S": _string_text,
    "C": _short_binbytes, "B": _binbytes, "\x8e": _binbytes8, "\x96": _bytearray8,
    ")": _empty_tuple, "\x85": _tuple1, "\x86": _tuple2, "\x87": _tuple3, "t": _tuple,
    "]": _empty_list, "l": _list, "a": _append, "e": _appends, "\x8f": _empty_set, "\x90": _additems, "\x91": _frozenset,
    "}": _empty_dict, "d": _dict, "s": _setitem, "u": _setitems,
    "p": _put_text, "q": _binput, "r": _long_binput, "\x94": _memoize, "g": _get_text, "h": _binget, "j": _long_binget,
    "c": _global, "\x93": _stack_global, "R": _reduce, "\x81": _newobj, "\x92": _newobj_ex, "b": _build, "Q": _binpersid,
}
_ACTIONS = [_OPCODES.get(chr(code), _unsupported) for code in range(256)]
