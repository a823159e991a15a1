"""torch.load(weights_only=True): each opcode and each allowed name as a weapon; a file runs nobody's code and changes nothing."""

import array
import collections
import enum
import io
import os
import pickle
import random
import struct
import time
import tracemalloc
import zipfile

import pytest
from pickle_weapons import (
    DATA, GOOD, ORDERED, REPEATED, UNMET, WEAPONS, archive, attributes, fingerprint, named, slots, stored, tensor, text)

import karat
from karat import serialization
from on_device import SANITIZED

SECONDS = 20 if SANITIZED else 2  # of the processor, for a file


def load(body, **options):
    return karat.load(archive(body), **options)


def test_weapons_are_refused_and_change_nothing():
    before = fingerprint()
    for name, weapon in WEAPONS.items():
        begin = time.process_time()
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            print(name, load(weapon))
        assert time.process_time() - begin < SECONDS, name
    for name, weapon in UNMET.items():
        with pytest.raises(RuntimeError):
            print(name, load(weapon))
    assert fingerprint() == before


def test_a_weapon_takes_no_memory():
    tracemalloc.start()
    try:
        for name, weapon in WEAPONS.items():
            file = archive(weapon)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            with pytest.raises(pickle.UnpicklingError):
                karat.load(file)
            assert tracemalloc.get_traced_memory()[1] - before < 4e6 + 300 * len(weapon), name
    finally:
        tracemalloc.stop()


def test_what_is_large_is_not_gone_through_again_and_again():
    for name, weapon in REPEATED.items():
        begin = time.process_time()
        with pytest.raises(pickle.UnpicklingError, match="goes through the same objects, or copies them, more often than a file "
                                                         "of its size may"):
            print(name, load(weapon))
        assert time.process_time() - begin < SECONDS, name
    for name in ("dict of dict", "set of numbers", "bytearray of text", "encode of text", "attributes of tensors"):
        file = archive(REPEATED[name])
        tracemalloc.start()
        try:
            with pytest.raises(pickle.UnpicklingError):
                karat.load(file)
            assert tracemalloc.get_traced_memory()[1] < 64e6 + 10 * len(REPEATED[name]), name
        finally:
            tracemalloc.stop()


def test_places_that_keys_look_at_in_vain():
    """A table in Python, filled as dicts (1) and sets (10 places in a row) are."""
    def by_hand(numbers, size, near):
        table, vain = [None] * size, 0
        for number in numbers:
            at, rest = number % size, number % (1 << 64)
            while True:
                row = range(at, at + near if at + near <= size else at + 1)
                free = [place for place in row if table[place] in (None, number)]
                vain += free[0] - at if free else len(row)
                if free:
                    table[free[0]] = number
                    break
                rest >>= 5
                at = (5 * at + rest + 1) % size
        return vain

    dice = random.Random(5)
    for numbers in ([dice.randrange(-1 << 62, 1 << 62) for _ in range(5000)], [n << 20 for n in range(5000)],
                    [n % 700 << 12 for n in range(5000)], list(range(5000))):
        for near in (1, 10):
            table = array.array("i", bytes(4 << 13))
            found = karat._karat.places_in_vain(array.array("q", numbers), table, 0, 5000, near, 1 << 40)
            assert found == by_hand(numbers, 1 << 13, near)
    for begin, until, near, size in ((-1, 5, 1, 8), (0, 6, 1, 8), (0, 4, 0, 8), (0, 4, 1, 6), (0, 4, 1, 4), (0, 4, 1, 0)):
        with pytest.raises(ValueError, match="must have room for all keys"):
            karat._karat.places_in_vain(array.array("q", range(5)), array.array("i", bytes(4 * size)), begin, until, near, 9)


