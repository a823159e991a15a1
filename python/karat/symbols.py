"""symbols.py - PyTorch's functions on symbolic sizes: sizes are plain numbers here, and so are the results."""

import math


def sym_int(a):
    """Truncated to an int."""
    return int(a)


def sym_float(a):
    """As a float."""
    return float(a)


def sym_max(a, b):
    """The larger; a float if one of them is."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a, b):
    """The smaller; a float if one of them is."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_not(a):
    """not a"""
    return not a


def sym_ite(b, t, f):
    """t if b else f"""
    return t if b else f


def sym_sqrt(a):
    """The square root."""
    return math.sqrt(a)


def sym_sum(args):
    """The sum of all."""
    return sum(args)


NAMES = {name: value for name, value in globals().items() if name.startswith("sym_")}
