"""karat.nn.init: PyTorch's numbers for the same seed, in place and without a gradient; refusals and warnings with its words."""

import math

import karat as torch
import pytest
from karat.nn import init

DRAWN = [  # of torch.empty(3, 2), after torch.manual_seed(3)
    (lambda t: init.uniform_(t, -1, 3), [-0.982946, -0.577723, 0.14337, -0.892181, 0.886457, -0.759535]),
    (lambda t: init.normal_(t, 1, 2), [2.606552, 1.349667, 1.177956, -0.227436, 1.092365, -1.736518]),
    (lambda t: init.trunc_normal_(t), [-1.929738, -1.157588, -0.537136, -1.659788, -0.067967, -1.40419]),
    (lambda t: init.xavier_uniform_(t, 2.0), [-2.172209, -1.728309, -0.938391, -2.07278, -0.12438, -1.927474]),
    (lambda t: init.xavier_normal_(t), [0.508036, 0.110574, 0.056275, -0.388149, 0.029208, -0.865363]),
    (lambda t: init.kaiming_uniform_(t, 0.5), [-1.535983, -1.222099, -0.663543, -1.465677, -0.08795, -1.36293]),
    (lambda t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="relu"),
     [0.655872, 0.142751, 0.07265, -0.501099, 0.037708, -1.117179]),
    (lambda t: init.orthogonal_(t), [0.992302, 0.097435, 0.109916, -0.408609, 0.05705, -0.907494]),
    (lambda t: init.sparse_(t, 0.4), [0.0, 0.0, 0.00089, -0.006137, 0.0, 0.0]),
]


@pytest.mark.cpu_only("other devices draw other numbers")
@pytest.mark.parametrize("draw, values", DRAWN)
def test_numbers(draw, values):
    torch.manual_seed(3)
    t = torch.empty(3, 2, requires_grad=True)
    made = draw(t)
    assert made is t and t.requires_grad and t.is_leaf
    assert t.flatten().tolist() == pytest.approx(values, abs=2e-6)


@pytest.mark.cpu_only("other devices draw other numbers")
@pytest.mark.parametrize("draw", [init.uniform_, init.normal_, init.trunc_normal_, init.xavier_uniform_, init.xavier_normal_,
                                  init.kaiming_uniform_, init.kaiming_normal_, init.orthogonal_])
def test_a_generator_of_the_caller(draw):
    state = torch.get_rng_state()
    a = draw(torch.empty(4, 3), generator=torch.Generator().manual_seed(5))
    b = draw(torch.empty(4, 3), generator=torch.Generator().manual_seed(5))
    assert torch.equal(a, b) and torch.equal(state, torch.get_rng_state())


def test_constants():
    assert init.constant_(torch.empty(2), 0.5).tolist() == [0.5, 0.5]
    assert init.ones_(torch.empty(2)).tolist() == [1, 1] and init.zeros_(torch.empty(2)).tolist() == [0, 0]
    assert init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert init.eye_(torch.empty(3, 2, requires_grad=True)).requires_grad


