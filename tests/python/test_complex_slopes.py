"""Complex derivatives at zeros of either sign, on both sides of branch cuts, at poles, infinities and NaN.

The reference is closed forms in Python's complex numbers: the gradient of a holomorphic f for an incoming g is g conj(f'(z)).
Where f' has a pole the gradient is not finite (which of inf and NaN a part is, depends on how a quotient is formed). At an
infinity or NaN it is the limit where FLAT says that there is one, which is 0, and not finite anywhere else: never a finite
number that means nothing."""

import cmath
import itertools
import math

import pytest

import karat

inf, nan = math.inf, math.nan
PARTS = [0.0, -0.0, 1.0, -1.0, 2.0, -0.5, inf, -inf, nan]
POINTS = [complex(a, b) for a in PARTS for b in PARTS]
INCOMING = [1, 1j, 1 - 2j]


def finite(z):
    return math.isfinite(z.real) and math.isfinite(z.imag)


def conj(z):
    return complex(z.real, -z.imag)


def reference(slope, *at):
    """The closed form, or None at a pole."""
    try:
        return slope(*at)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None


def near(got, want):
    return abs(got - want) <= 1e-9 * max(1.0, abs(want))


def gradients(f, columns, g):
    leaves = [karat.tensor(c, dtype=karat.complex128, requires_grad=True) for c in columns]
    y = f(*leaves)
    incoming = karat.full(y.shape, g if y.is_complex() else 1.0, dtype=y.dtype)
    return [d.tolist() for d in karat.autograd.grad(y, leaves, incoming, materialize_grads=True)]


# The cuts: a product of roots, since sqrt(z^2 - 1) would take the sign of a zero from the square.
def root(z):
    return cmath.sqrt(z)


def sinc_slope(z):
    if z == 0:
        return 0
    w = math.pi * z
    return (cmath.cos(w) * w - cmath.sin(w)) / w / z


HOLOMORPHIC = {
    "exp": cmath.exp,
    "exp2": lambda z: cmath.exp(z * math.log(2)) * math.log(2),
    "expm1": cmath.exp,
    "log": lambda z: 1 / z,
    "log2": lambda z: 1 / (z * math.log(2)),
    "log10": lambda z: 1 / (z * math.log(10)),
    "log1p": lambda z: 1 / (1 + z),
    "sqrt": lambda z: 0.5 / root(z),
    "rsqrt": lambda z: -0.5 / (z * root(z)),
    "reciprocal": lambda z: -1 / (z * z),
    "square": lambda z: 2 * z,
    "sin": cmath.cos,
    "cos": lambda z: -cmath.sin(z),
    "tan": lambda z: 1 + cmath.tan(z) ** 2,
    "sinh": cmath.cosh,
    "cosh": cmath.sinh,
    "tanh": lambda z: 1 - cmath.tanh(z) ** 2,
    "sigmoid": lambda z: cmath.exp(-z) / (1 + cmath.exp(-z)) ** 2,
    "asin": lambda z: 1 / (root(1 - z) * root(1 + z)),
    "acos": lambda z: -1 / (root(1 - z) * root(1 + z)),
    "atan": lambda z: 1 / ((1 - 1j * z) * (1 + 1j * z)),
    "asinh": lambda z: 1 / (root(1 - 1j * z) * root(1 + 1j * z)),
    "acosh": lambda z: 1 / (root(z - 1) * root(z + 1)),
    "atanh": lambda z: 1 / ((1 - z) * (1 + z)),
    "sinc": sinc_slope,
    "neg": lambda z: -1,
    **{f"** {p}": lambda z, p=p: p * z ** (p - 1) for p in (1, 2, 3, -1, -2)},
    "** 0.5": lambda z: 0.5 / root(z),
    "** 1j": lambda z: 1j * cmath.exp(1j * cmath.log(z)) / z,
    "2 **": lambda z: cmath.exp(z * math.log(2)) * math.log(2),
    "1 **": lambda z: 0,
}


