"""Nodes of the graph: hooks and prehooks, metadata, what they keep, calls; with the contexts of Functions."""

import gc
import threading
import weakref

import pytest

import karat
from karat.autograd import Function
from karat.autograd.graph import Node


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def leaf(*values, **options):
    return karat.tensor(values, requires_grad=True, **options)


class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Several(Function):
    """Two tensors and a number come out; the number has a place among the gradients, too."""

    @staticmethod
    def forward(ctx, x, y):
        return x * 2, 5, y * 3

    @staticmethod
    def backward(ctx, g, none, h):
        return g * 2, h * 3


# ---- hooks ----


def test_hooks_run_in_order_around_the_node():
    x, seen = leaf(1.0, 2.0), []
    y = x * 3
    z = y * y
    node = z.grad_fn
    z.register_hook(lambda g: seen.append(("tensor", g.tolist())))
    z.retain_grad()
    node.register_prehook(lambda go: seen.append(("before", [g.tolist() for g in go])))
    node.register_prehook(lambda go: (go[0] * 10,))
    node.register_hook(lambda gi, go: seen.append(("after", [g.tolist() for g in gi], go[0].tolist())))
    node.register_hook(lambda gi, go: (gi[0] * 2, gi[1]))
    node.register_hook(lambda gi, go: seen.append(("last", gi[0].tolist())))
    z.sum().backward()
    assert seen == [("tensor", [1.0, 1.0]), ("before", [[1.0, 1.0]]), ("after", [[30.0, 60.0], [30.0, 60.0]], [10.0, 10.0]),
                    ("last", [60.0, 120.0])]
    assert z.grad.tolist() == [1.0, 1.0] and x.grad.tolist() == [270.0, 540.0]


def test_tensor_hooks_come_before_those_of_the_node():
    x, seen = leaf(1.0), []
    y = x * 3
    y.register_hook(lambda g: seen.append(1))
    y.grad_fn.register_prehook(lambda g: seen.append(3))
    y.register_hook(lambda g: seen.append(2))
    (y * y).sum().backward()
    assert seen == [1, 2, 3]


def test_what_is_captured_is_what_arrived_before_prehooks():
    x = leaf(1.0, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda go: (go[0] * 100,))
    total = (y * y).sum()
    assert karat.autograd.grad(total, y, retain_graph=True)[0].tolist() == [6.0, 12.0]
    one, two = karat.autograd.grad(total, (x, y))
    assert one.tolist() == [1800.0, 3600.0] and two.tolist() == [6.0, 12.0]


def run_with(hook=None, before=None):
    x = leaf(1.0, 2.0)
    z = x * 2
    if hook:
        z.grad_fn.register_hook(hook)
    if before:
        z.grad_fn.register_prehook(before)
    z.sum().backward()
    return x.grad


@pytest.mark.parametrize("answer, kind, text", [
    (lambda gi, go: 5, TypeError, "expected tuple, but hook returned 'int'"),
    (lambda gi, go: gi[0] * 2, TypeError, "expected tuple, but hook returned 'Tensor'"),
    (lambda gi, go: [gi[0], None], TypeError, "expected tuple, but hook returned 'list'"),
    (lambda gi, go: (gi[0],), RuntimeError, "hook '<lambda>' has returned an incorrect number of values (got 1, but expected 2)"),
    (lambda gi, go: (gi[0], None, None), RuntimeError,
     "hook '<lambda>' has returned an incorrect number of values (got 3, but expected 2)"),
    (lambda gi, go: (gi[0], gi[0]), RuntimeError, "can't replace a None gradient with a non-None value"),
    pytest.param(lambda gi, go: (gi[0].double(), None), RuntimeError,
                 "hook '<lambda>' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)",
                 marks=pytest.mark.cpu_only("the text names the device")),
    (lambda gi, go: (gi[0][:1], None), RuntimeError, "hook '<lambda>' has changed the size of value"),
    (lambda gi, go: ("a", None), TypeError, "expected Variable, but hook returned 'str'"),
    (5, TypeError, "'int' object is not callable"),
])
def test_answers_that_are_refused(answer, kind, text):
    assert refusal(kind, lambda: run_with(answer)) == text


