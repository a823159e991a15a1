"""Parameters and buffers: tensors that a module notes when they are assigned to it."""

from collections import OrderedDict

from .. import _C
from .._C import Tensor
from .._utils import _rebuild_parameter, _rebuild_parameter_with_state
from ..copying import set_state

__all__ = ["Parameter", "UninitializedParameter", "is_lazy", "Buffer", "UninitializedBuffer", "UninitializedTensorMixin"]


class _ParameterMeta(type(Tensor)):
    """A tensor of another subclass is a Parameter if it was made one (Parameter(x) of a subclass keeps the class)."""

    def __instancecheck__(cls, instance):
        if type(instance) is cls:
            return True
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a parameter: a module lists it when it is assigned as an attribute. Requires a gradient by default."""

    def __new__(cls, data=None, requires_grad=True):
        from .. import empty

        if data is None:
            return Tensor._make_subclass(cls, empty(0), requires_grad)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        result = data.detach().requires_grad_(requires_grad)
        if type(result) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
                "instance of "
                f"the same type, but return type {type(result).__name__} was found instead. To use the type as a Parameter, "
                "please "
                "correct the detach() semantics defined by its __torch_dispatch__() implementation.")
        result._is_param = True
        return result

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        from .. import preserve_format

        result = type(self)(self.data.clone(memory_format=preserve_format), self.requires_grad)
        memo[id(self)] = result
        return set_state(result, {name: pinned for name, pinned in self.__dict__.items() if name == "_pinned_dtype"})

    def __repr__(self):
        return "Parameter containing:\n" + (self._plain_repr() if type(self) is Parameter else f"Parameter({super().__repr__()})")

    def __reduce_ex__(self, proto):
        given = self.data, self.requires_grad, OrderedDict()
        return (_rebuild_parameter_with_state, (*given, self.__dict__)) if self.__dict__ else (_rebuild_parameter, given)

    __torch_function__ = _C._disabled_torch_function_impl


class _BufferMeta(type(Tensor)):
    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module lists among its buffers when it is assigned. persistent=False: not in the state dict."""

    def __new__(cls, data=None, *, persistent=True):
        from .. import empty

        if data is None:
            data = empty(0)
        result = data.detach().requires_grad_(data.requires_grad)
        result.persistent = persistent
        result._is_buffer = True
        return result

    __torch_function__ = _C._disabled_torch_function_impl


class UninitializedTensorMixin:
    """A tensor without a shape yet: a lazy module gives it one (materialize) at its first call."""

    # What does not need the shape. Module's conversions and copies use these.
    _allowed = frozenset("""__hash__ size copy_ is_complex is_floating_point half float double char short int long cuda cpu to
        get_device _has_compatible_shallow_copy_type bfloat16 type is_shared requires_grad_ materialize register_hook
        _plain_repr retain_grad""".split())

    def materialize(self, shape, device=None, dtype=None):
        """Gives the tensor its shape; its values are whatever memory holds."""
        from .. import empty

        data = self.data
        self.data = empty(shape, device=data.device if device is None else device, dtype=data.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        raise RuntimeError("Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
                           "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
                           "`forward` "
                           "to initialize the parameters before accessing their attributes.")

    def share_memory_(self):
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the "
                           "parameters "
                           "before calling `module.share_memory()`.")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, proto):
        return type(self), (self.requires_grad, self.device, self.dtype)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__", "__delete__") or name in cls._allowed:
            return super().__torch_function__(func, types, args, kwargs or {})
        raise ValueError(f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
                         "`LazyModule` "
                         f"or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using LazyModules Call "
                         "`forward` with a dummy batch to initialize the parameters before calling torch functions")


def is_lazy(param):
    """Is it a parameter or buffer without a shape yet?"""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter of a lazy module before its first call."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        from .. import empty

        return Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        memo[id(self)] = result
        return result


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer of a lazy module before its first call."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        from .. import empty

        result = Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)
        result.persistent = persistent
        result._is_buffer = True
        return result
