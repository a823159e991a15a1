"""What a policy judges: conversions of the user's operands and of the result, in every row by one rule, and never what an operator
converts for itself. The samples are those of the conformance suite: every operator that Karat has, of one dtype alone."""

import gzip
import json
import os
import warnings

import karat
import pytest

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance", "opinfo")
ONE = ("float32", "float16", "bfloat16", "complex64")
# their dtypes differ by what they mean: an index, a mask, a count beside values
BESIDE = {"int64", "int32", "bool"}


def tensors(entry):
    """The recorded tensors in an argument."""
    if isinstance(entry, list):
        for part in entry:
            yield from tensors(part)
    elif isinstance(entry, dict):
        if "tensor" in entry:
            yield entry
        else:
            for part in entry.values():
                yield from tensors(part)


def asks_for_a_dtype(entry):
    if isinstance(entry, list):
        return any(map(asks_for_a_dtype, entry))
    return isinstance(entry, dict) and ("dtype_arg" in entry or any(map(asks_for_a_dtype, entry.values())))


def rows():
    with gzip.open(DATA + ".jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            given = {e["dtype"] for e in tensors([row["args"], row["kwargs"]])}
            if row["dtype"] in ONE and given - BESIDE <= {row["dtype"]} and not asks_for_a_dtype([row["args"], row["kwargs"]]):
                yield row


def decoded(entry, blob, grad):
    if isinstance(entry, list):
        return [decoded(part, blob, grad) for part in entry]
    if not isinstance(entry, dict):
        return entry
    if "tensor" in entry:
        offset, n = entry["tensor"]
        dtype = getattr(karat, entry["dtype"])
        flat = karat.frombuffer(bytearray(blob[offset:offset + n]), dtype=karat.uint8) if n else None
        t = flat.view(dtype).reshape(entry["shape"]).clone() if n else karat.zeros(entry["shape"], dtype=dtype)
        return t.requires_grad_() if grad and entry.get("grad") else t
    for word, make in (("float", float), ("complex", lambda e: complex(float(e[0]), float(e[1]))),
                       ("slice", lambda e: slice(*decoded(e, blob, grad))), ("ellipsis", lambda e: ...),
                       ("tuple", lambda e: tuple(decoded(e, blob, grad))), ("list", lambda e: decoded(e, blob, grad)),
                       ("device", karat.device)):
        if word in entry:
            return make(entry[word])
    raise AssertionError(entry)


def function_of(row, args):
    path = row["op"].split(".")
    if path[0] == "Tensor":
        return getattr(args[0], path[1]), args[1:]
    function = karat
    for name in path[1:]:
        function = getattr(function, name)
    return function, args


def of_the_tape(value):
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from of_the_tape(part)
    elif isinstance(value, karat.Tensor) and value.requires_grad:
        yield value


def attempt(row, blob):
    """One sample, forward and backward: the refusal of a policy, or None; and whether it ran."""
    args = decoded(row["args"], blob, True)
    kwargs = {name: decoded(value, blob, True) for name, value in row["kwargs"].items()}
    try:
        function, args = function_of(row, args)
        with karat.policy("strict"):
            for part in of_the_tape(function(*args, **kwargs)):
                part.backward(karat.ones_like(part), retain_graph=True)
    except Exception as e:
        return (str(e).splitlines() or [""])[0] if "policy" in str(e) else None, False
    return None, True
