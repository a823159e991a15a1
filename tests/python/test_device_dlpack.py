"""DLPack on a device: whose memory, which stream waits, who keeps whom; pinned memory; refusals."""

import gc

import karat
import pytest

mirror = karat._device.make("mirror")
EXTERNAL, PINNED = 12, 3


def test_a_devices_memory_is_shared():
    x = karat.arange(6.0, device="mirror:1").reshape(2, 3).mT
    assert x.__dlpack_device__() == (EXTERNAL, 1)
    y = karat.from_dlpack(x)
    assert y.device == x.device and y.data_ptr() == x.data_ptr() and y.stride() == x.stride() and y.dtype is x.dtype
    x += 1
    assert y.tolist() == x.tolist() == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    part = karat.from_dlpack(x[1:].__dlpack__(max_version=(1, 0)))
    assert part.tolist() == [[2.0, 5.0], [3.0, 6.0]]
    assert karat.lineage(y)[0]["op"] == "from_dlpack"


def test_lifetimes():
    mirror.synchronize()
    gc.collect()
    before = mirror.memory_allocated()
    x = karat.ones(1000, device="mirror")
    y = karat.from_dlpack(x)
    del x
    assert mirror.memory_allocated() > before and y.sum().item() == 1000
    unused = y.__dlpack__()
    del y
    assert mirror.memory_allocated() > before
    del unused
    gc.collect()
    assert mirror.memory_allocated() == before


@pytest.mark.parametrize("name", ["handle", "default", "none"])
def test_the_consumers_stream_waits_for_ours(name):
    consumer = mirror.default_stream() if name in ("default", "none") else mirror.Stream()
    ours = mirror.Stream()
    with ours:
        x = karat.zeros(1000, device="mirror")
        for _ in range(20):
            x += 1
        capsule = x.__dlpack__(stream={"handle": consumer.native_handle, "default": 1, "none": None}[name])
    with consumer:
        y = karat.from_dlpack(capsule) * 2
    consumer.synchronize()
    assert ours.query() and y.tolist() == [40.0] * 1000


def test_minus_one_waits_for_nothing():
    ours, consumer = mirror.Stream(), mirror.Stream()
    with ours:
        slow = karat.ones(160, 160, dtype=karat.int64, device="mirror")
        for _ in range(40):
            slow @ slow
        x = karat.zeros(10, device="mirror") + 1
        capsules = [x.__dlpack__(), x.__dlpack__(stream=-1), x.__dlpack__(stream=ours.native_handle)]
    consumer.synchronize()
    assert not ours.query() and len(capsules) == 3
    ours.synchronize()


class Producer:
    def __init__(self, t):
        self.t, self.asked = t, []

    def __dlpack_device__(self):
        return self.t.__dlpack_device__()

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        return self.t.__dlpack__(**asked)


def test_our_stream_is_told_to_the_producer():
    producer, s = Producer(karat.ones(3, device="mirror")), mirror.Stream()
    karat.from_dlpack(producer)
    with s:
        karat.from_dlpack(producer, copy=True)
    s.synchronize()  # the tensor belongs to another stream, which does not wait before it is freed
    assert producer.asked == [{"max_version": (1, 0), "stream": 1},
                              {"max_version": (1, 0), "copy": True, "stream": s.native_handle}]
    host = Producer(karat.ones(3))
    karat.from_dlpack(host, device="cpu")
    assert host.asked == [{"max_version": (1, 0), "dl_device": (1, 0)}]


def test_to_another_device():
    x = karat.ones(3, device="mirror")
    host = karat.from_dlpack(x, device="cpu")
    assert host.device.type == "cpu" and host.tolist() == [1.0, 1.0, 1.0]
    assert karat.from_dlpack(host, device="mirror:1").device == karat.device("mirror:1")
    assert karat.from_dlpack(x, device="mirror:0").data_ptr() == x.data_ptr()
    assert karat.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()
    with pytest.raises(ValueError, match=r"cannot move \(i.e. copy=False\) tensor from mirror:0 to cpu:0 without copying"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    for pair, error, text in (((99, 0), BufferError, "Unsupported device_type: 99"),
                              ((12, 7), BufferError, "Unsupported device_type: 12"),
                              (3, TypeError, "argument 'dl_device' must be tuple of ints, not int"),
                              ((1, 0, 3), RuntimeError, "dl_device must be either None or a tuple of ints"),
                              (("a", 0), TypeError, "integer")):
        with pytest.raises(error, match=text):
            x.__dlpack__(dl_device=pair)
    for asked in ({"copy": True}, {"device": "cpu"}):
        with pytest.raises(AssertionError, match="device and copy kwargs not supported when ext_tensor is already a DLPack"):
            karat.from_dlpack(x.__dlpack__(), **asked)
    with pytest.raises(AssertionError, match="from_dlpack: unsupported device type: <class 'int'>"):
        karat.from_dlpack(x, device=3)


def test_streams_that_are_none():
    x = karat.ones(3, device="mirror")
    for stream, error, text in (("a", TypeError, "stream must be ``int`` or ``none``"), (True, TypeError, "stream must be"),
                                (12345, BufferError, "there is no stream 12345 on device mirror:0"),
                                (1 << 70, BufferError, "there is no stream")):
        with pytest.raises(error, match=text):
            x.__dlpack__(stream=stream)
    with pytest.raises(AssertionError, match="^stream should be None on cpu.$"):
        karat.ones(3).__dlpack__(stream=2)
    with pytest.raises(BufferError, match="require gradient"):
        karat.ones(3, device="mirror", requires_grad=True).__dlpack__()


def test_pinned_memory():
    pinned = karat.ones(3).pin_memory()
    assert pinned.__dlpack_device__() == (PINNED, 0) and karat.ones(3).__dlpack_device__() == (1, 0)
    y = karat.from_dlpack(pinned)
    assert y.data_ptr() == pinned.data_ptr() and y.device.type == "cpu" and y.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="Unknown device type meta for Dlpack"):
        karat.ones(3, device="meta").__dlpack_device__()
