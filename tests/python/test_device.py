"""Streams, events, memory and captures of a device: the mirror, whose work is late and in whose place no host read goes."""

import ctypes
import gc
import os
import pickle
import threading
import time

import karat
import numpy
import pytest
from conftest import BUILD

decline = ctypes.CDLL(os.path.join(BUILD, "backends", "mirror.so")).mirror_decline  # a kernel: it falls back from now on

mirror = karat._device.make("mirror")  # its backend is looked for when it is used


@pytest.fixture(autouse=True)
def clean():
    yield
    mirror.set_sync_debug_mode(0)
    mirror.set_device(0)
    for index in range(2):
        mirror.synchronize(index)
    assert mirror.current_stream() == mirror.default_stream() and not mirror.is_current_stream_capturing()


def ones(*size, **options):
    return karat.ones(*size, device="mirror", **options)


# ---- devices ----


def test_the_index_of_a_device_counts():
    x = ones(2)
    assert karat.as_tensor(x, device="mirror:0") is x and karat.asarray(x, device="mirror:0") is x
    for make in (karat.as_tensor, karat.asarray):
        made = make(x, device="mirror:1")
        assert made.device.index == 1 and made.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="can't alias tensor from device"):
        karat.asarray(x, device="mirror:1", copy=False)


def test_addresses_and_bytes_are_the_devices():
    x = ones(3, dtype=karat.int32)
    assert x[1:].data_ptr() == x.data_ptr() + 4 and x.data_ptr() == x.untyped_storage().data_ptr() != x.clone().data_ptr()
    assert x[:0].data_ptr() == 0 and bytes(x[1:].untyped_storage()) == bytes([1, 0, 0, 0] * 3)
    z = karat.tensor([1j], device="mirror").conj()
    assert bytes(z.imag.untyped_storage()) == bytes(z.untyped_storage()) == bytes(z.conj().cpu().untyped_storage())


def test_a_name_without_an_index_means_the_current_device():
    assert mirror.device_count() == 2 and mirror.is_available() and mirror.current_device() == 0
    named = karat.device("mirror")
    mirror.set_device(1)
    assert mirror.current_device() == 1 and ones(1).device == karat.device("mirror:1")
    assert karat.ones(1, device=named).device.index == 1 and named.index is None
    mirror.set_device(-1)
    assert mirror.current_device() == 1
    with mirror.device(0):
        assert ones(1).device.index == 0
    with mirror.device("mirror:0"):
        assert mirror.current_device() == 0
    with mirror.device(-1), mirror.device(None):
        assert mirror.current_device() == 1
    with mirror.device_of(karat.ones(1, device="mirror:0")):
        assert mirror.current_device() == 0
    with mirror.device_of(karat.ones(1)):
        assert mirror.current_device() == 1


def test_an_int_is_the_accelerators_index():
    assert karat.device(1) == karat.device("mirror", 1) and karat.ones(1, device=1).device == karat.device("mirror:1")
    assert ones(1).to(1).get_device() == 1 and karat.ones(1).get_device() == -1
    with pytest.raises(RuntimeError, match="MIRROR error: invalid device ordinal"):
        karat.ones(1, device="mirror:7")
    assert karat.device("mirror:7").index == 7  # only using it is a mistake
    with pytest.raises(RuntimeError, match="Device index must not be negative"):
        karat.device("mirror", -1)


