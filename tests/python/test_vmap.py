"""karat.func: vmap, grad, vjp, jacrev and hessian by themselves, in each other and with autograd outside; randomness, chunks,
errors in PyTorch's words, exceptions, leaks and threads. Texts and random numbers are those of PyTorch 2.11."""

import collections
import gc
import re
import threading
import weakref

import karat as torch
import karat.nn.functional as F
import pytest
from karat.autograd import Function
from karat.func import grad, grad_and_value, hessian, jacrev, vjp, vmap

X = torch.arange(12.0).reshape(3, 4) / 5


def close(a, b):
    assert a.shape == b.shape and a.dtype == b.dtype, (a.shape, b.shape, a.dtype, b.dtype)
    assert torch.allclose(a, b, atol=1e-5), (a, b)


def says(text, error=RuntimeError):
    return pytest.raises(error, match=text)


# ---- vmap ----

def test_dims_in_and_out():
    close(vmap(lambda a: a.sum())(X), X.sum(1))
    close(vmap(lambda a: a.sum(), in_dims=1)(X), X.sum(0))
    close(vmap(lambda a: a * 2, in_dims=-1, out_dims=-1)(X), X * 2)
    close(vmap(lambda a: a * 2, out_dims=1)(X), (X * 2).t())
    close(vmap(lambda a, b: a + b, in_dims=(0, None))(X, torch.ones(4)), X + 1)
    close(vmap(lambda a: torch.ones(2))(X), torch.ones(3, 2))
    assert vmap(lambda a: torch.ones(2), out_dims=None)(X).shape == (2,)
    close(torch.vmap(torch.dot)(X, X), (X * X).sum(1))


def test_nested_arguments_and_results():
    Pair = collections.namedtuple("Pair", "a b")
    made = vmap(lambda p, d: {"s": p.a + d["k"][0], "t": [p.b, p.a]}, in_dims=(0, {"k": [None]}))(Pair(X, X + 1), {"k": [X[0]]})
    close(made["s"], X + X[0])
    close(made["t"][0], X + 1)
    made = vmap(lambda a: Pair(a, (a + 1, a)), out_dims=Pair(0, (1, 0)))(X)
    assert isinstance(made, Pair)
    close(made.b[0], (X + 1).t())


def test_levels_in_levels():
    close(vmap(vmap(lambda a, b: a * b))(X, X), X * X)
    close(vmap(lambda a: vmap(lambda b: torch.dot(a, b))(X))(X), X @ X.t())
    close(vmap(vmap(lambda a, b: a @ b, in_dims=(None, 1), out_dims=1), in_dims=(0, None))(X[:, None], X.t()), X[:, None] @ X.t())
    close(vmap(lambda a: vmap(lambda b: b.sum())(X) + a.sum())(X), X.sum(1)[:, None] + X.sum(1))


def test_a_number_of_each_example_is_weak_in_promotion():
    number = torch.ones(3, dtype=torch.float64)
    assert vmap(lambda a: a * torch.ones(2))(number).dtype == torch.float32
    assert vmap(lambda a: a + torch.ones(2, dtype=torch.int64))(number).dtype == torch.float64
    assert vmap(lambda a, b: a + b)(number, torch.ones(3)).dtype == torch.float64
    assert vmap(lambda a, b: a + b)(number, X).dtype == torch.float32


def test_writes_in_place():
    def f(a):
        b = a.clone()
        b[0] = 7
        b[1:] += a[:1]
        return b.mul_(2)

    want = torch.stack([f(a) for a in X])
    close(vmap(f)(X), want)
    close(vmap(lambda a: torch.zeros_like(a).copy_(a))(X), X)
    close(vmap(lambda a: a.new_zeros(2, 4).add_(a))(X), X[:, None].expand(3, 2, 4))
    y = X.clone()
    vmap(lambda a: a.add_(1))(y)
    close(y, X + 1)
    with says("inplace arithmetic"):
        vmap(lambda a: torch.ones(4).copy_(a))(X)
    with says("output with shape"):
        vmap(lambda a: a.clone().add_(torch.ones(2, 4)))(X)


def test_gradients_through_writes():
    def f(a):
        b = a * 2
        b[1:] += a[:1]
        b[0] = a[1] ** 2
        return b.pow(2).sum()

    close(vmap(grad(f))(X), torch.stack([grad(f)(a) for a in X]))


def test_index():
    at = torch.tensor([0, 2, 1])
    close(vmap(lambda a, i: a[i])(X, at), X[torch.arange(3), at])
    close(vmap(lambda i: X[i])(at), X[at])
    close(vmap(lambda i: X[:, i])(at), X[:, at].t())
    two = torch.tensor([[0, 1], [2, 0], [1, 1]])
    z = torch.arange(24.0).reshape(3, 2, 4)
    for f in (lambda a, i: a[:, i], lambda a, i: a[0, i], lambda a, i: a[None, :, i], lambda a, i: a.index_select(1, i),
              lambda a, i: a.index_put((torch.tensor([0]), i), torch.zeros(2)), lambda a, i: a.gather(1, i.expand(2, 2))):
        close(vmap(f)(z, two), torch.stack([f(a, i) for a, i in zip(z, two)]))
    close(vmap(lambda a: a[torch.tensor([True, False, True, False])])(X), X[:, ::2])
    with says("indexing with a boolean mask"):
        vmap(lambda a: a[a > 1])(X)


