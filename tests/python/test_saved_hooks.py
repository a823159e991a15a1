"""torch.autograd.graph: hooks of saved tensors, versions; torch.utils.checkpoint, both ways."""

import gc
import threading
import warnings

import karat as torch
from karat.autograd.graph import disable_saved_tensors_hooks, increment_version, save_on_cpu, saved_tensors_hooks
from karat.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential, set_checkpoint_debug_enabled, \
    set_checkpoint_early_stop
import pytest


def leaf(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def doubled_in_python():
    """Hooks that keep lists of numbers, and a log of their calls."""
    log = []

    def pack(tensor):
        log.append("pack")
        assert not torch.is_grad_enabled()
        return tensor.tolist(), tensor.dtype

    def unpack(kept):
        log.append("unpack")
        return torch.tensor(kept[0], dtype=kept[1])

    return log, saved_tensors_hooks(pack, unpack)


def test_what_is_saved_goes_through_the_hooks():
    log, hooks = doubled_in_python()
    x = leaf(1.0, 2.0, 3.0)
    with hooks:
        y = (x.exp() * x).sin()
    outside = x.exp()
    assert log == ["pack"] * 4
    (want,) = torch.autograd.grad((x.exp() * x).sin().sum(), x)
    (got,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(got, want) and log == ["pack"] * 4 + ["unpack"] * 4
    outside.sum().backward()
    assert len(log) == 8
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()


@pytest.mark.parametrize("function", [lambda x: x ** 3, torch.exp, lambda x: x * x, lambda x: torch.softmax(x, 0)[0]])
def test_second_derivatives_go_on_from_what_was_unpacked(function):
    x = leaf(0.5, 2.0)

    def second(y):
        (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return torch.autograd.grad((first * first).sum(), x)[0]

    with doubled_in_python()[1]:
        y = function(x)
    assert torch.equal(second(y), second(function(x)))


def test_hooks_see_inputs_as_they_are_and_nest():
    seen = []
    x = leaf(1.0)
    with saved_tensors_hooks(lambda t: seen.append("outer") or t, lambda t: t):
        with saved_tensors_hooks(lambda t: seen.append(t is x) or t, lambda t: t):
            y = x * x
        x.exp()
    assert seen == [True, True, "outer"]
    y.backward()
    assert x.grad.item() == 2.0


def test_hooks_and_functions_of_the_user():
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            assert x.requires_grad and y.grad_fn.name() == "ExpBackward"
            return grad * y

    log, hooks = doubled_in_python()
    x = leaf(1.0, 2.0)
    with hooks:
        y = Exp.apply(x)
    y.sum().backward()
    assert torch.equal(x.grad, x.detach().exp()) and log == ["pack"] * 2 + ["unpack"] * 2


def test_refusals_and_exceptions():
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(lambda t: 1, lambda kept: kept):
        y = x * x
    with pytest.raises(TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor but got result of type int"):
        y.sum().backward()
    for fails, kind, text in ((lambda t: {}[t.dtype], KeyError, "float64"),
                              (lambda t: t.mul_(2), RuntimeError, "A saved tensor pack hook is modifying its input in place")):
        a = x * 1
        with pytest.raises(kind, match=text), saved_tensors_hooks(fails, lambda kept: kept):
            a * a
    with saved_tensors_hooks(lambda t: t.float(), lambda kept: kept):
        y = x * x
    with pytest.raises(RuntimeError, match="packed as torch.DoubleTensor and unpacked as torch.FloatTensor"):
        y.sum().backward()
    with disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"), saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        with pytest.raises(RuntimeError, match="not here"), disable_saved_tensors_hooks("not here"):
            pass
    with saved_tensors_hooks(lambda t: t, lambda t: t):  # they are allowed again
        pass


def test_nothing_stays_behind():
    def work():
        x = leaf(1.0, 2.0)
        with saved_tensors_hooks(lambda t: t, lambda t: t):
            y = (x.exp() * x).sum()
        del y  # never run
        with saved_tensors_hooks(lambda t: {}[t], lambda t: t):
            with pytest.raises(KeyError):
                x.exp()
        gc.collect()
        return torch.memory_stats()["live_bytes"]

    work()
    assert work() == work()


def test_save_on_cpu_and_versions():
    x = leaf(1.0, 2.0)
    with save_on_cpu():
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    a = x * 1
    y = (a * a).sum()
    increment_version([a])
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        y.backward()
    with pytest.raises(TypeError, match="increment_version expects a Tensor, got int"):
        increment_version([3])


def test_hooks_are_a_threads_own():
    got = []
    with saved_tensors_hooks(lambda t: got.append(t) or t, lambda t: t):
        thread = threading.Thread(target=lambda: leaf(1.0).exp())
        thread.start()
        thread.join()
    assert got == []


# ---- checkpoint ----

def block(x, w, scale=1.0):
    block.calls += 1
    return torch.tanh(x @ w) * scale


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint_gives_the_same_gradients(reentrant):
    block.calls = 0
    torch.manual_seed(0)
    w, x = torch.randn(3, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
    want = torch.autograd.grad(block(x, w).sum(), (w, x))
    y = checkpoint(block, x, w, use_reentrant=reentrant)
    assert block.calls == 2 and y.requires_grad
    y.sum().backward()
    assert block.calls == 3 and torch.equal(w.grad, want[0]) and torch.equal(x.grad, want[1])
    with torch.no_grad():
        assert not checkpoint(block, x, w, use_reentrant=reentrant).requires_grad


def test_checkpoint_draws_the_same_numbers_and_leaves_the_generator_alone():
    for reentrant in (False, True):
        torch.manual_seed(1)
        x = torch.ones(64, requires_grad=True)
        y = checkpoint(torch.nn.functional.dropout, x, 0.5, use_reentrant=reentrant)
        state = torch.get_rng_state()
        y.sum().backward()
        assert torch.equal(y.detach(), x.grad) and torch.equal(state, torch.get_rng_state())


@pytest.mark.not_on_a_gpu("the host's memory is measured")
def test_checkpoint_keeps_less():
    def deep(x):
        for _ in range(20):
            x = x.sin()
        return x

    def kept(call):
        x = torch.ones(10_000, dtype=torch.float64, requires_grad=True)
        before = torch.memory_stats()["live_bytes"]
        y = call(x)
        return torch.memory_stats()["live_bytes"] - before, y

    plain, y = kept(deep)
    for reentrant in (False, True):
        less, y = kept(lambda x: checkpoint(deep, x, use_reentrant=reentrant))
        assert less * 5 < plain, (less, plain)
        y.sum().backward()


def test_checkpoint_with_keywords_nested_twice_and_again():
    x = leaf(0.5, 1.5)

    def inner(a, k):
        return (a.sin() * k).exp()

    def outer(a):
        return checkpoint(inner, a.cos(), k=3.0, use_reentrant=False).log().sin()

    (want,) = torch.autograd.grad((inner(x.cos(), 3.0).log().sin() ** 2).sum(), x)
    y = (checkpoint(outer, x, use_reentrant=False) ** 2).sum()
    for keep in (True, True, False):
        (got,) = torch.autograd.grad(y, x, retain_graph=keep)
        assert torch.equal(got, want)
    (first,) = torch.autograd.grad(checkpoint(inner, x, k=2.0, use_reentrant=False).sum(), x, create_graph=True)
    (plain,) = torch.autograd.grad(inner(x, 2.0).sum(), x, create_graph=True)
    assert torch.allclose(torch.autograd.grad(first.sum(), x)[0], torch.autograd.grad(plain.sum(), x)[0])


def test_checkpoint_stops_early():
    steps = []

    def work(x):
        steps.append("a")
        y = x.sin().cos()
        steps.append("b")
        return y + 1

    x = leaf(1.0)
    y = checkpoint(work, x, use_reentrant=False)
    steps.clear()
    y.backward()
    assert steps == ["a"]
    with set_checkpoint_early_stop(False):
        y = checkpoint(work, x, use_reentrant=False)
    steps.clear()
    y.backward()
    assert steps == ["a", "b"]


def test_checkpoint_notices_another_run():
    state = {"runs": 0}

    def fewer(x):
        state["runs"] += 1
        return x.sin().cos() if state["runs"] == 1 else x.sin()

    def smaller(x):
        state["runs"] += 1
        return x.sin() if state["runs"] == 1 else x[:1].sin()

    x = leaf(1.0, 2.0)
    y = checkpoint(fewer, x, use_reentrant=False)
    with pytest.raises(CheckpointError, match="A different number of tensors was saved during the original forward"):
        y.sum().backward()
    state["runs"] = 0
    y = checkpoint(smaller, x, use_reentrant=False)
    with pytest.raises(CheckpointError, match="have different metadata than during the forward pass"):
        y.sum().backward()


def test_checkpoint_says_all_that_differs():
    runs = []

    def other(x):
        runs.append(1)
        x = x.float() if len(runs) > 1 else x
        return x.sin().cos()

    def more(x):
        runs.append(1)
        return x.sin().cos() if len(runs) == 1 else x.sin().cos().exp()

    def failure(function, **options):
        runs.clear()
        y = checkpoint(function, leaf(1.0, 2.0), use_reentrant=False, **options)
        with pytest.raises(CheckpointError) as caught:
            y.sum().backward()
        return str(caught.value)

    text = failure(other)
    assert "tensor at position 0:" in text and "tensor at position 1:" in text and "debug=True" in text
    assert failure(more, early_stop=False).startswith(
        "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.")
    line = other.__code__.co_firstlineno + 3
    text = failure(other, debug=True)
    assert text.startswith(" An error happened while unpacking tensors") and f"position 1: forward {__file__}:{line}" in text
    with set_checkpoint_debug_enabled(True):
        assert f"recomputation {__file__}:{line}" in failure(other)


def test_checkpoint_keeps_its_arguments_as_a_node_does():
    x, seen = leaf(1.0, 2.0), []
    b = x * 1
    y = checkpoint(torch.sin_, b, use_reentrant=False)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):  # the second run would begin with sin(b)
        y.sum().backward()
    with saved_tensors_hooks(lambda t: seen.append("packed") or t.clone(), lambda t: seen.append("unpacked") or t):
        y = checkpoint(lambda a, k: (a * k).sin(), x, 3, use_reentrant=False)
    assert seen == ["packed"]
    y.sum().backward()
    assert seen == ["packed", "unpacked"] and torch.allclose(x.grad, 3 * (3 * x).cos())


def test_checkpoint_refuses():
    x = leaf(1.0)
    for call, kind, text in (
            (lambda: checkpoint(torch.sin, x, k=2, use_reentrant=True), ValueError, "Unexpected keyword arguments: k"),
            (lambda: checkpoint(torch.sin, x, use_reentrant=True, debug=True), ValueError, "Passing `context_fn` or `debug`"),
            (lambda: checkpoint(torch.sin, x, use_reentrant=False, determinism_check="x"), ValueError,
             "determinism_check should be one of"),
            (lambda: torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True), x), RuntimeError,
             "torch.utils.checkpoint is incompatible with .grad()"),
            (lambda: checkpoint_sequential([torch.sin], 1, x, use_reentrant=False, k=1), ValueError, "Unexpected keyword")):
        with pytest.raises(kind, match=text):
            call()
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
        checkpoint(torch.sin, x)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(torch.sin, x.detach(), use_reentrant=True)


def test_checkpoint_sequential():
    x = leaf(0.5, 1.0)
    steps = [torch.sin, torch.exp, torch.cos, torch.tanh, torch.exp]
    want = x
    for step in steps:
        want = step(want)
    (expected,) = torch.autograd.grad(want.sum(), x)
    for reentrant in (False, True):
        for segments in (1, 2, 3, 5):
            x.grad = None
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                checkpoint_sequential(steps, segments, x, use_reentrant=reentrant).sum().backward()
            assert torch.equal(x.grad, expected)


def test_a_checkpoint_without_checks_takes_another_dtype():
    runs = []

    def function(t):
        runs.append(1)
        return (t.double() if len(runs) > 1 else t).sin().float()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    checkpoint(function, x, use_reentrant=False, determinism_check="none").sum().backward()
    assert torch.allclose(x.grad, x.detach().cos())
    runs.clear()
    with pytest.raises(CheckpointError, match="different metadata than during the forward pass"):
        checkpoint(function, x, use_reentrant=False).sum().backward()


def test_segments_and_options():
    x = torch.ones(3, requires_grad=True)
    for count, segments, error in ((2, 0, ZeroDivisionError), (2, 3, ValueError), (0, 1, ValueError)):  # as PyTorch's
        with pytest.raises(error):
            checkpoint_sequential([torch.sin] * count, segments, x, use_reentrant=False)
    calls = []
    steps = [lambda v, i=i: (calls.append(i), v * 2)[1] for i in range(5)]
    checkpoint_sequential(steps, 3, x, use_reentrant=True).sum().backward()
    assert calls == [0, 1, 2, 3, 4, 1, 0] and x.grad.tolist() == [32.0] * 3  # the last segment is kept
    with pytest.warns(UserWarning, match=r"checkpoint_sequential: the use_reentrant parameter .* In version 2.9 we will") as said:
        checkpoint_sequential(steps, 2, x)
    assert [w.filename for w in said] == [__file__]
    with set_checkpoint_early_stop(False):
        with set_checkpoint_early_stop(True), pytest.raises(KeyError):
            raise KeyError
        seen = []
        checkpoint(lambda v: (v.sin(), seen.append(1))[0], x, use_reentrant=False, early_stop=True).sum().backward()
        assert len(seen) == 2  # the second run was not stopped
    seen.clear()
    checkpoint(lambda v: (v.sin(), seen.append(1))[0], x, use_reentrant=False).sum().backward()
    assert len(seen) == 1
