"""Operators over lists: PyTorch's signatures, results, refusals and what they return."""

import math

import pytest

import karat

ONE = "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt " \
      "sigmoid sign sin sinh sqrt tan tanh trunc".split()
TWO = "add sub mul div pow maximum minimum clamp_min clamp_max".split()


def lists():
    return [karat.tensor([0.25, 0.5]), karat.tensor([[0.75]], dtype=karat.float64), karat.tensor([0.125, 1.0]).bfloat16()]


@pytest.mark.parametrize("name", ONE)
def test_one_list(name):
    given = lists()
    made = getattr(karat, f"_foreach_{name}")(given)
    want = [getattr(karat, name)(t) for t in given]
    assert isinstance(made, tuple)
    assert [(t.dtype, t.tolist()) for t in made] == [(t.dtype, t.tolist()) for t in want]
    assert getattr(karat, f"_foreach_{name}_")(given) is given
    assert [t.tolist() for t in given] == [t.tolist() for t in want]


@pytest.mark.parametrize("name", TWO)
def test_beside_a_list(name):
    one = getattr(karat, {"maximum": "clamp_min", "minimum": "clamp_max"}.get(name, name))
    other = lists()[::-1]
    other = [o.reshape(-1)[:1] for o in other]
    for beside, want in ((2.0, [one(t, 2.0) for t in lists()]),
                         ([1.0, 2, 0.5], [one(t, n) for t, n in zip(lists(), [1.0, 2, 0.5])])):
        made = getattr(karat, f"_foreach_{name}")(lists(), beside)
        assert [(t.dtype, t.tolist()) for t in made] == [(t.dtype, t.tolist()) for t in want]
    made = getattr(karat, f"_foreach_{name}")(lists(), other)
    two = getattr(karat, name) if name in ("maximum", "minimum") else one
    want = [two(t, o) for t, o in zip(lists(), other)]
    assert [(t.dtype, t.tolist()) for t in made] == [(t.dtype, t.tolist()) for t in want]
    given = (karat.tensor([1.0, 4.0]),)
    assert getattr(karat, f"_foreach_{name}_")(given, [karat.tensor([2.0, 3.0])]) is given


def test_a_tensor_beside_a_list():
    a = [karat.tensor([1, 2], dtype=karat.int32), karat.tensor([1.0])]
    made = karat._foreach_mul(a, karat.tensor(2, dtype=karat.float64))
    assert [t.dtype for t in made] == [karat.float64, karat.float32]
    assert [t.tolist() for t in karat._foreach_add(a, karat.tensor(2.0), alpha=3)] == [[7.0, 8.0], [7.0]]
    with pytest.raises(RuntimeError, match="scalar tensor expected to be 0 dim but it has 1 dimensions and 2 elements."):
        karat._foreach_div(a, karat.tensor([1.0, 2.0]))


def test_three_lists():
    a, b, c = lists(), lists(), lists()
    for name in ("addcmul", "addcdiv"):
        want = [getattr(karat, name)(x, y, z, value=n).tolist() for x, y, z, n in zip(a, b, c, [1.0, 2.0, 0.5])]
        made = getattr(karat, f"_foreach_{name}")
        assert [t.tolist() for t in made(a, b, c, [1.0, 2.0, 0.5])] == want
        assert [t.tolist() for t in made(a, b, c, scalars=karat.tensor([1.0, 2.0, 0.5]))] == want
        assert [t.tolist() for t in made(a, b, c)] == [getattr(karat, name)(x, y, z).tolist() for x, y, z in zip(a, b, c)]
    want = [karat.lerp(x, x, 0.25).tolist() for x in a]
    assert [t.tolist() for t in karat._foreach_lerp(a, b, 0.25)] == want
    assert [t.tolist() for t in karat._foreach_lerp(a, b, [0.25, 0.25, 0.25])] == want
    assert [t.tolist() for t in karat._foreach_lerp(a, b, [karat.full_like(t, 0.25) for t in a])] == want


def test_powers_of_a_number():
    made = karat._foreach_pow(2, [karat.tensor([1, 3]), karat.tensor([2.0])])
    assert [(t.dtype, t.tolist()) for t in made] == [(karat.int64, [2, 8]), (karat.float32, [4.0])]


def test_copies_and_zeros():
    a, b = [karat.zeros(2, dtype=karat.int32), karat.zeros(3)], [karat.tensor([1.5, 2.5]), karat.tensor([4.0])]
    versions = [t._version for t in a]
    assert karat._foreach_copy_(a, b) is a
    assert [t.tolist() for t in a] == [[1, 2], [4.0, 4.0, 4.0]]
    assert karat._foreach_zero_(self=a) is a and [t.tolist() for t in a] == [[0, 0], [0.0, 0.0, 0.0]]
    assert [t._version - v for t, v in zip(a, versions)] == [2, 2]
    assert not hasattr(karat, "_foreach_zero") and not hasattr(karat, "_foreach_copy")


