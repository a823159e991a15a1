"""infer_schema.py - the schema of a function, from its annotations."""

import collections.abc
import inspect
import typing

from .. import _karat

_Tensor, _dtype, _device = _karat.Tensor, _karat.dtype, _karat.device
_Number = int | float | bool


def _parameter_types():
    """{annotation: type in a schema}"""
    found = {}

    def add(base, text, optional=True, listed=True, optional_list=True, holes=False):
        found[base] = text
        if optional:
            found[typing.Optional[base]] = f"{text}?"
        lists = (typing.Sequence, typing.List, collections.abc.Sequence, list) if listed else ()
        for each in lists:
            found[each[base]] = f"{text}[]"
        for each in lists:
            if optional_list:
                found[typing.Optional[each[base]]] = f"{text}[]?"
            if holes:
                found[each[typing.Optional[base]]] = f"{text}?[]"

    add(_Tensor, "Tensor", optional_list=False, holes=True)
    add(int, "SymInt")
    add(float, "float")
    add(bool, "bool")
    add(str, "str", listed=False)
    add(_Number, "Scalar", optional_list=False)
    add(_dtype, "ScalarType", listed=False)
    add(_device, "Device", listed=False)
    return found


_PARAMETERS = _parameter_types()
_RETURNS = {_Tensor: "Tensor", typing.List[_Tensor]: "Tensor[]", list[_Tensor]: "Tensor[]", int: "SymInt", float: "float",
            bool: "bool",
            _Number: "Scalar"}


def _default(value):
    """A default as a schema writes it; None: it cannot."""
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, _dtype):
        return str(value).rpartition(".")[2]
    return f'"{value}"' if isinstance(value, _device) else None


def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    """The schema that follows from a function's annotations: infer_schema(f, mutates_args=()) is "(Tensor x) -> Tensor".

    `mutates_args` names the tensors that it writes to; "unknown": it may write to any.
    """
    signature = inspect.signature(prototype_function)

    def refuse(what):
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    def meant(annotation):
        """The type that an annotation means, where it is a text."""
        if isinstance(annotation, str):
            try:
                return eval(annotation, getattr(prototype_function, "__globals__", {}), vars(typing).copy())
            except Exception:
                refuse(f"Unsupported type annotation {annotation}. It is not a type.")
        for each in typing.get_args(annotation):
            if isinstance(each, str):
                refuse(f"Unsupported type annotation {each}. It is not a type.")
        return annotation

    if not (mutates_args == "unknown" or not isinstance(mutates_args, str)):
        raise ValueError("mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
                         "'unknown'. ")
    words, seen = [], set()
    for place, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        if parameter.annotation is inspect.Parameter.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        annotation = meant(parameter.annotation)
        try:
            text = _PARAMETERS.get(annotation)
        except TypeError:
            text = None
        if text is None:
            tuples = typing.get_origin(annotation) is tuple
            inside = ", ".join(getattr(one, "__name__", str(one)) for one in dict.fromkeys(typing.get_args(annotation)))
            workaround = (" We do not support Tuple inputs in schema. As a workaround, please try to use List instead. For "
                          "example, "
                          f"list[{inside}].\n\n") if tuples else " "
            refuse(f"Parameter {name} has unsupported type {annotation}.{workaround}The valid types are: {_PARAMETERS.keys()}.")
        if mutates_args == "unknown" or name in mutates_args:
            if text.startswith("Tensor"):
                text = f"Tensor(a{place}!){text[len('Tensor'):]}"
            elif mutates_args != "unknown":
                refuse(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
        seen.add(name)
        if parameter.default is inspect.Parameter.empty:
            words.append(f"{text} {name}")
            continue
        default = _default(parameter.default)
        if default is None:
            refuse(f"Parameter {name} has an unsupported default value type {type(parameter.default)}. Please file an issue on "
                   f"GitHub so we can prioritize this.")
        words.append(f"{text} {name}={default}")
    if mutates_args != "unknown" and set(mutates_args) - seen:
        refuse(f"{set(mutates_args) - seen} in mutates_args were not found in the custom op's signature. mutates_args should "
               f"contain the names of all args that the custom op mutates, or just the string 'unknown' if you don't know.")
    if signature.return_annotation is inspect.Signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    return f"{op_name or ''}({', '.join(words)}) -> {_returned(meant(signature.return_annotation), refuse)}"


def _returned(annotation, refuse):
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is tuple:
        return f"({', '.join(_returned(one, refuse) for one in typing.get_args(annotation))})"
    text = _RETURNS.get(annotation)
    if text is None:
        refuse(f"Return has unsupported type {annotation}. The valid types are: {_RETURNS}.")
    return text
