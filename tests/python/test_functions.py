"""Functions and methods made of the operator table: binding, overloads, out=, refusals in PyTorch's words."""

import pytest

import karat
from on_device import DEVICE

X = karat.ones(2, 3)


def test_every_row_is_a_function():
    functions = karat._karat.functions
    assert len(functions) > 150
    for name, function in functions.items():
        assert function.__name__ == name and function.__module__ == "karat"
        assert function.__doc__ and all("(" in schema for schema in function.schemas)


def test_positionals_and_keywords():
    a, b = karat.tensor([1.0, 2.0]), karat.tensor([3.0, 4.0])
    assert karat.add(a, b, alpha=2).tolist() == [7.0, 10.0]
    assert karat.add(input=a, other=b).tolist() == [4.0, 6.0]
    assert karat.add(a, alpha=2, other=1).tolist() == [3.0, 4.0]
    assert a.add(b, alpha=-1).tolist() == [-2.0, -2.0]
    assert karat.Tensor.add(a, b).tolist() == [4.0, 6.0]
    assert karat.clamp(a, max=1.5).tolist() == [1.0, 1.5] and a.clamp(None, 1.5).tolist() == [1.0, 1.5]
    assert karat.div(a, b, rounding_mode="floor").tolist() == [0.0, 0.0]


def test_overloads():
    assert X.sum().item() == 6.0
    assert X.sum(0).tolist() == [2.0, 2.0, 2.0]
    assert X.sum((0, 1), keepdim=True).shape == (1, 1)
    assert karat.sum(X, dim=-1, dtype=karat.float64).dtype is karat.float64
    assert karat.sum(X, axis=0, keepdims=True).shape == (1, 3)
    assert X.view(3, 2).shape == (3, 2) and X.view([6]).shape == (6,) and X.view(karat.int32).dtype is karat.int32
    assert [t.shape[0] for t in X.split(1)] == [1, 1] and len(X.split([1, 1])) == 2
    assert (2 ** karat.tensor([3])).item() == 8 and karat.pow(2, karat.tensor([3])).item() == 8


def test_lists_of_integers_may_be_spread():
    assert X.permute(1, 0).shape == (3, 2) and X.permute((1, 0)).shape == (3, 2)
    assert X.reshape(-1).shape == (6,) and X.expand(4, 2, 3).shape == (4, 2, 3)


def test_lists_of_tensors():
    assert karat.cat([X, X], dim=1).shape == (2, 6)
    assert karat.cat((X,) * 100).shape == (200, 3)
    assert [t.tolist() for t in karat._foreach_mul([karat.ones(1), karat.ones(2)], 3.0)] == [[3.0], [3.0, 3.0]]
    a = karat.ones(2)
    assert karat._foreach_mul_([a], 2.0)[0] is a and a.tolist() == [2.0, 2.0]
    assert X.unbind(1)[2].shape == (2,)


def test_out():
    out = karat.empty(2, 3)
    assert karat.exp(X, out=out) is out
    assert karat.add(X, 1, out=out) is out and out[0, 0].item() == 2.0
    assert karat.add(X, 1, out=None) is not out
    with pytest.raises(RuntimeError, match="^result type Float can't be cast to the desired output type Long"):
        karat.add(X, X, out=karat.empty(2, 3, dtype=karat.int64))


def test_a_tensor_of_one_number_is_a_number():
    assert karat.add(X, X, alpha=karat.tensor(2))[0, 0].item() == 3.0
    assert X.select(0, karat.tensor(1)).shape == (3,)


def test_to_takes_a_dtype_a_device_or_a_tensor():
    assert X.to(karat.float16).dtype is karat.float16 and X.to(dtype=karat.int8).dtype is karat.int8
    assert X.to("meta").device.type == "meta" and X.to(karat.device("meta")).device.type == "meta"
    both = X.to("meta", karat.float64)
    assert both.device.type == "meta" and both.dtype is karat.float64
    assert X.to(karat.zeros(1, dtype=karat.bfloat16)).dtype is karat.bfloat16
    assert X.to(X.device) is X and X.to(X) is X
    assert X.to(karat.float16, copy=True).dtype is karat.float16 and X.to(X, copy=True) is not X
    there_is_one = karat.cuda.is_available()
    if not DEVICE or there_is_one:
        with pytest.raises(RuntimeError if there_is_one else AssertionError,
                           match="invalid device ordinal" if there_is_one else "Torch not compiled with CUDA enabled"):
            X.to(karat.cuda.device_count() if there_is_one else 3)
    with pytest.raises(TypeError, match=r"^to\(\) received an invalid combination of arguments - got \(str, karat.dtype, int"):
        X.to("meta", karat.float64, 3)


