"""torch.autograd.graph: edges, hooks of several tensors, writes to what is saved. Anomalies, grad_dtype, lines in errors."""

import gc
import inspect
import os
import threading
import warnings
import weakref

import pytest

import karat
from karat.autograd import Function, anomaly_mode, detect_anomaly, grad, set_detect_anomaly
from karat.autograd.graph import (
    GradientEdge,
    allow_mutation_on_saved_tensors,
    get_gradient_edge,
    register_multi_grad_hook,
)

HERE = os.path.basename(__file__)


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def leaf(*values, **options):
    return karat.tensor(values, requires_grad=True, **options)


def custom(backward, name="Custom"):
    """A Function of one tensor, which gives its values on."""
    methods = {"forward": staticmethod(lambda ctx, x: x * 1), "backward": staticmethod(backward)}
    return type(name, (Function,), methods)


def line():
    return inspect.currentframe().f_back.f_lineno


# ---- gradient edges ----


def test_an_edge_stands_for_its_tensor():
    x = leaf(1.0, 2.0)
    y = x * 3
    z = (y * 2).sum()
    edge, at_leaf = get_gradient_edge(y), get_gradient_edge(x)
    assert edge == GradientEdge(y.grad_fn, 0) and edge.output_nr == 0 and edge.ownership_token is None
    assert at_leaf.node.variable is x
    assert grad(z, edge, retain_graph=True)[0].tolist() == [2.0, 2.0]
    assert [g.tolist() for g in grad(z, (edge, x, at_leaf), retain_graph=True)] == [[2.0, 2.0], [6.0, 6.0], [6.0, 6.0]]
    assert grad(get_gradient_edge(z), x, retain_graph=True)[0].tolist() == [6.0, 6.0]
    assert grad(edge, x, karat.ones(2, dtype=karat.float64), retain_graph=True)[0].dtype == karat.float32
    karat.autograd.backward(get_gradient_edge(z), karat.tensor(2.0), inputs=[at_leaf], retain_graph=True)
    assert x.grad.tolist() == [12.0, 12.0]
    karat.autograd.backward(z, inputs=[edge], retain_graph=True)
    karat.autograd.backward([edge], [karat.ones(2)])
    assert x.grad.tolist() == [15.0, 15.0]


def test_an_edge_outlives_its_tensor():
    x = leaf(1.0, 2.0)
    edge = get_gradient_edge(x.exp())
    assert grad(edge, x, karat.ones(2))[0].tolist() == x.exp().tolist()
    parts = karat.rand(4, requires_grad=True).split(2)
    second = get_gradient_edge(parts[1])
    assert second.output_nr == 1 and grad(parts[1].sum(), second)[0].tolist() == [1.0, 1.0]
    assert grad((x * 2).sum(), second, allow_unused=True) == (None,)
    assert refusal(RuntimeError, lambda: grad((x * 2).sum(), second, materialize_grads=True)) == (
        "materialize_grads cannot be used when the given input is a GradientEdge")


def test_an_edge_keeps_a_functions_node():
    twice, x = custom(lambda ctx, g: g * 2), leaf(1.0)
    edge = get_gradient_edge(twice.apply(x))
    assert edge.ownership_token is not None
    gc.collect()
    assert grad(edge, x, karat.ones(1))[0].tolist() == [2.0]
    bare = GradientEdge(twice.apply(x).grad_fn, 0)
    assert "has been freed" in refusal(RuntimeError, lambda: grad(bare, x, karat.ones(1)))


def test_edges_that_are_refused():
    x = leaf(1.0, 2.0)
    y = x * 2
    assert refusal(RuntimeError, lambda: get_gradient_edge(karat.ones(2))) == (
        "It is not possible to get the gradient edge for a Tensor that does not require gradients")
    with pytest.raises(AttributeError):
        get_gradient_edge(5)
    assert refusal(RuntimeError, lambda: grad(get_gradient_edge(y), x, karat.ones(3))).startswith("Mismatch in shape")
    assert "a GradientEdge begins with a node" in refusal(TypeError, lambda: grad(GradientEdge(3, 0), x))
    for result in (1, -1):
        assert "is not known" in refusal(IndexError, lambda: grad(GradientEdge(y.grad_fn, result), x, karat.ones(2)))
    with pytest.raises(TypeError):
        grad(GradientEdge(y.grad_fn, "a"), x)


