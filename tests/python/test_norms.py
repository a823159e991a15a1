"""Norms: what the names of torch and nn.functional take and give, against averages of float64."""

import karat as torch
import pytest
from karat.nn import functional as F

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
NEAR = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 3e-2, torch.float16: 4e-3}


def near(a, b, dtype):
    return torch.allclose(a.double(), b.double(), rtol=NEAR[dtype], atol=NEAR[dtype])


def layer_norm(x, dims, w, b, eps):
    mean = x.mean(dims, keepdim=True)
    return (x - mean) / ((x - mean).square().mean(dims, keepdim=True) + eps).sqrt() * w + b


def rms_norm(x, dims, w, eps):
    return x / (x.square().mean(dims, keepdim=True) + eps).sqrt() * w


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes,over", [((5, 7), 1), ((2, 3, 4), 2), ((3, 1500), 1)])
def test_values_and_gradients(dtype, sizes, over):
    torch.manual_seed(1)
    shape, dims = sizes[-over:], tuple(range(-over, 0))
    made = [torch.randn(*sizes), torch.rand(*shape), torch.rand(*shape)]
    for ours, theirs in (
        (lambda x, w, b: F.layer_norm(x, shape, w, b, eps=0.01), lambda x, w, b: layer_norm(x, dims, w, b, 0.01)),
        (lambda x, w, b: F.rms_norm(x, shape, w, eps=0.01) + b, lambda x, w, b: rms_norm(x, dims, w, 0.01) + b)):
        narrow = [m.clone().to(dtype).requires_grad_() for m in made]
        wide = [m.detach().double().requires_grad_() for m in narrow]
        y, want = ours(*narrow), theirs(*wide)
        assert y.dtype is dtype and near(y, want, dtype)
        g = torch.randn(*sizes).to(dtype)
        y.backward(g)
        want.backward(g.double())
        for a, b in zip(narrow, wide):
            assert a.grad.dtype is dtype
            assert (a.grad.double() - b.grad).abs().max() <= 8 * NEAR[dtype] * (1 + b.grad.abs().max())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_float32_parameters_beside_halves(dtype):
    x, w = torch.randn(4, 8).to(dtype).requires_grad_(), torch.rand(8).requires_grad_()
    y, mean, rstd = torch.native_layer_norm(x, (8,), w, None, 1e-5)
    assert (y.dtype, mean.dtype, rstd.dtype) == (dtype, torch.float32, torch.float32)
    y.sum().backward()
    assert (x.grad.dtype, w.grad.dtype) == (dtype, torch.float32)
    assert torch.native_layer_norm(x, (8,), None, None, 1e-5)[1].dtype is dtype


def test_statistics_are_constants_of_the_graph():
    y, mean, rstd = torch.native_layer_norm(torch.randn(3, 4).requires_grad_(), (4,), None, None, 1e-5)
    assert y.requires_grad and not mean.requires_grad and not rstd.requires_grad
    assert mean.shape == rstd.shape == (3, 1)


def test_any_layout():
    x = torch.randn(4, 3, 5, dtype=torch.float64)
    for seen in (x.transpose(0, 1), x.transpose(1, 2), x[::2], x.flip(0)):
        shape = seen.shape[-1:]
        assert torch.equal(F.layer_norm(seen, shape), F.layer_norm(seen.contiguous(), shape))
        assert F.layer_norm(seen, shape).is_contiguous()


def test_eps_is_that_of_the_computation():
    for dtype, eps in ((torch.float16, 2.0**-23), (torch.float32, 2.0**-23), (torch.float64, 2.0**-52)):
        x = torch.tensor([[1e-4, -2e-4, 3e-4]]).to(dtype)
        assert torch.equal(F.rms_norm(x, (3,)), F.rms_norm(x, (3,), eps=eps))


def test_weights_of_another_dtype(recwarn):
    x, w = torch.randn(2, 3), torch.rand(3, dtype=torch.float64)
    y = torch.rms_norm(x, (3,), w)
    assert y.dtype is torch.float32 and torch.allclose(y, F.rms_norm(x, (3,), w.float()))
    assert torch.rms_norm(torch.randn(2, 3, dtype=torch.complex64), (3,)).dtype is torch.complex64


def test_meta():
    x = torch.ones(2, 3, 4, device="meta")
    assert F.layer_norm(x, (4,)).shape == (2, 3, 4) and F.rms_norm(x, (3, 4)).device.type == "meta"
