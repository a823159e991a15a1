"""Derivatives at the ends: zeros of either sign, infinities, NaN, ties, bends, and the ends of each dtype's range.

The reference is closed forms in NumPy's long double, with a convention where a function has no slope (PyTorch's: 0 where a
mask or a tie decides, NaN outside of a domain). Complex derivatives are compared with differences, which share nothing with
the formulas."""

import itertools
import math
import warnings

import numpy as np
import pytest

import karat
import karat.nn.functional as F

inf, nan = math.inf, math.nan
LD = np.longdouble
FLOATS = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "float64": 1e-12}
PI = LD("3.14159265358979323846264338327950288")


def numbers(dtype, *, few=False):
    info = karat.finfo(getattr(karat, dtype))
    ends = [info.max, -info.max, info.smallest_normal, info.smallest_normal / 4, info.eps, 1 - info.eps, 1 + info.eps]
    usual = [0.0, -0.0, 1.0, -1.0, 0.5, -0.7, 2.0, -3.0, inf, -inf, nan]
    return usual + (ends[:4] if few else ends + [-x for x in ends[2:]] + [0.25, 1.5, -1.5, 6.0, -6.0, 20.0, -20.0])


def gradients(f, *leaves, g=1.0):
    y = f(*leaves)
    return karat.autograd.grad(y, leaves, karat.full(y.shape, g, dtype=y.dtype), allow_unused=True)


def leaf(values, dtype):
    return karat.tensor(values, dtype=getattr(karat, dtype) if isinstance(dtype, str) else dtype, requires_grad=True)


def agrees(got, want, dtype, slack=1.0):
    """As far as the dtype can say: what it cannot hold is infinite, what it can hardly hold may be 0."""
    info = karat.finfo(getattr(karat, dtype))
    want = LD(want)
    if np.isnan(want) or math.isnan(got):
        return bool(np.isnan(want)) and math.isnan(got)
    if abs(want) > LD(info.max) * (1 - LD(info.eps) / 4) or math.isinf(got):
        if np.isinf(want):
            return got == want
        return abs(want) > LD(info.max) * LD(0.9) and (math.isinf(got) or abs(got) > 0.9 * info.max)
    return abs(LD(got) - want) <= LD(FLOATS[dtype]) * LD(slack) * abs(want) + 2 * LD(info.smallest_normal)


def compare(name, f, slopes, dtype, points, slack=1.0):
    with np.errstate(all="ignore"):
        columns = [list(c) for c in zip(*points)]
        leaves = [leaf(c, dtype) for c in columns]
        seen = [[LD(v) for v in x.detach().to(karat.float64).tolist()] for x in leaves]
        got = [None if d is None else d.to(karat.float64).tolist() for d in gradients(f, *leaves)]
        wrong = []
        for i, at in enumerate(zip(*seen)):
            wanted = slopes(*at)
            for k, want in enumerate(wanted if isinstance(wanted, tuple) else (wanted,)):
                have = 0.0 if got[k] is None else got[k][i]
                if not agrees(have, want, dtype, slack):
                    wrong.append((tuple(float(v) for v in at), k, have, float(want)))
    assert not wrong, f"{name} {dtype}: {len(wrong)} of {len(points)}, (at, operand, got, want): {wrong[:4]}"


one = LD(1)


def when(condition, then, otherwise):
    return then if condition else otherwise


def outside(x, low, high):
    return not low <= x <= high


