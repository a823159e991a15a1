"""faces.py - functions whose arguments in Python are not those of their row."""

from ._karat import functions as _rows
from ._karat import get_default_dtype


def scalar_tensor(s, *, dtype=None, **options):
    """A 0-dim tensor; without dtype of the default one, whatever the number is."""
    return _rows["scalar_tensor"](s, dtype=dtype or get_default_dtype(), **options)