@pytest.mark.parametrize("answer, kind, text", [
    (lambda go: 5, TypeError, "expected tuple, but hook returned 'int'"),
    (lambda go: (go[0], go[0]), RuntimeError,
     "hook '<lambda>' has returned an incorrect number of values (got 2, but expected 1)"),
    pytest.param(lambda go: (go[0].double(),), RuntimeError,
                 "hook '<lambda>' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)",
                 marks=pytest.mark.cpu_only("the text names the device")),
    (lambda go: (go[0][:1],), RuntimeError, "hook '<lambda>' has changed the size of value"),
    (lambda go: ("a",), TypeError, "expected Variable, but hook returned 'str'"),
])
def test_answers_of_prehooks_that_are_refused(answer, kind, text):
    assert refusal(kind, lambda: run_with(before=answer)) == text


def test_a_gradient_can_be_taken_away():
    assert run_with(lambda gi, go: (None, None)) is None
    assert run_with(before=lambda go: (None,)) is None


def test_a_tensor_hook_cannot_answer_where_no_gradient_arrived():
    class Nothing(Twice):
        @staticmethod
        def backward(ctx, g):
            return None

    x, seen = leaf(1.0), []
    y = x * 2
    handle = y.register_hook(lambda g: karat.ones(1))
    assert refusal(RuntimeError, Nothing.apply(y).sum().backward) == "can't replace a None gradient with a non-None value"
    handle.remove()
    y.grad_fn.register_prehook(lambda go: seen.append(("before", go)))
    y.grad_fn.register_hook(lambda gi, go: seen.append(("after", gi, go)))
    x.register_hook(lambda g: seen.append(("leaf", g)))
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda go: seen.append(("leaf before", go)))
    node.register_hook(lambda gi, go: seen.append(("leaf after", gi, go)))
    Nothing.apply(y).sum().backward()
    assert seen == [("before", (None,)), ("after", (None, None), (None,)), ("leaf", None), ("leaf before", (None,)),
                    ("leaf after", (), (None,))]
    assert x.grad is None


def test_a_leafs_node():
    x, seen = leaf(1.0, 2.0), []
    node = x.expand_as(x).grad_fn.next_functions[0][0]
    assert node.name() == "torch::autograd::AccumulateGrad" and node.variable is x
    x.register_hook(lambda g: seen.append("tensor"))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(("stored", t.grad.tolist())))
    node.register_prehook(lambda go: (go[0] * 5,))
    handle = node.register_hook(lambda gi, go: seen.append((gi, go[0].tolist(), x.grad.tolist())))
    (x * 2).sum().backward()
    assert seen == ["tensor", ("stored", [10.0, 10.0]), ((), [10.0, 10.0], [10.0, 10.0])]
    handle.remove()
    node.register_hook(lambda gi, go: (karat.ones(2),))
    assert "incorrect number of values (got 1, but expected 0)" in refusal(RuntimeError, (x * 2).sum().backward)


def test_a_leafs_hook_runs_as_soon_as_its_gradient_is_complete():
    order = []

    class Note(Twice):
        @staticmethod
        def backward(ctx, g):
            order.append("node")
            return g * 2

    x, y = leaf(1.0), leaf(2.0)
    early = Note.apply(x)
    node = y.expand_as(y).grad_fn.next_functions[0][0]  # somebody holds it: the graph is not its only owner
    node.register_hook(lambda gi, go: order.append("leaf"))
    (early * y).sum().backward()
    assert order == ["leaf", "node"]


def test_handles_end_hooks():
    x, seen = leaf(1.0), []
    y = (x * 2).sum()
    node = y.grad_fn
    first = node.register_hook(lambda gi, go: seen.append(1))
    with node.register_prehook(lambda go: seen.append(2)):
        y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    first.remove(), first.remove()
    y.backward()
    assert seen == [2, 1, 1]


