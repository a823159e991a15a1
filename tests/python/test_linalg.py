"""karat.linalg: factors of matrices and what is solved with them, beside NumPy; errors in PyTorch's words; derivatives."""

import itertools
import math

import cast_first
import numpy as np
import pytest
from on_device import DEVICE

import karat as torch

L = torch.linalg
REAL, COMPLEX = torch.float64, torch.complex128
DTYPES = [torch.float32, REAL, torch.complex64, COMPLEX]


def matrices(*sizes, dtype=REAL, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(sizes)
    if dtype in (torch.complex64, COMPLEX):
        values = values + 1j * rng.standard_normal(sizes)
    return torch.tensor(values, dtype=COMPLEX if np.iscomplexobj(values) else REAL).to(dtype)


def positive(*sizes, dtype=REAL):
    x = matrices(*sizes, dtype=dtype)
    return x @ x.mH + torch.eye(sizes[-1], dtype=dtype)


def numpy(t):
    return t.detach().cpu().resolve_conj().numpy()


def near(t, want):
    single = t.dtype in (torch.float32, torch.complex64)
    np.testing.assert_allclose(numpy(t), want, rtol=2e-3 if single else 1e-9, atol=2e-4 if single else 1e-10)


def column_major(t):
    return t.mT.is_contiguous()


@pytest.mark.parametrize("dtype", [torch.float32, REAL], ids=str)
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 17])  # up to 8 rows the factors are made here, beyond by LAPACK
def test_cholesky_of_few_rows_and_of_more(n, dtype):
    a, b = positive(5, n, n, dtype=dtype), matrices(5, n, 3, dtype=dtype, seed=1)
    lower, upper = L.cholesky(a), L.cholesky(a, upper=True)
    near(lower, np.linalg.cholesky(numpy(a)))
    near(upper, np.linalg.cholesky(numpy(a)).swapaxes(-1, -2))
    for factor, is_upper in ((lower, False), (upper, True)):
        near(a @ torch.cholesky_solve(b, factor, upper=is_upper), numpy(b))
    a[3, n - 1, n - 1] = -1
    for is_upper in (False, True):
        assert L.cholesky_ex(a, upper=is_upper).info.tolist() == [0, 0, 0, n, 0]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("sizes", [(4, 4), (3, 4, 4), (2, 3, 4, 4)], ids=str)
def test_square(sizes, dtype):
    x = matrices(*sizes, dtype=dtype)
    near(L.inv(x), np.linalg.inv(numpy(x)))
    near(L.inv(x.mH), np.linalg.inv(numpy(x.mH)))
    near(L.det(x), np.linalg.det(numpy(x)))
    sign, log = L.slogdet(x)
    want = np.linalg.slogdet(numpy(x))
    near(sign, want[0])
    near(log, want[1])
    b = matrices(*sizes[:-1], 3, dtype=dtype, seed=1)
    near(L.solve(x, b), np.linalg.solve(numpy(x), numpy(b)))
    near(L.solve(x, b.mT, left=False) @ x, numpy(b.mT))
    near(L.solve(x, b[..., 0]), np.linalg.solve(numpy(x), numpy(b[..., :1]))[..., 0])
    assert column_major(L.inv(x)) and column_major(L.solve(x, b)) and L.solve(x, b.mT, left=False).is_contiguous()
    p, lower, upper = L.lu(x)
    near(p @ lower @ upper, numpy(x))
    near(L.lu_solve(*L.lu_factor(x), b), np.linalg.solve(numpy(x), numpy(b)))
    near(x.mH @ L.lu_solve(*L.lu_factor(x), b, adjoint=True), numpy(b))
    near(L.lu_solve(*L.lu_factor(x), b.mT, left=False, adjoint=True) @ x.mH, numpy(b.mT))
    a = positive(*sizes, dtype=dtype)
    near(L.cholesky(a), np.linalg.cholesky(numpy(a)))
    upper = L.cholesky(a, upper=True)
    near(upper.mH @ upper, numpy(a))
    near(a @ torch.cholesky_inverse(L.cholesky(a)), np.broadcast_to(np.eye(4), sizes))
    near(a @ torch.cholesky_solve(b, upper, upper=True), numpy(b))
    near(L.eigvalsh(a), np.linalg.eigvalsh(numpy(a)))
    values, vectors = L.eigh(a, "U")
    near((vectors * values.unsqueeze(-2)) @ vectors.mH, numpy(a))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("sizes", [(4, 4), (5, 3), (2, 3, 5)], ids=str)
