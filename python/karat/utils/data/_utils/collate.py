"""Collation: a list of items becomes one item of batches."""

import collections.abc
import copy

from ...._karat import Tensor

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
        return data if _kind_of_numpy(data) == "array" and data.dtype.kind in "SUO" else as_tensor(data)
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


def collate(batch, *, collate_fn_map=None):
    """A list of items as one item of batches; collate_fn_map: functions for types, asked first."""
    from .... import as_tensor, float64, stack, tensor

    element = batch[0]
    kind = type(element)
    for of, function in (collate_fn_map or {}).items():
        if kind is of or isinstance(element, of):
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(element, Tensor):
        return stack(batch, 0)
    if _kind_of_numpy(element):
        if _kind_of_numpy(element) == "array":
            if element.dtype.kind in "SUO":
                raise TypeError(default_collate_err_msg_format.format(element.dtype))
            return collate([as_tensor(one) for one in batch], collate_fn_map=collate_fn_map)
        return as_tensor(batch)
    if isinstance(element, float):
        return tensor(batch, dtype=float64)
    if isinstance(element, int):
        return tensor(batch)
    if isinstance(element, (str, bytes)):
        return batch
    if isinstance(element, collections.abc.Mapping):
        return _like(element, {key: collate([one[key] for one in batch], collate_fn_map=collate_fn_map) for key in element})
    if isinstance(element, tuple) and hasattr(element, "_fields"):
        return kind(*(collate(values, collate_fn_map=collate_fn_map) for values in zip(*batch)))
    if isinstance(element, collections.abc.Sequence):
        if any(len(one) != len(element) for one in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        values = [collate(values, collate_fn_map=collate_fn_map) for values in zip(*batch)]
        return values if isinstance(element, tuple) else _sequence_like(element, values)
    raise TypeError(default_collate_err_msg_format.format(kind))


def default_collate(batch):
    """What DataLoader does with the items of a batch: tensors are stacked, numbers become tensors, containers keep their form."""
    return collate(batch)
