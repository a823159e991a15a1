"""Containers: modules and parameters in sequences and dicts.

Sequential, ModuleList and ParameterList are sequences whose names are positions; ModuleDict and ParameterDict are dicts. What a
list or a dict can do is written once, over the few things in which they differ: where a value stands, and under which name."""

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain, islice

from ..._karat import Tensor
from ...asking import typename
from ..parameter import Parameter
from ._declared import own_methods
from .module import Module, _block

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


class Container(Module):
    """Deprecated: modules given by keyword become children."""

    def __init__(self, **kwargs):
        super().__init__()
        warnings.warn("nn.Container is deprecated. All of it's functionality is now implemented in nn.Module. Subclass that "
                      "instead.",
                      FutureWarning, stacklevel=2)
        for key, value in kwargs.items():
            self.add_module(key, value)


def _iterable(values, function, of="", but=()):
    """The argument of extend or update, which has to have elements."""
    if isinstance(values, Iterable) and not isinstance(values, but):
        return values
    raise TypeError(f"{function} should be called with an iterable{of}, but got {type(values).__name__}")


def _as_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _lines(items, kind):
    """The text of parameters by name; `kind`: what stands for the dtype."""
    for name, value in items:
        if isinstance(value, Tensor):
            size = "x".join(map(str, value.size()))
            place = f" (GPU {value.get_device()})" if value.is_cuda else ""
            what = "Parameter" if isinstance(value, Parameter) else "Tensor"
            yield f"  ({name}): {what} containing: [{kind(value)} of size {size}{place}]"
        else:
            yield f"  ({name}): Object of type: {type(value).__name__}"


# ---- sequences ----

class _Sequence(Module):
    """A container in order. Its names are the positions, as long as nobody gives others."""

    def _get_abs_string_index(self, idx):
        """The name at a position, which may be counted from the end."""
        idx, size = operator.index(idx), len(self)
        if not -size <= idx < size:
            raise IndexError(f"index {idx} is out of range")
        return str(idx % size)

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def __iadd__(self, values):
        return self.extend(values)


class _Modules(_Sequence):
    """A sequence of children."""

    def _renumber(self, modules):
        self._modules = {str(place): module for place, module in enumerate(modules)}

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return self._part(list(self._modules.items())[idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx, module):
        setattr(self, self._get_abs_string_index(idx), module)

    def __delitem__(self, idx):
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._get_abs_string_index(idx)]:
            delattr(self, name)
        self._renumber(self._modules.values())

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def append(self, module):
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Removes and returns the module at a position."""
        module = self[key]
        self.__delitem__(key)
        return module

    def extend(self, modules):
        """Adds modules at the end."""
        for module in list(modules):
            self.append(module)
        return self


@own_methods("append", "extend", "pop")
class Sequential(_Modules):
    """Modules called one after the other."""

    def __init__(self, *args):
        super().__init__()
        by_name = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if by_name else enumerate(args):
            self.add_module(name if by_name else str(name), module)

    def _get_abs_string_index(self, idx):
        place = int(super()._get_abs_string_index(idx))
        return next(islice(self._modules, place, None))  # the names may be any

    def _part(self, items):
        return type(self)(OrderedDict(items))

    @staticmethod
    def _of(other):
        """The modules of a Sequential that is added to another."""
        if isinstance(other, Sequential):
            return list(other)
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def _times(self, factor):
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")
        return list(self) * factor

    def __add__(self, other):
        return Sequential(*self, *self._of(other))

    def __iadd__(self, other):
        return self.extend(self._of(other))

    def __mul__(self, other):
        return Sequential(*self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other):
        return self.extend(self._times(other)[len(self):])

    def forward(self, input):
        for module in self:
            input = module(input)
        return input

    def insert(self, index, module):
        """Adds a module before a position."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        if index == len(self):  # the others keep their names
            return self.append(module)
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self