def test_large_plain_objects_are_read():
    many, fewer = range(380000), range(20000)
    for obj in (set(many), collections.Counter(many), {(n, 1): n for n in fewer}, {n << 70 for n in fewer},
                [{"a name that is often used": n} for n in fewer], [{(0, 1): n} for n in fewer], "x" * (5 << 20),
                {complex(n, 1) for n in fewer}, bytearray(30 << 20), dict.fromkeys(n * n for n in many), {n / 7 for n in many},
                {n << 20 for n in fewer}, dict.fromkeys(many[::-1])):
        assert load(pickle.dumps(obj, 2)) == obj
    pairs = ORDERED + b"(" + b"".join(b"J" + struct.pack("<i", n) + b"N\x86" for n in many) + b"l\x85R."
    assert load(pairs) == collections.OrderedDict.fromkeys(many)


def test_compressed_records_take_no_more_than_a_file_of_their_size():
    body = b"\x80\x02" + tensor(storage=stored("ByteStorage", count=b"J" + struct.pack("<i", 100 << 20))) + b"."
    bomb = archive(body, (("data/0", bytes(100 << 20)),), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(RuntimeError, match=r"the 104857600 bytes of data/0 are compressed, and what is compressed in this "
                                           r"file of \d+ bytes would take 64 MiB and 10 times its size"):
        karat.load(bomb)
    bomb.seek(0)
    assert karat.load(bomb, weights_only=False).shape == (2,)


def test_a_compressed_pickle_is_not_much_longer_than_its_record():
    sets, few = (b"\x80\x02(" + b"\x8f" * n + b"t." for n in (4 << 20, 100000))
    with pytest.raises(RuntimeError, match=r"the 4194309 bytes of data.pkl are compressed to \d+, which may hold 11\d+; if you "
                                           "trust it, weights_only=False reads it"):
        karat.load(archive(sets, compression=zipfile.ZIP_DEFLATED))
    with pytest.raises(RuntimeError, match="are compressed to"):
        serialization.get_unsafe_globals_in_checkpoint(archive(sets, compression=zipfile.ZIP_DEFLATED))
    assert len(karat.load(archive(few, compression=zipfile.ZIP_DEFLATED))) == 100000


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_is_that_of_one_record():
    body = b"\x80\x02" + tensor() + b"."
    for again in (("data/0", bytes(16)), ("data.pkl", b"\x80\x02N."), ("data/0\0b", bytes(16))):
        with pytest.raises(RuntimeError, match="two records have the name a/data"):
            karat.load(archive(body, (("data/0", DATA), again)))
    with pytest.raises(RuntimeError, match="file in archive is not in a subdirectory a/: b/data/1"):
        other = archive(body)
        with zipfile.ZipFile(other, "a") as z:
            z.writestr("b/data/1", DATA)
        other.seek(0)
        karat.load(other)


def test_unsafe_names_are_found_in_every_protocol():
    found = [f"{__name__}.Told", f"{__name__}.Plain", "posixpath.join", "collections.deque"]
    for protocol in range(2, 6):
        obj = [Told(), Plain(), Told(), os.path.join, Plain, "a" * 300, collections.deque]
        assert serialization.get_unsafe_globals_in_checkpoint(archive(pickle.dumps(obj, protocol))) == found
    hidden = b"\x80\x04" + text("posix") + b"q\x00" + text("system") + b"q\x010N0h\x00h\x01\x93."
    assert serialization.get_unsafe_globals_in_checkpoint(archive(hidden)) == ["posix.system"]
    posix, getcwd = text("posix"), text("getcwd")
    for body in (posix + getcwd + b"K\x010", posix + b"20" + getcwd, posix + getcwd + b"(K\x011", posix + b"(]Na1" + getcwd,
                 posix + getcwd + b"(\x910", b"U\x05posixU\x06getcwd", posix + b"Nb" + getcwd + b"Nb", posix + b"(e" + getcwd,
                 posix + b"p1000\n0" + getcwd + b"q\x070g1000\nh\x07", posix + b"\x94" + getcwd + b"\x9400h\x00h\x01",
                 posix + b"q\x00" + getcwd + b"q\x0100" + text("x") + b"q\x050h\x00h\x01"):
        hidden = b"\x80\x04" + body + b"\x93)R."
        assert pickle.loads(hidden) == os.getcwd()
        assert serialization.get_unsafe_globals_in_checkpoint(archive(hidden)) == ["posix.getcwd"]
    made = b"\x80\x04" + ORDERED + b")R" + getcwd + b"\x93\x82\x01."
    assert serialization.get_unsafe_globals_in_checkpoint(archive(made)) == ["?.getcwd", "?.extension 1"]
    for name, weapon in WEAPONS.items():
        try:
            serialization.get_unsafe_globals_in_checkpoint(archive(weapon))
        except pickle.UnpicklingError:
            pass


def test_good_pickles_are_read_as_python_reads_them():
    before = fingerprint()
    for name, body in GOOD.items():
        load(body)
    assert fingerprint() == before
    for name in ("numbers", "texts", "bytes", "containers", "memo", "far memo", "marks"):
        assert load(GOOD[name]) == pickle.loads(GOOD[name], encoding="utf-8"), name
    one = load(GOOD["cycle"])
    assert one[0] is one
    rows = load(GOOD["rows"])
    assert rows[:4] == (collections.OrderedDict(a=1), collections.OrderedDict(), collections.Counter(a=2), {1})
    assert rows[1]._metadata == {} and rows[4:6] == (bytearray(b"ab"), 1 + 2j) and rows[6] == karat.Size([2])
    assert rows[7] == karat.device("cpu") and rows[8] is karat.strided and rows[9] is karat.float32 and rows[10] == b"a\xff"
    plain, wants, parameter, meta, noted, storage = load(GOOD["tensors"])
    assert plain.tolist() == [1, 2] and wants.requires_grad and isinstance(parameter, karat.nn.Parameter) and meta.is_meta
    assert noted.note == 1 and storage.tolist() == [1, 2, 3, 4]
    assert storage._untyped_storage is plain.untyped_storage() is noted.untyped_storage()


def test_protocols_of_python():
    obj = {"a": [1, 2.5, -3, 2**40, 2**90, None, True, "x" * 300, b"y" * 300, bytearray(b"z"), (1, 2, 3, 4), {1, 2}, 1 + 2j],
           7: (), "é": "\ud800"}
    for protocol in range(1, 6):
        assert load(pickle.dumps(obj, protocol)) == obj
        file = io.BytesIO()
        karat.save({"t": karat.ones(2), **obj}, file, pickle_protocol=protocol)
        file.seek(0)
        back = karat.load(file)
        assert back.pop("t").tolist() == [1, 1] and back == obj


def test_opcodes_alone_and_every_truncation():
    for code in range(256):
        for body in (bytes([code]), b"K\x01" + bytes([code]) + bytes(9) + b".", b"(]}" + bytes([code]) + b"."):
            try:
                load(b"\x80\x02" + body)
            except pickle.UnpicklingError:
                pass
    for body in GOOD.values():
        for end in range(min(len(body), 600)):
            with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
                load(body[:end])


def test_names_that_are_refused_have_pytorchs_texts():
    advice = ("Weights only load failed. This file can still be loaded, to do so you have two options, \033[1mdo those steps "
              "only if you "
              "trust the source of the checkpoint\033[0m. \n\t(1) ")
    with pytest.raises(pickle.UnpicklingError) as e:
        load(b"\x80\x02" + named("some.where", "Thing") + b".")
    assert str(e.value).startswith(advice + serialization.UNSAFE_MESSAGE + "\n\t(2) Alternatively, ")
    refused = "Unsupported global: GLOBAL some.where.Thing was not an allowed global by default. Please use `torch."
    assert f"WeightsUnpickler error: {refused}" in str(e.value)
    with pytest.raises(pickle.UnpicklingError) as e:
        load(b"\x80\x02" + named("__builtin__", "eval") + b".")
    assert "Unsupported global: GLOBAL eval was not" in str(e.value)
    with serialization.safe_globals([os.system]), pytest.raises(pickle.UnpicklingError) as e:
        load(b"\x80\x02" + named("os", "system") + b".")
    assert str(e.value) == (f"Weights only load failed. {serialization.UNSAFE_MESSAGE}\n\n\nTrying to load unsupported GLOBAL "
                            "os.system whose module os is blocked.\n\nCheck the documentation of torch.load to learn more about "
                            "types accepted by default with weights_only "
                            "https://pytorch.org/docs/stable/generated/torch.load.html.")
    for body, what in ((b"K\x01K\x01a", "Can only append to lists, but got <class 'int'>"), (b"P1\n", "Unsupported operand 80"),
                       (b"](K\x01K\x02uK\x01K\x01s", "Can only SETITEMS for dict, collections.OrderedDict, collections.Counter, "
                                                     "but got <class 'list'>"),
                       (named("builtins", "set") + b"}b", "Can only build Tensor, Parameter, OrderedDict or types allowlisted "
                                                          "via")):
        with pytest.raises(pickle.UnpicklingError, match="Please file an issue with the following so that we can make") as e:
            load(b"\x80\x02" + body + b".")
        assert what in str(e.value)


# ---- what users allow ----


class Plain:
    def __init__(self, x=0):
        self.x = x


class Slotted:
    __slots__ = ("a", "b")


class Told:
    def __setstate__(self, state):
        self.told = state


class Single:
    one = None

    def __new__(cls):
        cls.one = cls.one or object.__new__(cls)
        return cls.one


class Color(enum.Enum):
    RED = 1


class Mine(karat.Tensor):
    pass


SHARED, SHARED_LIST, SHARED_DICT = Plain(5), [], {}


def shared():
    return SHARED


def shared_list():
    return SHARED_LIST


def shared_dict():
    return SHARED_DICT


def fresh(*arguments):
    return Plain(*arguments)


def fails(x):
    return [][x]


ALLOWED = [Plain, Slotted, Told, Single, Color, Mine, shared, shared_list, shared_dict, fresh, fails]


def mine(name):
    return named(__name__, name)


def with_allowed(body):
    with serialization.safe_globals(ALLOWED):
        return load(b"\x80\x02" + body + b".")


def test_classes_that_users_allow_get_their_state():
    nine = b"K\x09"
    assert vars(with_allowed(mine("Plain") + b")\x81")) == {} and with_allowed(mine("Plain") + b"K\x03\x85R").x == 3
    assert with_allowed(mine("Plain") + b")\x81" + attributes("x", nine) + b"b").x == 9
    assert with_allowed(mine("Plain") + b")\x81" + slots("x", nine) + b"b").x == 9
    assert with_allowed(mine("fresh") + b")R" + attributes("x", nine) + b"b").x == 9
    assert with_allowed(mine("Slotted") + b")\x81" + slots("a", nine) + b"b").a == 9
    assert with_allowed(mine("Told") + b")\x81" + nine + b"b").told == 9
    assert with_allowed(mine("Color") + b"K\x01\x85R") is Color.RED
    for keyword in (b"}", attributes("x", nine)):
        with pytest.raises((TypeError, pickle.UnpicklingError)):
            with_allowed(mine("Plain") + b"K\x01\x85" + keyword + b"\x92" + attributes("__class__", mine("Told")) + b"\x86b")
    with pytest.raises(IndexError, match="list index out of range"):
        with_allowed(mine("fails") + b"K\x03\x85R")
    with serialization.safe_globals([(Plain, "other.Name")]):
        assert type(load(b"\x80\x02" + named("other", "Name") + b")\x81.")) is Plain
        assert serialization.get_safe_globals() == [(Plain, "other.Name")]


def test_what_others_have_as_well_gets_none():
    Single()
    nine = b"K\x09"
    for body in (mine("Single") + b")\x81", mine("shared") + b")R", mine("Color") + b"K\x01\x85R", mine("Plain")):
        for state in (attributes("x", nine), slots("x", nine), slots("_value_", nine), slots("__class__", mine("Told"))):
            with pytest.raises(pickle.UnpicklingError, match="Can only build"):
                with_allowed(body + state + b"b")
    for body in (mine("shared_list") + b")RK\x01a", mine("shared_list") + b")R(K\x01e", mine("shared_dict") + b")RK\x01K\x01s"):
        with pytest.raises(pickle.UnpicklingError, match="Can only change what this load has made"):
            with_allowed(body)
    assert SHARED.x == 5 and not SHARED_LIST and not SHARED_DICT and Color.RED.value == 1 and vars(Single.one) == {}
    with pytest.raises(pickle.UnpicklingError, match="slots must be a dict of names"):
        with_allowed(mine("Plain") + b")\x81" + slots("__class__", mine("Told")) + b"b")


def test_subclasses_of_tensors():
    t = karat.ones(2).as_subclass(Mine)
    t.note = "x"
    file = io.BytesIO()
    karat.save(t, file)
    assert b"_rebuild_from_type_v2" in file.getvalue()
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global: GLOBAL .*Mine"):
        karat.load(io.BytesIO(file.getvalue()))
    assert serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(file.getvalue())) == [f"{__name__}.Mine"]
    with serialization.safe_globals([Mine]):
        back = karat.load(io.BytesIO(file.getvalue()))
    assert type(back) is Mine and back.note == "x" and back.tolist() == [1, 1]


