"""dtype objects: names, facts, identity; promotion results that are known facts; limits."""

import copy
import pickle

import pytest

import karat

NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()


@pytest.mark.parametrize("name", NAMES)
def test_there_is_one_object_a_dtype(name):
    d = getattr(karat, name)
    assert repr(d) == f"torch.{name}" and str(d) == f"torch.{name}"
    assert isinstance(d, karat.dtype)
    assert karat.zeros(2, dtype=d).dtype is d
    assert copy.deepcopy(d) is d and pickle.loads(pickle.dumps(d)) is d


def test_there_are_21():
    assert len({id(getattr(karat, name)) for name in NAMES}) == 21


def test_short_names():
    for short, name in dict(
        half="float16", float="float32", double="float64", short="int16", int="int32", long="int64", cfloat="complex64"
    ).items():
        assert getattr(karat, short) is getattr(karat, name)
        assert getattr(karat.zeros(1), short)().dtype is getattr(karat, name)


def test_facts():
    assert karat.float32.itemsize == 4 and karat.complex128.itemsize == 16 and karat.bool.itemsize == 1
    assert (
        karat.bfloat16.is_floating_point and not karat.int8.is_floating_point and not karat.complex64.is_floating_point
    )
    assert karat.complex32.is_complex and not karat.float64.is_complex
    assert karat.int8.is_signed and not karat.uint8.is_signed and karat.float16.is_signed
    assert karat.complex64.to_real() is karat.float32 and karat.float64.to_complex() is karat.complex128


def test_dtypes_cannot_be_made():
    with pytest.raises(TypeError):
        karat.dtype()


@pytest.mark.parametrize(
    "a, b, result",
    [
        ("uint8", "int8", "int16"),
        ("float16", "bfloat16", "float32"),
        ("int64", "float16", "float16"),
        ("bool", "uint8", "uint8"),
        ("float64", "complex64", "complex128"),
        ("float32", "complex32", "complex64"),
    ],
)
def test_promotion_of_pairs(a, b, result):
    assert karat.promote_types(getattr(karat, a), getattr(karat, b)) is getattr(karat, result)
    x, y = karat.ones(2, dtype=getattr(karat, a)), karat.ones(2, dtype=getattr(karat, b))
    assert (x + y).dtype is getattr(karat, result)


def test_refused_promotions():
    with pytest.raises(RuntimeError) as e:
        karat.promote_types(karat.uint16, karat.int32)
    assert str(e.value).splitlines()[0] == (
        "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote UInt16 and Int"
    )
    with pytest.raises(
        RuntimeError, match="^Promotion for Float8 Types is not supported, attempted to promote Float8_e4m3fn and Float"
    ):
        karat.ones(1, dtype=karat.float8_e4m3fn) + karat.ones(1)
    with pytest.raises(
        TypeError, match=r"^promote_types\(\): argument 'type2' \(position 2\) must be torch.dtype, not int$"
    ):
        karat.promote_types(karat.int8, 3)


def test_numbers_are_weak():
    assert (karat.ones(2, dtype=karat.float16) * 2.5).dtype is karat.float16
    assert (karat.ones(2, dtype=karat.int8) + 1).dtype is karat.int8
    assert (karat.ones(2, dtype=karat.int8) + 1.0).dtype is karat.float32
    assert (karat.ones(2, dtype=karat.bool) + 1).dtype is karat.int64
    assert (karat.ones(2, dtype=karat.float64) + 1j).dtype is karat.complex128
    assert (karat.ones(2) + karat.tensor(1.0, dtype=karat.float64)).dtype is karat.float32
    assert (karat.ones(2, dtype=karat.int32) / 2).dtype is karat.float32


def test_can_cast():
    assert karat.can_cast(karat.float64, karat.float16)
    assert not karat.can_cast(karat.float32, karat.int64)
    assert not karat.can_cast(karat.int64, karat.bool)


def test_default_dtype():
    assert karat.get_default_dtype() is karat.float32
    karat.set_default_dtype(karat.float64)
    try:
        assert karat.tensor([1.5]).dtype is karat.float64
        assert karat.tensor([1j]).dtype is karat.complex128
        assert karat.zeros(1).dtype is karat.float64
    finally:
        karat.set_default_dtype(karat.float32)
    with pytest.raises(TypeError, match="^invalid dtype object: only floating-point types are supported as the default type$"):
        karat.set_default_dtype("float32")


def test_python_types_stand_for_dtypes():
    assert karat.zeros(1, dtype=float).dtype is karat.float64
    assert karat.tensor([1], dtype=bool).dtype is karat.bool
    assert karat.ones(1).to(int).dtype is karat.int64


def test_limits():
    f = karat.finfo(karat.float32)
    assert repr(f) == (
        "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1.17549e-38, "
        "tiny=1.17549e-38, dtype=float32)"
    )
    assert karat.finfo().bits == 32 and karat.finfo(karat.bfloat16).eps == 2.0**-7
    assert repr(karat.iinfo(karat.int8)) == "iinfo(min=-128, max=127, dtype=int8)"
    assert karat.iinfo(karat.uint64).max == 2**64 - 1
    with pytest.raises(TypeError, match="requires a floating point input type"):
        karat.finfo(karat.int8)


NO_POWER_OF_HALVES = [
    (lambda h, c: h ** 1j), (lambda h, c: 1j ** h), (lambda h, c: h ** c), (lambda h, c: c ** c), (lambda h, c: c ** h),
    (lambda h, c: c ** 1j), (lambda h, c: 2 ** c), (lambda h, c: karat.tensor([1, 2]) ** c),
    (lambda h, c: c ** karat.tensor([True, False])),
    (lambda h, c: c.pow_(c)), (lambda h, c: karat.pow(h, 2 + 0j)),
]


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("power", NO_POWER_OF_HALVES)
def test_powers_of_complex_halves_are_refused(power):
    with pytest.raises(NotImplementedError, match="^\"pow\" not implemented for 'ComplexHalf'"):
        power(karat.ones(2, dtype=karat.half), karat.ones(2, dtype=karat.complex32))


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_powers_beside_complex_halves():
    h, c = karat.ones(2, dtype=karat.half), karat.ones(2, dtype=karat.complex32)
    assert (c ** 1).dtype == (c ** 0).dtype == (1 ** c).dtype == karat.complex32
    assert (h.float() ** c).dtype == (h ** karat.ones(2, dtype=karat.complex64)).dtype == karat.complex64
    with pytest.raises(RuntimeError, match="result type ComplexHalf can't be cast to the desired output type Half"):
        h.pow_(c)