# ---- hooks of several tensors ----


def several(mode, third):
    a, b, c, calls = leaf(1.0), leaf(2.0) * 1, leaf(3.0), []
    handle = register_multi_grad_hook([a, b, c], calls.append, mode=mode)
    total = (a * 2 + b * 3).sum() + (c.sum() if third else 0)
    total.backward(retain_graph=True)
    first = list(calls)
    total.backward(retain_graph=True)
    assert len(calls) == 2 * len(first)
    handle.remove()
    total.backward()
    assert len(calls) == 2 * len(first)
    return first


def test_a_hook_of_all():
    plain = [[g if g is None else g.tolist() for g in gs] for gs in several("all", False)]
    assert plain == [[[2.0], [3.0], None]]
    plain = [[g.tolist() for g in gs] for gs in several("all", True)]
    assert plain == [[[2.0], [3.0], [1.0]]]


def test_a_hook_of_any():
    assert [g.tolist() for g in several("any", False)] == [[2.0]]
    assert [g.tolist() for g in several("any", True)] == [[1.0]]


def test_hooks_of_several_count_what_a_run_computes():
    a, b, calls = leaf(1.0), leaf(2.0), []
    with register_multi_grad_hook((a, b), calls.append):
        total = (a * b).sum()
        grad(total, a, retain_graph=True)
        grad(total, (a, b), retain_graph=True)
    grad(total, (a, b))
    assert [[g if g is None else g.tolist() for g in gs] for gs in calls] == [[[2.0], None], [[2.0], [1.0]]]


def test_hooks_of_several_in_nested_and_parallel_runs():
    a, b, calls = leaf(1.0), leaf(2.0), []
    register_multi_grad_hook((a, b), calls.append)

    def inner(ctx, g):
        with karat.enable_grad():
            (a * b).sum().backward()
        return g

    (custom(inner).apply(a) + b).sum().backward()
    assert len(calls) == 2
    calls.clear()
    threads = [threading.Thread(target=lambda: [(a * b).sum().backward() for _ in range(20)]) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(calls) == 80


def test_hooks_of_several_that_are_refused():
    assert refusal(ValueError, lambda: register_multi_grad_hook([leaf(1.0)], print, mode="some")) == (
        "Expects mode to be one of ('all', 'any') but got some")
    assert refusal(AssertionError, lambda: register_multi_grad_hook([karat.ones(2)], print)) == (
        "Expected gradient function to be set")
    register_multi_grad_hook([], print).remove()


def test_what_a_hook_of_several_answers_is_ignored():
    x = leaf(1.0)
    register_multi_grad_hook([x], lambda gs: (gs[0] * 2,))
    register_multi_grad_hook([x], lambda g: g * 2, mode="any")
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0]


# ---- writes to saved tensors ----


def written_after(function, write):
    """The gradient of a leaf [1, 2, 3] through function(b), where b is written to before backward."""
    x = leaf(1.0, 2.0, 3.0)
    with allow_mutation_on_saved_tensors():
        b = x.clone()
        total = function(b).sum()
        write(b)
        total.backward()
    return x.grad.tolist()


def into(b):
    with karat.no_grad():
        karat.add(b, 1, out=b)


@pytest.mark.parametrize("write", [
    lambda b: b.sin_(), lambda b: b[1:].mul_(5), lambda b: b.data.zero_(), lambda b: b.__setitem__(0, 7.0), into,
    lambda b: karat._foreach_mul_([b], 3), lambda b: b.mul_(2).mul_(3),
])
def test_what_is_saved_may_be_written_to(write):
    assert written_after(lambda b: b * b, write) == [2.0, 4.0, 6.0]
    assert written_after(lambda b: b[:2] ** 2, write) == [2.0, 4.0, 0.0]


def test_results_and_tensors_outside_the_graph_may_be_written_to():
    x, weight = leaf(0.0, 1.0), karat.ones(2)
    with allow_mutation_on_saved_tensors() as context:
        y = x.exp()
        z = x * weight
        y.add_(1), weight.zero_()
        (y + z).sum().backward()
        assert x.grad.tolist() == pytest.approx([2.0, 1 + 2.718281828459045])
        b = x.clone()
        g, = grad((b**3).sum(), x, create_graph=True)
        b.zero_()
        assert grad(g.sum(), x)[0].tolist() == [0.0, 6.0]
        y = b * b
        context.clear()
        with pytest.raises(AssertionError, match="Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"):
            y.sum().backward()


