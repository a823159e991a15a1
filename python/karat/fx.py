"""karat.fx: importable; programs are not traced."""

from . import _missing

__getattr__ = _missing.refusing(__name__, "programs are run as they are written, not traced into graphs")
