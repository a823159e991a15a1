"""Attention: what torch.nn.functional takes, against products of matrices and a softmax written out; memory; refusals."""

import math
import subprocess
import sys

import karat as torch
import pytest
from karat.nn import functional as F
from karat.nn.attention import SDPBackend, sdpa_kernel
from on_device import DEVICE


def written_out(q, k, v, mask=None, causal=False, scale=None):
    groups = q.shape[-3] // k.shape[-3] if q.dim() > 2 else 1
    if groups > 1:
        k, v = k.repeat_interleave(groups, -3), v.repeat_interleave(groups, -3)
    scores = q @ k.transpose(-1, -2) * (scale if scale is not None else q.shape[-1] ** -0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return scores.softmax(-1) @ v


def leaves(*sizes, dtype=torch.float64):
    return [torch.randn(*size, dtype=dtype).requires_grad_() for size in sizes]


SHAPES = [
    [(2, 3, 5, 8)] + [(2, 3, 7, 8)] * 2,
    [(1, 4, 70, 16)] + [(1, 2, 130, 16)] * 2,
    [(3, 5, 8), (3, 7, 8), (3, 7, 6)],
    [(5, 8), (7, 8), (7, 8)],
    [(70, 8), (66, 8), (66, 8)],
    [(2, 2, 3, 70, 8)] + [(2, 2, 3, 66, 8)] * 2,
    [(2, 3, 70, 8), (1, 3, 66, 8), (2, 1, 66, 8)],
    [(3, 70, 8), (2, 3, 66, 8), (66, 4)],
    [(2, 1, 2, 3, 70, 4), (3, 2, 3, 66, 4), (1, 1, 66, 4)],
]


@pytest.mark.parametrize("sizes", SHAPES)
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.4}, {"scale": -0.4}])
def test_values_and_gradients_are_those_written_out(sizes, options):
    torch.manual_seed(1)
    grouped = len(sizes[0]) > 2 and sizes[0][-3] != sizes[1][-3]
    x = leaves(*sizes)
    y = F.scaled_dot_product_attention(*x, **options, **({"enable_gqa": True} if grouped else {}))
    want = written_out(*x, causal=options.get("is_causal", False), scale=options.get("scale"))
    g = torch.randn(*y.shape, dtype=y.dtype)
    for a, b in zip((y, *torch.autograd.grad(y, x, g)), (want, *torch.autograd.grad(want, x, g))):
        assert a.shape == b.shape and torch.allclose(a, b)
    with torch.no_grad():
        again = F.scaled_dot_product_attention(*x, **options, **({"enable_gqa": True} if grouped else {}))
    assert torch.allclose(again, want)


@pytest.mark.parametrize("sizes", [(5, 7), (1, 7), (5, 1), (2, 3, 5, 7), (2, 1, 1, 7), (3, 5, 7)])
@pytest.mark.parametrize("kind", ["bool", "float", "grad"])
def test_masks(sizes, kind):
    torch.manual_seed(2)
    x = leaves((2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8))
    mask = torch.rand(sizes) > 0.3 if kind == "bool" else torch.randn(sizes, dtype=torch.float64)
    if kind == "bool":
        mask[..., 0] = True
    if kind == "grad":
        x.append(mask.requires_grad_())
    y, want = F.scaled_dot_product_attention(*x[:3], attn_mask=mask), written_out(*x[:3], mask=mask)
    g = torch.randn(*y.shape, dtype=y.dtype)
    for a, b in zip((y, *torch.autograd.grad(y, x, g)), (want, *torch.autograd.grad(want, x, g))):
        assert torch.allclose(a, b)


@pytest.mark.parametrize("dtype,eps", [(torch.float32, 2e-3), (torch.bfloat16, 2e-2), (torch.float64, 1e-6)])
@pytest.mark.parametrize("hidden", [-1e4, -1e9, "min"])
@pytest.mark.parametrize("kind", ["plain", "causal", "grad", "three dims", "grouped"])
def test_rows_that_large_numbers_hide(dtype, eps, hidden, kind):
    """The logarithm of such a row's sum holds little of the sum, or nothing."""
    torch.manual_seed(16)
    x = leaves((1, 4, 70, 8), *[(1, 2 if kind == "grouped" else 4, 130, 8)] * 2)
    if kind == "three dims":
        x = [t.detach()[0].requires_grad_() for t in x]
    mask = torch.zeros(70, 130, dtype=torch.float64)
    if kind == "causal":
        mask.masked_fill_(torch.ones(70, 130, dtype=torch.bool).triu(1), -math.inf)
    mask[3:40] += torch.finfo(dtype).min / 2 if hidden == "min" else hidden
    if kind == "grad":
        x.append(mask.requires_grad_())
    narrow = [t.detach().to(dtype).requires_grad_() for t in x]
    y = F.scaled_dot_product_attention(*narrow[:3], attn_mask=narrow[3] if kind == "grad" else mask.to(dtype),
                                       enable_gqa=kind == "grouped")
    compute = torch.float64 if dtype == torch.float64 else torch.float32
    wide = [t.detach().to(compute).requires_grad_() for t in narrow]
    want = written_out(*wide[:3], mask=wide[3] if kind == "grad" else mask.to(dtype).to(compute))
    g = torch.randn(*y.shape, dtype=torch.float64).to(dtype)
    for a, b in zip(torch.autograd.grad(y, narrow, g), torch.autograd.grad(want, wide, g.to(compute))):
        assert (a.to(compute) - b).abs().max() < eps * b.abs().max()


