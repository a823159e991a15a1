"""karat.autograd.functional: the products and matrices against ones written out by hand, and its refusals word for word."""

import karat as torch
import pytest
from karat.autograd import functional
from karat.testing import assert_close

X, Y, V = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0]), torch.tensor([1.0, -2.0, 0.5])
PRODUCTS = ("vjp", "jvp", "hvp", "vhp")
LEAF = torch.ones(3, requires_grad=True)


def form(name):
    return getattr(functional, name)


def of_order(name, f):
    """f for vjp and jvp; its sum for hvp and vhp, which want one element."""
    return f if name in ("vjp", "jvp") else lambda *x: f(*x).sum()


def same(got, want):
    if isinstance(want, tuple):
        assert type(got) is tuple and len(got) == len(want)
        for a, b in zip(got, want):
            same(a, b)
    else:
        assert_close(got, torch.as_tensor(want))


# f(a, b) = (a0 b1, sin(a1) b0), with the Jacobians that calculus gives.
A, B = torch.tensor([0.5, -1.5]), torch.tensor([2.0, 3.0])


def crossed(a, b):
    return torch.stack([a[0] * b[1], a[1].sin() * b[0]])


BY_A = torch.tensor([[3.0, 0.0], [0.0, 2.0 * torch.cos(A[1]).item()]])
BY_B = torch.tensor([[0.0, 0.5], [torch.sin(A[1]).item(), 0.0]])


def test_products_with_the_jacobian():
    v = torch.tensor([0.7, -0.2])
    out, found = functional.vjp(crossed, (A, B), v)
    same(out, crossed(A, B))
    same(found, (v @ BY_A, v @ BY_B))
    w = torch.tensor([1.0, 4.0])
    out, found = functional.jvp(crossed, (A, B), (v, w))
    same(out, crossed(A, B))
    same(found, BY_A @ v + BY_B @ w)
    same(functional.jacobian(crossed, (A, B)), (BY_A, BY_B))


def test_jacobian_has_the_sizes_of_output_and_input():
    x = torch.arange(6.0).reshape(2, 3)
    found = functional.jacobian(lambda t: (t * t).sum(0), x)
    assert found.shape == (3, 2, 3)
    same(found, torch.diag_embed(2 * x).permute(1, 0, 2))
    assert functional.jacobian(lambda t: t.sum(), x).shape == (2, 3)
    assert functional.jacobian(lambda t: t * x, torch.tensor(2.0)).shape == (2, 3)
    ((first, second),) = functional.jacobian(lambda a, b: (a * b,), (X, Y))
    same((first, second), (torch.diag(Y), torch.diag(X)))
    assert functional.jacobian(lambda a: (a * a).double(), X).dtype == torch.float32
    with pytest.raises(RuntimeError, match="stack expects a non-empty TensorList"):
        functional.jacobian(lambda a: a[:0] * 2, X)


def test_products_with_the_hessian():
    def f(a, b):
        return (a * a * b).sum()

    diag = torch.diag
    same(functional.hessian(f, (X, Y)), ((diag(2 * Y), diag(2 * X)), (diag(2 * X), diag(X * 0))))
    w = torch.tensor([2.0, 1.0, -1.0])
    want = (2 * Y * V + 2 * X * w, 2 * X * V)
    for name in ("hvp", "vhp"):
        out, found = form(name)(f, (X, Y), (V, w))
        same(out, f(X, Y))
        same(found, want)
    same(functional.hessian(lambda t: t ** 3, torch.tensor([2.0])), [[12.0]])
    same(functional.hessian(lambda t: t ** 3, torch.tensor(2.0)), 12.0)
    same(functional.hessian(lambda t: (t ** 3).sum(), (X,)), ((diag(6 * X),),))


