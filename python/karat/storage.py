"""storage.py - UntypedStorage: a tensor's storage as an object with address and size; storages of files."""

import sys
import weakref
from numbers import Integral

from . import _karat, _missing
from ._karat import Tensor, dtypes
from .asking import asked
from .copying import _whole


def _bytes_of(content):
    """A tensor of bytes, of the CPU whatever the default device is: so many, unwritten, or these."""
    if isinstance(content, Integral):
        return _karat.functions["empty"]((int(content),), dtype=dtypes["uint8"], device="cpu")
    return _karat.tensor(list(content), dtype=dtypes["uint8"], device="cpu")


def _typename(one):
    cls = type(one)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__.replace('karat', 'torch', 1)}.{cls.__name__}"


def _load_from_bytes(b):
    """Called by unpickling: a storage in a file of torch.save."""
    from io import BytesIO

    from .serialization import load

    return load(BytesIO(b))


_known = weakref.WeakValueDictionary()  # the storage objects that there are, by the identity of what they hold


def need_content(device):
    """Refuses to read what has no content."""
    if device.type == "meta":
        raise NotImplementedError("Not available for 'meta' device type")


_files = weakref.WeakKeyDictionary()  # (address, name) of the files that are memory now, by their mapping


class UntypedStorage:
    """Returned by t.untyped_storage(): keeps the memory alive and has its address and size. Made of a number or a sequence: so
    many bytes, or these."""

    def __init__(self, content=0, *, device=None):
        made = content.detach() if isinstance(content, Tensor) else _bytes_of(content)
        self._hold(made if device is None else made.to(device))

    def _hold(self, tensor):
        """Becomes the storage of that tensor, and the object that its untyped_storage() gives, if there is none yet."""
        self._tensor = tensor
        self._cdata = tensor._storage_identity()
        _known.setdefault(self._cdata, self)

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The first bytes of a file, as memory. shared: writes go to the file, which grows if it is shorter."""
        import mmap
        import os

        if nbytes == 0:
            return cls(0)
        try:
            file = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
        except OSError as e:
            mode = "read-write" if shared else "read-only"
            raise RuntimeError(f"unable to open file <{filename}> in {mode} mode: {e.strerror} ({e.errno})") from None
        try:
            size = os.fstat(file).st_size
            if size < nbytes:
                if not shared:
                    raise RuntimeError(f"file <{filename}> size <{size}> is smaller than the required mapping size <{nbytes}>")
                os.ftruncate(file, nbytes)
            mapping = mmap.mmap(file, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
        finally:
            os.close(file)
        made = cls(_karat.frombuffer(mapping, dtype=dtypes["uint8"]))
        if shared:
            _files[mapping] = made.data_ptr(), filename
        return made

    @property
    def filename(self):
        """The file that its memory is, where from_file(shared=True) made it; else None."""
        address = self.data_ptr()
        return next((name for start, name in _files.values() if start == address), None)

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, dtype=None):
        """A copy of `count` elements of a buffer, from that byte on, where they are "big", "little" or "native"."""
        if dtype is None:
            raise RuntimeError("argument 'dtype' cannot be None")
        width = dtype.itemsize
        if byte_order is None and width > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in (None, "big", "little", "native"):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        content = memoryview(buffer).cast("B")
        if not 0 <= offset <= len(content):
            raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(content)}) , but got {offset}")
        if count < 0 and (len(content) - offset) % width:
            raise ValueError(f"buffer size ({len(content)}) must be a multiple of element size ({width})")
        size = (len(content) - offset) // width if count < 0 else count
        if offset + size * width > len(content):
            raise ValueError(f"buffer has only {len(content) - offset} elements after offset {offset}, but specified a size of "
                             f"{size}")
        made = cls(size * width)
        if size:
            made._content().copy_(_karat.frombuffer(bytearray(content[offset:offset + size * width]), dtype=dtypes["uint8"]))
        if dtype is dtypes["bool"]:
            made._content().clamp_(max=1)
        if byte_order == "big" and sys.byteorder == "little" or byte_order == "little" and sys.byteorder == "big":
            made.byteswap(dtype)
        return made

    def _content(self):
        """All its bytes as a tensor that shares them."""
        t = self._tensor
        t = t.conj() if t.is_conj() else t
        t = t._neg_view() if t.is_neg() else t
        # no element of t need lie in the storage's first byte, nor its bytes be a multiple of the element's
        return t.as_strided((0,), (1,), 0).view(dtypes["uint8"]).as_strided((self.nbytes(),), (1,), 0)

    def __reduce__(self):
        return Tensor.untyped_storage, (self._content(),)

    def _as_elements(self, dtype):
        """torch.tensor(storage, dtype=...): its bytes read as elements of a dtype."""
        dtype = dtypes["int64"] if dtype is None else dtype
        content, width = self._content(), dtype.itemsize
        return content[:len(self) // width * width].view(dtype)

    def __dlpack__(self, **keywords):
        return self._content().__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._content().__dlpack_device__()

    def data_ptr(self):
        """The address of its first byte; 0 where it has none."""
        address, size = self._tensor._storage()
        return address if size else 0

    def nbytes(self):
        """Its size in bytes."""
        return self._tensor._storage()[1]

    size = __len__ = nbytes

    def element_size(self):
        """1: it is bytes."""
        return 1

    def untyped(self):
        """Itself."""
        return self

    def resizable(self):
        """Can resize_ change its size? It always can."""
        return True

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def __copy__(self):
        return self.clone()

    def byteswap(self, dtype):
        """Turns the bytes of each element around, of each part of a complex one."""
        width = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        if len(self) % width:
            raise RuntimeError(f"the length of data is not a multiple of {width}")
        rows = self._content().view(-1, width) if len(self) else self._content()
        rows.copy_(rows.flip(-1))

    def clone(self):
        """A copy."""
        return UntypedStorage(self._content().clone())

    def copy_(self, source, non_blocking=None):
        """Takes the bytes of another."""
        self._content().copy_(source._content())
        return self

    def __bytes__(self):
        t = self._tensor
        need_content(t.device)
        if t.is_cpu:
            return t._storage_content()
        return self._content().cpu()._storage_content()

    def tolist(self):
        """Its bytes as a list of ints."""
        need_content(self.device)
        return list(bytes(self))

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        need_content(self.device)
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            if stop <= start:
                return UntypedStorage(0)
            from .utils.dlpack import from_dlpack

            return UntypedStorage(from_dlpack(self._content()[start:stop]))  # a storage of its own over this memory
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return bytes(self)[index]

    def __setitem__(self, index, value):
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {_typename(value)} instead")
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
            self._content()[start:stop].fill_(value & 255)
            return
        if type(index) is not int:
            raise RuntimeError(f"can't index a torch.UntypedStorage with {_typename(index)}")
        if not 0 <= index < len(self):
            raise RuntimeError("out of bounds")
        self._content()[index] = value & 255

    def fill_(self, value):
        """Sets all bytes."""
        self._content().fill_(value)
        return self

    def resize_(self, nbytes):
        """Other memory of so many bytes, which begins with these."""
        old, new = self._content(), _karat.functions["empty"]((nbytes,), dtype=dtypes["uint8"], device=self.device)
        kept = min(nbytes, self.nbytes())
        new[:kept].copy_(old[:kept])
        if _known.get(self._cdata) is self:
            del _known[self._cdata]
        self._hold(new)
        return self

    @property
    def device(self):
        """Its device."""
        return self._tensor.device

    @property
    def is_cuda(self):
        """Is it on a CUDA device?"""
        return self._tensor.is_cuda

    def get_device(self):
        """The index of its device; -1 on the CPU."""
        return self._tensor.get_device()

    def to(self, *, device, non_blocking=False):
        """A copy on that device; itself where it is there."""
        there = self._content().to(device, non_blocking=non_blocking)
        return self if there.device == self.device else UntypedStorage(there)

    def cpu(self):
        """A copy in the host's memory; itself where it is there."""
        return self.to(device="cpu")

    def cuda(self, device=None, non_blocking=False):
        """A copy on a CUDA device; itself where it is there."""
        there = self._content().cuda(device, non_blocking)
        return self if there.device == self.device else UntypedStorage(there)

    def is_pinned(self, device="cuda"):
        """Is it in pinned memory?"""
        return self._content().is_pinned()

    def pin_memory(self, device="cuda"):
        """A copy in pinned memory; itself where it is there."""
        return self if self.is_pinned() else UntypedStorage(self._content().pin_memory())

    is_sparse = is_sparse_csr = is_hpu = False

    def is_shared(self):
        """Is its memory shared with other processes?"""
        return self._content().is_shared()

    def share_memory_(self):
        """Moves its memory to where processes that are forked from this one see each other's writes. Tensors in it keep the
        memory that it had."""
        if not self.is_shared() and self.nbytes():
            if _known.get(self._cdata) is self:
                del _known[self._cdata]
            self._hold(self._content().share_memory_())
        return self

    def new(self):
        """A storage of no bytes."""
        return UntypedStorage(0)

    def type(self, dtype=None, non_blocking=False):
        """The name of its class, or its bytes converted to elements of another."""
        if dtype is None:
            return "torch.storage.UntypedStorage"
        from .typed_storage import TypedStorage

        return TypedStorage(wrap_storage=self, dtype=dtypes["uint8"], _internal=True).type(dtype)

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._cdata == other._cdata

    def __hash__(self):
        return self._cdata

    def __repr__(self):
        lines = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return f"{lines}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


