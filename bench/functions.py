"""The functions of src/math by karat and, given an interpreter that has it, by PyTorch, in turns. Timings never gate anything.

usage: functions.py [--reference PYTHON] [--threads N] [--only REGEX]
Out: one line a function, dtype and size: karat's time, PyTorch's, and how many times as fast karat is, slowest first; last, how
many are no slower.
"""

import importlib
import re

import in_turns

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


def measure(module, threads, only):
    """What one process finds: seconds of a call by name of the work."""
    m = importlib.import_module(module)
    m.set_num_threads(threads)
    m.manual_seed(0)
    found = {}
    for name, (low, high) in {**UNARY, **BINARY}.items():
        for size, shape in SIZES.items():
            for short, dtype in DTYPES.items():
                work = f"{name} {short} {size}"
                if re.search(only, work):
                    x, y = ((m.rand(shape) * (high - low) + low).to(getattr(m, dtype)) for _ in range(2))
                    found[work] = in_turns.seconds(call_of(m, name, x, y), threads)
    return found


if __name__ == "__main__":
    in_turns.main(__file__, __doc__, measure)