# The slope of each function of one number. Where a function is NaN its slope is what its closed form gives, as in PyTorch.
UNARY = {
    "abs": (karat.abs, lambda x: when(x == x, np.sign(x), LD(0))),
    "neg": (karat.neg, lambda x: -one),
    "square": (karat.square, lambda x: 2 * x),
    "exp": (karat.exp, np.exp),
    "exp2": (karat.exp2, lambda x: np.exp2(x) * np.log(LD(2))),
    "expm1": (karat.expm1, np.exp),
    "log": (karat.log, lambda x: 1 / x),
    "log2": (karat.log2, lambda x: 1 / (x * np.log(LD(2)))),
    "log10": (karat.log10, lambda x: 1 / (x * np.log(LD(10)))),
    "log1p": (karat.log1p, lambda x: 1 / (x + 1)),
    "sqrt": (karat.sqrt, lambda x: 1 / (2 * np.sqrt(x))),
    "rsqrt": (karat.rsqrt, lambda x: LD(-0.5) * (1 / np.sqrt(x)) ** 3),
    "reciprocal": (karat.reciprocal, lambda x: -1 / (x * x)),
    "sinh": (karat.sinh, np.cosh),
    "cosh": (karat.cosh, np.sinh),
    "sin": (karat.sin, np.cos),
    "cos": (karat.cos, lambda x: -np.sin(x)),
    "tan": (karat.tan, lambda x: 1 + np.tan(x) ** 2),
    "tanh": (karat.tanh, lambda x: 1 - np.tanh(x) ** 2),
    "sigmoid": (karat.sigmoid, lambda x: 1 / (1 + np.exp(-x)) * (1 - 1 / (1 + np.exp(-x)))),
    "silu": (F.silu, lambda x: silu_slope(x)),
    "hardswish": (F.hardswish, lambda x: when(x <= -3, LD(0), when(x < 3, x / 3 + one / 2, x * 0 + 1 if x != x else one))),
    "i0": (karat.i0, lambda x: when(x == 0, LD(0), LD(nan) if x != x else i1(x))),
    "lgamma": (karat.lgamma, lambda x: digamma(x)),
    "atan": (karat.atan, lambda x: 1 / (x * x + 1)),
    "asin": (karat.asin, lambda x: 1 / np.sqrt(1 - x * x)),
    "acos": (karat.acos, lambda x: -1 / np.sqrt(1 - x * x)),
    "acosh": (karat.acosh, lambda x: 1 / np.sqrt(x * x - 1)),
    "asinh": (karat.asinh, lambda x: 1 / np.sqrt(x * x + 1)),
    "atanh": (karat.atanh, lambda x: 1 / (1 - x * x)),
    "erf": (karat.erf, lambda x: 2 / np.sqrt(PI) * np.exp(-x * x)),
    "erfc": (karat.erfc, lambda x: -2 / np.sqrt(PI) * np.exp(-x * x)),
    "relu": (karat.relu, lambda x: when(x > 0 or x != x, one, LD(0))),
    "sign": (karat.sign, lambda x: LD(0)),
    "sgn": (karat.sgn, lambda x: LD(0)),
    "ceil": (karat.ceil, lambda x: LD(0)),
    "floor": (karat.floor, lambda x: LD(0)),
    "trunc": (karat.trunc, lambda x: LD(0)),
    "round": (karat.round, lambda x: LD(0)),
    "frac": (karat.frac, lambda x: one),
    "nan_to_num": (karat.nan_to_num, lambda x: when(np.isfinite(x), one, LD(0))),
    "deg2rad": (karat.deg2rad, lambda x: PI / 180),
    "rad2deg": (karat.rad2deg, lambda x: 180 / PI),
    "logit": (karat.logit, lambda x: when(outside(x, 0, 1), LD(nan), 1 / (x * (1 - x)))),
    "logit, eps": (lambda x: karat.logit(x, eps=0.25), lambda x: when(outside(x, 0.25, 0.75), LD(0), 1 / (x * (1 - x)))),
    "clamp": (lambda x: karat.clamp(x, -1.0, 1.0), lambda x: when(-1 <= x <= 1, one, LD(0))),
    "clamp, crossed": (lambda x: karat.clamp(x, 1.0, -1.0), lambda x: LD(0)),
    "clamp min": (lambda x: karat.clamp(x, min=1.0), lambda x: when(x >= 1, one, LD(0))),
    "clamp max": (lambda x: karat.clamp(x, max=1.0), lambda x: when(x <= 1, one, LD(0))),
    "clamp_min NaN": (lambda x: karat.clamp_min(x, nan), lambda x: LD(0)),
    "xlogy(x, 0)": (lambda x: karat.xlogy(x, 0.0), lambda x: when(x == 0, LD(0), LD(-inf))),
    "xlogy(x, -1)": (lambda x: karat.xlogy(x, -1.0), lambda x: when(x == 0, LD(0), LD(nan))),
    "xlogy(x, nan)": (lambda x: karat.xlogy(x, nan), lambda x: when(x == 0, LD(0), LD(nan))),
    "xlogy(x, 2)": (lambda x: karat.xlogy(x, 2.0), lambda x: np.log(LD(2))),
    "copysign(x, -1)": (lambda x: karat.copysign(x, -1.0), lambda x: when(x == 0, LD(0), -abs(x) / x)),
    "0 ** x": (lambda x: 0 ** x, lambda x: when(x >= 0, LD(0), when(x != x, LD(nan), LD(-inf)))),
    "x ** 0": (lambda x: x ** 0, lambda x: LD(0)),
    "x ** 3": (lambda x: x ** 3, lambda x: 3 * x * x),
    "x ** -1": (lambda x: x ** -1, lambda x: -1 / (x * x)),
    "x ** 0.5": (lambda x: x ** 0.5, lambda x: LD(0.5) / np.sqrt(x)),
    "hardtanh": (F.hardtanh, lambda x: when(x <= -1 or x >= 1, LD(0), one)),
    "relu6": (F.relu6, lambda x: when(x <= 0 or x >= 6, LD(0), one)),
    "hardsigmoid": (F.hardsigmoid, lambda x: when(-3 < x < 3, one / 6, LD(0))),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.25), lambda x: when(x > 0, one, one / 4)),
    "elu": (F.elu, lambda x: when(x <= 0, np.exp(x), one)),
    "celu": (lambda x: F.celu(x, 0.5), lambda x: when(x <= 0, np.exp(2 * x), one)),
    "threshold": (lambda x: F.threshold(x, 1.0, 7.0), lambda x: when(x <= 1, LD(0), one)),
    "hardshrink": (F.hardshrink, lambda x: when(-0.5 <= x <= 0.5, LD(0), one)),
    "softshrink": (F.softshrink, lambda x: when(-0.5 <= x <= 0.5, LD(0), one)),
    "softplus": (F.softplus, lambda x: when(x > 20, one, 1 / (1 + np.exp(-x)))),
    "log_sigmoid": (F.logsigmoid, lambda x: 1 / (1 + np.exp(x))),
    "gelu": (F.gelu, lambda x: gelu_slope(x)),
}


def silu_slope(x):
    share = 1 / (1 + np.exp(-x))
    return share * (1 + x * (1 - share))


def i1(x):
    terms, term = LD(0), x / 2
    for k in range(1, 60):
        terms, term = terms + term, term * (x / 2) ** 2 / (k * (k + 1))
    return terms


def digamma(x):
    """By the recurrence up to where the asymptotic series holds; NaN at the poles, infinite at 0 against its sign."""
    if x == 0:
        return np.copysign(LD(inf), -x)
    if not np.isfinite(x):
        return LD(nan) if x != inf else LD(inf)
    if x < 0 and np.floor(x) == x:
        return LD(nan)
    if x < 0:
        return digamma(1 - x) - PI / np.tan(PI * (x - np.floor(x)))
    back = LD(0)
    while x < 20:
        back, x = back - 1 / x, x + 1
    series = sum(b / x ** (2 * k) for k, b in ((1, LD(-1) / 12), (2, LD(1) / 120), (3, LD(-1) / 252), (4, LD(1) / 240)))
    return back + np.log(x) - 1 / (2 * x) + series


