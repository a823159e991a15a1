"""karat.nn.modules._declared: what a layer's class says in a line instead of spelling it out.

In: a layer, and what its class declares. Out: its attributes, its repr, its parameters, its refusals of inputs, and, for a lazy
layer, its sizes from the first input. What is computed is no matter of this file."""

from types import FunctionType

from ... import _karat
from ...modes import no_grad
from .. import init
from ..parameter import Parameter, is_lazy
from .lazy import LazyModuleMixin
from .utils import _ntuple

_empty = _karat.functions["empty"]
_NO_ATTRIBUTES = frozenset(["self", "__class__", "device", "dtype"])  # of what a constructor's locals() are


def keep(layer, arguments, but=()):
    """The arguments of a constructor, its locals(), become attributes of the layer. The factory's device and dtype do not."""
    for name, value in arguments.items():
        if name not in _NO_ATTRIBUTES and name not in but:
            setattr(layer, name, value)


def own_methods(*names):
    """The class that follows has methods that it inherits under its own name, which Python says where an argument is wrong."""

    def named(cls):
        for name in names:
            base = getattr(cls, name)
            made = FunctionType(base.__code__, base.__globals__, name, base.__defaults__, base.__closure__)
            made.__kwdefaults__, made.__annotations__ = base.__kwdefaults__, base.__annotations__
            made.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, made)
        return cls

    return named


def completed(state, **lacking):
    """The state of a pickle, with what one from before some arguments existed has not."""
    return {**state, **{name: value for name, value in lacking.items() if name not in state}}


def per_dim(size, dims):
    """A tuple with a size for each dim: one number stands for all."""
    return (size,) * dims if type(size) is int else _ntuple(dims)(size)


def _differs(value, default):
    if default is None or default is False:
        return value is not default
    return value != ((default,) * len(value) if isinstance(value, tuple) else default)


def shown(*bare, **named):
    """An extra_repr. The attributes `bare` are shown by their value, `named` as name=value: where a function stands, its text of
    the value, if any; where a default stands, unless the value, or each element of a tuple, is that."""

    def extra_repr(self):
        """The arguments as the repr shows them."""
        parts = [str(getattr(self, name)) for name in bare]
        for name, rule in named.items():
            value = getattr(self, name)
            text = rule(value) if callable(rule) else str(value) if _differs(value, rule) else None
            if text is not None:
                parts.append(f"{name}={text}")
        return ", ".join(parts)

    return extra_repr


def false_if_none(value):
    """The text of a parameter that an argument of its name switches off."""
    return "False" if value is None else None


def new_parameter(layer, name, sizes, device, dtype):
    """A parameter without values yet; sizes None: none, under the same name."""
    made = None if sizes is None else Parameter(_empty(sizes, device=device, dtype=dtype))
    layer.register_parameter(name, made)


def reset_to_identity(layer):
    """The first values of a normalisation's parameters: they change nothing."""
    for name, fill in ("weight", init.ones_), ("bias", init.zeros_):
        parameter = getattr(layer, name, None)
        if parameter is not None:
            fill(parameter)


def check_dims(input, *dims):
    """Refuses an input that has another number of dims."""
    if input.dim() not in dims:
        raise ValueError(f"expected {' or '.join(f'{n}D' for n in dims)} input (got {input.dim()}D input)")


class SizedByChannels(LazyModuleMixin):
    """A lazy layer whose first input says one number, the attribute that `_counted` names.

    _count(input) reads it, _sizes_of(name) gives the sizes of the tensor of that name, which follow from it."""

    _counted = None

    def reset_parameters(self):
        if getattr(self, self._counted) != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        unsized = [(name, tensor) for name, tensor in (*self._parameters.items(), *self._buffers.items()) if is_lazy(tensor)]
        if not unsized:
            return
        setattr(self, self._counted, self._count(input))
        with no_grad():
            for name, tensor in unsized:
                tensor.materialize(self._sizes_of(name))
            self.reset_parameters()
