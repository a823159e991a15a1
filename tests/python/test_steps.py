"""The fused steps of optimizers and the scale of a loss, beside formulas in Python's float64."""

import itertools
import math

import pytest

import karat as torch

ADAM = dict(lr=0.01, beta1=0.9, beta2=0.99, weight_decay=0.02, eps=1e-6, amsgrad=False, maximize=False)
SGD = dict(weight_decay=0.02, momentum=0.9, lr=0.03, dampening=0.1, nesterov=False, maximize=False, is_first_step=False)
ADAGRAD = dict(lr=0.03, lr_decay=0.1, weight_decay=0.02, eps=1e-8, maximize=False)
N = 21  # a vector and a rest


def numbers(seed, positive=False):
    x = [math.sin(1.7 * i + seed) for i in range(N)]
    return [abs(v) + 0.01 for v in x] if positive else x


def tensors(dtype, *lists):
    return [[torch.tensor(x, dtype=dtype)] for x in lists]


def close(made, want, dtype):
    bound = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float16: 2e-3}[dtype]
    assert made.dtype is dtype
    assert made.double().tolist() == pytest.approx(want, rel=bound, abs=bound)


def adam(p, g, m, v, x, step, decoupled, scale, o):
    for i in range(len(p)):
        g[i] /= scale
        d = -g[i] if o["maximize"] else g[i]
        if decoupled:
            p[i] -= o["lr"] * o["weight_decay"] * p[i]
        else:
            d += o["weight_decay"] * p[i]
        m[i] = o["beta1"] * m[i] + (1 - o["beta1"]) * d
        v[i] = o["beta2"] * v[i] + (1 - o["beta2"]) * d * d
        x[i] = max(x[i], v[i])
        root = math.sqrt((x if o["amsgrad"] else v)[i] / (1 - o["beta2"] ** step))
        p[i] -= o["lr"] * m[i] / (1 - o["beta1"] ** step) / (root + o["eps"])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["_fused_adam_", "_fused_adamw_"])
def test_adam(dtype, name):
    for amsgrad, maximize, scale, decay, beta1 in itertools.product([False, True], [False, True], [None, 3.0], [0.0, 0.02],
                                                                    [0.9, 0.2]):
        o = ADAM | dict(amsgrad=amsgrad, maximize=maximize, weight_decay=decay, beta1=beta1)
        given = tensors(dtype, numbers(1), numbers(2), numbers(3), numbers(4, True), numbers(5, True))
        want = [t[0].double().tolist() for t in given]
        p, g, m, v, x = given
        steps = [torch.tensor(7.0)]
        assert getattr(torch, name)(p, g, m, v, x if amsgrad else [], steps, **o,
                                    grad_scale=None if scale is None else torch.tensor(scale)) is None
        adam(*want, 7, name == "_fused_adamw_", scale or 1.0, o)
        for made, values in zip((p, m, v) + ((x,) if amsgrad else ()) + ((g,) if scale else ()),
                                [want[0], want[2], want[3]] + ([want[4]] if amsgrad else []) + ([want[1]] if scale else [])):
            close(made[0], values, dtype)
        assert steps[0].item() == 7.0


