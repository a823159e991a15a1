"""torch.autograd.forward_ad, Function.jvp and torch.func.jvp: values that can be known, PyTorch's rules and messages. That
tangents are right for every operator, test_forward_table.py says."""

import gc
import math
import threading

import karat as torch
import karat.autograd.forward_ad as fw
import pytest
from karat.func import jvp, linearize
from test_autocast import autocast

OTHER_SIZE = ("Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
              "supported. Tensor is of size [3] while the given forward gradient is of size [4].")
X, V = [0.3, 0.7, 1.1], [1.0, -2.0, 0.5]


def x():
    return torch.tensor(X, dtype=torch.float64)


def v():
    return torch.tensor(V, dtype=torch.float64)


def tangent(t):
    return fw.unpack_dual(t).tangent


def near(t, values):
    return t is not None and torch.allclose(t.detach(), torch.tensor(values, dtype=t.dtype), rtol=1e-12, atol=1e-12)


def message(call, kind=RuntimeError):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value).splitlines()[0]


@pytest.fixture
def level():
    with fw.dual_level() as number:
        yield number


# ---- levels and dual tensors ----


def test_levels():
    assert fw._current_level == -1
    with fw.dual_level() as number:
        assert number == 0 == fw._current_level
        assert message(fw.enter_dual_level) == "Nested forward mode AD is not supported at the moment"
        assert message(lambda: fw.exit_dual_level(level=3)).startswith("Trying to exit a forward AD level that was not the last")
        d = fw.make_dual(x(), v())
        kept = d.exp()
    assert tangent(kept) is None and "tangent" not in repr(kept)
    assert message(fw.exit_dual_level) == "Dual level must be a positive number."
    assert message(lambda: fw.make_dual(x(), v())).startswith("Trying to create a dual Tensor for forward AD but no level exists")
    with fw.dual_level():
        assert tangent(kept) is None

    @fw.dual_level()
    def decorated():
        return tangent(fw.make_dual(x(), v()) * 2)

    assert near(decorated(), [2.0, -4.0, 1.0])


@pytest.mark.cpu_only("the text names the device")
def test_a_dual_tensor_shows_its_tangent(level):
    assert repr(fw.make_dual(torch.zeros(2), torch.ones(2))) == "tensor([0., 0.], tangent=tensor([1., 1.]))"


def test_a_dual_tensor_is_a_view(level):
    p, t = x(), v()
    d = fw.make_dual(p, t)
    assert d._base is p and tangent(d) is t and tangent(p) is None
    assert isinstance(fw.unpack_dual(d), fw.UnpackedDualTensor) and fw.unpack_dual(d)._fields == ("primal", "tangent")
    laid = fw.make_dual(torch.zeros(2, 3).t(), torch.ones(3, 2))
    assert tangent(laid).stride() == (1, 3)
    r = x().requires_grad_()
    assert type(fw.make_dual(r, t).grad_fn).__name__ == "ViewBackward0"


@pytest.mark.parametrize("call, kind, text", [
    (lambda: fw.make_dual(torch.arange(3), v()), ValueError,
     "Expected primal to be floating point or complex, but got: torch.int64"),
    (lambda: fw.make_dual(x(), torch.arange(3)), ValueError,
     "Expected tangent to be floating point or complex, but got: torch.int64"),
    (lambda: fw.make_dual(x(), torch.ones(4)), RuntimeError,
     OTHER_SIZE),
    (lambda: fw.make_dual(fw.make_dual(x(), v()), v()), RuntimeError,
     "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."),
    (lambda: fw.make_dual(x(), fw.make_dual(x(), v())), RuntimeError,
     "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."),
    (lambda: fw.make_dual(x(), v(), level=3), RuntimeError, "Invalid level given to _make_dual"),
    (lambda: fw.unpack_dual(x(), level=3), RuntimeError, "Invalid level given to _fw_primal"),
    (lambda: torch.add(fw.make_dual(x(), v()), 1, out=x()), NotImplementedError,
     "Trying to use forward AD with add_out that does not support it because it is an out= function"),
    (lambda: torch.add(x(), 1, out=fw.make_dual(x(), v())), NotImplementedError,
     "Trying to use forward AD with add_out that does not support it because it is an out= function"),
    (lambda: fw.make_dual(x(), v()) // 2, NotImplementedError,
     "Trying to use forward AD with aten::floor_divide that does not support it."),
    (lambda: fw.make_dual(x(), v()).resize_(4), RuntimeError, "cannot resize variables that has a forward grad"),
    (lambda: torch.unique(fw.make_dual(x(), v())), NotImplementedError,
     "Trying to use forward AD with _unique2 that does not support it because it has not been implemented yet."),
])
def test_refusals_in_pytorchs_words(call, kind, text, level):
    assert message(call, kind) == text


