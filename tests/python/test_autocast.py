"""Autocast on the CPU: the dtype that each class of operator gives, its casts as nodes of the graph, and the casts that are kept.
The dtypes and graphs are those that PyTorch 2.11 shows for the same lines."""
import contextlib
import threading
import warnings

import pytest

import karat
from karat import _karat
from on_device import DEVICE

F = karat.nn.functional
f32, f64, f16, bf16 = karat.float32, karat.float64, karat.float16, karat.bfloat16
KIND = DEVICE or "cpu"
of_the_cpu = pytest.mark.cpu_only("classes of autocast that a GPU does not share")


@contextlib.contextmanager
def autocast(dtype=bf16, on=True, cache=True):
    before, kept = _karat.get_autocast(KIND), _karat.get_autocast_cache()
    _karat.autocast_enter()
    _karat.set_autocast(KIND, on, dtype)
    _karat.set_autocast_cache(cache)
    try:
        yield
    finally:
        _karat.autocast_leave()
        _karat.set_autocast(KIND, *before)
        _karat.set_autocast_cache(kept)


def ones(*sizes, dtype=f32, grad=True):
    return karat.ones(*sizes, dtype=dtype, requires_grad=grad)


def graph(t):
    def text(node):
        if node is None:
            return "-"
        inputs = [text(n) for n, _ in node.next_functions]
        name = node.name().replace("torch::autograd::", "").replace("Backward0", "")
        return f"{name}({', '.join(inputs)})" if inputs else name
    return text(t.grad_fn)


A, C = "AccumulateGrad", "ToCopy(AccumulateGrad)"

PRODUCTS = {  # of float32 operands: the dtype is the one that autocast lowers to, unless said otherwise
    "mm": (lambda m, v, b: karat.mm(m, m), f"Mm({C}, {C})"),
    "matmul": (lambda m, v, b: m @ m, f"Mm({C}, {C})"),
    "matmul, a vector": (lambda m, v, b: m @ v, f"Mv({C}, {C})"),
    "matmul, two": (lambda m, v, b: v @ v, f"Dot({C}, {C})"),
    "bmm": (lambda m, v, b: karat.bmm(b, b), f"Bmm({C}, {C})"),
    "addmm": (lambda m, v, b: karat.addmm(m, m, m), f"Addmm({C}, {C}, {C})"),
    "baddbmm": (lambda m, v, b: karat.baddbmm(b, b, b), f"Baddbmm({C}, {C}, {C})"),
    "addbmm": (lambda m, v, b: karat.addbmm(m, b, b), f"Addbmm({C}, {C}, {C})"),
    "linear": (lambda m, v, b: F.linear(m, m, v), f"Addmm({C}, {C}, T({C}))"),
    "linear of a batch": (lambda m, v, b: F.linear(b, m, v), f"View(Addmm({C}, View({C}), T({C})))"),
    "linear without bias": (lambda m, v, b: F.linear(m, m), f"Mm({C}, T({C}))"),
    "vecdot": (lambda m, v, b: karat.linalg.vecdot(m, m), f"SumBackward1(Mul({C}, {C}))"),
    "matrix_power": (lambda m, v, b: karat.linalg.matrix_power(m, 2), f"Mm({C}, {C})"),
    "prelu": (lambda m, v, b: F.prelu(m, v), f"PreluKernel({C}, View({C}))"),
    "tensordot": (lambda m, v, b: karat.tensordot(m, m, 1),
                  "View(Mm(ToCopy(View(Permute(AccumulateGrad))), ToCopy(View(Permute(AccumulateGrad)))))"),
    "einsum": (lambda m, v, b: karat.einsum("ij,jk->ik", m, m), None),
}
UNTOUCHED = {
    "mv": lambda m, v, b: karat.mv(m, v), "dot": lambda m, v, b: karat.dot(v, v), "addmv": lambda m, v, b: karat.addmv(v, m, v),
    "addr": lambda m, v, b: karat.addr(m, v, v), "outer": lambda m, v, b: karat.outer(v, v),
    "bilinear": lambda m, v, b: F.bilinear(m, m, b), "cross": lambda m, v, b: karat.linalg.cross(m, m),
    "inner": lambda m, v, b: karat.inner(v, v), "tensordot": lambda m, v, b: karat.tensordot(m, m, 2),
    "exp": lambda m, v, b: m.exp(), "sum": lambda m, v, b: m.sum(), "softmax": lambda m, v, b: m.softmax(0),
}


