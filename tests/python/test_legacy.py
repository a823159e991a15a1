"""The old constructors, Size, printing options, second names, the questions as functions."""

import copy
import pickle

import pytest

import karat
from on_device import cpu_repr


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def test_old_constructors():
    assert karat.FloatTensor([1, 2]).tolist() == [1.0, 2.0] and karat.FloatTensor(2, 3).shape == (2, 3)
    assert karat.LongTensor([1.7, 2]).tolist() == [1, 2] and karat.BoolTensor([1, 0]).tolist() == [True, False]
    assert karat.Tensor().shape == (0,) and karat.Tensor(2, 3).dtype is karat.float32
    assert karat.Tensor([1, 2]).tolist() == [1.0, 2.0] and karat.Tensor(range(3)).tolist() == [0.0, 1.0, 2.0]
    assert karat.FloatTensor(karat.Size([2, 3])).shape == (2, 3) and karat.FloatTensor((2, 3)).tolist() == [2.0, 3.0]
    x = karat.ones(2, device="cpu")
    assert karat.FloatTensor(x) is not x and karat.FloatTensor(x).data_ptr() == x.data_ptr()
    assert isinstance(x, karat.FloatTensor) and not isinstance(x, karat.LongTensor)
    assert repr(karat.FloatTensor) == "<class 'torch.FloatTensor'>" and karat.HalfTensor.dtype is karat.float16


def test_old_constructors_refuse():
    f = karat.FloatTensor
    assert refusal(TypeError, lambda: f(3.5)) == "new(): data must be a sequence (got float)"
    assert refusal(TypeError, lambda: f("a")) == "new(): invalid data type 'str'"
    assert refusal(TypeError, lambda: f(2, "a")) == (
        "new(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got str\""
    )
    assert refusal(RuntimeError, lambda: karat.ByteTensor([300])) == (
        "value cannot be converted to type uint8 without overflow"
    )
    with pytest.raises(TypeError):
        karat.DoubleTensor(karat.ones(1))


def test_type():
    x = karat.ones(2, device="cpu")
    assert x.type() == "torch.FloatTensor" and x.long().type() == "torch.LongTensor"
    assert x.type("torch.LongTensor").dtype is karat.int64 and x.type(karat.HalfTensor).dtype is karat.float16
    assert x.type(karat.float32) is x and x.type_as(karat.ones(1).int()).dtype is karat.int32
    assert refusal(ValueError, lambda: x.type("foo")) == "invalid type: 'foo'"
    assert refusal(TypeError, lambda: x.type(3)) == "dtype must be a type, str, or dtype object"


def test_size():
    s = karat.Size([1, 2])
    assert repr(s) == "torch.Size([1, 2])" and s == (1, 2) and hash(s) == hash((1, 2))
    for more in (s + (3,), (3,) + s, s * 2, 2 * s, s[1:], s[:0], s + s, copy.copy(s), pickle.loads(pickle.dumps(s))):
        assert type(more) is karat.Size
    assert s + (3,) == (1, 2, 3) and (3,) + s == (3, 1, 2) and s[0] == 1 and s.numel() == 2
    assert karat.Size([karat.tensor(3)]) == (3,) and type(karat.Size([karat.tensor(3)])[0]) is int
    assert refusal(TypeError, lambda: karat.Size([1.5])) == "torch.Size() takes an iterable of 'int' (item 0 is 'float')"
    assert refusal(TypeError, lambda: karat.Size(3)) == "'int' object is not iterable"
    with pytest.raises(TypeError):
        s + [1]


