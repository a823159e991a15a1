"""The same work by karat and, where it can be imported, by PyTorch, in turns in one run. Timings never gate anything.

In: nothing. Out: one line a workload: karat's time, PyTorch's, and how many times as fast karat is.
"""

import time

import karat

try:
    import torch
except ImportError:
    torch = None


def products(m, dtype, *shapes):
    a, b = (m.ones(shape, dtype=getattr(m, dtype)) for shape in shapes)
    return lambda: m.matmul(a, b)


WORK = {
    "64 of 32 x 32, float32": lambda m: products(m, "float32", (64, 32, 32), (64, 32, 32)),
    "8 x 8, float32": lambda m: products(m, "float32", (8, 8), (8, 8)),
    "256 x 256, float32": lambda m: products(m, "float32", (256, 256), (256, 256)),
    "1024 x 1024, float32": lambda m: products(m, "float32", (1024, 1024), (1024, 1024)),
    "1024 x 1024, bfloat16": lambda m: products(m, "bfloat16", (1024, 1024), (1024, 1024)),
    "512 x 512, float64": lambda m: products(m, "float64", (512, 512), (512, 512)),
    "2048 x 2048 by vector": lambda m: products(m, "float32", (2048, 2048), (2048,)),
    "sum of 4M": lambda m: m.ones(1 << 22).sum,
    "sum over the last dim": lambda m: (lambda x: lambda: x.sum(-1))(m.ones(2048, 2048)),
    "max over the last dim": lambda m: (lambda x: lambda: x.max(-1))(m.ones(2048, 2048)),
    "var of 4M": lambda m: m.ones(1 << 22).var,
    "cat of two of 1M": lambda m: (lambda x: lambda: m.cat([x, x]))(m.ones(1 << 20)),
    "float32 + bfloat16 of 4M": lambda m: (lambda x, y: lambda: x + y)(m.ones(1 << 22), m.ones(1 << 22, dtype=m.bfloat16)),
    "rand of 1M": lambda m: lambda: m.rand(1 << 20),
    "randn of 1M": lambda m: lambda: m.randn(1 << 20),
}
ROUNDS = 12


def seconds(call):
    """Of one call: enough of them to last a few milliseconds."""
    count, spent = 1, 0.0
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        spent = time.perf_counter() - start
        if spent > 3e-3:
            return spent / count
        count *= 4


def main():
    modules = [karat] + ([torch] if torch else [])
    for name, make in WORK.items():
        calls = [make(module) for module in modules]
        best = [min(seconds(call) for _ in range(ROUNDS)) for call in calls]
        line = f"{name:28s} {best[0] * 1e6:10.1f} us"
        if torch:
            line += f"   PyTorch {torch.__version__} {best[1] * 1e6:10.1f} us   {best[1] / best[0]:6.2f} times as fast"
        print(line)


main()
