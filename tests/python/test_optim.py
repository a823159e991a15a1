"""torch.optim: each optimizer against its formula in Python's floats, groups, states, hooks, state dicts."""

import copy
import math
import pickle
import warnings

import pytest

import karat as torch
from karat import optim
from karat.autograd import forward_ad

cpu_only = pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")


def leaf(*sizes, dtype=None, value=1.0):
    return torch.full(sizes or (2,), value, dtype=dtype, requires_grad=True)


# ---- one number, by the formula of the documentation ----


def sgd(p, g, s, lr, momentum=0, dampening=0, nesterov=False, weight_decay=0):
    g += weight_decay * p
    if momentum:
        s["b"] = g if "b" not in s else momentum * s["b"] + (1 - dampening) * g
        g = g + momentum * s["b"] if nesterov else s["b"]
    return p - lr * g


def adam(p, g, s, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, decoupled=False):
    t = s["t"] = s.get("t", 0) + 1
    if decoupled:
        p -= lr * weight_decay * p
    else:
        g += weight_decay * p
    s["m"] = betas[0] * s.get("m", 0) + (1 - betas[0]) * g
    s["v"] = betas[1] * s.get("v", 0) + (1 - betas[1]) * g * g
    s["x"] = max(s.get("x", 0), s["v"]) if amsgrad else s["v"]
    return p - lr / (1 - betas[0] ** t) * s["m"] / (math.sqrt(s["x"] / (1 - betas[1] ** t)) + eps)


def adamw(p, g, s, lr, weight_decay=0.01, **rest):
    return adam(p, g, s, lr, weight_decay=weight_decay, decoupled=True, **rest)


def adagrad(p, g, s, lr, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10):
    t = s["t"] = s.get("t", 0) + 1
    g += weight_decay * p
    s["s"] = s.get("s", initial_accumulator_value) + g * g
    return p - lr / (1 + (t - 1) * lr_decay) * g / (math.sqrt(s["s"]) + eps)


def adadelta(p, g, s, lr, rho=0.9, eps=1e-6, weight_decay=0):
    g += weight_decay * p
    s["v"] = rho * s.get("v", 0) + (1 - rho) * g * g
    d = math.sqrt(s.get("u", 0) + eps) / math.sqrt(s["v"] + eps) * g
    s["u"] = rho * s.get("u", 0) + (1 - rho) * d * d
    return p - lr * d


