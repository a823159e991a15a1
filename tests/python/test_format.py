"""Tensors as text and as Python's numbers: format, repr of subclasses, int, float, complex, bool."""

import warnings

import pytest

import karat
from on_device import cpu_repr


class Named(karat.Tensor):
    pass


def test_a_tensor_without_dims_is_formatted_as_its_number():
    x = karat.tensor(1.5)
    assert f"{x}" == "1.5" and "{}".format(x) == "1.5" and format(x) == "1.5"
    assert f"{x:.3f}|{x:>6}" == "1.500|   1.5"
    assert f"{karat.tensor(3)} {karat.tensor(True)} {karat.tensor(1 + 2j)}" == "3 True (1+2j)"
    assert f"{karat.tensor(2.5, requires_grad=True) * 2}" == "5.0"
    assert str(x) == f"{x!r}" and cpu_repr(x) == "tensor(1.5000)"


def test_others_are_formatted_as_their_text():
    x = karat.tensor([1.5])
    assert f"{x}" == repr(x) and cpu_repr(x) == "tensor([1.5000])"
    assert f"{karat.tensor(1.5, device='meta')}" == "tensor(..., device='meta', size=())"
    assert f"{Named([1.0, 2.0])}" == "Named([1., 2.])"
    for tensor in (karat.tensor([1.5]), karat.tensor(1.5, device="meta")):
        with pytest.raises(TypeError, match="unsupported format string passed to Tensor.__format__"):
            f"{tensor:.2f}"


def test_a_subclass_prints_its_name_and_indents_by_it():
    assert repr(Named([[1.0], [2.0]])) == "Named([[1.],\n       [2.]])"


def test_complex_numbers_become_real_ones_only_where_nothing_is_lost():
    assert int(karat.tensor(3 + 0j)) == 3 and float(karat.tensor(1.5 + 0j)) == 1.5 and complex(karat.tensor([2])) == 2
    with pytest.raises(RuntimeError, match="value cannot be converted to type int64_t without overflow"):
        int(karat.tensor(1j))
    with pytest.raises(RuntimeError, match="value cannot be converted to type double without overflow"):
        float(karat.tensor(1j))


def test_what_is_no_number():
    with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
        complex(karat.tensor([1, 2]))
    for ask in (int, float, complex, bool, lambda t: t.item()):
        with pytest.raises(RuntimeError, match=r"Tensor.item\(\) cannot be called on meta tensors"):
            ask(karat.ones((), device="meta"))
    with pytest.raises(RuntimeError, match="The `\\+` operator, on a bool tensor is not supported."):
        +karat.tensor([True])


def test_a_float_of_what_requires_grad_warns_once():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            assert float(karat.tensor(2.0, requires_grad=True)) == 2.0
    assert len(said) <= 1  # none where another test has heard it