def test_hooks_that_change_the_list_while_it_runs():
    x, seen = leaf(1.0), []
    y = (x * 2).sum()
    node = y.grad_fn
    second = []

    def first(gi, go):
        seen.append("first")
        second[0].remove()
        node.register_hook(lambda gi, go: seen.append("added"))

    handle = node.register_hook(first)
    second.append(node.register_hook(lambda gi, go: seen.append("second")))
    y.backward(retain_graph=True)
    assert seen == ["first", "second"]
    handle.remove()
    y.backward()
    assert seen == ["first", "second", "added"]


class Mine(Exception):
    pass


def fail(*args):
    raise Mine("so")


@pytest.mark.parametrize("put", [
    lambda y: y.grad_fn.register_hook(fail), lambda y: y.grad_fn.register_prehook(fail), lambda y: y.register_hook(fail),
    lambda y: y.grad_fn.next_functions[0][0].register_hook(fail), lambda y: y.grad_fn.next_functions[0][0].register_prehook(fail),
    lambda y: karat.autograd.graph.register_multi_grad_hook([y], fail),
    lambda y: karat.autograd.graph.register_multi_grad_hook([y], fail, mode="any"),
])
def test_exceptions_come_out_as_themselves(put):
    x = leaf(1.0)
    y = x * 2
    kept = y.grad_fn, y.grad_fn.next_functions[0][0]
    put(y)
    with pytest.raises(Mine) as caught:
        y.sum().backward()
    assert str(caught.value) == "so" and any(entry.name == "fail" for entry in caught.traceback) and kept


# ---- Functions ----


def test_hooks_of_a_functions_node():
    x, y, seen = leaf(1.0, 2.0), leaf(1.0), []
    one, number, two = Several.apply(x, y)
    node = one.grad_fn
    assert node is two.grad_fn and number == 5 and isinstance(node, Node)
    node.register_prehook(lambda go: seen.append([g if g is None else g.tolist() for g in go]))
    node.register_prehook(lambda go: (go[0] * 10, None, go[2]))
    node.register_hook(lambda gi, go: seen.append(([g.tolist() for g in gi], [g if g is None else g.tolist() for g in go])))
    node.register_hook(lambda gi, go: (gi[0] + 1, gi[1]))
    one.sum().backward()
    assert seen == [[[1.0, 1.0], None, None], ([[20.0, 20.0], [0.0]], [[10.0, 10.0], None, None])]
    assert x.grad.tolist() == [21.0, 21.0] and y.grad.tolist() == [0.0]
    one, number, two = Several.apply(x, y)
    one.grad_fn.register_prehook(lambda go: (go[0], karat.ones(1), go[2]))
    assert refusal(RuntimeError, one.sum().backward) == "can't replace a None gradient with a non-None value"


def test_hooks_that_forward_puts_on_its_context():
    seen, handles = [], []

    class Hooked(Twice):
        @staticmethod
        def forward(ctx, x):
            ctx.register_hook(lambda gi, go: seen.append(("after", gi[0].tolist(), go[0].tolist())))
            ctx.register_prehook(lambda go: seen.append(("before", go[0].tolist())))
            handles.append(ctx.register_hook(fail))
            handles[-1].remove()
            handles.append(ctx.register_hook(lambda gi, go: seen.append("late")))
            ctx.metadata["why"] = 3
            return x * 2

    x = leaf(1.0)
    y = Hooked.apply(x)
    assert y.grad_fn.metadata == {"why": 3} and y.grad_fn._input_metadata[0].shape == [1]
    y.sum().backward()
    assert seen == [("before", [1.0]), ("after", [2.0], [1.0]), "late"]
    handles[-1].remove()
    Hooked.apply(karat.ones(1))  # nothing is recorded: the hooks are dropped