def gelu_slope(x):
    if not np.isfinite(x):
        return LD(nan)  # x times a density of 0
    share = LD(0.5) * LD(math.erfc(float(-x / np.sqrt(LD(2)))))
    return share + x * np.exp(-x * x / 2) / np.sqrt(2 * PI)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_slopes_of_one_number(name, dtype):
    f, slope = UNARY[name]
    near_flat = {"gelu": 60.0, "log_sigmoid": 4.0, "softplus": 4.0, "acosh": 60.0, "atanh": 60.0, "asin": 60.0, "acos": 60.0}
    points = [(x,) for x in numbers(dtype)]
    if name in ("acosh", "atanh", "asin", "acos"):  # 1 - x * x has no digits beside 1
        points = [p for p in points if not 0.9 < abs(p[0]) < 1.1 or abs(p[0]) == 1]
    if name == "tanh":
        points = [p for p in points if abs(p[0]) != 3]
    if name in ("tanh", "sigmoid", "silu", "i0", "lgamma", "tan"):  # differences of numbers beside 1, and series
        points = [p for p in points if abs(p[0]) <= 3 or not math.isfinite(p[0])]
    if name == "lgamma":
        points = [p for p in points if p[0] != -inf and (abs(p[0]) > 1e-2 or p[0] == 0) and not 0.9 < -p[0] < 1.1]
    if name == "i0":
        points = [p for p in points if abs(p[0]) != inf]
    if name == "expm1":  # e^x is its result and 1: of large negative numbers few digits
        points = [p for p in points if p[0] > -1 or not math.isfinite(p[0])]
    if name == "gelu" and dtype in ("float16", "bfloat16"):
        points = [p for p in points if p[0] > -3 or p[0] != p[0]]
    if name == "x ** 0.5" and dtype == "float16":  # a power there and no root: of -0 and -inf as of 0 and inf
        slope = lambda x: LD(0.5) * np.power(x, LD(-0.5))  # noqa: E731
    compare(name, f, slope, dtype, points, near_flat.get(name, 1.0))


def power(a, b):
    base = when(b == 0, LD(0), b * np.power(a, b - 1))
    flat = a == 0 and b >= 0
    return base, when(flat, LD(0), np.power(a, b) * np.log(a))


def angle(a, b):
    far = np.hypot(a, b)
    return (LD(0), LD(0)) if far == 0 else (b / far / far, -(a / far / far))


def lost(mine, other, better):
    return LD(0) if better(other, mine) else LD(0.5) if mine == other else one


def clamped(x, low, high):
    return (when(x >= low and x <= high, one, LD(0)), when(x < low and low < high, one, LD(0)),
            when(x > high or high < low, one, LD(0)))


