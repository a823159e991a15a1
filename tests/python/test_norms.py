"""Norms: what the names of torch and nn.functional take and give, against averages of float64."""

import math

import karat as torch
import pytest
from karat.nn import functional as F
from on_device import DEVICE

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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("rows", [1, 31, 32, 33, 65, 2047, 2050])
def test_gradients_of_weights_over_blocks_of_rows(dtype, rows):
    """Sums of blocks of rows are added by tiles of columns: 300 columns end within one."""
    torch.manual_seed(2)
    x, g = torch.randn(rows, 300).to(dtype), torch.randn(rows, 300).to(dtype)
    w, b = (torch.rand(300).to(dtype).requires_grad_() for _ in range(2))
    F.layer_norm(x, (300,), w, b).backward(g)
    to_w = (g.double() * layer_norm(x.double(), (-1,), 1, 0, 1e-5)).sum(0)
    for a, want in ((w.grad, to_w), (b.grad, g.double().sum(0))):
        assert (a.double() - want).abs().max() <= 8 * NEAR[dtype] * (1 + want.abs().max())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_norm_that_nothing_flows_back_through_is_the_same(dtype):
    """It makes no statistics; with a gradient, and as an example of many, it is the row that does."""
    x, w, b = torch.randn(3, 2, 8).to(dtype), torch.rand(3, 8).to(dtype), torch.randn(3, 8).to(dtype)
    alone = [F.layer_norm(x[i], (8,), w[i], b[i]) for i in range(3)]
    for i, y in enumerate(alone):
        assert torch.equal(y, torch.native_layer_norm(x[i], (8,), w[i], b[i], 1e-5)[0])
        recorded = F.layer_norm(x[i].clone().requires_grad_(), (8,), w[i], b[i])
        assert type(recorded.grad_fn).__name__ == "NativeLayerNormBackward0" and torch.equal(recorded.detach(), y)
    torch.testing.assert_close(torch.vmap(lambda x, w, b: F.layer_norm(x, (8,), w, b))(x, w, b), torch.stack(alone))
    of = torch.func.grad(lambda x: torch.vmap(lambda x: F.layer_norm(x, (8,), w[0]))(x).float().pow(3).sum())(x)
    leaf = x.clone().requires_grad_()
    F.layer_norm(leaf, (8,), w[0]).float().pow(3).sum().backward()
    assert torch.allclose(of.float(), leaf.grad.float(), rtol=1e-2, atol=1e-3) and of.float().abs().sum() > 0


@pytest.mark.not_on_a_gpu("float32 beside a narrow input is refused there, as by PyTorch")
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


# ---- groups of channels ----


def group_norm(x, groups, w, b, eps):
    seen = x.reshape(x.shape[0], groups, -1)
    mean = seen.mean(-1, keepdim=True)
    seen = (seen - mean) / ((seen - mean).square().mean(-1, keepdim=True) + eps).sqrt()
    beside = (1, -1) + (1,) * (x.dim() - 2)
    return seen.reshape(x.shape) * w.reshape(beside) + b.reshape(beside)


def batch_norm(x, w, b, eps):
    dims, beside = (0, *range(2, x.dim())), (1, -1) + (1,) * (x.dim() - 2)
    mean = x.mean(dims, keepdim=True)
    return (x - mean) / ((x - mean).square().mean(dims, keepdim=True) + eps).sqrt() * w.reshape(beside) + b.reshape(beside)


CHANNELS = {
    "batch": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True, eps=0.01),
              lambda x, w, b: batch_norm(x, w, b, 0.01)),
    "group": (lambda x, w, b: F.group_norm(x, 2, w, b, eps=0.01), lambda x, w, b: group_norm(x, 2, w, b, 0.01)),
    "instance": (lambda x, w, b: F.instance_norm(x, weight=w, bias=b, eps=0.01), lambda x, w, b: group_norm(x, 4, w, b, 0.01)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(3, 4, 5), (2, 4, 3, 7), (2, 4, 40, 50)])
@pytest.mark.parametrize("kind", CHANNELS)
@pytest.mark.parametrize("last", [False, True])
def test_channels(kind, sizes, dtype, last):
    torch.manual_seed(1)
    ours, theirs = CHANNELS[kind]
    made = [torch.randn(*sizes), torch.rand(4), torch.rand(4)]
    if last and len(sizes) == 4:
        made[0] = made[0].contiguous(memory_format=torch.channels_last)
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


def test_batch_norm_of_rows():
    x, w, b = torch.randn(50, 130).double(), torch.rand(130).double(), torch.rand(130).double()
    assert torch.allclose(F.batch_norm(x, None, None, w, b, training=True), batch_norm(x, w, b, 1e-5))


