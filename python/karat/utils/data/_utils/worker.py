"""Parts of PyTorch's worker processes that programs import. There are none: items are loaded in the process that iterates."""

from .... import _missing
from ..dataloader import get_worker_info  # noqa: F401

_worker_info = None


class WorkerInfo:
    """What get_worker_info() gives in a worker process."""


def _generate_state(base_seed, worker_id):
    """Four numbers that a worker's NumPy is seeded with, made by NumPy's SeedSequence of the worker and the base seed."""
    from numpy.random import SeedSequence

    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return SeedSequence(words).generate_state(4).tolist()


__getattr__ = _missing.of(__name__)