@pytest.mark.parametrize("lead", [(), (3,), (2, 3), (2, 2, 3)])
@pytest.mark.parametrize("own", [0, 1, 2, 3])
@pytest.mark.parametrize("row,column", [(70, 66), (1, 66), (70, 1), (1, 1)])
def test_a_mask_has_a_gradient_of_its_size(lead, own, row, column):
    """The mask has the last `own` leading dims, those before of size 1; the kernel's tiles are 64 by 64."""
    torch.manual_seed(12)
    x = leaves((*lead, 70, 8), (*lead, 66, 8), (*lead, 66, 4))
    shape = (*(n if i >= len(lead) - own else 1 for i, n in enumerate(lead)), row, column)
    x.append(torch.randn(shape, dtype=torch.float64).requires_grad_())
    y, want = F.scaled_dot_product_attention(*x), written_out(*x[:3], mask=x[3])
    g = torch.randn(*y.shape, dtype=y.dtype)
    for a, b in zip((y, *torch.autograd.grad(y, x, g)), (want, *torch.autograd.grad(want, x, g))):
        assert a.shape == b.shape and torch.allclose(a, b)


@pytest.mark.not_on_a_gpu("dropout of attention draws other numbers there than dropout of a matrix")
def test_a_masks_gradient_with_dropout_and_twice():
    torch.manual_seed(13)
    x = leaves((2, 3, 70, 4), (2, 3, 66, 4), (2, 3, 66, 4), (3, 70, 66))
    results = []
    for attend in (lambda: F.scaled_dot_product_attention(*x, dropout_p=0.3),
                   lambda: F.dropout((x[0] @ x[1].mT * 0.5 + x[3]).softmax(-1), 0.3) @ x[2]):
        torch.manual_seed(14)
        y = attend()
        g = torch.ones_like(y)
        first = torch.autograd.grad(y, x, g, retain_graph=True)
        graph = torch.autograd.grad(y, x, g, create_graph=True)
        results.append((y, *first, *torch.autograd.grad(sum((d ** 2).sum() for d in graph), x)))
    assert all(a.shape == b.shape and torch.allclose(a, b) for a, b in zip(*results))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("of_mask", ["own", "float32"])
def test_a_masks_gradient_in_narrow_dtypes(dtype, of_mask):
    torch.manual_seed(15)
    x = [torch.randn(2, 70, 16).to(dtype).requires_grad_() for _ in range(3)]
    x.append(torch.randn(70, 70).to(dtype if of_mask == "own" else torch.float32).requires_grad_())
    wide = [t.detach().double().requires_grad_() for t in x]
    F.scaled_dot_product_attention(*x).sum().backward()
    written_out(*wide[:3], mask=wide[3]).sum().backward()
    for a, b in zip(x, wide):
        assert a.grad.dtype == a.dtype
        assert torch.allclose(a.grad.double(), b.grad, atol=4e-2 if dtype == torch.bfloat16 else 5e-3)


def test_a_mask_of_nobody_has_a_gradient_of_zeros():
    mask = torch.randn(70, 66, requires_grad=True)
    F.scaled_dot_product_attention(torch.ones(0, 70, 4), torch.ones(0, 66, 4), torch.ones(0, 66, 4), mask).sum().backward()
    assert tuple(mask.grad.shape) == (70, 66) and not mask.grad.any()


def test_nan_is_not_hidden_by_a_mask():
    """PyTorch adds -inf where a mask of truths says no."""
    q = torch.tensor([[math.nan], [1.0]])
    for lead in (), (1,), (1, 1):
        ones, mask = torch.ones(*lead, 2, 1), torch.tensor([[False, True]] * 2)
        y = F.scaled_dot_product_attention(q.view(*lead, 2, 1), ones, ones, mask)
        assert y.flatten()[0].isnan() and y.flatten()[1] == 1


@pytest.mark.parametrize("sizes", [[(70, 8), (66, 8), (66, 4)], [(2, 70, 8), (2, 66, 8), (2, 66, 8)],
                                   [(3, 2, 70, 8)] + [(3, 2, 66, 8)] * 2, [(5, 8), (66, 8), (66, 4)]])
@pytest.mark.parametrize("mask", [None, "shared", "own", "rows"])
def test_vmap_is_a_loop(sizes, mask):
    torch.manual_seed(16)
    x = [torch.randn(4, *size, dtype=torch.float64) for size in sizes]
    lead = () if mask == "shared" else (4,)
    more = [] if mask is None else [torch.randn(*lead, 1 if mask == "rows" else sizes[0][-2], 66, dtype=torch.float64)]
    dims = (0, 0, 0) + (() if mask is None else (None if mask == "shared" else 0,))
    of = lambda *t: (F.scaled_dot_product_attention(*t) ** 2).sum()
    wanted = tuple(range(len(dims)))
    got = torch.vmap(torch.func.grad(of, argnums=wanted), in_dims=dims)(*x, *more)
    for i in range(4):
        one = [t[i] for t in x] + [t if mask == "shared" else t[i] for t in more]
        for a, b in zip(got, torch.func.grad(of, argnums=wanted)(*one)):
            assert torch.allclose(a[i], b)


@pytest.mark.parametrize("dtype,slack", [(torch.float32, 1e-5), (torch.bfloat16, 2e-2), (torch.float16, 3e-3)])
def test_narrow_dtypes(dtype, slack):
    torch.manual_seed(3)
    x = [torch.randn(1, 9, 2, 16).to(dtype).transpose(1, 2).requires_grad_() for _ in range(3)]
    y = F.scaled_dot_product_attention(*x, is_causal=True)
    wide = [t.detach().double().requires_grad_() for t in x]
    want = written_out(*wide, causal=True)
    assert y.dtype == dtype and (DEVICE or y.stride() == x[0].stride())  # the plain way's results are contiguous
    y.backward(torch.ones_like(y))
    want.sum().backward()
    assert torch.allclose(y.double(), want, atol=slack)
    for a, b in zip(x, wide):
        assert a.grad.dtype == dtype and torch.allclose(a.grad.double(), b.grad, atol=2 * slack)


