"""karat.autograd.gradcheck and gradgradcheck: right derivatives pass, wrong ones are found and named in PyTorch's words.

A wrong derivative is made by a hook that changes the gradient on its way, by detach, or by a Function.
"""

import re
import warnings

import karat as torch
import pytest
from karat import _karat
from karat.autograd import Function, forward_ad, gradcheck, gradgradcheck
from karat.autograd.gradcheck import GradcheckError, get_numerical_jacobian

SLOW_AND_FAST = pytest.mark.parametrize("fast", [False, True])


def leaf(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


X, Y = leaf(0.3, 0.7, 1.1), leaf(0.5, 1.7, 0.9)
Z = leaf(0.3 + 0.2j, 0.7 - 1j, dtype=torch.complex128)


def changed(t, change=lambda g: g * 1.1):
    """t with a gradient that is not."""
    t = t * 1
    t.register_hook(lambda g: None if g is None else change(g))  # None where gradcheck sends no gradient
    return t


def first_line(call, error=GradcheckError):
    with pytest.raises(error) as raised:
        call()
    return str(raised.value).splitlines()[0]


@SLOW_AND_FAST
@pytest.mark.parametrize("f, inputs", [
    (torch.exp, X), (torch.exp, (X,)), (torch.exp, [X]), (lambda a, b: (a * b, a.sin() / b), (X, Y)),
    (lambda a: [a * a, a.sum()], X),
    (torch.pow, (X, X)), (lambda a, n, name: a ** n, (X, 3, "text")), (lambda a, n: a * n, (X, torch.tensor([1, 2, 3]))),
    (torch.mul, (X, Y.detach())), (lambda a, b: a * 2, (X, Y)), (lambda a: a, X), (lambda a: a[1:], X),
    (lambda a: a.clone().mul_(a), X),
    (lambda a: (a * a, a.detach(), a > 0), X), (lambda a: a.sum() ** 2, X), (torch.exp, leaf()), (lambda a: a[:0], X),
    (torch.exp, leaf(0.5).reshape(())), (lambda a: a * 3, X * 2), (torch.exp, torch.rand(2, 3, dtype=torch.float64).t()),
    (torch.exp, torch.rand(6, dtype=torch.float64)[::2]),
    (lambda a: a * a, Z), (lambda a: a.abs(), Z), (lambda a: a * (1 + 2j), X), (lambda a, b: (a[:2] * b, a * 2), (X, Z)),
    (lambda a: a.conj() * a.real, Z), (lambda a: torch.view_as_real(a), Z), (lambda a: (), X), (lambda a: torch.ones(2), X),
    (lambda a: (a * 2).long(), X),
])
def test_right_derivatives_pass(f, inputs, fast):
    if isinstance(inputs, torch.Tensor) and not inputs.requires_grad:
        inputs = inputs.detach().requires_grad_()
    assert gradcheck(f, inputs, fast_mode=fast) is True
    assert gradgradcheck(f, inputs, fast_mode=fast) is True


@SLOW_AND_FAST
@pytest.mark.parametrize("f, inputs, text", [
    (lambda a: changed(a.exp()), X, "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a, b: a * changed(b), (X, Y), "Jacobian mismatch for output 0 with respect to input 1,"),
    (lambda a: (a * a, changed(a)), X, "Jacobian mismatch for output 1 with respect to input 0,"),
    (lambda n, a: changed(a), (2, X), "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: (a.detach(), changed(a)), X, "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: a * a.detach(), X, "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: a * float("nan"), X, "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: changed(a.abs()), Z, "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: changed(a.exp()), Z,
     "While considering the imaginary part of complex outputs only, Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: changed(a.exp(), lambda g: g * 1j), Z,
     "While considering the imaginary part of complex outputs only, Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: (a * 1, torch.complex(changed(a), a * 1)), X,
     "While considering the real part of complex outputs only, Jacobian mismatch for output 1 with respect to input 0,"),
    (lambda a: (a * 1j, changed(a)), X, "Jacobian mismatch for output 1 with respect to input 0,"),
    (lambda a: (changed(a), changed(a) * 1j), X, "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: changed(a, lambda g: g + 1), X, "Jacobian mismatch for output 0 with respect to input 0,"),
    (lambda a: a.detach() * 2, X, "Numerical gradient for function expected to be zero"),
])
def test_wrong_derivatives_are_named(f, inputs, text, fast):
    assert first_line(lambda: gradcheck(f, inputs, fast_mode=fast)) == text
    assert gradcheck(f, inputs, fast_mode=fast, raise_exception=False) is False


def test_the_message_shows_both_jacobians():
    def f(a):
        return changed(a * 2).reshape(1, 3).sum(0)[:2]

    with pytest.raises(GradcheckError) as slow:
        gradcheck(f, X)
    shown = re.findall(r"[0-9]\.[0-9]{4}", str(slow.value))
    assert shown == ["2.0000", "0.0000", "0.0000", "2.0000", "0.0000", "0.0000", "2.2000", "0.0000", "0.0000", "2.2000", "0.0000",
                     "0.0000"]  # three elements of the input down, two of the result across
    assert re.search(r"\nnumerical:tensor\(\[\[2\.0.*\nanalytical:tensor\(\[\[2\.2", str(slow.value), re.S)
    with pytest.raises(GradcheckError, match=r"max per-element difference \(slow mode\) is: 0\.200000") as fast:
        gradcheck(f, X, fast_mode=True)
    assert re.findall(r"[0-9]\.[0-9]{4}\b", str(fast.value)) == shown


@SLOW_AND_FAST
def test_tolerances(fast):
    def f(a):
        return changed(a, lambda g: g * 1.01)

    assert not gradcheck(f, X, raise_exception=False, fast_mode=fast)
    assert gradcheck(f, X, rtol=0.02, fast_mode=fast)
    assert gradcheck(f, X, atol=0.05, fast_mode=fast)
    assert not gradcheck(lambda a: a ** 5, X, eps=0.5, raise_exception=False, fast_mode=fast)


@SLOW_AND_FAST
def test_backward_that_changes_from_call_to_call(fast):
    calls = []

    def noisy(g):
        calls.append(g)
        return g + 1e-3 * (len(calls) % 2)

    said = first_line(lambda: gradcheck(lambda a: changed(a, noisy), X, fast_mode=fast))
    assert said == ("Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
                    "different values, although analytical gradient matches numerical gradient.The tolerance for "
                    "nondeterminism was 0.0.")
    assert first_line(lambda: gradcheck(lambda a: changed(a, noisy), X, nondet_tol=0.1, atol=0.01, fast_mode=fast)) == (
        "backward not multiplied by grad_output")


class Wrong(torch.autograd.Function):
    """exp, with a derivative that is not."""

    @staticmethod
    def forward(ctx, t):
        out = t.exp()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * 1.1


class Twice(torch.autograd.Function):
    """(2t, 3t), where a lone gradient of the second that is zero makes ones, or an error."""

    @staticmethod
    def forward(ctx, t, error):
        ctx.set_materialize_grads(False)
        ctx.error = error
        return t * 2, t * 3

    @staticmethod
    def backward(ctx, g, h):
        if g is None and h is not None and not h.any():
            if ctx.error:
                raise ctx.error("no gradient")
            return torch.ones_like(h), None
        if g is None and h is None:
            return None, None
        return (0 if g is None else g * 2) + (0 if h is None else h * 3), None


@SLOW_AND_FAST
def test_functions_of_the_users(fast):
    assert first_line(lambda: gradcheck(Wrong.apply, X, fast_mode=fast)) == (
        "Jacobian mismatch for output 0 with respect to input 0,")
    notes = '. Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
    for error, text in ((None, "Expected all input grads to be undefined or zero when all output grads are undefined or zero"),
                        (RuntimeError, "Expected backward function to handle undefined output grads")):
        with pytest.warns(UserWarning, match="^Backwards compatibility: New undefined gradient support checking feature"):
            assert first_line(lambda: gradcheck(Twice.apply, (X, error), fast_mode=fast)) == text + notes
        assert gradcheck(Twice.apply, (X, error), check_undefined_grad=False, fast_mode=fast)
    with pytest.raises(KeyError):
        gradcheck(Twice.apply, (X, KeyError), fast_mode=fast, raise_exception=False)


@SLOW_AND_FAST
def test_arguments_that_are_refused(fast):
    none = "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
    for inputs in ((), (1.0,), (X.detach(),)):
        for check in (gradcheck, gradgradcheck):
            assert first_line(lambda: check(lambda *a: X.detach() * 2, inputs, fast_mode=fast, raise_exception=False),
                              ValueError) == none
    expanded = Y.detach()[:1].expand(3).requires_grad_()
    assert first_line(lambda: gradcheck(torch.mul, (X, expanded), fast_mode=fast, raise_exception=False), RuntimeError) == (
        "The 1th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to "
        "compute the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.")
    assert gradcheck(torch.mul, (X, expanded.detach()), fast_mode=fast)
    assert gradcheck(torch.exp, X.detach()[:1].reshape(1, 1).expand(1, 1).requires_grad_(), fast_mode=fast)
    overlapping = X.detach().as_strided((2, 2), (1, 1)).requires_grad_()
    with pytest.raises(RuntimeError):
        gradcheck(torch.exp, overlapping, fast_mode=fast)


class Examples(Function):
    """x * x, whose gradient, and tangent, is made example by example."""

    @staticmethod
    def forward(ctx, x, change):
        ctx.save_for_backward(x)
        ctx.change = change
        return x * x

    @staticmethod
    def backward(ctx, g):
        return ctx.change(2 * ctx.saved_tensors[0] * g), None


def read_by_the_host(t):
    return torch.tensor([one.item() for one in t], dtype=t.dtype)


def wrong_in_batches(t):
    return t * 1.5 if _karat.batch_facts(t) else t


@SLOW_AND_FAST
def test_gradients_in_batches(fast):
    options = {"check_batched_grad": True, "fast_mode": fast}
    assert gradcheck(lambda a, b: (a * b, a + 1), (X, Y), **options)
    assert gradcheck(lambda a: a * a, Z, check_forward_ad=True, check_batched_forward_grad=True, **options)
    assert gradgradcheck(lambda a, b: a * b * b, (X, Y), **options)
    assert gradcheck(lambda a, b: (a * 2, b * 1), (X, Y), **options)  # results that an input does not reach
    with pytest.raises(GradcheckError, match=r"While computing batched gradients, got: vmap: .*calling .item\(\)") as caught:
        gradcheck(lambda a: Examples.apply(a, read_by_the_host), X, **options)
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert gradcheck(lambda a: Examples.apply(a, read_by_the_host), X, raise_exception=False, **options) is False
    assert first_line(lambda: gradcheck(lambda a, b: (a * b, Examples.apply(b, wrong_in_batches)), (X, Y), **options)) == (
        "For output 1 and input 1:")


def test_tangents_in_batches():
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    assert gradcheck(lambda a, b: (a * b, a.sin()), (X, Y), **options)

    assert first_line(lambda: gradcheck(lambda a: a * a + moves_in_batches(a), X, **options)) == "For output 0 and input 0:"


def moves_in_batches(a):
    """0, but in a vmap it moves with a."""
    tangent = forward_ad.unpack_dual(a).tangent
    return a - a.detach() if tangent is not None and _karat.batch_facts(tangent) else torch.zeros_like(a)


def test_options_that_do_not_go_together():
    for text, check, options in (
            ("Setting check_batched_grad=True requires check_backward_ad to be True", gradcheck,
             {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True}),
            ("Setting check_batched_grad=True requires check_rev_over_rev to be True", gradgradcheck,
             {"check_batched_grad": True, "check_rev_over_rev": False, "check_fwd_over_rev": True,
              "check_undefined_grad": False}),
            ("Expected at least one of check_forward_ad or check_backward_ad to be True", gradcheck,
             {"check_backward_ad": False}),
            ("Setting check_batched_forward_grad=True requires check_forward_ad to be True", gradcheck,
             {"check_batched_forward_grad": True}),
            ("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True", gradgradcheck,
             {"check_rev_over_rev": False})):
        assert first_line(lambda: check(torch.exp, X, **options), AssertionError) == text
    assert gradcheck(torch.exp, X, masked=True, check_grad_dtypes=True)


def test_narrow_inputs_are_warned_about():
    narrow = leaf(0.3, 0.7, dtype=torch.float32)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert gradcheck(torch.mul, (leaf(1.0, 2.0), narrow), raise_exception=False) is False
    assert [str(w.message) for w in seen] == [
        "Input #1 requires gradient and is not a double precision floating point or complex. This check will likely fail if all "
        "the inputs are not of double precision floating point or complex. "]
    with pytest.warns(UserWarning, match="Input #0"):
        assert gradcheck(torch.exp, narrow, eps=1e-3, atol=1e-2)


@SLOW_AND_FAST
def test_what_the_function_raises_is_the_users(fast):
    with pytest.raises(ZeroDivisionError):
        gradcheck(lambda a: 1 / 0, X, fast_mode=fast, raise_exception=False)
    with pytest.raises(ZeroDivisionError):
        gradcheck(lambda a: changed(a, lambda g: 1 / 0), X, fast_mode=fast, raise_exception=False)


@SLOW_AND_FAST
def test_the_inputs_stay_as_they_are(fast):
    x, calls = leaf(0.3, 0.7, 1e-30), []
    before, state = x.detach().clone(), torch.get_rng_state()

    def third_fails(a):
        calls.append(a)
        if len(calls) == 3:
            raise KeyError("third")
        return a.exp()

    with pytest.raises(KeyError):
        gradcheck(third_fails, x, fast_mode=fast)
    assert x.equal(before)
    assert gradcheck(torch.exp, x, fast_mode=fast) and x.equal(before) and x._version == 0 and x.grad is None
    assert torch.get_rng_state().equal(state)


def test_an_input_known_from_elsewhere_moves_too():
    assert gradcheck(lambda a: (X * X).sum(), X)


@SLOW_AND_FAST
def test_second_derivatives(fast):
    def wrong(a):
        return changed(a * 2, lambda g: g * a.detach())

    assert first_line(lambda: gradgradcheck(wrong, X, fast_mode=fast)) == (
        "Jacobian mismatch for output 0 with respect to input 0,")
    assert gradgradcheck(wrong, X, raise_exception=False, fast_mode=fast) is False
    assert gradgradcheck(lambda a, b: (a * b, a.sin()), (X, Y), fast_mode=fast)
    for given in (torch.ones(3, dtype=torch.float64), leaf(1.0, -1.0, 2.0)):
        assert gradgradcheck(torch.exp, X, given, fast_mode=fast)
    assert gradgradcheck(torch.exp, X, gen_non_contig_grad_outputs=True, fast_mode=fast)
    assert first_line(lambda: gradgradcheck(torch.exp, X, torch.ones(2, dtype=torch.float64), fast_mode=fast), RuntimeError) == (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3]).")


def test_random_grad_outputs_are_those_of_make_tensor():
    """PyTorch's numbers, from the same state of the generator."""
    seen = []

    def f(a):
        return changed(a * 2, lambda g: seen.append(g.detach().clone()))

    for apart in (False, True):
        torch.manual_seed(0)
        want = torch.testing.make_tensor(3, dtype=torch.float64, device=X.device, low=-1, high=1, noncontiguous=apart)
        torch.manual_seed(0)
        seen.clear()
        assert gradgradcheck(f, X, gen_non_contig_grad_outputs=apart)
        assert seen[0].equal(want)


def test_numerical_jacobian():
    with pytest.warns(FutureWarning, match="`get_numerical_jacobian` was part of PyTorch's private API"):
        by_x, by_y = get_numerical_jacobian(lambda t: (t[0] * t[1], t[0]), (X, Y), eps=1e-6)
    torch.testing.assert_close(by_x, torch.diag(Y.detach()))
    torch.testing.assert_close(by_y, torch.diag(X.detach()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (by_y,) = get_numerical_jacobian(lambda t: t[0] * Y, (X,), target=Y)
        torch.testing.assert_close(by_y, torch.diag(X.detach()))
        (by_z,) = get_numerical_jacobian(lambda t: (t[0] * t[0]).real, (Z,), eps=1e-6)
        torch.testing.assert_close(by_z, torch.diag((2 * Z).conj().resolve_conj().detach()))
        (summed,) = get_numerical_jacobian(lambda t: t[0].sum(), (X,))
        assert summed.shape == (3, 1)
        for options, f, text in (({"grad_out": 2.0}, lambda t: t[0], "Expected grad_out to be 1.0. get_numerical_jacobian no "
                                  "longer supports values of grad_out != 1.0."),
                                 ({}, lambda t: t[0] * 1j, "Expected output to be non-complex. get_numerical_jacobian no longer "
                                  "supports functions that return complex outputs.")):
            assert first_line(lambda: get_numerical_jacobian(f, (X,), **options), ValueError) == text


def test_batched_gradients_of_a_function_whose_tensors_keep_theirs():
    """A vmapped backward leaves its gradient in the tensor; the next one is of another graph."""

    def two(x):
        inner = x.clone()
        inner.retain_grad()
        return (inner * inner).sum(), (inner * 3).sum()

    assert gradcheck(two, (X,), check_batched_grad=True)


@pytest.mark.parametrize("other, what", [(lambda x: torch.cat([x, x]), "shape"), (lambda x: x.float(), "dtype")])
@SLOW_AND_FAST
def test_results_have_to_be_alike_on_both_sides(other, what, fast):
    with pytest.raises(AssertionError, match=f"Expected `func` to return outputs with the same {what} when inputs are perturbed"):
        gradcheck(lambda x: other(x) if (x >= 1).all() else x, (leaf(1.0),), fast_mode=fast)


def test_in_forward_mode_every_checked_input_is_dual_and_needs_no_gradient():
    seen = []

    def add(x, y, plain):
        if forward_ad._current_level >= 0:
            seen.append([forward_ad.unpack_dual(one).tangent is not None for one in (x, y, plain)])
            assert not x.requires_grad and not y.requires_grad
        return x + y * plain

    assert gradcheck(add, (X, Y, leaf(2.0, 3.0, 4.0).detach()), check_forward_ad=True, fast_mode=True)
    assert seen == [[True, True, False]] * 2

    def wrong(x, y):
        if forward_ad._current_level >= 0:
            y, tangent = forward_ad.unpack_dual(y)
            y = forward_ad.make_dual(y, tangent * 1.1)
        return x + y

    with pytest.raises(GradcheckError, match="computed with forward mode mismatch for output 0 with respect to input 1"):
        gradcheck(wrong, (X, Y), check_forward_ad=True)


def test_seeds_that_are_given_are_checked_if_they_need_a_gradient():
    def square(x):
        return x * x

    assert gradgradcheck(square, (X,), (torch.ones(3),))  # of another dtype, and not checked
    assert gradgradcheck(square, (X,), (leaf(1.0, 2.0, 3.0),))


def test_second_derivatives_by_forward_mode_over_backward():
    assert gradgradcheck(lambda x, y: x * x * y, (X, Y), check_fwd_over_rev=True, check_rev_over_rev=True)
