"""Makes the tables of src/math/f32/pieces.h, src/math/f32/brief.h and src/math/f64/pieces.h. Needs mpmath, which the build does
not: the tables are part of the tree.

usage: pieces.py f32 [FUNCTION...]; pieces.py f64; pieces.py bf16 (which needs scipy, too)

float32: functions as polynomials, one for each of up to 32 pieces of their range. A piece is
f(x) = top + d (c1 + c2 d + ... + c6 d^5) of d = x - center. The center is a float32 near the middle of the piece at which f and
its slope are almost float32s, so that rounding `top` and c1 costs nothing. The polynomial interpolates (f(x) - f(center)) / d
at the nodes of Chebyshev. The first piece of an odd function begins at 0: there top is x itself, and d q(d) what f lacks of it.

float64, 16 pieces. Of most functions the table has numbers that make the argument small, so that one polynomial serves all
pieces: the powers 2^(j/16) in two parts; short numbers near the inverses of what is in a piece of [0.69, 1.38), and minus their
logarithms to the bases e, 2 and 10 in two parts; for pieces of half an
octave of x + 1/8 p and q, of which the arc of x is that of q / p plus that of (p x - q) / (q x + p), and the arc of q / p in two
parts. erf and erfc have a polynomial a piece, as those of float32: f(x) = top + d (c1 + c2 d + ...) of d = x - center.
All polynomials interpolate at the nodes of Chebyshev.

tan of both has the sines and cosines of arcs c. tan(c + d) is (sin c + cos c tan d) / (cos c - sin c tan d), and is the same if
both numbers have a common factor. It is chosen so that they are almost floats, and need no second part.

bfloat16, 32 pieces. exp: the powers 2^(j/32), from whose bits those of j 2^-5 in the exponent are taken. Of the others piece j
holds the sizes of which a multiple is nearest to j. They are few, and a polynomial is good if all of their results are rounded to
the right bfloat16s. Of such polynomials linear programming finds the one that keeps farthest from where it would be wrong.
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
    "sigmoid": (lambda x: 1 / (1 + mp.exp(x)), even(16, 32), 6, False),
    "gelu": (lambda x: mp.erfc(x / mp.sqrt(2)) / 2, even(5, 32), 6, False),
}


def tables_f32(names):
    for name in names or [*FUNCTIONS, "tan"]:
        if name == "tan":
            table_tan_f32()
            continue
        f, bounds, degree, odd = FUNCTIONS[name]
        rows = [piece(f, low, high, degree, odd) for low, high in zip(bounds, bounds[1:])]
        print_rows(name, rows)


def print_rows(name, rows):
    """A table of eight columns, of which math/table.h makes the layout that a build wants."""
    lines = [f"#define {name.upper()}_PIECES_F32(ROW)"]
    for row in rows:
        numbers = [written(c, "f") for c in row]
        lines += ["    ROW(" + ", ".join(numbers[:4]) + ",", "        " + ", ".join(numbers[4:]) + ")"]
    print(*(line.ljust(90) + "\\" for line in lines[:-1]), lines[-1], sep="\n")
    print(f"EIGHT_COLUMNS_F32({name}_pieces_f32, {name.upper()}_PIECES_F32)")


def written(number, suffix):
    return float.hex(number).replace("0000000p", "p") + suffix


def print_table(what, columns, suffix, in_a_line):
    print(f"static KT_TABLE const {what} = {{")
    for column in columns:
        numbers = [written(c, suffix) for c in column]
        lines = [numbers[k:k + in_a_line] for k in range(0, len(numbers), in_a_line)]
        print("    {" + ",\n     ".join(", ".join(line) for line in lines) + "},")
    print("};")


def solved(f, nodes, degree):
    """The polynomial of this degree through these points of f."""
    return list(mp.lu_solve(mp.matrix([[x ** k for k in range(degree + 1)] for x in nodes]), mp.matrix([f(x) for x in nodes])))


def nodes_of(low, high, count):
    shift = mp.mpf(2) ** -30  # no node is 0, where a quotient has no value
    return [(low + high) / 2 + (high - low) / 2 * (mp.cos((2 * k + 1) * mp.pi / (2 * count)) + shift) for k in range(count)]


def interpolated(f, low, high, degree):
    return [float.hex(float(c)) for c in solved(f, nodes_of(low, high, degree + 1), degree)]


def in_two(x, bits=None):
    """The nearest double, or multiple of 2^-bits, and what it lacks."""
    high = float(x) if bits is None else float(mp.nint(x * mp.mpf(2) ** bits) / mp.mpf(2) ** bits)
    return high, float(x - high)


def double_of(bits):
    return struct.unpack("d", struct.pack("Q", bits))[0]


def bits_of(x):
    return struct.unpack("Q", struct.pack("d", x))[0]


def show(name, coefficients):
    print(f"/* {name}:", *coefficients, "*/")


def table_exp():
    powers = [in_two(mp.mpf(2) ** (mp.mpf(j) / 16)) for j in range(16)]
    print_table("double exp_pieces_f64[2][PIECES_F64]", zip(*powers), "", 4)
    reach = mp.log(2) / 32
    show("e^r", interpolated(lambda r: (mp.exp(r) - 1 - r) / r**2, -reach, reach, 5))


def table_log():
    """So short an inverse c that m c - 1, which is below 2^-5 but at some ends of pieces, is a double."""
    bounds = [double_of(0x3FE6100000000000 + (j << 48)) for j in range(17)]
    inverses, reach = [], 0
    for low, high in zip(bounds, bounds[1:]):
        steps = 32 if high <= 1 else 64
        near = [1.0] if low <= 1 < high else [(round(2 / (low + high) * steps) + k) / steps for k in (-1, 0, 1)]
        inverses.append(min(near, key=lambda c: max(abs(low * c - 1), abs(high * c - 1))))
        reach = max(reach, abs(low * inverses[-1] - 1), abs(high * inverses[-1] - 1))
    for name, base in ("log", mp.e), ("log2", mp.mpf(2)), ("log10", mp.mpf(10)):
        rows = [(c, *in_two(-mp.log(mp.mpf(c)) / mp.log(base), 42)) for c in inverses]
        print_table(f"double {name}_pieces_f64[3][PIECES_F64]", zip(*rows), "", 4)
        tail = interpolated(lambda r: (mp.log1p(r) - r) / r**2 / mp.log(base), -mp.mpf(reach), mp.mpf(reach), 8)
        show(f"{name}(1 + r), |r| <= {float(reach)}", tail)


def sine_and_cosine(arc, rounded):
    """Times a factor near 1, so that both are almost what `rounded` makes of them. A sine of 0 is -0: added to a zero, it leaves
    the zero its sign."""
    if arc == 0:
        return -0.0, 1.0
    if arc == mp.pi / 2:
        return 1.0, 0.0
    lost = lambda sine: abs(rounded(sine * mp.cot(arc)) - sine * mp.cot(arc))
    sine = min((rounded(mp.sin(arc) * (1 + k * mp.mpf(2) ** -23)) for k in range(2**11)), key=lambda y: lost(mp.mpf(y)))
    return sine, rounded(sine * mp.cot(arc))


def show_tan(reach, degree):
    tail = solved(lambda z: (mp.tan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, nodes_of(0, mp.mpf(reach) ** 2, degree + 1), degree)
    error = max(abs(d / mp.tan(d) * (1 + d**2 * mp.polyval(tail[::-1], d**2)) - 1) for d in mp.linspace(reach / 99, reach, 99))
    show(f"tan d, |d| <= {reach}, error 2^{float(mp.log(error, 2)):.1f}", [float.hex(float(c)) for c in tail])


def table_tan_f32():
    """At n the arc of n steps, at n + 16 a right angle plus it; n is from -7 to 7, and places are counted modulo 32."""
    step = mp.mpf(55) / 512
    arcs = [j * step for j in range(8)] + [mp.pi / 2 + j * step for j in range(-8, 8)] + [j * step for j in range(-8, 0)]
    print_table("float tan_pieces_f32[2][PIECES_F32]", zip(*(sine_and_cosine(arc, f32) for arc in arcs)), "f", 6)
    show_tan(0.0538, 1)


def table_tan_f64():
    print_table("double tan_pieces_f64[2][PIECES_F64]", zip(*(sine_and_cosine(j * mp.pi / 16, float) for j in range(16))), "", 4)
    show_tan(0.0983, 4)


def table_atan():
    rows, reach = {}, 0
    for j in range(16):
        first = bits_of(0.125) + (j << 51)
        low, high = double_of(first) - 0.125, double_of(first + (1 << 51)) - 0.125
        if j == 0:
            p, q, ends = 1.0, 0.0, (high,)
        elif j == 15:
            p, q, ends = 0.0, 1.0, (low,)
        else:
            p, ends = 1.0, (low, high)
            q = float(round(mp.tan((mp.atan(low) + mp.atan(high)) / 2) * 2**10)) / 2**10
        reach = max([reach] + [abs((p * x - q) / (q * x + p)) for x in ends])
        rows[first >> 51 & 15] = (p, q, *in_two(mp.atan(q) if p else mp.pi / 2))
    print_table("double atan_pieces_f64[4][PIECES_F64]", zip(*(rows[j] for j in range(16))), "", 4)
    tail = interpolated(lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, mp.mpf(0), mp.mpf(reach) ** 2, 5)
    show(f"atan t, |t| <= {reach}", tail)


def short_center(f, low, high):
    """A number near the middle of the piece, of which f and its slope are almost doubles."""
    middle = (low + high) / 2
    near = [float(middle + (high - low) * k / 2**17) for k in range(-200, 201)]
    return min(near, key=lambda x: sum(abs(float(y) / y - 1) for y in mp.taylor(f, mp.mpf(x), 1)))


def table_by_polynomials(name, f, bounds, degree, odd, beyond):
    """The polynomials hold by this share of a piece beyond its ends."""
    rows = []
    for low, high in zip(bounds, bounds[1:]):
        more = (high - low) * beyond
        if low == 0 and odd:
            rows.append([0.0, 0.0, *map(float, solved(lambda x: f(x) / x - 1, nodes_of(low, high + more, degree), degree - 1))])
            continue
        center = short_center(f, low, high)
        top, slope = mp.taylor(f, mp.mpf(center), 1)
        nodes = nodes_of(low - more - center, high + more - center, degree - 1)
        rest = solved(lambda d: ((f(center + d) - top) / d - slope) / d, nodes, degree - 2)
        rows.append([center, float(top), float(slope), *map(float, rest)])
    print_table(f"double {name}_pieces_f64[{degree + 2}][PIECES_F64]", zip(*rows), "", 4)


def tables_f64():
    table_exp()
    table_log()
    table_tan_f64()
    table_atan()
    table_by_polynomials("erf", mp.erf, even(6, 16), 17, True, mp.mpf(1) / 16)
    quarters = [mp.mpf(2) ** e * (1 + mp.mpf(p) / 4) - 2 for e in range(1, 5) for p in range(4)] + [mp.mpf(30)]
    table_by_polynomials("erfc", lambda x: mp.erfc(x) * mp.exp(x * x), quarters, 18, False, mp.mpf(0))


def size_of(bits):
    """The number whose upper half in float32 is this."""
    return struct.unpack("f", struct.pack("I", bits << 16))[0]


def rounded_to(y):
    """What is rounded to the same bfloat16 as y, which is not 0."""
    bits = struct.unpack("I", struct.pack("f", abs(y)))[0]
    nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    low, high = ((size_of(nearest + k) + size_of(nearest)) / 2 for k in (-1, 1))
    return (low, high) if y > 0 else (-high, -low)


def within(bounds, degree, fixed):
    """The coefficients of a polynomial, some of which are fixed, whose values p(a) are well within (a, low, high). One that has
    been rounded is made good by those of lower powers."""
    from scipy.optimize import linprog
    free, most = [k for k in range(degree + 1) if k not in fixed], max(a for a, *_ in bounds)
    rows, limits = [], []
    for a, low, high in bounds:
        there = sum(c * a**k for k, c in fixed.items())
        for sign, limit in (1, high), (-1, low):
            rows.append([sign * (a / most) ** k / (high - low) for k in free] + [1])
            limits.append(sign * (limit - there) / (high - low))
    found = linprog([0] * len(free) + [-1], rows, limits, bounds=[(None, None)] * len(free) + [(0, 0.5)])
    fixed = fixed | {free[-1]: f32(found.x[-2] / most ** free[-1])}
    return [fixed[k] for k in range(degree + 1)] if len(free) == 1 else within(bounds, degree, fixed)


def table_within(name, scale, most, degree, fixed, bounds):
    """Bounds of a size: the intervals that its results may be in. Fixed are coefficients of the first piece."""
    pieces = {}
    for bits in range(0x3A00, most + 1):  # of smaller sizes the first coefficients decide
        a = size_of(bits)
        pieces.setdefault(round(f32(a * scale)), []).extend((a, *interval) for interval in bounds(mp.mpf(a)))
    rows = [within(pieces[j], degree, {} if j else fixed) for j in range(32)]
    print_table(f"float {name}_pieces_bf16[{degree + 1}][PIECES_F32]", zip(*rows), "f", 6)


def share(a):
    return 1 / (1 + mp.exp(a))


def of_both_signs(h):
    """h(a), and what it is in a + h(a)."""
    def bounds(a):
        low, high = rounded_to(a + h(a))
        return [rounded_to(h(a)), (low - float(a), high - float(a))]
    return bounds


def tables_bf16():
    powers = [struct.unpack("I", struct.pack("f", mp.mpf(2) ** (mp.mpf(j) / 32)))[0] - (j << 18) for j in range(32)]
    print_table("float exp_pieces_bf16[1][PIECES_F32]", [[struct.unpack("f", struct.pack("I", p))[0] for p in powers]], "f", 6)
    table_within("tanh", 8.75, 0x4060, 2, {0: 0.0, 1: 1.0}, lambda a: [rounded_to(mp.tanh(a))])
    table_within("sigmoid", 2, 0x417B, 3, {0: 0.5},
                 lambda a: [rounded_to(share(a)), [1 - y for y in reversed(rounded_to(1 - share(a)))]])
    table_within("silu", 2.1, 0x416F, 3, {0: -0.0}, of_both_signs(lambda a: -a * share(a)))
    table_within("gelu", 6.25, 0x40A1, 2, {0: -0.0, 1: -0.5}, of_both_signs(lambda a: -a * mp.erfc(a / mp.sqrt(2)) / 2))


if __name__ == "__main__":
    {"f64": tables_f64, "bf16": tables_bf16, "f32": lambda: tables_f32(sys.argv[2:])}[sys.argv[1]]()
