"""Files of torch.save, changed at random: opcodes exchanged, cut, repeated and spliced from attacks, bytes flipped, lengths and
names replaced. Whatever comes out loads or is refused; nothing runs, nothing that the process shares changes, no load takes long.

KARAT_TEST_ALL changes for four minutes, not three seconds, KARAT_TEST_SECONDS for as long as it says; KARAT_TEST_SEED repeats
a run, whose number a failure tells.
"""

import io
import os
import pickle
import pickletools
import random
import resource
import struct
import sys
import time
import warnings
from collections import Counter, OrderedDict

import pytest
from pickle_weapons import DATA, GOOD, UNMET, WEAPONS, archive, fingerprint, named, text

import karat
from karat.storage import UntypedStorage
from karat.typed_storage import TypedStorage

SEED = int(os.environ.get("KARAT_TEST_SEED") or time.time())
SECONDS = float(os.environ.get("KARAT_TEST_SECONDS") or (240 if os.environ.get("KARAT_TEST_ALL") else 3))
REFUSALS = (pickle.UnpicklingError, RuntimeError, EOFError)  # of a pickle; of a file that is not whole
WATCHED = ("os.", "subprocess.", "socket.", "import", "exec", "compile", "shutil.", "ctypes.", "open", "pickle.find_class",
           "object.__setattr__")

_heard = []
_listening = False


def _hear(event, arguments):
    parsed = event == "compile" and arguments[1] == "<unknown>"  # by ast.parse: an error is explained from the source
    if _listening and event.startswith(WATCHED) and not parsed:
        _heard.append((event, str(arguments)[:200]))


sys.addaudithook(_hear)


def saved(obj, protocol=2):
    file = io.BytesIO()
    karat.save(obj, file, pickle_protocol=protocol)
    return karat._archive.Read(file).read("data.pkl")


def seeds_of_changes():
    noted = karat.ones(2)
    noted.note = "x"
    c = karat.tensor([1 + 2j])
    whole = {"sd": karat.nn.Linear(2, 2).state_dict(), "p": karat.nn.Parameter(noted), "n": noted, "c": c.conj(),
             "l": [1, 2.5, None, b"ab"], "o": OrderedDict(a=1), "k": Counter("ab"), "s": {1, 2}, "z": karat.Size([2]),
             "d": karat.device("cpu"), "u": karat.ones(1).half(), "m": karat.ones(2, device="meta"), "b": bytearray(b"q"),
             "y": 1 + 2j, "t": karat.float32, "f": karat.strided}
    good = [bytes(saved(whole, protocol)) for protocol in (2, 4)] + list(GOOD.values())
    return good, [one for one in (*WEAPONS.values(), *UNMET.values()) if len(one) < 3000]


def whole_files():
    """Of all kinds that torch.save writes and wrote, and in the other order of bytes."""
    obj = {"w": karat.nn.Linear(3, 2).state_dict(), "o": [karat.ones(2, dtype=karat.complex64), karat.arange(3)[1:]], "s": {1: 2}}
    wholes = [archive(saved(obj), [(f"data/{n}", bytes(24)) for n in range(4)], byteorder=b"big").getvalue()]
    for options in ({}, {"pickle_protocol": 4}, {"_use_new_zipfile_serialization": False}, {"_disable_byteorder_record": True}):
        file = io.BytesIO()
        karat.save(obj, file, **options)
        wholes.append(file.getvalue())
    return wholes


def opcodes(pickled):
    """Its opcodes with their arguments, as far as they can be told apart."""
    places = []
    try:
        for _, _, at in pickletools.genops(pickled):
            places.append(at)
    except Exception:  # an attack need not be well formed
        pass
    return [pickled[a:b] for a, b in zip(places, [*places[1:], len(pickled)])] or [pickled]