def test_any_shape(sizes, dtype):
    x = matrices(*sizes, dtype=dtype)
    q, r = L.qr(x)
    near(q @ r, numpy(x))
    near(q.mH @ q, np.broadcast_to(np.eye(q.shape[-1]), (*sizes[:-2], q.shape[-1], q.shape[-1])))
    whole, r = L.qr(x, "complete")
    assert whole.shape[-1] == sizes[-2] and r.shape == x.shape
    near(whole @ r, numpy(x))
    assert L.qr(x, "r").Q.numel() == 0
    near(L.svdvals(x), np.linalg.svd(numpy(x), compute_uv=False))
    for full in (False, True):
        u, s, vh = L.svd(x, full_matrices=full)
        k = s.shape[-1]
        near((u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :], numpy(x))
        near(u.mH @ u, np.broadcast_to(np.eye(u.shape[-1]), (*sizes[:-2], u.shape[-1], u.shape[-1])))
    p, lower, upper = L.lu(x)
    near(p @ lower @ upper, numpy(x))
    for order in (2, -2, "nuc"):
        near(L.matrix_norm(x, order), np.linalg.norm(numpy(x), order, axis=(-2, -1)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("sizes", [(4, 4), (5, 3), (2, 3, 5)], ids=str)
def test_by_singular_values(sizes, dtype):
    x = matrices(*sizes, dtype=dtype)
    near(L.pinv(x), np.linalg.pinv(numpy(x)))
    near(torch.pinverse(x), np.linalg.pinv(numpy(x)))
    near(x.pinverse(), np.linalg.pinv(numpy(x)))
    one = torch.zeros_like(x)
    one[..., 0, :] = x[..., 0, :]
    near(L.pinv(one), np.linalg.pinv(numpy(one)))
    assert (L.matrix_rank(x) == min(sizes[-2:])).all() and (L.matrix_rank(one) == 1).all()
    assert L.matrix_rank(x).shape == sizes[:-2] and L.matrix_rank(x).dtype == torch.int64
    assert (L.matrix_rank(x, 1e3) == 0).all() and (L.matrix_rank(x, atol=torch.tensor(1e3)) == 0).all()
    for order in (None, 2, -2):
        near(L.cond(x, order), np.linalg.cond(numpy(x), order))
    if sizes[-1] == sizes[-2]:
        for order in (1, -1, float("inf"), float("-inf"), "fro", "nuc"):
            near(L.cond(x, order), np.linalg.cond(numpy(x), order))
        a = positive(*sizes, dtype=dtype)
        near(L.pinv(a, hermitian=True), np.linalg.pinv(numpy(a), hermitian=True))
        near(L.eigvals(x).sum(-1), np.linalg.eigvals(numpy(x)).sum(-1))
        values, vectors = L.eig(x)
        near(x.to(vectors.dtype) @ vectors, numpy(vectors * values.unsqueeze(-2)))


@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_least_squares(dtype, driver):
    x, b = matrices(5, 3, dtype=dtype), matrices(5, 2, dtype=dtype, seed=1)
    solution, residuals, rank, values = L.lstsq(x, b, driver=driver)
    want = np.linalg.lstsq(numpy(x), numpy(b), rcond=None)
    near(solution, want[0])
    if driver in ("gels", "gelsd", "gelss"):
        near(residuals, want[1])
    else:
        assert residuals.shape == (0,)
    assert rank.shape == (0,) if driver == "gels" else rank.item() == 3
    if driver in ("gelsd", "gelss"):
        near(values, want[3])
    near(L.lstsq(x, b[:, 0], driver=driver).solution, want[0][:, 0])
    wide = matrices(2, 3, 5, dtype=dtype)
    near(L.lstsq(wide, wide @ b, driver=driver).solution, np.linalg.pinv(numpy(wide)) @ numpy(wide @ b))


def test_bounds():
    x = torch.diag(torch.tensor([4.0, 2.0, 1.0], dtype=REAL))
    kept = lambda **bounds: [round(v, 6) for v in L.pinv(x, **bounds).diagonal().tolist()]  # noqa: E731
    assert kept() == [0.25, 0.5, 1.0]
    assert kept(atol=1.5) == kept(rtol=0.3) == kept(rcond=0.3) == kept(atol=1.5, rtol=0.1) == [0.25, 0.5, 0]
    assert kept(rtol=torch.tensor(0.6)) == kept(rcond=torch.tensor(0.6, dtype=REAL)) == kept(atol=torch.tensor(3)) == [0.25, 0, 0]
    both = torch.stack([x, x])
    assert L.matrix_rank(both, rtol=torch.tensor([0.3, 0.6])).tolist() == [2, 1]
    assert L.matrix_rank(both, torch.tensor([0.5, 3.0])).tolist() == [3, 1]
    assert L.matrix_rank(both, torch.tensor([0.5, 3.0]), hermitian=True).tolist() == [3, 1]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("size", [1e-3, 0.5, 3.0, 20.0])
def test_exponentials(size, dtype):
    x = matrices(3, 4, 4, dtype=dtype)
    x = x * (size / x.abs().sum(-2).amax(-1)).reshape(3, 1, 1)
    values, vectors = np.linalg.eig(numpy(x).astype(complex))
    want = (vectors * np.exp(values)[:, None, :]) @ np.linalg.inv(vectors)
    scale = np.abs(want).max()
    near(L.matrix_exp(x) / scale, (want if x.is_complex() else want.real) / scale)
    near(x.matrix_exp() / scale, numpy(torch.matrix_exp(x)) / scale)
    mixed = torch.stack([x[0] * 0, x[0], x[0] * 1e-3])
    near(L.matrix_exp(mixed)[1] / scale, numpy(L.matrix_exp(x[0])) / scale)
    assert L.matrix_exp(mixed)[0].tolist() == torch.eye(4, dtype=dtype).tolist()


def test_exponentials_of_halves():
    x = matrices(3, 3, dtype=torch.float32)
    for dtype in (torch.float16, torch.bfloat16):
        y = L.matrix_exp(x.to(dtype).requires_grad_())
        assert y.dtype == dtype and (y.float() - L.matrix_exp(x)).abs().max() < 0.1
        y.sum().backward()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reflectors(dtype):
    x, b = matrices(2, 5, 3, dtype=dtype), matrices(2, 5, 4, dtype=dtype, seed=1)
    a, tau = torch.geqrf(x)
    q = L.householder_product(a, tau)
    near(q @ a[..., :3, :].triu(), numpy(x))
    near(torch.orgqr(a, tau), numpy(q))
    eye = torch.eye(5, dtype=dtype).expand(2, 5, 5)
    whole = torch.ormqr(a, tau, eye)
    near(whole[..., :3], numpy(q))
    near(torch.ormqr(a, tau, b, transpose=True), numpy(whole.mH @ b))
    near(torch.ormqr(a, tau, b.mT, left=False), numpy(b.mT @ whole))


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_indefinite(dtype, hermitian):
    x, b = matrices(2, 4, 4, dtype=dtype), matrices(2, 4, 2, dtype=dtype, seed=1)
    x = x + (x.mH if hermitian else x.mT)
    factors, pivots = L.ldl_factor(x, hermitian=hermitian)
    near(x @ L.ldl_solve(factors, pivots, b, hermitian=hermitian), numpy(b))
    assert (factors == factors.tril()).all()
    assert L.ldl_factor_ex(x, hermitian=hermitian).info.tolist() == [0, 0] and pivots.dtype == torch.int32
    with pytest.raises(RuntimeError, match="derivative for aten::linalg_ldl_factor_ex is not implemented"):
        L.ldl_factor(x.requires_grad_())[0].abs().sum().backward()


def test_tensors_as_matrices():
    t, b = matrices(2, 3, 6), matrices(2, 3, seed=1)
    near(L.tensorinv(t), np.linalg.tensorinv(numpy(t), 2))
    near(L.tensorsolve(t, b), np.linalg.tensorsolve(numpy(t), numpy(b)))
    near(torch.nuclear_norm(b), np.linalg.norm(numpy(b), "nuc"))
    assert torch.nuclear_norm(t, (0, 2), True).shape == (1, 3, 1)


def test_lu():
    x = matrices(3, 3)
    factors, pivots = torch.lu(x)
    near(factors, numpy(L.lu_factor(x)[0]))
    assert torch.lu(x, get_infos=True).info.item() == 0 and [t.shape for t in x.lu()] == [(3, 3), (3,)]
    out = torch.empty(0, dtype=REAL), torch.empty(0, dtype=torch.int32)
    assert torch.lu(x, out=out) is out and (out[0] == factors).all() and (out[1] == pivots).all()
    assert torch.lu(torch.zeros(2, 2))[0].tolist() == [[0, 0], [0, 0]]
    lower = torch.lu_unpack(torch.tensor([[2.0], [-0.0]]), torch.tensor([1], dtype=torch.int32)).L
    assert lower.tolist() == [[1], [0]] and lower.signbit().tolist() == [[False], [True]]
    with pytest.raises(TypeError, match="expected tuple of 2 elements but got 1"):
        torch.lu(x, out=(out[0],))


def test_deprecated():
    x = torch.eye(2)
    torch.set_warn_always(True)
    try:
        for call, says in ((lambda: torch.cholesky(x), "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will"),
                           (lambda: torch.qr(x), "torch.qr is deprecated in favor of torch.linalg.qr and will be removed"),
                           (lambda: torch.lu(x), "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_"),
                           (lambda: torch.lu_solve(x, x, torch.ones(2).int()), "torch.lu_solve is deprecated in favor of"),
                           (lambda: torch.nuclear_norm(x), "at::nuclear_norm is deprecated and it is just left for JIT"),
                           (lambda: torch.triangular_solve(x, x), "torch.triangular_solve is deprecated in favor of torch.")):
            with pytest.warns(UserWarning, match="^" + says):
                call()
    finally:
        torch.set_warn_always(False)
    assert torch.cholesky(torch.zeros(0)).shape == (0,)  # nothing else is looked at


def test_triangles():
    a, b = matrices(3, 3) + 3 * torch.eye(3, dtype=REAL), matrices(2, 3, 4)
    near(a.triu() @ L.solve_triangular(a, b, upper=True), numpy(b))
    near((a.tril(-1) + torch.eye(3, dtype=REAL)) @ L.solve_triangular(a, b, upper=False, unitriangular=True), numpy(b))
    near(L.solve_triangular(a, b.mT, upper=True, left=False) @ a.triu(), numpy(b.mT))
    near(a.tril().mT @ torch.triangular_solve(b, a, upper=False, transpose=True).solution, numpy(b))


def test_negative_powers():
    x = matrices(2, 3, 3)
    near(L.matrix_power(x, -3), np.linalg.matrix_power(numpy(x), -3))
    assert L.matrix_norm(torch.ones(2, 3, 4), 2, dim=(2, 0), keepdim=True).shape == (1, 3, 1)


@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (3, 0), (2, 0, 3), (2, 3, 0)])
def test_norms_of_empty_matrices(sizes):
    """The largest sum is 0, of no sums too; the smallest of none is an error that names the dim as the reduction was given it."""
    x = torch.zeros(sizes, requires_grad=True)
    batch, rows, columns = sizes[:-2], sizes[-2], sizes[-1]
    for order in 1, 2, torch.inf, "nuc", "fro":
        made = L.matrix_norm(x, order, keepdim=True)
        assert made.shape == (*batch, 1, 1) and made.stride() == (1,) * len(sizes) and not made.any()
    assert L.matrix_norm(x, 2).grad_fn is None and (L.matrix_norm(x, 1).grad_fn is None) == (columns == 0)
    for order, count, dim in (-1, columns, len(batch)), (-torch.inf, rows, len(batch)), (-2, 0, -1):
        if count:
            assert not L.matrix_norm(x, order).any()
            continue
        with pytest.raises(IndexError, match=rf"amin\(\): Expected reduction dim {dim} to have non-zero size"):
            L.matrix_norm(x, order)


def test_a_reduction_of_nothing_names_the_dim_as_it_is_written():
    x = torch.zeros(3, 0, 2)
    for dims, named in (-2, -2), (1, 1), ((0, -2), -2), ((2, 1, 0), 1):
        with pytest.raises(IndexError, match=rf"amax\(\): Expected reduction dim {named} to have non-zero size"):
            torch.amax(x, dims)
        with pytest.raises(RuntimeError, match=f"the inf norm on the dimension {named}because"):
            L.vector_norm(x, torch.inf, dims)


def test_empty():
    assert L.det(torch.ones(2, 0, 0)).tolist() == [1.0, 1.0]
    assert L.slogdet(torch.ones(0, 0)).logabsdet.item() == 0.0
    assert L.inv(torch.ones(0, 3, 3)).shape == (0, 3, 3)
    assert L.solve(torch.ones(3, 0, 0), torch.ones(3, 0, 2)).shape == (3, 0, 2)
    u, s, vh = L.svd(torch.ones(3, 0))
    assert u.tolist() == torch.eye(3).tolist() and s.shape == (0,) and vh.shape == (0, 0)
    assert L.qr(torch.ones(3, 0), "complete").Q.tolist() == torch.eye(3).tolist()
    assert L.eigh(torch.ones(0, 0)).eigenvectors.shape == (0, 0)