def function(name):
    if name.startswith("** "):
        return lambda z: z ** complex(name[3:]) if "j" in name else z ** float(name[3:])
    if name.endswith(" **"):
        return lambda z: karat.pow(float(name[:-3]), z)
    return getattr(karat, name)


def real_is(*values):
    return lambda z: z.real in values


def one_infinite(z):
    return math.isinf(z.real) != math.isinf(z.imag) and z == z


def wide(z):
    return math.isinf(z.real) and math.isfinite(z.imag)


# Where a slope has the limit 0 at infinity and takes it. PyTorch's sigmoid gives NaN for a real part of -inf.
FLAT = {
    "exp": real_is(-inf), "exp2": real_is(-inf), "expm1": lambda z: z.real == -inf and math.isfinite(z.imag),
    "log": one_infinite, "log1p": one_infinite, "reciprocal": one_infinite, "rsqrt": wide, "acosh": wide,
    "tan": lambda z: math.isinf(z.imag), "tanh": real_is(inf, -inf), "sigmoid": real_is(inf, -inf), "2 **": real_is(-inf),
    "1 **": lambda z: True,
}
LINEAR = {"neg", "** 1"}
UNSAID = {"** -1", "** -2", "** 1j", "** 0.5"}  # the limit 0, or not finite


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_holomorphic_slopes(name):
    slope, flat = HOLOMORPHIC[name], FLAT.get(name, lambda z: False)
    wrong = []
    for g in INCOMING:
        got, = gradients(function(name), [POINTS], g)
        for z, have in zip(POINTS, got):
            want = 0 if not finite(z) and flat(z) else reference(slope, z) if finite(z) or name in LINEAR else None
            if want is not None:
                right = near(have, g * conj(complex(want)))
            else:
                right = not finite(have) or (name in UNSAID and have == 0 and not finite(z))
            if not right:
                wrong.append((z, g, have, want))
    print(f"{name}: {len(POINTS) * len(INCOMING)} slopes")
    assert not wrong, f"{name}: {len(wrong)}: (at, incoming, got, want) {wrong[:4]}"


# ---- functions that are not holomorphic ----

def sgn(z):
    return z / abs(z) if z else 0j


def sgn_slope(z, g):
    s = sgn(z)
    return (g - s * (conj(s) * g).real) / abs(z) if z else 0j


PARTLY = {
    "abs": (lambda z, g: sgn(z), False),
    "angle": (lambda z, g: complex(-z.imag, z.real) / abs(z) ** 2 if z else 0j, False),
    "sgn": (sgn_slope, False),
    "real": (lambda z, g: 1, True),
    "imag": (lambda z, g: 1j, True),
    "conj": (lambda z, g: conj(complex(g)), True),
    "conj_physical": (lambda z, g: conj(complex(g)), True),
}


@pytest.mark.parametrize("name", PARTLY)
def test_slopes_that_are_not_holomorphic(name):
    slope, linear = PARTLY[name]
    for g in INCOMING:
        got, = gradients(getattr(karat, name), [POINTS], g)
        for z, have in zip(POINTS, got):
            if finite(z) or linear:
                assert near(have, slope(z, g)), (z, g, have)
            else:
                assert not finite(have), (z, g, have)


# ---- two operands ----

FEW = [complex(a, b) for a in (0.0, -0.0, 1.0, -2.0) for b in (0.0, -0.0, 1.0)]
PAIRS = list(itertools.product(FEW, repeat=2))


def power_slopes(a, b):
    """By the base and by the exponent; None where it is not finite. By the exponent a zero base has the slope 0 where the
    exponent is a real number that is not negative, and none elsewhere: PyTorch's convention."""
    if a == 0:
        grown = None if b.real < 1 else 1 + 0j if b == 1 else 0j if b.real > 1 else None
        return 0j if b == 0 else grown, 0j if b.real >= 0 and b.imag == 0 else None
    power = cmath.exp(b * cmath.log(a))
    return b * power / a, power * cmath.log(a)


TWO = {
    "mul": lambda a, b: (b, a),
    "add": lambda a, b: (1, 1),
    "sub": lambda a, b: (1, -1),
    "div": lambda a, b: (None, None) if b == 0 else (1 / b, -a / (b * b)),
    "pow": power_slopes,
    "logaddexp": lambda a, b: (1 / (1 + cmath.exp(b - a)), 1 / (1 + cmath.exp(a - b))),
}


