"""DataLoader: the items of a dataset in batches, in PyTorch's order. All work is done in the process that iterates; workers take
turns there."""

import collections
import itertools
import warnings
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ... import _karat, _missing
from . import _utils  # noqa: F401
from ._utils.collate import default_collate, default_convert
from ._utils.pin_memory import pin_memory
from ._utils.worker import Worker, get_worker_info
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]


_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_collate_fn_t = Callable[[list[_T]], Any]
_worker_init_fn_t = Callable[[int], None]


class _DatasetKind:
    """Items by index, or one after the other."""

    Map, Iterable = 0, 1

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        """What loads the batches of a dataset of this kind: fetch(indices)."""
        return (_OfIterable if kind == _DatasetKind.Iterable else _OfMap)(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler):
    """None for ever: an iterable dataset has no indices."""

    def __iter__(self):
        while True:
            yield None


_warned = False


def _warn_of_workers(n):
    global _warned
    if not _warned:
        warnings.warn(f"DataLoader: num_workers={n} is accepted, but items are loaded in this process (karat has no worker "
                      "processes yet); order, values and random numbers are the same", stacklevel=4)
        _warned = True


_FIXED = frozenset("batch_size batch_sampler sampler drop_last dataset persistent_workers".split())  # once a loader is made


def _check_context(context):
    """How worker processes would be started: a method's name, or a context of multiprocessing."""
    from multiprocessing import get_all_start_methods
    from multiprocessing.context import BaseContext

    methods = get_all_start_methods()
    if isinstance(context, str) and context not in methods:
        raise ValueError(f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                         f"multiprocessing_context={context!r}")
    if not (context is None or isinstance(context, (str, BaseContext))):
        raise TypeError("multiprocessing_context option should be a valid context object or a string specifying the start "
                        f"method, but got multiprocessing_context={context}")


class DataLoader(Generic[_T_co]):
    """Iterates over a dataset in batches."""

    _initialized = False

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None, generator=None,
                 *, prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                             "multiprocessing, otherwise set prefetch_factor to None.")
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if num_workers:
            _check_context(multiprocessing_context)
            _warn_of_workers(num_workers)
            prefetch_factor = 2 if prefetch_factor is None else prefetch_factor
        elif multiprocessing_context is not None:
            raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                             f"num_workers={num_workers}")
        self.dataset, self.num_workers, self.prefetch_factor = dataset, num_workers, prefetch_factor
        self.pin_memory, self.pin_memory_device, self.timeout = pin_memory, pin_memory_device, timeout
        self.worker_init_fn, self.multiprocessing_context, self.in_order = worker_init_fn, multiprocessing_context, in_order
        self.persistent_workers, self._iterator = persistent_workers, None
        self._is_iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if self._is_iterable else _DatasetKind.Map
        self._check_sampling(shuffle, sampler, batch_sampler, batch_size, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            sampler = (_InfiniteConstantSampler() if self._is_iterable else
                       RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset))
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last, self.sampler, self.batch_sampler = batch_size, drop_last, sampler, batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self._IterableDataset_len_called = None  # what len(self) has told; libraries' loaders have it, too
        self._initialized = True

    def check_worker_number_rationality(self):
        """Nothing: PyTorch warns of more processes than processors, and there are none."""

    def _check_sampling(self, shuffle, sampler, batch_sampler, batch_size, drop_last):
        if self._is_iterable:
            given = (("shuffle", shuffle, shuffle not in (None, False)), ("sampler", sampler, sampler is not None),
                     ("batch_sampler", batch_sampler, batch_sampler is not None))
            for name, value, wrong in given:
                if wrong:
                    raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                                     f"{name}={value}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
        if batch_sampler is None and batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")

    def __setattr__(self, name, value):
        if name in _FIXED and self._initialized:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self):
        if not self._is_iterable:
            return len(self._index_sampler)
        n = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else (n + self.batch_size - 1) // self.batch_size

    def __iter__(self):
        if not (self.persistent_workers and self.num_workers):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self):
        return (_MultiProcessingDataLoaderIter if self.num_workers else _SingleProcessDataLoaderIter)(self)