def test_facts():
    properties = mirror.get_device_properties()
    assert properties.name == mirror.get_device_name(1) == "Mirror of the CPU" and properties.total_memory > 1 << 20
    assert mirror.get_device_capability() == (1, 0) and "Mirror" in repr(properties)
    assert properties.warp_size == 1 and properties.max_threads_per_multi_processor > 0 and properties.gcnArchName == "mirror"
    assert properties.shared_memory_per_multiprocessor == 3 << 30 and properties.shared_memory_per_block == 0
    assert (properties.pci_bus_id, properties.pci_device_id, properties.pci_domain_id) == (3, 0, 0)
    assert properties.is_integrated == 1 and properties.is_multi_gpu_board == 0
    assert properties.uuid.bytes == [0x4b] + [0] * 14 + [0xa1] and str(properties.uuid) == "4b000000-0000-0000-0000-0000000000a1"
    assert repr(properties).endswith("uuid=4b000000-0000-0000-0000-0000000000a1, pci_bus_id=3, pci_device_id=0, pci_domain_id=0, "
                                     "L2_cache_size=0MB)")
    with pytest.raises(ValueError, match="^Expected a mirror device, but got: cpu$"):
        mirror.get_device_name("cpu")
    with pytest.raises(ValueError, match="Expected a torch.device with a specified index or an integer, but got:1.5"):
        mirror.synchronize(1.5)


def test_the_module_of_a_device():
    assert karat.get_device_module("mirror:1") is mirror is karat.get_device_module()
    assert karat.get_device_module("cpu") is karat.cpu and karat.get_device_module("cuda") is karat.cuda
    with pytest.raises(AttributeError, match="module 'karat.mirror' has no attribute 'nothing'"):
        mirror.nothing
    with pytest.raises(RuntimeError, match="Device 'meta' does not have a corresponding module"):
        karat.get_device_module("meta")


# ---- streams ----


def test_streams_are_equal_by_what_they_name():
    a, b = mirror.Stream(), karat.Stream("mirror")
    assert a != b and a == karat.Stream(stream_id=a.stream_id, device_index=a.device_index, device_type=a.device_type)
    assert len({a, b, mirror.current_stream(), mirror.default_stream()}) == 3
    assert a != 3 and isinstance(a, karat.Stream) and a.device == karat.device("mirror:0")
    assert repr(b) == f"torch.Stream device_type=mirror, device_index=0, stream_id={b.stream_id}"
    assert repr(mirror.current_stream()) == "<torch.mirror.Stream device=mirror:0 mirror_stream=0x0>"
    assert mirror.ExternalStream(a.native_handle) == a == mirror.get_stream_from_external(a.mirror_stream)
    assert a.query() and mirror.Stream(1).device.index == 1 and mirror.Stream(priority=-3).query()


def test_streams_come_from_a_pool():
    streams = [mirror.Stream() for _ in range(100)]
    assert 2 <= len(set(streams)) <= 32


def test_bad_streams():
    for make, error in ((lambda: karat.Stream("mirror", priority=1), "Expected mirror stream priority to be less than or equal"),
                        (lambda: karat.Stream(stream_id=12345, device_index=0, device_type=20), "there is no stream 12345"),
                        (lambda: karat.Stream(stream_id=0, device_index=9, device_type=20), "there is no device of type 20"),
                        (lambda: karat.Stream(stream_id=0, device_index=0, device_type=99), "there is no device of type 99"),
                        (lambda: mirror.ExternalStream(77), "there is no stream 77")):
        with pytest.raises(RuntimeError, match=error):
            make()
    with pytest.raises(TypeError, match=r"Stream\(\): argument 'priority' must be int, not float"):
        karat.Stream("mirror", priority=1.5)
    with pytest.raises(TypeError, match=r"Stream\(\) got an unexpected keyword argument 'colour'"):
        karat.Stream("mirror", colour=1)
    with pytest.raises(TypeError, match="expected a torch.Event, got int"):
        karat.Stream("mirror").wait_event(3)
    with pytest.raises(TypeError, match="expected a torch.Stream, got int"):
        karat.Stream("mirror").wait_stream(3)


def test_the_accelerators_stream_is_one_of_its_own():
    with pytest.raises(ValueError, match="cpu doesn't match the current accelerator mirror"):
        karat.accelerator.set_stream(karat.Stream("cpu"))