def test_a_complex_gradient_of_a_real_input_is_refused():
    class Complex(Twice):
        @staticmethod
        def backward(ctx, g):
            return g * (1 + 2j)

    assert "input_is_complex == grad_is_complex" in refusal(RuntimeError, Complex.apply(leaf(1.0)).sum().backward)
    x = leaf(1.0)
    (x * (1 + 2j)).real.sum().backward()  # an operator's own derivative
    assert x.grad.tolist() == [1.0]


# ---- facts ----


def test_facts_of_a_node():
    x = leaf(1.0, 2.0)
    y = x * 3
    z = (y * y).sum()
    node = z.grad_fn
    assert isinstance(node, Node) and issubclass(type(node), Node) and not isinstance(3, Node)
    assert node._sequence_nr() > node.next_functions[0][0]._sequence_nr() > y.grad_fn._sequence_nr()
    assert y.grad_fn.next_functions[0][0]._sequence_nr() == 2**64 - 1
    form, = node.next_functions[0][0]._input_metadata
    assert (form.dtype, form.shape, str(form.device), form.is_nested_tensor) == (karat.float32, [2], str(x.device), False)
    assert node._input_metadata[0].shape == [] and x.grad_fn is None
    form, = y.grad_fn.next_functions[0][0]._input_metadata
    assert form.shape == [2]
    written = karat.zeros(4)
    written[:2] = x
    assert [f.shape for f in written.grad_fn._input_metadata] == [[4]]
    values, indices = karat.tensor([[1.0, 2.0]], requires_grad=True).max(1)
    assert len(values.grad_fn._input_metadata) == 1
    for name in ("metadata", "next_functions"):
        with pytest.raises(AttributeError):
            setattr(node, name, 3)
    with pytest.raises(TypeError, match="abstract"):
        Node()
    with pytest.raises(TypeError):
        type(node)()


def test_metadata_belongs_to_the_node_not_to_the_object():
    y = leaf(1.0) * 2
    y.grad_fn.metadata["a"] = 1
    gc.collect()
    assert y.grad_fn.metadata == {"a": 1} and (y * 2).grad_fn.next_functions[0][0].metadata == {"a": 1}


def test_a_call_of_a_node():
    x = leaf(1.0, 2.0)
    y = x * x
    one, two = y.grad_fn(karat.ones(2))
    assert one.tolist() == [1.0, 2.0] and one.grad_fn.name() == "MulBackward0" and two.tolist() == [1.0, 2.0]
    with karat.no_grad():
        assert not y.grad_fn(karat.ones(2))[0].requires_grad
    assert y.grad_fn(None) == (None, None) and (x + 1).grad_fn(karat.ones(2))[1] is None
    assert y.grad_fn(karat.ones(2, dtype=karat.float64))[0].dtype == karat.float64  # not fitted to the input
    halves = karat.rand(4, requires_grad=True).split(2)
    assert halves[0].grad_fn(karat.ones(2), None).tolist() == [1.0, 1.0, 0.0, 0.0]
    values, indices = karat.tensor([[1.0, 2.0]], requires_grad=True).max(1)
    assert values.grad_fn(karat.ones(1)).tolist() == [[0.0, 1.0]]
    assert (x + 1).grad_fn.next_functions[0][0](karat.ones(2)) == () and x.grad.tolist() == [1.0, 1.0]
    for call, text in [(lambda: y.grad_fn(), "expected 1 arguments, got 0 instead"),
                       (lambda: y.grad_fn(None, None), "expected 1 arguments, got 2 instead"),
                       (lambda: y.grad_fn(1), "argument 0 is not a Variable"),
                       (lambda: y.grad_fn(grad=1), "keyword arguments are not supported")]:
        assert refusal(TypeError, call) == text
    assert "must match the size of tensor b" in refusal(RuntimeError, lambda: y.grad_fn(karat.ones(3)))
    y.sum().backward()
    assert refusal(RuntimeError, lambda: y.grad_fn(karat.ones(2))).startswith("Trying to backward through the graph a second")
    with pytest.raises(TypeError, match="'TwiceBackward' object is not callable"):
        Twice.apply(x).grad_fn(karat.ones(2))


# ---- what they keep ----


