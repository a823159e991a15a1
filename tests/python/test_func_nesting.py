"""Forward mode, backward and vmap inside each other (karat.func): what they give is compared with one of them alone."""

import pytest

import karat
from karat.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


@pytest.fixture
def x():
    karat.manual_seed(3)
    return karat.randn(3, dtype=karat.float64)


def f(x):
    return x.sin() * x.sum() + x[0]


def scalar(x):
    return (x ** 3).sum() * x[1] + x.exp().prod()


def close(a, b):
    karat.testing.assert_close(a, b, rtol=1e-9, atol=1e-12)


def eye(x):
    return karat.eye(x.numel(), dtype=x.dtype)


def test_jacobians_of_both_modes_agree(x):
    close(jacfwd(f)(x), jacrev(f)(x))
    close(jacfwd(f)(x), karat.autograd.functional.jacobian(f, x))
    m = karat.randn(2, 3, dtype=karat.float64)
    forward, backward = (j(lambda m, v: (m @ v).tanh(), argnums=(0, 1))(m, x) for j in (jacfwd, jacrev))
    for one, other, sizes in zip(forward, backward, ((2, 2, 3), (2, 3))):
        assert one.shape == sizes
        close(one, other)


def test_jacfwd_keeps_the_nest_and_what_is_beside(x):
    found = jacfwd(lambda d: {"u": d["a"] * d["b"], "v": d["a"].sum()})({"a": x, "b": x + 1})
    close(found["u"]["a"], (x + 1).diag())
    close(found["v"]["b"], karat.zeros(3, dtype=karat.float64))
    found, beside = jacfwd(lambda x: (f(x), x * 2), has_aux=True)(x)
    close(found, jacrev(f)(x))
    close(beside, x * 2)


@pytest.mark.parametrize("both", [lambda g: jacfwd(jacrev(g)), lambda g: jacfwd(jacfwd(g)), lambda g: jacrev(jacfwd(g)),
                                  lambda g: jacrev(jacrev(g)), hessian],
                         ids=["fwd rev", "fwd fwd", "rev fwd", "rev rev", "hessian"])
def test_second_derivatives_in_every_order(both, x):
    close(both(scalar)(x), karat.autograd.functional.hessian(scalar, x))


def test_a_tangent_of_what_vmap_captures_reaches_its_result(x):
    ones = karat.ones_like(x)
    close(jvp(lambda x: vmap(lambda v: v * x.sin())(eye(x)), (x,), (ones,))[1], x.cos().diag())
    close(jvp(lambda x: vmap(karat.sin)(x), (x,), (ones,))[1], x.cos())
    close(jvp(jacrev(f), (x,), (ones,))[1], (jacrev(jacrev(f))(x)).sum(-1))

    def rows(x):
        products = vjp(f, x)[1]
        return vmap(lambda v: products(v)[0], out_dims=1)(eye(x))

    close(jvp(rows, (x,), (ones,))[1], jacrev(rows)(x).sum(-1))


def test_tangents_of_examples_through_backward(x):
    """The gradient of a part is written into zeros, and so is its tangent, which has examples where the gradient has none."""
    close(vmap(lambda v: jvp(grad(lambda x: x[0] ** 3), (x,), (v,))[1])(eye(x)), hessian(lambda x: x[0] ** 3)(x))
    close(vmap(lambda v: jvp(grad(lambda x: x[1:].prod()), (x,), (v,))[1])(eye(x)), jacrev(jacrev(lambda x: x[1:].prod()))(x))


def test_examples_of_second_derivatives():
    karat.manual_seed(4)
    y = karat.randn(4, 3, dtype=karat.float64)

    def g(x):
        return (x ** 3).sum() * x[1]

    close(vmap(hessian(g))(y), karat.stack([hessian(g)(row) for row in y]))
    close(vmap(jacfwd(f))(y), karat.stack([jacfwd(f)(row) for row in y]))


@pytest.mark.parametrize("part", [lambda e, i: karat.nn.functional.embedding(i, e), lambda e, i: e[i],
                                  lambda e, i: e.index_select(0, i), lambda e, i: e.gather(0, i[:, None].expand(2, 3))],
                         ids=["embedding", "index", "index_select", "gather"])