# ---- dropout ----

def dropped(q, k, v, p, mask=None, causal=False):
    """The same draws: dropout of the matrix of weights."""
    groups = q.shape[1] // k.shape[1]
    k, v = (t.repeat_interleave(groups, 1) if groups > 1 else t for t in (k, v))
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return F.dropout(scores.softmax(-1), p) @ v


@pytest.mark.not_on_a_gpu("dropout of attention draws other numbers there than dropout of a matrix")
@pytest.mark.parametrize("sizes", [[(2, 3, 5, 8)] + [(2, 3, 7, 8)] * 2, [(1, 4, 130, 16)] + [(1, 2, 70, 16)] * 2,
                                   [(2, 1, 65, 4), (2, 1, 65, 4), (2, 1, 65, 3)]])
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"mask": True}])
def test_dropout_draws_the_numbers_of_the_matrix(sizes, options):
    torch.manual_seed(6)
    x = leaves(*sizes)
    causal, mask = options.get("is_causal", False), None
    if "mask" in options:
        mask = torch.rand(sizes[0][2], sizes[1][2]) > 0.3
        mask[:, 0] = True
    results, after = [], []
    for attend in (lambda: F.scaled_dot_product_attention(*x, mask, 0.3, causal, enable_gqa=True),
                   lambda: dropped(*x, 0.3, mask, causal)):
        torch.manual_seed(7)
        y = attend()
        after.append(torch.rand(1).item())
        g = torch.ones_like(y)
        first = torch.autograd.grad(y, x, g, retain_graph=True)
        graph = torch.autograd.grad(y, x, g, create_graph=True)
        second = torch.autograd.grad(sum((d ** 2).sum() for d in graph), x)
        results.append((y, *first, *graph, *second))
    assert after[0] == after[1]
    assert all(a.shape == b.shape and torch.allclose(a, b) for a, b in zip(*results))


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_dropout_of_nothing_and_of_all(p):
    x = leaves(*[(1, 2, 4, 8)] * 3)
    y = F.scaled_dot_product_attention(*x, dropout_p=p)
    assert torch.allclose(y, torch.zeros_like(y) if p else written_out(*x))


@pytest.mark.parametrize("sizes", [[(2, 3, 0, 8)] + [(2, 3, 7, 8)] * 2, [(2, 3, 5, 8)] + [(2, 3, 0, 8)] * 2,
                                   [(0, 3, 5, 8)] + [(0, 3, 7, 8)] * 2, [(2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 0)]])
def test_empty(sizes):
    x = leaves(*sizes)
    y = F.scaled_dot_product_attention(*x)
    assert tuple(y.shape) == (*sizes[0][:-1], sizes[2][-1]) and not y.any()
    y.sum().backward()
    assert all(tuple(t.grad.shape) == tuple(t.shape) and not t.grad.any() for t in x)


def test_a_second_derivative_where_pytorch_has_one():
    torch.manual_seed(4)
    x = leaves((2, 70, 2), (2, 66, 2), (2, 66, 2))
    second = []
    for attend in F.scaled_dot_product_attention, written_out:
        first = torch.autograd.grad((attend(*x) ** 2).sum(), x, create_graph=True)
        second.append(torch.autograd.grad(sum((d ** 2).sum() for d in first), x))
    assert all(torch.allclose(a, b) for a, b in zip(*second))