def test_what_a_node_keeps():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    product = x * y
    assert product.grad_fn._saved_self is x and product.grad_fn._saved_other is y
    assert {"_saved_self", "_raw_saved_other"} <= set(dir(product.grad_fn))
    half = x * karat.ones(2)
    assert half.grad_fn._saved_self is None
    exp = x.exp()
    result = exp.grad_fn._saved_result
    assert result is not exp and result.tolist() == exp.tolist() and result.grad_fn is exp.grad_fn
    assert karat.add(x, y, alpha=3).grad_fn._saved_alpha == 3
    total = karat.rand(2, 3, requires_grad=True).sum((0, 1), keepdim=True).grad_fn
    assert total._saved_dim == (0, 1) and total._saved_keepdim is True
    assert karat.rand(2, 3, requires_grad=True).sum(-1).grad_fn._saved_dim == (2**64 - 1,)  # PyTorch shows no sign
    assert karat.rand(2, 3, requires_grad=True).triu(-1).grad_fn._saved_diagonal == 2**64 - 1
    assert (x**2).grad_fn._saved_exponent == 2 and (2**x).grad_fn._saved_self == 2
    number = (x * 2.5).grad_fn._saved_other
    assert number.item() == 2.5 and number.dtype == karat.float64 and (x * 2).grad_fn._saved_other.dtype == karat.int64
    index = x[karat.tensor([1, 0])].grad_fn
    assert [i.tolist() for i in index._saved_indices] == [[1, 0]] and len(index._raw_saved_indices) == 1
    assert x.clamp(min=0.5).grad_fn._saved_max is None and x.clamp(min=0.5).grad_fn._saved_min == 0.5
    for name in ("_saved_nothing", "_raw_saved_nothing", "_raw_saved_alpha", "_saved_", "nothing"):
        with pytest.raises(AttributeError, match=f"'MulBackward0' object has no attribute '{name}'"):
            getattr(product.grad_fn, name)


def shown(t):
    """What the node of t shows as _saved_*, tensors by their sizes."""
    node = t.grad_fn
    found = {name[len("_saved_"):]: getattr(node, name) for name in dir(node) if name.startswith("_saved_")}
    return {name: tuple(value.shape) if isinstance(value, karat.Tensor) else value for name, value in found.items()}


def test_nodes_show_what_pytorchs_show():
    x, image = karat.rand(3, 4, requires_grad=True), karat.rand(1, 2, 4, 4, requires_grad=True)
    y, functional = karat.rand(3, 4), karat.nn.functional
    assert shown(x.sum()) == {"self_sym_sizes": (3, 4)}
    assert shown(x.mean(0)) == {"dim": (0,), "keepdim": False, "self_sym_numel": 12, "self_sym_sizes": (3, 4)}
    assert shown(x.view(12)) == shown(x.expand(2, 3, 4)) == {"self_sym_sizes": (3, 4)}
    assert shown(x @ y.t()) == {"mat2": (4, 3), "mat2_sym_sizes": (4, 3), "mat2_sym_strides": (1, 4), "self": None,
                                "self_sym_sizes": (3, 4)}
    assert shown(functional.mse_loss(x, y)) == {"self": (3, 4), "target": (3, 4), "reduction": 1}
    assert shown(functional.layer_norm(x, (4,))) == {"input": (3, 4), "normalized_shape": (4,), "result1": (3, 1),
                                                     "result2": (3, 1), "weight": None}
    assert shown(functional.binary_cross_entropy_with_logits(x, y)) == {"pos_weight": None, "reduction": 1, "self": (3, 4),
                                                                        "target": (3, 4), "weight": None}
    weight, bias = karat.rand(3, 2, 3, 3), karat.rand(3, requires_grad=True)
    assert shown(functional.conv2d(image, weight))["bias_sym_sizes_opt"] == (0,)
    assert shown(functional.conv2d(image, weight, bias))["bias_sym_sizes_opt"] == (3,)
    pooled = shown(functional.max_pool2d(image, 2))
    assert pooled["kernel_size"] == (2, 2) and pooled["dilation"] == (1, 1) and pooled["result1"] == (1, 2, 2, 2)
    assert shown(image[:, :1].squeeze(1)) == {"dim": 1, "self_sym_sizes": (1, 1, 4, 4)}
    assert shown(functional.unfold(image, 2))["self_sym_argsize_minus_1"] == 4
    assert shown(functional.embedding(karat.tensor([1]), x))["weight_sym_argsize_0"] == 3
    assert shown(x.clone()) == shown(x.double()) == {}
    total = x @ y.t()
    total.sum().backward()
    assert total.grad_fn._saved_self_sym_sizes == (3, 4) and not hasattr(total.grad_fn, "_saved_mat2_sym_strides")
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        total.grad_fn._saved_mat2


