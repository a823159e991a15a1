"""Forward mode, backward and vmap inside each other (karat.func): what they give is compared with one of them alone."""

import pytest

import karat
from karat.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap


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


class Cube(karat.autograd.Function):
    generate_vmap_rule = True
    forward = staticmethod(lambda x: x ** 3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs)
        ctx.factor = 3

    jvp = staticmethod(lambda ctx, t: t * ctx.factor * ctx.saved_tensors[0] ** 2)
    backward = staticmethod(lambda ctx, g: g * ctx.factor * ctx.saved_tensors[0] ** 2)


class Times(karat.autograd.Function):
    forward = staticmethod(lambda x, y: x * y)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs)

    jvp = staticmethod(lambda ctx, s, t: s * ctx.saved_tensors[1] + t * ctx.saved_tensors[0])
    backward = staticmethod(lambda ctx, g: (g * ctx.saved_tensors[1], g * ctx.saved_tensors[0]))

    @staticmethod
    def vmap(info, in_dims, x, y):
        x, y = (t if dim is None else t.movedim(dim, 0) for t, dim in zip((x, y), in_dims))
        return Times.apply(x, y), 0


def test_forward_mode_of_a_function_inside_and_around_vmap(x):
    ones = karat.ones_like(x)
    close(vmap(lambda a: jvp(Cube.apply, (a,), (karat.ones_like(a),))[1])(x), 3 * x ** 2)
    close(jvp(vmap(Cube.apply), (x,), (ones,))[1], 3 * x ** 2)
    close(jvp(lambda x: vmap(lambda a: Times.apply(a, x.sum()))(x), (x,), (ones,))[1], x.sum() + 3 * x)
    close(jvp(lambda x: vmap(grad(lambda a: Times.apply(a * a, x).sum()))(x), (x,), (ones,))[1], 2 * x.sum() + 6 * x)


def test_a_captured_tangent_and_that_of_the_examples_meet(x):
    """The third derivative of what a vmap captures inside grad inside jvp: one tangent is its own, the other its values'."""
    def g(x):
        def inner(y):
            return vmap(lambda v: (v * y * x).sin().sum())(eye(x) + x).sum()

        return grad(inner)(x * 1.5)

    def plain(x):
        y = (x * 1.5)
        rows = eye(x) + x
        return ((rows * y * x).cos() * rows * x).sum(0)

    ones = karat.ones_like(x)
    close(jvp(g, (x,), (ones,))[1], jacrev(plain)(x).sum(-1))
    close(jvp(lambda x: jvp(g, (x,), (x,))[1], (x,), (ones,))[1],
          jacrev(lambda x: jacrev(plain)(x) @ x)(x).sum(-1))
    close(grad(lambda x: jvp(g, (x,), (ones,))[1].sum())(x), grad(lambda x: jacrev(plain)(x).sum())(x))


@pytest.mark.parametrize("thrice", [lambda g: jacfwd(jacrev(jacrev(g))), lambda g: jacrev(jacfwd(jacrev(g))), lambda g:
                                    jacfwd(hessian(g)), lambda g: jacrev(hessian(g)), lambda g: jacfwd(jacfwd(jacfwd(g)))],
                         ids=["fwd rev rev", "rev fwd rev", "fwd hessian", "rev hessian", "fwd fwd fwd"])
def test_third_derivatives_in_every_order(thrice, x):
    close(thrice(scalar)(x), jacrev(jacrev(jacrev(scalar)))(x))


def symmetric(a):
    return a @ a.mT + karat.eye(3, dtype=a.dtype)


PARTS = {
    "inv": karat.linalg.inv, "solve": lambda a: karat.linalg.solve(a, a[0] * 2), "cholesky": karat.linalg.cholesky,
    "eigvalsh": karat.linalg.eigvalsh, "svdvals": karat.linalg.svdvals, "matrix_exp": lambda a: karat.matrix_exp(a / 4),
    "cov": karat.cov, "pinv": karat.linalg.pinv, "det": karat.linalg.det, "slogdet": lambda a: karat.linalg.slogdet(a)[1],
    "solve_triangular": lambda a: karat.linalg.solve_triangular(a, a * a, upper=False),
    "masked_scatter": lambda a: a.masked_scatter(a > 1, a * a),
}


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("name", sorted(PARTS))
def test_rows_made_of_others_have_every_derivative_by_example(name):
    karat.manual_seed(7)
    m = karat.randn(2, 3, 3, dtype=karat.float64)

    def g(a):
        return PARTS[name](symmetric(a))

    def total(a):
        return g(a).pow(2).sum()

    def by_example(h):
        karat.testing.assert_close(vmap(h)(m), karat.stack([h(a) for a in m]), rtol=1e-7, atol=1e-8)

    by_example(lambda a: jvp(g, (a,), (a.sin(),))[1])
    by_example(jacrev(g))
    by_example(grad(lambda a: grad(total)(a).pow(2).sum()))
    by_example(hessian(total))
    karat.testing.assert_close(jvp(vmap(g), (m,), (m.sin(),))[1], karat.stack([jvp(g, (a,), (a.sin(),))[1] for a in m]))
    karat.testing.assert_close(jacrev(vmap(total))(m), jacfwd(vmap(total))(m))


