"""karat.quasirandom: SobolEngine, points that fill the unit cube evenly.

The direction numbers are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections",
SIAM J. Sci. Comput. 30, 2635-2654 (2008), file new-joe-kuo-6.21201: direction_numbers.txt has a line for each dimension, its
primitive polynomial and its first numbers, packed (_first_numbers). A point's coordinate is the exclusive or of the direction
numbers that its Gray code names; scrambled points have them multiplied by a random lower triangular matrix of bits, and a random
shift. The bits are tensors, and every step is an operator.
"""

from functools import cache
from itertools import islice
from pathlib import Path

from . import Generator, _karat, _missing, arange, int64, randint, tensor, zeros

__all__ = ["SobolEngine"]

_BITS, _MOST = 30, 21201


def _first_numbers(packed, n):
    """The numbers m_1 .. m_n of a polynomial of degree n. m_i is odd and below 2**i: its upper i - 1 bits are there, the last
    number's lowest."""
    numbers, bits = [], int(packed, 16)
    for i in range(n, 0, -1):
        numbers.append((bits & ((1 << (i - 1)) - 1)) << 1 | 1)
        bits >>= i - 1
    return numbers[::-1]


def _directions(line):
    """The direction numbers of a dimension, as fractions of 2**30."""
    polynomial, packed = line.split()
    polynomial = int(polynomial, 16)
    degree = polynomial.bit_length() - 1
    if degree == 0:
        numbers = [1] * _BITS
    else:
        numbers = _first_numbers(packed, degree)
    for j in range(len(numbers), _BITS):
        new = numbers[j - degree]
        for k in range(1, degree + 1):
            if polynomial >> (degree - k) & 1:
                new ^= numbers[j - k] << k
        numbers.append(new)
    return [number << (_BITS - 1 - j) for j, number in enumerate(numbers)]


@cache
def _table(dimension):
    with Path(__file__).with_name("direction_numbers.txt").open(encoding="ascii") as lines:
        return [_directions(line) for line in islice(lines, dimension)]


_UNBALANCED = """The balance properties of Sobol' points require n to be a power of 2. {drawn} points have been previously \
generated, then: n={drawn}+2**{m}={total}. If you still want to do this, please use 'SobolEngine.draw()' instead."""


class SobolEngine:
    """Points of a Sobol sequence: draw(n) gives the next n, of shape (n, dimension), between 0 and 1.

    >>> karat.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])

    scramble=True: moved and mixed at random, by the seed or the default generator."""

    MAXBIT, MAXDIM = _BITS, _MOST

    def __init__(self, dimension, scramble=False, seed=None):
        if not 1 <= dimension <= _MOST:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {_MOST}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = tensor(_table(dimension), dtype=int64, device="cpu")
        self.shift = zeros(dimension, dtype=int64, device="cpu")
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = self._as_fractions(self.quasi, _karat.get_default_dtype()).reshape(1, -1)
        self.num_generated = 0

    def _scramble(self):
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        of_bit = 1 << arange(_BITS, device="cpu")  # the lowest first
        self.shift = (randint(2, (self.dimension, _BITS), device="cpu", generator=generator) * of_bit).sum(1)
        mixing = randint(2, (self.dimension, _BITS, _BITS), device="cpu", generator=generator).tril()
        mixing.diagonal(dim1=1, dim2=2).fill_(1)
        bits = self.sobolstate.unsqueeze(2) >> arange(_BITS - 1, -1, -1, device="cpu") & 1
        mixed = (bits.unsqueeze(2) & mixing.unsqueeze(1)).sum(3) & 1
        self.sobolstate = (mixed * of_bit.flip(0)).sum(2)

    @staticmethod
    def _as_fractions(points, dtype):
        return points.to(dtype) * 2.0**-_BITS

    def _points(self, first, n):
        """The points first .. first + n - 1 as integers."""
        numbers = arange(first, first + n, device="cpu")
        gray = numbers ^ numbers >> 1
        points = self.shift.expand(n, -1)
        for bit in range(min((first + n).bit_length(), _BITS) if n else 0):
            points = points ^ self.sobolstate[:, bit] * (gray >> bit & 1).unsqueeze(1)
        return points

    def draw(self, n=1, out=None, dtype=None):
        """The next n points; of the default dtype unless dtype is given."""
        if n < 0:
            raise ValueError(f"n must not be negative, but got {n}")
        dtype = dtype or _karat.get_default_dtype()
        points = self._points(self.num_generated, n)
        self._go_on(n)
        made = self._as_fractions(points, dtype)
        if out is None:
            return made
        out.resize_as_(made).copy_(made)
        return out

    def draw_base2(self, m, out=None, dtype=None):
        """The next 2**m points; refused where the number of all points would not be a power of 2."""
        drawn = self.num_generated
        if (drawn + (1 << m)).bit_count() > 1:
            raise ValueError(_UNBALANCED.format(drawn=drawn, m=m, total=drawn + 2**m))
        return self.draw(1 << m, out, dtype)

    def reset(self):
        """Back to the first point."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Goes on by n points without drawing them."""
        self._go_on(n)
        return self

    def _go_on(self, n):
        self.num_generated += n
        if n:
            self.quasi = self._points(self.num_generated - 1, 1)[0]

    def __repr__(self):
        options = [f"dimension={self.dimension}"]
        options += ["scramble=True"] if self.scramble else []
        options += [f"seed={self.seed}"] if self.seed is not None else []
        return f"{type(self).__name__}({', '.join(options)})"


__getattr__ = _missing.of(__name__)