def test_print_options():
    x = karat.tensor([1.23456789, 1000.0])
    before = karat.get_printoptions()
    try:
        karat.set_printoptions(precision=2)
        assert repr(x) == "tensor([1.23e+00, 1.00e+03])" or "1.23" in repr(x)
        karat.set_printoptions(sci_mode=False)
        assert cpu_repr(x) == "tensor([   1.23, 1000.00])"
        karat.set_printoptions(profile="short", threshold=2)
        assert "..." in repr(karat.arange(10))
        karat.set_printoptions(profile="full")
        assert "..." not in repr(karat.arange(5000))
        with karat.printoptions(precision=1, sci_mode=False):
            assert cpu_repr(x) == "tensor([   1.2, 1000.0])"
        karat.set_printoptions(profile="default")
    finally:
        karat._karat.set_print_options(**before)
    assert karat.get_printoptions() == before
    with pytest.raises(ValueError):
        karat.set_printoptions(precision=-1)


def test_second_names():
    x = karat.tensor([-1.5, 2.5])
    assert karat.absolute(x).tolist() == [1.5, 2.5] and x.clip(0).tolist() == [0.0, 2.5]
    assert x.clone().negative_().tolist() == [1.5, -2.5] and karat.fix(x).tolist() == [-1.0, 2.0]
    assert refusal(TypeError, lambda: karat.absolute(3)) == (
        "absolute(): argument 'input' (position 1) must be Tensor, not int"
    )


def test_what_changes_nothing():
    assert karat.zeros(2, layout=karat.strided, pin_memory=False).tolist() == [0.0, 0.0]
    assert karat.ones(2).to(karat.float64, non_blocking=True).dtype is karat.float64
    with pytest.raises(TypeError):
        karat.zeros(2, layout="strided")
    with pytest.raises(TypeError):
        karat.add(karat.ones(1), 1, layout=karat.strided)


def test_questions():
    x = karat.ones(2, 3)
    assert karat.numel(x) == 6 and karat.is_floating_point(x) and not karat.is_complex(x) and x.nbytes == 24
    assert x.cpu().is_cpu and x.is_cuda == (x.device.type == "cuda") and not x.is_meta and karat.ones(1, device="meta").is_meta
    assert refusal(TypeError, lambda: karat.numel(3)) == "numel(): argument 'input' (position 1) must be Tensor, not int"
    assert x.mT.shape == (3, 2) and karat.tensor([[1j]]).H.tolist() == [[-1j]]
    assert refusal(RuntimeError, lambda: karat.ones(2).mT) == (
        "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor."
    )
    assert karat.ones(2, device="meta").data_ptr() == 0 and x[0].data_ptr() == x.data_ptr() != 0
    assert x.new_tensor([1, 2]).dtype is karat.float32


def test_result_type():
    x = karat.ones(2, dtype=karat.int8)
    assert karat.result_type(x, 1.5) is karat.float32 and karat.result_type(1, x) is karat.int8
    assert karat.result_type(tensor=x, other=karat.tensor(1)) is karat.int8
    assert karat.result_type(1, 1.5) is karat.float32 and karat.result_type(scalar=1j, tensor=x) is karat.complex64
    assert refusal(TypeError, lambda: karat.result_type(x, "a")) == (
        "result_type() received an invalid combination of arguments - got (Tensor, str), but expected one of:"
    )
    assert refusal(TypeError, lambda: karat.promote_types(karat.int8)) == (
        'promote_types() missing 1 required positional arguments: "type2"'
    )


def test_data_that_is_none():
    f = karat.tensor
    assert refusal(TypeError, lambda: f(b"ab")) == "new(): invalid data type 'bytes'"
    assert refusal(RuntimeError, lambda: f(object())) == "Could not infer dtype of object"
    assert refusal(OverflowError, lambda: f(-1, dtype=karat.uint64)) == "can't convert negative int to unsigned"
    assert refusal(ValueError, lambda: f(2**63)) == "Overflow when unpacking long long"

    class Number:
        def __float__(self):
            return 2.5

        def __index__(self):
            return 7

    assert f([Number()], dtype=karat.float32).tolist() == [2.5] and f(Number(), dtype=karat.int16).item() == 7
    assert refusal(RuntimeError, lambda: f(Number())) == "Could not infer dtype of Number"
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        assert f(karat.ones(2)).tolist() == [1.0, 1.0]


