"""karat.func: functions of functions. jvp and linearize differentiate a function forward."""

from .. import _missing
from ._jvp import jvp, linearize  # noqa: F401

__getattr__ = _missing.of(__name__)
