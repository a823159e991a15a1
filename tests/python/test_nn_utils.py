"""karat.nn.utils: clipping, vectors of parameters, weight and spectral norm, fusion, memory formats."""

import copy
import math
import warnings

import karat as torch
import pytest
from karat import nn
from karat.nn import utils


def with_grad(*values, dtype=torch.float32):
    parameter = nn.Parameter(torch.zeros(len(values), dtype=dtype))
    parameter.grad = torch.tensor(values, dtype=dtype)
    return parameter


@pytest.mark.parametrize("norm_type, norm", [(2.0, 13.0), (1.0, 19.0), (math.inf, 12.0)])
def test_clip_by_norm(norm_type, norm):
    a, b, none = with_grad(3.0, 4.0), with_grad(12.0), nn.Parameter(torch.zeros(2))
    total = utils.clip_grad_norm_([a, b, none], 1.0, norm_type)
    assert total.item() == pytest.approx(norm)
    assert b.grad.item() == pytest.approx(12 / norm, rel=1e-5) and none.grad is None
    again = utils.clip_grad_norm_((p for p in [a, b]), 100.0, norm_type)
    assert b.grad.item() == pytest.approx(12 / norm, rel=1e-5) and again.item() == pytest.approx(1, rel=1e-5)


def test_clip_in_several_dtypes():
    a, b = with_grad(3.0, 4.0, dtype=torch.float16), with_grad(12.0, dtype=torch.float64)
    total = utils.clip_grad_norm_([a, b], 1.3)
    assert total.dtype == torch.float64 and total.item() == pytest.approx(13)
    assert a.grad.dtype == torch.float16 and a.grad.tolist() == pytest.approx([0.3, 0.4], rel=1e-3)


def test_clip_by_norm_in_two_steps():
    a = with_grad(6.0, 8.0)
    total = utils.get_total_norm([a.grad])
    utils.clip_grads_with_norm_(a, 5.0, total)
    assert a.grad.tolist() == pytest.approx([3, 4], rel=1e-5)


def test_clip_by_value():
    a = with_grad(-3.0, 0.5, 3.0)
    assert utils.clip_grad_value_(a, 1.0) is None
    assert a.grad.tolist() == [-1, 0.5, 1]


def test_clip_refuses_what_is_not_finite():
    a = with_grad(math.inf, 1.0)
    with pytest.raises(RuntimeError, match="The total norm of order 2.0 for gradients from `parameters` is non-finite"):
        utils.clip_grad_norm_(a, 1.0, error_if_nonfinite=True)
    assert a.grad.tolist() == [math.inf, 1.0]
    assert utils.clip_grad_norm_([], 1.0).item() == 0
    with pytest.warns(UserWarning, match="`parameters` is an empty generator, no gradient clipping will occur."):
        utils.clip_grad_norm_((p for p in []), 1.0)
    with pytest.warns(FutureWarning, match="`torch.nn.utils.clip_grad_norm` is now deprecated"):
        utils.clip_grad_norm(with_grad(1.0), 1.0)


def test_vectors_of_parameters():
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    vector = utils.parameters_to_vector(net.parameters())
    assert vector.shape == (13,) and vector.requires_grad
    utils.vector_to_parameters(torch.arange(13.0), net.parameters())
    assert net[0].weight.tolist() == [[0, 1], [2, 3], [4, 5]] and net[1].bias.tolist() == [12] and net[1].bias.requires_grad
    with pytest.raises(TypeError, match="expected torch.Tensor, but got: str"):
        utils.vector_to_parameters("a", net.parameters())


def old_weight_norm(*args, **kwargs):
    with pytest.warns(FutureWarning, match="in favor of `torch.nn.utils.parametrizations.weight_norm`"):
        return utils.weight_norm(*args, **kwargs)


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm(dim):
    linear = nn.Linear(3, 4)
    plain, x = copy.deepcopy(linear), torch.randn(2, 3)
    normed = old_weight_norm(linear, dim=dim)
    assert normed is linear and [name for name, _ in linear.named_parameters()] == ["bias", "weight_g", "weight_v"]
    assert torch.allclose(linear(x), plain(x), atol=1e-6)
    linear.weight_g.data *= 2
    assert torch.allclose(linear(x) - linear.bias, 2 * (plain(x) - plain.bias), atol=1e-5)
    linear(x).sum().backward()
    assert linear.weight_g.grad is not None and linear.weight_v.grad is not None
    with pytest.raises(RuntimeError, match="Cannot register two weight_norm hooks on the same parameter weight"):
        old_weight_norm(linear)
    utils.remove_weight_norm(linear)
    assert isinstance(linear.weight, nn.Parameter) and torch.allclose(linear.weight, 2 * plain.weight, atol=1e-6)
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found in Linear"):
        utils.remove_weight_norm(linear)