def test_out():
    x, out = matrices(3, 3), torch.empty(0, dtype=REAL)
    assert L.inv(x, out=out) is out and out.shape == (3, 3)
    near(out, np.linalg.inv(numpy(x)))
    inverse, info = torch.empty(0, dtype=REAL), torch.empty(0, dtype=torch.int32)
    L.inv_ex(x, out=(inverse, info))
    assert info.item() == 0 and (inverse == out).all()
    with pytest.raises(RuntimeError, match="^Expected out tensor to have dtype double, but got float instead"):
        L.inv(x, out=torch.empty(0))
    outs = [torch.empty(0, dtype=d) for d in (REAL, REAL, torch.int64, REAL)]
    L.lstsq(x, x, driver="gelsd", out=outs)
    near(outs[0], np.eye(3))
    assert outs[2].item() == 3 and outs[3].shape == (3,)
    with pytest.raises(RuntimeError, match="^torch.linalg.eig: Expected eigenvectors to be safely castable from ComplexDouble"):
        L.eig(x, out=(torch.empty(0, dtype=COMPLEX), out))
    with pytest.raises(RuntimeError, match="^linalg.pinv: Expected result to be safely castable from Double dtype"):
        L.pinv(x, out=torch.empty(0, dtype=torch.int64))
    with pytest.raises(RuntimeError, match=r"^linalg_inv_ex\(\): functions with out=... arguments don't support automatic"):
        L.inv(x.requires_grad_(), out=out)


def test_lineage():
    x = matrices(3, 3, dtype=torch.complex64)
    assert L.svdvals(x).dtype == torch.float32
    assert L.lu_factor(x).pivots.dtype == torch.int32


SINGULAR = [
    (L.inv, "linalg.inv: ", "The diagonal element 1 is zero, the inversion could not be completed because the input matrix is "
     "singular."),
    (torch.inverse, "linalg.inv: ", "The diagonal element 1 is zero"),
    (lambda x: L.inv_ex(x, check_errors=True), "linalg.inv_ex: ", "The diagonal element 1 is zero"),
    (lambda x: L.solve(x, torch.ones(3, 1)), "torch.linalg.solve: ", "The solver failed because the input matrix is singular."),
    (lambda x: L.solve_ex(x, torch.ones(3, 1), check_errors=True), "torch.linalg.solve_ex: ", "The solver failed"),
    (L.cholesky, "linalg.cholesky: ", "The factorization could not be completed because the input is not positive-definite (the "
     "leading minor of order 1 is not positive-definite)."),
    (torch.cholesky, "cholesky: ", "The factorization could not be completed"),
    (torch.cholesky_inverse, "cholesky_inverse: ", "The diagonal element 1 is zero"),
    (lambda x: L.svdvals(x * float("nan")), "linalg.svd: ", "The algorithm failed to converge because the input matrix contained "
     "non-finite values."),
    (lambda x: L.pinv(x * float("nan")), "linalg.svd: ", "The algorithm failed to converge because the input matrix contained "),
    (lambda x: L.lstsq(x + torch.diag(torch.tensor([1.0, 0, 0])), torch.ones_like(x), driver="gels"), "torch.linalg.lstsq: ",
     "The least squares solution could not be computed because the input matrix does not have full rank (error code: 2)."),
    (lambda x: L.tensorinv(x[..., :3, :3].reshape(-1, 3)[:3].reshape(3, 1, 3) * 0), "inv: ", "The diagonal element 1 is zero"),
    (lambda x: L.eigh(x * float("nan")), "linalg.eigh: ", "The algorithm failed to converge because the input matrix is "
     "ill-conditioned or has too many repeated eigenvalues (error code: 2)."),
]


@pytest.mark.parametrize("function, who, says", SINGULAR)
def test_singular(function, who, says):
    assert L.LinAlgError is torch._C._LinAlgError and issubclass(L.LinAlgError, RuntimeError)
    with pytest.raises(L.LinAlgError) as e:
        function(torch.zeros(3, 3))
    assert str(e.value).startswith(who + says)
    with pytest.raises(L.LinAlgError) as e:
        function(torch.stack([torch.eye(3), torch.zeros(3, 3)]))
    assert str(e.value).startswith(who + ("(Batch element 0): " if "nan" in who else ""))


def test_info():
    batch = torch.stack([torch.eye(3), torch.zeros(3, 3), torch.diag(torch.tensor([1.0, 0.0, 1.0]))])
    assert L.inv_ex(batch).info.tolist() == [0, 1, 2]
    assert L.cholesky_ex(batch).info.tolist() == [0, 1, 2]
    assert L.solve_ex(batch, torch.ones(3, 1)).info.tolist() == [0, 1, 2]
    for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        assert L.cholesky_ex(torch.diag(torch.tensor([1, 2, float("nan")])).to(dtype)).info.tolist() == 3
    with pytest.raises(L.LinAlgError, match=r"^linalg.inv: \(Batch element 1\): The diagonal element 1 is zero"):
        L.inv(batch)
    with pytest.raises(RuntimeError, match=r"^torch.linalg.lu_factor: \(Batch element 1\): U\[1,1\] is zero"):
        L.lu_factor(batch)


