"""Datasets: what has items by index, or gives items one after the other."""

import bisect
import itertools
import math
import operator
import warnings
from typing import Generic, Iterable, TypeVar

__all__ = ["Dataset", "IterableDataset", "TensorDataset", "StackDataset", "ConcatDataset", "ChainDataset", "Subset",
           "random_split"]

_T_co = TypeVar("_T_co", covariant=True)
_T_stack = TypeVar("_T_stack")


class Dataset(Generic[_T_co]):
    """Items by index: a subclass has __getitem__, and usually __len__."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Items one after the other: a subclass has __iter__."""

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Item i is the tuple of the tensors' items i."""

    def __init__(self, *tensors):
        if len({tensor.size(0) for tensor in tensors}) > 1:
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


def _items_of(dataset, indices):
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[i] for i in indices]
    items = dataset.__getitems__(indices)
    if len(items) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
    return items


class StackDataset(Dataset[_T_stack]):
    """Item i is the tuple, or the dict, of several datasets' items i."""

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError("Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but "
                             "both "
                             "types are given.")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        parts = list(args or kwargs.values())
        self._length = len(parts[0])
        if any(self._length != len(part) for part in parts):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index):
        item, parts = operator.itemgetter(index), self.datasets
        return dict(zip(parts, map(item, parts.values()))) if isinstance(parts, dict) else tuple(map(item, parts))

    def __getitems__(self, indices):
        """The items of a list of indices; a dataset that can give several is asked once."""
        if isinstance(self.datasets, dict):
            columns = [_items_of(part, indices) for part in self.datasets.values()]
            return [dict(zip(self.datasets, row)) for row in zip(*columns)]
        return list(zip(*(_items_of(part, indices) for part in self.datasets)))

    def __len__(self):
        return self._length


class ConcatDataset(Dataset[_T_co]):
    """The items of several datasets, one dataset after the other."""

    @staticmethod
    def cumsum(sequence):
        return list(itertools.accumulate(len(one) for one in sequence))

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(one, IterableDataset) for one in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @property
    def cummulative_sizes(self):
        """The old spelling of cumulative_sizes."""
        from warnings import warn

        warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        at = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[at][idx - (self.cumulative_sizes[at - 1] if at else 0)]


class ChainDataset(IterableDataset):
    """The items of several iterable datasets, one dataset after the other."""

    def __init__(self, datasets):
        super().__init__()
        self.datasets = datasets

    def __iter__(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self):
        return sum(len(dataset) for dataset in self.datasets)


class Subset(Dataset[_T_co]):
    """The items of a dataset at some indices."""

    def __init__(self, dataset, indices):
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:  # loaders call the latter
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding __getitem__, "
                "you must also override __getitems__ to ensure DataLoader works correctly with your custom logic. A simple "
                "implementation:\n\ndef __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]")
        self.dataset = dataset
        self.indices = indices

    def _places(self, idx):
        """Where the items of a list of indices are in the dataset."""
        return [self.indices[i] for i in idx]

    def __getitem__(self, idx):
        return self.dataset[self._places(idx) if isinstance(idx, list) else self.indices[idx]]

    def __getitems__(self, indices):
        places, take = self._places(indices), getattr(self.dataset, "__getitems__", None)
        return take(places) if callable(take) else [self.dataset[place] for place in places]

    def __len__(self):
        return len(self.indices)


def _shares(n, fractions):
    """Whole numbers that sum up to n: of each fraction the part below the point, and one more for the first ones."""
    for i, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    least = [math.floor(n * fraction) for fraction in fractions]
    each, first = divmod(n - sum(least), len(least))
    return [one + each + (i < first) for i, one in enumerate(least)]


def random_split(dataset, lengths, generator=None):
    """Subsets of the given lengths, or fractions, drawn at random without overlap."""
    from ... import default_generator, randperm

    n, given = len(dataset), sum(lengths)
    if given <= 1 and math.isclose(given, 1):
        lengths = _shares(n, lengths)
        for i in [i for i, length in enumerate(lengths) if not length]:
            warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2)
    total = sum(lengths)
    if total != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    indices = randperm(total, generator=default_generator if generator is None else generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, indices[end - length:end]) for end, length in zip(ends, lengths)]