@pytest.mark.cpu_only("a device has the plain way alone")
def test_the_flash_way_has_no_second_derivative():
    x = leaves(*[(1, 1, 3, 2)] * 3)
    first = torch.autograd.grad(F.scaled_dot_product_attention(*x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not"):
        torch.autograd.grad(first[0].sum(), x)


@pytest.mark.cpu_only("the test counts the CPU's memory")
@pytest.mark.not_sanitized("long, and counts the same memory")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_memory_is_linear_in_the_length(dtype):
    """8192 queries and keys: their scores would take 512 MiB, twice on the way back. Also for values of another width, and where
    rows do not lie together."""
    program = """
import karat as torch
from karat.nn import functional as F
x = [torch.randn(1, 2, 8192, 16).to(torch.DTYPE).requires_grad_() for _ in range(3)]
narrow, turned = torch.randn(1, 2, 8192, 8).to(torch.DTYPE), torch.randn(1, 2, 16, 8192).to(torch.DTYPE).transpose(2, 3)
for p, v in (0.0, x[2]), (0.1, x[2]), (0.0, narrow), (0.0, turned):
    y = F.scaled_dot_product_attention(x[0], x[1], v, dropout_p=p, is_causal=True)
    y.backward(torch.ones_like(y))
print(torch.memory_stats()["peak_bytes"] < 96 << 20, all(t.grad.isfinite().all() for t in x))
"""
    run = subprocess.run([sys.executable, "-c", program.replace("DTYPE", dtype)], capture_output=True, text=True)
    assert run.stdout.split() == ["True", "True"], run.stderr


@pytest.mark.cpu_only("the test counts the CPU's memory")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("sizes,mask", [((6144, 8), ()), ((2, 4096, 8), ()), ((2, 1, 2, 3072, 8), ()), ((2, 4096, 8), (1, 4096)),
                                        ((2, 2, 3072, 8), (3072, 1)), ((64, 768, 8), (768, 768))])
def test_no_matrix_of_scores_is_held(sizes, mask, dtype):
    """Those of all heads would take 64 MiB or more, and again on the way back. A mask has a gradient of its own size."""
    program = """
import karat as torch
from karat.nn import functional as F
x = [torch.randn(*SIZES).to(torch.DTYPE).requires_grad_() for _ in range(3)]
if MASK:
    x.append(torch.randn(*MASK).to(torch.DTYPE).requires_grad_())
y = F.scaled_dot_product_attention(*x, dropout_p=0.1 * (not MASK))
y.backward(torch.ones_like(y))
print(torch.memory_stats()["peak_bytes"] < 32 << 20, all(t.grad.isfinite().all() for t in x))
"""
    program = program.replace("SIZES", repr(sizes)).replace("MASK", repr(mask)).replace("DTYPE", dtype)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == ["True", "True"], run.stderr


# ---- bfloat16: where the processor has tiles, by them ----

def close(got, want, more=0.0):
    """Products of bfloat16s are summed in float32, but weights are rounded to bfloat16: measured by the largest."""
    return got.shape == want.shape and ((got.double() - want).abs() <= 0.02 * want.abs().amax() + 1e-3 + more).all()


GEOMETRIES = [  # batch, heads, heads of keys, queries, keys, depth, width
    (1, 1, 1, 1, 1, 1, 1), (2, 3, 3, 1, 257, 64, 64), (1, 2, 2, 64, 64, 64, 64), (2, 4, 2, 33, 75, 24, 40),
    (1, 2, 1, 300, 129, 96, 80), (1, 9, 9, 130, 70, 33, 31), (1, 1, 1, 200, 200, 128, 128), (3, 2, 1, 65, 1, 8, 16),
    (1, 1, 1, 40, 300, 64, 7), (1, 2, 2, 129, 260, 160, 64),
]
OPTIONS = [{}, {"is_causal": True}, {"scale": -0.3}, {"scale": 0.0}, {"mask": "rows"}, {"mask": "line"}, {"mask": "added"},
           {"mask": "added narrow"}, {"is_causal": True, "dropout_p": 0.3}, {"mask": "rows", "dropout_p": 0.2}]


def a_mask(kind, batch, queries, keys):
    if kind == "rows":
        mask = torch.rand(queries, keys) > 0.4
        mask[::3, :keys - 1] = False  # a single key is left
        mask[:, -1] = True
        return mask
    if kind == "line":
        mask = torch.rand(batch, 1, 1, keys) > 0.4
        mask[..., 0] = True
        return mask
    return torch.randn(batch, 1, queries, keys).to(torch.float32 if kind == "added" else torch.bfloat16)


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("sizes", GEOMETRIES, ids=str)
def test_bfloat16(sizes, options):
    torch.manual_seed(8)
    batch, heads, shared, queries, keys, depth, width = sizes
    options = dict(options)
    kind, p, causal = options.pop("mask", None), options.get("dropout_p", 0.0), options.get("is_causal", False)
    mask = a_mask(kind, batch, queries, keys) if kind else None
    x = [torch.randn(batch, n, h, d).bfloat16().transpose(1, 2).requires_grad_()  # heads beside the columns
         for n, h, d in ((queries, heads, depth), (keys, shared, depth), (keys, shared, width))]
    if heads % 2:
        x = [t.detach().contiguous().requires_grad_() for t in x]
    wide = [t.detach().double().requires_grad_() for t in x]
    torch.manual_seed(9)
    if p:
        want = dropped(*wide, p, mask, causal)
    else:
        want = written_out(*wide, mask=mask.double() if kind and "added" in kind else mask, causal=causal,
                           scale=options.get("scale"))
    g = torch.randn(*want.shape).bfloat16()
    expected = (want, *torch.autograd.grad(want, wide, g.double()))
    results, threads = [], torch.get_num_threads()
    try:
        for n in 1, 2:
            torch.set_num_threads(n)
            torch.manual_seed(9)
            y = F.scaled_dot_product_attention(*x, mask, enable_gqa=True, **options)
            results.append((y, *torch.autograd.grad(y, x, g)))
    finally:
        torch.set_num_threads(threads)
    more = 0.1 if p else 0.0  # the output is rounded, and of a single key a difference of equal numbers is left
    assert all(a.dtype == torch.bfloat16 and close(a, b, more) for a, b in zip(results[0], expected))
    assert all(torch.equal(a, b) for a, b in zip(*results))


@pytest.mark.parametrize("stride", [2, 3])
def test_bfloat16_rows_that_are_not_dense(stride):
    torch.manual_seed(10)
    x = [torch.randn(1, 2, n, 40 * stride).bfloat16()[..., ::stride] for n in (70, 90, 90)]
    with torch.no_grad():
        y = F.scaled_dot_product_attention(*x)
        dense = F.scaled_dot_product_attention(*[t.contiguous() for t in x])
    # on a GPU rows that are dense may go to a library: weights and result are rounded elsewhere
    assert torch.equal(y, dense) if y.device.type == "cpu" else (y - dense).abs().max() <= 2.0**-6 * dense.abs().max()


def test_bfloat16_of_no_keys_and_no_queries():
    for queries, keys in (0, 7), (5, 0):
        x = leaves((1, 2, queries, 8), (1, 2, keys, 8), (1, 2, keys, 8), dtype=torch.bfloat16)
        y = F.scaled_dot_product_attention(*x)
        y.sum().backward()
        assert tuple(y.shape) == (1, 2, queries, 8) and not y.any() and not any(t.grad.any() for t in x)


def test_bfloat16_where_all_is_masked():
    torch.manual_seed(11)
    x = leaves((1, 2, 70, 32), (1, 2, 150, 32), (1, 2, 150, 32), dtype=torch.bfloat16)
    mask = torch.zeros(70, 150, dtype=torch.bool)
    mask[1::2] = torch.rand(35, 150) > 0.5
    y = F.scaled_dot_product_attention(*x, attn_mask=mask)
    y.backward(torch.ones_like(y))
    assert not y[:, :, ::2].any() and y[:, :, 1::2].any() and not y.isnan().any()
    assert not x[0].grad[:, :, ::2].any() and not any(t.grad.isnan().any() for t in x)
    added = torch.full((70, 150), -math.inf).masked_fill(mask, 0.0)
    assert torch.equal(F.scaled_dot_product_attention(*x, attn_mask=added), y)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("which", ["query", "key", "value"])
def test_bfloat16_numbers_that_are_none(bad, which):
    """They reach those queries that they reach in float64."""
    torch.manual_seed(12)
    x = [torch.randn(1, 1, 100, 16).bfloat16() for _ in range(3)]
    x[("query", "key", "value").index(which)][0, 0, 37, 3] = bad
    with torch.no_grad():
        y, want = F.scaled_dot_product_attention(*x), written_out(*[t.double() for t in x])
    assert torch.equal(y.isfinite(), want.isfinite()) and torch.equal(y.isnan(), want.isnan())
    assert close(y.nan_to_num(0, 0, 0), want.nan_to_num(0, 0, 0))


@pytest.mark.cpu_only("a device may lose less")
def test_bfloat16_what_no_query_sees_has_no_gradient():
    """The rest of a block, where there are no queries, adds nothing: neither does a key whose scores are all -inf."""
    torch.manual_seed(13)
    x = [torch.rand(1, 1, n, 16).bfloat16() for n in (20, 50, 50)]
    x[1][0, 0, 7, 3] = -math.inf
    x = [t.requires_grad_() for t in x]
    F.scaled_dot_product_attention(*x).sum().backward()
    assert x[2].grad.isfinite().all() and not x[2].grad[0, 0, 7].any() and x[2].grad[0, 0, 8].all()


@pytest.mark.parametrize("bits", [-1, 0x7fffffff, 0x7fc00000])
def test_bfloat16_a_nan_of_any_bits_in_a_mask(bits):
    torch.manual_seed(14)
    x = leaves(*[(1, 1, 40, 16)] * 3, dtype=torch.bfloat16)
    mask = torch.zeros(40, 40)
    mask[5, 9] = torch.tensor(bits, dtype=torch.int32).view(torch.float32)
    y = F.scaled_dot_product_attention(*x, attn_mask=mask)
    y.sum().backward()
    assert y[0, 0, 5].isnan().all() and y.isnan().sum() == 16
    assert x[0].grad[0, 0, 5].isnan().all() and x[2].grad.isnan().all() and x[1].grad.isnan().all()


# ---- refusals ----

MISTAKES = [
    (lambda x: F.scaled_dot_product_attention(x, x.half(), x), RuntimeError,
     "Expected query, key, and value to have the same dtype, but got query.dtype: float key.dtype: c10::Half and value.dtype: "
     "float instead."),
    (lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(5)), IndexError,
     "Dimension out of range (expected to be in range of [-1, 0], but got -2)"),
    (lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(4, 5, 5)), RuntimeError,
     "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"),
    (lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(1, 1, 1, 5, 5)), RuntimeError,
     "output with shape [2, 3, 5, 5] doesn't match the broadcast shape [1, 2, 3, 5, 5]"),
    (lambda x: F.scaled_dot_product_attention(x[0], x[0], x[0], attn_mask=torch.ones(5, 5), is_causal=True), RuntimeError,
     "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"),
    (lambda x: F.scaled_dot_product_attention(x, x[..., :6], x), RuntimeError,
     "Expected size for first two dimensions of batch2 tensor to be: [6, 8] but got: [6, 6]."),
    (lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=-1.0), RuntimeError,
     "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0"),
    (lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=1.5), RuntimeError,
     "dropout probability has to be between 0 and 1, but got 1.5"),
    (lambda x: F.scaled_dot_product_attention(x.long(), x.long(), x.long()), RuntimeError,
     "expected scalar type Float but found Long"),
    (lambda x: F.scaled_dot_product_attention(x.to(torch.complex64), x.to(torch.complex64), x.to(torch.complex64)),
     NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'ComplexFloat'"),
    (lambda x: F.scaled_dot_product_attention(x, x), TypeError,
     'scaled_dot_product_attention() missing 1 required positional arguments: "value"'),
    (lambda x: F.scaled_dot_product_attention(x, x, x, None, 0.0, False, 0.3), TypeError,
     "scaled_dot_product_attention() takes from 3 to 6 positional arguments but 7 were given"),
]


