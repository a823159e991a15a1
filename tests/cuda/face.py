"""The CUDA backend through Python: the names a script uses, a capture, a late error's line, a model that trains as on the CPU."""
import subprocess
import sys
import warnings

import karat as torch

warnings.simplefilter("ignore")  # most operators of a model run on the CPU, and say so


def names():
    assert torch.cuda.is_available() and torch.cuda.device_count() >= 1
    print("device:", torch.cuda.get_device_name(0), torch.cuda.get_device_capability(0))
    x = torch.arange(6, dtype=torch.float32, device="cuda").reshape(2, 3)
    assert x.device == torch.device("cuda", 0) and x.is_cuda
    assert (x.T * 2 + 1).tolist() == [[1, 7], [3, 9], [5, 11]]
    assert x.to(torch.bfloat16).cpu().dtype == torch.bfloat16
    assert x.sum().item() == 15.0


def properties():
    """PyTorch's, if it is here to ask."""
    ours = torch.cuda.get_device_properties(0)
    print("properties:", ours)
    try:
        import torch as other
    except ImportError:
        return
    theirs = other.cuda.get_device_properties(0)
    for name in vars(ours):
        if name != "gcnArchName":  # what was compiled for, by PyTorch
            here, there = getattr(ours, name), getattr(theirs, name)
            assert str(here) == str(there) and (name != "uuid" or here.bytes == list(there.bytes)), (name, here, there)
    print("PyTorch's: ", theirs)


def streams():
    side, done = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True)
    begin = torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(side):
        begin.record()
        x = torch.ones(1 << 24, device="cuda")
        for _ in range(50):
            x = x + 1
        done.record()
    torch.cuda.current_stream().wait_event(done)
    assert (x * 2)[:3].tolist() == [102.0] * 3
    torch.cuda.synchronize()
    print("50 sums of 64 MiB on a stream:", round(begin.elapsed_time(done), 3), "ms")


