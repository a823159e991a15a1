"""asking.py - functions on tensors, sizes and types that are not operators."""

from functools import wraps

from ._karat import Size, Tensor, ask_override, has_override, memory_format


def asked(function, name=None):
    """The function, before which the classes of its tensors are asked for their __torch_function__; `name`: of the method of
    Tensor that it becomes."""

    @wraps(function)
    def asking(*args, **kwargs):
        given = (*args, *kwargs.values())
        if has_override(given):
            from .overrides import handle_torch_function

            return handle_torch_function(asking, given, *args, **kwargs)
        return function(*args, **kwargs)

    asking.__name__ = name or function.__name__
    return asking


def is_tensor(obj):
    """Is it a Tensor?"""
    return isinstance(obj, Tensor)


def broadcast_shapes(*shapes):
    """The size that tensors of these sizes would be broadcast to."""
    for one in shapes:
        if not isinstance(one, (int, tuple, list)):
            raise RuntimeError("Input shapes should be of type ints, a tuple of ints, or a list of ints, got ", one)
    shapes = [(one,) if isinstance(one, int) else one for one in shapes]
    result = [1] * max((len(one) for one in shapes), default=0)
    for at, shape in enumerate(shapes):
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if shape[i] not in (1, result[i]):
                if result[i] != 1:
                    raise RuntimeError(
                        f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching argument at index "
                        f"{at} had {shape}; but expected shape should be broadcastable to {result}"
                    )
                result[i] = shape[i]
    return Size(result)


def typename(obj):
    """The name of a class or function, or else of the object's type; of a tensor, its legacy type."""
    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", None) or ""
    return (module + "." if module not in ("", "builtins", "__builtin__") else "") + named.__qualname__


def _question(name):
    """A method as a function: torch.is_complex(t)."""

    def ask(input):
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return getattr(input, name)()

    ask.__name__ = ask.__qualname__ = name
    ask.__module__ = "karat"
    ask.__doc__ = f"{name}(input): {getattr(Tensor, name).__doc__ or 'of the tensor'}"
    return asked(ask)


QUESTIONS = {
    name: _question(name)
    for name in ("is_complex", "is_conj", "is_floating_point", "is_inference", "is_neg", "is_nonzero", "is_signed", "numel")
}


def _reversed(self):
    """reversed(t): the rows from the last to the first."""
    return self.flip(0) if self.dim() else self


def _divided_into(self, other):
    """other / t"""
    return self.__rtruediv__(other)


@asked
def get_device(input):
    """The index of its device; -1 on the CPU."""
    return input.get_device()


@asked
def is_same_size(input, other):
    """Are the sizes the same?"""
    return input.shape == other.shape


@asked
def is_distributed(input):
    """Always False."""
    return False


def is_storage(obj):
    """Is it a storage object?"""
    from .storage import UntypedStorage
    from .typed_storage import TypedStorage

    return isinstance(obj, (TypedStorage, UntypedStorage))


def _is_ambiguous(t, formats):
    """Is the dim order ambiguous? A dim of size 1, or with the stride of its neighbour, has no definite position; with
    formats given, it is ambiguous unless exactly one of them matches."""
    strides = t.stride()
    free = 1 in t.shape or any(a == b for a, b in zip(strides, strides[1:]))
    return free and (formats is None or sum(t.is_contiguous(memory_format=one) for one in formats) != 1)


def _in_memory(t):
    """Dims from outermost to innermost. A dim of stride 0 keeps its position; of two dims with equal strides the larger is
    the outer one."""
    order = list(range(t.dim()))[::-1]
    for i in range(1, 0 if t.is_contiguous() else len(order)):
        at = i
        for below in range(i - 1, -1, -1):
            a, b = order[at], order[below]
            if t.stride(a) == 0 or t.stride(b) == 0:
                continue
            if (t.stride(a), t.size(a)) >= (t.stride(b), t.size(b)):
                break
            order[at], order[below] = b, a
            at = below
    return tuple(order[::-1])


def _dim_order(self, *, ambiguity_check=False):
    """The dims from the largest stride to the smallest, as they lie in memory; ambiguity_check=True (or formats of which it
    must have one): refused where there are several such orders."""
    formats = ambiguity_check if isinstance(ambiguity_check, list) else None
    if formats is None and not isinstance(ambiguity_check, bool) or any(not isinstance(f, memory_format) for f in formats or ()):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    if ambiguity_check is not False and _is_ambiguous(self, formats):
        raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory formats.")
    alike = len(set(self.stride())) < self.dim() or (0 in self.stride() and self.dim() > 1)
    of_one = formats is not None and sum(self.is_contiguous(memory_format=one) for one in formats) == 1
    if ambiguity_check is not False and alike and not self.is_contiguous() and not of_one:
        raise RuntimeError("The tensor does not have unique dim order.")
    return _in_memory(self)


def _no(name, doc):
    def answer(self):
        return False

    answer.__name__, answer.__qualname__, answer.__doc__, answer.__module__ = name, f"Tensor.{name}", doc, "karat"
    return answer


def module_load(self, other, assign=False):
    """What load_state_dict puts in this tensor's place where it swaps tensors: `other`, or this one with its values. Classes with
    __torch_function__, this one's or that of `other`, may give another."""
    if has_override((self, other)):
        return ask_override(Tensor.module_load, (self, other), (self, other), {"assign": assign})
    return other.detach() if assign else self.copy_(other).detach()


Tensor.name = None  # the user may give one
Tensor.module_load = module_load
Tensor.is_same_size = is_same_size
Tensor.is_distributed = is_distributed
_dim_order.__name__ = "dim_order"
Tensor.dim_order = _dim_order
Tensor.has_names = _no("has_names", "Have its dims names? No.")
Tensor.__reversed__ = asked(_reversed, "__reversed__")
Tensor.__div__, Tensor.__idiv__ = Tensor.__truediv__, Tensor.__itruediv__
Tensor.__rdiv__ = asked(_divided_into, "__rdiv__")
