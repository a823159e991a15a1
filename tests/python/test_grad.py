"""The tape from Python: leaves, backward, grad, in-place rules, no_grad."""

import pytest

import karat


def test_backward_of_the_eight():
    x = karat.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = karat.tensor([[0.5, 1.0], [1.5, 2.0]], requires_grad=True)
    y = ((x @ w + x * 2).to(karat.float64)[0] * 3).add_(1).exp().sum()
    y.backward()
    assert y.grad_fn.name() == "SumBackward0" and x.grad.dtype is karat.float32
    assert x.grad[1].tolist() == [0.0, 0.0] and all(g > 0 for g in x.grad[0].tolist())
    assert w.grad.shape == (2, 2)


def test_values():
    x = karat.tensor([2.0, 3.0], requires_grad=True)
    (x * x + x).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]
    (x * x).sum().backward()
    assert x.grad.tolist() == [9.0, 13.0]
    x.grad = None
    assert x.grad is None


def test_the_gradient_is_one_object():
    x = karat.tensor([2.0], requires_grad=True)
    (x * 3).backward()
    assert x.grad is x.grad
    g = x.grad
    (x * 3).backward()
    assert x.grad is g and g.item() == 6.0


def test_chain_of_twenty():
    x, w = karat.ones(1, requires_grad=True), karat.tensor([1.01])
    y = x
    for _ in range(20):
        y = y * w
    y.backward()
    assert x.grad.item() == pytest.approx(1.01**20, rel=1e-5)


def test_questions():
    x = karat.ones(2, requires_grad=True)
    y = x * 2
    assert x.is_leaf and x.grad_fn is None and x.requires_grad
    assert not y.is_leaf and y.requires_grad and y.grad_fn.name() == "MulBackward0"
    assert repr(y.grad_fn).startswith("<MulBackward0 object at 0x")
    assert not y.detach().requires_grad and y.detach().tolist() == [2.0, 2.0]
    assert karat.ones(1).requires_grad_().requires_grad
    assert not karat.ones(1, requires_grad=True).requires_grad_(False).requires_grad


def test_gradient_argument():
    x = karat.ones(2, requires_grad=True)
    (x * 2).backward(karat.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2.0, 20.0]
    (x * 2).backward(gradient=karat.tensor([1.0, 1.0], dtype=karat.float64))
    assert x.grad.tolist() == [4.0, 22.0] and x.grad.dtype is karat.float32


def test_retain_graph():
    x = karat.ones(1, requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 4.0
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.backward()


def test_no_grad():
    x = karat.ones(1, requires_grad=True)
    with karat.no_grad():
        assert not (x * 2).requires_grad and not karat.is_grad_enabled()
        with karat.enable_grad():
            assert (x * 2).requires_grad
    assert karat.is_grad_enabled() and (x * 2).requires_grad

    @karat.no_grad()
    def without():
        return x * 2

    assert not without().requires_grad and without.__name__ == "without"
    with karat.set_grad_enabled(False):
        assert not karat.is_grad_enabled()
    assert karat.is_grad_enabled()


@pytest.mark.parametrize(
    "do, error, text",
    [
        (
            lambda x: x.add_(1),
            RuntimeError,
            "a leaf Variable that requires grad is being used in an in-place operation.",
        ),
        (
            lambda x: karat.ones(2).backward(),
            RuntimeError,
            "element 0 of tensors does not require grad and does not have a grad_fn",
        ),
        (lambda x: x.backward(), RuntimeError, "grad can be implicitly created only for scalar outputs"),
        (
            lambda x: setattr(x, "grad", 3),
            TypeError,
            "assigned grad expected to be a Tensor or None but got grad of type int",
        ),
        (
            lambda x: setattr(karat.tensor([1]), "requires_grad", True),
            RuntimeError,
            "only Tensors of floating point and complex dtype can require gradients",
        ),
        (
            lambda x: karat.tensor([1]).requires_grad_(),
            RuntimeError,
            "only Tensors of floating point dtype can require gradients",
        ),
        (lambda x: setattr(x, "requires_grad", 3), RuntimeError, "requires_grad must be a bool"),
        (
            lambda x: x.requires_grad_(3),
            TypeError,
            "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not int",
        ),
    ],
)
def test_refusals(do, error, text):
    with pytest.raises(error) as e:
        do(karat.ones(2, requires_grad=True))
    assert str(e.value).splitlines()[0] == text


def test_a_write_after_saving_is_named_with_both_lines():
    x = karat.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError) as e:
        y.sum().backward()
    first, *rest = str(e.value).splitlines()
    assert first.startswith(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
    )
    assert "is at version 1; expected version 0 instead" in first
    assert sum("test_grad.py:" in line for line in rest) >= 1, rest