class Changes:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        good, attacks = seeds_of_changes()
        self.wholes = whole_files()
        self.texts, self.good = good + attacks, [opcodes(one) for one in good]
        self.parts = self.good + [opcodes(one) for one in attacks]
        self.pool = sorted({part for parts in self.parts for part in parts} | {bytes([code]) for code in range(256)} | {
            named("posix", "system"), named("builtins", "exec"), named("builtins", "setattr"), text("touch /tmp/never"),
            text("__class__"), text("__dict__"), text("__setstate__"), text("__reduce_ex__"), text("__defaults__"),
            b"\x8a\x08" + b"\xff" * 7 + b"\x7f"})

    def _change(self, parts):
        dice, at = self.dice, self.dice.randrange(len(parts) + 1)
        kind = dice.randrange(9)
        if kind == 0:
            del parts[at:at + dice.randint(1, 3)]
        elif kind in (1, 2):
            parts[at:at + dice.randint(0, 1)] = [dice.choice(self.pool)]
        elif kind == 3:
            parts[at:at] = parts[at:at + dice.randint(1, 8)] * dice.randint(1, 4)
        elif kind == 4:
            other = dice.choice(self.parts)
            first = dice.randrange(len(other))
            parts[at:at] = other[first:first + dice.randint(1, 12)]
        elif kind == 5 and len(parts) > 1:
            a, b = dice.randrange(len(parts)), dice.randrange(len(parts))
            parts[a], parts[b] = parts[b], parts[a]
        elif at < len(parts) and parts[at]:
            part = bytearray(parts[at])
            where = dice.randrange(len(part))
            part[where] = dice.choice((0, 1, 0x7f, 0x80, 0xff, part[where] ^ 1 << dice.randrange(8), dice.randrange(256)))
            parts[at] = bytes(part)

    def pickled(self):
        parts = list(self.dice.choice(self.good if self.dice.randrange(3) else self.parts))
        for _ in range(self.dice.choice((1, 1, 2, 3, 5, 8))):
            if parts:
                self._change(parts)
        return b"".join(parts)

    def misplaced(self, whole):
        """The same file with other numbers in the heads of its records and in its directory, in 64 bits as well."""
        dice = self.dice
        for _ in range(dice.choice((1, 1, 2, 3))):
            head, fields = dice.choice(((b"PK\1\2", 21), (b"PK\1\2", 21), (b"PK\5\6", 9), (b"PK\3\4", 13)))
            places = [at for at in range(len(whole) - 50) if whole[at:at + 4] == head] or [0]
            at, kind = dice.choice(places), dice.randrange(3)
            if kind == 0 and head == b"PK\1\2":
                name, more = struct.unpack_from("<2H", whole, at + 28)
                long = struct.pack("<2H3Q", 1, 24, *(self.number(whole) for _ in range(3)))
                whole[at + 46 + name:at + 46 + name + more] = long
                struct.pack_into("<H", whole, at + 30, len(long))
                for field in (20, 24, 42):
                    whole[at + field:at + field + 4] = dice.choice((b"\xff" * 4, whole[at + field:at + field + 4]))
                end = max(whole.rfind(b"PK\5\6"), 0)
                size, = struct.unpack_from("<L", whole, end + 12)
                struct.pack_into("<L", whole, end + 12, size + len(long) - more & 0xFFFFFFFF)
            elif kind == 0 and head == b"PK\5\6":
                numbers = [self.number(whole) for _ in range(4)]
                whole[at:at] = (struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, *numbers)
                                + struct.pack("<4sLQL", b"PK\6\7", 0, at, 1))
            else:
                width = dice.choice((2, 4))
                field = at + 4 + 2 * dice.randrange(fields)
                whole[field:field + width] = (self.number(whole) & (1 << 8 * width) - 1).to_bytes(width, "little")
        return whole

    def number(self, whole):
        """One that a length or a place may be, or may not."""
        dice = self.dice
        edge = 1 << dice.choice((8, 15, 16, 31, 32, 62, 63))
        return dice.choice((0, 1, 8, 16, len(whole), dice.randrange(len(whole)), dice.randrange(1 << 16),
                            edge - 2, edge - 1, edge, 2 * edge - 1))

    def file(self):
        """Most have a pickle that was changed; some are changed as a whole, or are of the old kind."""
        dice, pickled, way = self.dice, self.pickled(), self.dice.randrange(10)
        if way == 0:
            head = b"".join(pickle.dumps(one, 2) for one in (0x1950a86a20f9469cfc6c, 1001, {}))
            whole = head + pickled + pickle.dumps(["0"], 2) + struct.pack("<q", 4) + DATA
        elif way in (8, 9):
            whole = dice.choice(self.wholes)
        else:
            whole = archive(pickled, byteorder=dice.choice((b"little", b"little", b"big", b"x", None))).getvalue()
        if way == 7:
            whole = self.misplaced(bytearray(whole))
        if way in (0, 1, 8, 9):
            whole = bytearray(whole)
            for _ in range(dice.randint(0, 4)):
                whole[dice.randrange(len(whole))] = dice.choice((0, 1, 0x7f, 0xff, dice.randrange(256)))
        if way == 9:
            at = dice.randrange(len(whole))
            whole[at:at + dice.randint(0, 9)] = whole[:dice.randint(0, 9)]
        return bytes(whole)