@pytest.mark.parametrize("call,kind,text", MISTAKES)
def test_refusals_are_pytorchs(call, kind, text):
    with pytest.raises(kind) as e:
        call(torch.randn(2, 3, 5, 8))
    assert str(e.value).splitlines()[0] == text


@pytest.mark.cpu_only("a device has the plain way alone")
def test_what_the_kernel_refuses_is_taken_elsewhere():
    """A mask of one dim is broadcast, and a probability below 0 drops nothing, where PyTorch has no kernel."""
    for sizes in ((3, 5, 8), (5, 8), (2, 3, 5, 8)):
        x, mask = torch.randn(*sizes), torch.randn(5)
        want = F.scaled_dot_product_attention(x, x, x, mask.expand(5, 5))
        if len(sizes) == 4:
            for value in (x, x[..., :3]):
                with pytest.raises(IndexError, match="Dimension out of range"):
                    F.scaled_dot_product_attention(x, x, value, mask)
            with pytest.raises(RuntimeError, match="Currently do not support dropout > 0"):
                F.scaled_dot_product_attention(x, x, x, dropout_p=math.nan)
        else:
            torch.testing.assert_close(F.scaled_dot_product_attention(x, x, x, mask), want)
            torch.testing.assert_close(F.scaled_dot_product_attention(x, x, x, dropout_p=-1.0),
                                       F.scaled_dot_product_attention(x, x, x))
        mask.requires_grad_()
        got = F.scaled_dot_product_attention(x, x, x, mask)
        torch.testing.assert_close(got, want)
        got.sum().backward()
        assert mask.grad.shape == (5,)