def test_results_without_a_tangent(level):
    d = fw.make_dual(x(), v())
    for made in (d.detach(), d.data, d > 1, d.argmax(), torch.zeros_like(d), d.long(), d.long().double()):
        assert tangent(made) is None
    for made in (d.floor(), d.round(), d.sign()):
        assert near(tangent(made), [0.0, 0.0, 0.0])
    d2 = (d * 2).detach_()
    assert tangent(d2) is None


def test_modes(level):
    d = fw.make_dual(x(), v())
    with torch.no_grad():
        assert near(tangent(d * 2), [2.0, -4.0, 1.0])
    with torch.inference_mode():
        assert tangent(d * 2) is None and not fw._is_fwd_grad_enabled()
    with fw._set_fwd_grad_enabled(False):
        assert not fw._is_fwd_grad_enabled() and tangent(d * 2) is None
    assert fw._is_fwd_grad_enabled() and tangent(d) is not None


def test_tangents_are_not_shared_by_accident(level):
    t = v()
    d = fw.make_dual(x(), t)
    for made in (d + 0, d.clone(), d.relu(), d.reshape(3, 1).reshape(3), torch.cat([d])):
        before = tangent(d).clone()
        if made._base is None:
            made.mul_(5)
        assert torch.equal(tangent(d), before)


# ---- in place, views ----


def test_views_of_a_dual(level):
    base = torch.zeros(4, 3, dtype=torch.float64)
    row, flat = base[1], base.view(-1)
    d = fw.make_dual(x(), v())
    row.add_(d)
    assert near(tangent(base)[1], V) and near(tangent(flat)[3:6], V) and float(tangent(base).abs().sum()) == 3.5
    flat.mul_(2)
    assert near(tangent(row), [2.0, -4.0, 1.0])
    row.exp_()
    assert near(tangent(base)[1], [2 * math.exp(0.6), -4 * math.exp(1.4), math.exp(2.2)])
    base[:, 0].copy_(torch.ones(4))
    assert float(tangent(row)[0]) == 0
    base[2] = d * 3
    assert near(tangent(flat)[6:9], [3.0, -6.0, 1.5])
    base.zero_()
    assert float(tangent(flat).abs().sum()) == 0


def test_in_place_with_itself_among_the_operands(level):
    w = fw.make_dual(x(), v()).clone()
    w.mul_(w)
    assert near(tangent(w), [2 * a * b for a, b in zip(X, V)])


def test_in_place_forms(level):
    d = fw.make_dual(x(), v())
    for name, args in (("exp_", ()), ("mul_", (d,)), ("add_", (d,)), ("div_", (d + 1,)), ("pow_", (3,)), ("sub_", (2.0,)),
                       ("addcmul_", (d, d)), ("clamp_", (0.5,)), ("cumsum_", (0,)), ("cumprod_", (0,)), ("tanh_", ()),
                       ("masked_fill_", (torch.tensor([True, False, True]), 2.0)), ("fill_", (d[0],)), ("copy_", (d * 2,)),
                       ("index_add_", (0, torch.tensor([0, 2]), d[:2])), ("sigmoid_", ()), ("eq_", (1.0,)), ("zero_", ())):
        plain, written = getattr(torch.Tensor, name[:-1], None), d.clone()
        getattr(written, name)(*args)
        if plain is not None and name not in ("fill_", "copy_", "eq_", "zero_"):
            assert torch.allclose(tangent(written), tangent(plain(d.clone(), *args)), rtol=1e-12), name
    constant = x()
    constant.mul_(d)
    assert near(tangent(constant), [a * b for a, b in zip(X, V)])


def test_complex_views(level):
    z = torch.zeros(3, dtype=torch.complex128)
    z.real.add_(fw.make_dual(x(), v()))
    assert near(tangent(z).real, V) and float(tangent(z).imag.abs().sum()) == 0
    assert near(tangent(z.conj()).real, V) and near(tangent(torch.view_as_real(z))[:, 0], V)


