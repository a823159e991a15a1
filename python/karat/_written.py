"""_written.py - a file at a path gets new content: never half of it where that can be avoided, and never another kind of file.

In: a path, its content in parts. A regular file is replaced by a new one, whole, if nobody can tell them apart: one name, and the
same owner, group, mode and extended attributes. All else (devices, pipes, symbolic and hard links, files of others) is written
into, as open() does it, and only when all parts are there. Independent of: what the content is.
"""

import errno
import io
import os
import stat


def write(path, parts, size=None):
    """Writes the parts (an iterable of bytes, `size` altogether, that may be gone through twice) to the file at a path."""
    path = os.fsdecode(path)
    try:
        if not _replaced_if_alike(path, parts):
            _written_into(path, parts, size)
    except OSError as e:
        if e.errno is None or e.filename is not None:
            raise
        raise OSError(e.errno, os.strerror(e.errno), path) from None


def _replaced_if_alike(path, parts):
    try:
        before = os.lstat(path)
    except FileNotFoundError:
        before = None
    if before is not None and not (stat.S_ISREG(before.st_mode) and before.st_nlink == 1):
        return False
    try:
        return _replaced(path, before, parts)
    except OSError as e:
        if e.errno in _CANNOT_REPLACE or e.errno in _NO_ROOM and before is not None:  # in its own room there may be enough
            return False
        raise


class Copied:
    """The content of an open file, in parts."""

    def __init__(self, file):
        self.file = file

    def __iter__(self):
        self.file.seek(0)
        while part := self.file.read(1 << 20):
            yield part


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_CANNOT_REPLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV, errno.ENOENT, errno.ENOTDIR, errno.EISDIR,
                   errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)


def _replaced(path, before, parts):
    """Makes a new file beside it and gives it the name. False: it would differ in more than its content."""
    if before is not None:
        os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC))  # one who may not write to it may not replace it
    folder = os.path.dirname(path) or os.curdir
    beside = os.path.join(folder, f".{os.urandom(8).hex()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 if before is None else 0o600)
    try:
        with os.fdopen(handle, "wb", 0) as file:
            if before is not None and not _made_alike(handle, path, before):
                return False
            _put(file, parts)
        os.replace(beside, path)
        beside = None
        return True
    finally:
        if beside is not None:
            os.unlink(beside)


def _made_alike(handle, path, before):
    os.fchmod(handle, stat.S_IMODE(before.st_mode))
    made = os.fstat(handle)
    return ((made.st_uid, made.st_gid, made.st_mode, made.st_dev) == (before.st_uid, before.st_gid, before.st_mode, before.st_dev)
            and _attributes(handle) == _attributes(path))


def _attributes(file):
    try:
        return {name: os.getxattr(file, name) for name in os.listxattr(file)}
    except (AttributeError, OSError):  # the system or the file system has none
        return {}


def _written_into(path, parts, size):
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
    with os.fdopen(handle, "wb", 0) as file:
        regular = stat.S_ISREG(os.fstat(handle).st_mode)
        if regular:
            parts = list(parts)  # they may fail, or come from the pages of this file
            _reserve(handle, size)
        _put(file, parts)
        if regular:
            file.truncate(file.tell())


def _reserve(handle, size):
    """Room for the new content, before the old is touched."""
    before = os.fstat(handle).st_size
    if not size or size <= before:
        return
    try:
        os.posix_fallocate(handle, 0, size)
    except AttributeError:
        return
    except OSError as e:
        if e.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):  # the file system cannot tell
            os.ftruncate(handle, before)
            raise


def _put(file, parts):
    for part in parts:
        put(file, part)


def put(file, part):
    """Writes all of it to a file whose write may take less."""
    taken = file.write(part)
    while type(taken) is int and taken < len(part):
        if taken <= 0:
            raise OSError(errno.EIO, f"{type(file).__name__}.write took nothing of {len(part)} bytes")
        part = memoryview(part)[taken:]
        taken = file.write(part)
    if taken is None and isinstance(file, io.RawIOBase):  # other files say nothing when they have taken all
        raise BlockingIOError(errno.EAGAIN, f"{type(file).__name__}.write would have to wait", 0)