# ---- the ways ----

def node(*x):
    return F.scaled_dot_product_attention(*x).grad_fn.name()


@pytest.mark.cpu_only("a device has the plain way alone")
def test_ways_can_be_chosen():
    from karat.nn.attention import SDPBackend, sdpa_kernel

    x = leaves(*[(1, 2, 4, 8)] * 3)
    assert str(SDPBackend.MATH) == "SDPBackend.MATH" and repr(SDPBackend.MATH) == "<SDPBackend.MATH: 0>"
    assert SDPBackend(1) is SDPBackend.FLASH_ATTENTION and int(SDPBackend.ERROR) == -1
    flash = "ScaledDotProductFlashAttentionForCpuBackward0"
    with sdpa_kernel(SDPBackend.MATH):
        assert node(*x) == "UnsafeViewBackward0"
        with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):
            assert node(*x) == flash
        assert node(*x) == "UnsafeViewBackward0"
    assert node(*x) == flash
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION), pytest.raises(RuntimeError, match="No viable backend for scaled_dot"):
        node(*x)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), pytest.raises(RuntimeError, match="No available kernel.  Aborting execution."):
        node(*(t[0] for t in x))
    with pytest.raises(AssertionError, match="Backend must be an instance of SDPBackend or a list of .* instances, got int"):
        with sdpa_kernel(3):
            pass
    assert node(*x) == flash


@pytest.mark.cpu_only("PyTorch's other names of kernels allow the kernel on a device too")
def test_the_switches_of_backends():
    cuda, x = torch.backends.cuda, leaves(*[(1, 2, 4, 8)] * 3)
    assert cuda.flash_sdp_enabled() and cuda.math_sdp_enabled() and cuda.mem_efficient_sdp_enabled() and cuda.cudnn_sdp_enabled()
    cuda.enable_flash_sdp(False)
    try:
        assert not cuda.flash_sdp_enabled() and node(*x) == "UnsafeViewBackward0"
    finally:
        cuda.enable_flash_sdp(True)
    with pytest.warns(FutureWarning, match="sdp_kernel"), cuda.sdp_kernel(enable_flash=False):
        assert node(*x) == "UnsafeViewBackward0"
    with pytest.raises(RuntimeError, match="set_sdp_use_math expects a bool, but got int"):
        cuda.enable_math_sdp(1)


# ---- several heads ----

SIZE, HEADS = 8, 2


