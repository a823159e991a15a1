"""pickle_weapons.py - pickles written by hand, opcode by opcode, and what they are aimed at.

In: nothing. Out: WEAPONS, pickles by name that a load with weights_only=True must refuse; REPEATED, the same, which go through
something large again and again; GOOD, pickles that it must accept; archive(), which puts one into a file; fingerprint(), which
changes when anything that a process shares was changed.
"""

import collections
import io
import random
import struct
import types
import zipfile

import karat
from karat import _pickled, _weights, serialization

DATA = struct.pack("<4f", 1, 2, 3, 4)


def archive(text, records=(("data/0", DATA),), byteorder=b"little", compression=zipfile.ZIP_STORED):
    """A file of torch.save with this data.pkl."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as z:
        z.writestr("a/data.pkl", text)
        if byteorder:
            z.writestr("a/byteorder", byteorder)
        for name, content in records:
            z.writestr("a/" + name, content)
        z.writestr("a/version", b"3\n")
    file.seek(0)
    return file


def named(module, name):
    return b"c%s\n%s\n" % (module.encode(), name.encode())


def text(content):
    raw = content.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def attributes(name, value):
    return b"}" + text(name) + value + b"s"


def slots(name, value):
    return b"N" + attributes(name, value) + b"\x86"


def stored(cls="FloatStorage", key="0", count=b"K\x04", location="cpu", module="torch"):
    return b"(" + text("storage") + named(module, cls) + text(key) + text(location) + count + b"tQ"


ORDERED, COUNTER, SET = named("collections", "OrderedDict"), named("collections", "Counter"), named("builtins", "set")
REBUILD, TENSOR = named("torch._utils", "_rebuild_tensor_v2"), named("torch", "Tensor")
OF_TYPE, PARAMETER = named("torch._tensor", "_rebuild_from_type_v2"), named("torch._utils", "_rebuild_parameter")
META = named("torch._utils", "_rebuild_meta_tensor_no_storage")
FLOAT, STORAGE = named("torch", "float32"), named("torch", "FloatStorage")
NO_HOOKS = ORDERED + b")R"


def arguments(storage=None, offset=b"K\x00", sizes=b"K\x02\x85", strides=b"K\x01\x85", grad=b"\x89", hooks=NO_HOOKS, more=b""):
    return b"(" + (stored() if storage is None else storage) + offset + sizes + strides + grad + hooks + more + b"t"


def tensor(**parts):
    return REBUILD + arguments(**parts) + b"R"


HUGE = b"\x8a\x08" + b"\xff" * 7 + b"\x7f"
MALLOC = b"\x8a\x05\x00\x00\x00\x00\x10"  # 2**36

# What a file can name and has not made.
_SINGLETONS = {
    "a storage class": STORAGE, "another storage class": named("torch.storage", "UntypedStorage"), "a dtype": FLOAT,
    "a builder": REBUILD, "Counter": COUNTER, "OrderedDict": ORDERED, "Tensor": TENSOR, "set": SET,
    "Parameter": named("torch.nn.parameter", "Parameter"), "Size": named("torch", "Size"), "device": named("torch", "device"),
    "a layout": named("torch.serialization", "_get_layout") + text("torch.strided") + b"\x85R",
    "encode": named("_codecs", "encode"), "complex": named("builtins", "complex"),
    "a tensor type": named("torch", "FloatTensor"), "None": b"N", "True": b"\x88", "a number": b"K\x01", "a text": text("ab"),
    "a tuple": b")",
}
_STATES = {
    "attributes": attributes("torch_name", text("os") + text("system") + b"\x86"),
    "slots": slots("dtype", named("torch", "int32")), "defaults": slots("__defaults__", b"N"),
    "dict": attributes("__dict__", b"}"), "class": slots("__class__", ORDERED),
    "both": attributes("x", b"K\x01") + attributes("most_common", b"K\x01") + b"\x86", "code": slots("__code__", b"N"),
    "nothing": b"}", "None": b"N", "a number": b"K\x01", "a list": b"]",
}

WEAPONS = {f"{state} given to {one}": target + given + b"b"
           for one, target in _SINGLETONS.items() for state, given in _STATES.items()}
WEAPONS |= {
    "call of a dtype": FLOAT + b")R", "call of a storage class": STORAGE + b"K\x04\x85R",
    "call of a Tensor": TENSOR + b"K\x04\x85R", "call of a tensor type": named("torch", "FloatTensor") + MALLOC + b"\x85R",
    "call of a number": b"K\x01)R", "call with no tuple": ORDERED + b"K\x01R", "new dtype": FLOAT + b")\x81",
    "new Tensor": TENSOR + b")\x81", "new number": b"K\x01)\x81", "new function": REBUILD + b")\x81",
    "new with keywords": ORDERED + b")" + attributes("a", b"N") + b"\x92", "new storage": STORAGE + b")\x81",
    **{f"{module}.{name}": named(module, name) for module, name in (("os", "system"), ("posix", "system"), ("sys", "exit"),
        ("builtins", "eval"), ("builtins", "getattr"), ("builtins", "setattr"), ("__builtin__", "eval"), ("builtins",
        "__import__"), ("torch", "load"), ("torch.serialization", "os.system"), ("karat", "load"), ("torch.storage",
        "UntypedStorage.from_file"), ("torch.nn", "Linear"), ("importlib", "import_module"), ("collections", "namedtuple"),
        ("collections", "abc.Mapping"), ("torch._utils", "__getattr__"), ("copyreg", "_reconstructor"), ("torch",
        "Tensor.__setstate__"), ("functools", "partial"), ("operator", "attrgetter"), ("_codecs", "decode"), ("", ""))},
    "a name from the stack": b"\x8c\x05posix\x8c\x06system\x93", "a name that is none": b"K\x01K\x02\x93",
    "an instance": b"(icollections\nOrderedDict\n", "an object": b"(" + ORDERED + b"o", "a registered extension": b"\x82\x01",
    "a persistent text": b"Pabc\n", "a buffer": b"\x97",
    "a codec that runs": named("_codecs", "encode") + text("a") + text("rot13") + b"\x86R",
    "a codec by path": named("_codecs", "encode") + text("a") + text("../x") + b"\x86R",
    "a bytearray of gigabytes": named("builtins", "bytearray") + MALLOC + b"\x85R",
    "bytes of gigabytes": b"B\xff\xff\xff\xffab", "a text of gigabytes": b"X\xff\xff\xff\xffab",
    "more bytes": b"\x8e" + b"\xff" * 8, "a longer text": b"\x8d" + b"\xff" * 7 + b"\x00",
    "a longer bytearray": b"\x96" + b"\xff" * 7 + b"\x00", "a frame": b"\x95" + b"\xff" * 8 + b"N",
    "a long number": b"\x8b\xff\xff\xff\x7fabc", "a negative length": b"\x8b\xff\xff\xff\xff",
    "a number in digits": b"I" + b"9" * 9000 + b"\n", "no number": b"Iab\n", "no float": b"Fab\n", "no quotes": b"Sab\n",
    "half a text": b"X\x01\x00\x00\x00\xff", "a negative place": b"K\x01p-1\n", "an empty place": b"h\x07",
    "an empty stack": b"0", "a pop below the mark": b"K\x01(a", "no mark": b"t", "an open mark": b"(K\x01",
    "an odd dict": b"}(K\x01u", "a list as a key": b"}]K\x01s", "a dict in a set": b"\x8f(}\x90",
    "a deep key": b"})" + b"\x85" * 100000 + b"K\x01s", "a shared key": b"})" + b"2\x86" * 60 + b"K\x01s",
    "a shared element": b"\x8f()" + b"2\x86" * 60 + b"\x90", "a shared set": SET + b"])" + b"2\x86" * 60 + b"a\x85R",
    "a shared pair": ORDERED + b"])" + b"2\x86" * 60 + b"N\x86a\x85R", "items of a list in a dict": b"}K\x01a",
    "items of a dict in a list": b"]K\x01K\x01s", "items of a number": b"K\x01K\x01K\x01s", "items of a tuple": b")K\x01a",
    "items of a Size": named("torch", "Size") + b")\x85RK\x01a", "items of a class": ORDERED + b"K\x01K\x01s",
    "a dict of letters": ORDERED + text("ab") + b"\x85R", "two dicts": ORDERED + b"}}\x86R",
    "a set of a number": SET + b"K\x01\x85R", "a Size of texts": named("torch", "Size") + text("ab") + b"\x85R",
    "a huge Size": named("torch", "Size") + b"\x8a\x09" + b"\xff" * 8 + b"\x7f\x85\x85R",
    "a device of bytes": named("torch", "device") + b"K\x01\x85R",
    "no device": named("torch", "device") + text("abc") + b"\x85R",
    "no layout": named("torch.serialization", "_get_layout") + text("x") + b"\x85R",
    "complex of a list": named("builtins", "complex") + b"]\x85R",
    "complex of a long": named("builtins", "complex") + b"\x8a\xff" + b"\x7f" * 255 + b"\x85R", "state of a dict": b"}}b",
    "state of a list": b"]}b", "a number as state": ORDERED + b")RK\x01b",
    "a numbered attribute": ORDERED + b")R}K\x01K\x01sb",
    "a special slot": ORDERED + b")R" + slots("__class__", COUNTER) + b"b", "a tensor outside": tensor(offset=b"K\x03"),
    "a negative place in memory": tensor(offset=b"J\xff\xff\xff\xff"),
    "negative sizes": tensor(sizes=b"J\xff\xff\xff\xff\x85"), "negative strides": tensor(strides=b"J\xff\xff\xff\xff\x85"),
    "huge sizes": tensor(sizes=HUGE + b"\x85"), "huge strides": tensor(strides=HUGE + b"\x85"),
    "a huge place": tensor(offset=HUGE), "sizes beyond 64 bits": tensor(sizes=b"\x8a\x09" + b"\xff" * 8 + b"\x7f\x85"),
    "other ranks": tensor(strides=b")"), "sizes in a text": tensor(sizes=text("ab")),
    "True as a size": tensor(sizes=b"\x88\x85"), "requires_grad=1": tensor(grad=b"K\x01"),
    "requires_grad of ints": tensor(storage=stored("IntStorage"), grad=b"\x88"),
    "a hook": tensor(hooks=ORDERED + b")RK\x00" + SET + b"s"), "no storage": tensor(storage=b"N"),
    "unknown metadata": tensor(more=attributes("backward", b"\x88")), "too few arguments": REBUILD + b")R",
    "many dims": tensor(sizes=b"(" + b"K\x01" * 1000 + b"t", strides=b"(" + b"K\x01" * 1000 + b"t"),
    "a parameter of a number": PARAMETER + b"(K\x01\x88" + NO_HOOKS + b"tR",
    "a parameter with a hook": PARAMETER + b"(" + tensor() + b"\x88" + ORDERED + b")RK\x00" + SET + b"stR",
    "a meta tensor of no dtype": META + b"(K\x01))\x89tR", "another builder": OF_TYPE + b"(" + ORDERED + TENSOR + b")}tR",
    "a builder of itself": OF_TYPE + b"(" + OF_TYPE + TENSOR + b")}tR",
    "another class": OF_TYPE + b"(" + REBUILD + SET + arguments() + b"}tR",
    "state for a tensor": tensor() + attributes("x", b"N") + b"b",
    "slots for a tensor": tensor() + slots("data", b"K\x01") + b"b",
    "special slots": OF_TYPE + b"(" + REBUILD + TENSOR + arguments() + slots("__class__", SET) + b"tR",
    "a storage of another class": b"(" + text("storage") + ORDERED + text("0") + text("cpu") + b"K\x04tQ",
    "an id that is none": b"K\x01Q", "a list as an id": b"]Q", "an empty id": b")Q",
    "a module": b"(" + text("module") + b"tQ", "a short id": b"(" + text("storage") + b"tQ",
    "a negative storage": stored(count=b"J\xff\xff\xff\xff"), "a storage in a text": stored(count=text("4")),
    "a storage beyond 64 bits": stored(count=HUGE),
    "a location that is none": b"(" + text("storage") + STORAGE + text("0") + b"K\x01K\x04tQ",
    "a huge key": b"(" + text("storage") + STORAGE + b"\x8b" + struct.pack("<i", 3000) + b"\x7f" * 3000
        + text("cpu") + b"K\x04tQ",
    "a special attribute": ORDERED + b")R" + attributes("__deepcopy__", named("torch.storage", "UntypedStorage")) + b"b",
    "a special attribute of a tensor": OF_TYPE + b"(" + REBUILD + TENSOR + arguments()
        + attributes("__reduce_ex__", named("torch.storage", "UntypedStorage")) + b"tR",
    "a key that is none": b"(" + text("storage") + STORAGE + b"]" + text("cpu") + b"K\x04tQ",
}
WEAPONS = {name: b"\x80\x02" + body + b"." for name, body in WEAPONS.items()}
WEAPONS |= {"a later protocol": b"\x80\x09N.", "no protocol": b"\x80", "nothing but a stop": b".", "nothing": b""}

# Small files that would take gigabytes or minutes: something large is stored once, and copied, hashed or compared many times; or
# keys all have one hash.
LARGE, TIMES = 200000, 3000


def _stored_large(code, unit=b"a"):
    return code + struct.pack("<I", LARGE) + unit * LARGE


def _long(n):
    raw = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(raw)]) + raw


def _calls(what, large, more=b""):
    """what(large, more) many times."""
    stored = large + b"q\x000" + what + b"q\x010" + (more and more + b"q\x020")
    return stored + b"(" + (b"h\x01(h\x00" + (more and b"h\x02") + b"tR") * TIMES + b"t"


def _key(large):
    return large + b"q\x000(" + b"}h\x00Ns" * TIMES * 10 + b"t"


def _equal(large, begin, end):
    return large + b"q\x000" + large + b"q\x010" + begin + b"h\x00N" + b"h\x01N" * TIMES * 10 + end


_NUMBERS = b"(" + b"".join(b"J" + struct.pack("<i", n) for n in range(LARGE // 5)) + b"l"
_PAIRS = b"NN\x86q\x000(" + b"h\x00" * LARGE + b"l"
_ATTRIBUTES = b"(" + b"".join(text(f"a{n}") + b"N" for n in range(LARGE // 10)) + b"d"
_ALIKE = [_long(n * ((1 << 61) - 1)) for n in range(1, LARGE // 10)]


def _walkers(size=1 << 16):
    """Numbers that fill the places of a table along the way that a dict goes, and numbers whose way leads there: each looks at
    most of the taken places."""
    taken, at, fill = bytearray(size), 1, []
    while len(fill) < size // 2:
        fill.append(at)
        taken[at] = 1
        at = (5 * at + 1) % size
    dice, walkers = random.Random(1), set()
    while len(walkers) < size // 10:
        number = dice.getrandbits(20) | 1 << 19
        at, rest = number % size, number
        while rest and taken[at]:
            rest >>= 5
            at = (5 * at + rest + 1) % size
        if taken[at]:
            walkers.add(number)
    return [b"J" + struct.pack("<i", number) for number in fill + sorted(walkers)]


_COMPLEX = [b"h\x00G" + struct.pack(">d", -1000003 * n) + b"G" + struct.pack(">d", n) + b"\x86R" for n in range(LARGE // 10)]
_WALKERS = _walkers()
_TEXT, _BYTES = _stored_large(b"X"), _stored_large(b"B")

REPEATED = {
    **{f"{name} of {kind}": _calls(what, large) for name, what, kinds in (
        ("dict", ORDERED, "pairs dict"), ("Counter", COUNTER, "numbers dict text"), ("set", SET, "numbers text"),
        ("bytearray", named("builtins", "bytearray"), "bytes"), ("Size", named("torch", "Size"), "numbers"),
        ("encode", named("_codecs", "encode"), "text")) for kind, large in (
        ("pairs", _PAIRS), ("numbers", _NUMBERS), ("text", _TEXT), ("bytes", _BYTES),
        ("dict", COUNTER + _NUMBERS + b"\x85R")) if kind in kinds.split()},
    "bytearray of text": _calls(named("builtins", "bytearray"), _TEXT, text("latin1")),
    "attributes": _ATTRIBUTES + b"q\x000(" + (ORDERED + b")Rh\x00b") * TIMES + b"t",
    "attributes of one": _ATTRIBUTES + b"q\x000" + ORDERED + b")R" + b"h\x00b" * TIMES,
    "attributes of tensors": _ATTRIBUTES + b"q\x000("
        + (OF_TYPE + b"(" + REBUILD + TENSOR + arguments() + b"h\x00tR") * TIMES + b"t",
    "a Size as a key": _key(named("torch", "Size") + _NUMBERS + b"\x85R"), "a tuple as a key": _key(b"(" + b"N" * LARGE + b"t"),
    "a number as a key": _key(_stored_large(b"\x8b")), "a text within a key": _key(_TEXT + b"\x85"),
    **{f"{one} compared, {way}": _equal(large, begin, end)
       for one, large in (("texts", _TEXT), ("bytes", _BYTES), ("numbers", _stored_large(b"\x8b")))
       for way, begin, end in (("set", b"\x8f(", b"\x90"), ("dict", b"}(", b"u"), ("frozen set", b"(", b"\x91"))},
    **{f"one hash of {kind}, {way}": begin + b"".join(key + value for key in keys) + end
       for kind, keys in (("ints", _ALIKE), ("tuples", [key + b"\x85" for key in _ALIKE]), ("complex numbers", _COMPLEX))
       for way, begin, value, end in (
           ("dict", b"}(", b"N", b"u"), ("items", b"}", b"Ns", b""), ("set", b"\x8f(", b"", b"\x90"),
           ("frozen set", b"(", b"", b"\x91"), ("made set", SET + b"(", b"", b"l\x85R"))},
    **{f"one way for numbers, {way}": begin + b"".join(key + value for key in _WALKERS) + end for way, begin, value, end in (
        ("dict", b"}(", b"N", b"u"), ("items", b"}", b"Ns", b""), ("made dict", ORDERED + b"(", b"N\x86", b"l\x85R"),
        ("Counter", COUNTER + b"(", b"", b"l\x85R"))},
}
REPEATED = {name: b"\x80\x02" + named("builtins", "complex") + b"q\x000" + body + b"." for name, body in REPEATED.items()}

# Ids that are well formed, of storages that the file has not: a RuntimeError, as of any file that is not whole.
UNMET = {
    "no such storage": stored(key="7"), "a path": stored(key="../data.pkl"), "another length": stored(count=b"K\x09"),
    "gigabytes": stored(count=b"J\x00\x00\x00\x7f"), "no such device": stored(location="nowhere"),
}
UNMET = {name: b"\x80\x02" + body + b"." for name, body in UNMET.items()}

GOOD = {
    "numbers":
        b"(K\x01M\x01\x01J\xff\xff\xff\xff\x8a\x02\xff\x7f\x8b\x02\x00\x00\x00\xff\x7fG?\xf0"
        + bytes(6) + b"I7\nI01\nL8L\nF1.5\nt",
    "texts": b"(" + text("\u00e9")
        + b"\x8c\x02ab\x8d\x02\x00\x00\x00\x00\x00\x00\x00abVa\\u0041\nS'a\\n'\nU\x01aT\x01\x00\x00\x00at",
    "bytes": b"(C\x02abB\x02\x00\x00\x00ab\x8e\x02\x00\x00\x00\x00\x00\x00\x00ab\x96\x02\x00\x00\x00\x00\x00\x00\x00abt",
    "containers": b"(](K\x01K\x02e]K\x01a(K\x01l}(K\x01K\x02u}K\x01K\x02s(K\x01K\x02d\x8f(K\x01\x90(K\x01\x91)N\x88\x89t",
    "memo": b"(K\x01q\x050h\x05r\x00\x01\x00\x00j\x00\x01\x00\x00p9\ng9\n2t",
    "far memo": b"(K\x07r\x00\x00\x01\x00g65536\np99999\nj\x9f\x86\x01\x00t", "marks": b"K\x01(K\x02K\x031",
    "cycle": b"]q\x00h\x00a",
    "rows": b"(" + ORDERED + b"]" + text("a") + b"K\x01\x86a\x85R" + ORDERED + b")\x81" + attributes("_metadata", b"}") + b"b"
        + COUNTER + b"}" + text("a") + b"K\x02s\x85R" + SET + b"]K\x01a\x85R" + named("builtins", "bytearray")
        + b"C\x02ab\x85R" + named("builtins", "complex") + b"K\x01K\x02\x86R" + named("torch", "Size") + b"K\x02\x85\x85R"
        + named("torch", "device") + text("cpu") + b"\x85R" + named("torch.serialization", "_get_layout")
        + text("torch.strided") + b"\x85R" + FLOAT + named("_codecs", "encode") + text("a\u00ff") + text("latin1")
        + b"\x86Rt",
    "tensors": b"(" + tensor() + tensor(grad=b"\x88", hooks=b"N") + PARAMETER + b"(" + tensor() + b"\x88" + NO_HOOKS + b"tR"
        + META + b"(" + FLOAT + b"K\x02\x85K\x01\x85\x89tR" + OF_TYPE + b"(" + REBUILD + TENSOR + arguments()
        + attributes("note", b"K\x01") + b"tR" + stored() + b"t",
    "a name from the stack": b"\x8c\x0bcollections\x8c\x0bOrderedDict\x93)R", "deep": b"]" * 5000 + b"a" * 4999,
}
GOOD = {name: b"\x80\x02" + body + b"." for name, body in GOOD.items()}


def _facts(one):
    if isinstance(one, types.FunctionType):
        return one.__defaults__, one.__kwdefaults__, one.__code__, one.__name__, one.__module__, dict(one.__dict__)
    if isinstance(one, type):
        held = {name: (id(value), value.__defaults__ if isinstance(value, types.FunctionType) else None)
                for name, value in list(vars(one).items()) if not name.startswith("_abc")}
        return one.__name__, one.__module__, one.__bases__, held
    return repr(one), getattr(one, "itemsize", None)


def fingerprint():
    """What a file must not change: classes, functions and constants that it can name, the tables, the settings, and what
    torch.save writes."""
    saved = io.BytesIO()
    karat.save({"t": karat.ones(2), "n": karat.ones(1, dtype=karat.int32)}, saved)
    ones = {name: _facts(one) for name, one in _weights.NAMES.items()}
    tables = [sorted(map(repr, table)) for table in (
        _weights._ROWS, _weights._MAKERS.items(), _weights._DTYPES.items(), _pickled._TYPES.items(), _pickled._NAMES.items(),
        _pickled.LAYOUTS.items())]
    others = [_facts(one) for one in (
        dict, list, tuple, str, bytes, frozenset, collections.abc.Mapping, type(karat.float32), karat.layout)]
    return ones, tables, others, saved.getvalue(), serialization.get_safe_globals(), serialization.get_crc32_options()
