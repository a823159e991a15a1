"""_formulas.py - formulas that several distributions share.

In: parameters and values, as tensors. Out: tensors. Nothing here knows a distribution.
"""

import math

import karat


def log_beta(a, b):
    """The logarithm of the beta function: of the integral of t^(a - 1) (1 - t)^(b - 1). b may be a number."""
    return a.lgamma() + (math.lgamma(b) if isinstance(b, float) else b.lgamma()) - (a + b).lgamma()


def log_odds(p):
    """log(p / (1 - p)), by vectorized operators."""
    return (p / (1 - p)).log()


def log_simplex_integral(concentration):
    """The same over the simplex, of the powers along the last dim."""
    return concentration.lgamma().sum(-1) - concentration.sum(-1).lgamma()


def normals(shape, like):
    """Normal numbers of mean 0 and deviation 1, of the dtype and device of `like`."""
    return karat.randn(shape, dtype=like.dtype, device=like.device)


def above(bound, parameter):
    """The parameter where it exceeds the bound, else NaN: for moments that exist only there."""
    return parameter.masked_fill(parameter <= bound, karat.nan)


def broadcastable(one, other):
    """Do tensors of these two shapes have a common one?"""
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(one), reversed(other)))


def in_two_pieces(x, low, high, formula, series, middle=0.0):
    """formula(x), and series(x - middle) for x from low to high, around the middle, where the formula is 0 / 0."""
    far = (x <= low) | (x > high)
    return karat.where(far, formula(karat.where(far, x, low)), series(x - middle))


def summed_over_last(value, dims):
    """The sum over the last dims."""
    return value if dims == 0 else value.flatten(value.dim() - dims).sum(-1)
