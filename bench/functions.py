"""The functions of src/math by karat and, given an interpreter that has it, by PyTorch, in turns. Timings never gate anything.

usage: functions.py [--reference PYTHON] [--threads N] [--only REGEX]
Out: one line a function, dtype and size: karat's time, PyTorch's, and how many times as fast karat is, slowest first; last, how
many are no slower.
"""

import argparse
import importlib
import json
import re
import subprocess
import sys
import time

SIZES = {"128x256": (128, 256), "2048x1024": (2048, 1024)}
DTYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "f64": "float64"}
UNARY = {  # the arguments: where a function has to work, not where it is constant
    "exp": (-10, 10), "exp2": (-10, 10), "expm1": (-10, 10), "log": (0.01, 100), "log2": (0.01, 100), "log10": (0.01, 100),
    "log1p": (-0.9, 10), "sin": (-10, 10), "cos": (-10, 10), "tan": (-10, 10), "asin": (-1, 1), "acos": (-1, 1),
    "atan": (-10, 10), "sinh": (-10, 10), "cosh": (-10, 10), "tanh": (-5, 5), "asinh": (-10, 10), "acosh": (1, 10),
    "atanh": (-0.99, 0.99), "sigmoid": (-10, 10), "erf": (-3, 3), "erfc": (-3, 3), "logsigmoid": (-10, 10), "gelu": (-5, 5),
    "gelu_tanh": (-5, 5), "silu": (-10, 10), "mish": (-10, 10), "softplus": (-10, 10),
}
BINARY = {"logaddexp": (-10, 10), "logaddexp2": (-10, 10), "pow": (0.1, 5), "add": (-1, 1)}


def call_of(m, name, x, y):
    if name in BINARY:
        f = getattr(m, name)
        return lambda: f(x, y)
    if name == "gelu_tanh":
        return lambda: m.nn.functional.gelu(x, approximate="tanh")
    f = getattr(m, name) if hasattr(m, name) else getattr(m.nn.functional, name)
    return lambda: f(x)


def seconds(call, clock):
    """The best of a few rounds of as many calls as last some milliseconds."""
    call()
    count, best, rounds = 1, float("inf"), 0
    while rounds < 5:
        start = clock()
        for _ in range(count):
            call()
        spent = clock() - start
        if spent < 4e-3:
            count *= 2 if spent > 1e-3 else 8
            continue
        best, rounds = min(best, spent / count), rounds + 1
    return best


def measure(module, threads, only):
    """What one process finds: seconds of a call by name of the work."""
    m = importlib.import_module(module)
    m.set_num_threads(threads)
    clock = time.perf_counter if threads > 1 else time.thread_time  # which does not count what other programs take away
    m.manual_seed(0)
    found = {}
    for name, (low, high) in {**UNARY, **BINARY}.items():
        for size, shape in SIZES.items():
            for short, dtype in DTYPES.items():
                work = f"{name} {short} {size}"
                if re.search(only, work):
                    x, y = ((m.rand(shape) * (high - low) + low).to(getattr(m, dtype)) for _ in range(2))
                    found[work] = seconds(call_of(m, name, x, y), clock)
    return found


def in_process(python, module, args):
    command = [python, __file__, "--measure", module, "--threads", str(args.threads), "--only", args.only]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", metavar="PYTHON", help="an interpreter that can import torch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure, args.threads, args.only)))
        return
    sides = [(sys.executable, "karat")] + ([(args.reference, "torch")] if args.reference else [])
    best = [{} for _ in sides]
    for _ in range(2):
        for side, found in zip(sides, best):
            for work, spent in in_process(*side, args).items():
                found[work] = min(spent, found.get(work, spent))
    ours, theirs = best[0], best[-1]
    ratios = {work: theirs[work] / ours[work] for work in ours}
    for work in sorted(ratios, key=ratios.get):
        line = f"{work:28s} {ours[work] * 1e6:10.1f} us"
        print(line + (f"   PyTorch {theirs[work] * 1e6:10.1f} us   {ratios[work]:6.2f} times as fast" if args.reference else ""))
    if args.reference:
        even = sum(ratio >= 0.97 for ratio in ratios.values())
        print(f"{even} of {len(ratios)} no slower than PyTorch, {args.threads} threads")


if __name__ == "__main__":
    main()
