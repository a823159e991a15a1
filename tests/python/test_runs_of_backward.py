"""What a run of backward knows of itself: callbacks at its end, its number, and the hooks that it leaves as they were."""

import gc
import weakref

import pytest

import karat

ENGINE = karat.autograd.Variable._execution_engine


def _calling(function, name="Calling"):
    """A Function that hands gradients on, and calls this in backward."""

    def backward(ctx, grad):
        function()
        return grad

    return type(name, (karat.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x.clone()),
                                                   "backward": staticmethod(backward)})


def test_callbacks_run_in_their_order_when_all_gradients_are_there():
    seen, x = [], karat.ones(2, requires_grad=True)

    def first():
        seen.append(("first", x.grad.tolist()))
        ENGINE.queue_callback(lambda: seen.append("queued by a callback"))

    def queue():
        ENGINE.queue_callback(first)
        ENGINE.queue_callback(lambda: seen.append("second"))
        seen.append("hook")

    _calling(queue).apply(x).sum().backward()
    assert seen == ["hook", ("first", [1.0, 1.0]), "second", "queued by a callback"]
    karat.autograd.grad(_calling(queue).apply(x).sum(), x)
    assert len(seen) == 8


def test_callbacks_belong_to_the_innermost_run():
    seen, x = [], karat.ones(2, requires_grad=True)

    def again():
        ENGINE.queue_callback(lambda: seen.append("outer"))
        with karat.enable_grad():
            y = karat.ones(2, requires_grad=True)
            _calling(lambda: ENGINE.queue_callback(lambda: seen.append("inner"))).apply(y).sum().backward()
        seen.append("still in the outer run")

    _calling(again).apply(x).sum().backward()
    assert seen == ["inner", "still in the outer run", "outer"]


def test_callbacks_outside_of_a_run_and_after_its_failure():
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass."):
        ENGINE.queue_callback(print)
    seen, x = [], karat.ones(2, requires_grad=True)

    def fail():
        ENGINE.queue_callback(lambda: seen.append("called"))
        raise KeyError("of the user")

    with pytest.raises(KeyError, match="of the user"):
        _calling(fail).apply(x).sum().backward()
    assert seen == []
    for _ in range(2):  # what a failed callback leaves behind is nothing
        with pytest.raises(ZeroDivisionError):
            _calling(lambda: ENGINE.queue_callback(lambda: 1 / 0)).apply(x).sum().backward()
    with pytest.raises(RuntimeError, match="Final callbacks"):
        ENGINE.queue_callback(print)


def test_a_run_has_a_number():
    number = karat._C._current_graph_task_id
    seen, x = [], karat.ones(2, requires_grad=True)
    assert number() == -1
    for _ in range(2):
        _calling(lambda: seen.append(number())).apply(x).sum().backward()
    assert seen[0] >= 0 and seen[1] > seen[0] and number() == -1


def test_hooks_of_saved_tensors_that_a_run_enters_end_with_it():
    def run():
        def unpack(x):
            other.__enter__()
            return x

        entered = karat.autograd.graph.saved_tensors_hooks(lambda x: x, unpack)
        other = weakref.proxy(entered)
        x = karat.ones(3, requires_grad=True)
        with entered:
            y = x.sin().sum()
        y.backward()
        return weakref.ref(unpack)

    ref = run()
    gc.collect()
    assert ref() is None
    with karat.autograd.graph.saved_tensors_hooks(lambda x: 1 / 0, lambda x: x):
        with pytest.raises(ZeroDivisionError):
            karat.ones(3, requires_grad=True).sin()
    karat.ones(3, requires_grad=True).sin()


def test_tensors_of_inference_mode_are_resized_whatever_they_require():
    with karat.inference_mode():
        made = karat.ones(1, 2, 3).requires_grad_()
        assert made.resize_(1, 2).shape == (1, 2)
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        karat.ones(3, requires_grad=True).resize_(2)
