"""torch.save and torch.load: PyTorch's files, both ways.

A file is a zip archive without compression: data.pkl is the object with a persistent id for every storage, data/N the bytes of
storage N. Names of this package are written as torch's, so that PyTorch reads the file. weights_only=True (the default of load)
reads data.pkl by a machine of its own (_weights.py), which runs nothing that the file names. Files of before PyTorch 1.6 are in
_old_files.py.
"""

import enum
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from mmap import MAP_PRIVATE, MAP_SHARED, PROT_READ, PROT_WRITE

from . import _archive, _karat, _missing, _written
from ._karat import dtypes
from ._pickled import MAGIC_NUMBER, PROTOCOL_VERSION, _get_layout, pickled, torch_name, unpickler  # noqa: F401
from .storage import UntypedStorage
from .typed_storage import NAMES as _STORAGE_TYPES
from .typed_storage import TypedStorage
from .types import FileLike, Storage  # noqa: F401
from .utils.serialization import config as _config

__all__ = """SourceChangeWarning mkdtemp register_package check_module_version_greater_or_equal validate_cuda_device
    validate_hpu_device location_tag default_restore_location normalize_storage_type storage_to_tensor_type save load
    StorageType LoadEndianness get_crc32_options set_crc32_options get_default_load_endianness set_default_load_endianness
    get_default_mmap_options set_default_mmap_options clear_safe_globals get_safe_globals add_safe_globals safe_globals
    get_unsafe_globals_in_checkpoint skip_data""".split()

DEFAULT_PROTOCOL = 2
LONG_SIZE, INT_SIZE, SHORT_SIZE = 4, 4, 2
STORAGE_KEY_SEPARATOR = ","
IS_WINDOWS = sys.platform == "win32"
STORAGE = Storage | TypedStorage | UntypedStorage
MAP_LOCATION = Callable[[Storage, str], Storage] | _karat.device | str | dict[str, str] | None
UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. "
    "Re-running "
    "`torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code execution. Do it "
    "only "
    "if you got the file from a trusted source.")

_here = threading.local()  # skip: skip_data is on in this thread


class SourceChangeWarning(Warning):
    """The source of a module's class is not that with which it was saved. Never given: sources are not compared."""


class StorageType:
    """The class of a storage by its name in files: its dtype."""

    def __init__(self, name):
        self._dtype = _STORAGE_TYPES[name].dtype

    @property
    def dtype(self):
        """What its elements are."""
        return self._dtype

    def __str__(self):
        return f"StorageType(dtype={self.dtype})"


def mkdtemp():
    """with mkdtemp() as path: a folder that is removed afterwards."""
    from tempfile import TemporaryDirectory

    return TemporaryDirectory()


# ---- where storages go ----

_packages = []  # (priority, tagger, deserializer)


def register_package(priority, tagger, deserializer):
    """Storages of another kind of device: tagger(storage) gives the location that files have for it, deserializer(storage,
    location) the storage there; None: not mine. Those of a lower priority are asked first."""
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def _untyped(storage):
    return storage._untyped_storage if isinstance(storage, TypedStorage) else storage


def location_tag(storage):
    """The location that a file has for a storage: "cpu", "cuda:0"."""
    for _, tagger, _ in _packages:
        location = tagger(storage)
        if location:
            return location
    return str(_untyped(storage).device)


def default_restore_location(storage, location):
    """The storage at a location of a file."""
    for _, _, deserializer in _packages:
        made = deserializer(storage, location)
        if made is not None:
            return made
    kind = location.partition(":")[0]
    if kind == "cuda":
        validate_cuda_device(location)
    elif kind == "meta":
        return _on_meta(storage.nbytes())
    elif kind != "cpu":
        _expect_device(storage, location)
    return storage if kind == "cpu" else storage.to(device=location)


def _on_meta(size):
    return UntypedStorage(_karat.functions["empty"]((size,), dtype=dtypes["uint8"], device="meta"))


def _expect_device(storage, location):
    try:
        _karat.functions["empty"]((0,), device=location)
    except Exception:
        raise RuntimeError(f"don't know how to restore data location of torch.storage.{type(storage).__name__} (tagged with "
                           f"{location})") from None


