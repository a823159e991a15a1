"""Makes the tables of src/math/f32/pieces.h and src/math/f64/pieces.h. Needs mpmath, which the build does not: the tables are
part of the tree.

usage: pieces.py f32 [FUNCTION...]; pieces.py f64

float32: functions as polynomials, one for each of up to 32 pieces of their range. A piece is
f(x) = top + d (c1 + c2 d + ... + c6 d^5) of d = x - center. The center is a float32 near the middle of the piece at which f and
its slope are almost float32s, so that rounding `top` and c1 costs nothing. The polynomial interpolates (f(x) - f(center)) / d
at the nodes of Chebyshev. The first piece of an odd function begins at 0: there top is x itself, and d q(d) what f lacks of it.

float64: the powers 2^(j/16) in two parts; and for the 16 pieces of [0.703, 1.406) a number in the piece, its inverse, and its
logarithms to the bases e, 2 and 10 in two parts. Then one polynomial serves all pieces, since its argument is small: it
interpolates at the nodes of Chebyshev.
"""

import struct
import sys

import mpmath as mp

mp.mp.prec = 160


def f32(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def after(x, steps):
    return struct.unpack("f", struct.pack("I", struct.unpack("I", struct.pack("f", x))[0] + steps))[0]


def lost(y):
    return abs(f32(y) / y - 1)


def center_of(f, low, high):
    """The float32 near the middle of the piece at which f and, counted by its share, its slope lose least."""
    middle = f32((low + high) / 2)
    value, slope, *curve = mp.taylor(f, middle, 3)
    share, best = abs(slope * (high - low) / 2 / value), (mp.inf, middle)
    for reach in (high - low) / 50, (high - low) / 5:
        steps = int(reach / (after(middle, 1) - middle))
        for step in range(-steps, steps + 1, max(steps // 3000, 1)):
            x = after(middle, step)
            d = mp.mpf(x) - middle
            best = min(best, (lost(f(mp.mpf(x))) + share * lost(slope + d * (2 * curve[0] + d * 3 * curve[1])), x))
        if best[0] < mp.mpf(2) ** -27:
            break
    return best[1]


def piece(f, low, high, degree, odd):
    if low == 0 and odd:
        center, top, rest = 0.0, 0.0, lambda x: f(x) / x - 1
    else:
        center = center_of(f, low, high)
        there = f(mp.mpf(center))
        top, rest = f32(there), lambda x: (f(x) - there) / (x - center)
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos((2 * k + 1) * mp.pi / (2 * degree)) for k in range(degree)]
    matrix = mp.matrix([[(x - center) ** k for k in range(degree)] for x in nodes])
    return [center, top] + [f32(c) for c in mp.lu_solve(matrix, mp.matrix([rest(x) for x in nodes]))]


def octaves(least, most, parts):
    """0 to 2^least, then every octave up to 2^most in equal parts."""
    steps = [mp.mpf(2) ** e * (1 + mp.mpf(p) / parts) for e in range(least, most) for p in range(parts)]
    return [mp.mpf(0), *steps, mp.mpf(2) ** most]


def even(most, pieces):
    return [mp.mpf(most) * k / pieces for k in range(pieces + 1)]


FUNCTIONS = {  # what stands in the table, at which bounds, with a polynomial of which degree; is it odd?
    "tanh": (mp.tanh, octaves(-4, 3, 4) + [mp.mpf(10)], 6, True),
    "atan": (mp.atan, octaves(-3, 4, 4), 6, True),
    "tan": (mp.tan, octaves(-4, 0, 8)[:-3], 5, True),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(x)), even(16, 32), 6, False),
    "gelu": (lambda x: mp.erfc(x / mp.sqrt(2)) / 2, even(5, 32), 6, False),
}


def tables_f32(names):
    for name in names or FUNCTIONS:
        f, bounds, degree, odd = FUNCTIONS[name]
        rows = [piece(f, low, high, degree, odd) for low, high in zip(bounds, bounds[1:])]
        print_table(f"float {name}_pieces_f32[{degree + 2}][PIECES_F32]", zip(*rows), "f", 6)


def print_table(what, columns, suffix, in_a_line):
    print(f"static KT_TABLE const {what} = {{")
    for column in columns:
        numbers = [float.hex(c).replace("0000000p", "p") + suffix for c in column]
        lines = [numbers[k:k + in_a_line] for k in range(0, len(numbers), in_a_line)]
        print("    {" + ",\n     ".join(", ".join(line) for line in lines) + "},")
    print("};")


def interpolated(f, reach, degree):
    nodes = [reach * (mp.cos((2 * k + 1) * mp.pi / (2 * degree + 2)) + mp.mpf(2) ** -30) for k in range(degree + 1)]
    matrix = mp.matrix([[x ** k for k in range(degree + 1)] for x in nodes])
    return [float.hex(float(c)) for c in mp.lu_solve(matrix, mp.matrix([f(x) for x in nodes]))]


def in_two(x, bits=None):
    """The nearest double, or multiple of 2^-bits, and what it lacks."""
    high = float(x) if bits is None else float(mp.nint(x * mp.mpf(2) ** bits) / mp.mpf(2) ** bits)
    return high, float(x - high)


def double_of(bits):
    return struct.unpack("d", struct.pack("Q", bits))[0]


def middle_of(low, high):
    """A short number near the middle whose inverse is almost a double; 1, if that is in the piece."""
    if low < 1 < high:
        return 1.0
    middle = (low + high) / 2
    near = [round(middle * 2**20 + k) / 2**20 for k in range(-4000, 4001)]
    return min(near, key=lambda x: abs(float(1 / mp.mpf(x)) * mp.mpf(x) - 1))


def tables_f64():
    powers = [in_two(mp.mpf(2) ** (mp.mpf(j) / 16)) for j in range(16)]
    print_table("double exp_pieces_f64[2][PIECES_F64]", zip(*powers), "", 4)
    print("/* e^r:", *interpolated(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.log(2) / 32, 5), "*/")
    bounds = [double_of(0x3FE6800000000000 + (j << 48)) for j in range(17)]
    middles = [middle_of(low, high) for low, high in zip(bounds, bounds[1:])]
    for name, base in ("log", mp.e), ("log2", mp.mpf(2)), ("log10", mp.mpf(10)):
        rows = [(m, float(1 / mp.mpf(m)), *in_two(mp.log(mp.mpf(m)) / mp.log(base), 42)) for m in middles]
        print_table(f"double {name}_pieces_f64[4][PIECES_F64]", zip(*rows), "", 4)
    print("/* log(1 + r):", *interpolated(lambda r: (mp.log(1 + r) - r) / r**2, mp.mpf(1) / 32, 8), "*/")


if __name__ == "__main__":
    tables_f64() if sys.argv[1] == "f64" else tables_f32(sys.argv[2:])