REFUSED = [
    (lambda: L.solve(torch.ones(2, 2, 1, 1), torch.ones(2, 2, 1), left=False), RuntimeError,
     "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is "
     "equivalent to B / A.squeeze(-1)"),
    (lambda: L.inv(torch.ones(3)), RuntimeError, "linalg.inv: The input tensor A must have at least 2 dimensions."),
    (lambda: L.det(torch.ones(2, 3)), RuntimeError,
     "linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: L.eig(torch.tensor([[1.0, math.inf]])), RuntimeError,
     "torch.linalg.eig: input tensor should not contain infs or NaNs."),
    (lambda: L.eigvals(torch.tensor([1.0, math.nan], requires_grad=True)), RuntimeError,
     "torch.linalg.eig: input tensor should not contain infs or NaNs."),
    (lambda: L.eigvals(torch.tensor([[1.0, math.inf]])), RuntimeError,
     "linalg.eigvals: A must be batches of square matrices, but they are 1 by 2 matrices"),
    (lambda: L.eig(torch.ones(1, 2)), RuntimeError,
     "linalg.eig: A must be batches of square matrices, but they are 1 by 2 matrices"),
    (lambda: L.solve_ex(torch.ones(4, 3), torch.ones(4, 3).double()), RuntimeError,
     "linalg.solve: Expected A and B to have the same dtype, but found A of type Float and B of type Double instead"),
    (lambda: L.inv(torch.eye(2).int()), RuntimeError,
     "linalg.inv: Expected a floating point or complex tensor as input. Got Int"),
    (lambda: L.inv(torch.eye(2).half()), RuntimeError, "linalg.inv: Low precision dtypes not supported. Got Half"),
    (lambda: L.det(torch.eye(2).half()), NotImplementedError, "\"lu_cpu\" not implemented for 'Half'"),
    (lambda: L.lu_factor(torch.eye(2).int()), NotImplementedError, "\"lu_cpu\" not implemented for 'Int'"),
    (lambda: L.solve(torch.ones(3).int(), torch.ones(3).int()), RuntimeError,
     "linalg.solve: Expected a floating point or complex tensor as input. Got Int"),
    (lambda: L.eigvals(torch.ones(2, 3)), RuntimeError,
     "linalg.eigvals: A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: L.solve(torch.eye(3), torch.ones(2, 2)), RuntimeError,
     "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x2)"),
    (lambda: L.solve(torch.eye(3), torch.ones(3, 2).double()), RuntimeError,
     "linalg.solve: Expected A and B to have the same dtype, but found A of type Float and B of type Double instead"),
    (lambda: L.lu_solve(torch.eye(3), torch.ones(3).int()[:2], torch.ones(3, 2)), RuntimeError,
     "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix"),
    (lambda: L.lu_factor(torch.eye(3), pivot=False), RuntimeError,
     "linalg.lu_factor: LU without pivoting is not implemented on the CPU"),
    (lambda: L.qr(torch.eye(3), "x"), RuntimeError,
     "qr received unrecognized mode 'x' but expected one of 'reduced' (default), 'r', or 'complete'"),
    (lambda: L.eigh(torch.eye(3), "X"), RuntimeError, "Expected UPLO argument to be 'L' or 'U', but got X"),
    (lambda: L.pinv(torch.ones(3)), RuntimeError,
     "linalg.pinv(Float{[3]}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types"),
    (lambda: L.pinv(torch.eye(3), torch.tensor(1j)), RuntimeError,
     "torch.linalg.pinv: rcond tensor of complex type is not supported. Got ComplexFloat"),
    (lambda: L.eig(torch.eye(3) * float("inf")), RuntimeError,
     "torch.linalg.eig: input tensor should not contain infs or NaNs."),
    (lambda: torch.geqrf(torch.eye(3, dtype=torch.complex64, requires_grad=True)), RuntimeError,
     "geqrf does not support automatic differentiation for outputs with complex dtype."),
    (lambda: L.pinv(torch.eye(3), rtol=torch.tensor(0.1, requires_grad=True)), RuntimeError,
     "The function 'linalg_pinv' is not differentiable with respect to argument 'rtol'. This input cannot have requires_grad "
     "True."),
    (lambda: L.pinv(torch.eye(3), torch.tensor(0.1, requires_grad=True)), RuntimeError,
     "The function 'linalg_pinv' is not differentiable with respect to argument 'rtol'. This input cannot have requires_grad "
     "True."),
    (lambda: L.eig(torch.eye(3).int()), RuntimeError, "Unknown Complex ScalarType for Int"),
    (lambda: L.cond(torch.eye(3), 3), RuntimeError, "linalg.cond got an invalid norm type: 3"),
    (lambda: L.cond(torch.ones(2, 3), "fro"), RuntimeError,
     "linalg.cond(ord=fro): A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: L.matrix_rank(torch.eye(3).half()), RuntimeError, "This function doesn't handle types other than float and double"),
    (lambda: L.lstsq(torch.ones(2, 3, 4), torch.ones(3, 2)), RuntimeError,
     "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
    (lambda: L.svd(torch.eye(3), driver="gesvd"), RuntimeError,
     "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."),
    (lambda: L.svd(torch.eye(3, dtype=torch.float16), driver="gesvd"), RuntimeError,
     "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."),
    (lambda: L.svd(torch.eye(3, dtype=torch.int64), driver="gesvd"), RuntimeError,
     "linalg.svd: Expected a floating point or complex tensor as input. Got Long"),
    (lambda: L.qr(torch.eye(3, dtype=torch.float16), mode="x"), RuntimeError,
     "qr received unrecognized mode 'x' but expected one of 'reduced' (default), 'r', or 'complete'"),
    (lambda: L.qr(torch.eye(3, dtype=torch.float16), out=(torch.empty(0), torch.empty(0))), RuntimeError,
     "Expected out tensor to have dtype c10::Half, but got float instead"),
    (lambda: L.qr(torch.eye(3, dtype=torch.float16), out=(torch.empty(0, dtype=torch.float16),) * 2), NotImplementedError,
     "\"geqrf_cpu\" not implemented for 'Half'"),
]


@pytest.mark.parametrize("call, kind, says", REFUSED, ids=[r[2][:40] for r in REFUSED])
def test_refusals(call, kind, says):
    with pytest.raises(kind) as e:
        call()
    assert str(e.value).split("\n")[0] == says


# ---- derivatives: beside differences along one direction, of the function and of its gradient ----
def right(x, *sizes):
    return matrices(*sizes, dtype=x.dtype, seed=7)


def spectrum(x):
    values, vectors = L.eigh(x + x.mH)
    return values, vectors[..., :1] @ vectors[..., :1].mH


def decomposed(x):
    u, s, vh = L.svd(x, full_matrices=False)
    return s, u[..., :1] @ vh[..., :1, :], u @ u.mH, vh.mH @ vh


FUNCTIONS = {
    "inv": ((2, 3, 3), L.inv),
    "det": ((2, 3, 3), L.det),
    "slogdet": ((3, 3), L.slogdet),
    "logdet": ((3, 3), lambda x: torch.logdet(x @ x.mH)),
    "cholesky": ((2, 3, 3), lambda x: L.cholesky(x @ x.mH)),
    "cholesky_upper": ((3, 3), lambda x: torch.cholesky(x @ x.mH, upper=True)),
    "cholesky_inverse": ((3, 3), lambda x: torch.cholesky_inverse(x.tril(-1) + torch.eye(3, dtype=x.dtype))),
    "cholesky_solve": ((3, 3), lambda x: torch.cholesky_solve(right(x, 2, 3, 2), x.triu(), upper=True)),
    "solve": ((3, 3), lambda x: L.solve(x, right(x, 2, 3, 2))),
    "solve_vectors": ((2, 3, 3), lambda x: L.solve(x, right(x, 2, 3))),
    "solve_right": ((3, 3), lambda x: L.solve(x, right(x, 2, 3), left=False)),
    "solve_b": ((3, 2), lambda b: L.solve(right(b, 2, 3, 3), b)),
    "solve_triangular": ((3, 3), lambda x: L.solve_triangular(x, right(x, 3, 2), upper=True)),
    "solve_triangular_right": ((3, 3), lambda x: L.solve_triangular(x, right(x, 2, 3), upper=False, left=False,
                                                                    unitriangular=True)),
    "triangular_solve": ((3, 3), lambda x: torch.triangular_solve(right(x, 3, 2), x, transpose=True)),
    "lu": ((3, 3), lambda x: L.lu(x)[1:]),
    "lu_wide": ((3, 5), lambda x: L.lu_factor(x)[0]),
    "lu_tall": ((5, 3), lambda x: torch.lu_unpack(*L.lu_factor(x))[1:]),
    "lu_solve": ((3, 3), lambda x: L.lu_solve(*L.lu_factor(x), right(x, 3, 2), adjoint=True)),
    "qr": ((4, 3), L.qr),
    "qr_wide": ((3, 5), L.qr),
    "eigh": ((3, 3), spectrum),
    "eigvalsh": ((3, 3), lambda x: L.eigvalsh(x + x.mH)),
    "svd": ((3, 3), decomposed),
    "svd_tall": ((5, 3), decomposed),
    "svd_wide": ((2, 3, 5), decomposed),
    "svdvals": ((3, 4), L.svdvals),
    "norm": ((3, 4), lambda x: L.matrix_norm(x, 2) + L.matrix_norm(x, "nuc")),
    "pinv": ((2, 4, 3), L.pinv),
    "pinv_wide": ((3, 5), lambda x: torch.pinverse(x)),
    "pinv_hermitian": ((3, 3), lambda x: L.pinv(x @ x.mH, hermitian=True)),
    "pinv_of_low_rank": ((4, 2), lambda x: L.pinv(x @ x.mH, rtol=1e-6)),
    "lstsq": ((5, 3), lambda x: L.lstsq(x, right(x, 5, 2), driver="gelsd")[:2]),
    "lstsq_wide": ((2, 3, 5), lambda x: L.lstsq(x, right(x, 2, 3, 2))[0]),
    "lstsq_vector": ((4, 3), lambda x: L.lstsq(x, right(x, 4), driver="gels")[:2]),
    "lstsq_b": ((2, 4, 2), lambda b: L.lstsq(right(b, 2, 4, 3), b, driver="gelss")[:2]),
    "eigvals": ((2, 3, 3), lambda x: L.eigvals(x).abs().sum(-1) + (L.eigvals(x) ** 3).sum(-1).real),
    "eig": ((3, 3), lambda x: (lambda e: ((e[1] * e[0].sin().unsqueeze(-2)) @ L.inv(e[1]), (e[1].abs() ** 4).sum()))(L.eig(x))),
    "cond": ((3, 3), lambda x: L.cond(x) + L.cond(x, -2) + L.cond(x, "nuc")),
    "cond_by_inverse": ((3, 3), lambda x: L.cond(x, "fro")),
    "matrix_exp": ((2, 3, 3), L.matrix_exp),
    "matrix_exp_large": ((3, 3), lambda x: L.matrix_exp(x * 4) / 1000),
    "householder_product": ((4, 3), lambda x: L.householder_product(x, right(x, 3))),
    "householder_product_some": ((2, 4, 3), lambda x: torch.orgqr(x, right(x, 2, 2))),
    "householder_product_tau": ((2, 3), lambda tau: L.householder_product(right(tau, 2, 4, 3), tau)),
    "ormqr": ((4, 3), lambda x: torch.ormqr(x, right(x, 3), right(x, 4, 2))),
    "ormqr_adjoint": ((4, 3), lambda x: torch.ormqr(x, right(x, 3), right(x, 4, 2), transpose=True)),
    "ormqr_right": ((2, 4, 3), lambda x: torch.ormqr(x, right(x, 2, 3), right(x, 2, 2, 4), left=False)),
    "ormqr_right_adjoint": ((4, 3), lambda x: torch.ormqr(x, right(x, 3), right(x, 2, 4), left=False, transpose=True)),
    "ormqr_tau": ((3,), lambda tau: torch.ormqr(right(tau, 4, 3), tau, right(tau, 4, 2))),
    "ormqr_b": ((4, 2), lambda b: torch.ormqr(right(b, 4, 3), right(b, 3), b, transpose=True)),
    "tensorinv": ((2, 3, 6), L.tensorinv),
    "tensorsolve": ((2, 3, 6), lambda x: L.tensorsolve(x, right(x, 2, 3))),
}


def weighed(results, seed):
    total = 0
    for i, y in enumerate(results if isinstance(results, tuple) else (results,)):
        if y.is_floating_point() or y.is_complex():
            z = y * matrices(*y.shape, dtype=y.dtype, seed=seed + i)
            total = total + (z.real if z.is_complex() else z).sum()
    return total


def along(g, direction):
    z = g.conj() * direction
    return (z.real if z.is_complex() else z).sum()


@pytest.mark.parametrize("dtype", [REAL, COMPLEX], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name, dtype):
    sizes, function = FUNCTIONS[name]
    at, direction = matrices(*sizes, dtype=dtype, seed=3), matrices(*sizes, dtype=dtype, seed=4)
    if len(sizes) > 1 and sizes[-1] == sizes[-2]:
        at = at + 2 * torch.eye(sizes[-1], dtype=dtype)
    step = 1e-5

    def value(x):
        return weighed(function(x), 10)

    def gradient(x, again=False):
        x = x.detach().requires_grad_()
        return x, torch.autograd.grad(value(x), x, create_graph=again)[0]

    for again in (False, True):
        got = along(gradient(at, again)[1], direction).item()
        want = (value(at + step * direction) - value(at - step * direction)).item() / (2 * step)
        assert abs(got - want) <= 1e-5 * max(1, abs(want)), (got, want)

    x, g = gradient(at, True)
    if not g.requires_grad:  # it is linear
        return
    got = along(torch.autograd.grad(weighed(g, 20), x)[0], direction).item()
    want = (weighed(gradient(at + step * direction)[1], 20) - weighed(gradient(at - step * direction)[1], 20)).item() / (2 * step)
    assert abs(got - want) <= 1e-4 * max(1, abs(want)), (got, want)


def test_the_permutation_has_no_gradient():
    x = torch.eye(3, dtype=REAL).requires_grad_()
    for factors in (L.lu(x), torch.lu_unpack(*L.lu_factor(x))):
        assert [t.requires_grad for t in factors] == [False, True, True]


def test_numbers_that_are_not_finite():
    """What PyTorch does in the same way for any place of them."""
    nan, inf = float("nan"), float("inf")
    x = torch.tensor([[2.0, nan, 0], [1, 3, nan], [0, 1, 4]], dtype=REAL)
    below = torch.tensor([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]], dtype=REAL)
    assert torch.equal(L.eigvalsh(x), L.eigvalsh(below)) and torch.equal(L.eigh(x)[1], L.eigh(below)[1])
    assert torch.equal(L.eigvalsh(x.mT, UPLO="U"), L.eigvalsh(below, UPLO="U"))
    with pytest.raises(L.LinAlgError, match=r"\(error code: 1\)"):
        L.eigvalsh(x, UPLO="U")
    with pytest.raises(L.LinAlgError, match=r"\(error code: 2\)"):
        L.eigh(x, UPLO="U")
    assert all(t.isnan().all() for t in L.eigh(torch.full((2, 2), nan)))
    endless = torch.eye(4, dtype=REAL)
    endless[1, 2] = -inf
    for value in (L.svdvals(endless), L.matrix_norm(endless, 2), L.matrix_norm(endless, "nuc"), L.cond(endless)):
        assert value.isnan().all()
    assert L.matrix_rank(endless).item() == 0


def test_the_inverse_of_a_singular_matrix_is_infinite():
    for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        x = torch.tensor([[1, 2, 3], [2, 4, 6], [1, 0, 1]], dtype=dtype)
        inverse, info = L.inv_ex(torch.stack([torch.eye(3, dtype=dtype), x]))
        assert info.tolist() == [0, 3] and torch.equal(inverse[0], torch.eye(3, dtype=dtype))
        assert not inverse[1].isfinite().any()


def test_gradient_of_a_singular_determinant():
    x = torch.tensor([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]], dtype=REAL, requires_grad=True)
    L.det(x).backward()
    near(x.grad, [[4.0, 4, -4], [-2, -2, 2], [0, 0, 0]])


