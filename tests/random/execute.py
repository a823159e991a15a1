"""execute.py - runs one random program under one module and says what can be seen of it.

In: the module (karat or torch) and a program, a list of statements. Out: for each statement what it raised and what it warned of,
and a picture of every tensor that the program has named. Knows neither how programs are made nor what they are compared with.
"""

import copy
import importlib
import io
import math
import pickle
import re
import warnings

import numpy as np

PAYLOAD = 1 << 20  # bytes of a tensor that are compared
BESIDE = {"copy": copy, "pickle": pickle, "io": io, "math": math, "np": np}  # modules that programs use


def namespace(module):
    """What a program finds when it starts: the module under PyTorch's name, and a list for what hooks report."""
    importlib.import_module(module.__name__ + ".utils.checkpoint")
    return {"torch": module, "F": module.nn.functional, "inf": float("inf"), "nan": float("nan"), "log": [], **BESIDE}


def reset(module):
    """What programs may set for the whole process, as it is at first."""
    module.set_default_dtype(module.float32)
    module.set_printoptions(profile="default", sci_mode=None)
    module.set_grad_enabled(True)


def class_name(error):
    """The class; of what a device has found late, that of the CPU's error."""
    classes = type(error).__mro__
    late = any(c.__name__ == "AcceleratorError" for c in classes)
    return next(c.__name__ for c in classes if not late or c.__module__ == "builtins")


def contents(tensor):
    """The elements' bytes in the order of indices, or why they cannot be read."""
    try:
        dense = tensor.detach().resolve_conj().resolve_neg().reshape(-1)
        plain = dense.new_empty(dense.shape).copy_(dense)  # one element may have any stride
        if plain.numel() == 0:
            return b""
        if getattr(plain, "_is_zerotensor", bool)():  # PyTorch's gradient where it knows that all is 0
            plain = plain.new_zeros(plain.shape)
        module_uint8 = plain.new_zeros(0).byte().dtype
        return plain.view(module_uint8).cpu().numpy().tobytes()[:PAYLOAD]
    except Exception as e:
        return f"{class_name(e)}: {first_line(e)}"


def asked(tensor, question):
    try:
        return question(tensor)
    except Exception as e:
        return f"{class_name(e)}: {first_line(e)}"


def picture(tensor, with_gradient=True):
    node = asked(tensor, lambda t: t.grad_fn)
    seen = {
        "dtype": str(tensor.dtype).split(".")[-1],
        "shape": tuple(tensor.shape),
        "strides": tuple(tensor.stride()),
        "offset": tensor.storage_offset(),
        "conj": tensor.is_conj(),
        "neg": tensor.is_neg(),
        "requires_grad": asked(tensor, lambda t: t.requires_grad),
        "is_leaf": asked(tensor, lambda t: t.is_leaf),
        "retains_grad": asked(tensor, lambda t: t.retains_grad),
        "is_view": tensor._is_view(),
        "is_inference": tensor.is_inference(),
        "grad_fn": node if node is None or isinstance(node, str) else node.name(),
        "version": asked(tensor, lambda t: t._version),
        "values": contents(tensor),
    }
    if with_gradient and (seen["is_leaf"] is True or tensor.retains_grad):
        gradient = asked(tensor, lambda t: t.grad)
        seen["grad"] = gradient if gradient is None or isinstance(gradient, str) else picture(gradient, False)
    return seen


def first_line(error):
    lines = str(error).splitlines()
    return lines[0] if lines else ""


def flat(name, value, tensor_type):
    """(path, tensor) for each tensor in a variable; lists and tuples are gone through."""
    if isinstance(value, tensor_type):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for i, part in enumerate(value):
            yield from flat(f"{name}[{i}]", part, tensor_type)


def plain(value, tensor_type):
    """A value that is no tensor, as data."""
    if isinstance(value, tensor_type):
        return "a tensor"
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(plain(part, tensor_type) for part in value)]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, complex)):
        return repr(value)
    return type(value).__name__


def survey(space, tensor_type):
    """Every tensor that the program has named, which names are one object, which share memory, and all else."""
    pictures, objects, storages, others = {}, {}, {}, {}
    for name in sorted(space):
        if name in ("torch", "F", "inf", "nan") or name in BESIDE or name.startswith("__"):
            continue
        found = list(flat(name, space[name], tensor_type))
        if not (len(found) == 1 and found[0][0] == name):
            others[name] = plain(space[name], tensor_type)
        for path, tensor in found:
            seen = picture(tensor)
            seen["same object as"] = objects.setdefault(id(tensor), path)
            where = asked(tensor, lambda t: t.untyped_storage().data_ptr())
            seen["shares memory with"] = storages.setdefault(where, path) if where and tensor.numel() else None
            seen["base"] = tensor._base
            pictures[path] = seen
    for seen in pictures.values():
        seen["base"] = seen["base"] if seen["base"] is None else objects.get(id(seen["base"]), "a tensor without a name")
    return pictures, others


def wait():
    """Set by who runs programs on a device whose errors come late: waits for it and raises them."""


def run(statement, space):
    """A statement that fails late names nothing, as one that fails at once. One that fails at once may have begun what fails
    late: that error is the earlier one."""
    before = dict(space)
    try:
        exec(statement, space)
    finally:
        try:
            wait()
        except Exception:
            space.clear()
            space.update(before)
            raise


def execute(module, program, each=True, space=None):
    """One record a statement: (error, warnings, survey). each=False looks at the tensors only at the end: a look at a
    tensor may itself bring its history up to date, and a program must be right without it."""
    space = namespace(module) if space is None else space
    reset(module)
    module.manual_seed(0)
    records = []
    for i, statement in enumerate(program):
        error = None
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                run(statement, space)
            except Exception as e:
                error = (class_name(e), first_line(e))
        said = [(w.category.__name__, re.sub(r" \(Triggered internally at .*", "", (str(w.message).splitlines() or [""])[0]))
            for w in heard]
        look = each or i == len(program) - 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            records.append((error, said, survey(space, module.Tensor) if look else None))
    reset(module)
    space.clear()  # a hook written in the program holds all of its names
    return records
