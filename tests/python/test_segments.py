"""torch.segment_reduce against a reduction of each piece; ties, elements outside of all segments, refusals."""

import math

import karat as torch
import pytest


def segments(data, reduce, lengths, initial=None, axis=0):
    """Piece by piece; `lengths` is a list, or a list of lists before the axis."""
    if axis:
        return torch.stack([segments(one, reduce, row, initial, axis - 1) for one, row in zip(data, lengths)])
    start = {"sum": 0.0, "mean": math.nan, "max": -math.inf, "min": math.inf, "prod": 1.0}[reduce]
    out = []
    for piece in data.split(lengths):
        first = torch.full_like(data[0], start if initial is None else initial)
        if not len(piece):
            out.append(first)
        elif reduce == "mean":
            out.append((piece.sum(0) + (initial or 0)) / len(piece))
        elif reduce in ("max", "min"):
            best = piece.amax(0) if reduce == "max" else piece.amin(0)
            bounded = best.clamp_min if reduce == "max" else best.clamp_max
            out.append(best if initial is None else bounded(initial))
        else:
            product = piece.prod(0) * (1 if initial is None else initial)
            out.append(piece.sum(0) + (initial or 0) if reduce == "sum" else product)
    return torch.stack(out)


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("initial", [None, 0.5, 2.0])
@pytest.mark.parametrize("sizes,axis,lengths", [((6, 2), 0, [2, 0, 3, 1]), ((5,), 0, [5]), ((2, 4, 3), 1, [[1, 3], [4, 0]]),
                                                ((3, 0), 0, [1, 2])])
def test_segments_are_reduced_piece_by_piece(reduce, initial, sizes, axis, lengths):
    torch.manual_seed(21)
    x = torch.randn(sizes, dtype=torch.float64).requires_grad_()
    counts = torch.tensor(lengths)
    y = torch.segment_reduce(x, reduce, lengths=counts, axis=axis, initial=initial)
    want = segments(x, reduce, lengths, initial, axis)
    assert y.shape == want.shape and torch.allclose(y, want, equal_nan=True)
    g = torch.randn(y.shape, dtype=y.dtype)
    assert torch.allclose(*(torch.autograd.grad(z, x, g)[0] for z in (y, want)))
    ends = torch.cat([torch.zeros_like(counts.narrow(axis, 0, 1)), counts.cumsum(axis)], axis)
    for offsets in ends, ends.int():
        again = torch.segment_reduce(x, reduce, offsets=offsets, axis=axis, initial=initial)
        assert torch.equal(again.nan_to_num(), y.nan_to_num())


def test_ties_of_segments_share_their_gradient():
    x = torch.tensor([[1.0, 5.0], [3.0, 5.0], [3.0, 0.0], [0.0, 7.0], [0.0, 7.0], [2.0, 2.0]], requires_grad=True)
    y = torch.segment_reduce(x, "min", lengths=torch.tensor([2, 0, 3, 1]), initial=2.0)
    assert y.tolist() == [[1, 2], [2, 2], [0, 0], [2, 2]]
    y.backward(torch.arange(1.0, 9.0).view(4, 2))
    assert x.grad.tolist() == [[1, 0], [0, 0], [0, 6], [2.5, 0], [2.5, 0], [7, 8]]  # as PyTorch: initial takes no part in ties


def test_elements_outside_of_all_segments():
    x = torch.arange(12.0).view(4, 3)
    assert torch.segment_reduce(x, "sum", offsets=torch.tensor([1, 2, 3])).tolist() == x[1:3].tolist()
    assert torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 2]), unsafe=True).tolist() == [[0, 1, 2], [9, 11, 13]]
    assert torch.segment_reduce(x.to("meta"), "mean", lengths=torch.tensor([0, 4], device="meta")).shape == (2, 3)
    assert torch.segment_reduce(x, "sum", offsets=torch.tensor([0])).shape == (0, 3)
    assert torch.segment_reduce(torch.tensor([1.0, math.nan, 2.0]), "max", lengths=torch.tensor([2, 1]))[0].isnan()