def test_values_beside_derivatives_keep_their_tangents(x):
    """grad_and_value, vjp and linearize give the function's value, too: outside it may be differentiated forward."""
    ones = karat.ones_like(x)
    close(jvp(lambda x: grad_and_value(scalar)(x)[1], (x,), (ones,))[1], grad(scalar)(x).sum())
    close(jvp(lambda x: vjp(f, x)[0], (x,), (ones,))[1], jacrev(f)(x).sum(-1))
    close(jvp(lambda x: linearize(f, x)[0], (x,), (ones,))[1], jacrev(f)(x).sum(-1))
    close(jvp(lambda x: vmap(lambda k: grad_and_value(lambda a: (a * k * x).sum() ** 2)(x)[1])(x), (x,), (ones,))[1],
          jacrev(lambda x: vmap(lambda k: (x * k * x).sum() ** 2)(x))(x).sum(-1))
    aux = grad(lambda a: (scalar(a), a * 2), has_aux=True)
    close(jvp(lambda x: aux(x)[1], (x,), (ones,))[1], 2 * ones)
    assert not aux(x)[1].requires_grad


@pytest.mark.parametrize("around", [lambda g: lambda x: jvp(g, (x,), (x.cos(),))[1], lambda g: jacrev(g), lambda g: jacfwd(g),
                                    lambda g: lambda x: vmap(g)(karat.stack([x, x * 2])),
                                    lambda g: lambda x: grad(lambda a: g(a).sum())(x)], ids=["jvp", "rev", "fwd", "vmap", "grad"])
def test_linearize_inside_others_is_jvp(around, x):
    close(around(lambda x: linearize(f, x)[1](x.sin()))(x), around(lambda x: jvp(f, (x,), (x.sin(),))[1])(x))


def written(x):
    y = x * 2
    y.mul_(x)
    y[0] = x[1] * x[2]
    return y


def written_copy(x):
    y = x.clone()
    y.view(-1)[1:].mul_(x[1:].sin())
    y.add_(x.sin())
    return y * y[0]


@pytest.mark.parametrize("g", [written, written_copy])
def test_writes_in_place_in_nests(g, x):
    def plain(x):
        if g is written:
            return karat.cat([(x[1] * x[2])[None], (x * 2 * x)[1:]])
        y = karat.cat([x[:1], x[1:] * x[1:].sin()]) + x.sin()
        return y * y[0]

    rows = karat.stack([x, x * 0.5])
    want = jacrev(jacrev(plain))(x)
    for both in (lambda g: jacrev(jacfwd(g)), lambda g: jacfwd(jacrev(g)), lambda g: jacfwd(jacfwd(g)), lambda g:
                 jacrev(jacrev(g))):
        close(both(g)(x), want)
    close(vmap(jacfwd(g))(rows), karat.stack([jacrev(plain)(row) for row in rows]))
    close(vmap(hessian(lambda a: g(a).sum()))(rows), karat.stack([hessian(lambda a: plain(a).sum())(row) for row in rows]))
    close(jvp(vmap(g), (rows,), (rows,))[1], jvp(vmap(plain), (rows,), (rows,))[1])


@pytest.mark.parametrize("g", [karat.linalg.det, lambda a: a.prod(), karat.linalg.inv], ids=["det", "prod", "inv"])
def test_an_outer_graph_records_tangents_inside_vmap(g, x):
    """The examples want no gradient, their values do: the tangent's formula is recorded for these."""
    m = (x[:, None] * x + karat.eye(3, dtype=x.dtype))[None] * karat.tensor([1.0, 2.0], dtype=x.dtype)[:, None, None]

    def along(m):
        return vmap(lambda a: jvp(g, (a,), (a.sin(),))[1])(m).pow(2).sum()

    def loop(m):
        return sum(jvp(g, (a,), (a.sin(),))[1].pow(2).sum() for a in m)

    close(grad(along)(m), grad(loop)(m))
    close(jacfwd(along)(m), grad(loop)(m))