def validate_cuda_device(location):
    """The index of a CUDA device that is there; RuntimeError: it is not."""
    from . import cuda

    if not cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a "
            "CPU-only "
            "machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.")
    index = _karat.device(location).index or 0
    if index >= cuda.device_count():
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {index} but torch.cuda.device_count() is {cuda.device_count()}. "
            "Please use "
            "torch.load with map_location to map your storages to an existing device.")
    return index


def validate_hpu_device(location):
    """RuntimeError: there are no HPUs."""
    raise RuntimeError("Attempting to deserialize object on a HPU device but torch.hpu.is_available() is False. If you are "
                       "running on a "
                       "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to "
                       "the CPU.")


def normalize_storage_type(storage_type):
    """torch.FloatStorage of the CPU for that of any device."""
    return _STORAGE_TYPES[storage_type.__name__]


def storage_to_tensor_type(storage):
    """torch.FloatTensor for a FloatStorage."""
    from .legacy import NAMES

    return NAMES[storage.pickle_storage_type().replace("Storage", "Tensor")]


def check_module_version_greater_or_equal(module, req_version_tuple, error_if_malformed=True):
    """Is a module's version at least this one?"""
    try:
        found = tuple(kind(part) for kind, part in zip(map(type, req_version_tuple), module.__version__.split(".")))
        return found >= tuple(req_version_tuple)
    except (AttributeError, ValueError) as e:
        if error_if_malformed:
            raise RuntimeError(f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be "
                               "compared "
                               f"with tuple {req_version_tuple}") from e
        return True


# ---- saving ----


def save(obj, f, pickle_module=pickle, pickle_protocol=DEFAULT_PROTOCOL, _use_new_zipfile_serialization=True,
         _disable_byteorder_record=False):
    """Saves an object to a path or a file, in PyTorch's zip format. A regular file at the path is replaced when all is written;
    devices, pipes and links are written into."""
    to_path = isinstance(f, (str, bytes, os.PathLike))
    if not to_path and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if _use_new_zipfile_serialization:
        parts = _archived(obj, _root(f) if to_path else "archive", pickle_protocol, _disable_byteorder_record)
        room = parts.room()
    else:
        from ._old_files import Written

        parts = Written(obj, pickle_protocol, location_tag)
        room = parts.room()
    if not to_path:
        for part in parts:
            _written.put(f, part)
        if hasattr(f, "flush"):  # who reads it by its name finds all of it
            f.flush()
        return
    try:
        _written.write(f, parts, room)
    except FileNotFoundError:
        raise RuntimeError(f"Parent directory {os.path.dirname(os.fsdecode(f))} does not exist.") from None


def _root(path):
    """The folder in the archive: the file's name, where that is a text."""
    name = os.path.splitext(os.path.basename(os.fsdecode(path)))[0]
    is_text = not any("\ud800" <= one <= "\udfff" for one in name)
    return name if name and is_text else "archive"


def _archived(obj, root, protocol, no_byteorder):
    text, storages = pickled(obj, protocol, lambda cls, key, storage, count: (
        "storage", cls, str(key), location_tag(storage), count))
    archive = _archive.Written(root, _config.save.storage_alignment, _config.save.compute_crc32)
    archive.add("data.pkl", len(text), lambda: text)
    archive.add(".format_version", 1, lambda: b"1")
    alignment = str(_config.save.storage_alignment).encode()
    archive.add(".storage_alignment", len(alignment), lambda: alignment)
    if not no_byteorder:
        archive.add("byteorder", len(sys.byteorder), sys.byteorder.encode)
    skipped = getattr(_here, "skip", False)
    for key, storage in enumerate(storages):
        on_meta = storage.device.type == "meta"
        archive.add(f"data/{key}", 0 if on_meta else storage.nbytes(),
                    None if skipped else (lambda: b"") if on_meta else storage.__bytes__)
    archive.add("version", 2, lambda: b"3\n")
    archive.add(".data/serialization_id", 40, lambda: f"{archive.fingerprint:040d}".encode())
    return archive


# ---- names that weights_only allows ----

_safe = []


def add_safe_globals(safe_globals):
    """Classes and functions that weights_only=True accepts, too; (class, name): under that name."""
    _safe.extend(one for one in safe_globals if not any(one is other for other in _safe))


def clear_safe_globals():
    """Forgets what add_safe_globals added."""
    _safe.clear()


def get_safe_globals():
    """What add_safe_globals added."""
    return list(_safe)