MORE = {
    "atan2": (karat.atan2, angle),
    "hypot": (karat.hypot, lambda a, b: (a / np.hypot(a, b), b / np.hypot(a, b))),
    "pow": (karat.pow, power),
    "xlogy": (karat.xlogy, lambda a, b: (when(a == 0 and b <= 0, LD(0), np.log(b)), a / b)),
    "div": (karat.div, lambda a, b: (1 / b, -(a / b / b))),
    "mul": (karat.mul, lambda a, b: (b, a)),
    "copysign": (karat.copysign, lambda a, b: (when(a == 0, LD(0), np.copysign(a, b) / a), LD(0))),
    "add": (karat.add, lambda a, b: (one, one)),
    "sub alpha": (lambda a, b: karat.sub(a, b, alpha=2), lambda a, b: (one, LD(-2))),
    "rsub": (karat.rsub, lambda a, b: (-one, one)),
    "remainder": (karat.remainder, lambda a, b: (one, -np.floor(a / b))),
    "fmod": (karat.fmod, lambda a, b: (one, -np.trunc(a / b))),
    "logaddexp": (karat.logaddexp, lambda a, b: (1 / (1 + np.exp(b - a)), 1 / (1 + np.exp(a - b)))),
    "logaddexp2": (karat.logaddexp2, lambda a, b: (1 / (1 + np.exp2(b - a)), 1 / (1 + np.exp2(a - b)))),
    "lerp": (lambda a, b: karat.lerp(a, b, 0.25), lambda a, b: (LD(0.75), LD(0.25))),
    "addcmul": (lambda a, b: karat.addcmul(b, a, b, value=2), lambda a, b: (2 * b, 1 + 2 * a)),
    "addcdiv": (lambda a, b: karat.addcdiv(a, a, b), lambda a, b: (1 + 1 / b, -(a / (b * b)))),
    "maximum": (karat.maximum, lambda a, b: (lost(a, b, lambda u, v: u > v), lost(b, a, lambda u, v: u > v))),
    "minimum": (karat.minimum, lambda a, b: (lost(a, b, lambda u, v: u < v), lost(b, a, lambda u, v: u < v))),
    "fmax": (karat.fmax, lambda a, b: (one, LD(0)) if a >= b or b != b else (LD(0), one)),
    "fmin": (karat.fmin, lambda a, b: (one, LD(0)) if a <= b or b != b else (LD(0), one)),
    "clamp min=": (lambda x, m: karat.clamp(x, min=m), lambda x, m: (when(x >= m, one, LD(0)), when(x < m, one, LD(0)))),
    "clamp max=": (lambda x, m: karat.clamp(x, max=m), lambda x, m: (when(x <= m, one, LD(0)), when(x > m, one, LD(0)))),
    "clamp_": (lambda x, m: (x * 1).clamp_(max=m), lambda x, m: (when(x <= m, one, LD(0)), when(x > m, one, LD(0)))),
    "clamp_min": (karat.clamp_min, lambda x, m: (when(x >= m, one, LD(0)), when(x < m, one, LD(0)))),
    "clamp_max": (karat.clamp_max, lambda x, m: (when(x <= m, one, LD(0)), when(x > m, one, LD(0)))),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", MORE)
def test_slopes_of_two_numbers(name, dtype):
    points = list(itertools.product(numbers(dtype, few=True), repeat=2))
    if name == "pow":  # a power of a power beyond the range: inf times 0 in a narrow float, and not in a long double
        points = [p for p in points if not any(1e4 < abs(v) < inf or 0 < abs(v) < 1e-3 for v in p) and -3 < p[1] < 3]
    if name in ("remainder", "fmod", "addcdiv"):  # whole quotients of all sizes, and squares
        points = [p for p in points if all(abs(v) < 1e3 and (v == 0 or abs(v) > 0.1) for v in p)]
    if name in ("atan2", "hypot", "div", "xlogy"):  # quotients of subnormal numbers have few digits
        points = [p for p in points if not any(0 < abs(v) < karat.finfo(getattr(karat, dtype)).smallest_normal for v in p)]
        largest = karat.finfo(getattr(karat, dtype)).max
        points = [p for p in points if sum(abs(v) == largest for v in p) < 2]
    compare(name, *MORE[name], dtype, points, 4.0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_slopes_of_clamp(dtype):
    compare("clamp", karat.clamp, clamped, dtype, list(itertools.product([0.0, -0.0, 1.0, -2.0, inf, -inf, nan, 0.5], repeat=3)))


def test_hypot_of_small_numbers():
    a, b = leaf([1e-5, 1e-4], "float16"), leaf([1e-5, 1e-4], "float16")
    assert all(abs(v - 0.7071) < 4e-3 for d in gradients(karat.hypot, a, b) for v in d.tolist())


# ---- an operand that is left out ----

@pytest.mark.parametrize("of", ["float16", "float32", "float64", "int64"])
@pytest.mark.parametrize("bound", ["float16", "bfloat16", "float64"])
def test_operands_are_found_by_position(of, bound):
    x = karat.tensor([1, 2, 3], dtype=getattr(karat, of))
    m = leaf([2.0, 1.0, 3.0], bound)
    if x.is_floating_point():
        x.requires_grad_()
    y = karat.clamp(x, max=m)
    y.sum().backward()
    assert m.grad.tolist() == [0, 1, 0] and m.grad.dtype is m.dtype
    assert x.grad is None or (x.grad.tolist() == [1, 0, 1] and x.grad.dtype is x.dtype)


def test_a_refusal_names_the_operand_that_is_there():
    with karat.policy("strict"), pytest.raises(TypeError, match="convert max from float32 to float64"):
        karat.clamp(karat.ones(2, dtype=karat.float64), max=karat.ones(2))


# ---- complex numbers, beside differences ----

def by_differences(f, inputs, weight, h=1e-6):
    def value(at):
        with karat.no_grad():
            y = f(*at)
        y = karat.view_as_real(y).flatten() if y.is_complex() else y.flatten()
        return sum(w * v for w, v in zip(weight, y.tolist()))

    for k, x in enumerate(inputs):
        flat, got = x.detach().flatten().tolist(), []
        for i in range(len(flat)):
            parts = []
            for step in (h, 1j * h) if x.is_complex() else (h,):
                ends = []
                for way in (1, -1):
                    moved = list(flat)
                    moved[i] += way * step
                    there = karat.tensor(moved, dtype=x.dtype).reshape(x.shape)
                    ends.append(value([there if j == k else z for j, z in enumerate(inputs)]))
                parts.append((ends[0] - ends[1]) / (2 * h))
            got.append(complex(*parts))
        yield got


def check_complex(name, f, *inputs):
    inputs = [x.detach().requires_grad_() for x in inputs]
    y = f(*inputs)
    weight = [((7 * i + 3) % 11) / 5 - 1 for i in range(y.numel() * (2 if y.is_complex() else 1))]
    g = karat.tensor(weight, dtype=karat.float64).reshape(y.shape + ((2,) if y.is_complex() else ()))
    y.backward(karat.view_as_complex(g) if y.is_complex() else g)
    for x, want in zip(inputs, by_differences(f, inputs, weight)):
        got = x.grad.flatten().tolist() if x.grad is not None else [0] * x.numel()
        assert all(abs(complex(a) - b) < 1e-5 * (1 + abs(b)) for a, b in zip(got, want)), f"{name}: {got} {want}"


def some(*shape, seed=0):
    n = math.prod(shape)
    values = [complex(((7 * i + 3 + seed) % 11) / 5 - 0.93, ((5 * i + 1 + 2 * seed) % 7) / 3 - 0.89) for i in range(n)]
    return karat.tensor(values, dtype=karat.complex128).reshape(shape)


c = 0.5 - 2j
FACTORS = {
    "add alpha": (lambda a, b: karat.add(a, b, alpha=c), (3,), (3,)),
    "sub alpha": (lambda a, b: karat.sub(a, b, alpha=c), (3,), (3,)),
    "rsub alpha": (lambda a, b: karat.rsub(a, b, alpha=c), (3,), (3,)),
    "rsub number alpha": (lambda a: karat.rsub(a, 2.0, alpha=c), (3,)),
    "add_ alpha": (lambda a, b: (a * 1).add_(b, alpha=c), (3,), (3,)),
    "mul number": (lambda a: a * c, (3,)),
    "div number": (lambda a: a / c, (3,)),
    "number div": (lambda a: c / a, (3,)),
    "addcmul": (lambda a, b, d: karat.addcmul(a, b, d, value=c), (3,), (3,), (3,)),
    "addcdiv": (lambda a, b, d: karat.addcdiv(a, b, d, value=c), (3,), (3,), (3,)),
    "lerp number": (lambda a, b: karat.lerp(a, b, c), (3,), (3,)),
    "lerp tensor": (karat.lerp, (3,), (3,), (3,)),
    "addmm": (lambda a, b, d: karat.addmm(a, b, d, beta=1j, alpha=c), (2, 3), (2, 2), (2, 3)),
    "addmv": (lambda a, b, d: karat.addmv(a, b, d, beta=c, alpha=1j), (2,), (2, 3), (3,)),
    "addr": (lambda a, b, d: karat.addr(a, b, d, beta=1j, alpha=c), (2, 3), (2,), (3,)),
    "baddbmm": (lambda a, b, d: karat.baddbmm(a, b, d, beta=1j, alpha=c), (2, 2, 2), (2, 2, 1), (2, 1, 2)),
    "addbmm": (lambda a, b, d: karat.addbmm(a, b, d, beta=1j, alpha=c), (2, 2), (2, 2, 1), (2, 1, 2)),
    "index_add": (lambda a, b: karat.index_add(a, 0, karat.tensor([1, 0, 1]), b, alpha=c), (2,), (3,)),
    "pow number": (lambda a: a ** c, (3,)),
    "number pow": (lambda a: c ** a, (3,)),
    "pow": (karat.pow, (3,), (3,)),
    "prod": (lambda a: a.prod(), (4,)),
    "prod of a zero": (lambda a: (a * karat.tensor([1, 0, 1, 1])).prod(), (4,)),
    "cumprod": (lambda a: a.cumprod(0), (5,)),
    "logcumsumexp": (lambda a: a.logcumsumexp(0), (4,)),
    "logaddexp": (karat.logaddexp, (3,), (3,)),
    "vdot": (karat.vdot, (3,), (3,)),
    "std": (lambda a: a.std(), (4,)),
    "renorm": (lambda a: karat.renorm(a, 2, 0, 0.5), (2, 3)),
}


@pytest.mark.parametrize("name", FACTORS)
def test_complex_factors(name):
    f, *shapes = FACTORS[name]
    check_complex(name, f, *(some(*shape, seed=i) for i, shape in enumerate(shapes)))


COMPLEX = """abs exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan sinh cosh tanh sigmoid asin acos
atan asinh acosh atanh sinc square sgn angle conj_physical neg""".split()


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_slopes_in_every_quadrant(name):
    z = karat.tensor([complex(a, b) for a in (-1.7, -0.4, 0.3, 2.1) for b in (-1.3, -0.2, 0.6, 1.9)], dtype=karat.complex128)
    check_complex(name, getattr(karat, name), z)


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, inf, -1])
def test_complex_norms(p):
    check_complex(f"norm {p}", lambda a: karat.linalg.vector_norm(a, p, 1), some(2, 3))