@own_methods("append", "extend", "pop")
class ModuleList(_Modules):
    """A list of modules."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _part(self, items):
        return type(self)(module for _, module in items)

    def __add__(self, other):
        return type(self)(chain(self, other))

    def __repr__(self):
        """Equal neighbours share a line: (0-2): 3 x Linear(...)."""
        groups = []  # first position, last position, text
        for place, text in enumerate(map(repr, self)):
            if groups and groups[-1][2] == text:
                groups[-1][1] = place
            else:
                groups.append([place, place, text])
        if not groups:
            return self._get_name() + "()"
        lines = [f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
                 for first, last, text in groups]
        return _block(self._get_name(), lines)

    def insert(self, index, module):
        """Adds a module before a position."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def extend(self, modules):
        """Adds modules at the end."""
        return super().extend(_iterable(modules, "ModuleList.extend"))


class ParameterList(_Sequence):
    """A list whose tensors are parameters."""

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(self[place] for place in range(len(self))[idx])
        return getattr(self, self._get_abs_string_index(idx))

    def __setitem__(self, idx, param):
        setattr(self, self._get_abs_string_index(idx), _as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return map(self.__getitem__, range(len(self)))

    def append(self, value):
        """Adds a value at the end."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values):
        """Adds values at the end."""
        for value in _iterable(values, "ParameterList.extend", but=Tensor):
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(_lines(enumerate(self), lambda value: value.dtype))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


# ---- dicts ----

def _pairs(values, kind):
    """(key, value) of a mapping or an iterable of pairs."""
    if isinstance(values, (Mapping, _Dict)):
        return list(values.items())
    pairs = []
    for place, pair in enumerate(values):
        where = f"{kind} update sequence element #{place}"
        if not isinstance(pair, Iterable):
            raise TypeError(f"{where} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{where} has length {len(pair)}; 2 is required")
        pairs.append(tuple(pair))
    return pairs


class _Dict(Module):
    """A container by keys, which `_held` has in their order."""

    def __len__(self):
        return len(self._held)

    def __iter__(self):
        return iter(self._held)

    def __contains__(self, key):
        return key in self._held

    def keys(self):
        return self._held.keys()

    def pop(self, key):
        """Removes and returns the value of a key."""
        value = self[key]
        self.__delitem__(key)
        return value


@own_methods("keys", "pop")
class ModuleDict(_Dict):
    """A dict of modules."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    _held = property(operator.attrgetter("_modules"))

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def clear(self):
        """Removes all modules."""
        self._modules.clear()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        """Adds modules of a mapping, or of (name, module) pairs."""
        for key, module in _pairs(_iterable(modules, "ModuleDict.update", " of key/value pairs"), "ModuleDict"):
            self[key] = module


@own_methods("keys", "pop")
class ParameterDict(_Dict):
    """A dict whose tensors are parameters."""

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    _held = property(operator.attrgetter("_keys"))

    @staticmethod
    def _name(key):
        """The attribute of a key, which is the key."""
        if isinstance(key, str):
            return key
        raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                        f"'{type(key).__name__}'). Open an issue on github if you need non-string keys.")

    def __getitem__(self, key):
        return getattr(self, self._name(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, self._name(key), _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._name(key))

    def __reversed__(self):
        return reversed(list(self._keys))

    def copy(self):
        """A ParameterDict with the same parameters."""
        return ParameterDict(list(self.items()))

    def setdefault(self, key, default=None):
        """The value of a key, which becomes `default` if it is not there."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def clear(self):
        """Removes all values."""
        for key in list(self._keys):
            del self[key]

    def popitem(self):
        """Removes and returns the last (key, value)."""
        last, _ = dict(self._keys).popitem()
        return last, self.pop(last)

    def get(self, key, default=None):
        """The value of a key, or `default`."""
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        """A ParameterDict with the same value for all keys."""
        return ParameterDict((key, default) for key in keys)

    def items(self):
        return zip(self._keys, self.values())

    def values(self):
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Adds the values of a mapping, or of (key, value) pairs."""
        pairs = _pairs(_iterable(parameters, "ParametersDict.update", " of key/value pairs"), "ParameterDict")
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs.sort()
        for key, value in pairs:
            self[key] = value

    def extra_repr(self):
        return "\n".join(_lines(self.items(), typename))

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        return self.copy().__ior__(other)

    def __ror__(self, other):
        result = other.copy()
        result.update(self)
        return result

    def __ior__(self, other):
        self.update(other)
        return self
