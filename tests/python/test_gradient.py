"""torch.gradient: slopes of functions whose slopes are known, and what it refuses."""

import pytest

import karat as torch


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_parabolas_are_exact(dtype):
    x = torch.tensor([0.0, 0.5, 2.0, 2.25, 4.0, 7.0], dtype=torch.float64)
    slope, = torch.gradient((3 * x * x - x).to(dtype), spacing=(x,), edge_order=2)
    assert torch.allclose(slope, (6 * x - 1).to(dtype)) and slope.dtype == dtype
    even = torch.arange(5, dtype=torch.float64) / 4
    slope, = torch.gradient((even * even).to(dtype), spacing=0.25, edge_order=2)
    assert torch.allclose(slope, (2 * even).to(dtype))


def test_dims_spacings_and_ends():
    plane = torch.arange(12.0).reshape(3, 4)
    down, right = torch.gradient(plane)
    assert (down == 4).all() and (right == 1).all()
    right, down = torch.gradient(plane, spacing=[2, 0.5], dim=(-1, 0))
    assert (down == 8).all() and (right == 0.5).all()
    assert torch.gradient(torch.tensor([1, 2, 4, 8]))[0].tolist() == [1, 1.5, 3, 4]
    assert torch.gradient(torch.tensor([1, 2, 4, 8]), edge_order=2)[0].tolist() == [0.5, 1.5, 3, 5]
    places = (torch.tensor([1.0, 2, 4, 7]),)
    assert torch.allclose(torch.gradient(torch.tensor([1.0, 2, 4, 8]), spacing=places)[0],
                          torch.tensor([1, 1, 17 / 15, 4 / 3]))
    assert torch.gradient(plane.to("meta"), dim=1)[0].shape == (3, 4) and torch.gradient(plane, dim=()) == ()


def test_its_derivatives():
    x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    for how in [{}, {"edge_order": 2}, {"spacing": 0.3, "dim": 1}, {"spacing": (torch.arange(4.0) ** 2,), "dim": 0}]:
        assert torch.autograd.gradcheck(lambda x: torch.gradient(x, **how), x)


def test_what_it_refuses():
    x = torch.ones(2, 3)
    for call, error, text in [
        (lambda: torch.gradient(x.to(torch.uint8)), RuntimeError, "torch.gradient does not support uint8 input."),
        (lambda: torch.gradient(x, edge_order=3), RuntimeError, "torch.gradient only supports edge_order=1 and edge_order=2."),
        (lambda: torch.gradient(x, edge_order=2), RuntimeError,
         "torch.gradient expected each dimension size to be at least edge_order+1"),
        (lambda: torch.gradient(x, dim=(1, -1)), RuntimeError, "dim 1 appears multiple times in the list of dims"),
        (lambda: torch.gradient(x, dim=2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda: torch.gradient(x.sum(), dim=0), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
        (lambda: torch.gradient(x, spacing=[1, 2, 3]), RuntimeError, "list of length equal to 'self.dim() = 2'"),
        (lambda: torch.gradient(x, spacing=[1, 2], dim=0), RuntimeError,
         "spacing argument of length 2 and a dim argument of length 1."),
        (lambda: torch.gradient(x, spacing=(x,), dim=0), RuntimeError,
         "torch.gradient expected each element of spacing to have one dimension, but got an element with 2 dimensions!"),
    ]:
        with pytest.raises(error) as e:
            call()
        assert text in str(e.value)