def test_norms():
    a = [karat.tensor([3.0, 4.0]), karat.tensor([[1.0, -2.0]], dtype=karat.bfloat16), karat.tensor([3 + 4j])]
    assert [(t.dtype, t.item()) for t in karat._foreach_norm(a, 1)] == [(karat.float32, 7.0), (karat.bfloat16, 3.0),
                                                                       (karat.float32, 5.0)]
    assert karat._foreach_norm(a[:2], math.inf, dtype=karat.float64)[1].dtype == karat.float64
    with pytest.raises(RuntimeError, match="infinity norm on an empty tensor"):
        karat._foreach_norm([karat.ones(0)], math.inf)
    with pytest.raises(RuntimeError, match="expects ord to be integer or float"):
        karat._foreach_norm(a, 1j)


def test_sums_of_powers():
    a = [karat.tensor([1.0, 2.0, -3.0]), karat.full((2, 2), 2.0, dtype=karat.float64), karat.tensor([300.0, 2.0]).half(),
         karat.tensor([1 + 2j, 3j]), karat.zeros(0)]
    told = [(t.dtype, t.item()) for t in karat._foreach_powsum(a)]
    assert told[:3] == [(karat.float32, 14.0), (karat.float64, 16.0), (karat.float16, math.inf)]
    assert told[3][0] == karat.float32 and abs(told[3][1] - 14) < 1e-5 and told[4] == (karat.float32, 0.0)
    assert [t.item() for t in karat._foreach_powsum(a[:3], 3, karat.float64)] == [36.0, 32.0, 27000008.0]
    assert [t.item() for t in karat._foreach_powsum(a[:2], 0)] == [3.0, 4.0]
    assert [t.item() for t in karat._foreach_powsum([karat.arange(4)], 2, dtype=karat.float32)] == [14.0]
    x = a[0].clone().requires_grad_()
    karat._foreach_powsum([x], 3)[0].backward()
    assert x.grad.tolist() == [3.0, 12.0, -27.0]
    with pytest.raises(NotImplementedError, match="^\"powsum_cpu\" not implemented for 'Long'"):
        karat._foreach_powsum([karat.ones(2), karat.arange(4)])
    with pytest.raises(NotImplementedError, match="^\"powsum_cpu\" not implemented for 'Float8_e4m3fn'"):
        karat._foreach_powsum([karat.ones(2).to(karat.float8_e4m3fn)])
    with pytest.raises(RuntimeError, match="^value cannot be converted to type double without overflow"):
        karat._foreach_powsum(a, 1j)
    with pytest.raises(RuntimeError, match="^Tensor list must have at least one tensor"):
        karat._foreach_powsum([])


@pytest.mark.parametrize("call, error, text", [
    (lambda: karat._foreach_add([], 1), RuntimeError, "Tensor list must have at least one tensor."),
    (lambda: karat._foreach_add([karat.ones(1)], [1.0, 2.0]), RuntimeError,
     "Tensor list must have same number of elements as scalar list."),
    (lambda: karat._foreach_add([karat.ones(1)], []), RuntimeError,
     "Tensor list must have same number of elements as scalar list."),
    (lambda: karat._foreach_copy_([karat.ones(1)], []), RuntimeError,
     "Tensor lists must have the same number of tensors, got 1 and 0"),
    (lambda: karat._foreach_div_([karat.ones(1, dtype=karat.int64)], 2), RuntimeError,
     "result type Float can't be cast to the desired output type Long"),
    (lambda: karat._foreach_exp([3]), TypeError, "expected Tensor as element 0 in argument 0, but got int"),
    (lambda: karat._foreach_exp(3), TypeError, "argument 'self' .position 1. must be tuple of Tensors, not int"),
    (lambda: karat._foreach_lerp([karat.ones(1)], [karat.ones(1)], [karat.ones(1)] * 2), RuntimeError,
     "Tensor lists must have the same number of tensors, got 1 and 2"),
])
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_signatures_are_listed():
    with pytest.raises(TypeError) as raised:
        karat._foreach_add([karat.ones(2)])
    assert str(raised.value).split("expected one of:")[1].split("\n\n")[0].strip() == (
        "* (tuple of Tensors self, Number scalar)\n * (tuple of Tensors self, tuple of Scalars scalars)\n"
        " * (tuple of Tensors self, Tensor other, *, Number alpha = 1)\n"
        " * (tuple of Tensors self, tuple of Tensors other, *, Number alpha = 1)")


def test_gradients():
    a = [karat.tensor([2.0], requires_grad=True), karat.tensor([3.0], requires_grad=True)]
    made = karat._foreach_mul(karat._foreach_exp(a), a)
    karat.cat(made).sum().backward()
    assert all(abs(t.grad.item() - math.exp(t.item()) * (1 + t.item())) < 1e-4 for t in a)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        karat._foreach_add_(a, 1)
    with karat.no_grad():
        karat._foreach_add_(a, 1)
    assert [t.item() for t in a] == [3.0, 4.0]
    b = [t * 1 for t in a]
    assert karat._foreach_exp_(b) is b and b[0].grad_fn.name() == "ExpBackward0"
    karat._foreach_zero_(b)
    assert b[0].grad_fn.name() == "ZeroBackward0"


