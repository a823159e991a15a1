"""karat.tensor and the functions that make tensors: inference, sizes, refusals in PyTorch's words."""

import pytest

import karat


@pytest.mark.parametrize(
    "data, dtype, shape",
    [
        (True, "bool", []),
        ([True, False], "bool", [2]),
        ([True, 2], "int64", [2]),
        ([1, 2.5], "float32", [2]),
        ([1, 2j], "complex64", [2]),
        ([], "float32", [0]),
        ([[], []], "float32", [2, 0]),
        (((1, 2), (3, 4)), "int64", [2, 2]),
        ([[[1.0]]], "float32", [1, 1, 1]),
        (range(3), "int64", [3]),
    ],
)
def test_inference(data, dtype, shape):
    t = karat.tensor(data)
    assert t.dtype is getattr(karat, dtype)
    assert t.shape == tuple(shape) and list(t.shape) == shape


def test_values_survive():
    nested = [[1.5, -2.0, 0.0], [4.0, 5.25, 6.0]]
    assert karat.tensor(nested).tolist() == nested
    for d in (karat.float64, karat.float16, karat.bfloat16):
        assert karat.tensor(nested, dtype=d).tolist() == nested
    assert karat.tensor([2**63], dtype=karat.float32).item() == 2.0**63
    assert karat.tensor(2**63, dtype=karat.uint64).item() == 2**63
    assert karat.tensor([-1], dtype=karat.uint8).item() == 255
    assert karat.tensor([1.5], dtype=karat.int64).item() == 1
    assert karat.tensor([1e40]).item() == float("inf")
    assert karat.tensor([2**70, 0], dtype=karat.bool).tolist() == [True, False]
    assert karat.tensor([1 + 2**-11 + 2**-40], dtype=karat.float16).item() == 1.0


def test_of_tensors():
    x = karat.ones(2, requires_grad=True)
    y = karat.tensor(x * 2)
    assert y.tolist() == [2.0, 2.0] and not y.requires_grad
    assert karat.tensor([karat.tensor(1.5), 2]).tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: karat.tensor([[1, 2], 3]), TypeError, "not a sequence"),
        (lambda: karat.tensor([1, [2]]), TypeError, "'list' object cannot be interpreted as an integer"),
        (lambda: karat.tensor([[1, 2], [3]]), ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
        (lambda: karat.tensor(["a"]), ValueError, "too many dimensions 'str'"),
        (lambda: karat.tensor("a"), TypeError, "new(): invalid data type 'str'"),
        (lambda: karat.tensor([None]), RuntimeError, "Could not infer dtype of NoneType"),
        (lambda: karat.tensor(2**63), ValueError, "Overflow when unpacking long long"),
        (
            lambda: karat.tensor(300, dtype=karat.uint8),
            RuntimeError,
            "value cannot be converted to type uint8 without overflow",
        ),
        (
            lambda: karat.tensor(1e10, dtype=karat.int32),
            RuntimeError,
            "value cannot be converted to type int32 without overflow",
        ),
        (lambda: karat.tensor([1j], dtype=karat.float32), TypeError, "must be real number, not complex"),
        (
            lambda: karat.tensor([karat.ones(2)]),
            ValueError,
            "only one element tensors can be converted to Python scalars",
        ),
        (
            lambda: karat.tensor([1], requires_grad=True),
            RuntimeError,
            "Only Tensors of floating point and complex dtype can require gradients",
        ),
        (
            lambda: karat.tensor([1.5], dtype="float32"),
            TypeError,
            "tensor(): argument 'dtype' must be torch.dtype, not str",
        ),
        (lambda: karat.tensor(), TypeError, 'tensor() missing 1 required positional arguments: "data"'),
        (lambda: karat.tensor([1.0], 3), TypeError, "tensor() takes 1 positional argument but 2 were given"),
        (lambda: karat.tensor([1.0], foo=3), TypeError, "tensor() got an unexpected keyword argument 'foo'"),
    ],
)
def test_refusals(make, error, text):
    with pytest.raises(error) as e:
        make()
    assert type(e.value) is error and str(e.value).partition("\n")[0] == text


def test_a_list_in_itself():
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="^too many dimensions 'list'$"):
        karat.tensor(endless)
    with pytest.raises(TypeError, match="^new\\(\\): self-referential lists are incompatible$"):
        karat.tensor([1, endless])


def test_a_sequence_that_is_shorter_than_it_says():
    class Sequence:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            if i >= 2:
                raise IndexError
            return float(i)

    with pytest.raises(ValueError, match="^expected sequence of length 3 at dim 0 \\(got 2\\)$"):
        karat.tensor(Sequence())


def test_keywords():
    assert karat.tensor(data=[1], dtype=karat.float32).tolist() == [1.0]
    assert karat.tensor([1.0], requires_grad=True).requires_grad
    assert karat.tensor([1.0, 2.0], device="meta").device == karat.device("meta")


def test_makers():
    assert karat.zeros(2, 3).shape == (2, 3)
    assert karat.zeros((2, 3)).shape == (2, 3)
    assert karat.ones([]).shape == ()
    assert karat.full((2,), 7).tolist() == [7, 7] and karat.full((2,), 7).dtype is karat.int64
    assert karat.arange(4).tolist() == [0, 1, 2, 3] and karat.arange(1, 2, 0.5).tolist() == [1.0, 1.5]
    assert karat.eye(2).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert karat.linspace(0, 1, 3).tolist() == [0.0, 0.5, 1.0]
    assert karat.zeros_like(karat.ones(2, dtype=karat.int8)).dtype is karat.int8
    assert karat.empty(3, dtype=karat.float16, requires_grad=True).requires_grad


