"""Copies between the host and a device: non_blocking, pinned memory, which dtype travels, and the errors of host-only methods."""

import ctypes
import itertools
import os
import re

import karat
import numpy
import pytest

mirror = karat._device.make("mirror")
BUILD = os.path.normpath(os.path.join(os.path.dirname(karat.__file__), "..", ".."))
ctypes.CDLL(os.path.join(BUILD, "lib", "libkarat.so.0"), ctypes.RTLD_GLOBAL)  # whose names the plugin takes
plugin = ctypes.CDLL(os.path.join(BUILD, "backends", "plans.so"))
plugin.plans_end.restype = ctypes.c_char_p


def plans(run):
    """A line for each kernel and transfer of `run`."""
    assert plugin.plans_begin() == 0
    try:
        run()
    finally:
        text = plugin.plans_end().decode()
    return text.splitlines()


def waits(run):
    """How often `run` makes the host wait."""
    before = karat._karat.host_waits()
    run()
    return karat._karat.host_waits() - before


def host(*size):
    return karat.arange(1.0, 1.0 + numpy.prod(size)).reshape(size)


def test_large_values_that_the_host_has_not_written_yet():
    values = karat.full((1 << 19,), 3.0, device="cpu")
    assert (values.to("mirror").cpu() == 3).all()
    number = karat.full((1 << 19,), 3.0, device="cpu")[-1]
    assert (karat.zeros(4, device="mirror") + number).tolist() == [3.0] * 4
    copied = karat.zeros(1 << 19, device="cpu")
    copied.copy_(karat.full((1 << 19,), 2.0, device="mirror"))
    assert (copied == 2).all()


# ---- layouts and dtypes ----

LAYOUTS = {"dense": lambda t: t.contiguous(), "turned": lambda t: t.mT.contiguous().mT, "every second": lambda t:
           karat.stack([t, t], -1)[..., 0], "permuted": lambda t: t.permute(2, 0, 1).contiguous().permute(1, 2, 0)}
DTYPES = [karat.float32, karat.float64, karat.bfloat16, karat.int8, karat.bool, karat.complex64]


@pytest.mark.parametrize("layouts", list(itertools.product(LAYOUTS, LAYOUTS)), ids=str)
def test_every_layout_and_dtype(layouts):
    for dtype, other in itertools.product(DTYPES, DTYPES):
        if dtype.is_complex and not other.is_complex:
            continue
        x = LAYOUTS[layouts[0]](host(2, 3, 4).to(dtype))
        expected = x.to(other)
        for late in (False, True):
            target = LAYOUTS[layouts[1]](karat.zeros(2, 3, 4, dtype=other, device="mirror"))
            there = target.copy_(x, non_blocking=late)
            assert there is target and karat.equal(there.cpu(), expected)
            back = LAYOUTS[layouts[1]](karat.zeros(2, 3, 4, dtype=dtype))
            back.copy_(LAYOUTS[layouts[0]](x.to("mirror", non_blocking=late)), non_blocking=late)
            assert karat.equal(back, x)
        moved = x.to("mirror", other)
        assert moved.stride() == x.to(other, copy=True).stride() and karat.equal(moved.cpu(), expected)
        if dtype.is_complex or not other.is_complex:
            assert karat.equal(moved.to("mirror:1").to("cpu", dtype), expected.to(dtype))


def test_broadcast_empty_and_lazy():
    x = karat.zeros(2, 3, device="mirror").copy_(host(3))
    assert x.tolist() == [[1.0, 2.0, 3.0]] * 2
    assert karat.empty(0, 3).to("mirror").shape == (0, 3) and karat.empty(0, device="mirror").cpu().shape == (0,)
    z = karat.complex(host(2, 3), -host(2, 3))
    for lazy in (z.conj(), z.mT.conj(), z.imag.conj(), z.conj().imag):
        assert karat.equal(lazy.to("mirror").cpu(), lazy.clone())
        device = karat.empty_like(lazy, device="mirror")
        assert karat.equal(device.copy_(lazy).cpu(), lazy.clone())
    there = z.to("mirror")
    there.conj().copy_(z)
    assert karat.equal(there.cpu(), z.conj().resolve_conj())
    there.conj().copy_(host(2, 3))
    assert karat.equal(there.cpu().real, host(2, 3))


