"""torch.save(x, path): what a path is, its owner and its mode stay as they are; no half-written file."""

import contextlib
import errno
import io
import os
import resource
import shutil
import signal
import stat
import tempfile
import threading

import pytest

import karat
from karat import _written

T = karat.arange(100)
IS_ROOT = os.geteuid() == 0


@pytest.fixture
def folder():
    """One that any user may enter."""
    made = tempfile.mkdtemp()
    os.chmod(made, 0o755)
    yield made
    shutil.rmtree(made)


@contextlib.contextmanager
def an_ordinary_user(*paths):
    """Root may write everywhere; the paths belong to the user."""
    if IS_ROOT:
        for path in paths:
            os.chown(path, 65534, 65534)
        os.setegid(65534)
        os.seteuid(65534)
    try:
        yield
    finally:
        if IS_ROOT:
            os.seteuid(0)
            os.setegid(0)


def facts(path):
    found = os.lstat(path)
    return stat.S_IFMT(found.st_mode), stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, found.st_nlink


def holds(path):
    return karat.equal(karat.load(path), T)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o400 | 0o200, 0o755, 0o4755])
def test_the_mode_stays(folder, mode):
    path = os.path.join(folder, "x.pt")
    open(path, "wb").close()
    os.chmod(path, mode)
    before, inode = facts(path), os.stat(path).st_ino
    karat.save(T, path)
    assert facts(path) == before and holds(path) and os.listdir(folder) == ["x.pt"] and os.stat(path).st_ino != inode


def test_a_new_file_has_the_mode_that_the_umask_says(folder):
    for mask, mode in ((0o077, 0o600), (0o022, 0o644), (0o000, 0o666)):
        path = os.path.join(folder, f"{mask}.pt")
        before = os.umask(mask)
        try:
            karat.save(T, path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(os.stat(path).st_mode) == mode


def test_the_umask_is_never_changed(folder, monkeypatch):
    def changed(mask):
        raise AssertionError("the umask is the whole process's")

    monkeypatch.setattr(os, "umask", changed)
    karat.save(T, os.path.join(folder, "x.pt"))
    karat.save(T, os.path.join(folder, "x.pt"))


def test_links_stay_links(folder):
    path, soft, hard, dangling = (os.path.join(folder, name) for name in ("x.pt", "soft.pt", "hard.pt", "dangling.pt"))
    open(path, "wb").close()
    os.symlink("x.pt", soft)
    karat.save(T, soft)
    assert os.readlink(soft) == "x.pt" and holds(path)
    os.link(path, hard)
    karat.save(T + 1, hard)
    assert os.path.samefile(path, hard) and karat.equal(karat.load(path), T + 1)
    os.symlink("new.pt", dangling)
    karat.save(T, dangling)
    assert os.readlink(dangling) == "new.pt" and holds(os.path.join(folder, "new.pt"))
    assert sorted(os.listdir(folder)) == ["dangling.pt", "hard.pt", "new.pt", "soft.pt", "x.pt"]


def test_devices_and_pipes_are_written_into(folder):
    before = facts("/dev/null")
    karat.save(T, "/dev/null")
    assert facts("/dev/null") == before
    if os.path.exists("/dev/full"):
        with pytest.raises(OSError, match="No space left on device") as e:
            karat.save(T, "/dev/full")
        assert e.value.errno == errno.ENOSPC and e.value.filename == "/dev/full" and stat.S_ISCHR(os.lstat("/dev/full").st_mode)
    pipe, read = os.path.join(folder, "pipe"), []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(open(pipe, "rb").read()))
    reader.start()
    karat.save(T, pipe)
    reader.join()
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
    with open(os.path.join(folder, "x.pt"), "wb") as file:
        file.write(read[0])
    assert holds(file.name)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no /proc/self/fd here")
def test_open_files_by_their_number(folder):
    path = os.path.join(folder, "x.pt")
    with open(path, "wb") as file:
        karat.save(T, f"/proc/self/fd/{file.fileno()}")
        assert holds(path)
    with tempfile.TemporaryFile() as file:
        karat.save(T, f"/proc/self/fd/{file.fileno()}")
        file.seek(0)
        assert holds(file)


def test_names_of_any_length_and_kind(folder):
    for name in ("n" * 250, "n" * 255, "é" * 120, ".pt", "a.b.c", " ", "-"):
        karat.save(T, os.path.join(folder, name))
        karat.save(T, os.path.join(folder, name).encode())
        assert holds(os.path.join(folder, name))
    with pytest.raises(OSError, match="name too long"):
        karat.save(T, os.path.join(folder, "n" * 256))
    with pytest.raises(RuntimeError, match="Parent directory .*/none does not exist."):
        karat.save(T, os.path.join(folder, "none", "x.pt"))
    with pytest.raises(IsADirectoryError):
        karat.save(T, folder)


def test_a_shorter_file_leaves_nothing_of_the_longer(folder):
    path, other = os.path.join(folder, "x.pt"), os.path.join(folder, "y.pt")
    for _ in range(2):
        karat.save(karat.zeros(100000), path)
        karat.save(T, path)
        assert holds(path) and os.path.getsize(path) < 10000
        if not os.path.exists(other):
            os.link(path, other)  # the second time it is written in place


