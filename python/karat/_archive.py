"""_archive.py - zip archives as torch.save writes them: records that are not compressed and begin at multiples of 64 bytes.

In: named records. Out: the archive in parts, whose size is known before the first; and back: records by name, or their places in
the file. A length that the file claims is checked against what the file has before memory is taken. Independent of: what the
records hold.
"""

import struct
import warnings
import zlib

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s4B4H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_WHERE64 = struct.Struct("<4sLQL")
_DATE = 33  # 1980-01-01
_STORED, _DEFLATED = 0, 8
_MAX, _MAX_COUNT = 0xFFFFFFFF, 0xFFFF


class Written:
    """An archive to be written: iterating gives its bytes in parts."""

    def __init__(self, root, alignment=64, checksums=True):
        self.root, self.alignment, self.checksums = root, alignment, checksums
        self.records, self.directory, self.fingerprint = [], 0, 0

    def add(self, name, size, content):
        """A record of so many bytes; `content` gives them when it is called, None: they are zeros that somebody writes later."""
        name = f"{self.root}/{name}".encode()
        long = struct.pack("<2H2Q", 1, 16, size, size) if size >= _MAX else b""
        pad = -(self.directory + _LOCAL.size + len(name) + len(long) + 4) % self.alignment
        extra = long + struct.pack("<2sH", b"FB", pad) + b"Z" * pad
        self.records.append((name, size, extra, self.directory, content))
        self.directory += _LOCAL.size + len(name) + len(extra) + size

    def room(self):
        """Bytes that hold all of it."""
        return self.directory + sum(_CENTRAL.size + len(record[0]) + 28 for record in self.records) + 98

    def __iter__(self):
        """The parts. `fingerprint` is that of the records whose parts were given."""
        central, self.fingerprint = [], 0
        for name, size, extra, at, content in self.records:
            data = None if content is None else content()
            crc = zlib.crc32(data) if self.checksums and data else 0
            self.fingerprint = zlib.crc32(name + struct.pack("<L", crc), self.fingerprint)
            held = min(size, _MAX)
            version = 45 if held == _MAX or at >= _MAX else 20
            yield _LOCAL.pack(b"PK\3\4", version, 0x800, 0, 0, _DATE, crc, held, held, len(name), len(extra)) + name + extra
            yield from _zeros(size) if data is None else (data,)
            long = b"".join(struct.pack("<Q", one) for one in (size, size, at) if one >= _MAX)
            long = struct.pack("<2H", 1, len(long)) + long if long else b""
            central.append(_CENTRAL.pack(b"PK\1\2", version, 0, version, 0, 0x800, 0, 0, _DATE, crc, held, held, len(name),
                                         len(long), 0, 0, 0, 0, min(at, _MAX)) + name + long)
        yield self._end(b"".join(central))

    def _end(self, central):
        count, size, at = len(self.records), len(central), self.directory
        long = b""
        if count >= _MAX_COUNT or at >= _MAX:
            long = (_END64.pack(b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, at)
                    + _WHERE64.pack(b"PK\6\7", 0, at + size, 1))
        count = min(count, _MAX_COUNT)
        return central + long + _END.pack(b"PK\5\6", 0, 0, count, count, size, min(at, _MAX), 0)


def _zeros(size):
    while size > 0:
        part = min(size, 1 << 20)
        yield bytes(part)
        size -= part


_TROUBLE = (" This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint "
            "file is "
            "corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was "
            "modified "
            "after saving.")


def _failed(doing, why):
    return RuntimeError(f"PytorchStreamReader failed {doing}: {why}.{_TROUBLE}")


_UNPACKED, _UNPACKED_PER_BYTE = 1 << 26, 10
_PROGRAM, _PROGRAM_PER_BYTE = 1 << 20, 32