def test_missing_names_say_so():
    assert refusal(AttributeError, lambda: karat.no_such_operator) == "module 'karat' has no attribute 'no_such_operator'"
    assert "'nn.functional'" in refusal(AttributeError, lambda: karat.nn.functional.no_such).replace("karat.", "")
    assert not hasattr(karat, "__wrapped__")


def test_old_constructors_by_keyword():
    x = karat.ones(2, device="cpu")
    assert x.new(size=(3, 4)).shape == (3, 4) and x.new(size=[2]).shape == (2,) and karat.Tensor(size=(1, 2)).shape == (1, 2)
    assert x.new(data=(3, 4)).tolist() == [3.0, 4.0] and x.new(data=karat.Size([3, 4])).tolist() == [3.0, 4.0]
    assert x.new(other=x).data_ptr() == x.data_ptr() and x.new(size=(2, 3), device="cpu").shape == (2, 3)
    for one in ({"size": 3}, {"size": x}, {"size": "ab"}, {"other": [1]}, {"sizes": (1,)}, {"size": (2,), "data": [1]}):
        assert refusal(TypeError, lambda: x.new(**one)).startswith("new() received an invalid combination of arguments - got (")
    assert refusal(TypeError, lambda: x.new(data=3)) == "new(): data must be a sequence (got int)"
    assert refusal(TypeError, lambda: x.new(data=x)) == "new(): data must be a sequence (got Tensor)"
    assert refusal(RuntimeError, lambda: x.new(x, device=None)).startswith("Legacy tensor new of the form tensor.new(tensor, de")
    for kind in ("cuda", "meta"):
        for make in (karat.FloatTensor, karat.Tensor, x.new):
            assert refusal(RuntimeError, lambda: make(device=kind)) == (
                f"legacy constructor expects device type: cpu but device type: {kind} was passed")
    assert refusal(TypeError, lambda: karat.FloatTensor(device=3.5)).startswith("new() received an invalid combination of ")
    assert refusal(RuntimeError, lambda: karat.Tensor(device=-1)) == "Device index must not be negative"


def test_numbers_that_are_too_large_or_negative():
    assert refusal(RuntimeError, lambda: karat.device(-1)) == "Device index must not be negative"
    assert refusal(RuntimeError, lambda: karat.zeros(2, device=-1)) == "Device index must not be negative"
    for call in (lambda: karat.device(2**70), lambda: karat.device("cuda", 2**70), lambda: karat.set_num_threads(2**65),
                 lambda: karat.zeros(2, device=2**70)):
        assert refusal(ValueError, call) == "Overflow when unpacking long long"
    assert refusal(ValueError, lambda: karat.set_num_threads(2**40)) == "Overflow when unpacking long"
    assert refusal(RuntimeError, lambda: karat.set_num_threads(True)) == "set_num_threads expects an int, but got bool"


def test_refusals_in_the_right_order():
    assert refusal(RuntimeError, lambda: karat.broadcast_shapes(1.0, 2)) == (
        "('Input shapes should be of type ints, a tuple of ints, or a list of ints, got ', 1.0)")
    for join in (karat.cat, karat.concat, karat.concatenate):
        assert refusal(ValueError, lambda: join([], dim="N")) == "expected a non-empty list of Tensors"
    lent = karat.ones(2, device="cpu")
    for stream in (object(), True, 1.0, "a"):
        assert refusal(TypeError, lambda: lent.__dlpack__(stream=stream)) == "stream must be ``int`` or ``none``"
    for stream in (0, 1, 2**70):
        assert refusal(AssertionError, lambda: lent.__dlpack__(stream=stream)) == "stream should be None on cpu."