def test_a_scope_of_a_stream():
    s, other = mirror.Stream(), karat.Stream("mirror:1")
    with s:
        assert mirror.current_stream() == s
        with other as entered:
            assert entered is other and mirror.current_device() == 1 and mirror.current_stream() == other
            assert mirror.current_stream(0) == s
        assert mirror.current_device() == 0 and mirror.current_stream() == s
        with mirror.stream(None):
            assert mirror.current_stream() == s
        with s, mirror.stream(mirror.default_stream()):
            assert mirror.current_stream().stream_id == 0
    assert mirror.current_stream() == mirror.default_stream()


def test_a_current_stream_may_be_forgotten():
    mirror.set_stream(mirror.Stream())
    gc.collect()
    kept = mirror.current_stream()
    assert kept.stream_id != 0 and (ones(4) * 3).tolist() == [3.0] * 4 and mirror.current_stream() == kept
    mirror.set_stream(None)
    assert mirror.current_stream() == kept
    mirror.set_stream(mirror.default_stream())


def test_each_thread_has_its_own_current_stream():
    seen, s = [], mirror.Stream()
    with s:
        thread = threading.Thread(target=lambda: seen.append((mirror.current_stream().stream_id, mirror.current_device())))
        thread.start()
        thread.join()
    assert seen == [(0, 0)]


def test_work_is_queued_until_somebody_waits():
    s = mirror.Stream()
    with s:
        x = ones(1000) + 1
        assert not s.query()
    s.synchronize()
    assert s.query()
    y = ones(3)
    assert not mirror.current_stream().query()
    mirror.synchronize()
    assert mirror.current_stream().query() and x.sum().item() == 2000 and y.tolist() == [1.0, 1.0, 1.0]


def test_one_stream_waits_for_another():
    for order in ("stream", "event", "wait"):
        a, b = mirror.Stream(), mirror.Stream()
        x = karat.zeros(1000, device="mirror")
        a.wait_stream(mirror.current_stream())
        with a:
            for _ in range(20):
                x += 1
        if order == "stream":
            b.wait_stream(a)
        elif order == "event":
            b.wait_event(a.record_event())
        else:
            a.record_event().wait(b)
        with b:
            y = x * 2
        b.synchronize()
        assert a.query() and y.cpu().tolist() == [40.0] * 1000


def test_memory_of_another_stream_is_not_reused_too_early():
    s = mirror.Stream()
    x = ones(1000) * 7
    s.wait_stream(mirror.current_stream())
    with s:
        y = x + 1
    x.record_stream(s)
    del x
    z = karat.zeros(1000, device="mirror")
    s.synchronize()
    assert y.sum().item() == 8000 and z.sum().item() == 0


# ---- events ----


def test_events():
    e = mirror.Event()
    assert isinstance(e, karat.Event) and e.query() and e.event_id == 0 and repr(e) == "<torch.mirror.Event uninitialized>"
    assert e.device == karat.device("mirror")
    e.synchronize()
    e.wait()
    x = ones(1000) * 2
    e.record()
    assert not e.query() and e.device == karat.device("mirror:0")
    e.synchronize()
    assert e.query() and x.sum().item() == 2000
    assert repr(karat.Event("mirror")) == "torch.Event device_type=mirror, device_index=-1, event_flag=0, event_id=0"
    with pytest.raises(RuntimeError, match=r"Event device mirror:0 does not match recording stream's device mirror:1\."):
        e.record(mirror.Stream(1))
    with pytest.raises(RuntimeError, match="Event device type mirror does not match recording stream's device type cpu"):
        karat.Event("mirror").record(karat.Stream("cpu"))
    with pytest.raises(TypeError, match=r"Event\(\): argument 'enable_timing' must be bool, not int"):
        karat.Event("mirror", enable_timing=1)


