"""Large tensors of one value on the CPU, whose memory is written when somebody asks for it: Python's ways to ask. The kernels'
are in tests/unit/cpu/fills.c, copies to devices in test_device_copy.py."""

import copy
import ctypes
import io
import multiprocessing

import karat
import numpy
import pytest

N = 1 << 19
pytestmark = pytest.mark.cpu_only("the memory of the CPU is what is asked for")


def large(value=3.0, dtype=karat.float32):
    return karat.full((N,), value, dtype=dtype)


def all_three(array):
    return bool((numpy.asarray(array) == 3).all())


def from_address(t):
    return numpy.ctypeslib.as_array((ctypes.c_float * N).from_address(t.data_ptr()))


def reload(t):
    file = io.BytesIO()
    karat.save(t, file)
    file.seek(0)
    return karat.load(file).numpy()


WAYS = {
    "numpy": lambda t: t.numpy(),
    "__array__": numpy.asarray,
    "memoryview": lambda t: memoryview(t.numpy()),
    "data_ptr": from_address,
    "data_ptr of a part": lambda t: (ctypes.c_float * 3).from_address(t[-3:].data_ptr())[:],
    "dlpack": numpy.from_dlpack,
    "tolist": lambda t: t.tolist(),
    "item": lambda t: [t[-1].item(), float(t[7])],
    "storage": lambda t: numpy.frombuffer(bytes(t.untyped_storage()), numpy.float32),
    "storage's address": lambda t: numpy.ctypeslib.as_array((ctypes.c_float * N).from_address(t.untyped_storage().data_ptr())),
    "save": reload,
    "share_memory_": lambda t: t.share_memory_().numpy(),
    "view": lambda t: t.view(karat.int32).view(karat.float32).numpy(),
    "a list of numbers": lambda t: karat._foreach_addcmul([karat.zeros(2)] * 2, *[[karat.ones(2)] * 2] * 2, t[5:7])[1].numpy(),
    "printing": lambda t: [float(word.strip("tensor()[],.")) for word in str(t).split() if "..." not in word],
    "resize_": lambda t: t.resize_(N + 1)[:N].numpy(),
    "deepcopy": lambda t: copy.deepcopy(t).numpy(),
}


@pytest.mark.parametrize("way", WAYS)
def test_whoever_asks_gets_the_value(way):
    assert all_three(WAYS[way](large()))


def test_views_see_parts_of_elements():
    z = karat.full((N,), 1 + 2j)
    assert (z.imag + 0 == 2).all() and (z.real - z.imag == -1).all() and (karat.view_as_real(z) * 1)[5].tolist() == [1, 2]
    assert karat.isreal(karat.ones(N, dtype=karat.complex64)).all()
    assert (karat.full((N,), 5, dtype=karat.int64).view(karat.int32) + 0)[:4].tolist() == [5, 0, 5, 0]
    assert (karat.full((N,), 1.5).view(karat.uint8) + 0)[-4:].tolist() == [0, 0, 192, 63]
    assert (karat.full((N,), 5, dtype=karat.int32).view(karat.int64) + 0)[3].item() == 5 * (1 + 2**32)


def test_an_array_shows_later_writes():
    t = karat.zeros(N)
    array = t.numpy()
    t.fill_(3)
    assert all_three(array)
    array[:] = 4
    assert (t == 4).all()


def test_results_take_the_place_of_zeros():
    out, x = karat.zeros(N), karat.rand(N)
    assert karat.add(x, 1, out=out) is out and karat.equal(out, x + 1)
    copied = karat.zeros(N)
    copied.copy_(x)
    assert karat.equal(copied, x)
    sums = karat.zeros(1 << 18, 2)
    sums.index_add_(0, karat.tensor([5, 5]), karat.ones(2, 2))
    assert sums[5].tolist() == [2, 2] and sums.sum() == 4


def add_up(t):
    return t.sum().item()


def test_another_process_reads_it():
    t = large()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(add_up, (t,)) == 3 * N
    assert all_three(t)


def test_gradients_of_ones():
    x = karat.rand(1024, 512, requires_grad=True)
    norm = karat.nn.LayerNorm(512, elementwise_affine=False)
    for f in (lambda x: x.softmax(-1), norm, karat.exp, lambda x: x @ x.t(), karat.t):
        y = f(x)
        wanted = karat.autograd.grad(y, x, karat.tensor(numpy.ones(y.shape, numpy.float32)), retain_graph=True)[0]
        assert karat.equal(karat.autograd.grad(y, x, karat.ones_like(y))[0], wanted)