@pytest.mark.parametrize("sizes, groups", [((4, 4, 3), 1), ((4, 2, 3, 3), 2), ((2, 3, 1, 3, 3), 1)])
def test_dirac_keeps_channels(sizes, groups):
    weight = init.dirac_(torch.empty(sizes), groups)
    dims = len(sizes) - 2
    x = torch.randn(1, sizes[1] * groups, *[5] * dims)
    convolve = getattr(torch.nn.functional, f"conv{dims}d")
    made = convolve(x, weight, groups=groups, padding=[k // 2 for k in sizes[2:]])
    each = sizes[0] // groups
    for group in range(groups):
        for channel in range(min(each, sizes[1])):
            assert torch.allclose(made[0, group * each + channel], x[0, group * sizes[1] + channel])


@pytest.mark.parametrize("sizes", [(3, 5), (5, 3), (4, 4), (4, 3, 2)])
def test_orthogonal_is_orthogonal(sizes):
    t = init.orthogonal_(torch.empty(sizes, dtype=torch.float64), gain=2.0).flatten(1)
    small = t @ t.T if t.shape[0] <= t.shape[1] else t.T @ t
    assert torch.allclose(small, 4 * torch.eye(min(t.shape), dtype=torch.float64))


def test_truncated_numbers_are_in_range():
    t = init.trunc_normal_(torch.empty(10000), 1.0, 2.0, 0.0, 3.0)
    assert t.min() >= 0 and t.max() <= 3 and 1.3 < t.mean() < 1.6


def test_gains():
    names = ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
    assert [init.calculate_gain(name) for name in names] == [1, 1, 1, 5 / 3, math.sqrt(2), math.sqrt(2 / 1.0001), 0.75]
    assert init.calculate_gain("leaky_relu", 0.2) == math.sqrt(2 / 1.04)


@pytest.mark.parametrize("call, kind, text", [
    (lambda: init.calculate_gain("foo"), ValueError, "Unsupported nonlinearity foo"),
    (lambda: init.calculate_gain("leaky_relu", True), ValueError, "negative_slope True not a valid number"),
    (lambda: init.eye_(torch.empty(3)), ValueError, "Only tensors with 2 dimensions are supported"),
    (lambda: init.dirac_(torch.empty(3)), ValueError, "Only tensors with 3, 4, or 5 dimensions are supported"),
    (lambda: init.dirac_(torch.empty(3, 3, 3), 2), ValueError, "dim 0 must be divisible by groups"),
    (lambda: init.xavier_uniform_(torch.empty(3)), ValueError,
     "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"),
    (lambda: init.kaiming_normal_(torch.empty(3, 3), mode="foo"), ValueError,
     r"Mode foo not supported, please use one of \['fan_in', 'fan_out'\]"),
    (lambda: init.orthogonal_(torch.empty(3)), ValueError, "Only tensors with 2 or more dimensions are supported"),
    (lambda: init.sparse_(torch.empty(3), 0.1), ValueError, "Only tensors with 2 dimensions are supported"),
    (lambda: init.normal_(torch.empty(3), 0, -1), RuntimeError, "normal expects std >= 0.0"),
    (lambda: init.uniform_(torch.empty(3), 1, 0), RuntimeError, r"uniform_ expects to return a \[from, to\) range"),
])
def test_refusals(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_warnings():
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        init.kaiming_uniform_(torch.empty(0, 3))
    with pytest.warns(UserWarning, match=r"mean is more than 2 std from \[a, b\]"):
        init.trunc_normal_(torch.empty(3), 9, 0.1)
    with pytest.warns(FutureWarning, match="`nn.init.constant` is now deprecated in favor of `nn.init.constant_`."):
        assert init.constant(torch.empty(2), 2).tolist() == [2, 2]


def test_a_subclass_sees_the_call():
    calls = []

    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    init.uniform_(torch.empty(2).as_subclass(Mine))
    assert calls[0] is init.uniform_
    calls.clear()
    init.kaiming_uniform_(torch.empty(2, 2).as_subclass(Mine), mode="fan_out")
    assert calls[0] is init.kaiming_uniform_


@pytest.mark.parametrize("sizes", [(30, 50), (40, 20, 5), (16, 8, 3, 3)])
def test_deviations_follow_from_fans_and_gains(sizes):
    t, kernel = torch.empty(sizes, dtype=torch.float64), math.prod(sizes[2:])
    fan_in, fan_out = sizes[1] * kernel, sizes[0] * kernel
    for draw, std in ((lambda t: init.xavier_normal_(t, 3.0), 3.0 * math.sqrt(2 / (fan_in + fan_out))),
                      (lambda t: init.xavier_uniform_(t, 3.0), 3.0 * math.sqrt(2 / (fan_in + fan_out))),
                      (lambda t: init.kaiming_normal_(t, nonlinearity="relu"), math.sqrt(2 / fan_in)),
                      (lambda t: init.kaiming_uniform_(t, 0.5, "FAN_OUT"), math.sqrt(2 / 1.25 / fan_out))):
        assert draw(t).std().item() == pytest.approx(std, rel=0.12) and abs(t.mean().item()) < std / 4
        if "uniform" in "".join(draw.__code__.co_names):
            assert t.abs().max() <= math.sqrt(3) * std
    bound = 1 / math.sqrt(fan_in)
    linear = torch.nn.Linear(fan_in, 7)
    assert linear.weight.abs().max() <= bound and linear.bias.abs().max() <= bound


@pytest.mark.parametrize("sizes, sparsity, zeros", [((5, 3), 0.4, 2), ((10, 4), 0.25, 3), ((4, 2), 0.0, 0), ((3, 2), 1.0, 3),
                                                    ((3, 2), 2.0, 3)])
def test_each_column_has_its_zeros(sizes, sparsity, zeros):
    assert init.sparse_(torch.empty(sizes), sparsity, std=1.0).eq(0).sum(0).tolist() == [zeros] * sizes[1]


def test_nothing_to_draw():
    assert init.sparse_(torch.empty(3, 0), 0.5).shape == (3, 0)
    assert init.orthogonal_(torch.empty(0, 3)).shape == (0, 3)
    with pytest.warns(UserWarning, match="no-op") as said:
        assert init.kaiming_normal_(torch.empty(0, 3), mode="neither").shape == (0, 3)
    assert said[0].filename == __file__


def test_orthogonal_into_any_layout():
    turned = torch.empty(5, 3, dtype=torch.float64).t()
    assert torch.allclose(init.orthogonal_(turned) @ turned.t(), torch.eye(3, dtype=torch.float64))


def test_private_names_that_public_code_imports():
    from karat.nn.init import _calculate_correct_fan, _calculate_fan_in_and_fan_out, _no_grad_uniform_

    t = torch.empty(3, 4, 5)
    assert _calculate_fan_in_and_fan_out(t) == (20, 15)
    assert [_calculate_correct_fan(t, mode) for mode in ("fan_in", "Fan_Out")] == [20, 15]
    assert _no_grad_uniform_(t.requires_grad_(), 1, 2).min() >= 1 and t.grad_fn is None
    with pytest.raises(AttributeError, match="module 'karat.nn.init' has no attribute '_calculate_nothing'"):
        init._calculate_nothing