# ---- files ----


def test_what_a_file_claims_is_checked_against_its_length():
    body = b"\x80\x02" + tensor() + b"."
    packed = archive(body, (("data/0", bytes(1 << 20)),), compression=zipfile.ZIP_DEFLATED).getvalue()
    with pytest.raises(RuntimeError, match=r"record size \(1048576 bytes\) does not match expected size \(16 bytes = 16 "
                                           r"elements"):
        karat.load(io.BytesIO(packed))
    assert karat.load(archive(body, compression=zipfile.ZIP_DEFLATED)).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="unsupported method"):
        karat.load(archive(body, compression=zipfile.ZIP_BZIP2))
    whole = bytearray(archive(body).getvalue())
    entry = whole.index(b"PK\1\2", whole.index(b"PK\1\2", whole.index(b"PK\1\2") + 1) + 1)  # of data/0
    for size in (1 << 31, 0xFFFFFFFE):
        claims = whole[:]
        claims[entry + 20:entry + 28] = struct.pack("<2L", size, size)
        with pytest.raises(RuntimeError):
            karat.load(io.BytesIO(claims))
    where = struct.pack("<2HQ", 1, 8, (1 << 64) - 1)  # far behind the file, in 64 bits
    far = whole[:entry + 28] + struct.pack("<2H", 8, len(where)) + whole[entry + 32:entry + 42] + b"\xff" * 4
    far += whole[entry + 46:entry + 54] + where + whole[entry + 54:]
    end = far.index(b"PK\5\6") + 12
    far[end:end + 4] = struct.pack("<L", struct.unpack_from("<L", far, end)[0] + len(where))
    with pytest.raises(RuntimeError, match="reading file data/0: invalid header or archive is corrupted"):
        karat.load(io.BytesIO(far))
    many = b"\x80\x02(" + b"".join(stored(key=str(i), count=b"M\x00\x10") for i in range(40)) + b"t."
    twice = bytearray(archive(many, [(f"data/{i}", bytes(16384)) for i in range(40)]).getvalue())
    assert len(karat.load(io.BytesIO(twice))) == 40
    first = twice.index(b"PK\1\2")
    entries = [first]
    while (after := twice.find(b"PK\1\2", entries[-1] + 1)) > 0:
        entries.append(after)
    where = twice[entries[2] + 42:entries[2] + 46]
    for one in entries[3:-1]:
        twice[one + 42:one + 46] = where
    cut = entries[0] - 16384 * 30
    short = twice[:cut] + twice[entries[0]:]
    with pytest.raises(RuntimeError, match="invalid header or archive is corrupted"):
        karat.load(io.BytesIO(short))
    short[-6:-2] = struct.pack("<L", cut)  # where the directory begins
    with pytest.raises(RuntimeError, match="records overlap"):
        karat.load(io.BytesIO(short))