def test_time_between_events():
    start, end, plain = mirror.Event(enable_timing=True), karat.Event("mirror", enable_timing=True), mirror.Event()
    with pytest.raises(ValueError, match="Both events must be recorded before calculating elapsed time"):
        start.elapsed_time(end)
    with pytest.raises(ValueError, match="Both events must be created with argument 'enable_timing=True'"):
        start.elapsed_time(plain)
    start.record()
    x = ones(100000).exp_()
    end.record()
    with pytest.raises(RuntimeError, match="Both events must be completed"):
        start.elapsed_time(end)
    end.synchronize()
    assert 0 < start.elapsed_time(end) < 1e5 and x.numel() == 100000
    with pytest.raises(TypeError, match="expected a torch.Event"):
        start.elapsed_time(3)


def test_an_event_may_be_forgotten_while_work_waits_for_it():
    a, b = mirror.Stream(), mirror.Stream()
    x = karat.zeros(10, device="mirror")
    a.wait_stream(mirror.current_stream())
    for _ in range(50):
        with a:
            x += 1
        b.wait_event(a.record_event())
        with b:
            x *= 1
        a.wait_stream(b)
    del a
    gc.collect()
    b.synchronize()
    assert x.tolist() == [50.0] * 10


def test_the_cpu_has_streams_but_no_events():
    s, e = karat.Stream("cpu"), karat.Event("cpu")
    assert repr(s) == "torch.Stream device_type=cpu, device_index=-1, stream_id=0" and s == karat.Stream(device="cpu")
    assert s.query() and s.synchronize() is None and e.query() and e.synchronize() is None and e.wait() is None
    with s as entered:
        assert entered is s
    for record in (e.record, s.record_event, lambda: s.wait_stream(s)):
        with pytest.raises(RuntimeError, match=r"^cpu backend doesn't support events\.$"):
            record()


# ---- the GIL ----


def counted_while(wait):
    """How often another thread counted in the middle of a wait for much work."""
    x = ones(300, 300)
    ran, over = [], threading.Event()

    def count():
        while not over.is_set():
            ran.append(time.perf_counter())

    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(30):
        x = (x @ x).clamp_(0, 1)
    event = mirror.current_stream().record_event()
    begin = time.perf_counter()
    {"stream": mirror.current_stream().synchronize, "event": event.synchronize, "device": mirror.synchronize,
     "item": x.sum().item}[wait]()
    end = time.perf_counter()
    over.set()
    thread.join()
    return sum(begin + 0.2 * (end - begin) < t < begin + 0.8 * (end - begin) for t in ran)


@pytest.mark.parametrize("wait", ["stream", "event", "device", "item"])
def test_other_threads_run_while_one_waits(wait):
    assert any(counted_while(wait) > 10 for _ in range(5))  # a loaded host may run neither, or end the work before the wait


