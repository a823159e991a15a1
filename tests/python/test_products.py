"""Products as Python calls them: dims in two forms, any number of tensors, subscripts as text or as lists."""

import math

import cast_first
import pytest

import karat


def numbers(*shape):
    count = 1
    for size in shape:
        count *= size
    return karat.tensor([(7 * i) % 11 - 5.0 for i in range(count)]).reshape(shape)


def dense(t):
    return t.tolist()


def test_tensordot_takes_dims_in_two_forms():
    a, b = numbers(2, 3, 4), numbers(3, 4, 5)
    want = dense(a.reshape(2, 12) @ b.reshape(12, 5))
    assert dense(karat.tensordot(a, b)) == want
    assert dense(karat.tensordot(a, b, dims=2)) == want
    assert dense(karat.tensordot(a, b, dims=([1, 2], [0, 1]))) == want
    assert dense(karat.tensordot(a, b, ([-1, 1], [1, 0]))) == want
    out = karat.empty(0)
    assert karat.tensordot(a, b, out=out) is out and dense(out) == want
    assert karat.tensordot(a, b, 0).shape == (2, 3, 4, 3, 4, 5)


@pytest.mark.parametrize(
    "dims, text",
    [
        (-1, "tensordot expects dims >= 0, but got dims=-1"),
        (4, "tensordot expects dims < ndim_a or ndim_b, but got dims=4"),
        (([0, 1], [0]), "both dimension lists should have same length"),
    ],
)
def test_tensordot_refuses(dims, text):
    with pytest.raises(RuntimeError) as e:
        karat.tensordot(numbers(2, 3), numbers(3, 2), dims)
    assert str(e.value).split("\n")[0] == text


def test_einsum_in_every_notation():
    a, b = numbers(2, 3), numbers(3, 4)
    want = dense(a @ b)
    assert dense(karat.einsum("ij,jk->ik", a, b)) == want
    assert dense(karat.einsum("ij,jk->ik", [a, b])) == want
    assert dense(karat.einsum("ij,jk", (a, b))) == want
    assert dense(karat.einsum(a, [0, 1], b, [1, 2], [0, 2])) == want
    assert dense(karat.einsum(a, [0, 1], b, [1, 2])) == want
    assert dense(karat.einsum(a, [..., 30], b, [30, 2], [..., 2])) == want
    with pytest.raises(ValueError, match="must specify the equation string and at least one operand"):
        karat.einsum("ij")
    with pytest.raises(ValueError, match="not within the valid range"):
        karat.einsum(a, [0, 52])


def test_any_number_of_tensors():
    a, b, v = numbers(2, 3), numbers(3, 4), numbers(3)
    assert dense(karat.chain_matmul(a, b, b.t())) == dense(a @ b @ b.t())
    assert dense(karat.block_diag(karat.ones(1, 2), karat.tensor(3.0))) == [[1, 1, 0], [0, 0, 3]]
    half, number = karat.ones(2, dtype=karat.float16), karat.tensor(3.0)  # what has no dims is weaker, wherever it stands
    assert karat.block_diag(half, number).dtype is karat.block_diag(number, number, half).dtype is karat.float16
    assert karat.block_diag(half, karat.ones(1), number.double()).dtype is karat.float32
    assert karat.block_diag(karat.ones(1, dtype=karat.int32), number.half()).dtype is karat.float16
    assert dense(karat.cartesian_prod(karat.tensor([1, 2]), karat.tensor([3, 4]))) == [[1, 3], [1, 4], [2, 3], [2, 4]]
    x, y = karat.broadcast_tensors(a, v)
    assert x.shape == y.shape == (2, 3)


def test_functions_by_family():
    a, w, bias = numbers(2, 3), numbers(4, 3), numbers(4)
    assert dense(karat.nn.functional.linear(a, w, bias)) == dense(a @ w.t() + bias)
    assert dense(karat.linalg.multi_dot([a, w.t(), w])) == dense(a @ w.t() @ w)
    assert dense(karat.linalg.matrix_power(karat.ones(2, 2), 3)) == [[4, 4], [4, 4]]


def test_addmm_has_three_forms():
    c, a, b = numbers(2, 4), numbers(2, 3), numbers(3, 4)
    want = dense(c * 2 - a @ b)
    assert dense(karat.addmm(c, a, b, beta=2, alpha=-1)) == want
    assert dense(c.addmm(a, b, beta=2, alpha=-1)) == want
    out = karat.empty(0)
    assert karat.addmm(c, a, b, beta=2, alpha=-1, out=out) is out and dense(out) == want
    assert c.addmm_(a, b, beta=2, alpha=-1) is c and dense(c) == want


