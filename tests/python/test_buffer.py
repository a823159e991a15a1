"""frombuffer: a tensor on the memory of another object, with PyTorch's refusals."""

import array
import gc
import subprocess
import sys
import weakref

import pytest

import karat

pytestmark = pytest.mark.cpu_only("memory of NumPy, of buffers and of DLPack")


def refusal(kind, function):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value).splitlines()[0]


def test_shares_memory():
    memory = bytearray(array.array("f", [1.0, 2.0, 3.0]).tobytes())
    t = karat.frombuffer(memory, dtype=karat.float32)
    assert t.tolist() == [1.0, 2.0, 3.0] and t.shape == (3,) and t.is_contiguous()
    t[1] = 9
    assert array.array("f", bytes(memory)).tolist() == [1.0, 9.0, 3.0]
    memory[8:12] = array.array("f", [7.0]).tobytes()
    assert t.tolist() == [1.0, 9.0, 7.0]
    part = karat.frombuffer(memory, dtype=karat.float32, count=1, offset=4)
    assert part.tolist() == [9.0]


def test_every_dtype():
    memory = bytearray(range(1, 33))
    for dtype in set(karat._karat.dtypes.values()):
        t = karat.frombuffer(memory, dtype=dtype)
        assert t.dtype is dtype and t.numel() * dtype.itemsize == 32
        assert karat.frombuffer(memory, dtype=karat.uint8).tolist() == list(range(1, 33))


def test_keeps_the_buffer():
    class Holder(bytearray):
        pass

    memory = Holder(b"\0" * 64)
    alive = weakref.ref(memory)
    t = karat.frombuffer(memory, dtype=karat.int64)
    view = t[2:]
    del memory, t
    gc.collect()
    assert alive() is not None and view.tolist() == [0] * 6
    with pytest.raises(BufferError):
        alive().extend(b"more")  # its memory must not move under the tensor
    del view
    gc.collect()
    assert alive() is None


def test_refusals():
    twelve = bytearray(12)
    f32 = karat.float32
    make = karat.frombuffer
    assert refusal(ValueError, lambda: make(twelve, dtype=f32, count=4)) == (
        "requested buffer length (4 * 4 bytes) after offset (0 bytes) must not be greater than actual buffer length (12 bytes)"
    )
    assert refusal(ValueError, lambda: make(twelve, dtype=f32, count=0)) == (
        "both buffer length (12) and count (0) must not be 0"
    )
    assert refusal(ValueError, lambda: make(bytearray(), dtype=f32)) == (
        "both buffer length (0) and count (-1) must not be 0"
    )
    for offset in (12, -1):
        assert refusal(ValueError, lambda: make(twelve, dtype=f32, offset=offset)) == (
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length (12 bytes) minus 1"
        )
    assert refusal(ValueError, lambda: make(twelve, dtype=f32, offset=1)) == (
        "buffer length (11 bytes) after offset (1 bytes) must be a multiple of element size (4)"
    )
    assert refusal(ValueError, lambda: make([1], dtype=f32)) == "object does not implement Python buffer protocol."
    assert refusal(TypeError, lambda: make(twelve)) == 'frombuffer() missing 1 required positional arguments: "dtype"'
    assert refusal(TypeError, lambda: make(twelve, dtype=3)) == (
        "frombuffer(): argument 'dtype' must be torch.dtype, not int"
    )
    assert refusal(RuntimeError, lambda: make(twelve, dtype=karat.int32, requires_grad=True)) == (
        "Only Tensors of floating point and complex dtype can require gradients"
    )
    assert make(twelve, dtype=f32, requires_grad=True).requires_grad
    twelve.extend(b"free again")  # no refusal holds the buffer


def test_read_only_is_warned_of_once():
    script = """
import warnings, karat
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for _ in range(3):
        assert karat.frombuffer(b"\\1\\2", dtype=karat.uint8).tolist() == [1, 2]
assert len(seen) == 1 and seen[0].category is UserWarning and "not writable" in str(seen[0].message), seen
with warnings.catch_warnings():
    warnings.simplefilter("error")
    karat.frombuffer(b"1", dtype=karat.uint8)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_dies_on_another_thread():
    script = """
import threading, karat
box = [karat.frombuffer(bytearray(1 << 20), dtype=karat.float32)]
thread = threading.Thread(target=lambda: (box[0].add(1), box.clear()))
thread.start(); thread.join()
keep = karat.frombuffer(bytearray(8), dtype=karat.float32)  # alive at the interpreter's end
"""
    subprocess.run([sys.executable, "-c", script], check=True)
