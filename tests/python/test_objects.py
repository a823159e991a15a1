"""The Tensor object: identity, attributes, weak references, cycles, subclasses, and that nothing leaks."""

import gc
import sys
import weakref

import pytest

import karat


def live():
    return karat.memory_stats()["live_bytes"]


def test_ten_thousand_operations_leave_memory_as_it_was():
    a, b = karat.ones(3), karat.ones(3)
    w = karat.ones(3, requires_grad=True)

    def work(n):
        for _ in range(n):
            c = (a + b) * 2 - a / b
            c += 1
            c[0] = 3
            d = c[1:].to(karat.float16)
            (w * w).sum().backward()
            w.grad = None
            karat.cat([c, c]), c.unbind(), d.tolist(), repr(c)
            try:
                a + karat.ones(2)
            except RuntimeError:
                pass
            try:
                a.atan2(3)
            except TypeError:
                pass

    work(50)
    gc.collect()
    before, objects = live(), sys.getrefcount(karat.Tensor)
    work(1000)
    gc.collect()
    assert live() == before
    assert abs(sys.getrefcount(karat.Tensor) - objects) < 10


def test_a_plain_loop_leaves_memory_as_it_was():
    a, b = karat.ones(1), karat.ones(1)
    a + b
    before = live()
    for _ in range(10_000):
        a + b
    assert live() == before


def test_references_of_arguments_are_given_back():
    a, items = karat.ones(2), [karat.ones(2), karat.ones(2)]
    size = (2,)
    counts = [sys.getrefcount(o) for o in (a, items, items[0], size, karat.float16)]
    for _ in range(100):
        karat.cat(items)
        a.add(items[0], alpha=2)
        karat.zeros(size, dtype=karat.float16)
        a.to(karat.float16)
        with pytest.raises(TypeError):
            karat.cat(items + [3])
        with pytest.raises(TypeError):
            karat.zeros(size, foo=3)
    assert [sys.getrefcount(o) for o in (a, items, items[0], size, karat.float16)] == counts


def test_identity():
    a = karat.ones(2)
    assert a.to(karat.float32) is a and a.contiguous() is a
    assert a.add_(1) is a
    assert a[...] is not a and a.detach() is not a
    assert a.to(karat.float16) is not a


def test_a_tensor_is_its_own_key():
    a, b = karat.ones(1), karat.ones(1)
    assert {a: 1, b: 2}[a] == 1 and hash(a) == id(a)


def test_attributes_and_weak_references():
    a = karat.ones(1)
    a.tag = "x"
    assert a.tag == "x" and vars(a) == {"tag": "x"}
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'missing'$"):
        a.missing
    with pytest.raises(AttributeError):
        a.shape = 3
    gone = []
    r = weakref.ref(a, lambda _: gone.append(1))
    assert r() is a
    del a
    assert r() is None and gone == [1]


def test_attributes_do_not_pass_to_the_next_object():
    for _ in range(300):
        a = karat.ones(1)
        a.tag = 1
        del a
        assert vars(karat.ones(1)) == {}


def test_cycles_are_collected():
    a, b = karat.ones(1000), karat.ones(1000)
    a.other, b.other = b, a
    r = weakref.ref(a)
    gc.collect()
    before = live()
    del a, b
    gc.collect()
    assert r() is None and live() < before


def test_plain_tensors_are_unknown_to_the_collector():
    a = karat.ones(1)
    assert not gc.is_tracked(a)
    a.tag = 1
    assert gc.is_tracked(a)


def test_subclasses():
    class Named(karat.Tensor):
        def double(self):
            return self + self

        def __radd__(self, other):
            return "mine"

    x = Named(karat.tensor([1.0, 2.0]))
    x.name = "x"
    assert isinstance(x, karat.Tensor) and type(x) is Named and x.name == "x"
    assert x.double().tolist() == [2.0, 4.0]
    assert karat.ones(2) + x == "mine"
    assert karat.add(x, x).tolist() == [2.0, 4.0]
    assert x.add_(1) is x
    r = weakref.ref(x)
    del x
    gc.collect()
    assert r() is None
    count = sys.getrefcount(Named)
    for _ in range(100):
        Named(karat.ones(1))
    assert sys.getrefcount(Named) == count


def test_the_class():
    assert karat.Tensor.__name__ == "Tensor" and karat.Tensor.__module__ == "karat"
    assert karat.is_tensor(karat.ones(1)) and not karat.is_tensor(1)
    with pytest.raises(TypeError, match="new\\(\\) received an invalid combination of arguments - got \\(int, dtype"):
        karat.Tensor(3, dtype=karat.int32)
    karat.Tensor.third = lambda self: self[2]  # users do
    assert karat.arange(3).third().item() == 2
    del karat.Tensor.third


def test_geometry():
    x = karat.ones(2, 3, 4)
    assert x.size() == (2, 3, 4) and x.size(1) == 3 and x.size(dim=-1) == 4
    assert x.stride() == (12, 4, 1) and x.stride(0) == 12
    assert x.dim() == 3 == x.ndim and x.numel() == 24 and x[1].storage_offset() == 12
    assert x.element_size() == 4 == x.itemsize and x.is_contiguous() and not x.permute(2, 1, 0).is_contiguous()
    with pytest.raises(
        IndexError, match=r"^Dimension out of range \(expected to be in range of \[-3, 2\], but got 5\)"
    ):
        x.size(5)