def test_what_was_unpacked_stays_without_a_tangent(level):
    y = fw.make_dual(x(), v()) * 2
    primal = fw.unpack_dual(y).primal
    assert tangent(primal) is None and tangent(primal[0]) is None and tangent(primal.view(3, 1)[0]) is None
    assert all(tangent(part) is None for part in primal.split(1)) and tangent(y[0]) is not None


def test_lists(level):
    d = fw.make_dual(x(), v())
    a, b = torch._foreach_mul([d, d.clone()], [d, torch.ones(3, dtype=torch.float64)])
    assert near(tangent(a), [2 * p * q for p, q in zip(X, V)]) and near(tangent(b), V)
    sums = [torch.zeros(3, dtype=torch.float64), d.clone()]
    torch._foreach_add_(sums, [d, d])
    assert near(tangent(sums[0]), V) and near(tangent(sums[1]), [2 * q for q in V])
    assert [float(tangent(part)) for part in d.unbind()] == V


def test_dtypes_and_autocast(level):
    d = fw.make_dual(torch.ones(2, 2), torch.full((2, 2), 2.0))
    assert tangent(d.double()).dtype == torch.float64 and tangent(d.half()).dtype == torch.float16
    assert tangent(d * torch.ones(2, dtype=torch.float64)).dtype == torch.float64
    assert tangent(d * torch.ones(2, dtype=torch.complex64)).dtype == torch.complex64
    with autocast(torch.bfloat16):
        made = d @ d
        assert made.dtype == tangent(made).dtype == torch.bfloat16 and float(tangent(made)[0, 0]) == 8


# ---- with reverse mode ----


def curve(a):
    whole = torch.outer(a, a) + torch.eye(3, dtype=a.dtype)
    return (a.exp() * a.sin() + torch.tanh(a) ** 3).sum() + torch.linalg.inv(whole).sum() + torch.softmax(a, 0)[0]


def test_both_modes_give_the_hessian(level):
    want = torch.autograd.functional.hvp(curve, x(), v())[1]
    leaf = x().requires_grad_()
    slope = tangent(curve(fw.make_dual(leaf, v())))
    assert torch.allclose(fw.unpack_dual(torch.autograd.grad(slope, leaf)[0]).primal, want)
    d = fw.make_dual(x(), v()).requires_grad_()
    assert torch.allclose(tangent(torch.autograd.grad(curve(d), d)[0]), want)
    d = fw.make_dual(x(), v()).requires_grad_()
    w = d * 1
    w[1:].exp_()
    assert near(tangent(torch.autograd.grad(w.sum(), d)[0]), [0.0, -2 * math.exp(0.7), 0.5 * math.exp(1.1)])


def test_saved_tensor_hooks_keep_tangents(level):
    d = fw.make_dual(x(), v()).requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = d.exp().sum()
    want = [math.exp(a) * b for a, b in zip(X, V)]
    assert near(tangent(torch.autograd.grad(y, d)[0]), want)
    from karat.utils.checkpoint import checkpoint

    y = checkpoint(torch.exp, d, use_reentrant=False).sum()
    assert near(tangent(torch.autograd.grad(y, d)[0]), want)


def test_a_tangent_may_have_a_history(level):
    t = v().requires_grad_()
    made = tangent(fw.make_dual(x(), t).exp().cumprod(0).sum())
    want = torch.autograd.functional.vjp(lambda a: a.exp().cumprod(0).sum(), x())[1]
    assert near(torch.autograd.grad(made, t)[0], want.tolist())


@pytest.mark.parametrize("norm", [
    lambda a: torch.nn.functional.layer_norm(a, (3,)), lambda a: torch.nn.functional.rms_norm(a, (3,)),
    lambda a: torch.nn.functional.group_norm(a, 3), lambda a: torch.nn.functional.batch_norm(a, None, None, training=True),
    lambda a: torch.special.log_softmax(a, 1), lambda a: torch.linalg.det(a[:3]).reshape(1)])