@pytest.mark.parametrize("make, x", [(lambda: nn.Linear(3, 4), (2, 3)), (lambda: nn.ConvTranspose2d(2, 3, 2), (1, 2, 4, 4))])
def test_spectral_norm(make, x):
    torch.manual_seed(0)
    layer = utils.spectral_norm(make(), n_power_iterations=50)
    x = torch.randn(*x)
    layer(x).sum().backward()
    matrix = layer.weight.detach()
    matrix = (matrix.transpose(0, 1) if matrix.dim() == 4 else matrix).flatten(1)
    assert torch.linalg.matrix_norm(matrix, 2).item() == pytest.approx(1, abs=1e-4)
    assert layer.weight_orig.grad is not None and set(dict(layer.named_buffers())) == {"weight_u", "weight_v"}
    u = layer.weight_u.clone()
    layer.eval()(x)
    assert torch.equal(u, layer.weight_u)
    state = layer.state_dict()
    assert state._metadata[""]["spectral_norm"] == {"weight.version": 1}
    assert str(utils.spectral_norm(make()).load_state_dict(state)) == "<All keys matched successfully>"
    utils.remove_spectral_norm(layer)
    assert isinstance(layer.weight, nn.Parameter) and "weight_u" not in layer.state_dict() and not layer._state_dict_hooks
    with pytest.raises(ValueError, match="spectral_norm of 'weight' not found"):
        utils.remove_spectral_norm(layer)


def test_spectral_norm_refusals():
    with pytest.raises(ValueError, match="Expected n_power_iterations to be positive, but got n_power_iterations=0"):
        utils.spectral_norm(nn.Linear(2, 3), n_power_iterations=0)
    with pytest.raises(RuntimeError, match="Cannot register two spectral_norm hooks on the same parameter weight"):
        utils.spectral_norm(utils.spectral_norm(nn.Linear(2, 3)))
    with pytest.raises(ValueError, match="`SpectralNorm` cannot be applied as parameter `bias` is None"):
        utils.spectral_norm(nn.Linear(2, 3, bias=False), "bias")


def trained(norm, x):
    norm(x)
    with torch.no_grad():
        norm.weight.uniform_(0.5, 2)
        norm.bias.normal_()
    return norm.eval()


@pytest.mark.parametrize("bias", [True, False])
def test_fusion(bias):
    conv, x = nn.Conv2d(2, 3, 2, bias=bias).eval(), torch.randn(4, 2, 5, 5)
    norm = trained(nn.BatchNorm2d(3), conv(x))
    assert torch.allclose(utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-5)
    conv = nn.ConvTranspose2d(2, 3, 2, bias=bias).eval()
    norm = trained(nn.BatchNorm2d(3), conv(x))
    assert torch.allclose(utils.fuse_conv_bn_eval(conv, norm, transpose=True)(x), norm(conv(x)), atol=1e-5)
    linear, x = nn.Linear(2, 3, bias=bias).eval(), torch.randn(4, 2)
    norm = trained(nn.BatchNorm1d(3), linear(x))
    fused = utils.fuse_linear_bn_eval(linear, norm)
    assert torch.allclose(fused(x), norm(linear(x)), atol=1e-5) and isinstance(fused.bias, nn.Parameter)
    with pytest.raises(AssertionError, match="Fusion only for eval!"):
        utils.fuse_linear_bn_eval(linear.train(), norm)
    with pytest.raises(AssertionError, match="To fuse, linear.out_features == bn.num_features or bn.num_features == 1"):
        utils.fuse_linear_bn_eval(linear.eval(), nn.BatchNorm1d(4).eval())


