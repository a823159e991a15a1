"""Hooks on gradients, grad_fn and the way back through the graph, backward from several roots."""

import gc
import weakref

import pytest

import karat
from on_device import DEVICE


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def leaf(*values):
    return karat.tensor(values, requires_grad=True)


def test_hooks_see_and_replace():
    x, seen = leaf(1.0, 2.0), []
    y = x * 2
    first = y.register_hook(lambda g: seen.append(g.tolist()))
    second = x.register_hook(lambda g: g * 10)
    (y * y).sum().backward()
    assert seen == [[4.0, 8.0]] and x.grad.tolist() == [80.0, 160.0]
    first.remove(), first.remove(), second.remove()
    x.grad = None
    (x * 2).sum().backward()
    assert len(seen) == 1 and x.grad.tolist() == [2.0, 2.0]
    x.grad = None
    x.register_hook(lambda g: g + 1), x.register_hook(lambda g: g * 2)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [8.0, 8.0]


def test_a_hook_for_a_while():
    x = leaf(1.0)
    with x.register_hook(lambda g: g * 5):
        x.sum().backward()
    x.sum().backward()
    assert x.grad.tolist() == [6.0]


def test_exceptions_come_out_as_themselves():
    class Mine(Exception):
        pass

    def fail(g):
        raise Mine("so")

    x = leaf(1.0)
    handle = x.register_hook(fail)
    with pytest.raises(Mine, match="^so$") as caught:
        x.sum().backward()
    assert any(entry.name == "fail" for entry in caught.traceback)
    handle.remove()
    x.register_hook(lambda g: 3)
    assert "hook returned 'int'" in refusal(TypeError, lambda: x.sum().backward())
    assert not karat.tensor([1.0]).isnan().item()  # no error is left behind
    assert refusal(RuntimeError, lambda: karat.ones(1).register_hook(print)) == (
        "cannot register a hook on a tensor that doesn't require gradient"
    )


def test_functions_live_as_long_as_their_tensor():
    class Function:
        def __call__(self, g):
            return None

    function, x = Function(), leaf(1.0)
    alive = weakref.ref(function)
    handle = x.register_hook(function)
    del function
    assert alive() is not None
    del handle
    assert alive() is not None
    del x
    gc.collect()
    assert alive() is None


def test_retain_grad():
    x = leaf(1.0, 2.0)
    y = x * 3
    y.retain_grad()
    assert y.retains_grad and not x.retains_grad
    (y * y).sum().backward()
    assert y.grad.tolist() == [6.0, 12.0] and x.grad.tolist() == [18.0, 36.0]
    assert refusal(RuntimeError, karat.ones(1).retain_grad) == (
        "can't retain_grad on Tensor that has requires_grad=False"
    )


def test_the_graph():
    x = leaf(1.0)
    y = x * 2
    node = y.grad_fn
    assert node.name() == "MulBackward0" and type(node).__name__ == "MulBackward0" and repr(node)[:14] == "<MulBackward0 "
    (made, which), (none, _) = node.next_functions
    assert made.name() == "torch::autograd::AccumulateGrad" and made.variable is x and which == 0 and none is None
    assert node == y.grad_fn and hash(node) == hash(y.grad_fn) and node != made and x.grad_fn is None
    assert refusal(AttributeError, lambda: node.variable) == "'MulBackward0' object has no attribute 'variable'"
    names = {type((x + i).grad_fn) for i in range(100)}
    assert len(names) == 1
    del x, y, made
    assert node.next_functions[0][0].variable.tolist() == [1.0]


def test_backward_from_several():
    x = leaf(1.0, 1.0)
    karat.autograd.backward([x.sum(), (x * 3).sum()])
    assert x.grad.tolist() == [4.0, 4.0]
    karat.autograd.backward(x * 2, karat.ones(2))
    assert x.grad.tolist() == [6.0, 6.0]
    other = leaf(1.0, 1.0)
    (x * other).backward(karat.ones(2), inputs=[other])
    assert x.grad.tolist() == [6.0, 6.0] and other.grad.tolist() == [1.0, 1.0]
    assert refusal(RuntimeError, lambda: (x * 2).backward(karat.ones(2), inputs=[])) == (
        "`inputs` argument to `backward()` cannot be empty."
    )
    assert refusal(TypeError, lambda: x.sum().backward("a")) == "gradients can be either Tensors or None, but got str"
    assert refusal(TypeError, lambda: karat.autograd.backward(3)) == "'int' object is not iterable"


