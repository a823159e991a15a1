"""Tensors as collections of values, as a PyTorch user writes it."""

from contextlib import nullcontext

import pytest

import karat as torch


def test_unique_gives_what_was_asked_for():
    x = torch.tensor([[3, 1], [1, 2]])
    assert torch.unique(x).tolist() == [1, 2, 3]
    values, inverse = torch.unique(x, return_inverse=True)
    assert inverse.tolist() == [[2, 0], [0, 1]]
    values, counts = x.unique(True, False, True)
    assert counts.tolist() == [2, 1, 1] and counts.dtype is torch.int64
    assert torch.unique(torch.tensor([[1, 2], [0, 5], [1, 2]]), dim=0).tolist() == [[0, 5], [1, 2]]
    values, inverse, counts = torch.unique_consecutive(torch.tensor([1, 1, 2, 1]), True, True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 1], [0, 0, 1, 2], [2, 1, 1])
    assert torch.unique(torch.tensor(3.0), return_inverse=True)[1].shape == ()


def test_arguments_of_unique():
    with pytest.raises(TypeError, match=r"_unique2\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        torch.unique(1)
    with pytest.raises(TypeError, match=r"unique_dim\(\): argument 'dim' \(position 2\) must be int, not str"):
        torch.unique(torch.ones(2), dim="a")
    with pytest.raises(TypeError, match=r"_unique2\(\): argument 'sorted' must be bool, not int"):
        torch.ones(2).unique(3)
    x = torch.ones(2, requires_grad=True)
    assert type(torch.unique(x, dim=0).grad_fn).__name__ == "UniqueDimBackward0"
    with pytest.raises(NotImplementedError, match="the derivative for 'unique_consecutive' is not implemented."):
        torch.unique_consecutive(x).sum().backward()


def test_isin():
    a = torch.tensor([1, 2, 3, 4])
    assert torch.isin(a, torch.tensor([2.0, 4.0])).tolist() == [False, True, False, True]
    assert torch.isin(a, 2, invert=True).tolist() == [True, False, True, True]
    assert torch.isin(3, a).item() is True
    with pytest.raises(TypeError, match=r"\(Number element, Tensor test_elements, \*, bool assume_unique = False"):
        torch.isin(a, "x")


def test_places():
    row, values = torch.tensor([1.0, 3.0, 5.0]), torch.tensor([[0.0, 3.0], [4.0, 9.0]])
    assert torch.searchsorted(row, values).tolist() == [[0, 1], [2, 3]]
    assert torch.searchsorted(row, values, side="right").tolist() == [[0, 2], [2, 3]]
    assert torch.searchsorted(row, 3, right=True).item() == 2
    assert torch.bucketize(values, row, out_int32=True).dtype is torch.int32
    assert torch.bucketize(3.5, row).item() == 2
    assert torch.searchsorted(row.flip(0), values, sorter=torch.tensor([2, 1, 0])).tolist() == [[0, 1], [2, 3]]
    assert torch.searchsorted(row.to(torch.int64), 3.5).item() == 2  # as floats, not as 3


def test_counts():
    i = torch.tensor([1, 2, 1, 0, 5])
    assert torch.bincount(i).tolist() == [1, 2, 1, 0, 0, 1]
    assert torch.bincount(i, torch.ones(5), minlength=7).dtype is torch.float32
    weights = torch.ones(5, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::bincount is not implemented"):
        i.bincount(weights).sum().backward()
    assert torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3).tolist() == [0, 2, 1, 0]


def test_histogram():
    x = torch.tensor([0.0, 1.0, 1.5, 3.0])
    hist, edges = torch.histogram(x, 3)
    assert hist.tolist() == [1, 2, 1] and edges.tolist() == [0, 1, 2, 3]
    assert x.histogram(2, range=(0.0, 2.0)).hist.tolist() == [1, 2]
    assert torch.histogram(x, torch.tensor([0.0, 2.0, 4.0]), weight=x).hist.tolist() == [2.5, 3]
    with pytest.raises(RuntimeError, match="for a 1-dimensional histogram range should have 2 elements, but got 1"):
        torch.histogram(x, 3, range=(0.0,))


def test_quantiles():
    x = torch.tensor([[1.0, 3.0, 2.0], [4.0, float("nan"), 0.0]])
    assert torch.quantile(x[0], 0.25).item() == 1.5
    assert x.nanquantile(torch.tensor([0.0, 1.0]), 1).tolist() == [[1, 0], [3, 4]]
    assert torch.quantile(x, 0.5, dim=1, keepdim=True, interpolation="lower").shape == (2, 1)
    with pytest.raises(TypeError, match=r'\(Tensor input, float q, int dim = None, bool keepdim = False, \*, str interpolation'):
        torch.quantile(x, "a")


def test_reductions_into_places():
    x, i, y = torch.ones(3), torch.tensor([0, 1, 0]), torch.tensor([2.0, 3.0, 5.0])
    assert torch.scatter_reduce(x, 0, i, y, reduce="sum").tolist() == [8, 4, 1]
    assert x.scatter_reduce(0, i, y, "mean", include_self=False).tolist() == [3.5, 3, 1]
    assert x.clone().scatter_reduce_(0, i, y, "amax").tolist() == [5, 3, 1]
    with pytest.warns(UserWarning, match=r"index_reduce\(\) is in beta") if torch.is_warn_always_enabled() else nullcontext():
        assert torch.index_reduce(x, 0, i, y, "prod").tolist() == [10, 3, 1]
    assert type(x.requires_grad_().scatter_reduce(0, i, y, "prod").grad_fn).__name__ == "ScatterReduceBackward0"


def test_places_and_ranges():
    assert [t.tolist() for t in torch.unravel_index(torch.tensor([0, 5, 11]), (3, 4))] == [[0, 1, 2], [0, 1, 3]]
    assert torch.unravel_index(torch.tensor(5), 12) == (torch.tensor(5),)
    with pytest.raises(TypeError, match="expected 'shape' sequence to only contain ints, but got <class 'float'>"):
        torch.unravel_index(torch.tensor(5), (3.0, 4))
    with pytest.warns(UserWarning, match="torch.range is deprecated and will be removed in a future release"):
        assert torch.range(1, 2, 0.5).tolist() == [1, 1.5, 2]
    assert torch.isreal(torch.tensor([1 + 0j, 1j])).tolist() == [True, False]


def test_distances():
    a, b = torch.tensor([[0.0, 1.0], [2.0, 3.0]]), torch.tensor([[1.0, 1.0]])
    assert torch.cdist(a, b, p=1).tolist() == [[1], [3]]
    assert torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist").shape == (2, 1)
    with pytest.raises(ValueError, match="foo is not a valid value for compute_mode"):
        torch.cdist(a, b, 2, "foo")
    assert torch.renorm(torch.tensor([[3.0, 4.0]]), 2, 0, 5).tolist() == [[3, 4]]
    assert a.renorm(1, 0, 2.5).sum(1).tolist() == pytest.approx([1, 2.5])


def test_a_nan_is_as_frequent_as_it_stands_there_once():
    nan, inf = float("nan"), float("inf")
    for line, value, place in (([1, nan, nan], 1, 0), ([nan, 2, 2], 2, 2), ([5, nan, 1, nan], 1, 2), ([3, nan, 3, nan, 1], 3, 2)):
        for dtype in (torch.float32, torch.float16, torch.float64):
            chosen = torch.mode(torch.tensor(line, dtype=dtype))
            assert (chosen.values.item(), chosen.indices.item()) == (value, place), line
    for line in ([nan, -inf, -1], [nan, nan], [nan] * 60):
        chosen = torch.mode(torch.tensor(line))
        assert chosen.values.isnan().item() and chosen.indices.item() == 0, line
    assert str(torch.mode(torch.tensor([[nan, 2], [1, nan]]), 0).values.tolist()) == "[nan, 2.0]"


@pytest.mark.parametrize("call, text", [
    (lambda: torch.histc(torch.tensor([-7, 3]), min=0.5), "torch.histc: max must be larger than min"),
    (lambda: torch.histc(torch.zeros([0, 3], dtype=torch.int64), min=0.5), "torch.histc: max must be larger than min"),
    (lambda: torch.histc(torch.tensor([True]), max=0), "\"linspace_cpu\" not implemented for 'Bool'"),
    (lambda: torch.histogram(torch.tensor([0]), torch.tensor([0])), "bins must be > 0, but got 0 for dimension 0"),
    (lambda: torch.histogram(torch.tensor([0]), 0), "bins must be > 0, but got 0 for dimension 0"),
    (lambda: torch.histogram(torch.tensor([0]), 3, range=(1.0, 0.0)), "min should not exceed max, but got min 1 max 0"),
    (lambda: torch.histogram(torch.tensor([0]), 3, range=(0.0, 1.0)), "\"histogram_cpu\" not implemented for 'Long'"),
    (lambda: torch.histogram(torch.tensor([0]), 3, weight=torch.tensor([1.0])), "\"histogramdd\" not implemented for 'Long'"),
    (lambda: torch.histogram(torch.zeros(0, dtype=torch.bool)), "\"linspace_cpu\" not implemented for 'Bool'"),
    (lambda: torch.histogram(torch.tensor([1.0]), 3, range=(1.0, 0.0), weight=torch.tensor([1])), "min should not exceed max"),
])
def test_what_histograms_look_at_first(call, text):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.uint8])
def test_the_first_of_a_dim_are_those_of_the_sort(dtype):
    """Of equal elements those that stand first; any dim, dims of one element, views, NaN above all."""
    x = (torch.randn(3, 1, 40, 7) * 4).round().abs().to(dtype)
    if dtype.is_floating_point:
        x[0, 0, 5] = x[1, 0, 11] = float("nan")
    for t in x, x.transpose(2, 3), x[:, :, ::3], x.transpose(0, 3)[1:]:
        for dim in range(-4, 4):
            for k in {0, 1, t.shape[dim] // 2, t.shape[dim]}:
                for largest in True, False:
                    values, places = t.topk(k, dim, largest)
                    order = t.sort(dim=dim, descending=largest, stable=True)
                    assert torch.equal(values.nan_to_num(77), order.values.narrow(dim, 0, k).nan_to_num(77))
                    assert torch.equal(places, order.indices.narrow(dim, 0, k)) and values.is_contiguous()
    assert torch.tensor(3.0).topk(1).values.item() == 3 and torch.zeros(0, 5).topk(2).values.shape == (0, 2)
