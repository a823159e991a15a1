"""What the makers take and refuse, in PyTorch's words: elements by dtype, asarray, the constructors of old, frombuffer."""

import array
import warnings

import pytest

import karat
from on_device import cpu_repr

np = pytest.importorskip("numpy")


def refusal(function):
    with pytest.raises(Exception) as caught:
        function()
    return type(caught.value).__name__, str(caught.value).splitlines()[0]


class Real:
    def __float__(self):
        return 2.5


class Index:
    def __index__(self):
        return 7


class Complex:
    def __complex__(self):
        return 1 + 2j


class Lender:
    """Another library's array."""

    def __dlpack__(self, **how):
        return np.arange(3).__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_what_an_element_may_be_depends_on_the_dtype():
    f = karat.tensor
    assert f([Real(), Index()], dtype=karat.float32).tolist() == [2.5, 7.0]
    assert f([Index(), 1.9], dtype=karat.int32).tolist() == [7, 1]
    assert f([Complex(), Real()], dtype=karat.complex64).tolist() == [1 + 2j, 2.5]
    assert f([2**70, 0, 1.5, 2j, np.bool_(True)], dtype=karat.bool).tolist() == [True, False, True, True, True]
    assert f(np.uint64(2**64 - 1)).item() == 2**64 - 1
    integer = "'%s' object cannot be interpreted as an integer"
    assert refusal(lambda: f([None], dtype=karat.bool)) == ("TypeError", integer % "NoneType")
    assert refusal(lambda: f(Real(), dtype=karat.int64)) == ("TypeError", integer % "Real")
    assert refusal(lambda: f([1j], dtype=karat.int64)) == ("TypeError", integer % "complex")
    assert refusal(lambda: f([np.float32(1)], dtype=karat.int8)) == ("TypeError", integer % "numpy.float32")
    assert refusal(lambda: f([1j], dtype=karat.float64)) == ("TypeError", "must be real number, not complex")
    assert refusal(lambda: f([1.5], dtype=karat.uint64)) == ("TypeError", "an integer is required")
    assert refusal(lambda: f(2**64, dtype=karat.uint64)) == ("OverflowError", "int too big to convert")
    assert refusal(lambda: f(2**63)) == ("ValueError", "Overflow when unpacking long long")


def test_tensors_among_the_elements():
    f = karat.tensor
    assert f([f(1), f(2.5)]).tolist() == [1.0, 2.5] and f([f([[3]]), 1]).tolist() == [3, 1]
    one = "only integer tensors of a single element can be converted to an index"
    assert refusal(lambda: f([f([1, 2])])) == ("TypeError", one)
    assert refusal(lambda: f([f(1.5)], dtype=karat.int64)) == ("TypeError", one)
    assert refusal(lambda: f([f([1.0, 2.0])])) == ("ValueError", "only one element tensors can be converted to Python scalars")


def test_sequences_of_other_kinds():
    class Broken:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            raise KeyError(i)

    f = karat.tensor
    assert f([b"ab"], dtype=karat.uint8).tolist() == [[97, 98]] == karat.ByteTensor([b"ab"]).tolist()
    assert refusal(lambda: f([b"ab"])) == ("TypeError", "new(): invalid data type 'bytes'")
    assert refusal(lambda: f([np.str_("a")])) == ("ValueError", "too many dimensions 'str'")
    assert refusal(lambda: f(Broken())) == ("ValueError", "could not determine the shape of object type 'Broken'")
    assert f(Lender()).tolist() == [0, 1, 2] == karat.as_tensor(Lender()).tolist()
    assert f(Lender(), dtype=karat.float16).dtype is karat.float16


def test_lists_of_arrays():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert karat.tensor([np.array([])]).dtype is karat.float64
        assert karat.tensor([np.arange(3, dtype=">i4")]).tolist() == [[0, 1, 2]]


