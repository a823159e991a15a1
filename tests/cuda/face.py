"""The CUDA backend through Python: the names a script uses, a capture, a late error's line, a model that trains as on the CPU."""
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


def memory():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    x = torch.empty(1000, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4096
    del x
    assert torch.cuda.memory_allocated() == before
    print("memory:", torch.cuda.mem_get_info())


for part in (names, streams, captures, loops, late_errors, draws, training, memory):
    part()
print("face: 8 parts passed")
