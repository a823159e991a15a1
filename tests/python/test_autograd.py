"""autograd.grad: gradients given to the caller, the leaves' own left alone."""

import threading
import warnings

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
    assert refusal(RuntimeError, lambda: grad(out, [1])) == "all inputs have to be Tensors or GradientEdges, but got int"
    assert refusal(AssertionError, lambda: grad("a", a)) == "Expected output to be a torch.Tensor"
    with pytest.warns(FutureWarning, match="`grad_variables` is deprecated"):
        karat.autograd.backward((a * 2).sum(), grad_variables=karat.tensor(2.0))
    with pytest.warns(FutureWarning), pytest.raises(RuntimeError, match="arguments both passed to `backward"):
        karat.autograd.backward((a * 2).sum(), karat.tensor(2.0), grad_variables=karat.tensor(2.0))


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


def in_a_small_stack(work):
    """Runs work in a thread whose stack a nested call for each link of a chain would leave."""
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()


@pytest.mark.parametrize("step", [lambda y, x: y * x, lambda y, x: y.mul_(x), lambda y, x: y.sin(), lambda y, x: y.view(2),
                                  lambda y, x: y[:1].mul_(x[:1]).expand(2)])
def test_a_graph_that_nobody_ran_is_freed_link_by_link(step):
    def work():
        x = karat.ones(2, requires_grad=True)
        y = x * 1
        for _ in range(10_000):
            y = step(y, x)

    in_a_small_stack(work)


def test_gradients_of_gradients_are_freed_link_by_link():
    def work():
        for again in (lambda t: t, lambda t: t * 2):
            last = karat.ones(1, requires_grad=True)
            for _ in range(10_000):
                link = karat.ones(1, requires_grad=True)
                link.grad = again(last)
                last = link

    in_a_small_stack(work)


# ---- what has no derivative, and what is flat ----