def test_an_array_keeps_its_strides():
    for made in (np.zeros((2, 3)).T, np.arange(2)[:, None], np.zeros((0, 3))):
        item = made.itemsize
        assert karat.from_numpy(made).stride() == tuple(step // item for step in made.strides)


@pytest.mark.cpu_only("memory of NumPy, of buffers and of DLPack")
def test_asarray_shares_what_it_can():
    t, n = karat.ones(2), np.ones(2)
    assert karat.asarray(t) is t and karat.asarray(n).data_ptr() == n.ctypes.data
    assert karat.asarray(n, copy=True).data_ptr() != n.ctypes.data
    held = bytearray(b"abcd")
    assert karat.asarray(held, dtype=karat.uint8).tolist() == [97, 98, 99, 100]
    assert karat.asarray(array.array("f", [1.5, 2.0])).tolist() == [1.5, 2.0]  # a buffer has the default dtype
    sequence = ("ValueError", "can't alias arbitrary sequence into a tensor.")
    assert refusal(lambda: karat.asarray([1], copy=False)) == sequence == refusal(lambda: karat.asarray(1, copy=False))
    assert refusal(lambda: karat.asarray(np.float32(1), copy=False)) == (
        "RuntimeError", "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
    assert refusal(lambda: karat.asarray(t, dtype=karat.int64, copy=False)) == (
        "ValueError", "can't alias tensor with dtype 'Float' into dtype 'Long'.")
    assert refusal(lambda: karat.asarray(t, device="meta", copy=False)) == (
        "ValueError", "can't alias tensor from device 'cpu' to 'meta'.")
    assert refusal(lambda: karat.asarray(bytearray(3))) == (
        "ValueError", "buffer length (3 bytes) after offset (0 bytes) must be a multiple of element size (4)")


def test_asarray_and_gradients():
    leaf = karat.ones(2, requires_grad=True)
    result = leaf * 2
    assert not karat.asarray(result).requires_grad and result.requires_grad
    assert karat.asarray(leaf, requires_grad=True) is leaf and leaf.requires_grad
    assert karat.asarray(leaf, dtype=karat.float64, requires_grad=True).grad_fn is not None
    assert karat.asarray(leaf) is leaf and not leaf.requires_grad
    leaf.requires_grad_()
    assert karat.as_tensor(leaf) is leaf and karat.as_tensor(leaf, dtype=karat.float64).requires_grad


def test_constructors_of_old():
    assert karat.Tensor(data=[1, 2]).tolist() == [1, 2] and karat.Tensor(size=karat.Size([2])).shape == (2,)
    assert karat.Tensor(np.array(3)).shape == (3,) and karat.Tensor(np.array([3])).tolist() == [3.0]
    ints = karat.ones(2, dtype=karat.int64, device="cpu")
    assert ints.new([1.5, 2]).tolist() == [1, 2] and ints.new(2, 3).shape == (2, 3) and ints.new().dtype is karat.int64
    assert refusal(lambda: karat.Tensor(True)) == ("TypeError", "new(): data must be a sequence (got bool)")
    assert refusal(lambda: karat.Tensor([1], [2]))[1].startswith("new() received an invalid combination of arguments - got (list")
    assert refusal(lambda: karat.FloatTensor([1], device="meta")) == (
        "RuntimeError", "legacy constructor expects device type: cpu but device type: meta was passed")
    assert refusal(lambda: karat.FloatTensor(2**63)) == (
        "TypeError", "new(): argument 'size' failed to unpack the object at pos 1 with error \"Overflow when unpacking long long")
    rest = ", device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
    assert refusal(lambda: karat.FloatTensor(ints)) == (
        "TypeError", f"expected TensorOptions(dtype=float{rest} (got TensorOptions(dtype=long int{rest})")
    wanted = karat.ones(2, requires_grad=True)
    assert karat.FloatTensor(wanted).grad_fn.name() == karat.Tensor(wanted).grad_fn.name() == "AliasBackward0"


def test_frombuffer_says_what_it_takes():
    assert refusal(lambda: karat.frombuffer(bytearray(4), dtype=karat.uint8, count="a")) == (
        "TypeError", "frombuffer(): argument 'count' must be int, not str")
    assert refusal(lambda: karat.frombuffer(bytearray(4), dtype=karat.uint8, foo=1)) == (
        "TypeError", "frombuffer() got an unexpected keyword argument 'foo'")
    assert karat.frombuffer(bytearray(b"abcd"), dtype=karat.uint8, count=2, offset=1).tolist() == [98, 99]


def test_full_refuses_what_a_narrow_float_cannot_hold():
    overflow = ("RuntimeError", "value cannot be converted to type c10::Half without overflow")
    assert refusal(lambda: karat.full((2,), 65520.0, dtype=karat.float16)) == overflow
    assert refusal(lambda: karat.full((0,), 1e39, dtype=karat.float16)) == overflow
    assert karat.full((1, 1), 65520.0, dtype=karat.float16).item() == float("inf")  # PyTorch's own way for one element
    assert refusal(lambda: karat.zeros(2**62)) == (
        "RuntimeError", "Storage size calculation overflowed with sizes=[4611686018427387904]")


def test_evenly_spaced_numbers_are_pytorchs_to_the_last_bit():
    bits = {karat.float32: karat.int32, karat.float64: karat.int64, karat.bfloat16: karat.int16}

    def spaced(*ends, dtype):
        return karat.linspace(*ends, dtype=dtype).view(bits[dtype]).tolist()

    assert spaced(0.5, 1e-3, 5, dtype=karat.float32) == [1056964608, 1052778692, 1048592777, 1040237724, 981668463]
    assert karat.linspace(100, 3.7, 7, dtype=karat.bfloat16).tolist() == [100.0, 84.0, 68.0, 52.25, 36.0, 19.875, 3.703125]
    # an integer dtype has integer ends, and what lies a hair below an integer is cut
    assert karat.linspace(0.5, 2.5, 4, dtype=karat.int32).tolist() == [0, 0, 1, 2]
    assert karat.linspace(2, -7, 16, dtype=karat.int64).tolist()[:8] == [2, 1, 0, 0, 0, 0, -1, -2]
    assert cpu_repr(karat.logspace(3.7, 2.0, 3)) == "tensor([5011.8730,  707.9458,  100.0000])"


def test_spaces_that_cannot_be():
    assert refusal(lambda: karat.linspace(1j, 3.7, 7, dtype=karat.float16)) == (
        "RuntimeError", "torch.linspace(): inferred dtype c10::complex<float> can't be safely cast to passed dtype Half")
    assert refusal(lambda: karat.linspace(100, float("inf"), 4, dtype=karat.int32)) == (
        "RuntimeError", "value cannot be converted to type int without overflow")
    assert refusal(lambda: karat.logspace(5, 2, 1, dtype=karat.uint8)) == (
        "RuntimeError", "value cannot be converted to type uint8_t without overflow")
    assert refusal(lambda: karat.arange(1j, 3)) == ("RuntimeError", "value cannot be converted to type double without overflow")
    assert refusal(lambda: karat.arange(0, 3, float("nan"))) == ("RuntimeError", "step must be nonzero")


def test_complex_numbers_under_a_default_dtype_that_has_no_complex_one():
    before = karat.get_default_dtype()
    try:
        karat.set_default_dtype(karat.bfloat16)
        for make in (karat.tensor, karat.as_tensor, karat.asarray):
            for data in ([1j], 1j, [1.0, 1j]):
                with pytest.raises(RuntimeError, match="^invalid default scalar type for complex"):
                    make(data)
        assert karat.tensor([1j], dtype=karat.complex64).tolist() == [1j]
        assert karat.full((2,), 1j).dtype is (karat.ones(2) * 1j).dtype is karat.complex64
    finally:
        karat.set_default_dtype(before)


def test_sizes_and_strides_of_what_is_not_filled():
    x = karat.ones(4, dtype=karat.float64)
    for made in (karat.empty_strided((2, 3), (1, 4), dtype=karat.float64), x.new_empty_strided((2, 3), (1, 4))):
        assert made.shape == (2, 3) and made.stride() == (1, 4) and made.dtype == karat.float64
        assert made.untyped_storage().nbytes() == 8 * (1 + 1 + 2 * 4) and made.copy_(karat.ones(2, 3)).sum() == 6
    assert x.new_empty_strided([2], [0], dtype=karat.int8, requires_grad=False).dtype == karat.int8
    assert karat.empty_strided((2, 0), (5, 1)).stride() == (5, 1) and karat.empty_strided((), ()).dim() == 0
    assert karat.empty_strided((2,), (1,), requires_grad=True).requires_grad
    for order, strides in (((0, 2, 1), (12, 1, 3)), ((1, 2, 0), (1, 8, 2)), ((0, 1, 2), (12, 4, 1))):
        made = karat.empty_permuted((2, 3, 4), order)
        assert made.stride() == strides and made.permute(order).is_contiguous()
    assert karat.empty_permuted((2, 0, 4), (0, 2, 1)).stride() == (4, 1, 1)
    assert karat.empty_permuted((2,), physical_layout=(0,), dtype=karat.float64, requires_grad=True).requires_grad


def test_refused_sizes_and_strides():
    x = karat.ones(2)
    for call, text in (
            (lambda: karat.empty_strided((2, 3), (1,)), "dimensionality of sizes (2) must match dimensionality of strides (1)"),
            (lambda: x.new_empty_strided((2, -3), (1, 1)), "Trying to create tensor with negative dimension -3: [2, -3]"),
            (lambda: x.new_empty_strided((2, 3), (1, -1)),
             "Storage size calculation overflowed with sizes=[2, 3] and strides=[1, -1]"),
            (lambda: karat.empty_strided((8, 8), (2**61, 1)),
             "Storage size calculation overflowed with sizes=[8, 8] and strides=[2305843009213693952, 1]"),
            (lambda: karat.empty_permuted((2, 3), (0,)), "Number of dimensions in size does not match the length of the "
             "physical_layout; i.e. len(size) = 2 is not equal to len(physical_layout) = 1"),
            (lambda: karat.empty_permuted((2, 3), (0, 0)), "Duplicate dim not allowed"),
            (lambda: karat.empty_permuted((2, 3), (0, -1)), "Dimension out of range (expected to be between 0 and 1, but got -1 "
             "at index 1).  NB: negative dims not currently supported; file an issue if you want it.")):
        assert refusal(call) == ("RuntimeError", text)


@pytest.mark.parametrize("sequence", [list, tuple])
def test_a_sequence_is_data_whatever_its_first_number_is(sequence):
    """Of torch.Tensor([1, 2.5]) the first element could be a size."""
    for make, dtype in ((karat.Tensor, karat.float32), (karat.ones(1).new, karat.float32), (karat.FloatTensor, karat.float32),
                        (karat.LongTensor, karat.int64), (karat.DoubleTensor, karat.float64)):
        for values in ([1, 2.5], [np.int64(1), 2.5], [1, karat.tensor(2)], [True, 2], [1, 2]):
            made = make(sequence(values))
            assert made.dtype == dtype and made.tolist() == karat.tensor([float(value) for value in values]).to(dtype).tolist()
    assert karat.Tensor(karat.Size([2, 3])).shape == karat.Tensor(2, 3).shape == (2, 3) and karat.Tensor(sequence()).shape == (0,)
    for values in ([1, None], [1, "a"]):
        with pytest.raises(TypeError):
            karat.Tensor(sequence(values))


def test_what_is_added_to_a_size_may_know_how():
    class Any:
        def __radd__(self, size):
            return ("any", *size)

        def __add__(self, other):
            return "sum"

    assert karat.Size([1]) + Any() == ("any", 1) and Any() + karat.Size([1]) == "sum"
    assert refusal(lambda: karat.Size([1]) + [2]) == ("TypeError", "can only concatenate tuple (not list) to torch.Size")
    assert refusal(lambda: karat.Size([1]) + 3)[0] == "TypeError"