# ---- folds: zeros, ties, infinities ----

def rows(f, values, dtype="float64", g=1.0):
    x = leaf(values, dtype)
    return gradients(f, x, g=g)[0].tolist()


def alike(got, want):
    return all(math.isnan(a) and math.isnan(b) or a == pytest.approx(b, rel=1e-9, abs=1e-12) for a, b in zip(got, want))


FOLDS = [
    (lambda x: x.prod(0), [0.0, 2.0, 3.0], [6, 0, 0]),
    (lambda x: x.prod(0), [0.0, 0.0, 3.0], [0, 0, 0]),
    (lambda x: x.prod(0), [2.0, 4.0, 3.0], [12, 6, 8]),
    (lambda x: x.prod(0), [inf, 0.0, 1.0], [0, inf, nan]),
    (lambda x: x.prod(0), [nan, 1.0, 2.0], [2, nan, nan]),
    (lambda x: x.prod(), [0.0, nan, 1.0], [nan, 0, nan]),
    (lambda x: x.cumprod(0), [0.0, 2.0, 3.0], [9, 0, 0]),
    (lambda x: x.cumprod(0), [2.0, 0.0, 3.0], [1, 8, 0]),
    (lambda x: x.cumprod(0), [nan, 1.0, 2.0], [4, nan, nan]),
    (lambda x: x.amax(0), [1.0, 2.0, 2.0], [0, 0.5, 0.5]),
    (lambda x: x.amin(0), [-0.0, 0.0, 1.0], [0.5, 0.5, 0]),
    (lambda x: x.max(), [nan, 1.0, nan], [0.5, 0, 0.5]),
    (lambda x: x.max(0)[0], [2.0, 2.0, 1.0], [1, 0, 0]),
    (lambda x: x.min(0)[0], [1.0, nan, nan], [0, 1, 0]),
    (lambda x: x.cummax(0)[0], [1.0, 1.0, 0.0], [1, 2, 0]),
    (lambda x: x.median(), [1.0, 1.0, 2.0], [0.5, 0.5, 0]),
    (lambda x: x.std(0), [1.0, 1.0, 1.0], [0, 0, 0]),
    (lambda x: x.var(0, correction=3), [0.0, 1.0, 5.0], [-inf, -inf, inf]),
    (lambda x: x.var(0, correction=5), [0.0, 1.0, 5.0], [2, 1, -3]),
    (lambda x: x.logsumexp(0), [-inf, 0.0, 0.0], [0, 0.5, 0.5]),
    (lambda x: x.logsumexp(0), [-inf, -inf, -inf], [nan, nan, nan]),
    (lambda x: x.logcumsumexp(0), [0.0, 0.0, -inf], [2, 1, 0]),
    (lambda x: x.nansum(), [1.0, nan, inf], [1, 0, 1]),
    (lambda x: x.nanmean(), [1.0, nan, 3.0], [0.5, 0, 0.5]),
] + [(lambda x, p=p: karat.linalg.vector_norm(x, p), [0.0, -0.0, 0.0], [0, 0, 0]) for p in (0, 0.5, 1, 2, 3, inf, -inf, -1)] + [
    (lambda x: karat.linalg.vector_norm(x, 1), [0.0, -2.0, 3.0], [0, -1, 1]),
    (lambda x: karat.linalg.vector_norm(x, inf), [-3.0, 3.0, 1.0], [-0.5, 0.5, 0]),
    (lambda x: karat.linalg.vector_norm(x, 3), [0.0, -1.0, 0.0], [0, -1, 0]),
    (lambda x: karat.linalg.vector_norm(x, 0), [0.0, 1.0, 2.0], [0, 0, 0]),
]