def test_the_regions_of_writes():
    x = leaf(1.0)
    with allow_mutation_on_saved_tensors():
        with pytest.raises(RuntimeError, match="contexts cannot be nested"):
            allow_mutation_on_saved_tensors().__enter__()
        b = x.clone()
        y = b * b
        b.zero_()
    with pytest.raises(AssertionError, match="Trying to backward outside"):
        y.sum().backward()
    b = x.clone()
    y = b * b
    b.zero_()
    assert "modified by an inplace operation" in refusal(RuntimeError, y.sum().backward)


def test_copies_are_made_once_and_given_back():
    def once():
        x = karat.ones(1000, requires_grad=True)
        with allow_mutation_on_saved_tensors():
            b = x.clone()
            y = b * b
            for _ in range(5):
                b.add_(1)
            y.sum().backward()
        return x

    once()
    gc.collect()
    before = karat.memory_stats()["live_bytes"]
    for _ in range(5):
        once()
    assert karat.memory_stats()["live_bytes"] == before


# ---- anomalies ----


@pytest.fixture
def anomaly():
    with set_detect_anomaly(True):
        yield


def warned(function, kind=RuntimeError):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(kind) as caught:
            function()
    return str(caught.value), [str(w.message) for w in said]


def test_the_mode_is_set_and_put_back():
    assert not karat.is_anomaly_enabled() and karat.is_anomaly_check_nan_enabled()
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        inside = detect_anomaly(check_nan=False)
    assert not karat.is_anomaly_enabled()
    with inside:
        assert karat.is_anomaly_enabled() and not karat.is_anomaly_check_nan_enabled()
        with set_detect_anomaly(True):
            assert karat.is_anomaly_check_nan_enabled()
        assert not karat.is_anomaly_check_nan_enabled()
    set_detect_anomaly(True)
    assert karat.is_anomaly_enabled()
    set_detect_anomaly(False)
    assert not karat.is_anomaly_enabled() and karat.autograd.anomaly_mode is anomaly_mode


def test_nan_names_the_forward_line(anomaly):
    x = leaf(0.0, 1.0)
    y, at = karat.sqrt(x), line()
    text, said = warned((y * 0).sum().backward)
    assert text.splitlines() == ["Function 'SqrtBackward0' returned nan values in its 0th output.",
                                 f"  in the backward of sqrt, recorded at {HERE}:{at}"]
    assert said == [f'Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n'
                    f'  File "{os.path.abspath(__file__)}", line {at}\n']


def test_nan_of_another_input_of_a_function_and_of_a_hook(anomaly):
    x, y = leaf(0.0, 1.0), leaf(0.0, float("nan"))
    assert warned(karat.dot(y, x).backward)[0].startswith("Function 'DotBackward0' returned nan values in its 1th output.")
    z = x * 2
    z.grad_fn.register_hook(lambda gi, go: (gi[0] * float("nan"), gi[1]))
    assert warned(z.sum().backward)[0].startswith("Function 'MulBackward0' returned nan values in its 0th output.")

    bad = custom(lambda ctx, g: g * float("nan"), "Bad")
    at = line() + 1
    text, said = warned(bad.apply(x).sum().backward)
    assert text.startswith("Function 'BadBackward' returned nan values") and said[0].endswith(f"line {at}\n")


def test_what_is_no_anomaly(anomaly):
    x = leaf(0.0, 1.0)
    x.log().sum().backward()
    assert x.grad.tolist() == [float("inf"), 1.0]
    y = karat.sqrt(x) * 0
    with set_detect_anomaly(True, check_nan=False):
        y.sum().backward()
    assert x.grad.isnan().tolist() == [True, False]
    empty = karat.ones(0, requires_grad=True)
    (empty * 2).sum().backward()
    karat.ones(2, device="meta", requires_grad=True).exp().sum().backward()


def test_derivatives_of_derivatives_name_what_led_to_them(anomaly):
    x = leaf(1.0, 0.0)
    y, first = x**1.5, line()
    g, second = grad(y.sum(), x, create_graph=True)[0], line()
    h, third = grad(g.sum(), x, create_graph=True)[0], line()
    text, said = warned(lambda: grad((h * 0).sum(), x))
    assert text.startswith("Function 'PowBackward0' returned nan values in its 0th output.")
    assert [int(s.strip().rsplit(" ", 1)[1]) for s in said] == [third, second, first]
    assert said[1].startswith("\n\nPrevious calculation was induced by PowBackward0. Traceback of forward call that induced")


