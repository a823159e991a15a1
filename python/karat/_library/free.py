"""free.py - operators of torch.library whose schema no row of the operator table holds: lists beside other results, dicts, Any,
complex numbers, more arguments than a row has.

In: a schema that PyTorch reads, and kernels by their places. Out: what OpOverload calls. Such an operator is a composite: what
its kernel calls is recorded, batched and explained; nothing is asked about dtypes at its own edge."""

import re

from .. import _karat
from .._ops import FunctionSchema, free
from .composed import Composed
from .syntax import Parts

_Tensor = _karat.Tensor
_NUMBERS = {"int": int, "SymInt": int, "float": (int, float), "complex": (int, float, complex), "Scalar": (int, float, complex)}
_MADE = {"float": float, "complex": complex}


class _Unfit(Exception):
    """A value is not of a type."""


def _split(text):
    """"str, Dict(int, Tensor)" at the commas that no bracket encloses."""
    parts, depth = [""], 0
    for one in text:
        depth += (one in "([") - (one in ")]")
        if one == "," and not depth:
            parts.append("")
        else:
            parts[-1] += one
    return [one.strip() for one in parts]


def _list_of(element, length, value):
    if isinstance(value, (list, tuple)):
        return [_fit(element, one) for one in value]
    if not length:  # int[2]: one number may stand for the list
        raise _Unfit
    return [_fit(element, value)] * int(length)


def _fit(said, value):
    """The value as one of the type that a schema says. _Unfit: it is none."""
    if said.endswith("?"):
        return None if value is None else _fit(said[:-1], value)
    if said.endswith("]"):
        element, _, length = said[:-1].rpartition("[")
        return _list_of(element, length, value)
    base = re.match(r"\w*", said)[0]
    fits = True
    if base == "Dict":
        fits = isinstance(value, dict)
        key, item = _split(said[5:-1])
        value = {_fit(key, k): _fit(item, one) for k, one in value.items()} if fits else None
    elif not base:  # (Tensor, int)
        kinds = _split(said[1:-1])
        fits = isinstance(value, (tuple, list)) and len(value) == len(kinds)
        value = tuple(map(_fit, kinds, value)) if fits else None
    elif base == "Tensor":
        fits = isinstance(value, _Tensor)
    elif base in ("bool", "str"):
        fits = isinstance(value, {"bool": bool, "str": str}[base])
    elif base in _NUMBERS:
        fits = isinstance(value, _NUMBERS[base]) and (base == "Scalar" or not isinstance(value, bool))
        value = _MADE.get(base, lambda one: one)(value) if fits else None
    if not fits:
        raise _Unfit
    return value


def _tensors(values):
    """The tensors among these, in lists and dicts too."""
    for one in values:
        if isinstance(one, _Tensor):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from _tensors(one)
        elif isinstance(one, dict):
            yield from _tensors(one.values())


def _is_default(one, value):
    return one.has_default_value() and type(value) is type(one.default_value) and value == one.default_value


class Free(Composed):
    """What OpOverload calls: the kernel for the device of the first tensor."""

    def __init__(self, qualname, said):
        super().__init__(said, self._run)
        self.qualname = qualname
        self.kernels = {}  # (device or None, does it stand above?): (function, is it given all arguments?)

    @staticmethod
    def parse(text, space):
        """The schema."""
        found = Parts(text)
        name, _, overload = found.name.partition(".")
        return FunctionSchema(name if "::" in name else f"{space}::{name}", overload, found.arguments, found.returns)

    def take(self, one, value):
        """An argument as the schema's type."""
        try:
            return _fit(one.said, value)
        except _Unfit:
            raise TypeError from None

    def _kernel(self, values):
        device = next((one.device.type for one in _tensors(values)), None)
        places = [(None, True)] if not _karat.is_below() else []
        for place in [*places, (device, False), (None, False)]:
            if place in self.kernels:
                return self.kernels[place]
        backend = (device or "cpu").upper()
        there = ", ".join(sorted(one.upper() for one, _ in self.kernels if one))
        raise NotImplementedError(
            f"Could not run '{self.qualname}' with arguments from the '{backend}' backend. This could be because the operator "
            f"doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build). "
            f"If you are a Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible "
            f"resolutions. '{self.qualname}' is only available for these backends: [{there}].")

    def _run(self, *values):
        function, whole = self._kernel(values)
        wanted = self.face._schema.arguments
        pairs = [pair for pair in zip(wanted, values) if not pair[0].kwarg_only]
        named = {one.name: value for one, value in zip(wanted, values)
                 if one.kwarg_only and (whole or not _is_default(one, value))}
        while pairs and not whole and _is_default(*pairs[-1]):  # as in PyTorch, a kernel is not given what is its default
            pairs.pop()
        return self._result(function(*(value for _, value in pairs), **named))

    def _result(self, answer):
        kinds = self.face._schema.returns
        if not kinds:
            if answer is not None:
                raise RuntimeError(f"Expected PythonKernelHolder for {self.qualname} to return None but it returned something "
                                   f"else instead.")
            return None
        answers = (answer,) if len(kinds) == 1 else answer
        if not isinstance(answers, (tuple, list)):
            raise TypeError(f"Object of type '{type(answers).__name__}' is not an instance of 'sequence'")
        if len(answers) != len(kinds):
            raise RuntimeError(f"{self.qualname}: its kernel returned {len(answers)} results where the schema has {len(kinds)}")
        for place, (kind, one) in enumerate(zip(kinds, answers)):
            try:
                answers = (*answers[:place], _fit(kind.said, one), *answers[place + 1:])
            except _Unfit:
                raise RuntimeError(f"Unable to cast {one} to {kind.type}") from None
        return answers[0] if len(kinds) == 1 else answers

    def __call__(self, /, *args, **kwargs):
        found = self.face._by_rule(*args, **kwargs) if self.has_rule else NotImplemented
        return super().__call__(*args, **kwargs) if found is NotImplemented else found


def define(qualname, schema):
    """A new operator of this kind."""
    free[qualname] = Free(qualname, schema)
