"""Operators of Tensor: values, dtypes, reflected and in-place forms, comparisons, the way to Python's numbers."""

import pytest

import karat
from on_device import cpu_repr

A = [1.0, 2.0, 4.0]
B = [3.0, 5.0, 7.0]


@pytest.mark.parametrize(
    "apply",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a // b,
        lambda a, b: a % b,
        lambda a, b: a**b,
    ],
)
def test_arithmetic_is_elementwise(apply):
    a, b = karat.tensor(A, dtype=karat.float64), karat.tensor(B, dtype=karat.float64)
    assert apply(a, b).tolist() == pytest.approx([apply(x, y) for x, y in zip(A, B)])
    assert apply(a, 3.0).tolist() == pytest.approx([apply(x, 3.0) for x in A])


@pytest.mark.parametrize(
    "apply",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a // b,
        lambda a, b: a % b,
        lambda a, b: a**b,
    ],
)
def test_a_number_on_the_left(apply):
    b = karat.tensor(B, dtype=karat.float64)
    assert apply(2.5, b).tolist() == pytest.approx([apply(2.5, y) for y in B])


def test_a_number_on_the_left_is_weak():
    for d in (karat.int8, karat.int64, karat.float16, karat.float64):
        assert (7 // karat.tensor([2], dtype=d)).dtype is d and (7 % karat.tensor(2, dtype=d)).item() == 1
    assert (2.5 % karat.tensor([1, 2])).dtype is karat.float32 and (1 << karat.tensor([3])).tolist() == [8]
    with pytest.raises(TypeError, match="unsupported operand type\\(s\\) for @: 'int' and 'Tensor'"):
        2 @ karat.ones(1)


def test_a_number_on_the_left_is_not_cut_to_the_tensors_dtype():
    u8 = karat.tensor([1, 2], dtype=karat.uint8)
    assert karat.true_divide(-1, u8).tolist() == [-1.0, -0.5]
    assert karat.true_divide(300, u8).tolist() == [300.0, 150.0]
    assert karat.xlogy(-2, u8).tolist() == pytest.approx([0.0, -2 * 0.6931471805599453])
    for result, values in ((karat.add(300, u8), [45, 46]), (karat.sub(300, u8), [43, 42]), (300 // u8, [44, 22])):
        assert result.dtype == karat.uint8 and result.tolist() == values
    assert karat.add(2.5, u8).dtype == karat.float32 and karat.add(300, u8 > 1).dtype == karat.int64
    assert karat.sub(0.1, karat.tensor([0.0], dtype=karat.float64)).item() == 0.1


def test_reciprocal_gives_the_division_of_a_number():
    i = karat.tensor([1, 2])
    assert (2 / i).dtype is karat.float32
    x = karat.tensor([3.0], requires_grad=True)
    assert (1 / x).grad_fn.name() == "MulBackward0"


def test_bits():
    a, b = karat.tensor([12, 10]), karat.tensor([10, 6])
    assert (a & b).tolist() == [8, 2]
    assert (a | b).tolist() == [14, 14]
    assert (a ^ b).tolist() == [6, 12]
    assert (a << 1).tolist() == [24, 20]
    assert (a >> 1).tolist() == [6, 5]
    assert (~a).tolist() == [-13, -11]
    assert (8 & a).tolist() == [8, 8]


def test_unary():
    a = karat.tensor([-1.5, 2.0])
    assert (-a).tolist() == [1.5, -2.0]
    assert abs(a).tolist() == [1.5, 2.0]
    assert +a is a


def test_matmul():
    m = karat.tensor([[1.0, 2.0], [3.0, 4.0]])
    v = karat.tensor([1.0, 1.0])
    assert (m @ m).tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert (m @ v).tolist() == [3.0, 7.0]
    assert (v @ v).item() == 2.0
    with pytest.raises(TypeError, match="unsupported operand type\\(s\\) for @: 'Tensor' and 'int'"):
        m @ 2


def test_comparisons():
    a, b = karat.tensor([1, 2, 3]), karat.tensor([3, 2, 1])
    assert (a < b).tolist() == [True, False, False]
    assert (a <= b).tolist() == [True, True, False]
    assert (a == b).tolist() == [False, True, False]
    assert (a != b).tolist() == [True, False, True]
    assert (a > b).tolist() == [False, False, True]
    assert (a >= 2).tolist() == [False, True, True]
    assert (2 > a).tolist() == [True, False, False]
    assert (a == b).dtype is karat.bool
    assert (a == None) is False  # noqa: E711
    assert (a == "x") is False
    with pytest.raises(TypeError, match="'<' not supported between instances of 'Tensor' and 'str'"):
        a < "x"


def test_in_place_gives_the_same_object():
    a = karat.tensor([1.0, 2.0])
    same = a
    a += 1
    a *= karat.tensor([2.0, 3.0])
    a -= 1
    a /= 2
    assert a is same
    assert a.tolist() == [1.5, 4.0]
    assert a.add_(1) is a and a.tolist() == [2.5, 5.0]
    assert a._version == 5


@pytest.mark.parametrize("other", ["a", None, [1], {}])
def test_what_is_no_number_is_refused_as_python_refuses_it(other):
    kind = type(other).__name__
    with pytest.raises(TypeError, match=f"unsupported operand type\\(s\\) for \\+: 'Tensor' and '{kind}'"):
        karat.ones(1) + other


def test_the_other_object_is_asked():
    class Absorbs:
        def __radd__(self, tensor):
            return "absorbed"

    assert karat.ones(1) + Absorbs() == "absorbed"


def test_big_integers():
    assert (karat.ones(1) + 2**63).item() == 2.0**63
    assert (karat.tensor([1]) + 2**63).item() == -(2**63) + 1
    with pytest.raises(OverflowError, match="^int too big to convert$"):
        karat.ones(1) + 2**70
    with pytest.raises(OverflowError, match="^can't convert negative int to unsigned$"):
        karat.ones(1) + -(2**70)


def test_python_numbers():
    assert float(karat.tensor(1.5)) == 1.5
    assert int(karat.tensor([2.9])) == 2
    assert bool(karat.tensor([0.0])) is False and bool(karat.tensor(3)) is True
    assert [10, 20, 30][karat.tensor(1)] == 20
    assert f"{karat.tensor(1.23456):.2f}" == "1.23"
    assert karat.tensor(2**62).item() == 2**62
    assert karat.tensor(2**64 - 1, dtype=karat.uint64).item() == 2**64 - 1
    assert karat.tensor([1 + 2j]).item() == 1 + 2j
    assert karat.tensor(True).item() is True


def test_python_numbers_of_many_elements():
    x = karat.ones(2, 3)
    with pytest.raises(RuntimeError, match="^a Tensor with 6 elements cannot be converted to Scalar$"):
        x.item()
    with pytest.raises(RuntimeError, match="^Boolean value of Tensor with more than one value is ambiguous$"):
        bool(x)
    with pytest.raises(RuntimeError, match="^Boolean value of Tensor with no values is ambiguous$"):
        bool(karat.ones(0))
    with pytest.raises(ValueError, match="^only one element tensors can be converted to Python scalars$"):
        float(x)
    with pytest.raises(TypeError, match="^only integer tensors of a single element can be converted to an index\n"):
        range(3)[karat.tensor(1.0)]


def test_text():
    assert cpu_repr(karat.tensor([1.0, 2.5])) == "tensor([1.0000, 2.5000])"
    assert cpu_repr(karat.tensor([1, 2], dtype=karat.int8)) == "tensor([1, 2], dtype=torch.int8)"
    x = karat.tensor([1])
    assert f"{x}" == str(x) == repr(x) and cpu_repr(x) == "tensor([1])"


def test_large_work_gives_the_same():
    a = karat.arange(300_000, dtype=karat.float32)
    assert (a + a)[299_999].item() == 599_998.0
    assert a.add(a, alpha=2)[10].item() == 30.0
    assert a.sum().item() == pytest.approx(299_999 * 150_000, rel=1e-5)


def test_numbers_that_do_not_fit():
    half, byte, ints = karat.ones(2).half(), karat.ones(2, dtype=karat.uint8), karat.arange(3)

    def text(function):
        with pytest.raises(RuntimeError) as caught:
            function()
        return str(caught.value).splitlines()[0]

    overflow = "value cannot be converted to type %s without overflow"
    assert text(lambda: half.fill_(1e6)) == overflow % "c10::Half" == text(lambda: half.clamp(max=1e6))
    assert text(lambda: karat.full_like(half, 65519.0)) == overflow % "c10::Half" == text(lambda: half.new_full((2,), 1e6))
    assert text(lambda: half.bfloat16().fill_(1e39)) == overflow % "c10::BFloat16"
    assert half.fill_(float("inf")).tolist() == [float("inf")] * 2
    assert karat.full((1,), 1e6, dtype=karat.float16).item() == float("inf")
    half[0] = 1e6
    assert half[0].item() == float("inf")
    assert text(lambda: byte.clamp(0, 300)) == overflow % "uint8_t" and byte.clamp(-1, 3).tolist() == [3, 3]
    assert text(lambda: ints.clamp_(0.5)) == "result type Float can't be cast to the desired output type long int"
    assert text(lambda: karat.clamp(byte, 0.5, out=byte[:])) == "Found dtype Byte but expected Float"
    cast = "result type Float can't be cast to the desired output type unsigned char"
    assert text(lambda: karat.clamp(byte, 0.5, out=byte)) == cast
    for negative in (lambda: ints**-1, lambda: ints.pow_(-2), lambda: (ints > 0) ** -1):
        assert text(negative) == "Integers to negative integer powers are not allowed."
    assert (ints + 1).pow(-1.0).dtype is karat.float32
    with pytest.raises(TypeError, match="^~ .operator.invert. is only implemented on integer and Boolean-type tensors\n"):
        ~half


def test_numpys_bools_and_complex_numbers_are_floats():
    numpy = pytest.importorskip("numpy")
    assert (karat.tensor([1, 2]) + numpy.bool_(True)).tolist() == [2.0, 3.0]
    assert (karat.tensor([1, 2]) + numpy.bool_(True)).dtype is karat.float32
    assert (karat.ones(2) * numpy.complex64(2 + 3j)).dtype is karat.float32
    assert (karat.ones(2) * numpy.complex128(2 + 3j)).dtype is karat.complex64  # a complex of Python's


def test_arrays_beside_tensors():
    numpy = pytest.importorskip("numpy")
    x, a = karat.arange(3.0, device="cpu"), numpy.arange(3.0)
    for same in (x == a, a == x, x == numpy.arange(3)):
        assert isinstance(same, karat.Tensor) and same.dtype is karat.bool and same.tolist() == [True, True, True]
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        x == numpy.arange(2.0)
    assert x.__ne__(a) is NotImplemented and (x == numpy.array(["a", "b", "c"])) is False
    quotient = a / (x + 1)
    assert isinstance(quotient, karat.Tensor) and quotient.dtype is karat.float64
    assert numpy.equal(x, 1).tolist() == [0, 1, 0] and numpy.equal(x, 1).dtype is karat.uint8


def test_what_is_in_a_tensor():
    numpy = pytest.importorskip("numpy")
    x = karat.arange(3.0)
    assert numpy.float32(2) in x and numpy.int64(7) not in x and karat.tensor(1.0) in x
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar, but you passed in a <class 'numpy.bool"):
        numpy.bool_(True) in x
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(2\) must match the size of tensor b \(3\)"):
        karat.ones(2) in x


def test_sizes_and_targets_are_told_before_a_missing_kernel():
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        karat.ones(3) & karat.ones(2)
    x = karat.tensor(1)
    with pytest.raises(RuntimeError, match=r"^output with shape \[\] doesn't match the broadcast shape \[2\]"):
        x &= karat.ones(2)
    with pytest.raises(RuntimeError, match=r"^output with shape \[\] doesn't match the broadcast shape \[2\]"):
        x /= karat.ones(2)
    with pytest.raises(RuntimeError, match="^result type Float can't be cast to the desired output type Long"):
        x <<= 2.5


def test_sizes_do_not_add_to_tensors():
    with pytest.raises(TypeError, match=r"^unsupported operand type\(s\) for \+: 'Tensor' and 'karat.Size'$"):
        karat.ones(1) + karat.Size([1])
    with pytest.raises(TypeError, match=r"^can only concatenate tuple \(not Tensor\) to torch.Size$"):
        karat.Size([1]) + karat.ones(1)


def test_what_is_written_stays_on_its_device():
    number, far = karat.tensor(1.0, device="cpu"), karat.ones(2, 3, device="meta")
    with pytest.raises(RuntimeError, match=r"^output with shape \[\] doesn't match the broadcast shape \[2, 3\]"):
        number.add_(far)
    for call in (lambda: number.add_(far[0, 0]), lambda: karat.add(far, far, out=number), lambda: karat.sum(far, 0, out=number)):
        with pytest.raises(RuntimeError, match="^Expected all tensors to be on the same device, but found at least two devices"):
            call()
    assert number.item() == 1.0
    assert far.add_(number) is far and (number + far).device.type == "meta"


INTO_ANOTHER_DEVICE = {
    "a product": lambda x, out: karat.mm(x, x, out=out),
    "a product of batches": lambda x, out: karat.bmm(x[None], x[None], out=out),
    "a sum and a product": lambda x, out: karat.addmm(x, x, x, out=out),
    "a join": lambda x, out: karat.cat([x, x], out=out),
    "a stack": lambda x, out: karat.stack([x, x], out=out),
    "a selection": lambda x, out: karat.index_select(x, 0, karat.tensor([0]), out=out),
    "a view": lambda x, out: karat.diag(x, out=out),
    "a body": lambda x, out: karat.kron(x, x, out=out),
    "a factor": lambda x, out: karat.linalg.cholesky(x, out=out),
    "a solution": lambda x, out: karat.linalg.solve(x, x, out=out),
    "the first of two": lambda x, out: karat.topk(x, 1, out=(out, karat.empty(0, dtype=karat.int64))),
    "the second of two": lambda x, out: karat.linalg.slogdet(x, out=(karat.empty(0), out)),
}


@pytest.mark.parametrize("name", INTO_ANOTHER_DEVICE)
def test_a_target_on_another_device_is_refused_and_kept(name):
    out = karat.empty(0, device="meta")
    with pytest.raises(RuntimeError, match="^Expected all tensors to be on the same device, but found at least two devices"):
        INTO_ANOTHER_DEVICE[name](karat.eye(3), out)
    assert out.shape == (0,)


@pytest.mark.parametrize("call", [lambda x: karat.lerp(x, x, 1.5 - 2j), lambda x: x.addcmul(x, x, value=1j),
                                  lambda x: x.addcdiv(x, x, value=1j), lambda x: x.lerp_(x, 2j)])
@pytest.mark.parametrize("dtype", [karat.float16, karat.float32, karat.float64])
def test_no_imaginary_part_is_lost_among_reals(call, dtype):
    kind = "double" if dtype == karat.float64 else "float"
    with pytest.raises(RuntimeError, match=f"value cannot be converted to type {kind} without overflow"):
        call(karat.ones(2, dtype=dtype))


def test_known_powers_of_complex_numbers_are_products():
    z = karat.tensor([-1 + 0j, 3j, 2 - 0.5j], dtype=karat.complex128)
    assert (z ** 1).tolist() == z.tolist() and (z ** (1 + 0j)).tolist() == z.tolist()
    assert (z ** 3).tolist() == (z * z * z).tolist()
    assert (z ** -2).tolist() == (z * z).reciprocal().tolist()
    x = karat.tensor([1.1, -2.3, 0.7], dtype=karat.float64)
    assert (x ** 3).tolist() == [1.3310000000000004, -12.166999999999996, 0.3429999999999999]


def test_arange_of_int64_counts_in_int64():
    def arange(*ends):
        return karat.arange(*ends, dtype=karat.int64).tolist()
    assert arange(-0.5, 3) == [0, 1, 2] and arange(-1.5, 1.5) == [-1, 0] and arange(0.5) == []
    assert arange(0, 5, 1.5) == [0, 1, 2, 3, 4] and arange(0, 3, 0.5) == []
    assert karat.arange(0, 5, 1.5, dtype=karat.int32).tolist() == [0, 1, 2, 3]


def test_where_takes_a_number_that_the_result_can_hold():
    choose = karat.tensor([True, False])
    for x, number, name in ((karat.zeros(2), 1e39, "float"), (karat.zeros(2, dtype=karat.int8), 300, "int8_t"),
                            (karat.zeros(2, dtype=karat.complex64), 1e39, "c10::complex<float>")):
        for call in (lambda: karat.where(choose, x, number), lambda: karat.where(choose, number, x),
                     lambda: x.where(choose, number)):
            with pytest.raises(RuntimeError, match=f"value cannot be converted to type {name} without overflow"):
                call()
    assert karat.where(choose, karat.zeros(2).half(), 1e39).tolist() == [0.0, float("inf")]
    assert karat.where(choose, karat.zeros(2, dtype=karat.uint8), -129).tolist() == [0, 127]


@pytest.mark.parametrize("f, strides", [
    (karat.tan, (3, 1)), (karat.sigmoid, (3, 1)), (lambda x: x + karat.zeros(1, 3), (3, 1)), (lambda x: x + 1.5, (1, 1)),
    (karat.neg, (1, 1)), (lambda x: karat.clamp(x, karat.tensor(0.5)), (1, 1)),
])
def test_an_operand_that_is_converted_lies_as_its_copy(f, strides):
    x = karat.arange(9).reshape(3, 1, 3).diagonal(0, -3, 2)
    assert x.shape == (1, 3) and x.stride() == (3, 4) and f(x).stride() == strides


def test_kron_lies_as_the_product_does():
    x = karat.rand(5, 4, 3).mT
    assert karat.kron(x, x).stride() == (144, 1, 9) and karat.kron(x, x, out=karat.empty(0)).stride() == (144, 16, 1)
    y = karat.rand(2, 3)
    assert karat.kron(y, y.mT.contiguous().mT).stride() == (9, 1)


def test_roots_of_float16_are_powers():
    """PyTorch has a root for every other float, in which -0 stays -0 and -inf has none."""
    inf, nan = float("inf"), float("nan")
    for dtype, root, inverse in ((karat.float16, [0.0, inf], [inf, 0.0]), (karat.bfloat16, [-0.0, nan], [-inf, nan]),
                                 (karat.float32, [-0.0, nan], [-inf, nan])):
        for n in (1, 40):
            x = karat.tensor([-0.0, -inf] * n, dtype=dtype)
            assert str((x**0.5).tolist()) == str(root * n) and str((x**-0.5).tolist()) == str(inverse * n), dtype
            assert str(x.clone().pow_(0.5).tolist()) == str(root * n)


def test_sums_and_counts_where_nan_is_no_number():
    nan = float("nan")
    assert karat.nansum(karat.tensor([1, 2]), dtype=karat.complex128).item() == 3 + 0j
    assert karat.nansum(karat.tensor([True, False]), 0, out=karat.empty(0, dtype=karat.complex64)).item() == 1 + 0j
    with pytest.raises(NotImplementedError, match="\"nansum_cpu\" not implemented for 'ComplexDouble'"):
        karat.nansum(karat.ones(2), dtype=karat.complex128)
    x, y = karat.tensor([[1.0, 2.0]]), karat.tensor([[nan, 2.0], [float("inf"), 3.0], [1.0, 2.0]])
    assert str(karat.cdist(x, y, p=0.0).tolist()) == "[[nan, 2.0, 0.0]]"


def test_a_complex_number_with_an_infinite_part_is_infinitely_large():
    inf, nan = float("inf"), float("nan")
    for z in (complex(inf, nan), complex(nan, -inf)):
        for dtype in (karat.complex64, karat.complex128):
            x = karat.tensor([z, 1 + 1j], dtype=dtype)
            assert [karat.linalg.vector_norm(x, p).item() for p in (1, 2, 3, inf)] == [inf] * 4
            assert x.view(2, 1).expand(2, 3).norm(dim=0).tolist() == [inf] * 3
    assert karat.tensor([complex(1, nan)]).norm().isnan()


def test_cdist_of_narrow_floats_is_a_product_or_nothing():
    """PyTorch has a kernel of differences for float32 and float64 alone; many rows are compared by a product."""
    few, many = karat.rand(3, 4).bfloat16(), karat.rand(30, 4).bfloat16()
    assert karat.cdist(many, few).dtype is karat.bfloat16 and karat.cdist(few[:0], few).shape == (0, 3)
    for call in (lambda: karat.cdist(few, few), lambda: karat.cdist(many, few, 1.0),
                 lambda: karat.cdist(many, few, compute_mode="donot_use_mm_for_euclid_dist")):
        with pytest.raises(NotImplementedError, match="^\"cdist\" not implemented for 'BFloat16'"):
            call()
    with karat.policy("permissive"):
        assert karat.cdist(few, few).dtype is karat.bfloat16


@pytest.mark.parametrize("dtype, most, name", [
    (karat.int8, 127, "int8_t"), (karat.uint8, 255, "uint8_t"), (karat.int16, 32767, "int16_t"), (karat.int32, 2**31 - 1, "int")])
def test_an_exponent_that_integers_do_not_hold_is_refused(dtype, most, name):
    x = karat.tensor([1, 0], dtype=dtype)
    calls = [lambda e: karat.pow(x, e), lambda e: x.clone().pow_(e), lambda e: karat._foreach_pow([x], e)[0],
             lambda e: karat.pow(x, e, out=karat.empty(0, dtype=dtype))]
    for call in calls:
        assert call(most).tolist() == [1, 0]
        for e in (most + 1, 2**40):
            with pytest.raises(RuntimeError, match=f"^value cannot be converted to type {name} without overflow"):
                call(e)
    assert karat.pow(x, float(most + 1)).tolist() == [1, 0] and karat.pow(karat.tensor([True, False]), 2**40).tolist() == [1, 0]