def test_a_copy_of_one_layout_and_dtype_is_one_transfer():
    x, device = host(4, 4), karat.zeros(4, 4, device="mirror")
    for run in (lambda: x.to("mirror"), lambda: device.copy_(x), lambda: device.cpu(), lambda: x.copy_(device),
                lambda: x.mT.to("mirror"), lambda: device.mT.copy_(x.mT), lambda: device.to("mirror:1"),
                lambda: device[1:3].copy_(x[1:3])):
        assert len(plans(run)) == 1, plans(run)


def test_the_narrower_dtype_travels():
    x, half, double = host(4, 4), karat.zeros(4, 4).half().to("mirror"), karat.zeros(4, 4).double().to("mirror")
    packed = ["cpu: float16 <- float32 as float16", "mirror: float16 <- float16"]
    unpacked = ["cpu: float16 <- float16", "cpu: float64 <- float16 as float64"]
    for run, expected in ((lambda: x.to("mirror", karat.float16), packed), (lambda: half.copy_(x), packed),
                          (lambda: half.to("cpu", karat.float64), unpacked),
                          (lambda: double.to("cpu", karat.float16), ["mirror: float16 <- float64 as float16",
                                                                     "cpu: float16 <- float16"]),
                          (lambda: double.copy_(x), ["mirror: float32 <- float32", "mirror: float64 <- float32 as float64"])):
        lines = [re.sub(r" \(.*", "", line.partition(", ")[2].rpartition(", ")[0]) for line in plans(run)]
        assert lines == expected


# ---- waits ----


def test_only_pinned_memory_is_copied_without_a_wait():
    x, pinned, device = host(1000), host(1000).pin_memory(), karat.ones(1000, device="mirror")
    assert waits(lambda: x.to("mirror")) == waits(lambda: pinned.to("mirror", non_blocking=True)) == 0
    assert waits(lambda: x.copy_(device)) == waits(lambda: x.copy_(device, non_blocking=True)) == 1
    assert waits(lambda: pinned.copy_(device)) == 1 and waits(lambda: pinned.copy_(device, non_blocking=True)) == 0
    assert waits(lambda: device.cpu()) == 1 and waits(lambda: device.to("mirror:1")) == 0
    mirror.synchronize()


def test_bytes_arrive_in_the_order_of_the_stream():
    pinned = karat.zeros(1000).pin_memory()
    device = karat.full((1000,), 7.0, device="mirror") + 1
    pinned.copy_(device, non_blocking=True)
    assert pinned.sum().item() == 0  # the mirror is late
    mirror.synchronize()
    assert pinned.sum().item() == 8000
    there = pinned.to("mirror", non_blocking=True)
    mirror.synchronize()
    pinned.zero_()
    assert there.sum().item() == 8000
    pageable = host(1000)
    there = pageable.to("mirror", non_blocking=True)
    pageable.zero_()  # it was read before the copy returned
    assert there.cpu().tolist() == host(1000).tolist()


def test_pinned_memory_lives_until_it_was_read():
    device = karat.zeros(1000, device="mirror")
    device.copy_(karat.full((1000,), 3.0).pin_memory(), non_blocking=True)
    karat.full((1000,), 4.0).pin_memory()  # would take the same memory
    assert device.sum().item() == 3000


def test_a_result_on_the_host_that_nobody_waits_for_is_pinned():
    device = karat.full((1000,), 2.0, device="mirror")
    assert waits(lambda: device.to("cpu", non_blocking=True)) == 0
    late = device.to("cpu", non_blocking=True)
    mirror.synchronize()
    assert late.is_pinned() and late.sum().item() == 2000 and not device.cpu().is_pinned()
    half = device.to("cpu", karat.float16, non_blocking=True)
    mirror.synchronize()
    assert half.dtype is karat.float16 and half.sum().item() == 2000
    turned = host(20, 50).to("mirror").mT.to("cpu", non_blocking=True)
    mirror.synchronize()
    assert turned.stride() == (1, 50) and karat.equal(turned, host(20, 50).mT)


def test_gradients_pass_through_late_copies():
    x = host(3).requires_grad_()
    y = x.to("mirror", karat.float64, non_blocking=True)
    (y * 3).sum().backward()
    assert x.grad.tolist() == [3.0] * 3 and x.grad.dtype is karat.float32 and y.grad_fn.name() == "ToCopyBackward0"


def test_non_blocking_must_be_a_bool():
    x = host(3)
    with pytest.raises(TypeError, match=r"copy_\(\): argument 'non_blocking' \(position 2\) must be bool, not int"):
        x.copy_(x, 1)
    with pytest.raises(TypeError, match=r"to\(\) received an invalid combination of arguments"):
        x.to("cpu", non_blocking=1)
    assert x.type(karat.float64, non_blocking=True).dtype is karat.float64