@pytest.mark.parametrize("name", TWO)
def test_slopes_of_two_numbers(name):
    wrong = []
    for g in INCOMING:
        got = gradients(getattr(karat, name), [list(c) for c in zip(*PAIRS)], g)
        for i, (a, b) in enumerate(PAIRS):
            for k, want in enumerate(TWO[name](a, b)):
                have = got[k][i]
                if not (not finite(have) if want is None else near(have, g * conj(complex(want)))):
                    wrong.append((a, b, k, g, have, want))
    print(f"{name}: {2 * len(PAIRS) * len(INCOMING)} slopes")
    assert not wrong, f"{name}: {len(wrong)}: (a, b, operand, incoming, got, want) {wrong[:4]}"


# ---- folds ----

@pytest.mark.parametrize("p", [0, 0.5, 1, 1.5, 2, 3, inf, -inf, -1])
def test_norms_of_one_number(p):
    """|z| for each p that is not 0: its slope is that of abs, and 0 at 0."""
    z = [z for z in POINTS if finite(z)]
    got, = gradients(lambda x: karat.linalg.vector_norm(x.reshape(-1, 1), p, 1), [z], 1)
    for at, have in zip(z, got):
        assert near(have, 0 if p == 0 else sgn(at)), (p, at, have)


@pytest.mark.parametrize("scan", [False, True])
def test_products_of_three(scan):
    """By each factor the product of the others, zeros among them."""
    triples = list(itertools.product([0j, complex(-0.0, 0.0), 1 + 1j, -2 + 0j], repeat=3))
    x = karat.tensor(triples, dtype=karat.complex128, requires_grad=True)
    y = x.cumprod(1) if scan else x.prod(1)
    got, = karat.autograd.grad(y, x, karat.full(y.shape, 1 - 2j, dtype=y.dtype))
    for (a, b, c), row in zip(triples, got.tolist()):
        want = (1 + b + b * c, a + a * c, a * b) if scan else (b * c, a * c, a * b)
        assert all(near(have, (1 - 2j) * conj(w)) for have, w in zip(row, want)), ((a, b, c), row)


def test_polar_of_a_length_of_zero():
    """The slope by the length is the direction, at 0 and below too. PyTorch takes it from the result, which has none at 0."""
    r = karat.tensor([0.0, -0.0, 2.0, -2.0], dtype=karat.float64, requires_grad=True)
    angle = karat.tensor([0.5, 0.0, 1.0, 1.0], dtype=karat.float64, requires_grad=True)
    y = karat.view_as_real(karat.polar(r, angle))
    by_r, by_angle = karat.autograd.grad(y[:, 0].sum(), (r, angle))
    for length, at, dr, da in zip(r.tolist(), angle.tolist(), by_r.tolist(), by_angle.tolist()):
        assert dr == pytest.approx(math.cos(at)) and da == pytest.approx(-length * math.sin(at))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("order", [inf, -inf])
def test_the_extreme_of_magnitudes_has_a_gradient(order, dtype):
    """The norm and abs may round a magnitude differently: the element that was chosen must be found again."""
    karat.manual_seed(0)
    x = karat.randn(500, 5, dtype=getattr(karat, dtype), requires_grad=True)
    (g,) = karat.autograd.grad(karat.linalg.vector_norm(x, order, dim=1).sum(), x)
    size = x.detach().abs()
    chosen = size == (size.amax(1, keepdim=True) if order > 0 else size.amin(1, keepdim=True))
    assert g.equal(x.detach().sgn() * chosen)
    if order > 0:  # renorm: the largest element keeps its direction, and moves only across it
        y = x.detach().requires_grad_()
        along = (karat.renorm(y, order, 0, 0.1) * y.detach().conj()).real[chosen]
        (g,) = karat.autograd.grad(along.sum(), y)
        moved = (g * y.detach().conj()).real[chosen]
        assert moved.abs().max() < 1e-3