def heads_written_out(q, k, v, w, b, ow, ob, mask=None):
    """[length, batch, size], head by head."""
    parts = [F.linear(x, part, bias) for x, part, bias in zip((q, k, v), w.chunk(3), b.chunk(3))]
    outs, weights = [], []
    for h in range(HEADS):
        one = [p[..., h * SIZE // HEADS:(h + 1) * SIZE // HEADS].transpose(0, 1) for p in parts]
        scores = one[0] @ one[1].transpose(1, 2) * (SIZE // HEADS) ** -0.5
        scores = scores if mask is None else scores + mask
        weights.append(scores.softmax(-1))
        outs.append((weights[-1] @ one[2]).transpose(0, 1))
    return F.linear(torch.cat(outs, -1), ow, ob), sum(weights) / HEADS


def heads_of(q, k=None, v=None, w=None, b=None, ow=None, ob=None, bias=(None, None), zero=False, p=0.0, **options):
    k = q if k is None else k
    return F.multi_head_attention_forward(q, k, k if v is None else v, SIZE, HEADS, w, b, *bias, zero, p, ow, ob, **options)


@pytest.fixture
def projections():
    torch.manual_seed(5)
    return {"w": torch.randn(3 * SIZE, SIZE, dtype=torch.float64).requires_grad_(),
            "b": torch.randn(3 * SIZE, dtype=torch.float64),
            "ow": torch.randn(SIZE, SIZE, dtype=torch.float64), "ob": torch.randn(SIZE, dtype=torch.float64)}


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_heads_are_those_written_out(projections, other, masked):
    q = torch.randn(5, 3, SIZE, dtype=torch.float64)
    k = torch.randn(6, 3, SIZE, dtype=torch.float64) if other else q
    mask = torch.rand(5, k.shape[0]) > 0.7 if masked else None
    scores = torch.zeros(mask.shape, dtype=torch.float64).masked_fill_(mask, -1e9) if masked else None
    want, weights = heads_written_out(q, k, k, **projections, mask=scores)
    got = heads_of(q, k, **projections, attn_mask=mask)
    assert torch.allclose(got[0], want) and torch.allclose(got[1], weights)
    lean = heads_of(q, k, **projections, attn_mask=mask, need_weights=False)
    assert lean[1] is None and torch.allclose(lean[0], want)
    a, b = (torch.autograd.grad(y.sum(), projections["w"], retain_graph=True)[0] for y in (got[0], want))
    assert torch.allclose(a, b)
    each = heads_of(q, k, **projections, attn_mask=mask, average_attn_weights=False)[1]
    assert tuple(each.shape) == (3, HEADS, 5, k.shape[0]) and torch.allclose(each.mean(1), weights)
    alone = heads_of(q[:, 1], k[:, 1], **projections, attn_mask=mask)
    assert torch.allclose(alone[0], want[:, 1]) and torch.allclose(alone[1], weights[1])


def test_the_last_projection_may_have_a_size_of_its_own(projections):
    q = torch.randn(5, 3, SIZE, dtype=torch.float64)
    narrow = {**projections, "ow": torch.randn(3, SIZE, dtype=torch.float64), "ob": torch.randn(3, dtype=torch.float64)}
    want, weights = heads_written_out(q, q, q, **narrow)
    for need_weights in (True, False):
        got = heads_of(q, **narrow, need_weights=need_weights)[0]
        assert tuple(got.shape) == (5, 3, 3) and torch.allclose(got, want)
    assert torch.allclose(heads_of(q[:, 1], **narrow)[0], want[:, 1])


def test_padding_and_causal(projections):
    q = torch.randn(5, 3, SIZE, dtype=torch.float64)
    padding = torch.zeros(3, 5, dtype=torch.bool)
    padding[1, 3:] = True
    got = heads_of(q, **projections, key_padding_mask=padding)
    assert not got[1][1, :, 3:].any() and torch.allclose(got[1].sum(-1), torch.ones(3, 5, dtype=torch.float64))
    short = heads_of(q[:3, 1:2], **projections)[0]
    assert torch.allclose(heads_of(q[:3], q, **projections, key_padding_mask=padding)[0][:, 1:2], short)
    future = torch.ones(5, 5, dtype=torch.bool).triu(1)
    want = heads_of(q, **projections, attn_mask=future)[0]
    for need in (False, True):
        assert torch.allclose(heads_of(q, **projections, attn_mask=future, is_causal=True, need_weights=need)[0], want)


def test_more_keys(projections):
    q = torch.randn(5, 3, SIZE, dtype=torch.float64)
    more = torch.randn(1, 1, SIZE, dtype=torch.float64), torch.randn(1, 1, SIZE, dtype=torch.float64)
    y, weights = heads_of(q, **projections, bias=more, zero=True, key_padding_mask=torch.zeros(3, 5, dtype=torch.bool))
    assert tuple(weights.shape) == (3, 5, 7)
    k, v = (F.linear(q, w, b) for w, b in zip(projections["w"].chunk(3)[1:], projections["b"].chunk(3)[1:]))
    nothing = torch.zeros(1, 3, SIZE, dtype=torch.float64)
    static = [torch.cat([t, m.expand(1, 3, SIZE), nothing]).view(7, 3 * HEADS, SIZE // HEADS).transpose(0, 1)
              for t, m in zip((k, v), more)]
    again = heads_of(q, **projections, static_k=static[0], static_v=static[1])
    assert torch.allclose(again[0], y) and torch.allclose(again[1], weights)


@pytest.mark.parametrize("change,kind,text", [
    ({"is_causal": True}, RuntimeError, "Need attn_mask if specifying the is_causal hint."),
    ({"attn_mask": torch.zeros(4, 5)}, RuntimeError,
     "The shape of the 2D attn_mask is torch.Size([4, 5]), but should be (5, 5)."),
    ({"attn_mask": torch.zeros(5, 5, dtype=torch.int64)}, AssertionError,
     "only bool and floating types of attn_mask are supported"),
    ({"key_padding_mask": torch.zeros(5, 3, dtype=torch.bool)}, AssertionError,
     "Expected key_padded_mask.shape[0] to be 3, but got 5"),
    ({"bias": (torch.zeros(1, 1, SIZE), None)}, AssertionError, "bias_k is set but bias_v is None"),
    ({"q": torch.zeros(1, 5, 3, SIZE)}, AssertionError,
     "query should be unbatched 2D or batched 3D tensor but received 4-D query tensor"),
    ({"w": None}, AssertionError, "use_separate_proj_weight is False but in_proj_weight is None"),
    ({"use_separate_proj_weight": True}, AssertionError, "use_separate_proj_weight is True but q_proj_weight is None"),
])
def test_refusals_of_several_heads(projections, change, kind, text):
    with pytest.raises(kind) as e:
        heads_of(**{"q": torch.randn(5, 3, SIZE, dtype=torch.float64), **projections, **change})
    assert str(e.value).replace("karat.Size", "torch.Size").startswith(text)


@pytest.mark.cpu_only("what a device has a kernel for is its own")
def test_the_choice_that_pytorch_makes():
    def choice(*args, **options):
        return torch._fused_sdp_choice(*args, **options)

    q = torch.rand(1, 2, 3, 4)
    assert type(choice(q, q, q)) is int
    for args in ((q, q, q), (q.double(),) * 3, (q.bfloat16(),) * 3, (q, q, q, torch.rand(3, 3)),
                 (q, q, q, torch.rand(3, 3) > 0.5),
                 (q, q, q, None, 0.0, True), (q, torch.rand(1, 2, 5, 4), torch.rand(1, 2, 5, 4)), (q, q, q, None, -1.0),
                 (torch.rand(1, 3, 2, 4).transpose(1, 2), q, q), (torch.rand(1, 2, 3, 4).requires_grad_(), q, q)):
        assert choice(*args) == 1
    for args in ((q[0],) * 3, (q[0, 0],) * 3, (q[0, 0, 0],) * 3, (q.long(),) * 3, (q, q.double(), q), (q, q, q, None, 0.5),
                 (q, q, torch.rand(1, 2, 3, 5)), (q, q, q, torch.rand(3, 3).requires_grad_()), (q, q, q, torch.rand(2, 3, 3)),
                 (torch.rand(1, 2, 4, 3).transpose(2, 3), q, q), (q, torch.rand(1, 1, 3, 4), torch.rand(1, 1, 3, 4)),
                 (q[:, :, :0], q, q), (q, torch.rand(2, 2, 3, 4), torch.rand(2, 2, 3, 4))):
        assert choice(*args) == 0
    one, nowhere = torch.rand(1, 1, 3, 4), torch.empty(1, 2, 3, 4, device="meta")
    assert choice(q, one, one, enable_gqa=True) == 1 and choice(nowhere, nowhere, nowhere) == 0
    with sdpa_kernel(SDPBackend.MATH):
        assert choice(q, q, q) == 0
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        with pytest.raises(RuntimeError, match="^No available kernel.  Aborting execution."):
            choice(q[0], q[0], q[0])


@pytest.mark.parametrize("heads,width,causal,masked", [(2, 3, False, False), (1, 3, True, False), (2, 4, False, True)])
def test_second_derivatives_where_pytorch_has_them(heads, width, causal, masked):
    """Where PyTorch's attention is made of operators: values of another width, or rows that do not lie together."""
    torch.manual_seed(5)
    q, k = torch.randn(1, 2, 3, 4, dtype=torch.float64), torch.randn(1, heads, 5, 4, dtype=torch.float64)
    v = torch.randn(1, heads, width, 5, dtype=torch.float64).transpose(2, 3)
    mask = torch.tensor([[True, True, False, True, True]] * 3) if masked else None
    attend = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, enable_gqa=True)
    operands = [t.requires_grad_() for t in (q, k, v)]
    assert torch.autograd.gradcheck(attend, operands) and torch.autograd.gradgradcheck(attend, operands)


@pytest.mark.cpu_only("a GPU's kernels skip tiles of other sizes")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("queries,keys,at", [(8, 8, 3), (70, 70, 40), (3, 100, 90), (130, 130, 129), (100, 10, 9)])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_value_that_is_none_spoils_queries_before_it(dtype, queries, keys, at, bad):
    """The weight of a later key is 0, and that is multiplied: by all blocks, whatever their sizes are."""
    torch.manual_seed(3)
    q, k, v = (torch.randn(1, 2, n, 8, dtype=dtype) for n in (queries, keys, keys))
    v[0, 0, at, 2] = bad
    for t in (q, k, v):
        t.requires_grad_()
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    of_query, of_key, of_value = torch.autograd.grad(y, (q, k, v), torch.ones_like(y))
    assert not y.isfinite()[0, 0, :, 2].any() and y.isnan()[0, 0, :at, 2].all()
    assert y[0, 0, :, :2].isfinite().all() and y[0, 1].isfinite().all()
    assert of_query[0, 0].isnan().all() and of_key[0, 0].isnan().all()
    assert all(t[0, 1].isfinite().all() for t in (of_query, of_key, of_value)) and of_value.isfinite().all()


@pytest.mark.cpu_only("a GPU's kernels skip tiles of other sizes")
@pytest.mark.parametrize(
    "length,at,first", [(600, 599, 512), (1100, 1030, 1024), (1100, 500, 0), (1024, 512, 512), (513, 511, 0)]
)
def test_a_value_that_is_none_spoils_a_block_of_512_queries(length, at, first):
    """Blocks that end before the key do not read it, as in PyTorch."""
    torch.manual_seed(4)
    q, k, v = (torch.randn(1, 2, length, 8) for _ in range(3))
    v[0, 0, at, 2] = math.nan
    for t in (q, k, v):
        t.requires_grad_()
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    of_query, of_key, of_value = torch.autograd.grad(y, (q, k, v), torch.ones_like(y))
    assert y[0, 0, first:, 2].isnan().all() and y[0, 0, :first].isfinite().all()
    assert of_query[0, 0, first:].isnan().all() and of_query[0, 0, :first].isfinite().all()
    assert of_key[0, 0].isnan().all() and of_value.isfinite().all()


@pytest.mark.cpu_only("a GPU's kernels skip tiles of other sizes")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("length", [4, 70])
def test_a_query_of_nan_gives_later_values_no_gradient(dtype, length):
    """A key after a query has a weight of 0 whatever the scores are."""
    torch.manual_seed(2)
    q, k, v = (torch.randn(1, 1, length, 8, dtype=dtype) for _ in range(3))
    q[0, 0, 2, 0] = math.nan
    for t in (q, k, v):
        t.requires_grad_()
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    grad, = torch.autograd.grad(y, v, torch.ones_like(y))
    assert y.isnan().all(-1)[0, 0].tolist() == [i == 2 for i in range(length)]
    assert grad.isnan().all(-1)[0, 0].tolist() == [i <= 2 for i in range(length)]


def test_no_heads_are_as_many_as_no_heads():
    q, k = torch.ones(3, 0, 3, 8), torch.ones(3, 0, 1, 8)
    assert F.scaled_dot_product_attention(q, k, k, attn_mask=torch.ones(3, 1), enable_gqa=True).shape == (3, 0, 3, 8)
    with pytest.raises(RuntimeError, match="Number of heads in key and value must divide the number of heads in "):
        F.scaled_dot_product_attention(torch.ones(3, 2, 3, 8), k, k, attn_mask=torch.ones(3, 1), enable_gqa=True)
