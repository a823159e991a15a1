"""isclose, allclose, equal."""

import pytest

import karat

inf, nan = float("inf"), float("nan")


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def test_isclose():
    a = karat.tensor([1.0, 1.0, inf, inf, nan, 0.0, 1e5])
    b = karat.tensor([1.0 + 1e-6, 1.1, inf, -inf, nan, 1e-9, 1e5 + 0.5])
    assert karat.isclose(a, b).tolist() == [True, False, True, False, False, True, True]
    assert a.isclose(b, equal_nan=True).tolist() == [True, False, True, False, True, True, True]
    assert a.isclose(b, rtol=0.2, atol=0.0).tolist() == [True, True, True, False, False, False, True]
    assert a.isclose(b, 0, 0).tolist() == [False, False, True, False, False, False, False]
    assert karat.tensor([100000, 5]).isclose(karat.tensor([100001, 6])).tolist() == [True, False]
    assert karat.tensor([1 + 1j]).isclose(karat.tensor([1 + 1.000001j])).tolist() == [True]
    assert karat.tensor([True, False]).isclose(karat.tensor([True, True])).tolist() == [True, False]
    assert karat.ones(2, 1).isclose(karat.ones(3)).shape == (2, 3)
    assert karat.ones(2, device="meta").isclose(karat.ones(2, device="meta")).dtype is karat.bool
    assert refusal(RuntimeError, lambda: a.isclose(b.double())) == "Float did not match Double"
    assert refusal(RuntimeError, lambda: a.isclose(b, -1.0)).startswith("rtol must be greater than or equal to zero")


@pytest.mark.parametrize("name", sorted({str(d)[6:] for d in karat._karat.dtypes.values()}))
def test_every_dtype(name):
    x = karat.ones(3).to(getattr(karat, name))
    assert karat.allclose(x, x) is True and karat.equal(x, x.clone()) is True and x.equal(x[:2]) is False


def test_allclose_and_equal():
    a = karat.ones(3)
    assert karat.allclose(a, a + 1e-6) and not a.allclose(a + 1e-3) and a.allclose(a + 1e-3, rtol=0.1)
    assert not karat.allclose(a * nan, a * nan) and karat.allclose(a * nan, a * nan, equal_nan=True)
    assert karat.equal(a, a.long()) and not karat.equal(a * nan, a * nan) and karat.equal(a[:0], a[:0])
    assert karat.allclose(a[:0], a[:0])
    assert refusal(TypeError, lambda: karat.equal(a, 1)) == "equal(): argument 'other' (position 2) must be Tensor, not int"
    assert refusal(TypeError, lambda: a.equal(1)) == "equal(): argument 'other' (position 1) must be Tensor, not int"
    assert refusal(TypeError, lambda: a.allclose()) == 'allclose() missing 1 required positional arguments: "other"'
    assert refusal(RuntimeError, lambda: a.allclose(a.double())) == "Float did not match Double"


def test_broadcast_shapes():
    assert karat.broadcast_shapes((2, 1), (3,)) == (2, 3) and karat.broadcast_shapes(2, (3, 2)) == (3, 2)
    assert karat.broadcast_shapes() == () and type(karat.broadcast_shapes((1,))) is karat.Size
    assert refusal(RuntimeError, lambda: karat.broadcast_shapes((2,), (3,))) == (
        "Attempting to broadcast a dimension of length 3 at -1! Mismatching argument at index 1 had (3,); but expected "
        "shape should be broadcastable to [2]"
    )
