"""torch.utils.data: datasets, samplers and loaders in PyTorch's order."""

import collections
import random
import typing
import warnings

import pytest

import karat
from karat.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_convert,
    get_worker_info,
    random_split,
)

POINTS = TensorDataset(karat.arange(20.0).reshape(10, 2), karat.arange(10))


class Counting(IterableDataset):
    def __iter__(self):
        return iter(range(5))


@pytest.mark.not_on_a_gpu("PyTorch draws on the default device, which a generator of the CPU is refused on")
def test_shuffled_batches_have_pytorchs_order():
    karat.manual_seed(0)
    order = [labels.tolist() for _, labels in DataLoader(POINTS, batch_size=4, shuffle=True)]
    assert order == [[6, 7, 1, 4], [2, 0, 9, 8], [3, 5]]
    assert [len(batch) for batch in order] == [4, 4, 2]
    generator = karat.Generator().manual_seed(5)
    again = [[labels.tolist() for _, labels in DataLoader(POINTS, 5, shuffle=True, generator=generator.manual_seed(5))]
             for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.not_on_a_gpu("PyTorch draws on the default device, which a generator of the CPU is refused on")
def test_samplers():
    assert list(BatchSampler(SequentialSampler(range(5)), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(BatchSampler(SequentialSampler(range(5)), 2, True)) == [[0, 1], [2, 3]]
    assert sorted(RandomSampler(range(7))) == list(range(7))
    assert len(list(RandomSampler(range(3), replacement=True, num_samples=70))) == 70
    assert len(list(RandomSampler(range(3), num_samples=7))) == 7
    assert sorted(SubsetRandomSampler([5, 6, 7])) == [5, 6, 7]
    assert set(WeightedRandomSampler([0.0, 1.0], 20)) == {1}


@pytest.mark.not_on_a_gpu("PyTorch draws on the default device, which a generator of the CPU is refused on")
def test_the_parts_of_several_processes():
    def parts(n, **options):
        return [list(DistributedSampler(range(n), 3, rank, **options)) for rank in range(3)]

    assert parts(10, shuffle=False) == [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]]
    assert parts(10, shuffle=False, drop_last=True) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert parts(2, shuffle=False) == [[0], [1], [0]]
    assert parts(10, seed=5) == [[1, 6, 0, 7], [4, 3, 2, 1], [9, 5, 8, 4]]  # PyTorch's numbers
    sampler = DistributedSampler(range(10), 3, 1, seed=5)
    sampler.set_epoch(3)
    assert list(sampler) == [5, 2, 7, 3] and len(sampler) == 4 and sampler.total_size == 12
    with pytest.raises(ValueError, match=r"Invalid rank 3, rank should be in the interval \[0, 2\]"):
        DistributedSampler(range(10), 3, 3)
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedSampler(range(10))


@pytest.mark.not_on_a_gpu("PyTorch draws on the default device, which a generator of the CPU is refused on")
def test_splits_cover_everything_once():
    for lengths in ([7, 3], [0.5, 0.3, 0.2]):
        parts = random_split(POINTS, lengths, generator=karat.Generator().manual_seed(1))
        assert sorted(i for part in parts for i in part.indices) == list(range(10))


def test_collation_keeps_the_form_of_items():
    Pair = collections.namedtuple("Pair", "a b")
    items = [{"t": karat.ones(2) * i, "f": float(i), "i": i, "s": str(i), "p": Pair(i, [i, 2.0]), "u": (i, i)} for i in range(3)]
    first, second = DataLoader(items, batch_size=2)
    assert first["t"].shape == (2, 2) and second["t"].shape == (1, 2)
    assert first["f"].dtype is karat.float64 and first["i"].dtype is karat.int64 and first["s"] == ["0", "1"]
    assert isinstance(first["p"], Pair) and first["p"].b[1].tolist() == [2.0, 2.0] and isinstance(first["u"], list)
    assert default_convert([1, "a"]) == [1, "a"]


def test_iterable_datasets():
    assert [batch.tolist() for batch in DataLoader(Counting(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [batch.tolist() for batch in DataLoader(Counting(), batch_size=2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(DataLoader(Counting(), batch_size=None)) == [0, 1, 2, 3, 4]
    assert list(Counting() + Counting()) == [0, 1, 2, 3, 4] * 2


def test_datasets_of_datasets():
    both = POINTS + POINTS
    assert isinstance(both, ConcatDataset) and len(both) == 20 and both[15][1].item() == 5 and both[-1][1].item() == 9
    stacked = StackDataset(x=[1, 2], y=[3, 4])
    assert stacked[1] == {"x": 2, "y": 4} and len(stacked) == 2
    assert len(DataLoader(POINTS, 3)) == 4 and len(DataLoader(POINTS, 3, drop_last=True)) == 3


@pytest.mark.parametrize("call, error, text", [
    (lambda: DataLoader(POINTS, shuffle=True, sampler=[1]), ValueError, "sampler option is mutually exclusive with shuffle"),
    (lambda: DataLoader(Counting(), shuffle=True), ValueError, "expected unspecified shuffle option, but got shuffle=True"),
    (lambda: DataLoader(POINTS, batch_size=0), ValueError, "batch_size should be a positive integer value, but got batch_size=0"),
    (lambda: DataLoader(POINTS, num_workers=-1), ValueError, "num_workers option should be non-negative"),
    (lambda: DataLoader(POINTS, batch_sampler=[[1]], batch_size=2), ValueError, "batch_sampler option is mutually exclusive"),
    (lambda: DataLoader(POINTS, batch_size=None, drop_last=True), ValueError, "batch_size=None option disables auto-batching"),
    (lambda: random_split(range(7), [3, 4.0]), TypeError, "randperm"),
    (lambda: random_split(POINTS, [1, 2]), ValueError, "Sum of input lengths does not equal the length of the input dataset!"),
    (lambda: TensorDataset(karat.ones(2), karat.ones(3)), AssertionError, "Size mismatch between tensors"),
    (lambda: next(iter(DataLoader([[1], [1, 2]], batch_size=2))), RuntimeError, "should be of equal size"),
    (lambda: next(iter(DataLoader([object()]))), TypeError, "default_collate: batch must contain tensors"),
    (lambda: (POINTS + POINTS)[-50], ValueError, "absolute value of index should not exceed dataset length"),
    (lambda: Dataset()[0], NotImplementedError, "Subclasses of Dataset should implement __getitem__."),
    (lambda: setattr(DataLoader(POINTS), "batch_size", 3), ValueError, "batch_size attribute should not be set after"),
])
def test_bad_use(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_workers_are_done_without():
    karat.utils.data.dataloader._warned = False
    with pytest.warns(UserWarning, match="num_workers=2 is accepted, but items are loaded in this process"):
        assert len(list(DataLoader(POINTS, num_workers=2))) == 10


def test_what_loaders_samplers_and_datasets_refuse():
    for call, error, text in (
            (lambda: RandomSampler([1], replacement=3), TypeError, "replacement should be a boolean value, but got"),
            (lambda: BatchSampler([1], 2, 3), ValueError, "drop_last should be a boolean value, but got drop_last=3"),
            (lambda: WeightedRandomSampler([1.0], 2, 3), ValueError, "replacement should be a boolean value"),
            (lambda: DataLoader([1], multiprocessing_context="spawn"), ValueError, "multiprocessing_context can only be used"),
            (lambda: IterableDataset(), TypeError, "Can't instantiate abstract class IterableDataset")):
        with pytest.raises(error, match=text):
            call()


@pytest.mark.not_on_a_gpu("the default generator is the CPU's, which a default device of another kind refuses, as in PyTorch")
def test_shares_of_a_dataset():
    """Lengths as PyTorch 2.11's: of each fraction the whole part, and one more for the first ones."""
    for n, fractions, want in ((10, [0.3, 0.3, 0.4], [3, 3, 4]), (7, [1 / 3] * 3, [3, 2, 2]), (7, [0.1] * 10, [1] * 7 + [0] * 3),
                               (10, [1.0], [10])):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            parts = random_split(range(n), fractions)
        assert [len(part) for part in parts] == want and sorted(i for part in parts for i in part.indices) == list(range(n))
        assert [str(w.message) for w in said] == [f"Length of split at index {i} is 0. This might result in an empty dataset."
                                                  for i, length in enumerate(want) if not length]
    with pytest.raises(ValueError, match="^Fraction at index 0 is not between 0 and 1$"):
        random_split(range(10), [1.2, -0.2])
    with pytest.raises(ValueError, match="^Sum of input lengths does not equal the length of the input dataset!$"):
        random_split(range(10), [0.5, 0.4])


# ---- workers: what PyTorch's processes draw and see of themselves ----

class Drawing(karat.utils.data.Dataset):
    """Items of random numbers and of who draws them."""

    def __len__(self):
        return 5

    def __getitem__(self, i):
        info = get_worker_info()
        return i, info.id, info.num_workers, karat.initial_seed() - info.seed, karat.rand(()).item(), random.random()


def as_they_are(items):
    return items


@pytest.mark.cpu_only("the seeds are those of the CPU's generator")
def test_workers_draw_numbers_of_their_own():
    """PyTorch seeds worker i with the loader's seed + i, and its generators follow each other from batch to batch."""
    karat.manual_seed(3)
    random.seed(3)
    outside = random.random()
    random.seed(3)
    passed = iter(DataLoader(Drawing(), batch_size=2, num_workers=2, collate_fn=as_they_are))
    base = passed._base_seed
    state, items = karat.get_rng_state(), [item for batch in passed for item in batch]
    assert karat.equal(state, karat.get_rng_state()) and random.random() == outside and get_worker_info() is None
    assert [item[:4] for item in items] == [(i, i // 2 % 2, 2, 0) for i in range(5)]
    for worker in range(2):
        karat.manual_seed(base + worker)
        random.seed(base + worker)
        assert [item[4:] for item in items if item[1] == worker] == [(karat.rand(()).item(), random.random())
                                                                   for item in items if item[1] == worker]


@pytest.mark.cpu_only("the seeds are those of the CPU's generator")
def test_numpy_of_workers():
    """What NumPy 2 draws first in each of two workers with PyTorch, whose loader has this seed."""
    np = pytest.importorskip("numpy")

    class OfNumPy(Drawing):
        def __getitem__(self, i):
            return np.random.rand()

    karat.manual_seed(3)
    np.random.seed(4)
    passed = iter(DataLoader(OfNumPy(), num_workers=2, batch_size=2, collate_fn=as_they_are))
    assert passed._base_seed == 937055941807507096
    assert [one for batch in passed for one in batch] == pytest.approx(
        [0.8794862824005928, 0.35186014682096967, 0.13554665930590137, 0.5719063383148877, 0.992908341615101])
    assert np.random.rand() == np.random.RandomState(4).rand()


class Shares(karat.utils.data.IterableDataset):
    """Numbers below 7, from `first` on: worker i of n takes those n + i apart, from its number on."""

    first = 0

    def __iter__(self):
        info = get_worker_info()
        return iter(range(self.first + info.id, 7, info.num_workers + info.id))


@pytest.mark.parametrize("batch, drop, wanted", [
    (None, False, [0, 1, 2, 3, 5, 6]), (1, False, [[0], [1], [2], [3], [5], [6]]), (1, True, [[0], [1], [2], [3], [5], [6]]),
    (2, False, [[0, 3], [1, 5], [2], [6]]), (2, True, [[0, 3], [1, 5]])])
def test_workers_share_an_iterable_dataset(batch, drop, wanted):
    passed = DataLoader(Shares(), batch_size=batch, num_workers=3, drop_last=drop, collate_fn=as_they_are)
    assert list(passed) == wanted == list(passed)


def test_workers_have_datasets_of_their_own():
    """worker_init_fn changes one worker's dataset, as programs that divide the work do there."""
    def begin(number):
        info = get_worker_info()
        assert info.id == number and info.dataset is not shares
        info.dataset.first = 4 * number

    shares = Shares()
    passed = DataLoader(shares, batch_size=None, num_workers=2, worker_init_fn=begin)
    assert list(passed) == [0, 5, 2, 4, 6] and shares.first == 0 and get_worker_info() is None


def test_workers_without_items():
    """Workers that take no items ahead would end a pass before its first one: such loaders are refused, as in PyTorch."""
    with pytest.raises(ValueError, match="prefetch_factor option should be non-negative"):
        DataLoader([1, 2], num_workers=1, prefetch_factor=-1)
    with pytest.raises(TypeError, match="'<' not supported between instances of 'str' and 'int'"):
        DataLoader([1, 2], num_workers=1, prefetch_factor="2")
    loader = DataLoader([1, 2], num_workers=1, prefetch_factor=0)
    with pytest.raises(AssertionError, match="prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"):
        iter(loader)


@pytest.mark.cpu_only("the seeds are those of the CPU's generator")
def test_workers_that_stay():
    """Another pass of persistent workers: no new seed is drawn, and their random numbers go on."""
    loader = DataLoader(Drawing(), batch_size=5, num_workers=2, persistent_workers=True, collate_fn=as_they_are)
    assert loader.prefetch_factor == 2
    karat.manual_seed(1)
    first, passed = [item[4] for batch in loader for item in batch], iter(loader)
    karat.manual_seed(1)
    assert passed is iter(loader) and karat.rand(()).item() == pytest.approx(0.7576315999031067)
    second = [item[4] for batch in passed for item in batch]
    karat.manual_seed(passed._base_seed)
    assert first + second != second + first and karat.rand(10)[:5].tolist() == pytest.approx(first)


def test_indices_are_taken_ahead_of_items():
    """As many for each worker as PyTorch takes; an item that fails leaves the rest."""
    taken = []

    class Told(Drawing):
        def __getitem__(self, i):
            if i == 1:
                raise ValueError("a bad item")
            return i

    def told():
        for i in range(5):
            taken.append(i)
            yield i

    passed = iter(DataLoader(Told(), sampler=told(), num_workers=2, prefetch_factor=1, batch_size=None))
    assert taken == [0, 1] and next(passed) == 0 and taken == [0, 1, 2]
    with pytest.raises(ValueError, match="a bad item"):
        next(passed)
    assert list(passed) == [2, 3, 4]


def test_generic_classes():
    kind = typing.TypeVar("kind")

    class Rows(Dataset[kind], typing.Generic[kind]):
        pass

    class Order(karat.utils.data.Sampler[int]):
        pass

    class Names(Dataset[str]):
        pass

    assert Rows[int].__origin__ is Rows and Rows.__parameters__ == (kind,) and isinstance(Rows[int](), Rows)
    assert issubclass(Order, karat.utils.data.Sampler) and Names.__orig_bases__ == (Dataset[str],)
    for one in (Dataset, IterableDataset, DataLoader, karat.utils.data.Sampler, karat.utils.data.ConcatDataset):
        assert one[int].__origin__ is one
    with pytest.raises(TypeError, match="is not a generic class"):
        TensorDataset[int]


def test_a_subset_whose_items_loaders_would_pass_by_is_refused():
    class Doubled(karat.utils.data.Subset):
        def __getitem__(self, place):
            return 2 * super().__getitem__(place)

    class Whole(Doubled):
        def __getitems__(self, places):
            return [self[place] for place in places]

    with pytest.raises(NotImplementedError, match="Doubled overrides __getitem__ but not __getitems__"):
        Doubled([1, 2, 3], [0, 1])
    assert list(DataLoader(Whole([1, 2, 3], [0, 2]), batch_size=None)) == [2, 6]


def test_how_workers_start_is_checked():
    with pytest.raises(ValueError, match="should specify a valid start method in"):
        DataLoader([1], num_workers=1, multiprocessing_context="bad")
    with pytest.raises(TypeError, match="should be a valid context object"):
        DataLoader([1], num_workers=1, multiprocessing_context=5)


def test_more_items_than_an_iterable_dataset_said():
    class Counted(karat.utils.data.IterableDataset):
        def __len__(self):
            return 2

        def __iter__(self):
            return iter(range(3))

    loader = DataLoader(Counted(), batch_size=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(loader)  # nobody has asked for the length
    assert len(loader) == 2
    passing = iter(loader)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert next(passing) == 0 and next(passing) == 1
    with pytest.warns(UserWarning, match="was reported to be 2.*but 3 samples have been fetched"):
        next(passing)


def test_workers_that_are_shut_down_end_the_pass():
    loader = DataLoader(list(range(8)), 2, num_workers=2, persistent_workers=True)
    iterator = iter(loader)
    assert next(iterator).tolist() == [0, 1]
    iterator._shutdown_workers()
    with pytest.raises(StopIteration):
        next(iterator)
    assert sum(len(batch) for batch in loader) == 8
