"""_old_files.py - files of before PyTorch 1.6, and of torch.save(_use_new_zipfile_serialization=False): pickles in a row, and
then the bytes of each storage behind their count.

In: a file, a function that runs a pickle. Out: the object; the file is behind it then. And back: the parts of such a file.
Independent of: what may be in a pickle.
"""

import pickle
import struct

from . import _karat
from ._pickled import MAGIC_NUMBER, PROTOCOL_VERSION, in_words, pickled
from .typed_storage import TypedStorage

_TAR = b"ustar"


def is_tar(file):
    """Is it an archive of tar, as PyTorch wrote it before 0.2?"""
    begin = file.tell()
    file.seek(begin + 257)
    found = file.read(len(_TAR)) == _TAR
    file.seek(begin)
    return found


class Written:
    """Such a file: iterating gives its bytes in parts."""

    def __init__(self, obj, protocol, location_of):
        self.counts = {}  # of elements, by key

        def saved_id(cls, key, storage, count):
            self.counts.setdefault(key, count)
            return "storage", cls, str(key), location_of(storage), count, None

        text, self.storages = pickled(obj, protocol, saved_id)
        system = {"protocol_version": PROTOCOL_VERSION, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
        head = (MAGIC_NUMBER, PROTOCOL_VERSION, system)
        keys = [str(key) for key in range(len(self.storages))]
        self.head = b"".join(pickle.dumps(one, protocol) for one in head) + text + pickle.dumps(keys, protocol)

    def room(self):
        """Bytes that hold all of it."""
        return len(self.head) + sum(8 + storage.nbytes() for storage in self.storages)

    def __iter__(self):
        yield self.head
        for key, storage in enumerate(self.storages):
            yield struct.pack("<q", self.counts[key])
            yield bytes(storage)


class Reader:
    """A file that is read. `run(data, at, storage)` runs a pickle: it gives the object and the place behind it."""

    def __init__(self, file, run, storages):
        self.file, self.begin = file, file.tell()
        self.data, self.run, self.storages = file.read(), run, storages
        self.claimed, self.waiting = 0, {}

    def load(self):
        """The object."""
        magic, at = self.run(self.data, 0, self._none)
        if magic != MAGIC_NUMBER or type(magic) is not int:
            raise RuntimeError("Invalid magic number; corrupt file?")
        version, at = self.run(self.data, at, self._none)
        if version != PROTOCOL_VERSION:
            raise RuntimeError(f"Invalid protocol version: {version}")
        _, at = self.run(self.data, at, self._none)
        result, at = self.run(self.data, at, self._storage)
        keys, at = self.run(self.data, at, self._none)
        for key in in_words(keys) if type(keys) is list else ():
            at = self._fill(key, at)
        if self.waiting:
            raise _short()
        self.file.seek(self.begin + at)
        return result

    @staticmethod
    def _none(saved_id):
        raise pickle.UnpicklingError("a storage is named outside of the object")

    def _storage(self, saved_id):
        view = saved_id[5] if len(saved_id) == 6 else None
        made, key, size = self.storages.unfilled(saved_id[:5], len(self.data) - self.claimed)
        if size is not None:
            self.claimed += size
            self.waiting[key] = made._untyped_storage, size, saved_id[4]
        if view is None:
            return made
        if type(view) is not tuple or len(view) != 3 or type(view[1]) is not int or type(view[2]) is not int:
            raise pickle.UnpicklingError("a part of a storage must have a key, a place and a length")
        first, count = view[1:]
        if not 0 <= first <= first + count <= len(made):
            raise pickle.UnpicklingError("a part of a storage lies outside of it")
        width = made.element_size()
        part = made._untyped_storage[first * width:(first + count) * width]
        return TypedStorage(wrap_storage=part, dtype=made.dtype, _internal=True)

    def _fill(self, key, at):
        if type(key) is not str or key not in self.waiting:
            raise pickle.UnpicklingError("the file has a storage that nothing in it uses")
        storage, size, expected = self.waiting.pop(key)
        if at + 8 + size > len(self.data):
            raise _short()
        count, = struct.unpack_from("<q", self.data, at)
        if count != expected:
            raise RuntimeError(f"storage has wrong size: expected {expected} elements, got {count}")
        if size and storage.device.type != "meta":
            content = _karat.frombuffer(bytearray(self.data[at + 8:at + 8 + size]), dtype=_karat.dtypes["uint8"])
            storage._content().copy_(content)
        return at + 8 + size


def _short():
    return EOFError("unexpected EOF: the file ends before its storages do, and might be corrupted")
