"""What carries along a dim, and what is made of it, as a PyTorch user writes it."""

import math

import pytest

import karat as torch
from on_device import cpu_repr


def test_results_are_named():
    r = torch.tensor([1, 3, 2, 3]).cummax(0)
    assert r.values.tolist() == [1, 3, 3, 3] and r.indices.tolist() == [0, 1, 1, 3]
    assert cpu_repr(r).startswith("torch.return_types.cummax(\nvalues=tensor([1, 3, 3, 3]),")
    mantissa, exponent = torch.frexp(torch.tensor([3.0, -0.1]))
    assert mantissa.tolist() == pytest.approx([0.75, -0.8]) and exponent.dtype is torch.int32


def test_dtypes():
    assert torch.tensor([True, True]).cumsum(0).dtype is torch.int64
    assert torch.ones(2, dtype=torch.int8).cumsum_(0).dtype is torch.int8
    assert torch.ones(2, dtype=torch.int8).cumprod(0, dtype=torch.float16).dtype is torch.float16
    assert torch.vander(torch.tensor([1, 2], dtype=torch.int8)).dtype is torch.int64
    assert torch.complex(torch.ones(1), torch.ones(1)).dtype is torch.complex64


def test_keywords_and_overloads():
    y = torch.tensor([0.0, 1.0, 4.0])
    assert torch.cumsum(input=y, dim=-1).tolist() == [0.0, 1.0, 5.0]
    assert torch.trapezoid(y).item() == 3.0
    assert torch.trapezoid(y, dx=2).item() == 6.0
    assert torch.trapz(y, torch.tensor([0.0, 1.0, 3.0])).item() == 5.5
    assert torch.cumulative_trapezoid(y, dim=0).tolist() == [0.5, 3.0]
    assert torch.diff(y, prepend=torch.tensor([5.0])).tolist() == [-5.0, 1.0, 3.0]
    assert torch.combinations(torch.tensor([1, 2, 3])).tolist() == [[1, 2], [1, 3], [2, 3]]


def test_refusals():
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.ones(3).cumsum(1)
    with pytest.raises(RuntimeError, match="Bad in-place call: input tensor dtype int and output tensor dtype float"):
        torch.ones(3, dtype=torch.int32).cumsum_(0, dtype=torch.float32)
    with pytest.raises(RuntimeError, match="torch.frexp\\(\\) only supports floating-point dtypes"):
        torch.frexp(torch.ones(3, dtype=torch.int32))
    with pytest.raises(RuntimeError, match="but got Float and Long"):
        torch.polar(torch.ones(2), torch.ones(2, dtype=torch.int64))


def test_the_slope_of_logcumsumexp_beside_a_large_number():
    """The first number outweighs all others: it has the whole of every result's gradient."""
    x, g = [90.0, -3.0, 2.5, 8.0, -700.0], [0.5, 0.75, 1.0, -1.25, 1.5]
    for dtype, near in ((torch.float32, 2e-5), (torch.float64, 2e-14), (torch.complex64, 2e-5)):  # digits of 90 are lost
        t = torch.tensor(x, dtype=dtype, requires_grad=True)
        t.logcumsumexp(0).backward(torch.tensor(g, dtype=dtype))
        assert t.grad.tolist() == pytest.approx([sum(g), 0, 0, 0, 0], rel=near, abs=1e-30)


def test_the_slope_of_logcumsumexp_at_infinities():
    inf, nan = float("inf"), float("nan")
    for x, want in (([-inf, 1.0, -inf, 2.0], [nan, 2 + 1 / (1 + math.e), 0, math.e / (1 + math.e)]),
                    ([1.0, inf, 2.0], [1, nan, 0])):
        t = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        t.logcumsumexp(0).sum().backward()
        assert t.grad.tolist() == pytest.approx(want, nan_ok=True)
