"""legacy.py - legacy types: FloatTensor and others create tensors of one dtype, and isinstance tests for it."""

import copyreg

from . import _karat, _missing
from ._karat import Tensor
from .asking import asked


class tensortype(type):
    """The type of FloatTensor: calling it creates a Tensor, isinstance tests dtype and device."""

    def __new__(meta, name, bases, attributes):
        for base in bases:
            if isinstance(base, tensortype):
                raise TypeError(f"type '{base.__module__}.{base.__name__}' is not an acceptable base type")
        return super().__new__(meta, name, bases, attributes)

    def __call__(cls, *args, **keywords):
        if not cls.is_cuda:
            return _karat.legacy(cls.dtype, *args, **keywords)
        _karat.warn_once("The torch.cuda.*DtypeTensor constructors are no longer recommended. It's best to use methods such as "
                         "torch.tensor(data, dtype=*, device='cuda') to create tensors.")
        return _karat.legacy(cls.dtype, *args, **keywords).cuda()

    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor) and obj.dtype is cls.dtype and obj.device.type == cls._device

    def __repr__(cls):
        return f"<class '{cls.__module__}.{cls.__name__}'>"


def _types_on(device, module):
    """The legacy types of a device, by their names in its module."""
    return {
        name + "Tensor": tensortype(name + "Tensor", (), {
            "dtype": _karat.dtypes[dtype], "is_cuda": device == "cuda", "_device": device, "layout": _karat.strided,
            "__module__": module, "__doc__": f"Tensors of {dtype}, made as of old."})
        for name, dtype in {
            "Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Byte": "uint8",
            "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Bool": "bool",
        }.items()
    }


def _conversion(name, dtype):
    def convert(input, non_blocking=False):
        return input.to(dtype, non_blocking=non_blocking)

    convert.__name__ = convert.__qualname__ = f"_cast_{name}"
    convert.__module__ = "karat"
    convert.__doc__ = f"_cast_{name}(input): input.to({dtype!r}), as of old."
    return convert


NAMES = _types_on("cpu", "torch")
CONVERSIONS = {f"_cast_{name[:-len('Tensor')]}": _conversion(name[:-len("Tensor")], kind.dtype) for name, kind in NAMES.items()
               if name not in ("BFloat16Tensor", "BoolTensor")}
CUDA_NAMES = _types_on("cuda", "torch.cuda")


def named(name, module="torch"):
    """Called by unpickling: torch.FloatTensor."""
    return (CUDA_NAMES if module == "torch.cuda" else NAMES)[name]


def _called(text):
    """The legacy type of that whole name; None: there is none."""
    module, _, name = text.rpartition(".")
    return {"torch": NAMES, "torch.cuda": CUDA_NAMES}.get(module, {}).get(name)


copyreg.pickle(tensortype, lambda kind: _missing.by_name_in_torch(kind) or (named, (kind.__name__, kind.__module__)))


def type_of(self, dtype=None, non_blocking=False):
    """type(): the name of the tensor's legacy type; type(dtype): the tensor converted to it."""
    if dtype is None:
        place = "" if self.device.type == "cpu" else self.device.type + "."
        return f"torch.{place}{_karat.torch_name(self.dtype)}Tensor"
    if dtype is Tensor or dtype == "torch.Tensor":
        dtype = _karat.get_default_dtype()
    elif isinstance(dtype, (str, tensortype)):
        kind = _called(dtype) if isinstance(dtype, str) else dtype
        if kind is None:
            raise _karat.told(ValueError(f"invalid type: '{dtype}'"), "type", self)
        if kind._device != self.device.type and (kind.is_cuda or self.is_cuda):
            return self.to(kind._device, kind.dtype, non_blocking=non_blocking)
        dtype = kind.dtype
    elif isinstance(dtype, type):
        raise _karat.told(ValueError(f"invalid type: '{dtype.__name__}'"), "type", self)
    elif not isinstance(dtype, _karat.dtype):
        raise _karat.told(TypeError("dtype must be a type, str, or dtype object"), "type", self)
    return self.to(dtype, non_blocking=non_blocking)


def set_default_tensor_type(t):
    """set_default_tensor_type(torch.DoubleTensor): sets the default dtype; torch.cuda.DoubleTensor: the default device too."""
    if isinstance(t, str):
        found = _called(t)
        if found is None:
            raise AttributeError(f"module 'torch' has no attribute '{t.removeprefix('torch.')}'")
        t = found
    if not isinstance(t, tensortype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    if not t.dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _karat.warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
                     "torch.set_default_device() as alternatives.")
    _karat.set_default_dtype(t.dtype)
    if t.is_cuda:
        from . import set_default_device

        set_default_device("cuda")


type_of.__name__ = "type"
Tensor.type = asked(type_of)