# ---- pinned memory ----


def test_pinned_memory():
    x = host(2, 3)
    pinned = x.pin_memory()
    assert pinned.is_pinned() and pinned.device.type == "cpu" and pinned is not x and pinned.tolist() == x.tolist()
    assert pinned.pin_memory() is pinned and pinned[0].is_pinned() and pinned.mT.pin_memory().is_pinned()
    assert not x.is_pinned() and not (pinned + 1).is_pinned() and not pinned.clone().is_pinned()
    assert not pinned.to("mirror").is_pinned() and pinned.numpy().tolist() == x.tolist()
    assert [r["why"] for r in karat.lineage(pinned)] == [r["why"] for r in karat.lineage(x)]
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        x.to("mirror").pin_memory()
    with pytest.raises(TypeError, match=r"pin_memory\(\) takes from 0 to 1 positional arguments but 2 were given"):
        x.pin_memory(1, 2)
    with pytest.warns(DeprecationWarning, match="The argument 'device' of Tensor.pin_memory"):
        assert x.pin_memory("mirror").is_pinned()
    with pytest.warns(DeprecationWarning), pytest.raises(RuntimeError, match="CPU device type not an accelerator"):
        x.pin_memory("cpu")


def test_factory_functions_pin():
    for make in (karat.zeros, karat.ones, karat.empty, karat.rand, karat.randn):
        assert make(2, 3, pin_memory=True).is_pinned() and not make(2, 3, pin_memory=False).is_pinned()
    assert karat.full((2,), 3.0, pin_memory=True).is_pinned() and karat.arange(3, pin_memory=True).tolist() == [0, 1, 2]
    assert karat.tensor([1, 2], pin_memory=True).is_pinned() and karat.zeros_like(host(2), pin_memory=True).is_pinned()
    assert host(2).new_zeros(2, pin_memory=True).is_pinned() and host(2).new_tensor([1], pin_memory=True).is_pinned()
    leaf = karat.ones(2, pin_memory=True, requires_grad=True)
    assert leaf.is_pinned() and leaf.requires_grad and leaf.is_leaf
    assert not karat.empty(2, device="meta", pin_memory=True).is_pinned()
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        karat.zeros(2, device="mirror", pin_memory=True)


def test_record_stream():
    x = karat.ones(3, device="mirror")
    assert x.record_stream(mirror.Stream()) is None and x[1:].record_stream(mirror.current_stream()) is None
    with pytest.raises(TypeError, match=r"record_stream\(\): argument 's' \(position 1\) must be Stream, not int"):
        x.record_stream(3)
    with pytest.raises(RuntimeError, match="the stream is of device 'cpu:0'"):
        x.record_stream(karat.Stream("cpu"))
    with pytest.raises(RuntimeError, match="the stream is of device 'mirror:1', and the tensor is on 'mirror:0'"):
        x.record_stream(mirror.default_stream(1))
    with pytest.raises(NotImplementedError, match="Could not run 'aten::record_stream' with arguments from the 'CPU' backend"):
        host(3).record_stream(mirror.Stream())


# ---- a tensor's device ----


def test_a_tensor_knows_its_device():
    x = karat.ones(2, device="mirror:1")
    assert x.device == karat.device("mirror", 1) and x.device.index == x.get_device() == 1
    assert not x.is_cuda and not x.is_cpu and not x.is_meta and host(1).is_cpu
    assert x.to("mirror:1") is x and x.to(x.device) is x and x.to("mirror").get_device() == 0
    assert karat.as_tensor(x, device="mirror:0").get_device() == 0 and karat.as_tensor(x, device="mirror:1") is x
    assert x.type() == "torch.mirror.FloatTensor"


def test_the_host_cannot_look_into_a_device():
    x = karat.ones(2, device="mirror:1")
    for look in (x.numpy, lambda: numpy.asarray(x), lambda: numpy.sin(x)):
        with pytest.raises(TypeError, match=r"^can't convert mirror:1 device type tensor to numpy\. Use Tensor\.cpu\(\) to copy "
                                            r"the tensor to host memory first\.$"):
            look()
    assert x.numpy(force=True).tolist() == x.cpu().numpy().tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="^can't convert meta device type tensor to numpy"):
        karat.ones(2, device="meta").numpy()


def test_a_profile_of_a_transfer():
    x = karat.ones(3, device="mirror")
    with karat.profiler.profile() as p:
        x.cpu()
    assert [where for e in p.events() for _, where, _ in e.ran] == ["mirror:0 to cpu"]