def test_third_derivatives(norm):
    """By the tape, and by forward mode of backward of forward mode, against a norm made of operators of its own: nested jvp."""
    torch.manual_seed(3)
    point, along = torch.randn(4, 3, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
    weight = torch.linspace(0.5, 2, norm(point).numel(), dtype=torch.float64).reshape(norm(point).shape)

    def value(a):
        return (norm(a) * weight).sum()

    def next_slope(f):
        return lambda a: (torch.autograd.grad(f(a), a, create_graph=True)[0] * along).sum()

    def next_tangent(f):
        return lambda a: jvp(f, (a,), (along,))[1]

    leaf = point.clone().requires_grad_()
    by_tape = next_slope(next_slope(next_slope(value)))(leaf)
    by_levels = next_tangent(next_tangent(next_tangent(value)))(point)
    step = 1e-4
    second = next_slope(next_slope(value))
    sides = [second((point + s * step * along).requires_grad_()) for s in (1, -1)]
    by_difference = (sides[0] - sides[1]) / (2 * step)
    assert torch.allclose(by_tape, by_difference, rtol=1e-5, atol=1e-6)
    assert torch.allclose(by_levels, by_difference, rtol=1e-5, atol=1e-6)


# ---- Function.jvp ----


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, k):
        ctx.save_for_backward(a)
        ctx.save_for_forward(a)
        assert not fw._is_fwd_grad_enabled() and fw.unpack_dual(a).tangent is None
        return a ** 3 * k

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0] ** 2, None

    @staticmethod
    def jvp(ctx, t, of_k):
        assert of_k is None
        return t * 3 * ctx.saved_tensors[0] ** 2


def function(forward, tangent_of, **more):
    return type("F", (torch.autograd.Function,), {"forward": staticmethod(forward), "jvp": staticmethod(tangent_of), **more})


def test_a_functions_jvp(level):
    d = fw.make_dual(x(), v())
    assert near(tangent(Cube.apply(d, 1)), [3 * a * a * b for a, b in zip(X, V)])
    leaf = x().requires_grad_()
    made = Cube.apply(fw.make_dual(leaf, v()), 1)
    assert near(torch.autograd.grad(tangent(made).sum(), leaf)[0], [6 * a * b for a, b in zip(X, V)])
    seen = []
    both = function(lambda ctx, a, b: a * b, lambda ctx, p, q: seen.append((p, q)) or p)
    both.apply(x(), d)
    assert seen[0][0].tolist() == [0, 0, 0] and near(seen[0][1], V)
    none = function(lambda ctx, a, b: ctx.set_materialize_grads(False) or a * b, lambda ctx, p, q: seen.append(p) or q)
    none.apply(x(), d)
    assert seen[1] is None


def test_nested_jvp_of_a_function():
    class Cubed(Cube):
        @staticmethod
        def forward(a, k):
            return a ** 3 * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(inputs[0])

    with pytest.raises(RuntimeError, match="^In order to use an autograd.Function with functorch transforms"):
        jvp(lambda b: Cube.apply(b, 1), (x(),), (v(),))
    first, second = jvp(lambda a: jvp(lambda b: Cubed.apply(b, 1), (a,), (torch.ones_like(a),))[1], (x(),), (v(),))
    assert near(first, [3 * a * a for a in X]) and near(second, [6 * a * b for a, b in zip(X, V)])


def doubled_in_place(ctx, a):
    ctx.mark_dirty(a)
    return a.mul_(2)


@pytest.mark.parametrize("forward, tangent_of, text", [
    (lambda ctx, a: (a * 2, a * 3), lambda ctx, t: t,
     "Function's jvp returned an invalid number of forward gradients (expected 2 but got 1)"),
    (lambda ctx, a: a * 2, lambda ctx, t: 3, "expected Variable or None (got int) for grad output 0."),
    (lambda ctx, a: a * 2, lambda ctx, t: None, "Expected both tensor and its forward grad to be floating point or complex"),
    (lambda ctx, a: (a * 2, a.long()), lambda ctx, t: (t, t),
     "Function's jvp returned a gradient at position 1, but  the corresponding forward output is not a differentiable Tensor.You "
     "should return None at that position instead."),
    (lambda ctx, a: a, lambda ctx, t: t,
     "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."),
    (doubled_in_place, lambda ctx, t: t * 2,
     "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an input "
     "inplace, then the jvp function must modify the corresponding gradient inplace."),
    (lambda ctx, a: a * 2, lambda ctx, t: torch.ones(4),
     OTHER_SIZE),
])
def test_wrong_answers_of_jvp(forward, tangent_of, text, level):
    d = fw.make_dual(x(), v())
    assert message(lambda: function(forward, tangent_of).apply(d.clone() if forward is doubled_in_place else d)) == text