@pytest.mark.parametrize("dtype", DTYPES)
def test_running_statistics(dtype):
    x = torch.randn(6, 3, 4).to(dtype)
    mean, var = torch.full((3,), 0.5, dtype=dtype), torch.full((3,), 2.0, dtype=dtype)
    F.batch_norm(x, mean, var, training=True, momentum=0.25)
    wide = x.double().transpose(0, 1).reshape(3, -1)
    assert near(mean, 0.375 + 0.25 * wide.mean(1), dtype) and near(var, 1.5 + 0.25 * wide.var(1), dtype)
    assert mean._version == 0
    y = F.batch_norm(x, mean, var, eps=0.5)
    want = (x.double() - mean.double()[:, None]) / (var.double()[:, None] + 0.5).sqrt()
    assert near(y, want, dtype)
    if dtype is not torch.float64:
        both = F.batch_norm(x, mean.float(), var.float(), torch.ones(3), torch.zeros(3))
        assert both.dtype is dtype


def test_running_statistics_of_instances():
    x, mean, var = torch.arange(24.0).reshape(2, 4, 3), torch.zeros(4), torch.ones(4)
    F.instance_norm(x, mean, var)
    assert torch.allclose(mean, torch.tensor([0.7, 1.0, 1.3, 1.6])) and torch.allclose(var, torch.ones(4))
    assert mean._version == 1


