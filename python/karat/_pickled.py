"""_pickled.py - the pickle in a file of torch.save: objects under PyTorch's names, and storages apart.

In: an object. Out: its pickle, and the storages that it names by a persistent id. And back, for weights_only=False: Python's
unpickler with the same names. Independent of: where the bytes of storages lie.
"""

import copyreg
import io
import pickle
import sys
import types
from collections import OrderedDict

from . import _karat, _tensor, _utils
from ._karat import Size, Tensor, device, dtype
from ._missing import HOMES
from .legacy import tensortype
from .nn.parameter import Buffer
from .storage import UntypedStorage
from .typed_storage import NAMES as STORAGE_TYPES
from .typed_storage import TypedStorage, storagetype

MAGIC_NUMBER = 0x1950a86a20f9469cfc6c  # old files begin with it, and with their version
PROTOCOL_VERSION = 1001
_TYPES = {one.dtype: one for one in STORAGE_TYPES.values()}
RESULTS = frozenset(_karat.return_types.values())
LAYOUTS = {str(one): one for one in map(vars(_karat).get, """strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc
    jagged""".split())}


def _get_layout(name):
    """Called by unpickling: torch.strided."""
    return LAYOUTS[name]


_NAMES = {  # those that do not follow from the object's own module and name
    _get_layout: ("torch.serialization", "_get_layout"),
    Tensor: ("torch", "Tensor"), Size: ("torch", "Size"), device: ("torch", "device"),
}


def torch_name(obj, name=None):
    """(module, name) under which PyTorch finds one of this package's objects; None: it is not one."""
    if isinstance(obj, dtype):
        return "torch", str(obj).rpartition(".")[2]
    if isinstance(obj, storagetype):
        return "torch", _TYPES[obj.dtype].__name__
    if isinstance(obj, tensortype) or isinstance(obj, type) and obj in RESULTS:
        return obj.__module__, obj.__name__
    if isinstance(obj, (type, types.FunctionType, types.BuiltinFunctionType)) and obj in _NAMES:
        return _NAMES[obj]
    module = getattr(obj, "__module__", None) or ""
    if module == "karat" or module.startswith("karat."):
        path = module[len("karat."):]
        home = HOMES.get(path) if HOMES.get(path) is not None else path
        return "torch." + home if home else "torch", name or obj.__qualname__
    return None


def _state(t):
    """The attributes of a tensor, as __setstate__ takes them."""
    if getattr(type(t), "__getstate__", None) is not getattr(object, "__getstate__", None):
        return t.__getstate__()
    slots = {name: getattr(t, name) for name in copyreg._slotnames(type(t)) if hasattr(t, name)}
    return (t.__dict__, slots) if slots else t.__dict__


def _as_in_c(error, obj, name):
    """What the C pickler says of a global that cannot be named: PyTorch has that one."""
    name = name or getattr(obj, "__qualname__", None) or obj.__name__
    if "<locals>" in name.split("."):
        return AttributeError(f"Can't pickle local object {name!r}")
    if "it's not found as" not in str(error):
        return error
    module = pickle.whichmodule(obj, name)
    if module not in sys.modules:
        return pickle.PicklingError(f"Can't pickle {obj!r}: import of module {module!r} failed")
    return pickle.PicklingError(f"Can't pickle {obj!r}: attribute lookup {name} on {module} failed")


_TEXTS = {  # of errors: what Python's pickler says, and C's
    "must return string or tuple": "__reduce__ must return a string or tuple",
    "must have two to six elements": "tuple returned by __reduce__ must contain 2 through 6 elements",
    "func from save_reduce() must be callable": "first item of the tuple returned by __reduce__ must be callable",
    "args from save_reduce() must be a tuple": "second item of the tuple returned by __reduce__ must be a tuple",
}


