"""A loop over every operator of the table: called well, called badly, called as a method; reference counts and the engine's
live bytes are afterwards what they were. Arguments are made from the row's own schema."""

import gc
import re
import sys
import warnings

import karat
from on_device import synchronize
import pytest

BOX = (3, 3)
FAMILIES = {"": karat._karat.functions, "nn_": karat._karat.nn_functions, "linalg_": karat._karat.linalg_functions,
            "special_": karat._karat.special_functions, "fft_": karat._karat.fft_functions}


def arguments(schema):
    """(type without "?", has a default) of each positional argument."""
    inside = re.match(r"[^(]*\((.*)\) -> ", schema).group(1)
    found = []
    for part in re.split(r",\s*(?![^\[]*\](?!\s))", inside) if inside else []:
        if part.strip() == "*":
            break
        kind, _, rest = part.strip().partition(" ")
        found.append((re.sub(r"\(\w!\)", "", kind).rstrip("?"), "=" in rest))  # "Tensor(a!)" is written
    return found


def samples(dtype):
    """A value for each type of the schemas."""
    x = karat.ones(BOX).to(dtype)
    return {
        "Tensor": x, "Tensor|Scalar": x, "Tensor[]": [x, x], "Tensor?[]": [None, karat.tensor([0])],
        "Scalar": 1, "Scalar[]": [1, 2], "int": 1, "SymInt": 1, "SymInt[]": [1], "SymInt[1]": 1,
        "int[]": [1], "int[1]": 1, "int[2]": 1, "int[3]": 1,
        "float": 0.5, "bool": True,
        "ScalarType": karat.float32, "Device": "cpu", "MemoryFormat": karat.contiguous_format, "str": "ij,jk->ik",
        "Generator": karat.default_generator,
    }


WRONG = {"Tensor": "no tensor", "Tensor|Scalar": object(), "Tensor[]": [1, 2], "Tensor?[]": [1.5], "Scalar": "x",
         "Scalar[]": ["x"],
         "int": 1.5, "SymInt": 1.5, "SymInt[]": ["a"], "SymInt[1]": ["a"],
         "int[]": ["a"], "int[1]": ["a"], "int[2]": ["a"], "int[3]": ["a"], "float": "x", "bool": 3,
         "ScalarType": "float32", "Device": 2.5,
         "MemoryFormat": 1, "str": 1, "Generator": 1}


def calls(function):
    """Argument lists to try: of two dtypes, short, long, and with each argument wrong in turn."""
    for dtype in (karat.float32, karat.int64):
        good = samples(dtype)
        for schema in function.schemas:
            kinds = arguments(schema)
            values = [good[kind] for kind, _ in kinds]
            yield values
            yield [good[kind] for kind, has_default in kinds if not has_default]
            yield values[:-1]
            yield values + [1]
            for i, (kind, _) in enumerate(kinds):
                yield values[:i] + [WRONG[kind]] + values[i + 1:]
            other = karat.ones(2, 5)
            yield [other if kind == "Tensor" and i else values[i] for i, (kind, _) in enumerate(kinds)]


def attempt(function):
    done = 0
    for values in calls(function):
        for options in ({}, {"no_such_keyword": 1}, {"out": karat.empty(0)}):
            try:
                function(*values, **options)
                synchronize()
                done += 1
            except Exception as e:
                assert not isinstance(e, SystemError), (function, values, e)
    return done


SHARED = (karat.float32, karat.int64, karat.Tensor, karat.Size, karat.default_generator, karat.contiguous_format)


def state():
    gc.collect()
    return karat.memory_stats()["live_bytes"], [sys.getrefcount(o) for o in SHARED]


@pytest.fixture(autouse=True)
def nothing_older_is_collected():
    gc.freeze()  # each collection looks at what the test made, not at all of pytest
    yield
    gc.unfreeze()


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_lost(family):
    karat.manual_seed(1)
    lost = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        succeeded = 0
        for name, function in sorted(FAMILIES[family].items()):
            attempt(function)  # what is made once is made now
            before = state()
            succeeded += attempt(function) > 0
            after = state()
            if before != after:
                lost.append((name, before, after))
    assert not lost
    if len(FAMILIES[family]) > 20:
        assert succeeded > len(FAMILIES[family]) // 2  # most rows were truly run


def test_methods_lose_nothing():
    methods = {name: value for name, value in vars(karat.Tensor).items() if hasattr(value, "schemas")}
    lost = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, method in sorted(methods.items()):
            attempt(method)
            before = state()
            attempt(method)
            if state() != before:
                lost.append(name)
    assert not lost


def test_gradients_lose_nothing():
    lost = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function in sorted(karat._karat.functions.items()):
            if name.endswith("_"):
                continue
            counts = []
            for _ in range(3):
                x = karat.ones(BOX, requires_grad=True)
                for schema in function.schemas:
                    good = {**samples(karat.float32), "Tensor": x, "Tensor|Scalar": x, "Tensor[]": [x, x]}
                    try:
                        made = function(*[good[kind] for kind, has_default in arguments(schema) if not has_default])
                        made = made if isinstance(made, tuple) else (made,)
                        sum(part.abs().sum() for part in made if part.requires_grad).backward()
                        synchronize()
                    except Exception as e:
                        assert not isinstance(e, SystemError), (name, e)
                good = made = None
                x = None
                counts.append(state())
            if counts[1] != counts[2]:
                lost.append((name, counts))
    assert not lost
