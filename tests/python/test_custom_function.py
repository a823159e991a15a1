"""torch.autograd.Function: contexts, results, what is saved, refusals, and that nothing stays behind."""

import gc
import threading
import warnings
import weakref

import karat as torch
from karat.autograd import Function
from karat.autograd.function import once_differentiable
import pytest


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x ** 2


class Scaled(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def leaf(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def test_first_and_second_derivative():
    x = leaf(1.0, 2.0)
    (first,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert first.tolist() == [3.0, 12.0] and second.tolist() == [6.0, 12.0]


def test_the_context_is_the_node():
    x = leaf(1.0)
    y = Scaled.apply(x * 1, 2.5)
    node = y.grad_fn
    assert node is y.grad_fn and type(node).__name__ == node.name() == "ScaledBackward" == y.grad_fn.name()
    assert node.factor == 2.5 and node.needs_input_grad == (True, False)
    assert [n.name() for n, _ in node.next_functions] == ["MulBackward0"]
    assert "ScaledBackward" in repr(y) and type(node) is Scaled._backward_cls
    del y
    with pytest.raises(RuntimeError, match="legacy access pattern"):
        node.next_functions


def test_forward_is_not_recorded_and_modes_are_restored():
    seen = []

    class Looks(Scaled):
        @staticmethod
        def forward(ctx, x, factor):
            seen.append((torch.is_grad_enabled(), (x * 2).requires_grad, ctx.saved_tensors))
            if factor < 0:
                raise ValueError("mine")
            return x * factor

    x = leaf(1.0)
    assert Looks.apply(x, 2).requires_grad
    with pytest.raises(ValueError, match="mine"):
        Looks.apply(x, -1)
    assert seen == [(False, False, ())] * 2 and torch.is_grad_enabled()


def test_without_grad_nothing_is_recorded():
    x = leaf(1.0)
    with torch.no_grad():
        assert Cube.apply(x).grad_fn is None
    assert not Cube.apply(x.detach()).requires_grad
    assert Scaled.apply(3.0, 2) == 6.0  # no tensor at all


def test_several_outputs_and_gradients_that_do_not_arrive():
    got = []

    class Three(Function):
        @staticmethod
        def forward(ctx, a, b, zeros):
            ctx.set_materialize_grads(zeros)
            above = (a > b).to(torch.int64)
            ctx.mark_non_differentiable(above)
            return a * b, above, "text", a + b

        @staticmethod
        def backward(ctx, *grads):
            got.append(grads)
            return grads[0], None, None

    a, b = leaf(2.0, 3.0), leaf(5.0, 1.0)
    product, above, text, total = Three.apply(a, b, True)
    assert text == "text" and not above.requires_grad and total.requires_grad and total.grad_fn is product.grad_fn
    product.sum().backward()
    assert [None if g is None else (g.dtype, g.tolist()) for g in got.pop()] == [
        (torch.float32, [1.0, 1.0]), (torch.int64, [0, 0]), None, (torch.float32, [0.0, 0.0])]
    assert a.grad.tolist() == [1.0, 1.0] and b.grad is None
    Three.apply(a, b, False)[0].sum().backward()
    assert got.pop()[1:] == (None, None, None)

    class Nothing(Scaled):
        @staticmethod
        def backward(ctx, grad):
            return None, None

    Nothing.apply(Three.apply(a, b, False)[0], 2).sum().backward()  # no gradient arrives at all
    assert got.pop() == (None, None, None, None)


def test_setup_context():
    class Power(Function):
        @staticmethod
        def forward(x, n=3):
            return x ** n

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.n = inputs[1]
            ctx.save_for_backward(inputs[0], output)

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            assert y.grad_fn.name() == "PowerBackward"
            return grad * ctx.n * x ** (ctx.n - 1), None

    x = leaf(2.0)
    Power.apply(x).backward()
    assert x.grad.item() == 12.0
    for call, text in ((lambda: Power.apply(), "missing a required argument: 'x'"),
                       (lambda: Power.apply(x, 1, 2), "too many positional arguments"),
                       (lambda: Scaled.apply(x, factor=2), "apply\\(\\) takes no keyword arguments")):
        with pytest.raises(TypeError, match=text):
            call()


def test_a_saved_result_has_its_history():
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y, None)
            return y

        @staticmethod
        def backward(ctx, grad):
            y, nothing = ctx.saved_tensors
            assert nothing is None
            return grad * y

    x = leaf(0.5, dtype=torch.float64)
    (first,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert torch.allclose(second, x.exp()) and torch.equal(first, second)


def test_an_input_returned_as_it_is():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 7

    x = leaf(1.0, 2.0)
    y = Same.apply(x)
    assert y is not x and y._is_view() and y.grad_fn.name() == "SameBackward"
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        y.add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]
    with torch.no_grad():
        assert not Same.apply(x).requires_grad
    assert x.requires_grad and x.is_leaf


class AddsOne(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def test_in_place():
    x = leaf(1.0, 2.0)
    z = x * 1
    w = AddsOne.apply(z)
    assert w is z and w.grad_fn.name() == "AddsOneBackward" and w._version == 2
    w.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    x.grad = None
    base = x * 1
    view = base[:1]
    assert AddsOne.apply(view) is view and base.grad_fn.name() == "torch::autograd::CopySlices"
    base.sum().backward()
    assert x.grad.tolist() == [2.0, 1.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        AddsOne.apply(leaf(1.0))

    class Forgets(AddsOne):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x * 1

    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned as output"):
        Forgets.apply(x * 1)


def returns(answer):
    class Returns(Function):
        @staticmethod
        def forward(ctx, x, other):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return answer(grad)

    return Returns


@pytest.mark.parametrize("answer, text", [
    (lambda g: (3, None), r"expected Variable or None \(got int\)"),
    (lambda g: (g, g), "function ReturnsBackward returned a gradient different than None at position 2, but the corresponding "
                       "forward input was not a Variable"),
    (lambda g: g, r"function ReturnsBackward returned an incorrect number of gradients \(expected 2, got 1\)"),
    (lambda g: (g, None, g), r"returned an incorrect number of gradients \(expected 2, got 3\)"),
    (lambda g: (g[:1].repeat(3), None),
     r"Function ReturnsBackward returned an invalid gradient at index 0 - got \[3\] but expected shape compatible with \[2\]"),
])
def test_wrong_answers_of_backward(answer, text):
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=text):
        returns(answer).apply(x, 1).sum().backward()
    assert x.grad is None


def test_good_answers_of_backward():
    x = leaf(1.0, 2.0)
    returns(lambda g: (g, None, None)).apply(x, 1).sum().backward()  # more, but None
    returns(lambda g: (g.double(), None)).apply(x, 1).sum().backward()
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [2.0, 2.0]
    returns(lambda g: (None, None)).apply(x, 1).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_refusals_of_the_context():
    def with_forward(forward):
        return type("Refused", (Cube,), {"forward": staticmethod(forward)})

    x = leaf(1.0)
    for forward, kind, text in (
            (lambda ctx, x: (ctx.save_for_backward(x, 3), x * 1)[1], TypeError,
             "save_for_backward can only save variables, but argument 1 is of type int"),
            (lambda ctx, x: (ctx.mark_dirty(3), x * 1)[1], RuntimeError, "mark_dirty can only accept variables"),
            (lambda ctx, x: (ctx.mark_non_differentiable(3), x * 1)[1], RuntimeError,
             "mark_non_differentiable only accepts variable arguments")):
        with pytest.raises(kind, match=text):
            with_forward(forward).apply(x)


def test_missing_methods():
    class Neither(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    x = leaf(1.0)
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        Neither.apply(x).backward()
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        Function.apply(x)

    class Both(Cube):
        @staticmethod
        def vjp(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        Both.apply(x).backward()

    class Vjp(Neither):
        @staticmethod
        def vjp(ctx, grad):
            return grad * 5

    Vjp.apply(x).backward()
    assert x.grad.item() == 5.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match="Legacy autograd function"):
            Cube()(x)


def test_what_was_freed_or_written_to_is_refused_when_it_is_asked_for():
    x = leaf(1.0, 2.0)
    z = x * 1
    y = Cube.apply(z)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()
    y = Cube.apply(z)
    z.add_(1)
    with pytest.raises(RuntimeError, match=r"\[torch.FloatTensor \[2\]\], which is output 0 of AddBackward0, is at version 1"):
        y.sum().backward()
    node = Cube.apply(x).grad_fn
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        node.saved_tensors


def test_once_differentiable():
    class Once(Cube):
        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x ** 2

    x, g = leaf(2.0), leaf(1.0)
    (first,) = torch.autograd.grad(Once.apply(x), x, g, create_graph=True)
    assert first.item() == 12.0 and first.requires_grad
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with @once_differentiable"):
        first.sum().backward()


def test_the_users_own_exception_comes_out():
    class Mine(Exception):
        pass

    class Raises(Cube):
        @staticmethod
        def backward(ctx, grad):
            raise Mine("in backward")

    x = leaf(1.0)
    with pytest.raises(Mine, match="in backward") as caught:
        Raises.apply(x * 2).sum().backward()
    assert any(entry.name == "backward" for entry in caught.traceback)
    del caught

    def live():
        with pytest.raises(Mine):
            Raises.apply(x * 2).sum().backward()
        gc.collect()
        return torch.memory_stats()["live_bytes"]

    before = live()
    assert [live() for _ in range(20)] == [before] * 20


def test_long_chains():
    class Keeps(Scaled):  # by an attribute, which the engine does not see
        @staticmethod
        def forward(ctx, x, factor):
            ctx.x, ctx.factor = x, factor
            return x * factor

    x = leaf(1.0)
    for function in (Scaled, Keeps):
        y = x
        for _ in range(100_000):
            y = function.apply(y, 1)
        y.backward()
        del y
    assert x.grad.item() == 2.0


def test_cycles_are_collected():
    class Marker:
        pass

    class Cycle(Function):
        @staticmethod
        def forward(ctx, x, marker):
            y = x * 2
            ctx.y, ctx.itself, ctx.marker = y, ctx, marker
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    marker = Marker()
    gone = weakref.ref(marker)
    y = Cycle.apply(leaf(1.0), marker)
    y.backward()
    del y, marker
    gc.collect()
    assert gone() is None


def test_classes_outlive_collections_while_contexts_are_alive():
    def results():
        class Local(Scaled):
            pass

        return [Local.apply(leaf(1.0), 2.0) for _ in range(50)]

    alive = results()
    for _ in range(3):
        gc.collect()
    nodes = [y.grad_fn for y in alive]
    assert {node.name() for node in nodes} == {"LocalBackward"}
    assert all(node._forward_cls.backward is Scaled.backward for node in nodes)
    sum(alive).backward()
    gone = weakref.ref(type(nodes[0]))
    del alive, nodes
    gc.collect()
    assert gone() is None


def test_threads():
    results = []

    def work():
        for _ in range(50):
            x = leaf(1.0, 2.0, dtype=torch.float64)
            Cube.apply(Scaled.apply(x, 2.0)).sum().backward()
            results.append(x.grad.tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [[24.0, 96.0]] * 200


def test_what_is_saved_can_be_given_away():
    class Once(Cube):
        clear_saved_tensors_on_access = True

    x = leaf(2.0)
    y = Once.apply(x * 1)
    kept = weakref.ref(y.grad_fn.saved_tensors[0])
    gc.collect()
    assert kept() is None
    with pytest.raises(RuntimeError, match="saved_tensors can only be accessed once"):
        y.sum().backward()
    assert torch.autograd.grad(Once.apply(x), x)[0].item() == 12.0
    with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated"):
        y = Cube.apply(x)
        assert y.grad_fn.saved_variables == (x,)


def test_what_a_context_refuses():
    def made(fill):
        class Filled(Function):
            @staticmethod
            def forward(ctx, x):
                fill(ctx)
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g * 2

        return Filled

    x = leaf(1.0)
    for fill, kind, text in (
            (lambda ctx: ctx.set_materialize_grads(5), TypeError, "set_materialize_grads received an invalid combination"),
            (lambda ctx: ctx.save_for_forward(3), AssertionError, "save_for_forward expects all arguments to be tensors")):
        with pytest.raises(kind, match=text):
            made(fill).apply(x)
    y = made(lambda ctx: setattr(ctx, "needs_input_grad", 3)).apply(x)
    assert y.grad_fn.needs_input_grad == 3 and torch.autograd.grad(y, x)[0].item() == 2.0
    node = Cube.apply(x).grad_fn
    with pytest.raises(RuntimeError, match="the underlying PyNode has already been deallocated"):
        node.metadata


def test_several_views_are_not_written_to():
    class Halves(Function):
        @staticmethod
        def forward(ctx, x):
            return x[:1], x[1:]

        @staticmethod
        def backward(ctx, *grads):
            return torch.cat(grads)

    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="is the output of a function that returns multiple views"):
        Halves.apply(x)[0].mul_(2)
    assert torch.autograd.grad(sum(Halves.apply(x)).sum(), x)[0].tolist() == [1.0, 1.0]


class Triple(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, g):
        return g * 3


class TripleAndSave(Function):
    @staticmethod
    def forward(x):
        return x.mul_(3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(output)
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        return g * 3 + ctx.saved_tensors[0] * 0


class TripleAndLook(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(3)
        with torch.enable_grad():
            (x * 2).sum()  # asks for the history of what was written
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


VIEWS = {
    "part": lambda y: y[:2],
    "all": lambda y: y.view(-1),
    "of_a_view": lambda y: y[None][:, 1:],
    "repeated_dim": lambda y: y.view(1, 3).transpose(0, 1)[:2],
}


@pytest.mark.parametrize("function", (Triple, TripleAndSave, TripleAndLook))
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("used", ("view", "base", "other"))
def test_backward_of_what_was_written_through_a_view(function, view, used):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    v, other = VIEWS[view](y), y[:]
    assert function.apply(v) is v and v._version == 2 and v.requires_grad
    expected = torch.zeros(3)
    VIEWS[view](expected).add_(3)
    if used != "view":
        expected[expected == 0] = 1
    {"view": v, "base": y, "other": other}[used].sum().backward()
    assert x.grad.tolist() == expected.tolist()


def test_a_chain_of_writes_through_views():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    v = y[:2]
    w = v[1:]
    Triple.apply(w)
    Triple.apply(v)
    w.mul_(10)
    Triple.apply(w)
    (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert y.tolist() == [3, 540, 3] and x.grad.tolist() == [3, 2700, 100]


def test_a_base_that_wanted_no_gradient():
    class Into(Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.mark_dirty(x)
            return x.copy_(w)

        @staticmethod
        def backward(ctx, g):
            return None, g * 2

    y, w = torch.zeros(3), torch.tensor([1.0, 2.0], requires_grad=True)
    v = y[:2]
    r = Into.apply(v, w)
    assert r is v and y.requires_grad and v.requires_grad
    (v * torch.tensor([1.0, 10.0])).sum().backward()
    assert w.grad.tolist() == [2, 20]


def test_the_inputs_of_a_node_are_what_they_were_before_forward():
    class Changes(Function):
        @staticmethod
        def forward(ctx, x, w):
            with torch.enable_grad():
                x.mul_(3)
            w.requires_grad_()
            return x * w

        @staticmethod
        def backward(ctx, g):
            return g * 10, g

    x, w = torch.ones(2, requires_grad=True), torch.ones(2)
    r = Changes.apply(x * 1, w)
    assert [node is not None for node, _ in r.grad_fn.next_functions] == [True, False]
    r.sum().backward()
    assert x.grad.tolist() == [10, 10] and w.grad is None  # not 30: forward is not part of the graph

    class Around(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            with torch.enable_grad():
                return Triple.apply(x)

        @staticmethod
        def backward(ctx, g):
            return g * 7

    x = torch.ones(2, requires_grad=True)
    Around.apply(x * 1).sum().backward()
    assert x.grad.tolist() == [7, 7]


def test_what_was_written_and_has_no_gradient():
    class Constant(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            ctx.mark_non_differentiable(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            raise AssertionError("nothing leads here")

    x = torch.ones(2, requires_grad=True)
    for made in (lambda: x * 1, lambda: (x * 1)[:1]):
        y = made()
        r = Constant.apply(y)
        assert r is not y and not r.requires_grad and y.requires_grad and r.tolist() == y.tolist() and r._version == 2

    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x, x

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 3

    a, b = Twice.apply(x * 1)
    assert a is b and a._version == 2


def test_a_vmap_rule_writes_to_the_examples():
    class OwnRule(Function):
        @staticmethod
        def forward(x):
            return x.mul_(3)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return g * 3

        @staticmethod
        def vmap(info, in_dims, x):
            return x.mul_(3), in_dims[0]

    x = torch.ones(2, 3)
    assert torch.vmap(OwnRule.apply)(x).tolist() == [[3] * 3] * 2 and x.tolist() == [[3] * 3] * 2
    assert torch.func.grad(lambda r: OwnRule.apply(r.clone()[:2]).sum())(torch.ones(3)).tolist() == [3, 3, 0]
