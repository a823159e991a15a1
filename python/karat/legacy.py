"""legacy.py - legacy types: FloatTensor and others create tensors of one dtype, and isinstance tests for it."""

import copyreg

from . import _karat
from ._karat import Tensor


class tensortype(type):
    """The type of FloatTensor: calling it creates a Tensor, isinstance tests dtype and device."""

    def __call__(cls, *args, **keywords):
        if not cls.is_cuda:
            return _karat.legacy(cls.dtype, *args, **keywords)
        if not _karat.device_count("cuda"):
            raise TypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled.")
        _karat.warn_once("The torch.cuda.*DtypeTensor constructors are no longer recommended. It's best to use methods such as "
                         "torch.tensor(data, dtype=*, device='cuda') to create tensors.")
        return _karat.legacy(cls.dtype, *args, **keywords).cuda()

    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor) and obj.dtype is cls.dtype and obj.device.type == ("cuda" if cls.is_cuda else "cpu")

    def __repr__(cls):
        return f"<class '{cls.__module__}.{cls.__name__}'>"


_DTYPES = {"Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Byte": "uint8", "Char": "int8",
           "Short": "int16", "Int": "int32", "Long": "int64", "Bool": "bool"}


def _types(module, is_cuda):
    return {name + "Tensor": tensortype(name + "Tensor", (), {
        "dtype": _karat.dtypes[dtype], "is_cuda": is_cuda, "layout": _karat.strided, "__module__": module,
        "__doc__": f"Tensors of {dtype}, made as of old."}) for name, dtype in _DTYPES.items()}


NAMES = _types("torch", False)
CUDA_NAMES = _types("torch.cuda", True)


def named(name, is_cuda=False):
    """Called by unpickling: torch.FloatTensor."""
    return (CUDA_NAMES if is_cuda else NAMES)[name]


copyreg.pickle(tensortype, lambda kind: (named, (kind.__name__, kind.is_cuda)))


def type_of(self, dtype=None, non_blocking=False):
    """type(): the name of the tensor's legacy type; type(dtype): the tensor converted to it."""
    if dtype is None:
        place = "" if self.device.type == "cpu" else self.device.type + "."
        return f"torch.{place}{_karat.torch_name(self.dtype)}Tensor"
    kind = dtype
    if dtype is Tensor or dtype == "torch.Tensor":
        return self.to(_karat.get_default_dtype(), non_blocking=non_blocking)
    if isinstance(dtype, str):
        name = dtype[len("torch."):] if dtype.startswith("torch.") else ""
        kind = CUDA_NAMES.get(name[len("cuda."):]) if name.startswith("cuda.") else NAMES.get(name)
        if kind is None or (kind.is_cuda and not _karat.device_count("cuda")):
            raise _karat.told(ValueError(f"invalid type: '{dtype}'"), "type", self)
    if isinstance(kind, tensortype):
        place = self.device if kind.is_cuda == self.is_cuda else "cuda" if kind.is_cuda else "cpu"
        return self.to(place, kind.dtype, non_blocking=non_blocking)
    if isinstance(kind, type):
        raise _karat.told(ValueError(f"invalid type: '{kind.__name__}'"), "type", self)
    if not isinstance(kind, _karat.dtype):
        raise _karat.told(TypeError("dtype must be a type, str, or dtype object"), "type", self)
    return self.to(kind, non_blocking=non_blocking)


def set_default_tensor_type(t):
    """set_default_tensor_type(torch.DoubleTensor): sets the default dtype."""
    if isinstance(t, str):
        name = t[len("torch."):]
        if not t.startswith("torch.") or name not in NAMES:
            raise AttributeError(f"module 'torch' has no attribute '{name}'")
        t = NAMES[name]
    if not isinstance(t, tensortype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    if not t.dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _karat.warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
                     "torch.set_default_device() as alternatives.")
    _karat.set_default_dtype(t.dtype)


Tensor.type = type_of
