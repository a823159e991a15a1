"""Timings and memory figures on a GPU: `timings.py karat` or `timings.py torch`, the same calls. Run by run.sh."""
import importlib
import sys
import time

torch = importlib.import_module(sys.argv[1])


def timed(times, call):
    """Seconds of a call, the last wait included: the least of six rounds."""
    least = 1e9
    for _ in range(6):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(times):
            call()
        torch.cuda.synchronize()
        least = min(least, (time.perf_counter() - begin) / times)
    return least


def line(what, figure, unit):
    print(f"{sys.argv[1]:6} {what:44} {figure:8.2f} {unit}", flush=True)


def memory():
    """Allocated, in blocks of 512 bytes, and reserved, in MiB, after each step."""
    sizes = [1, 512, 513, 1 << 20, (1 << 20) + 1, 5 << 20, 9 << 20, 10 << 20, 11 << 20, 100 << 20, 1000, 3 << 20]
    figures, held = [], []

    def note():
        figures.append(f"{torch.cuda.memory_allocated() >> 9}/{torch.cuda.memory_reserved() >> 20}")

    torch.cuda.empty_cache()
    for n in sizes:
        held.append(torch.empty(n, dtype=torch.uint8, device="cuda"))
        note()
    for i in range(0, len(sizes), 2):
        held[i] = None
        note()
    for i in range(0, len(sizes), 2):
        held[i] = torch.empty(sizes[-1 - i], dtype=torch.uint8, device="cuda")
        note()
    held.clear()
    torch.cuda.empty_cache()
    note()
    print(f"{sys.argv[1]:6} memory:", " ".join(figures))


def small():
    a, b = torch.ones(1, device="cuda"), torch.ones(1000, device="cuda")
    line("add of one element", 1e6 * timed(20000, lambda: torch.add(a, a)), "us")
    line("add_ of a thousand", 1e6 * timed(20000, lambda: b.add_(b)), "us")
    line("item()", 1e6 * timed(5000, a.item), "us")
    line("empty and free of 4 KB", 1e6 * timed(100000, lambda: torch.empty(1000, device="cuda")), "us")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(100):
            b.add_(1)
    line("replay of 100 kernels", 1e6 * timed(2000, graph.replay), "us")


def large():
    n = 64 << 20
    x = torch.full((n,), 1.5, device="cuda")
    y, h, i = x.bfloat16(), x.half(), x.long()
    x2, y2, m = x + x, y + y, x.reshape(8192, 8192)
    for what, per_element, call in (
        ("float32 -> bfloat16", 6, x.bfloat16),
        ("bfloat16 -> float32", 6, y.float),
        ("float32 -> float16", 6, x.half),
        ("float16 -> float32", 6, h.float),
        ("int64 -> float32", 12, i.float),
        ("float32 -> float8_e4m3fn", 5, lambda: x.to(torch.float8_e4m3fn)),
        ("float32 + float32", 12, lambda: x + x2),
        ("bfloat16 + bfloat16", 6, lambda: y + y2),
        ("float32 + bfloat16", 10, lambda: x + y),
        ("float32 > bfloat16", 7, lambda: x > y),
        ("exp of float32", 8, x.exp),
        ("gelu of bfloat16", 4, lambda: torch.nn.functional.gelu(y)),
        ("fill of float32", 4, lambda: x.fill_(1.5)),
        ("float32 [8k, 8k], transposed copy", 8, lambda: m.T.contiguous()),
        ("float32 [8k, 8k] + [8k]", 8, lambda: m + x[:8192]),
    ):
        line("64M " + what, per_element * n * 1e-12 / timed(20, call), "TB/s")


def copies():
    x = torch.ones(64 << 20)
    y, pinned, gb = x.cuda(), x.pin_memory(), x.nbytes * 1e-9
    line("256 MiB to the device, pageable", gb / timed(5, x.cuda), "GB/s")
    line("256 MiB to the device, pinned", gb / timed(5, lambda: pinned.to("cuda", non_blocking=True)), "GB/s")
    line("256 MiB to the host, pageable", gb / timed(5, y.cpu), "GB/s")


for part in (memory, small, large, copies):
    part()
