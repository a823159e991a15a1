"""Workers of a DataLoader. They take turns in the process that iterates, each with the random numbers, the dataset and the
get_worker_info() that PyTorch's process of that number has."""

import copy
import random
import sys

from .... import _missing


class WorkerInfo:
    """What get_worker_info() gives in a worker."""

    def __init__(self, id, num_workers, seed, dataset):
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset

    def __repr__(self):
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset})"


_worker_info = None


def get_worker_info():
    """Which worker's turn it is; None in the program itself."""
    return _worker_info


def _generate_state(base_seed, worker_id):
    """Four numbers that a worker's NumPy is seeded with, made by NumPy's SeedSequence of the worker and the base seed."""
    from numpy.random import SeedSequence

    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return SeedSequence(words).generate_state(4).tolist()


def _of_numpy():
    """NumPy's random numbers, where NumPy is in use: it imports them when they are asked for."""
    return getattr(sys.modules.get("numpy"), "random", None)


def _numbers_now():
    """The states of the generators that programs draw from: ours, Python's, NumPy's."""
    from ....random import default_generator

    numpy = _of_numpy()
    return default_generator.get_state(), random.getstate(), numpy and numpy.get_state()


def _draw_from(states):
    from ....random import default_generator

    ours, of_python, of_numpy = states
    default_generator.set_state(ours)
    random.setstate(of_python)
    if of_numpy:
        _of_numpy().set_state(of_numpy)


def _copied(dataset):
    """A worker changes attributes of a dataset of its own; what they hold is shared."""
    try:
        return copy.copy(dataset)
    except Exception:  # a class that cannot be copied
        return dataset


class Worker:
    """One of a loader's workers. Its turn is a `with` block: random numbers in it follow those of its last turn."""

    def __init__(self, id, loader, base_seed, fetcher):
        dataset = _copied(loader.dataset)
        self.active = True  # are there items left?
        self._info = WorkerInfo(id, loader.num_workers, base_seed + id, dataset)
        self._numbers, self._outside = None, []
        with self:
            if loader.worker_init_fn is not None:
                loader.worker_init_fn(id)
            self._fetcher = fetcher(dataset, loader)

    def _seed(self, base_seed):
        from ....random import manual_seed

        random.seed(self._info.seed)
        manual_seed(self._info.seed)
        numpy = _of_numpy()
        if numpy:
            numpy.seed(_generate_state(base_seed, self._info.id))

    def begin(self, loader, fetcher):
        """Items from the first on, for another pass of the same workers."""
        self.active = True
        with self:
            self._fetcher = fetcher(self._info.dataset, loader)

    def __enter__(self):
        global _worker_info
        self._outside.append((_worker_info, _numbers_now()))
        if self._numbers is None:
            self._seed(self._info.seed - self._info.id)
        else:
            _draw_from(self._numbers)
        _worker_info = self._info
        return self

    def __exit__(self, *_):
        global _worker_info
        self._numbers = _numbers_now()
        _worker_info, outside = self._outside.pop()
        _draw_from(outside)

    def fetch(self, index):
        with self:
            return self._fetcher.fetch(index)


__getattr__ = _missing.of(__name__)
