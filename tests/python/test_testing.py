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
    assert said(None, karat.tensor([1.0])) == ("AssertionError", f"None mismatch: None is not {karat.tensor([1.0])}")
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


def drawn(*shape, seed=0, **options):
    karat.manual_seed(seed)
    return karat.testing.make_tensor(*shape, **{"device": "cpu", **options})


def test_make_tensor_draws_what_pytorch_draws():
    assert drawn(3, dtype=karat.float32).tolist() == [-0.06738138198852539, 4.8279924392700195, -7.407406330108643]
    assert drawn((5,), dtype=karat.float64, requires_grad=True).tolist() == [
        8.460954032517956, 3.740757559196183, -0.7311070237058843, 7.573458314195285, 2.610434162209766]
    assert drawn([1], dtype=karat.complex64).tolist() == [-0.06738138198852539 + 4.8279924392700195j]
    assert drawn(2, 3, dtype=karat.bfloat16).flatten().tolist() == [3.09375, -5.6875, -0.7734375, 4.5, -4.28125, 8.625]
    assert drawn(3, dtype=karat.float8_e4m3fn).float().tolist() == [-0.0703125, 5.0, -7.5]
    assert drawn(3, dtype=karat.uint16).tolist() == [4, 9, 3]
    assert drawn(5, dtype=karat.int8, low=-1.5, high=1.5).tolist() == [1, -1, 1, -1, 0]
    assert drawn(5, dtype=karat.int64, low=0, high=3, exclude_zero=True).tolist() == [2, 1, 2, 1, 1]
    assert drawn(5, dtype=karat.bool, low=1).all() and drawn(8, dtype=karat.bool, exclude_zero=True).all()
    whole = drawn(2, dtype=karat.float64, low=-float("inf"), high=float("inf")).tolist()
    assert whole == [1.6900221087381283e+308, 7.471926870390323e+307]
    assert drawn(40, dtype=karat.float16, low=0, high=1e-7, exclude_zero=True).all()


def test_make_tensor_layouts():
    apart = drawn(2, 3, dtype=karat.float32, noncontiguous=True)
    assert apart.stride() == (6, 2) and apart.storage_offset() == 1 and apart[0, 0].item() == 4.8279924392700195
    assert drawn(5, 1, dtype=karat.int64, noncontiguous=True).stride() == (2, 2)
    assert drawn(1, dtype=karat.int64, noncontiguous=True).is_contiguous()
    last = drawn(2, 3, 4, 5, dtype=karat.float32, memory_format=karat.channels_last)
    assert last.stride() == (60, 1, 15, 3) and last.flatten()[1].item() == 4.8279924392700195


@pytest.mark.parametrize("kind, text, options", (
    (ValueError, "`low` must be less than `high`, but got 6 >= 5", {"low": 6, "high": 5}),
    (ValueError, "`low` must be less than `high`, but got -9 >= -20", {"high": -20, "dtype": karat.uint8}),
    (ValueError, "`low` and `high` cannot be NaN, but got low=nan and high=9", {"low": float("nan")}),
    (ValueError, "The value interval specified by `low` and `high` is [300, 400), but torch.int8 only supports [-128, 128)",
     {"low": 300, "high": 400, "dtype": karat.int8}),
    (ValueError, "`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype=torch.int64",
     {"requires_grad": True, "dtype": karat.int64}),
    (ValueError, "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous=True and "
                 "memory_format=torch.contiguous_format", {"noncontiguous": True, "memory_format": karat.contiguous_format}),
    (TypeError, "The requested dtype 'None' is not supported by torch.testing.make_tensor(). To request support, file an issue "
                "at: https://github.com/pytorch/pytorch/issues", {"dtype": None}),
    (RuntimeError, "random_ expects 'from' to be less than 'to', but got from=2 >= to=2",
     {"low": 1.2, "high": 1.8, "dtype": karat.int64}),
))
def test_make_tensor_refuses(kind, text, options):
    with pytest.raises(kind) as caught:
        drawn(2, 3, **{"dtype": karat.float32, **options})
    assert str(caught.value).splitlines()[0] == text


def test_make_tensor_of_one_value_is_deprecated():
    with pytest.warns(FutureWarning, match="Use `torch.full"):
        assert drawn(2, dtype=karat.float32, low=5, high=5).tolist() == [5.0, 5.0]
