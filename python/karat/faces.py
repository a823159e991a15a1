"""faces.py - functions whose arguments in Python are not those of their row."""

from ._karat import functions as _rows


def arange(start, end=None, step=1, **options):
    """arange(end) or arange(start, end, step=1): start, start + step, ... before end."""
    if end is None:
        start, end = 0, start
    return _rows["arange"](start, end, step, **options)