def test_every_function_is_pickled():
    tried = 0
    for module in (karat, karat.nn.functional, karat.linalg, karat.special, karat.fft, karat.autograd, karat.cuda):
        for name in dir(module):
            value = getattr(module, name)
            if callable(value) and not name.startswith("__"):
                assert pickle.loads(pickle.dumps(value)) is value, name
                assert copy.deepcopy(value) is value
                tried += 1
    for name, value in vars(karat.Tensor).items():
        if callable(value) and not name.startswith("_"):
            assert pickle.loads(pickle.dumps(getattr(karat.Tensor, name))) == value, name
    assert tried > 500


def test_none_where_pytorch_lets_it_be_none():
    x = karat.tensor([2.0, 1.0])
    assert karat.sort(x, stable=None).values.tolist() == x.sort(stable=None, dim=0)[0].tolist() == [1.0, 2.0]
    for make in (lambda **g: karat.randint(0, 10, (2,), **g), lambda **g: karat.rand(2, **g), lambda **g: karat.randn(2, **g),
                 lambda **g: karat.randperm(4, **g), lambda **g: karat.rand_like(x, **g),
                 lambda **g: karat.randint_like(x, 9, **g)):
        karat.manual_seed(3)
        plain = make()
        karat.manual_seed(3)
        assert make(generator=None).equal(plain)
    assert karat.amax(x, None) == 2.0
    for call in (lambda: karat.rot90(karat.ones(2, 2), 1, None), lambda: karat.linalg.matrix_norm(karat.ones(2, 2), dim=None)):
        refusal(TypeError, call)


def test_what_python_reads_may_be_anything():
    x, y, functional = karat.ones(2, 3), karat.zeros(2, 3), karat.nn.functional
    for flag in (None, 0, [], "yes", 1.5):
        assert functional.dropout(x, 0.0, inplace=flag).shape == (2, 3)
        assert functional.mse_loss(x, y, size_average=flag).shape == () and functional.l1_loss(x, y, reduce=True).shape == ()
    assert functional.mse_loss(x, y, reduce=0).shape == (2, 3)
    assert functional.embedding(karat.tensor([0]), x, norm_type=None).tolist() == [[1, 1, 1]]
    for word in (None, 3, b"mean", []):
        for loss in (functional.mse_loss, functional.huber_loss, functional.kl_div, functional.binary_cross_entropy):
            assert refusal(ValueError, lambda: loss(x, y, reduction=word)) == f"{word} is not a valid value for reduction"
    assert "must be bool" in refusal(TypeError, lambda: functional.dropout(x, 0.5, training=None))


def test_none_for_names_and_formats():
    for make in (karat.zeros, karat.ones, karat.empty, karat.rand, karat.randn):
        assert make(2, names=None).shape == make((2,), names=None, dtype=karat.float64).shape == (2,)
    assert karat.full((2,), 1, names=None).tolist() == [1, 1] and karat.tensor([1.0], names=None).tolist() == [1.0]
    x = karat.ones(2)
    assert refusal(TypeError, lambda: x.contiguous(memory_format=None)) == (
        "contiguous(): argument 'memory_format' must be torch.memory_format, not NoneType")
    assert x.contiguous(memory_format=karat.contiguous_format) is x.contiguous()


def test_floats_from_large_integers():
    assert karat.zeros(2).uniform_(-2**70, 1).le(1).all() and karat.zeros(2).normal_(2**70, 0).tolist() == [2.0**70] * 2
    assert "lambda=-1.18059e+21" in refusal(RuntimeError, lambda: karat.zeros(2).exponential_(-2**70))
    assert refusal(OverflowError, lambda: karat.zeros(2).normal_(10**400)) == "int too large to convert to float"
    assert refusal(OverflowError, lambda: karat.zeros(2).add(-2**70)) == "can't convert negative int to unsigned"


