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