def test_good_answers_of_jvp(level):
    d = fw.make_dual(x(), v())
    assert near(tangent(function(lambda ctx, a: a.view(3, 1), lambda ctx, t: t.view(3, 1)).apply(d)).view(3), V)
    assert near(tangent(function(doubled_in_place, lambda ctx, t: t.mul_(2)).apply(d.clone())), [2.0, -4.0, 1.0])
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        type("F", (torch.autograd.Function,), {"forward": staticmethod(lambda ctx, a: a * 2)}).apply(d)
    with pytest.raises(ZeroDivisionError):
        function(lambda ctx, a: a * 2, lambda ctx, t: 1 / 0).apply(d)
    assert near(tangent(d * 2), [2.0, -4.0, 1.0])


# ---- torch.func ----


def test_jvp():
    value, slope = jvp(torch.sin, (x(),), (v(),))
    assert near(value, [math.sin(a) for a in X]) and near(slope, [math.cos(a) * b for a, b in zip(X, V)])
    value, slope = jvp(lambda d: {"o": d["a"] * 2, "p": (d["b"],)}, ({"a": x(), "b": x()},), ({"a": v(), "b": v() * 2},))
    assert near(slope["o"], [2.0, -4.0, 1.0]) and near(slope["p"][0], [2.0, -4.0, 1.0]) and near(value["p"][0], X)
    value, slope, beside = jvp(lambda a: (a * 2, a * 3), (x(),), (v(),), has_aux=True)
    assert near(beside, [3 * a for a in X]) and tangent(beside) is None
    assert jvp(lambda a: torch.ones(2), (x(),), (v(),))[1].tolist() == [0, 0]
    assert jvp(lambda a: a.long(), (x(),), (v(),))[1].dtype == torch.int64
    with torch.no_grad():
        assert near(jvp(torch.exp, (x(),), (v(),))[1], [math.exp(a) * b for a, b in zip(X, V)])


def test_nested_jvp():
    one = torch.ones(3, dtype=torch.float64)

    def third(c):
        return jvp(lambda b: jvp(lambda a: jvp(lambda e: e ** 4, (a,), (one,))[1], (b,), (one,))[1], (c,), (one,))[1]

    assert near(third(x()), [24 * a for a in X])
    # an inner level does not see the outer one's tangent as its own
    assert near(jvp(lambda a: a * jvp(lambda b: a + b, (one,), (one,))[1], (x(),), (one,))[1], [1.0, 1.0, 1.0])
    assert near(jvp(lambda a: jvp(lambda b: a * b * b, (a * 2,), (a,))[1], (x(),), (one,))[1], [12 * a * a for a in X])
    leaf = x().requires_grad_()
    assert near(torch.autograd.grad(jvp(torch.sin, (leaf,), (one,))[1].sum(), leaf)[0], [-math.sin(a) for a in X])


@pytest.mark.parametrize("call, text", [
    (lambda: jvp(torch.sin, x(), v()),
     "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."),
    (lambda: jvp(torch.sin, (x(),), v()),
     "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if primals is a "
     "tuple of 3 tensors, tangents also must be. Got primals with structure TreeSpec(tuple, None, [*]) and tangents with "
     "structure *"),
    (lambda: jvp(torch.sin, (3.0,), (1.0,)),
     "jvp(f, primals, tangents): Expected primals to only contain Tensors, got <class 'float'>"),
    (lambda: jvp(lambda: x(), (), ()), "jvp(f, primals, tangents): Expected primals to contain at least one Tensor."),
    (lambda: jvp(lambda a: 3, (x(),), (v(),)),
     "jvp(f, primals, tangents): expected f(*primals) to return only tensors, got unsupported type <class 'int'>"),
    (lambda: jvp(lambda a: None, (x(),), (v(),)),
     "jvp(f, primals, tangents): Expected f to be a function that has non-empty output (got output = [None])"),
    (lambda: jvp(lambda a: a, (x(),), (v(),), has_aux=True),
     "jvp(f, primals, tangents): output of function f should be a tuple: (output, aux) if has_aux is True"),
    (lambda: jvp(lambda a: torch.ones(1), (x(),), (v(),), strict=True),
     "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
     "strict=True."),
    (lambda: linearize(torch.sin, x())[1](torch.ones(4)),
     "tangent:0 with shape torch.Size([4]) in flattened pytree doesn't match the shape torch.Size([3]) of the corresponding "
     "primal."),
    (lambda: linearize(torch.sin, x())[1](torch.ones(3)),
     "tangent:0 with dtype torch.float32 in flattened pytree doesn't match the dtype torch.float64 of the corresponding primal."),
    (lambda: linearize(lambda a: a["k"].sin(), {"k": x()})[1](v()),
     "Expected the tangents TreeSpec(tuple, None, [*]) to have the same argspec as the primals TreeSpec(tuple, None, "
     "[TreeSpec(dict, ['k'], [*])])"),
])
def test_refusals_of_func(call, text):
    assert message(call) == text
    assert fw._current_level == -1