@pytest.mark.filterwarnings("ignore:var")
@pytest.mark.parametrize("case", range(len(FOLDS)))
def test_folds(case):
    f, at, want = FOLDS[case]
    x = leaf(at, "float64")
    got = gradients(f, x)[0]
    got = [0.0] * len(at) if got is None else got.tolist()
    assert alike(got, want), f"case {case} at {at}: {got}, want {want}"


@pytest.mark.parametrize("how", ["amax", "amin"])
def test_a_scattered_nan_is_not_hidden(how):
    x, s = leaf([1.0, 5.0], "float64"), leaf([nan, 1.0, 5.0], "float64")
    index = karat.tensor([0, 0, 1])
    for f in (karat.scatter_reduce, karat.index_reduce):
        dx, ds = gradients(lambda a, b: f(a, 0, index, b, how), x, s)
        assert alike(dx.tolist(), [nan, 0.5]) and alike(ds.tolist(), [nan, nan, 0.5])


@pytest.mark.parametrize("g", [inf, -inf, nan])
def test_a_gradient_that_is_not_finite_goes_where_a_slope_is_and_nowhere_else(g):
    for f in (karat.max, karat.median, karat.nanmedian):
        got = rows(f, [0.0, 3.0, 3.0, 3.0, 1.0], g=g)
        assert got[0] == got[4] == 0 and not any(math.isfinite(v) for v in got[1:4])
    assert rows(karat.min, [0.0, 3.0, 1.0], g=g)[1:] == [0, 0]
    matrix = leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float64")
    got = gradients(karat.trace, matrix, g=g)[0]
    assert got.flatten().isfinite().tolist() == [False, True, True, False, True, True] and got[2].tolist() == [0, 0]


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 3.0, inf])
def test_a_distance_from_nan_has_the_slope_nan(p):
    a, b = leaf([[nan, 1.0], [0.0, 5.0]], "float64"), leaf([[0.0, 3.0]], "float64")
    da, db = gradients(lambda x, y: karat.cdist(x, y, p=p), a, b)
    assert math.isnan(da[0, 0].item()) and math.isnan(db[0, 0].item())
    assert all(math.isfinite(v) for v in da[1].tolist())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distances_of_numbers_that_are_none(dtype):
    """The largest difference is looked for among numbers; an infinite one is not told from an infinite distance."""
    x, y = leaf([[nan, 1.0, 3.0], [inf, 0.0, 0.0], [0.0, 4.0, 1.0]], dtype), leaf([[0.0, 2.0, -1.0]], dtype)
    assert karat.cdist(x, y, p=inf).flatten().tolist() == [4, inf, 2]
    assert karat.cdist(x, -karat._neg_view(y.detach()), p=inf).flatten().tolist() == [4, inf, 2]
    dx, dy = gradients(lambda a, b: karat.cdist(a, b, p=inf), x, y)
    assert [repr(v) for v in dx.flatten().tolist()] == ["nan", "0.0", "1.0", "nan", "0.0", "0.0", "0.0", "1.0", "1.0"]
    assert [math.isnan(v) for v in dy[0].tolist()] == [True, False, False] and dy[0, 1:].tolist() == [-1, -2]
    far = leaf([[inf, 1.0], [2.0, 3.0], [0.0, 0.0]], dtype)
    assert gradients(lambda a: karat.pdist(a, 1.0), far)[0].tolist() == [[2, 0], [0, 2], [-2, -2]]
    assert [math.isnan(v) for v in gradients(lambda a: karat.pdist(a, inf), far)[0].flatten().tolist()] == [True, False] * 3
    one, two = leaf([[nan, 1.0]], dtype), leaf([[0.0, 1.0]], dtype)
    assert all(t.isnan().all() for t in gradients(lambda a, b: karat.cdist(a, b, p=1.5), one, two))


# ---- losses ----