READERS = {
    "item": lambda t: t.item(),
    "tolist": lambda t: t.tolist()[0],
    "cpu": lambda t: t.cpu().item(),
    "print": lambda t: float(repr(t)[8:10]),
    "fall-back": lambda t: t.exp2().item() / 2,
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("change", ["data", "resize", "out"])
def test_memory_is_kept_while_a_call_waits(name, change):
    """One thread waits in the middle of a call for a busy device; another gives its operand other memory or sizes meanwhile."""
    t, busy, answers = ones(1), ones(300, 300), []
    for _ in range(10):
        busy = (busy @ busy).clamp_(0, 1)
    decline(b"exp2" if name == "fall-back" else None)
    before = karat._karat.host_waits()
    thread = threading.Thread(target=lambda: answers.append(READERS[name](t)))
    thread.start()
    while karat._karat.host_waits() == before:
        time.sleep(0)
    if change == "data":
        t.data = karat.full((3,), 7, device="mirror")
    elif change == "resize":
        t.resize_(1000).fill_(7)
    else:
        karat.add(karat.full((1000,), 3, device="mirror"), 4, out=t)
    others = [karat.full((1,), 9.0, device="mirror") for _ in range(50)]
    thread.join()
    decline(None)
    assert answers == [1.0] and t[0].item() == 7 and len(others) == 50


# ---- memory ----


def test_figures_of_memory():
    mirror.synchronize()
    mirror.empty_cache()
    mirror.reset_peak_memory_stats()
    mirror.reset_accumulated_memory_stats()
    before = mirror.memory_allocated()
    x = karat.empty(1000, 256, device="mirror")
    assert mirror.memory_allocated() - before >= 1024000 and mirror.memory_allocated(1) == 0
    del x
    assert mirror.memory_allocated() == before and mirror.max_memory_allocated() - before >= 1024000
    stats = mirror.memory_stats()
    assert list(stats) == sorted(stats) and stats["allocated_bytes.all.peak"] == mirror.max_memory_allocated()
    assert stats["allocation.all.allocated"] == stats["allocation.all.freed"] == 1
    assert stats["allocated_bytes.all.allocated"] == stats["allocated_bytes.all.freed"] >= 1024000
    assert mirror.memory_stats_as_nested_dict()["allocation"]["all"]["freed"] == 1
    mirror.reset_peak_memory_stats()
    assert mirror.max_memory_allocated() == before
    assert mirror.max_memory_reserved() >= mirror.memory_reserved() >= 0
    free, total = mirror.mem_get_info()
    assert 0 < free <= total
    with pytest.warns(FutureWarning, match="has been renamed to `torch.mirror.memory_reserved`"):
        assert mirror.memory_cached() == mirror.memory_reserved()
    with pytest.warns(FutureWarning, match="now calls torch.mirror.reset_peak_memory_stats"):
        mirror.reset_max_memory_allocated()


def test_memory_ends_where_it_was_told_to():
    total, ooms = mirror.mem_get_info()[1], mirror.memory_stats()["num_ooms"]
    mirror.set_per_process_memory_fraction((1 << 20) / total)
    try:
        assert 0 < mirror.get_per_process_memory_fraction() < 1
        with pytest.raises(karat.OutOfMemoryError, match=r"out of memory. Tried to allocate 3\.81 MiB") as error:
            ones(1000, 1000)
        assert isinstance(error.value, RuntimeError) and mirror.memory_stats()["num_ooms"] == ooms + 1
        assert ones(3).tolist() == [1.0, 1.0, 1.0]
    finally:
        mirror.set_per_process_memory_fraction(1.0)
    assert ones(1000, 1000).sum().item() == 1e6
    with pytest.raises(TypeError, match="Invalid type for fraction argument, must be `float`"):
        mirror.set_per_process_memory_fraction(1)
    with pytest.raises(ValueError, match="Invalid fraction value: 1.5. Allowed range: 0~1"):
        mirror.set_per_process_memory_fraction(1.5)


def test_an_error_of_memory_says_which_lines_hold_it():
    first, total = test_an_error_of_memory_says_which_lines_hold_it.__code__.co_firstlineno, mirror.mem_get_info()[1]
    mirror.empty_cache()
    held = [karat.ones(512, 1024, device="mirror") for _ in range(3)]  # 3 lines below the first
    here = f"test_device.py:{first + 3}"
    small = ones(100)
    mirror.set_per_process_memory_fraction((mirror.memory_reserved() + (1 << 20)) / total)
    try:
        with pytest.raises(karat.OutOfMemoryError, match=rf"held by:\n    \S+ MiB in 3 tensors made at {here}\n"):
            ones(1000, 1000)
        del held[1:]
        mirror.synchronize()
        with pytest.raises(karat.OutOfMemoryError, match=rf"held by:\n    \S+ MiB in 1 tensor made at {here}\n"):
            ones(3000, 3000)
        assert small.sum().item() == 100
    finally:
        mirror.set_per_process_memory_fraction(1.0)


# ---- waits and late errors ----


def test_waits_are_counted_warned_of_or_refused():
    x = ones(3)
    waits = karat._karat.host_waits()
    y = x * 2
    assert karat._karat.host_waits() == waits
    assert y.sum().item() == 6 and karat._karat.host_waits() > waits
    mirror.set_sync_debug_mode("warn")
    assert mirror.get_sync_debug_mode() == 1
    with pytest.warns(UserWarning, match="called a synchronizing operation"):
        assert y.tolist() == [2.0, 2.0, 2.0]
    mirror.set_sync_debug_mode(2)
    with pytest.raises(RuntimeError, match="called a synchronizing operation"):
        y.tolist()
    mirror.synchronize()  # the user asked for this one
    with pytest.raises(RuntimeError, match="invalid value of debug_mode, expected one of `default`, `warn`, `error`"):
        mirror.set_sync_debug_mode("loud")
    with pytest.raises(ValueError, match="a mode is 0, 1 or 2"):
        mirror.set_sync_debug_mode(3)


def test_a_late_error_names_its_line_and_has_its_class():
    x = karat.arange(5, device="mirror")
    for wait in (mirror.synchronize, lambda: mirror.current_stream().synchronize(), lambda: x.sum().item()):
        x[karat.tensor([9], device="mirror")]  # launched here
        with pytest.raises(IndexError, match=r"(?s)out of (range|bounds).*launched .*test_device.py") as late:
            wait()
        assert isinstance(late.value, karat.AcceleratorError) and late.value.error_code == 710
        assert x.tolist() == [0, 1, 2, 3, 4]  # the device stays usable


def test_an_error_of_a_device_is_an_accelerator_error():
    kind = karat.AcceleratorError
    assert kind.__mro__[1] is RuntimeError and kind is karat.cuda.AcceleratorError is karat._C.AcceleratorError
    assert not hasattr(kind("x"), "error_code") and kind("x").args == ("x",)
    ones(3).int() // ones(3).int().zero_()
    with pytest.raises(RuntimeError, match="^ZeroDivisionError") as late:
        mirror.synchronize()
    assert type(late.value) is kind and late.value.error_code == 710
    with pytest.raises(RuntimeError) as refused:
        ones(3) + ones(4)  # nothing of the device's
    assert not isinstance(refused.value, kind) and not hasattr(refused.value, "error_code")
    copy = pickle.loads(pickle.dumps(late.value))
    assert type(copy) is kind and copy.error_code == 710


# ---- captures ----


def test_a_captured_region_is_replayed():
    x, g = ones(4), mirror.CUDAGraph()
    with mirror.graph(g):
        assert mirror.is_current_stream_capturing()
        y = x * 2 + 1
    for value in (1.0, 5.0):
        x.fill_(value)
        g.replay()
        assert y.tolist() == [2 * value + 1] * 4
    g.reset()
    with pytest.raises(RuntimeError, match="Called CUDAGraph::replay without a preceding successful capture"):
        g.replay()


class Net(karat.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = karat.nn.Linear(3, 5), karat.nn.Linear(5, 2)

    def forward(self, x, scale):
        return {"y": self.second(self.first(x).relu()) * scale, "sum": x.sum()}


def trained(net, steps=4):
    karat.manual_seed(5)
    optimizer, losses = karat.optim.SGD(net.parameters(), lr=0.1, momentum=0.9), []
    for step in range(steps):
        x = karat.randn(4, 3).to("mirror").requires_grad_()
        out = net(x, ones(1) + step)
        loss = out["y"].pow(2).mean() + out["sum"].detach() * 0
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append((loss.item(), x.grad.tolist()))
    return losses


def test_graphed_callables_train_as_before():
    karat.manual_seed(3)
    plain = Net().to("mirror")
    graphed = Net().to("mirror")
    graphed.load_state_dict(plain.state_dict())
    sample = (ones(4, 3, requires_grad=True), ones(1))
    assert mirror.make_graphed_callables(graphed, sample) is graphed
    assert trained(graphed) == trained(plain)
    graphed.eval(), plain.eval()  # not what was captured: it runs as ever, for other sizes too
    x = ones(2, 3)
    assert graphed(x, ones(1))["y"].tolist() == plain(x, ones(1))["y"].tolist()

    double, add = mirror.make_graphed_callables((lambda x: x * 2, lambda a, b: (a + b, a * b)),
                                                ((ones(2, requires_grad=True),), (ones(2, requires_grad=True), ones(2))))
    for value in (1.0, 3.0):
        x = (ones(2) * value).requires_grad_()
        total, product = add(double(x), ones(2) + 1)
        (total + product).sum().backward()
        assert total.tolist() == [2 * value + 2] * 2 and product.tolist() == [4 * value] * 2 and x.grad.tolist() == [6.0, 6.0]


def test_graphed_callables_are_refused():
    def refused(kind, text, *arguments, **options):
        with pytest.raises(kind, match=text):
            mirror.make_graphed_callables(*arguments, **options)

    hooked, buffered = karat.nn.Linear(2, 2).to("mirror"), karat.nn.Module()
    hooked.register_forward_hook(lambda *_: None)
    buffered.register_buffer("b", ones(2, requires_grad=True))
    refused(AssertionError, "must contain only Tensors", lambda x: x, (3,))
    refused(AssertionError, "Modules must not have hooks", hooked, (ones(1, 2),))
    refused(AssertionError, "only parameters may be trainable", buffered, (ones(2),))
    refused(AssertionError, "2 entries, got 1", (lambda x: x, lambda x: x), ((ones(2),),))
    made = []

    def slow(a, b):
        product = a @ a @ a
        made.append(mirror.current_stream().record_event())
        return product

    refused(RuntimeError, "appears to not have been used", slow,
            (ones(400, 400, requires_grad=True), ones(2, requires_grad=True)))
    assert made[0].query()  # nothing reads the samples any more
    used = mirror.make_graphed_callables(lambda a, b: a * 2, (ones(2, requires_grad=True), ones(2, requires_grad=True)),
                                         allow_unused_input=True)
    a, b = ones(2, requires_grad=True), ones(2, requires_grad=True)
    used(a, b).sum().backward()
    assert a.grad.tolist() == [2.0, 2.0] and b.grad is None
    still = mirror.make_graphed_callables(lambda x: x + 1, (ones(2),))
    assert still(ones(2) * 4).tolist() == [5.0, 5.0] and not still(ones(2)).requires_grad


def test_a_wait_in_a_capture_is_refused():
    x, g, s = ones(4), mirror.CUDAGraph(), mirror.Stream()
    with pytest.raises(RuntimeError, match="must be captured on a non-default stream"):
        g.capture_begin()
    with pytest.raises(RuntimeError, match="not possible while work is captured"), mirror.graph(g, stream=s):
        x.sum().item()
    assert not mirror.is_current_stream_capturing() and x.sum().item() == 4
    with s:
        g = mirror.CUDAGraph()
        g.capture_begin()
        with pytest.raises(RuntimeError, match="already owns a captured graph"):
            g.capture_begin()
        with pytest.raises(RuntimeError, match="this thread captures already"):
            mirror.CUDAGraph().capture_begin()
        with pytest.raises(RuntimeError, match="does not capture on this thread"):
            mirror.CUDAGraph().capture_end()
        del g  # ends the capture
        assert not mirror.is_current_stream_capturing()
    with pytest.raises(RuntimeError, match="Unknown capture error mode"):
        mirror.CUDAGraph().capture_begin(capture_error_mode="loud")


# ---- kernels that the device has not ----


@pytest.mark.filterwarnings("ignore:device 'mirror' has no kernel")
def test_what_is_empty_takes_no_memory_to_the_cpu():
    def empty(*sizes):
        t = karat.from_numpy(numpy.empty(sizes)).to("mirror")
        assert set(t.stride()) == {0}  # as PyTorch's: nothing tells which dims are its own
        return t

    for kernel, call, size in ((b"matmul", lambda: empty(2, 0) @ empty(0, 3), (2, 3)),
                               (b"least_squares", lambda: karat.linalg.lstsq(ones(4, 3).double(), empty(4, 0)).solution, (3, 0))):
        decline(kernel)
        try:
            assert call().cpu().shape == size
        finally:
            decline(None)


# ---- generators ----


def test_generators():
    mirror.manual_seed_all(5)
    a = karat.rand(3, device="mirror")
    state = mirror.get_rng_state()
    b = karat.rand(3, device="mirror")
    mirror.set_rng_state(state, "mirror:0")
    assert karat.rand(3, device="mirror").tolist() == b.tolist() and mirror.initial_seed() == 5
    with karat.random.fork_rng(device_type="mirror"):
        karat.rand(100, device="mirror")
    karat.manual_seed(5)
    assert karat.rand(3, device="mirror").tolist() == a.tolist()
    assert len(mirror.default_generators) == len(mirror.get_rng_state_all()) == 2
    mirror.set_rng_state_all(mirror.get_rng_state_all())
    mirror.seed_all()
    mirror.seed()
    mirror.manual_seed(1)
    assert karat.Generator("mirror").manual_seed(3).initial_seed() == 3


def test_storages_move_between_devices():
    here = karat.arange(4, dtype=karat.uint8).untyped_storage()
    there = here.to(device="mirror:1")
    assert (here.get_device(), there.get_device()) == (-1, 1) and there.device == karat.device("mirror", 1)
    assert there.to(device="mirror:1") is there and here.cpu() is here and here.to(device="cpu") is here
    assert there.cpu().tolist() == [0, 1, 2, 3] and there.cpu().data_ptr() != here.data_ptr()
    assert not here.is_cuda and not there.is_cuda and not here.is_pinned()
    pinned = here.pin_memory()
    assert pinned.is_pinned() and pinned.pin_memory() is pinned and pinned.tolist() == [0, 1, 2, 3]


# ---- the accelerator ----


def test_the_accelerator():
    accelerator = karat.accelerator
    assert accelerator.is_available() and accelerator.current_accelerator() == karat.device("mirror")
    assert accelerator.device_count() == 2 and accelerator.current_device_index() == 0
    with accelerator.device_index(1), accelerator.device_index(None):
        assert accelerator.current_device_index() == 1
    accelerator.set_device_index("mirror:1")
    accelerator.set_device_index(-1)
    assert mirror.current_device() == 1
    accelerator.set_device_index(0)
    s = karat.Stream()
    accelerator.set_stream(s)
    assert accelerator.current_stream() == s and type(accelerator.current_stream()) is karat.Stream
    accelerator.set_stream(mirror.default_stream())
    assert accelerator.current_stream("mirror:1").device.index == 1
    x = ones(1000)
    accelerator.synchronize()
    assert accelerator.memory_allocated() >= 4000 <= accelerator.max_memory_allocated() and x.numel() == 1000
    assert accelerator.memory_stats()["allocated_bytes.all.current"] == accelerator.memory_allocated("mirror")
    assert accelerator.memory_reserved() <= accelerator.max_memory_reserved()
    accelerator.reset_peak_memory_stats()
    accelerator.reset_accumulated_memory_stats()
    accelerator.empty_cache()
    assert accelerator.get_memory_info() == mirror.mem_get_info()
    assert karat.float32 in accelerator.get_device_capability()["supported_dtypes"]
    with pytest.raises(ValueError, match=r"^cpu doesn't match the current accelerator mirror\.$"):
        accelerator.synchronize("cpu")
    with pytest.warns(FutureWarning, match="Use `current_device_index` instead"):
        assert accelerator.current_device_idx() == 0


def test_complex_numbers_of_a_number_of_the_cpu_are_made_on_the_device():
    x, number = ones(3), karat.tensor(2.0, device="cpu")
    for parts in (number, x), (x, number):
        into = karat.empty(3, dtype=karat.complex64, device="mirror")
        assert karat.complex(*parts).device == x.device and karat.complex(*parts, out=into) is into
        assert into.cpu().tolist() == [complex(parts[0].flatten()[0].item(), parts[1].flatten()[0].item())] * 3