def test_products_are_fused_with_sums():
    """p * decay is 1 + 2^-11 + 2^-24; rounded before the sum it would lose the last part."""
    p, g, m, v = tensors(torch.float32, [1 + 2.0 ** -12], [-1.0], [0.0], [0.0])
    torch._fused_adam_(p, g, m, v, [], [torch.tensor(1.0)], **ADAM | dict(beta1=0.0, weight_decay=1 + 2.0 ** -12))
    assert m[0].item() == 2.0 ** -11 + 2.0 ** -24


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_sgd(dtype):
    for momentum, nesterov, first, maximize, scale in itertools.product([0.0, 0.9], [False, True], [False, True],
                                                                        [False, True], [None, 4.0]):
        o = SGD | dict(momentum=momentum, nesterov=nesterov, is_first_step=first, maximize=maximize)
        p, g, b = tensors(dtype, numbers(1), numbers(2), numbers(3))
        want = [t[0].double().tolist() for t in (p, g, b)]
        torch._fused_sgd_(p, g, b if momentum else [], **o, grad_scale=None if scale is None else torch.tensor(scale))
        for i in range(N):
            want[1][i] /= scale or 1
            d = (-1 if maximize else 1) * want[1][i] + o["weight_decay"] * want[0][i]
            if momentum:
                want[2][i] = d if first else momentum * want[2][i] + (1 - o["dampening"]) * d
                d = d + momentum * want[2][i] if nesterov else want[2][i]
            want[0][i] -= o["lr"] * d
        close(p[0], want[0], dtype)
        close(b[0], want[2], dtype)
        close(g[0], want[1], dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_adagrad(dtype):
    for maximize, decay in itertools.product([False, True], [0.0, 0.02]):
        o = ADAGRAD | dict(maximize=maximize, weight_decay=decay)
        p, g, s = tensors(dtype, numbers(1), numbers(2), numbers(3, True))
        want = [t[0].double().tolist() for t in (p, g, s)]
        torch._fused_adagrad_(p, g, s, [torch.tensor(4.0)], **o)
        for i in range(N):
            d = (-1 if maximize else 1) * want[1][i] + decay * want[0][i]
            want[2][i] += d * d
            want[0][i] -= o["lr"] / (1 + 3 * o["lr_decay"]) * d / (math.sqrt(want[2][i]) + o["eps"])
        close(p[0], want[0], dtype)
        close(s[0], want[2], dtype)


def test_a_learning_rate_may_be_a_tensor():
    for lr in (torch.tensor(0.5), torch.tensor([0.5], dtype=torch.float64), torch.tensor(1)):
        p, g = [torch.ones(3)], [torch.ones(3)]
        torch._fused_sgd_(p, g, [], **SGD | dict(momentum=0.0, weight_decay=0.0, lr=lr))
        assert p[0].tolist() == [1 - float(lr)] * 3
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        torch._fused_sgd_(p, g, [], **SGD | dict(momentum=0.0, lr=torch.ones(2)))


def test_an_infinity_leaves_the_step_out():
    for found, moves in ((1.0, False), (0.0, True), (0.5, True), (math.nan, True)):
        p, g = [torch.ones(3)], [torch.ones(3)]
        torch._fused_sgd_(p, g, [], **SGD | dict(momentum=0.0), grad_scale=torch.tensor(2.0), found_inf=torch.tensor(found))
        assert (p[0].tolist() != [1.0] * 3) is moves
        assert g[0].tolist() == [0.5 if moves else 1.0] * 3


def test_many_tensors_are_as_each_alone():
    torch.manual_seed(3)
    sizes = [(100, 100), (3,), (0,), (), (7, 300), (400, 400)]
    made = [[torch.randn(s) for s in sizes] for _ in range(3)] + [[torch.rand(s) for s in sizes]]
    alone = [[t.clone() for t in one] for one in made]
    steps = [torch.tensor(float(i + 1)) for i in range(len(sizes))]
    torch._fused_adamw_(*made, [], steps, **ADAM)
    for i in range(len(sizes)):
        torch._fused_adamw_(*[[one[i]] for one in alone], [], [steps[i]], **ADAM)
    for one, other in zip(made, alone):
        assert all(torch.equal(a, b) for a, b in zip(one, other))


def test_layouts_are_logical():
    base = [torch.rand(4, 3) for _ in range(4)]
    want = [t.clone() for t in base]
    views = [torch.rand(3, 4).t().copy_(t) if i % 2 else torch.rand(4, 6)[:, ::2].copy_(t) for i, t in enumerate(base)]
    for lists in (want, views):
        torch._fused_adam_(*[[t] for t in lists], [], [torch.tensor(2.0)], **ADAM)
    assert all(torch.equal(a, b) for a, b in zip(want, views))


def test_gradients_and_versions_are_not_asked():
    p = torch.ones(3, requires_grad=True)
    torch._fused_sgd_([p], [torch.ones(3)], [], **SGD | dict(momentum=0.0))
    assert p._version == 0 and p.requires_grad and p.tolist() != [1.0] * 3


ONE = torch.ones(3)


@pytest.mark.parametrize("call, error, text", [
    (lambda: torch._fused_adam_([ONE] * 2, [ONE], [ONE] * 2, [ONE] * 2, [], [ONE[0]] * 2, **ADAM), RuntimeError,
     "Expected grads.size() == n_tensors to be true, but got false."),
    (lambda: torch._fused_adam_([ONE], [ONE], [ONE], [ONE], [ONE], [ONE[0]], **ADAM), RuntimeError,
     "Expected max_exp_avg_sqs.empty() to be true, but got false."),
    (lambda: torch._fused_adam_([ONE], [ONE], [ONE], [ONE], [], [ONE[0]], **ADAM | dict(amsgrad=True)), RuntimeError,
     "Expected max_exp_avg_sqs.size() == n_tensors to be true"),
    (lambda: torch._fused_sgd_([ONE], [ONE], [ONE], **SGD | dict(momentum=0.0)), RuntimeError,
     "Expected momentum_buffer_list.empty() to be true"),
    (lambda: torch._fused_sgd_([ONE], [ONE], [], **SGD), RuntimeError,
     "Expected momentum_buffer_list.size() == n_tensors to be true"),
    (lambda: torch._fused_adagrad_([], [], [], [], **ADAGRAD), NotImplementedError, "There were no tensor arguments"),
    (lambda: torch._fused_adam_([ONE.int()], [ONE], [ONE], [ONE], [], [ONE[0]], **ADAM), NotImplementedError,
     "\"fused_adam_kernel\" not implemented for 'Int'"),
    (lambda: torch._fused_sgd_([ONE.cfloat()], [ONE], [], **SGD | dict(momentum=0.0)), NotImplementedError,
     "\"fused_sgd_kernel\" not implemented for 'ComplexFloat'"),
    (lambda: torch._fused_adagrad_([ONE.bool()], [ONE], [ONE], [ONE[0]], **ADAGRAD), NotImplementedError,
     "\"fused_adagrad_kernel\" not implemented for 'Bool'"),
    (lambda: torch._fused_adam_([ONE], [ONE.bfloat16()], [ONE.double()], [ONE], [], [ONE[0]], **ADAM), RuntimeError,
     "expected scalar type Float but found Double"),
    (lambda: torch._fused_sgd_([ONE], [ONE.double()], [ONE.half()], **SGD), RuntimeError,
     "expected scalar type Float but found Double"),
    (lambda: torch._fused_sgd_([ONE], [ONE], [ONE], **SGD, found_inf=ONE.double()), RuntimeError,
     "expected scalar type Float but found Double"),
    (lambda: torch._fused_sgd_([ONE], [torch.ones(4)], [ONE], **SGD), RuntimeError,
     "grads must have the sizes of their parameters, but got [4] for a parameter of size [3]"),
    (lambda: torch._fused_sgd_([torch.ones(1).expand(3)], [ONE], [ONE], **SGD), RuntimeError,
     "more than one element of the written-to tensor refers to a single memory location"),
])
def test_refusals(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert text in str(raised.value)


def test_a_refused_list_is_unchanged():
    p = [torch.ones(3), torch.ones(3, dtype=torch.int32)]
    with pytest.raises(NotImplementedError):
        torch._fused_sgd_(p, [ONE, ONE], [], **SGD | dict(momentum=0.0))
    assert p[0].tolist() == [1.0] * 3


def test_states_of_other_dtypes_under_permissive():
    p, g, m, v = [torch.ones(3).bfloat16()], [torch.full((3,), 0.5)], [torch.zeros(3)], [torch.zeros(3, dtype=torch.float64)]
    with torch.policy("permissive"):
        torch._fused_adam_(p, g, m, v, [], [torch.tensor(1.0)], **ADAM | dict(weight_decay=0.0))
    assert p[0].dtype is torch.bfloat16 and p[0].tolist() == [torch.tensor(0.99).bfloat16().item()] * 3
    assert m[0].tolist() == pytest.approx([0.05] * 3) and v[0].tolist() == pytest.approx([0.0025] * 3)


# ---- the scale of a loss ----

def test_unscale():
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        g = [torch.tensor([1.0, 3.0], dtype=dtype), torch.ones(2, 3, dtype=dtype).t(), torch.ones(0, dtype=dtype)]
        found = torch.zeros(1)
        assert torch._amp_foreach_non_finite_check_and_unscale_(g, found, torch.tensor(0.5)) is None
        assert g[0].tolist() == [0.5, 1.5] and g[1].tolist() == [[0.5] * 2] * 3 and found.item() == 0
        for endless in (math.inf, -math.inf, math.nan):
            found = torch.tensor(0.0)
            torch._amp_foreach_non_finite_check_and_unscale_(g + [torch.tensor([1.0, endless], dtype=dtype)], found,
                                                             torch.tensor(1.0))
            assert found.item() == 1
    found = torch.tensor(0.5)  # what was there stays where nothing is found, though the product is infinite
    torch._amp_foreach_non_finite_check_and_unscale_([torch.tensor([3e38])], found, torch.tensor(10.0))
    assert found.item() == 0.5
    torch._amp_foreach_non_finite_check_and_unscale_([], found, torch.tensor(10.0))


@pytest.mark.parametrize("g, found, factor, error, text", [
    (ONE, ONE, ONE[0], RuntimeError, "found_inf must be a 1-element tensor."),
    (ONE, ONE[0], ONE, RuntimeError, "inv_scale must be a 1-element tensor."),
    (ONE, ONE[0].double(), ONE[0], RuntimeError, "found_inf must be a float tensor."),
    (ONE, ONE[0], ONE[0].half(), RuntimeError, "inv_scale must be a float tensor."),
    (ONE.int(), ONE[0], ONE[0], NotImplementedError,
     "\"_amp_foreach_non_finite_check_and_unscale_cpu\" not implemented for 'Int'"),
    (torch.ones(1).expand(3), ONE[0], ONE[0], RuntimeError, "more than one element of the written-to tensor"),
])
def test_unscale_refuses(g, found, factor, error, text):
    with pytest.raises(error) as raised:
        torch._amp_foreach_non_finite_check_and_unscale_([g], found, factor)
    assert text in str(raised.value)


def test_update_scale():
    def update(scale, steps, found, interval=3):
        scale, steps = torch.tensor(scale), torch.tensor(steps, dtype=torch.int32)
        assert torch._amp_update_scale_(scale, steps, torch.tensor(found), 2.0, 0.5, interval) is scale
        assert scale._version == 1
        return scale.item(), steps.item()

    assert update(4.0, 0, 0.0) == (4.0, 1)
    assert update(4.0, 2, 0.0) == (8.0, 0)
    assert update(4.0, 2, 1.0) == (2.0, 0)
    assert update(4.0, 5, 0.0) == (4.0, 6)
    assert update(torch.finfo(torch.float32).max, 2, 0.0) == (torch.finfo(torch.float32).max, 0)
    with pytest.raises(RuntimeError, match="growth_tracker must be an int tensor."):
        torch._amp_update_scale_(torch.tensor(1.0), torch.tensor(0), torch.tensor(0.0), 2.0, 0.5, 3)
    with pytest.raises(RuntimeError, match="current_scale must be a float tensor."):
        torch._amp_update_scale_(torch.tensor(1), torch.tensor(0, dtype=torch.int32), torch.tensor(0.0), 2.0, 0.5, 3)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation."):
        torch._amp_update_scale_(torch.tensor(1.0, requires_grad=True), torch.tensor(0, dtype=torch.int32), torch.tensor(0.0),
                                 2.0, 0.5, 3)