def adamax(p, g, s, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
    t = s["t"] = s.get("t", 0) + 1
    g += weight_decay * p
    s["m"] = betas[0] * s.get("m", 0) + (1 - betas[0]) * g
    s["u"] = max(betas[1] * s.get("u", 0), abs(g) + eps)
    return p - lr * s["m"] / ((1 - betas[0] ** t) * s["u"])


def nadam(p, g, s, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3):
    t = s["t"] = s.get("t", 0) + 1
    g += weight_decay * p
    mu, after = (betas[0] * (1 - 0.5 * 0.96 ** (k * momentum_decay)) for k in (t, t + 1))
    s["q"] = s.get("q", 1) * mu
    s["m"] = betas[0] * s.get("m", 0) + (1 - betas[0]) * g
    s["v"] = betas[1] * s.get("v", 0) + (1 - betas[1]) * g * g
    mean = after * s["m"] / (1 - s["q"] * after) + (1 - mu) * g / (1 - s["q"])
    return p - lr * mean / (math.sqrt(s["v"] / (1 - betas[1] ** t)) + eps)


def radam(p, g, s, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
    t = s["t"] = s.get("t", 0) + 1
    g += weight_decay * p
    s["m"] = betas[0] * s.get("m", 0) + (1 - betas[0]) * g
    s["v"] = betas[1] * s.get("v", 0) + (1 - betas[1]) * g * g
    mean, longest = s["m"] / (1 - betas[0] ** t), 2 / (1 - betas[1]) - 1
    length = longest - 2 * t * betas[1] ** t / (1 - betas[1] ** t)
    if length <= 5:
        return p - lr * mean
    r = math.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
    return p - lr * mean * r * math.sqrt(1 - betas[1] ** t) / (math.sqrt(s["v"]) + eps)


def rmsprop(p, g, s, lr, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False):
    g += weight_decay * p
    s["v"] = alpha * s.get("v", 0) + (1 - alpha) * g * g
    variance = s["v"]
    if centered:
        s["a"] = alpha * s.get("a", 0) + (1 - alpha) * g
        variance -= s["a"] ** 2
    step = g / (math.sqrt(variance) + eps)
    if momentum:
        step = s["b"] = momentum * s.get("b", 0) + step
    return p - lr * step


def asgd(p, g, s, lr, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0):
    t = s["t"] = s.get("t", 0) + 1
    g += weight_decay * p
    eta = s.get("eta", lr)
    p = p * (1 - lambd * eta) - eta * g
    mu = s.get("mu", 1)
    s["ax"] = p if mu == 1 else s["ax"] + (p - s["ax"]) * mu
    s["eta"], s["mu"] = lr / (1 + lambd * lr * t) ** alpha, 1 / max(1, t - t0)
    return p


def rprop(p, g, s, lr, etas=(0.5, 1.2), step_sizes=(1e-6, 50)):
    turn = g * s.get("g", 0)
    size = s.get("size", lr) * (etas[1] if turn > 0 else etas[0] if turn < 0 else 1)
    s["size"] = min(max(size, step_sizes[0]), step_sizes[1])
    s["g"] = 0 if turn < 0 else g
    return p - math.copysign(s["size"], s["g"]) if s["g"] else p


def adafactor(p, g, s, lr, d=1.0, eps=(1e-6, 1e-3), weight_decay=0, beta2_decay=-0.8):
    t = s["t"] = s.get("t", 0) + 1
    alpha = max(eps[1], abs(p)) * min(lr, 1 / math.sqrt(t))
    p *= 1 - lr * weight_decay
    weight = t ** beta2_decay
    s["v"] = s.get("v", 0) + weight * (g * g - s.get("v", 0))
    u = g / math.sqrt(max(s["v"], eps[0] ** 2))
    return p - alpha * u / max(1, abs(u) / d)


CASES = [
    (optim.SGD, sgd, {}), (optim.SGD, sgd, dict(momentum=0.9)), (optim.SGD, sgd, dict(momentum=0.9, nesterov=True)),
    (optim.SGD, sgd, dict(momentum=0.9, dampening=0.3, weight_decay=0.1)),
    (optim.Adam, adam, {}), (optim.Adam, adam, dict(amsgrad=True, weight_decay=0.1)), (optim.Adam, adam, dict(betas=(0.3, 0.4))),
    (optim.AdamW, adamw, {}), (optim.AdamW, adamw, dict(amsgrad=True)),
    (optim.Adagrad, adagrad, {}), (optim.Adagrad, adagrad, dict(lr_decay=0.1, initial_accumulator_value=0.5, weight_decay=0.1)),
    (optim.Adadelta, adadelta, {}), (optim.Adadelta, adadelta, dict(rho=0.8, weight_decay=0.1)),
    (optim.Adamax, adamax, {}), (optim.Adamax, adamax, dict(weight_decay=0.1)),
    (optim.NAdam, nadam, dict(momentum_decay=0.1)), (optim.RAdam, radam, {}), (optim.RAdam, radam, dict(betas=(0.9, 0.9))),
    (optim.RMSprop, rmsprop, {}), (optim.RMSprop, rmsprop, dict(centered=True, momentum=0.9, weight_decay=0.1)),
    (optim.ASGD, asgd, {}), (optim.ASGD, asgd, dict(t0=3, lambd=0.01, weight_decay=0.1)),
    (optim.Rprop, rprop, {}), (optim.Rprop, rprop, dict(etas=(0.3, 1.5), step_sizes=(1e-3, 0.2))),
    (optim.Adafactor, adafactor, dict(eps=(1e-6, 1e-3), d=1.5, weight_decay=0.1)),
]


def gradient(i):
    return math.sin(3 * i) + 0.1


@pytest.mark.parametrize("kind, formula, options", CASES, ids=lambda x: getattr(x, "__name__", str(x)))
@pytest.mark.parametrize("maximize", [False, True])
@cpu_only
def test_formula(kind, formula, options, maximize):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # so that ASGD and NAdam keep their numbers in float64
    try:
        p, expected, state = leaf(1, value=1.5), 1.5, {}
        optimizer = kind([p], lr=0.05, maximize=maximize, **options)
        for i in range(30):
            p.grad = torch.tensor([gradient(i)])
            optimizer.step()
            expected = formula(expected, -gradient(i) if maximize else gradient(i), state, 0.05, **options)
            assert math.isclose(p.item(), expected, rel_tol=1e-9, abs_tol=1e-12), (i, p.item(), expected)
    finally:
        torch.set_default_dtype(before)


# ---- one pass is the operators one after the other ----

ALL = [kind for kind in dict.fromkeys(case[0] for case in CASES) if kind is not optim.Adafactor]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.complex64])
@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.__name__)
def test_the_pass_has_the_bits_of_the_operators(kind, dtype):
    """A recorded step calls the operators; parameters that are not leaves let it be recorded. Adam's recorded step calculates
    with tensors of steps, as in PyTorch: its operators are called where gradients have a tangent."""
    torch.manual_seed(1)
    # Drawn on the CPU: of other numbers the square of a gradient of float16 may be 0, and 0 / 0 equals nothing.
    start, *grads = (torch.randn(7, 5, dtype=dtype, device="cpu").to(torch.get_default_device()) for _ in range(5))
    weight_decay = {} if kind is optim.Rprop else {"weight_decay": 0.1}
    plain = start.clone().requires_grad_()
    one = kind([plain], lr=0.02, **weight_decay)
    by_tangent = issubclass(kind, optim.Adam)
    recorded = start.clone().requires_grad_()
    recorded = recorded if by_tangent else recorded.clone()
    other = kind([recorded], lr=0.02, differentiable=not by_tangent, **weight_decay)
    with forward_ad.dual_level():
        for grad in grads:
            plain.grad = grad
            recorded.grad = forward_ad.make_dual(grad, torch.ones_like(grad)) if by_tangent else grad
            one.step()
            other.step()
        assert (recorded.grad_fn is not None) != by_tangent
        assert (forward_ad.unpack_dual(recorded).tangent is not None) == by_tangent
        assert torch.equal(plain.detach(), recorded.detach())