def test_memory_formats():
    net = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Linear(2, 2), nn.Conv3d(2, 3, 2))
    utils.convert_conv2d_weight_memory_format(net, torch.channels_last)
    assert net[0].weight.is_contiguous(memory_format=torch.channels_last) and net[2].weight.is_contiguous()
    utils.convert_conv3d_weight_memory_format(net, torch.channels_last_3d)
    assert net[2].weight.stride() == (16, 1, 8, 4, 2)


def test_skip_init():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = torch.get_rng_state()
        layer = utils.skip_init(nn.Linear, 2, 3, dtype=torch.float64)
    assert layer.weight.shape == (3, 2) and layer.weight.dtype == torch.float64 and layer.weight.device.type != "meta"
    assert torch.equal(state, torch.get_rng_state())
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg to skip initialization"):
        utils.skip_init(nn.ReLU)
    with pytest.raises(RuntimeError, match="Expected a Module; got <class 'int'>"):
        utils.skip_init(int)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_gradients_of_convolutions_as_functions(dims):
    x, weight = torch.randn(2, 4, *[6] * dims, requires_grad=True), torch.randn(6, 2, *[3] * dims, requires_grad=True)
    options = {"stride": 2, "padding": 1, "groups": 2}
    made = getattr(nn.functional, f"conv{dims}d")(x, weight, **options)
    grad = torch.randn(made.shape)
    made.backward(grad)
    of_input, of_weight = getattr(nn.grad, f"conv{dims}d_input"), getattr(nn.grad, f"conv{dims}d_weight")
    assert torch.allclose(of_input(x.shape, weight.detach(), grad, **options), x.grad, atol=1e-5)
    assert torch.allclose(of_weight(x.detach(), weight.shape, grad, **options), weight.grad, atol=1e-4)


@pytest.mark.parametrize("dim", [0, 1])
def test_spectral_norm_of_states_before_v_was_kept(dim):
    torch.manual_seed(0)
    layer = utils.spectral_norm(nn.Linear(3, 4), dim=dim)
    state = layer.state_dict()
    sigma = 2.5
    state["weight"] = state["weight_orig"] / sigma
    del state["weight_v"], state._metadata[""]["spectral_norm"]
    layer.load_state_dict(state)
    layer.eval()(torch.ones(3))  # without power iteration: the weight that was saved
    assert torch.allclose(layer.weight, state["weight_orig"] / sigma, atol=1e-5)
    del state["weight"]
    with pytest.raises(RuntimeError, match="Missing key"):
        layer.load_state_dict(state)


def test_hooks_of_one_parameter_alone():
    linear = old_weight_norm(old_weight_norm(nn.Linear(2, 3)), name="bias", dim=None)
    utils.remove_weight_norm(linear, "bias")
    assert [name for name, _ in linear.named_parameters()] == ["weight_g", "weight_v", "bias"]
    with pytest.raises(ValueError, match="weight_norm of 'bias' not found in Linear"):
        utils.remove_weight_norm(linear, "bias")
    with pytest.raises(ValueError, match="spectral_norm of 'weight' not found in Linear"):
        utils.remove_spectral_norm(linear)


def test_pad_packed_sequence_refuses_a_total_that_is_too_short():
    packed = utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)])
    for total in (0, 2):
        with pytest.raises(ValueError, match=f"got total_length={total} and max sequence length being 3"):
            utils.rnn.pad_packed_sequence(packed, total_length=total)
    assert utils.rnn.pad_packed_sequence(packed, total_length=4)[0].shape == (4, 2)


def test_global_pruning_takes_what_earlier_prunings_left():
    prune = nn.utils.prune
    a, b = nn.Linear(2, 1, bias=False), nn.Linear(3, 1, bias=False)
    a.weight.data, b.weight.data = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0, 5.0]])
    prune.custom_from_mask(a, "weight", torch.tensor([[0.0, 1.0]]))
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=2)
    assert a.weight_mask.tolist() == [[0, 0]] and b.weight_mask.tolist() == [[0, 1, 1]]

    class NoMethod:
        PRUNING_TYPE = "unstructured"

    with pytest.raises(TypeError, match="NoMethod'> is not a BasePruningMethod subclass$"):
        prune.global_unstructured([(a, "weight")], NoMethod)