class _OfMap:
    """Loads by index: the items of a batch of indices, or one."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset, self.auto_collation, self.collate_fn, self.drop_last = dataset, auto_collation, collate_fn, drop_last

    def fetch(self, index):
        return self.collate_fn(self._items(index))

    def _items(self, index):
        if not self.auto_collation:
            return self.dataset[index]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(index)
        return [self.dataset[i] for i in index]


class _OfIterable(_OfMap):
    """Loads the next items, as many as there are indices."""

    def __init__(self, *options):
        super().__init__(*options)
        self.dataset_iter, self.ended = iter(self.dataset), False

    def _items(self, index):
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return next(self.dataset_iter)
        data = list(itertools.islice(self.dataset_iter, len(index)))
        self.ended = len(data) < len(index)
        if not data or (self.ended and self.drop_last):
            raise StopIteration
        return data


def _fetcher(dataset, loader):
    return _DatasetKind.create_fetcher(loader._dataset_kind, dataset, loader._auto_collation, loader.collate_fn, loader.drop_last)


class _BaseDataLoaderIter:
    """One pass over a loader."""

    def __init__(self, loader):
        from ... import empty, int64

        self._loader, self._collate_fn = loader, loader.collate_fn
        self._dataset, self._dataset_kind = loader.dataset, loader._dataset_kind
        self._num_workers, self._timeout, self._drop_last = loader.num_workers, loader.timeout, loader.drop_last
        self._index_sampler, self._auto_collation = loader._index_sampler, loader._auto_collation
        self._shared_seed = self._pin_memory_device = None  # of data pipes, and of old
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._reset(loader)
        if loader.timeout and not loader.num_workers:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        # PyTorch draws the seed of workers here, also where there are none: later draws follow it.
        self._base_seed = empty((), dtype=int64).random_(generator=loader.generator).item()
        self._pin_memory = loader.pin_memory and _has_accelerator()
        if loader.pin_memory and not self._pin_memory:
            warnings.warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                          "used.", stacklevel=3)

    def _reset(self, loader, first_iter=False):
        """Another pass, of the same iterator."""
        self._sampler_iter, self._num_yielded = iter(self._index_sampler), 0

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._index_sampler)

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def __next__(self):
        span = _karat.range_begin(f"enumerate(DataLoader)#{type(self).__name__}.__next__")
        try:
            data = self._next_data()
            self._num_yielded += 1
            told = self._IterableDataset_len_called
            if told is not None and self._num_yielded > told:
                self._warn_of_length()
            return data
        finally:
            _karat.range_end(span)

    def _warn_of_length(self):
        """An iterable dataset gives more than its length says, which len(loader) has told."""
        why = ("For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica "
               "at each worker. Please see "
               "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples.")
        why = why if self._num_workers else ""
        warnings.warn(f"Length of IterableDataset {self._dataset} was reported to be {self._IterableDataset_len_called}(when "
                      f"accessing len(dataloader)), but {self._num_yielded} samples have been fetched. {why}", stacklevel=3)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """One pass without workers."""

    def __init__(self, loader):
        super().__init__(loader)
        self._fetcher = _fetcher(loader.dataset, loader)

    def _next_data(self):
        data = self._fetcher.fetch(self._next_index())
        return pin_memory(data) if self._pin_memory else data


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """One pass by workers in turns. Indices are taken ahead of what is loaded, as many for each worker as PyTorch takes, and
    given to one worker after the other: a sampler's random numbers are drawn when they would be, and a worker has the same
    items."""

    def __init__(self, loader):
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        if self._prefetch_factor <= 0:  # nothing would be given, and the pass would end before its first item
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._workers = [Worker(i, loader, self._base_seed, _fetcher) for i in range(self._num_workers)]
        self._give_first()

    def _reset(self, loader, first_iter=False):
        """Another pass of the same workers, which the first pass makes."""
        super()._reset(loader)
        if not hasattr(self, "_workers"):
            return
        for worker in self._workers:
            worker.begin(loader, _fetcher)
        self._give_first()

    def _shutdown_workers(self):
        """Ends the pass; libraries call it where they drop an iterator."""
        for worker in self._workers:
            worker.active = False
        self._given.clear()

    def _give_first(self):
        self._given = collections.deque()  # what is to be loaded next: a worker and an index
        self._turns = itertools.cycle(self._workers)
        for _ in range(self._prefetch_factor * self._num_workers):
            self._give_next()

    def _give_next(self):
        """Gives the next index to the next worker that has items left."""
        if not any(worker.active for worker in self._workers):
            return
        try:
            index = self._next_index()
        except StopIteration:
            return
        self._given.append((next(worker for worker in self._turns if worker.active), index))

    def _next_data(self):
        while self._given:
            worker, index = self._given.popleft()
            if not worker.active:
                continue
            try:
                data = worker.fetch(index)
            except StopIteration:  # of an iterable dataset; one by index ends with its sampler
                if self._dataset_kind != _DatasetKind.Iterable:
                    raise
                worker.active = False
                self._give_next()
                continue
            except BaseException:
                self._give_next()
                raise
            self._give_next()
            return pin_memory(data) if self._pin_memory else data
        raise StopIteration


def _has_accelerator():
    from ... import accelerator

    return accelerator.is_available()


__getattr__ = _missing.of(__name__)
