"""Integers that require grad, under the policy permissive: the gradient has the floating type that they were first cast to.
Under the other policies PyTorch's refusal."""

import os
import subprocess
import sys

import pytest

import karat

F = karat.nn.functional
REFUSED = "[Oo]nly Tensors of floating point (and complex )?dtype can require gradients"


@pytest.fixture
def permissive():
    with karat.policy("permissive"):
        yield


def ints(*values, dtype=karat.int64):
    return karat.tensor(values, dtype=dtype, requires_grad=True)


MAKERS = {
    "tensor": lambda: karat.tensor([1, 2], requires_grad=True),
    "zeros": lambda: karat.zeros(2, dtype=karat.int32, requires_grad=True),
    "requires_grad_": lambda: karat.arange(2).requires_grad_(),
    "requires_grad": lambda: setattr(karat.arange(2), "requires_grad", True),
}


@pytest.mark.parametrize("policy", ["torch", "safe", "strict"])
@pytest.mark.parametrize("name", MAKERS)
def test_refused_under_the_other_policies(name, policy):
    with karat.policy(policy), pytest.raises(RuntimeError, match=REFUSED):
        MAKERS[name]()


@pytest.mark.parametrize("name", MAKERS)
def test_allowed_under_permissive(name, permissive):
    t = MAKERS[name]()
    assert t is None or (t.requires_grad and t.is_leaf and not t.is_floating_point())


def test_bools_are_no_integers(permissive):
    with pytest.raises(RuntimeError, match=REFUSED):
        karat.ones(2, dtype=karat.bool, requires_grad=True)


@pytest.mark.parametrize("dtype", [karat.uint8, karat.int8, karat.int16, karat.int32, karat.int64])
@pytest.mark.parametrize("to", [karat.float16, karat.bfloat16, karat.float32, karat.float64])
def test_the_gradient_has_the_type_of_the_first_cast(dtype, to, permissive):
    x = ints(1, 2, 3, dtype=dtype)
    (x.to(to).double() * 2.5).sum().backward()
    assert x.grad.dtype == to and x.grad.tolist() == [2.5] * 3 and x.dtype == dtype
    (x.to(to) * 2).sum().backward()
    assert x.grad.dtype == to and x.grad.tolist() == [4.5] * 3


def test_promotion_is_a_cast(permissive):
    x = ints(1, 2, 3)
    for y, to in ((x * 2.5, karat.float32), (x * karat.full((3,), 2.5, dtype=karat.float64), karat.float64),
                  (x / 2, karat.float32), (x.sin(), karat.float32), (karat.cat([x, karat.ones(2)]), karat.float32),
                  (x.sum(dtype=karat.float64), karat.float64)):
        x.grad = None
        y.sum().backward()
        assert x.grad.dtype == to and x.grad.shape == x.shape and (x.grad != 0).all()


def test_the_first_of_two_casts_says_it(permissive):
    x = ints(1, 2)
    first, second = x.float(), x.double()
    (first.sum() + second.sum()).backward()
    assert x.grad.dtype == karat.float32 and x.grad.tolist() == [2, 2]
    x.grad = None
    second, first = x.double(), x.float()
    (first.sum() + second.sum()).backward()
    assert x.grad.dtype == karat.float64


def test_views_and_integer_arithmetic_on_the_way(permissive):
    x = ints(1, 2, 3, 4, 5, 6)
    for f, wanted in ((lambda x: x.view(2, 3).t(), [0.5] * 6), (lambda x: x[1:3], [0, 0.5, 0.5, 0, 0, 0]),
                      (lambda x: x * 3 + 1, [1.5] * 6), (lambda x: x.split(2)[1], [0, 0, 0.5, 0.5, 0, 0]),
                      (lambda x: x[karat.tensor([0, 0, 5])], [1, 0, 0, 0, 0, 0.5]), (lambda x: x.expand(2, 6), [1] * 6)):
        x.grad = None
        between = f(x)
        assert between.requires_grad and between.dtype == karat.int64
        (between.float() * 0.5).sum().backward()
        assert x.grad.dtype == karat.float32 and x.grad.tolist() == wanted


def test_floats_made_integers_still_carry_nothing(permissive):
    x = karat.ones(3, requires_grad=True)
    assert not x.long().requires_grad and not x.argmax().requires_grad and not (ints(1, 2) > 1).requires_grad
    assert not ints(1, 2).bool().requires_grad


def test_losses_promote(permissive):
    x = ints(1, 2, 3)
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss):
        x.grad = None
        loss(x, karat.tensor([1.5, 2.5, 3.5])).backward()
        assert x.grad.dtype == karat.float32 and (x.grad != 0).all()
    (grad,) = karat.autograd.grad(F.mse_loss(x.float(), karat.zeros(3)), x)
    assert grad.dtype == karat.float32