def captures():
    x = torch.zeros(1000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = torch.exp(x * x) + 1
    for value in (0.0, 1.0, 2.0):
        x.fill_(value)
        graph.replay()
        assert y[0].item() == (torch.exp(torch.tensor(value * value)) + 1).item()


def loops():
    """Launches that come back with the same arguments keep them: fewer and more than there is room for, on two streams."""
    for many, turns in ((40, 12), (700, 8)):
        for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
            with torch.cuda.stream(stream):
                xs = [torch.zeros(5, device="cuda") for _ in range(many)]
                for turn in range(turns):
                    for i, x in enumerate(xs):
                        x.add_(i % 7)
                    xs[turn % many].add_(1000)  # one that differs from turn to turn
                torch.cuda.synchronize()
                for i, x in enumerate(xs):
                    assert x.tolist() == [turns * (i % 7) + 1000 * (i < turns)] * 5, (many, i)


def late_errors():
    ones, zeros = torch.ones(3, dtype=torch.int32, device="cuda"), torch.zeros(3, dtype=torch.int32, device="cuda")
    bad = ones // zeros
    try:
        bad.tolist()
    except RuntimeError as error:
        print("late error:", str(error).replace("\n", " |"))
        assert "ZeroDivisionError" in str(error) and "face.py" in str(error)
        assert type(error) is torch.AcceleratorError and error.error_code == 710  # "device-side assert triggered"
    else:
        raise AssertionError("no error")
    assert (ones + ones).tolist() == [2, 2, 2]


def draws():
    """PyTorch's numbers, if it is here to ask."""
    try:
        import torch as other
    except ImportError:
        return
    for n in (8, 1000, 1000003, 3000001):
        for of in (torch, other):
            of.manual_seed(7)
        ours = [torch.rand(n, device="cuda"), torch.randint(0, 1000, (n,), device="cuda"), torch.rand(n, device="cuda")]
        theirs = [other.rand(n, device="cuda"), other.randint(0, 1000, (n,), device="cuda"), other.rand(n, device="cuda")]
        for x, y in zip(ours, theirs):
            assert x.cpu().numpy().tobytes() == y.cpu().numpy().tobytes(), n
    for dtype in ("float32", "bfloat16", "float16", "float64"):
        for n in (8, 1000, 1003, 1000003, 3000000, 3000001, 5000008):
            both = []
            for of in (torch, other):
                of.manual_seed(7)
                x = (of.arange(n, device="cuda") % 251 - 125).to(getattr(of, dtype)).requires_grad_()
                for part in (x, x[1:], x[: n // 4 * 4].reshape(4, -1).T):
                    y = of.nn.functional.dropout(part, 0.37)
                    assert type(y.grad_fn).__name__ == "NativeDropoutBackward0" or y.grad_fn.name() == "NativeDropoutBackward0"
                    (slope,) = of.autograd.grad(y, x, of.ones_like(y) * 0.7)
                    both.append((y.detach().float().cpu().numpy().tobytes(), slope.float().cpu().numpy().tobytes()))
                both.append(of.rand(3, device="cuda").tolist())
            for i in range(4):
                assert both[i] == both[i + 4], (dtype, n, i)
    print("draws: PyTorch's, bit for bit; dropout too")


def trained(device):
    torch.manual_seed(0)
    w1 = torch.randn(32, 64).to(device).requires_grad_()
    w2 = torch.randn(64, 1).to(device).requires_grad_()
    x, losses = torch.randn(128, 32).to(device), []
    y = x.sum(1, keepdim=True)
    for _ in range(20):
        loss = ((torch.tanh(x @ w1) @ w2 - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for w in (w1, w2):
                w -= 0.01 * w.grad
                w.grad = None
        losses.append(loss.item())
    return losses


def training():
    here, there = trained("cpu"), trained("cuda")
    print("loss:", here[0], "->", here[-1], "on the CPU,", there[0], "->", there[-1], "on the GPU")
    assert all(abs(x - y) <= 1e-4 * x for x, y in zip(here, there)) and here[-1] < here[0]


def pools():
    """Blocks of small and large segments are counted apart, as PyTorch does."""
    def grown(name):
        return stats[name] - start[name]

    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.reset_accumulated_memory_stats()
    start = torch.cuda.memory_stats()
    kept = [torch.empty(700, device="cuda"), torch.empty(3 << 20, dtype=torch.uint8, device="cuda")]
    stats = torch.cuda.memory_stats()
    assert list(stats) == list(start) == sorted(stats)
    for pool, count, size in (("small_pool", 1, 3072), ("large_pool", 1, 3 << 20), ("all", 2, 3072 + (3 << 20))):
        assert grown(f"allocation.{pool}.current") == grown(f"active.{pool}.peak") == count
        assert grown(f"allocated_bytes.{pool}.current") == stats[f"active_bytes.{pool}.allocated"] == size
    assert grown("requested_bytes.all.current") == 2800 + (3 << 20)
    assert grown("reserved_bytes.large_pool.current") in (0, 20 << 20) and grown("segment.large_pool.current") in (0, 1)
    assert stats["inactive_split_bytes.all.current"] >= stats["inactive_split.all.current"] > 0
    assert stats["reserved_bytes.all.current"] == torch.cuda.memory_reserved() and stats["num_ooms"] == 0
    assert stats["num_device_alloc"] >= stats["segment.all.current"] + stats["num_device_free"]
    del kept
    stats = torch.cuda.memory_stats()
    assert grown("allocation.all.current") == 0 and grown("allocation.all.freed") == 2 == grown("active.all.freed")
    assert "  large blocks" in torch.cuda.memory_summary() and "  large" not in torch.cuda.memory_summary(abbreviated=True)
    as_pytorch()


BLOCKS = """
import torch
def empties(*sizes):
    return [torch.empty(n, dtype=torch.uint8, device="cuda") for n in sizes]
M = 1 << 20
kept = empties(1, 512, 513, 100000, M, M + 1, 5 * M, 9 * M, 10 * M, 33 * M, 100)
del kept[1::2]
kept += empties(3 * M, 700, 2 * M, 12 * M, 40 * M)
torch.cuda.reset_peak_memory_stats()
del kept[::3]
kept += empties(M // 2, M // 2, 8 * M)
for key, figure in torch.cuda.memory_stats().items():
    print(key, figure)
"""


def as_pytorch():
    """The same blocks in a process of its own, under PyTorch and here: every figure of memory_stats is the same."""
    theirs, ours = (subprocess.run([sys.executable, "-c", BLOCKS.replace("import torch", module)], capture_output=True, text=True)
                    for module in ("import torch", "import karat as torch"))
    if theirs.returncode:
        print("memory_stats: PyTorch is not here")
        return
    theirs, ours = (dict(line.split() for line in done.stdout.splitlines()) for done in (theirs, ours))
    apart = {key: (ours.get(key), theirs.get(key)) for key in {*ours, *theirs} if ours.get(key) != theirs.get(key)}
    assert ours and not apart, apart
    print("memory_stats:", len(ours), "figures, all PyTorch's")


def memory():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    x = torch.empty(1000, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4096
    del x
    assert torch.cuda.memory_allocated() == before
    pools()
    print("memory:", torch.cuda.mem_get_info())


def lent():
    """__cuda_array_interface__ out and in, and DLPack, with the streams of both sides; PyTorch's where it is here."""
    x = torch.arange(6.0, device="cuda").reshape(2, 3)
    said = x.mT.__cuda_array_interface__
    assert said["shape"] == (3, 2) and said["strides"] == (4, 12) and said["typestr"] == "<f4" and said["version"] == 3
    assert said["data"] == (x.data_ptr(), False) and said["stream"] == 1 and x.__cuda_array_interface__["strides"] is None

    class Lender:  # no __dlpack__
        def __init__(self, tensor):
            self.tensor, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        big = torch.zeros(1 << 22, device="cuda")
        for _ in range(50):
            big += 1
        lender = Lender(big)
        assert lender.__cuda_array_interface__["stream"] == side.cuda_stream
        with torch.cuda.stream(torch.cuda.default_stream()):
            seen = torch.as_tensor(lender)
            assert seen.data_ptr() == big.data_ptr() and (seen + 0)[::1 << 20].tolist() == [50.0] * 4
    for dtype in (torch.bool, torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float64,
                  torch.complex64):
        y = torch.as_tensor(Lender(torch.ones(3, device="cuda").to(dtype)))
        assert y.dtype is dtype and y.float().tolist() == [1.0] * 3 if not dtype.is_complex else y.real.tolist() == [1.0] * 3
    for wrong, error in ((lambda: torch.ones(2).__cuda_array_interface__, AttributeError),
                         (lambda: torch.ones(2, device="cuda", requires_grad=True).__cuda_array_interface__, RuntimeError)):
        try:
            wrong()
        except error as text:
            assert "Can't get __cuda_array_interface__ on" in str(text)
        else:
            raise AssertionError("no error")
    try:
        import torch as other
    except ImportError:
        return
    theirs = other.arange(12.0, device="cuda").reshape(3, 4)[:, 1:]
    ours = torch.as_tensor(Lender(theirs))
    assert ours.tolist() == theirs.tolist() and ours.stride() == tuple(theirs.stride()) and ours.data_ptr() == theirs.data_ptr()
    for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"):
        a, b = (m.ones(2, 3, device="cuda").to(getattr(m, dtype)).T for m in (torch, other))
        mine, yours = a.__cuda_array_interface__, b.__cuda_array_interface__
        assert all(mine[key] == yours[key] for key in ("shape", "strides", "typestr")), (dtype, mine, yours)
    back = other.as_tensor(Lender(x), device="cuda")
    assert back.data_ptr() == x.data_ptr() and back.tolist() == x.tolist()
    shared = other.from_dlpack(x)
    shared += 1
    other.cuda.synchronize()
    assert x.tolist() == shared.tolist() and torch.from_dlpack(shared).data_ptr() == x.data_ptr()
    print("lent: to PyTorch and back, by both ways")


def holders():
    """An error of memory says which lines hold the most."""
    torch.cuda.empty_cache()
    total = torch.cuda.mem_get_info()[1]
    held = [torch.zeros(64 << 20, device="cuda") for _ in range(3)]
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (64 << 20)) / total)
    try:
        torch.zeros(1 << 30, device="cuda")
    except torch.cuda.OutOfMemoryError as error:
        print("out of memory:", str(error).replace("\n", " |"))
        assert "768.00 MiB in 3 tensors made at face.py" in str(error) and "Tried to allocate 4096.00 MiB" in str(error)
    else:
        raise AssertionError("no error")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert len(held) == 3 and torch.zeros(1 << 28, device="cuda").sum().item() == 0
    print(torch.cuda.memory_summary())


def legacy():
    x = torch.cuda.FloatTensor([1, 2, 3])
    assert x.is_cuda and isinstance(x, torch.cuda.FloatTensor) and x.type() == "torch.cuda.FloatTensor"
    assert x.type(torch.cuda.HalfTensor).dtype is torch.float16 and not x.type("torch.FloatTensor").is_cuda
    assert torch.ones(2).type("torch.cuda.DoubleTensor").type() == "torch.cuda.DoubleTensor"
    with torch.cuda.nvtx.range("forward of {}", "x"):
        assert torch.cuda.nvtx.range_push("a") == -2 and torch.cuda.nvtx.range_pop() == -2


def forks():
    """A child of a process that has used the device is told so, and the parent goes on."""
    import os
    child = os.fork()
    if not child:
        try:
            torch.ones(1, device="cuda")
        except RuntimeError as error:
            os._exit(0 if "Cannot re-initialize CUDA in forked subprocess" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and torch.ones(1, device="cuda").item() == 1


PARTS = (names, properties, streams, captures, loops, late_errors, draws, training, memory, lent, holders, legacy, forks)
for part in PARTS:
    part()
print(f"face: {len(PARTS)} parts passed")