def test_saved_as_it_was_not_as_the_kernel_saw_it():
    x = leaf(1.0, 2.0)
    whole = karat.tensor([3, 4])
    assert (x * whole).grad_fn._saved_other is whole
    low = karat.tensor([1.0], dtype=karat.bfloat16, requires_grad=True)
    assert (low * x).grad_fn._saved_self is low


def test_what_is_freed_cannot_be_read():
    x = leaf(1.0, 2.0)
    y = karat.add(x * x, 1, alpha=2)
    node = y.grad_fn.next_functions[0][0]
    y.sum().backward()
    for name in ("_saved_self", "_saved_other"):
        assert refusal(RuntimeError, lambda: getattr(node, name)).startswith("Trying to backward through the graph a second time")
    assert y.grad_fn._saved_alpha == 2
    with pytest.raises(RuntimeError, match="after it has been freed"):
        node._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


def test_a_saved_tensor_that_was_written_to():
    x = leaf(1.0, 2.0)
    a = x * 1
    y = a * a
    a.add_(1)
    assert "modified by an inplace operation" in refusal(RuntimeError, lambda: y.grad_fn._saved_self)


def test_hooks_of_one_saved_tensor():
    x, seen = leaf(1.0, 2.0), []
    y = x * x

    def pack(t):
        seen.append((t.tolist(), t.requires_grad))
        return 7

    place = y.grad_fn._raw_saved_self
    place.register_hooks(pack, lambda kept: seen.append(kept) or x.detach() * 10)
    again = y.grad_fn._saved_self
    assert again.tolist() == [10.0, 20.0] and again.requires_grad and again.is_leaf
    assert "whose hooks have already been set" in refusal(RuntimeError, lambda: place.register_hooks(pack, pack))
    y.sum().backward()
    assert x.grad.tolist() == [11.0, 22.0] and seen == [([1.0, 2.0], False), 7, 7]
    z = x * 2
    assert "with value None is forbidden" in refusal(
        RuntimeError, lambda: z.grad_fn._raw_saved_self.register_hooks(pack, pack))
    with pytest.raises(TypeError):
        y.grad_fn._raw_saved_self.register_hooks(1, 2)
    assert (x * x).grad_fn._raw_saved_self.data is x
    twice = Twice.apply(x)
    function = twice.grad_fn  # it lives as long as its tensor
    function._raw_saved_tensors[0].register_hooks(lambda t: t * 3, lambda t: t)
    assert function.saved_tensors[0].tolist() == [3.0, 6.0]


def test_a_failing_pack_leaves_the_tensor_saved():
    x = leaf(1.0, 2.0)
    y = x * x
    with pytest.raises(Mine):
        y.grad_fn._raw_saved_self.register_hooks(fail, fail)
    assert y.grad_fn._saved_self is x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


# ---- nothing is left behind ----


class Marked:
    """Something that can be asked whether it is alive."""


def is_collected(make):
    mark = Marked()
    watch = weakref.ref(mark)
    make(mark)
    del mark
    gc.collect()
    return watch() is None


