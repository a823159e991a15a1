"""torch.utils.data: datasets, samplers, DataLoader."""

from ... import _missing
from .dataloader import DataLoader, default_collate, default_convert, get_worker_info  # noqa: F401
from .dataset import (  # noqa: F401
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler  # noqa: F401
from .sampler import (  # noqa: F401
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)



def functional_datapipe(name, enable_df_api_tracing=False):
    """A decorator that changes nothing: data pipes are of old, and have no method of that name."""
    return lambda kind: kind


__getattr__ = _missing.of(__name__)