class safe_globals:
    """with safe_globals([...]): these classes and functions are accepted by weights_only=True inside."""

    def __init__(self, safe_globals):
        self.globals = safe_globals

    def __enter__(self):
        self.before = get_safe_globals()
        add_safe_globals(self.globals)

    def __exit__(self, *_):
        _safe[:] = self.before


# ---- loading ----


class _Storages:
    """The storages of a file, each once, where they belong. read(key, size): the bytes of one."""

    def __init__(self, map_location, read, swapped=False):
        self.map_location, self.read, self.swapped, self.made = map_location, read, swapped, {}
        if isinstance(map_location, _karat.device):
            self.map_location = str(map_location)

    def _parts(self, saved_id):
        from ._weights import storage_dtype

        if len(saved_id) != 5:
            raise _damaged(f"the id of a storage has {len(saved_id)} parts, 5 were expected")
        _, cls, key, location, count = saved_id
        try:
            dtype = storage_dtype(cls)
        except KeyError:
            raise _damaged(f"{type(cls).__name__} is no class of storages") from None
        if (type(key) is not str and (type(key) is not int or key.bit_length() > 64)) or type(location) is not str or (
                type(count) is not int or not 0 <= count < 1 << 56):
            raise _damaged("the id of a storage must have a key, a location and a length")
        return dtype, str(key), location, count * (1 if dtype is None else dtype.itemsize)

    def __call__(self, saved_id):
        """The storage of a saved id."""
        dtype, key, location, size = self._parts(saved_id)
        if key not in self.made:
            self.made[key] = self._placed(location, size, lambda: self._content(key, dtype, size))
        return _typed(self.made[key], dtype)

    def unfilled(self, saved_id, most):
        """The storage of a saved id, its key, and how many bytes are to be written into it; None: they are."""
        dtype, key, location, size = self._parts(saved_id)
        if key in self.made:
            return _typed(self.made[key], dtype), key, None
        if size > most:
            raise EOFError("unexpected EOF: the file ends before its storages do, and might be corrupted")
        self.made[key] = self._placed(location, size, lambda: UntypedStorage(size))
        return _typed(self.made[key], dtype), key, size

    def _content(self, key, dtype, size):
        content = self.read(key, size)
        if isinstance(content, UntypedStorage):
            return content
        if self.swapped and dtype is not None:
            content = _swapped(content, dtype.itemsize // (2 if dtype.is_complex else 1))
        return UntypedStorage(_karat.frombuffer(content, dtype=dtypes["uint8"])) if content else UntypedStorage(0)

    def _placed(self, location, size, content):
        where = self.map_location
        if where is None or isinstance(where, (str, dict)):
            place = location if where is None else where if isinstance(where, str) else str(where.get(location, location))
            if place == "meta" or location == "meta":
                return _on_meta(size)
            made = content()
            return made if place == "cpu" and not _packages else default_restore_location(made, place)
        made = _on_meta(size) if location == "meta" else content()
        given = where(made, location)
        return default_restore_location(made, location) if given is None else given


def _typed(storage, dtype):
    return TypedStorage(wrap_storage=storage, dtype=dtypes["uint8"] if dtype is None else dtype, _internal=True)


def _swapped(content, width):
    """The bytes of each element of `width` bytes in the other order."""
    swapped = bytearray(len(content))
    for i in range(width):
        swapped[i::width] = content[width - 1 - i::width]
    return swapped


def _damaged(text):
    from ._weights import Damaged

    return Damaged(text)


_FAILED = "Weights only load failed. "
_MORE = ("\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
         "https://pytorch.org/docs/stable/generated/torch.load.html.")
_TWO_OPTIONS = (
    "This file can still be loaded, to do so you have two options, \033[1mdo those steps only if you trust the source of the "
    f"checkpoint\033[0m. \n\t(1) {UNSAFE_MESSAGE}\n\t(2) Alternatively, to load with `weights_only=True` please check the "
    "recommended "
    "steps in the following error message.\n\tWeightsUnpickler error: ")
_FILE_AN_ISSUE = (f"{UNSAFE_MESSAGE}\nPlease file an issue with the following so that we can make `weights_only=True` "
                  "compatible with "
                  "your use case: WeightsUnpickler error: ")
_IS_DAMAGED = "The file is damaged, or was made to do harm. WeightsUnpickler error: "


def _explained(error):
    """The error of a load with the advice that goes with it."""
    from ._weights import Blocked, Damaged, NotAllowed

    kinds = {NotAllowed: _TWO_OPTIONS, Blocked: f"{UNSAFE_MESSAGE}\n\n\n", Damaged: _IS_DAMAGED}
    return pickle.UnpicklingError(_FAILED + kinds.get(type(error), _FILE_AN_ISSUE) + str(error) + _MORE)


def _weights_runner(encoding="utf-8"):
    """Runs pickles by the machine that runs nobody's code."""
    from ._weights import Machine, allowed_names

    allowed = allowed_names(_safe, torch_name)

    def run(data, at, storage):
        machine = Machine(data, storage, allowed, at, encoding)
        try:
            return machine.load(), machine.at
        except pickle.UnpicklingError as e:
            raise _explained(e) from None

    return run


def _pickle_runner(pickle_module, options):
    """Runs pickles by Python's unpickler, or that of another module."""
    from io import BytesIO

    cls = unpickler(pickle_module.Unpickler)

    def run(data, at, storage):
        text = BytesIO(data)
        text.seek(at)
        return cls(text, storage, **options).load(), text.tell()

    return run


def _runner(weights_only, pickle_module, options):
    if weights_only:
        return _weights_runner(**options)
    return _pickle_runner(pickle_module or pickle, {"encoding": "utf-8", **options})


_YES = ("1", "y", "yes", "true")


def _only_weights(weights_only, pickle_module):
    """What the argument and the environment say: TORCH_FORCE_WEIGHTS_ONLY_LOAD before all, the argument before the other."""
    force, force_not = (os.environ.get(f"TORCH_FORCE_{no}WEIGHTS_ONLY_LOAD", "0") in _YES for no in ("", "NO_"))
    if force and force_not:
        raise RuntimeError("Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, "
                           "but both "
                           "were set.")
    if force:
        weights_only = True
    elif weights_only is None:
        weights_only = not force_not and pickle_module is None
        if force_not:
            warnings.warn("Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was "
                          "not explicitly passed to `torch.load`, forcing weights_only=False.", UserWarning, stacklevel=3)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    return weights_only


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Loads what torch.save has saved. weights_only (the default): tensors and plain containers; nothing in the file is run.
    mmap: storages are the file's pages, read when they are used."""
    weights_only = _only_weights(weights_only, pickle_module)
    mmap = _config.load.mmap if mmap is None else mmap
    run = _runner(weights_only, pickle_module, pickle_load_args)
    if isinstance(f, (str, bytes, os.PathLike)):
        with open(os.fspath(f), "rb") as file:
            return _loaded(file, os.fspath(f), map_location, weights_only, mmap, run)
    if mmap:
        raise ValueError("f must be a file path in order to use the mmap argument")
    if not hasattr(f, "seek"):
        raise AttributeError(f"'{type(f).__name__}' object has no attribute 'seek'. You can only torch.load from a file that is "
                             "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead.")
    return _loaded(f, None, map_location, weights_only, False, run)


def _loaded(file, path, map_location, weights_only, mmap, run):
    start = file.tell()
    head = file.read(4)
    file.seek(start)
    if not head:
        raise EOFError("Ran out of input")
    if head == b"PK\3\4":
        return _from_archive(file, path, map_location, weights_only, mmap, run)
    if mmap:
        raise RuntimeError(f"mmap can only be used with files saved with `torch.save({path}, "
                           "_use_new_zipfile_serialization=True), please "
                           "torch.save your checkpoint with this option in order to use mmap.")
    return _from_old_file(file, map_location, weights_only, run)


def _is_zipfile(f):
    """Does a zip archive begin where the file is read next?"""
    start = f.tell()
    head = f.read(4)
    f.seek(start)
    return head == b"PK\3\4"


def _from_old_file(file, map_location, weights_only, run):
    from . import _old_files

    if _old_files.is_tar(file):
        if weights_only:
            raise RuntimeError(f"Cannot use ``weights_only=True`` with files saved in the legacy .tar format. {UNSAFE_MESSAGE}")
        raise NotImplementedError("torch.load: files in the legacy .tar format (of before PyTorch 0.2) are not read")
    return _old_files.Reader(file, run, _Storages(map_location, None)).load()


def _from_archive(file, path, map_location, weights_only, mmap, run):
    archive = _archive.Read(file, _config.save.compute_crc32, trusted=not weights_only)
    if "constants.pkl" in archive:
        if weights_only:
            raise RuntimeError("Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. "
                               + UNSAFE_MESSAGE)
        raise NotImplementedError("torch.load: this is an archive of torch.jit.save; compiled programs are not read")
    text = archive.read_program("data.pkl")
    read = _mapped(archive, file, path) if mmap else _copied(archive)
    return run(text, 0, _Storages(map_location, read, _is_swapped(archive)))[0]


def _is_swapped(archive):
    """Is the order of its bytes not that of this machine?"""
    if "byteorder" in archive:
        order = bytes(archive.read("byteorder"))
        if order not in (b"little", b"big"):
            raise ValueError(f"Unknown endianness type: {order.decode(errors='replace')}")
        return order.decode() != sys.byteorder
    default = _config.load.endianness
    return default not in (None, LoadEndianness.NATIVE) and default.name.lower() != sys.byteorder


def _expect_size(archive, key, size):
    found = archive.size_of(f"data/{key}")
    if found != size:
        raise RuntimeError(f"record size ({found} bytes) does not match expected size ({size} bytes = {size} elements * 1 "
                           "bytes/element) "
                           "for dtype Byte")


def _copied(archive):
    def read(key, size):
        _expect_size(archive, key, size)
        if not getattr(_here, "skip", False):
            return archive.read(f"data/{key}")
        archive.take_room(f"data/{key}")
        return UntypedStorage(size)

    return read


def _mapped(archive, opened, path):
    """Storages that are pages of the file; those that are written to are this process's own, unless the flags are MAP_SHARED."""
    from mmap import mmap

    shared = _config.load.mmap_flags == MAP_SHARED
    with open(path, "r+b") if shared else nullcontext(opened) as file:
        if not os.path.samestat(os.fstat(file.fileno()), os.fstat(opened.fileno())):
            raise RuntimeError(f"torch.load: {os.fsdecode(path)} became another file while it was read")
        memory = mmap(file.fileno(), archive.size, flags=_config.load.mmap_flags, prot=PROT_READ | PROT_WRITE)

    def read(key, size):
        _expect_size(archive, key, size)
        begin, _ = archive.place(f"data/{key}")
        return UntypedStorage(_karat.frombuffer(memory, dtype=dtypes["uint8"], count=size, offset=begin) if size else 0)

    return read


# ---- settings, and what a file holds ----


class LoadEndianness(enum.Enum):
    """The order of a file's bytes where the file does not say it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_default_load_endianness():
    """What set_default_load_endianness set; None: the machine's."""
    return _config.load.endianness


def set_default_load_endianness(endianness):
    """The order of the bytes in files that do not say it."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _config.load.endianness = endianness


def get_crc32_options():
    """Does torch.save write checksums?"""
    return _config.save.compute_crc32


def set_crc32_options(compute_crc32):
    """False: torch.save writes no checksums, and torch.load compares none."""
    _config.save.compute_crc32 = compute_crc32


def get_default_mmap_options():
    """The flags of torch.load(mmap=True): MAP_PRIVATE."""
    return _config.load.mmap_flags


class set_default_mmap_options:
    """Sets the flags of torch.load(mmap=True): mmap.MAP_PRIVATE or mmap.MAP_SHARED; in a with statement for its body alone."""

    def __init__(self, flags):
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                             "mmap.MAP_SHARED, but "
                             f"got {flags}")
        self.before = _config.load.mmap_flags
        _config.load.mmap_flags = flags

    def __enter__(self):
        pass

    def __exit__(self, *_):
        _config.load.mmap_flags = self.before


class skip_data:
    """with skip_data(): torch.save leaves room for the bytes of storages and does not write them, torch.load does not read
    them."""

    def __init__(self, materialize_fake_tensors=False):
        pass

    def __enter__(self):
        self.before = getattr(_here, "skip", False)
        _here.skip = True

    def __exit__(self, *_):
        _here.skip = self.before


def get_unsafe_globals_in_checkpoint(f):
    """The names in a file that weights_only=True does not accept."""
    if isinstance(f, (str, bytes, os.PathLike)):
        with open(os.fspath(f), "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    from ._names_in_pickles import unsafe_names
    from ._weights import allowed_names

    start = f.tell()
    head = f.read(4)
    f.seek(start)
    if head != b"PK\3\4":
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    return unsafe_names(_archive.Read(f).read_program("data.pkl"), allowed_names(_safe, torch_name))


__getattr__ = _missing.of(__name__)