_PLAIN = (int, float, str, bytes, bytearray, complex, bool, type(None), karat.dtype, karat.device, karat.Size, karat.layout,
          TypedStorage, UntypedStorage)
_NAMED = set(map(id, karat._weights.NAMES.values()))


def stranger(result):
    """What is in a result and should not be; None: nothing."""
    waiting, seen = [result], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, (dict, OrderedDict, Counter)) and type(one) in (dict, OrderedDict, Counter):
            waiting += [*one.keys(), *one.values(), *(vars(one).values() if type(one) is not dict else ())]
        elif type(one) in (list, tuple, set, frozenset):
            waiting += one
        elif type(one) in (karat.Tensor, karat.nn.Parameter):
            waiting += vars(one).values()
        elif type(one) not in _PLAIN and id(one) not in _NAMED:
            return one
    return None


def _loaded(content):
    """Was it accepted? And how long it took."""
    file = io.BytesIO(content)
    global _listening
    begin, _listening = time.process_time(), True
    try:
        result = karat.load(file)
        accepted = True
    except (*REFUSALS, ValueError) as e:
        accepted, result = False, None
        assert not isinstance(e, ValueError) or "Unknown endianness" in str(e), e
    finally:
        _listening = False
    assert stranger(result) is None
    return accepted, time.process_time() - begin


@pytest.mark.filterwarnings("ignore")
def test_changed_files_load_or_are_refused():
    changes, count, accepted, slowest = Changes(SEED), 0, 0, 0
    for pickled in changes.texts:  # what is imported late is imported now
        _quietly(archive(pickled).getvalue())
    _quietly(pickle.dumps(0))
    _heard.clear()
    before, memory, until = fingerprint(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic() + SECONDS
    while time.monotonic() < until:
        files = [changes.file() for _ in range(200)]
        for n, file in enumerate(files):
            try:
                took_it, took = _loaded(file)
            except BaseException:
                print(f"KARAT_TEST_SEED={SEED}, change {count + n}: {file!r}")
                raise
            accepted, slowest = accepted + took_it, max(slowest, took)
        count += len(files)
        assert not _heard, f"KARAT_TEST_SEED={SEED}, before change {count}: {_heard[:3]}"
        assert fingerprint() == before, f"KARAT_TEST_SEED={SEED}, before change {count}: something shared was changed"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    print(f"seed {SEED}: {count} files in {SECONDS:g} s, {accepted} accepted, slowest {slowest * 1000:.0f} ms, {grown:.0f} MiB "
          "more")
    assert count > 100 and 0 < accepted < count and slowest < 2 and grown < 500


def _quietly(file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            karat.load(io.BytesIO(file))
        except REFUSALS:
            pass