# ---- randomness: the numbers are PyTorch's ----

def test_randomness():
    torch.manual_seed(3)
    a = vmap(lambda a: torch.rand(2) + a.sum() * 0, randomness="different")(X)
    torch.manual_seed(3)
    close(a, torch.rand(3, 2))
    torch.manual_seed(3)
    b = vmap(lambda a: torch.randn(4), randomness="same")(X)
    torch.manual_seed(3)
    close(b, torch.randn(4).expand(3, 4))
    same = vmap(lambda a: torch.nn.functional.dropout(torch.ones(50) + 0 * a.sum()), randomness="same")(X)
    assert torch.equal(same[0], same[1]) and set(same.unique().tolist()) == {0.0, 2.0}
    other = vmap(lambda a: torch.nn.functional.dropout(torch.ones(50) + 0 * a.sum()), randomness="different")(X)
    assert not torch.equal(other[0], other[1])
    close(vmap(lambda a: torch.nn.functional.dropout(a, training=False))(X), X)
    drawn = vmap(lambda a: a.clone().normal_(), randomness="same")(X)
    assert torch.equal(drawn[0], drawn[2])
    for f in (lambda a: torch.rand(2), torch.rand_like, torch.bernoulli, lambda a: torch.nn.functional.dropout(a)):
        with says("randomness error mode"):
            vmap(f)(X / 10)
    with says("same randomness with a batched tensor"):
        vmap(torch.bernoulli, randomness="same")(X / 10)
    with says("different inplace randomness on an unbatched tensor"):
        vmap(lambda a: torch.ones(2).normal_(), randomness="different")(X)
    inner = vmap(vmap(lambda a: torch.rand(1), randomness="different"), randomness="same")(X)
    assert torch.equal(inner[0], inner[1]) and inner.unique().numel() == 4


def test_chunks():
    y = torch.randn(7, 4)
    for chunk in (1, 2, 3, 7, 100):
        close(vmap(lambda a: a.sin().sum(), chunk_size=chunk)(y), y.sin().sum(1))
        close(vmap(lambda a: (a, a + 1), out_dims=(1, 0), chunk_size=chunk)(y)[0], y.t())
    torch.manual_seed(1)
    same = vmap(lambda a: torch.rand(2), randomness="same", chunk_size=2)(y)
    assert torch.equal(same[0], same[6])
    with says("chunk_size should be None or greater than 0", ValueError):
        vmap(torch.sin, chunk_size=0)


# ---- derivatives ----

def loss(w, a):
    return torch.tanh(w @ a).pow(2).sum()


W = torch.linspace(-1, 1, 20).reshape(5, 4)


def test_a_gradient_for_every_example():
    each = torch.stack([torch.autograd.grad(loss(v, a), v)[0] for a in X for v in [W.clone().requires_grad_()]])
    close(vmap(grad(loss), in_dims=(None, 0))(W, X), each)
    close(grad(lambda w: vmap(loss, in_dims=(None, 0))(w, X).sum())(W), each.sum(0))
    gradient, value = vmap(grad_and_value(loss), in_dims=(None, 0))(W, X)
    close(gradient, each)
    close(value, torch.stack([loss(W, a) for a in X]))
    assert not gradient.requires_grad and not value.requires_grad


def test_an_outer_graph_goes_through():
    w, x = W.clone().requires_grad_(), X.clone().requires_grad_()
    vmap(grad(loss, argnums=1), in_dims=(None, 0))(w, x).pow(2).sum().backward()
    v, y = W.clone().requires_grad_(), X.clone().requires_grad_()
    g, = torch.autograd.grad(sum(loss(v, a) for a in y), y, create_graph=True)
    g.pow(2).sum().backward()
    close(w.grad, v.grad)
    close(x.grad, y.grad)
    captured = W.clone().requires_grad_()
    close(torch.autograd.grad(vmap(grad(lambda a: loss(captured, a)))(X).pow(2).sum(), captured)[0], v.grad)