def test_exceptions_pass_and_are_preceded_by_the_line(anomaly):
    def fail(ctx, g):
        raise KeyError("mine")

    x = leaf(1.0)
    y, at = custom(fail, "Bad").apply(x), line()
    text, said = warned(y.sum().backward, KeyError)
    assert text == "'mine'" and said[0].startswith("Error detected in BadBackward.") and said[0].endswith(f"line {at}\n")
    x.register_hook(lambda g: 3)
    text, said = warned((x * 2).sum().backward, TypeError)
    assert said[0].startswith("Error detected in AccumulateGrad.")


def test_parents_of_nodes_are_freed(anomaly):
    class Mark:
        pass

    mark, x = Mark(), leaf(1.0)
    watch = weakref.ref(mark)
    y = x**3
    y.grad_fn.register_hook(lambda gi, go, m=mark: None)
    g, = grad(y.sum(), x, create_graph=True)
    del y, mark
    gc.collect()
    assert watch()  # the derivative's nodes keep the node that they were made for
    del g
    gc.collect()
    assert watch() is None


# ---- errors that name lines ----


def test_a_version_error_names_both_lines():
    x = leaf(1.0, 2.0)
    y, made = x.exp(), line()
    written = line() + 1
    y.add_(1)
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    rest = str(caught.value).splitlines()[1:]
    assert rest == [f"  written to at {HERE}:{written}", f"  in the backward of exp, recorded at {HERE}:{made}"]
    with set_detect_anomaly(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert refusal(RuntimeError, y.sum().backward).endswith("changed in there or anywhere later. Good luck!")


def test_a_version_error_of_a_tensor_outside_the_graph():
    x, weight = leaf(1.0, 2.0), karat.ones(2)
    y, made = x * weight, line()
    written = line() + 1
    weight.mul_(2)
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    rest = str(caught.value).splitlines()[1:]
    assert rest == [f"  written to at {HERE}:{written}", f"  in the backward of mul, recorded at {HERE}:{made}"]


def test_gradients_that_do_not_fit_name_the_line():
    x = leaf(1.0, 2.0)
    y, at = custom(lambda ctx, g: karat.ones(5), "Wide").apply(x), line()
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    assert str(caught.value).splitlines() == [
        "Function WideBackward returned an invalid gradient at index 0 - got [5] but expected shape compatible with [2]",
        f"  in the backward of WideBackward, recorded at {HERE}:{at}"]


def test_an_exception_of_the_users_own_is_noted():
    def fail(*args):
        raise KeyError("mine")

    def caught(total):
        with pytest.raises(KeyError) as one:
            total.backward()
        assert str(one.value) == "'mine'"
        return one.value.__notes__

    x = leaf(1.0, 2.0)
    y, at = custom(fail, "Bad").apply(x), line()
    assert caught(y.sum()) == [f"in the backward of BadBackward, recorded at {HERE}:{at}"]
    for register in ("register_hook", "register_prehook"):
        y, at = x * 2, line()
        getattr(y.grad_fn, register)(fail)
        assert caught(y.sum()) == [f"in the backward of mul, recorded at {HERE}:{at}"]
    y, at = x.exp(), line()
    y.register_hook(fail)
    assert caught(y.sum()) == [f"in the backward of exp, recorded at {HERE}:{at}"]
    with karat.autograd.graph.saved_tensors_hooks(lambda t: t, fail):
        y, at = x.exp(), line()
    assert caught(y.sum()) == [f"in the backward of exp, recorded at {HERE}:{at}"]
    x.register_hook(fail)  # a leaf has no line
    with pytest.raises(KeyError) as one:
        (x * 2).sum().backward()
    assert not hasattr(one.value, "__notes__")


def test_a_result_written_through_a_view_and_packed_keeps_its_second_derivative():
    def second(pack):
        x = leaf(0.3, 0.7, dtype=karat.float64)
        with karat.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            b = x * 1
            b[0:1].exp_()
            g, = grad((b * b).sum(), x, create_graph=True)
        return grad(g.sum(), x)[0].tolist()

    assert second(lambda t: t.clone()) == second(lambda t: t) == pytest.approx([4 * 2.718281828459045**0.6, 2.0])


# ---- grad_dtype ----


def test_a_gradient_of_another_dtype():
    x = leaf(1.0, 2.0)
    assert x.grad_dtype == karat.float32 and karat.ones(2, dtype=karat.int32).grad_dtype == karat.int32
    y = (x * 2).sum()
    x.grad_dtype = karat.float64  # it counts when backward runs
    y.backward()
    assert x.grad_dtype == x.grad.dtype == karat.float64 and x.grad.tolist() == [2.0, 2.0]
    (x * 2).sum().backward()
    assert x.grad.dtype == karat.float64 and x.grad.tolist() == [4.0, 4.0]
    assert grad((x * 2).sum(), x)[0].dtype == karat.float64
    x.grad = None
    x.grad_dtype = karat.float16
    (x * 2).sum().backward()
    assert x.grad.dtype == karat.float16


def test_sums_are_made_in_the_gradients_dtype():
    x = karat.ones(1, dtype=karat.bfloat16, requires_grad=True)
    x.grad_dtype = karat.float32
    (x * 256 + x).sum().backward()  # 257 is no bfloat16
    assert x.grad.item() == 257 and x.grad.dtype == karat.float32
    seen = []
    x.register_hook(lambda g: seen.append(g.dtype))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.dtype))
    (x * 2).sum().backward()
    assert seen == [karat.float32, karat.float32]


