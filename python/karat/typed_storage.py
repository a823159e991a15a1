"""typed_storage.py - TypedStorage: a storage read as elements of one dtype, and its old names (torch.FloatStorage); Tensor.set_.

PyTorch has deprecated it, and so it warns once; UntypedStorage holds the memory.
"""

import copyreg
from copy import deepcopy
from numbers import Integral

from . import _karat, _missing
from ._karat import Tensor, dtypes
from .asking import asked
from .copying import _placed
from .storage import UntypedStorage, need_content

_FORMS = """TypedStorage.__init__ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)
"""
_KINDS = {"Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Byte": "uint8", "Char": "int8",
          "Short": "int16", "Int": "int32", "Long": "int64", "Bool": "bool", "ComplexFloat": "complex64",
          "ComplexDouble": "complex128"}
_NAMES = {dtypes[dtype]: name + "Storage" for name, dtype in _KINDS.items()}


def _warn():
    _karat.warn_once("TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
                     "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
                     "directly, use tensor.untyped_storage() instead of tensor.storage()")


def _elements(storage, dtype):
    """The whole of an UntypedStorage as a tensor of that dtype, which shares it."""
    count = storage.nbytes() // dtype.itemsize
    return storage._tensor.as_strided((0,), (1,), 0).view(dtype).as_strided((count,), (1,), 0)


def _made(content, dtype, device):
    """Of the CPU, unless a device is given: the default device is for tensors."""
    device = "cpu" if device is None else device
    if isinstance(content, Integral):
        return _karat.functions["empty"]((int(content),), dtype=dtype, device=device)
    if isinstance(content, str) or not hasattr(content, "__len__"):
        raise TypeError(f"new(): invalid data type '{type(content).__name__}'")
    return _karat.tensor(list(content), dtype=dtype, device=device)