class Read:
    """An archive that is read. trusted: compressed records may hold however many bytes they say."""

    def __init__(self, file, checksums=True, trusted=False):
        import zipfile  # late: `import karat` does not wait for it

        self.file, self.checksums = file, checksums
        begin = file.tell()
        self.size = file.seek(0, 2)
        file.seek(begin)
        try:
            directory = zipfile.ZipFile(file).infolist()
        except (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError, OverflowError, OSError):
            raise _failed("reading zip archive", "failed finding central directory") from None
        self.left = self.size  # records that are read do not overlap
        self.trusted, self.room = trusted, _UNPACKED + _UNPACKED_PER_BYTE * self.size  # for what compressed records hold
        self.records, self.root = {}, ""
        for one in directory:
            self._note(one)

    def _note(self, record):
        name = record.filename
        if not self.records:
            if "/" not in name:
                raise RuntimeError(f"file in archive is not in a subdirectory: {name}")
            self.root = name[:name.index("/") + 1]
        if not name.startswith(self.root):
            raise RuntimeError(f"file in archive is not in a subdirectory {self.root}: {name}")
        if name in self.records:  # readers differ in which of them they read: another one may have looked at this file before
            raise _failed("reading zip archive", f"two records have the name {name}")
        self.records[name] = record

    def __contains__(self, name):
        return self.root + name in self.records

    def _record(self, name):
        try:
            return self.records[self.root + name]
        except KeyError:
            raise _failed(f"locating file {name}", "file not found") from None

    def size_of(self, name):
        """How many bytes a record has."""
        return self._record(name).file_size

    def place(self, name):
        """Where the bytes of a record that is not compressed lie in the file."""
        record = self._record(name)
        if record.compress_type != _STORED:
            raise _failed(f"reading file {name}", "it is compressed, and so it cannot be mapped")
        return self._begin(name, record), record.file_size

    def _begin(self, name, record):
        at, header = record.header_offset, b""
        if 0 <= at <= self.size - _LOCAL.size:
            self.file.seek(at)
            header = self.file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or header[:4] != b"PK\3\4":
            raise _failed(f"reading file {name}", "invalid header or archive is corrupted")
        begin = at + _LOCAL.size + sum(struct.unpack("<2H", header[26:30]))
        if (record.flag_bits & 1 or begin + record.compress_size > self.size
                or record.compress_type == _STORED and record.compress_size != record.file_size):
            raise _failed(f"reading file {name}", "invalid header or archive is corrupted")
        return begin

    def take_room(self, name):
        """A record gets memory for as many bytes as it says; those of one that is compressed are said, not there."""
        record = self._record(name)
        self._begin(name, record)
        self._claim(name, record)

    def _claim(self, name, record):
        if self.trusted or record.compress_type == _STORED:
            return
        self.room -= record.file_size
        if self.room < 0:
            raise RuntimeError(f"torch.load: the {record.file_size} bytes of {name} are compressed, and what is compressed in "
                               f"this file of {self.size} bytes would take {_UNPACKED >> 20} MiB and {_UNPACKED_PER_BYTE} times "
                               "its size; if you trust it, weights_only=False reads it")

    def read_program(self, name):
        """The same as read, of a record whose bytes are worked through one by one and make larger things."""
        record = self._record(name)
        most = _PROGRAM + _PROGRAM_PER_BYTE * record.compress_size
        if not self.trusted and record.file_size > most:
            raise RuntimeError(f"torch.load: the {record.file_size} bytes of {name} are compressed to {record.compress_size}, "
                               f"which may hold {most}; if you trust it, weights_only=False reads it")
        return bytes(self.read(name))

    def read(self, name):
        """The bytes of a record, in memory of its own."""
        record = self._record(name)
        begin, packed, size = self._begin(name, record), record.compress_size, record.file_size
        self.left -= packed
        if self.left < 0:
            raise _failed(f"reading file {name}", "records overlap")
        self.file.seek(begin)
        if record.compress_type == _STORED:
            data = bytearray(size)
            complete = _filled(self.file, data)
        elif record.compress_type == _DEFLATED:
            self._claim(name, record)
            unpack = zlib.decompressobj(-15)
            try:
                data = bytearray(unpack.decompress(self.file.read(packed), size + 1))
            except zlib.error:
                data = b""
            complete = len(data) == size
        else:
            raise _failed(f"reading file {name}", "unsupported method")
        if not complete:
            raise _failed(f"reading file {name}", "decompression failed")
        if self.checksums and record.CRC and zlib.crc32(data) != record.CRC:
            warnings.warn(f"torch.load: the bytes of {name} are not those that its checksum was made of: the file is damaged, or "
                          "was changed after it was saved (torch.serialization.set_crc32_options(False): checksums are not "
                          "compared)", stacklevel=2)
        return data


def _filled(file, data):
    """Reads into all of data. False: there is less."""
    if not hasattr(file, "readinto"):
        content = file.read(len(data))
        data[:] = content
        return len(content) == len(data)
    view, at = memoryview(data), 0
    while at < len(view):
        n = file.readinto(view[at:])
        if not n:
            return False
        at += n
    return True
