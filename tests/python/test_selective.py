"""torch.utils.checkpoint.create_selective_checkpoint_contexts: which operators a policy is asked for, what runs again."""

import functools

import karat as torch
import pytest
from karat import _karat
from karat.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

pytestmark = pytest.mark.cpu_only("counts the runs of a kernel of the CPU's")
SAVE, AGAIN = CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_RECOMPUTE
aten = torch.ops.aten
runs = []


@torch.library.custom_op("tests_selective::product", mutates_args=())
def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    runs.append(1)
    return a @ b


def of_product(ctx, g):
    a, b = ctx.saved_tensors
    return g @ b.t(), a.t() @ g


product.register_autograd(of_product, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def x():
    return torch.tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True)


def slope(function, policy=None, **keywords):
    t = x()
    if policy is None:
        function(t).sum().backward()
    else:
        contexts = functools.partial(create_selective_checkpoint_contexts, policy, **keywords)
        checkpoint(function, t, use_reentrant=False, context_fn=contexts).sum().backward()
    return t.grad


def test_a_list_of_operators():
    def function(t):
        return product(t, t).sin().cos()

    runs.clear()
    got = slope(function, [torch.ops.tests_selective.product.default])
    assert len(runs) == 1
    runs.clear()
    assert torch.equal(got, slope(function, [aten.sin.default])) and len(runs) == 2
    assert torch.equal(got, slope(function))


def test_a_policy_is_asked_for_operators_as_pytorch_has_them():
    seen = []

    def policy(ctx, op, *args, **kwargs):
        seen.append((ctx.is_recompute, str(op), [type(one).__name__ for one in args]))
        return AGAIN

    weight, bias = torch.ones(2, 2, requires_grad=True), torch.ones(2)
    slope(lambda t: torch.relu(torch.nn.functional.linear(t, weight, bias)) * 2, policy)
    first = [op for again, op, _ in seen if not again]
    assert first == ["aten.t.default", "aten.addmm.default", "aten.relu.default", "aten.mul.Tensor"]
    assert [op for again, op, _ in seen if again] == first[:len(seen) - len(first)]
    assert seen[1][2] == ["Tensor", "Tensor", "Tensor"]


@pytest.mark.parametrize("answer", [SAVE, CheckpointPolicy.PREFER_SAVE, True, CheckpointPolicy.MUST_CPU_OFFLOAD])
def test_what_is_saved_gives_the_same_gradients(answer):
    def function(t):
        y = torch.mm(t, t)
        values, _ = torch.max(y, 1)
        return (y.exp() * torch.softmax(y, 1) + values[:, None].double().float()).t().clone().mul(t)

    expected = slope(function)
    assert torch.equal(slope(function, lambda ctx, op, *a, **k: answer), expected)
    assert torch.equal(slope(function, lambda ctx, op, *a, **k: AGAIN), expected)


def test_what_was_written_to_since():
    def function(t):
        y = torch.mm(t, t)
        z = y.sin()
        y.add_(1)
        return z * y

    with pytest.raises(RuntimeError, match="Tensor cached during selective activation checkpoint has been mutated"):
        slope(function, lambda ctx, op, *a, **k: SAVE)


def test_a_second_backward():
    t = x()
    contexts = functools.partial(create_selective_checkpoint_contexts, [aten.mm.default])
    y = checkpoint(lambda t: torch.mm(t, t).sin(), t, use_reentrant=False, context_fn=contexts).sum()
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        y.backward()


def test_nested():
    policy = [aten.mm.default]
    contexts = functools.partial(create_selective_checkpoint_contexts, policy)

    def outer(t):
        return checkpoint(lambda u: torch.mm(u, u).sin(), t, use_reentrant=False, context_fn=contexts) * 2

    assert torch.equal(slope(outer, policy), slope(lambda t: torch.mm(t, t).sin() * 2))


def test_errors_pass_and_the_watch_ends():
    def policy(ctx, op, *args, **kwargs):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        slope(lambda t: t * t, policy)
    assert (x() * 2).sum().item() == pytest.approx(2)
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload but got"):
        create_selective_checkpoint_contexts([aten.mm])
    with pytest.raises(TypeError, match="policy_fn_or_list must be either a function or a list of ops."):
        create_selective_checkpoint_contexts(3)


def test_a_watcher_gives_results():
    shown = []

    def see(row, schema, in_place, args, kwargs, results):
        shown.append((row, results is None))
        return (torch.full_like(args[0], 5.0),) if row == "sin" and results is None else None

    _karat.watch_calls(see)
    try:
        t = x()
        y = t.sin()
    finally:
        _karat.unwatch_calls()
    assert y.tolist() == [[5, 5], [5, 5]] and type(y.grad_fn).__name__ == "SinBackward0"
    assert [one for one in shown if one[0] == "sin"] == [("sin", True), ("sin", False)]
    assert torch.allclose(torch.autograd.grad(y.sum(), t)[0], t.cos())
    _karat.watch_calls(lambda *a: 3)
    try:
        with pytest.raises(TypeError, match="gives a tuple of 1 tensors, or None"):
            x().sin()
    finally:
        _karat.unwatch_calls()