def test_nodes_are_named_as_in_torch():
    a, b = karat.ones(2, 2, requires_grad=True), karat.ones(3, 2, 2, requires_grad=True)
    v = karat.ones(2, requires_grad=True)
    names = {
        "AddmmBackward0": karat.nn.functional.linear(a, a, v),
        "MmBackward0": a @ a,
        "MvBackward0": a @ v,
        "DotBackward0": v @ v,
        "VdotBackward0": karat.vdot(v, v),
        "BmmBackward0": karat.bmm(b, b),
        "BaddbmmBackward0": karat.baddbmm(v, b, b),
        "AddmvBackward0": karat.addmv(v, a, v),
        "UnsafeViewBackward0": b @ a,
        "ViewBackward0": karat.nn.functional.linear(b, a, v),
    }
    for name, result in names.items():
        assert result.grad_fn.name() == name


def test_products_with_a_node_of_their_own():
    def node(t):
        return type(t.grad_fn).__name__

    a, u, v = (karat.arange(n).to(karat.float32).requires_grad_() for n in (6, 2, 3))
    y = karat.addr(a.reshape(2, 3), u, v, beta=2, alpha=3)
    assert node(y) == "AddrBackward0" and y.tolist() == [[0, 2, 4], [6, 11, 16]]
    da, du, dv = karat.autograd.grad((y * karat.arange(6).reshape(2, 3)).sum(), [a, u, v])
    assert da.tolist() == [0, 2, 4, 6, 8, 10] and du.tolist() == [15, 42] and dv.tolist() == [9, 12, 15]
    wide = karat.addr(karat.tensor(1.0), u, v.detach().double())  # a factor that was promoted
    assert karat.autograd.grad(wide.sum(), u)[0].tolist() == [3, 3]
    b = karat.ones(3, 2, 2, requires_grad=True)
    z = karat.addbmm(karat.zeros(2, 2), b, b.detach() * 2)
    assert node(z) == "AddbmmBackward0" and z.tolist() == [[12, 12]] * 2
    assert karat.autograd.grad(z.sum(), b)[0].tolist() == [[[4, 4]] * 2] * 3
    p, q = karat.tensor([[1.0, 2, 3]], requires_grad=True), karat.tensor([[0.0, 1, 0], [2, 0, 1]], requires_grad=True)
    w = karat.cross(p, q, dim=1)
    assert node(w) == "LinalgCrossBackward0" and w.tolist() == [[-3, 0, 1], [2, 5, -4]]
    dp, dq = karat.autograd.grad((w * karat.tensor([[1.0, 0, 0], [0, 1, 0]])).sum(), [p, q])
    assert dp.tolist() == [[-1, 0, 1]] and dq.tolist() == [[0, -3, 2], [3, 0, -1]]
    d = karat.block_diag(p, u)
    assert node(d) == "BlockDiagBackward0" and d.tolist() == [[1, 2, 3, 0, 0], [0, 0, 0, 0, 1]]
    assert [g.tolist() for g in karat.autograd.grad((d * d).sum(), [p, u])] == [[[2, 4, 6]], [0, 2]]
    assert node(karat.kron(u, v)) == "UnsafeViewBackward0" and not karat.kron(u, v)._is_view()
    h = karat.zeros(2, 2)
    assert h.addbmm_(karat.ones(3, 2, 2), karat.ones(3, 2, 2)).tolist() == [[6, 6]] * 2 and h._version == 1


def test_tensordot_takes_a_tensor_of_two_rows():
    a, b = karat.ones(2, 3), karat.ones(3, 4)
    for dims in (karat.tensor([[1], [0]]), karat.tensor([1])):
        assert karat.tensordot(a, b, dims).shape == (2, 4)
    with pytest.raises(AssertionError, match="^dims tensor must have size 2 in first dimension, got 3"):
        karat.tensordot(a, b, karat.tensor([1, 0, 0]))


@pytest.mark.parametrize("m,k,n", [(512, 2600, 256), (24, 1100, 16), (130, 5000, 70), (9, 4097, 1030)])
def test_long_products_go_part_by_part(m, k, n):
    karat.manual_seed(k)
    a, b, c = karat.randn(m, k), karat.randn(k, n), karat.randn(m, n)
    exact = a.double() @ b.double()
    near = 2e-4 * k ** 0.5
    assert (a @ b - exact).abs().max().item() < near
    assert (a.t().contiguous().t() @ b.t().contiguous().t() - exact).abs().max().item() < near
    assert (karat.addmm(c, a, b) - (c + exact)).abs().max().item() < near
    assert (karat.addmm(c, a, b, beta=0.5, alpha=-2) - (0.5 * c - 2 * exact)).abs().max().item() < 2 * near


@pytest.mark.parametrize("columns", [0, 1, 3, 8, 9])
@pytest.mark.parametrize("dtype", [karat.float32, karat.float64])
def test_distances_of_few_columns(columns, dtype):
    x, y = karat.rand(2, 5, columns, dtype=dtype), karat.rand(2, 4, columns, dtype=dtype)
    want = (x[:, :, None] - y[:, None]).pow(2).sum(-1).sqrt()
    assert karat.allclose(karat.cdist(x, y), want) and karat.cdist(x, y).shape == (2, 5, 4)
    nan = x.clone()
    if columns:
        nan[0, 0, 0] = float("nan")
        assert karat.cdist(nan, y)[0, 0].isnan().all()


