"""karat.autograd: gradients given to the caller."""

from . import _karat, _missing
from .modes import enable_grad, no_grad, set_grad_enabled  # noqa: F401

grad = _karat.gradients
backward = _karat.backward

__getattr__ = _missing.of(__name__)