LOSSES = [
    (lambda a, b: F.binary_cross_entropy(a, b), 0.0, 0.0, 0, inf),
    (lambda a, b: F.binary_cross_entropy(a, b), 0.0, 1.0, -1e12, inf),
    (lambda a, b: F.binary_cross_entropy(a, b), 1.0, 1.0, 0, -inf),
    (lambda a, b: F.binary_cross_entropy_with_logits(a, b), inf, 1.0, 0, -inf),
    (lambda a, b: F.smooth_l1_loss(a, b, beta=1.0), 1.0, 0.0, 1, -1),
    (lambda a, b: F.smooth_l1_loss(a, b, beta=0.0), 0.0, 0.0, 0, 0),
    (lambda a, b: F.smooth_l1_loss(a, b, beta=0.0), -3.0, 0.0, -1, 1),
    (lambda a, b: F.huber_loss(a, b, delta=0.5), 0.5, 0.0, 0.5, -0.5),
    (lambda a, b: F.huber_loss(a, b, delta=0.5), -7.0, 0.0, -0.5, 0.5),
    (lambda a, b: F.l1_loss(a, b), 2.0, 2.0, 0, 0),
    (lambda a, b: F.kl_div(a, b, reduction="sum"), -1.0, 0.0, 0, 0),
    (lambda a, b: F.mse_loss(a, b), 3.0, 3.0, 0, 0),
]


@pytest.mark.parametrize("case", range(len(LOSSES)))
def test_losses(case):
    f, a, b, da, db = LOSSES[case]
    a, b = leaf([a], "float64"), leaf([b], "float64")
    got = gradients(f, a, b)
    assert got[0].item() == pytest.approx(da)
    if case != 10:  # log(0) + 1 - input is -inf, and 0 by PyTorch's xlogy
        assert got[1].item() == pytest.approx(db)


# ---- second derivatives ----

def second(f, at, dtype="float64"):
    """Of each element of the gradient's sum, and by the incoming gradient."""
    x = leaf(at, dtype)
    y = f(x)
    g = karat.ones_like(y, requires_grad=True)
    d, = karat.autograd.grad(y, x, g, create_graph=True)
    by_x, by_g = karat.autograd.grad(d.sum(), (x, g), allow_unused=True)
    return None if by_x is None else by_x.tolist(), None if by_g is None else by_g.flatten().tolist()


SECOND = [
    (lambda x: x.prod(0), [0.0, 1.0, 2.0], [3, 2, 1], [2]),
    (lambda x: x.prod(), [0.0, 0.0, 2.0], [2, 2, 0], [0]),
    (lambda x: x.cumprod(0), [0.0, 1.0, 2.0], [4, 3, 1], [1, 1, 2]),
    (lambda x: x.cumprod(0), [0.0, 0.0, 0.0], [1, 1, 0], [1, 0, 0]),
    (lambda x: x.logcumsumexp(0), [0.0, 1.0, 2.0], [0, 0, 0], [1, 1, 1]),
    (lambda x: karat.linalg.vector_norm(x), [0.0, 0.0], [0, 0], [0]),
    (lambda x: x.std(0), [1.0, 1.0], [0, 0], [0]),
    (lambda x: karat.renorm(x.unsqueeze(0), 2, 0, 1.0), [0.0, 3.0, 4.0], None, None),
    (lambda x: karat.logit(x), [2.0, -1.0, 0.5], [0, 0, 0], [0, 0, 4]),
    (lambda x: karat.xlogy(x, 0.0), [0.0], None, [0]),
    (lambda x: karat.special.i1(x), [0.0], [0], [0.5]),
    (lambda x: 0 ** x, [0.0, 1.0], [0, 0], [0, 0]),
    (lambda x: karat.copysign(x, -2.0), [0.0, 3.0], None, [0, -1]),
    (lambda x: F.softplus(x, 1, 2.0), [2.0], [0], None),
]


@pytest.mark.parametrize("case", range(len(SECOND)))
def test_second_derivatives(case):
    f, at, want_x, want_g = SECOND[case]
    by_x, by_g = second(f, at)
    assert want_x is None or alike(by_x, want_x), (by_x, want_x)
    assert want_g is None or alike(by_g, want_g), (by_g, want_g)


def test_second_derivative_of_renorm_at_a_zero():
    """x0 = 0 of (0, 1, 2): the sum of the gradient is 3 / n - S S / n^3, which falls by 2 S / n^3 with x0."""
    x = leaf([[0.0, 1.0, 2.0]], "float64")
    d, = karat.autograd.grad(karat.renorm(x, 2, 0, 1.0).sum(), x, create_graph=True)
    by_x, = karat.autograd.grad(d.sum(), x)
    assert by_x[0, 0].item() == pytest.approx(-6 / 5**1.5, rel=1e-6)


def test_prelu_of_an_infinite_weight():
    x, w = leaf([-1.0], "float64"), leaf([inf], "float64")
    y = karat.prelu(x, w)
    g = karat.ones(1, dtype=karat.float64, requires_grad=True)
    _, dw = karat.autograd.grad(y, (x, w), g, create_graph=True)
    assert karat.autograd.grad(dw, g)[0].tolist() == [-1.0]