def test_a_view_sees_the_tangent_that_got_room_for_examples(x):
    """The tangent of `y` has no examples when the view is made, and is written with some."""
    def g(v, x):
        y = x * 1
        part = y[1:]
        y.mul_(v)
        return part * 2

    close(vmap(lambda v: jvp(lambda v: g(v, v * x), (v,), (karat.ones_like(v),))[1])(x), 4 * x[:, None] * x[1:])


def test_a_write_through_a_view_gets_the_examples_of_what_it_saved(x):
    """The gradient that reaches the write has no examples, that of its part has some."""
    def g(v, x):
        y = x.clone()
        y[1:].mul_(v[1:])
        return y.sum()

    rows = karat.stack([x, x * 2])
    close(vmap(lambda v: grad(lambda x: g(v, x * v))(x))(rows), karat.stack([grad(lambda x: g(v, x * v))(x) for v in rows]))
    close(jvp(lambda x: vmap(lambda v: grad(lambda x: g(v, x * v))(x))(rows * x), (x,), (x,))[1],
          jvp(lambda x: karat.stack([grad(lambda x: g(v, x * v))(x) for v in rows * x]), (x,), (x,))[1])


@pytest.mark.parametrize("g", [karat.nn.functional.silu, lambda x: karat.nn.functional.layer_norm(x, (3,)), lambda x:
                               karat.linalg.solve(karat.diag_embed(x) + 2, x), karat.nn.functional.gelu, karat.logit],
                         ids=["silu", "layer_norm", "solve", "gelu", "logit"])
def test_formulas_know_of_tangents_of_the_values(g, x):
    """Inside vmap inside jvp: what a node saved has no tangent, its value has one."""
    x = x.sigmoid()
    rows = karat.stack([x, x * 0.5])
    slope = grad(lambda a: (g(a) * a).sum())
    close(jvp(vmap(slope), (rows,), (rows.sin(),))[1], karat.stack([jvp(slope, (a,), (a.sin(),))[1] for a in rows]))


@pytest.mark.parametrize("call", [lambda a: karat._foreach_add([a, a * 2], 1.0), lambda a: karat._foreach_mul([a, a], [a, a + 1]),
                                  lambda a: karat._foreach_exp([a]), lambda a: karat._foreach_norm([a, a * 2]), lambda a:
                                  [karat.nn.utils.rnn.pad_sequence([a, a[:2] * 3])]],
                         ids=["add", "mul", "exp", "norm", "pad_sequence"])
def test_lists_by_example(call, x):
    rows = karat.stack([x, x * 2])
    for g in (lambda a: tuple(call(a)), lambda a: (grad(lambda a: sum(t.pow(2).sum() for t in call(a)))(a),)):
        for got, want in zip(vmap(g)(rows), zip(*[g(a) for a in rows])):
            close(got, karat.stack(want))


def test_anomaly_mode_looks_at_all_examples():
    with pytest.warns(UserWarning), karat.autograd.detect_anomaly():
        close(vmap(grad(lambda a: (a * a).sum()))(karat.ones(2, 3)), karat.full((2, 3), 2.0))
        with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"):
            vmap(grad(lambda a: (a.sqrt() * 0).sum()))(karat.tensor([[1.0, 2.0], [3.0, 0.0]]))


@pytest.mark.parametrize("call, text", [
    (lambda x: jacrev(lambda z: z)(karat.complex(x, x)),
     "jacrev: Expected all inputs to be real but received complex tensor at flattened input idx: 0"),
    (lambda x: jacfwd(lambda y, z: y)(x, karat.complex(x, x)),
     "jacfwd: Expected all inputs to be real but received complex tensor at flattened input idx: 1"),
    (lambda x: jacrev(lambda x: x * 1j)(x), "jacrev: Expected all outputs to be real"),
    (lambda x: jacfwd(lambda x: (x, x * 1j))(x),
     "jacfwd: Expected all outputs to be real but received complex tensor at flattened input idx: 1"),
    (lambda x: jacrev(lambda x: (x * 3).long())(x),
     "All outputs of f must be floating-point or complex Tensors, got Tensor with dtype torch.int64"),
    (lambda x: vjp(lambda x: (x, x > 0), x), "got Tensor with dtype torch.bool"),
])
def test_what_has_no_jacobian_is_refused(call, text, x):
    with pytest.raises(RuntimeError, match=text):
        call(x)


def test_an_example_outside_of_its_vmap_is_refused(x):
    kept = []
    vmap(lambda a: kept.append(a) or a * 2)(x)
    for use in (lambda: kept[0] * 2, lambda: kept[0] + x, lambda: vmap(lambda a: a + kept[0])(x), lambda: karat.stack(kept)):
        with pytest.raises(RuntimeError, match="your tensor may have escaped from inside a function being vmapped"):
            use()