def test_jacobians_and_hessians():
    def f(a):
        return torch.stack([a.prod(), (a ** 3).sum(), a[0] * a[1].exp()])

    a = torch.tensor([0.5, -1.0, 2.0, 1.5])
    close(jacrev(f)(a), torch.autograd.functional.jacobian(f, a))
    close(torch.autograd.functional.jacobian(f, a, vectorize=True), torch.autograd.functional.jacobian(f, a))
    close(jacrev(f, chunk_size=2)(a), jacrev(f)(a))
    close(vmap(jacrev(f))(X), torch.stack([jacrev(f)(row) for row in X]))
    close(hessian(lambda a: f(a).sum())(a), torch.autograd.functional.hessian(lambda a: f(a).sum(), a))
    close(torch.autograd.functional.hessian(lambda a: f(a).sum(), a, vectorize=True),
          torch.autograd.functional.hessian(lambda a: f(a).sum(), a))
    close(vmap(jacrev(jacrev(lambda a: f(a).sum())))(X),
          torch.stack([torch.autograd.functional.hessian(lambda a: f(a).sum(), row) for row in X]))
    both = jacrev(lambda a, b: {"o": a * b}, argnums=(0, 1))(a, a + 1)
    close(both["o"][0], (a + 1).diag())
    jacobian, aux = jacrev(lambda a: (f(a), a.sum()), has_aux=True)(a)
    close(jacobian, jacrev(f)(a))
    close(aux, a.sum())


def test_is_grads_batched():
    x = X.clone().requires_grad_()
    rows = torch.eye(12).reshape(12, 3, 4)
    got, = torch.autograd.grad(x ** 2, x, rows, is_grads_batched=True)
    close(got, 2 * rows * X)
    y = torch.ones(2, requires_grad=True)
    got = torch.autograd.grad((x ** 2, (x * 3).sum()), (x, y), (rows, None), is_grads_batched=True, allow_unused=True)
    close(got[0], 2 * rows * X + 3)
    assert got[1] is None


def test_vjp():
    value, products = vjp(lambda a, b: (a * b, a.sum()), X, X + 1)
    close(value[0], X * (X + 1))
    da, db = products((torch.ones(3, 4), torch.tensor(2.0)))
    close(da, X + 3)
    close(db, X)
    only, = vjp(torch.sin, X)[1](X)
    close(only, X * X.cos())
    assert vjp(lambda a: (a.sin(), a), X, has_aux=True)[2] is not None
    many, = vmap(vjp(torch.sin, X)[1])(torch.ones(2, 3, 4))
    close(many, X.cos().expand(2, 3, 4))


def test_grad_of_grad_and_modes():
    close(grad(grad(lambda a: a ** 3))(torch.tensor(2.0)), torch.tensor(12.0))
    close(grad(lambda a: grad(lambda b: (a * b ** 2).sum())(a).sum())(X[0]), 4 * X[0])
    x = X.clone().requires_grad_()
    with torch.no_grad():
        made = grad(lambda a: (a ** 2).sum())(x)
    close(made, 2 * X)
    assert not made.requires_grad
    assert grad(lambda a: (a ** 2).sum())(x).requires_grad
    close(grad(lambda a: a.detach().sum() + a.sum())(X), torch.ones(3, 4))
    close(grad(lambda d: (d["a"] ** 2).sum() + d["b"][0].sum())({"a": X, "b": [X]})["a"], 2 * X)
    close(grad(lambda a, b: (a * b).sum(), argnums=(1,))(X, X + 1)[0], X)
    close(grad(lambda a: torch.ones(()))(X), torch.zeros(3, 4))


# ---- Function ----

class Scaled(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y, k):
        return x * y * k, x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])
        ctx.k = inputs[2]

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y * ctx.k + h * x.cos(), g * x * ctx.k, None


class Own(Function):
    calls = []

    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x

    @staticmethod
    def vmap(info, in_dims, x, y):
        Own.calls.append((info.batch_size, info.randomness, in_dims))
        front = [t if d is None else t.movedim(d, 0) for t, d in zip((x, y), in_dims)]
        return Own.apply(*front), 0


def test_functions_with_a_rule():
    def total(x, y):
        a, b = Scaled.apply(x, y, 3.0)
        return (a * b).sum()

    y = X[0] + 1
    want = torch.stack([grad(total)(a, y) for a in X])
    close(vmap(grad(total), in_dims=(0, None))(X, y), want)
    close(grad(lambda x: vmap(total, in_dims=(0, None))(x, y).sum())(X), want)
    close(grad(lambda y: vmap(total, in_dims=(0, None))(X, y).sum())(y), sum(grad(total, argnums=1)(a, y) for a in X))
    close(vmap(grad(total, argnums=1), in_dims=(0, None))(X, y), torch.stack([grad(total, argnums=1)(a, y) for a in X]))
    close(vmap(vmap(lambda a: Scaled.apply(a, a, 1.0)[0]))(X), X * X)
    Own.calls.clear()
    close(vmap(Own.apply, in_dims=(1, None))(X, torch.ones(3)), X.t())
    assert Own.calls == [(4, "error", (1, None))]
    close(vmap(grad(lambda a, b: Own.apply(a, b).sum()), in_dims=(0, None))(X, y), y.expand(3, 4))
    close(grad(lambda x: vmap(lambda a: Own.apply(a, y))(x).sum())(X), y.expand(3, 4))


