"""legacy.py - legacy types: FloatTensor and others create tensors of one dtype, and isinstance tests for it."""

import copyreg

from . import _karat
from ._karat import Tensor


class tensortype(type):
    """The type of FloatTensor: calling it creates a Tensor, isinstance tests dtype and device."""

    def __call__(cls, *args, **keywords):
        return _karat.legacy(cls.dtype, *args, **keywords)

    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor) and obj.dtype is cls.dtype and obj.device.type == "cpu"

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"


NAMES = {
    name + "Tensor": tensortype(name + "Tensor", (), {"dtype": _karat.dtypes[dtype], "is_cuda": False, "layout": _karat.strided,
                                                  "__module__": "torch", "__doc__": f"Tensors of {dtype}, made as of old."})
    for name, dtype in {
        "Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Byte": "uint8",
        "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Bool": "bool",
    }.items()
}


def named(name):
    """Called by unpickling: torch.FloatTensor."""
    return NAMES[name]


copyreg.pickle(tensortype, lambda kind: (named, (kind.__name__,)))


def type_of(self, dtype=None, non_blocking=False):
    """type(): the name of the tensor's legacy type; type(dtype): the tensor converted to it."""
    if dtype is None:
        place = "" if self.device.type == "cpu" else self.device.type + "."
        return f"torch.{place}{_karat.torch_name(self.dtype)}Tensor"
    if dtype is Tensor or dtype == "torch.Tensor":
        dtype = _karat.get_default_dtype()
    elif isinstance(dtype, str):
        found = NAMES.get(dtype[len("torch."):]) if dtype.startswith("torch.") else None
        if found is None:
            raise _karat.told(ValueError(f"invalid type: '{dtype}'"), "type", self)
        dtype = found.dtype
    elif isinstance(dtype, tensortype):
        dtype = dtype.dtype
    elif isinstance(dtype, type):
        raise _karat.told(ValueError(f"invalid type: '{dtype.__name__}'"), "type", self)
    elif not isinstance(dtype, _karat.dtype):
        raise _karat.told(TypeError("dtype must be a type, str, or dtype object"), "type", self)
    return self.to(dtype, non_blocking=non_blocking)


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
