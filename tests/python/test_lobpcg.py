"""torch.lobpcg: beside all eigenvalues of the same matrices."""

import pytest

import karat as torch


def problem(m, dtype=torch.float64, batch=()):
    torch.manual_seed(3)
    q = torch.randn(*batch, m, m, dtype=torch.float64)
    return (q @ q.transpose(-1, -2) + torch.diag(torch.arange(float(m), dtype=torch.float64))).to(dtype)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("m, k", [(20, 1), (20, 3), (60, 5), (9, 3)])
def test_values_and_vectors(m, k, largest):
    a = problem(m)
    values, vectors = torch.lobpcg(a, k=k, largest=largest)
    want = torch.linalg.eigvalsh(a)
    want = want.flip(0)[:k] if largest else want[:k]
    assert values.shape == (k,) and vectors.shape == (m, k)
    assert torch.allclose(values, want, rtol=1e-7)
    assert torch.allclose(a @ vectors, vectors * values, atol=1e-4)
    assert torch.allclose(vectors.T @ vectors, torch.eye(k, dtype=a.dtype), atol=1e-10)


def test_float32_and_batches():
    a = problem(30, torch.float32, (2, 3))
    values, vectors = torch.lobpcg(a, 2)
    assert values.dtype == torch.float32 and values.shape == (2, 3, 2) and vectors.shape == (2, 3, 30, 2)
    assert torch.allclose(values, torch.linalg.eigvalsh(a).flip(-1)[..., :2], rtol=1e-4)
    assert torch.lobpcg(a[:0], 2)[1].shape == (0, 3, 30, 2)


def test_the_general_problem_and_a_preconditioner():
    a, b = problem(24), problem(24) + 50 * torch.eye(24, dtype=torch.float64)
    values, vectors = torch.lobpcg(a, k=2, B=b, largest=False, iK=torch.linalg.inv(a))
    half = torch.linalg.inv(torch.linalg.cholesky(b))
    assert torch.allclose(values, torch.linalg.eigvalsh(half @ a @ half.T)[:2], rtol=1e-7)
    assert torch.allclose(a @ vectors, b @ vectors * values, atol=1e-5)


def test_a_start_and_a_limit():
    a = problem(20)
    start = torch.randn(20, 4, dtype=torch.float64)
    assert torch.lobpcg(a, X=start)[0].shape == (4,) and torch.lobpcg(a, k=2, X=start)[0].shape == (2,)
    assert torch.lobpcg(a, k=3, X=start[:, :2])[0].shape == (2,)
    exact = torch.linalg.eigh(a)[1][:, -2:]
    rough, found = torch.lobpcg(a, X=start[:, :2], niter=1)[0], torch.lobpcg(a, X=exact, niter=1)[0]
    assert torch.allclose(found, torch.linalg.eigvalsh(a).flip(0)[:2], rtol=1e-9) and (rough < found).all()
    assert torch.lobpcg(torch.zeros(6, 6), k=2)[0].tolist() == [0, 0]


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("largest", [True, False])
def test_its_gradient_is_that_of_eigh(largest):
    a = problem(9).requires_grad_()
    weights = torch.arange(18.0, dtype=torch.float64).reshape(9, 2)

    def slope(values, vectors):
        vectors = vectors * vectors[0].sign().detach()
        return torch.autograd.grad(values[0] * 2 + values[1] ** 2 + (vectors * weights).sum(), a)[0]

    values, vectors = torch.linalg.eigh(a)
    want = slope(values.flip(0)[:2], vectors.flip(1)[:, :2]) if largest else slope(values[:2], vectors[:, :2])
    values, vectors = torch.lobpcg(a, k=2, largest=largest, tol=1e-12)
    assert values.grad_fn.name() == "LOBPCGAutogradFunctionBackward"
    assert torch.allclose(slope(values, vectors), want, atol=1e-6)


def test_what_it_refuses():
    a = problem(20)
    for call, error, text in [
        (lambda: torch.lobpcg(a, k=8), ValueError,
         "LPBPCG algorithm is not applicable when the number of A rows (=20) is smaller than 3 x the number of requested "
         "eigenpairs (=8)"),
        (lambda: torch.lobpcg(a[:3, :5]), AssertionError, "A must be square, got shape torch.Size([3, 5])"),
        (lambda: torch.lobpcg(a[0]), IndexError, "tuple index out of range"),
        (lambda: torch.lobpcg(a, X=torch.zeros(19, 4)), AssertionError,
         "X shape mismatch: got torch.Size([19, 4]), expected (20, 4)"),
        (lambda: torch.lobpcg(a.half()), NotImplementedError, "\"lobpcg\" not implemented for 'Half'"),
        (lambda: torch.lobpcg(a, tracker=print), NotImplementedError, "tracker"),
        (lambda: torch.lobpcg(a.clone().requires_grad_(), k=2, B=a)[0].sum().backward(), ValueError,
         "lobpcg.backward does not support backward with B != I yet."),
    ]:
        with pytest.raises(error) as e:
            call()
        assert text in str(e.value)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_what_does_not_fit_is_refused_before_the_first_step(device):
    a = torch.eye(9, device=device)
    other = lambda *sizes, **how: torch.ones(*sizes, device=device, **how)
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(1x9 and 0x1\)"):
        torch.lobpcg(a, 1, B=other(0, 9))
    with pytest.raises(RuntimeError, match="same dtype, but got: float != double"):
        torch.lobpcg(a, X=other(9, 2, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="length must be non-negative"):
        torch.lobpcg(a, -1, n=2)