RECORDED = [(kind, {}) for kind in ALL] + [(optim.Adam, {"amsgrad": True}), (optim.RMSprop, {"centered": True}),
                                           (optim.SGD, {"weight_decay": 0.1, "maximize": True})]


@pytest.mark.parametrize("kind, options", RECORDED, ids=lambda x: getattr(x, "__name__", None))
def test_recorded_steps_have_gradients(kind, options):
    """No later step writes to what an earlier one has saved."""
    def trained(start):
        p = start.clone()
        optimizer = kind([p], lr=0.02, differentiable=True, **options)
        for grad in (start**3, start.sin(), -start * start):
            p.grad = grad.clone()
            optimizer.step()
        return p

    assert torch.autograd.gradcheck(trained, torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64, requires_grad=True))


def test_a_recorded_momentum_begins_without_history():
    """As in PyTorch: the first gradient is followed into no step."""
    for nesterov in (False, True):
        start = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
        p = start.clone()
        optimizer = optim.SGD([p], lr=0.1, momentum=0.5, nesterov=nesterov, differentiable=True)
        for grad in (start**2, start**3):
            p.grad = grad
            optimizer.step()
        p.backward()
        first, second = (4.0, 12.0) if nesterov else (0.0, 12.0)  # d(p)/d(start) of the two gradients
        steps = 1 - 0.1 * first - 0.1 * second * (1.5 if nesterov else 1)
        assert math.isclose(start.grad.item(), steps, rel_tol=1e-12), nesterov


def test_strided_and_empty_parameters():
    for shape, view in (((6, 4), lambda x: x.t()), ((0, 3), lambda x: x), ((4, 6), lambda x: x[::2, 1:5])):
        torch.manual_seed(0)
        base, grad = torch.randn(shape), torch.randn(view(torch.empty(shape)).shape)
        dense = view(base).clone().contiguous().requires_grad_()
        strided = view(base).detach().requires_grad_()
        for p in (dense, strided):
            optimizer = optim.Adam([p], lr=0.1)
            for _ in range(3):
                p.grad = grad.clone()
                optimizer.step()
        assert torch.equal(dense.detach(), strided.detach())


@pytest.mark.parametrize("kind, writes", [(optim.SGD, 1), (optim.AdamW, 2), (optim.Adam, 1), (optim.ASGD, 2), (optim.NAdam, 2)])
def test_a_step_moves_versions(kind, writes):
    p = leaf()
    p.grad = torch.ones(2)
    kind([p]).step()
    assert p._version == writes