def test_device():
    assert repr(karat.ones(1, device="cpu").device) == "device(type='cpu')"
    d = karat.device("cpu", 0)
    assert repr(d) == "device(type='cpu', index=0)" and str(d) == "cpu:0" and d.type == "cpu" and d.index == 0
    assert d != karat.device("cpu") and karat.device("cpu") == karat.ones(1, device="cpu").device
    assert len({karat.device("cpu"), karat.device("cpu"), karat.device("meta")}) == 2
    with pytest.raises(RuntimeError, match="device type at start of device string: foo"):
        karat.device("foo")


def test_size():
    s = karat.ones(2, 3).shape
    assert repr(s) == "torch.Size([2, 3])" and isinstance(s, tuple) and isinstance(s, karat.Size)
    assert s.numel() == 6 and s[0] == 2 and len(s) == 2


def test_a_conversion_keeps_the_graph():
    x = karat.ones(2, dtype=karat.float64, requires_grad=True)
    for t in (karat.as_tensor(x, dtype=karat.float32), karat.as_tensor(x * 2, dtype=karat.float32),
              karat.asarray(x, dtype=karat.float32, requires_grad=True), karat.asarray(x * 2, copy=True, requires_grad=True)):
        assert t.requires_grad and not t.is_leaf
    assert karat.as_tensor(x) is x and karat.asarray(x * 2, copy=True, requires_grad=True).grad_fn.name() == "CloneBackward0"
    karat.as_tensor(x, dtype=karat.float32).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and x.grad.dtype is karat.float64
    for t in (karat.asarray(x * 2), karat.asarray(x, dtype=karat.float32), karat.as_tensor(x, dtype=karat.int32)):
        assert t.is_leaf and not t.requires_grad
    assert karat.Tensor(x * 2).grad_fn.name() == "AliasBackward0" and x.new(x * 2).requires_grad
    with karat.no_grad():
        assert not karat.as_tensor(x, dtype=karat.float32).requires_grad


def test_a_number_for_every_element():
    """One element of a narrow float is made of a double and may become infinite; several must hold the number themselves."""
    inf, wide = float("inf"), "value cannot be converted to type %s without overflow"
    fills = (lambda n, value, dtype: karat.full([n], value, dtype=dtype),
             lambda n, value, dtype: karat.zeros(1).new_full([n], value, dtype=dtype),
             lambda n, value, dtype: karat.full_like(karat.zeros(n), value, dtype=dtype),
             lambda n, value, dtype: karat.ones(n).to(dtype).fill_(value))
    refused = [(karat.float16, 1e39, "c10::Half"), (karat.float8_e4m3fn, 500.0, "c10::Float8_e4m3fn"),
               (karat.float8_e4m3fn, inf, "c10::Float8_e4m3fn"), (karat.float8_e5m2fnuz, -inf, "c10::Float8_e5m2fnuz"),
               (karat.float8_e8m0fnu, -1.87, "c10::Float8_e8m0fnu"), (karat.float8_e8m0fnu, 0.0, "c10::Float8_e8m0fnu")]
    for fill in fills:
        for dtype, value, name in refused:
            assert fill(1, value, dtype).numel() == 1
            for n in (0, 2):
                with pytest.raises(RuntimeError, match=wide % name):
                    fill(n, value, dtype)
        for n, name in ((1, "double"), (2, "c10::BFloat16")):
            with pytest.raises(RuntimeError, match=wide % name):
                fill(n, 1.5 - 2j, karat.bfloat16)
        assert fill(2, -1, karat.float8_e8m0fnu).tolist() == [1.0, 1.0] and fill(2, inf, karat.float8_e5m2).tolist() == [inf] * 2
        assert fill(2, 1 + 0j, karat.float8_e5m2).tolist() == [1.0, 1.0] and fill(1, 1e39, karat.float16).tolist() == [inf]
        assert fill(2, 1e9, karat.complex32).tolist() == [complex(inf, 0)] * 2
        with pytest.raises(RuntimeError, match=wide % "c10::complex<c10::Half>"):
            fill(1, 1e9, karat.complex32)
    assert karat.nn.functional.pad(karat.zeros(0).half(), [1, 0], value=1e39).tolist() == [inf]
    with pytest.raises(RuntimeError, match=wide % "c10::Half"):
        karat.nn.functional.pad(karat.zeros(1).half(), [1, 0], value=1e39)
    with pytest.raises(RuntimeError, match=wide % "c10::Half"):
        karat.zeros(1).half().masked_fill(karat.tensor([True]), 1e39)


def test_out_wants_a_gradient_as_the_maker_is_asked():
    for make in (karat.zeros, karat.ones, karat.rand, karat.arange, karat.randperm):
        for asked in ({}, {"requires_grad": False}, {"requires_grad": True}):
            leaf = karat.ones(2, requires_grad=True)
            made = leaf * 1
            with karat.no_grad():
                assert make(2, out=leaf, **asked).requires_grad is asked.get("requires_grad", False)
                assert make(2, out=made, **asked).requires_grad  # what has a history keeps it
    leaf = karat.ones(2, requires_grad=True)
    with karat.no_grad():
        assert karat.normal(karat.ones(2), 1.0, out=leaf).requires_grad and karat.add(leaf, 1, out=leaf).requires_grad


def test_a_single_step_of_bools_is_the_number():
    assert karat.linspace(0.5, 3, 1, dtype=karat.bool).tolist() == [True] == karat.logspace(-0.5, 3, 1, dtype=karat.bool).tolist()
    assert karat.linspace(0, 3, 1, dtype=karat.bool).tolist() == [False]
    assert karat.linspace(0.5, 3, 1, dtype=karat.int32).tolist() == [0]