@pytest.mark.parametrize("call", [lambda a, b: karat._foreach_add(a, b), lambda a, b: karat._foreach_mul(a, 2.0),
                                  lambda a, b: karat._foreach_exp(a), lambda a, b: karat._foreach_norm(a),
                                  lambda a, b: karat._foreach_addcmul(a, b, b), lambda a, b: karat._foreach_lerp(b, a, 0.5)])
def test_all_results_require_grad_if_one_tensor_does(call):
    """As of PyTorch's one node; nothing flows to what a result does not depend on."""
    a = [karat.tensor([1.0, 2.0], requires_grad=True), karat.tensor([3.0, 4.0])]
    b = [karat.tensor([5.0, 6.0]), karat.tensor([7.0, 8.0])]
    one, two = call(a, b)
    assert one.requires_grad and two.requires_grad and not two.is_leaf
    assert karat.autograd.grad(two.sum(), a[0], allow_unused=True) == (None,)
    assert karat.autograd.grad(one.sum(), a[0])[0].shape == (2,)
    with karat.no_grad():
        assert not any(t.requires_grad for t in call(a, b))


def test_results_in_place_require_grad_each_by_itself():
    x = karat.tensor([1.0, 2.0], requires_grad=True)
    a = [x * 1, karat.tensor([3.0, 4.0])]
    karat._foreach_add_(a, 2.0)
    assert [t.requires_grad for t in a] == [True, False]


def test_integers_beside_a_tensor_that_requires_grad_stay_without():
    a = [karat.tensor([1.0], requires_grad=True), karat.tensor([3])]
    assert [t.requires_grad for t in karat._foreach_mul(a, 2)] == [True, False]


@pytest.mark.parametrize("name,self,other", [("clamp_min", [0, 0, 1, 0, 0, 1], [1, 0, 0, 0, 0, 0]),
                                             ("clamp_max", [1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1])])
def test_bounds_of_lists_have_the_slopes_of_clamp(name, self, other):
    nan, inf = math.nan, math.inf
    a, b = karat.tensor([1.0, nan, 2.0, 5.0, nan, inf]), karat.tensor([2.0, 1.0, 2.0, nan, nan, -inf])
    a.requires_grad_(), b.requires_grad_()
    result, = getattr(karat, "_foreach_" + name)([a], [b])
    grads = karat.autograd.grad(result.sum(), [a, b])
    assert [g.tolist() for g in grads] == [self, other]


@pytest.mark.parametrize("numbers", [1.0, [1.0, 2.0], True])
@pytest.mark.parametrize("dtype", [karat.float32, karat.float64, karat.bfloat16])
def test_a_number_that_ties_has_half_of_what_flows_to_maximum(numbers, dtype):
    nan, inf = math.nan, math.inf
    for name, of_first in (("maximum", [1.5, 3, 0, 3, 3, 0]), ("minimum", [1.5, 0, 3, 3, 0, 3])):
        first = karat.tensor([1.0, 2.0, 0.5, nan, inf, -inf], dtype=dtype, requires_grad=True)
        second = karat.tensor(2.0, dtype=dtype, requires_grad=True)
        ys = getattr(karat, "_foreach_" + name)([first, second], numbers)
        assert [y.dtype for y in ys] == [dtype] * 2
        grads = karat.autograd.grad(ys, [first, second], [karat.full_like(y, 3) for y in ys])
        last = 1.5 if numbers == [1.0, 2.0] else 3 if name == "maximum" else 0
        assert [g.tolist() for g in grads] == [of_first, last]
        plain = getattr(karat, "_foreach_" + name)([first.detach(), second.detach()], numbers)
        for a, b in zip(ys, plain):
            karat.testing.assert_close(a.detach(), b, equal_nan=True)
        written = [first.clone(), second.clone()]
        getattr(karat, f"_foreach_{name}_")(written, numbers)
        assert karat.autograd.grad(written[0], first, karat.full_like(first, 3))[0].tolist() == of_first


def test_numbers_beside_lists_on_a_tape_keep_dtypes_and_refusals():
    whole, real = karat.tensor([1, 3]), karat.ones(2, requires_grad=True)
    assert [y.dtype for y in karat._foreach_maximum([whole, real], 2)] == [karat.int64, karat.float32]
    assert [y.dtype for y in karat._foreach_minimum([whole, real], 2.5)] == [karat.float32, karat.float32]
    for bad, number in ((real * 1j, 2), (real, 2j)):
        with pytest.raises((NotImplementedError, RuntimeError), match="complex|clamp"):
            karat._foreach_maximum([bad], number)
    with pytest.raises(RuntimeError, match="Tensor list must have same number of elements as scalar list."):
        karat._foreach_maximum([real], [1.0, 2.0])
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation."):
        karat._foreach_maximum_([real], 1.0)