def test_a_jvp_that_raises_ends_its_levels():
    for depth in (1, 3):
        def fails(a, left=depth):
            if left == 0:
                raise ZeroDivisionError
            return jvp(lambda b: fails(b, left - 1), (a,), (v(),))

        with pytest.raises(ZeroDivisionError):
            fails(x())
        assert fw._current_level == -1
        assert near(jvp(torch.exp, (x(),), (v(),))[1], [math.exp(a) * b for a, b in zip(X, V)])


def test_linearize():
    calls = []
    value, product = linearize(lambda a, b: calls.append(1) or (a.sin() * b["k"], b["k"]), x(), {"k": x()})
    for scale in (1.0, 3.0):
        first, second = product(v() * scale, {"k": v()})
        assert near(first, [math.cos(a) * b * scale * a + math.sin(a) * b for a, b in zip(X, V)]) and near(second, V)
    assert len(calls) == 1 and near(value[0], [math.sin(a) * a for a in X]) and not value[0].requires_grad
    assert linearize(lambda a: torch.ones(2), x())[1](v()).tolist() == [0, 0]
    # of a dual tensor: the second derivative
    slope = jvp(lambda a: linearize(torch.exp, a)[1](v()), (x(),), (v(),))[1]
    assert near(slope, [math.exp(a) * b * b for a, b in zip(X, V)])


# ---- the checks and forms of torch.autograd ----


class Wrong(Cube):
    @staticmethod
    def jvp(ctx, t, of_k):
        return t * 3


@pytest.mark.parametrize("fast", [False, True])
def test_gradcheck(fast):
    leaf = x().requires_grad_()
    z = torch.tensor([0.1 + 0.2j, 0.2 - 1j], dtype=torch.complex128, requires_grad=True)
    check = torch.autograd.gradcheck
    assert check(torch.sin, (leaf,), check_forward_ad=True, fast_mode=fast)
    assert check(lambda a: (a.sin(), a.abs(), a * a.conj()), (z,), check_forward_ad=True, fast_mode=fast)
    assert check(lambda a: Cube.apply(a, 1), (leaf,), check_forward_ad=True, fast_mode=fast)
    assert check(lambda a: Wrong.apply(a, 1), (leaf,), fast_mode=fast)
    assert message(lambda: check(lambda a: Wrong.apply(a, 1), (leaf,), check_forward_ad=True, fast_mode=fast)) == (
        "Jacobian computed with forward mode mismatch for output 0 with respect to input 0,")
    assert not check(lambda a: Wrong.apply(a, 1), (leaf,), check_forward_ad=True, check_backward_ad=False, fast_mode=fast,
                     raise_exception=False)
    assert torch.autograd.gradgradcheck(lambda a: a.exp() * a.sin(), (leaf,), check_fwd_over_rev=True, fast_mode=fast)


def test_jacobian_and_hessian():
    forms = torch.autograd.functional
    ahead = forms.jacobian(lambda a: a.exp().outer(a), x(), vectorize=True, strategy="forward-mode")
    assert torch.allclose(ahead, forms.jacobian(lambda a: a.exp().outer(a), x()))
    pair = (x(), torch.ones(2, dtype=torch.float64))
    ahead = forms.jacobian(lambda a, b: (a * b.sum(), a.sum()), pair, vectorize=True, strategy="forward-mode")
    back = forms.jacobian(lambda a, b: (a * b.sum(), a.sum()), pair)
    assert all(torch.allclose(p, q) for one, other in zip(ahead, back) for p, q in zip(one, other))
    assert forms.jacobian(lambda a: a * 2, torch.zeros(0), vectorize=True, strategy="forward-mode").shape == (0, 0)
    ahead = forms.hessian(curve, x(), vectorize=True, outer_jacobian_strategy="forward-mode")
    assert torch.allclose(ahead, forms.hessian(curve, x()))
    assert message(lambda: forms.jacobian(torch.sin, x(), strategy="forward-mode"), NotImplementedError).startswith(
        "Computing Jacobian using forward-AD")