@pytest.mark.parametrize("name", ["eq_", "ne_", "lt_", "le_", "gt_", "ge_", "greater_", "less_equal_", "not_equal_"])
def test_a_comparison_in_place_is_flat(name):
    x, limit = karat.tensor([1.0, 2.0], requires_grad=True), karat.tensor([1.5, 1.0], requires_grad=True)
    y = x * 3
    getattr(y, name)(limit)
    assert y.requires_grad and y.grad_fn.name().endswith("Backward1")
    y.sum().backward()
    assert x.grad.tolist() == [0, 0] and limit.grad.tolist() == [0, 0]
    z = karat.zeros(2)  # what had no history gets one by the operand
    assert getattr(z, name)(limit).requires_grad
    assert not (x == limit).requires_grad


@pytest.mark.parametrize("write", [lambda t: t.xlogy_(1), lambda t: t.clamp_(), lambda t: t.trunc_(), lambda t: t.absolute_()])
def test_a_leaf_is_refused_before_what_is_asked_of_it(write):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        write(karat.tensor([1j], requires_grad=True))
    plain = karat.tensor([1j])
    with pytest.raises(Exception) as seen:
        write(plain)
    assert "leaf" not in str(seen.value) and plain.tolist() == [1j]


def test_a_view_of_what_gained_a_history_is_no_leaf():
    base, x = karat.ones(3), karat.ones(3, requires_grad=True)
    view = base[1:]
    assert view.is_leaf
    base.mul_(x)
    assert view.requires_grad and not view.is_leaf and view.grad_fn is not None


def test_nodes_that_say_where_they_live():
    x = karat.ones(2, requires_grad=True)
    assert (x // 2.0).grad_fn.name() == "torch::autograd::NotImplemented"
    assert x.log1p().grad_fn.name() == "Log1PBackward0"


@pytest.mark.parametrize("write", ["normal_", "uniform_", "random_", "bernoulli_", "cauchy_", "exponential_", "log_normal_"])
def test_a_draw_is_one_write(write):
    t = karat.ones(3)
    getattr(t, write)()
    assert t._version == 1


def test_dims_of_one_element_are_repeats():
    one = karat.tensor(2.0)
    assert one.expand(1).stride() == (0,) and one.expand(3, 1).stride() == (0, 0)
    x = karat.ones(2, 1, requires_grad=True)
    assert karat.autograd.grad(x.sum(), x)[0].stride() == (0, 0)


LINEAR = {
    "sign": lambda x: x.sign(),
    "lerp": lambda x: karat.lerp(x, x, 0.5),
    "lerp_": lambda x: x.clone().lerp_(x, 0.5),
    "trapezoid": lambda x: karat.trapezoid(x),
    "trapezoid, dx": lambda x: karat.trapezoid(x, dx=2),
    "cumulative_trapezoid": lambda x: karat.cumulative_trapezoid(x),
}


@pytest.mark.parametrize("name", LINEAR)
def test_what_saves_no_tensor_is_gone_through_again(name):
    x = karat.tensor([1.0, 2.0, 4.0], requires_grad=True)
    y = LINEAR[name](x).sum()
    y.backward()
    once = x.grad.clone()
    y.backward()
    assert x.grad.equal(2 * once)


def test_a_weight_that_is_a_tensor_is_saved():
    x = karat.ones(3, requires_grad=True)
    y = karat.lerp(x, x, karat.tensor(0.5)).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="^Trying to backward through the graph a second time"):
        y.backward()


@pytest.mark.parametrize("f", [lambda x: karat.nn.functional.nll_loss(x, karat.tensor([0, 2])),
                               lambda x: karat.nn.functional.nll_loss(x, karat.tensor([0, 2]), reduction="none").sum(),
                               lambda x: karat.nn.functional.nll_loss(x[None], karat.tensor([[0, 1, 1]])),
                               lambda x: karat.copysign(x, -1.0).sum(), lambda x: karat.copysign(x, x.detach()).sum()])
def test_a_gradient_hangs_on_an_operand_that_it_does_not_change_with(f):
    x = karat.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    g, = karat.autograd.grad(f(x), x, create_graph=True)
    assert g.requires_grad and g.count_nonzero() > 0
    g.pow(2).mean().backward()
    assert karat.allclose(x.grad, karat.zeros(2, 3), atol=1e-7)


def test_nll_loss_saves_its_input():
    x = karat.ones(2, 3, requires_grad=True)
    y = x * 1
    loss = karat.nn.functional.nll_loss(y, karat.tensor([0, 1]))
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_cat_of_nothing_along_any_dim():
    """Empty 1-dim tensors are left out of a cat, whatever its dim: so is their gradient's."""
    a, b = karat.zeros(0, requires_grad=True), karat.zeros(0, requires_grad=True)
    for dim in (-2, 0, 3):
        assert [g.shape for g in karat.autograd.grad(karat.cat([a, b], dim).sum(), [a, b])] == [(0,), (0,)]


def test_prelu_with_a_frozen_weight_is_flat():
    x = karat.randn(2, 3, dtype=karat.float64, requires_grad=True)
    slope, = karat.autograd.grad(karat.nn.functional.prelu(x, karat.ones(1, dtype=karat.float64)).sum(), x, create_graph=True)
    assert karat.autograd.grad(slope.sum(), x)[0].tolist() == [[0, 0, 0], [0, 0, 0]]