def test_hooks_after_accumulation():
    seen = []
    p = karat.ones(2, requires_grad=True)

    def step(leaf):
        seen.append((leaf is p, leaf.grad.tolist()))
        leaf.data.add_(leaf.grad, alpha=-0.1)
        leaf.grad = None

    handle = p.register_post_accumulate_grad_hook(step)
    (p * p).sum().backward()
    assert seen == [(True, [2.0, 2.0])] and p.grad is None and p.tolist() == pytest.approx([0.8, 0.8])
    karat.autograd.grad((p * p).sum(), p)  # nothing is accumulated
    assert len(seen) == 1
    (p * 3).sum().backward(inputs=[p])
    assert len(seen) == 2
    handle.remove()
    (p * 3).sum().backward()
    assert len(seen) == 2 and p.grad.tolist() == [3.0, 3.0]


def test_hooks_after_accumulation_refused_and_failing():
    x = karat.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (x * 2).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        karat.ones(2).register_post_accumulate_grad_hook(print)
    x.register_post_accumulate_grad_hook(lambda leaf: 3)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        x.sum().backward()

    def broken(leaf):
        raise KeyError("mine")

    y = karat.ones(2, requires_grad=True)
    y.register_post_accumulate_grad_hook(broken)
    with pytest.raises(KeyError, match="mine"):
        y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]


# ---- which hooks run, and when ----


@pytest.mark.parametrize("kind", ["leaf", "result", "post"])
def test_hooks_run_as_they_were_when_the_gradient_was_complete(kind):
    x, seen, handles = leaf(1.0, 2.0), [], []
    y = x * 2 if kind == "result" else x
    add = y.register_post_accumulate_grad_hook if kind == "post" else y.register_hook

    def first(_):
        seen.append("first")
        if len(handles) == 3:
            handles.pop(1).remove()
            add(lambda _: seen.append("added"))

    handles += [add(first), add(lambda _: seen.append("removed")), add(lambda _: seen.append("last"))]
    y.sum().backward(retain_graph=True)
    assert seen == ["first", "removed", "last"]
    seen.clear()
    y.sum().backward()
    assert seen == ["first", "last", "added"]


def test_a_removed_hook_lets_its_function_go():
    x = leaf(1.0)

    def hook(g):
        pass

    gone = weakref.ref(hook)
    handle = x.register_hook(hook)
    del hook
    assert gone() is not None
    handle.remove()
    assert gone() is None


def test_the_newest_node_runs_first():
    x, seen = leaf(1.0), []
    siblings = [x * i for i in range(5)]
    for i, s in enumerate(siblings):
        s.register_hook(lambda g, i=i: seen.append(i))
    sum(siblings[i] for i in (3, 0, 4, 1, 2)).backward()
    assert seen == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_a_weight_has_its_gradient_before_the_layer_below_runs(held, named):
    """Also where another graph refers to the weight, or the caller names it."""
    weights = [leaf(1.5) for _ in range(3)]
    x, seen, elsewhere = leaf(1.0), [], []
    for i, w in enumerate(weights):
        if held:
            elsewhere.append(w * 3)
        x = (x * w).sin()
        x.register_hook(lambda g, i=i: seen.append((i, [w.grad is not None for w in weights])))
        w.register_post_accumulate_grad_hook(lambda w, i=i: seen.append(i))
    x.sum().backward(**({"inputs": weights} if named else {}))
    assert seen == [(2, [False] * 3), 2, (1, [False, False, True]), 1, (0, [False, True, True]), 0]


def test_a_weight_used_twice_waits_for_the_older_use():
    w, x, seen = leaf(2.0), leaf(1.0), []
    w.register_post_accumulate_grad_hook(lambda w: seen.append("w"))
    a = x * w
    b = a * 3
    c = b * w
    for name, t in (("a", a), ("b", b)):
        t.register_hook(lambda g, name=name: seen.append(name))
    c.sum().backward()
    assert seen == ["b", "a", "w"] and w.grad.item() == 12


def test_backward_into_named_results_keeps_their_gradients():
    x = leaf(1.0, 2.0)
    y = x * 3
    y.sum().backward(inputs=[y, x, x])
    assert y.retains_grad and y.grad.tolist() == [1, 1] and x.grad.tolist() == [3, 3]


def test_where_nothing_flows_a_hook_sees_none():
    x, seen = leaf(1.0, 2.0), []
    a, b = (x * 1).split(1)
    b.register_hook(seen.append)
    a.sum().backward()
    assert seen == [None] and x.grad.tolist() == [1, 0]