def of_rank(n, rank, dtype):
    return matrices(n, rank, dtype=dtype, seed=rank) @ matrices(rank, n, dtype=dtype, seed=n)


@pytest.mark.parametrize("dtype", [REAL, COMPLEX], ids=str)
@pytest.mark.parametrize("n, rank", [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 2), (4, 3)])
def test_second_derivatives_of_a_singular_determinant(n, rank, dtype):
    batch = torch.stack([of_rank(n, rank, dtype), matrices(n, n, dtype=dtype), torch.eye(n, dtype=dtype)]).requires_grad_()
    nearly = (of_rank(n, rank, dtype) + 1e-9 * matrices(n, n, dtype=dtype)).requires_grad_()
    for x in (batch, nearly):
        assert torch.autograd.gradcheck(L.det, x) and torch.autograd.gradgradcheck(L.det, x)


def slope_of(f, x, weight):
    return torch.autograd.grad(f(x), x, weight, create_graph=True)[0]


def test_derivatives_of_a_singular_determinant_by_hand():
    x = torch.tensor([[1.0, 2, 3], [2, 4, 6], [0, 1, 1]], dtype=REAL, requires_grad=True)
    weight, direction = torch.arange(9.0, dtype=REAL).reshape(3, 3), torch.ones(3, 3, dtype=REAL)
    direction[0, 0] = 3
    first = slope_of(L.det, x, None)
    second = slope_of(lambda x: slope_of(L.det, x, None), x, weight)
    third = slope_of(lambda x: slope_of(lambda x: slope_of(L.det, x, None), x, weight), x, direction)
    near(first, [[-2.0, -2, 2], [1, 1, -1], [0, 0, 0]])
    near(second, [[-11.0, 17, -7], [6, -10, 5], [-4, 8, -4]])
    near(third, [[0.0, 0, 0], [0, 16, -14], [0, -10, 8]])
    zeros = torch.zeros(3, 3, dtype=REAL)
    assert torch.equal(torch.func.hessian(L.det)(zeros), torch.zeros(3, 3, 3, 3, dtype=REAL))
    assert torch.func.jvp(L.det, (x.detach(),), (weight,))[1].item() == pytest.approx(4)
    for empty in (torch.ones(0, 0, dtype=REAL), torch.ones(2, 0, 0, dtype=REAL)):
        assert slope_of(lambda x: slope_of(lambda x: L.det(x).sum(), x, None), empty.requires_grad_(), empty).shape == empty.shape


def test_what_is_not_finite_has_no_derivatives():
    x = torch.stack([torch.eye(3, dtype=REAL), torch.full((3, 3), math.inf, dtype=REAL)]).requires_grad_()
    g = torch.autograd.grad(L.det(x).sum(), x, create_graph=True)[0]
    h = torch.autograd.grad(g.sum(), x)[0]
    assert g[1].isnan().all() and h[1].isnan().all() and torch.equal(g[0], torch.eye(3, dtype=REAL)) and h[0].isfinite().all()


@pytest.mark.parametrize("sizes", [(4, 4), (2, 4, 4)])
def test_derivatives_of_determinants_lie_by_columns(sizes):
    x = matrices(*sizes).requires_grad_()
    for f in (L.det, lambda x: L.slogdet(x)[1]):
        assert column_major(torch.autograd.grad(f(x).sum(), x)[0])
        g = torch.autograd.grad(f(x).sum(), x, create_graph=True)[0]
        assert column_major(g) and column_major(torch.autograd.grad(g.square().sum(), x)[0])


def phase_of(vector, by):
    """The imaginary part of a number that is `by` of the vector's size."""
    return (vector * vector.detach().conj()).sum().imag * by


VECTORS = [
    (lambda x: L.eigh(x)[1][:, 0], "linalg_eigh_backward: The eigenvectors", "quantity, so it is ill-defined.", 0.0099, 0.0101),
    (lambda x: L.eig(x)[1][:, 0], "linalg_eig_backward: The eigenvectors", "quantity, so it is ill-defined.", 0.0099, 0.0101),
    (lambda x: L.svd(x)[0][:, 0], "svd_backward: The singular vectors", "phase term, making it ill-defined.", 0.0049, 0.0051),
    (lambda x: L.svd(x)[2][0], "svd_backward: The singular vectors", "phase term, making it ill-defined.", 0.0049, 0.0051),
]


