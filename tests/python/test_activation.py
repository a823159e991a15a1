"""The activation functions of karat.nn.functional: PyTorch's signatures, inplace=, names, texts. Values and derivatives are the C
tests' and the recorded samples'."""

import math

import pytest

import karat as torch
import karat.nn.functional as F


def x():
    return torch.tensor([[-2.0, -0.5], [0.0, 3.0]])


INPLACE = ["relu", "relu6", "silu", "mish", "hardsigmoid", "hardswish", "selu", "elu", "celu", "leaky_relu", "hardtanh"]


@pytest.mark.parametrize("name", INPLACE)
def test_inplace_writes_and_gives_the_tensor_itself(name):
    plain, written = getattr(F, name)(x()), x()
    assert getattr(F, name)(written, inplace=True) is written
    assert torch.equal(plain, written) and not torch.equal(plain, x())


def test_in_place_names_are_pytorchs():
    for name in "elu_ celu_ selu_ leaky_relu_ hardtanh_ relu_".split():
        written = x()
        assert getattr(F, name)(written) is written
        assert torch.equal(written, getattr(F, name[:-1])(x()))
    assert F.threshold_(x(), 1, 9).tolist() == F.threshold(x(), 1, 9).tolist() == [[9, 9], [9, 3]]
    for name in "silu_ mish_ relu6_ hardsigmoid_ hardswish_ gelu_backward log_sigmoid glu_halves".split():
        assert not hasattr(F, name)
    for name in "celu celu_ selu selu_ threshold threshold_ prelu hardshrink".split():
        assert callable(getattr(torch, name))
    for name in "celu selu threshold gelu".split():
        assert not hasattr(torch.Tensor, name)
    assert x().hardshrink(1).tolist() == [[-2, 0], [0, 3]]
    assert x().prelu(torch.tensor([0.5, 2])).tolist() == [[-1, -1], [0, 3]]


def test_values_by_hand():
    one = torch.tensor([1.0, -1.0], dtype=torch.float64)
    for f, want in ((F.gelu, 0.5 * (1 + math.erf(math.sqrt(0.5)))), (F.silu, 1 / (1 + math.exp(-1))),
                    (F.softplus, math.log(1 + math.e)), (F.logsigmoid, -math.log(1 + math.exp(-1))),
                    (F.tanhshrink, 1 - math.tanh(1)), (F.softsign, 0.5), (F.hardswish, 4 / 6)):
        assert f(one)[0].item() == pytest.approx(want, rel=1e-14)
    assert F.glu(torch.tensor([3.0, 0.0])).tolist() == [1.5]
    assert F.gelu(one, approximate="tanh")[1].item() == pytest.approx(-0.15880800939172324, rel=1e-12)


@pytest.mark.parametrize("call, kind, text", [
    (lambda: F.gelu(x(), "tanh"), TypeError, "gelu() takes 1 positional argument but 2 were given"),
    (lambda: F.gelu(x(), approximate=None), TypeError, "gelu(): argument 'approximate' must be str, not NoneType"),
    (lambda: F.gelu(x(), approximate="x"), RuntimeError, "approximate argument must be either none or tanh."),
    (lambda: F.elu(x(), alpha="a"), TypeError, "elu(): argument 'alpha' (position 2) must be Number, not str"),
    (lambda: F.elu([1.0]), TypeError, "elu(): argument 'input' (position 1) must be Tensor, not list"),
    (lambda: F.logsigmoid([1.0]), TypeError, "log_sigmoid(): argument 'input' (position 1) must be Tensor, not list"),
    (lambda: F.silu(x(), foo=1), TypeError, "silu() got an unexpected keyword argument 'foo'"),
    (lambda: F.threshold(x()), TypeError, "_threshold() missing 2 required positional arguments: 'threshold' and 'value'"),
    (lambda: torch.threshold(x(), 1), TypeError, 'threshold() missing 1 required positional arguments: "value"'),
    (lambda: F.threshold_(x()), TypeError, 'threshold_() missing 2 required positional argument: "threshold", "value"'),
    (lambda: F.hardtanh(x(), 2, 1), ValueError, "min_val cannot be greater than max_val"),
    (lambda: F.glu(torch.tensor(1.0)), RuntimeError, "glu does not support scalars because halving size must be even"),
    (lambda: F.glu(x(), 0.5), TypeError, "glu(): argument 'dim' (position 2) must be int, not float"),
    (lambda: F.prelu(x()), TypeError, 'prelu() missing 1 required positional arguments: "weight"'),
    (lambda: F.celu(x(), 0), RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU"),
    (lambda: torch.selu(x(), 1), TypeError, "selu() takes 1 positional argument but 2 were given"),
    (lambda: F.silu(x() > 0, inplace=True), NotImplementedError, "\"silu_cpu\" not implemented for 'Bool'"),
    (lambda: F.elu(x().requires_grad_(), inplace=True), RuntimeError,
     "a leaf Variable that requires grad is being used in an in-place operation."),
    (lambda: F.gelu(x(), out=torch.empty(2, 2, dtype=torch.float64)), RuntimeError, "Found dtype Double but expected Float"),
])
def test_texts(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).splitlines()[0] == text


def test_a_second_derivative_that_pytorch_has_not():
    leaf = x().requires_grad_()
    (g,) = torch.autograd.grad(F.hardsigmoid(leaf).sum(), leaf, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for aten::hardsigmoid_backward is not implemented"):
        g.sum().backward()


def test_classes_are_asked():
    class Asked:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return function.__name__, kwargs

    assert F.silu(Asked(), inplace=True) == ("silu", {"inplace": True})
    assert F.leaky_relu(Asked(), 0.5) == ("leaky_relu", {"negative_slope": 0.5, "inplace": False})
    assert F.gelu(Asked())[0] == "gelu"


@pytest.mark.parametrize("value", [7.0, -7.0, 0.5])
def test_what_threshold_replaced_has_no_slope(value):
    """In place too, where the value put in may itself be over the threshold."""
    for call in (lambda y: F.threshold(y, 0.5, value), lambda y: F.threshold(y, 0.5, value, inplace=True),
                 lambda y: torch.threshold_(y, 0.5, value)):
        x = torch.tensor([-1.0, 0.5, 0.6, 3.0], requires_grad=True)
        call(x * 1).sum().backward()
        assert x.grad.tolist() == [0, 0, 1, 1]
