"""Arrays in and out without a copy, NumPy's numbers as numbers, PyTorch's refusals."""

import gc
import sys
import weakref

import pytest

import karat

pytestmark = pytest.mark.cpu_only("memory of NumPy, of buffers and of DLPack")

np = pytest.importorskip("numpy")

SHARED = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize("name", SHARED)
def test_both_ways_without_a_copy(name):
    array = np.arange(6).reshape(2, 3).astype(name)
    t = karat.from_numpy(array)
    assert t.dtype is getattr(karat, name) and t.shape == (2, 3) and t.tolist() == array.tolist()
    assert t.data_ptr() == array.__array_interface__["data"][0]
    t[0, 0] = 1
    assert array[0, 0] == 1
    back = t.numpy()
    assert back.dtype == array.dtype and back.tolist() == array.tolist()
    back[1, 2] = 0
    assert t[1, 2].item() == 0 and array[1, 2] == 0


def test_strides():
    array = np.arange(24.0).reshape(2, 3, 4)
    for view in (array.T, array[:, ::2], array[1], array[..., 1:3], array[:, None], array[:0], np.array(3.0)):
        t = karat.from_numpy(view)
        assert t.tolist() == view.tolist() and t.shape == view.shape
        assert np.array_equal(t.numpy(), view) and np.shares_memory(t.numpy(), view) == (view.size > 0)
    t = karat.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)[1:, :, ::2]
    assert t.numpy().tolist() == t.tolist()


def test_who_keeps_whom():
    class Array(np.ndarray):
        pass

    array = np.zeros(3).view(Array)
    alive = weakref.ref(array)
    t = karat.from_numpy(array)
    part = t[1:]
    del array, t
    gc.collect()
    assert alive() is not None
    del part
    gc.collect()
    assert alive() is None
    before = karat.memory_stats()["live_bytes"]
    out = karat.ones(1000).numpy()
    gc.collect()
    assert karat.memory_stats()["live_bytes"] > before and out.sum() == 1000
    del out
    gc.collect()
    assert karat.memory_stats()["live_bytes"] == before


def test_refusals_coming_in():
    make = karat.from_numpy
    assert refusal(TypeError, lambda: make([1])) == "expected np.ndarray (got list)"
    assert refusal(TypeError, lambda: make(np.float32(1))) == "expected np.ndarray (got numpy.float32)"
    assert refusal(ValueError, lambda: make(np.arange(3)[::-1])).startswith("At least one stride in the given numpy array")
    assert refusal(ValueError, lambda: make(np.arange(3, dtype=">i4"))).startswith("given numpy array has byte order")
    fields = np.zeros(2, dtype="i1,f4")["f1"]
    assert refusal(ValueError, lambda: make(fields)).startswith("given numpy array strides not a multiple")
    for array in (np.array([None]), np.array("a"), np.zeros(2, "M8[s]"), np.zeros(2, "i4,i4"), np.zeros(2, "S3")):
        assert refusal(TypeError, lambda: make(array)) == (
            f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
            "uint8, and bool."
        )


def test_refusals_going_out():
    x = karat.ones(2, requires_grad=True)
    text = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    assert refusal(RuntimeError, x.numpy) == text
    assert refusal(RuntimeError, lambda: np.asarray(x)) == text
    assert x.numpy(force=True).tolist() == [1.0, 1.0]
    z = karat.tensor([1j]).conj()
    assert "conjugate bit" in refusal(RuntimeError, z.numpy) and z.numpy(force=True).tolist() == [-1j]
    assert "negative bit" in refusal(RuntimeError, z.imag.numpy) and z.imag.numpy(force=True).tolist() == [-1.0]
    assert refusal(TypeError, karat.ones(2, device="meta").numpy).startswith("can't convert meta device type tensor")
    if "ml_dtypes" not in sys.modules:
        try:
            import ml_dtypes  # noqa: F401
        except ImportError:
            assert refusal(TypeError, karat.ones(2).bfloat16().numpy) == "Got unsupported ScalarType BFloat16"
    with pytest.raises(TypeError):
        karat.ones(2).numpy(1)
    with pytest.raises(TypeError):
        karat.ones(2).numpy(forced=True)


