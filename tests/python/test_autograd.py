"""autograd.grad: gradients given to the caller, the leaves' own left alone."""

import pytest

import karat


def leaf(*values):
    return karat.tensor(values, requires_grad=True)


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def test_leaves():
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (da, db) = karat.autograd.grad((a * b).sum(), [a, b])
    assert da.tolist() == [3.0, 4.0] and db.tolist() == [1.0, 2.0]
    assert a.grad is None and b.grad is None
    (one,) = karat.autograd.grad((a * a).sum(), a)
    assert one.tolist() == [2.0, 4.0]


def test_between():
    a = leaf(2.0, 3.0)
    middle = a * a
    out = (middle * middle).sum()
    (dm,) = karat.autograd.grad(out, middle, retain_graph=True)
    assert dm.tolist() == [8.0, 18.0]
    da, dm, again = karat.autograd.grad(out, [a, middle, a])
    assert da.tolist() == [32.0, 108.0] and dm.tolist() == [8.0, 18.0] and again.tolist() == da.tolist()
    assert a.grad is None


def test_several_outputs_and_their_gradients():
    a = leaf(1.0, 2.0)
    (d,) = karat.autograd.grad([a * 2, a * 3], [a], [karat.ones(2), karat.tensor([1.0, 10.0])])
    assert d.tolist() == [5.0, 32.0]
    (d,) = karat.autograd.grad([(a * 2).sum(), a * 3], [a], [None, karat.ones(2)])
    assert d.tolist() == [5.0, 5.0]
    (d,) = karat.autograd.grad(a, a, karat.ones(2))
    assert d.tolist() == [1.0, 1.0]


def test_second_derivative():
    a = leaf(2.0)
    (d,) = karat.autograd.grad((a * a * a).sum(), a, create_graph=True)
    assert d.requires_grad and d.tolist() == [12.0]
    (dd,) = karat.autograd.grad(d.sum(), a)
    assert dd.tolist() == [12.0] and not dd.requires_grad


def test_unused():
    a, b = leaf(1.0), leaf(1.0)
    out = (a * 2).sum()
    text = refusal(RuntimeError, lambda: karat.autograd.grad(out, [a, b], retain_graph=True))
    assert text == (
        "One of the differentiated Tensors appears to not have been used in the graph. "
        "Set allow_unused=True if this is the desired behavior."
    )
    da, db = karat.autograd.grad(out, [a, b], allow_unused=True)
    assert da.tolist() == [2.0] and db is None


def test_refusals():
    a = leaf(1.0, 2.0)
    grad = karat.autograd.grad
    assert refusal(RuntimeError, lambda: grad(a * 2, a)) == "grad can be implicitly created only for scalar outputs"
    assert refusal(RuntimeError, lambda: grad(karat.ones(1), a)) == (
        "element 0 of tensors does not require grad and does not have a grad_fn"
    )
    assert refusal(RuntimeError, lambda: grad((a * 2).sum(), karat.ones(2))) == (
        "One of the differentiated Tensors does not require grad"
    )
    assert refusal(ValueError, lambda: grad((a * 2).sum(), [])) == "grad requires non-empty inputs."
    out = (a * a).sum()
    grad(out, a)
    assert refusal(RuntimeError, lambda: grad(out, a)).startswith("Trying to backward through the graph a second time")
    with pytest.raises(TypeError):
        grad(out, [1])


def test_wide_and_deep():
    """The engine's heap grows past its first room, and a chain is as deep as it wants."""
    leaves = [leaf(float(i)) for i in range(100)]
    out = leaves[0] * 1
    for one in leaves[1:]:
        out = out + one * 2
    for _ in range(2000):
        out = out + 1
    for i, d in enumerate(karat.autograd.grad(out, leaves)):
        assert d.item() == (2.0 if i else 1.0)