def test_vectorize_gives_the_same_numbers():
    for create_graph in (False, True):
        same(functional.jacobian(crossed, (A, B), create_graph, vectorize=True), functional.jacobian(crossed, (A, B)))
        same(functional.hessian(lambda a, b: crossed(a, b).prod(), (A, B), create_graph, vectorize=True),
             functional.hessian(lambda a, b: crossed(a, b).prod(), (A, B)))


def test_complex():
    z, v = torch.tensor([1 + 2j, 2 - 1j]), torch.tensor([1j, 2.0 + 0j])
    same(functional.vjp(lambda t: t * t, z, v)[1], v * (2 * z).conj())
    same(functional.jvp(lambda t: t * t, z, v)[1], v * 2 * z)
    same(functional.jacobian(lambda t: (t * t).real, z), torch.diag((2 * z).conj()))
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs but got torch.complex64"):
        functional.jacobian(lambda t: t * t, z)
    same(functional.jacobian(lambda t: t * t, z, vectorize=True), torch.diag((2 * z).conj()))


@pytest.mark.parametrize("name", PRODUCTS)
def test_what_is_not_reached_is_zero(name):
    for f in (lambda a: torch.ones(3), lambda a: a.detach(), lambda a: LEAF * 2):
        for create_graph in (False, True):
            out, found = form(name)(of_order(name, f), X, V, create_graph)
            same(found, torch.zeros(3))
            assert not found.requires_grad
    assert LEAF.grad is None


@pytest.mark.parametrize("name", PRODUCTS)
def test_results_have_a_graph_only_where_it_is_asked_for(name):
    x = X.clone().requires_grad_()
    f = of_order(name, lambda a: a ** 3)
    for result in form(name)(f, x, V):
        assert not result.requires_grad
    out, found = form(name)(f, x, V, create_graph=True)
    (g,) = torch.autograd.grad(found.sum(), x)
    assert_close(g, V * (6 * X if name in ("vjp", "jvp") else torch.full((3,), 6.0)))
    with torch.no_grad():
        assert form(name)(f, x, V, create_graph=True)[1].requires_grad
    assert x.grad is None


def test_a_vector_with_a_graph_keeps_it():
    v = V.clone().requires_grad_()
    for name in ("vjp", "jvp"):
        found = form(name)(lambda a: a * 2, X, v, create_graph=True)[1]
        same(torch.autograd.grad(found.sum(), v)[0], torch.full((3,), 2.0))


def test_matrices_have_a_graph_only_where_it_is_asked_for():
    x = X.clone().requires_grad_()
    assert not functional.jacobian(lambda a: a ** 3, x).requires_grad
    assert not functional.hessian(lambda a: (a ** 4).sum(), x).requires_grad
    same(torch.autograd.grad(functional.jacobian(lambda a: a ** 3, x, create_graph=True).sum(), x)[0], 6 * X)
    same(torch.autograd.grad(functional.hessian(lambda a: (a ** 4).sum(), x, create_graph=True).sum(), x)[0], 24 * X)


def refused(error, text, call):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).splitlines()[0] == text


EITHER = "must be either a Tensor or a tuple of Tensors but the"


@pytest.mark.parametrize("name", (*PRODUCTS, "jacobian", "hessian"))
def test_refused_arguments(name):
    f, call = of_order(name, lambda a: a * a), form(name)
    vector = (V,) if name in PRODUCTS else ()
    refused(TypeError, f"The inputs given to {name} {EITHER} given inputs has type <class 'list'>.",
            lambda: call(f, [X], *vector))
    refused(TypeError, f"The inputs given to {name} {EITHER} value at index 1 has type <class 'float'>.",
            lambda: call(f, (X, 1.0), *vector))
    what = "outputs of the user-provided function"
    refused(TypeError, f"The {what} given to {name} {EITHER} given {what} has type <class 'NoneType'>.",
            lambda: call(lambda a: None, X, *vector))
    refused(TypeError, f"The {what} given to {name} {EITHER} value at index 1 has type <class 'float'>.",
            lambda: call(lambda a: (a.sum(), 1.0), X, *vector))
    if name in ("hvp", "vhp", "hessian"):
        refused(RuntimeError, f"The function given to {name} should return a single Tensor",
                lambda: call(lambda a: (a.sum(),), X, *vector))
        refused(RuntimeError, f"The Tensor returned by the function given to {name} should contain a single element",
                lambda: call(lambda a: a * a, X, *vector))