def test_an_activation_of_addmm():
    a, b, c = (karat.randn(*size) for size in ((3, 4), (4, 5), (5,)))

    def same(one, other):  # on a GPU in one step, which rounds once
        near = {karat.float64: 1e-12, karat.float32: 1e-5}.get(one.dtype, 2e-2)
        return one.allclose(other, near, near) if one.is_cuda else one.equal(other)

    def gelu(t):
        return karat.nn.functional.gelu(t, approximate="tanh" if t.is_cuda else "none")

    for dtype in (karat.float32, karat.bfloat16, karat.float16, karat.float64):
        x, y, z = a.to(dtype), b.to(dtype), c.to(dtype)
        full = karat.addmm(z, x, y)
        assert same(karat._addmm_activation(z, x, y), full.relu())
        assert same(karat._addmm_activation(z, x, y, use_gelu=True), gelu(full))
        assert same(karat._addmm_activation(full, x, y, beta=2, alpha=-0.5), karat.addmm(full, x, y, beta=2, alpha=-0.5).relu())
        assert same(karat._addmm_activation(z, x, y, out=karat.empty(5, 3, dtype=dtype).T), full.relu())
    ints = (c.int(), (3 * a).int(), (3 * b).int())
    assert karat._addmm_activation(*ints).equal(karat.addmm(*ints).relu())
    assert karat._addmm_activation(c, karat.ones(3, 0), karat.ones(0, 5)).equal(c.relu().expand(3, 5))
    assert karat._addmm_activation(c, a[:0], b).shape == (0, 5)
    for text, kind, call in (
            ("\"GeluKernelImpl\" not implemented for 'Int'", NotImplementedError,
             lambda: karat._addmm_activation(*ints, use_gelu=True)),
            ("derivative for aten::_addmm_activation is not implemented", RuntimeError,
             lambda: karat._addmm_activation(c.clone().requires_grad_(), a, b).sum().backward()),
            ("self and mat2 must have the same dtype, but got Double and Float", RuntimeError,
             lambda: karat._addmm_activation(c.double(), a, b)),
            (r"The expanded size of the tensor \(5\) must match", RuntimeError, lambda: karat._addmm_activation(c[:4], a, b))):
        with pytest.raises(kind, match=text):
            call()


@pytest.mark.cpu_only("a device takes other dtypes")
@pytest.mark.filterwarnings("ignore:torch.chain_matmul")
@pytest.mark.parametrize("dtypes", [
    (karat.float64, karat.int64, karat.bfloat16), (karat.bfloat16, karat.float16, karat.int64),
    (karat.float16, karat.float16, karat.float64), (karat.complex64, karat.bfloat16, karat.bool),
    (karat.uint8, karat.bool, karat.bool)])
def test_permissive_multiplies_many_in_the_common_dtype_of_all(dtypes):
    karat.manual_seed(0)
    a, b, c = (karat.randn(3, 3, dtype=karat.float64).mul(3).to(d) for d in dtypes)
    cast_first.is_as_cast_first(lambda *t: karat.linalg.multi_dot(t), a, b, c)
    cast_first.is_as_cast_first(lambda *t: karat.linalg.multi_dot(t), a[0], b, c, b, a[1])
    cast_first.is_as_cast_first(karat.chain_matmul, a, b, c)


@pytest.mark.parametrize("m, n, k", [(1024, 64, 1030), (1100, 300, 1027), (600, 260, 300), (513, 256, 257), (2048, 1024, 1024)])
def test_gradients_of_weights_whose_first_matrix_is_turned_in_parts(m, n, k):
    karat.manual_seed(0)
    a, b = karat.randn(k, m), karat.randn(k, n)
    want = a.double().t() @ b.double()
    assert ((a.t() @ b).double() - want).abs().max() < 2e-6 * k
    out = karat.zeros(m, n + 3)
    karat.mm(a.t(), b, out=out[:, :n])
    assert karat.equal(out[:, :n], a.t() @ b) and (out[:, n:] == 0).all()
    a[k - 1, 5] = math.nan
    assert karat.isnan(a.t() @ b).any(1).nonzero().flatten().tolist() == [5]


def test_einsum_sums_at_once_what_one_operand_alone_has():
    x, y = numbers(3).requires_grad_(), numbers(3, 4, 2).requires_grad_()
    z = karat.einsum("i,ijk->i", x, y)
    assert dense(z) == dense(x * y.sum((1, 2)))
    assert "Mul" in type(z.grad_fn.next_functions[0][0]).__name__
    small = karat.ones(3, 4, dtype=karat.int32)
    assert karat.einsum("i,ij->i", small[:, 0], small).dtype is karat.int64
    assert karat.einsum("i,ij->i", small[:, 0], numbers(3, 4)).dtype is karat.float32
    assert dense(karat.einsum("ijl,jk->ik", numbers(2, 3, 4), numbers(3, 5))) == dense(numbers(2, 3, 4).sum(2) @ numbers(3, 5))
