"""karat.linalg: factors of matrices and what is solved with them, beside NumPy; errors in PyTorch's words; derivatives."""

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
    with pytest.raises(L.LinAlgError, match=r"^linalg.inv: \(Batch element 1\): The diagonal element 1 is zero"):
        L.inv(batch)
    with pytest.raises(RuntimeError, match=r"^torch.linalg.lu_factor: \(Batch element 1\): U\[1,1\] is zero"):
        L.lu_factor(batch)


REFUSED = [
    (lambda: L.inv(torch.ones(3)), RuntimeError, "linalg.inv: The input tensor A must have at least 2 dimensions."),
    (lambda: L.det(torch.ones(2, 3)), RuntimeError,
     "linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: L.inv(torch.eye(2).int()), RuntimeError,
     "linalg.inv: Expected a floating point or complex tensor as input. Got Int"),
    (lambda: L.inv(torch.eye(2).half()), RuntimeError, "linalg.inv: Low precision dtypes not supported. Got Half"),
    (lambda: L.det(torch.eye(2).half()), NotImplementedError, "\"lu_cpu\" not implemented for 'Half'"),
    (lambda: L.lu_factor(torch.eye(2).int()), NotImplementedError, "\"lu_cpu\" not implemented for 'Int'"),
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
    (lambda: L.svd(torch.eye(3), driver="gesvd"), RuntimeError,
     "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."),
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
    if sizes[-1] == sizes[-2]:
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


def test_gradient_of_a_singular_determinant():
    x = torch.tensor([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]], dtype=REAL, requires_grad=True)
    L.det(x).backward()
    near(x.grad, [[4.0, 4, -4], [-2, -2, 2], [0, 0, 0]])


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
    assert not DEVICE or L.det(x @ x.mT).device.type == "meta"