@pytest.mark.parametrize("name", PRODUCTS)
def test_refused_vectors(name):
    f, call = of_order(name, lambda a: a * a), form(name)
    refused(TypeError, f"The v given to {name} {EITHER} given v has type <class 'list'>.", lambda: call(f, X, [1.0]))
    whose = "the user-provided function returns" if name == "vjp" else "the input to the user-provided function is"
    refused(RuntimeError, f"The vector v can only be None if {whose} a single Tensor with a single element.",
            lambda: call(lambda a: a * a, X) if name == "vjp" else call(f, X))
    if name != "vjp":
        refused(RuntimeError, "v has invalid size: should be torch.Size([3]) but got torch.Size([2]).",
                lambda: call(f, X, torch.ones(2)))
        refused(RuntimeError, "Entry 1 in v has invalid size: should be torch.Size([3]) but got torch.Size([2]).",
                lambda: call(of_order(name, torch.mul), (X, Y), (V, torch.ones(2))))
        refused(RuntimeError, "v is a tuple of invalid length: should be 2 but got 3.",
                lambda: call(of_order(name, torch.mul), (X, Y), (V, V, V)))
        refused(RuntimeError, "The given v should contain a single Tensor.", lambda: call(f, X, (V, V)))
    same(call(lambda a: (a ** 3).sum(), torch.tensor([2.0]))[1].reshape(()), 12.0)


NOT_STRICT = "This is not allowed in strict mode"
NO_GRADIENT = ("Output 0 of the user-provided function does not require gradients. The outputs must be computed in a "
               "differentiable manner from the input when running in strict mode.")
LINEAR = ("While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
          f"independent of the input. {NOT_STRICT}. You should ensure that your function is twice differentiable and that the "
          "jacobian depends on the inputs (this would be violated by a linear function for example).")


@pytest.mark.parametrize("name", (*PRODUCTS, "jacobian", "hessian"))
def test_strict_wants_results_with_a_graph(name):
    vector = {"v": V} if name in PRODUCTS else {}
    for f in (lambda a: torch.ones(3), lambda a: a.detach()):
        f = f if name == "jacobian" else of_order(name, f)
        refused(RuntimeError, NO_GRADIENT, lambda: form(name)(f, X, strict=True, **vector))


