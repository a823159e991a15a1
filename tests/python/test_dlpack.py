"""DLPack in both directions: shared memory, who keeps whom, capsules used once, refusals."""

import gc

import pytest

import karat
from karat.utils.dlpack import from_dlpack, to_dlpack

pytestmark = pytest.mark.cpu_only("memory of NumPy, of buffers and of DLPack")


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def live():
    gc.collect()
    return karat.memory_stats()["live_bytes"]


@pytest.mark.parametrize("name", sorted({str(d)[6:] for d in karat._karat.dtypes.values()}))
def test_every_dtype(name):
    x = karat.ones(2, 3).to(getattr(karat, name)).T
    y = karat.from_dlpack(x)
    assert y.dtype is x.dtype and y.shape == x.shape and y.stride() == x.stride() and y.data_ptr() == x.data_ptr()
    assert y.tolist() == x.tolist()


def test_shapes():
    for x in (karat.tensor(3.0), karat.ones(0, 3), karat.ones(1, 2, 3, 4, 5, 6, 7)[:, :, 1:]):
        y = karat.from_dlpack(x)
        assert y.shape == x.shape and y.tolist() == x.tolist()


def test_lifetimes():
    before = live()
    x = karat.ones(1000)
    held = live()
    y = karat.from_dlpack(x)
    part = y[10:]
    del x, y
    assert live() >= held and part.tolist() == [1.0] * 990
    del part
    assert live() == before
    unused = [to_dlpack(karat.ones(1000)), karat.ones(1000).__dlpack__(max_version=(1, 0))]
    assert live() > before
    del unused
    assert live() == before


def test_a_capsule_is_used_once():
    capsule = to_dlpack(karat.ones(2))
    assert from_dlpack(capsule).tolist() == [1.0, 1.0]
    text = (
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
        "have already constructed a tensor from it once."
    )
    assert refusal(RuntimeError, lambda: from_dlpack(capsule)) == text
    assert refusal(RuntimeError, lambda: karat.from_dlpack(3)) == text


def test_refusals():
    assert refusal(BufferError, karat.ones(2, requires_grad=True).__dlpack__) == (
        "Can't export tensors that require gradient, use tensor.detach()"
    )
    assert refusal(BufferError, karat.tensor([1j]).conj().__dlpack__) == "Can't export tensors with the conjugate bit set"
    assert refusal(BufferError, karat.tensor([1j]).conj().imag.__dlpack__)
    assert refusal(BufferError, karat.ones(1, device="meta").__dlpack__) == "Cannot pack tensors on meta"
    assert refusal(ValueError, karat.ones(1, device="meta").__dlpack_device__) == "Unknown device type meta for Dlpack"
    assert refusal(AssertionError, lambda: karat.ones(1).__dlpack__(stream=1)) == "stream should be None on cpu."
    assert refusal(TypeError, lambda: to_dlpack(3)) == "_to_dlpack(): argument 'data' (position 1) must be Tensor, not int"
    with pytest.raises(TypeError):
        karat.ones(1).__dlpack__(max_version=3)


def test_copy_and_device():
    x = karat.ones(2)
    assert karat.from_dlpack(x, copy=True).data_ptr() != x.data_ptr() == karat.from_dlpack(x, device="cpu").data_ptr()
    assert karat.from_dlpack(x.__dlpack__(copy=True)).data_ptr() != x.data_ptr()
    assert tuple(x.__dlpack_device__()) == (1, 0)


def test_numpy():
    np = pytest.importorskip("numpy")
    if not hasattr(np, "from_dlpack"):
        pytest.skip("this NumPy has no from_dlpack")
    array = np.arange(6).reshape(2, 3)
    t = karat.from_dlpack(array.T)
    assert t.tolist() == array.T.tolist() and t.stride() == (1, 3)
    x = karat.arange(6.0).reshape(2, 3)
    back = np.from_dlpack(x)
    assert back.tolist() == x.tolist() and back.__array_interface__["data"][0] == x.data_ptr()
    del x
    gc.collect()
    assert back.sum() == 15