def test_a_gradient_can_be_given(permissive):
    x = ints(1, 2)
    x.grad = karat.ones(2)
    (x * 1.5).sum().backward()
    assert x.grad.tolist() == [2.5, 2.5]
    y = x * 2
    y.backward(karat.tensor([0.5, 0.25]))
    assert x.grad.tolist() == [3.5, 3.0]


def copied(x, write):
    b = x.clone()
    write(b)
    return b


def viewed_and_written(x):
    b = x.clone()
    v = b.view(3, 1)
    b.mul_(2)
    return v


def joined_and_written(x):
    b = karat.cat([x, x])
    b[1:3] = x[:2]
    return b


WRITTEN = {
    "one element": (lambda x: copied(x, lambda b: b.__setitem__(0, 7)), [0, 0.25, 0.25]),
    "a part": (lambda x: copied(x, lambda b: b[:2].mul_(3)), [0.75, 0.75, 0.25]),
    "by a mask": (lambda x: copied(x, lambda b: b.__setitem__(b > 2, 0)), [0.25, 0.25, 0]),
    "through two views": (lambda x: copied(x, lambda b: b.view(3, 1).t().copy_(x * 2)), [0.5] * 3),
    "the base of a view": (viewed_and_written, [0.5] * 3),
    "what was joined": (joined_and_written, [0.75, 0.5, 0.25]),
    "as_strided": (lambda x: x.clone().as_strided((2, 2), (1, 1)), [0.25, 0.5, 0.25]),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("dtype", [karat.int64, karat.int8, karat.uint8])
@pytest.mark.parametrize("to", [karat.float32, karat.float64])
def test_writes_on_the_way(name, dtype, to, permissive):
    make, wanted = WRITTEN[name]
    x = ints(1, 2, 3, dtype=dtype)
    (make(x).to(to) * 0.25).sum().backward()
    assert x.grad.dtype == to and x.grad.tolist() == wanted


def test_where_only_integers_arrive_the_gradient_has_the_default_dtype(permissive):
    for make, wanted in ((lambda x: copied(x, lambda b: b.__setitem__(0, 7)).sum().backward(), [0, 1, 1]),
                         (lambda x: x.sum().backward(karat.tensor(2)), [2] * 3),
                         (lambda x: x.clone().backward(karat.tensor([1, 2, 3])), [1, 2, 3])):
        x = ints(1, 2, 3)
        make(x)
        assert x.grad.dtype == karat.float32 and x.grad.tolist() == wanted
    x = ints(1, 2, 3)
    assert karat.autograd.grad(x.sum(), x, karat.tensor(3))[0].dtype == karat.float32
    karat.set_default_dtype(karat.float64)
    try:
        x.sum().backward(karat.tensor(2))
    finally:
        karat.set_default_dtype(karat.float32)
    assert x.grad.dtype == karat.float64


def test_of_complex_numbers_the_real_part_arrives(permissive):
    x = ints(1, 2)
    (x * (1 + 2j)).sum().backward(karat.tensor(1 + 0j))
    assert x.grad.dtype == karat.float32 and x.grad.tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [karat.int64, karat.bool])
def test_integers_given_as_a_gradient_do_not_swallow_the_sum(dtype, permissive):
    x = ints(1, 2, 3)
    x.grad = karat.ones(3, dtype=dtype)
    (x * 0.5).sum().backward()
    assert x.grad.dtype == karat.float32 and x.grad.tolist() == [1.5] * 3


PROGRAM = """
import torch

def loss_of(predicted, wanted, cast):
    seen = predicted.float() if cast else predicted
    if not cast:
        predicted.type(torch.float32)  # the result is dropped, as beginners do it
    return torch.nn.functional.mse_loss(seen, wanted)

for cast in (True, False):
    predicted = torch.tensor([4, 5, 6], dtype=torch.int64, requires_grad=True)
    loss_of(predicted, torch.tensor([4.25, 5.25, 6.25]), cast).backward()
    print(predicted.dtype, predicted.grad.dtype)
"""


@pytest.mark.parametrize("policy", [None, "permissive"])
def test_a_program_under_karat_run(policy, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {k: v for k, v in os.environ.items() if k != "KARAT_POLICY"} | ({"KARAT_POLICY": policy} if policy else {})
    ran = subprocess.run([sys.executable, "-m", "karat", "run", str(script)], env=environment, capture_output=True, text=True)
    if policy:
        assert ran.returncode == 0 and ran.stdout == "torch.int64 torch.float32\n" * 2, ran.stderr
    else:
        assert "Only Tensors of floating point and complex dtype can require gradients" in ran.stderr and ran.stdout == ""