@pytest.mark.parametrize("name, f, create_graph, text", [
    ("vjp", lambda a, b: a * 2, False, f"The output of the user-provided function is independent of input 1. {NOT_STRICT}."),
    ("vjp", lambda a, b: a * a + b, True,
     f"The jacobian of the user-provided function is independent of input 1. {NOT_STRICT} when create_graph=True."),
    ("jvp", lambda a, b: a * a, False, f"The output of the user-provided function is independent of input 1. {NOT_STRICT}."),
    ("jvp", lambda a, b: a * 2 + b, True,
     f"The jacobian of the user-provided function is independent of input 0. {NOT_STRICT} when create_graph=True."),
    ("jvp", lambda a, b: (a * b, LEAF * 2), False,
     "The gradient with respect to the input is independent of entry 1 in the grad_outputs when using the double backward trick "
     f"to compute forward mode gradients. {NOT_STRICT}."),
    ("vhp", lambda a, b: (a * a).sum(), False,
     f"The output of the user-provided function is independent of input 1. {NOT_STRICT}."),
    ("vhp", lambda a, b: (a * a + b).sum(), False, LINEAR.format(1)),
    ("vhp", lambda a, b: (a ** 3 + LEAF * LEAF * b).sum(), False,
     f"The jacobian of the user-provided function is independent of input 1. {NOT_STRICT}."),
    ("vhp", lambda a, b: (a ** 3 + b * b).sum(), True,
     f"The hessian of the user-provided function is independent of input 1. {NOT_STRICT} when create_graph=True."),
    ("hvp", lambda a, b: (a * 2).sum(), False, LINEAR.format(0)),
    ("hvp", lambda a, b: (a ** 3 + LEAF * LEAF * b).sum(), False,
     f"The hessian of the user-provided function is independent of entry 1 in the grad_jacobian. {NOT_STRICT} as it prevents "
     "from using the double backward trick to replace forward mode AD."),
    ("hvp", lambda a, b: (a ** 3 + b * b).sum(), True,
     f"The hessian of the user-provided function is independent of input 1. {NOT_STRICT} when create_graph=True."),
    ("jacobian", lambda a, b: (a * b, a.sum()), False,
     f"Output 1 of the user-provided function is independent of input 1. {NOT_STRICT}."),
    ("jacobian", lambda a, b: (a * a * b, a * b, b + a * 1), True,  # PyTorch's number is the output's
     f"The jacobian of the user-provided function is independent of input 2. {NOT_STRICT} when create_graph=True."),
    ("hessian", lambda a, b: (a ** 3).sum(), False, LINEAR.format(1)),
    ("hessian", lambda a, b: (a * a * b).sum(), False,
     f"Output 1 of the user-provided function is independent of input 1. {NOT_STRICT}."),
])
def test_strict(name, f, create_graph, text):
    vector = {"vjp": {"v": V}, "jacobian": {}, "hessian": {}}.get(name, {"v": (V, V)})
    refused(RuntimeError, text, lambda: form(name)(f, (X, Y), create_graph=create_graph, strict=True, **vector))
    form(name)(f, (X, Y), create_graph=create_graph, **vector)


def test_strict_lets_the_rest_pass():
    for create_graph in (False, True):
        same(functional.hessian(lambda a, b: (a ** 2 * b ** 3).sum(), (X, Y), create_graph, strict=True)[0][1],
             torch.diag(6 * X * Y ** 2))
        for name in PRODUCTS:
            form(name)(of_order(name, lambda a: a ** 3), X, V, create_graph, strict=True)


def test_strategies():
    f = lambda a: a ** 3  # noqa: E731
    forward = {"strategy": "forward-mode"}
    together = ('torch.autograd.functional.jacobian: `{0}=True` and `strategy="forward-mode"` are not supported together (yet). '
                'Please either set `{0}=False` or `strategy="reverse-mode"`.')
    refused(NotImplementedError, together.format("create_graph"), lambda: functional.jacobian(f, X, True, True, **forward))
    refused(RuntimeError, together.format("strict"), lambda: functional.jacobian(f, X, strict=True, **forward))
    refused(NotImplementedError, "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`.", lambda: functional.jacobian(f, X, **forward))
    assert torch.allclose(functional.jacobian(f, X, vectorize=True, **forward), functional.jacobian(f, X))
    hessian = functional.hessian(lambda a: f(a).sum(), X, vectorize=True, outer_jacobian_strategy="forward-mode")
    assert torch.allclose(hessian, functional.hessian(lambda a: f(a).sum(), X))
    refused(RuntimeError, "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`.",
            lambda: functional.jacobian(f, X, strict=True, vectorize=True))
    for call, keyword in ((functional.jacobian, "strategy"), (functional.hessian, "outer_jacobian_strategy")):
        with pytest.raises(AssertionError, match='^Expected strategy to be either "forward-mode" or "reverse-mode".'):
            call(f, X, **{keyword: "both"})


def test_the_inputs_stay_as_they_are():
    x = X.clone()
    refused(RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation.",
            lambda: functional.vjp(lambda a: a.mul_(2), x, V))
    functional.jacobian(lambda a: a * 2, x)
    assert not x.requires_grad and x.equal(X) and x._version == 0