def untyped_storage(self):
    """The tensor's storage: the same object for all tensors in it."""
    known = _known.get(self._storage_identity())
    return UntypedStorage(self) if known is None else known


_shared = weakref.WeakValueDictionary()  # the mapping in which a tensor's memory is, by its address


def is_shared(self):
    """Is its memory shared with other processes?"""
    return self.is_cuda or self._storage()[0] in _shared


def share_memory_(self):
    """Moves its memory to where processes that are forked from this one see each other's writes. Views of it that were made
    before keep the memory that it had."""
    bytes_there = self._storage()[1]
    if self.device.type == "cpu" and bytes_there and not self.is_shared():
        import mmap

        mapping = mmap.mmap(-1, bytes_there)
        memory = _karat.frombuffer(mapping, dtype=dtypes["uint8"], count=bytes_there)
        memory.copy_(_whole(self.detach()))
        self.data = memory.view(self.dtype).as_strided(self.shape, self.stride(), self.storage_offset())
        _shared[self._storage()[0]] = mapping
    return self


for _method in (untyped_storage, is_shared, share_memory_):
    setattr(Tensor, _method.__name__, asked(_method))


def __getattr__(name):
    """TypedStorage, whose file needs this one."""
    if name != "TypedStorage":
        return _missing.of(__name__)(name)
    from .typed_storage import TypedStorage

    return TypedStorage