def test_functions_without_a_rule():
    class Bare(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Old(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    class Both(Own):
        generate_vmap_rule = True

    close(grad(lambda a: Bare.apply(a).sum())(X), torch.full((3, 4), 2.0))
    with says("does not have vmap support"):
        vmap(Bare.apply)(X)
    with says("must override the setup_context"):
        vmap(Old.apply)(X)
    with says("has both generate_vmap_rule=True"):
        vmap(Both.apply)(X, X)


# ---- errors ----

@pytest.mark.parametrize("make, error, text", [
    (lambda: vmap(lambda a: a, in_dims=2)(X), ValueError, "dimensionality 2 so expected in_dim to satisfy -2 <= in_dim < 2"),
    (lambda: vmap(lambda a: a, in_dims=None)(X), ValueError, "expected `in_dims` to be int or a"),
    (lambda: vmap(lambda a: a, in_dims=(0, 0))(X), ValueError, r"inputs has structure TreeSpec\(tuple, None, \[\*\]\)"),
    (lambda: vmap(lambda a: a, in_dims=(0.5,))(X), ValueError, "in_dim must be either an integer dimension or None"),
    (lambda: vmap(lambda a: a)(3), ValueError, "We cannot vmap over non-Tensor arguments"),
    (lambda: vmap(lambda a: a)(), ValueError, "got no inputs"),
    (lambda: vmap(lambda a, b: a)(X, X[:2]), ValueError, r"got sizes \[3, 2\] for the mapped dimension"),
    (lambda: vmap(lambda a: a, in_dims=(None,))(X), ValueError, "at least one Tensor to vmap over"),
    (lambda: vmap(lambda a: 3)(X), ValueError, "must only return Tensors, got type <class 'int'>"),
    (lambda: vmap(lambda a: a, out_dims=None)(X), ValueError, "can not return a BatchedTensor when out_dim is None"),
    (lambda: vmap(lambda a: (a, a), out_dims=(0,))(X), ValueError, "out_dims is not compatible with the structure of `outputs`"),
    (lambda: vmap(lambda a: a, out_dims="a")(X), ValueError, "`out_dims` must be an int, None or a python collection of ints"),
    (lambda: vmap(lambda a: a, out_dims=2)(X), IndexError, "Dimension out of range"),
    (lambda: vmap(lambda a: a, randomness="x"), RuntimeError, "Only allowed values for randomness"),
    (lambda: vmap(lambda a: a.sum().item())(X), RuntimeError, r"calling .item\(\) on a Tensor"),
    (lambda: vmap(lambda a: float(a.sum()))(X), RuntimeError, r"calling .item\(\) on a Tensor"),
    (lambda: vmap(lambda a: a if a.sum() > 0 else -a)(X), RuntimeError, "data-dependent control flow"),
    (lambda: vmap(lambda a: a.data_ptr())(X), RuntimeError, "Cannot access data pointer of Tensor that doesn't have storage"),
    (lambda: vmap(lambda a: a.nonzero())(X), RuntimeError, "output dynamic shape. Attempted to vmap over aten::nonzero"),
    (lambda: vmap(lambda a: a.masked_select(a > 1))(X), RuntimeError, "Attempted to vmap over `mask`"),
    (lambda: vmap(lambda a: torch.sin(a, out=torch.empty(4)))(X), RuntimeError, "rule not implemented for aten::sin.out"),
    (lambda: vmap(lambda a: a.requires_grad_())(X), RuntimeError, r"attempting to call Tensor.requires_grad_\(\)"),
    (lambda: grad(lambda a: a.requires_grad_().sum())(X), RuntimeError, r"attempting to call Tensor.requires_grad_\(\)"),
    (lambda: vmap(lambda a: a.sum().backward())(X), RuntimeError, r"backward\(\) called inside a functorch transform"),
    (lambda: vmap(lambda a: a @ torch.ones(3))(X), RuntimeError, "inconsistent tensor size"),
    (lambda: vmap(lambda a: a.sum(3))(X), IndexError, r"expected to be in range of \[-1, 0\], but got 3"),
    (lambda: vmap(lambda a: a.transpose(0, 2))(X[None]), IndexError, r"expected to be in range of \[-2, 1\], but got 2"),
    (lambda: grad(lambda a: a)(X), RuntimeError, "return a scalar Tensor, got tensor with 2 dims"),
    (lambda: grad(lambda a: 3)(X), RuntimeError, "return a Tensor, got <class 'int'>"),
    (lambda: grad(lambda a: a.sum(), argnums=1)(X), RuntimeError, "Got argnum=1, but only 1 positional inputs"),
    (lambda: grad(lambda a: a.sum(), argnums="a")(X), RuntimeError, "argnums must be int or Tuple"),
    (lambda: grad(lambda a: a.sum(), argnums=())(X), RuntimeError, "argnums must be non-empty"),
    (lambda: grad(lambda a: a.sum(), argnums=(0, 0))(X), RuntimeError, "argnums elements must be unique"),
    (lambda: grad(lambda a: a.sum())(3), ValueError, "Thing passed to transform API must be Tensor"),
    (lambda: grad(lambda a: a.sum())(torch.tensor(3)), RuntimeError, "only Tensors of floating point dtype can require"),
    (lambda: grad(lambda a: (a.sum(),), has_aux=True)(X), RuntimeError, r"should be a tuple: \(output, aux\)"),
    (lambda: vjp(lambda a: 3, X), RuntimeError, "expected f.*to return only tensors, got unsupported type"),
    (lambda: vjp(lambda a: (a, a), X)[1](X), RuntimeError, r"cotangents: \*, primal output: \(\*, \*\)"),
])
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        make()
    assert torch._karat.batch_depth() == 0 and not torch._karat.in_transform()


def test_the_users_exception_comes_out():
    class Mine(Exception):
        pass

    def f(a):
        raise Mine("here")

    for call in (vmap(f), vmap(vmap(f)), vmap(grad(f)), grad(f), lambda a: vjp(f, a), jacrev(f)):
        with pytest.raises(Mine, match="here"):
            call(X)
        assert torch._karat.batch_depth() == 0 and not torch._karat.in_transform() and torch.is_grad_enabled()


@pytest.mark.cpu_only("the text names the device")
def test_printed():
    shown = []
    vmap(lambda a: shown.append(repr(a)) or a)(torch.ones(2, 2))
    assert shown == ["BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1., 1.],\n            [1., 1.]])\n)"]
    facts = []
    vmap(lambda a: facts.append((a.shape, a.dim(), a.stride(), a.is_contiguous(), len(a), a.dtype)) or a, in_dims=1)(X)
    assert facts == [((3,), 1, (4,), False, 3, torch.float32)]


# ---- life ----

def test_nothing_is_kept():
    refs = []

    def f(a):
        b = a * 2
        refs.append(weakref.ref(b))
        return (b.sin() * a).sum()

    for call in (vmap(f), vmap(grad(f)), grad(lambda a: f(a[0])), jacrev(f), lambda a: vjp(f, a)[1](torch.tensor(1.0))):
        refs.clear()
        call(X)
        gc.collect()
        assert refs and all(r() is None for r in refs)
    vmap(grad(f))(X)
    gc.collect()
    before = torch.memory_stats()["live_bytes"]
    for _ in range(3):
        vmap(grad(f))(X)
        vmap(jacrev(lambda a: a.sin() * torch.softmax(a, 0)))(X)
        with pytest.raises(RuntimeError):
            vmap(lambda a: torch.linalg.inv(a.outer(a) * 0))(X)
    gc.collect()
    assert torch.memory_stats()["live_bytes"] == before


def test_a_tensor_that_outlives_its_vmap():
    kept = []
    vmap(lambda a: kept.append(a) or a)(X)
    escaped = kept[0]
    assert escaped.shape == (4,)
    assert repr(escaped).startswith("BatchedTensor")
    with says("may have escaped from inside a function being vmapped"):
        escaped * 2
    result = []

    def use():
        try:
            escaped + 1
        except RuntimeError as e:
            result.append(str(e))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert "may have escaped" in result[0]


def test_threads():
    wrong = []

    def work(k):
        for _ in range(30):
            got = vmap(grad(lambda a: (a ** 2).sum() * k), chunk_size=2)(X)
            if not torch.allclose(got, 2 * k * X):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_running_statistics_have_room_for_every_example():
    x = torch.arange(3 * 2 * 3 * 4.0).reshape(3, 2, 3, 4)
    for norm in (torch.nn.functional.batch_norm, torch.nn.functional.instance_norm):
        def moved(x, mean, var):
            norm(x, mean, var, None, None, True)
            return mean, var

        each = [moved(one, torch.zeros(3), torch.ones(3)) for one in x]
        for got, want in zip(vmap(moved)(x, torch.zeros(3, 3), torch.ones(3, 3)), zip(*each)):
            assert torch.allclose(got, torch.stack(want))
        with pytest.raises(RuntimeError, match="^Batch norm got a batched tensor as input while the running_mean or running_var, "
                                               "which will be updated in place, were not batched."):
            vmap(lambda x: moved(x, torch.zeros(3), torch.ones(3)))(x)


def test_values_of_every_example_are_checked():
    with pytest.raises(RuntimeError, match="^quantile.. q values must be in the range"):
        vmap(lambda q: torch.quantile(torch.arange(12.0), q))(torch.tensor([0.1, 0.5, 1.5]))
    assert vmap(lambda q: torch.quantile(torch.arange(11.0), q))(torch.tensor([0.1, 0.5, 1])).tolist() == [1, 5, 10]


def test_no_examples():
    assert vmap(lambda a: a.sin().sum())(torch.ones(0, 3)).shape == (0,)
    assert vmap(lambda a: a @ torch.ones(3, 2))(torch.ones(0, 3)).shape == (0, 2)
    with says("does not support vmap over dims of size 0"):
        vmap(lambda a: torch.histc(a))(torch.ones(0, 3))


def test_ranges_between_tensors_of_a_batch():
    ends = torch.tensor([0.0, 2.0, 4.0])
    got = torch.func.vmap(lambda s: torch.linspace(s, s + 1, 3))(ends)
    assert got.tolist() == [[0, 0.5, 1], [2, 2.5, 3], [4, 4.5, 5]]
    assert torch.func.vmap(lambda s: torch.linspace(0.0, s, 3))(ends).tolist() == [[0, 0, 0], [0, 1, 2], [0, 2, 4]]
    powers = torch.func.vmap(lambda s: torch.logspace(s, 2.0, 2, base=2.0))(ends)
    assert powers.tolist() == [[1, 4], [4, 4], [16, 4]]
    with pytest.raises(RuntimeError, match=r"linspace only supports 0-dimensional start and end tensors, but got end with 1"):
        torch.linspace(0.0, ends, 3)


def test_a_condition_alone_has_no_sizes():
    with pytest.raises(RuntimeError, match="can output dynamic shape. Attempted to vmap over aten::where"):
        vmap(lambda x: torch.where(x > 0))(torch.ones(2, 3))


def test_traces_of_a_batch():
    m = torch.arange(18.0).reshape(2, 3, 3)
    assert vmap(torch.trace)(m).tolist() == [12, 39]
    assert vmap(grad(lambda x: torch.trace(x @ x)))(m).equal(torch.stack([2 * one.T for one in m]))
    assert vmap(hessian(torch.trace))(m).abs().sum() == 0


def test_a_leaf_of_the_function_s_own():
    def function(x):
        return (x * torch.ones(3, requires_grad=True)).sum()

    assert not torch.func.grad(function)(torch.ones(3)).requires_grad
    outer = torch.ones(3, requires_grad=True)
    assert torch.func.grad(lambda x: (x * outer).sum())(torch.ones(3)).requires_grad


def test_debug_unwrap_and_functionalize():
    seen = []

    def look(x):
        seen.append((torch.func.debug_unwrap(x).shape, torch.func.debug_unwrap(x, recurse=False).shape))
        return x

    vmap(vmap(look))(torch.ones(2, 3, 4))
    assert seen == [((2, 3, 4), (3, 4))] and torch.func.debug_unwrap(seen) is seen
    assert torch.func.functionalize(lambda x: x.clone().add_(1))(torch.ones(2)).tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="received invalid argument for remove=no"):
        torch.func.functionalize(torch.sin, remove="no")
    norms = torch.func.replace_all_batch_norm_modules_(torch.nn.Sequential(torch.nn.BatchNorm1d(2)))
    assert norms[0].running_mean is None and not norms[0].track_running_stats
    assert torch.func.vmap(norms)(torch.rand(3, 4, 2)).shape == (3, 4, 2)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_weights_of_a_loss_of_logits_have_a_gradient_in_vmap(reduction):
    """Outside of it PyTorch refuses them; in it its loss is made of operators."""
    x, t, w, p = (torch.rand(3, 4, dtype=torch.float64) for _ in range(4))
    w.requires_grad_(), p.requires_grad_()
    of = lambda x, t, w, p: F.binary_cross_entropy_with_logits(x, t, w, pos_weight=p, reduction=reduction)
    got = torch.autograd.grad(torch.vmap(of)(x, t, w, p).sum(), (w, p))
    cost = w * ((1 - t) * x + (1 + (p - 1) * t) * torch.log1p((-x).exp()))
    want = torch.autograd.grad(cost.sum() / (4 if reduction == "mean" else 1), (w, p))
    assert all(torch.allclose(a, b) for a, b in zip(got, want))
    with pytest.raises(RuntimeError, match="not differentiable with respect to argument 'pos_weight'"):
        of(x, t, w.detach(), p)


def test_what_a_loss_has_no_slope_by_is_refused_in_vmap_too():
    x, sign = torch.rand(3, 4), torch.ones(3, 4, requires_grad=True)
    with pytest.raises(RuntimeError, match="'soft_margin_loss' is not differentiable with respect to argument 'target'"):
        torch.vmap(F.soft_margin_loss)(x, sign)


L = torch.linalg
INTO = {
    "linalg_det.out": lambda x: L.det(x, out=torch.empty(0)),
    "linalg_inv.out": lambda x: L.inv(x, out=torch.empty(0)),
    "inverse.out": lambda x: torch.inverse(x, out=torch.empty(0)),
    "linalg_inv_ex.inverse": lambda x: L.inv_ex(x, out=(torch.empty(0), torch.empty(0))),
    "linalg_cholesky_ex.L": lambda x: L.cholesky_ex(x, out=(torch.empty(0), torch.empty(0))),
    "linalg_eigh.eigvals": lambda x: L.eigh(x, out=(torch.empty(0), torch.empty(0))),
    "svd.U": lambda x: torch.svd(x, out=(torch.empty(0), torch.empty(0), torch.empty(0))),
    "triangular_solve.X": lambda x: torch.triangular_solve(x, x, out=(torch.empty(0), torch.empty(0))),
    "linalg_matrix_norm.str_ord_out": lambda x: L.matrix_norm(x, out=torch.empty(0)),
    "linalg_matrix_rank.atol_rtol_tensor_out": lambda x: L.matrix_rank(x, out=torch.empty(0)),
    "linalg_matrix_power.out": lambda x: L.matrix_power(x, 3, out=torch.empty(0)),
    "linalg_vector_norm.out": lambda x: torch.norm(x, out=torch.empty(0)),
    "add.out": lambda x: torch.add(x, 2, out=torch.empty(0)),
    "div.out": lambda x: torch.div(2, x, out=torch.empty(0)),
    "div.out_mode": lambda x: torch.div(x, 2, rounding_mode="floor", out=torch.empty(0)),
    "eq.Tensor_out": lambda x: torch.eq(x, x, out=torch.empty(0)),
    "eq.Scalar_out": lambda x: torch.eq(x, 1, out=torch.empty(0)),
    "pow.Tensor_Tensor_out": lambda x: torch.pow(x, x, out=torch.empty(0)),
    "pow.Tensor_Scalar_out": lambda x: torch.pow(x, 2, out=torch.empty(0)),
    "pow.Scalar_out": lambda x: torch.pow(2, x, out=torch.empty(0)),
    "fmod.Scalar_out": lambda x: torch.fmod(x, 2, out=torch.empty(0)),
    "xlogy.OutTensor": lambda x: torch.xlogy(x, x, out=torch.empty(0)),
    "xlogy.OutScalar_Other": lambda x: torch.xlogy(x, 2, out=torch.empty(0)),
    "xlogy.OutScalar_Self": lambda x: torch.xlogy(2, x, out=torch.empty(0)),
    "copysign.out": lambda x: torch.copysign(x, x, out=torch.empty(0)),
    "copysign.Scalar_out": lambda x: torch.copysign(x, 2, out=torch.empty(0)),
    "lerp.Scalar_out": lambda x: torch.lerp(x, x, 0.5, out=torch.empty(0)),
    "lerp.Tensor_out": lambda x: torch.lerp(x, x, x, out=torch.empty(0)),
    "clamp.out": lambda x: torch.clamp(x, 1, out=torch.empty(0)),
    "clamp.Tensor_out": lambda x: torch.clamp(x, max=x, out=torch.empty(0)),
    "where.self_out": lambda x: torch.where(x > 0, x, x, out=torch.empty(0)),
    "round.out": lambda x: torch.round(x, out=torch.empty(0)),
    "round.decimals_out": lambda x: torch.round(x, decimals=1, out=torch.empty(0)),
    "softmax.int_out": lambda x: torch.softmax(x, 0, out=torch.empty(0)),
    "sum.IntList_out": lambda x: torch.sum(x, 0, out=torch.empty(0)),
    "prod.int_out": lambda x: torch.prod(x, 0, out=torch.empty(0)),
    "all.dims_out": lambda x: torch.all(x, (0, 1), out=torch.empty(0)),
    "sort.values": lambda x: torch.sort(x, out=(torch.empty(0), torch.empty(0, dtype=torch.int64))),
    "sort.values_stable": lambda x: torch.sort(x, stable=True, out=(torch.empty(0), torch.empty(0, dtype=torch.int64))),
}


@pytest.mark.parametrize("name", INTO)
def test_targets_are_refused_by_the_name_of_the_operator_that_was_called(name):
    says = rf"^Batching rule not implemented for aten::{name}; the fallback path doesn't work on out= or view ops\."
    with pytest.raises(RuntimeError, match=says):
        vmap(INTO[name])(torch.eye(2).repeat(3, 1, 1))


def test_targets_beside_lists_are_refused():
    says = r"^Batching rule not implemented for aten::linalg_multi_dot\.out\. We could not generate a fallback\."
    with pytest.raises(RuntimeError, match=says):
        vmap(lambda x: L.multi_dot([x, x], out=torch.empty(0)))(torch.eye(2).repeat(3, 1, 1))


DRAWN_INTO = {
    "bernoulli": lambda x: torch.bernoulli(x, out=torch.empty(0)),
    "multinomial": lambda x: torch.multinomial(x, 1, out=torch.empty(0, dtype=torch.int64)),
    "normal, means": lambda x: torch.normal(x, x, out=torch.empty(0)),
    "normal, deviations": lambda x: torch.normal(1.0, x, out=torch.empty(0)),
}


@pytest.mark.parametrize("name", DRAWN_INTO)
@pytest.mark.parametrize("randomness", ["error", "same", "different"])
def test_targets_of_what_is_drawn_are_refused(name, randomness):
    with pytest.raises(RuntimeError, match="^vmap: We do not support calling out variants of random operations inside of vmap"):
        vmap(DRAWN_INTO[name], randomness=randomness)(torch.full((2, 3), 0.5))


def test_names_and_refusals_of_nested_results():
    """As PyTorch 2.11's."""
    from functools import partial

    class Called:
        def __call__(self, x):
            return x

        def __repr__(self):
            return "Called!"

    x = torch.ones(2, 3)
    for func, name in ((Called(), "Called!"), (partial(partial(Called())), "functools.partial(Called!, ...)"),
                       (partial(torch.sin), "functools.partial(sin, ...)")):
        with pytest.raises(ValueError, match=re.escape(f"vmap({name}, in_dims=5, ...)(<inputs>): Got in_dim=5 for some input")):
            torch.vmap(func, in_dims=5)(x)
    for out_dims in ([0], (0, 0), {"a": 0}):
        with pytest.raises(ValueError, match=re.escape(f"out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
                                                       "structure of `outputs`")):
            torch.vmap(torch.sin, out_dims=out_dims)(x)
    with pytest.raises(ValueError, match="`sin` can not return a BatchedTensor when out_dim is None"):
        torch.vmap(torch.sin, out_dims=(None,))(x)
    with pytest.raises(ValueError, match="must only return Tensors, got type <class 'float'>. Did you mean to set out_dims= to"):
        torch.vmap(lambda a: (a, 1.0))(x)
    assert torch.vmap(lambda a: (a, 1.0), out_dims=(0, None))(x)[1] == 1.0
    assert torch.vmap(torch.sin).__wrapped__ is torch.sin and torch.vmap(torch.sin).__name__ == "sin"


def test_cat_leaves_out_what_is_empty_and_has_one_dim():
    none, x = torch.empty(0), torch.arange(6.0).view(2, 3)
    for parts in (lambda r: [none, r.view(1, 3)], lambda r: [r[:0], r.view(1, 3)], lambda r: [none, none, r[None], r[None]],
                  lambda r: [r[None], r[:0]], lambda r: [none, r[:0]], lambda r: [none.double(), r[None]]):
        for dim in (0, 1, -1) if len(parts(x[0])[-1].shape) == 2 else (0,):
            found = vmap(lambda r: torch.cat(parts(r), dim))(x)
            assert close(found, torch.stack([torch.cat(parts(r), dim) for r in x])) is None
    assert vmap(vmap(lambda r: torch.cat([none, r.view(1, 1)], 1)))(x).shape == (2, 3, 1, 1)
    with pytest.raises(RuntimeError, match="Tensors must have same number of dimensions"):
        vmap(lambda r: torch.cat([r, r[None]]))(x)


def test_result_type_of_an_example_without_dims():
    seen = []
    vmap(lambda r: (seen.append((torch.result_type(r, 1), torch.result_type(1.5, r), torch.result_type(r, r.double()),
                                 torch.result_type(r, torch.ones(3).half()))), r)[1])(torch.ones(2))
    assert seen == [(torch.float32, torch.float32, torch.float64, torch.float16)]


def test_multinomial_of_matrices_by_example():
    p = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    both = torch.stack([p, p.flip(0)])
    draw = lambda r: torch.multinomial(r, 4, True)  # noqa: E731
    assert vmap(draw, randomness="different")(both).tolist() == [[[1] * 4, [2] * 4], [[2] * 4, [1] * 4]]
    assert vmap(draw, in_dims=1, out_dims=1, randomness="different")(both).tolist() == [[[1] * 4, [2] * 4], [[2] * 4, [1] * 4]]
    assert vmap(lambda r: draw(p), randomness="different")(both).tolist() == [[[1] * 4, [2] * 4]] * 2
    assert vmap(lambda r: draw(p), randomness="same")(both).tolist() == [[[1] * 4, [2] * 4]] * 2
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(draw)(both)
    with pytest.raises(RuntimeError, match="same randomness with a batched tensor input"):
        vmap(draw, randomness="same")(both)


@pytest.mark.parametrize("name", ["xlogy", "special.xlogy", "special.xlog1py", "special.zeta", "special.chebyshev_polynomial_t",
                                  "special.hermite_polynomial_h", "float_power", "pow", "remainder", "bitwise_and"])
def test_a_number_beside_an_example(name):
    """Forms that take a number before the tensor are tried, and must not ask an example without dims for its element."""
    f = torch
    for part in name.split("."):
        f = getattr(f, part)
    x = torch.tensor([1, 2, 3]) if name == "bitwise_and" else torch.tensor([1.5, 2.25, 3.0])
    assert vmap(lambda t: f(t, 2))(x).tolist() == f(x, 2).tolist()
    assert vmap(lambda t: f(2, t))(x).tolist() == f(2, x).tolist()
    assert vmap(vmap(lambda t: f(t, 2)))(x.view(3, 1)).flatten().tolist() == f(x, 2).tolist()
