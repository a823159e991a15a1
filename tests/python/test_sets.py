"""Tensors as collections of values, as a PyTorch user writes it."""

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