def test_gradients_of_rows_by_example(part):
    karat.manual_seed(5)
    e, at = karat.randn(6, 3, dtype=karat.float64), karat.randint(0, 6, (4, 2))
    one = grad(lambda e, i: part(e, i).pow(3).sum())
    close(vmap(one, (None, 0))(e, at), karat.stack([one(e, i) for i in at]))


def test_outer_graph_of_a_jacobian(x):
    leaf = x.clone().requires_grad_()
    jacfwd(f)(leaf).sum().backward()
    close(leaf.grad, grad(lambda x: jacrev(f)(x).sum())(x))


def test_refusals(x):
    with pytest.raises(RuntimeError, match="Got argnum=3, but only 1 positional inputs"):
        jacfwd(f, argnums=3)(x)
    with pytest.raises(RuntimeError, match="to return only tensors, got unsupported type <class 'int'>"):
        jacfwd(lambda x: 3)(x)
    with pytest.raises(ValueError, match="Expected primal to be floating point or complex, but got: torch.int64"):
        jacfwd(f)(karat.arange(3))


def test_what_is_written_inside_the_function(x):
    """Zeros that get a tangent with examples, from Python, where no scope is open."""
    def f(x):
        z = karat.zeros(5, dtype=karat.float64)
        z[::2] = x
        return z ** 2

    close(jacfwd(f)(x), jacrev(f)(x))
    close(hessian(lambda x: f(x).sum())(x), 2 * eye(x))


def test_logit_twice_by_example():
    p = karat.tensor([[0.3, 0.4], [0.5, 0.9]], dtype=karat.float64)
    second = 1 / (1 - p) ** 2 - 1 / p ** 2
    close(vmap(hessian(lambda p: karat.logit(p).sum()))(p), karat.stack([row.diag() for row in second]))


def test_an_example_without_dims_is_written_in_its_own_dtype():
    x = karat.tensor([1.0, 2.0])
    assert vmap(lambda a: a.add_(karat.tensor(5.0, dtype=karat.float64)))(x).tolist() == [6, 7] == x.tolist()
    with pytest.raises(RuntimeError, match="result type Double can't be cast to the desired output type Long"):
        vmap(lambda a, b: a.add_(b))(karat.tensor([1, 2]), karat.tensor([1.0, 2.0], dtype=karat.float64))


def test_jvp_in_inference_mode_leaves_forward_mode_on(x):
    with karat.inference_mode():
        jvp(lambda a: a * 2, (x,), (x,))
    with karat.autograd.forward_ad.dual_level():
        dual = karat.autograd.forward_ad.make_dual(x, x)
        assert karat.autograd.forward_ad.unpack_dual(dual * 2).tangent is not None


@pytest.mark.parametrize("call, text", [
    (lambda s: vmap(lambda q: jvp(karat.linalg.inv, (q,), (q,)))(s), "there is no forward mode of linalg_inv inside vmap yet"),
    (lambda s: vmap(jacrev(karat.linalg.inv))(s), "there is no backward yet, inside another vmap"),
    (lambda s: vmap(grad(lambda a: grad(lambda b: karat.linalg.inv(b).sum())(a).sum()))(s), "there is no second derivative yet"),
    (lambda s: jacfwd(jacrev(jacrev(lambda a: (a * a * a).sum())))(s[0, 0]), "has no forward mode yet"),
], ids=["tangent", "backward", "twice", "jacrev"])
def test_what_is_not_there_is_refused_not_left_out(call, text):
    with pytest.raises(NotImplementedError, match=text):
        call(karat.tensor([[[2.0, 1.0], [0.0, 3.0]]]))


def test_forward_mode_of_a_function_inside_and_around_vmap(x):
    class Cube(karat.autograd.Function):
        generate_vmap_rule = True
        forward = staticmethod(lambda x: x ** 3)
        setup_context = staticmethod(lambda ctx, inputs, output: ctx.save_for_forward(*inputs))
        jvp = staticmethod(lambda ctx, t: t * 3 * ctx.saved_tensors[0] ** 2)

    close(vmap(lambda a: jvp(Cube.apply, (a,), (karat.ones_like(a),))[1])(x), 3 * x ** 2)
    with pytest.raises(NotImplementedError, match="jvp of vmap of Cube"):
        jvp(vmap(Cube.apply), (x,), (karat.ones_like(x),))
