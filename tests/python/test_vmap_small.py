"""The small functions of bench/vmap.py: vmap of them is a loop over the rows, and what a row refuses is refused in its words."""

import importlib
import pathlib
import sys

import pytest

import karat as torch
import karat.nn.functional as F
from karat.func import grad, vmap

ROWS = 5


def work():
    folder = str(pathlib.Path(__file__).resolve().parents[2] / "bench")
    sys.path.insert(0, folder)
    try:
        bench = importlib.import_module("vmap")
    finally:
        sys.path.remove(folder)
    return {name: what for name, what in bench.WORK.items() if not isinstance(what[-1], dict)}


WORK = work()


def tensors(out):
    return [out] if isinstance(out, torch.Tensor) else [t for part in out for t in tensors(part)]


def compare_with_a_loop(function, given, dims, **near):
    batched = tensors(vmap(function, in_dims=dims)(*given))
    rows = [tensors(function(*(t if d is None else t[i] for t, d in zip(given, dims)))) for i in range(ROWS)]
    for i, t in enumerate(batched):
        alone = torch.stack([row[i] for row in rows])
        assert t.dtype is alone.dtype
        torch.testing.assert_close(t, alone, equal_nan=True, **near)


@pytest.mark.parametrize("name", WORK)
def test_is_a_loop(name):
    make, *makers = WORK[name]
    torch.manual_seed(1)
    dims = tuple(None if hasattr(maker, "is_shared") else 0 for maker in makers)
    compare_with_a_loop(make(torch, F, torch.func), [maker(torch, ROWS) for maker in makers], dims, rtol=1e-4, atol=1e-4)


def made(sizes, dims):
    return [torch.randn(*(ROWS,) * (d == 0), *size).double() for size, d in zip(sizes, dims)]


def said(call):
    with pytest.raises((RuntimeError, IndexError)) as error:
        call()
    return str(error.value).splitlines()[0]


@pytest.mark.cpu_only("a device says so late, and in other words")
@pytest.mark.parametrize("row", [
    lambda x, i, y: x.index_add(0, i, y), lambda x, i, y: x.index_copy(0, i, y), lambda x, i, y: x.clone().index_add_(0, i, y),
    lambda x, i, y: F.embedding(i, x[:, None])])
def test_an_index_beyond_is_refused_as_for_one_row(row):
    x, y, bad = torch.zeros(3, 4), torch.ones(3, 2), torch.tensor([[0, 1], [2, 9], [1, 1]])
    assert said(lambda: vmap(row)(x, bad, y)) == said(lambda: row(x[1], bad[1], y[1]))
    assert x.abs().sum() == 0


def test_written_at_own_indices_in_place():
    x, i, y = torch.zeros(3, 4), torch.tensor([[0, 0], [2, 3], [1, 1]]), torch.rand(3, 2)
    vmap(lambda x, i, y: x.index_add_(0, i, y, alpha=2))(x, i, y)
    want = torch.zeros(3, 4)
    for k in range(3):
        want[k].index_add_(0, i[k], y[k], alpha=2)
    torch.testing.assert_close(x, want)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dims", [(0, 0, 0), (0, 0, None), (None, 0, 0), (0, None, 0), (None, 0, None)])
