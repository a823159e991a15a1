"""Collation: a list of items becomes one item of batches."""

import collections.abc
import copy
import re

from ...._karat import Tensor

np_str_obj_array_pattern = re.compile(r"[SaUO]")  # in the text of an array's dtype
default_collate_err_msg_format = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def _kind_of_numpy(element):
    """"array", "number" or None: without importing NumPy, since an array's program has done so."""
    if type(element).__module__ != "numpy" or type(element).__name__ in ("str_", "string_", "bytes_"):
        return None
    return "array" if type(element).__name__ in ("ndarray", "memmap") else "number"


def default_convert(data):
    """Arrays become tensors, also inside of containers; other things stay."""
    from .... import as_tensor

    if isinstance(data, Tensor):
        return data
    if _kind_of_numpy(data):
        return data if _kind_of_numpy(data) == "array" and np_str_obj_array_pattern.search(data.dtype.str) else as_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        converted = {key: default_convert(value) for key, value in data.items()}
        return _like(data, converted)
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(value) for value in data))
    if isinstance(data, tuple):
        return [default_convert(value) for value in data]
    if isinstance(data, collections.abc.Sequence) and not isinstance(data, (str, bytes)):
        return _sequence_like(data, [default_convert(value) for value in data])
    return data


def _like(mapping, values):
    """A mapping of the same class with these values; a plain dict where the class cannot be made."""
    try:
        if isinstance(mapping, collections.abc.MutableMapping):
            made = copy.copy(mapping)
            made.update(values)
            return made
        return type(mapping)(values)
    except TypeError:
        return values


def _sequence_like(sequence, values):
    try:
        if isinstance(sequence, collections.abc.MutableSequence):
            made = copy.copy(sequence)
            for i, value in enumerate(values):
                made[i] = value
            return made
        return type(sequence)(values)
    except TypeError:
        return values


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """The tensors, stacked."""
    from .... import stack

    return stack(batch, 0)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """The arrays as tensors, stacked; arrays of texts and objects are refused."""
    from .... import as_tensor

    if np_str_obj_array_pattern.search(batch[0].dtype.str) is not None:
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([as_tensor(one) for one in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """The numbers as one tensor of their dtype."""
    from .... import as_tensor

    return as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Python's floats: float64."""
    from .... import float64, tensor

    return tensor(batch, dtype=float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Python's ints and bools."""
    from .... import tensor

    return tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """The texts as they are."""
    return batch


# What becomes of the items of a type; libraries add theirs. NumPy's are found by their module: it need not be imported.
default_collate_fn_map = {Tensor: collate_tensor_fn, float: collate_float_fn, int: collate_int_fn, str: collate_str_fn,
                          bytes: collate_str_fn}
_OF_NUMPY = {"array": collate_numpy_array_fn, "number": collate_numpy_scalar_fn}


def _function_for(element, functions):
    """The function of a map for an element's type; None: the map has none."""
    found = functions.get(type(element))
    if found is None:
        found = next((function for kind, function in functions.items() if isinstance(element, kind)), None)
    if found is None and Tensor in functions:
        found = _OF_NUMPY.get(_kind_of_numpy(element))
    return found


def collate(batch, *, collate_fn_map=None):
    """A list of items as one item of batches; collate_fn_map: functions for types. Containers keep their form."""
    element = batch[0]
    kind = type(element)
    function = _function_for(element, collate_fn_map) if collate_fn_map else None
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(element, collections.abc.Mapping):
        return _like(element, {key: collate([one[key] for one in batch], collate_fn_map=collate_fn_map) for key in element})
    if isinstance(element, tuple) and hasattr(element, "_fields"):
        return kind(*(collate(values, collate_fn_map=collate_fn_map) for values in zip(*batch)))
    if isinstance(element, collections.abc.Sequence) and not isinstance(element, (str, bytes)):
        if any(len(one) != len(element) for one in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        values = [collate(values, collate_fn_map=collate_fn_map) for values in zip(*batch)]
        return values if isinstance(element, tuple) else _sequence_like(element, values)
    raise TypeError(default_collate_err_msg_format.format(kind))


def default_collate(batch):
    """What DataLoader does with the items of a batch: tensors are stacked, numbers become tensors, containers keep their form."""
    return collate(batch, collate_fn_map=default_collate_fn_map)