def test_refusals():
    x, zeros, ones = torch.ones(2, 4, 3), torch.zeros(4), torch.ones(4)
    for run, error, text in (
        (lambda: F.batch_norm(x, torch.zeros(3), ones), RuntimeError, "running_mean should contain 4 elements not 3"),
        (lambda: F.batch_norm(x, zeros, ones, torch.ones(3)), RuntimeError, "weight should contain 4 elements not 3"),
        (lambda: F.batch_norm(x, None, None), RuntimeError, "running_mean must be defined in evaluation mode"),
        (lambda: F.batch_norm(x[:1, :, :1], zeros, ones, training=True), ValueError,
         "Expected more than 1 value per channel when training, got input size torch.Size([1, 4, 1])"),
        (lambda: F.batch_norm(x, zeros, ones, eps=-1.0), ValueError, "batch_norm eps must be positive, but got -1.0"),
        (lambda: F.batch_norm(x.long(), zeros, ones), NotImplementedError, "\"batch_norm\" not implemented for 'Long'"),
        (lambda: F.group_norm(x[0, 0], 1), RuntimeError, "Expected at least 2 dimensions for input tensor but received 1"),
        (lambda: torch.group_norm(x[0, 0], 1), IndexError,
         "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
        (lambda: torch.group_norm(torch.tensor(1.0), 1), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
        (lambda: F.group_norm(x, 3), RuntimeError, "Expected number of channels in input to be divisible by num_groups, but got "
         "input of shape [2, 4, 3] and num_groups=3"),
        (lambda: F.group_norm(x, 2, torch.ones(3)), RuntimeError, "Expected weight to be a vector of size equal to the number of "
         "channels in input, but got weight of shape [3] and input of shape [2, 4, 3]"),
        (lambda: F.group_norm(x, -2), RuntimeError, "Expected num groups to be greater than 0, got -2"),
        (lambda: F.group_norm(ones, 2), RuntimeError, "Expected at least 2 dimensions for input tensor but received 1"),
        (lambda: F.group_norm(torch.ones(1, 4, 1), 4), ValueError,
         "Expected more than 1 value per channel when training, got input size [1, 4, 1]"),
        (lambda: F.instance_norm(x, use_input_stats=False), RuntimeError,
         "Expected running_mean and running_var to be defined when use_input_stats is false"),
        (lambda: F.instance_norm(torch.ones(2, 4)), ValueError,
         "Expected more than 1 spatial element when training, got input size torch.Size([2, 4])"),
        (lambda: F.local_response_norm(torch.ones(4, 3), 2), ValueError,
         "Expected 3D or higher dimensionality                          input (got 2 dimensions)"),
        (lambda: F.local_response_norm(torch.ones(2, 3, 4), 0), RuntimeError, "integer out of range"),
        (lambda: F.local_response_norm(torch.ones(2, 3, 4, 4), 0), RuntimeError,
         "kernel size should be greater than zero, but got kT: 0 kH: 1 kW: 1"),
        (lambda: F.local_response_norm(torch.ones(2, 3, 4, 4), -3), RuntimeError,
         "pad should be at most half of effective kernel size, but got pad=0, kernel_size=-3 and dilation=1"),
        (lambda: F.local_response_norm(x.int(), 2), NotImplementedError, "\"avg_pool2d\" not implemented for 'Int'"),
    ):
        with pytest.raises(error) as caught:
            run()
        assert str(caught.value).splitlines()[0] == text


@pytest.mark.not_on_a_gpu("PyTorch has other rules there: test_mixed_dtypes_on_a_gpu")
def test_mixed_dtypes():
    x, zeros, ones = torch.ones(2, 4, 3), torch.zeros(4), torch.ones(4)
    for run, text in (
        (lambda: F.batch_norm(x, zeros.double(), ones.double()),
         "mixed dtype (CPU): expect parameter to have scalar type of Float"),
        (lambda: F.batch_norm(x.double(), zeros, ones), "mixed dtype (CPU): all inputs must share same datatype."),
        (lambda: F.instance_norm(x.double(), zeros, ones, ones), "mixed dtype (CPU): all inputs must share same datatype."),
        (lambda: torch.batch_norm_update_stats(x.double(), ones, ones, 0.1),
         "mixed dtype (CPU): all inputs must share same datatype."),
        (lambda: torch.batch_norm_update_stats(x, ones.double(), ones.double(), 0.1),
         "mixed dtype (CPU): expect parameter to have scalar type of Float"),
    ):
        with pytest.raises(RuntimeError) as caught:
            run()
        assert str(caught.value).splitlines()[0] == text


@pytest.mark.skipif(DEVICE != "cuda", reason="PyTorch's rules on CUDA")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_mixed_dtypes_on_a_gpu(dtype):
    x, rows, w = torch.randn(2, 4, 3).to(dtype), torch.randn(3, 4).to(dtype), torch.ones(4)
    mean, var, own = torch.zeros(4), torch.ones(4), torch.ones(4, dtype=dtype)
    says = f"expected scalar type {torch._karat.torch_name(dtype)} but found Float"
    refused = [lambda: F.group_norm(x, 2, w, w), lambda: F.group_norm(x, 2, None, w)]
    if dtype is torch.float64:
        refused += [lambda: F.batch_norm(x, mean, var, own, own)]
    else:
        refused += [lambda: F.layer_norm(rows, (4,), w, w), lambda: F.layer_norm(rows, (4,), None, w)]
    for call in refused:
        with pytest.raises(RuntimeError) as caught:
            call()
        assert str(caught.value).splitlines()[0] == says
    taken = [lambda training: F.batch_norm(x, mean.clone(), var.clone(), training=training)]
    if dtype is not torch.float64:
        taken += [lambda training: F.batch_norm(x, mean.clone(), var.clone(), w, w, training),
                  lambda training: F.batch_norm(x, mean.clone(), var.clone(), own, own, training)]
    for call in taken:
        for training in (True, False):
            y = call(training)
            want = F.batch_norm(x.float(), mean.clone(), var.clone(), training=training)
            assert y.dtype is dtype and torch.allclose(y.float(), want + (1 if call is not taken[0] else 0), rtol=1e-2, atol=3e-2)


@pytest.mark.parametrize("running", ["float32", "float64", "bfloat16", "float16"])
def test_running_statistics_of_instances_may_have_any_dtype(running):
    mean, variance = (torch.full((3,), v, dtype=getattr(torch, running)) for v in (0.5, 2.0))
    for own, weight in (("bfloat16", "bfloat16"), ("bfloat16", "float32"), ("bfloat16", None), ("float32", "float32"),
                        ("float64", "float64")):
        x = torch.randn(2, 3, 4).to(getattr(torch, own))
        w = None if weight is None else torch.ones(3, dtype=getattr(torch, weight))
        y = F.instance_norm(x, mean.clone(), variance.clone(), w, use_input_stats=False)
        assert y.dtype == x.dtype and torch.allclose(y.float(), (x.float() - 0.5) / (2 + 1e-5) ** 0.5, rtol=2e-2, atol=2e-2)
        written = mean.clone()
        F.instance_norm(x, written, variance.clone(), w)
        assert written.dtype == mean.dtype
        assert torch.allclose(written.float(), mean.float() * 0.9 + x.float().mean((0, 2)) * 0.1, rtol=2e-2, atol=2e-2)


def test_local_response_norm():
    x = torch.randn(2, 5, 3, 4, dtype=torch.float64)
    want = torch.empty_like(x)
    for channel in range(5):
        near_by = x[:, max(0, channel - 1):channel + 2].square().sum(1) / 3
        want[:, channel] = x[:, channel] / (2 + 0.5 * near_by) ** 0.75
    assert torch.allclose(F.local_response_norm(x, 3, alpha=0.5, k=2.0), want)


def test_normalize():
    x = torch.randn(3, 4, 5, dtype=torch.float64)
    assert torch.allclose(F.normalize(x), x / x.square().sum(1, keepdim=True).sqrt())
    assert torch.allclose(F.normalize(x, p=1, dim=-1), x / x.abs().sum(-1, keepdim=True))
    assert torch.allclose(F.normalize(x, dim=(0, 1)), x / x.square().sum((0, 1), keepdim=True).sqrt())
    assert torch.equal(F.normalize(torch.zeros(2, 3)), torch.zeros(2, 3))
    out = torch.empty(0, dtype=torch.float64)
    assert F.normalize(x, out=out) is out and torch.equal(out, F.normalize(x))


def test_running_statistics_of_instances_have_any_dtype():
    x, mean, var = torch.randn(2, 4, 3), torch.zeros(4, dtype=torch.bfloat16), torch.ones(4, dtype=torch.float64)
    assert F.instance_norm(x, mean, var).dtype is torch.float32
    assert (mean.dtype, var.dtype) == (torch.bfloat16, torch.float64) and mean.abs().max() > 0


def test_a_group_norm_of_single_elements_has_a_weight_for_each_channel():
    x, w = torch.tensor([[1.0, 2.0, 3.0, 5.0]]), torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    for shape in ((1, 4), (1, 4, 1, 1)):
        w.grad = None
        y = F.group_norm(x.reshape(shape), 2, w, eps=0.0)
        y.sum().backward()
        assert y.flatten().tolist() == [-1.0, 2.0, -3.0, 4.0] and w.grad.tolist() == [-1.0, 1.0, -1.0, 1.0]


def test_beside_an_infinity_numbers_become_zero_by_the_root_mean_square():
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for n in (2, 41, 300):
            x = torch.ones(2, n, dtype=dtype)
            x[0, 0], x[1, n - 1] = -math.inf, math.inf
            y = F.rms_norm(x, (n,))
            assert y[0, 0].isnan() and y[1, n - 1].isnan() and y[0, 1:].eq(0).all() and y[1, :-1].eq(0).all()


# ---- a weight as a direction and lengths ----

@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim,sizes", [(0, (3, 1, 1)), (1, (1, 4, 1)), (2, (1, 1, 2)), (-1, (1,)), (0, (3,))])
def test_weight_norm(dtype, dim, sizes):
    torch.manual_seed(4)
    v, g = torch.randn(3, 4, 2).to(dtype).requires_grad_(), torch.rand(*sizes).to(dtype).requires_grad_()
    wide = [t.detach().double().requires_grad_() for t in (v, g)]
    over = tuple(i for i in range(3) if i != dim) if dim >= 0 else (0, 1, 2)
    beside = [4 - (i != 1) - (i == 2) if i == dim else 1 for i in range(3)] if dim >= 0 else [1]
    want = wide[0] * (wide[1].reshape(beside) / wide[0].square().sum(over, keepdim=True).sqrt())
    y = torch._weight_norm(v, g, dim)
    assert y.dtype is dtype and y.is_contiguous() and near(y, want, dtype)
    assert y.grad_fn.name() == ("WeightNormInterfaceBackward0" if dim in (0, 2) else "MulBackward0")
    grad = torch.randn(3, 4, 2).to(dtype)
    for one, other in zip(torch.autograd.grad(y, (v, g), grad), torch.autograd.grad(want, wide, grad.double())):
        assert one.dtype is dtype and torch.allclose(one.double(), other, rtol=4 * NEAR[dtype], atol=4 * NEAR[dtype])


def test_weight_norm_interface_and_norm_except_dim():
    v = torch.arange(1.0, 9.0, dtype=torch.float64).reshape(2, 2, 2)
    w, norms = torch._weight_norm_interface(v, torch.ones(2, 1, 1, dtype=torch.float64))
    assert type(torch._weight_norm_interface(v, norms)) is tuple and norms.flatten().tolist() == [30 ** 0.5, 174 ** 0.5]
    assert torch.allclose(w * norms, v)
    assert torch._weight_norm_interface(v.bfloat16(), norms.bfloat16())[1].dtype is torch.float32
    assert torch.norm_except_dim(v).flatten().tolist() == [30 ** 0.5, 174 ** 0.5]
    assert torch.norm_except_dim(v, 1, 1).tolist() == [[[14.0], [22.0]]] and torch.norm_except_dim(v, 1, 2).shape == (1, 1, 2)
    assert torch.norm_except_dim(v, 1, -1).item() == 36 and torch.norm_except_dim(v, 2, -2).shape == (1, 2, 1)


@pytest.mark.parametrize("call,kind,says", [
    (lambda v: torch._weight_norm(v, v[0].double()), RuntimeError, "expected scalar type Float but found Double"),
    (lambda v: torch._weight_norm(v.long(), v.long()), NotImplementedError, "\"weight_norm_kernel\" not implemented for 'Long'"),
    (lambda v: torch._weight_norm(v.long(), v.long(), -1), RuntimeError,
     "norm(): input dtype should be either floating point or complex. Got Long instead."),
    (lambda v: torch.norm_except_dim(v.bool()), RuntimeError,
     "norm(): input dtype should be either floating point or complex. Got Bool instead."),
    (lambda v: torch.norm_except_dim(v, 2, 2), IndexError,
     "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    (lambda v: torch.norm_except_dim(v.sum()), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    (lambda v: torch._weight_norm(v, v), RuntimeError, "weight_norm: g has 6 elements, but dim 0 of v has size 2"),
    (lambda v: torch._weight_norm_interface(v[None], v, 1), RuntimeError,
     "fused kernels can only be applied for first or last dim"),
])
def test_weight_norm_refuses(call, kind, says):
    with pytest.raises(kind) as error:
        call(torch.ones(2, 3))
    assert str(error.value).splitlines()[0] == says


# ---- PyTorch's lower names of batch_norm ----

def test_lower_names_of_batch_norm():
    torch.manual_seed(5)
    x, w, b = torch.randn(4, 3, 2).requires_grad_(), torch.rand(3), torch.rand(3)
    mean, var = torch.zeros(3), torch.ones(3)
    other = mean.clone(), var.clone()
    want = torch.native_batch_norm(x, w, b, *other, True, 0.1, 1e-5)
    got = torch._native_batch_norm_legit(x, w, b, mean, var, True, 0.1, 1e-5)
    assert all(torch.equal(p, q) for p, q in zip((*got, mean, var), (*want, *other)))
    alone = torch._native_batch_norm_legit(x, w, b, True, 0.1, 1e-5)
    given = torch._native_batch_norm_legit_no_training(x, w, b, mean, var, 0.1, 1e-5)
    assert torch.equal(alone[0], want[0]) and torch.equal(given[0], F.batch_norm(x, mean, var, w, b))
    assert [r[0].grad_fn.name() for r in (got, alone, given)] == [
        "NativeBatchNormLegitBackward0", "NativeBatchNormLegitBackward1", "NativeBatchNormLegitNoTrainingBackward0"]
    g = torch.randn(4, 3, 2)
    assert torch.equal(torch.autograd.grad(got[0], x, g)[0], torch.autograd.grad(want[0], x, g)[0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_batch_norm_update_stats(dtype):
    torch.manual_seed(6)
    x, mean, var = torch.randn(4, 3, 5).to(dtype), torch.zeros(3, dtype=dtype), torch.ones(3, dtype=dtype)
    wide = x.double()
    got = torch.batch_norm_update_stats(x, mean, var, 0.25)
    assert type(got) is tuple and got[0].dtype is dtype and mean._version == 0
    assert near(got[0], wide.mean((0, 2)), dtype) and near(got[1], wide.var((0, 2), correction=0), dtype)
    assert near(mean, wide.mean((0, 2)) / 4, dtype) and near(var, 0.75 + wide.var((0, 2)) / 4, dtype)
    assert torch.equal(torch.batch_norm_update_stats(x, None, None, 0.25)[0], got[0])
    if dtype in (torch.bfloat16, torch.float16):
        assert torch.batch_norm_update_stats(x, torch.zeros(3), torch.ones(3), 0.25)[1].dtype is torch.float32


@pytest.mark.parametrize("x,running,kind,says", [
    (torch.ones(4, 3).int(), None, NotImplementedError, "\"batch_norm_update_stats_cpu\" not implemented for 'Int'"),
    (torch.ones(0, 3), None, RuntimeError, "input tensor must have at least one element, but got input_sizes = [0, 3]"),
    (torch.ones(3), None, IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    (torch.ones(4, 3), torch.ones(2), RuntimeError, "running_mean should contain 3 elements not 2"),
])
def test_batch_norm_update_stats_refuses(x, running, kind, says):
    with pytest.raises(kind) as error:
        torch.batch_norm_update_stats(x, running, running, 0.1)
    assert str(error.value).splitlines()[0] == says


def test_group_norm_of_no_groups():
    with pytest.raises(ZeroDivisionError, match="^integer division or modulo by zero"):
        F.group_norm(torch.ones(2, 4), 0)


# ---- rows of any length, beside float64 ----

@pytest.mark.parametrize("length", [1, 7, 15, 16, 17, 31, 32, 33, 100, 1024, 1025, 2100])
@pytest.mark.parametrize("weighed", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rows_flow_back_as_in_float64(length, weighed, dtype):
    torch.manual_seed(length)
    x = (torch.randn(70, length) * 3 + 5).to(dtype)
    w, b, g = (torch.randn(length).to(dtype), torch.randn(length).to(dtype), torch.randn(70, length).to(dtype))

    def grads(to, norm):
        leaves = [t.detach().to(to).requires_grad_() for t in ([x, w, b] if weighed else [x])]
        norm(leaves[0], *(leaves[1:] or (None, None))).backward(g.to(to))
        return [leaf.grad.double() for leaf in leaves]

    def layer(t, v, u):
        return F.layer_norm(t, (length,), v, u, 1e-3)

    def root(t, v, u):
        return F.rms_norm(t, (length,), v, 1e-3) + (0 if u is None else 0 * u)

    for norm in (layer, root):
        for ours, exact in zip(grads(dtype, norm), grads(torch.float64, norm)):
            most = exact.abs().max().item() + 1
            assert (ours - exact).abs().max().item() <= most * (2e-5 if dtype == torch.float32 else 3e-2)


def test_rows_without_spread_are_zero():
    x = torch.full((3, 1000), 1234.5678)
    assert F.layer_norm(x, (1000,)).abs().max().item() == 0


# ---- nothing to normalise ----

def test_batch_norm_of_nothing():
    x = torch.zeros(0, 4, 5, requires_grad=True)
    w, b = torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True)
    for training in (True, False):
        y = F.batch_norm(x, None, None, w, b, training=training)
        grads = torch.autograd.grad(y.sum(), [x, w, b])
        assert y.shape == (0, 4, 5) and [g.shape for g in grads] == [(0, 4, 5), (4,), (4,)]
        assert grads[1].tolist() == grads[2].tolist() == [0] * 4


def test_layouts_of_images():
    x = torch.randn(2, 4, 3, 5).contiguous(memory_format=torch.channels_last).requires_grad_()
    kept = x.stride()
    assert F.rms_norm(x, [5]).stride() == kept and F.rms_norm(x, [3, 5], torch.ones(3, 5, dtype=torch.float64)).stride() == kept
    assert F.rms_norm(x.transpose(2, 3), [3]).is_contiguous() and F.layer_norm(x, [5]).is_contiguous()
    y = F.group_norm(x, 2, torch.ones(4), torch.zeros(4))
    assert y.stride() == kept and torch.autograd.grad(y.pow(2).sum(), x)[0].stride() == kept
    with pytest.raises(IndexError, match="tuple index out of range"):
        F.batch_norm(torch.tensor(1.0), None, None, training=True)


@pytest.mark.cpu_only("a GPU's kernels join averages in another order")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 40, 3000])
@pytest.mark.parametrize("odd", [math.inf, -math.inf])
@pytest.mark.parametrize("last", [False, True])
def test_a_channel_with_an_infinity_has_an_infinite_average(dtype, n, odd, last):
    x = torch.ones(2, 2, n, 1, dtype=dtype)
    x[0, 0, 1] = odd
    if last:
        x = x.contiguous(memory_format=torch.channels_last)
    mean, var = torch.zeros(2, dtype=dtype), torch.ones(2, dtype=dtype)
    y = F.batch_norm(x, mean, var, training=True, momentum=1.0)
    assert mean.tolist() == [odd, 1]
    assert math.isnan(var[0]) and var[1] == 0
    assert y[:, 0].isnan().all() and (y[:, 1] == 0).all()


@pytest.mark.cpu_only("a GPU's kernels sum in another order")
@pytest.mark.parametrize("value,dtype", [(1e30, torch.float32), (3.1e38, torch.float32), (3e38, torch.bfloat16),
                                         (1e200, torch.float64)])
@pytest.mark.parametrize("n", [2, 3, 17, 100, 3000])
def test_equal_values_have_no_spread_however_large(value, dtype, n):
    mean, var = torch.zeros(2, dtype=dtype), torch.ones(2, dtype=dtype)
    x = torch.full((2, 2, n), value, dtype=dtype)
    y = F.batch_norm(x, mean, var, training=True, momentum=1.0)
    assert (mean == x[0, 0, 0]).all() and (var == 0).all() and (y == 0).all()
    assert (F.layer_norm(x, (n,)) == 0).all()


@pytest.mark.cpu_only("a GPU's kernels sum in another order")
@pytest.mark.parametrize("value", [1.3625887088789637, 0.1, 1.6227040660454253e200])
def test_few_equal_float64_values_have_no_spread(value):
    for n in range(2, 20):
        for x in (torch.full((n, 3), value, dtype=torch.float64), torch.full((1, 3, n), value, dtype=torch.float64)):
            mean, var = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
            y = F.batch_norm(x, mean, var, training=True, momentum=1.0)
            assert (mean == value).all() and (var == 0).all() and (y == 0).all()
        assert (F.group_norm(x, 3) == 0).all() and (F.instance_norm(x) == 0).all()


@pytest.mark.cpu_only("a GPU's kernels join averages in another order")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 20, 100, 5000])
@pytest.mark.parametrize("odd", [math.inf, -math.inf])
def test_a_row_with_an_infinity_has_no_average(dtype, n, odd):
    x = torch.ones(3, n, dtype=dtype)
    x[1, 0] = odd
    y, mean, rstd = torch.native_layer_norm(x, (n,), None, None, 1e-5)
    for t in (y, mean, rstd):
        assert t.isnan().all(1).tolist() == [False, True, False]
    assert (y[::2] == 0).all() and (mean[::2] == 1).all()


@pytest.mark.cpu_only("a GPU's kernels sum in another order")
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("value", [0.1, 3.3, 1e200, -1.7e308])
@pytest.mark.parametrize("n", [2, 3, 7, 100, 5000])
def test_the_variance_of_equal_values_is_zero(dtype, value, n):
    x = torch.full((n,), value, dtype=dtype)
    for rows in (x, x[:1].expand(n), x[:, None].repeat(1, 3), x.repeat(3, 1).t()):
        var, mean = torch.var_mean(rows, 0)
        assert (var == 0).all() and (mean == value).all()
        assert (torch.std(rows) == 0).all()


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("n", [2, 3, 3000])
def test_the_variance_of_an_infinity_is_nan(odd, n):
    x = torch.tensor([[odd], [1.0]], dtype=torch.float64).expand(2, n)
    assert torch.var(x, 1).isnan().tolist() == [True, False] and torch.var(x, 0).isnan().all() and torch.var(x).isnan()


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.bfloat16))
@pytest.mark.parametrize("n", (31, 64, 1024, 1500))
def test_a_row_whose_start_tells_nothing_of_its_average_is_normalized(dtype, n):
    first = torch.zeros(n, dtype=torch.float64)
    first[:32] = 1000.0
    x = torch.stack([first, torch.arange(n, dtype=torch.float64) + 5000, -first, torch.randn(n, dtype=torch.float64)]).to(dtype)
    exact = x.double()
    away = exact - exact.mean(1, keepdim=True)
    want = away / (away.square().mean(1, keepdim=True) + 1e-5).sqrt()
    assert (F.layer_norm(x, (n,)).double() - want).abs().max() < {torch.bfloat16: 4e-2, torch.float32: 1e-5}.get(dtype, 1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("shape", [(3, 2), (3, 2, 1), (2, 2, 5), (2, 2, 3, 4), (4, 2, 40, 3)])
def test_given_statistics_and_infinite_inputs_do_not_spoil_what_flows_back(shape, dtype):
    for place in (lambda t: t, lambda t: t.to(memory_format=torch.channels_last) if t.dim() == 4 else t):
        x = torch.randn(shape).to(dtype)
        x[0, 1] = math.inf
        x = place(x).requires_grad_()
        mean, var = torch.tensor([math.inf, 0.5]).to(dtype), torch.tensor([1.0, 4.0]).to(dtype)
        weight = torch.tensor([2.0, 3.0]).to(dtype).requires_grad_()
        y = F.batch_norm(x, mean, var, weight, training=False, eps=1e-9)
        gradient, of_weight = torch.autograd.grad(y, [x, weight], torch.ones_like(y))
        wanted = torch.tensor([2.0, 1.5]).to(dtype).reshape(1, 2, *[1] * (x.dim() - 2)).expand(shape)
        torch.testing.assert_close(gradient, wanted)
        assert of_weight.tolist() == [-math.inf, math.inf]


LAYOUTS = {
    "rows": lambda: torch.randn(2, 3, 4, 5),
    "channels_last": lambda: torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "reversed": lambda: torch.randn(5, 4, 3, 2).permute(3, 2, 1, 0),
    "expanded": lambda: torch.randn(1, 3, 4, 5).expand(2, 3, 4, 5),
    "every second": lambda: torch.randn(2, 3, 4, 10)[..., ::2],
}


@pytest.mark.parametrize("arriving", LAYOUTS)
@pytest.mark.parametrize("of", LAYOUTS)
def test_the_gradient_of_rms_norm_lies_as_the_one_that_arrives(of, arriving):
    x, g = LAYOUTS[of]().requires_grad_(), LAYOUTS[arriving]()
    for weight in (None, torch.ones(5)):
        got = torch.autograd.grad(F.rms_norm(x, [5], weight), x, g)[0]
        want = torch.autograd.grad(F.rms_norm(x, [5], weight), x, g.contiguous())[0]
        assert got.stride() == torch.empty_like(g).stride() and torch.equal(got, want)


def test_running_statistics_that_repeat_an_element_are_not_written():
    x, one = torch.randn(3, 2, 4), torch.ones(1)
    says = "^unsupported operation: more than one element of the written-to tensor refers to a single memory location"
    for mean, variance in ((one.expand(2), torch.ones(2)), (torch.ones(2), one.expand(2))):
        with pytest.raises(RuntimeError, match=says):
            F.instance_norm(x, mean, variance, use_input_stats=True)
        assert mean.tolist() == variance.tolist() == [1, 1]
        F.instance_norm(x, mean, variance, use_input_stats=False)


@pytest.mark.parametrize("p", [0.5, 1.5, 2.5, 3, 4, -1])
def test_slopes_of_p_norms_whose_powers_overflow(p):
    """sgn(x) (|x| / n)^(p - 1) is the same of small and of large numbers, where their norm is still one."""
    few = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)
    want = few.sign() * (few.abs() / torch.linalg.vector_norm(few, p)).pow(p - 1)
    for scale in (1.0, 2.0 ** (1020 / max(abs(p), 1) - 8), 2.0 ** -(1010 / max(abs(p), 1) - 8)):
        x = (few * scale).requires_grad_()
        torch.linalg.vector_norm(x, p).backward()
        assert torch.allclose(x.grad, want, rtol=1e-9, atol=0)