def test_a_folder_without_rights(folder):
    path, locked = os.path.join(folder, "x.pt"), os.path.join(folder, "locked.pt")
    for one in (path, locked):
        open(one, "wb").close()
    os.chmod(locked, 0o444)
    inode = os.stat(path).st_ino
    with an_ordinary_user(path, locked):
        if not IS_ROOT:
            os.chmod(folder, 0o555)
        karat.save(T, path)
        with pytest.raises(PermissionError):
            karat.save(T, locked)
        with pytest.raises(PermissionError):
            karat.save(T, os.path.join(folder, "new.pt"))
        if not IS_ROOT:
            os.chmod(folder, 0o755)
    assert holds(path) and os.stat(path).st_ino == inode and os.path.getsize(locked) == 0


def test_a_file_that_may_not_be_written_is_not_replaced(folder):
    path = os.path.join(folder, "x.pt")
    open(path, "wb").close()
    os.chmod(path, 0o444)
    with an_ordinary_user(folder, path), pytest.raises(PermissionError):
        karat.save(T, path)
    assert os.path.getsize(path) == 0 and os.listdir(folder) == ["x.pt"]


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_the_owner_stays(folder):
    path = os.path.join(folder, "x.pt")
    open(path, "wb").close()
    os.chown(path, 65534, 65534)
    before, inode = facts(path), os.stat(path).st_ino
    karat.save(T, path)
    assert facts(path) == before and os.stat(path).st_ino == inode and holds(path) and os.listdir(folder) == ["x.pt"]


def test_extended_attributes_stay(folder):
    path = os.path.join(folder, "x.pt")
    open(path, "wb").close()
    try:
        os.setxattr(path, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("the file system has no extended attributes")
    karat.save(T, path)
    assert os.getxattr(path, "user.note") == b"mine" and holds(path) and os.listdir(folder) == ["x.pt"]


def test_what_cannot_be_saved_touches_nothing(folder):
    path, pair = os.path.join(folder, "x.pt"), os.path.join(folder, "y.pt")
    karat.save(T, path)
    for _ in range(2):
        for zip_file in (True, False):
            with pytest.raises((AttributeError, TypeError, Exception), match="lambda"):
                karat.save({"t": T, "f": lambda: 0}, path, _use_new_zipfile_serialization=zip_file)
        assert holds(path)
        if not os.path.exists(pair):
            os.link(path, pair)
    assert sorted(os.listdir(folder)) == ["x.pt", "y.pt"]


@contextlib.contextmanager
def files_end_at(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[0][1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before[0])
        signal.signal(signal.SIGXFSZ, before[1])


def test_a_file_that_cannot_grow_keeps_its_content(folder):
    path, new, pair = (os.path.join(folder, name) for name in ("x.pt", "new.pt", "y.pt"))
    karat.save(T, path)
    for _ in range(2):
        with files_end_at(10000), pytest.raises(OSError):
            karat.save(karat.zeros(100000), path)
        assert holds(path)
        if not os.path.exists(pair):
            os.link(path, pair)
    with files_end_at(10000), pytest.raises(OSError):
        karat.save(karat.zeros(100000), new)
    assert sorted(os.listdir(folder)) == ["x.pt", "y.pt"]


def test_a_full_disk_is_told_before_the_old_content_is_touched(folder, monkeypatch):
    path = os.path.join(folder, "x.pt")
    karat.save(T, path)
    os.link(path, os.path.join(folder, "y.pt"))

    def full(handle, start, size):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left on device: .*x.pt"):
        karat.save(karat.zeros(100000), path)
    assert holds(path)


def test_downloads_are_written_the_same_way(folder):
    source, path = os.path.join(folder, "source"), os.path.join(folder, "x.pt")
    karat.save(T, source)
    karat.hub.download_url_to_file(f"file://{source}", path)
    assert holds(path) and stat.S_IMODE(os.stat(path).st_mode) == stat.S_IMODE(os.stat(source).st_mode)
    os.chmod(path, 0o600)
    with pytest.raises(RuntimeError, match="invalid hash value"):
        karat.hub.download_url_to_file(f"file://{source}", path, hash_prefix="00000000000")
    karat.hub.download_url_to_file(f"file://{source}", path)
    assert holds(path) and stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_a_file_is_written_from_its_own_pages(folder):
    path = os.path.join(folder, "x.pt")
    karat.save({"a": karat.zeros(10), "t": T}, path)
    os.link(path, os.path.join(folder, "y.pt"))
    karat.save(karat.load(path, mmap=True)["t"], path)
    assert holds(path)


def test_files_that_take_less_than_they_are_given(folder):
    class Slow(io.BytesIO):
        def write(self, part):
            return super().write(bytes(part[:100]))

    slow = Slow()
    karat.save(T, slow)
    slow.seek(0)
    assert holds(slow)
    with open(os.path.join(folder, "x.pt"), "wb", buffering=0) as file:
        karat.save(T, file)
    assert holds(file.name)

    class Stuck(io.BytesIO):
        def write(self, part):
            return 0

    with pytest.raises(OSError, match="Stuck.write took nothing of "):
        karat.save(T, Stuck())
    read, write = os.pipe()
    os.set_blocking(write, False)
    with open(read, "rb"), open(write, "wb", buffering=0) as file, pytest.raises(BlockingIOError, match="would have to wait"):
        karat.save(karat.zeros(1 << 20), file)


def test_parts_may_be_gone_through_twice(folder):
    with tempfile.TemporaryFile() as file:
        file.write(b"abc" * 10)
        parts = _written.Copied(file)
        assert b"".join(parts) == b"".join(parts) == b"abc" * 10