def test_order_of_dims_with_equal_and_no_strides():
    x = karat.zeros(100)
    assert karat.ones(2, 1, 3).expand(2, 4, 3).dim_order() == (0, 1, 2)
    for sizes, strides, order in (((2, 4, 4, 3, 3), (3, 4, 2, 0, 3), (1, 4, 0, 3, 2)), ((4, 1), (1, 4), (0, 1)),
                                  ((3, 4, 1), (2, 1, 6), (2, 0, 1)), ((0, 0), (1, 12), (0, 1)),
                                  ((2, 2, 2), (12, 6, 12), (0, 2, 1))):
        assert x.as_strided(sizes, strides).dim_order() == order
    for sizes, strides in (((2, 4), (6, 0)), ((4, 2, 2), (4, 1, 4))):
        assert refusal(RuntimeError, lambda: x.as_strided(sizes, strides).dim_order(ambiguity_check=True)) == (
            "The tensor does not have unique dim order.")
    assert x.as_strided((3,), (0,)).dim_order(ambiguity_check=True) == (0,)
    both = [karat.contiguous_format, karat.channels_last]
    last = karat.empty(2, 3, 1, 4).to(memory_format=karat.channels_last)  # two strides are equal, and one format fits
    assert last.dim_order(ambiguity_check=both) == (0, 2, 3, 1)
    assert karat.empty(2, 3, 1, 4).dim_order(ambiguity_check=both) == (0, 1, 2, 3)


def test_old_types_are_no_base_classes():
    for bases in ((karat.FloatTensor,), (karat.FloatTensor, dict)):
        assert refusal(TypeError, lambda: type("Own", bases, {})) == "type 'torch.FloatTensor' is not an acceptable base type"


def test_another_interpreter_is_told():
    interpreters = pytest.importorskip("_xxsubinterpreters")
    import sys

    # Without NumPy and site packages: only what is asked about is loaded there.
    other = interpreters.create()
    try:
        interpreters.run_string(other, f"import sys; sys.path[:0] = {sys.path!r}\n"
                                       "try:\n    import karat._karat as found\n    says = ''\n"
                                       "except ImportError as e:\n    says = str(e)\n"
                                       "assert 'one interpreter per process' in says or 'does not support' in says, says")
    finally:
        interpreters.destroy(other)


def test_rows_that_attributes_call_are_found_once():
    from timeit import repeat

    x = karat.ones(2, 3)
    by_name = min(repeat(lambda: x.t(), number=2000, repeat=5))
    assert min(repeat(lambda: x.T, number=2000, repeat=5)) < 4 * by_name  # a search through the table takes ten times as long


def test_new_is_on_the_tensors_device():
    x = karat.empty(2, device="meta")
    for made, shape in ((x.new(3), (3,)), (x.new([1.0, 2.0]), (2,)), (x.new(x), (2,)), (x.new(3, device="meta"), (3,)),
                        (x.new(), (0,)), (x.new(size=(2, 3)), (2, 3)), (x.new(data=[[1]]), (1, 1)),
                        (x.new(3, device=None), (3,))):
        assert made.device.type == "meta" and made.shape == shape and made.dtype is karat.float32
    assert refusal(RuntimeError, lambda: x.new(3, device="cpu")) == (
        "legacy constructor expects device type: meta but device type: cpu was passed")
    assert refusal(RuntimeError, lambda: karat.ones(2, device="cpu").new(3, device="meta")) == (
        "legacy constructor expects device type: cpu but device type: meta was passed")
    assert refusal(RuntimeError, lambda: x.new(x, device="meta")).startswith("Legacy tensor new of the form tensor.new(tensor,")
    options = ("TensorOptions(dtype=float, device={}, layout=Strided, requires_grad=false (default), pinned_memory=false "
               "(default), memory_format=(nullopt))")
    for one, other in ((x, karat.ones(2, device="cpu")), (karat.ones(2, device="cpu"), x)):
        said = refusal(TypeError, lambda: one.new(other)).splitlines()[0]
        assert said == f"expected {options.format(one.device)} (got {options.format(other.device)})"
