"""karat.testing.assert_close: what passes, and the words where it does not (PyTorch 2.11's, written down here)."""

import karat
import pytest
from karat.testing import assert_close


def refusal(*args, kind=AssertionError, **options):
    with pytest.raises(kind) as caught:
        assert_close(*args, **options)
    return str(caught.value)


def test_close():
    assert_close(karat.zeros(2), karat.full((2,), 1e-5))
    assert_close(karat.ones(2).double(), karat.ones(2), check_dtype=False)
    assert_close({"a": [1.0, karat.arange(3)]}, {"a": [1.0, karat.arange(3)]})
    assert_close(karat.tensor([float("nan")]), karat.tensor([float("nan")]), equal_nan=True)
    assert_close(None, None)
    assert_close(karat.ones(3), karat.full((3,), 1.5), rtol=1, atol=0)


def test_values_that_differ():
    assert refusal(karat.tensor([1.0, 2.0]), karat.tensor([1.0, 3.0])) == (
        "Tensor-likes are not close!\n\nMismatched elements: 1 / 2 (50.0%)\n"
        "Greatest absolute difference: 1.0 at index (1,) (up to 1e-05 allowed)\n"
        "Greatest relative difference: 0.3333333432674408 at index (1,) (up to 1.3e-06 allowed)")
    assert refusal(karat.tensor([[1, 2], [3, 4]]), karat.tensor([[1, 3], [7, 4]])) == (
        "Tensor-likes are not equal!\n\nMismatched elements: 2 / 4 (50.0%)\n"
        "Greatest absolute difference: 4 at index (1, 0)\nGreatest relative difference: 0.5714285969734192 at index (1, 0)")
    assert refusal(karat.tensor(1.0), karat.tensor(3.0)) == (
        "Scalars are not close!\n\nExpected 3.0 but got 1.0.\nAbsolute difference: 2.0 (up to 1e-05 allowed)\n"
        "Relative difference: 0.6666666666666666 (up to 1.3e-06 allowed)")
    assert "nan at index (0,)" in refusal(karat.tensor([float("nan")]), karat.tensor([float("nan")]))
    assert refusal(True, False) == "Booleans mismatch: True is not False"


def test_attributes_that_differ():
    a = karat.ones(2, 3)
    assert refusal(a, a.double()) == "The values for attribute 'dtype' do not match: torch.float32 != torch.float64."
    assert "'shape'" in refusal(a, a.t())
    assert "'stride()'" in refusal(a, karat.ones(3, 2).t(), check_stride=True)
    assert "'device'" in refusal(a, karat.ones(2, 3, device="meta"))
    assert refusal(1, 2.0) == "The (d)types do not match: <class 'int'> != <class 'float'>."


def test_containers_and_messages():
    assert refusal((1.0, (2.0, karat.ones(1))), (1.0, (2.0, karat.zeros(1)))).endswith("for item [1][1]")
    assert "Missing keys in the actual mapping: ['b']" in refusal({"a": 1}, {"b": 1})
    assert refusal([1.0], [1.0, 2.0]) == "The length of the sequences mismatch: 1 != 2"
    assert refusal(karat.ones(2), karat.zeros(2), msg="hello") == "hello"
    assert refusal(karat.ones(2), karat.zeros(2), msg=lambda text: "X" + text).startswith("XTensor-likes")
    assert "no atol" in refusal(karat.ones(2), karat.ones(2), rtol=0.1, kind=ValueError)
    assert "No comparison pair" in refusal(karat.ones(2), 1.0, kind=TypeError)


def said(*arguments, **how):
    with pytest.raises(Exception) as caught:
        assert_close(*arguments, **how)
    return type(caught.value).__name__, str(caught.value)


def test_what_is_none_and_what_is_no_number():
    assert said(1, None) == ("AssertionError", "None mismatch: 1 is not None")
    assert said(None, karat.tensor([1.0])) == ("AssertionError", "None mismatch: None is not tensor([1.])")
    nobody = "No comparison pair was able to handle inputs of type <class 'int'> and <class 'str'>."
    assert said([1], ["a"]) == ("TypeError", nobody + "\n\nThe failure occurred for item [0]")
    kind, text = said(1, True)
    assert kind == "RuntimeError"
    assert text.startswith("Originating a NumberPair() at item  with\n\nint(): 1\n\nand\n\nbool(): True")


def test_tolerances_are_asked_for_where_they_are_needed():
    both = "Both 'rtol' and 'atol' must be either specified or omitted, but got no atol."
    assert said({"a": 1.0}, {"a": 1.0}, rtol=0.1) == ("ValueError", both + "\n\nThe failure occurred for item ['a']")
    assert said(karat.ones(1), karat.ones(1), rtol=0.1) == ("ValueError", both)
    assert_close(True, True, rtol=0.1)
    assert_close([], [], atol=0.1)


def test_a_message_of_the_users_own_is_for_values():
    keys = ("AssertionError", "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\n"
            "Additional keys in the actual mapping: []")
    assert said({"a": 1}, {"a": 1, "b": 2}, msg="mine") == keys
    assert said(1, 2, msg="mine") == ("AssertionError", "mine")
    low = karat.tensor([1.0, 2.0]).to(karat.float8_e5m2)
    assert said(low, low, rtol=0.1, atol=0)[1].startswith("Rtol=0.1 and atol=0 are not supported for bitwise comparison")


def test_numbers_of_numpy_and_of_several_dtypes():
    np = pytest.importorskip("numpy")
    assert_close(1.0, np.float64(1))
    assert_close(np.int64(3), 3)
    assert said(1, np.float32(2)) == ("AssertionError", "The (d)types do not match: <class 'int'> != <class 'float'>.")
    assert said(2, np.int64(1))[1] == ("Scalars are not equal!\n\nExpected 1 but got 2.\nAbsolute difference: 1\n"
                                       "Relative difference: 1.0")
    assert "Expected (2+0j) but got (1+0j)." in said(karat.tensor(1.0), karat.tensor(2 + 0j), check_dtype=False)[1]