class TypedStorage:
    """Memory as elements of one dtype: TypedStorage(3, dtype=torch.float32), tensor.storage()."""

    def __init__(self, *args, device=None, dtype=None, wrap_storage=None, _internal=False):
        if not _internal:
            _warn()
        if dtype is None:
            raise RuntimeError(_FORMS + "Argument 'dtype' must be specified")
        if len(args) > 1:
            raise RuntimeError(_FORMS + "Too many positional arguments")
        if wrap_storage is not None and args:
            raise RuntimeError(_FORMS + "No positional arguments should be given when using 'wrap_storage'")
        if wrap_storage is not None and not isinstance(wrap_storage, UntypedStorage):
            raise TypeError(_FORMS + f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
        self.dtype = dtype
        self._untyped_storage = UntypedStorage(_made(*(args or (0,)), dtype, device)) if wrap_storage is None else wrap_storage

    def _tensor(self):
        return _elements(self._untyped_storage, self.dtype)

    def _as_elements(self, dtype):
        """torch.tensor(storage): its elements, which are of one dtype."""
        if dtype not in (None, self.dtype):
            names = [_NAMES[one][:-len("Storage")] if one in _NAMES else str(one) for one in (dtype, self.dtype)]
            raise RuntimeError("Expected a Storage of type {} or an UntypedStorage, but got {}".format(*names))
        return self._tensor()

    def _with(self, tensor):
        return TypedStorage(wrap_storage=UntypedStorage(tensor), dtype=tensor.dtype, _internal=True)

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    def __eq__(self, other):
        return isinstance(other, TypedStorage) and self._cdata == other._cdata and self.dtype is other.dtype

    def __hash__(self):
        return self._cdata

    def untyped(self):
        """Its memory, as bytes."""
        _warn()
        return self._untyped_storage

    @property
    def device(self):
        """Its device."""
        return self._untyped_storage.device

    @property
    def is_cuda(self):
        """Is it on a CUDA device?"""
        return self.device.type == "cuda"

    is_sparse = False

    @property
    def filename(self):
        """The file that its memory is; None: it is none."""
        return self._untyped_storage.filename

    def size(self):
        """How many elements it has."""
        _warn()
        return len(self)

    def __len__(self):
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    def nbytes(self):
        """Its size in bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self):
        """Bytes of an element."""
        return self.dtype.itemsize

    def data_ptr(self):
        """The address of its first byte."""
        return self._untyped_storage.data_ptr()

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        memory = deepcopy(self._untyped_storage, memo)
        return memo.setdefault(id(self), TypedStorage(wrap_storage=memory, dtype=self.dtype, _internal=True))

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """FloatStorage.from_file(...): `size` elements whose memory is the file."""
        raise RuntimeError("from_file can only be called on derived classes")

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, dtype=None):
        """A copy of elements of a buffer, as of UntypedStorage."""
        return TypedStorage(wrap_storage=UntypedStorage.from_buffer(buffer, byte_order, count, offset, dtype), dtype=dtype)

    def resizable(self):
        """Can resize_ change its size? It always can."""
        return True

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def tolist(self):
        """Its elements as a list."""
        need_content(self.device)
        return self._tensor().tolist()

    def __iter__(self):
        return iter(self.tolist())

    def _place(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a <class 'torch.storage.TypedStorage'> with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index

    def __getitem__(self, index):
        need_content(self.device)
        return self._tensor()[self._place(index)].item()

    def __setitem__(self, index, value):
        self._tensor()[index if isinstance(index, slice) else self._place(index)] = value

    def fill_(self, value):
        """Sets all elements."""
        self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        """Takes the elements of another."""
        self._tensor().copy_(source._tensor(), non_blocking=bool(non_blocking))
        return self

    def clone(self):
        """A copy."""
        return self._with(self._tensor().clone())

    def cpu(self):
        """Itself on the CPU, or a copy there."""
        return self if self.device.type == "cpu" else self._with(self._tensor().cpu())

    def cuda(self, device=None, non_blocking=False):
        """A copy on a CUDA device."""
        return self._with(self._tensor().cuda(device, non_blocking))

    def resize_(self, size):
        """Other memory of so many elements, which begins with these."""
        old, new = self._tensor(), _karat.functions["empty"]((size,), dtype=self.dtype, device=self.device)
        kept = min(size, len(self))
        new[:kept].copy_(old[:kept])
        self._untyped_storage = UntypedStorage(new)

    def is_shared(self):
        """Is it seen by other processes?"""
        return self._tensor().is_shared()

    def share_memory_(self):
        """Moves its memory to where processes that are forked from this one see each other's writes."""
        self._untyped_storage.share_memory_()
        return self

    def pin_memory(self, device="cuda"):
        """A copy in pinned memory; itself where it is there."""
        pinned = self._untyped_storage.pin_memory(device)
        return self if pinned is self._untyped_storage else TypedStorage(wrap_storage=pinned, dtype=self.dtype, _internal=True)

    def get_device(self):
        """The index of its device; -1 on the CPU."""
        return self._untyped_storage.get_device()

    def is_pinned(self, device="cuda"):
        """Is its memory pinned?"""
        return self._tensor().is_pinned()

    def pickle_storage_type(self):
        """The old name of its class: "FloatStorage"."""
        return _NAMES[self.dtype]

    def type(self, dtype=None, non_blocking=False):
        """The whole old name of its class, or converted to another."""
        if dtype is None:
            return f"torch.{'cuda.' if self.is_cuda else ''}{_NAMES[self.dtype]}"
        kind = NAMES[dtype.rpartition(".")[2]] if isinstance(dtype, str) else dtype
        return self._with(self._tensor().to(kind.dtype))

    def __reduce__(self):
        from io import BytesIO

        from .serialization import save
        from .storage import _load_from_bytes

        file = BytesIO()
        save(self, file, _use_new_zipfile_serialization=False)
        return _load_from_bytes, (file.getvalue(),)

    def __repr__(self):
        lines = "..." if self.device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        return f"{lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


def _cast(name, dtype):
    def method(self):
        return self._with(self._tensor().to(dtype))

    def of_bytes(self):
        return getattr(TypedStorage(wrap_storage=self, dtype=dtypes["uint8"], _internal=True), name)()

    for kind, function in ((TypedStorage, method), (UntypedStorage, of_bytes)):
        function.__name__, function.__qualname__, function.__doc__ = name, f"{kind.__name__}.{name}", f"A copy in {dtype}."
        setattr(kind, name, function)


for _name, _dtype in {"double": "float64", "float": "float32", "half": "float16", "bfloat16": "bfloat16", "byte": "uint8",
                      "char": "int8", "short": "int16", "int": "int32", "long": "int64", "bool": "bool",
                      "complex_float": "complex64", "complex_double": "complex128", "float8_e5m2": "float8_e5m2",
                      "float8_e4m3fn": "float8_e4m3fn", "float8_e5m2fnuz": "float8_e5m2fnuz",
                      "float8_e4m3fnuz": "float8_e4m3fnuz"}.items():
    _cast(_name, dtypes[_dtype])


class storagetype(type):
    """The type of FloatStorage: calling it makes a TypedStorage of its dtype."""

    def __call__(cls, *args, **keywords):
        return TypedStorage(*args, dtype=cls.dtype, **keywords)

    def __instancecheck__(cls, obj):
        return isinstance(obj, TypedStorage) and obj.dtype is cls.dtype and obj.device.type == "cpu"

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"

    def from_file(cls, filename, shared=False, size=0):
        """`size` elements whose memory is the file."""
        memory = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=memory, dtype=cls.dtype)

    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, dtype=None):
        """A copy of elements of a buffer, as of UntypedStorage."""
        if dtype is not None:
            raise RuntimeError("from_buffer: 'dtype' can only be specified in UntypedStorage.from_buffer and "
                               "TypedStorage.from_buffer")
        return TypedStorage.from_buffer(buffer, byte_order, count, offset, cls.dtype)