@pytest.mark.parametrize("p", [1.5, 2, 2.5, 3])
def test_second_derivatives_of_p_norms_at_zeros_are_numbers(p):
    x = torch.tensor([[1.0, 0.0, -2.0], [0.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.linalg.vector_norm(x, p, dim=1).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((slope * torch.tensor([1.0, 2.0, 3.0])).sum(), x)
    assert second.isfinite().all() and (second[1] == 0).all()


def test_batch_norm_is_row_major_before_it_is_channels_last():
    def strides(x):
        c = x.shape[1]
        return F.batch_norm(x, torch.zeros(c), torch.ones(c)).stride()

    assert strides(torch.rand(2, 3, 2, 1).permute(0, 2, 1, 3)) == (6, 1, 2, 2)  # dense in channels last, whatever a dim of 1 says
    assert strides(torch.rand(2, 1, 1, 3).permute(0, 3, 1, 2)) == (3, 1, 1, 1)
    assert strides(torch.rand(2, 1, 1, 1, 3).permute(0, 4, 1, 2, 3)) == (3, 1, 1, 1, 1)
    assert strides(torch.rand(2, 4, 5, 3).permute(0, 3, 1, 2)) == (60, 1, 15, 3)


def test_batch_norm_does_not_lose_tangents_of_given_statistics():
    from karat.autograd import forward_ad

    x, mean, variance = torch.rand(3, 2), torch.zeros(2), torch.ones(2)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(3, 2))
        moved = forward_ad.make_dual(mean, torch.ones(2))
        with pytest.raises(RuntimeError, match="batch_norm is not differentiable wrt running_mean and running_var"):
            F.batch_norm(dual, moved, variance)
        F.batch_norm(x, moved, variance)
        F.batch_norm(dual, moved, variance, training=True)


def test_an_input_of_rms_norm_that_wants_no_gradient_may_be_written_to():
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x, w = torch.tensor([[1.0, 2.0, -3.0]], dtype=dtype), torch.tensor([0.5, 1.0, 2.0], dtype=dtype, requires_grad=True)
        y = F.rms_norm(x, (3,), w)
        same = F.rms_norm(x.clone().requires_grad_(), (3,), w)
        assert torch.equal(y, same)
        x.zero_()
        y.sum().backward()
        expected = torch.tensor([1.0, 2.0, -3.0]) / (14 / 3) ** 0.5
        assert torch.allclose(w.grad.float(), expected, rtol=1e-2 if dtype is torch.bfloat16 else 1e-6)