def test_memory_formats():
    assert repr(karat.channels_last) == "torch.channels_last"
    y = karat.ones(1, 2, 3, 4).contiguous(memory_format=karat.channels_last)
    assert y.is_contiguous(memory_format=karat.channels_last) and not y.is_contiguous()


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: karat.atan2(X, 3), "atan2(): argument 'other' (position 2) must be Tensor, not int"),
        (lambda: X.atan2(3), "atan2(): argument 'other' (position 1) must be Tensor, not int"),
        (lambda: karat.exp(3), "exp(): argument 'input' (position 1) must be Tensor, not int"),
        (lambda: karat.exp(), 'exp() missing 1 required positional arguments: "input"'),
        (lambda: X.exp(3), "TensorBase.exp() takes no arguments (1 given)"),
        (lambda: karat.exp(X, 3), "exp() takes 1 positional argument but 2 were given"),
        (lambda: karat.exp(X, foo=3), "exp() got an unexpected keyword argument 'foo'"),
        (lambda: karat.exp(X, input=X), "exp() got multiple values for argument 'input'"),
        (lambda: karat.add(X, "a"), "add(): argument 'other' (position 2) must be Tensor, not str"),
        (lambda: karat.add(X, 1, alpha="a"), "add(): argument 'alpha' must be Number, not str"),
        (lambda: karat.atan2(X), 'atan2() missing 1 required positional arguments: "other"'),
        (lambda: karat.atan2(other=X), 'atan2() missing 2 required positional argument: "input", "other"'),
        (lambda: karat.atan2(X, X, X), "atan2() takes 2 positional arguments but 3 were given"),
        (lambda: karat.atan2(X, X, out=3), "atan2(): argument 'out' must be Tensor, not int"),
        (lambda: karat.zeros("a"), "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
        (
            lambda: karat.zeros(2, "a"),
            "zeros(): argument 'size' failed to unpack the object at pos 2 with error "
            '"type must be tuple of ints,but got str"',
        ),
        (lambda: karat.zeros(2.5), "zeros(): argument 'size' (position 1) must be tuple of ints, not float"),
        (lambda: karat.full((2,), "a"), "full(): argument 'fill_value' (position 2) must be Number, not str"),
        (lambda: karat.cat(3), "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not int"),
        (lambda: karat.cat([X, 3]), "expected Tensor as element 1 in argument 0, but got int"),
        (lambda: karat.eye(2.0), "eye(): argument 'n' (position 1) must be int, not float"),
        (lambda: karat.logit(X, "a"), "logit(): argument 'eps' (position 2) must be float, not str"),
    ],
)
def test_arguments_that_do_not_fit(call, text):
    with pytest.raises(TypeError) as e:
        call()
    assert str(e.value) == text


def test_no_overload_fits():
    with pytest.raises(TypeError) as e:
        X.view("a")
    assert str(e.value).splitlines()[0] == (
        "view() received an invalid combination of arguments - got (str), but expected one of:"
    )
    with pytest.raises(TypeError, match=r"got \(Tensor, dim=float\)"):
        karat.sum(X, dim=1.5)


def test_exceptions_have_the_right_class():
    with pytest.raises(
        IndexError, match=r"^select\(\): index 5 out of range for tensor of size \[2, 3\] at dimension 0"
    ):
        X.select(0, 5)
    with pytest.raises(
        IndexError, match=r"^Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"
    ):
        X.sum(2)
    with pytest.raises(NotImplementedError, match="\"bitwise_and_cpu\" not implemented for 'Float'"):
        X & X
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        X + karat.ones(2)


def test_an_error_leaves_nothing_behind():
    for _ in range(3):
        with pytest.raises(RuntimeError):
            X + karat.ones(2)
        assert (X + 1)[0, 0].item() == 2.0


def test_methods_need_a_tensor():
    with pytest.raises(TypeError, match="descriptor 'add' for 'karat.Tensor' objects doesn't apply to a 'int' object"):
        karat.Tensor.add(3, 4)


def test_tensors_spread_over_the_arguments():
    a, b = karat.ones(2, 1), karat.ones(3)
    assert [one.shape for one in karat.broadcast_tensors(a, b)] == [(2, 3), (2, 3)]
    with pytest.raises(TypeError, match="^expected Tensor as element 0 in argument 0, but got list$"):
        karat.broadcast_tensors([a, b])
    assert len(karat.broadcast_tensors(a)) == 1
    with pytest.raises(TypeError, match="^expected Tensor as element 1 in argument 0, but got int$"):
        karat.broadcast_tensors(a, 3)
    with pytest.raises(TypeError, match="^stack\\(\\): argument 'tensors' \\(position 1\\) must be tuple of Tensors, not"):
        karat.stack(a, 0)


def test_complex_logaddexp_at_ties_and_infinities():
    inf = float("inf")

    def at(a, b):
        return karat.logaddexp(karat.tensor([a], dtype=karat.complex128), karat.tensor([b], dtype=karat.complex128)).item()

    assert abs(at(-0.679688 - 1.125j, -0.679688 + 2.26562j).imag - -2.57128) < 1e-4  # of equal real parts the first is the larger
    assert abs(at(-0.679688 + 2.26562j, -0.679688 - 1.125j).imag - 3.71191) < 1e-4
    assert at(complex(-inf, 1), complex(-inf, 3)) == complex(-inf, 3)
    assert at(complex(inf, 1), 2 + 3j) == complex(inf, 1)