def test_a_hook_lives_as_long_as_its_node():
    def make(mark):
        (leaf(1.0) * 2).grad_fn.register_hook(lambda gi, go: mark)

    assert is_collected(make)
    y = leaf(1.0) * 2
    mark = Marked()
    watch = weakref.ref(mark)
    handle = y.grad_fn.register_prehook(lambda go, m=mark: None)
    del mark
    gc.collect()
    assert watch()
    handle.remove()
    assert watch() is None


@pytest.mark.parametrize("refers", [
    lambda y, node, mark: lambda *args: (node, mark),
    lambda y, node, mark: lambda *args: (y, mark),
])
@pytest.mark.parametrize("before", [False, True])
def test_a_hook_that_refers_to_its_own_node_is_collected(refers, before):
    def make(mark):
        y = leaf(1.0) * 2
        node = y.grad_fn
        function = refers(y, node, mark)
        node.register_prehook(function) if before else node.register_hook(function)

    assert is_collected(make)


def test_metadata_that_refers_to_its_own_node_is_collected():
    def make(mark):
        node = (leaf(1.0) * 2).grad_fn
        node.metadata["me"] = node, mark

    assert is_collected(make)


def test_a_hook_that_refers_to_the_context_it_is_on_is_collected():
    def make(mark):
        y = Twice.apply(leaf(1.0))
        node = y.grad_fn
        node.register_hook(lambda gi, go: (node, y, mark))
        node.metadata["y"] = y, mark

    assert is_collected(make)


def test_nothing_is_left_of_a_failed_hook():
    def make(mark):
        y = leaf(1.0) * 2

        def refuse(gi, go, mark=mark):
            raise Mine()

        y.grad_fn.register_hook(refuse)
        with pytest.raises(Mine):
            y.sum().backward()

    assert is_collected(make)


def test_memory_of_hooks_is_given_back():
    def once():
        x = leaf(1.0, 2.0)
        y = x * x
        node = y.grad_fn
        for i in range(20):
            node.register_hook(lambda gi, go: (gi[0] + 1, gi[1])).remove()
            node.register_hook(lambda gi, go: (gi[0] + 1, gi[1]))
            node.register_prehook(lambda go: (go[0] + 1,))
        node.metadata["x"] = x
        node._raw_saved_self.register_hooks(lambda t: t.clone(), lambda t: t)
        y.sum().backward()
        karat.autograd.graph.get_gradient_edge(x * 2)

    once()
    gc.collect()
    before = karat.memory_stats()["live_bytes"]
    for _ in range(20):
        once()
    gc.collect()
    assert karat.memory_stats()["live_bytes"] == before


def test_a_long_chain_with_hooks():
    x, runs = leaf(1.0), []
    y = x
    for i in range(100_000):
        y = y + 1
        if i % 100 == 0:
            y.grad_fn.register_hook(lambda gi, go: runs.append(1))
    y.grad_fn.register_prehook(lambda go: runs.append(1))
    y.backward()
    assert len(runs) == 1001 and x.grad.item() == 1


def test_threads_with_hooks_of_one_graph():
    x = leaf(1.0, 2.0)
    y = x * 3
    z = (y * y).sum()
    count, lock = [0], threading.Lock()

    def hook(gi, go):
        with lock:
            count[0] += 1
        return gi

    y.grad_fn.register_hook(hook)
    errors = []

    def work():
        try:
            for _ in range(50):
                handle = y.grad_fn.register_prehook(lambda go: go)
                assert karat.autograd.grad(z, x, retain_graph=True)[0].tolist() == [18.0, 36.0]
                handle.remove()
        except BaseException as e:  # shown below
            errors.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and count[0] == 200


def test_a_hook_is_shown_what_a_function_gives_to_inputs_that_want_none():
    class Product(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g * 2, g * 3

    shown, x = [], karat.ones(2, requires_grad=True)
    y = Product.apply(x, karat.ones(2))
    y.grad_fn.register_hook(lambda inputs, outputs: shown.extend(g.tolist() for g in inputs))
    y.sum().backward()
    assert shown == [[2, 2], [3, 3]] and x.grad.tolist() == [2, 2]