def test_inference_of_dtype():
    f = karat.tensor
    assert f(np.ones(2)).dtype is karat.float64 and f([np.ones(2, "i4"), np.ones(2)]).dtype is karat.float64
    assert f(np.ones(2)).tolist() == [1.0, 1.0] and f([np.ones((2, 2))] * 3).shape == (3, 2, 2)
    for number in (np.float16(1.5), np.float32(1.5), np.float64(1.5), np.int8(1), np.bool_(True), np.complex64(1)):
        wanted = getattr(karat, {"bool_": "bool"}.get(type(number).__name__, number.dtype.name))
        assert f(number).dtype is wanted and f([number]).dtype is wanted
        assert f(number).item() == number.item()
    assert f([np.int32(1), 2.5]).dtype is karat.float32
    assert f(np.array(2.5)).shape == ()
    with pytest.raises(TypeError, match="len\\(\\) of unsized object"):  # as PyTorch
        f([np.array(2.5), 1])
    array = np.ones(3)
    copy, shared = f(array), karat.as_tensor(array)
    array[0] = 5
    assert copy.tolist() == [1.0] * 3 and shared.tolist() == [5.0, 1.0, 1.0]
    assert karat.as_tensor(array, dtype=karat.float32).dtype is karat.float32
    assert karat.asarray(array).data_ptr() == shared.data_ptr() != karat.asarray(array, copy=True).data_ptr()


def test_numbers_as_arguments():
    x = karat.ones(2)
    assert (x + np.float64(1)).dtype is karat.float32 and (x.half() + np.float32(1)).dtype is karat.float16
    assert (karat.arange(2) + np.float32(1)).dtype is karat.float32
    assert (karat.arange(2).to(karat.int8) + np.int64(1)).dtype is karat.int8
    assert karat.add(x, np.int64(1), alpha=np.float32(2)).tolist() == [3.0, 3.0]
    assert karat.zeros(np.int64(2)).shape == (2,) and karat.zeros((np.int32(2), 1)).shape == (2, 1)
    assert karat.full((2,), np.float32(3)).tolist() == [3.0, 3.0]
    assert x[np.int64(0)].item() == 1.0


def test_numpy_functions_on_tensors():
    x = karat.tensor([0.0, 1.0])
    assert isinstance(np.sin(x), karat.Tensor) and np.sin(x).tolist() == np.sin(np.array([0, 1], "f4")).tolist()
    assert np.asarray(x).dtype == np.float32 and np.array(x, dtype="i4").tolist() == [0, 1]
    both = x + np.array([1.0, 2.0])
    assert isinstance(both, karat.Tensor) and both.dtype is karat.float64 and both.tolist() == [1.0, 3.0]
    with pytest.raises(TypeError):
        np.array([1.0, 2.0]) * x  # PyTorch refuses it too
    assert isinstance(np.float64(2) * x, karat.Tensor)


def test_read_only_is_warned_of():
    array = np.ones(2)
    array.flags.writeable = False
    import warnings

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        karat.from_numpy(array), karat.from_numpy(array)
    assert len(seen) <= 1 and all("not writable" in str(one.message) for one in seen)


def test_an_array_keeps_the_memory_that_it_looks_into():
    for lend in (lambda t: t.numpy(), np.asarray, np.from_dlpack):
        t = karat.ones(300)
        array = lend(t)
        t.data = karat.zeros(3)
        karat.full((300,), 7.0)  # would be given the memory if it were free
        assert array.sum() == 300 and t.shape == (3,)


def test_memory_that_numpy_knows_is_not_resized():
    for t in (karat.ones(300), karat.ones(600)[:300]):
        t.numpy()
        assert t.resize_(10).shape == (10,)
        with pytest.raises(RuntimeError, match="^Trying to resize storage that is not resizable"):
            t.resize_(10_000)
    t = karat.ones(300)
    capsule = t.__dlpack__()
    assert t.resize_(10_000).shape == (10_000,) and capsule is not None


def test_operators_between_arrays_and_tensors():
    t, n = karat.tensor([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0])
    for same in (t == n, n == t):
        assert same.dtype is karat.bool and same.tolist() == [True, False, True]
    assert (n / t).tolist() == [1.0, 1.5, 1.0] and (n / t).dtype is karat.float64
    assert (t * n).dtype is karat.float64 and (t + n).tolist() == [2.0, 5.0, 8.0]
    with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
        karat.tensor([1], dtype=karat.uint16) == np.array([1])


def test_truths_that_numpy_makes_are_bytes():
    assert np.isnan(karat.tensor([1.0, float("nan")])).dtype is karat.uint8


def test_arrays_have_numpys_own_integers():
    assert repr(karat.tensor([1, 2]).numpy()) == repr(np.array([1, 2], dtype=np.int64))
    assert karat.tensor([1, 2]).numpy().dtype.char == np.dtype(np.int64).char
    assert karat.tensor([1], dtype=karat.uint64).numpy().dtype.char == np.dtype(np.uint64).char


def test_without_grad_mode_a_tensor_that_requires_grad_is_an_array():
    x = karat.ones(2, requires_grad=True)
    for mode in (karat.no_grad, karat.inference_mode):
        with mode():
            assert x.numpy().tolist() == np.asarray(x).tolist() == (x * 2).detach().div(2).tolist()
    assert refusal(RuntimeError, x.numpy).startswith("Can't call numpy() on Tensor that requires grad.")