# ---- memory and threads ----


def test_nothing_is_left():
    def run():
        with fw.dual_level():
            d = fw.make_dual(x(), v()).requires_grad_()
            w = d * 1
            w[1:].exp_()
            torch.autograd.grad(curve(w), d)
            Cube.apply(d, 2)
            for call in (lambda: d // 2, lambda: torch.unique(d)):
                with pytest.raises(NotImplementedError):
                    call()
        jvp(lambda a: jvp(curve, (a,), (v(),))[1], (x(),), (v(),))
        linearize(curve, x())[1](v())

    run()
    gc.collect()
    before = torch.memory_stats()["live_bytes"]
    for _ in range(5):
        run()
    gc.collect()
    assert torch.memory_stats()["live_bytes"] == before


def test_threads_share_a_level():
    with fw.dual_level():
        d, found = fw.make_dual(x(), v()), []

        def work():
            for _ in range(200):
                found.append(near(tangent(curve(d).reshape(1)), [float(want)]))

        want = tangent(curve(d))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert len(found) == 800 and all(found)


def test_a_tangent_on_its_tensor_s_memory_is_copied():
    t = torch.full((2,), 2.0)
    value, tangent = torch.func.jvp(lambda x: x.mul_(2), (t,), (t,))
    assert value.tolist() == [4, 4] and tangent.tolist() == [4, 4] and t.tolist() == [4, 4]
    both = torch.full((4,), 2.0)
    value, tangent = torch.func.jvp(lambda x, y: x.mul_(3) * y, (both[:2], both[2:]), (both[2:], both[:2]))
    assert value.tolist() == [12, 12] and tangent.tolist() == [24, 24] and both.tolist() == [6, 6, 2, 2]


def test_the_tangent_of_an_embedding_is_a_lookup():
    """What gradients pass by or divide by is none of its business, over many tables neither."""
    tables, words = torch.arange(16.0).reshape(2, 4, 2) + 1, torch.tensor([0, 3, 3])

    def read(table):
        return torch.nn.functional.embedding(words, table, padding_idx=3, scale_grad_by_freq=True)

    for f, table in (read, tables[0]), (torch.func.vmap(read), tables):
        values, tangents = jvp(f, (table,), (table * 2,))
        assert torch.equal(tangents, values * 2)


def test_levels_that_are_wrong():
    """The messages and their order are PyTorch 2.11's."""
    x, whole = torch.ones(2), torch.ones(2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="^Dual level must be a positive number.$"):
        fw.exit_dual_level()
    with pytest.raises(RuntimeError, match="^Trying to create a dual Tensor for forward AD but no level exists"):
        fw.make_dual(whole, x)
    assert fw.unpack_dual(x).primal is x and fw.unpack_dual(x).tangent is None
    with fw.dual_level():
        for given, role in (((whole, x), "primal"), ((x, whole), "tangent")):
            with pytest.raises(ValueError, match=f"^Expected {role} to be floating point or complex, but got: "):
                fw.make_dual(*given)
        with pytest.raises(RuntimeError, match="^Trying to exit a forward AD level that was not the last one"):
            fw.exit_dual_level(level=7)
    assert fw._current_level == -1


def test_the_tangent_of_an_embedding_knows_nothing_of_its_rescaling():
    """max_norm= shortens rows in place before the lookup, which no derivative sees: the tangent is the lookup's."""
    table, tangent = torch.arange(12.0).reshape(4, 3), torch.ones(4, 3)
    words = torch.tensor([1, 3])
    with fw.dual_level():
        dual = fw.make_dual(table, tangent)
        got = fw.unpack_dual(torch.nn.functional.embedding(words, dual, max_norm=1.0))
        assert torch.allclose(got.primal.norm(dim=1), torch.ones(2)) and torch.equal(got.tangent, torch.ones(2, 3))
        assert torch.equal(fw.unpack_dual(dual).tangent, tangent)
    assert torch.allclose(table[1].norm(), torch.tensor(1.0)) and torch.equal(table[2], torch.tensor([6.0, 7.0, 8.0]))