def test_a_leaf_that_is_not_part_of_the_graph_runs_no_hook():
    x, y, seen = leaf(1.0, 2.0), leaf(3.0), []
    x.register_hook(seen.append)
    x.register_post_accumulate_grad_hook(seen.append)
    assert karat.autograd.grad((y * 2).sum(), [x, y], allow_unused=True)[0] is None
    (y * 2).sum().backward(inputs=[x, y])
    with pytest.raises(RuntimeError, match="^One of the differentiated Tensors appears to not have been used in the graph"):
        karat.autograd.grad(y.sum(), [x])
    assert seen == [] and x.grad is None and y.grad.tolist() == [2]


def test_a_post_accumulate_hook_returns_nothing():
    for returned, wanted in ((lambda t: t.grad, "Tensor post accumulate grad hooks should return None."),
                             (lambda t: 1, "expected Variable, but hook returned 'int'")):
        x = leaf(1.0)
        x.register_post_accumulate_grad_hook(returned)
        assert refusal((RuntimeError, TypeError), x.sum().backward) == wanted
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(lambda t: t)
    x.sum().backward()


# ---- what a hook refers to ----


@pytest.mark.parametrize("kind", ["leaf", "result", "post", "subclass", "used"])
def test_a_tensor_that_its_hook_refers_to_is_collected(kind):
    class Mine(karat.Tensor):
        pass

    def make():
        x = Mine([1.0]).requires_grad_() if kind == "subclass" else leaf(1.0)
        y = x * 2 if kind == "result" else x
        add = y.register_post_accumulate_grad_hook if kind == "post" else y.register_hook
        token = type("Token", (), {})()
        add(lambda g: (y, token) and None)
        if kind == "used":
            (y * y).sum().backward()
        return weakref.ref(token)

    tokens = [make() for _ in range(10)]
    gc.collect()
    assert [t() for t in tokens] == [None] * 10


def test_memory_stays_level_with_hooks_that_refer_to_their_leaf():
    def turn():
        x = karat.ones(2000, requires_grad=True)
        x.register_hook(lambda g: g * (x.numel() / 2000))
        (x * 2).sum().backward()

    def live():
        gc.collect()
        return karat.memory_stats()["live_bytes"]

    for _ in range(3):
        turn()
    before = live()
    for _ in range(50):
        turn()
    assert live() == before


def test_a_graph_that_still_holds_a_leaf_keeps_its_hook():
    def make():
        x, seen = leaf(1.0), []
        x.register_hook(lambda g: seen.append((x, g)))
        return (x * 2).sum(), seen

    loss, seen = make()
    gc.collect()
    loss.backward()
    assert seen[0][1].item() == 2


def test_attributes_live_on_while_a_tensor_is_somebodys_gradient():
    x, y, z = karat.empty(2), karat.empty(2), karat.empty(2)
    x.l, y.l, z.grad = y, x, x
    del x, y
    gc.collect()
    assert z.grad.l.l is z.grad


class Called:
    def __init__(self, function):
        self.function = function

    def __call__(self, grad):
        return self.function(grad)


@pytest.mark.parametrize("change, said", [
    (lambda g: g.double(), "type of value (was torch.FloatTensor got torch.DoubleTensor)"),
    (lambda g: g.cfloat(), "type of value (was torch.FloatTensor got CPUComplexFloatType)"),
    (lambda g: g.bfloat16(), "type of value (was torch.FloatTensor got CPUBFloat16Type)"),
    (lambda g: g.bool(), "type of value (was torch.FloatTensor got CPUBoolType)"),
    (lambda g: g.to("meta"), "type of value (was torch.FloatTensor got MetaFloatType)"),
    (lambda g: karat.ones(3), "size of value"),
])
def test_what_a_hook_gives_back_has_the_size_and_type_of_what_it_was_shown(change, said):
    if DEVICE:
        said = said.replace("torch.", f"torch.{DEVICE}.").replace("CPU", DEVICE.upper())
    for hook, name in ((change, "<lambda>"), (Called(change), "<unknown>")):
        for register in ("register_hook", "register_post_accumulate_grad_hook"):
            x = karat.ones(2, requires_grad=True)
            getattr(x, register)(hook)
            with pytest.raises(RuntimeError) as info:
                (x * 2).sum().backward()
            assert str(info.value).split("\n")[0] == f"hook '{name}' has changed the {said}"


def test_a_hook_after_the_sum_gives_nothing_back():
    x = karat.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.detach().clone())
    with pytest.raises(RuntimeError, match="^Tensor post accumulate grad hooks should return None.$"):
        (x * 2).sum().backward()