def test_files_that_are_not_whole():
    whole = archive(b"\x80\x02" + tensor() + b".").getvalue()
    for end in range(1, len(whole)):
        with pytest.raises((pickle.UnpicklingError, RuntimeError, EOFError)):
            karat.load(io.BytesIO(whole[:end]))
    damaged = bytearray(whole)
    damaged[whole.index(DATA)] ^= 1
    with pytest.warns(UserWarning, match="the bytes of data/0 are not those that its checksum was made of: the file is damaged"):
        karat.load(io.BytesIO(damaged))
    serialization.set_crc32_options(False)
    try:
        assert karat.load(io.BytesIO(damaged)).shape == (2,)
        file = io.BytesIO()
        karat.save(karat.ones(2), file)
        assert all(one.CRC == 0 for one in zipfile.ZipFile(file).infolist())
    finally:
        serialization.set_crc32_options(True)
    assert karat.load(io.BytesIO(file.getvalue())).tolist() == [1, 1]
    old = io.BytesIO()
    karat.save({"t": karat.ones(3), "u": karat.arange(2)}, old, _use_new_zipfile_serialization=False)
    for end in range(1, len(old.getvalue())):
        with pytest.raises((pickle.UnpicklingError, RuntimeError, EOFError)):
            karat.load(io.BytesIO(old.getvalue()[:end]))