def test_a_step_between_forward_and_backward_is_noticed():
    w, x = leaf(3, 3), leaf(3)
    y = (w @ x).sum()
    w.grad = torch.ones(3, 3)
    optim.SGD([w], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_parameters_without_a_gradient_stay():
    a, b = leaf(), leaf()
    a.grad = torch.ones(2)
    optimizer = optim.Adam([a, b])
    optimizer.step()
    assert not torch.equal(a, torch.ones(2)) and torch.equal(b, torch.ones(2)) and list(optimizer.state) == [a]


@cpu_only
def test_fused_is_near_the_default():
    kinds = (optim.Adam, {}), (optim.AdamW, {"amsgrad": True}), (optim.SGD, {"momentum": 0.9}), (optim.Adagrad, {})
    for kind, options in kinds:
        results = []
        for fused in (False, True):
            torch.manual_seed(0)
            p = torch.randn(50, requires_grad=True)
            optimizer = kind([p], lr=0.01, fused=fused, **options)
            for _ in range(10):
                p.grad = torch.randn(50)
                optimizer.step()
            results.append(p.detach())
        assert torch.allclose(*results, rtol=1e-5, atol=1e-6)


@cpu_only
def test_muon_gives_matrices_with_singular_values_near_one():
    torch.manual_seed(0)
    for shape in ((8, 5), (5, 8)):
        p = torch.zeros(shape, requires_grad=True)
        p.grad = torch.randn(shape)
        optim.Muon([p], lr=1.0, weight_decay=0.0, momentum=0.0).step()
        values = torch.linalg.svdvals(p.detach().float() / math.sqrt(max(1, shape[0] / shape[1])))
        assert values.min() > 0.5 and values.max() < 1.3


def test_muon_refuses_steps_without_end():
    p = torch.zeros(2, 2, requires_grad=True)
    p.grad = torch.ones(2, 2)
    with pytest.raises(ValueError, match="Number of steps must be less than 100 for computational efficiency"):
        optim.Muon([p], ns_steps=100).step()
    assert p.detach().tolist() == [[0, 0], [0, 0]]


# ---- L-BFGS ----


@pytest.mark.parametrize("line_search_fn", [None, "strong_wolfe"])
@cpu_only
def test_lbfgs_finds_a_minimum(line_search_fn):
    x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    lr, most = (1.0, 100) if line_search_fn else (0.002, 400)
    optimizer = optim.LBFGS([x], lr=lr, max_iter=most, line_search_fn=line_search_fn)

    def closure():
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss

    first = optimizer.step(closure)
    assert first.item() == pytest.approx(24.2)
    if line_search_fn:
        assert torch.allclose(x.detach(), torch.ones(2, dtype=torch.float64), atol=1e-3)
    else:
        assert closure().item() < 12
    assert optimizer.state[x]["n_iter"] > 1 and len(optimizer.state[x]["old_dirs"]) <= 100


def test_lbfgs_refuses():
    p = leaf()
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        optim.LBFGS([{"params": [p]}, {"params": [leaf()]}])
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'closure'"):
        optim.LBFGS([p]).step()

    def closure():
        loss = (p * p).sum()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optim.LBFGS([p], line_search_fn="armijo").step(closure)


# ---- groups ----


@pytest.mark.parametrize("make, error, text", [
    (lambda: optim.SGD(leaf()), TypeError, "params argument given to the optimizer should be an iterable of Tensors"),
    (lambda: optim.SGD([]), ValueError, "optimizer got an empty parameter list"),
    (lambda: optim.SGD([1]), TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
    (lambda: optim.SGD([leaf() * 2]), ValueError, "can't optimize a non-leaf Tensor"),
    (lambda: optim.SGD([{"params": {leaf()}}]), TypeError, "optimizer parameters need to be organized in ordered collections"),
    (lambda: optim.SGD([leaf(), ("a", leaf())]), ValueError, "Some param names are missing"),
    (lambda: optim.SGD([{"params": [("a", leaf())]}, {"params": [leaf()]}]), ValueError, "cannot add param group without names"),
    (lambda: optim.SGD([leaf()], lr=-1), ValueError, "Invalid learning rate: -1"),
    (lambda: optim.SGD([leaf()], momentum=-1), ValueError, "Invalid momentum value: -1"),
    (lambda: optim.SGD([leaf()], nesterov=True), ValueError, "Nesterov momentum requires a momentum and zero dampening"),
    (lambda: optim.Adam([leaf()], lr=torch.ones(2)), ValueError, "Tensor lr must be 1-element"),
    (lambda: optim.Adam([leaf()], lr=torch.ones(()), foreach=True), ValueError, "lr as a Tensor is not supported"),
    (lambda: optim.Adam([leaf()], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
    (lambda: optim.Adam([leaf()], betas=(0.9, torch.tensor(0.9))), ValueError, "betas must be either both floats"),
    (lambda: optim.Adam([leaf()], eps=-1), ValueError, "Invalid epsilon value: -1"),
    (lambda: optim.Adam([leaf()], fused=True, foreach=True), RuntimeError, "`fused` and `foreach` cannot be `True` together."),
    (lambda: optim.Adam([leaf()], fused=True, differentiable=True), RuntimeError, "`fused` does not support `differentiable`"),
    (lambda: optim.Adagrad([leaf()], lr_decay=-1), ValueError, "Invalid lr_decay value: -1"),
    (lambda: optim.Adadelta([leaf()], rho=2), ValueError, "Invalid rho value: 2"),
    (lambda: optim.Rprop([leaf()], etas=(1.2, 0.5)), ValueError, "Invalid eta values: 1.2, 0.5"),
    (lambda: optim.Adafactor([leaf()], d=0.1), ValueError, "Clipping threshold d should be >= 1 but is: 0.1"),
    (lambda: optim.Muon([leaf()]), ValueError, "Muon only supports 2D parameters whereas we found a parameter with size:"),
    (lambda: optim.Muon([leaf(2, 2)], adjust_lr_fn="x"), ValueError, "Adjust learning rate function x is not supported"),
    (lambda: optim.SparseAdam([leaf()]), NotImplementedError, "SparseAdam"),
    (lambda: optim.Optimizer([leaf()], {}).step(), NotImplementedError, ""),
    (lambda: optim.SGD([leaf()]).add_param_group([leaf()]), TypeError, "param_group must be a dict, but got <class 'list'>"),
])
def test_refusals(make, error, text):
    with pytest.raises(error) as e:
        make()
    assert str(e.value).startswith(text) or text in str(e.value)


def test_a_parameter_is_in_one_group_only():
    p = leaf()
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        optim.SGD([{"params": [p]}, {"params": [p]}])
    with pytest.warns(UserWarning, match="optimizer contains a parameter group with duplicate parameters"):
        optim.SGD([p, p])


def test_groups_have_options_of_their_own():
    a, b = leaf(), leaf()
    optimizer = optim.SGD([{"params": a, "lr": 1.0}, {"params": (x for x in [b])}], lr=0.1)
    for p in (a, b):
        p.grad = torch.ones(2)
    optimizer.step()
    assert a.tolist() == [0.0, 0.0] and b.tolist() == pytest.approx([0.9, 0.9])
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.step()
    assert a.tolist() == [-0.5, -0.5]
    assert str(optimizer) == """SGD (
Parameter Group 0
    dampening: 0
    differentiable: False
    foreach: None
    fused: None
    lr: 0.5
    maximize: False
    momentum: 0
    nesterov: False
    weight_decay: 0

Parameter Group 1
    dampening: 0
    differentiable: False
    foreach: None
    fused: None
    lr: 0.1
    maximize: False
    momentum: 0
    nesterov: False
    weight_decay: 0
)"""


def test_names():
    optimizer = optim.SGD([("w", leaf()), ("b", leaf())])
    assert optimizer.param_groups[0]["param_names"] == ["w", "b"]
    assert optimizer.state_dict()["param_groups"][0]["params"] == [0, 1]
    other = optim.SGD([("x", leaf()), ("y", leaf())])
    other.load_state_dict(optimizer.state_dict())
    assert other.param_groups[0]["param_names"] == ["w", "b"]


def test_zero_grad():
    p = leaf()
    (p * 2).sum().backward()
    optimizer, grad = optim.SGD([p]), p.grad
    optimizer.zero_grad(set_to_none=False)
    assert p.grad is grad and p.grad.tolist() == [0, 0]
    optimizer.zero_grad()
    assert p.grad is None


def test_a_closure_is_called_with_grad_mode():
    p = leaf()
    optimizer = optim.SGD([p], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 2.0 and p.tolist() == pytest.approx([0.8, 0.8])


# ---- subclasses, hooks ----


class Plain(optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["n"] = self.state[p].get("n", 0) + 1
                p.add_(p.grad, alpha=-group["lr"])


def test_a_subclass():
    p = leaf()
    p.grad = torch.ones(2)
    optimizer = Plain([p])
    optimizer.step()
    assert p.tolist() == pytest.approx([0.9, 0.9]) and Plain.step.hooked and optimizer.state_dict()["state"] == {0: {"n": 1}}


def test_hooks_of_a_step():
    from karat.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    p, log = leaf(), []
    p.grad = torch.ones(2)
    optimizer = optim.SGD([p])
    handles = [register_optimizer_step_pre_hook(lambda *_: log.append("all before")),
               register_optimizer_step_post_hook(lambda *_: log.append("all after")),
               optimizer.register_step_pre_hook(lambda *_: log.append("before")),
               optimizer.register_step_post_hook(lambda *_: log.append("after"))]
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert log == ["all before", "before", "after", "all after"]
    optimizer.register_step_pre_hook(lambda *_: 1)
    with pytest.raises(RuntimeError, match="must return None or a tuple of .new_args, new_kwargs., but got 1."):
        optimizer.step()
    other = optim.SGD([p])
    other.register_step_pre_hook(lambda self, args, kwargs: ((self, lambda: 5), {}))
    assert other.step() == 5


def test_hooks_of_state_dicts():
    optimizer, log = optim.SGD([leaf()]), []
    optimizer.register_state_dict_pre_hook(lambda _: log.append("before"))
    optimizer.register_state_dict_post_hook(lambda _, state: {"instead": list(state)})
    assert optimizer.state_dict() == {"instead": ["state", "param_groups"]} and log == ["before"]
    other = optim.SGD([leaf()], lr=0.5)
    saved = other.state_dict()
    other.register_load_state_dict_pre_hook(lambda _, state: {**state, "param_groups": [{**state["param_groups"][0], "lr": 7}]})
    other.register_load_state_dict_post_hook(lambda self: log.append(self.param_groups[0]["lr"]))
    other.load_state_dict(saved)
    assert log == ["before", 7]


# ---- state dicts ----


def stepped(kind=optim.Adam, dtype=torch.float32, **options):
    p = leaf(2, 3, dtype=dtype)
    p.grad = torch.ones_like(p)
    optimizer = kind([p], **options)
    optimizer.step()
    return p, optimizer


def test_state_goes_to_the_dtype_of_the_parameter_and_says_so():
    _, wide = stepped(dtype=torch.float64)
    p, narrow = stepped(dtype=torch.bfloat16)
    narrow.load_state_dict(wide.state_dict())
    state = narrow.state[p]
    assert state["exp_avg"].dtype == state["exp_avg_sq"].dtype == torch.bfloat16 and state["step"].dtype == torch.float32
    last = torch.lineage(state["exp_avg"])[-1]
    assert (last["why"], last["from"], last["to"]) == ("loading", torch.float64, torch.bfloat16)


def test_a_cast_on_loading_has_both_histories():
    _, wide = stepped(dtype=torch.float64)
    model = torch.nn.Linear(3, 2, bias=False).half()
    model.weight.grad = torch.ones_like(model.weight)
    narrow = optim.Adam(model.parameters())
    narrow.load_state_dict(wide.state_dict())
    state = narrow.state[model.weight]["exp_avg"]
    last = torch.lineage(state)[-1]
    assert last["op"] == "Optimizer.load_state_dict() of exp_avg" and last["file"].endswith("test_optim.py")
    assert [(one["why"], one["to"]) for one in last["like"]] == [("born", torch.float32), ("explicit", torch.float16)]
    assert last["like"] == torch.lineage(model.weight)
    text = torch._karat.explain(state)
    assert "cast to float16 on loading, Optimizer.load_state_dict() of exp_avg" in text and "born as float64" in text
    assert "as its parameter: born as float32, nn.Linear weight" in text and "cast to float16, Module.half() of weight" in text
    assert "like" not in torch.lineage(narrow.state[model.weight]["step"])[-1]


def test_a_policy_may_forbid_that():
    _, wide = stepped(dtype=torch.float64)
    _, narrow = stepped(dtype=torch.bfloat16)
    with torch.policy("strict"), pytest.raises(TypeError, match="loading"):
        narrow.load_state_dict(wide.state_dict())


def test_what_is_loaded_goes_on_as_before():
    p, one = stepped(lr=0.1)
    q, other = p.detach().clone().requires_grad_(), None
    other = optim.Adam([q], lr=3.0)
    other.load_state_dict(copy.deepcopy(one.state_dict()))
    for _ in range(3):
        p.grad = q.grad = torch.full((2, 3), 0.3)
        one.step()
        other.step()
    assert torch.equal(p, q) and other.param_groups[0]["lr"] == 0.1


def test_what_does_not_fit_is_refused():
    saved = optim.Adam([leaf(), leaf()]).state_dict()
    with pytest.raises(ValueError, match="loaded state dict has a different number of parameter groups"):
        optim.Adam([{"params": [leaf()]}, {"params": [leaf()]}]).load_state_dict(saved)
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        optim.Adam([leaf()]).load_state_dict(saved)


def test_pickle_and_deepcopy():
    p, optimizer = stepped()
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        q = other.param_groups[0]["params"][0]
        assert q is not p and torch.equal(q.cpu(), p.cpu())
        assert torch.equal(other.state[q]["exp_avg"].cpu(), optimizer.state[p]["exp_avg"].cpu())
        q.grad = torch.ones_like(q)
        other.step()
        assert not torch.equal(q.cpu(), p.cpu())


def test_a_learning_rate_may_be_a_tensor():
    results = []
    for lr in (0.125, torch.tensor(0.125), torch.tensor([0.125], dtype=torch.float64)):
        p = leaf()
        p.grad = torch.ones(2)
        optim.Adam([p], lr=lr).step()
        results.append(p.tolist())
    assert results[0] == results[1] == results[2]


def test_a_step_can_be_differentiated():
    w = torch.tensor([2.0], requires_grad=True)
    p = w.clone()
    p.retain_grad()
    p.grad = torch.autograd.grad((p * p).sum(), p, create_graph=True)[0]
    optim.SGD([p], lr=0.25, differentiable=True).step()
    p.sum().backward()
    assert w.grad.tolist() == [0.5]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        stepped(optim.Adam, differentiable=True)


def after_steps(kind, options, steps=3):
    start = torch.tensor([1.5, -0.7, 0.3], dtype=torch.float64)
    p = start.clone().requires_grad_() * 1
    optimizer = kind([p], differentiable=True, **options)
    for i in range(steps):
        p.grad = start * (i + 1)
        optimizer.step()
    return p.sum()


BY_OPTION = [
    (optim.SGD, "lr", {}), (optim.SGD, "lr", dict(momentum=0.9, nesterov=True, weight_decay=0.1, maximize=True)),
    (optim.SGD, "weight_decay", {}), (optim.SGD, "momentum", {}), (optim.SGD, "lr", dict(momentum=0.9)),
    (optim.Adam, "lr", {}), (optim.Adam, "lr", dict(amsgrad=True)), (optim.AdamW, "lr", dict(maximize=True)),
    (optim.Adam, "weight_decay", {}), (optim.AdamW, "weight_decay", {}), (optim.Adam, "eps", {}),
    (optim.RAdam, "lr", {}), (optim.RAdam, "lr", dict(weight_decay=0.1, decoupled_weight_decay=True)),
]


@cpu_only
@pytest.mark.parametrize("kind, name, options", BY_OPTION)
def test_a_step_is_differentiated_by_an_option(kind, name, options):
    at = {"lr": 0.1, "weight_decay": 0.2, "momentum": 0.8, "eps": 1e-3}[name]
    option, h = torch.tensor(at, dtype=torch.float64, requires_grad=True), 1e-5
    (slope,) = torch.autograd.grad(after_steps(kind, {name: option, **options}), option)
    values = [after_steps(kind, {name: torch.tensor(at + d, dtype=torch.float64), **options}).item() for d in (h, -h)]
    assert slope.item() == pytest.approx((values[0] - values[1]) / (2 * h), rel=1e-5) and slope.item() != 0


@cpu_only
@pytest.mark.parametrize("which", [0, 1])
def test_a_step_of_adam_is_differentiated_by_its_betas(which):
    def value(shift=0.0):
        betas = [torch.tensor(b, dtype=torch.float64, requires_grad=True) for b in (0.9, 0.99)]
        betas[which] = (betas[which] + shift).detach().requires_grad_()
        return after_steps(optim.Adam, dict(betas=tuple(betas), lr=0.1)), betas[which]

    total, beta = value()
    (slope,) = torch.autograd.grad(total, beta)
    h = 1e-5
    assert slope.item() == pytest.approx(((value(h)[0] - value(-h)[0]) / (2 * h)).item(), rel=1e-5) and slope.item() != 0


def test_a_followed_option_is_one_floating_point_number():
    step, p, g = torch._karat.functions["_step_sgd_"], torch.ones(2), torch.ones(2)
    with pytest.raises(TypeError, match="must be a floating point tensor, not Long"):
        step([p], [g], [], [torch.tensor(1)], lr=1.0)
    with pytest.raises(RuntimeError, match="shape '\\[\\]' is invalid for input of size 2"):
        step([p], [g], [], [torch.ones(2)], lr=1.0)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        step([torch.ones(2, dtype=torch.int64)], [g], [], [torch.tensor(0.5)], lr=0.5)
    assert p.tolist() == [1, 1]
    step([p], [g], [], [torch.tensor([0.5])], lr=0.5)
    assert p.tolist() == [0.5, 0.5]


def test_other_options_are_numbers():
    with pytest.raises(TypeError, match="must be Number, not Tensor"):
        after_steps(optim.Adadelta, dict(lr=torch.tensor(0.1, requires_grad=True)))


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.__name__)
def test_a_refused_step_changes_nothing(kind):
    p, q = leaf(2, 2), leaf(3)
    p.grad, q.grad = torch.ones(2, 2), torch.ones(3)
    optimizer = kind([p, q])
    optimizer.step()
    before = p.detach().clone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        q.data = torch.ones(1).expand(3)
    with pytest.raises(RuntimeError):
        optimizer.step()
    assert torch.equal(p, before)


@pytest.mark.parametrize("name, lists", [
    ("SGD", [1, 1, 0]), ("Adam", [1, 1, 1, 1, 0, 1]), ("AdamW", [1, 1, 1, 1, 0, 1]), ("Adamax", [1, 1, 1, 1, 1]),
    ("NAdam", [1, 1, 1, 1, 1, 1]), ("RAdam", [1, 1, 1, 1, 1]), ("RMSprop", [1, 1, 1, 0, 0, 1]), ("Adagrad", [1, 1, 1, 1]),
    ("Adadelta", [1, 1, 1, 1, 1]), ("ASGD", [1, 1, 1, 1, 1, 1]), ("Rprop", [1, 1, 1, 1, 1])])
def test_a_subclass_may_override_init_group(name, lists):
    kind, seen = getattr(optim, name), []

    class Own(kind):
        def _init_group(self, group, *given):
            answer = super()._init_group(group, *given)
            seen.append(([len(one) for one in given], answer))
            return answer

    p, q = (torch.nn.Parameter(torch.tensor([1.0, 2.0])) for _ in range(2))
    p.grad, q.grad = torch.ones(2), torch.ones(2)
    Own([p], lr=0.1).step()
    kind([q], lr=0.1).step()
    assert seen == [(lists, (False, False) if name == "Adagrad" else False)] and p.tolist() == q.tolist()


def test_an_overridden_init_group_decides_what_is_stepped():
    class Masked(optim.SGD):
        def _init_group(self, group, params, grads, momentum_buffer_list):
            super()._init_group(group, params, grads, momentum_buffer_list)
            for one in (params, grads, momentum_buffer_list):
                del one[1:]
            return False

    ps = [torch.nn.Parameter(torch.ones(1)) for _ in range(2)]
    for p in ps:
        p.grad = torch.ones(1)
    Masked(ps, lr=0.5, momentum=0.9).step()
    assert [p.item() for p in ps] == [0.5, 1.0]


def test_private_names_that_libraries_import():
    from karat.optim.optimizer import (
        _default_to_fused_or_foreach,
        _get_capturable_supported_devices,
        _get_value,
        _use_grad_for_differentiable,
    )

    assert _default_to_fused_or_foreach([], False) == (False, False) and "cuda" in _get_capturable_supported_devices()
    assert _get_value(torch.tensor(2.5)) == 2.5 and _get_value("x") == "x" and callable(_use_grad_for_differentiable)
    with pytest.raises(AttributeError, match="no attribute '_nothing'"):
        optim.optimizer._nothing


@pytest.mark.parametrize("groups, error, text", [
    (lambda a, b: [{"params": {a}}], TypeError, "organized in ordered collections"),
    (lambda a, b: [("x", a), b], ValueError, "Some param names are missing"),
    (lambda a, b: [{"params": [("x", a)]}, {"params": [b]}], ValueError, "cannot add param group without names"),
    (lambda a, b: [{"params": [a]}, {"params": [("y", b)]}], ValueError, "cannot add param group with names"),
    (lambda a, b: [{"params": [a]}, {"params": [b, a]}], ValueError, "some parameters appear in more than one parameter group"),
    (lambda a, b: [a, 3], TypeError, "one of the params is int"), (lambda a, b: [a * b], ValueError, "can't optimize a non-leaf"),
])
def test_groups_that_are_refused(groups, error, text):
    a, b = leaf(2), leaf(2)
    with pytest.raises(error, match=text):
        optim.SGD(groups(a, b), lr=0.1)


def test_names_of_parameters_are_kept():
    made = optim.SGD([("x", leaf(2)), ("y", leaf(3))], lr=0.1)
    assert made.param_groups[0]["param_names"] == ["x", "y"] and [p.shape[0] for p in made.param_groups[0]["params"]] == [2, 3]
    plain = optim.SGD([leaf(2), leaf(3)], lr=0.5)
    made.load_state_dict(plain.state_dict())  # which has no names
    assert made.param_groups[0]["param_names"] == ["x", "y"] and made.param_groups[0]["lr"] == 0.5
    with pytest.warns(UserWarning, match="duplicate parameters"):
        made.add_param_group({"params": [("z", p := leaf(1)), ("w", p)]})


def test_adamw_is_adam_with_weights_that_decay_by_themselves():
    from karat.optim.adam import adam
    from karat.optim.adamw import adamw

    made = []
    for step, more in ((adamw, {}), (adam, {"decoupled_weight_decay": True})):
        p, g, m, v, n = torch.ones(2), torch.full((2,), 0.5), torch.zeros(2), torch.zeros(2), torch.tensor(0.0)
        step([p], [g], [m], [v], [], [n], amsgrad=False, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.1, eps=1e-8,
             maximize=False, **more)
        made.append((p.tolist(), m.tolist(), v.tolist(), n.item()))
    assert made[0] == made[1] and made[0][0] == pytest.approx([0.89, 0.89]) and made[0][3] == 1.0


@pytest.mark.cpu_only("memory that processes share is the host's")
def test_states_of_adagrad_are_shared():
    made = optim.Adagrad([leaf(2)], lr=0.1)
    made.share_memory()
    assert made.state[made.param_groups[0]["params"][0]]["sum"].is_shared()


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_fused_steps_refuse_parameters_without_data(kind):
    parameter = torch.nn.Parameter(torch.ones(2, device="meta"))
    optimizer = getattr(torch.optim, kind)([parameter], fused=True)
    parameter.grad = torch.ones(2, device="meta")
    with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be .* but torch.float32 and meta"):
        optimizer.step()
    parameter.grad = None
    optimizer.step()


@pytest.mark.parametrize("kind", """SGD Adam AdamW Adagrad Adadelta Adamax NAdam RAdam RMSprop ASGD Rprop""".split())
def test_a_parameter_that_stands_in_a_group_twice_makes_two_steps(kind):
    once, twice = leaf(3), leaf(3)
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizers = [getattr(optim, kind)([once]), getattr(optim, kind)([twice, twice])]
    for i in range(3):
        once.grad, twice.grad = (torch.tensor([1.0, 2.0, -0.5]) * (i + 1) for _ in range(2))
        optimizers[0].step()
        optimizers[0].step()
        optimizers[1].step()
        assert torch.equal(once, twice)
    states = [made.state[p] for made, p in zip(optimizers, (once, twice))]
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0] if states[0][key] is not None)
