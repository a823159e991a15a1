"""karat.nn.utils: only rnn so far."""

from ... import _missing
from . import rnn  # noqa: F401

__getattr__ = _missing.of(__name__)