def test_big_endian_files_are_swapped():
    content = struct.pack(">4f", 1, 2, 3, 4)
    body = b"\x80\x02" + tensor() + b"."
    for weights_only in (True, False):
        assert karat.load(archive(body, (("data/0", content),), b"big"), weights_only=weights_only).tolist() == [1, 2]
    pair = b"\x80\x02" + stored("ComplexFloatStorage", count=b"K\x02") + b"."
    assert karat.load(archive(pair, (("data/0", content),), b"big")).tolist() == [1 + 2j, 3 + 4j]
    with pytest.raises(ValueError, match="Unknown endianness type: middle"):
        karat.load(archive(body, byteorder=b"middle"))
    kinds = serialization.LoadEndianness
    try:
        for kind, data in ((kinds.NATIVE, DATA), (kinds.LITTLE, DATA), (kinds.BIG, content)):
            serialization.set_default_load_endianness(kind)
            assert serialization.get_default_load_endianness() is kind
            assert karat.load(archive(body, (("data/0", data),), None)).tolist() == [1, 2]
            assert karat.load(archive(body)).tolist() == [1, 2]
    finally:
        serialization.set_default_load_endianness(None)


def evil():
    file = io.BytesIO()
    karat.save(Plain(), file)
    file.seek(0)
    return file


@pytest.mark.parametrize("value", ["1", "y", "yes", "true"])
def test_the_environment_forces_weights_only(monkeypatch, value):
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", value)
    for asked in ({}, {"weights_only": None}, {"weights_only": False}, {"weights_only": True}):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            karat.load(evil(), **asked)
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        karat.load(evil(), pickle_module=pickle, weights_only=False)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", value)
    with pytest.raises(RuntimeError, match="Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
                                           "should be set"):
        karat.load(evil())
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    assert isinstance(karat.load(evil()), Plain)
    with pytest.raises(pickle.UnpicklingError):
        karat.load(evil(), weights_only=True)


@pytest.mark.parametrize("value", ["", "0", "no", "True", "on", "2"])
def test_other_values_of_the_environment_say_nothing(monkeypatch, value):
    for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"):
        monkeypatch.setenv(name, value)
    with pytest.raises(pickle.UnpicklingError):
        karat.load(evil())
    for asked in ({"weights_only": False}, {"pickle_module": pickle}):
        assert isinstance(karat.load(evil(), **asked), Plain)