@pytest.mark.parametrize("at,by_weight,by_grad", [(0.0, 0.0, 1.0), (-0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (-1.0, 1.5, 0.25),
                                                  (nan, 1.5, 0.25)])
def test_second_derivatives_of_prelu_take_zero_as_positive(at, by_weight, by_grad):
    x, w, g = leaf([at], "float64"), leaf([0.25], "float64"), leaf([1.5], "float64")
    dx, dw = karat.autograd.grad(karat.prelu(x, w), (x, w), g, create_graph=True)
    assert dx.item() == (1.5 if at > 0 else 0.375)
    assert [t.item() for t in karat.autograd.grad(dx, (w, g), retain_graph=True)] == [by_weight, by_grad]
    assert karat.autograd.grad(dw, x)[0].item() == by_weight


# ---- forward values ----

def test_full_of_a_complex_number():
    for default, want in zip(("float16", "bfloat16", "float32", "float64"), ("complex64",) * 3 + ("complex128",)):
        before = karat.get_default_dtype()
        karat.set_default_dtype(getattr(karat, default))
        try:
            assert karat.full((2,), 1j).dtype is getattr(karat, want)
            assert karat.full((), 1j).dtype is getattr(karat, want)
        finally:
            karat.set_default_dtype(before)


def test_logarithms_of_infinite_sums():
    def last(*values):
        return karat.logcumsumexp(karat.tensor(values, dtype=karat.complex128), 0)[-1].item()

    assert last(complex(inf, 0), complex(inf, 0)) == complex(inf, 0)
    assert last(complex(inf, 1), 2 + 1j) == complex(inf, 1)
    assert last(complex(-inf, 0), 2 + 1j) == 2 + 1j
    assert last(complex(inf, 1), complex(inf, 1)).imag == pytest.approx(math.pi / 4)
    for a, b in ((complex(nan, 0), 1), (complex(0, nan), complex(inf, 0)), (1, complex(inf, nan))):
        got = last(a, b)
        assert math.isnan(got.real) and math.isnan(got.imag)
        z = karat.logaddexp(*(karat.tensor([v], dtype=karat.complex128) for v in (a, b))).item()
        assert math.isnan(z.real) and math.isnan(z.imag)


@pytest.mark.parametrize("of", ["float16", "float32", "float64", "complex64", "complex128"])
def test_lerp_promotes_a_weight_of_no_dims(of):
    a = karat.ones(2, dtype=getattr(karat, of))
    for weight in ("float32", "float64", "int64", "float16"):
        w = karat.ones((), dtype=getattr(karat, weight))
        assert karat.lerp(a, a * 3, w).dtype is a.dtype
        assert (a * 1).lerp_(a * 3, w).tolist() == (a * 3).tolist()
        if a.dtype is not w.dtype:
            with pytest.raises(RuntimeError, match="for `weight` but got dtype"):
                karat.lerp(a, a, w.expand(2))
    whole = karat.ones(2, dtype=karat.int64)
    assert karat.lerp(whole, whole, karat.tensor(0.5)).dtype is karat.float32
    with pytest.raises(RuntimeError, match="for `end` but got dtype"):
        karat.lerp(a, whole, karat.tensor(0.5))
    if not a.is_complex():
        with pytest.raises(RuntimeError, match="cannot be converted to type (float|double) without overflow"):
            karat.lerp(a, a, 0.5j)


@pytest.mark.parametrize("of", ["float16", "bfloat16"])
def test_lerp_rounds_a_weight_of_no_dims(of):
    dtype = getattr(karat, of)
    a, b = (karat.arange(64, dtype=dtype) * k for k in (0.37, -1.9))
    for third in (karat.tensor(1 / 3), karat.tensor(1 / 3, dtype=karat.float64)):
        assert karat.equal(karat.lerp(a, b, third), karat.lerp(a, b, third.to(dtype).expand(64)))
        assert karat.equal(karat.lerp(a, b, third), karat.lerp(a, b, third.to(dtype).item()))
        assert not karat.equal(karat.lerp(a, b, third), karat.lerp(a, b, third.item()))


@pytest.mark.parametrize("of", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["tanh", "sigmoid", "mish"])
def test_slopes_of_narrow_floats_are_rounded_once(name, of):
    """Calculated in float32 from what was saved: the result, of mish the operand."""
    dtype, f = getattr(karat, of), getattr(karat, name, None) or getattr(karat.nn.functional, name)
    x = karat.linspace(-9, 9, 3001).to(dtype).requires_grad_()
    g = karat.linspace(2, -3, 3001).to(dtype)
    y = f(x)
    got, = karat.autograd.grad(y, x, g)
    G, Y, X = (t.detach().cpu().double() for t in (g, y, x))
    t = X.exp().log1p().tanh()
    slope = {"tanh": 1 - Y * Y, "sigmoid": (1 - Y) * Y, "mish": t + X * X.sigmoid() * (1 - t * t)}[name]
    off = (got.cpu().double() - G * slope).abs()
    ulp = (G * slope).to(dtype).double().abs().clamp_min(karat.finfo(dtype).tiny).log2().floor().exp2() * karat.finfo(dtype).eps
    assert (off <= ulp * 0.502).all(), (off / ulp).max()


# ---- what is not warned of ----

REAL_TO_COMPLEX = [
    lambda x: x.to(karat.complex128), lambda x: karat.zeros(2, dtype=karat.complex128).copy_(x), lambda x: x * 1j,
    lambda x: x + 1j, lambda x: x / (1 + 1j), lambda x: (1 + 1j) ** x, lambda x: x ** (1 + 1j),
    lambda x: karat.cat([x, karat.ones(2) * 1j]),
    lambda x: x.to(karat.complex64) ** 2 * x,
]


@pytest.mark.parametrize("case", range(len(REAL_TO_COMPLEX)))
def test_a_real_gradient_is_taken_without_a_word(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = leaf([1.0, 2.0], "float64")
        y = karat.view_as_real(REAL_TO_COMPLEX[case](x))
        d, = karat.autograd.grad(y.sum(), x, create_graph=True)
        assert d.dtype is karat.float64
        if d.requires_grad:
            d.sum().backward()


def test_a_distance_to_no_points_has_no_slope():
    for p in (1.0, 2.0, 3.0, float("inf")):
        x = karat.tensor([[1.0, float("inf")]], requires_grad=True)
        karat.cdist(x, karat.zeros(0, 2), p=p).sum().backward()
        assert x.grad.tolist() == [[0.0, 0.0]]
