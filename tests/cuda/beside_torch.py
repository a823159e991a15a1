"""The timings and memory figures of bench.c, of PyTorch: the same lines in the same order. Run by hand, beside bench.c."""
import time

import torch


def timed(times, call):
    least = 1e9
    for _ in range(6):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(times):
            call()
        torch.cuda.synchronize()
        least = min(least, (time.perf_counter() - begin) / times)
    return least


def memory():
    sizes = [1, 512, 513, 1 << 20, (1 << 20) + 1, 5 << 20, 9 << 20, 10 << 20, 11 << 20, 100 << 20, 1000, 3 << 20]
    figures = []

    def note():
        figures.append(f"{torch.cuda.memory_allocated() >> 9}/{torch.cuda.memory_reserved() >> 20}")

    torch.cuda.empty_cache()
    held = []
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
    print("torch  memory:", " ".join(figures))


def small():
    a = torch.ones(1, device="cuda")
    b = torch.ones(1000, device="cuda")
    print(f"torch  add of one element, end to end       {1e6 * timed(20000, lambda: torch.add(a, a)):8.2f} us")
    print(f"torch  in place                             {1e6 * timed(20000, lambda: b.add_(b)):8.2f} us")
    print(f"torch  item()                               {1e6 * timed(5000, a.item):8.2f} us")
    print(f"torch  empty + free of 4 KB                 {1e6 * timed(100000, lambda: torch.empty(1000, device='cuda')):8.3f} us")


def large():
    n = 64 << 20
    x = torch.full((n,), 1.5, device="cuda")
    y, h, i = x.bfloat16(), x.half(), x.long()
    x2, y2 = x + x, y + y

    def line(what, per_element, call):
        print(f"torch  64M {what:32} {per_element * n * 1e-12 / timed(20, call):8.2f} TB/s")

    line("float32 -> bfloat16", 6, x.bfloat16)
    line("bfloat16 -> float32", 6, y.float)
    line("float32 -> float16", 6, x.half)
    line("float16 -> float32", 6, h.float)
    line("int64 -> float32", 12, i.float)
    line("float32 -> float8_e4m3fn", 5, lambda: x.to(torch.float8_e4m3fn))
    line("float32 + float32", 12, lambda: x + x2)
    line("bfloat16 + bfloat16", 6, lambda: y + y2)
    line("float32 + bfloat16", 10, lambda: x + y)
    line("float32 > bfloat16", 7, lambda: x > y)
    line("exp float32", 8, x.exp)
    line("gelu bfloat16", 4, lambda: torch.nn.functional.gelu(y))
    line("fill float32", 4, lambda: x.fill_(1.5))
    m = x.reshape(8192, 8192)
    line("copy transposed float32", 8, lambda: m.T.contiguous())
    line("float32 [8k,8k] + [8k]", 8, lambda: m + x[:8192])


def copies():
    x = torch.ones(64 << 20)
    y, pinned, gb = x.cuda(), x.pin_memory(), x.nbytes * 1e-9
    print(f"torch  256 MiB to the device, pageable       {gb / timed(5, x.cuda):8.1f} GB/s")
    print(f"torch  256 MiB to the device, pinned         {gb / timed(5, pinned.cuda):8.1f} GB/s")
    print(f"torch  256 MiB to the host, pageable         {gb / timed(5, y.cpu):8.1f} GB/s")


memory()
small()
large()
copies()
