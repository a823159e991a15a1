"""DataLoader: the items of a dataset in batches, in PyTorch's order. All work is done in the process that iterates."""

import itertools
import warnings

from ... import _karat
from ._utils.collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]


class _InfiniteConstantSampler(Sampler):
    """None for ever: an iterable dataset has no indices."""

    def __iter__(self):
        while True:
            yield None


def get_worker_info():
    """None: there are no worker processes."""
    return None


_warned = False


def _warn_of_workers(n):
    global _warned
    if not _warned:
        warnings.warn(f"DataLoader: num_workers={n} is accepted, but items are loaded in this process (karat has no worker "
                      "processes "
                      "yet); order and values are the same", stacklevel=4)
        _warned = True


_FIXED = frozenset("batch_size batch_sampler sampler drop_last dataset persistent_workers".split())  # once a loader is made


class DataLoader:
    """Iterates over a dataset in batches."""

    _initialized = False

    def __class_getitem__(cls, item):
        return cls

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
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if num_workers:
            _warn_of_workers(num_workers)
        elif multiprocessing_context is not None:
            raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                             f"num_workers={num_workers}")
        self.dataset, self.num_workers, self.prefetch_factor = dataset, num_workers, prefetch_factor
        self.pin_memory, self.pin_memory_device, self.timeout = pin_memory, pin_memory_device, timeout
        self.worker_init_fn, self.multiprocessing_context, self.in_order = worker_init_fn, multiprocessing_context, in_order
        self.persistent_workers = persistent_workers
        self._is_iterable = isinstance(dataset, IterableDataset)
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
        self._initialized = True

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
        n = len(self.dataset)
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else (n + self.batch_size - 1) // self.batch_size

    def __iter__(self):
        return _LoaderIter(self)


class _LoaderIter:
    """One pass over a loader."""

    def __init__(self, loader):
        from ... import empty, int64

        self.loader = loader
        self.indices = iter(loader._index_sampler)
        # PyTorch draws the seed of workers here, also where there are none: later draws follow it.
        self._base_seed = empty((), dtype=int64).random_(generator=loader.generator).item()
        self.items = iter(loader.dataset) if loader._is_iterable else None
        self.ended = False
        if loader.pin_memory and not _has_accelerator():
            warnings.warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                          "used.", stacklevel=3)

    def __iter__(self):
        return self

    def __len__(self):
        return len(self.loader._index_sampler)

    def __next__(self):
        span = _karat.range_begin("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
        try:
            return self._next()
        finally:
            _karat.range_end(span)

    def _next(self):
        index, loader = next(self.indices), self.loader
        if self.items is not None:
            data = self._next_of_iterable(index)
        elif not loader._auto_collation:
            data = loader.dataset[index]
        elif callable(getattr(loader.dataset, "__getitems__", None)):
            data = loader.dataset.__getitems__(index)
        else:
            data = [loader.dataset[i] for i in index]
        return _pinned(loader.collate_fn(data)) if loader.pin_memory and _has_accelerator() else loader.collate_fn(data)

    def _next_of_iterable(self, index):
        if self.ended:
            raise StopIteration
        if not self.loader._auto_collation:
            return next(self.items)
        data = list(itertools.islice(self.items, len(index)))
        self.ended = len(data) < len(index)
        if not data or (self.ended and self.loader.drop_last):
            raise StopIteration
        return data


def _has_accelerator():
    from ... import accelerator

    return accelerator.is_available()


def _pinned(data):
    """Tensors of a batch in memory from which a device copies faster."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, dict):
        return type(data)((key, _pinned(value)) for key, value in data.items())
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(_pinned(value) for value in data))
    return type(data)(_pinned(value) for value in data) if isinstance(data, (list, tuple)) else data