@pytest.mark.parametrize("vector, who, why, little, much", VECTORS, ids=["eigh", "eig", "svd_u", "svd_v"])
@pytest.mark.parametrize("dtype", [torch.complex64, COMPLEX], ids=str)
def test_a_loss_may_not_depend_on_a_phase(vector, who, why, little, much, dtype):
    x = torch.diag(torch.tensor([1.0, 2, 3])).to(dtype).requires_grad_()
    torch.autograd.grad(vector(x).abs().sum(), x)
    torch.autograd.grad(phase_of(vector(x), little), x)
    whole = (rf"^{who} in the complex case are specified up to multiplication by e\^{{i phi}}. The specified loss function "
             f"depends on this {why}")
    for create_graph in (False, True):
        with pytest.raises(RuntimeError, match=whole):
            torch.autograd.grad(phase_of(vector(x), much), x, create_graph=create_graph)
    with pytest.raises(RuntimeError, match=whole):
        torch.autograd.grad(phase_of(vector(x), math.nan), x)
    torch.func.jvp(vector, (x.detach(),), (torch.ones_like(x),))  # a tangent has the vectors' own phase
    slope = torch.func.grad(lambda x: phase_of(vector(x), 1))
    assert torch.func.vmap(slope)(x.detach()[None]).shape == (1, 3, 3)
    if who.startswith("svd"):
        with pytest.raises(RuntimeError, match=whole):
            slope(x.detach())
    else:
        assert slope(x.detach()).shape == (3, 3)
    with pytest.raises(RuntimeError, match=whole):  # the function has returned
        torch.func.vjp(lambda x: phase_of(vector(x), 1), x.detach())[1](torch.ones((), dtype=x.real.dtype))


def test_a_phase_that_both_sides_share():
    x = torch.diag(torch.tensor([1.0, 2, 3])).to(COMPLEX).requires_grad_()

    def loss(u, v):
        left, _, right = L.svd(x)
        return phase_of(left[:, 0], u) + phase_of(right[0], v)

    torch.autograd.grad(loss(1, 1), x)
    torch.autograd.grad(loss(10, 9.9), x)
    for u, v in ((1, -1), (1, 0.97), (10, 9.88)):
        with pytest.raises(RuntimeError, match="^svd_backward: "):
            torch.autograd.grad(loss(u, v), x)


def test_svd_without_vectors_has_a_gradient():
    x = matrices(4, 3).requires_grad_()
    want = torch.autograd.grad(L.svdvals(x).sum(), x)[0]
    _, values, v = torch.svd(x, compute_uv=False)
    assert v.count_nonzero() == 0 and torch.equal(torch.autograd.grad(values.sum(), x)[0], want)


@pytest.mark.parametrize("function", [lambda x: L.slogdet(x)[1], torch.logdet], ids=["slogdet", "logdet"])
def test_second_derivatives_of_the_logarithm_of_a_singular_determinant(function):
    x = torch.stack([torch.eye(2), torch.ones(2, 2)]).requires_grad_()
    says = r"^torch.linalg.solve: \(Batch element 1\): The solver failed because the input matrix is singular."
    with pytest.raises(L.LinAlgError, match=says):
        torch.autograd.grad(function(x).sum(), x, create_graph=True)


@pytest.mark.parametrize("function", [lambda x: L.slogdet(x)[1], torch.logdet], ids=["slogdet", "logdet"])
def test_forward_mode_does_not_refuse_the_logarithm_of_a_singular_determinant(function):
    x = torch.stack([torch.eye(2, dtype=REAL), torch.ones(2, 2, dtype=REAL)])
    tangent = torch.arange(8.0, dtype=REAL).reshape(2, 2, 2)
    slope = torch.func.jvp(function, (x,), (tangent,))[1]
    curve = torch.func.jvp(lambda x: torch.func.jvp(function, (x,), (tangent,))[1], (x,), (tangent,))[1]
    assert slope[0] == 3 and curve[0] == -13 and not slope[1].isfinite() and not curve[1].isfinite()


@pytest.mark.cpu_only("the CPU's dispatch of batches over threads")
def test_threads_do_not_change_bits():
    x, before = matrices(64, 20, 20), torch.get_num_threads()
    one = None
    try:
        for n in (1, 2, 3):
            torch.set_num_threads(n)
            inverse = L.inv(x)
            one = inverse if one is None else one
            assert (inverse == one).all()
    finally:
        torch.set_num_threads(before)


def test_meta():
    x = torch.empty(2, 5, 3, device="meta")
    assert [t.shape for t in L.svd(x)] == [(2, 5, 5), (2, 3), (2, 3, 3)]
    assert L.inv(x @ x.mT).stride() == (25, 1, 5)
    assert L.pinv(x).shape == (2, 3, 5) and L.matrix_rank(x).shape == L.cond(x).shape == (2,)
    assert [t.shape for t in L.lstsq(x, x, driver="gelsd")] == [(2, 3, 3), (2, 3), (2,), (2, 3)]
    assert L.matrix_exp(x @ x.mT).shape == (2, 5, 5) and L.eig(x @ x.mT).eigenvalues.dtype == torch.complex64
    assert [t.shape for t in torch.geqrf(x)] == [(2, 5, 3), (2, 3)]
    assert not DEVICE or L.det(x @ x.mT).device.type == "meta"


# ---- in a random subspace ----

def of_low_rank(*sizes, rank=3, dtype=REAL):
    torch.manual_seed(8)
    return torch.randn(*sizes[:-1], rank, dtype=dtype) @ torch.randn(*sizes[:-2], rank, sizes[-1], dtype=dtype)