def test_any_dtype():
    x, wide = leaf(1.0, 2.0), custom(lambda ctx, g: g.double())
    x.grad_dtype = None
    assert x.grad_dtype is None
    wide.apply(x).sum().backward()
    assert x.grad.dtype == karat.float64
    x.grad = None
    (wide.apply(x) + x).sum().backward()
    assert x.grad.dtype == karat.float64 and x.grad.tolist() == [2.0, 2.0]
    x.grad = karat.ones(2, dtype=karat.float16)
    assert x.grad.dtype == karat.float16


def test_roots_and_tensors_without_grad():
    x = karat.tensor(3.0)
    x.grad_dtype = karat.float64
    assert x.grad_dtype == karat.float64 and not x.requires_grad
    x.requires_grad_()
    x.backward()
    x.backward(karat.tensor(2.0))
    assert x.grad.dtype == karat.float64 and x.grad.item() == 3
    assert x.detach().grad_dtype == karat.float32
    x.grad = None
    x.data = karat.tensor(3.0, dtype=karat.float16)
    assert x.grad_dtype == karat.float64


def test_complex_and_integer_gradients_of_real_leaves():
    x = leaf(1.0)
    x.grad_dtype = karat.complex64
    (x * 2).sum().backward()
    assert x.grad.dtype == karat.complex64 and x.grad.tolist() == [2 + 0j]
    x.grad, x.grad_dtype = None, karat.int32
    (x * 2).sum().backward()
    assert x.grad.dtype == karat.int32 and x.grad.tolist() == [2]


def test_grad_dtypes_that_are_refused():
    x = leaf(1.0, 2.0)
    y = x * 2
    assert refusal(RuntimeError, lambda: y.grad_dtype) == "grad_dtype can only be accessed on leaf tensors."
    assert refusal(RuntimeError, lambda: setattr(y, "grad_dtype", None)) == "grad_dtype can only be set on leaf tensors."
    assert refusal(RuntimeError, lambda: setattr(x, "grad_dtype", 5)) == "grad_dtype must be a torch.dtype or None, but got int"
    with pytest.raises(RuntimeError):
        del x.grad_dtype
    x.grad_dtype = karat.float64
    assert refusal(RuntimeError, lambda: setattr(x, "grad", karat.ones(2))).startswith(
        "attempting to assign a gradient with dtype 'float' to a tensor with grad_dtype 'Double'.")
    x.grad = karat.ones(2, dtype=karat.float64)
    assert refusal(RuntimeError, lambda: setattr(x, "grad_dtype", karat.float32)) == (
        "Cannot set grad_dtype to 'Float' because there is already a gradient with dtype 'double'. Please clear the gradient "
        "(.grad = None) before changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype.")
    x.grad_dtype = None
    x.grad_dtype = karat.float64