@pytest.mark.parametrize("dtype", [bf16, f16])
@pytest.mark.parametrize("name", [pytest.param(n, marks=of_the_cpu) if n == "tensordot" else n for n in PRODUCTS])
def test_products_are_lowered(name, dtype):
    call, nodes = PRODUCTS[name]
    m, v, b = ones(3, 3), ones(3), ones(2, 3, 3)
    assert call(m, v, b).dtype == f32
    with autocast(dtype):
        y = call(m, v, b)
    assert y.dtype == dtype and (nodes is None or graph(y) == nodes)
    y.float().sum().backward()
    assert all(t.grad is None or t.grad.dtype == f32 for t in (m, v, b))


@pytest.mark.parametrize("name", [pytest.param(n, marks=of_the_cpu) if n in ("mv", "addmv", "addr") else n for n in UNTOUCHED])
def test_others_are_not(name):
    m, v, b = ones(3, 3), ones(3), ones(2, 3, 3)
    plain = graph(UNTOUCHED[name](m, v, b))
    with autocast():
        y = UNTOUCHED[name](m, v, b)
    assert y.dtype == f32 and graph(y) == plain


LOSSES = {
    "mse_loss": f"MseLoss({C}, {C})", "smooth_l1_loss": f"SmoothL1Loss({C}, {C})", "huber_loss": f"HuberLoss({C}, {C})",
    "l1_loss": f"Mean(Abs(Sub({C}, {C})))",
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_float32(name):
    h, m = ones(3, 3, dtype=bf16), ones(3, 3)
    loss = getattr(F, name)
    assert loss(h, h).dtype == bf16
    with autocast():
        y, mixed, wide = loss(h, h), loss(m, h), loss(m.double(), h)
    assert y.dtype == mixed.dtype == f32 and wide.dtype == f64
    assert graph(y) == LOSSES[name] and graph(mixed) == LOSSES[name].replace(C, A, 1)
    y.backward()
    assert h.grad.dtype == bf16


@of_the_cpu
def test_what_else_is_float32():
    h, i = ones(3, 3, dtype=bf16), karat.arange(3)
    p = karat.full((3, 2), 0.5, dtype=bf16, requires_grad=True)
    with autocast():
        for y in (h.prod(), h.prod(0), h.trace(), karat.cdist(h, h), karat.quantile(h, 0.5), F.cross_entropy(h, i),
                  F.nll_loss(h, i), F.kl_div(h, h, reduction="sum"), F.binary_cross_entropy(p, p.detach()),
                  F.binary_cross_entropy_with_logits(h, h)):
            assert y.dtype == f32
        assert h.prod(dtype=f64).dtype == f64
        assert karat.polar(p, p).dtype == karat.view_as_complex(p).dtype == karat.complex64
        for y in (h.exp(), h.sum(), h.softmax(0), h.norm(), F.pad(h, (1, 1))):
            assert y.dtype == bf16
    with pytest.raises(RuntimeError, match="view_as_complex is only supported for half, float and double"):
        karat.view_as_complex(p)


@pytest.mark.parametrize("dtype", (bf16, f16))
def test_cross_entropy_reads_narrow_logits(dtype):
    """As float32, which no pass over memory makes: the numbers are those of logits that were cast."""
    h, i = (karat.randn(6, 40) * 4).to(dtype).requires_grad_(), karat.tensor([3, 1, 39, 0, 1, 20])
    w = h.detach().float().requires_grad_()
    for how in ("mean", "sum", "none"):
        with autocast(dtype):
            y = F.cross_entropy(h, i, reduction=how, ignore_index=1)
        assert y.dtype == f32 and graph(y).startswith("NllLoss(AccumulateGrad")
        x = F.cross_entropy(w, i, reduction=how, ignore_index=1)
        (got,), (want,) = karat.autograd.grad(y.sum(), h), karat.autograd.grad(x.sum(), w)
        assert karat.equal(x, y) and got.dtype == dtype and karat.equal(got, want.to(dtype))
    with autocast(dtype):
        got, = karat.autograd.grad(F.cross_entropy(h, i), h, create_graph=True)
    want, = karat.autograd.grad(F.cross_entropy(w, i), w, create_graph=True)
    (again,), (twice,) = karat.autograd.grad(got.float().square().sum(), h), karat.autograd.grad(want.square().sum(), w)
    karat.testing.assert_close(again.float(), twice, atol=1e-3, rtol=2e-2)
    others = dict(weight=karat.rand(40)), dict(weight=karat.rand(40).to(dtype)), dict(label_smoothing=0.1)
    for how in others:
        with autocast(dtype):
            y = F.cross_entropy(h, i, **how)
        assert y.dtype == f32
        karat.testing.assert_close(y, F.cross_entropy(w, i, **{n: x.float() if n == "weight" else x for n, x in how.items()}))
    with autocast(dtype):
        assert F.cross_entropy(h, h.detach().softmax(1)).dtype == F.cross_entropy(h[0], i[0]).dtype == f32
        refusal = r"refuses to convert input from \w+ to float32 in cross_entropy"
        with karat.policy("strict"), pytest.raises(TypeError, match=refusal):
            F.cross_entropy(h, i)


@pytest.mark.parametrize("dtype", (bf16, f16))
@pytest.mark.parametrize("norm", ("layer_norm", "rms_norm"))
@pytest.mark.parametrize("n", (96, 50, 300, 768, 1000, 1100))
def test_norms_read_narrow_gradients(norm, dtype, n):
    """What flows back through the cast of a norm's result is not cast on its way to the norm; the numbers are those of a gradient
    that a hook has seen, which is."""
    x, m = karat.randn(40, n), karat.randn(8, n)
    w = karat.rand(n) + 0.5
    weights = [w, karat.rand(n)] if norm == "layer_norm" else [w]
    made, seen = [], []
    for hooked in (False, True):
        given = [t.clone().requires_grad_() for t in (x, *weights)]
        with autocast(dtype):
            y = getattr(F, norm)(given[0], (n,), *given[1:])
            if hooked:
                y.register_hook(lambda g: seen.append(g.dtype))
            z = F.linear(y.to(f32), m)
        z.float().square().sum().backward()
        assert z.dtype == dtype and all(t.grad.dtype == f32 for t in given)
        made.append([t.grad for t in given])
    assert seen == [f32] and all(karat.equal(a, b) for a, b in zip(*made))
    given = x.clone().requires_grad_()
    with autocast(dtype):
        y = getattr(F, norm)(given, (n,), *weights)
        z = (F.linear(y, m).float().sum() + F.linear(y, m * 2).float().sum() + y.sum())  # several gradients of one result
    z.backward()
    whole = karat.ones(40, 8, dtype=dtype)
    parts = [(whole @ a.to(dtype)).float() for a in (m * 2, m)]
    up = karat.ones(40, n) + parts[0] + parts[1]
    again = x.clone().requires_grad_()
    getattr(F, norm)(again, (n,), *weights).backward(up)
    karat.testing.assert_close(given.grad, again.grad, atol=1e-4, rtol=1e-4)


@of_the_cpu
def test_what_is_joined_has_the_widest():
    h, m = ones(3, 3, dtype=bf16), ones(3, 3)
    with autocast():
        for join in (karat.cat, karat.stack, karat.vstack, karat.hstack):
            assert join([h, m]).dtype == f32 and join([h, h]).dtype == bf16 and join([h, m.double()]).dtype == f64
        assert graph(karat.cat([h, m])) == f"Cat({C}, {A})"
        assert karat.index_copy(m, 0, karat.tensor([0]), h[:1]).dtype == f32
        assert karat.cat([m, h.half()]).dtype == f32
        for mixed in ([h, h.half()], [h.half(), m]):
            with pytest.raises(RuntimeError, match="^Unexpected floating ScalarType in at::autocast::prioritize"):
                karat.cat(mixed)


@of_the_cpu
def test_formulas_of_backward_join_any_floats():
    x = karat.full((3, 3), 0.5, dtype=bf16, requires_grad=True)
    y = x.prod()
    with autocast(f16):  # where the user's own cat of bfloat16 is refused
        y.backward()
    assert x.grad.dtype == bf16 and x.grad[0, 0].item() == 0.5**8


@of_the_cpu
def test_float64_and_integers_are_left_alone():
    m = ones(2, 2)
    with autocast():
        assert (m.double() @ m.double()).dtype == f64
        with pytest.raises(RuntimeError, match="^mat1 and mat2 must have the same dtype, but got BFloat16 and Double"):
            F.linear(m, m.double(), karat.ones(2, dtype=f64))
        with pytest.raises(RuntimeError, match="but got: long int != c10::BFloat16"):
            karat.ones(2, 2, dtype=karat.int64) @ m
        for mixed in (lambda: karat.tensordot(m, m.bfloat16(), 1), lambda: karat.inner(m, m.bfloat16())):
            with pytest.raises(RuntimeError, match="^both inputs should have same dtype"):
                mixed()


def test_weights_are_cast_once():
    x, w, h = ones(3, 3), ones(3, 3), ones(3, 3, dtype=bf16)

    def node(y, i=1):
        return y.grad_fn.next_functions[i][0]
    with autocast():
        first = x @ w
        assert node(first) is node(h @ w) and node(first, 0) is node(x @ h, 0)
        with autocast(on=False):
            assert (x @ w).dtype == f32
        assert node(first) is node(h @ w)
        view = w.t()
        assert node(h @ view) is not node(h @ view)
        with karat.no_grad():
            h @ w
            w.mul_(2)
        again = h @ w
        assert node(again) is not node(first) and again.tolist() == [[6.0] * 3] * 3
        with autocast(cache=False):
            assert node(h @ w) is not node(again)
        with karat.no_grad():
            assert not (x @ ones(3, 3)).requires_grad
    with autocast():
        assert node(h @ w) is not node(again)
        (h.detach() @ w).sum().backward()
        (h.detach() @ w).sum().backward()
    assert w.grad.dtype == f32 and w.grad.tolist() == [[6.0] * 3] * 3


def test_a_cast_made_without_grad_is_one_with():
    x, w = ones(3, 3, grad=False), ones(3, 3)
    with autocast():
        with karat.no_grad():
            x @ w
        with karat.inference_mode():
            x @ w
        assert (x @ w).requires_grad


@of_the_cpu
def test_in_place_and_out():
    m, h = ones(3, 3, grad=False), ones(3, 3, dtype=bf16, grad=False)
    with autocast():
        assert karat.mm(m, m, out=karat.empty(3, 3)).dtype == f32
        assert m.clone().addmm_(m, m).dtype == f32
        assert karat.cat([m, h], out=karat.empty(6, 3, dtype=bf16)).dtype == bf16
        with pytest.raises(RuntimeError, match="^Expected out tensor to have dtype float, but got c10::BFloat16 instead"):
            karat.mm(m, m, out=karat.empty(3, 3, dtype=bf16))
        with pytest.raises(RuntimeError, match="^tensordot: Expected the output tensor to have dtype BFloat16"):
            karat.tensordot(m, m, 1, out=karat.empty(3, 3))


def dtypes_on_meta():
    m = karat.ones(3, 3, device="meta")
    return (m @ m).dtype, karat.mv(m, m[0]).dtype, m.half().exp().dtype


def test_meta_tensors_stand_for_the_devices_of_the_innermost_region():
    left_alone, of_the_cpu, of_cuda = (f32, f32, f16), (bf16, f32, f16), (f16, f16, f32)
    assert dtypes_on_meta() == left_alone
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of CUDA, which may not be here
        with karat.autocast("cpu", dtype=bf16):
            assert dtypes_on_meta() == of_the_cpu
            with karat.autocast("cuda", dtype=f16):
                assert dtypes_on_meta() == of_cuda
                with karat.autocast("cpu", enabled=False):
                    assert dtypes_on_meta() == left_alone
                with karat.autocast("xpu"):
                    assert dtypes_on_meta() == left_alone
                assert dtypes_on_meta() == of_cuda
            assert dtypes_on_meta() == of_the_cpu
            seen = []
            thread = threading.Thread(target=lambda: seen.append(dtypes_on_meta()))
            thread.start()
            thread.join()
            assert seen == [left_alone]
    assert dtypes_on_meta() == left_alone
    karat.set_autocast_enabled("cuda", True)
    assert dtypes_on_meta() == of_cuda
    karat.set_autocast_enabled("cuda", False)
    assert dtypes_on_meta() == left_alone


def test_training_on_meta_under_autocast():
    linear, seen = karat.nn.Linear(3, 3, device="meta"), []

    def part(x):
        seen.append(linear(x).dtype)
        return linear(x)

    with autocast():
        y = karat.utils.checkpoint.checkpoint(part, karat.ones(2, 3, device="meta"), use_reentrant=False)
    assert y.dtype == bf16 and graph(y).startswith("Addmm(ToCopy(AccumulateGrad)")
    y.sum().backward()
    assert seen == [bf16, bf16] and linear.weight.grad.dtype == f32
    assert karat.get_autocast_dtype(KIND) == (f16 if DEVICE else bf16)
    with warnings.catch_warnings(), karat.autocast("cpu"):
        warnings.simplefilter("ignore")
        with karat.autocast("cuda", dtype=bf16):  # which lowers to float16 by itself
            y = karat.utils.checkpoint.checkpoint(part, karat.ones(2, 3, device="meta"), use_reentrant=False)
        y.sum().backward()
        assert seen[2:] == [bf16, bf16] and _karat.get_autocast_meta() == "cpu"
    with pytest.raises(TypeError, match="a device type must be str, not float"):
        _karat.set_autocast_meta(0.5)
    with pytest.raises(RuntimeError, match="unknown device type for autocast"):
        _karat.set_autocast_meta("meta")


def test_policies_refuse_the_casts():
    m = ones(3, 3)
    with autocast(), karat.policy("strict"):
        with pytest.raises(TypeError, match=r"refuses to convert self from float32 to bfloat16 in mm \(autocast\)"):
            karat.mm(m, m)
        assert karat.mm(m.bfloat16(), m.bfloat16()).dtype == bf16


def test_lineage(capsys):
    m = ones(3, 3)
    with autocast():
        karat.explain(F.linear(m, m))
    assert "autocast to bfloat16, linear" in capsys.readouterr().out


def test_the_state_is_the_threads():
    seen = []
    with autocast(f16):
        assert _karat.get_autocast(KIND) == (True, f16)
        thread = threading.Thread(target=lambda: seen.append(_karat.get_autocast(KIND)))
        thread.start()
        thread.join()
    off = (False, f16 if DEVICE else bf16)
    assert seen == [off] and _karat.get_autocast(KIND) == off
    assert _karat.get_autocast_cache() is True
    for wrong, error in ((("meta", True, bf16), RuntimeError), (("cpu", True, 3), TypeError), ((3, True, bf16), TypeError),
                         (("nowhere", True, bf16), RuntimeError)):
        with pytest.raises(error):
            _karat.set_autocast(*wrong)
    with pytest.raises(RuntimeError, match="unknown device type for autocast"):
        _karat.get_autocast("meta")