@pytest.mark.parametrize("drop", ["dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d"])
def test_dropout_has_derivatives_by_example(drop):
    call = getattr(karat.nn.functional, drop)
    karat.manual_seed(1)
    x = karat.ones(4, 5, 6)

    def slope(a):
        return grad(lambda a: call(a, 0.5, training=True).sum())(a)

    same, different = (vmap(slope, randomness=r)(x) for r in ("same", "different"))
    assert (same == same[0]).all() and not (different == different[0]).all()
    assert len(set(same.unique().tolist())) == 2
    along = vmap(lambda a: jvp(lambda a: call(a, 0.5, training=True), (a,), (a,))[1], randomness="different")(x)
    assert len(set(along.unique().tolist())) == 2
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        vmap(slope)(x)


# ---- writes in place ----

CAPTURED = (r"^During a grad \(vjp, jvp, grad, etc\) transform, the function provided attempted to call in-place operation "
            r"\(aten::%s\) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
            r"transformed to explicitly accept the mutated Tensor\(s\) as inputs.")
WRITES = {
    "add_.Tensor": lambda c, y: c.add_(y), "mul_.Tensor": lambda c, y: c.mul_(2), "copy_": lambda c, y: c.copy_(y),
    "zero_": lambda c, y: c.zero_(), "fill_.Scalar": lambda c, y: c.fill_(3), "uniform_": lambda c, y: c.uniform_(),
    "sin_": lambda c, y: c[0].sin_(), "cos_": lambda c, y: c.detach().cos_(),
    "index_put_": lambda c, y: c.index_put_((karat.tensor([0]),), y[:1]),
}


@pytest.mark.parametrize("name", sorted(WRITES))
def test_a_captured_tensor_is_not_written(name):
    x, c = karat.ones(2), karat.ones(2)

    def f(y):
        WRITES[name](c, y)
        return (y * c).sum()

    for run in (lambda: grad(f)(x), lambda: vjp(f, x), lambda: jvp(f, (x,), (x,)), lambda: jacrev(f)(x),
                lambda: jacfwd(f)(x), lambda: vmap(grad(f))(karat.ones(3, 2))):
        with pytest.raises(RuntimeError, match=CAPTURED % name.replace(".", r"\.")):
            run()
    assert c.tolist() == [1, 1]
    f(x)  # outside it may be


def test_what_is_given_or_made_is_written():
    x, c = karat.ones(2), karat.ones(2)

    def given(y, c):
        c.mul_(3)
        return (y * c).sum()

    assert grad(given)(x, c).tolist() == [3, 3] and c.tolist() == [3, 3]
    assert grad(lambda y, *, c: given(y, c))(x, c=c).tolist() == [9, 9]
    assert jvp(lambda y: y.mul_(2).sum(), (x.clone(),), (x.clone(),))[1] == 4
    assert vmap(lambda v: jvp(lambda y: y.mul_(2).sum(), (v,), (v.clone(),))[1])(karat.ones(3, 2)).tolist() == [4, 4, 4]
    assert grad(lambda y: karat.zeros(2).add_(y).mul_(y).sum())(x).tolist() == [2, 2]

    def outer(x, write):
        own = x * 2

        def inner(z):
            write(own, z)
            return (own * z).sum()

        own.mul_(1)
        return grad(inner)(x).sum()

    assert grad(lambda x: outer(x, lambda own, z: None))(x).tolist() == [2, 2]
    with pytest.raises(RuntimeError, match=CAPTURED % r"mul_\.Tensor"):
        grad(lambda x: outer(x, lambda own, z: own.mul_(z)))(x)
    c.add_(1)  # nothing is left behind


def test_derivatives_have_the_examples_of_their_outputs():
    """Though their values do not depend on them: what has examples may be written to them."""
    x = karat.arange(6.0).reshape(3, 2)

    def times(derive):
        return vmap(lambda v: derive(v).clone().mul_(v.sum()))(x)

    ones = karat.ones(3, 2, 2) * x.sum(1)[:, None, None]
    assert karat.equal(times(jacrev(lambda u: u)), karat.eye(2) * ones)
    assert karat.equal(times(jacfwd(lambda u: u + 1)), karat.eye(2) * ones)
    assert karat.equal(times(hessian(lambda u: u.sum())), 0 * ones)
    assert karat.equal(times(grad(lambda u: u.sum())), ones[:, 0])
    assert karat.equal(times(grad(lambda u: u.sum() * 0)), 0 * ones[:, 0])