@pytest.mark.parametrize("sizes", [(20, 9), (9, 20), (2, 8, 8)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_svd_lowrank(sizes, dtype):
    a = of_low_rank(*sizes, dtype=dtype)
    u, s, v = torch.svd_lowrank(a, q=5)
    assert u.shape == (*sizes[:-1], 5) and s.shape == (*sizes[:-2], 5) and v.shape == (*sizes[:-2], sizes[-1], 5)
    near(s[..., :3], numpy(L.svdvals(a)[..., :3]))
    near((u * s.unsqueeze(-2)) @ v.mH, numpy(a))
    near((u.mH @ u - torch.eye(5, dtype=dtype)).abs(), 0.0)
    m = a[..., :1, :] * 0.5
    u, s, v = torch.svd_lowrank(a, 4, 1, m)
    near((u * s.unsqueeze(-2)) @ v.mH, numpy(a - m))


def test_pca_lowrank():
    a = of_low_rank(20, 6) + 3
    u, s, v = torch.pca_lowrank(a, q=4)
    near(s[:3], numpy(L.svdvals(a - a.mean(0, keepdim=True))[:3]))
    near((u * s) @ v.mT, numpy(a - a.mean(0, keepdim=True)))
    near(torch.pca_lowrank(a, q=6, center=False)[1][:4], numpy(L.svdvals(a)[:4]))
    assert torch.pca_lowrank(a)[1].shape == (6,) and torch.pca_lowrank(a[:4])[1].shape == (4,)
    assert type(torch.pca_lowrank(a)) is tuple


@pytest.mark.parametrize("call,kind,says", [
    (lambda a: torch.pca_lowrank(a, q=7), ValueError, "q(=7) must be non-negative integer and not greater than min(m, n)=6"),
    (lambda a: torch.pca_lowrank(a, niter=-1), ValueError, "niter(=-1) must be non-negative integer"),
    (lambda a: torch.svd_lowrank(a[0]), ValueError, "not enough values to unpack (expected 2, got 1)"),
])
def test_lowrank_refuses(call, kind, says):
    with pytest.raises(kind) as error:
        call(torch.ones(20, 6))
    assert str(error.value).splitlines()[0] == says


def test_lowrank_gradients():
    a = of_low_rank(7, 5).requires_grad_()
    torch.manual_seed(9)
    s = torch.svd_lowrank(a, q=3)[1]
    g, = torch.autograd.grad(s.sum(), a)
    u, _, vh = L.svd(a.detach(), full_matrices=False)
    near(g, numpy(u[:, :3] @ vh[:3]))


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("dtype", [torch.float32, REAL])
@pytest.mark.parametrize("n", range(1, 11))
def test_many_small_matrices(n, dtype):
    """Those of at most eight rows have an algorithm of their own."""
    a, b = matrices(40, n, n, dtype=dtype, seed=n), matrices(40, n, 3, dtype=dtype, seed=n + 1)
    a[3] = 0
    a[3].diagonal().copy_(torch.arange(1, n + 1, dtype=dtype).flip(0))
    a[4] = torch.eye(n, dtype=dtype).flip(0)
    rough = 2e-2 if dtype == torch.float32 else 1e-9
    near = lambda x, y: np.testing.assert_allclose(numpy(x), y, rtol=rough, atol=rough)  # noqa: E731
    near(L.det(a), np.linalg.det(numpy(a).astype(np.float64)))
    near(L.inv(a) @ a, np.broadcast_to(np.eye(n), (40, n, n)))
    near(a @ L.solve(a, b), numpy(b))
    near(L.solve(a.mT, b).mT @ a, numpy(b.mT))
    lu, pivots = L.lu_factor(a)
    near(a.mT @ L.lu_solve(lu, pivots, b, adjoint=True), numpy(b))
    p, lower, upper = L.lu(matrices(5, n, n + 2, dtype=dtype))
    near(p @ lower @ upper, numpy(matrices(5, n, n + 2, dtype=dtype)))
    assert (lower.abs() <= 1).all()
    singular = torch.ones(2, n + 1, n + 1, dtype=dtype)
    assert L.det(singular).tolist() == [0, 0] and L.inv_ex(singular).info.tolist() == [2, 2]


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("dtype", [torch.float32, REAL, torch.float16, torch.int64, torch.int32, torch.uint8])
def test_lines_of_any_length_are_sorted(dtype):
    """Short ones are merged, long ones sorted by the digits of keys; both are stable."""
    rng = np.random.default_rng(0)
    for n in [*range(1, 35), 48, 63, 64, 65, 100, 127, 129, 255, 511, 512, 513, 700]:
        values = rng.integers(0, 1 + n // 2, (3, n)).astype(np.float64)
        t = torch.tensor(values).to(dtype)
        if dtype.is_floating_point and n > 2:
            t[0, n // 2], t[1, 0], t[1, -1], t[2, 1] = float("nan"), -float("inf"), -0.0, float("nan")
        keys = np.where(np.isnan(numpy(t.to(REAL))), np.inf, numpy(t.to(REAL)))
        for descending in (False, True):
            made, places = t.sort(dim=1, descending=descending, stable=True)
            order = np.argsort(-keys if descending else keys, axis=1, kind="stable")
            assert numpy(places).tolist() == order.tolist(), (n, descending)
            np.testing.assert_array_equal(numpy(made.to(REAL)), np.take_along_axis(numpy(t.to(REAL)), order, 1))
        middle = t.kthvalue(1 + n // 2, 1).values
        np.testing.assert_array_equal(numpy(middle.to(REAL)), numpy(t.sort(1).values[:, n // 2].to(REAL)))


@pytest.mark.parametrize("driver,left", [("gels", 0.0), ("gelsd", 3.0), ("gelss", 3.0)])
def test_least_squares_without_unknowns(driver, left):
    got = L.lstsq(torch.zeros(2, 3, 0, dtype=REAL), torch.ones(2, 3, 2, dtype=REAL), driver=driver)
    assert got.solution.shape == (2, 0, 2) and got.residuals.tolist() == [[left] * 2] * 2


def test_layout_of_an_out_that_grows():
    """Row-major, except where an empty tensor of the result's dtype is lent to the operator."""
    a = torch.tensor([[2.0, 0, 0], [1, 3, 0], [0, 1, 1]], dtype=torch.float64)
    b, tau = torch.ones(3, 2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    for call, lends in [(lambda out: torch.cholesky_inverse(a, out=out), True), (lambda out: torch.orgqr(b, tau, out=out), True),
                        (lambda out: torch.linalg.householder_product(b, tau, out=out), True),
                        (lambda out: torch.cholesky_solve(b, a, out=out), False),
                        (lambda out: torch.linalg.tensorinv(a, ind=1, out=out), False)]:
        lent, grown = torch.empty(0, dtype=torch.float64), torch.empty(1, 1, dtype=torch.float64)
        call(lent)
        with pytest.warns(UserWarning, match="was resized"):
            call(grown)
        assert torch.equal(lent, grown) and grown.is_contiguous() and lent.is_contiguous() != lends
    castable = "Expected result to be safely castable from Double dtype, but got result with dtype Int"
    for call, text in [(lambda out: torch.cholesky_inverse(a, out=out), f"cholesky_inverse: {castable}"),
                       (lambda out: torch.cholesky_solve(b, a, out=out), f"cholesky_solve: {castable}"),
                       (lambda out: torch.linalg.solve_triangular(a, b, upper=False, out=out),
                        "expected scalar type Double but found Int")]:
        with pytest.raises(RuntimeError, match=text):
            call(torch.empty(0, dtype=torch.int32))


def info():
    return torch.empty(0, dtype=torch.int32)


@pytest.mark.parametrize("call,name", [
    (lambda a, *out: L.eigh(a, out=out), "_linalg_eigh"), (lambda a, *out: L.svd(a, out=(*out, torch.empty(0))), "_linalg_svd"),
    (lambda a, *out: L.slogdet(a, out=out), "_linalg_slogdet"), (lambda a, *out: torch.qr(a, out=out), "linalg_qr"),
    (lambda a, one, two: L.lu_factor(a, out=(one + two, info())), "linalg_lu_factor_ex"),
    (lambda a, one, two: L.solve_ex(a, a, out=(one + two, info())), "_linalg_solve_ex")])
@pytest.mark.filterwarnings("ignore:torch.qr is deprecated")
def test_several_targets_have_no_derivative(call, name):
    """A matrix that requires grad, or any of the targets; the matrix may have wrong sizes as well."""
    says = name + r"\(\): functions with out=... arguments don't support automatic differentiation"
    for sizes in ((3, 3), (3,)):
        a, leaf = torch.ones(sizes), torch.empty(0, requires_grad=True)
        with pytest.raises(RuntimeError, match=says):
            call(a, torch.empty(0), leaf)
    with pytest.raises(RuntimeError, match=says):
        call(torch.eye(3, requires_grad=True), torch.empty(0), torch.empty(0))
    with torch.no_grad():
        call(torch.eye(3, requires_grad=True), torch.empty(0), torch.empty(0))


@pytest.mark.parametrize("call", [
    lambda a, out: L.inv(a, out=out), lambda a, out: torch.inverse(a, out=out), lambda a, out: L.cholesky(a, out=out),
    lambda a, out: L.solve(a, a, out=out), lambda a, out: L.inv_ex(a, check_errors=True, out=(out, info())),
    lambda a, out: L.cholesky_ex(a, check_errors=True, out=(out, info())), lambda a, out: L.lu_factor(a, out=(out, info())),
    lambda a, out: L.ldl_factor(a, out=(out, info()))])
def test_a_target_of_another_dtype_is_said_before_a_singular_matrix(call):
    singular, target = torch.zeros(2, 2), torch.full((3,), 7.0, dtype=REAL)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got double instead"):
        call(singular, target)
    assert target.tolist() == [7, 7, 7]
    with pytest.raises(RuntimeError, match="zero|not positive-definite|singular|Unknown error code"):
        call(singular, torch.empty(0))


def test_a_target_that_cannot_be_cast_to_is_said_before_a_singular_matrix():
    says = "^tensorinv: Expected result to be safely castable from Float dtype, but got result with dtype Int"
    with pytest.raises(RuntimeError, match=says):
        L.tensorinv(torch.zeros(2, 2), 1, out=info())


@pytest.mark.filterwarnings("ignore:torch.triangular_solve")
def test_triangular_solve_into_targets():
    a, b = matrices(3, 3).triu(), matrices(2, 3, 2)
    x, copy = torch.empty(0, dtype=REAL), torch.empty(2, 3, 3, dtype=REAL)
    r = torch.triangular_solve(b, a, out=(x, copy))
    assert r.solution is x and r.cloned_coefficient is copy and torch.equal(copy, a.expand(2, 3, 3))
    near(a @ x, numpy(b))
    target = torch.zeros(2, 2)
    with pytest.raises(RuntimeError, match="^Expected out tensor to have dtype double, but got float instead"):
        torch.triangular_solve(b, a, out=(x, target))
    assert target.count_nonzero() == 0
    with pytest.raises(RuntimeError, match=r"functions with out=... arguments don't support automatic differentiation"):
        torch.triangular_solve(b.requires_grad_(), a, out=(x, copy))


@pytest.mark.parametrize("sizes", [(), (2,)])
@pytest.mark.parametrize("vectors", [True, False])
def test_svd_of_a_vector_into_targets(sizes, vectors):
    for out, says in ((None, f"input should have at least 2 dimensions, but has {len(sizes)} dimensions instead"),
                      (tuple(torch.empty(0) for _ in range(3)), "The input tensor A must have at least 2 dimensions.")):
        with pytest.raises(RuntimeError, match=f"^linalg.svd: {says}"):
            torch.svd(torch.ones(sizes), compute_uv=vectors, out=out)


def test_targets_that_results_are_not_cast_to():
    a = torch.eye(2)
    with pytest.raises(RuntimeError, match="cholesky: Expected result to be safely castable from Float dtype, but got result"):
        torch.cholesky(a, out=info())
    for out, name in ((info(), torch.empty(0)), "a"), ((torch.empty(0), info()), "tau"):
        with pytest.raises(RuntimeError, match=f"torch.geqrf: Expected {name} to be safely castable from Float dtype, but got"):
            torch.geqrf(a, out=out)
    made = L.ldl_factor(torch.eye(2, requires_grad=True), out=(torch.empty(0), info()))
    assert [t.requires_grad for t in made] == [True, False]


def test_least_squares_lie_where_they_were_solved():
    for m, n, strides in ((4, 2, (1, 4)), (2, 4, (1, 4)), (3, 3, (1, 3))):
        r = L.lstsq(matrices(m, n), matrices(m, 2))
        assert r.solution.stride() == strides and not r.solution._is_view()
    assert L.lstsq(matrices(2, 4, 3), matrices(2, 4, 2)).solution.stride() == (8, 1, 4)
    assert L.lstsq(matrices(2, 4, 3), matrices(2, 4)).solution.stride() == (4, 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares_without_right_hand_sides(dtype):
    for driver in ("gels", "gelsy", "gelsd", "gelss"):
        a = matrices(4, 3, dtype=dtype)
        r = L.lstsq(a, matrices(4, 0, dtype=dtype), driver=driver)
        assert r.solution.shape == (3, 0)
        if driver in ("gelsd", "gelss"): # PyTorch's process ends here
            assert r.rank.item() == 3 and torch.allclose(r.singular_values, L.svdvals(a))


@pytest.mark.parametrize("left", [True, False])
def test_a_triangle_that_is_an_adjoint_gives_rows(left):
    a, b = matrices(2, 4, 4, dtype=COMPLEX), matrices(2, 4, 4, dtype=COMPLEX, seed=1)
    lower = a.mH.resolve_conj()
    x, y = (L.solve_triangular(t, b, upper=False, left=left) for t in (a.mH, lower))
    assert x.is_contiguous() and y.mT.is_contiguous() and torch.allclose(x, y)
    assert torch.allclose(lower.tril() @ x if left else x @ lower.tril(), b)
    one = L.solve_triangular(a[0].mH, b, upper=False, left=left)  # one for all of a batch
    assert one.mT.is_contiguous()
    out = torch.empty(0, dtype=COMPLEX)
    assert torch.equal(L.solve_triangular(a.mH, b, upper=False, left=left, out=out), x) and torch.equal(out, x)


@pytest.mark.filterwarnings("ignore:torch.triangular_solve")
@pytest.mark.parametrize("dtype", [REAL, COMPLEX])
def test_what_flows_through_triangular_solve_is_by_columns(dtype):
    a = (matrices(2, 3, 3, dtype=dtype) + 3 * torch.eye(3, dtype=dtype)).requires_grad_()
    b = matrices(2, 3, 2, dtype=dtype, seed=2).requires_grad_()
    for how in ({}, {"upper": False}, {"transpose": True}, {"upper": False, "transpose": True, "unitriangular": True}):
        x = torch.triangular_solve(b, a, **how).solution
        of_b, = torch.autograd.grad(x, b, torch.ones_like(x))
        assert of_b.stride() == (6, 1, 3)
        assert torch.autograd.gradcheck(lambda a, b: torch.triangular_solve(b, a, **how).solution, (a, b))
        assert torch.autograd.gradgradcheck(lambda a, b: torch.triangular_solve(b, a, **how).solution, (a, b))


@pytest.mark.cpu_only("a device's pivots are not looked at")
@pytest.mark.parametrize("bad,says", [([0, 1], "greater or equal to 1"), ([1, -5], "greater or equal to 1"),
                                      ([1, 3], r"smaller or equal to LU.size\(-2\)"), ([2**31 - 1, 0], "greater or equal to 1")])
def test_pivots_lie_in_the_matrix(bad, says):
    lu, b, pivots = matrices(2, 2), matrices(2, 3), torch.tensor(bad, dtype=torch.int32)
    with pytest.raises(RuntimeError, match=f"^Pivots given to lu_solve must all be {says}. Did you properly pass the result of"):
        L.lu_solve(lu, pivots, b)
    with pytest.raises(RuntimeError, match=r"^pivots passed to lu_unpack must be between 1 and LU.size\(-2\) inclusive.Did you"):
        torch.lu_unpack(lu.expand(2, 2, 2), pivots.expand(2, 2))
    assert L.lu_solve(lu, pivots, b[:, :0]).shape == (2, 0)
    assert torch.lu_unpack(lu, pivots, unpack_pivots=False)[0].numel() == 0


_PERMUTED = torch.tensor([1, 2, 3], dtype=torch.int32)
PAIRS = {
    "solve": L.solve,
    "solve, from the right": lambda a, b: L.solve(a, b, left=False),
    "solve_ex": lambda a, b: L.solve_ex(a, b).result,
    "tensorsolve": lambda a, b: L.tensorsolve(a, b[0]),
    "lu_solve": lambda a, b: L.lu_solve(a, _PERMUTED, b),
    "ldl_solve": lambda a, b: L.ldl_solve(a.detach(), _PERMUTED, b.detach()),
    "triangular_solve": lambda a, b: torch.triangular_solve(a, b).solution,
    "cholesky_solve": torch.cholesky_solve,
    "lstsq": lambda a, b: L.lstsq(a, b).solution,
    "vecdot": L.vecdot,
    "vecdot of vectors": lambda a, b: L.vecdot(a[0], b[0]),
    "householder_product": lambda a, b: L.householder_product(a, b[0]),
    "orgqr": lambda a, b: torch.orgqr(a, b[0]),
    "ormqr": lambda a, b: torch.ormqr(a, b[0], b),
    "cross": L.cross,
    "addbmm": lambda a, b: torch.addbmm(a, a[None], b[None]),
    "cdist": torch.cdist,
    "cdist, p=1": lambda a, b: torch.cdist(a, b, p=1.0),
}


@pytest.mark.cpu_only("a device takes other dtypes")
@pytest.mark.filterwarnings("ignore:torch.triangular_solve")
@pytest.mark.parametrize("name", PAIRS)
def test_permissive_asks_for_the_kernel_of_the_common_dtype(name):
    a, b = matrices(3, 3, dtype=REAL) * 0.3 + 3 * torch.eye(3, dtype=REAL), matrices(3, 3, dtype=REAL, seed=2)
    for x, y in itertools.permutations(cast_first.DTYPES, 2):
        cast_first.is_as_cast_first(PAIRS[name], a.to(x), b.to(y))


@pytest.mark.cpu_only("a device takes other dtypes")
def test_permissive_solves_with_a_triangle_that_has_no_kernel():
    a, b = matrices(3, 3) * 0.3 + 3 * torch.eye(3, dtype=REAL), matrices(3, 3, seed=2)
    for x, y in itertools.product([torch.bool, torch.int64, torch.float16, torch.bfloat16], cast_first.DTYPES):
        if x != y:
            cast_first.is_as_cast_first(lambda a, b: L.solve_triangular(a, b, upper=True), a.to(x), b.to(y))
    want = L.solve_triangular(a.float(), b, upper=True)  # PyTorch converts the other operand, and so does permissive
    with torch.policy("permissive"):
        got = L.solve_triangular(a.float(), b, upper=True)
    assert got.dtype == torch.float32 and torch.equal(got, want)


@pytest.mark.parametrize("bounds", [{"rtol": math.nan}, {"atol": math.nan}, {"atol": 0.1, "rtol": math.nan},
                                    {"atol": math.nan, "rtol": 0.1}, {"rcond": math.nan}])
@pytest.mark.parametrize("hermitian", [False, True])
def test_nothing_is_above_a_bound_that_is_nan(bounds, hermitian):
    a = torch.diag(torch.tensor([3.0, 2.0, 1.0]))
    assert torch.equal(L.pinv(a, **bounds, hermitian=hermitian), torch.zeros(3, 3))
    assert torch.equal(torch.pinverse(a, math.nan), torch.zeros(3, 3))
    near(L.pinv(a, atol=1.5, hermitian=hermitian), np.diag([1 / 3, 1 / 2, 0]))


@pytest.mark.cpu_only("LAPACK's workspace")
def test_a_workspace_that_float32_cannot_count_is_large_enough():
    """eigh wants 1 + 6 n + 2 n^2 numbers, and says so in a float32, which rounds odd counts above 2^24 down."""
    values = torch.linalg.eigh(torch.diag(torch.arange(2900.0, 0, -1))).eigenvalues
    assert values[0].item() == pytest.approx(1, rel=1e-3) and values[-1].item() == pytest.approx(2900, rel=1e-5)


@pytest.mark.cpu_only("without pivoting")
def test_nothing_is_factored_without_pivots():
    for shape in ((0, 3, 3), (2, 0, 0), (0, 2, 3)):
        factors, pivots = L.lu_factor(torch.zeros(shape), pivot=False)
        assert factors.shape == shape and pivots.shape == shape[:-2] + (min(shape[-2:]),)
        assert [t.shape for t in L.lu(torch.zeros(shape), pivot=False)[1:]] == [shape[:-1] + (min(shape[-2:]),),
                                                                                 shape[:-2] + (min(shape[-2:]), shape[-1])]


def test_one_matrix_beside_no_right_hand_sides():
    solution, residuals, rank, values = L.lstsq(torch.ones(1, 3, 2), torch.ones(0, 3, 1), driver="gelsd")
    assert solution.shape == (0, 2, 1) and residuals.shape == (0,) and rank.tolist() == [0] and values.tolist() == [[0, 0]]
    assert L.lstsq(torch.ones(1, 3, 3), torch.ones(0, 3, 3)).solution.shape == (0, 3, 3)
    assert L.lstsq(torch.ones(0, 3, 2), torch.ones(0, 3, 1), driver="gelsd").residuals.shape == (0, 1)