class Pickler(pickle._Pickler):
    """The Python pickler: the C one cannot write other names of globals. `storages`: those that the pickle names, in order."""

    def __init__(self, file, protocol, saved_id):
        super().__init__(file, protocol)
        self.saved_id, self.storages, self.keys = saved_id, [], {}

    def dump(self, obj):
        try:
            super().dump(obj)
        except pickle.PicklingError as error:
            text = next((ours for theirs, ours in _TEXTS.items() if str(error).endswith(theirs)), None)
            if text is None:
                raise
            raise pickle.PicklingError(text) from None

    def save_global(self, obj, name=None):
        named = torch_name(obj, name)
        if named is None:
            try:
                super().save_global(obj, name)
            except pickle.PicklingError as error:
                raise _as_in_c(error, obj, name) from None
            return
        parent, _, last = named[1].rpartition(".")
        if parent:  # a method: before protocol 4 a name has no dots
            self.save_reduce(getattr, (_here(named[0], parent), last), obj=obj)
            return
        self.write(pickle.GLOBAL + f"{named[0]}\n{named[1]}\n".encode())
        self.memoize(obj)

    def save_type(self, obj):
        if torch_name(obj):
            self.save_global(obj)
        else:
            pickle._Pickler.save_type(self, obj)

    dispatch = {**pickle._Pickler.dispatch, types.FunctionType: save_global, type: save_type}

    def reducer_override(self, obj):
        if isinstance(obj, (dtype, storagetype, tensortype)):
            return torch_name(obj)[1]
        if isinstance(obj, Size):
            return Size, (tuple(obj),)
        if isinstance(obj, device):
            return device, (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, _karat.layout):
            return _get_layout, (str(obj),)
        if type(obj) in RESULTS:
            return type(obj), (tuple(obj), {})
        return NotImplemented

    def persistent_id(self, obj):
        if not isinstance(obj, (TypedStorage, UntypedStorage)):
            return None
        typed = isinstance(obj, TypedStorage)
        storage = obj._untyped_storage if typed else obj
        cls = _TYPES[obj.dtype] if typed else UntypedStorage
        key, first = self.keys.setdefault(storage._cdata, (len(self.storages), cls))
        if key == len(self.storages):
            self.storages.append(storage)
        elif first is not cls and storage.nbytes():  # readers of such a file see one dtype for both
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        return self.saved_id(cls, key, storage, len(obj))


def reduced(t):
    """What a pickle has for a tensor: a function of PyTorch's and its arguments."""
    build, arguments = _reduced_data(t)
    state = _state(t)
    if type(t) not in (Tensor, Buffer) or state:
        return _tensor._rebuild_from_type_v2, (build, Tensor if type(t) is Buffer else type(t), arguments, state)
    return build, arguments


def _reduced_data(t):
    """A function and its arguments that make the tensor, without attributes."""
    if t.is_meta:
        return _utils._rebuild_meta_tensor_no_storage, (t.dtype, tuple(t.shape), t.stride(), t.requires_grad)
    plain, metadata = t.detach(), {}
    if plain.is_conj():
        plain, metadata["conj"] = _karat.functions["conj"](plain), True
    if plain.is_neg():
        plain, metadata["neg"] = _karat.functions["_neg_view"](plain), True
    storage = plain.untyped_storage()
    more = (metadata,) if metadata else ()
    if t.dtype in _TYPES:
        storage = TypedStorage(wrap_storage=storage, dtype=t.dtype, _internal=True)
        build = _utils._rebuild_tensor_v2
    else:
        build, more = _utils._rebuild_tensor_v3, (t.dtype, *more)
    return build, (storage, plain.storage_offset(), tuple(plain.shape), plain.stride(), t.requires_grad, OrderedDict(), *more)


def pickled(obj, protocol, saved_id):
    """The pickle of an object, and its storages. saved_id(class, key, storage, length) is what the pickle has for a storage."""
    text = io.BytesIO()
    pickler = Pickler(text, protocol, saved_id)
    pickler.dump(obj)
    return text.getvalue(), pickler.storages


def _here(module, name):
    """torch's object of that name as this package has it."""
    import importlib

    from ._weights import NAMES

    if name.startswith("torch."):  # a pickler finds what knows no module of its own in any module, by the way to it
        module, name = "torch", name[len("torch."):]
    if f"{module}.{name}" in NAMES:
        return NAMES[f"{module}.{name}"]
    found = importlib.import_module("karat" + module[len("torch"):])
    for part in name.split("."):
        found = getattr(found, part)
    return found


def in_words(saved_id):
    """The id of a storage whose texts are of Python 2, and were read as bytes (encoding="bytes"), as one of texts."""
    return tuple(one.decode("latin1") if type(one) is bytes else one for one in saved_id)


def unpickler(base):
    """A class derived from an Unpickler, which finds torch's names here and asks `storage` for storages."""

    class Unpickler(base):
        def __init__(self, file, storage, **options):
            super().__init__(file, **options)
            self.storage = storage

        def find_class(self, module, name):
            if module == "torch" or module.startswith("torch."):
                return _here(module, name)
            return super().find_class(module, name)

        def persistent_load(self, saved_id):
            saved_id = in_words(saved_id) if type(saved_id) is tuple else saved_id
            if type(saved_id) is tuple and len(saved_id) > 1 and saved_id[0] == "module":
                return saved_id[1]  # the class of a module, with its source, of before PyTorch 1.6
            if type(saved_id) is not tuple or not saved_id or saved_id[0] != "storage":
                raise pickle.UnpicklingError(f"Unknown typename for persistent_load, expected 'storage' but got {saved_id!r}")
            return self.storage(saved_id)

    return Unpickler