def test_convolutions_of_own_weights(groups, transposed, dims):
    f = F.conv_transpose2d if transposed else F.conv2d
    sizes = [(2, 4, 6, 5), (4, 6 // groups, 3, 2) if transposed else (6, 4 // groups, 3, 2), (6,)]
    given = made(sizes, dims)

    def call(x, w, b):
        return f(x, w, b, stride=2, padding=1, groups=groups)

    def slopes(x, w, b):
        return grad(lambda x, w, b: call(x, w, b).pow(3).sum(), argnums=(0, 1, 2))(x, w, b)

    for function in (call, slopes):
        compare_with_a_loop(function, given, dims)


@pytest.mark.parametrize("norm", [
    lambda x, w, b: F.layer_norm(x, (6,), w, b), lambda x, w, b: F.group_norm(x.reshape(2, 6, 4), 3, w, b),
    lambda x, w, b: F.batch_norm(x.reshape(8, 6), None, None, w, b, True),
    lambda x, w, b: F.batch_norm(x.reshape(8, 6), b.detach(), w.detach() ** 2, w, b),
    lambda x, w, b: F.rms_norm(x, (6,), w) + b])
@pytest.mark.parametrize("dims", [(0, 0, 0), (0, None, None), (None, 0, None), (0, None, 0)])
def test_norms_of_own_parameters(norm, dims):
    sizes = [(2, 4, 6), (6,), (6,)]
    given = made(sizes, dims)

    def slopes(x, w, b):
        return grad(lambda x, w, b: norm(x, w, b).pow(3).sum(), argnums=(0, 1, 2))(x, w, b)

    for function in (norm, slopes):
        compare_with_a_loop(function, given, dims)


@pytest.mark.parametrize("p", [1.0, 2.0, float("inf"), 0.0, 3.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_distances_of_small_and_large_lines(p, dtype):
    for n, m, k in ((3, 5, 4), (8, 8, 8), (2, 70, 3), (9, 1, 130)):
        x, y = torch.randn(2, n, k).to(dtype), torch.randn(2, m, k).to(dtype)
        apart = (x[:, :, None] - y[:, None]).abs().double()
        want = apart.amax(-1) if p == float("inf") else (apart != 0).sum(-1).double() if p == 0 else None
        want = apart.pow(p).sum(-1).pow(1 / p) if want is None else want
        for a, b in ((x, y), (x, y.mT.contiguous().mT), (x[:, ::1].clone(), y)):
            torch.testing.assert_close(torch.cdist(a, b, p), want.to(dtype), rtol=1e-4, atol=1e-4)
    x = torch.randn(4, 3)
    x[1, 1] = float("nan")
    assert torch.cdist(x, x, p).isnan().any(1).tolist() == [p != float("inf")] * 4
    refused = said(lambda: torch.cdist(torch.ones(2, 3, 4), torch.ones(3, 3, 4), p))
    assert refused.startswith("The size of tensor a (2) must match")
    assert torch.cdist(torch.randn(2, 1, 3, 4), torch.randn(5, 6, 4), p).shape == (2, 5, 3, 6)


@pytest.mark.parametrize("size", [1, 3, 7, 8, 31, 64, 65])
def test_short_rows_are_broadcast_as_long_ones(size):
    x, y = torch.randn(5, 9, 1), torch.randn(5, 1, size)
    want = torch.stack([torch.stack([x[i, j, 0] + y[i, 0] for j in range(9)]) for i in range(5)])
    assert torch.equal(x + y, want)
    assert torch.equal((x.bfloat16() + y.double()), x.bfloat16().double() + y.double().expand(5, 9, size).contiguous())
    above = (x > 0).expand(5, 9, size).contiguous()
    assert torch.equal(torch.where(x > 0, y, 2.0), torch.where(above, y.expand(5, 9, size), 2.0))
    whole = torch.zeros(5, 9, size)
    whole += x.transpose(0, 1).contiguous().transpose(0, 1) * y
    torch.testing.assert_close(whole, x.expand(5, 9, size).contiguous() * y.expand(5, 9, size).contiguous())
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.floor_divide(torch.ones(5, 9, 1, dtype=torch.int64), torch.zeros(5, 1, size, dtype=torch.int64))


@pytest.mark.parametrize("more", [{"padding_idx": 3}, {"padding_idx": -1}, {"scale_grad_by_freq": True}])
def test_tables_of_each_row_have_the_gradient_that_was_asked_for(more):
    tables, index = torch.randn(2, 4, 3, requires_grad=True), torch.tensor([[0, 3, 3], [1, 2, 3]])
    for rows, dims in (index, 0), (index[0], None):
        made = torch.vmap(lambda i, w: F.embedding(i, w, **more), (dims, 0))(rows, tables)
        each = [F.embedding(rows if dims is None else rows[k], tables[k], **more) for k in range(2)]
        assert torch.equal(made, torch.stack(each))
        got, want = (torch.autograd.grad(y.sum(), tables)[0] for y in (made, torch.stack(each)))
        assert torch.equal(got, want)


def test_one_value_is_selected_once():
    """Of examples without dims there is one value each; more indices are refused as they are of one example."""
    x, rows = torch.tensor([1.5, -2.0]), torch.tensor([[0], [0]])
    assert torch.vmap(lambda v: v.index_select(0, torch.tensor([0])))(x).tolist() == [1.5, -2.0]
    assert torch.vmap(lambda v, i: v.index_select(0, i))(x, rows).tolist() == [1.5, -2.0]
    for index in torch.tensor([0, 0]), torch.tensor([], dtype=torch.int64):
        with pytest.raises(RuntimeError, match="Index to scalar can have only 1 value, got"):
            torch.vmap(lambda v: v.index_select(0, index))(x)


def test_a_trace_has_a_gradient():
    x = torch.arange(8.0).reshape(2, 2, 2).requires_grad_()
    y = vmap(torch.trace)(x)
    assert y.requires_grad and y.tolist() == [3.0, 11.0]
    y.sum().backward()
    assert x.grad.tolist() == [[[1.0, 0.0], [0.0, 1.0]]] * 2
    assert vmap(grad(torch.trace))(x.detach()).tolist() == x.grad.tolist()


def test_a_jacobian_without_rows():
    mask = torch.tensor([False] * 3)
    assert torch.func.jacrev(lambda t: t[mask])(torch.ones(3, 2)).shape == (0, 2, 3, 2)
    assert torch.func.jacrev(lambda t: t[:0].sin())(torch.ones(3)).shape == (0, 3)