def test_derivatives_that_pytorch_names_and_does_not_have():
    x, one = karat.rand(3, requires_grad=True), karat.ones(3)
    for y in (karat.nextafter(x, one), karat.nextafter(one, x), (x * 1).nextafter_(one)):
        assert y.requires_grad and y.grad_fn.name() == "NextafterBackward0"
        with pytest.raises(NotImplementedError, match="^the derivative for 'nextafter' is not implemented."):
            y.sum().backward()
    for y, name in ((karat.bernoulli(x, 0.5), "bernoulli"), (karat.detach_copy(x), "detach_copy"),
                    (karat.heaviside(x, one), "heaviside"), (x // 2, "floor_divide")):
        assert y.grad_fn.name().endswith("NotImplemented")
        with pytest.raises(RuntimeError, match=f"^derivative for aten::{name} is not implemented"):
            y.sum().backward()


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_a_comparison_written_in_place_is_flat(name):
    for other in (2.0, karat.ones(3), karat.ones(3, requires_grad=True)):
        x = karat.ones(3, requires_grad=True)
        y = getattr(x * 2, name + "_")(other)
        assert y.grad_fn.name() == f"{name.capitalize()}Backward{int(not isinstance(other, float))}"
        y.sum().backward()
        assert x.grad.tolist() == [0, 0, 0]
        if getattr(other, "requires_grad", False):
            assert other.grad.tolist() == [0, 0, 0]
    assert not getattr(karat, name)(x, x).requires_grad


def test_zeros_for_inputs_that_had_no_part_require_grad_with_the_graph():
    x, y = karat.ones(2, requires_grad=True), karat.ones(2, requires_grad=True)
    for create in (False, True):
        _, zeros = karat.autograd.grad(x.sum(), (x, y), create_graph=create, materialize_grads=True)
        assert zeros.tolist() == [0, 0] and zeros.requires_grad is create


# ---- warnings of backward ----


def warnings_of(function):
    before = karat.is_warn_always_enabled()
    karat.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function()
    finally:
        karat.set_warn_always(before)
    return [str(w.message) for w in caught]


def test_backward_with_create_graph_warns_of_the_cycle():
    x = karat.ones(2, requires_grad=True)
    for function in ((x * x).sum().backward, lambda **k: karat.autograd.backward((x * x).sum(), **k)):
        text, = warnings_of(lambda: function(create_graph=True))
        assert text.startswith("Using backward() with create_graph=True will create a reference cycle between the parameter")
    assert warnings_of(lambda: karat.autograd.grad((x * x).sum(), x, create_graph=True)) == []
    assert warnings_of((x * x).sum().backward) == []


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("dtype", [karat.float16, karat.float32, karat.float64])
def test_the_real_part_of_a_gradient_is_no_loss(dtype, create_graph):
    def into(x):
        z = karat.zeros(3, dtype=karat.complex64)
        return z.copy_(x)

    for function in (lambda x: x.to(karat.complex64), into, lambda x: x * 1j, lambda x: karat.cat([x, karat.ones(2) * 1j])):
        x = karat.ones(3, dtype=dtype, requires_grad=True)
        y = function(x)
        given = karat.full(y.shape, 2 + 1j, dtype=y.dtype)
        seen = warnings_of(lambda: karat.autograd.grad(y, x, given, create_graph=create_graph))
        assert not [warning for warning in seen if "ComplexHalf" not in warning]  # of the dtype, not of a loss


def test_a_leaf_that_is_an_output_several_times():
    x, seen = karat.tensor([1.0, 2.0], requires_grad=True), []
    ones = [karat.full((2,), float(i)) for i in range(1, 4)]
    y = x * 10
    assert karat.autograd.grad([x, x], x, ones[:2])[0].tolist() == [3, 3]
    assert karat.autograd.grad([x, y, x], [x, y, x], ones, retain_graph=True)[0].tolist() == [24, 24]
    x.register_hook(lambda g: seen.append(g.tolist()))
    karat.autograd.backward([x, y, x], ones)
    assert seen == [[24, 24]] and x.grad.tolist() == [24, 24]  # one hook, when the gradient is complete


RETURNED = {
    "itself": lambda x: x,
    "twice": lambda x: (x, x),
    "one_result_twice": lambda x: (lambda y: (y, y))(x * 2),
    "beside_a_result": lambda x: (x, x * x, x),
    "views": lambda x: (x.view(-1), x[0], x, x.view_as(x)),
    "constants": lambda x: (karat.ones(2), x, x.detach(), x),
    "nest": lambda x: {"a": x, "b": [x, (x * x, x)]},
    "parts": lambda x: x.unbind() + x.unbind(),
    "written": lambda x: (lambda y: (y[0].mul_(3), y, y[0]))(x.clone()),
    "repeated": lambda x: (x.expand(3, 2), x),
}


@pytest.mark.parametrize("name", RETURNED)
def test_one_cotangent_for_each_output_of_a_transformed_function(name):
    from karat.func import jacfwd, jacrev, jvp, linearize, vjp, vmap
    from karat.utils import _pytree as pytree

    f, x, v = RETURNED[name], karat.tensor([2.0, 3.0]), karat.tensor([1.0, 10.0])
    columns = pytree.tree_leaves(jacfwd(f)(x))
    for rows in (jacrev(f)(x), jacrev(f, chunk_size=1)(x), [j[0] for j in pytree.tree_leaves(vmap(jacrev(f))(x[None]))]):
        rows = pytree.tree_leaves(rows)
        assert len(rows) == len(columns) and all(map(karat.equal, rows, columns))
    outputs, products = vjp(f, x)
    leaves, spec = pytree.tree_flatten(outputs)
    cotangents = [karat.full_like(out, i + 1.0) for i, out in enumerate(leaves)]
    expected = sum((i + 1.0) * j.reshape(-1, 2).sum(0) for i, j in enumerate(columns))
    for _ in range(2):  # the graph stays
        assert products(pytree.tree_unflatten(cotangents, spec))[0].tolist() == expected.tolist()
    slopes = [j.reshape(-1, 2) @ v for j in columns]
    for found in (jvp(f, (x,), (v,))[1], linearize(f, x)[1](v)):
        assert all(one.reshape(-1).tolist() == two.tolist() for one, two in zip(pytree.tree_leaves(found), slopes))


@pytest.mark.parametrize("names", ("a", "b", "c", "ab", "bc", "abc"))
def test_hooks_of_the_nodes_that_inputs_name(names):
    a, log = karat.tensor([1.0, 2.0], requires_grad=True), []
    b = a * 2
    c = b * 3
    for name, t in (("b", b), ("c", c)):
        t.grad_fn.register_prehook(lambda grads, name=name: (log.append("before " + name), (grads[0] * 10,))[1])
        t.grad_fn.register_hook(lambda inputs, results, name=name: log.append(
            (name, inputs[0] is not None, results[0].tolist())))
    c.sum().backward(inputs=[{"a": a, "b": b, "c": c}[name] for name in names])
    first = min(names)  # nothing flows on from there
    expected = ["before c", ("c", first != "c", [10, 10])]
    if first != "c":
        expected += ["before b", ("b", first != "b", [300, 300])]
    assert log == expected
    assert [t.grad is not None for t in (a, b, c)] == [name in names for name in "abc"]