NAMES = {name: storagetype(name, (), {"dtype": dtype, "__module__": "torch", "__doc__": f"Storages of {dtype}, as of old."})
         for dtype, name in _NAMES.items()}


def named(name):
    """Called by unpickling: torch.FloatStorage."""
    return NAMES[name]


copyreg.pickle(storagetype, lambda kind: _missing.by_name_in_torch(kind) or (named, (kind.__name__,)))


def storage(self):
    """Deprecated: the tensor's memory as a TypedStorage; untyped_storage() gives its bytes."""
    _warn()
    return TypedStorage(wrap_storage=UntypedStorage(self), dtype=self.dtype, _internal=True)


def storage_type(self):
    """The old class of its storage."""
    return NAMES[_NAMES[self.dtype]]


def _contiguous(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def _taken(self, placed):
    """What set_ ends with: the tensor is what was placed, which counts as a write."""
    if self.is_inference() and not _karat.is_inference_mode_enabled():
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get "
                           "a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
                           "details.")
    self.data = placed
    _karat.increment_version(self)
    return self


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """The tensor becomes one in the memory of a storage or of another tensor, with these sizes; without a source empty."""
    dtype = self.dtype
    if self.requires_grad and _karat.is_grad_enabled():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation." if self.is_leaf else
                           "derivative for set_ is not implemented")
    if source is None:
        return _taken(self, _karat.functions["empty"]((0,), dtype=dtype, device=self.device))
    if not isinstance(source, (Tensor, TypedStorage, UntypedStorage)):
        raise TypeError(f"set_() received an invalid combination of arguments - got ({type(source).__name__}), but expected a "
                        "torch.Storage or a Tensor")
    if isinstance(source, Tensor) and source.dtype is not dtype:
        names = [_karat.torch_name(one).lower() for one in (source.dtype, dtype)]
        raise RuntimeError("Could not set tensor of type {} to a tensor of type {}".format(
            *({"long": "long int", "byte": "unsigned char", "char": "signed char", "half": "c10::Half",
               "bfloat16": "c10::BFloat16", "short": "short int", "complexhalf": "c10::complex<c10::Half>",
               "complexfloat": "c10::complex<float>", "complexdouble": "c10::complex<double>"}.get(name, name)
              for name in names)))
    if isinstance(source, TypedStorage) and source.dtype is not dtype:
        raise RuntimeError(f"Expected a Storage of type {str(dtype)[len('torch.'):]} or an UntypedStorage, but got type "
                           f"{_NAMES[source.dtype][:-len('Storage')]} for argument 1 'storage'")
    if isinstance(source, Tensor):
        offset, size, stride = (source.storage_offset(), source.shape, source.stride()) if size is None else (
            storage_offset, size, stride)
        memory = _elements(source.detach().untyped_storage(), dtype)
    else:
        memory = _elements(source if isinstance(source, UntypedStorage) else source._untyped_storage, dtype)
        offset, size = storage_offset, memory.shape if size is None else size
    return _taken(self, _placed(memory, dtype, size, _contiguous(size) if stride is None else stride, offset))


def from_file(filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of `size` elements whose memory is the file. shared: writes go to it, and it is made or grows where needed."""
    dtype = _karat.get_default_dtype() if dtype is None else dtype
    where = _karat.device("cpu" if device is None else device)
    if where.type != "cpu":
        raise NotImplementedError(f"torch.from_file: a file's memory is the CPU's, not that of {where}")
    memory = UntypedStorage.from_file(filename, bool(shared), size * dtype.itemsize)
    made = _placed(_elements(memory, dtype), dtype, (size,), (1,), 0)
    return made.requires_grad_(requires_grad)


Tensor.storage, Tensor.storage_type, Tensor.set_ = asked(storage), asked(storage_type), asked(set_)