LONG = torch.int64


@pytest.mark.parametrize("given,error,text", [
    ({"reduce": "other", "lengths": [4]}, RuntimeError, "must be either sum, prod, mean, amax or amin, got other"),
    ({"reduce": "sum"}, RuntimeError, "Either lengths or offsets must be defined"),
    ({"reduce": "sum", "indices": [0]}, RuntimeError, "indices based reduction is not supported yet"),
    ({"reduce": "sum", "lengths": [1, 2]}, RuntimeError, "Expected all rows of lengths along axis to sum to data"),
    ({"reduce": "sum", "lengths": [1, -1, 4]}, RuntimeError, "lengths contains negative value!"),
    ({"reduce": "sum", "lengths": [2**62] * 4 + [4]}, RuntimeError, "Expected all rows of lengths"),
    ({"reduce": "sum", "lengths": [1.0, 3.0]}, NotImplementedError, "not implemented for 'Float'"),
    ({"reduce": "sum", "lengths": [1, 3], "axis": 1}, RuntimeError, "last dimension of lengths but got 1"),
    ({"reduce": "sum", "lengths": [1, 3], "axis": 2}, IndexError, "Dimension out of range"),
    ({"reduce": "sum", "lengths": [[1, 2]], "axis": 1}, RuntimeError, "different sizes before the axis"),
    ({"reduce": "sum", "lengths": []}, RuntimeError, "min\\(\\): Expected reduction dim"),
    ({"reduce": "sum", "offsets": []}, RuntimeError, "at least one element"),
])
def test_segments_that_are_refused(given, error, text):
    x = torch.arange(12.0).view(4, 3)
    made = {name: torch.tensor(value, dtype=LONG if value == [] else None) if isinstance(value, list) else value
            for name, value in given.items()}
    with pytest.raises(error, match=text):
        torch.segment_reduce(x, **made)
    with pytest.raises(NotImplementedError, match="\"_segment_reduce_cpu\" not implemented for 'Long'"):
        torch.segment_reduce(x.long(), "sum", lengths=torch.tensor([4]))


@pytest.mark.parametrize("reduce", ["max", "min"])
def test_nans_of_a_segment_share_its_gradient(reduce):
    x = torch.tensor([1.0, math.nan, 3.0, math.inf, math.nan, math.nan, -math.inf], requires_grad=True)
    y = torch.segment_reduce(x, reduce, lengths=torch.tensor([2, 2, 3]))
    assert y.isnan().tolist() == [True, False, True]
    best = 3 if reduce == "max" else 2
    slopes = torch.autograd.grad(y, x, torch.tensor([2.0, 4.0, 6.0]))[0].tolist()
    assert slopes == [0.0, 2.0] + [4.0 if i == best else 0.0 for i in (2, 3)] + [3.0, 3.0, 0.0]


@pytest.mark.parametrize("reduce", ["max", "min"])
def test_an_initial_nan_is_what_a_segment_gives(reduce):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.segment_reduce(x, reduce, lengths=torch.tensor([2, 0]), initial=math.nan)
    assert y.isnan().all()
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0.0, 0.0]


def test_the_only_nan_of_a_product_has_the_product_of_the_others_as_its_slope():
    nan = float("nan")
    for initial in (None, 2.0):
        data = torch.tensor([nan, 3, 4, nan, nan, 5, 6], requires_grad=True)
        got = torch.segment_reduce(data, "prod", lengths=torch.tensor([3, 2, 2]), initial=initial)
        got.sum().backward()
        first = initial or 1.0
        assert got.isnan().tolist() == [True, True, False] and data.grad[0] == 12 * first
        assert data.grad.isnan().tolist() == [False, True, True, True, True, False, False]
        assert data.grad[5:].tolist() == [6 * first, 5 * first]
