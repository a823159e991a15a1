"""What the CUDA backend is held to, beside PyTorch in one process: each figure is the median of rounds in which the two take
turns. Prints the figures, the bar of each and whether it is met; `figures.py --markdown` as a table. Needs PyTorch."""
import statistics
import sys
import time

import karat
import torch

ROUNDS = 9


def seconds(module, times, call):
    """Of a call, the last wait included."""
    module.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(times):
        call()
    module.cuda.synchronize()
    return (time.perf_counter() - begin) / times


def add_of_one(m):
    x = m.ones(1, device="cuda")
    return 20000, lambda: m.add(x, x)


def multiplications(m):
    """Forward and backward through twenty."""
    x, w = m.ones(1, device="cuda", requires_grad=True), m.ones(1, device="cuda")

    def call():
        y = x
        for _ in range(20):
            y = y * w
        y.backward()

    return 300, call


N = 64 << 20


def mixed(dtype, other):
    def make(m):
        x, y = m.ones(N, device="cuda").to(getattr(m, dtype)), m.ones(N, device="cuda").to(getattr(m, other))
        return 20, lambda: x + y

    return make


def cast(m):
    x = m.ones(N, device="cuda").bfloat16()
    return 20, lambda: x.float()


def transposed(m):
    x = m.ones(8192, 8192, device="cuda")
    return 20, lambda: x.T.contiguous()


def layer_norm(dtype):
    """Inputs come from memory: all of them are more than the cache holds."""
    def make(m):
        parts = list(m.randn(64, 4096, 1024, device="cuda").to(getattr(m, dtype)).unbind(0))
        w, b = (m.ones(1024, device="cuda").to(getattr(m, dtype)) for _ in range(2))

        def call():
            for x in parts:
                m.nn.functional.layer_norm(x, (1024,), w, b)

        return 8, call

    return make


def product(m):
    x, y = (m.randn(8192, 8192, device="cuda").bfloat16() for _ in range(2))
    return 10, lambda: x @ y


FIGURES = [  # what, unit, how a time becomes the figure, the least ratio or figure, how it is made
    ("add of one element", "us", lambda t: 1e6 * t, ("time", 0.35), add_of_one),
    ("20 multiplications forward and backward", "us", lambda t: 1e6 * t, ("time", 0.25), multiplications),
    ("64M float32 + bfloat16", "TB/s", lambda t: 10 * N * 1e-12 / t, ("least", 4.1), mixed("float32", "bfloat16")),
    ("64M int64 + float32", "TB/s", lambda t: 16 * N * 1e-12 / t, ("least", 4.1), mixed("int64", "float32")),
    ("64M bfloat16 to float32", "TB/s", lambda t: 6 * N * 1e-12 / t, ("least", 3.9), cast),
    ("transposed copy of 8192 x 8192 float32", "TB/s", lambda t: 8 * N * 1e-12 / t, ("least", 3.5), transposed),
    ("layer_norm of 4096 x 1024 float32", "us", lambda t: 1e6 * t / 64, ("faster", 1.5), layer_norm("float32")),
    ("layer_norm of 4096 x 1024 bfloat16", "us", lambda t: 1e6 * t / 64, ("faster", 2.5), layer_norm("bfloat16")),
    ("product of 8192 cubed bfloat16", "TFLOP/s", lambda t: 2 * 8192 ** 3 * 1e-12 / t, ("not below", 0.98), product),
]


def main():
    table, missed = "--markdown" in sys.argv, 0
    print(f"{torch.cuda.get_device_name(0)}; PyTorch {torch.__version__}; median of {ROUNDS} rounds, by turns")
    if table:
        print("| | Karat | PyTorch | bar | |\n|---|---|---|---|---|")
    for what, unit, figure, (kind, bar), make in FIGURES:
        calls = [(m, *make(m)) for m in (karat, torch)]
        times = ([], [])
        for turn in range(ROUNDS + 1):
            for side, (m, count, call) in zip(times, calls):
                spent = seconds(m, count, call)
                if turn:  # the first round warms up
                    side.append(spent)
        ours, theirs = (statistics.median(side) for side in times)
        del calls
        karat.cuda.empty_cache()
        torch.cuda.empty_cache()
        met, says = {
            "time": (ours <= bar * theirs, f"{ours / theirs:.2f} of PyTorch's time, bar {bar}"),
            "least": (figure(ours) >= bar, f"bar {bar} {unit}"),
            "faster": (theirs >= bar * ours, f"{theirs / ours:.2f} times as fast, bar {bar}"),
            "not below": (theirs >= bar * ours, f"{theirs / ours:.2f} of PyTorch's, bar 1 within 2 %"),
        }[kind]
        missed += not met
        shown = [f"{figure(t):.2f} {unit}" for t in (ours, theirs)]
        print(f"| {what} | {shown[0]} | {shown[1]} | {says} | {'met' if met else 'MISSED'} |" if table else
              f"{what:42} {shown[0]:>14} {shown[1]:>14}   {says}: {'met' if met else 'MISSED'}", flush=True)
    print(f"{len(FIGURES) - missed} of {len(FIGURES)} bars met")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
